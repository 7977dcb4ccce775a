//! A sentence encoder on this machine: a folder with a model as ONNX, a tokenizer, and the library that runs the model.
//!
//! The library is loaded when the encoder is opened, so the program needs none to be built. One text runs at a time,
//! and waiting callers are served in turn. So a question waits for one skill of a batch and not for all.

use std::{fs, path::Path, sync::Arc};

use async_trait::async_trait;
use sha2::{Digest as _, Sha256};
use tokio::sync::Mutex;

use super::{
    described::{Pooling, Prompts},
    folder::{MODEL, TOKENIZER},
    library::library,
    model::Model,
};
use crate::encoder::{Encoder, EncoderError, TextRole};

/// An encoder in a folder.
#[derive(Debug)]
pub struct LocalEncoder {
    model: Arc<Mutex<Model>>,
    prompts: Prompts,
    identity: String,
}

impl LocalEncoder {
    /// Opens the encoder in `folder`: `model.onnx`, `tokenizer.json`, and the library `libonnxruntime`. The optional
    /// `config_sentence_transformers.json` holds prompts that go before questions and skills. The optional
    /// `1_Pooling/config.json` says how the vectors of tokens become one; without it their mean counts.
    ///
    /// # Errors
    /// If a file is missing or is not what it should be.
    pub fn open(folder: &Path) -> Result<Self, EncoderError> {
        let read = |name: &str| {
            fs::read(folder.join(name))
                .map_err(|fault| EncoderError::caused(format!("{} cannot be read", folder.join(name).display()), fault))
        };
        let (model, tokens) = (read(MODEL)?, read(TOKENIZER)?);
        let (prompts, pooling) = (Prompts::from_folder(folder)?, Pooling::from_folder(folder)?);
        let hash = Sha256::new().chain_update(&model).chain_update(&tokens);
        let said = format!("{}\n{}\n{pooling:?}", prompts.question, prompts.skill);
        let hash = hash.chain_update(said).finalize();
        let model = Model::new(library(folder)?, &model, &tokens, pooling)?;
        Ok(Self { model: Arc::new(Mutex::new(model)), prompts, identity: format!("onnx {}", hex::encode(hash)) })
    }
}

#[async_trait]
impl Encoder for LocalEncoder {
    fn identity(&self) -> &str {
        &self.identity
    }

    async fn encode(&self, texts: Vec<String>, role: TextRole) -> Result<Vec<Vec<f32>>, EncoderError> {
        let prompt = match role {
            TextRole::Question => &self.prompts.question,
            TextRole::Skill => &self.prompts.skill,
        };
        let mut vectors = Vec::with_capacity(texts.len());
        for text in texts {
            let (text, mut model) = (format!("{prompt}{text}"), Arc::clone(&self.model).lock_owned().await);
            let encoded = tokio::task::spawn_blocking(move || model.encode(&text)).await;
            let encoded =
                encoded.map_err(|fault| EncoderError::caused("the encoder broke off", fault).of_these_texts())?;
            vectors.push(encoded.map_err(|fault| EncoderError::caused("the encoder failed", fault).of_these_texts())?);
        }
        Ok(vectors)
    }
}
