//! What lies beside the agent's operations: sessions, the prompt, and the list of skills.
//!
//! Answers are the documents of the HTTP interface, whether they come from a server or are made here, so that a command
//! prints one shape and a script reads one shape.

mod documents;

use serde::Serialize;
use serde_json::{Value, json};

use self::documents::{session_document, sessions_document, skill_document, skills_document};
use crate::{
    backend::{RemoteBackend, Service},
    error::{Code, Error, Result},
    limits::PAGE_ENTRIES,
    path::{Id, SkillPath},
    prompt::{self, PromptRequest},
    session::Collected,
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
    Remote(RemoteBackend),
}

impl Control {
    /// The session as it is now.
    pub(super) async fn session(&self) -> Result<Value> {
        match self {
            Self::Local { service, user, session } => {
                Ok(session_document(&service.session(user.clone(), session.clone()).summary().await?))
            }
            Self::Remote(remote) => remote.session().await,
        }
    }

    /// Every session of the user, in byte order of their ids, and then those that cannot be read, which have a `message`.
    pub(super) async fn sessions(&self) -> Result<Vec<Value>> {
        let document = match self {
            Self::Local { service, user, .. } => {
                let fetch = async |query: &[(&str, String)]| {
                    let cursor = query.iter().find_map(|(name, value)| (*name == "cursor").then_some(value.as_str()));
                    let page = service.list_sessions(user.into(), PAGE_ENTRIES, cursor).await?;
                    Ok(sessions_document(&page))
                };
                all_pages(&["sessions", "damaged"], fetch, Vec::new()).await?
            }
            Self::Remote(remote) => {
                let fetch = async |query: &[(&str, String)]| remote.list_sessions(query).await;
                all_pages(&["sessions", "damaged"], fetch, Vec::new()).await?
            }
        };
        let lists = ["sessions", "damaged"].into_iter().filter_map(|name| document.get(name)?.as_array());
        Ok(lists.flatten().cloned().collect())
    }

    /// Forgets a session, and `with_workspace` the files in it.
    pub(super) async fn delete_session(&self, with_workspace: bool) -> Result<()> {
        match self {
            Self::Local { service, user, session } if with_workspace => {
                service.session(user.clone(), session.clone()).forget_with_workspace().await
            }
            Self::Local { service, user, session } => service.sessions().delete(user, session).await,
            Self::Remote(remote) => remote.forget_session(with_workspace).await,
        }
    }

    /// Forgets the user's sessions that have expired.
    pub(super) async fn collect_garbage(&self) -> Result<Collected> {
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
                document(&prompt::for_session(&backend, &request).await?)
            }
            Self::Remote(remote) => {
                let chosen = [
                    ("mode", request.mode.map(document).transpose()?),
                    ("format", Some(document(request.format)?)),
                    ("category", request.category.map(Value::from)),
                    ("max_tokens", Some(request.max_tokens.into())),
                ];
                let text = |value: Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                let query: Vec<_> = chosen.into_iter().filter_map(|(name, value)| Some((name, text(value?)))).collect();
                remote.prompt(&query).await
            }
        }
    }

    /// The user's skills and what was found wrong with them.
    pub(super) async fn skills(&self, category: Option<&str>, fresh: bool) -> Result<Value> {
        match self {
            Self::Local { service, user, .. } => {
                let (view, policy) =
                    tokio::try_join!(service.catalogs().view(user, fresh), service.sessions().user_policy(user))?;
                Ok(skills_document(&view, &policy, category))
            }
            Self::Remote(remote) => {
                let mut query = vec![("fresh", fresh.to_string())];
                query.extend(category.map(|category| ("category", category.to_owned())));
                all_pages(&["skills", "diagnostics"], async |query| remote.list_skills(query).await, query).await
            }
        }
    }

    /// One skill with its instructions and files.
    pub(super) async fn skill(&self, skill: &SkillPath) -> Result<Value> {
        match self {
            Self::Local { service, user, .. } => skill_document(service, user, skill).await,
            Self::Remote(remote) => remote.show_skill(skill).await,
        }
    }
}

/// The lists `names`, page after page, as one document.
async fn all_pages<'query>(
    names: &[&str],
    fetch: impl AsyncFn(&[(&'query str, String)]) -> Result<Value>,
    query: Vec<(&'query str, String)>,
) -> Result<Value> {
    let mut all = fetch(&query).await?;
    let mut cursor = next_cursor(&all);
    while let Some(at) = cursor {
        let mut query = query.clone();
        query.push(("cursor", at.clone()));
        let mut page = fetch(&query).await?;
        cursor = next_cursor(&page);
        if cursor.as_ref() == Some(&at) {
            // A server that never comes to an end is not asked forever.
            return Err(Error::new(
                Code::StoreUnavailable,
                "the server repeats a page of its list; is it another version?",
            ));
        }
        for name in names {
            let more = page.get_mut(name).and_then(Value::as_array_mut).map(std::mem::take);
            if let Some(list) = all.get_mut(name).and_then(Value::as_array_mut) {
                list.extend(more.unwrap_or_default());
            }
        }
    }
    if let Some(members) = all.as_object_mut() {
        members.insert("next_cursor".to_owned(), json!(null));
    }
    Ok(all)
}

fn next_cursor(page: &Value) -> Option<String> {
    page.get("next_cursor")?.as_str().map(str::to_owned)
}

fn document(value: impl Serialize) -> Result<Value> {
    serde_json::to_value(value).map_err(Error::internal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn pages_become_one_list_and_a_server_that_repeats_itself_is_left() {
        let fetch = async |query: &[(&str, String)]| {
            let last = query.iter().any(|(name, _)| *name == "cursor");
            let found = format!("of page {}", query.len());
            let next_cursor = if last { None } else { Some("c") };
            Ok(json!({ "skills": [query.len()], "diagnostics": [found], "total": 2, "next_cursor": next_cursor }))
        };
        let names = ["skills", "diagnostics"];
        let all = all_pages(&names, fetch, vec![("fresh", "true".to_owned())]).await.unwrap();
        let expected =
            json!({ "skills": [1, 2], "diagnostics": ["of page 1", "of page 2"], "total": 2, "next_cursor": null });
        assert_eq!(all, expected);
        let stuck = async |_: &[(&str, String)]| Ok(json!({ "skills": [], "next_cursor": "c" }));
        assert!(all_pages(&names, stuck, Vec::new()).await.is_err());
    }
}
