//! Entity tags: the name of one version of one object.

use std::sync::Arc;

use md5::Md5;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// The identity of a version of an object: equal tags on the same key mean equal bytes. A tag is opaque and need not be a
/// digest.
///
/// ```
/// use skillmount_base::path::ETag;
///
/// assert_eq!(ETag::new("\"9b2cf5\""), ETag::new("9b2cf5"));
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ETag(Arc<str>);

impl ETag {
    /// The tag from the store, without the quotes of HTTP.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(Arc::from(text.trim_matches('"')))
    }

    /// A tag for bytes without a tag from a store. Equal bytes get equal tags.
    #[must_use]
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self::new(&hex_of_16(&Sha256::digest(bytes)))
    }

    /// The tag that S3 gives to bytes that are put at once, unless a key of a KMS encrypts them.
    #[must_use]
    pub fn md5_of(bytes: &[u8]) -> Self {
        Self::new(&hex::encode(Md5::digest(bytes)))
    }

    /// Whether it may be an MD5, by its form. The tag of an object that a KMS key encrypts has this form too, but is no MD5.
    #[must_use]
    pub fn has_form_of_md5(&self) -> bool {
        self.0.len() == 32 && self.0.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    }

    /// The tag without quotes.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The first 16 bytes of a digest in hexadecimal.
fn hex_of_16(digest: &[u8]) -> String {
    hex::encode(digest.get(..16).unwrap_or(digest))
}
