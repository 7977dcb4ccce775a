//! The bytes of an upload while they wait to be read: in memory if they are few, else in a file.

use std::{
    fs::File,
    io::{self, Read as _, Seek as _, SeekFrom},
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
    /// Reads share its position, so each sets its own.
    File(Arc<Mutex<File>>),
}

impl From<Bytes> for SpooledBody {
    fn from(bytes: Bytes) -> Self {
        let len = bytes.len() as u64;
        Self { place: Place::Memory(bytes), len }
    }
}

impl SpooledBody {
    /// The first `len` bytes of `file`, which no other code changes.
    #[must_use]
    pub fn in_file(file: File, len: u64) -> Self {
        Self { place: Place::File(Arc::new(Mutex::new(file))), len }
    }

    /// The number of bytes.
    #[must_use]
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// The bytes in `range`.
    ///
    /// # Errors
    /// The disk's; `UnexpectedEof` if there are fewer bytes.
    pub(crate) fn read(&self, range: Range<u64>) -> io::Result<Bytes> {
        if range.end > self.len {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        match &self.place {
            Place::Memory(bytes) => {
                let (start, end) = (index(range.start)?, index(range.end)?);
                Ok(bytes.get(start..end).map(|found| bytes.slice_ref(found)).unwrap_or_default())
            }
            Place::File(file) => {
                let mut bytes = vec![0; index(range.end.saturating_sub(range.start))?];
                let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
                file.seek(SeekFrom::Start(range.start))?;
                file.read_exact(&mut bytes)?;
                Ok(bytes.into())
            }
        }
    }
}

fn index(place: u64) -> io::Result<usize> {
    usize::try_from(place).map_err(io::Error::other)
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
            assert_eq!(waiting.read(2..5).unwrap(), "234");
            let again = waiting.clone();
            assert_eq!(
                (waiting.read(0..10).unwrap(), again.read(0..10).unwrap()),
                ("0123456789".into(), "0123456789".into())
            );
            assert_eq!(waiting.len(), 10);
            assert_eq!(waiting.read(4..4).unwrap(), "");
            assert!(waiting.read(5..11).is_err());
        }
    }
}
