//! `skillmount doctor`

mod skills;

use std::{fmt, time::Duration};

use bytes::Bytes;
use clap::Args;
use jiff::SignedDuration;
use serde::Serialize;

use super::super::{
    app::{App, StoreAddress},
    output::{Output, plain},
    settings::Setting,
};
use crate::{
    error::{Code, Error, Result},
    path::{Namespace, ObjectKey},
    store::{
        Conditions, DeleteOptions, GetOptions, ListOptions, PutOptions, SharedStore, StoreError, probe_conditions,
    },
};

/// How often each verb is timed; the middle one is told.
const ROUNDS: usize = 5;
/// A slower middle request makes every operation feel slow.
const SLOW: Duration = Duration::from_millis(300);
/// S3 refuses requests that are 15 minutes off; a third of that is time to look.
const SKEW_WARNING: SignedDuration = SignedDuration::from_mins(5);

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
            return Err(Error::new(Code::StoreUnavailable, "a check failed; the report says how to mend it"));
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
        checks.push(conditions(app, &store, &namespace).await);
        checks.extend(timings(app, &store, &namespace).await);
        checks.push(skills::check(app, &store, &namespace).await);
    }
    checks
}

/// Whether there is an answer at all, and whose fault it is if not: credentials, endpoint or bucket.
async fn reach(app: &App, store: &SharedStore, namespace: &Namespace) -> Vec<Check> {
    let options = ListOptions { max_entries: Some(1), ..ListOptions::default() };
    let is_s3 = matches!(app.store_address(), Ok(StoreAddress::S3 { .. }));
    match store.list(namespace.prefix(), options).await {
        Ok(_) if is_s3 => vec![ok("credentials", "accepted"), ok("bucket", "reachable and can be listed")],
        Ok(_) => vec![ok("folder", "reachable and can be listed")],
        Err(error @ StoreError::Denied(_)) => vec![fail(
            "credentials",
            &error.into(),
            "check AWS_ACCESS_KEY_ID, --profile or the role; the policy needs s3:ListBucket, GetObject, PutObject and DeleteObject",
        )],
        Err(error @ StoreError::NotFound) => {
            vec![fail("bucket", &error.into(), "create the bucket, or correct its name in --store")]
        }
        Err(error) => vec![fail(
            "endpoint",
            &error.into(),
            "check --endpoint-url, --region and the network; try --path-style with servers that are not AWS",
        )],
    }
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
        Err(error) => {
            fail("conditional writes", &error.into(), "allow s3:PutObject and s3:DeleteObject below the prefix")
        }
    }
}

/// Clock and latency, told by one small object that is written, read, listed and deleted.
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

fn fail(name: &'static str, error: &Error, fix: &str) -> Check {
    Check { name, status: Status::Fail, detail: plain(&error.chain()), fix: Some(fix.to_owned()) }
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
