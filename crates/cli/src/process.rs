//! The process that a command runs in: its environment, folders, streams and clock, as one value.
//!
//! This is the only file of the command line that asks the operating system for them. So a test runs a command without a
//! process of its own, and two commands can run at the same time in different folders.

use std::{
    collections::BTreeMap,
    env,
    ffi::{OsStr, OsString},
    fmt,
    io::{self, BufReader, IsTerminal as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use anstream::{AutoStream, ColorChoice};
use terminal_size::{Width, terminal_size_of};

use crate::{
    clock::{Clock, SystemClock},
    local_path::LocalPath,
    screen::Terminal,
    streams::{Input, Stream},
};

/// The process around a command, as far as the command uses it.
pub struct Process {
    /// The variables of its environment.
    pub variables: BTreeMap<OsString, OsString>,
    /// The folder that relative paths begin at. If it is empty, the current folder of the process is used.
    pub current_dir: PathBuf,
    /// The folders of the account.
    pub folders: Folders,
    /// The path of this program, if it is known: hosts start it.
    pub program: Option<PathBuf>,
    /// Standard input.
    pub stdin: Input,
    /// Standard output, for results.
    pub stdout: Stream,
    /// Standard error, for remarks, errors and logs.
    pub stderr: Stream,
    /// The columns of help; `None` if they are those of the terminal.
    pub help_columns: Option<usize>,
    /// Its clock.
    pub clock: Arc<dyn Clock>,
    /// Whether the command is all that the process does. Only such a command hears signals and completes lines for a shell.
    /// All threads of the process then write to its log.
    pub is_whole: bool,
}

/// The folders of an account, each unknown if the operating system names none.
#[derive(Clone, Debug, Default)]
pub struct Folders {
    /// The home folder of the person.
    pub home: Option<PathBuf>,
    /// Data of programs.
    pub data: Option<PathBuf>,
    /// Settings of programs.
    pub config: Option<PathBuf>,
    /// Files that may go at any time.
    pub temporary: PathBuf,
}

impl Process {
    /// This process, as the operating system has it.
    #[must_use]
    pub fn current() -> Self {
        let (stdout, stderr, stdin) = (io::stdout(), io::stderr(), io::stdin());
        let of_stdout = screen(stdout.is_terminal(), terminal_size_of(&stdout).map(|(width, _)| width));
        let of_stderr = screen(stderr.is_terminal(), terminal_size_of(&stderr).map(|(width, _)| width));
        let has_colour = of_stderr.is_terminal && AutoStream::choice(&stderr) != ColorChoice::Never;
        Self {
            variables: env::vars_os().collect(),
            current_dir: PathBuf::new(),
            folders: Folders {
                home: dirs::home_dir(),
                data: dirs::data_dir(),
                config: dirs::config_dir(),
                temporary: env::temp_dir(),
            },
            program: env::current_exe().ok(),
            stdin: Input::new(BufReader::new(stdin), io::stdin().is_terminal()),
            stdout: Stream::from_parts(AutoStream::auto(io::stdout()), stdout, of_stdout, false),
            stderr: Stream::from_parts(AutoStream::auto(io::stderr()), stderr, of_stderr, has_colour),
            help_columns: None,
            clock: Arc::new(SystemClock::new()),
            is_whole: true,
        }
    }

    /// The variable `name`, if it is set and is text.
    pub(super) fn variable(&self, name: &str) -> Option<String> {
        self.variables.get(OsStr::new(name))?.clone().into_string().ok()
    }

    /// The path that the variable `name` has, if it is set and not empty.
    pub(super) fn path_variable(&self, name: &str) -> Option<PathBuf> {
        self.variables.get(OsStr::new(name)).filter(|path| !path.is_empty()).map(PathBuf::from)
    }

    /// The place of a path that a caller typed.
    pub(super) fn local(&self, typed: impl Into<PathBuf>) -> LocalPath {
        LocalPath::new(&self.current_dir, typed.into())
    }

    /// The whole path of the folder that relative paths begin at, if it is known.
    pub(super) fn whole_current_dir(&self) -> Option<PathBuf> {
        if self.current_dir == Path::new("") { env::current_dir().ok() } else { Some(self.current_dir.clone()) }
    }
}

fn screen(is_terminal: bool, width: Option<Width>) -> Terminal {
    Terminal { is_terminal, width: width.map(|width| usize::from(width.0)).filter(|width| *width > 0) }
}

impl fmt::Debug for Process {
    /// Without the variables, for secrets are among them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Process").field("current_dir", &self.current_dir).finish_non_exhaustive()
    }
}
