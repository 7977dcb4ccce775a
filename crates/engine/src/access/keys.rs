//! API keys: who may call, for which user, to do what.
//!
//! Only SHA-256 digests are kept, and a key is found by its digest in a map, so a request costs the same however many
//! keys there are. No timing attack follows. From the time of a refusal, a caller could learn only how far the digest
//! of its key agrees with a kept digest. A caller cannot choose digests, and a digest is no key: a key is 256 random
//! bits, which a caller cannot find from its digest. For the same reason keys need no salt or slow hash. A key that a
//! person chose may be guessed, but time does not help. The map has a new seed in each process, so a caller does not
//! know with which digest the map compares a guess.

use std::{collections::HashMap, sync::Arc};

use jiff::Timestamp;

use super::{Grant, KeyEntry, digest::Digest, key_entry::is_over, taken::BoundSessions};
use crate::{
    budget::Owner,
    error::{Code, Error, Result},
};

/// The keys the service takes. Cheap to clone, so that they can be replaced while requests are under way.
///
/// ```
/// use skillmount_base::clock::{Clock, SystemClock};
/// use skillmount_engine::access::Keys;
///
/// # fn main() -> skillmount_base::Result<()> {
/// let keys = Keys::single("a-long-secret")?;
/// let now = SystemClock::new().now();
/// assert!(keys.authenticate(Some("Bearer a-long-secret"), now).is_ok());
/// assert!(keys.authenticate(None, now).is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Keys(Arc<HashMap<Digest, Key>>);

#[derive(Clone, Debug)]
struct Key {
    expires: Option<Timestamp>,
    grant: Grant,
}

/// The difference of two sets of keys: the names of the keys in logs, in byte order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyChanges {
    /// Keys that only the newer set has.
    pub added: Vec<Owner>,
    /// Keys that only the older set has.
    pub removed: Vec<Owner>,
    /// Keys of both sets whose rights differ.
    pub changed: Vec<Owner>,
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
    /// `invalid_request` for an empty key, or for a key that no header could carry.
    pub fn single(key: &str) -> Result<Self> {
        if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            let message = "an API key is made of visible ASCII characters, without spaces";
            return Err(Error::new(Code::InvalidRequest, message));
        }
        let digest = Digest::from_key(key);
        let (key, called) = (Some(digest.name()), Some(digest.name()));
        let grant = Grant { digest: Some(digest), key, called, ..Grant::of_everybody() };
        Ok(Self(Arc::new([(digest, Key { expires: None, grant })].into())))
    }

    /// The keys of these entries, in the order of the keys file.
    ///
    /// # Errors
    /// `invalid_request` if there is no entry, or if one is wrong or repeats the hash of another. The error names the entry.
    pub fn new(entries: &[KeyEntry]) -> Result<Self> {
        if entries.is_empty() {
            let message = "the keys file holds no [[key]]; add one, or start without keys";
            return Err(Error::new(Code::InvalidRequest, message));
        }
        let mut parsed: HashMap<Digest, Key> = HashMap::with_capacity(entries.len());
        let mut taken = BoundSessions::default();
        for (index, entry) in entries.iter().enumerate() {
            let (digest, key) = Key::from_entry(entry).map_err(|why| {
                let message = format!("[[key]] {} of the keys file {}", index + 1, why.message());
                Error::new(Code::InvalidRequest, message)
            })?;
            for pattern in key.grant.reach.sessions() {
                taken.insert(key.grant.user.as_ref(), pattern);
            }
            if parsed.insert(digest, key).is_some() {
                return Err(twice(entries, index, digest));
            }
        }
        let taken = Arc::new(taken);
        for key in parsed.values_mut() {
            key.grant.taken = Arc::clone(&taken);
        }
        Ok(Self(Arc::new(parsed)))
    }

    /// Whether callers must bring a key.
    #[must_use]
    pub fn are_required(&self) -> bool {
        !self.0.is_empty()
    }

    /// The names of the keys in logs.
    pub fn names(&self) -> impl Iterator<Item = &Owner> {
        self.0.values().filter_map(|key| key.grant.key.as_ref())
    }

    /// Returns the difference between `before` and these keys.
    #[must_use]
    pub fn changes_since(&self, before: &Self) -> KeyChanges {
        let of = |keys: &Self, wanted: &dyn Fn(&Digest, &Key) -> bool| {
            let mut names: Vec<_> =
                keys.0.iter().filter(|(digest, key)| wanted(digest, key)).map(|(digest, _)| digest.name()).collect();
            names.sort();
            names
        };
        KeyChanges {
            added: of(self, &|digest, _| !before.0.contains_key(digest)),
            removed: of(before, &|digest, _| !self.0.contains_key(digest)),
            changed: of(self, &|digest, key| before.0.get(digest).is_some_and(|earlier| !key.has_rights_of(earlier))),
        }
    }

    /// Finds out who is calling. `authorization` is the text of the header of that name.
    ///
    /// # Errors
    /// `unauthenticated` if keys are required and the request brings none that is known and has not expired.
    pub fn authenticate(&self, authorization: Option<&str>, now: Timestamp) -> Result<Grant> {
        if !self.are_required() {
            return Ok(Grant::of_everybody());
        }
        self.find(authorization.and_then(bearer).map(Digest::from_key), now)
    }

    /// Returns what the key of `grant` allows by these keys at the time `now`. The call that got `grant` began earlier, and
    /// its key may have been revoked or changed since, or have expired.
    ///
    /// # Errors
    /// As [`authenticate`](Self::authenticate).
    pub fn renew(&self, grant: &Grant, now: Timestamp) -> Result<Grant> {
        if self.are_required() { self.find(grant.digest, now) } else { Ok(Grant::of_everybody()) }
    }

    fn find(&self, digest: Option<Digest>, now: Timestamp) -> Result<Grant> {
        let refused = |message| Error::new(Code::Unauthenticated, message);
        let digest =
            digest.ok_or_else(|| refused("this service needs an API key: send `authorization: Bearer <key>`"))?;
        match self.0.get(&digest) {
            Some(key) if is_over(key.expires, now) => Err(refused("this API key has expired; ask for a new one")),
            Some(key) => Ok(key.grant.clone()),
            None => Err(refused("this API key is not known; check it, or ask for a new one")),
        }
    }
}

impl Key {
    fn has_rights_of(&self, other: &Self) -> bool {
        // The sessions that other keys are bound to are no right of this one.
        let rights = |key: &Self| {
            let Grant { user, scope, team, reach, .. } = key.grant.clone();
            (key.expires, user, scope, team, reach)
        };
        rights(self) == rights(other)
    }

    fn from_entry(entry: &KeyEntry) -> Result<(Digest, Self)> {
        let needs = || {
            let message = "needs hash = \"sha256:<64 hex digits>\", user = \"<id>\" or \"*\", and at least one scope";
            Error::new(Code::InvalidRequest, message)
        };
        let user = entry.owner().map_err(|_| needs())?;
        let scope = entry.scopes.iter().copied().max().ok_or_else(needs)?;
        let digest = entry.digest().ok_or_else(needs)?;
        let reach = Arc::new(entry.reach()?);
        let team = entry.team.clone();
        let (key, called) = (Some(digest.name()), entry.called());
        let taken = Arc::default();
        let grant = Grant { digest: Some(digest), key, called, user, scope, team, reach, taken };
        Ok((digest, Self { expires: entry.expires, grant }))
    }
}

/// The error for the entry at `index`, whose hash an earlier entry has. A key with two entries would have the rights of either.
fn twice(entries: &[KeyEntry], index: usize, digest: Digest) -> Error {
    let first = entries.iter().position(|entry| entry.digest() == Some(digest)).unwrap_or(index);
    let message = format!(
        "[[key]] {} of the keys file has the hash of [[key]] {}, {}: a key has one entry, so remove one of the two",
        index + 1,
        first + 1,
        digest.name()
    );
    Error::new(Code::InvalidRequest, message)
}

/// The key of an `authorization: Bearer` header; the scheme in any case, as RFC 9110 has it.
fn bearer(authorization: &str) -> Option<&str> {
    let (scheme, key) = authorization.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| key.trim())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::{
        access::{Scope, digest::tests::compared},
        clock::SystemClock,
        path::Id,
    };

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    fn id(text: &str) -> Id {
        Id::parse(text).unwrap()
    }

    fn code(keys: &Keys, authorization: &str) -> Option<Code> {
        keys.authenticate(Some(authorization), NOW).err().map(|error| error.code())
    }

    #[tokio::test]
    async fn a_generated_key_opens_what_its_entry_says_and_is_not_in_it() {
        let user = id("u1");
        let (key, entry) = KeyEntry::generate(&SystemClock::new(), Some(&user), vec![Scope::Agent]);
        let text = serde_json::to_string(&entry).unwrap();
        assert!(!text.contains(&key) && entry.created.is_some(), "{text}");
        let grant = Keys::new(&[entry]).unwrap().authenticate(Some(&format!("Bearer {key}")), NOW).unwrap();
        assert!(grant.allows(&user, Scope::Agent).is_ok());
        assert!(grant.allows(&user, Scope::Control).is_err());
        assert!(grant.allows(&id("u10"), Scope::Agent).is_err());
    }

    #[test]
    fn a_single_key_is_for_all_users_and_scopes() {
        let keys = Keys::single("s3cret").unwrap();
        let grant = keys.authenticate(Some("bearer s3cret"), NOW).unwrap();
        assert!(grant.allows(&id("anybody"), Scope::Control).is_ok());
        for wrong in ["Bearer s3cre", "Bearer s3cret2", "Basic s3cret", "s3cret", "Bearer "] {
            assert_eq!(code(&keys, wrong), Some(Code::Unauthenticated), "{wrong}");
        }
        assert!(keys.authenticate(None, NOW).is_err());
        assert!(Keys::single("").is_err() && Keys::single("a b").is_err());
    }

    // S-KEY-5: A key stops at the moment `expires` of its entry.
    #[tokio::test]
    async fn a_key_stops_at_the_moment_it_expires() {
        let (key, entry) = KeyEntry::generate(&SystemClock::new(), None, vec![Scope::Control]);
        let entry = KeyEntry { expires: Some(Timestamp::from_second(10).unwrap()), ..entry };
        let at = |second| Timestamp::from_second(second).unwrap();
        assert!(!entry.is_expired(at(9)) && entry.is_expired(at(10)));
        let keys = Keys::new(&[entry]).unwrap();
        let asked = |second| keys.authenticate(Some(&format!("Bearer {key}")), at(second));
        assert!(asked(9).is_ok());
        let refused = asked(10).unwrap_err();
        assert_eq!(refused.code(), Code::Unauthenticated);
        assert!(refused.message().contains("has expired"), "{refused}");
    }

    #[tokio::test]
    async fn a_grant_is_renewed_as_long_as_its_key_is_there_and_has_not_expired() {
        let (key, entry) = KeyEntry::generate(&SystemClock::new(), Some(&id("u1")), vec![Scope::Control]);
        let (_, other) = KeyEntry::generate(&SystemClock::new(), Some(&id("u1")), vec![Scope::Control]);
        let entry = KeyEntry { expires: Some(Timestamp::from_second(10).unwrap()), ..entry };
        let keys = |entries: &[&KeyEntry]| Keys::new(&entries.iter().copied().cloned().collect::<Vec<_>>()).unwrap();
        let both = keys(&[&entry, &other]);
        let grant = both.authenticate(Some(&format!("Bearer {key}")), NOW).unwrap();
        let at = |keys: &Keys, second| keys.renew(&grant, Timestamp::from_second(second).unwrap());
        assert!(at(&both, 9).is_ok() && at(&both, 10).is_err() && at(&keys(&[&other]), 9).is_err());
        let weaker = KeyEntry { scopes: vec![Scope::Agent], ..entry };
        assert!(at(&keys(&[&weaker]), 9).unwrap().allows(&id("u1"), Scope::Control).is_err());
        let anybody = Keys::none().authenticate(None, NOW).unwrap();
        assert!(Keys::none().renew(&anybody, NOW).is_ok());
        assert_eq!(both.renew(&anybody, NOW).unwrap_err().code(), Code::Unauthenticated);
    }

    #[tokio::test]
    async fn a_grant_holds_what_its_entry_binds_the_key_to() {
        let (key, entry) = KeyEntry::generate(&SystemClock::new(), None, vec![Scope::Agent]);
        let vars = BTreeMap::from([("ticket_id".to_owned(), id("t1"))]);
        let entry = KeyEntry { sessions: Some(vec!["chat-*".to_owned()]), vars: Some(vars.clone()), ..entry };
        let grant = Keys::new(&[entry]).unwrap().authenticate(Some(&format!("Bearer {key}")), NOW).unwrap();
        let (user, chat, other) = (id("u1"), id("chat-1"), id("t1"));
        assert!(grant.reach().names(&chat) && !grant.reach().names(&other));
        assert_eq!(grant.reach().vars(), &vars);
        assert!(grant.is_taken(&user, &chat) && !grant.is_taken(&user, &other));
    }

    #[tokio::test]
    async fn keys_that_were_added_removed_and_changed_are_counted() {
        let entry = |name: &str| KeyEntry {
            hash: Digest::from_key(name).to_string(),
            ..KeyEntry::generate(&SystemClock::new(), Some(&id("u1")), vec![Scope::Agent]).1
        };
        let before = Keys::new(&[entry("same"), entry("gone"), entry("changed")]).unwrap();
        let changed = KeyEntry { team: Some(id("sales")), ..entry("changed") };
        let after = Keys::new(&[entry("same"), changed, entry("new"), entry("newer")]).unwrap();
        let names = |names: &[&str]| {
            let mut names: Vec<_> = names.iter().map(|name| Digest::from_key(name).name()).collect();
            names.sort();
            names
        };
        let (added, removed, changed) = (names(&["new", "newer"]), names(&["gone"]), names(&["changed"]));
        assert_eq!(after.changes_since(&before), KeyChanges { added, removed, changed });
        assert_eq!(after.changes_since(&after), KeyChanges::default());
    }

    /// Keys for `count` users, each bound to sessions of its own.
    fn many(count: usize) -> Keys {
        let entries: Vec<_> = (0..count)
            .map(|number| KeyEntry {
                hash: Digest::from_key(&format!("key-{number}")).to_string(),
                user: format!("u{number}"),
                scopes: vec![Scope::Agent],
                created: None,
                expires: None,
                team: None,
                name: None,
                sessions: Some(vec![format!("chat-{number}-*")]),
                vars: None,
            })
            .collect();
        Keys::new(&entries).unwrap()
    }

    // S-KEY-8: The number of keys does not change the cost of a request.
    #[test]
    fn a_hundred_thousand_keys_make_no_request_dearer() {
        const REQUESTS: usize = 1000;
        let keys = many(100_000);
        let before = compared();
        for number in 0..REQUESTS {
            assert!(keys.authenticate(Some(&format!("Bearer key-{number}")), NOW).is_ok());
            assert!(keys.authenticate(Some(&format!("Bearer unknown-{number}")), NOW).is_err());
        }
        let known_and_unknown = compared() - before;
        // One comparison for each known key, and now and then one more with a hash that begins alike.
        assert!((1000..2000).contains(&known_and_unknown), "{known_and_unknown}");
    }
}
