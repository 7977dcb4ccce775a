//! A command that runs in this process, as the binary runs it in a process of its own.

use std::{
    ffi::OsString,
    io::{self, Write},
    panic::resume_unwind,
    path::{Path, PathBuf},
    process::{ExitStatus, Output},
    sync::{Arc, Mutex},
    thread,
};

use skillmount::{
    cli::{self, Folders, Input, Process, Stream},
    clock::SystemClock,
};

/// As much as the first thread of a process usually has.
const STACK_BYTES: usize = 8 << 20;
/// The columns of help if there is no terminal.
const HELP_COLUMNS: usize = 100;

/// A command with all that it has of a process: nothing of the machine's environment is seen.
pub(crate) struct CommandLine {
    arguments: Vec<OsString>,
    process: Process,
    stdout: CapturedBytes,
    stderr: CapturedBytes,
}

impl CommandLine {
    /// The command in `folder`, which is the home of its account as well.
    pub(crate) fn new(folder: &Path, arguments: &[&str]) -> Self {
        let (stdout, stderr) = (CapturedBytes::default(), CapturedBytes::default());
        let (data, config) = (folder.join("data"), folder.join("config"));
        let variables: [(&str, &Path); 3] = [("HOME", folder), ("XDG_DATA_HOME", &data), ("XDG_CONFIG_HOME", &config)];
        let process = Process {
            variables: variables.map(|(name, path)| (name.into(), path.into())).into(),
            current_dir: folder.to_owned(),
            folders: Folders {
                home: Some(folder.to_owned()),
                temporary: std::env::temp_dir(),
                data: Some(data.clone()),
                config: Some(config.clone()),
            },
            program: Some(PathBuf::from(env!("CARGO_BIN_EXE_skillmount"))),
            stdin: Input::of_bytes(Vec::<u8>::new()),
            stdout: Stream::to(stdout.clone()),
            stderr: Stream::to(stderr.clone()),
            help_columns: Some(HELP_COLUMNS),
            clock: Arc::new(SystemClock::new()),
            is_whole: false,
        };
        let arguments = ["skillmount"].iter().chain(arguments).map(OsString::from).collect();
        Self { arguments, process, stdout, stderr }
    }

    /// The same with this variable in its environment.
    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.process.variables.insert(name.into(), value.into());
        self
    }

    /// The same with this on standard input.
    pub(crate) fn input(mut self, bytes: &str) -> Self {
        self.process.stdin = Input::of_bytes(bytes);
        self
    }

    /// The same in another folder.
    pub(crate) fn in_folder(mut self, folder: PathBuf) -> Self {
        self.process.current_dir = folder;
        self
    }

    /// Runs it to its end, on a thread of its own: the caller may be on one of a runtime.
    pub(crate) fn run(self) -> Output {
        let Self { arguments, process, stdout, stderr } = self;
        let thread = thread::Builder::new().name("command".to_owned()).stack_size(STACK_BYTES);
        let ended = thread.spawn(move || cli::run(arguments, process)).unwrap().join();
        let status = ended.unwrap_or_else(|panic| resume_unwind(panic));
        Output { status: exit_status(status), stdout: stdout.taken(), stderr: stderr.taken() }
    }
}

#[cfg(unix)]
fn exit_status(status: u8) -> ExitStatus {
    std::os::unix::process::ExitStatusExt::from_raw(i32::from(status) << 8)
}

#[cfg(windows)]
fn exit_status(status: u8) -> ExitStatus {
    std::os::windows::process::ExitStatusExt::from_raw(u32::from(status))
}

/// What was written to a stream.
#[derive(Clone, Debug, Default)]
struct CapturedBytes(Arc<Mutex<Vec<u8>>>);

impl CapturedBytes {
    fn taken(&self) -> Vec<u8> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

impl Write for CapturedBytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
