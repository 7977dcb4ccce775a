//! What lies beside the agent's operations: sessions, the prompt, and the list of skills.
//!
//! Answers are the documents of the HTTP interface, whether they come from a server or are made here, so that a command
//! prints one shape and a script reads one shape.

mod documents;
mod remote;

use serde::Serialize;
use serde_json::Value;

use self::{
    documents::{session_document, skill_document, skills_document},
    remote::Remote,
};
use crate::{
    backend::Service,
    error::{Code, Error, Result},
    limits::PAGE_ENTRIES,
    path::{Id, SkillPath},
    prompt::{self, PromptRequest},
};

/// One session's control, here or on a server.
pub(super) enum Control {
    /// Over a store.
    Local {
        /// The service over it.
        service: Service,
        /// Whose session.
        user: Id,
        /// Which one.
        session: Id,
    },
    /// On a server.
    Remote(Remote),
}

impl Control {
    /// Over a store.
    pub(super) fn local(service: Service, user: Id, session: Id) -> Self {
        Self::Local { service, user, session }
    }

    /// On the server at `url`.
    ///
    /// # Errors
    /// `invalid_request` where the URL is none.
    pub(super) fn remote(url: &str, user: Id, session: Id, key: Option<&str>) -> Result<Self> {
        Remote::new(url, user, session, key).map(Self::Remote)
    }

    /// The session as it is now.
    pub(super) async fn session(&self) -> Result<Value> {
        match self {
            Self::Local { service, user, session } => {
                Ok(session_document(&*service.sessions().get(user, session, 0).await?))
            }
            Self::Remote(remote) => remote.get(&remote.in_session(&[]), &[]).await,
        }
    }

    /// Every session of the user, in byte order of their ids.
    pub(super) async fn sessions(&self) -> Result<Vec<Value>> {
        let mut all = Vec::new();
        let mut cursor: Option<String> = None;
        loop {
            let (page, next) = self.sessions_page(cursor.as_deref()).await?;
            all.extend(page);
            match next {
                None => return Ok(all),
                next if next == cursor => return Err(repeating()),
                next => cursor = next,
            }
        }
    }

    async fn sessions_page(&self, cursor: Option<&str>) -> Result<(Vec<Value>, Option<String>)> {
        match self {
            Self::Local { service, user, .. } => {
                let page = service.sessions().list(user, PAGE_ENTRIES, cursor).await?;
                Ok((page.sessions.iter().map(|session| session_document(session)).collect(), page.next_cursor))
            }
            Self::Remote(remote) => {
                let query: Vec<_> = cursor.map(|cursor| ("cursor", cursor.to_owned())).into_iter().collect();
                let mut page = remote.get(&remote.of_user(&["sessions"]), &query).await?;
                let next = page.get("next_cursor").and_then(Value::as_str).map(str::to_owned);
                let sessions = page.get_mut("sessions").map(Value::take);
                Ok((sessions.and_then(|list| list.as_array().cloned()).unwrap_or_default(), next))
            }
        }
    }

    /// Forgets a session.
    pub(super) async fn delete_session(&self) -> Result<()> {
        match self {
            Self::Local { service, user, session } => service.sessions().delete(user, session).await,
            Self::Remote(remote) => remote.delete(&remote.in_session(&[])).await,
        }
    }

    /// Forgets the user's sessions that have expired; how many there were.
    pub(super) async fn collect_garbage(&self) -> Result<u64> {
        match self {
            Self::Local { service, user, .. } => service.sessions().collect_garbage(user).await,
            Self::Remote(_) => Err(Error::new(
                Code::InvalidRequest,
                "session gc works on a store and not through a server yet; give --store instead of --server",
            )),
        }
    }

    /// What the agent is told.
    pub(super) async fn prompt(&self, request: PromptRequest) -> Result<Value> {
        match self {
            Self::Local { service, user, session } => {
                let backend = service.session(user.clone(), session.clone());
                document(&prompt::for_session(&backend, request).await?)
            }
            Self::Remote(remote) => {
                let chosen = [
                    ("mode", request.mode.map(document).transpose()?),
                    ("format", Some(document(request.format)?)),
                    ("category", request.category.map(Value::from)),
                    ("max_tokens", Some(request.max_tokens.into())),
                ];
                let text = |value: Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                let query: Vec<_> =
                    chosen.into_iter().filter_map(|(name, value)| Some((name, text(value?)))).collect();
                remote.get(&remote.in_session(&["prompt"]), &query).await
            }
        }
    }

    /// The user's skills and what was found wrong with them.
    pub(super) async fn skills(&self, category: Option<&str>, fresh: bool) -> Result<Value> {
        match self {
            Self::Local { service, user, .. } => {
                Ok(skills_document(&*service.catalogs().view(user, fresh).await?, category))
            }
            Self::Remote(remote) => remote.skills(category, fresh).await,
        }
    }

    /// One skill with its instructions and files.
    pub(super) async fn skill(&self, skill: &SkillPath) -> Result<Value> {
        match self {
            Self::Local { service, user, .. } => skill_document(service, user, skill).await,
            Self::Remote(remote) => {
                let path: Vec<_> = std::iter::once("skills").chain(skill.as_str().split('/')).collect();
                remote.get(&remote.of_user(&path), &[]).await
            }
        }
    }
}

/// A server that never comes to an end is not asked forever.
fn repeating() -> Error {
    Error::new(Code::StoreUnavailable, "the server repeats a page of its list; it may be of another version")
}

fn document(value: impl Serialize) -> Result<Value> {
    serde_json::to_value(value).map_err(Error::internal)
}
