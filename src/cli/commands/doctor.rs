//! `skillmount doctor`

use std::{error::Error as StdError, fmt, time::Duration};

use bytes::Bytes;
use clap::Args;
use futures_util::{StreamExt as _, stream};
use jiff::SignedDuration;
use serde::Serialize;

use super::super::{app::App, output::Output, settings::Setting};
use crate::{
    error::{Code, Error, Result},
    limits::{LIST_OBJECTS, PARALLEL_GETS},
    path::{Namespace, ObjectKey},
    skill::shown::one_line,
    store::{
        Cause, Conditions, DeleteOptions, GetOptions, ListOptions, PutOptions, SharedStore, StoreAddress, StoreError,
        StoreExt as _, probe_conditions,
    },
};

/// How often each verb is timed; the middle one is reported.
const ROUNDS: usize = 5;
/// A slower middle request makes every operation feel slow.
const SLOW: Duration = Duration::from_millis(300);
/// S3 refuses requests that are 15 minutes off; a third of that is time to look.
const SKEW_WARNING: SignedDuration = SignedDuration::from_mins(5);

/// The member of the problem document that says that the advice is given already.
pub(in super::super) const CHECKS_FAILED: &str = "checks_failed";
/// Skills that cannot be read and are named one by one.
const SKILLS_NAMED: usize = 5;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  skillmount doctor
  skillmount --store s3://bucket/prefix --profile work doctor
  skillmount --server http://127.0.0.1:8787 doctor
  skillmount doctor --json

Reads, and writes and deletes one small object below .skillmount/ of the store.
The exit status is 7 if a check fails.")]
pub(in super::super) struct Doctor {}

/// How a check went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Status {
    Ok,
    Warn,
    Fail,
}

/// One line of the report.
#[derive(Debug, Serialize)]
struct Check {
    name: &'static str,
    status: Status,
    detail: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<String>,
}

impl Doctor {
    pub(in super::super) async fn run(self, app: &App) -> Result<()> {
        let checks = match app.settings.server()? {
            Some(server) => vec![server_check(app, server).await],
            None => store_checks(app).await,
        };
        app.out.reply(&checks, print)?;
        if checks.iter().any(|check| check.status == Status::Fail) {
            let failed = checks.iter().filter(|check| check.status == Status::Fail).count();
            return Err(Error::new(Code::StoreUnavailable, "a check failed; the report says how to mend it")
                .with_detail(CHECKS_FAILED, failed));
        }
        Ok(())
    }
}

async fn server_check(app: &App, server: &str) -> Check {
    let asked = async { app.control().await?.session().await };
    match asked.await {
        Ok(_) => ok("server", format!("{server} answers")),
        Err(error) => fail("server", &error, "start it with `skillmount serve`, or correct --server and --api-key"),
    }
}

async fn store_checks(app: &App) -> Vec<Check> {
    let named = app.settings.get(Setting::Store).unwrap_or("no store").to_owned();
    let (store, namespace) = match app.store().await {
        Ok(found) => found,
        Err(error) => {
            return vec![fail("configuration", &error, "`skillmount config show` tells where each value comes from")];
        }
    };
    let mut checks = vec![ok("configuration", named)];
    let reached = reach(app, &store, &namespace).await;
    let goes_on = reached.iter().all(|check| check.status != Status::Fail);
    checks.extend(reached);
    if goes_on {
        let conditions = conditions(app, &store, &namespace).await;
        let can_write = conditions.status != Status::Fail;
        checks.push(conditions);
        if can_write {
            checks.extend(timings(app, &store, &namespace).await);
        }
        checks.extend(skills(app, &store, &namespace).await);
    }
    checks
}

/// Whether there is an answer at all, and whose fault it is if not: credentials, endpoint or bucket.
async fn reach(app: &App, store: &SharedStore, namespace: &Namespace) -> Vec<Check> {
    let options = ListOptions { max_entries: Some(1), ..ListOptions::default() };
    let is_s3 = matches!(app.store_address(), Ok(StoreAddress::S3 { .. }));
    match store.list(namespace.prefix(), options).await {
        Ok(_) if is_s3 => vec![ok("credentials", "accepted"), ok("bucket", "reachable and can be listed")],
        Ok(_) => vec![ok("store", "reachable and can be listed")],
        Err(error) if is_s3 => {
            let name = error.cause().map_or("endpoint", part_of_s3);
            let fix = "check --endpoint-url, --region and the network; try --path-style with servers that are not AWS";
            vec![fail(name, &error.into(), fix)]
        }
        Err(error) => vec![fail("store", &error.into(), "look at the folder and its disk: ls -la, df, mount")],
    }
}

/// Which part of the way to a bucket fails.
fn part_of_s3(cause: &Cause) -> &'static str {
    match cause {
        Cause::NoBucket { .. } | Cause::WrongRegion { .. } => "bucket",
        Cause::ExpiredToken
        | Cause::NoCredentials
        | Cause::CredentialsNotLoaded
        | Cause::WrongKeyId
        | Cause::WrongSecret => "credentials",
        Cause::AccessDenied { .. } => "permissions",
        Cause::ClockSkew { .. } => "clock",
        _ => "endpoint",
    }
}

/// Whether the user's skills can be read, each by its first byte.
async fn skills(app: &App, store: &SharedStore, namespace: &Namespace) -> Vec<Check> {
    const FIX: &str = "look at what the store says of that object";
    let read = async {
        let user = app.user()?;
        let prefix = namespace.user(&user)?.skills()?;
        let (entries, _) = store.list_all(&prefix, LIST_OBJECTS).await?;
        let keys: Vec<_> = entries.iter().filter(|entry| entry.key.ends_with("/SKILL.md")).collect();
        let look = async |key: ObjectKey| {
            let error = store.get(&key, GetOptions::range(0..1)).await.err()?;
            // One that vanished since it was listed is no trouble.
            (!matches!(error, StoreError::NotFound)).then_some((key, Error::from(error)))
        };
        let keys = keys.iter().filter_map(|entry| prefix.admit(&entry.key));
        let found: Vec<_> = stream::iter(keys).map(look).buffered(PARALLEL_GETS).collect().await;
        let count = found.len();
        Ok((user, count, found.into_iter().flatten().collect::<Vec<_>>()))
    };
    let (user, count, unreadable) = match read.await {
        Ok(read) => read,
        Err(error) => return vec![fail("skills", &error, FIX)],
    };
    let mut checks: Vec<_> = unreadable
        .iter()
        .take(SKILLS_NAMED)
        .map(|(key, error)| {
            let check = fail("skills", error, FIX);
            let detail = one_line(&format!("{key} cannot be read: {}", check.detail));
            Check { status: Status::Warn, detail: detail.plain().to_owned(), ..check }
        })
        .collect();
    match unreadable.len() {
        0 => checks.push(ok("skills", format!("{count} of user {user} can be read"))),
        all if all > SKILLS_NAMED => checks.push(Check {
            name: "skills",
            status: Status::Warn,
            detail: format!("{} more cannot be read", all - SKILLS_NAMED),
            fix: None,
        }),
        _ => {}
    }
    checks
}

async fn conditions(app: &App, store: &SharedStore, namespace: &Namespace) -> Check {
    const FIX: &str =
        "use a store that honours them: AWS S3 does, many S3-compatible servers do in their newest versions";
    match probe_conditions(&**store, namespace, &*app.clock).await {
        Ok(Conditions::Honoured) => ok("conditional writes", "honoured"),
        Ok(Conditions::Ignored { which }) => Check {
            name: "conditional writes",
            status: Status::Fail,
            detail: format!("{which} is not honoured; the service would only read"),
            fix: Some(FIX.to_owned()),
        },
        Err(error) => fail("conditional writes", &error.into(), "try to write there with another tool"),
    }
}

/// Clock and latency, measured with one small object that is written, read, listed and deleted.
async fn timings(app: &App, store: &SharedStore, namespace: &Namespace) -> Vec<Check> {
    let name = format!("doctor-{:032x}", app.clock.random());
    let timed = async {
        let key = namespace.service_key(&name)?;
        let measured = measure(app, store, namespace, &key).await;
        store.delete(&key, DeleteOptions::default()).await?;
        measured
    };
    timed
        .await
        .unwrap_or_else(|error| vec![fail("latency", &error, "run doctor again; if it stays, check the network")])
}

async fn measure(app: &App, store: &SharedStore, namespace: &Namespace, key: &ObjectKey) -> Result<Vec<Check>> {
    let (mut puts, mut gets, mut lists) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let began = app.clock.uptime();
        store.put(key, Bytes::from_static(b"doctor"), PutOptions::default()).await?;
        let put = app.clock.uptime();
        store.get(key, GetOptions::default()).await?;
        let got = app.clock.uptime();
        store.list(namespace.prefix(), ListOptions { max_entries: Some(1), ..ListOptions::default() }).await?;
        puts.push(put.saturating_sub(began));
        gets.push(got.saturating_sub(put));
        lists.push(app.clock.uptime().saturating_sub(got));
    }
    let skew = app.clock.now().duration_since(store.head(key).await?.modified_at);
    Ok(vec![clock_check(skew), latency("put", puts), latency("get", gets), latency("list", lists)])
}

/// `skew` is this machine's time after the store's; a little of it is the time the measurement took.
fn clock_check(skew: SignedDuration) -> Check {
    let detail = format!("{:.1} s apart from the store's", skew.as_secs_f64());
    let good = skew.abs() < SKEW_WARNING;
    Check {
        name: "clock",
        status: if good { Status::Ok } else { Status::Warn },
        detail,
        fix: (!good).then(|| {
            "set this machine's clock, with NTP for example: S3 refuses requests that are 15 minutes off".to_owned()
        }),
    }
}

fn latency(verb: &'static str, mut times: Vec<Duration>) -> Check {
    times.sort();
    let middle = times.get(times.len() / 2).copied().unwrap_or_default();
    let slow = middle > SLOW;
    Check {
        name: verb,
        status: if slow { Status::Warn } else { Status::Ok },
        detail: format!("{:.1} ms (middle of {})", middle.as_secs_f64() * 1000.0, times.len()),
        fix: slow.then(|| "run in the region of the bucket".to_owned()),
    }
}

fn ok(name: &'static str, detail: impl Into<String>) -> Check {
    Check { name, status: Status::Ok, detail: detail.into(), fix: None }
}

/// A check that failed: with the cause and its cure where the store knows them, and else with `fix`.
fn fail(name: &'static str, error: &Error, fix: &str) -> Check {
    let trouble = error.source().and_then(|source| source.downcast_ref::<StoreError>());
    let Some((cause, words)) = trouble.and_then(|trouble| Some((trouble.cause()?, trouble.source()))) else {
        return Check {
            name,
            status: Status::Fail,
            detail: one_line(&error.chain()).plain().to_owned(),
            fix: Some(fix.to_owned()),
        };
    };
    let words = words.map(|words| format!(" ({})", said(words))).unwrap_or_default();
    let fix = cause.cure().unwrap_or_else(|| fix.to_owned());
    let detail = one_line(&format!("{cause}{words}"));
    Check { name, status: Status::Fail, detail: detail.plain().to_owned(), fix: Some(fix) }
}

/// The words of an error and of those that caused it, each said once.
fn said(error: &(dyn StdError + 'static)) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let words = cause.to_string();
        if !text.contains(&words) {
            text.push_str(": ");
            text.push_str(&words);
        }
        next = cause.source();
    }
    text
}

fn print(out: &Output, checks: &Vec<Check>) -> Result<()> {
    for check in checks {
        out.line(check)?;
        if let Some(fix) = &check.fix {
            out.line(format_args!("      to mend it: {fix}"))?;
        }
    }
    Ok(())
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let status = match self.status {
            Status::Ok => "ok",
            Status::Warn => "warn",
            Status::Fail => "fail",
        };
        write!(f, "{status:<5} {:<20} {}", self.name, self.detail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_off_and_a_slow_store_are_warned_about_with_a_fix() {
        assert_eq!(clock_check(SignedDuration::from_secs(-2)).status, Status::Ok);
        let off = clock_check(SignedDuration::from_mins(-6));
        assert_eq!((off.status, off.fix.is_some()), (Status::Warn, true));
        let times = |millis: u64| vec![Duration::from_millis(1), Duration::from_millis(millis), Duration::from_secs(9)];
        assert_eq!(latency("get", times(300)).status, Status::Ok);
        assert_eq!(latency("get", times(301)).status, Status::Warn);
    }
}
