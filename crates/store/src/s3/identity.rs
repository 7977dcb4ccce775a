//! The credentials for a bucket: where they come from, in which form, and for how long they count.
//!
//! The SDK keeps credentials until the time at which they say that they expire, and a profile for the life of its provider.
//! So after a rotation it would send the old ones for as long as that. Here the standard chain is asked anew once the store
//! has refused the credentials, by one caller for all, and at most once in [`RELOAD_PAUSE`].

use std::{
    fmt,
    future::Future,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use aws_credential_types::{
    Credentials,
    provider::{self, ProvideCredentials, error::CredentialsError, future},
};
use jiff::Timestamp;
use tokio::{
    sync::Mutex,
    time::{Instant, timeout},
};

use crate::Cause;
use skillmount_base::{clock::Clock, limits::ATTEMPT_TIMEOUT};

/// Time to find credentials. One second less than an attempt, so the attempt reports missing credentials and not a
/// timeout.
const LOAD_TIMEOUT: Duration = ATTEMPT_TIMEOUT.saturating_sub(Duration::from_secs(1));
/// The pause between two loads of credentials that a store refuses.
const RELOAD_PAUSE: Duration = Duration::from_secs(5);
/// How long credentials count that do not say when they expire.
const DEFAULT_LIFE: Duration = Duration::from_mins(15);
/// How long before their end credentials are loaded again.
const END_MARGIN: Duration = Duration::from_secs(10);

/// One load of credentials from the standard chain.
pub(super) type CredentialsLoad = Pin<Box<dyn Future<Output = provider::Result> + Send>>;
type Chain = Box<dyn Fn() -> CredentialsLoad + Send + Sync>;

/// The credentials for a bucket. All its requests share them.
#[derive(Clone)]
pub(super) struct Identity(Arc<State>);

struct State {
    clock: Arc<dyn Clock>,
    chain: Chain,
    loaded: Mutex<Option<FoundCredentials>>,
    /// Whether the store has refused the credentials since they were loaded.
    is_refused: AtomicBool,
}

struct FoundCredentials {
    credentials: Credentials,
    at: Instant,
}

impl Identity {
    /// The credentials that `chain` loads. `clock` decides when they end.
    pub(super) fn new(clock: Arc<dyn Clock>, chain: impl Fn() -> CredentialsLoad + Send + Sync + 'static) -> Self {
        let chain: Chain = Box::new(chain);
        Self(Arc::new(State { clock, chain, loaded: Mutex::default(), is_refused: AtomicBool::new(false) }))
    }

    /// Records why the store refused a request. If it refused the credentials, the next request loads them again.
    pub(super) fn record_refusal(&self, cause: &Cause) {
        if matches!(cause, Cause::ExpiredToken | Cause::WrongKeyId | Cause::WrongSecret) {
            self.0.is_refused.store(true, Ordering::Relaxed);
        }
    }

    async fn credentials(&self) -> provider::Result {
        let mut loaded = self.0.loaded.lock().await;
        if let Some(known) = loaded.as_ref().filter(|known| self.counts(known)) {
            return Ok(known.credentials.clone());
        }
        self.0.is_refused.store(false, Ordering::Relaxed);
        let found = timeout(LOAD_TIMEOUT, (self.0.chain)()).await;
        let found = found.unwrap_or_else(|late| Err(CredentialsError::not_loaded(late)))?;
        let credentials = checked(&found)?;
        *loaded = Some(FoundCredentials { credentials: credentials.clone(), at: Instant::now() });
        Ok(credentials)
    }

    fn counts(&self, known: &FoundCredentials) -> bool {
        let is_new = known.at.elapsed() < RELOAD_PAUSE;
        let has_ended = match known.credentials.expiry() {
            Some(end) => Timestamp::try_from(end).is_ok_and(|end| self.0.clock.now() + END_MARGIN >= end),
            None => known.at.elapsed() >= DEFAULT_LIFE,
        };
        is_new || !(has_ended || self.0.is_refused.load(Ordering::Relaxed))
    }
}

impl ProvideCredentials for Identity {
    fn provide_credentials<'a>(&'a self) -> future::ProvideCredentials<'a>
    where
        Self: 'a,
    {
        future::ProvideCredentials::new(self.credentials())
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Identity").finish_non_exhaustive()
    }
}

/// A setting whose value has a space, a line feed or the like in it. The SDK would panic on it, or send what no server takes.
#[derive(Debug)]
pub(super) struct BrokenSetting(pub(super) &'static str);

impl fmt::Display for BrokenSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} has a space, a line feed or another such character in it", self.0)
    }
}

impl std::error::Error for BrokenSetting {}

/// `text` without white space at its ends.
///
/// # Errors
/// [`BrokenSetting`] for a text with such a character inside.
pub(super) fn trimmed<'text>(text: &'text str, setting: &'static str) -> Result<&'text str, BrokenSetting> {
    let text = text.trim();
    if text.chars().any(|c| c.is_whitespace() || c.is_control()) { Err(BrokenSetting(setting)) } else { Ok(text) }
}

/// The credentials without white space at the ends of their texts.
fn checked(found: &Credentials) -> provider::Result {
    let text = |text, setting| trimmed(text, setting).map_err(CredentialsError::invalid_configuration);
    let id = text(found.access_key_id(), "AWS_ACCESS_KEY_ID")?;
    let secret = text(found.secret_access_key(), "AWS_SECRET_ACCESS_KEY")?;
    let token = found.session_token().map(|token| text(token, "AWS_SESSION_TOKEN")).transpose()?;
    let token = token.filter(|token| !token.is_empty()).map(str::to_owned);
    Ok(Credentials::new(id, secret, token, found.expiry(), "skillmount"))
}

#[cfg(test)]
mod tests {
    use std::{sync::atomic::AtomicUsize, time::SystemTime};

    use skillmount_base::clock::SystemClock;

    use super::*;

    fn counting(secret: &'static str, expiry: Option<SystemTime>) -> (Identity, Arc<AtomicUsize>) {
        let loads = Arc::new(AtomicUsize::new(0));
        let count = loads.clone();
        let identity = Identity::new(Arc::new(SystemClock::new()), move || {
            let number = count.fetch_add(1, Ordering::SeqCst);
            Box::pin(async move {
                tokio::time::sleep(Duration::from_millis(100)).await;
                Ok(Credentials::new(format!(" id{number}\n"), secret, Some(String::new()), expiry, "tests"))
            })
        });
        (identity, loads)
    }

    async fn id(identity: &Identity) -> String {
        identity.provide_credentials().await.unwrap().access_key_id().to_owned()
    }

    // S-STORE-19: If the store refuses the credentials, the service loads them again, for all calls at once and at most once in
    // 5 seconds.
    #[tokio::test(start_paused = true)]
    async fn refused_credentials_are_loaded_again_once_for_all() {
        let (identity, loads) = counting("s", None);
        assert_eq!(id(&identity).await, "id0", "white space at the ends is dropped");
        tokio::time::advance(RELOAD_PAUSE).await;
        assert_eq!(id(&identity).await, "id0");
        identity.record_refusal(&Cause::Throttled);
        assert_eq!(id(&identity).await, "id0", "that was no refusal of credentials");
        identity.record_refusal(&Cause::ExpiredToken);
        let all = futures_util::future::join_all((0..8).map(|_| id(&identity))).await;
        assert!(all.iter().all(|id| id == "id1"), "{all:?}");
        identity.record_refusal(&Cause::WrongKeyId);
        assert_eq!(id(&identity).await, "id1", "a moment ago they were new");
        tokio::time::advance(RELOAD_PAUSE).await;
        assert_eq!(id(&identity).await, "id2");
        tokio::time::advance(DEFAULT_LIFE).await;
        assert_eq!((id(&identity).await, loads.load(Ordering::SeqCst)), ("id3".to_owned(), 4));
    }

    #[tokio::test(start_paused = true)]
    async fn credentials_are_loaded_again_before_they_end() {
        let (identity, _) = counting("s", Some(SystemTime::from(SystemClock::new().now() + Duration::from_secs(5))));
        assert_eq!(id(&identity).await, "id0");
        tokio::time::advance(RELOAD_PAUSE).await;
        assert_eq!(id(&identity).await, "id1");
    }

    #[tokio::test(start_paused = true)]
    async fn a_secret_with_a_line_feed_inside_is_named_and_not_sent() {
        let (identity, _) = counting("se\ncret", None);
        let error = identity.provide_credentials().await.unwrap_err();
        let why = std::error::Error::source(&error).unwrap().to_string();
        assert!(why.starts_with("AWS_SECRET_ACCESS_KEY has"), "{why}");
        assert!(!format!("{error:?}").contains("cret\""), "no message has the secret");
    }

    #[test]
    fn white_space_at_the_ends_is_dropped_and_inside_it_is_a_fault() {
        assert_eq!(trimmed(" eu-west-1\r\n", "AWS_REGION").unwrap(), "eu-west-1");
        for broken in ["eu west", "eu\nwest", "eu\u{7}west", "eu\u{a0}west"] {
            assert_eq!(trimmed(broken, "AWS_REGION").unwrap_err().0, "AWS_REGION", "{broken:?}");
        }
    }
}
