//! The events that one watcher may see, without the names of hidden skills.
//!
//! The present policy and layers decide, not the policy and layers at the time of the event. An event keeps its id even
//! if parts are omitted, so a watcher can go on from it. The source of an event says which members of an input are
//! names. A name counts as hidden unless it names a skill that the watcher is known to see. If the source does not say
//! what is a name, because an earlier version wrote it, the whole input is left out. To watch a session is not to use
//! it.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{
    mentions::{Mentions, folder_in},
    report::EventReport,
};
use crate::{
    catalog::Audience,
    error::Result,
    handle::Service,
    path::{Id, Layer, SkillPath},
    session::{Session, SessionError},
    wire::{AuditSkill, EffectivePolicy, Event, Policy, SkillRule},
};

/// A watcher of events. The layers of its audience limit its view. If the watcher is an agent, the policy limits its
/// view too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Watcher {
    /// The user, and the team of the key.
    pub audience: Audience,
    /// Whether it is an agent, from which policy hides skills.
    pub is_agent: bool,
}

impl From<Audience> for Watcher {
    /// A watcher with a key of scope `control`.
    fn from(audience: Audience) -> Self {
        Self { audience, is_agent: false }
    }
}

impl From<&Id> for Watcher {
    /// A watcher with a key of scope `control`, in no team.
    fn from(user: &Id) -> Self {
        Audience::from(user).into()
    }
}

/// A watcher, and where to find what it may see.
#[derive(Debug)]
pub(super) struct EventFilter {
    watcher: Watcher,
    service: Service,
}

/// The rules for the skills of one session.
struct Rules {
    policy: EffectivePolicy,
    /// `None` for events beside sessions.
    session: Option<Arc<Session>>,
}

impl EventFilter {
    pub(super) fn new(watcher: Watcher, service: Service) -> Self {
        Self { watcher, service }
    }

    /// From now on policy hides skills from the watcher.
    pub(super) fn become_agent(&mut self) {
        self.watcher.is_agent = true;
    }

    pub(super) fn audience(&self) -> &Audience {
        &self.watcher.audience
    }

    /// The event as the watcher may see it; `None` if only hidden content is left.
    ///
    /// # Errors
    /// The store's.
    pub(super) async fn visible(&self, report: &EventReport) -> Result<Option<Event>> {
        let mut event = report.event.clone();
        // Most events name no skill, and nothing is read for them.
        if !self.is_limited() || !may_name_skills(report) {
            return Ok(Some(event));
        }
        let rules = self.rules(event.session.as_deref()).await?;
        let is_told = match event.event.as_str() {
            "skill_activated" | "skill_unloaded" => self.keep_skills(&mut event.data, &rules, &report.skills).await?,
            "file_changed" => {
                let folder = event.data.get("path").and_then(Value::as_str).and_then(folder_in);
                self.sees_all(folder, &rules, &report.skills).await?
            }
            _ => {
                self.keep_members(&mut event.data, &rules, report).await?;
                true
            }
        };
        Ok(is_told.then_some(event))
    }

    /// Whether there may be skills that it does not see.
    fn is_limited(&self) -> bool {
        self.watcher.is_agent || self.has_layers()
    }

    fn has_layers(&self) -> bool {
        self.service.catalogs().has_layers()
    }

    /// The rules for this session now.
    async fn rules(&self, session: Option<&str>) -> Result<Rules> {
        let (sessions, user) = (self.service.sessions(), &self.watcher.audience.user);
        let session = match session.and_then(|session| Id::parse(session).ok()) {
            None => None,
            Some(session) => match sessions.get_untouched(user, &session, 0).await {
                Ok(found) => Some(found),
                // A damaged session shows no skill. Its watchers go on.
                Err(SessionError::Damaged(_)) => {
                    let policy = blocked().under(&blocked());
                    return Ok(Rules { policy, session: None });
                }
                Err(error) => return Err(error.into()),
            },
        };
        let of_user = sessions.user_policy(user).await?;
        let policy = match &session {
            Some(session) => session.policy_under(&of_user),
            None => Policy::unrestricted().under(&of_user),
        };
        Ok(Rules { policy, session })
    }

    /// Keeps the skills that the watcher sees. Returns whether any is left.
    async fn keep_skills(&self, data: &mut Value, rules: &Rules, known: &[AuditSkill]) -> Result<bool> {
        let Some(skills) = data.get_mut("skills").and_then(Value::as_array_mut) else { return Ok(false) };
        let mut kept = Vec::new();
        for skill in std::mem::take(skills) {
            let path = skill.get("id").and_then(Value::as_str).unwrap_or_default();
            if self.sees(path, rules, known).await? {
                kept.push(skill);
            }
        }
        *skills = kept;
        Ok(!skills.is_empty())
    }

    /// Keeps the members of a call's input that name no hidden skill, and says if one is left out.
    async fn keep_members(&self, data: &mut Value, rules: &Rules, report: &EventReport) -> Result<()> {
        let Some(input) = data.get_mut("input").and_then(Value::as_object_mut) else { return Ok(()) };
        let members = std::mem::take(input);
        let mut is_cut = report.names.is_none();
        if let Some(names) = &report.names {
            let mentions = Mentions::new(&members, names);
            for (member, value) in members {
                if self.sees_all(mentions.of_member(&member, &value), rules, &report.skills).await? {
                    input.insert(member, value);
                } else {
                    is_cut = true;
                }
            }
        }
        if is_cut {
            input.insert("input_cut".to_owned(), true.into());
        }
        Ok(())
    }

    async fn sees_all(
        &self,
        words: impl IntoIterator<Item = &str>,
        rules: &Rules,
        known: &[AuditSkill],
    ) -> Result<bool> {
        for word in words {
            if !self.sees(word, rules, known).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a word names a skill, and the watcher sees every skill of this name. The nearest source decides: first
    /// the record, then the loaded skills of the session, then the catalog. For an agent, a record alone shows no skill.
    async fn sees(&self, word: &str, rules: &Rules, known: &[AuditSkill]) -> Result<bool> {
        let recorded = known.iter().filter(|one| names(&one.skill, &one.name, word));
        let recorded =
            recorded.filter_map(|one| Some(self.may_see(rules, &one.skill, one.layer?, one.team.as_deref())));
        let recorded = all_of(recorded);
        // An agent also reads of no skill that is gone since, unless its session has the skill.
        if let Some(decided) = recorded.filter(|decided| !decided || !self.watcher.is_agent) {
            return Ok(decided);
        }
        let drafts = rules.session.iter().flat_map(|session| &session.drafts);
        if recorded == Some(true) && drafts.map(|draft| draft.skill.as_str()).any(|skill| names(skill, skill, word)) {
            return Ok(true);
        }
        let loaded = rules.session.iter().flat_map(|session| &session.loaded_skills);
        let loaded = loaded.filter(|one| one.mount.as_str() == word || names(one.skill.as_str(), &one.name, word));
        let team = |team: &Option<Id>| team.as_ref().map(ToString::to_string);
        let loaded = loaded.map(|one| self.may_see(rules, one.skill.as_str(), one.layer, team(&one.team).as_deref()));
        if let Some(decided) = all_of(loaded) {
            return Ok(decided);
        }
        let view = self.service.catalogs().view(self.watcher.audience.clone(), false).await?;
        let found = view.entries.iter().filter(|entry| names(entry.skill.as_str(), entry.name(), word));
        let found = all_of(found.map(|entry| self.policy_shows(rules, entry.skill.as_str())));
        Ok(found.unwrap_or(false))
    }

    /// Whether the watcher sees a skill of this layer.
    fn may_see(&self, rules: &Rules, skill: &str, layer: Layer, team: Option<&str>) -> bool {
        let own_team = self.watcher.audience.team.as_ref().map(Id::as_str);
        let is_near = match layer {
            Layer::User => true,
            Layer::Team => self.has_layers() && team.is_some() && team == own_team,
            Layer::Org => self.has_layers(),
        };
        is_near && self.policy_shows(rules, skill)
    }

    fn policy_shows(&self, rules: &Rules, skill: &str) -> bool {
        !self.watcher.is_agent || SkillPath::parse(skill).is_ok_and(|skill| rules.policy.skill(&skill).is_visible())
    }
}

/// Whether an event names a skill, or may do so. Those without these members say how a call ended, or count.
fn may_name_skills(EventReport { event, names, .. }: &EventReport) -> bool {
    let data = &event.data;
    let is_in_path = || data.get("path").and_then(Value::as_str).is_some_and(|path| folder_in(path).is_some());
    let is_in = |input: &Map<String, Value>| {
        let Some(names) = names else { return !input.is_empty() };
        let mentions = Mentions::new(input, names);
        input.iter().any(|(member, value)| !mentions.of_member(member, value).is_empty())
    };
    let input = data.get("input").and_then(Value::as_object);
    data.get("skills").is_some() || is_in_path() || input.is_some_and(is_in)
}

/// Whether a word names the skill: as its path, its folder, or the name in the frontmatter.
fn names(skill: &str, name: &str, word: &str) -> bool {
    let folder = skill.rsplit('/').next().unwrap_or_default();
    [skill, folder, name].contains(&word)
}

/// Whether all are so; `None` if there is none.
fn all_of(mut each: impl Iterator<Item = bool>) -> Option<bool> {
    each.next().map(|first| first && each.all(|one| one))
}

/// The policy that hides every skill.
fn blocked() -> Policy {
    let rules = [("*".to_owned(), SkillRule::Blocked)];
    Policy { skills: rules.into(), ..Policy::default() }
}
