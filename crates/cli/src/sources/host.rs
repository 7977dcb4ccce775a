//! The skills of a host, by its index.

use jiff::Timestamp;

use super::found::{SourceContents, placed};
use crate::{
    blocking::blocking,
    client::DiscoveryHost,
    error::Result,
    skill::{MAIN, SkillUpload, VersionFile},
};

/// How an archive in the format zip begins, and one in tar.gz.
const ZIP: &[u8] = b"PK";
const GZIP: &[u8] = b"\x1f\x8b";

/// The skills that the host at `address` offers.
pub(super) async fn fetch(address: &str, shown: &str, into: Option<&str>, now: Timestamp) -> Result<SourceContents> {
    let host = DiscoveryHost::new(address)?;
    let index = host.index().await?;
    let digests: Vec<String> = index.skills.iter().map(|entry| format!("{} {}", entry.name, entry.digest)).collect();
    let revision = format!("sha256:{}", VersionFile::from_bytes("", digests.join("\n").as_bytes()).sha256);
    let mut fetched = SourceContents {
        provenance: format!("{shown} at {revision}"),
        revision,
        passed_over: index.passed_over,
        ..SourceContents::default()
    };
    for entry in index.skills {
        let skill = placed(into, &entry.name)?;
        let bytes = host.artifact(&entry).await?;
        if entry.is_archive && ![ZIP, GZIP].iter().any(|start| bytes.starts_with(start)) {
            fetched.passed_over.push(format!("{}: its archive is neither a zip nor a tar.gz", entry.name));
            continue;
        }
        fetched = blocking(move || {
            let mut upload = SkillUpload::default();
            if entry.is_archive && bytes.starts_with(GZIP) {
                upload.add_tarball(&bytes);
            } else if entry.is_archive {
                upload.add_archive(bytes);
            } else {
                upload.add(MAIN, &bytes);
            }
            fetched.take(skill, upload, now)?;
            Ok(fetched)
        })
        .await?;
    }
    fetched.done(shown)
}
