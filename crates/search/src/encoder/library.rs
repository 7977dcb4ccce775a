//! The library that runs models, loaded when the first encoder is opened.

use std::{
    fs,
    path::{Path, PathBuf, absolute},
    sync::OnceLock,
};

use ort::environment::Environment;

use super::{described::faulty, folder::is_library};
use crate::encoder::EncoderError;

/// The library can be loaded once in a process, and stays.
static LIBRARY: OnceLock<Environment> = OnceLock::new();

/// The library that this process has loaded, or else the library in `folder`.
pub(super) fn library(folder: &Path) -> Result<&'static Environment, EncoderError> {
    if let Some(loaded) = LIBRARY.get() {
        return Ok(loaded);
    }
    let file = library_file(folder).ok_or_else(|| {
        EncoderError::new(format!(
            "there is no libonnxruntime in {}; `skillmount encoder add` puts it there",
            folder.display()
        ))
    })?;
    let loaded = ort::init_from(&file).map_err(|fault| faulty("the library", fault.to_string()))?;
    let loaded = loaded.with_name("skillmount").build().map_err(|fault| faulty("the library", fault.to_string()))?;
    Ok(LIBRARY.get_or_init(|| loaded))
}

fn library_file(folder: &Path) -> Option<PathBuf> {
    // The loader looks for a relative path beside the program.
    let mut files = fs::read_dir(absolute(folder).ok()?).ok()?.flatten();
    files.find(|file| file.file_name().to_str().is_some_and(is_library)).map(|file| file.path())
}
