//! Copies of buckets that earlier versions wrote.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use super::world::files_below;

/// The folder of these buckets.
pub(crate) fn buckets() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/buckets")
}

/// Copies one of these buckets into `folder` and gives each file the time it had when it was written. Sessions and the
/// index hold `ETag`s, which a directory store makes of that time and of the file's size.
///
/// Returns the last of these times, since 1970.
pub(crate) fn restore(bucket: &str, folder: &Path) -> Duration {
    let buckets = buckets();
    for (name, bytes) in files_below(&buckets.join(bucket)) {
        let file = folder.join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, bytes).unwrap();
    }
    let times = fs::read_to_string(buckets.join(format!("{bucket}.times"))).unwrap();
    let times = times.lines().map(|line| {
        let (nanos, name) = line.split_once(' ').unwrap();
        let time = Duration::from_nanos(nanos.parse().unwrap());
        let file = File::options().write(true).open(folder.join(name)).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + time).unwrap();
        time
    });
    times.max().unwrap()
}
