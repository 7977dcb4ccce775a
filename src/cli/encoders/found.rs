//! Which files of a source are those of an encoder, and what to do if there is none.

use super::source::Source;
use crate::{
    encoder::{TOKENIZER, is_library},
    error::{Code, Error, Result},
};

/// Files of tokenizers in other forms, from which `tokenizer.json` is made.
const OTHER_FORMS: [&str; 5] =
    ["sentencepiece.bpe.model", "spiece.model", "tokenizer.model", "vocab.txt", "vocab.json"];

/// The model of `source`: the one that `chosen` names, or else the only one.
pub(super) fn model(source: &Source, chosen: Option<&str>) -> Result<String> {
    let models = named(source, ".onnx");
    if let Some(chosen) = chosen {
        let found = models.iter().find(|name| name.as_str() == chosen);
        return found.cloned().ok_or_else(|| {
            missing(format!("{} has no {chosen}{}", source.shown(), list("; it has", &named(source, ".onnx"))))
        });
    }
    match models.as_slice() {
        [only] => Ok(only.clone()),
        [] => Err(missing(format!(
            "{} has no model: a file that ends in .onnx. Models of sentence-transformers have one in their folder onnx; \
             others are exported with the Python package optimum. A package that brings a server with /v1/embeddings is not \
             added: set `encoder` to its address",
            source.shown()
        ))),
        _ => Err(missing(format!(
            "{} has several models{}; name one with --model",
            source.shown(),
            list(":", &named(source, ".onnx"))
        ))),
    }
}

/// The tokenizer of `source`, nearest to `model` if that is one of its files.
pub(super) fn tokenizer(source: &Source, model: Option<&str>) -> Result<String> {
    if source.is_file() {
        return only_file(source, "a tokenizer.json", &|name| {
            name.rsplit_once('.').is_some_and(|(_, end)| end == "json")
        });
    }
    if let Some(near) = nearest(source, model, TOKENIZER) {
        return Ok(near);
    }
    let all: Vec<_> = source.names().iter().filter(|name| base(name) == TOKENIZER).cloned().collect();
    match all.as_slice() {
        [only] => Ok(only.clone()),
        [] => {
            let other = source.names().iter().find(|name| OTHER_FORMS.contains(&base(name)));
            let how = other.map_or_else(
                || "take it from where the model was published, and name the file or the wheel that has it with --tokenizer".to_owned(),
                |other| format!("{other} is one in another form; AutoTokenizer.save_pretrained of the Python package transformers makes tokenizer.json of it"),
            );
            Err(missing(format!("{} has no {TOKENIZER}: {how}", source.shown())))
        }
        _ => Err(missing(format!(
            "{} has several tokenizers{}; name one file with --tokenizer",
            source.shown(),
            list(":", &all)
        ))),
    }
}

/// The library of `source` that runs models.
pub(super) fn library(source: &Source) -> Result<String> {
    if source.is_file() {
        return only_file(source, "ONNX Runtime, libonnxruntime", &is_library);
    }
    let found = source.names().iter().find(|name| is_library(base(name)));
    found.cloned().ok_or_else(|| {
        missing(format!(
            "{} has no ONNX Runtime (libonnxruntime.so, libonnxruntime.dylib or onnxruntime.dll), which runs the model: \
             `pip download --no-deps onnxruntime` gets a wheel that has it; name that wheel, or the file, with --runtime",
            source.shown()
        ))
    })
}

/// A file with the name `name`, in the folder of `model` or one above it.
pub(super) fn nearest(source: &Source, model: Option<&str>, name: &str) -> Option<String> {
    let mut folder = model?;
    loop {
        folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
        let wanted = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        if source.names().contains(&wanted) {
            return Some(wanted);
        }
        if folder.is_empty() {
            return None;
        }
    }
}

/// The last part of a name.
pub(super) fn base(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

fn only_file(source: &Source, what: &str, is_one: &dyn Fn(&str) -> bool) -> Result<String> {
    let found = source.names().iter().find(|name| is_one(name));
    found
        .cloned()
        .ok_or_else(|| missing(format!("{} is not {what}, nor a wheel or a folder that has it", source.shown())))
}

fn named(source: &Source, end: &str) -> Vec<String> {
    source.names().iter().filter(|name| name.ends_with(end)).cloned().collect()
}

fn list(before: &str, names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!("{before} {}", names.join(", ")) }
}

fn missing(message: String) -> Error {
    Error::new(Code::InvalidRequest, message)
}
