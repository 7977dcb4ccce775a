use jiff::SignedDuration;

use super::*;
use crate::wire::AuditSkill;

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
    let skill = AuditSkill {
        skill: format!("k{skill}"),
        name,
        description,
        status: "loaded".to_owned(),
        ..AuditSkill::default()
    };
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

// S-USAGE-4: `approval_rate` is the share of allowed calls among the calls that a person decided about.
#[test]
fn only_calls_that_were_decided_about_count_for_the_approval_rate() {
    let ask = |number: u128| AuditRecord {
        subject: format!("/workspace/{number}"),
        outcome: APPROVAL_REQUIRED.to_owned(),
        approval: Some(format!("{number:032x}")),
        ..record(0, "write")
    };
    let decide = |decision: &str, number: u128| AuditRecord {
        subject: format!("{decision} {number:032x}"),
        ..record(0, DECIDE_APPROVAL)
    };
    let repeat = |number: u128, outcome: &str| AuditRecord {
        subject: format!("/workspace/{number}"),
        outcome: outcome.to_owned(),
        ..record(0, "write")
    };
    let rate = |records: Vec<AuditRecord>| figures(records).approval_rate;
    let late = AuditRecord { outcome: "approval_not_found".to_owned(), ..decide("deny", 1) };
    // Another call with other contents, of which the record has nothing.
    let same = |number: u128| AuditRecord { approval: ask(number).approval, ..ask(1) };
    let refused = |number: u128| repeat(number, "tool_blocked");
    let after = |life: SignedDuration, record: AuditRecord| AuditRecord { time: record.time + life, ..record };
    let second = SignedDuration::from_secs(1);
    let table = [
        ("waits", vec![ask(1)], None),
        ("waits, and is repeated meanwhile", vec![ask(1), AuditRecord { approval: None, ..ask(1) }], None),
        ("allowed", vec![ask(1), decide("allow", 1)], Some(1.0)),
        ("allowed and made", vec![ask(1), decide("allow", 1), repeat(1, "ok")], Some(1.0)),
        ("allowed and fails", vec![ask(1), decide("allow", 1), repeat(1, "already_exists")], Some(1.0)),
        ("denied", vec![ask(1), decide("deny", 1)], Some(0.0)),
        ("denied and made all the same", vec![ask(1), decide("deny", 1), repeat(1, "tool_blocked")], Some(0.0)),
        ("decided otherwise", vec![ask(1), decide("deny", 1), decide("allow", 1)], Some(1.0)),
        ("and otherwise", vec![ask(1), decide("allow", 1), decide("deny", 1)], Some(0.0)),
        ("decided elsewhere", vec![ask(1), repeat(1, "ok")], Some(1.0)),
        ("denied elsewhere", vec![ask(1), repeat(1, "tool_blocked")], Some(0.0)),
        ("one of two", vec![ask(1), ask(2), decide("allow", 1)], Some(1.0)),
        ("both", vec![ask(1), ask(2), decide("allow", 1), decide("deny", 2)], Some(0.5)),
        ("asked anew", vec![ask(1), decide("deny", 1), AuditRecord { approval: ask(2).approval, ..ask(1) }], Some(0.0)),
        ("two that look the same", vec![ask(1), same(2), decide("allow", 1), decide("deny", 2)], Some(0.5)),
        ("and one waits", vec![ask(1), same(2), decide("deny", 1), repeat(1, "tool_blocked")], Some(0.0)),
        ("and is made later", vec![ask(1), same(2), decide("deny", 1), repeat(1, "ok")], Some(0.5)),
        (
            "and one is refused twice",
            vec![ask(1), same(2), decide("deny", 1), refused(1), refused(1), decide("allow", 2)],
            Some(0.5),
        ),
        ("too late", vec![ask(1), late], None),
        ("made in its time", vec![ask(1), after(APPROVAL_LIFE - second, repeat(1, "ok"))], Some(1.0)),
        ("made after its time", vec![ask(1), after(APPROVAL_LIFE, repeat(1, "ok"))], None),
        ("of nobody", vec![record(0, "ls"), decide("allow", 7)], None),
    ];
    for (what, records, expected) in table {
        assert_eq!(rate(records), expected, "{what}");
    }
}

// S-USAGE-5: A conversation uses the skills that it began with.
#[test]
fn what_a_session_begins_with_is_used_once_it_is_a_conversation() {
    let with = |skill: &str| {
        let (name, description) = (String::new(), String::new());
        AuditSkill { skill: skill.to_owned(), name, description, status: "loaded".to_owned(), ..AuditSkill::default() }
    };
    let make = |session| AuditRecord { began_with: vec![with("k1"), with("k2")], ..record(session, "create_session") };
    let counted = |usage: &Usage| -> Vec<_> {
        usage.skills.iter().map(|one| (one.skill.clone(), one.loads, one.conversations, one.rate)).collect()
    };
    let unused = figures([make(0), record(1, "ls")]);
    assert_eq!((unused.conversations, counted(&unused)), (1, vec![]));
    let used = figures([make(0), make(1), record(0, "ls"), load(0, 2), record(2, "ls")]);
    let (one, two) = (("k1".to_owned(), 1, 1, 0.5), ("k2".to_owned(), 2, 1, 0.5));
    assert_eq!((used.conversations, counted(&used)), (2, vec![two, one]));
    assert_eq!(used.default_candidates, ["k2", "k1"]);
    assert_eq!((used.searches, used.discovery_success), (0, None), "it was no answer to a search");
}

// S-USAGE-6: A conversation chose a skill if the agent loaded the skill or read a file of it, or if the session's
// policy named it.
#[test]
fn what_sessions_begin_with_because_others_did_is_a_candidate_only_while_it_is_used() {
    let began = |session, status: &str| {
        let (name, description) = (String::new(), String::new());
        let skill = AuditSkill {
            skill: "a/k1".to_owned(),
            name,
            description,
            status: status.to_owned(),
            ..AuditSkill::default()
        };
        AuditRecord { began_with: vec![skill], ..record(session, "create_session") }
    };
    let read =
        |session, operation: &str, path: &str| AuditRecord { subject: path.to_owned(), ..record(session, operation) };
    let failed =
        |session, path: &str| AuditRecord { outcome: "file_not_found".to_owned(), ..read(session, "read", path) };
    let loads = |session| {
        let mut load = load(session, 1);
        load.skill.iter_mut().for_each(|skill| skill.skill = "a/k1".to_owned());
        load
    };
    // Ten conversations begin with the skill, and three of them do this.
    let table = [
        ("nothing with it", "preloaded", record(0, "ls"), false),
        ("it was named", "loaded", record(0, "ls"), true),
        ("load it", "preloaded", loads(0), true),
        ("read a file of it", "preloaded", read(0, "read", "/skills/k1/r/a.md"), true),
        ("download one with others", "preloaded", read(0, "download", "/workspace/a /skills/k1/a.bin"), true),
        ("search it", "preloaded", read(0, "grep", "/skills/k1"), true),
        ("search all skills", "preloaded", read(0, "grep", "/skills"), false),
        ("list it", "preloaded", read(0, "ls", "/skills/k1"), false),
        ("read what is not there", "preloaded", failed(0, "/skills/k1/none"), false),
        ("read a file of another", "preloaded", read(0, "read", "/skills/k11/a.md"), false),
        ("read a file of their own", "preloaded", read(0, "read", "/workspace/skills/k1/a.md"), false),
    ];
    for (what, status, does, is_candidate) in table {
        let made = (0..10).map(|session| began(session, if session < 3 { status } else { PRELOADED }));
        let does = (0..3).map(|session| AuditRecord { session: Some(format!("s{session}")), ..does.clone() });
        let usage = figures(made.chain(does).chain((0..10).map(|session| record(session, "ls"))));
        assert_eq!((usage.skills[0].conversations, usage.skills[0].rate), (10, 1.0), "{what}: all of them used it");
        assert_eq!(usage.default_candidates == ["a/k1"], is_candidate, "{what}");
    }
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
    assert_eq!(tally.conversations.values().map(|one| one.asked.len()).sum::<usize>(), USAGE_ASKED);

    // A call that no longer waits takes no memory.
    let late = AuditRecord { time: ask(0).time + APPROVAL_LIFE, ..record(0, "ls") };
    tally.add(&late);
    assert_eq!(tally.bytes, CONVERSATION_BYTES);
    (0..3).for_each(|number| tally.add(&AuditRecord { time: late.time, ..ask(number) }));
    tally.add(&AuditRecord { time: late.time, outcome: "ok".to_owned(), ..ask(1) });
    assert_eq!(tally.bytes, CONVERSATION_BYTES + 2 * ASKED_BYTES);
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
