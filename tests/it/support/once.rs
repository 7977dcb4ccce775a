//! Folders that are made once for the tests of all processes.

use std::{
    fs::{self, File},
    hash::{DefaultHasher, Hash, Hasher as _},
    path::{Path, PathBuf},
};

/// The folder `name` in `home`, which `make` fills. It is made once for each `state` of what it is made from.
pub(crate) fn made_once<E>(
    home: &Path,
    name: &str,
    state: &impl Hash,
    make: impl FnOnce(&Path) -> Result<(), E>,
) -> Result<PathBuf, E> {
    fs::create_dir_all(home).unwrap();
    // Tests of several processes wait for the first.
    let lock = File::create(home.join(format!("{name}.lock"))).unwrap();
    lock.lock().unwrap();
    let mut hasher = DefaultHasher::new();
    state.hash(&mut hasher);
    let folder = home.join(format!("{name}-{:016x}", hasher.finish()));
    let complete = folder.join("complete");
    if !complete.exists() {
        let _ = fs::remove_dir_all(&folder);
        make(&folder)?;
        fs::write(complete, "").unwrap();
    }
    Ok(folder)
}
