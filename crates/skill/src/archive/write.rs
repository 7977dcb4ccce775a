//! Zip archives as they are written. Any tool unpacks them, and the same files give the same bytes each time.

use std::{
    io::{self, Cursor, Write},
    sync::{Arc, Mutex, PoisonError},
};

use bytes::Bytes;
use zip::{
    CompressionMethod, DateTime, ZipWriter,
    write::{SimpleFileOptions, StreamWriter},
};

use skillmount_base::limits::VERSION_RATIO;

/// The permissions of every file of an archive on a disk: all may read, the owner may write.
const PERMISSIONS: u32 = 0o644;

/// The properties of every file of an archive: none has a time.
pub(super) fn entry(method: CompressionMethod) -> SimpleFileOptions {
    let options = SimpleFileOptions::default().compression_method(method);
    options.last_modified_time(DateTime::DEFAULT).unix_permissions(PERMISSIONS)
}

/// Packs `files`, path and bytes of each, on their way to a server. Files are stored uncompressed if a server would take
/// the compressed archive for a bomb.
///
/// # Errors
/// Why they cannot be packed.
pub fn parcel(files: &[(String, Bytes)]) -> Result<Bytes, String> {
    let unpacked: usize = files.iter().map(|(_, bytes)| bytes.len()).sum();
    let packed = zipped(files, CompressionMethod::Deflated).map_err(|cause| cause.to_string())?;
    if unpacked as u64 / VERSION_RATIO < packed.len() as u64 {
        return Ok(packed);
    }
    plain_zip(files).map_err(|cause| cause.to_string())
}

/// The archive of `files`, which are in byte order of their paths. Files are stored as they are: how a compressor packs
/// may change with its version, and then the digest of the archive would too.
///
/// # Errors
/// Why the format does not take the files, such as two files of one path.
pub fn plain_zip(files: &[(String, Bytes)]) -> io::Result<Bytes> {
    zipped(files, CompressionMethod::Stored)
}

fn zipped(files: &[(String, Bytes)], method: CompressionMethod) -> io::Result<Bytes> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (path, bytes) in files {
        writer.start_file(path.as_str(), entry(method))?;
        writer.write_all(bytes)?;
    }
    Ok(writer.finish()?.into_inner().into())
}

/// An archive that is written piece by piece, so that no process holds all of it. Files are stored as they are:
/// compressing them would delay every piece.
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
        self.writer.start_file(path, entry(CompressionMethod::Stored)).map_err(io::Error::other)
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
    use jiff::Timestamp;

    use super::*;
    use crate::{Provenance, SkillUpload, VersionArchive, VersionFile};
    use skillmount_base::path::SkillPath;

    #[test]
    fn whatever_is_in_a_skill_its_parcel_is_taken_in() {
        let main = Bytes::from_static(b"---\nname: demo\ndescription: What it does.\n---\nBody\n");
        for other in [Bytes::from_static(b"text"), Bytes::from(vec![0; 8 << 20])] {
            let files = [("SKILL.md".to_owned(), main.clone()), ("r/other".to_owned(), other.clone())];
            let mut upload = SkillUpload::default();
            upload.add_archive(parcel(&files).unwrap());
            let from = Provenance { at: Timestamp::UNIX_EPOCH, by: None, source: None };
            let taken = upload.finish(&SkillPath::parse("a/demo").unwrap(), &from).unwrap();
            assert_eq!(taken.package.version.size(), (main.len() + other.len()) as u64);
        }
    }

    #[test]
    fn an_archive_has_the_same_bytes_each_time_and_on_every_machine() {
        let files = [("SKILL.md".to_owned(), Bytes::from("one")), ("a/ñ.md".to_owned(), Bytes::from(vec![0; 300]))];
        let zip = plain_zip(&files).unwrap();
        assert_eq!(zip, plain_zip(&files).unwrap());
        let digest = VersionFile::from_bytes("", &zip).sha256;
        assert_eq!(
            digest, "b1f0fe17a32612d4eaad030c765c88b0510564bd8a5df974be342b06b067ad4b",
            "what installers have noted would not be found again"
        );
        let mut archive = VersionArchive::open(zip).unwrap();
        assert_eq!(archive.read("SKILL.md", 100).unwrap().unwrap(), "one");
        let twice = [files[0].clone(), files[0].clone()];
        assert!(plain_zip(&twice).is_err());
    }

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
