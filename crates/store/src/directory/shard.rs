//! Locks: 256 files, one for each first byte of a key's digest.
//!
//! A lock belongs to an open file, so it excludes the threads of one process as well as other processes, and the system
//! frees it when its holder dies. The file also contains the last time stamped under it.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use super::{
    files::{remove_file, same_file},
    version::{FileStamp, system_time},
};

/// Digits of a stamp in a lock file: the most digits of an `i64` of nanoseconds, so that each stamp overwrites the last
/// one whole.
const DIGITS: usize = 20;
/// How far ahead of the clock a stored stamp may be, in nanoseconds: ten years. A clock that was set back leaves such
/// stamps, and times must still increase. A later stamp is damage, and a disk need not be able to keep it.
const AHEAD: i128 = 10 * 365 * 86_400 * 1_000_000_000;
/// How far ahead a time is tried, in nanoseconds, if the disk keeps coarser ones: down to the 2 s of FAT.
const STEPS: [i128; 5] = [0, 1_000, 1_000_000, 1_000_000_000, 2_000_000_000];

/// A held lock; dropping it releases it.
#[derive(Debug)]
pub(super) struct Shard {
    lock: File,
    last: i128,
    temporary: [PathBuf; 2],
}

impl Shard {
    /// Takes lock `index` if it is free; `now` is the time.
    pub(super) fn try_lock(locks: &Path, temporary: &Path, index: u8, now: i128) -> io::Result<Option<Self>> {
        let path = Self::file(locks, index);
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        // A lock on a removed file guards nothing, because others lock the file that replaced it.
        if !same_file(&file.metadata()?, &fs::metadata(&path)?) {
            return Ok(None);
        }
        Self::held(file, temporary, index, now).map(Some)
    }

    /// The file of lock `index`.
    pub(super) fn file(locks: &Path, index: u8) -> PathBuf {
        locks.join(format!("{index:02x}"))
    }

    /// The temporary files that only the holder of lock `index` may use: for content and for a side file.
    pub(super) fn temporary_files(folder: &Path, index: u8) -> [PathBuf; 2] {
        [folder.join(format!("{index:02x}")), folder.join(format!("{index:02x}.json"))]
    }

    /// A new temporary file for content.
    pub(super) fn content_file(&self) -> io::Result<(File, &Path)> {
        fresh(&self.temporary[0])
    }

    /// A new temporary file for a side file.
    pub(super) fn side_file(&self) -> io::Result<(File, &Path)> {
        fresh(&self.temporary[1])
    }

    /// Removes the rest of a failed write, if the disk allows that. The next holder also does it before it begins.
    pub(super) fn discard(&self) {
        for path in &self.temporary {
            if let Err(error) = remove_file(path) {
                tracing::debug!(path = %path.display(), %error, "a temporary file stays behind");
            }
        }
    }

    /// Gives `file` a modification time near `now` that no earlier write of this shard had and that differs from the
    /// replaced version's. Stores it in the lock file.
    pub(super) fn stamp(&mut self, file: &File, now: i128, replaced: Option<FileStamp>) -> io::Result<FileStamp> {
        let replaced = replaced.map(|version| version.nanos());
        let stamped = first_free(self.last, now, replaced, |wanted| {
            file.set_modified(system_time(wanted)?)?;
            FileStamp::from_metadata(&file.metadata()?)
        })?;
        self.remember(stamped.nanos())?;
        Ok(stamped)
    }

    fn held(mut lock: File, temporary: &Path, index: u8, now: i128) -> io::Result<Self> {
        let mut text = String::new();
        // No stamp is longer. Anything longer was not written here.
        Read::by_ref(&mut lock).take(DIGITS as u64 + 1).read_to_string(&mut text)?;
        // A new file is empty: no stamp yet.
        let last = text.trim().parse().ok().filter(|stamp| *stamp <= now + AHEAD).unwrap_or(0);
        Ok(Self { lock, last, temporary: Self::temporary_files(temporary, index) })
    }

    fn remember(&mut self, stamp: i128) -> io::Result<()> {
        self.lock.seek(SeekFrom::Start(0))?;
        self.lock.write_all(format!("{stamp:>DIGITS$}").as_bytes())?;
        self.last = stamp;
        Ok(())
    }
}

/// Stamps times from `now` on until the disk keeps a time that is after `last` and differs from the time of the
/// replaced version. `stamp` sets a time and returns the time that the disk keeps.
fn first_free(
    last: i128,
    now: i128,
    replaced: Option<i128>,
    mut stamp: impl FnMut(i128) -> io::Result<FileStamp>,
) -> io::Result<FileStamp> {
    for step in STEPS {
        let stamped = stamp(now.max(last + 1) + step)?;
        if stamped.nanos() > last && Some(stamped.nanos()) != replaced {
            return Ok(stamped);
        }
    }
    Err(io::Error::other("the disk keeps no modification times that could tell versions apart"))
}

/// Creates a new file. Removes the file that a crashed holder left under that name.
fn fresh(path: &Path) -> io::Result<(File, &Path)> {
    remove_file(path)?;
    let file = OpenOptions::new().write(true).create_new(true).open(path)?;
    Ok((file, path))
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    /// A disk that keeps times in multiples of `grain` nanoseconds.
    fn coarse(grain: i128) -> impl FnMut(i128) -> io::Result<FileStamp> {
        move |wanted| {
            let kept = wanted - wanted.rem_euclid(grain);
            Ok(FileStamp { modified_at: Timestamp::from_nanosecond(kept).unwrap(), size: 0 })
        }
    }

    #[test]
    fn times_increase_on_disks_of_every_grain_while_the_clock_stands_still() {
        let now = 1_700_000_000_123_456_789;
        for grain in [1, 100, 1_000, 1_000_000, 1_000_000_000, 2_000_000_000] {
            let mut last = 0;
            for _ in 0..20 {
                let stamped = first_free(last, now, None, coarse(grain)).unwrap().nanos();
                assert!(stamped > last, "grain {grain}");
                last = stamped;
            }
        }
    }

    #[test]
    fn the_time_of_the_replaced_version_is_passed_over() {
        let now = 1_700_000_000_000_000_000;
        for grain in [1, 1_000_000_000] {
            let stamped = first_free(0, now, Some(now), coarse(grain)).unwrap().nanos();
            assert!(stamped > now, "grain {grain}");
        }
    }

    #[test]
    fn a_disk_without_usable_times_is_an_error() {
        assert!(first_free(1_700_000_000_000_000_000, 0, None, coarse(1 << 62)).is_err());
    }
}
