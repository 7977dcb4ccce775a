//! The streams of a command: standard input, output and error, or streams in their place.

use std::{
    fmt,
    io::{self, BufRead, Cursor, Write},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use anstream::adapter::strip_bytes;

use crate::screen::Terminal;

/// The input stream of a command.
#[derive(Clone)]
pub struct Input {
    reader: Arc<Mutex<dyn BufRead + Send>>,
    is_terminal: bool,
}

impl Input {
    /// An input of these bytes, which no person types.
    #[must_use]
    pub fn of_bytes(bytes: impl Into<Vec<u8>>) -> Self {
        Self::new(Cursor::new(bytes.into()), false)
    }

    pub(super) fn new(reader: impl BufRead + Send + 'static, is_terminal: bool) -> Self {
        Self { reader: Arc::new(Mutex::new(reader)), is_terminal }
    }

    /// Whether a person types.
    pub(super) fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    /// The rest of it.
    pub(super) fn rest(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.reader().read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// The next line with its end; empty at the end of the input.
    pub(super) fn line(&self) -> io::Result<String> {
        let mut line = String::new();
        self.reader().read_line(&mut line)?;
        Ok(line)
    }

    fn reader(&self) -> MutexGuard<'_, dyn BufRead + Send + 'static> {
        self.reader.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An output stream of a command. Its kind, such as a terminal of some width, is decided once.
#[derive(Clone)]
pub struct Stream {
    plain: Arc<Mutex<dyn Write + Send>>,
    styled: Arc<Mutex<dyn Write + Send>>,
    screen: Terminal,
    has_colour: bool,
}

impl Stream {
    /// A stream to `writer`, which is no terminal: styles are left out.
    #[must_use]
    pub fn to(writer: impl Write + Clone + Send + 'static) -> Self {
        let styled = Mutex::new(StripWriter(writer.clone()));
        Self {
            plain: Arc::new(Mutex::new(writer)),
            styled: Arc::new(styled),
            screen: Terminal { is_terminal: false, width: None },
            has_colour: false,
        }
    }

    /// The stream `plain`. `styled` writes to the same, and leaves out styles if the reader wants none. `has_colour`
    /// says whether logs have colours.
    pub(super) fn from_parts(
        styled: impl Write + Send + 'static,
        plain: impl Write + Send + 'static,
        screen: Terminal,
        has_colour: bool,
    ) -> Self {
        Self { plain: Arc::new(Mutex::new(plain)), styled: Arc::new(Mutex::new(styled)), screen, has_colour }
    }

    /// Whether it is a terminal, and its width.
    pub(super) fn screen(&self) -> Terminal {
        self.screen
    }

    /// Whether a person watches.
    pub(super) fn is_terminal(&self) -> bool {
        self.screen.is_terminal
    }

    /// Whether logs have colours.
    pub(super) fn has_colour(&self) -> bool {
        self.has_colour
    }

    /// Writes all of `bytes` now, as they are.
    pub(super) fn write_plain(&self, bytes: &[u8]) -> io::Result<()> {
        write_now(&self.plain, bytes)
    }

    /// Writes all of `text` now, without its styles if the reader wants none.
    pub(super) fn write_styled(&self, text: &str) -> io::Result<()> {
        write_now(&self.styled, text.as_bytes())
    }
}

fn write_now(writer: &Mutex<dyn Write + Send>, bytes: &[u8]) -> io::Result<()> {
    let mut writer = writer.lock().unwrap_or_else(PoisonError::into_inner);
    writer.write_all(bytes)?;
    writer.flush()
}

/// Logs are written as they are.
impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_plain(bytes).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Leaves styles out.
struct StripWriter<W>(W);

impl<W: Write> Write for StripWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in strip_bytes(bytes) {
            self.0.write_all(part)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Input").field("is_terminal", &self.is_terminal).finish_non_exhaustive()
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream").field("screen", &self.screen).finish_non_exhaustive()
    }
}
