//! Figures of use, made from records: how conversations find skills, and which skills they use.
//!
//! [`UsageTally`] takes records one by one and keeps a few words for each conversation. So the figures of a million
//! records take as little memory as the figures of a thousand. Records hold no question, so no figure does.

use crate::audit::usage::counts::CallCounts;
mod counts;
mod skill;

use std::{
    collections::{BTreeMap, HashMap},
    hash::{DefaultHasher, Hash, Hasher as _},
};

use jiff::Timestamp;
use serde_json::Value;

use self::skill::{SkillTally, is_candidate, share};
use crate::wire::{AuditRecord, Usage};
use crate::{
    context::Action,
    limits::{
        APPROVAL_LIFE, USAGE_ASKED, USAGE_CONVERSATION_SKILLS, USAGE_CONVERSATIONS, USAGE_SKILLS, USAGE_TALLY_BYTES,
    },
    wire::Operation,
};

/// The status of a skill that a session began with although no caller named it.
const PRELOADED: &str = "preloaded";
/// Where loaded skills lie, and the operations that give the content of their files.
const SKILLS: &str = "/skills/";
const READS: [Operation; 3] = [Operation::Read, Operation::Grep, Operation::Download];
/// The outcome of a call that a person must approve first.
const APPROVAL_REQUIRED: &str = "approval_required";
/// The operation by which a person decides about a waiting call. If the call is allowed, its subject begins with
/// `allow`.
const DECIDE_APPROVAL: &str = Action::DecideApproval.name();
const ALLOW: &str = "allow";
/// The outcomes of a call that its caller may not make.
const REFUSED: [&str; 3] = ["denied", "tool_blocked", "plan_mode"];

/// Counts records, which come in the order of time.
#[derive(Debug, Default)]
pub struct UsageTally {
    since: Option<Timestamp>,
    /// By a hash of the session's id.
    conversations: HashMap<u64, Conversation>,
    /// The number of each skill, by its path.
    skills: BTreeMap<String, u32>,
    /// The skills by their numbers.
    tallies: Vec<SkillTally>,
    counts: CallCounts,
    /// About the bytes of all this.
    bytes: u64,
    pub(super) truncated: bool,
}

/// The bytes of a conversation, a skill beside its path, a skill of a conversation, and a waiting call.
const CONVERSATION_BYTES: u64 = 128;
const SKILL_BYTES: u64 = 128;
const SKILL_OF_CONVERSATION_BYTES: u64 = 16;
const ASKED_BYTES: u64 = 64;

/// The state of one conversation.
#[derive(Debug, Default)]
struct Conversation {
    /// Whether an agent has called an operation. Before that, the session was only created.
    has_begun: bool,
    /// When it was made, if it began with skills.
    made: Option<Timestamp>,
    has_searched: bool,
    /// The calls since the last search, while no load has followed it.
    since_search: Option<u64>,
    /// The skills it used.
    skills: Vec<ConversationSkill>,
    /// The calls that wait for an approval, or have one and were not repeated since.
    asked: Vec<OpenCall>,
}

/// A skill of a conversation.
#[derive(Clone, Copy, Debug)]
struct ConversationSkill {
    /// Its number.
    number: u32,
    /// Whether the conversation, or who made its session, asked for it.
    is_chosen: bool,
}

/// A call that waits for an approval. Two calls may look the same here, because records contain no file contents.
#[derive(Debug)]
struct OpenCall {
    /// A hash of the call as records have it.
    call: u64,
    /// When it was asked for, or decided about.
    since: Timestamp,
    /// The id of its approval, if the record has it.
    approval: Option<u128>,
    /// Whether it was allowed, once that is decided.
    is_allowed: Option<bool>,
}

impl UsageTally {
    /// Nothing yet; records before `since` will not count.
    #[must_use]
    pub fn new(since: Option<Timestamp>) -> Self {
        Self { since, ..Self::default() }
    }

    /// Counts a record. Ignores a record unless an agent called, a session began with skills, or a person decided about
    /// a call.
    pub fn add(&mut self, record: &AuditRecord) {
        let Some(session) = record.session.as_deref() else { return };
        let (is_call, is_decision) = (is_call(&record.operation), record.operation == DECIDE_APPROVAL);
        let is_too_early = self.since.is_some_and(|since| record.time < since);
        if is_too_early || !(is_call || is_decision || !record.began_with.is_empty()) {
            return;
        }
        let key = hash(session);
        let known = self.conversations.remove(&key);
        if known.is_none() && is_decision {
            return;
        }
        if known.is_none() && (self.conversations.len() >= USAGE_CONVERSATIONS || !self.has_room(CONVERSATION_BYTES)) {
            self.truncated = true;
            return;
        }
        let mut conversation = known.unwrap_or_default();
        self.count_beginning(&mut conversation, record);
        if is_decision {
            self.count_decision(&mut conversation, record);
        }
        if is_call {
            self.begin(&mut conversation);
            self.count_call(&mut conversation, record);
            self.count_search(&mut conversation, record);
            self.count_load(&mut conversation, record);
            self.count_read(&mut conversation, record);
        }
        self.conversations.insert(key, conversation);
    }

    /// Counts the skills that a session was made with. They are used once it is a conversation.
    fn count_beginning(&mut self, conversation: &mut Conversation, record: &AuditRecord) {
        for skill in &record.began_with {
            let number = self.count_use(conversation, &skill.skill, record.time, skill.status != PRELOADED);
            if let Some(number) = number.filter(|_| conversation.has_begun) {
                self.count_loads([number], record.time);
            }
        }
        if !record.began_with.is_empty() {
            conversation.made = Some(record.time);
        }
    }

    /// Counts the first call of a conversation.
    fn begin(&mut self, conversation: &mut Conversation) {
        if !std::mem::replace(&mut conversation.has_begun, true)
            && let Some(made) = conversation.made
        {
            self.count_loads(conversation.skills.iter().map(|used| used.number), made);
        }
    }

    fn count_call(&mut self, conversation: &mut Conversation, record: &AuditRecord) {
        let call = hash((&record.operation, &record.subject, record.input.as_ref().map(Value::to_string)));
        let before = conversation.asked.len();
        conversation.asked.retain(|asked| record.time.duration_since(asked.since) < APPROVAL_LIFE);
        self.bytes -= ASKED_BYTES * (before - conversation.asked.len()) as u64;
        if let Some(calls) = &mut conversation.since_search {
            *calls += 1;
        }
        if record.outcome == APPROVAL_REQUIRED {
            let approval = record.approval.as_deref().and_then(approval_number);
            // A call that is repeated while it waits has no new approval, and is asked for once.
            let is_same = |asked: &OpenCall| match approval {
                Some(_) => asked.approval == approval,
                None => asked.call == call && asked.is_allowed.is_none(),
            };
            if !conversation.asked.iter().any(is_same) {
                self.record_asked(conversation, OpenCall { call, since: record.time, approval, is_allowed: None });
            }
            return;
        }
        self.count_asked(conversation, call, !REFUSED.contains(&record.outcome.as_str()));
        self.counts.calls += 1;
        self.counts.completed += u64::from(record.is_ok());
    }

    /// Counts what the outcome of a call says of a decision that no record has. The oldest that waits was decided about if none
    /// that looks the same was decided so.
    fn count_asked(&mut self, conversation: &mut Conversation, call: u64, is_allowed: bool) {
        let all = &mut conversation.asked;
        let find = |decision| all.iter().position(|asked| asked.call == call && asked.is_allowed == decision);
        let at = find(Some(is_allowed)).or_else(|| find(None));
        let Some((at, asked)) = at.and_then(|at| Some((at, all.get_mut(at)?))) else { return };
        if asked.is_allowed.replace(is_allowed).is_none() {
            self.counts.decided += 1;
            self.counts.approved += u64::from(is_allowed);
        }
        // An approval serves once, and a refusal each time.
        if is_allowed {
            all.remove(at);
            self.bytes -= ASKED_BYTES;
        }
    }

    /// Notes a call that waits for an approval, in the place of the oldest if there are too many.
    fn record_asked(&mut self, conversation: &mut Conversation, asked: OpenCall) {
        if conversation.asked.len() >= USAGE_ASKED {
            conversation.asked.remove(0);
        } else if !self.has_room(ASKED_BYTES) {
            return;
        }
        conversation.asked.push(asked);
    }

    /// Counts what a person decided about a call that waits. It may be decided otherwise until the call is made again.
    fn count_decision(&mut self, conversation: &mut Conversation, record: &AuditRecord) {
        let Some((decision, id)) = record.subject.split_once(' ').filter(|_| record.is_ok()) else { return };
        let (is_allowed, id) = (decision == ALLOW, approval_number(id));
        let Some(asked) = conversation.asked.iter_mut().find(|asked| id.is_some() && asked.approval == id) else {
            return;
        };
        asked.since = record.time;
        let before = asked.is_allowed.replace(is_allowed);
        self.counts.decided += u64::from(before.is_none());
        self.counts.approved -= u64::from(before == Some(true));
        self.counts.approved += u64::from(is_allowed);
    }

    fn count_search(&mut self, conversation: &mut Conversation, record: &AuditRecord) {
        let searched = record.operation == Operation::DiscoverSkills.name() && record.is_ok();
        let Some(found) = record.found.filter(|_| searched) else { return };
        conversation.has_searched = true;
        conversation.since_search = Some(0);
        self.counts.searches += 1;
        self.counts.unanswered += u64::from(found == 0);
    }

    fn count_load(&mut self, conversation: &mut Conversation, record: &AuditRecord) {
        let loaded = record.operation == Operation::LoadSkill.name() && record.is_ok();
        let Some(skill) = record.skill.as_ref().filter(|_| loaded) else { return };
        if let Some(calls) = conversation.since_search.take() {
            self.counts.answered += 1;
            self.counts.turns += calls;
        }
        let number = self.count_use(conversation, &skill.skill, record.time, true);
        self.count_loads(number, record.time);
    }

    /// Counts a skill as chosen if the conversation reads one of its files.
    fn count_read(&self, conversation: &mut Conversation, record: &AuditRecord) {
        if !record.is_ok() || !READS.iter().any(|read| read.name() == record.operation) {
            return;
        }
        for path in record.subject.split(' ').filter_map(|path| path.strip_prefix(SKILLS)) {
            let mount = path.split('/').next().map(hash);
            for used in &mut conversation.skills {
                used.is_chosen |=
                    self.tallies.get(used.number as usize).is_some_and(|skill| Some(skill.mount) == mount);
            }
        }
    }

    /// Notes that a conversation has a skill, and returns the skill's number if it is counted.
    fn count_use(
        &mut self,
        conversation: &mut Conversation,
        skill: &str,
        time: Timestamp,
        is_chosen: bool,
    ) -> Option<u32> {
        let number = match self.skills.get(skill).copied() {
            Some(number) => number,
            None if self.skills.len() >= USAGE_SKILLS || !self.has_room(SKILL_BYTES + skill.len() as u64) => {
                self.truncated = true;
                return None;
            }
            None => {
                let next = u32::try_from(self.tallies.len()).unwrap_or(u32::MAX);
                let mount = hash(skill.rsplit('/').next().unwrap_or(skill));
                self.tallies.push(SkillTally { mount, loads: 0, last_used: time });
                self.skills.insert(skill.to_owned(), next);
                next
            }
        };
        if let Some(used) = conversation.skills.iter_mut().find(|used| used.number == number) {
            used.is_chosen |= is_chosen;
            return Some(number);
        }
        if conversation.skills.len() >= USAGE_CONVERSATION_SKILLS {
            return Some(number);
        }
        if self.bytes + SKILL_OF_CONVERSATION_BYTES > USAGE_TALLY_BYTES {
            self.truncated = true;
            return Some(number);
        }
        self.bytes += SKILL_OF_CONVERSATION_BYTES;
        conversation.skills.push(ConversationSkill { number, is_chosen });
        Some(number)
    }

    /// Counts a load of each of these skills.
    fn count_loads(&mut self, numbers: impl IntoIterator<Item = u32>, time: Timestamp) {
        for number in numbers {
            if let Some(tally) = self.tallies.get_mut(number as usize) {
                tally.loads += 1;
                tally.last_used = tally.last_used.max(time);
            }
        }
    }

    /// Takes `bytes` of the memory for counting. If too little is left, the figures cover the records counted before.
    fn has_room(&mut self, bytes: u64) -> bool {
        let has_room = self.bytes + bytes <= USAGE_TALLY_BYTES;
        if has_room {
            self.bytes += bytes;
        } else {
            self.truncated = true;
        }
        has_room
    }

    /// The figures of all that was counted. `instructions` are the tokens of each skill's instructions.
    #[must_use]
    pub fn figures(self, instructions: &BTreeMap<String, u64>) -> Usage {
        let begun = || self.conversations.values().filter(|one| one.has_begun);
        let conversations = begun().count() as u64;
        let searched = begun().filter(|one| one.has_searched).count() as u64;
        // For each skill: how many conversations used it, and how many chose it.
        let mut users = vec![(0, 0); self.tallies.len()];
        for used in begun().flat_map(|one| &one.skills) {
            if let Some((all, chosen)) = users.get_mut(used.number as usize) {
                *all += 1;
                *chosen += u64::from(used.is_chosen);
            }
        }
        let figures = |(skill, number): (String, u32)| {
            let (tally, (users, chosen)) = (self.tallies.get(number as usize)?, users.get(number as usize)?);
            // A skill that began only sessions without a call was not used.
            (tally.loads > 0).then(|| (tally.figures(skill, *users, conversations), *chosen))
        };
        let mut counted: Vec<_> = self.skills.into_iter().filter_map(figures).collect();
        // Stable, so that equals stay in the order of their paths.
        counted.sort_by_key(|(skill, _)| std::cmp::Reverse((skill.conversations, skill.loads)));
        let candidates = counted.iter().filter(|(_, chosen)| is_candidate(*chosen, conversations));
        let default_candidates = candidates.map(|(one, _)| one.skill.clone()).collect();
        let skills: Vec<_> = counted.into_iter().map(|(skill, _)| skill).collect();
        let used =
            skills.iter().map(|used| used.conversations * instructions.get(&used.skill).copied().unwrap_or_default());
        let all = conversations * instructions.values().sum::<u64>();
        Usage {
            conversations,
            discovery_rate: share(searched, conversations),
            discovery_success: share(self.counts.answered, self.counts.searches),
            discovery_to_use_turns: share(self.counts.turns, self.counts.answered),
            approval_rate: share(self.counts.approved, self.counts.decided),
            completion_rate: share(self.counts.completed, self.counts.calls),
            context_saved_tokens: all.saturating_sub(used.sum()).checked_div(conversations),
            searches: self.counts.searches,
            unanswered: self.counts.unanswered,
            default_candidates,
            skills,
            truncated: self.truncated,
        }
    }
}

/// Whether an agent calls it.
fn is_call(operation: &str) -> bool {
    Operation::ALL.iter().any(|known| known.name() == operation)
}

/// The 128 bits of the id of an approval.
fn approval_number(id: &str) -> Option<u128> {
    u128::from_str_radix(id, 16).ok()
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests;
