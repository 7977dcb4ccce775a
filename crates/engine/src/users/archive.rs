//! The archive of an export: a tar archive in pieces. A tar archive needs no memory for its earlier entries.

use bytes::Bytes;
use jiff::Timestamp;
use tar::{Builder, EntryType, Header};

use crate::error::{Error, Result};

/// Archives are made of blocks of this size.
const BLOCK: usize = 512;
/// Everybody who unpacks it may read and its owner may write.
const MODE: u32 = 0o644;

/// The header before the bytes of a file.
///
/// # Errors
/// `internal` if there is no such entry.
pub(crate) fn head(path: &str, size: u64, modified_at: Timestamp) -> Result<Bytes> {
    let mut header = Header::new_gnu();
    header.set_size(size);
    header.set_mode(MODE);
    header.set_mtime(u64::try_from(modified_at.as_second()).unwrap_or_default());
    header.set_entry_type(EntryType::Regular);
    let mut builder = Builder::new(Vec::new());
    // Writes the header alone, after the entry that a long path needs. The bytes follow as they come.
    builder.append_data(&mut header, path, std::io::empty()).map_err(Error::internal)?;
    Ok(Bytes::from(std::mem::take(builder.get_mut())))
}

/// The padding after the bytes of a file, which fills up the last block.
pub(crate) fn padding(size: u64) -> Bytes {
    const ZEROS: [u8; BLOCK] = [0; BLOCK];
    let filled = usize::try_from(size % BLOCK as u64).unwrap_or_default();
    let missing = (BLOCK - filled) % BLOCK;
    Bytes::from_static(ZEROS.get(..missing).unwrap_or_default())
}

/// The end of the archive: two empty blocks.
pub(crate) fn end() -> Bytes {
    Bytes::from_static(&[0; 2 * BLOCK])
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    #[test]
    fn the_pieces_are_an_archive_whatever_the_sizes_and_names() {
        let long = format!("u1/{}/SKILL.md", "deep/".repeat(200));
        let files = [("u1/a", 0), ("u1/ñ b", 511), ("u1/c", 512), (long.as_str(), 513)];
        let mut whole = Vec::new();
        for (path, size) in files {
            whole.extend_from_slice(&head(path, size, Timestamp::UNIX_EPOCH).unwrap());
            whole.resize(whole.len() + usize::try_from(size).unwrap(), b'x');
            whole.extend_from_slice(&padding(size));
        }
        whole.extend_from_slice(&end());
        let mut archive = tar::Archive::new(whole.as_slice());
        for (entry, (path, size)) in archive.entries().unwrap().zip(files) {
            let mut entry = entry.unwrap();
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).unwrap();
            assert_eq!((entry.path().unwrap().to_str().unwrap(), bytes.len() as u64), (path, size));
        }
        assert_eq!(tar::Archive::new(whole.as_slice()).entries().unwrap().count(), files.len());
    }
}
