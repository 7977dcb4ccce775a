//! The calls beside the agent's operations: sessions, the prompt, and the list of skills, here or on a server.
//!
//! The documents have the same types on both sides. So a command prints one shape, and a script reads one shape.

mod users;

use std::sync::Arc;

pub(super) use users::{CollectedOfAll, DamagedOf, UserArchive};

use crate::{
    audit::{self, AuditLog, Events, Listener, Resume},
    client::{RemoteBackend, RemoteEvents},
    clock::Clock,
    content::DraftReader,
    context::Caller,
    error::{Code, Error, Result},
    handle::{Service, SessionBackend},
    hooks::{self},
    limits::AUDIT_PAGE_RECORDS,
    path::{Id, Layer, LayerOwner, SkillPath},
    prompt::{self},
    session::remove_idle_sessions,
    skills::{NamedSkill, skill_named},
    wire::{
        ApprovalList, AuditPage, AuditRequest, DecideApproval, Event, ExpiryReport, HookInput, HookOutput, Policy,
        PromptRequest, Rendering, SessionListRequest, SessionPage, SessionSummary, SkillList, SkillListRequest,
        SkillPage, Usage, UsageRequest,
    },
};

/// Events as they come, from a store or from a server.
pub(super) enum Tail {
    /// Out of the records in a store, which services write up to a minute late.
    Local(Box<Listener>),
    /// Of a server.
    Remote(Box<RemoteEvents>),
}

impl Tail {
    /// The next event; `None` if the other side ends the stream.
    pub(super) async fn next(&mut self) -> Result<Option<Event>> {
        match self {
            Self::Local(listener) => listener.next().await,
            Self::Remote(remote) => remote.next().await,
        }
    }
}

/// One session's control, here or on a server.
pub(super) enum Control {
    /// Over a store.
    Local {
        /// The service over it.
        service: Service,
        /// Whose session.
        user: Id,
        /// The session.
        backend: Box<SessionBackend>,
    },
    /// On a server.
    Remote(RemoteBackend),
}

impl Control {
    /// The session as it is now.
    pub(super) async fn session(&self) -> Result<SessionSummary> {
        match self {
            Self::Local { backend, .. } => backend.summary().await,
            Self::Remote(remote) => remote.session().await,
        }
    }

    /// Every session of the user, in byte order of their ids, and the damaged sessions.
    pub(super) async fn sessions(&self) -> Result<SessionPage> {
        let mut wanted = SessionListRequest::default();
        let mut all = SessionPage { sessions: Vec::new(), damaged: Vec::new(), next_cursor: None };
        loop {
            let page = self.session_page(&wanted).await?;
            all.sessions.extend(page.sessions);
            all.damaged.extend(page.damaged);
            match next(wanted.cursor.as_ref(), page.next_cursor)? {
                None => return Ok(all),
                cursor => wanted.cursor = cursor,
            }
        }
    }

    async fn session_page(&self, wanted: &SessionListRequest) -> Result<SessionPage> {
        match self {
            Self::Local { service, user, .. } => service.list_sessions(&Arc::new(Caller::from(user)), wanted).await,
            Self::Remote(remote) => remote.list_sessions(wanted).await,
        }
    }

    /// Forgets a session; `with_workspace` deletes the files of its workspace too.
    pub(super) async fn delete_session(&self, with_workspace: bool) -> Result<()> {
        match self {
            Self::Local { backend, .. } if with_workspace => backend.forget_with_workspace().await,
            Self::Local { service, user, backend } => service.sessions().delete(user, backend.session_id()).await,
            Self::Remote(remote) => remote.forget_session(with_workspace).await,
        }
    }

    /// Forgets the user's sessions that have expired.
    pub(super) async fn collect_garbage(&self) -> Result<ExpiryReport> {
        match self {
            Self::Local { service, user, .. } => remove_idle_sessions(service.sessions(), user).await,
            Self::Remote(remote) => remote.collect_garbage().await,
        }
    }

    /// The user's audit records, `limit` of them at most; with a cursor if there are more.
    pub(super) async fn audit(&self, mut wanted: AuditRequest, limit: usize) -> Result<AuditPage> {
        let mut all = AuditPage::default();
        loop {
            wanted.limit = Some((limit - all.records.len()).clamp(1, AUDIT_PAGE_RECORDS));
            let page = match self {
                Self::Local { service, user, .. } => {
                    AuditLog::for_service(service).page(owner_of(user, wanted.layer)?, &wanted).await?
                }
                Self::Remote(remote) => remote.audit(&wanted).await?,
            };
            all.records.extend(page.records);
            all.next_cursor = next(wanted.cursor.as_ref(), page.next_cursor)?;
            if all.next_cursor.is_none() || all.records.len() >= limit {
                return Ok(all);
            }
            wanted.cursor.clone_from(&all.next_cursor);
        }
    }

    /// How the user's conversations find and use skills.
    pub(super) async fn usage(&self, wanted: &UsageRequest) -> Result<Usage> {
        match self {
            Self::Local { service, user, .. } => audit::usage(service, user, wanted).await,
            Self::Remote(remote) => remote.usage(wanted).await,
        }
    }

    /// The events of the session from now on, or from the event `after` if that is given.
    pub(super) async fn events(&self, clock: &Arc<dyn Clock>, after: Option<&str>) -> Result<Tail> {
        match self {
            Self::Local { service, user, backend } => {
                let after = after.map(Resume::parse).transpose()?;
                let events = Events::new(service, None, Arc::clone(clock));
                Ok(Tail::Local(Box::new(events.listen(user, Some(backend.session_id()), after).await?)))
            }
            Self::Remote(remote) => Ok(Tail::Remote(Box::new(remote.events(after).await?))),
        }
    }

    /// The prompt of the session.
    pub(super) async fn prompt(&self, wanted: &PromptRequest) -> Result<Rendering> {
        match self {
            Self::Local { backend, .. } => prompt::for_session(backend, wanted).await,
            Self::Remote(remote) => remote.prompt(wanted).await,
        }
    }

    /// The calls of the session that wait for approval.
    pub(super) async fn waiting_calls(&self) -> Result<ApprovalList> {
        match self {
            Self::Local { backend, .. } => backend.approvals().waiting_calls().await,
            Self::Remote(remote) => remote.waiting_calls().await,
        }
    }

    /// Decides about one of them.
    pub(super) async fn decide_approval(&self, id: &str, decision: DecideApproval) -> Result<SessionSummary> {
        match self {
            Self::Local { backend, .. } => {
                backend.approvals().decide_approval(id, decision).await.map(|session| SessionSummary::from(&*session))
            }
            Self::Remote(remote) => remote.decide_approval(id, &decision).await,
        }
    }

    /// The answer to a hook.
    pub(super) async fn hook(&self, input: &HookInput) -> Result<HookOutput> {
        match self {
            Self::Local { backend, .. } => hooks::answer(backend, input).await,
            Self::Remote(remote) => remote.hook(input).await,
        }
    }

    /// The rules of the user's policy that match no skill.
    pub(super) async fn unmatched_rules(&self) -> Result<Vec<String>> {
        let policy = match self {
            Self::Local { service, user, .. } => service.sessions().user_policy(user).await?,
            Self::Remote(remote) => Arc::new(remote.user_policy().await?),
        };
        let found = self.skills(None, true).await?;
        Ok(policy.unmatched_rules(found.skills.iter().map(|skill| skill.skill.as_str())))
    }

    /// The user's skills and what was found wrong with them, of all pages.
    pub(super) async fn skills(&self, category: Option<String>, fresh: bool) -> Result<SkillList> {
        let mut wanted = SkillListRequest { category, fresh, ..SkillListRequest::default() };
        let mut all = self.skill_page(&wanted).await?;
        loop {
            match next(wanted.cursor.as_ref(), all.next_cursor.take())? {
                None => return Ok(all),
                cursor => wanted.cursor = cursor,
            }
            let page = self.skill_page(&wanted).await?;
            all.skills.extend(page.skills);
            all.diagnostics.extend(page.diagnostics);
            all.next_cursor = page.next_cursor;
        }
    }

    /// The user's policy, as far as the caller may know it.
    pub(super) async fn user_policy(&self) -> Result<Policy> {
        match self {
            Self::Local { service, user, .. } => Ok((*service.sessions().user_policy(user).await?).clone()),
            Self::Remote(remote) => remote.user_policy().await,
        }
    }

    async fn skill_page(&self, wanted: &SkillListRequest) -> Result<SkillList> {
        match self {
            Self::Local { service, user, .. } => {
                let policy = service.sessions().user_policy(user).await?.for_control();
                service.library().list_skills(user, &policy, wanted, DraftReader::Control).await
            }
            Self::Remote(remote) => remote.list_skills(wanted).await,
        }
    }

    /// The skill that `name` means, with its instructions and files.
    pub(super) async fn skill(&self, name: &str) -> Result<SkillPage> {
        if let Ok(path) = SkillPath::parse(name) {
            match self.skill_at(&path).await {
                Err(error) if error.code() == Code::SkillNotFound => {}
                outcome => return outcome,
            }
        }
        let SkillList { skills, diagnostics, .. } = self.skills(None, false).await?;
        let paths = skills.iter().map(|known| SkillPath::parse(&known.skill)).collect::<Result<Vec<_>>>()?;
        let known = paths.iter().zip(&skills);
        let known: Vec<_> = known.map(|(skill, known)| NamedSkill { skill, name: &known.name }).collect();
        match skill_named(name, &known) {
            Ok(path) => self.skill_at(path).await,
            Err(unknown) => {
                // A skill that the list leaves out may exist, and the store or the server knows the reason.
                let left_out = diagnostics.iter().filter_map(|found| SkillPath::parse(&found.skill).ok());
                match left_out.into_iter().find(|skill| skill.as_str() == name || skill.folder() == name) {
                    Some(skill) if unknown.code() == Code::SkillNotFound => self.skill_at(&skill).await,
                    _ => Err(unknown),
                }
            }
        }
    }

    /// The skill at a path.
    async fn skill_at(&self, skill: &SkillPath) -> Result<SkillPage> {
        match self {
            Self::Local { service, user, .. } => {
                let policy = service.sessions().user_policy(user).await?.for_control();
                service.library().show_skill(user, &policy, skill, DraftReader::Control).await
            }
            Self::Remote(remote) => remote.show_skill(skill).await,
        }
    }
}

/// Where the next page begins. A server that never comes to an end is not asked for ever.
fn next(asked: Option<&String>, cursor: Option<String>) -> Result<Option<String>> {
    if cursor.is_some() && cursor.as_ref() == asked {
        return Err(Error::new(
            Code::StoreUnavailable,
            "the server repeats a page of its list; is it another version?",
        ));
    }
    Ok(cursor)
}

/// Whose records are wanted. A store has no keys, and only a key names a team.
fn owner_of(user: &Id, layer: Option<Layer>) -> Result<LayerOwner> {
    match layer {
        None | Some(Layer::User) => Ok(LayerOwner::from(user)),
        Some(Layer::Org) => Ok(LayerOwner::Org),
        Some(Layer::Team) => {
            Err(invalid!("only an API key names a team: ask a service with --server and a control key of the team"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_repeats_a_page_is_left() {
        let cursor = |text: &str| Some(text.to_owned());
        assert_eq!(next(None, None).unwrap(), None);
        assert_eq!(next(None, cursor("a")).unwrap(), cursor("a"));
        assert_eq!(next(cursor("a").as_ref(), cursor("b")).unwrap(), cursor("b"));
        assert!(next(cursor("b").as_ref(), cursor("b")).is_err());
    }
}
