//! The command line, as a person and a script meet it, on a store in a folder of its own. Most commands run in this process,
//! as the binary runs them in its own. Signals, terminals, pipes and kills are met by the real binary.

#[cfg(unix)]
mod add;
mod approvals;
mod audit;
pub(crate) mod command_line;
mod complete;
mod connect;
#[cfg(feature = "s3")]
mod doctor;
#[cfg(target_os = "linux")]
mod empty_store;
#[cfg(all(unix, feature = "encoder"))]
mod encoder;
mod files;
mod folders;
#[cfg(target_os = "linux")]
mod grep_memory;
mod help;
#[cfg(unix)]
mod home;
mod hook;
mod hook_events;
#[cfg(target_os = "linux")]
mod idle_streams;
#[cfg(unix)]
mod interrupted;
mod keys;
#[cfg(target_os = "linux")]
mod large_skills;
mod lint;
#[cfg(unix)]
mod logs;
#[cfg(target_os = "linux")]
mod mistakes;
#[cfg(target_os = "linux")]
mod names;
#[cfg(target_os = "linux")]
mod one_of_many;
#[cfg(target_os = "linux")]
mod peak_memory;
#[cfg(unix)]
mod plugin;
mod prepared;
mod process;
mod push;
mod search_test;
pub(crate) mod server;
#[cfg(feature = "s3")]
mod session_tags;
mod settings;
mod skills;
#[cfg(unix)]
mod stopping;
#[cfg(target_os = "linux")]
mod stumbles;
#[cfg(target_os = "linux")]
mod terminal;
mod transcripts;
#[cfg(feature = "s3")]
mod troubled_bucket;
#[cfg(target_os = "linux")]
mod troubled_disk;
mod user;
mod verbose;
#[cfg(unix)]
mod watched;

use std::{fs, path::Path, process::Output};

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

use self::command_line::CommandLine;
use crate::support::folder_saboteur::FolderSaboteur;

/// A home of its own for every test: no setting, store or file of the machine that runs it is seen.
pub(crate) struct Home {
    // Stops before its folder goes away.
    saboteur: Option<FolderSaboteur>,
    folder: TempDir,
    /// Whether each command is a process.
    is_apart: bool,
}

impl Home {
    pub(crate) fn new() -> Self {
        Self::of(TempDir::new().unwrap())
    }

    fn of(folder: TempDir) -> Self {
        let saboteur = FolderSaboteur::where_asked_for(folder.path().join("data/skillmount"));
        Self { saboteur, folder, is_apart: false }
    }

    /// The same, each command of which is a process: a native library stays as long as its process lives.
    #[cfg(all(unix, feature = "encoder"))]
    pub(crate) fn apart(self) -> Self {
        Self { is_apart: true, ..self }
    }

    /// From now on nobody but the test touches the indexes, whatever else is asked for: for tests of the index itself.
    pub(crate) fn leave_indexes_alone(&mut self) {
        drop(self.saboteur.take());
    }

    /// With two skills pushed: `escrituras/compraventa` (two files) and `notas`.
    pub(crate) fn with_skills() -> Self {
        let folder = TempDir::new().unwrap();
        prepared::copy_to(folder.path());
        Self::of(folder)
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Makes a file below the home.
    pub(crate) fn file(&self, relative: &str, content: &str) {
        let path = self.path().join(relative);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn read(&self, relative: &str) -> String {
        fs::read_to_string(self.path().join(relative)).unwrap()
    }

    /// The command, in this home, with nothing of the machine's environment.
    pub(crate) fn typed(&self, arguments: &[&str]) -> CommandLine {
        CommandLine::new(self.path(), arguments)
    }

    /// The same as a process of its own.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        Command::from_std(self.program(arguments))
    }

    /// The same, to be spawned.
    pub(crate) fn program(&self, arguments: &[&str]) -> std::process::Command {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_skillmount"));
        command.env_clear().current_dir(self.path()).args(arguments);
        command.env("HOME", self.path()).env("XDG_DATA_HOME", self.path().join("data"));
        command.env("XDG_CONFIG_HOME", self.path().join("config"));
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        if self.is_apart { self.command(arguments).output().unwrap() } else { self.typed(arguments).run() }
    }

    /// What a command that succeeds prints.
    pub(crate) fn ok(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// The document that a command prints with `--json`.
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.ok(&[arguments, &["--json"]].concat())).unwrap()
    }

    /// The exit status and problem code of a command that fails, `--json` given, after it listed what became of each skill.
    pub(crate) fn refused_with_list(&self, arguments: &[&str]) -> (i32, String) {
        let output = self.run(&[arguments, &["--json"]].concat());
        let list: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(list["skills"].is_array(), "{list}");
        let problem: Value = serde_json::from_slice(&output.stderr).unwrap();
        (output.status.code().unwrap(), problem["code"].as_str().unwrap().to_owned())
    }

    /// The exit status and problem code of a command that fails, `--json` given; nothing may be on stdout.
    pub(crate) fn refused(&self, arguments: &[&str]) -> (i32, String) {
        let output = self.run(&[arguments, &["--json"]].concat());
        assert!(!output.status.success(), "{arguments:?}");
        let problem: Value = serde_json::from_slice(&output.stderr)
            .unwrap_or_else(|error| panic!("{arguments:?}: {error}: {}", String::from_utf8_lossy(&output.stderr)));
        assert_eq!(String::from_utf8_lossy(&output.stdout), "", "{arguments:?}");
        (output.status.code().unwrap(), problem["code"].as_str().unwrap().to_owned())
    }
}

/// The binary on the directory store in `folder`, with nothing of the machine's settings or environment.
pub(crate) fn on_store(folder: &Path) -> std::process::Command {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_skillmount"));
    command.env_clear().current_dir(folder).arg("--store").arg(format!("file:{}", folder.display()));
    command.env("XDG_DATA_HOME", folder.join("data")).env("XDG_CONFIG_HOME", folder.join("config"));
    command
}

/// A SKILL.md that lint finds nothing wrong with.
pub(crate) fn skill(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description} Úsala cuando haga falta.\n---\n\n# {name}\n\nPasos.\n")
}
