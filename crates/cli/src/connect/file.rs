//! The configuration file of a host, replaced whole or not at all.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::{
    entry::{edited, is_in},
    host::Host,
    launch::Launch,
};
use crate::{
    error::{Error, Result},
    keys_file::replace_text,
    process::Process,
};

/// The name of the file as it was before, after that of the file.
const BACKUP: &str = ".before-skillmount";

/// The outcome for a host's configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConfigChange {
    /// The file.
    pub(crate) file: PathBuf,
    /// Whether anything was changed.
    pub(crate) is_changed: bool,
    /// The copy of the file before the change, if the file existed and was changed.
    pub(crate) backup: Option<PathBuf>,
}

/// Puts our server, as `launch` starts it, into the configuration of `host`, or takes it out if there is none.
///
/// # Errors
/// `invalid_request` if the file cannot be understood, read or written; it is then as it was.
pub(crate) fn change(process: &Process, host: Host, launch: Option<&Launch>) -> Result<ConfigChange> {
    let file = host.file(process)?;
    let old = read(&file)?;
    let text = old.as_deref().unwrap_or_default();
    let unchanged = ConfigChange { file: file.clone(), is_changed: false, backup: None };
    if launch.is_none() && !is_in(host.form(), text) && edited(host.form(), text, None).is_ok() {
        return Ok(unchanged);
    }
    let new = edited(host.form(), text, launch).map_err(|why| {
        invalid!(
            "{} was left alone: {why}; `skillmount connect {} --print` shows what belongs there",
            file.display(),
            host.name()
        )
    })?;
    if new == text {
        return Ok(unchanged);
    }
    let backup = if old.is_some() { Some(keep(&file, text)?) } else { None };
    replace_text(&file, &new, |error| failed(&file, error), || Ok(()))?;
    Ok(ConfigChange { file, is_changed: true, backup })
}

/// The text that belongs into an empty configuration of `host`.
///
/// # Errors
/// None that a caller could fix.
pub(crate) fn entry_alone(host: Host, launch: &Launch) -> Result<String> {
    edited(host.form(), "", Some(launch)).map_err(Error::internal)
}

/// Whether `host` starts our server, as far as its configuration can be read.
pub(crate) fn is_connected(process: &Process, host: Host) -> bool {
    let text = host.file(process).and_then(|file| read(&file)).ok().flatten();
    text.is_some_and(|text| is_in(host.form(), &text))
}

fn read(file: &Path) -> Result<Option<String>> {
    match fs::read_to_string(file) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(file, error)),
    }
}

/// Copies the file beside itself, under the first name that is free or already has this text. The copy of an earlier
/// call is not overwritten.
fn keep(file: &Path, text: &str) -> Result<PathBuf> {
    for number in 1.. {
        let backup = beside(file, number);
        match fs::File::create_new(&backup) {
            Ok(_) => {
                fs::copy(file, &backup).map_err(|error| failed(&backup, error))?;
                return Ok(backup);
            }
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(failed(&backup, error)),
            Err(_) if fs::read_to_string(&backup).is_ok_and(|kept| kept == text) => return Ok(backup),
            Err(_) => {}
        }
    }
    Err(Error::internal("there is no free name for a backup"))
}

fn beside(file: &Path, number: u32) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(BACKUP);
    if number > 1 {
        name.push(format!("-{number}"));
    }
    PathBuf::from(name)
}

fn failed(file: &Path, error: io::Error) -> Error {
    invalid!("{} cannot be read or written; run this as its owner, or use --print", file.display()).with_source(error)
}
