//! What the first commands cost on a store with nothing in it, each in a process of its own.
//!
//! `SKILLMOUNT_BENCH_PROGRAMS` names programs that are measured beside the one of this build, with a comma between. A build for
//! benchmarks leaves its dependencies slow, so that only a release build is held to the goal.

use std::{
    env,
    path::Path,
    process::{Command, Stdio},
    time::Duration,
};

use tempfile::TempDir;
use tokio::time::Instant;

use crate::{peak_memory::peak_memory, verdict};

const RUNS: u32 = 20;
const GOAL_MS: f64 = 50.0;
const GOAL_MIB: f64 = 35.0;

pub(crate) async fn on_an_empty_store() {
    println!("ls and prompt on an empty store");
    let folder = TempDir::new().unwrap();
    let own = env!("CARGO_BIN_EXE_skillmount");
    let others = env::var("SKILLMOUNT_BENCH_PROGRAMS").unwrap_or_default();
    for program in [own].into_iter().chain(others.split(',').filter(|name| !name.is_empty())) {
        println!("  {program}");
        for name in ["ls", "prompt"] {
            let run = || command(program, &[name], folder.path());
            let best = (0..RUNS).map(|_| time(run())).min().unwrap().as_secs_f64() * 1000.0;
            let mib = peak_memory(run()).await;
            let met = if program == own { "no goal" } else { verdict(best <= GOAL_MS && mib <= GOAL_MIB) };
            let instructions = instructions(program, name, folder.path());
            println!(
                "    {name}: {best:.0} ms, {mib:.0} MiB ({GOAL_MS} and {GOAL_MIB} at most: {met}), {instructions}"
            );
        }
    }
}

/// The command in a home with nothing of the machine's.
fn command(program: &str, arguments: &[&str], home: &Path) -> Command {
    let mut command = Command::new(program);
    let path = env::var_os("PATH").unwrap_or_default();
    command.env_clear().env("PATH", path).current_dir(home).args(arguments);
    command.env("HOME", home).env("XDG_DATA_HOME", home.join("data")).env("XDG_CONFIG_HOME", home.join("config"));
    command
}

fn time(mut command: Command) -> Duration {
    let before = Instant::now();
    let ended = command.stdout(Stdio::null()).status().unwrap();
    let took = before.elapsed();
    assert!(ended.success(), "{command:?}");
    took
}

/// How many instructions the command takes, as callgrind counts them.
fn instructions(program: &str, name: &str, home: &Path) -> String {
    let arguments = ["--tool=callgrind", "--callgrind-out-file=/dev/null", program, name];
    let Ok(output) = command("valgrind", &arguments, home).output() else {
        return "instructions are NOT COUNTED: valgrind is not installed".to_owned();
    };
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    match said.lines().find_map(|line| line.split_once("Collected : ")?.1.trim().parse::<f64>().ok()) {
        Some(count) if output.status.success() => format!("{:.1} million instructions", count / 1e6),
        _ => panic!("{said}"),
    }
}
