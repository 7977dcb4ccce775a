//! Figures of use, made from records: how conversations find skills, and which skills they use.
//!
//! [`UsageTally`] takes records one by one and keeps what it needs of each conversation, a few words: so the figures of a
//! million records take as little memory as those of a thousand. Records hold no question, so no figure does.

use std::{
    collections::{BTreeMap, HashMap},
    hash::{DefaultHasher, Hash, Hasher as _},
};

use jiff::Timestamp;

use super::{
    figures::{SkillUsage, Usage},
    record::AuditRecord,
};
use crate::{
    limits::{USAGE_ASKED, USAGE_CONVERSATION_SKILLS, USAGE_CONVERSATIONS, USAGE_SKILLS, USAGE_TALLY_BYTES},
    wire::Operation,
};

/// The share of conversations from which on a skill is worth to be there from the start.
const CANDIDATE_RATE: (u64, u64) = (3, 10);
/// The outcome of a call that a person must approve first.
const APPROVAL_REQUIRED: &str = "approval_required";
/// The outcomes of a call that its caller may not make.
const REFUSED: [&str; 3] = ["denied", "tool_blocked", "plan_mode"];

/// Counts records, which come in the order of time.
#[derive(Debug, Default)]
pub struct UsageTally {
    since: Option<Timestamp>,
    /// By a hash of the session's id.
    conversations: HashMap<u64, Conversation>,
    skills: BTreeMap<String, SkillTally>,
    searches: u64,
    unanswered: u64,
    /// Searches that a load followed, and the calls until then.
    answered: u64,
    turns: u64,
    asked: u64,
    approved: u64,
    calls: u64,
    completed: u64,
    /// About what all this takes.
    bytes: u64,
    pub(super) truncated: bool,
}

/// What a conversation, a skill beside its path, a skill of a conversation and a call that waits take.
const CONVERSATION_BYTES: u64 = 128;
const SKILL_BYTES: u64 = 128;
const SKILL_OF_CONVERSATION_BYTES: u64 = 8;
const ASKED_BYTES: u64 = 16;

/// What is known of one conversation.
#[derive(Debug, Default)]
struct Conversation {
    has_searched: bool,
    /// The calls since the last search, while no load has followed it.
    since_search: Option<u64>,
    /// The numbers of the skills it used.
    skills: Vec<u32>,
    /// Hashes of the calls that wait for an approval.
    asked: Vec<u64>,
}

/// What is known of one skill.
#[derive(Debug)]
struct SkillTally {
    number: u32,
    loads: u64,
    conversations: u64,
    last_used: Timestamp,
}

impl UsageTally {
    /// Nothing yet; records before `since` will not count.
    #[must_use]
    pub fn new(since: Option<Timestamp>) -> Self {
        Self { since, ..Self::default() }
    }

    /// Counts a record. What is no call of an agent changes nothing.
    pub fn add(&mut self, record: &AuditRecord) {
        let Some(session) = record.session.as_deref().filter(|_| is_call(&record.operation)) else { return };
        if self.since.is_some_and(|since| record.time < since) {
            return;
        }
        let key = hash(session);
        let known = self.conversations.remove(&key);
        if known.is_none() && (self.conversations.len() >= USAGE_CONVERSATIONS || !self.has_room(CONVERSATION_BYTES)) {
            self.truncated = true;
            return;
        }
        let mut conversation = known.unwrap_or_default();
        self.count_call(&mut conversation, record);
        self.count_search(&mut conversation, record);
        self.count_load(&mut conversation, record);
        self.conversations.insert(key, conversation);
    }

    fn count_call(&mut self, conversation: &mut Conversation, record: &AuditRecord) {
        let call = hash((&record.operation, &record.subject));
        let at = conversation.asked.iter().position(|asked| *asked == call);
        if let Some(calls) = &mut conversation.since_search {
            *calls += 1;
        }
        if record.outcome == APPROVAL_REQUIRED {
            // A call that is repeated while it waits is asked for once.
            if at.is_none() && conversation.asked.len() < USAGE_ASKED && self.has_room(ASKED_BYTES) {
                conversation.asked.push(call);
                self.asked += 1;
            }
            return;
        }
        if let Some(at) = at {
            conversation.asked.swap_remove(at);
            self.approved += u64::from(!REFUSED.contains(&record.outcome.as_str()));
        }
        self.calls += 1;
        self.completed += u64::from(record.is_ok());
    }

    fn count_search(&mut self, conversation: &mut Conversation, record: &AuditRecord) {
        let searched = record.operation == Operation::DiscoverSkills.name() && record.is_ok();
        let Some(found) = record.found.filter(|_| searched) else { return };
        conversation.has_searched = true;
        conversation.since_search = Some(0);
        self.searches += 1;
        self.unanswered += u64::from(found == 0);
    }

    fn count_load(&mut self, conversation: &mut Conversation, record: &AuditRecord) {
        let loaded = record.operation == Operation::LoadSkill.name() && record.is_ok();
        let Some(skill) = record.skill.as_ref().filter(|_| loaded) else { return };
        if let Some(calls) = conversation.since_search.take() {
            self.answered += 1;
            self.turns += calls;
        }
        let is_new = !self.skills.contains_key(&skill.skill);
        if is_new && (self.skills.len() >= USAGE_SKILLS || !self.has_room(SKILL_BYTES + skill.skill.len() as u64)) {
            self.truncated = true;
            return;
        }
        let next = u32::try_from(self.skills.len()).unwrap_or(u32::MAX);
        let first = SkillTally { number: next, loads: 0, conversations: 0, last_used: record.time };
        let tally = self.skills.entry(skill.skill.clone()).or_insert(first);
        tally.loads += 1;
        tally.last_used = tally.last_used.max(record.time);
        if conversation.skills.contains(&tally.number) || conversation.skills.len() >= USAGE_CONVERSATION_SKILLS {
            return;
        }
        if self.bytes + SKILL_OF_CONVERSATION_BYTES > USAGE_TALLY_BYTES {
            self.truncated = true;
            return;
        }
        self.bytes += SKILL_OF_CONVERSATION_BYTES;
        conversation.skills.push(tally.number);
        tally.conversations += 1;
    }

    /// Takes `bytes` of the memory for what is counted. If there is not so much left, figures are of what was counted before.
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
        let conversations = self.conversations.len() as u64;
        let searched = self.conversations.values().filter(|one| one.has_searched).count() as u64;
        let mut skills: Vec<_> =
            self.skills.into_iter().map(|(skill, tally)| tally.figures(skill, conversations)).collect();
        // Stable, so that equals stay in the order of their paths.
        skills.sort_by_key(|skill| std::cmp::Reverse((skill.conversations, skill.loads)));
        let used =
            skills.iter().map(|used| used.conversations * instructions.get(&used.skill).copied().unwrap_or_default());
        let all = conversations * instructions.values().sum::<u64>();
        Usage {
            conversations,
            discovery_rate: share(searched, conversations),
            discovery_success: share(self.answered, self.searches),
            discovery_to_use_turns: share(self.turns, self.answered),
            approval_rate: share(self.approved, self.asked),
            completion_rate: share(self.completed, self.calls),
            context_saved_tokens: all.saturating_sub(used.sum()).checked_div(conversations),
            searches: self.searches,
            unanswered: self.unanswered,
            default_candidates: skills
                .iter()
                .filter(|one| one.is_candidate(conversations))
                .map(|one| one.skill.clone())
                .collect(),
            skills,
            truncated: self.truncated,
        }
    }
}

impl SkillTally {
    fn figures(self, skill: String, all: u64) -> SkillUsage {
        let Self { loads, conversations, last_used, .. } = self;
        SkillUsage { skill, loads, conversations, rate: share(conversations, all).unwrap_or_default(), last_used }
    }
}

impl SkillUsage {
    fn is_candidate(&self, all: u64) -> bool {
        let (part, whole) = CANDIDATE_RATE;
        self.conversations * whole >= all * part
    }
}

impl AuditRecord {
    fn is_ok(&self) -> bool {
        self.outcome == "ok"
    }
}

/// Whether an agent calls it.
fn is_call(operation: &str) -> bool {
    Operation::ALL.iter().any(|known| known.name() == operation)
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// A part of a whole, to four digits; `None` if there is no whole.
fn share(part: u64, whole: u64) -> Option<f64> {
    // There are fewer than 2^32 of anything that is counted here.
    let float = |count: u64| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    (whole > 0).then(|| (float(part) / float(whole) * 1e4).round() / 1e4)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::AuditSkill;

    fn record(session: usize, operation: &str) -> AuditRecord {
        AuditRecord {
            session: Some(format!("s{session}")),
            operation: operation.to_owned(),
            outcome: "ok".to_owned(),
            ..AuditRecord::default()
        }
    }

    fn load(session: usize, skill: usize) -> AuditRecord {
        let (name, description) = (String::new(), String::new());
        let skill = AuditSkill { skill: format!("k{skill}"), name, description, status: "loaded".to_owned() };
        AuditRecord { skill: Some(skill), ..record(session, "load_skill") }
    }

    fn figures(records: impl IntoIterator<Item = AuditRecord>) -> Usage {
        let mut tally = UsageTally::new(None);
        records.into_iter().for_each(|record| tally.add(&record));
        tally.figures(&BTreeMap::new())
    }

    #[test]
    fn without_records_there_are_no_figures() {
        let nothing = figures([]);
        assert_eq!(nothing, Usage::default());
        let beside = AuditRecord { session: None, ..record(0, "publish_skill") };
        assert_eq!(figures([beside, record(1, "create_session"), record(1, "forget_session")]), nothing);
    }

    #[test]
    fn a_skill_is_a_candidate_at_three_tenths_and_not_below() {
        let conversations = |with: usize, all: usize| {
            let calls = (0..all).map(|session| record(session, "ls"));
            figures(calls.chain((0..with).map(|session| load(session, 0)))).default_candidates.len()
        };
        assert_eq!((conversations(3, 10), conversations(29, 100), conversations(150, 500)), (1, 0, 1));
    }

    // S-USAGE-2: `unanswered` counts the searches that found nothing.
    #[test]
    fn only_the_last_search_before_a_load_is_answered_and_by_it_alone() {
        let search = |found| AuditRecord { found: Some(found), ..record(0, "discover_skills") };
        let explained = record(0, "discover_skills");
        let usage = figures([search(0), search(3), explained, load(0, 1), load(0, 1), load(0, 2)]);
        assert_eq!((usage.searches, usage.unanswered, usage.discovery_success), (2, 1, Some(0.5)));
        assert_eq!((usage.discovery_to_use_turns, usage.discovery_rate), (Some(2.0), Some(1.0)));
        assert_eq!(usage.skills.iter().map(|one| (one.loads, one.conversations)).collect::<Vec<_>>(), [(2, 1), (1, 1)]);
    }

    // S-USAGE-3: The figures of a million records take bounded memory.
    #[test]
    fn memory_is_bounded_whatever_the_records_say() {
        for (conversations, truncated) in [(USAGE_CONVERSATIONS, false), (USAGE_CONVERSATIONS + 1, true)] {
            let usage = figures((0..conversations).map(|session| record(session, "ls")));
            assert_eq!((usage.conversations, usage.truncated), (USAGE_CONVERSATIONS as u64, truncated));
        }
        for (skills, truncated) in [(USAGE_SKILLS, false), (USAGE_SKILLS + 1, true)] {
            let usage = figures((0..skills).map(|skill| load(skill % 100, skill)));
            assert_eq!((usage.skills.len(), usage.truncated), (USAGE_SKILLS, truncated));
        }
        let one = figures((0..=USAGE_CONVERSATION_SKILLS).map(|skill| load(0, skill)));
        assert_eq!(one.skills.iter().map(|skill| skill.conversations).sum::<u64>(), USAGE_CONVERSATION_SKILLS as u64);
        let ask = |number: usize| AuditRecord {
            subject: number.to_string(),
            outcome: APPROVAL_REQUIRED.to_owned(),
            ..record(0, "write")
        };
        let mut tally = UsageTally::new(None);
        (0..=USAGE_ASKED).for_each(|number| tally.add(&ask(number)));
        assert_eq!(tally.asked, USAGE_ASKED as u64);
    }

    // S-USAGE-3: The figures of a million records take bounded memory.
    #[test]
    fn what_is_counted_has_so_many_bytes_and_what_is_beyond_is_left_out() {
        const LEFT: usize = 8;
        let of_one = SKILL_OF_CONVERSATION_BYTES * USAGE_CONVERSATION_SKILLS as u64;
        let mut tally = UsageTally { bytes: USAGE_TALLY_BYTES - LEFT as u64 * of_one, ..UsageTally::new(None) };
        for session in 0..=LEFT {
            (0..USAGE_CONVERSATION_SKILLS).for_each(|skill| tally.add(&load(session, skill)));
            assert!(tally.bytes <= USAGE_TALLY_BYTES);
        }
        assert!(tally.truncated && tally.bytes > USAGE_TALLY_BYTES - CONVERSATION_BYTES);
    }

    #[test]
    fn what_ended_before_the_time_does_not_count() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let mut tally = UsageTally::new(Some(at(100)));
        for (session, second) in [(0, 99), (1, 100), (2, 101)] {
            tally.add(&AuditRecord { time: at(second), ..record(session, "ls") });
        }
        assert_eq!(tally.figures(&BTreeMap::new()).conversations, 2);
    }
}
