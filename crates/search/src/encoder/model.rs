//! A model with its tokenizer: from a text to a vector.

use ort::{
    environment::Environment,
    session::{Session, builder::GraphOptimizationLevel},
    value::Tensor,
};
use tokenizers::{Tokenizer, TruncationParams};

use super::{
    described::{Pooling, faulty},
    folder::{MODEL, TOKENIZER},
};
use crate::encoder::EncoderError;
use skillmount_base::limits::ENCODER_TOKENS;

/// The output of models that pool by themselves, as sentence-transformers names it.
const SENTENCE: &str = "sentence_embedding";

type Fault = Box<dyn std::error::Error + Send + Sync>;

#[derive(Debug)]
pub(super) struct Model {
    session: Session,
    tokenizer: Tokenizer,
    pooling: Pooling,
}

impl Model {
    /// The model of these bytes, with the text of its tokenizer.
    pub(super) fn new(
        library: &Environment,
        model: &[u8],
        tokens: &[u8],
        pooling: Pooling,
    ) -> Result<Self, EncoderError> {
        let tokenizer = tokenizer(tokens).map_err(|fault| faulty(TOKENIZER, fault))?;
        let session = session(library, model).map_err(|fault| faulty(MODEL, fault))?;
        Ok(Self { session, tokenizer, pooling })
    }

    /// Runs the model on a text, and returns the vector.
    pub(super) fn encode(&mut self, text: &str) -> Result<Vec<f32>, Fault> {
        let tokens = self.tokenizer.encode(text, true)?;
        let ids: Vec<i64> = tokens.get_ids().iter().map(|id| i64::from(*id)).collect();
        let many = i64::try_from(ids.len())?;
        let mut inputs = Vec::new();
        for input in self.session.inputs() {
            let values = match input.name() {
                "input_ids" => ids.clone(),
                "attention_mask" => vec![1; ids.len()],
                "token_type_ids" => vec![0; ids.len()],
                "position_ids" => (0..many).collect(),
                other => return Err(format!("the model wants {other:?}, which no sentence encoder needs").into()),
            };
            inputs.push((input.name().to_owned(), Tensor::from_array((vec![1, many], values))?));
        }
        let outputs = self.session.outputs();
        let named = outputs.iter().find(|output| output.name() == SENTENCE).or_else(|| outputs.first());
        let named = named.ok_or("the model has no output")?.name().to_owned();
        let outputs = self.session.run(inputs)?;
        let output = outputs.get(&named).ok_or("the model did not give its output")?;
        let (shape, numbers) = output.try_extract_tensor::<f32>()?;
        let dimensions = |number: &i64| usize::try_from(*number);
        match &**shape {
            [1, all] => Ok(Pooling::First.pooled(numbers, dimensions(all)?)),
            [1, _, each] => Ok(self.pooling.pooled(numbers, dimensions(each)?)),
            other => {
                let wanted = "a sentence encoder has one vector for the text, or one for each token";
                Err(format!("the output of the model has the shape {other:?}; {wanted}").into())
            }
        }
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
