//! A zip archive that is written piece by piece, so that no process holds all of it.

use std::{
    io::{self, Write},
    sync::{Arc, Mutex, PoisonError},
};

use bytes::Bytes;
use zip::{
    CompressionMethod, ZipWriter,
    write::{SimpleFileOptions, StreamWriter},
};

/// An archive under way. Files are stored as they are: compressing them would delay every piece.
#[derive(Debug)]
pub struct ZipPieces {
    writer: ZipWriter<StreamWriter<PendingOutput>>,
    written: PendingOutput,
}

/// The bytes that were written and not taken yet.
#[derive(Clone, Debug, Default)]
struct PendingOutput(Arc<Mutex<Vec<u8>>>);

impl Write for PendingOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Default for ZipPieces {
    fn default() -> Self {
        let written = PendingOutput::default();
        Self { writer: ZipWriter::new_stream(written.clone()), written }
    }
}

impl ZipPieces {
    /// Begins the file at `path`, which ends the one before.
    ///
    /// # Errors
    /// The reason why the format does not take the file.
    pub fn begin(&mut self, path: &str) -> io::Result<()> {
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        self.writer.start_file(path, options).map_err(io::Error::other)
    }

    /// Adds bytes to the file that was begun, and returns what there is of the archive since the last piece.
    ///
    /// # Errors
    /// The reason why the format does not take the bytes.
    pub fn add(&mut self, bytes: &[u8]) -> io::Result<Bytes> {
        self.writer.write_all(bytes)?;
        Ok(self.written.take())
    }

    /// Ends the archive, and returns the rest of it.
    ///
    /// # Errors
    /// The reason why the format does not take the archive.
    pub fn finish(self) -> io::Result<Bytes> {
        self.writer.finish().map_err(io::Error::other)?;
        Ok(self.written.take())
    }
}

impl PendingOutput {
    fn take(&self) -> Bytes {
        Bytes::from(std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::VersionArchive;

    #[test]
    fn what_is_written_in_pieces_is_read_as_one_archive() {
        let mut zip = ZipPieces::default();
        let mut whole = Vec::new();
        for (path, pieces) in [("SKILL.md", &["one", "two"][..]), ("empty", &[]), ("a/b.md", &["three"])] {
            zip.begin(path).unwrap();
            for piece in pieces {
                whole.extend(zip.add(piece.as_bytes()).unwrap());
            }
        }
        whole.extend(zip.finish().unwrap());
        let mut archive = VersionArchive::open(whole.into()).unwrap();
        for (path, text) in [("SKILL.md", "onetwo"), ("empty", ""), ("a/b.md", "three")] {
            assert_eq!(archive.read(path, 100).unwrap().unwrap(), text);
        }
    }
}
