//! The input of a prompt, and the rendered prompt.

use crate::{
    catalog::CatalogView,
    path::{MountName, SkillPath},
    session::Session,
    wire::EffectivePolicy,
};

/// The skill whose instructions the prompt may hold, from the snapshot the session loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CurrentSkill {
    /// Where it lies.
    pub skill: SkillPath,
    /// Its name.
    pub name: String,
    /// Its folder below `/skills`.
    pub mount: MountName,
    /// Its instructions, parameters filled in.
    pub body: String,
}

/// All that a prompt depends on.
#[derive(Clone, Copy, Debug)]
pub struct PromptInput<'a> {
    /// The user's skills.
    pub view: &'a CatalogView,
    /// The session: the loaded skills, and the skills used most before the session began.
    pub session: &'a Session,
    /// The effective policy of the session.
    pub policy: &'a EffectivePolicy,
    /// The session's current skill, if it has one.
    pub current: Option<&'a CurrentSkill>,
}
