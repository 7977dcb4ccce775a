//! Tools of others that tests run: installed once below `target/`, pinned with hashes by lists beside the tests.

use std::{
    fs::{self, File},
    hash::{DefaultHasher, Hash as _, Hasher as _},
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

const HOME: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/generators");

/// What a command printed, or why it failed.
pub(super) type Outcome<T = ()> = Result<T, String>;

/// A folder of its own for what the test `name` makes, empty.
pub(super) fn made(name: &str) -> PathBuf {
    let folder = Path::new(HOME).join("made").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// The folder of Python and of the programs that `list` brings; `name` is that of the set.
pub(super) fn python(name: &str, list: &Path) -> Outcome<PathBuf> {
    let folder = installed(name, list, |folder| {
        run(Command::new("python3").args(["-m", "venv"]).arg(folder))?;
        let pip = ["-m", "pip", "install", "--quiet", "--retries", "1", "--require-hashes", "-r"];
        run(Command::new(folder.join("bin/python")).args(pip).arg(list))
    })?;
    Ok(folder.join("bin"))
}

/// The folder that holds what a list of packages names. It is made once for each state of the list.
pub(super) fn installed(name: &str, list: &Path, install: impl FnOnce(&Path) -> Outcome) -> Outcome<PathBuf> {
    fs::create_dir_all(HOME).unwrap();
    // Tests of several processes wait for the first.
    let lock = File::create(Path::new(HOME).join(format!("{name}.lock"))).unwrap();
    lock.lock().unwrap();
    let mut hasher = DefaultHasher::new();
    fs::read(list).unwrap().hash(&mut hasher);
    let folder = Path::new(HOME).join(format!("{name}-{:016x}", hasher.finish()));
    let complete = folder.join("complete");
    if !complete.exists() {
        let _ = fs::remove_dir_all(&folder);
        install(&folder)?;
        fs::write(complete, "").unwrap();
    }
    Ok(folder)
}

/// What a test needs, or a line that nobody overlooks, past the capture of output: `what` was not tried, and `module` is to be
/// run again.
pub(super) fn ready<T>(what: &str, module: &str, tools: Outcome<T>) -> Option<T> {
    tools
        .inspect_err(|why| {
            let help =
                format!("it needs Python 3.10, npm and their registries; then run: cargo test --test it -- {module}");
            let _ = writeln!(std::io::stderr(), "SKIPPED: {what} was not tried: {why}\n  {help}");
        })
        .ok()
}

#[track_caller]
pub(super) fn done(outcome: Outcome) {
    if let Err(why) = outcome {
        panic!("{why}");
    }
}

pub(super) fn run(command: &mut Command) -> Outcome {
    run_for_text(command).map(drop)
}

pub(super) fn run_for_text(command: &mut Command) -> Outcome<String> {
    const SHOWN: usize = 4000;
    let output = command.stdin(Stdio::null()).output().map_err(|error| format!("{command:?}: {error}"))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() {
        return Ok(text(&output.stdout));
    }
    let said: Vec<char> = format!("{}{}", text(&output.stdout), text(&output.stderr)).chars().collect();
    let end: String = said[said.len().saturating_sub(SHOWN)..].iter().collect();
    Err(format!("{command:?} ended with {}:\n{end}", output.status))
}

/// The folder of programs before all others.
pub(super) fn path(programs: &Path) -> String {
    format!("{}:{}", programs.display(), std::env::var("PATH").unwrap_or_default())
}
