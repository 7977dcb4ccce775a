//! Forgetting a session together with the files of its workspace.
//!
//! Several sessions may share a workspace: sessions that were made from one another, or sessions with the same value of a
//! variable. If the template names no session, all sessions share it. The workspace is deleted only with the last of its
//! sessions. The files go first, so that the same call, made again, finds the rest.

use crate::{
    context::Context,
    error::{Code, Error, Outcome, Result},
    files::delete_objects,
    limits::{LIST_OBJECTS, PAGE_ENTRIES, SHARERS_NAMED},
    path::{Id, KeyPrefix, VirtualPath},
    session::{Session, is_session_within, list_sessions},
    store::{ListOptions, StoreExt as _},
};

/// The other sessions of a workspace.
#[derive(Debug, Default)]
struct Sharers {
    /// The sessions that the caller reaches, up to [`SHARERS_NAMED`] of them.
    named: Vec<Id>,
    /// How many more there are.
    more: u64,
}

/// Forgets this session and deletes every file of its workspace. Its ticket stays.
///
/// A session that cannot be read may share the workspace, so it counts as a sharer. A session that is made from this session
/// meanwhile may find the workspace empty.
///
/// # Errors
/// `session_not_found` if the session does not exist and has no files of its own; `workspace_shared` if other sessions share its
/// workspace, with the names of the sessions that the caller reaches. If some files could not be deleted, the error of their
/// delete; then the session stays.
pub(crate) async fn forget_with_workspace(context: &Context) -> Result<()> {
    forget_whole(context).await.map_err(Error::of_change)
}

async fn forget_whole(context: &Context) -> Result<()> {
    let sessions = context.core.sessions();
    sessions.check_writable()?;
    let session = context.session().await?;
    let workspace = workspace_prefix(context, session.files_id(), &session.vars)?;
    let is_made = session.version > 0;
    if !is_made && !has_only_files(context, &workspace).await? {
        return sessions.existing(context.user(), &context.session, &context.options.at_least).await.map(drop);
    }
    let sharers = sharers(context, &session, &workspace).await?;
    if sharers.more > 0 || !sharers.named.is_empty() {
        return Err(sharers.refusal(&context.session));
    }
    empty(context, &workspace).await?;
    if is_made { sessions.delete(context.user(), &context.session).await } else { Ok(()) }
}

/// Whether there are files in the workspace of a session that has no object, because it only ever wrote files. If the template
/// names no session, returns false, because the files are those of other sessions too.
async fn has_only_files(context: &Context, workspace: &KeyPrefix) -> Result<bool> {
    if !context.core.templates().workspace().has_variable() {
        return Ok(false);
    }
    let options = ListOptions { max_entries: Some(1), ..ListOptions::default() };
    Ok(!context.core.store().list(workspace, options).await?.objects.is_empty())
}

/// The keys of the workspace of a session with these values.
fn workspace_prefix(context: &Context, files: &Id, vars: &std::collections::BTreeMap<String, Id>) -> Result<KeyPrefix> {
    context.core.templates().workspace().prefix(&context.space()?, files, vars)
}

/// The other sessions whose workspace is `workspace`.
async fn sharers(context: &Context, session: &Session, workspace: &KeyPrefix) -> Result<Sharers> {
    let (sessions, scope) = (context.core.sessions(), context.caller.sessions());
    let mut sharers = Sharers::default();
    let mut cursor = None;
    loop {
        let page = list_sessions(sessions, context.user(), PAGE_ENTRIES, cursor.as_deref()).await?;
        for other in &page.sessions {
            let is_other = other.session_id != session.session_id;
            if is_other && workspace_prefix(context, other.files_id(), &other.vars)? == *workspace {
                sharers.add(&other.session_id, is_session_within(sessions, other, scope).await?);
            }
        }
        for damaged in &page.damaged {
            // Of a damaged session only its id is known.
            let is_reached = scope.vars().is_empty() && scope.names(&damaged.session_id);
            sharers.add(&damaged.session_id, !scope.is_bound() || is_reached);
        }
        cursor = page.next_cursor;
        if cursor.is_none() {
            return Ok(sharers);
        }
    }
}

/// Deletes every file below `workspace`.
async fn empty(context: &Context, workspace: &KeyPrefix) -> Result<()> {
    let root = VirtualPath::parse("/workspace")?;
    let (entries, has_more) = context.core.store().list_all(workspace, LIST_OBJECTS).await?;
    let files = entries.iter().filter_map(|entry| {
        let path = root.join(workspace.relative(&entry.key)?).ok()?;
        Some((path, workspace.admit(&entry.key)?))
    });
    if let Some(left) = delete_objects(context, files.collect()).await.reply(&root).failure() {
        return Err(left);
    }
    if has_more {
        let message = format!("{LIST_OBJECTS} files of the workspace were deleted; make the same call again");
        return Err(Error::new(Code::FileTooLarge, message).with_outcome(Outcome::Partial));
    }
    Ok(())
}

impl Sharers {
    fn add(&mut self, session: &Id, may_be_named: bool) {
        if may_be_named && self.named.len() < SHARERS_NAMED {
            self.named.push(session.clone());
        } else {
            self.more += 1;
        }
    }

    /// The error for a caller that would delete the workspace.
    fn refusal(&self, session: &Id) -> Error {
        let named = self.named.iter().map(Id::to_string).collect::<Vec<_>>();
        let others = match (named.is_empty(), self.more) {
            (false, 0) => named.join(", "),
            (false, more) => format!("{} and {more} more", named.join(", ")),
            (true, more) => format!("{more} that this key does not reach"),
        };
        let message = format!(
            "other sessions share the workspace of {session}: {others}; forget them first, or forget {session} and leave \
             the workspace to them"
        );
        let error = Error::new(Code::WorkspaceShared, message).with_detail("sessions", named);
        if self.more == 0 { error } else { error.with_detail("more_sessions", self.more) }
    }
}
