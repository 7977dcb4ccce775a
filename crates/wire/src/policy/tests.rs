//! Rules: which of several holds, and which are refused.

use super::*;

fn path(text: &str) -> SkillPath {
    SkillPath::parse(text).unwrap()
}

fn with(rules: &[(&str, SkillRule)]) -> Policy {
    Policy { skills: rules.iter().map(|(pattern, rule)| ((*pattern).to_owned(), *rule)).collect(), ..Policy::default() }
}

#[test]
fn the_longest_pattern_decides_on_whole_segments() {
    let policy = with(&[
        ("*", SkillRule::Blocked),
        ("escrituras/*", SkillRule::AskFirst),
        ("escrituras/venta", SkillRule::AutoApprove),
    ]);
    assert_eq!(policy.skill(&path("escrituras/venta")), SkillRule::AutoApprove);
    assert_eq!(policy.skill(&path("escrituras/compraventa")), SkillRule::AskFirst);
    assert_eq!(policy.skill(&path("escriturasX/venta")), SkillRule::Blocked);
}

#[test]
fn a_folder_inside_a_blocked_skill_is_blocked_too() {
    assert_eq!(with(&[("a", SkillRule::Blocked)]).skill(&path("a/inner")), SkillRule::Blocked);
}

// S-SESSION-5: Of the user's policy and the session's policy, the stricter value holds for each question.
#[test]
fn of_two_policies_the_stricter_holds() {
    let strict = Policy { plan_mode: true, ..with(&[("a", SkillRule::Disabled)]) };
    let lax = Policy { skills_access: SkillsAccess::Write, ..Policy::default() };
    for policy in [strict.under(&lax), lax.under(&strict)] {
        assert!(policy.plan_mode());
        assert_eq!(policy.skills_access(), SkillsAccess::Read);
        assert_eq!(policy.skill(&path("a")), SkillRule::Disabled);
    }
}

// S-APPROVAL-9: The person at a host decides about its calls over HTTP only if the user's policy says `approve_by:
// host`.
#[test]
fn only_the_users_policy_gives_approvals_to_the_host() {
    use ApproveBy::{Control, Host};
    let by = |approve_by| Policy { approve_by, ..Policy::default() };
    let decides = |session, user| by(session).under(&by(user)).approve_by();
    assert_eq!([decides(None, Some(Host)), decides(Some(Host), Some(Host))], [Host, Host]);
    for (session, user) in [(None, None), (Some(Host), None), (Some(Host), Some(Control)), (Some(Control), Some(Host))]
    {
        assert_eq!(decides(session, user), Control, "{session:?} {user:?}");
    }
    let written = serde_json::to_value(Policy::default()).unwrap();
    assert!(written.get("approve_by").is_none(), "earlier versions read it");
}

fn ruled(rules: &[(&str, ToolRule)]) -> Policy {
    let tools = rules.iter().map(|(name, rule)| ((*name).to_owned(), *rule)).collect();
    Policy { tools, ..Policy::default() }
}

// S-POLICY-1: A rule for a tool holds for every way to do the same.
#[test]
fn a_rule_holds_for_every_way_to_the_same_end() {
    use ToolRule::{Ask, Auto, Blocked};
    for name in ["load_skill", "Skill"] {
        assert_eq!(ruled(&[("*", Auto), (name, Blocked)]).tool(Operation::LoadSkill), Blocked, "{name}");
    }
    assert_eq!(ruled(&[("load_skill", Auto), ("Skill", Ask)]).tool(Operation::LoadSkill), Ask);
    for operation in Operation::ALL {
        let of_write = ruled(&[("*", Auto), ("write", Blocked)]).tool(*operation);
        assert_eq!(of_write == Blocked, operation.changes_files(), "{operation}");
        let of_read = ruled(&[("*", Auto), ("read", Ask)]).tool(*operation);
        assert_eq!(of_read == Ask, matches!(operation, Operation::Read | Operation::Download), "{operation}");
    }
    // A narrower rule may be stricter and never laxer, and no rule opens what the rest is closed to.
    assert_eq!(ruled(&[("write", Blocked), ("edit", Auto)]).tool(Operation::Edit), Blocked);
    assert_eq!(ruled(&[("write", Auto), ("edit", Blocked)]).tool(Operation::Edit), Blocked);
    assert_eq!(ruled(&[("*", Blocked), ("write", Auto)]).tool(Operation::Edit), Blocked);
    assert_eq!(ruled(&[("*", Blocked), ("edit", Auto)]).tool(Operation::Edit), Auto);
}

// S-POLICY-2: The service refuses a policy that names an unknown tool.
#[test]
fn an_unknown_tool_is_refused_with_the_nearest_and_changes_nothing_at_rest() {
    for (wrong, nearest) in [("wriet", "write"), ("skill", "Skill"), ("Write", "write"), ("uplaod", "upload")] {
        let error = ruled(&[(wrong, ToolRule::Blocked)]).check().unwrap_err();
        assert_eq!(error.details()["suggestions"][0], nearest, "{error}");
    }
    let old = ruled(&[("*", ToolRule::Ask), ("wriet", ToolRule::Auto), ("run", ToolRule::Blocked)]);
    assert_eq!(old.unknown_tools().collect::<Vec<_>>(), ["run", "wriet"]);
    assert!(Operation::ALL.iter().all(|operation| old.tool(*operation) == ToolRule::Ask));
    let all = Operation::names().chain(["*"]).map(|name| (name, ToolRule::Auto)).collect::<Vec<_>>();
    assert!(ruled(&all).check().is_ok());
}

#[test]
fn patterns_that_could_never_match_are_refused() {
    for bad in ["a*", "*/a", "a//b", "/a", "a/**"] {
        assert!(with(&[(bad, SkillRule::AskFirst)]).check().is_err(), "{bad}");
    }
    for good in ["*", "a", "a/*", "a/b/*"] {
        assert!(with(&[(good, SkillRule::AskFirst)]).check().is_ok(), "{good}");
    }
}
