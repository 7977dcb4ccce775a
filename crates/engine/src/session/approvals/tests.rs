//! The calls that wait, as a value: limits, ends and what is remembered.

use super::*;
use crate::limits::{APPROVAL_INPUT_BYTES, APPROVAL_MESSAGE_CHARS};

fn call_of(tool: &str, input: Value) -> PendingCall {
    PendingCall::new(tool, input, None, (true, false)).unwrap()
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

/// Asks at `second`, and returns the id of the call that waits.
fn asked(approvals: &mut Approvals, call: &PendingCall, second: i64, random: u128) -> String {
    match approvals.ask(call, at(second), random).unwrap().0 {
        CallDecision::Waits { call, .. } => call.approval_id,
        other => panic!("{other:?}"),
    }
}

fn decided(decision: Decision, remember: bool) -> DecideApproval {
    DecideApproval { remember, ..DecideApproval::new(decision) }
}

#[test]
fn an_id_is_all_of_its_128_bits() {
    let mut approvals = Approvals::default();
    assert_eq!(asked(&mut approvals, &call_of("ls", json!({})), 0, 0xab), format!("{:032x}", 0xab));
    assert_eq!(asked(&mut approvals, &call_of("read", json!({})), 0, u128::MAX), "f".repeat(32));
}

// S-APPROVAL-12: A call is identical if its operation and its input in normal form, as canonical JSON, are the same.
#[test]
fn a_call_is_known_by_its_canonical_json() {
    let digest = |text: &str| call_of("write", serde_json::from_str(text).unwrap()).digest;
    let one = digest(r#"{"a": 1, "b": {"c": 2, "d": [3, 4]}}"#);
    assert_eq!(one, digest(r#"{"b":{"d":[3,4],"c":2},"a":1}"#));
    for other in [r#"{"a": 1, "b": {"c": 2, "d": [4, 3]}}"#, r#"{"a": "1", "b": {"c": 2, "d": [3, 4]}}"#, "{}"] {
        assert_ne!(one, digest(other));
    }
    assert_ne!(call_of("write", json!({})).digest, call_of("edit", json!({})).digest);
    let loading = |digest: &str| {
        let load = SkillToLoad { skill: SkillPath::parse("a").unwrap(), digest: digest.to_owned() };
        PendingCall::new("write", json!({}), Some(&load), (true, false)).unwrap().digest
    };
    assert_ne!(loading("sha256:0"), call_of("write", json!({})).digest);
    assert_ne!(loading("sha256:0"), loading("sha256:1"), "an approval is for the files that were shown");
}

// S-LIMIT-1: Every limit stands in `crates/base/src/limits/`; the service takes n and refuses n + 1.
// S-APPROVAL-15: The session keeps 4 KiB of the input to show to the person: it cuts long texts in it, and `input_cut`
// says so.
#[test]
fn an_input_is_kept_whole_up_to_its_limit_and_beyond_it_its_long_texts_are_cut() {
    let frame = json!({ "content": "" }).to_string().len();
    for over in [0, 1] {
        let content = "x".repeat(APPROVAL_INPUT_BYTES - frame + over);
        let call = call_of("write", json!({ "content": content }));
        assert_eq!((call.input_cut, call.input.len() <= APPROVAL_INPUT_BYTES), (over == 1, true), "{over}");
    }
    let path = format!("/workspace/{}", "p".repeat(900));
    let (old, new) = ("\u{1}".repeat(1 << 20), "é".repeat(1 << 20));
    let call = call_of("edit", json!({ "file_path": path, "old_string": old, "new_string": new }));
    assert!(call.input_cut && call.input.len() <= APPROVAL_INPUT_BYTES, "{}", call.input.len());
    assert!(call.input.contains(&(1 << 21).to_string()), "how long it is in all");
    let many: serde_json::Map<_, _> = (0..10_000).map(|number| (number.to_string(), json!(number))).collect();
    let call = call_of("x", Value::Object(many));
    assert_eq!((call.input.as_str(), call.input_cut), ("{}", true));
}

#[test]
fn so_many_calls_wait_and_no_more_until_one_is_denied_or_ends() {
    let mut approvals = Approvals::default();
    let call = |number: usize| call_of("ls", json!({ "path": number }));
    let ids: Vec<_> =
        (0..APPROVALS).map(|number| asked(&mut approvals, &call(number), 0, number as u128 + 1)).collect();
    let refused = approvals.ask(&call(APPROVALS), at(0), 99).unwrap_err();
    assert_eq!(refused.code(), Code::RateLimited);
    assert_eq!(asked(&mut approvals, &call(7), 0, 99), ids[7], "one that waits is no further one");
    approvals.decide(&ids[0], &decided(Decision::Allow, false), at(0)).unwrap();
    assert!(approvals.ask(&call(APPROVALS), at(0), 99).is_err(), "an approval that is given is not lost");
    approvals.decide(&ids[1], &decided(Decision::Deny, false), at(0)).unwrap();
    asked(&mut approvals, &call(APPROVALS), 0, 99);
    assert_eq!(approvals.waiting(at(0)).approvals.len(), APPROVALS - 1);
    assert_eq!(approvals.ask(&call(0), at(0), 99).unwrap(), (CallDecision::Allowed, true));
    asked(&mut approvals, &call(1), 300, 100);
    assert_eq!(approvals.waiting(at(300)).approvals.len(), 1, "the others have ended");
}

#[test]
fn a_decision_may_be_changed_until_it_is_used() {
    let mut approvals = Approvals::default();
    let call = call_of("ls", json!({}));
    let id = asked(&mut approvals, &call, 0, 1);
    approvals.decide(&id, &decided(Decision::Deny, false), at(1)).unwrap();
    assert_eq!(approvals.ask(&call, at(2), 2).unwrap(), (CallDecision::Denied { message: None }, false));
    approvals.decide(&id, &decided(Decision::Allow, false), at(3)).unwrap();
    assert_eq!(approvals.ask(&call, at(4), 2).unwrap(), (CallDecision::Allowed, true));
    let gone = approvals.decide(&id, &decided(Decision::Allow, false), at(5)).unwrap_err();
    assert_eq!(gone.code(), Code::ApprovalNotFound);
}

#[test]
fn what_is_remembered_settles_the_calls_that_wait_for_the_same_and_no_others() {
    let mut approvals = Approvals::default();
    let (one, other) = (call_of("write", json!({ "path": 1 })), call_of("write", json!({ "path": 2 })));
    let id = asked(&mut approvals, &one, 0, 1);
    asked(&mut approvals, &other, 0, 2);
    asked(&mut approvals, &call_of("edit", json!({})), 0, 3);
    approvals.decide(&id, &decided(Decision::Allow, true), at(0)).unwrap();
    let left = approvals.waiting(at(0)).approvals;
    assert_eq!(left.iter().map(|call| call.tool.as_str()).collect::<Vec<_>>(), ["edit"]);
    for call in [&one, &one, &other] {
        assert_eq!(approvals.ask(call, at(9999), 4).unwrap(), (CallDecision::Allowed, false));
    }
    let load = SkillToLoad { skill: SkillPath::parse("a").unwrap(), digest: "sha256:0".to_owned() };
    let both = PendingCall::new("write", json!({}), Some(&load), (true, true)).unwrap();
    let id = asked(&mut approvals, &both, 0, 5);
    approvals.decide(&id, &decided(Decision::Deny, true), at(0)).unwrap();
    assert_eq!(
        approvals.ask(&one, at(0), 6).unwrap().0,
        CallDecision::Denied { message: None },
        "it asked about the tool too"
    );
    approvals.forget_remembered();
    assert!(matches!(approvals.ask(&one, at(0), 6).unwrap().0, CallDecision::Waits { is_new: true, .. }));
}

#[test]
fn it_reads_back_as_it_was_written_and_an_empty_one_is_nothing() {
    let mut approvals = Approvals::default();
    assert_eq!(serde_json::to_string(&approvals).unwrap(), "{}");
    let call = call_of("write", json!({ "a": null, "b": [] }));
    let id = asked(&mut approvals, &call, 0, 1);
    approvals.decide(&id, &decided(Decision::Deny, false), at(0)).unwrap();
    asked(&mut approvals, &call_of("ls", json!({ "path": "/" })), 0, 2);
    let text = serde_json::to_string(&approvals).unwrap();
    assert_eq!(serde_json::from_str::<Approvals>(&text).unwrap(), approvals);
    assert!(approvals.weight() > approvals.calls.iter().map(|kept| kept.input.len()).sum());
}

// S-LIMIT-1: Every limit stands in `crates/base/src/limits/`; the service takes n and refuses n + 1.
#[test]
fn a_denial_takes_a_text_up_to_its_limit_and_an_approval_takes_none() {
    let call = call_of("write", json!({}));
    let said = |decision: Decision, message: String| DecideApproval {
        message: Some(message),
        ..DecideApproval::new(decision)
    };
    let mut approvals = Approvals::default();
    let id = asked(&mut approvals, &call, 0, 1);
    for refused in
        [said(Decision::Deny, "ä".repeat(APPROVAL_MESSAGE_CHARS + 1)), said(Decision::Allow, "go on".to_owned())]
    {
        assert_eq!(approvals.decide(&id, &refused, at(0)).unwrap_err().code(), Code::InvalidRequest);
    }
    assert_eq!(asked(&mut approvals, &call, 0, 2), id, "it still waits");
    let message = "ä".repeat(APPROVAL_MESSAGE_CHARS);
    approvals.decide(&id, &said(Decision::Deny, message.clone()), at(0)).unwrap();
    let denied = |message: Option<String>| CallDecision::Denied { message };
    assert_eq!(approvals.ask(&call, at(299), 2).unwrap().0, denied(Some(message)));
    approvals.decide(&id, &said(Decision::Deny, " ".to_owned()), at(0)).unwrap();
    assert_eq!(approvals.ask(&call, at(0), 2).unwrap().0, denied(None), "another decision replaces the text");
}

// S-APPROVAL-17: The text of a denial is for its call and ends with the decision, with `remember` after five minutes.
#[test]
fn the_text_of_a_remembered_denial_is_for_its_call_and_ends_after_five_minutes() {
    let (call, other) = (call_of("write", json!({ "a": 1 })), call_of("write", json!({ "a": 2 })));
    let mut approvals = Approvals::default();
    let id = asked(&mut approvals, &call, 0, 1);
    let always = DecideApproval { message: Some("no".to_owned()), ..decided(Decision::Deny, true) };
    approvals.decide(&id, &always, at(0)).unwrap();
    let mut answer = |call: &PendingCall, second: i64| approvals.ask(call, at(second), 2).unwrap().0;
    assert_eq!(answer(&call, 299), CallDecision::Denied { message: Some("no".to_owned()) });
    assert_eq!(answer(&other, 299), CallDecision::Denied { message: None });
    assert_eq!(answer(&call, 300), CallDecision::Denied { message: None });
}

#[test]
fn a_call_shows_the_time_left_and_the_version_of_a_skill() {
    let load = SkillToLoad { skill: SkillPath::parse("a/b").unwrap(), digest: "sha256:0".to_owned() };
    let call = PendingCall::new("load_skill", json!({}), Some(&load), (false, true)).unwrap();
    let mut approvals = Approvals::default();
    asked(&mut approvals, &call, 0, 1);
    let shown = &approvals.waiting(at(100)).approvals[0];
    assert_eq!((shown.seconds_left, shown.digest.as_deref()), (200, Some("sha256:0")));
    assert_eq!(shown.skill.as_ref().map(SkillPath::as_str), Some("a/b"));
}

/// A load of the skill `a` with these files, which the rule of the skill asks about.
fn load_of(files: &str) -> PendingCall {
    let load = SkillToLoad { skill: SkillPath::parse("a").unwrap(), digest: files.to_owned() };
    PendingCall::new("load_skill", json!({"skill": "a"}), Some(&load), (false, true)).unwrap()
}

/// The call that waits, as a person sees it.
fn waits(approvals: &mut Approvals, call: &PendingCall, second: i64) -> WaitingCall {
    match approvals.ask(call, at(second), 7).unwrap().0 {
        CallDecision::Waits { call, .. } => call,
        other => panic!("{other:?}"),
    }
}

// S-APPROVAL-18: An approval of a load, also a remembered one, is for the files that the person saw.
#[test]
fn a_skill_that_changed_since_it_was_allowed_is_asked_about_again_and_the_question_says_so() {
    for remember in [false, true] {
        let mut approvals = Approvals::default();
        let first = waits(&mut approvals, &load_of("one"), 0);
        assert_eq!((first.digest.as_deref(), first.allowed_digest), (Some("one"), None));
        approvals.decide(&first.approval_id, &decided(Decision::Allow, remember), at(0)).unwrap();
        let changed = waits(&mut approvals, &load_of("two"), 1);
        assert_eq!((changed.digest.as_deref(), changed.allowed_digest.as_deref()), (Some("two"), Some("one")));
        assert_eq!(approvals.ask(&load_of("one"), at(1), 8).unwrap().0, CallDecision::Allowed, "what the person saw");
        let again = approvals.ask(&load_of("one"), at(2), 9).unwrap().0;
        assert_eq!(again == CallDecision::Allowed, remember);
    }
}

// S-APPROVAL-18: An approval of a load, also a remembered one, is for the files that the person saw.
#[test]
fn a_remembered_approval_moves_to_the_files_that_are_allowed_next_and_a_denial_is_for_all() {
    let mut approvals = Approvals::default();
    for (files, before) in [("one", None), ("two", Some("one")), ("three", Some("two"))] {
        let waiting = waits(&mut approvals, &load_of(files), 0);
        assert_eq!(waiting.allowed_digest.as_deref(), before, "{files}");
        approvals.decide(&waiting.approval_id, &decided(Decision::Allow, true), at(0)).unwrap();
        assert_eq!(approvals.ask(&load_of(files), at(0), 9).unwrap(), (CallDecision::Allowed, false));
    }
    let back = waits(&mut approvals, &load_of("one"), 0);
    approvals.decide(&back.approval_id, &decided(Decision::Deny, true), at(0)).unwrap();
    for files in ["one", "two", "three", "four"] {
        assert_eq!(
            approvals.ask(&load_of(files), at(0), 9).unwrap().0,
            CallDecision::Denied { message: None },
            "{files}"
        );
    }
}

// S-APPROVAL-18: An approval of a load, also a remembered one, is for the files that the person saw.
#[test]
fn an_approval_that_an_earlier_version_remembers_without_files_asks_again() {
    let stored = json!({"skills": {"a": "allow"}, "tools": {"write": "allow"}});
    let mut approvals: Approvals = serde_json::from_value(stored).unwrap();
    assert_eq!(waits(&mut approvals, &load_of("one"), 0).allowed_digest, None);
    assert_eq!(approvals.ask(&call_of("write", json!({})), at(0), 9).unwrap().0, CallDecision::Allowed);
    let kept = serde_json::to_value(&approvals).unwrap();
    assert_eq!(kept.get("allowed_digests"), None, "an earlier version reads it as before: {kept}");
}
