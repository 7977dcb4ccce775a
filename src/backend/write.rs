//! Making and replacing files.

use bytes::Bytes;
use jiff::Timestamp;

use super::{SkillBackend, WriteReply, WriteRequest, tree::Pinned};
use crate::{
    error::{Code, Error, Outcome, Result},
    limits::TEXT_FILE_BYTES,
    path::{ETag, VirtualPath},
    session::{Change, Operation},
    skill::SnapshotFile,
    store::{Base, Commit, PutCondition, StoreError},
};

impl SkillBackend {
    pub(super) async fn write_text(&self, request: WriteRequest) -> Result<WriteReply> {
        let path = VirtualPath::parse(&request.file_path)?;
        check_text_size(&path, request.content.len())?;
        let base = if request.overwrite { Base::Whatever } else { Base::Absent };
        self.put_bytes(Operation::Write, &path, request.content.into(), base).await
    }

    /// Stores the bytes of a file as a client sent them, under the condition its headers set.
    ///
    /// # Errors
    /// `invalid_path`, `read_only`, `file_too_large`; `precondition_failed` where the condition does not hold.
    pub async fn put_file(&self, path: &str, bytes: Bytes, condition: PutCondition) -> Result<WriteReply> {
        let path = VirtualPath::parse(path)?;
        check_upload_size(&path, bytes.len())?;
        let conditional = condition != PutCondition::Always;
        let base = match condition {
            PutCondition::Always => Base::Whatever,
            PutCondition::IfAbsent => Base::Absent,
            PutCondition::IfMatch(etag) => self.base_of(&path, etag).await?,
        };
        let put = self.put_bytes(Operation::Write, &path, bytes, base).await;
        put.map_err(|error| match error.code() {
            Code::AlreadyExists | Code::EditConflict if conditional => precondition_failed(&path),
            _ => error,
        })
    }

    /// The version `etag` of a file with its write chain, so that a write on top of it can be settled.
    async fn base_of(&self, path: &VirtualPath, etag: ETag) -> Result<Base> {
        let (session, policy) = self.allowed(Operation::Write).await?;
        let tree = self.tree(&session, &policy).await?;
        let (key, _) = tree.writable(path)?;
        match self.shared.store.head(&key).await {
            Ok(meta) if meta.etag == etag => Ok(Base::version(&meta)),
            Ok(_) | Err(StoreError::NotFound) => Err(precondition_failed(path)),
            Err(error) => Err(error.into()),
        }
    }

    pub(super) async fn put_bytes(
        &self,
        operation: Operation,
        path: &VirtualPath,
        bytes: Bytes,
        base: Base,
    ) -> Result<WriteReply> {
        let (session, policy) = self.allowed(operation).await?;
        let tree = self.tree(&session, &policy).await?;
        let (key, skill) = tree.writable(path)?;
        let size = bytes.len() as u64;
        let commit = self.shared.committer.commit(&key, bytes, &base).await.map_err(|error| refused(path, error))?;
        if let Some(skill) = skill {
            self.move_snapshot(skill, path, &commit, size).await?;
        }
        Ok(WriteReply { path: path.to_string(), etag: commit.etag, bytes: size, created: base == Base::Absent })
    }

    /// Moves the session's snapshot of a skill on to a file this session has just written.
    pub(super) async fn move_snapshot(
        &self,
        skill: &Pinned,
        path: &VirtualPath,
        commit: &Commit,
        size: u64,
    ) -> Result<()> {
        let Some(etag) = commit.etag.clone() else {
            // Others wrote after us; which version to pin is for the next load to say.
            return Ok(());
        };
        self.change_snapshot(skill, path, Some((etag, size))).await
    }

    /// Replaces (`Some`) or takes out (`None`) one file of the session's snapshot of a skill.
    pub(super) async fn change_snapshot(
        &self,
        skill: &Pinned,
        path: &VirtualPath,
        file: Option<(ETag, u64)>,
    ) -> Result<()> {
        let now: Timestamp = self.shared.clock.now();
        let update = self.shared.sessions.update(self.user(), &self.session, |session| {
            let Some(loaded) = session.loaded_skills.iter_mut().find(|loaded| loaded.skill == skill.skill) else {
                return Ok(Change::None(()));
            };
            let mount = super::tree::skill_mount(&loaded.mount)?;
            let Some(relative) = path.below(&mount) else { return Ok(Change::None(())) };
            let file = file.clone().map(|(etag, size)| SnapshotFile {
                path: relative.to_owned(),
                size,
                etag,
                modified_at: now,
            });
            let before = loaded.snapshot.as_deref().unwrap_or(&skill.snapshot);
            let snapshot = before.with(relative, file);
            snapshot.digest().clone_into(&mut loaded.digest);
            loaded.snapshot = Some(snapshot.into());
            Ok(Change::Save(()))
        });
        update.await.map(|_| ())
    }
}

fn check_text_size(path: &VirtualPath, size: usize) -> Result<()> {
    check_size(path, size, TEXT_FILE_BYTES, "upload it instead, or split it")
}

pub(super) fn check_upload_size(path: &VirtualPath, size: usize) -> Result<()> {
    check_size(path, size, crate::limits::UPLOAD_FILE_BYTES, "split it")
}

fn check_size(path: &VirtualPath, size: usize, most: usize, advice: &str) -> Result<()> {
    if size <= most {
        return Ok(());
    }
    let message = format!("{path} would have {size} bytes and this takes at most {most}; {advice}");
    Err(Error::new(Code::FileTooLarge, message)
        .with_detail("size", size)
        .with_detail("limit", most)
        .with_outcome(Outcome::NotApplied))
}

fn precondition_failed(path: &VirtualPath) -> Error {
    Error::new(
        Code::PreconditionFailed,
        format!("{path} is not in the state the request's conditions ask for; read it again"),
    )
    .with_outcome(Outcome::NotApplied)
}

/// A failed write, in the words of the tree.
fn refused(path: &VirtualPath, error: StoreError) -> Error {
    match error {
        StoreError::PreconditionFailed => Error::new(
            Code::AlreadyExists,
            format!("{path} exists already; change it with edit, or write it with overwrite: true"),
        )
        .with_outcome(Outcome::NotApplied),
        error => error.into(),
    }
}
