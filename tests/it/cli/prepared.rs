//! The home with two skills, which is made once and copied for each test.

use std::{
    convert::Infallible,
    env, fs,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use super::{command_line::CommandLine, skill};
use crate::support::once::made_once;

/// Copies the home with two skills to `folder`, which is empty. The times of its files stay: a store reads them.
pub(crate) fn copy_to(folder: &Path) {
    static PREPARED: OnceLock<PathBuf> = OnceLock::new();
    copy(&PREPARED.get_or_init(prepared).join("home"), folder);
}

/// The folder that has the home. It is made again if the program changed, by which this file says so.
fn prepared() -> PathBuf {
    let tests = env::current_exe().unwrap();
    let metadata = fs::metadata(&tests).unwrap();
    let state = (tests, metadata.modified().unwrap(), metadata.len());
    let homes = Path::new(env!("CARGO_TARGET_TMPDIR")).join("homes");
    let made = made_once(&homes, "with-skills", &state, |folder| {
        make(&folder.join("home"));
        Ok::<_, Infallible>(())
    });
    made.unwrap_or_else(|never| match never {})
}

/// Makes the home in `folder`: two skills, pushed.
pub(crate) fn make(folder: &Path) {
    for (relative, content) in [
        ("skills/escrituras/compraventa/SKILL.md", skill("compraventa", "Prepara la escritura.")),
        ("skills/escrituras/compraventa/resources/ejemplo.md", "uno\ndos arras\ntres\n".to_owned()),
        ("skills/notas/SKILL.md", skill("notas", "Toma notas.")),
    ] {
        let path = folder.join(relative);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    let pushed = CommandLine::new(folder, &["push", "skills"]).run();
    assert!(pushed.status.success(), "{}", String::from_utf8_lossy(&pushed.stderr));
}

/// Copies what is in `from` to `to`, each file and folder with its time and permissions.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type().unwrap().is_dir() {
            copy(&from, &to);
        } else {
            fs::copy(&from, &to).unwrap();
            let modified = entry.metadata().unwrap().modified().unwrap();
            fs::File::options().write(true).open(&to).unwrap().set_modified(modified).unwrap();
        }
    }
    #[cfg(unix)]
    fs::File::open(to).unwrap().set_modified(fs::metadata(from).unwrap().modified().unwrap()).unwrap();
}
