//! A sentence encoder on this machine: a folder with a model as ONNX, its tokenizer, and the library that runs it.
//!
//! The library is loaded when the encoder is opened, so the program needs none to be built. One text runs at a time, and those
//! who wait are served in turn: a question waits for one skill of a batch and not for all.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use async_trait::async_trait;
use ort::{
    environment::Environment,
    session::{Session, builder::GraphOptimizationLevel},
    value::Tensor,
};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use tokenizers::{Tokenizer, TruncationParams};
use tokio::sync::Mutex;

use crate::{
    catalog::{Encoder, EncoderError, TextRole},
    limits::ENCODER_TOKENS,
};

/// The library can be loaded once in a process, and stays.
static LIBRARY: OnceLock<Environment> = OnceLock::new();

/// An encoder in a folder.
#[derive(Debug)]
pub struct LocalEncoder {
    model: Arc<Mutex<Model>>,
    prompts: Prompts,
    identity: String,
}

#[derive(Debug)]
struct Model {
    session: Session,
    tokenizer: Tokenizer,
}

/// What some encoders want before a question or a skill, as `config_sentence_transformers.json` names it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Prompts {
    query: String,
    #[serde(alias = "passage")]
    document: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Config {
    prompts: Prompts,
}

impl LocalEncoder {
    /// Opens the encoder in `folder`: `model.onnx`, `tokenizer.json`, and the library `libonnxruntime`.
    ///
    /// # Errors
    /// If a file is missing or is not what it should be.
    pub fn open(folder: &Path) -> Result<Self, EncoderError> {
        let read = |name: &str| {
            fs::read(folder.join(name))
                .map_err(|fault| EncoderError::caused(format!("{} cannot be read", folder.join(name).display()), fault))
        };
        let (model, tokens) = (read("model.onnx")?, read("tokenizer.json")?);
        let config: Config = match fs::read(folder.join("config_sentence_transformers.json")) {
            Ok(text) => {
                serde_json::from_slice(&text).map_err(|fault| faulty("config_sentence_transformers.json", fault))?
            }
            Err(_) => Config::default(),
        };
        let prompts = config.prompts;
        let hash = Sha256::new().chain_update(&model).chain_update(&tokens);
        let hash = hash.chain_update(&prompts.query).chain_update("\n").chain_update(&prompts.document).finalize();
        let tokenizer = tokenizer(&tokens).map_err(|fault| faulty("tokenizer.json", fault))?;
        let session = session(library(folder)?, &model).map_err(|fault| faulty("model.onnx", fault))?;
        let model = Arc::new(Mutex::new(Model { session, tokenizer }));
        Ok(Self { model, prompts, identity: format!("onnx {}", hex::encode(hash)) })
    }
}

#[async_trait]
impl Encoder for LocalEncoder {
    fn identity(&self) -> &str {
        &self.identity
    }

    async fn encode(&self, texts: Vec<String>, role: TextRole) -> Result<Vec<Vec<f32>>, EncoderError> {
        let prompt = match role {
            TextRole::Question => &self.prompts.query,
            TextRole::Skill => &self.prompts.document,
        };
        let mut vectors = Vec::with_capacity(texts.len());
        for text in texts {
            let (text, mut model) = (format!("{prompt}{text}"), Arc::clone(&self.model).lock_owned().await);
            let encoded = tokio::task::spawn_blocking(move || model.encode(&text)).await;
            let encoded = encoded.map_err(|fault| EncoderError::refused("the encoder broke off", fault))?;
            vectors.push(encoded.map_err(|fault| EncoderError::refused("the encoder failed", fault))?);
        }
        Ok(vectors)
    }
}

type Fault = Box<dyn std::error::Error + Send + Sync>;

impl Model {
    /// The mean of what the model makes of each token.
    fn encode(&mut self, text: &str) -> Result<Vec<f32>, Fault> {
        let tokens = self.tokenizer.encode(text, true)?;
        let ids: Vec<i64> = tokens.get_ids().iter().map(|id| i64::from(*id)).collect();
        let (shape, many) = (vec![1, i64::try_from(ids.len())?], ids.len());
        let mut inputs = Vec::new();
        for input in self.session.inputs() {
            let values = match input.name() {
                "input_ids" => ids.clone(),
                "attention_mask" => vec![1; many],
                _ => vec![0; many],
            };
            inputs.push((input.name().to_owned(), Tensor::from_array((shape.clone(), values))?));
        }
        let outputs = self.session.run(inputs)?;
        let first = outputs.values().next().ok_or("the model has no output")?;
        let (shape, numbers) = first.try_extract_tensor::<f32>()?;
        // One vector for each token, or one for the text.
        let dimensions = usize::try_from(*shape.last().ok_or("the output of the model has no shape")?)?;
        let mut sum = vec![0.0; dimensions];
        for row in numbers.chunks_exact(dimensions.max(1)) {
            sum.iter_mut().zip(row).for_each(|(sum, number)| *sum += number);
        }
        Ok(sum)
    }
}

fn tokenizer(text: &[u8]) -> Result<Tokenizer, Fault> {
    let mut tokenizer = Tokenizer::from_bytes(text)?;
    tokenizer.with_padding(None);
    tokenizer.with_truncation(Some(TruncationParams { max_length: ENCODER_TOKENS, ..TruncationParams::default() }))?;
    Ok(tokenizer)
}

fn session(library: &Environment, model: &[u8]) -> Result<Session, Fault> {
    let builder = Session::builder(library)?;
    let builder = builder.with_optimization_level(GraphOptimizationLevel::Level3).map_err(|fault| fault.to_string())?;
    let mut builder = builder.with_intra_threads(1).map_err(|fault| fault.to_string())?;
    Ok(builder.commit_from_memory(model)?)
}

fn faulty(name: &str, fault: impl Into<Fault>) -> EncoderError {
    EncoderError::caused(format!("{name} of the encoder cannot be used"), fault)
}

/// The library of `folder`, or the one that this process has loaded.
fn library(folder: &Path) -> Result<&'static Environment, EncoderError> {
    if let Some(loaded) = LIBRARY.get() {
        return Ok(loaded);
    }
    let file = library_file(folder).ok_or_else(|| {
        EncoderError::new(format!(
            "there is no libonnxruntime in {}; it is in the wheel `onnxruntime`",
            folder.display()
        ))
    })?;
    let loaded = ort::init_from(&file).map_err(|fault| faulty("the library", fault.to_string()))?;
    let loaded = loaded.with_name("skillmount").build().map_err(|fault| faulty("the library", fault.to_string()))?;
    Ok(LIBRARY.get_or_init(|| loaded))
}

fn library_file(folder: &Path) -> Option<PathBuf> {
    let is_library = |name: &str| name.starts_with("libonnxruntime.") || name == "onnxruntime.dll";
    let mut files = fs::read_dir(folder).ok()?.flatten();
    files.find(|file| file.file_name().to_str().is_some_and(is_library)).map(|file| file.path())
}
