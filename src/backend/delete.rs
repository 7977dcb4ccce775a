//! Deleting a file, or a folder and everything below it.
//!
//! A delete removes what its listing showed. Where the store can, each object is removed only in the version that was
//! seen, so that a retry never removes what somebody wrote in between.

use futures_util::{StreamExt, TryStreamExt, stream};

use super::{
    DeleteReply, DeleteRequest, SkillBackend,
    files::Found,
    tree::{FileRef, Pinned, missing},
};
use crate::{
    error::{Code, Error, Outcome, Result},
    limits::{LIST_OBJECTS, PARALLEL_GETS},
    path::{ObjectKey, VirtualPath},
    session::Operation,
    store::{DeleteOptions, StoreError},
};

/// How often one object is deleted anew because a newer version appeared.
const ATTEMPTS: usize = 8;

impl SkillBackend {
    pub(super) async fn delete_path(&self, request: DeleteRequest) -> Result<DeleteReply> {
        let path = VirtualPath::parse(&request.path)?;
        let (session, policy) = self.allowed(Operation::Delete).await?;
        let tree = self.tree(&session, &policy).await?;
        let (key, skill) = tree.writable(&path).map_err(|error| keep_roots(&path, error))?;
        let skill = skill.cloned();
        let (below, own) = tokio::join!(self.files_below(&tree, &path), self.shared.store.head(&key));
        let below = below?;
        if below.truncated {
            let message =
                format!("{path} holds more than {LIST_OBJECTS} files; delete the folders below it one by one");
            return Err(Error::new(Code::FileTooLarge, message).with_outcome(Outcome::NotApplied));
        }
        let mut doomed: Vec<(VirtualPath, ObjectKey)> = below.found.into_iter().map(Found::into_name).collect();
        match own {
            Ok(_) if doomed.iter().all(|(_, known)| *known != key) => doomed.push((path.clone(), key)),
            Ok(_) | Err(StoreError::NotFound) => {}
            Err(error) => return Err(error.into()),
        }
        if doomed.is_empty() {
            return Err(missing(&path).with_outcome(Outcome::NotApplied));
        }
        let deleted = doomed.len() as u64;
        stream::iter(doomed.clone())
            .map(|(_, key)| async move { self.delete_object(&key).await })
            .buffer_unordered(PARALLEL_GETS)
            .try_collect::<Vec<()>>()
            .await?;
        if let Some(skill) = skill {
            self.forget_files(&skill, &doomed).await?;
        }
        Ok(DeleteReply { path: path.to_string(), deleted })
    }

    /// Removes one object, whatever version it has by then.
    async fn delete_object(&self, key: &ObjectKey) -> Result<()> {
        let store = &self.shared.store;
        if !store.capabilities().conditional_delete {
            return Ok(store.delete(key, DeleteOptions::default()).await?);
        }
        for _ in 0..ATTEMPTS {
            let if_match = match store.head(key).await {
                Ok(meta) => Some(meta.etag),
                Err(StoreError::NotFound) => return Ok(()),
                Err(error) => return Err(error.into()),
            };
            match store.delete(key, DeleteOptions { if_match }).await {
                Ok(()) | Err(StoreError::NotFound) => return Ok(()),
                Err(error) if matches!(error, StoreError::PreconditionFailed) || error.is_transient() => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(Error::new(Code::EditConflict, "others kept writing while the delete ran; list the folder and try again")
            .with_outcome(Outcome::Unknown))
    }

    async fn forget_files(&self, skill: &Pinned, gone: &[(VirtualPath, ObjectKey)]) -> Result<()> {
        for (path, _) in gone {
            self.change_snapshot(skill, path, None).await?;
        }
        Ok(())
    }
}

impl Found {
    fn into_name(self) -> (VirtualPath, ObjectKey) {
        let FileRef { path, key, .. } = self.file;
        (path, key)
    }
}

/// Mounts and skills are not files: they are never deleted through the tree.
fn keep_roots(path: &VirtualPath, error: Error) -> Error {
    if error.code() != Code::IsADirectory {
        return error;
    }
    Error::new(Code::ReadOnly, format!("{path} is a mount and stays; delete the files and folders in it"))
        .with_outcome(Outcome::NotApplied)
}
