//! A process of the service, and how much memory it has.

use std::{
    fs::{self, File},
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::Value;
use tokio::time::Instant;

use crate::support::s3_in_process::BUCKET;

/// How long a process that was told to stop may take at most: a bound for the test to end, not a figure to meet.
const PATIENCE: Duration = Duration::from_mins(2);

/// A running `skillmount serve`, ended with the test.
pub(super) struct Replica {
    child: Child,
    log: PathBuf,
    pub(super) url: String,
    /// Resident memory in KiB, with the time of each look.
    samples: Arc<Mutex<Vec<(Instant, u64)>>>,
}

impl Replica {
    /// Starts a replica on the S3 at `endpoint`, with `keys.toml` and a log in `folder`.
    pub(super) fn start(folder: &Path, number: usize, endpoint: &str) -> Self {
        let log = folder.join(format!("replica-{number}.log"));
        let mut command = Command::new(env!("CARGO_BIN_EXE_skillmount"));
        command.env_clear().current_dir(folder).env("HOME", folder).env("SKILLMOUNT_LOG", "warn");
        command.env("AWS_ACCESS_KEY_ID", "key").env("AWS_SECRET_ACCESS_KEY", "secret");
        command.env("AWS_EC2_METADATA_DISABLED", "true");
        command.args(["--store", &format!("s3://{BUCKET}"), "--endpoint-url", endpoint, "--region", "us-east-1"]);
        command.args(["--path-style", "serve", "--listen", "127.0.0.1:0", "--keys", "keys.toml", "--json"]);
        command.stdout(Stdio::piped()).stderr(File::create(&log).unwrap());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let told: Value = serde_json::from_str(&line).unwrap_or_else(|error| {
            panic!("{error}: {line:?}\n{}", fs::read_to_string(&log).unwrap_or_default());
        });
        let url = told["listening"].as_str().unwrap().to_owned();
        Self { child, log, url, samples: Arc::default() }
    }

    /// Looks at the memory of the process each second, until the process ends.
    pub(super) fn watch(&self) {
        let (samples, process) = (self.samples.clone(), self.child.id());
        tokio::spawn(async move {
            while let Some(resident) = resident(process) {
                samples.lock().unwrap().push((Instant::now(), resident));
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
        });
    }

    /// The most memory it had at any look since `from`, in KiB.
    pub(super) fn most_since(&self, from: Instant) -> u64 {
        self.samples.lock().unwrap().iter().filter(|(at, _)| *at >= from).map(|(_, size)| *size).max().unwrap_or(0)
    }

    /// The mean of the looks in the minute that ends at `moment`, in KiB.
    ///
    /// A look may meet requests that are under way, and the attacks come in waves of about ten seconds: single looks at a
    /// steady process lie up to 30 MiB apart.
    pub(super) fn mean_before(&self, moment: Instant) -> u64 {
        let near = |at: Instant| at <= moment && moment - at <= Duration::from_mins(1);
        let samples = self.samples.lock().unwrap();
        let sizes: Vec<u64> = samples.iter().filter(|(at, _)| near(*at)).map(|(_, size)| *size).collect();
        sizes.iter().sum::<u64>() / sizes.len().max(1) as u64
    }

    pub(super) fn is_alive(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Tells the process to stop.
    pub(super) fn tell_to_stop(&self) {
        let status = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status().unwrap();
        assert!(status.success());
    }

    /// The exit status of the process that was told to stop at the moment `asked`; none if it does not end.
    pub(super) async fn ended(&mut self, asked: Instant) -> Option<i32> {
        while asked.elapsed() < PATIENCE {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        None
    }

    /// The lines of its log that speak of a panic.
    pub(super) fn panics(&self) -> Vec<String> {
        let log = fs::read_to_string(&self.log).unwrap();
        log.lines().filter(|line| line.contains("panicked")).map(str::to_owned).collect()
    }
}

impl Drop for Replica {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What the system counts as resident memory of a process, in KiB; none once it has ended.
fn resident(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}
