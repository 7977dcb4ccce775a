//! An encoder is put together beside its place, checked there, and moved into its place whole.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use clap::Args;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::part::{self, copy, name_of};
use crate::{
    app::App,
    encoder::{MODEL, POOLING, PROMPTS, TOKENIZER, try_encoder},
    encoding::local,
    error::{Code, Error, Result},
    local_path::LocalPath,
};

/// The folder, in the user's data folder, of encoders.
const ENCODERS: &str = "skillmount-encoders";
/// The folder that sentence-transformers keeps models in, below the files that describe them.
const ONNX: &str = "onnx";

/// The parts of a new encoder.
#[derive(Clone, Debug, Args)]
pub(crate) struct NewEncoder {
    /// The model, which ends in .onnx
    #[arg(long, value_name = "FILE")]
    model: PathBuf,
    /// The tokenizer.json of the model
    #[arg(long, value_name = "FILE")]
    tokenizer: PathBuf,
    /// The library of ONNX Runtime, such as libonnxruntime.so
    #[arg(long, value_name = "FILE")]
    runtime: PathBuf,
    /// What it is called here [default: the name of the model's folder]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// What the model wants before each question
    #[arg(long, value_name = "TEXT")]
    question_prefix: Option<String>,
    /// What the model wants before each skill
    #[arg(long, value_name = "TEXT")]
    skill_prefix: Option<String>,
    /// Take the place of an encoder of the same name
    #[arg(long)]
    replace: bool,
}

/// The files of a new encoder.
struct EncoderFiles {
    model: LocalPath,
    tokenizer: LocalPath,
    runtime: LocalPath,
}

/// An encoder that was added.
#[derive(Clone, Debug)]
pub(crate) struct AddedEncoder {
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
    pub(crate) dimensions: usize,
    pub(crate) bytes: u64,
}

/// Adds an encoder to those of the user's data folder.
///
/// # Errors
/// `file_not_found` and `invalid_request` if a file is missing or is something else, or if the encoder does not work;
/// `already_exists` if there is one of its name. Then nothing is left behind.
pub(crate) async fn add(app: &App, wanted: NewEncoder) -> Result<AddedEncoder> {
    let [model, tokenizer, runtime] =
        [&wanted.model, &wanted.tokenizer, &wanted.runtime].map(|file| app.process.local(file));
    // Faults are reported before anything is copied.
    for (part, file) in [(part::MODEL, &model), (part::TOKENIZER, &tokenizer), (part::RUNTIME, &runtime)] {
        part.check(file)?;
    }
    let home = home_of(&model);
    let files = EncoderFiles { model, tokenizer, runtime };
    let name = wanted.name.clone().unwrap_or_else(|| name_of(&home));
    let nowhere = || invalid!("there is no data folder on this machine");
    let encoders = app.process.folders.data.as_ref().ok_or_else(nowhere)?.join(ENCODERS);
    let folder = encoders.join(checked(&name)?);
    if folder.exists() && !wanted.replace {
        let message = format!("there is an encoder {name} in {}; give --replace, or another --name", folder.display());
        return Err(Error::new(Code::AlreadyExists, message));
    }
    let is_first = !encoders.exists();
    let made = put_together(&encoders, &home, &files, prompts(&wanted)).await;
    let added = made.and_then(|(new, dimensions, bytes)| {
        put_in_place(new, &folder).map_err(|error| failed(&folder, &error))?;
        Ok(AddedEncoder { name, folder, dimensions, bytes })
    });
    if added.is_err() && is_first {
        // It stays if it is not empty.
        let _ = fs::remove_dir(&encoders);
    }
    added
}

/// The folder of a model and of the files that describe it. A folder `onnx` is skipped for its parent.
fn home_of(model: &LocalPath) -> PathBuf {
    let folder = model.parent().unwrap_or_default().or_here();
    let whole = fs::canonicalize(&folder).unwrap_or_else(|_| folder.place().to_owned());
    match whole.parent() {
        Some(above) if whole.ends_with(ONNX) => above.to_owned(),
        _ => whole,
    }
}

/// The texts that the model wants before questions and skills; `None` takes the texts in the files beside the model.
fn prompts(NewEncoder { question_prefix, skill_prefix, .. }: &NewEncoder) -> Option<Value> {
    let text = |prefix: &Option<String>| prefix.clone().unwrap_or_default();
    (question_prefix.is_some() || skill_prefix.is_some())
        .then(|| json!({ "prompts": { "query": text(question_prefix), "document": text(skill_prefix) } }))
}

impl EncoderFiles {
    /// Copies the files of the encoder, and the descriptions in `home`, into `folder`. Returns the bytes.
    fn copy(&self, home: &Path, folder: &Path) -> Result<u64> {
        let mut bytes = copy(&self.model, &folder.join(MODEL))?;
        bytes += copy(&self.tokenizer, &folder.join(TOKENIZER))?;
        bytes += copy(&self.runtime, &folder.join(name_of(&self.runtime)))?;
        for (name, file) in [PROMPTS, POOLING].map(|name| (name, home.join(name))) {
            if file.exists() {
                let to = folder.join(name);
                fs::create_dir_all(to.parent().unwrap_or(folder)).map_err(|error| failed(folder, &error))?;
                bytes += copy(&file.into(), &to)?;
            }
        }
        Ok(bytes)
    }
}

/// Makes the encoder in a temporary folder and tries to encode with it. The folder goes with its handle.
async fn put_together(
    encoders: &Path,
    home: &Path,
    files: &EncoderFiles,
    prompts: Option<Value>,
) -> Result<(TempDir, usize, u64)> {
    fs::create_dir_all(encoders).map_err(|error| failed(encoders, &error))?;
    let new =
        tempfile::Builder::new().prefix(".new-").tempdir_in(encoders).map_err(|error| failed(encoders, &error))?;
    let bytes = files.copy(home, new.path())?;
    if let Some(prompts) = prompts {
        fs::write(new.path().join(PROMPTS), prompts.to_string()).map_err(|error| failed(new.path(), &error))?;
    }
    let encoder = local(new.path())?;
    let dimensions = try_encoder(&*encoder)
        .await
        .map_err(|error| invalid!("this is no sentence encoder that works: {}", error.chain()))?;
    Ok((new, dimensions, bytes))
}

/// Moves a whole encoder to `folder`, and removes the encoder that was there.
fn put_in_place(new: TempDir, folder: &Path) -> io::Result<()> {
    let old = new.path().with_extension("old");
    let is_replaced = folder.exists();
    if is_replaced {
        fs::rename(folder, &old)?;
    }
    if let Err(error) = fs::rename(new.path(), folder) {
        if is_replaced {
            fs::rename(&old, folder)?;
        }
        return Err(error);
    }
    // It is no longer there under that name.
    let _ = new.keep();
    if is_replaced { fs::remove_dir_all(&old) } else { Ok(()) }
}

fn checked(name: &str) -> Result<&str> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    if name.starts_with(|first: char| first.is_ascii_alphanumeric()) && name.chars().all(is_plain) && name.len() <= 128
    {
        return Ok(name);
    }
    Err(invalid!("{name:?} is no name of an encoder: give letters, digits, dots, dashes and underscores with --name"))
}

fn failed(folder: &Path, error: &io::Error) -> Error {
    invalid!("{} could not be written: {error}", folder.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_described_beside_it_or_above_its_folder_onnx() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().canonicalize().unwrap().join("minilm");
        fs::create_dir_all(home.join("onnx/int8")).unwrap();
        let found = |model: &str| home_of(&LocalPath::new(&home, model.into()));
        for model in ["model.onnx", "onnx/model.onnx", "./onnx/../model.onnx"] {
            assert_eq!(found(model), home, "{model}");
        }
        assert_eq!(found("onnx/int8/model.onnx"), home.join("onnx/int8"));
    }
}
