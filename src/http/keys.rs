//! API keys: who may call, for which user, to do what.
//!
//! Only SHA-256 digests are kept. A key is 256 random bits, so a plain digest cannot be guessed back and needs no salt
//! or slow hash; every entry is compared in constant time and none is skipped, so the time of a refusal tells nothing.
//! [`Grant::allows`] is the one place where it is decided whether a call may go on.

use std::{collections::BTreeMap, fmt::Write as _, path::Path, sync::Arc};

use axum::http::{HeaderMap, header};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use crate::{
    budget::Owner,
    clock::Clock,
    error::{Code, Error, Result},
    path::Id,
    session::{Reach, SessionPattern},
};

const DIGEST_PREFIX: &str = "sha256:";
const EVERY_USER: &str = "*";

/// What a key may be used for. `Control` includes everything `Agent` may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Run an agent's operations.
    Agent,
    /// Also change policy and variables, and forget sessions.
    Control,
}

/// One key as the keys file holds it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyEntry {
    /// `sha256:` and the digest of the key in lower-case hex.
    pub hash: String,
    /// The user it is bound to, or `*` for all.
    pub user: String,
    /// What it may be used for.
    pub scopes: Vec<Scope>,
    /// When it stops working, in RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Timestamp>,
    /// The team whose skills its user sees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<Id>,
    /// What it is called, for people who read the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The sessions it is bound to: ids, or beginnings of ids with `*` behind them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sessions: Option<Vec<String>>,
    /// The values of session variables it is bound to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vars: Option<BTreeMap<String, Id>>,
}

impl KeyEntry {
    /// A new random key and its entry. The key itself is shown once and kept nowhere.
    #[must_use]
    pub fn generate(clock: &dyn Clock, user: Option<&Id>, scopes: Vec<Scope>) -> (String, Self) {
        let key = format!("smk_{:032x}{:032x}", clock.random(), clock.random());
        let (user, hash) = (user.map_or(EVERY_USER, Id::as_str).to_owned(), hash_text(&digest(&key)));
        let entry = Self { hash, user, scopes, expires: None, team: None, name: None, sessions: None, vars: None };
        (key, entry)
    }

    /// The entry as a table to append to a keys file.
    ///
    /// # Errors
    /// Never for an entry made by [`KeyEntry::generate`].
    pub fn to_toml(&self) -> Result<String> {
        toml::to_string(&KeysFile { key: vec![self.clone()] }).map_err(Error::internal)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeysFile {
    #[serde(default)]
    key: Vec<KeyEntry>,
}

/// The keys the service takes. Cheap to clone, so that they can be replaced while requests are under way.
#[derive(Clone, Debug, Default)]
pub struct Keys(Arc<[Key]>);

#[derive(Clone, Debug)]
struct Key {
    digest: [u8; 32],
    expires: Option<Timestamp>,
    grant: Grant,
}

/// What a caller may do: of a key, or of everybody where the service has no keys and listens on loopback only.
#[derive(Clone, Debug)]
pub(super) struct Grant {
    /// What the key is called: the beginning of its digest. `None` where there are no keys.
    key: Option<Owner>,
    user: Option<Id>,
    scope: Scope,
    team: Option<Id>,
    reach: Arc<Reach>,
    /// The sessions that any key is bound to, and whose they are.
    taken: Arc<[(Option<Id>, SessionPattern)]>,
}

impl Keys {
    /// No keys: everything is allowed, on a loopback address only.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// One key for all users and both scopes.
    ///
    /// # Errors
    /// `invalid_request` for an empty key or one that no header could carry.
    pub fn single(key: &str) -> Result<Self> {
        if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            let message = "an API key is made of visible ASCII characters, without spaces";
            return Err(Error::new(Code::InvalidRequest, message));
        }
        let digest = digest(key);
        let grant = Grant { key: Some(name(&digest)), ..Grant::of_everybody() };
        Ok(Self([Key { digest, expires: None, grant }].into()))
    }

    /// The keys of a keys file: TOML, a `[[key]]` table for each.
    ///
    /// # Errors
    /// `invalid_request`, naming the line or the entry; a file without keys is one too.
    pub fn from_toml(text: &str) -> Result<Self> {
        let file: KeysFile = toml::from_str(text)
            .map_err(|error| Error::new(Code::InvalidRequest, format!("the keys file cannot be read: {error}")))?;
        if file.key.is_empty() {
            let message = "the keys file holds no [[key]]; add one, or start without keys";
            return Err(Error::new(Code::InvalidRequest, message));
        }
        let keys = file.key.iter().enumerate().map(|(index, entry)| {
            Key::from_entry(entry).map_err(|why| {
                let message = format!("[[key]] {} of the keys file {}", index + 1, why.message());
                Error::new(Code::InvalidRequest, message)
            })
        });
        let mut keys: Vec<Key> = keys.collect::<Result<_>>()?;
        let bound = keys.iter().flat_map(|Key { grant, .. }| {
            grant.reach.sessions().iter().map(|pattern| (grant.user.clone(), pattern.clone()))
        });
        let taken: Arc<[_]> = bound.collect();
        for key in &mut keys {
            key.grant.taken = Arc::clone(&taken);
        }
        Ok(Self(keys.into()))
    }

    /// The keys of the keys file at `path`.
    ///
    /// # Errors
    /// `invalid_request` where it cannot be read; as [`from_toml`](Self::from_toml).
    pub fn load(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|error| {
            let message = format!("the keys file {} cannot be read", path.display());
            Error::new(Code::InvalidRequest, message).with_source(error)
        })?;
        Self::from_toml(&text)
    }

    /// Whether callers must bring a key.
    #[must_use]
    pub fn are_required(&self) -> bool {
        !self.0.is_empty()
    }

    /// What the keys are called.
    pub(super) fn names(&self) -> impl Iterator<Item = &Owner> {
        self.0.iter().filter_map(|key| key.grant.key.as_ref())
    }

    /// Who is calling.
    ///
    /// # Errors
    /// `unauthenticated` where keys are required and the request brings none that is known and has not expired.
    pub(super) fn authenticate(&self, headers: &HeaderMap, now: Timestamp) -> Result<Grant> {
        if !self.are_required() {
            return Ok(Grant::of_everybody());
        }
        let refused = |message| Error::new(Code::Unauthenticated, message);
        let bearer = bearer(headers)
            .ok_or_else(|| refused("this service needs an API key: send `authorization: Bearer <key>`"))?;
        let given = digest(bearer);
        let known = self.0.iter().fold(None, |found, key| {
            let same: bool = key.digest.ct_eq(&given).into();
            if same { Some(key) } else { found }
        });
        match known {
            Some(key) if key.expires.is_none_or(|expires| now < expires) => Ok(key.grant.clone()),
            Some(_) => Err(refused("this API key has expired; ask for a new one")),
            None => Err(refused("this API key is not known; check it, or ask for a new one")),
        }
    }
}

impl Grant {
    /// Everything, for all users and in no team.
    fn of_everybody() -> Self {
        Self { key: None, user: None, scope: Scope::Control, team: None, reach: Arc::default(), taken: Arc::default() }
    }

    /// What the key is called, for shares and logs.
    pub(super) const fn key(&self) -> Option<&Owner> {
        self.key.as_ref()
    }

    /// Which of the user's sessions the caller reaches.
    pub(super) const fn reach(&self) -> &Arc<Reach> {
        &self.reach
    }

    /// Whether a key, this or another, is bound to `session` of `user` by its id.
    pub(super) fn is_taken(&self, user: &Id, session: &Id) -> bool {
        let meets = |owner: &Option<Id>| owner.as_ref().is_none_or(|owner| owner == user);
        self.taken.iter().any(|(owner, pattern)| meets(owner) && pattern.covers(session))
    }

    /// The team whose skills the caller sees: what the key says, for a request is never asked.
    pub(super) const fn team(&self) -> Option<&Id> {
        self.team.as_ref()
    }

    /// Whether a call on `user`'s data that needs `scope` may go on: the only such decision.
    ///
    /// # Errors
    /// `denied`, saying which of the two is missing.
    pub(super) fn allows(&self, user: &Id, scope: Scope) -> Result<()> {
        if self.user.as_ref().is_some_and(|own| own != user) {
            return Err(Error::new(Code::Denied, "this API key belongs to another user"));
        }
        if self.scope < scope {
            return Err(Error::new(Code::Denied, "this call needs an API key with scope control"));
        }
        Ok(())
    }
}

impl Key {
    fn from_entry(entry: &KeyEntry) -> Result<Self> {
        let needs = || {
            let message = "needs hash = \"sha256:<64 hex digits>\", user = \"<id>\" or \"*\", and at least one scope";
            Error::new(Code::InvalidRequest, message)
        };
        let user = Some(&entry.user).filter(|user| *user != EVERY_USER);
        let user = user.map(|user| Id::parse(user).map_err(|_| needs())).transpose()?;
        let scope = entry.scopes.iter().copied().max().ok_or_else(needs)?;
        let digest = parse_hash(&entry.hash).ok_or_else(needs)?;
        let (key, reach) = (Some(name(&digest)), Arc::new(reach(entry)?));
        let grant = Grant { key, user, scope, team: entry.team.clone(), reach, taken: Arc::default() };
        Ok(Self { digest, expires: entry.expires, grant })
    }
}

/// What an entry binds its key to. A list that is there and empty is a slip: it would bind to nothing, which is everything.
fn reach(entry: &KeyEntry) -> Result<Reach> {
    let is_slip =
        entry.sessions.as_ref().is_some_and(Vec::is_empty) || entry.vars.as_ref().is_some_and(BTreeMap::is_empty);
    if is_slip {
        return Err(Error::new(Code::InvalidRequest, "has empty sessions or vars; name some, or leave the line out"));
    }
    let (sessions, vars) = (entry.sessions.as_deref().unwrap_or_default(), entry.vars.clone().unwrap_or_default());
    Reach::new(sessions, &vars).map_err(|why| {
        Error::new(Code::InvalidRequest, format!("is bound to something that is not there: {}", why.message()))
    })
}

/// The key of an `authorization: Bearer` header; the scheme in any case, as RFC 9110 has it.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, key) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| key.trim())
}

fn digest(key: &str) -> [u8; 32] {
    Sha256::digest(key.as_bytes()).into()
}

/// What a key is called: enough of its digest to tell it from others.
fn name(digest: &[u8; 32]) -> Owner {
    hash_text(digest).chars().skip(DIGEST_PREFIX.len()).take(16).collect::<String>().into()
}

fn hash_text(digest: &[u8; 32]) -> String {
    digest.iter().fold(DIGEST_PREFIX.to_owned(), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn parse_hash(text: &str) -> Option<[u8; 32]> {
    let hex = text.strip_prefix(DIGEST_PREFIX)?;
    if hex.len() != 64 || !hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let mut digest = [0; 32];
    for (at, byte) in digest.iter_mut().enumerate() {
        *byte = u8::from_str_radix(hex.get(at * 2..at * 2 + 2)?, 16).ok()?;
    }
    Some(digest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::SystemClock;

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    fn headers(value: &str) -> HeaderMap {
        HeaderMap::from_iter([(header::AUTHORIZATION, value.parse().unwrap())])
    }

    fn code(keys: &Keys, authorization: &str) -> Option<Code> {
        keys.authenticate(&headers(authorization), NOW).err().map(|error| error.code())
    }

    #[tokio::test]
    async fn a_generated_key_opens_what_its_entry_says_and_is_not_in_it() {
        let user = Id::parse("u1").unwrap();
        let (key, entry) = KeyEntry::generate(&SystemClock::new(), Some(&user), vec![Scope::Agent]);
        let text = entry.to_toml().unwrap();
        assert!(!text.contains(&key) && text.contains("[[key]]"), "{text}");
        let grant = Keys::from_toml(&text).unwrap().authenticate(&headers(&format!("Bearer {key}")), NOW).unwrap();
        assert!(grant.allows(&user, Scope::Agent).is_ok());
        assert!(grant.allows(&user, Scope::Control).is_err());
        assert!(grant.allows(&Id::parse("u10").unwrap(), Scope::Agent).is_err());
    }

    #[test]
    fn a_single_key_is_for_all_users_and_scopes() {
        let keys = Keys::single("s3cret").unwrap();
        let grant = keys.authenticate(&headers("bearer s3cret"), NOW).unwrap();
        assert!(grant.allows(&Id::parse("anybody").unwrap(), Scope::Control).is_ok());
        for wrong in ["Bearer s3cre", "Bearer s3cret2", "Basic s3cret", "s3cret", "Bearer "] {
            assert_eq!(code(&keys, wrong), Some(Code::Unauthenticated), "{wrong}");
        }
        assert!(keys.authenticate(&HeaderMap::new(), NOW).is_err());
        assert!(Keys::single("").is_err() && Keys::single("a b").is_err());
    }

    #[tokio::test]
    async fn a_key_stops_at_the_moment_it_expires() {
        let (key, entry) = KeyEntry::generate(&SystemClock::new(), None, vec![Scope::Control]);
        let entry = KeyEntry { expires: Some(Timestamp::from_second(10).unwrap()), ..entry };
        let keys = Keys::from_toml(&entry.to_toml().unwrap()).unwrap();
        let at =
            |second| keys.authenticate(&headers(&format!("Bearer {key}")), Timestamp::from_second(second).unwrap());
        assert!(at(9).is_ok());
        assert_eq!(at(10).unwrap_err().code(), Code::Unauthenticated);
    }

    #[tokio::test]
    async fn a_file_of_keys_is_loaded_with_what_they_are_bound_to() {
        let (key, entry) = KeyEntry::generate(&SystemClock::new(), None, vec![Scope::Agent]);
        let vars = BTreeMap::from([("ticket_id".to_owned(), Id::parse("t1").unwrap())]);
        let bound = KeyEntry { sessions: Some(vec!["chat-*".to_owned()]), vars: Some(vars.clone()), ..entry };
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bound.to_toml().unwrap()).unwrap();
        let keys = Keys::load(file.path()).unwrap();
        let grant = keys.authenticate(&headers(&format!("Bearer {key}")), NOW).unwrap();
        let (user, chat, other) = (Id::parse("u1").unwrap(), Id::parse("chat-1").unwrap(), Id::parse("t1").unwrap());
        assert!(grant.reach().names(&chat) && !grant.reach().names(&other));
        assert_eq!(grant.reach().vars(), &vars);
        assert!(grant.is_taken(&user, &chat) && !grant.is_taken(&user, &other));
        assert_eq!(Keys::load(std::path::Path::new("/no/such/file")).unwrap_err().code(), Code::InvalidRequest);
    }

    #[test]
    fn a_keys_file_with_a_fault_is_refused_whole() {
        let hash = format!("sha256:{}", "a".repeat(64));
        assert!(Keys::from_toml(&format!("[[key]]\nhash = {hash:?}\nuser = \"*\"\nscopes = [\"agent\"]")).is_ok());
        for bad in [
            String::new(),
            format!("[[key]]\nhash = {hash:?}\nuser = \"*\"\nscopes = []"),
            format!("[[key]]\nhash = {hash:?}\nuser = \"../u2\"\nscopes = [\"agent\"]"),
            format!("[[key]]\nhash = {hash:?}\nuser = \"*\"\nscopes = [\"root\"]"),
            format!("[[key]]\nhash = {hash:?}\nuser = \"*\"\nscopes = [\"agent\"]\nexpire = \"x\""),
            format!("[[key]]\nhash = {hash:?}\nuser = \"*\"\nscopes = [\"agent\"]\nsessions = []"),
            format!("[[key]]\nhash = {hash:?}\nuser = \"*\"\nscopes = [\"agent\"]\nsessions = [\"*\"]"),
            format!("[[key]]\nhash = {hash:?}\nuser = \"*\"\nscopes = [\"agent\"]\nvars = {{}}"),
            format!("[[key]]\nhash = {hash:?}\nuser = \"*\"\nscopes = [\"agent\"]\nvars = {{ Ticket = \"t1\" }}"),
            "[[key]]\nhash = \"plain\"\nuser = \"*\"\nscopes = [\"agent\"]".to_owned(),
        ] {
            assert!(Keys::from_toml(&bad).is_err(), "{bad}");
        }
    }
}
