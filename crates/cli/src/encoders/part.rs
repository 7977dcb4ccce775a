//! The three files of an encoder that a person names, each checked before anything is copied.

use std::{
    fs::{self, File},
    io::{self, Read},
    path::Path,
};

use crate::{
    encoder::is_library,
    error::{Code, Error, Result},
    limits::ENCODER_FILE_BYTES,
    local_path::LocalPath,
};

/// Which file of an encoder.
pub(super) struct Part {
    /// The option that names the file.
    option: &'static str,
    /// The kind of file, for messages.
    described: &'static str,
    /// Where a person gets the file.
    origin: &'static str,
    has_name: fn(&Path) -> bool,
}

/// The model.
pub(super) const MODEL: Part = Part {
    option: "--model",
    described: "the model, a file that ends in .onnx",
    origin: "models of sentence-transformers have one in their folder onnx; the Python package optimum exports \
             others. If a package brings a server with /v1/embeddings, set `embedding_url` to its address",
    has_name: |path| path.extension().is_some_and(|found| found == "onnx"),
};

/// The tokenizer of the model.
pub(super) const TOKENIZER: Part = Part {
    option: "--tokenizer",
    described: "the tokenizer, a file tokenizer.json",
    origin: "it is published with the model; AutoTokenizer.save_pretrained of the Python package transformers makes \
             it of a tokenizer in another form",
    has_name: |path| path.extension().is_some_and(|found| found == "json"),
};

/// The library that runs the model.
pub(super) const RUNTIME: Part = Part {
    option: "--runtime",
    described: "ONNX Runtime, a file libonnxruntime.so, libonnxruntime.dylib or onnxruntime.dll",
    origin: "`pip download --no-deps onnxruntime` gets a wheel, and `unzip` unpacks it: the file is in onnxruntime/capi",
    has_name: |path| is_library(&name_of(path)),
};

impl Part {
    /// Checks by the name and the first bytes that the file at `path` can be this part.
    ///
    /// # Errors
    /// `file_not_found` if nothing is there; `invalid_request` if the file cannot be read or is another kind of file.
    /// The message says how to go on.
    pub(super) fn check(&self, path: &LocalPath) -> Result<()> {
        let failed = |error: io::Error| {
            let code = if error.kind() == io::ErrorKind::NotFound { Code::FileNotFound } else { Code::InvalidRequest };
            Error::new(code, format!("{} cannot be read: {error}", path.display()))
        };
        let Self { option, described, origin, has_name } = self;
        let why = if fs::metadata(path).map_err(failed)?.is_dir() {
            format!("is a folder; give {option} the file in it: {described}")
        } else if is_archive(path).map_err(failed)? {
            format!("is a wheel or another zip archive; unzip it, and give {option} the file in it: {described}")
        } else if has_name(path) {
            return Ok(());
        } else {
            format!("is not {described}; {origin}")
        };
        Err(invalid!("{} {why}", path.display()))
    }
}

/// Copies the file `from` to `to`, and returns its bytes.
///
/// # Errors
/// `file_too_large` beyond [`ENCODER_FILE_BYTES`]; `invalid_request` if it cannot be read or written.
pub(super) fn copy(from: &LocalPath, to: &Path) -> Result<u64> {
    let failed = |error: io::Error| invalid!("{} could not be copied to {}: {error}", from.display(), to.display());
    let mut copied = File::create(to).map_err(failed)?;
    let source = File::open(from).map_err(failed)?;
    let bytes = io::copy(&mut source.take(ENCODER_FILE_BYTES + 1), &mut copied).map_err(failed)?;
    if bytes > ENCODER_FILE_BYTES {
        let message = format!("{} is larger than {} MiB", from.display(), ENCODER_FILE_BYTES >> 20);
        return Err(Error::new(Code::FileTooLarge, message));
    }
    copied.sync_all().map_err(failed)?;
    Ok(bytes)
}

/// The last part of a path.
pub(super) fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Whether a file is a zip archive, as wheels are, by its name or its first bytes.
fn is_archive(path: &Path) -> io::Result<bool> {
    let mut first = Vec::new();
    File::open(path)?.take(2).read_to_end(&mut first)?;
    let is_named =
        path.extension().is_some_and(|end| end.eq_ignore_ascii_case("whl") || end.eq_ignore_ascii_case("zip"));
    Ok(is_named || first == b"PK")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_copied_up_to_its_limit() {
        // A file with a hole takes no room.
        let folder = tempfile::tempdir().unwrap();
        let model = folder.path().join("model.onnx");
        File::create(&model).unwrap().set_len(ENCODER_FILE_BYTES + 1).unwrap();
        let copied = copy(&model.into(), Path::new("/dev/null"));
        assert_eq!(copied.unwrap_err().code(), Code::FileTooLarge);
    }
}
