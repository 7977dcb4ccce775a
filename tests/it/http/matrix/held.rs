//! The policies that hold in a row: the user's and the session's.

use skillmount::wire::{LoadTool, Policy, PromptMode, Visibility};

/// What is set where, and what follows of both.
pub(super) struct Held {
    /// The user's policy.
    pub(super) user: Policy,
    /// What a call sends that sets it.
    pub(super) sent: Policy,
    /// The session's policy.
    pub(super) session: Policy,
    /// The stricter of both for each question, in which no question has two answers.
    pub(super) effective: Policy,
}

impl Held {
    /// The setting is the user's and the session's.
    pub(super) fn by_both(setting: &Policy) -> Self {
        let [sent, session, effective] = [(); 3].map(|()| setting.clone());
        Self { user: without_a_sessions_own(setting), sent, session, effective }
    }

    /// The setting is the user's, and the session's policy forbids nothing.
    pub(super) fn by_user(setting: &Policy) -> Self {
        let user = without_a_sessions_own(setting);
        let effective = Policy { visibility: Visibility::default(), ..user.clone() };
        Self { sent: user.clone(), user, session: Policy::unrestricted(), effective }
    }

    /// The setting is the session's, and the user's policy forbids nothing.
    pub(super) fn by_session(setting: &Policy) -> Self {
        let [user, sent] = [(); 2].map(|()| Policy::unrestricted());
        Self { user, sent, session: setting.clone(), effective: setting.clone() }
    }
}

/// Whether it sets what a user's policy cannot set.
pub(super) fn says_what_is_a_sessions_own(policy: &Policy) -> bool {
    policy.prompt_mode != PromptMode::TwoState || policy.load_tool != LoadTool::LoadSkill || !policy.preload.is_empty()
}

/// As much of it as a user's policy may set.
fn without_a_sessions_own(policy: &Policy) -> Policy {
    let Policy { prompt_mode, load_tool, preload, .. } = Policy::default();
    Policy { prompt_mode, load_tool, preload, ..policy.clone() }
}
