//! What is expected of each call, in words of its own.

use skillmount::wire::{Operation, Policy, SkillRule, SkillsAccess, ToolRule, Visibility};

use super::{
    calls::{Call, Does, Draft},
    held::{Held, says_what_is_a_sessions_own},
    kind::Kind,
};

/// What comes of a call: a status, a code, or `tool error`.
pub(super) fn expected(kind: Kind, call: &Call, held: &Held) -> String {
    let policy = if is_beside_sessions(call.does) { &held.user } else { &held.effective };
    let denied = || "denied".to_owned();
    if call.does == Does::Service {
        return call.ok.to_string();
    }
    if call.does == Does::Installs {
        let skill = policy.skills.get("a").copied().unwrap_or_default();
        let is_open = policy.catalog_reads && skill == SkillRule::AutoApprove;
        return if is_open { call.ok.to_string() } else { "skill_not_found".to_owned() };
    }
    match kind {
        Kind::Nobody | Kind::Unknown | Kind::Expired => return "unauthenticated".to_owned(),
        Kind::OfOther => return denied(),
        _ => {}
    }
    match call.does {
        Does::RulesUser | Does::SetsUserPolicy | Does::RulesDraft if !kind.has_control() || kind.is_bound() => {
            return denied();
        }
        Does::ReadsVersions | Does::ComparesVersions | Does::JudgesCatalog if kind.is_bound() => return denied(),
        Does::RulesSession | Does::RulesFork | Does::Decides if !kind.has_control() => return denied(),
        // A key that is bound to sessions made none of a new id.
        Does::EndsMade if !kind.has_control() || kind.is_bound_to_sessions() => return denied(),
        Does::RulesAll | Does::RulesOrganisation if kind != Kind::OfAll => return denied(),
        Does::RulesTeam if kind != Kind::ControlOfTeam => return denied(),
        // A bound key sets the value that it is bound to.
        Does::SetsTicket
            if !matches!(kind, Kind::OfTicketHere) && (!kind.has_control() || kind.is_bound_to_sessions()) =>
        {
            return denied();
        }
        // A key bound to a ticket makes sessions of that ticket.
        Does::Makes if kind.is_bound_to_sessions() => return denied(),
        Does::LooksAtUser | Does::Makes => {}
        does if is_beside_sessions(does) => {}
        // It made no fork, and the first call of such a key makes a session of its own.
        Does::LoadsInFork if kind == Kind::OfTicketElsewhere => {
            return loads(policy, policy.skills.get("a").copied().unwrap_or_default())
                .map_or_else(str::to_owned, |()| call.ok.to_string());
        }
        _ if !kind.reaches() => return denied(),
        _ => {}
    }
    if call.does == Does::SetsUserPolicy && says_what_is_a_sessions_own(&held.sent) {
        return "invalid_request".to_owned();
    }
    by_policy(kind, call, policy).map_or_else(str::to_owned, |()| call.ok.to_string())
}

/// Whether the user's policy alone counts.
fn is_beside_sessions(does: Does) -> bool {
    matches!(
        does,
        Does::Installs
            | Does::ReadsCatalog
            | Does::ShowsSkill
            | Does::NamesSkill
            | Does::DownloadsSkill
            | Does::ReadsVersions
            | Does::ComparesVersions
            | Does::JudgesCatalog
            | Does::ShowsOther
            | Does::ShowsDraft(_)
            | Does::DownloadsDraft(_)
    )
}

/// What the policy makes of a call that the key allows.
fn by_policy(kind: Kind, call: &Call, policy: &Policy) -> Result<(), &'static str> {
    let skill = policy.skills.get("a").copied().unwrap_or_default();
    match call.does {
        does if is_beside_sessions(does) && kind.has_control() => Ok(()),
        does if is_beside_sessions(does) && !policy.catalog_reads => Err("denied"),
        Does::ShowsSkill | Does::NamesSkill | Does::DownloadsSkill | Does::ReadsVersions | Does::ComparesVersions
            if skill >= SkillRule::Disabled =>
        {
            Err("skill_not_found")
        }
        Does::ShowsSkill | Does::DownloadsSkill | Does::ComparesVersions if skill == SkillRule::AskFirst => {
            Err("approval_required")
        }
        // A key that is bound to the session that made it sees it too.
        Does::ShowsDraft(draft) | Does::DownloadsDraft(draft) => {
            let is_own = draft == Draft::OfSession && kind == Kind::BoundHere;
            if is_own { Ok(()) } else { Err("skill_not_found") }
        }
        Does::LoadsDraft(Draft::OfSession) => rule(Operation::LoadSkill, policy),
        // Nobody is asked about what is not there for the session.
        Does::LoadsDraft(Draft::OfPerson) => match rule(Operation::LoadSkill, policy) {
            Err("tool_blocked") => Err("tool_blocked"),
            _ => Err("skill_not_found"),
        },
        Does::Acts(operation) | Does::Carries(operation) => rule(operation, policy),
        Does::WritesSkill => {
            rule(Operation::Write, policy)?;
            if policy.skills_access == SkillsAccess::Write { Ok(()) } else { Err("read_only") }
        }
        Does::LooksIntoSkill => {
            rule(Operation::Ls, policy)?;
            if policy.visibility == Visibility::All && skill == SkillRule::AutoApprove {
                Ok(())
            } else {
                Err("file_not_found")
            }
        }
        // What names no skill that can be seen is a message like any other.
        Does::Says if skill >= SkillRule::Disabled => rule(Operation::LoadSkill, policy),
        Does::LoadsInFork if !policy.children.load => Err("tool_blocked"),
        Does::Loads | Does::LoadsInFork | Does::Says => loads(policy, skill),
        Does::Calls(tool) | Does::CallsByMcp(tool) => {
            let is_there = match tool.operation() {
                Operation::LoadSkill => policy.load_tool.name() == tool.name() && loads(policy, skill).is_ok(),
                operation => rule(operation, policy).is_ok(),
            };
            if is_there { Ok(()) } else { Err("tool error") }
        }
        _ => Ok(()),
    }
}

fn loads(policy: &Policy, skill: SkillRule) -> Result<(), &'static str> {
    rule(Operation::LoadSkill, policy)?;
    match skill {
        SkillRule::AutoApprove => Ok(()),
        SkillRule::AskFirst => Err("approval_required"),
        SkillRule::Disabled | SkillRule::Blocked => Err("skill_not_found"),
    }
}

/// The rule for an operation in a policy that has at most one beside `*`, in words of its own.
fn rule(operation: Operation, policy: &Policy) -> Result<(), &'static str> {
    let named: Vec<&str> = match operation {
        Operation::LoadSkill => vec!["load_skill", "Skill"],
        Operation::Edit | Operation::Move | Operation::Delete | Operation::Upload => vec![operation.name(), "write"],
        Operation::Download => vec!["download", "read"],
        other => vec![other.name()],
    };
    let named = named.iter().find_map(|name| policy.tools.get(*name)).copied();
    let rest = policy.tools.get("*").copied().unwrap_or_default();
    let rule = match operation {
        // `*` alone does not open it, and no rule of its own opens what one for `write` closes.
        Operation::CreateSkill => {
            let of_write = policy.tools.get("write").copied().unwrap_or_default();
            named.unwrap_or(rest.max(ToolRule::Ask)).max(of_write)
        }
        _ => named.unwrap_or(rest),
    };
    let changes = matches!(
        operation,
        Operation::Write
            | Operation::Edit
            | Operation::Move
            | Operation::Delete
            | Operation::Upload
            | Operation::CreateSkill
    );
    match rule {
        ToolRule::Blocked => Err("tool_blocked"),
        _ if changes && policy.plan_mode => Err("plan_mode"),
        ToolRule::Ask => Err("approval_required"),
        ToolRule::Auto => Ok(()),
    }
}
