//! The names of the files in the folder of an encoder, as sentence-transformers names them.

/// The model.
pub const MODEL: &str = "model.onnx";
/// Its tokenizer.
pub const TOKENIZER: &str = "tokenizer.json";
/// The prompts before questions and skills.
pub const PROMPTS: &str = "config_sentence_transformers.json";
/// How the vectors of tokens become one.
pub const POOLING: &str = "1_Pooling/config.json";

/// Whether a file of this name is the library that runs models. Those of its providers are others.
#[must_use]
pub fn is_library(name: &str) -> bool {
    name.starts_with("libonnxruntime.") || name == "onnxruntime.dll"
}
