//! The checks of a store: whether it can be reached, written and read, and how to fix it if not.

use std::{collections::BTreeMap, error::Error as StdError, time::Duration};

use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use jiff::SignedDuration;

use super::open::OpenStore;
use crate::{
    error::{Error, Result, with_causes},
    limits::{LIST_OBJECTS, MCP_SKILL_BYTES, MCP_SKILL_FILES, PARALLEL_GETS},
    path::{Id, KeyPrefix, ObjectKey},
    session::session_tags,
    skill::shown::one_line,
    store::{
        Cause, Conditions, DeleteOptions, GetOptions, ListEntry, ListOptions, PutOptions, ReadOnly, StoreAddress,
        StoreError, StoreExt as _,
    },
    wire::{CheckStatus, StoreCheck},
};

/// How often each verb is timed; the middle one is reported.
const ROUNDS: usize = 5;
/// A slower middle request makes every operation feel slow.
const SLOW: Duration = Duration::from_millis(300);
/// S3 refuses requests that are 15 minutes off; a third of that is time to look.
const SKEW_WARNING: SignedDuration = SignedDuration::from_mins(5);
/// The cures for results of the probe of conditional writes.
const TRY_ANOTHER_TOOL: &str = "try to write there with another tool";
const ALLOW_PROBES: &str = "allow these credentials to write and delete below _probe/, and run doctor again";
const USE_ANOTHER_STORE: &str =
    "use a store that honours them: AWS S3 does, many S3-compatible servers do in their newest versions";
const PASSED_BEFORE: &str = "; an earlier probe of this bucket passed";
/// How many unreadable skills are named one by one.
const SKILLS_NAMED: usize = 5;

impl OpenStore {
    /// Whether the store answers at all, and if not, which part of the way to it is at fault: credentials, endpoint,
    /// bucket or folder.
    pub async fn check_reachable(&self) -> Vec<StoreCheck> {
        let options = ListOptions { max_entries: Some(1), ..ListOptions::default() };
        let is_s3 = matches!(self.address, StoreAddress::S3 { .. });
        match self.store.list(self.namespace.prefix(), options).await {
            Ok(_) if is_s3 => vec![
                StoreCheck::passed("credentials", "accepted"),
                StoreCheck::passed("bucket", "reachable and can be listed"),
            ],
            Ok(_) => vec![StoreCheck::passed("store", "reachable and can be listed")],
            Err(error) if is_s3 => {
                let name = error.cause().map_or("endpoint", part_of_s3);
                let fix =
                    "check --endpoint-url, --region and the network; try --path-style with servers that are not AWS";
                vec![failed_check(name, &error.into(), fix)]
            }
            Err(error) => {
                vec![failed_check("store", &error.into(), "look at the folder and its disk: ls -la, df, mount")]
            }
        }
    }

    /// Whether the store honours conditional writes. If it can be written, also the offset of its clock from this
    /// machine's, and how long its verbs take. The check races writes on one small object and deletes it again. A
    /// bucket stores the result.
    pub async fn check_writing(&self) -> Vec<StoreCheck> {
        let mut checks = self.check_conditions().await;
        let can_write = checks.iter().all(|check| check.status != CheckStatus::Fail);
        if can_write {
            checks.extend(self.check_tags().await);
            checks.extend(self.check_timings().await);
        }
        checks
    }

    /// The server and its known quirk, and whether it honours conditional writes: the race is always run.
    async fn check_conditions(&self) -> Vec<StoreCheck> {
        const NAME: &str = "conditional writes";
        let report = match self.probe(false).await {
            Ok(report) => report,
            Err(error) => return vec![failed_check(NAME, &error, TRY_ANOTHER_TOOL)],
        };
        let server = report.server_text().map(|text| StoreCheck::passed("server", one_line(&text).plain()));
        let read_only = report.read_only();
        let result = match (&report.conditions, read_only) {
            (Some(Conditions::Denied(error)), _) => failed_check(NAME, &error.clone().into(), TRY_ANOTHER_TOOL),
            (Some(Conditions::Unknown { why }), _) => StoreCheck {
                name: NAME.to_owned(),
                status: CheckStatus::Warn,
                detail: one_line(&format!("not known: {why}")).plain().to_owned(),
                fix: Some(ALLOW_PROBES.to_owned()),
            },
            (_, Some(ReadOnly { why, has_passed, .. })) => StoreCheck {
                name: NAME.to_owned(),
                status: CheckStatus::Fail,
                detail: format!("the service only reads: {why}{}", if has_passed { PASSED_BEFORE } else { "" }),
                fix: Some(USE_ANOTHER_STORE.to_owned()),
            },
            (_, None) => StoreCheck::passed(NAME, "honoured"),
        };
        server.into_iter().chain([result]).collect()
    }

    /// Whether session objects can be tagged, if the store keeps tags at all.
    async fn check_tags(&self) -> Option<StoreCheck> {
        const NAME: &str = "session tags";
        const FIX: &str = "allow s3:PutObjectTagging on the bucket, then run `skillmount session prune --all`";
        if !self.store.capabilities().tags {
            return None;
        }
        let name = format!("doctor-{:032x}", self.clock.random());
        let tried = async {
            let key = self.namespace.service_key(&name)?;
            self.store.put(&key, Bytes::from_static(b"doctor"), PutOptions::default()).await?;
            let tagged = self.store.tag(&key, session_tags()).await;
            self.store.delete(&key, DeleteOptions::default()).await?;
            tagged.map_err(Error::from)
        };
        let refused = match tried.await {
            Ok(()) => return Some(StoreCheck::passed(NAME, "can be set")),
            Err(error) => failed_check(NAME, &error, FIX),
        };
        let detail = format!("{}; sessions are written untagged, and no rule by tag expires them", refused.detail);
        Some(StoreCheck { status: CheckStatus::Warn, detail, fix: Some(FIX.to_owned()), ..refused })
    }

    async fn check_timings(&self) -> Vec<StoreCheck> {
        let name = format!("doctor-{:032x}", self.clock.random());
        let timed = async {
            let key = self.namespace.service_key(&name)?;
            let measured = self.measure(&key).await;
            self.store.delete(&key, DeleteOptions::default()).await?;
            measured
        };
        let fix = "run doctor again; if it stays, check the network";
        timed.await.unwrap_or_else(|error| vec![failed_check("latency", &error, fix)])
    }

    async fn measure(&self, key: &ObjectKey) -> Result<Vec<StoreCheck>> {
        let (mut puts, mut gets, mut lists) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let began = self.clock.uptime();
            self.store.put(key, Bytes::from_static(b"doctor"), PutOptions::default()).await?;
            let put = self.clock.uptime();
            self.store.get(key, GetOptions::default()).await?;
            let got = self.clock.uptime();
            let least = ListOptions { max_entries: Some(1), ..ListOptions::default() };
            self.store.list(self.namespace.prefix(), least).await?;
            puts.push(put.saturating_sub(began));
            gets.push(got.saturating_sub(put));
            lists.push(self.clock.uptime().saturating_sub(got));
        }
        let skew = self.clock.now().duration_since(self.store.head(key).await?.modified_at);
        Ok(vec![clock_check(skew), latency("put", puts), latency("get", gets), latency("list", lists)])
    }

    /// Whether the user's skills can be read, each by its first byte, and which of them hosts over MCP are not shown.
    pub async fn check_skills(&self, user: &Id) -> Vec<StoreCheck> {
        const NAME: &str = "skills";
        const FIX: &str = "look at what the store says of that object";
        let read = async {
            let prefix = self.namespace.user(user)?.skills()?;
            let (entries, _) = self.store.list_all(&prefix, LIST_OBJECTS).await?;
            Ok::<_, Error>((self.unreadable_skills(&prefix, &entries).await, too_large_for_hosts(&prefix, &entries)))
        };
        let ((count, unreadable), too_large) = match read.await {
            Ok(read) => read,
            Err(error) => return vec![failed_check(NAME, &error, FIX)],
        };
        let mut checks: Vec<_> = unreadable
            .iter()
            .take(SKILLS_NAMED)
            .map(|(key, error)| {
                let check = failed_check(NAME, error, FIX);
                let detail = one_line(&format!("{key} cannot be read: {}", check.detail));
                StoreCheck { status: CheckStatus::Warn, detail: detail.plain().to_owned(), ..check }
            })
            .collect();
        match unreadable.len() {
            0 => checks.push(StoreCheck::passed(NAME, format!("{count} of user {user} can be read"))),
            all if all > SKILLS_NAMED => checks.push(StoreCheck {
                name: NAME.to_owned(),
                status: CheckStatus::Warn,
                detail: format!("{} more cannot be read", all - SKILLS_NAMED),
                fix: None,
            }),
            _ => {}
        }
        checks.extend(too_large);
        checks
    }

    /// How many of the listed objects are a SKILL.md, and each of these that cannot be read with the reason.
    async fn unreadable_skills(&self, prefix: &KeyPrefix, entries: &[ListEntry]) -> (usize, Vec<(ObjectKey, Error)>) {
        let look = async |key: ObjectKey| {
            let error = self.store.get(&key, GetOptions::range(0..1)).await.err()?;
            // A skill that vanished since the listing is no trouble.
            (!matches!(error, StoreError::NotFound)).then_some((key, Error::from(error)))
        };
        let keys = entries.iter().filter(|entry| entry.key.ends_with("/SKILL.md"));
        let looks: Vec<_> = keys.filter_map(|entry| prefix.admit(&entry.key)).map(look).collect();
        let found: Vec<_> = stream::iter(looks).buffered(PARALLEL_GETS).collect().await;
        (found.len(), found.into_iter().flatten().collect())
    }
}

/// A warning of the skills that are too large for hosts over MCP, which fetch them file by file; nothing if there is none.
fn too_large_for_hosts(prefix: &KeyPrefix, entries: &[ListEntry]) -> Option<StoreCheck> {
    let relative = |entry: &ListEntry| prefix.relative(&entry.key).map(str::to_owned);
    let mut skills: BTreeMap<String, (usize, u64)> = BTreeMap::new();
    for path in entries.iter().filter_map(relative) {
        if let Some(folder) = path.strip_suffix("SKILL.md").filter(|folder| folder.ends_with('/')) {
            skills.insert(folder.to_owned(), (0, 0));
        }
    }
    for entry in entries {
        let Some(path) = relative(entry) else { continue };
        let mut above = path.match_indices('/').filter_map(|(at, _)| path.get(..=at).map(str::to_owned));
        // The outermost SKILL.md decides.
        if let Some((files, bytes)) =
            above.find(|folder| skills.contains_key(folder)).and_then(|it| skills.get_mut(&it))
        {
            (*files, *bytes) = (*files + 1, *bytes + entry.size);
        }
    }
    skills.retain(|_, (files, bytes)| *files > MCP_SKILL_FILES || *bytes > MCP_SKILL_BYTES);
    let (first, (files, bytes)) = skills.first_key_value()?;
    let others = match skills.len() - 1 {
        0 => String::new(),
        others => format!(", and so are {others} more"),
    };
    let detail =
        format!("{} is not shown to hosts over MCP: {files} files, {bytes} bytes{others}", first.trim_matches('/'));
    let detail = one_line(&detail).plain().to_owned();
    let fix = format!(
        "split it: {MCP_SKILL_FILES} files and {} MiB are the most; load_skill takes it as it is",
        MCP_SKILL_BYTES >> 20
    );
    Some(StoreCheck { name: "hosts over MCP".to_owned(), status: CheckStatus::Warn, detail, fix: Some(fix) })
}

/// Which part of the way to a bucket fails.
fn part_of_s3(cause: &Cause) -> &'static str {
    match cause {
        Cause::NoBucket { .. } | Cause::WrongRegion { .. } => "bucket",
        Cause::ExpiredToken
        | Cause::NoCredentials
        | Cause::CredentialsNotLoaded
        | Cause::MalformedCredentials { .. }
        | Cause::WrongKeyId
        | Cause::WrongSecret => "credentials",
        Cause::AccessDenied { .. } => "permissions",
        Cause::ClockSkew { .. } => "clock",
        _ => "endpoint",
    }
}

/// `skew` is this machine's time after the store's; a little of it is the time the measurement took.
fn clock_check(skew: SignedDuration) -> StoreCheck {
    let detail = format!("{:.1} s apart from the store's", skew.as_secs_f64());
    let is_good = skew.abs() < SKEW_WARNING;
    let fix = "set this machine's clock, with NTP for example: S3 refuses requests that are 15 minutes off";
    measured("clock", is_good, detail, fix)
}

fn latency(verb: &str, mut times: Vec<Duration>) -> StoreCheck {
    times.sort();
    let middle = times.get(times.len() / 2).copied().unwrap_or_default();
    let detail = format!("{:.1} ms (middle of {})", middle.as_secs_f64() * 1000.0, times.len());
    measured(verb, middle <= SLOW, detail, "run in the region of the bucket")
}

fn measured(name: &str, is_good: bool, detail: String, fix: &str) -> StoreCheck {
    let status = if is_good { CheckStatus::Ok } else { CheckStatus::Warn };
    StoreCheck { name: name.to_owned(), status, detail, fix: (!is_good).then(|| fix.to_owned()) }
}

/// A check of `name` that failed with `error`. It says the cause and its cure if the store knows them, and else `fix`.
#[must_use]
pub fn failed_check(name: &str, error: &Error, fix: &str) -> StoreCheck {
    let trouble = error.source().and_then(|source| source.downcast_ref::<StoreError>());
    let (detail, fix) = match trouble.and_then(|trouble| Some((trouble.cause()?, trouble.source()))) {
        None => (error.chain(), fix.to_owned()),
        Some((cause, words)) => {
            let words = words.map(|words| format!(" ({})", said(words))).unwrap_or_default();
            (format!("{cause}{words}"), cause.cure().unwrap_or_else(|| fix.to_owned()))
        }
    };
    let detail = one_line(&detail).plain().to_owned();
    StoreCheck { name: name.to_owned(), status: CheckStatus::Fail, detail, fix: Some(fix) }
}

/// The words of an error and of its causes, each said once.
fn said(error: &(dyn StdError + 'static)) -> String {
    let mut text = error.to_string();
    for words in with_causes(error).skip(1).map(ToString::to_string) {
        if !text.contains(&words) {
            text.push_str(": ");
            text.push_str(&words);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_off_and_a_slow_store_are_warned_about_with_a_fix() {
        assert_eq!(clock_check(SignedDuration::from_secs(-2)).status, CheckStatus::Ok);
        let off = clock_check(SignedDuration::from_mins(-6));
        assert_eq!((off.status, off.fix.is_some()), (CheckStatus::Warn, true));
        let times = |millis: u64| vec![Duration::from_millis(1), Duration::from_millis(millis), Duration::from_secs(9)];
        assert_eq!(latency("get", times(300)).status, CheckStatus::Ok);
        assert_eq!(latency("get", times(301)).status, CheckStatus::Warn);
    }
}
