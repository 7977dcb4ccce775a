//! The most memory that a short command takes.

use std::{
    fs,
    io::{Read as _, Write as _, pipe},
    process::Command,
    time::Duration,
};

use rustix::io::ioctl_fionbio;
use tokio::time::sleep;

/// How long a command must have done nothing, and how often that is looked at.
const STILL: u32 = 10;
const LOOK: Duration = Duration::from_millis(100);

/// The most memory that `command` took until it wrote its first line, in MiB.
///
/// Its output is a pipe that is full. So it waits with the line, and the system can be asked.
pub(crate) async fn peak_memory(mut command: Command) -> f64 {
    let (mut reader, mut writer) = pipe().unwrap();
    ioctl_fionbio(&writer, true).unwrap();
    while writer.write(&[b' '; 4096]).is_ok() {}
    ioctl_fionbio(&writer, false).unwrap();
    let mut child = command.stdout(writer).spawn().unwrap();
    drop(command);
    let (mut seen, mut looks) = (None, 0);
    while looks < STILL {
        sleep(LOOK).await;
        let now = Some(figures(child.id()));
        looks = if now == seen { looks + 1 } else { 0 };
        seen = now;
    }
    let mut output = String::new();
    reader.read_to_string(&mut output).unwrap();
    assert!(child.wait().unwrap().success(), "{}", output.trim());
    assert!(!output.trim().is_empty(), "it ended before it was looked at");
    f64::from(seen.unwrap().0) / 1024.0
}

/// The peak of a process in KiB, and all that changes while it works.
fn figures(process: u32) -> (u32, String) {
    let read = |name: &str| fs::read_to_string(format!("/proc/{process}/{name}")).unwrap();
    let status = read("status");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a command that waits");
    (peak.trim().trim_end_matches(" kB").parse().unwrap(), read("stat"))
}
