//! Skills that a host offers by Agent Skills Discovery 0.2.0: its index, and what the index names.
//!
//! The client trusts no host. It refuses an index of another schema, and an artifact with another digest than in the
//! index. It refuses an index or an artifact larger than a skill can be. This module does not read the contents of an
//! artifact.

use bytes::{Bytes, BytesMut};
use reqwest::{Client, Url, header};
use serde::Deserialize;
use serde_json::Value;

use super::{
    problem::unreachable,
    proxy::{ProxyInUse, client_for},
};
use crate::{
    error::{Code, Error, Result},
    limits::{DISCOVERY_INDEX_BYTES, DISCOVERY_PATIENCE, VERSION_ZIP_BYTES},
    skill::{VersionFile, is_skill_name},
    wire::Effect,
};

/// The one schema that is known.
const SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
const INDEX: &str = "/.well-known/agent-skills/index.json";

/// A host that offers skills.
#[derive(Clone, Debug)]
pub struct DiscoveryHost {
    http: Client,
    index: Url,
}

/// The index of a host.
#[derive(Clone, Debug, Default)]
pub struct OfferedIndex {
    /// The skills, in the order of the index.
    pub skills: Vec<OfferedEntry>,
    /// The skipped entries, each with the reason.
    pub passed_over: Vec<String>,
}

/// A skill that a host offers.
#[derive(Clone, Debug)]
pub struct OfferedEntry {
    /// Its name.
    pub name: String,
    /// Whether it is an archive, and no SKILL.md.
    pub is_archive: bool,
    /// `sha256:` and the SHA-256 that its bytes must have.
    pub digest: String,
    url: Url,
}

#[derive(Deserialize)]
struct RawEntry {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    url: String,
    digest: String,
}

impl DiscoveryHost {
    /// The host at `base`, an address of `http` or `https`.
    ///
    /// # Errors
    /// `invalid_request` if it is none, or has a user, a password or a query in it.
    pub fn new(base: &str) -> Result<Self> {
        let refused = |why: &str| Error::new(Code::InvalidRequest, format!("the address of a host {why}"));
        let mut index = Url::parse(base).map_err(|_| refused("looks like https://skills.example.com"))?;
        if !["http", "https"].contains(&index.scheme()) || index.host().is_none() {
            return Err(refused("looks like https://skills.example.com"));
        }
        if !index.username().is_empty() || index.password().is_some() {
            return Err(refused("has no user and no password in it: they would be kept and shown"));
        }
        if index.query().is_some() || index.fragment().is_some() {
            return Err(refused("ends before any ? or #"));
        }
        let path = index.path().trim_end_matches('/').to_owned();
        let path = path.strip_suffix(INDEX).unwrap_or(&path);
        index.set_path(&format!("{path}{INDEX}"));
        let http = client_for(&index).timeout(DISCOVERY_PATIENCE).https_only(index.scheme() == "https");
        Ok(Self { http: http.build().map_err(Error::internal)?, index })
    }

    /// Returns the index of the host.
    ///
    /// # Errors
    /// `store_unavailable` if the host cannot be reached; `invalid_request` if it has no index, or an index of another
    /// schema.
    pub async fn index(&self) -> Result<OfferedIndex> {
        let refused = |why: &str| Error::new(Code::InvalidRequest, format!("{} {why}", self.shown()));
        let bytes = self.get(&self.index, DISCOVERY_INDEX_BYTES).await?;
        let index: Value =
            serde_json::from_slice(&bytes).map_err(|error| refused("is no index of skills").with_source(error))?;
        match index.get("$schema").and_then(Value::as_str) {
            Some(SCHEMA) => {}
            _ => {
                return Err(refused(
                    "is an index of another form than discovery 0.2.0, which is the one that is known",
                ));
            }
        }
        let entries = index.get("skills").and_then(Value::as_array).ok_or_else(|| refused("lists no skills"))?;
        let mut offered = OfferedIndex::default();
        for entry in entries {
            match self.entry(entry) {
                Ok(entry) => offered.skills.push(entry),
                Err(why) => offered.passed_over.push(why),
            }
        }
        Ok(offered)
    }

    fn entry(&self, entry: &Value) -> Result<OfferedEntry, String> {
        let named = entry.get("name").and_then(Value::as_str).unwrap_or("a skill without a name");
        let refused = |why: &str| format!("{named}: {why}");
        let raw = RawEntry::deserialize(entry).map_err(|error| refused(&format!("not as an index has it: {error}")))?;
        let is_archive = match raw.kind.as_str() {
            "archive" => true,
            "skill-md" => false,
            other => return Err(refused(&format!("its type {other:?} is not known"))),
        };
        if !is_skill_name(&raw.name) {
            return Err(refused("that is no name of a skill"));
        }
        let url = self.index.join(&raw.url).map_err(|_| refused("its address is none"))?;
        let hex = raw.digest.strip_prefix("sha256:").unwrap_or_default();
        if hex.len() != 64 || !hex.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
            return Err(refused("it has no digest to check its files by"));
        }
        Ok(OfferedEntry { name: raw.name, is_archive, digest: raw.digest, url })
    }

    /// The bytes of a skill that it offers.
    ///
    /// # Errors
    /// `store_unavailable` if they cannot be had; `invalid_request` if they are not those of the digest.
    pub async fn artifact(&self, entry: &OfferedEntry) -> Result<Bytes> {
        let bytes = self.get(&entry.url, VERSION_ZIP_BYTES).await?;
        if entry.digest != format!("sha256:{}", VersionFile::from_bytes("", &bytes).sha256) {
            let message = format!(
                "{}: what the host sends is not what its index has the digest of; nothing of it was taken",
                entry.name
            );
            return Err(Error::new(Code::InvalidRequest, message));
        }
        Ok(bytes)
    }

    /// At most `most` bytes that lie at `url`.
    async fn get(&self, url: &Url, most: usize) -> Result<Bytes> {
        let failed = |cause| unreachable(cause, Effect::Reads, ProxyInUse::of(url).as_ref());
        let request = self.http.get(url.clone()).header(header::ACCEPT_ENCODING, "identity");
        let mut response = request.send().await.map_err(|cause| failed(cause.without_url()))?;
        if !response.status().is_success() {
            let status = response.status();
            let message = format!(
                "{} answers {status}; a host offers skills at {INDEX}, and a git repository is named with git+ before its address",
                self.shown()
            );
            return Err(Error::new(Code::InvalidRequest, message));
        }
        let mut bytes = BytesMut::new();
        while let Some(piece) = response.chunk().await.map_err(|cause| failed(cause.without_url()))? {
            if bytes.len() + piece.len() > most {
                let message =
                    format!("{} sends more than {} MiB, so nothing of it was taken", self.shown(), most >> 20);
                return Err(Error::new(Code::FileTooLarge, message));
            }
            bytes.extend_from_slice(&piece);
        }
        Ok(bytes.freeze())
    }

    /// The scheme and host, for people. The path is left out, since it may hold the secret of a link.
    fn shown(&self) -> String {
        format!("{}://{}", self.index.scheme(), self.index.authority())
    }
}
