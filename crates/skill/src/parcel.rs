//! The files of a skill as one zip archive on their way to a server.

use std::io::{Cursor, Write as _};

use bytes::Bytes;
use zip::{CompressionMethod, ZipWriter, result::ZipResult, write::SimpleFileOptions};

use skillmount_base::limits::VERSION_RATIO;

/// Packs `files`, path and bytes of each. Files are stored uncompressed if a server would take the compressed archive
/// for a bomb.
///
/// # Errors
/// Why they cannot be packed.
pub fn parcel(files: &[(String, Bytes)]) -> Result<Bytes, String> {
    let unpacked: usize = files.iter().map(|(_, bytes)| bytes.len()).sum();
    let packed = zipped(files, CompressionMethod::Deflated).map_err(|cause| cause.to_string())?;
    if (unpacked as u64) / VERSION_RATIO < packed.len() as u64 {
        return Ok(packed);
    }
    zipped(files, CompressionMethod::Stored).map_err(|cause| cause.to_string())
}

fn zipped(files: &[(String, Bytes)], method: CompressionMethod) -> ZipResult<Bytes> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (path, bytes) in files {
        zip.start_file(path.as_str(), SimpleFileOptions::default().compression_method(method))?;
        zip.write_all(bytes)?;
    }
    Ok(zip.finish()?.into_inner().into())
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::{Provenance, SkillUpload};
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
}
