//! Object keys and the prefixes they lie under.
//!
//! The layout of a bucket is decided here: [`Namespace`] is the configured prefix, and [`UserSpace`] is one user's part
//! of it. A key can only be made from a prefix and a checked relative path, or by admitting a listed key that lies
//! below a prefix on a segment boundary.

use std::{fmt, sync::Arc};

use super::{Id, SkillPath, id::quoted, segment};
use crate::{
    error::{Code, Error, Result},
    limits::KEY_BYTES,
};

/// The name of one object, up to 1,024 bytes. A virtual path could name each of its segments.
///
/// ```
/// use skillmount::path::KeyPrefix;
///
/// let key = KeyPrefix::all().folder("anna")?.key("threads/chat-7/draft.md")?;
/// assert_eq!(key.as_str(), "anna/threads/chat-7/draft.md");
/// # Ok::<(), skillmount::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectKey(Arc<str>);

impl ObjectKey {
    /// The key as the store sees it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", &*self.0)
    }
}

/// A prefix of keys that ends at a segment boundary: empty, or with a `/` at the end.
///
/// ```
/// use skillmount::path::KeyPrefix;
///
/// let prefix = KeyPrefix::all().folder("u1")?;
/// assert_eq!(prefix.relative("u1/a.md"), Some("a.md"));
/// assert_eq!(prefix.relative("u10/a.md"), None, "a prefix ends at a segment");
/// assert!(prefix.admit("u1/a//b").is_none(), "no path could name it");
/// # Ok::<(), skillmount::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyPrefix(Arc<str>);

impl KeyPrefix {
    /// Every key there is.
    #[must_use]
    pub fn all() -> Self {
        Self(Arc::from(""))
    }

    /// The prefix as the store sees it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The key of the relative path `relative` below this prefix.
    ///
    /// # Errors
    /// `invalid_path` if a segment is not allowed, or if the key would be over 1,024 bytes.
    pub fn key(&self, relative: &str) -> Result<ObjectKey> {
        if let Some(fault) = segment::fault_in(relative) {
            return Err(Error::new(Code::InvalidPath, format!("{} is a path with {fault}", quoted(relative))));
        }
        self.bounded(relative).map(|key| ObjectKey(Arc::from(key)))
    }

    /// The prefix of everything below the folder `relative`; this prefix itself if `relative` is empty.
    ///
    /// # Errors
    /// As [`key`](Self::key).
    pub fn folder(&self, relative: &str) -> Result<Self> {
        if relative.is_empty() {
            return Ok(self.clone());
        }
        self.key(relative).map(|key| Self(Arc::from(format!("{key}/"))))
    }

    /// The relative name of a listed key; `None` if it does not lie below this prefix.
    #[must_use]
    pub fn relative<'key>(&self, listed: &'key str) -> Option<&'key str> {
        listed.strip_prefix(&*self.0)
    }

    /// A listed key as one that may be asked for. `None` if it lies elsewhere, or if no virtual path could name it
    /// (`a//b`, `..` segments and the like, which other tools can write).
    #[must_use]
    pub fn admit(&self, listed: &str) -> Option<ObjectKey> {
        self.key(self.relative(listed)?).ok()
    }

    fn bounded(&self, relative: &str) -> Result<String> {
        let key = format!("{}{relative}", self.0);
        if key.len() <= KEY_BYTES {
            return Ok(key);
        }
        Err(Error::new(
            Code::InvalidPath,
            format!("{} is too long: object keys hold {KEY_BYTES} bytes; use a shorter path", quoted(relative)),
        ))
    }
}

impl fmt::Display for KeyPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for KeyPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", &*self.0)
    }
}

/// The configured prefix of a bucket. All keys of the service lie below it.
///
/// ```
/// use skillmount::path::{Id, Namespace, SkillPath};
///
/// let anna = Namespace::parse("team/agents")?.user(&Id::parse("anna")?)?;
/// let skill = anna.skill(&SkillPath::parse("writing/minutes")?)?;
/// assert_eq!(skill.as_str(), "team/agents/anna/skills/writing/minutes/");
/// # Ok::<(), skillmount::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Namespace(KeyPrefix);

impl Default for Namespace {
    /// The whole bucket.
    fn default() -> Self {
        Self(KeyPrefix::all())
    }
}

impl Namespace {
    /// The whole bucket, or the folder `prefix` in it (`team/agents`; slashes at the ends are ignored).
    ///
    /// # Errors
    /// `invalid_path` if a segment is not allowed.
    pub fn parse(prefix: &str) -> Result<Self> {
        KeyPrefix::all().folder(prefix.trim_matches('/')).map(Self)
    }

    /// One user's part.
    ///
    /// # Errors
    /// `invalid_path` if prefix and id together are too long for a key.
    pub fn user(&self, user: &Id) -> Result<UserSpace> {
        self.0.folder(user.as_str()).map(|root| UserSpace { root })
    }

    /// The organisation's part, whose skills all users see. No id begins with `_`, so it is no user's part.
    ///
    /// # Errors
    /// `invalid_path` if the configured prefix is too long.
    pub fn org(&self) -> Result<UserSpace> {
        self.0.folder("_org").map(|root| UserSpace { root })
    }

    /// One team's part, whose skills its members see.
    ///
    /// # Errors
    /// As [`user`](Self::user).
    pub fn team(&self, team: &Id) -> Result<UserSpace> {
        self.0.folder(&format!("_teams/{team}")).map(|root| UserSpace { root })
    }

    /// The service's own part for what belongs to no user, such as the probe of conditional writes.
    ///
    /// # Errors
    /// `invalid_path` if the configured prefix is too long.
    pub fn service_key(&self, name: &str) -> Result<ObjectKey> {
        self.0.key(&format!(".skillmount/{name}"))
    }

    /// The configured prefix itself.
    #[must_use]
    pub fn prefix(&self) -> &KeyPrefix {
        &self.0
    }
}

/// One user's part of the bucket. The parts of a team and of the organisation have the same layout. `u1` and `u10`
/// never meet, because a prefix ends with `/`.
///
/// ```
/// use skillmount::path::{Id, Namespace};
///
/// let anna = Namespace::default().user(&Id::parse("anna")?)?;
/// assert_eq!(anna.session(&Id::parse("chat-7")?)?.as_str(), "anna/.skillmount/sessions/chat-7.json");
/// # Ok::<(), skillmount::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserSpace {
    root: KeyPrefix,
}

impl UserSpace {
    /// `{user}/`.
    #[must_use]
    pub fn root(&self) -> &KeyPrefix {
        &self.root
    }

    /// `{user}/skills/`: the tree of skills.
    ///
    /// # Errors
    /// `invalid_path` if the key would be too long, here and below.
    pub fn skills(&self) -> Result<KeyPrefix> {
        self.root.folder("skills")
    }

    /// `{user}/skills/{skill path}/`: one skill.
    ///
    /// # Errors
    /// See [`skills`](Self::skills).
    pub fn skill(&self, skill: &SkillPath) -> Result<KeyPrefix> {
        self.root.folder(&format!("skills/{skill}"))
    }

    /// `{user}/.skillmount/sessions/`.
    ///
    /// # Errors
    /// See [`skills`](Self::skills).
    pub fn sessions(&self) -> Result<KeyPrefix> {
        self.root.folder(".skillmount/sessions")
    }

    /// `{user}/.skillmount/sessions/{session}.json`.
    ///
    /// # Errors
    /// See [`skills`](Self::skills).
    pub fn session(&self, session: &Id) -> Result<ObjectKey> {
        self.root.key(&format!(".skillmount/sessions/{session}.json"))
    }

    /// `{user}/.skillmount/snapshots/{digest}.json`: a snapshot too large for its session object.
    ///
    /// # Errors
    /// See [`skills`](Self::skills).
    pub fn snapshot(&self, digest: &str) -> Result<ObjectKey> {
        self.root.key(&format!(".skillmount/snapshots/{digest}.json"))
    }

    /// `{user}/.skillmount/heads/{skill path}.json`: which version of a skill is published.
    ///
    /// # Errors
    /// See [`skills`](Self::skills).
    pub fn head(&self, skill: &SkillPath) -> Result<ObjectKey> {
        self.root.key(&format!(".skillmount/heads/{skill}.json"))
    }

    /// `{user}/.skillmount/versions/{skill path}/`: the published versions of a skill.
    ///
    /// # Errors
    /// See [`skills`](Self::skills).
    pub fn versions(&self, skill: &SkillPath) -> Result<KeyPrefix> {
        self.root.folder(&format!(".skillmount/versions/{skill}"))
    }

    /// `{user}/.skillmount/versions/{skill path}/{digest}.zip`, with the digest's hex digits alone.
    ///
    /// # Errors
    /// See [`skills`](Self::skills).
    pub fn version(&self, skill: &SkillPath, digest: &str) -> Result<ObjectKey> {
        let name = digest.strip_prefix("sha256:").unwrap_or(digest);
        self.versions(skill)?.key(&format!("{name}.zip"))
    }

    /// `{user}/.skillmount/policy.json`.
    ///
    /// # Errors
    /// See [`skills`](Self::skills).
    pub fn policy(&self) -> Result<ObjectKey> {
        self.root.key(".skillmount/policy.json")
    }

    /// `{user}/.skillmount/uses.json`: hints, disposable.
    ///
    /// # Errors
    /// See [`skills`](Self::skills).
    pub fn uses(&self) -> Result<ObjectKey> {
        self.root.key(".skillmount/uses.json")
    }

    /// `{user}/.skillmount/catalog.json`: derived, disposable.
    ///
    /// # Errors
    /// See [`skills`](Self::skills).
    pub fn catalog(&self) -> Result<ObjectKey> {
        self.root.key(".skillmount/catalog.json")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn user(id: &str) -> UserSpace {
        Namespace::parse("p").unwrap().user(&Id::parse(id).unwrap()).unwrap()
    }

    #[test]
    fn keys_are_taken_at_the_limit_and_refused_beyond_it() {
        let folder = "f".repeat(200);
        let prefix = KeyPrefix::all().folder(&[folder.as_str(); 5].join("/")).unwrap();
        let room = KEY_BYTES - prefix.as_str().len();
        assert!(prefix.key(&"k".repeat(room)).is_ok());
        assert_eq!(prefix.key(&"k".repeat(room + 1)).unwrap_err().code(), Code::InvalidPath);
    }

    // S-PATH-7: A key that no virtual path can name is skipped in every answer, and no other name reaches it.
    #[test]
    fn a_listed_key_is_admitted_only_below_the_prefix_and_only_if_a_path_could_name_it() {
        let skills = user("u1").skills().unwrap();
        assert!(skills.admit("p/u1/skills/a/SKILL.md").is_some());
        for foreign in [
            "p/u10/skills/a",
            "p/u1/skillsX/a",
            "p/u1/skills/a//b",
            "p/u1/skills/../x",
            "p/u1/skills/",
            "p/u1/skills/a/",
        ] {
            assert!(skills.admit(foreign).is_none(), "{foreign}");
        }
    }

    proptest! {
        // S-PATH-6: Every key asked of the store for a session lies under its user's prefix, or under those of the team
        // and the organisation its caller belongs to.
        #[test]
        fn every_key_lies_below_its_user(id in "(u1|u10|alice|alice2)", relative in "[a/.]{0,8}") {
            let space = user(&id);
            if let Ok(key) = space.root().key(&relative) {
                let own = format!("p/{id}/");
                prop_assert!(key.as_str().starts_with(&own));
                prop_assert!(key.as_str().split('/').all(|part| segment::fault(part).is_none()));
            }
        }
    }
}
