//! The names of the files in the folder of an encoder: those that sentence-transformers gives them.

/// The model.
pub(crate) const MODEL: &str = "model.onnx";
/// Its tokenizer.
pub(crate) const TOKENIZER: &str = "tokenizer.json";
/// What goes before questions and skills.
pub(crate) const PROMPTS: &str = "config_sentence_transformers.json";
/// How the vectors of tokens become one.
pub(crate) const POOLING: &str = "1_Pooling/config.json";

/// Whether a file of this name is the library that runs models. Those of its providers are others.
pub(crate) fn is_library(name: &str) -> bool {
    name.starts_with("libonnxruntime.") || name == "onnxruntime.dll"
}
