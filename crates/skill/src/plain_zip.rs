//! Files as an archive that any tool unpacks, with the same bytes each time it is made.
//!
//! Files are stored as they are, in byte order of their paths and without times: how a compressor packs may change with its
//! version, and then the digest of the archive would too.

use std::io::{self, Cursor, Write as _};

use bytes::Bytes;
use zip::{CompressionMethod, DateTime, ZipWriter, write::SimpleFileOptions};

/// The permissions of every file of the archive on a disk: all may read, the owner may write.
const PERMISSIONS: u32 = 0o644;

/// The archive of these files, which are in byte order of their paths.
///
/// # Errors
/// Why the format does not take the files, such as two files of one path.
pub fn plain_zip(files: &[(String, Bytes)]) -> io::Result<Bytes> {
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .last_modified_time(DateTime::DEFAULT)
        .unix_permissions(PERMISSIONS);
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (path, bytes) in files {
        writer.start_file(path.as_str(), options).map_err(io::Error::other)?;
        writer.write_all(bytes)?;
    }
    Ok(writer.finish().map_err(io::Error::other)?.into_inner().into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{VersionArchive, VersionFile};

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
}
