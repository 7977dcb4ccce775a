//! The record of added skills and their sources: one file for each store or server and user, in the user's data folder.
//!
//! For each source it keeps the revision, and for each skill the version that was added. So `update` sees the changes
//! in the source and the changes made here. A signed link is kept whole, because it is fetched again; so only its owner
//! reads the file.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::{
    app::App,
    client::sync::SyncBase,
    error::{Error, Result},
    folder::{json_text, read_if_there, replace_whole},
    local_path::LocalPath,
    settings::Setting,
};

/// The format that this version writes, and the newest it reads.
const FORMAT: u32 = 1;
const FOLDER: &str = "skillmount-sources";
const NAME: &str = "skillmount.lock";
/// Characters of a digest that are enough to distinguish the stores of one person.
const DIGEST_CHARS: usize = 16;

/// The added skills.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Lock {
    format: u32,
    /// The skills by their paths.
    pub(crate) skills: BTreeMap<String, LockEntry>,
    #[serde(skip)]
    path: LocalPath,
    #[serde(skip)]
    was: Vec<u8>,
}

/// A skill that was added.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LockEntry {
    /// Where it comes from.
    pub(crate) source: String,
    /// The category that the skills of the source were put in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) into: Option<String>,
    /// The revision of the source.
    pub(crate) revision: String,
    /// The version that was added.
    pub(crate) version: SyncBase,
}

impl Lock {
    /// The lock file of the user and the store or server of the settings, or the file `named`.
    ///
    /// # Errors
    /// `invalid_request` if it cannot be read or is none.
    pub(crate) fn open(app: &App, named: Option<&Path>) -> Result<Self> {
        let path = match named {
            Some(path) => app.process.local(path),
            None => place(app)?.into(),
        };
        let wrong = |why: &str| invalid!("{} {why}", path.display());
        let bytes = read_if_there(&path).map_err(|error| wrong("cannot be read").with_source(error))?;
        let Some(bytes) = bytes else { return Ok(Self { format: FORMAT, path, ..Self::default() }) };
        let read: Self = serde_json::from_slice(&bytes)
            .map_err(|error| wrong("is damaged; move it away, and add the sources again").with_source(error))?;
        if read.format != FORMAT {
            return Err(wrong("was written by another version of skillmount"));
        }
        Ok(Self { path, was: bytes, ..read })
    }

    /// Where it lies.
    pub(crate) fn path(&self) -> &LocalPath {
        &self.path
    }

    /// Writes it, if it changed. `unique` names the file while it grows.
    ///
    /// # Errors
    /// `invalid_request` if the disk fails.
    pub(crate) fn save(&self, unique: u128) -> Result<()> {
        let text = json_text(self)?;
        if text == self.was {
            return Ok(());
        }
        replace_whole(&self.path, &text, unique)?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            std::fs::set_permissions(&self.path, std::fs::Permissions::from_mode(0o600)).map_err(Error::internal)?;
        }
        Ok(())
    }
}

/// The place of the lock file: a folder for each user of each store or server.
fn place(app: &App) -> Result<PathBuf> {
    let nowhere = || invalid!("there is no data folder for the lock file; name it with --lock");
    let kept_in = match app.settings.server()? {
        Some(server) => server.trim_end_matches('/').to_owned(),
        None => app.settings.get(Setting::Store).unwrap_or_default().to_owned(),
    };
    let user = app.user()?;
    let digest = hex::encode(Sha256::digest(format!("{kept_in}\n{user}")));
    let digest: String = digest.chars().take(DIGEST_CHARS).collect();
    Ok(app.process.folders.data.as_ref().ok_or_else(nowhere)?.join(FOLDER).join(format!("{user}-{digest}")).join(NAME))
}
