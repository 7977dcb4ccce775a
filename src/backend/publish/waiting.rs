//! The bytes of an upload while they wait to be read: in memory if they are few, else in a file.

use std::{
    fs::File,
    io::{self, Read, Seek as _, SeekFrom},
    ops::Range,
    sync::{Arc, Mutex, PoisonError},
};

use bytes::Bytes;

/// Bytes that wait. Cheap to clone; a file is open as long as there is a clone.
#[derive(Clone, Debug)]
pub struct SpooledBody {
    place: Place,
    len: u64,
}

#[derive(Clone, Debug)]
enum Place {
    Memory(Bytes),
    /// Readers share its position, so each sets its own before it reads.
    File(Arc<Mutex<File>>),
}

/// Reads some of the bytes that wait.
#[derive(Debug)]
pub(super) struct WaitingReader<'w> {
    bytes: &'w SpooledBody,
    range: Range<u64>,
}

impl From<Bytes> for SpooledBody {
    fn from(bytes: Bytes) -> Self {
        let len = bytes.len() as u64;
        Self { place: Place::Memory(bytes), len }
    }
}

impl SpooledBody {
    /// The first `len` bytes of `file`, which nobody else changes.
    #[must_use]
    pub fn in_file(file: File, len: u64) -> Self {
        Self { place: Place::File(Arc::new(Mutex::new(file))), len }
    }

    /// The number of bytes.
    #[must_use]
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Reads all of them.
    pub(super) fn reader(&self) -> WaitingReader<'_> {
        WaitingReader { bytes: self, range: 0..self.len }
    }

    /// The bytes in `range`.
    ///
    /// # Errors
    /// The disk's, and where there are fewer bytes.
    pub(super) fn read(&self, range: Range<u64>) -> io::Result<Bytes> {
        let wanted = usize::try_from(range.end.saturating_sub(range.start)).map_err(io::Error::other)?;
        let mut bytes = vec![0; wanted];
        WaitingReader { bytes: self, range }.read_exact(&mut bytes)?;
        Ok(bytes.into())
    }
}

impl Read for WaitingReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.range.end.min(self.bytes.len).saturating_sub(self.range.start);
        let most = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
        let Some(buffer) = buffer.get_mut(..most) else { return Ok(0) };
        let read = match &self.bytes.place {
            Place::Memory(bytes) => {
                let at = usize::try_from(self.range.start).map_err(io::Error::other)?;
                bytes.get(at..).unwrap_or_default().read(buffer)?
            }
            Place::File(file) => {
                let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
                file.seek(SeekFrom::Start(self.range.start))?;
                file.read(buffer)?
            }
        };
        self.range.start += read as u64;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn bytes_are_the_same_in_memory_and_in_a_file_and_none_is_read_beyond_them() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"0123456789 and more").unwrap();
        for waiting in [Bytes::from_static(b"0123456789").into(), SpooledBody::in_file(file, 10)] {
            let (mut all, mut again) = (String::new(), String::new());
            let mut reader = waiting.reader();
            assert_eq!(waiting.read(2..5).unwrap(), "234", "two readers do not disturb each other");
            reader.read_to_string(&mut all).unwrap();
            waiting.clone().reader().read_to_string(&mut again).unwrap();
            assert_eq!((all.as_str(), again.as_str(), waiting.len()), ("0123456789", "0123456789", 10));
            assert_eq!(waiting.read(4..4).unwrap(), "");
            assert!(waiting.read(5..11).is_err());
        }
    }
}
