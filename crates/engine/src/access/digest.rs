//! The SHA-256 digest of a key, the only part that is stored.

use std::{
    fmt,
    hash::{Hash, Hasher},
};

use sha2::{Digest as _, Sha256};

use crate::budget::Owner;

const PREFIX: &str = "sha256:";
/// Hex digits of a digest that a key is called by.
const NAME_DIGITS: usize = 16;

/// The digest of a key.
#[derive(Clone, Copy, Eq)]
pub(super) struct Digest([u8; 32]);

impl Digest {
    /// The digest of `key`.
    pub(super) fn from_key(key: &str) -> Self {
        Self(Sha256::digest(key.as_bytes()).into())
    }

    /// Reads `sha256:` and 64 hex digits.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut digest = [0; 32];
        hex::decode_to_slice(text.strip_prefix(PREFIX)?, &mut digest).ok()?;
        Some(Self(digest))
    }

    /// The name of the key in logs and shares: enough digits of the digest to distinguish the keys.
    pub(super) fn name(&self) -> Owner {
        hex::encode(self.0).chars().take(NAME_DIGITS).collect::<String>().into()
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}", hex::encode(self.0))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

impl PartialEq for Digest {
    fn eq(&self, other: &Self) -> bool {
        #[cfg(test)]
        tests::count();
        self.0 == other.0
    }
}

impl Hash for Digest {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::cell::Cell;

    use super::*;

    thread_local! {
        static COMPARED: Cell<u64> = const { Cell::new(0) };
    }

    pub(super) fn count() {
        COMPARED.with(|compared| compared.set(compared.get() + 1));
    }

    /// How many digests this thread has compared so far.
    pub(in crate::access) fn compared() -> u64 {
        COMPARED.with(Cell::get)
    }

    #[test]
    fn a_digest_is_read_back_as_it_was_written_and_its_name_is_its_beginning() {
        let digest = Digest::from_key("s3cret");
        assert_eq!(Digest::parse(&digest.to_string()), Some(digest));
        assert!(digest.to_string().strip_prefix(PREFIX).unwrap().starts_with(&*digest.name()));
        assert_eq!((digest.name().len(), format!("{digest:?}").len()), (16, 16), "no log holds a whole digest");
        let long = format!("{digest}0");
        let capitals = format!("sha256:{}", digest.to_string()[7..].to_uppercase());
        assert_eq!(Digest::parse(&capitals), Some(digest));
        let odd = long.replace('0', "g");
        for bad in ["", "sha256:", "plain", &digest.to_string()[7..], &long, &odd[..odd.len() - 1], &capitals[..70]] {
            assert_eq!(Digest::parse(bad), None, "{bad}");
        }
    }
}
