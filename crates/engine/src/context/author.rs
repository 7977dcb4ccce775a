//! Actions of authors and operators beside the operations of agents.

use std::{future::Future, sync::Arc};

use super::{account::Account, call::Context, caller::Caller, core::Core};
use crate::{
    error::Result,
    observer::{Effects, EffectsRecorder},
    path::{Id, LayerOwner},
    wire::Effect,
};

macro_rules! actions {
    ($($variant:ident $name:literal $effect:ident $doc:literal;)*) => {
        /// A change, or a read of contents, beside the agent's operations.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Action {
            $(#[doc = $doc] $variant,)*
        }

        impl Action {
            /// Every action, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The action's name in records. Clients of the HTTP interface use the same name.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            const fn effect(self) -> Effect {
                match self { $(Self::$variant => Effect::$effect,)* }
            }
        }
    };
}

// Name in records, and what it does.
actions! {
    CreateSession "create_session" Loads "A session is made.";
    ChangeSession "change_session" Loads "Policy, variables or current skill of a session, or the note of a hook.";
    ForgetSession "forget_session" Loads "A session is forgotten.";
    DecideApproval "decide_approval" Loads "A call that waits for approval is allowed or denied.";
    SetUserPolicy "set_user_policy" Writes "The policy of a user.";
    PublishSkill "publish_skill" Writes "A new version of a skill.";
    ChangeSkill "change_skill" Writes "What a skill is: its description, its body, or whether it is a draft.";
    RollBackSkill "roll_back_skill" Writes "Back to an earlier version of a skill.";
    DeleteSkill "delete_skill" Writes "A skill is deleted.";
    RefreshCatalog "refresh_catalog" Reads "The catalog is read again.";
    RebuildCatalog "rebuild_catalog" Reads "The stored catalog is rebuilt.";
    CollectSessions "collect_sessions" Loads "Sessions that were idle for long are forgotten.";
    ShowSkill "show_skill" Reads "The instructions of a skill, or its folder as an archive, are read without a session.";
    GetSkillFile "get_skill_file" Reads "A file of a skill is read without a load.";
    DownloadSkills "download_skills" Reads "Files of skills are read without a load.";
    DiffVersions "diff_versions" Reads "What differs between two versions of a skill is read.";
    ExportUser "export_user" Reads "All that there is of a user is read.";
    RefuseCall "refuse_call" Reads "Calls that a key does not allow are refused.";
}

/// The entry of a caller's actions beside the operations of agents. Each action begins its account here.
///
/// A service that keeps audit records keeps one of this change:
///
/// ```
/// use std::sync::Arc;
///
/// use skillmount_base::{clock::SystemClock, path::Id};
/// use skillmount_engine::{
///     context::{Action, Caller},
///     handle::{Service, ServiceOptions},
/// };
/// use skillmount_store::MemoryStore;
/// use skillmount_wire::Policy;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> skillmount_base::Result<()> {
/// let service = Service::new(Arc::new(MemoryStore::new()), ServiceOptions::default(), Arc::new(SystemClock::new()));
/// let anna = Id::parse("anna")?;
/// let author = service.author(Caller::new(anna.clone()));
/// let policy = Policy { plan_mode: true, ..Policy::default() };
/// let work = service.sessions().set_user_policy(&anna, policy);
/// let policy = author.perform((Action::SetUserPolicy, "policy"), work).await?;
/// assert!(policy.plan_mode);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Author {
    core: Arc<Core>,
    caller: Arc<Caller>,
    session: Option<Id>,
    owner: LayerOwner,
}

impl Author {
    /// The entry of `caller`.
    pub(crate) fn new(core: Arc<Core>, caller: Arc<Caller>) -> Self {
        let owner = LayerOwner::from(caller.user());
        Self { core, caller, session: None, owner }
    }

    /// The same entry, for actions on a session.
    #[must_use]
    pub fn in_session(self, session: Id) -> Self {
        Self { session: Some(session), ..self }
    }

    /// The same entry, for actions on a skill of this owner.
    #[must_use]
    pub fn on_skill_of(self, owner: LayerOwner) -> Self {
        Self { owner, ..self }
    }

    /// Does `work`, and reports it as an action on a subject.
    ///
    /// # Errors
    /// Those of `work`; `store_unavailable` with `parts` if the change was made and has no record.
    pub async fn perform<T>(&self, action: (Action, &str), work: impl Future<Output = Result<T>>) -> Result<T> {
        self.perform_recording(action, &EffectsRecorder::default(), work).await
    }

    /// Does `work`, and reports it as an action on a subject. `effects` derives the effects from the result.
    ///
    /// # Errors
    /// As [`perform`](Self::perform).
    pub async fn perform_with<T>(
        &self,
        action: (Action, &str),
        effects: impl FnOnce(&T) -> Effects,
        work: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        let recorder = EffectsRecorder::default();
        let own = recorder.clone();
        let work = Box::pin(async move {
            let reply = work.await?;
            own.change(|recorded| *recorded = effects(&reply));
            Ok(reply)
        });
        self.perform_recording(action, &recorder, work).await
    }

    /// Does `work`, and reports it as an action on a subject. `work` records its effects in `effects`.
    ///
    /// # Errors
    /// As [`perform`](Self::perform).
    pub async fn perform_recording<T>(
        &self,
        (action, subject): (Action, &str),
        effects: &EffectsRecorder,
        work: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        effects.owner(&self.owner);
        let who = (&*self.caller, self.session.as_ref());
        let account = Account::of_action(&self.core, who, (action.name(), action.effect()), subject, effects);
        account.ended(work.await).await
    }
}

/// The entry of this caller, for actions on this session.
pub(crate) fn author_of_call(context: &Context) -> Author {
    Author::new(Arc::clone(&context.core), Arc::clone(&context.caller)).in_session(context.session.clone())
}
