//! The life of a session: it is created, changed and deleted.
//!
//! A session changes only by compare-and-swap on its object, so any replica can serve any session. Changes from one
//! process to one session share writes, because a race between them would waste a round trip.

use std::sync::Arc;

use futures_util::{StreamExt as _, stream};

use super::{
    Change, CreatedSession, SearchRecord, Session, Sessions,
    change::{apply_change, check_change},
    create::{begin, check_wanted, differing},
    sessions::{alive, not_found},
    shared_writes::{AwaitedWrite, OpenWrite, WriteOutcome},
};
use crate::{
    error::{Code, Error, Outcome, Result},
    limits::{PARALLEL_GETS, SESSION_ATTEMPTS},
    path::{Id, ObjectKey},
    wire::{ChangeSession, CreateSession, SessionIncarnation, SessionVersion},
};

impl Sessions {
    /// Creates a session, or returns the existing one.
    ///
    /// # Errors
    /// `invalid_request` for variables without a use, an invalid policy or a parent that does not exist; the store's.
    pub async fn create(&self, user: &Id, session: &Id, wanted: CreateSession) -> Result<CreatedSession> {
        self.create_with(user, session, wanted, |_| Ok(())).await
    }

    /// As [`create`](Self::create). `furnish` changes a new session before it is written.
    ///
    /// # Errors
    /// As [`create`](Self::create), and those of `furnish`: then no session is created.
    pub async fn create_with(
        &self,
        user: &Id,
        session: &Id,
        wanted: CreateSession,
        furnish: impl Fn(&mut Session) -> Result<()>,
    ) -> Result<CreatedSession> {
        let parent = check_wanted(self, user, &wanted).await?;
        self.update(user, session, |state| {
            if state.version > 0 {
                return Ok(Change::None(Some(differing(state, &wanted))));
            }
            begin(state, parent.as_ref(), &wanted);
            furnish(state)?;
            Ok(Change::Save(None))
        })
        .await
        .map(|(session, kept)| CreatedSession {
            session,
            is_new: kept.is_none(),
            unchanged: kept.unwrap_or_default(),
        })
    }

    /// Changes a session, and returns it as it is then.
    ///
    /// # Errors
    /// `invalid_request` for variables without a use or a policy that does not hold together; the store's.
    pub async fn change(&self, user: &Id, session: &Id, wanted: &ChangeSession) -> Result<Arc<Session>> {
        check_change(wanted, &self.templates)?;
        let apply = |session: &mut Session| {
            apply_change(wanted, session);
            Ok(Change::Save(()))
        };
        Ok(self.update(user, session, apply).await?.0)
    }

    /// Changes a session by `change`, which can run several times, once on each version that was read.
    ///
    /// # Errors
    /// Those of `change`; `edit_conflict` if other replicas kept winning; the store's, with its outcome.
    pub async fn update<T>(
        &self,
        user: &Id,
        session: &Id,
        mut change: impl FnMut(&mut Session) -> Result<Change<T>>,
    ) -> Result<(Arc<Session>, T)> {
        self.check_writable()?;
        let key = self.store.namespace().user(user)?.session(session)?;
        let name = (user.clone(), session.clone());
        for _ in 0..SESSION_ATTEMPTS {
            let joined = join_write(self, &key, &name, &mut change).await?;
            let awaited = match joined.write {
                JoinedWrite::None(session) => return joined.result.map(|said| (session, said)),
                JoinedWrite::Open(awaited) => awaited,
            };
            // A refusal rests on the changes before it, so it waits for them too.
            match awaited.await {
                Ok(WriteOutcome::Landed(saved)) => return joined.result.map(|said| (saved, said)),
                Ok(WriteOutcome::Lost) => {}
                Ok(WriteOutcome::Failed(error)) => return Err(error),
                Err(gone) => return Err(Error::internal(gone).with_outcome(Outcome::Unknown)),
            }
        }
        Err(Error::new(Code::EditConflict, "other replicas kept changing the session at the same time; try again")
            .with_outcome(Outcome::NotApplied))
    }

    /// Deletes a session, even a damaged one. Its workspace stays.
    ///
    /// # Errors
    /// `session_not_found` if there is none; the store's.
    pub async fn delete(&self, user: &Id, session: &Id) -> Result<()> {
        self.check_writable()?;
        let key = self.store.namespace().user(user)?.session(session)?;
        let _lane = self.writes.lane(&key).await;
        let seen = self.records.refresh(&key).await?;
        if alive(&seen, self.store.clock().now()).is_ok_and(|alive| alive.is_none()) {
            return Err(not_found(session));
        }
        self.records.delete(&key, None).await?;
        // A discovery that is written later would create the session again.
        self.pending.drop_through(&(user.clone(), session.clone()), u64::MAX);
        Ok(())
    }

    /// Keeps a discovery to be written with the next change of its session. Returns true if the caller must schedule a
    /// [`flush_discoveries`](Self::flush_discoveries).
    ///
    /// # Errors
    /// `invalid_path` if the ids are too long for a key.
    pub fn record_discovery(&self, user: &Id, session: &Id, past: SearchRecord) -> Result<bool> {
        self.store.namespace().user(user)?.session(session)?;
        Ok(self.pending.add(&(user.clone(), session.clone()), past))
    }

    /// Writes the discoveries of a session that are not written yet, and returns the session as it is then; `None` if all are
    /// written. If that fails, they are dropped.
    ///
    /// # Errors
    /// As [`update`](Self::update).
    pub async fn flush_discoveries(&self, user: &Id, session: &Id) -> Result<Option<Arc<Session>>> {
        let name = (user.clone(), session.clone());
        let (past, last) = self.pending.for_session(&name);
        if past.is_empty() {
            return Ok(None);
        }
        let flushed = self.update(user, session, |_| Ok(Change::Save(()))).await.map(|(session, ())| Some(session));
        self.pending.drop_through(&name, last);
        flushed
    }

    /// Writes the discoveries and uses of all sessions and users, before the process ends.
    pub async fn flush_all(&self) {
        let sessions = stream::iter(self.pending.sessions());
        let discoveries = sessions.for_each_concurrent(PARALLEL_GETS, async |(user, session)| {
            if let Err(error) = self.flush_discoveries(&user, &session).await {
                tracing::warn!(%user, %session, error = %error.chain(), "discoveries of a session were not written");
            }
        });
        let usage = stream::iter(self.usage.waiting_users()).for_each_concurrent(PARALLEL_GETS, async |user| {
            if let Err(error) = self.usage.flush(&user).await {
                tracing::warn!(%user, error = %error.chain(), "uses of skills were not counted");
            }
        });
        let loads = stream::iter(self.load_history.waiting_users()).for_each_concurrent(PARALLEL_GETS, async |user| {
            if let Err(error) = self.load_history.flush(&user).await {
                tracing::warn!(%user, error = %error.chain(), "loads after questions were not noted");
            }
        });
        tokio::join!(discoveries, usage, loads);
    }
}

/// A change that was applied.
struct JoinedChange<T> {
    result: Result<T>,
    write: JoinedWrite,
}

/// The write that a change waits for.
enum JoinedWrite {
    /// There is none. This is the session as it is.
    None(Arc<Session>),
    Open(AwaitedWrite),
}

/// Applies `change` to the open write of a session, or to the session as it is.
///
/// # Errors
/// Those of a change that waits for no write; the store's.
async fn join_write<T>(
    sessions: &Sessions,
    key: &ObjectKey,
    name: &(Id, Id),
    change: &mut impl FnMut(&mut Session) -> Result<Change<T>>,
) -> Result<JoinedChange<T>> {
    let mut lane = sessions.writes.lane(key).await;
    let now = sessions.store.clock().now();
    if let Some(open) = lane.get_mut(key) {
        let mut next = open.next.clone();
        let result = change(&mut next).map(|change| match change {
            Change::None(said) => said,
            Change::Save(said) => {
                open.next = Session { updated_at: now, ..next };
                said
            }
        });
        return Ok(JoinedChange { result, write: JoinedWrite::Open(open.awaited.clone()) });
    }
    let seen = sessions.records.get(key, &SessionVersion::default()).await?;
    let current = alive(&seen, now)?;
    let mut next = if let Some(current) = current.as_deref() {
        current.clone()
    } else {
        let ranks = sessions.usage.ranks(&name.0).await;
        Session { ranks, ..Session::fresh(name.0.clone(), name.1.clone(), now) }
    };
    let said = match change(&mut next)? {
        Change::None(said) => {
            let session = current.unwrap_or_else(|| Arc::new(next));
            return Ok(JoinedChange { result: Ok(said), write: JoinedWrite::None(session) });
        }
        Change::Save(said) => said,
    };
    let is_new = next.version == 0;
    if is_new {
        next.life = Some(SessionIncarnation::new(now, sessions.store.clock().random()));
    }
    // No session reaches this count by itself, but an object that another tool wrote can.
    next.version = next.version.saturating_add(1);
    next.updated_at = now;
    let write = OpenWrite::new(seen, is_new, next);
    let awaited = sessions.writes.open(&mut lane, key, name.clone(), write);
    Ok(JoinedChange { result: Ok(said), write: JoinedWrite::Open(awaited) })
}
