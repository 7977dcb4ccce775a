//! Skills from elsewhere: of a host, of a git repository or of a folder.
//!
//! Whatever the source, its files go through the checks that a publish makes, on this machine and before anything is sent. Nothing
//! that comes from a source is run.

mod address;
mod bring;
mod found;
mod git;
mod host;
mod lock;

pub(super) use address::SourceAddress;
pub(super) use bring::{How, SourceReport, bring, outcome};
pub(super) use found::SourceContents;
pub(super) use lock::Lock;

use self::found::of_folder;
use crate::{app::App, error::Result};

impl SourceAddress {
    /// Everything that the source has, below the category `into`.
    ///
    /// # Errors
    /// Why it cannot be had; `invalid_request` if it has no skill.
    pub(super) async fn fetch(&self, app: &App, into: Option<&str>) -> Result<SourceContents> {
        let now = app.clock.now();
        match self {
            Self::Host(address) => host::fetch(address, &self.shown(), into, now).await,
            Self::Git(repository) => git::fetch(&app.process, repository, &self.shown(), into, now).await,
            Self::Folder(folder) => of_folder(folder.clone(), self.shown(), into.map(str::to_owned), now).await,
        }
    }
}
