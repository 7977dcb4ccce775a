//! Where a served folder of skills lies, and how it is opened.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use bytes::Bytes;
use sha2::{Digest as _, Sha256};

use super::{
    DirectoryStore, MemoryStore, SharedStore, StoreResult,
    skills_folder::{SkillsFolder, SkillsFolderScan, survey},
};
use skillmount_base::{
    clock::Clock,
    error::{Code, Error, Result},
    path::{Id, Namespace},
};

/// Characters of a digest that are enough to distinguish the folders of one person.
const DIGEST_CHARS: usize = 16;

/// A folder of skills as it lies on a disk: each folder in it with a SKILL.md is a skill, also in categories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillsAt {
    /// The folder.
    pub folder: PathBuf,
    /// The folder that a relative `folder` begins at; the current folder of the process if empty.
    pub current_dir: PathBuf,
    /// Whose skills they are.
    pub user: Id,
    /// The folder that has a folder for all else of each served folder, such as sessions; the memory of this process if there
    /// is none.
    pub states: Option<PathBuf>,
    /// Whether changes of skills are written into the folder.
    pub writes: bool,
}

impl SkillsAt {
    /// The folder, for this user, to be read, with everything else in memory.
    #[must_use]
    pub fn new(folder: PathBuf, user: Id) -> Self {
        Self { folder, current_dir: PathBuf::new(), user, states: None, writes: false }
    }

    /// The real path of the folder.
    fn root(&self) -> Result<PathBuf> {
        let shown = self.folder.display();
        let refused = |what: String| Error::new(Code::InvalidRequest, what);
        let root = fs::canonicalize(self.current_dir.join(&self.folder)).map_err(|error| {
            refused(format!("there is no folder {shown} with skills: make it, or name another")).with_source(error)
        })?;
        if !root.is_dir() {
            return Err(refused(format!("{shown} is a file: name the folder that has a folder for each skill")));
        }
        if root.join("SKILL.md").is_file() {
            return Err(refused(format!("{shown} is a skill itself: name the folder that it lies in")));
        }
        if root.join(self.user.as_str()).join(".skillmount").is_dir() {
            return Err(refused(format!("{shown} is a store: give it as --store file:{shown}")));
        }
        Ok(root)
    }

    /// Opens it.
    ///
    /// # Errors
    /// `invalid_request` if there is no such folder, or the folder is a file, a skill or a store. The message says how
    /// to go on. If the state cannot be kept, the error of the store.
    pub(super) fn open(&self, clock: Arc<dyn Clock>) -> Result<SharedStore> {
        let root = self.root()?;
        let state: SharedStore = match &self.states {
            Some(states) => Arc::new(DirectoryStore::open(states.join(name_of(&root)), clock.clone())?),
            None => Arc::new(MemoryStore::new()),
        };
        let space = Namespace::default().user(&self.user)?;
        Ok(Arc::new(SkillsFolder::open(root, space, state, self.writes, clock)?))
    }

    /// The contents of the folder. Blocks.
    ///
    /// # Errors
    /// If the folder or its parent cannot be read.
    pub fn survey(&self) -> StoreResult<SkillsFolderScan> {
        survey(fs::canonicalize(self.current_dir.join(&self.folder)).map_err(super::disk::unusable)?)
    }
}

/// The name of the state of the folder `root`: a person recognises it, and no other folder has it.
fn name_of(root: &Path) -> String {
    let digest = format!("{:x}", Bytes::copy_from_slice(&Sha256::digest(root.as_os_str().as_encoded_bytes())));
    let digest: String = digest.chars().take(DIGEST_CHARS).collect();
    let name = root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let plain: String = name.chars().filter(|letter| letter.is_ascii_alphanumeric() || *letter == '-').collect();
    format!("{plain}-{digest}")
}
