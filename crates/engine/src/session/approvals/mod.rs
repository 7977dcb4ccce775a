//! The calls of a session that a person approves first.
//!
//! They are part of the session, so they change by compare-and-swap with it: an approval serves one call, whichever replica
//! is asked, and a restart loses none. A call is known by the digest of the canonical JSON of its normal form.

mod pending_call;

use crate::wire::{ApprovalList, DecideApproval, Decision, WaitingCall};
use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{
    budget::weight,
    error::{Code, Error, Result},
    json::UnknownMembers,
    limits::{APPROVAL_LIFE, APPROVALS, POLICY_RULES},
    path::SkillPath,
    skill::shown::one_line,
    wire::InputNames,
};

use pending_call::PendingSubject;
pub use pending_call::{PendingCall, SkillToLoad};

/// A call that waits for a decision, as listeners receive it: without the contents of its input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalRequest {
    /// Its id.
    pub approval_id: String,
    /// The tool that was called.
    pub tool: String,
    /// The members of the input, with the size of each content in its place. Empty if an earlier version stored the call.
    pub outline: Value,
    /// Which of these members are names. `None` if an earlier version stored the call.
    pub names: Option<InputNames>,
}

/// A call that needed approval, as the session keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct KeptCall {
    id: String,
    digest: String,
    subject: PendingSubject,
    /// The input as JSON, whole or cut.
    input: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    input_cut: bool,
    /// The input without contents as JSON, whole or cut.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    outline: String,
    /// Which members of that are names, as JSON. Empty if an earlier version stored the call.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    outline_names: String,
    expires_at: Timestamp,
    /// `None` while it waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    decision: Option<Decision>,
    /// The digest of the files that the call loads. `None` if it loads no skill, or an earlier version stored the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    skill_digest: Option<String>,
    /// The digest of other files of that skill, which a person allowed before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    allowed_digest: Option<String>,
    /// The text of the person who denied it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    /// The members of a newer version.
    #[serde(flatten)]
    unknown: UnknownMembers,
}

/// The decision about a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallDecision {
    /// It runs. An approval of this one call is used up.
    Allowed,
    /// It waits for a decision. `is_new`: the call did not wait before.
    Waits {
        /// The call, as it is shown.
        call: WaitingCall,
        /// Whether the call did not wait before.
        is_new: bool,
    },
    /// A person denied it.
    Denied {
        /// The text that the person sent with the denial.
        message: Option<String>,
    },
}

/// The calls of a session that needed approval, and what was decided for the whole session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approvals {
    /// The oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    calls: Vec<KeptCall>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    tools: BTreeMap<String, Decision>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    skills: BTreeMap<SkillPath, Decision>,
    /// The digests of the files of these skills that were allowed. A skill without a digest, as an earlier version remembers it,
    /// is not allowed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    allowed_digests: BTreeMap<SkillPath, String>,
    /// The members of a newer version.
    #[serde(flatten)]
    unknown: UnknownMembers,
}

impl KeptCall {
    /// `call`, which waits from `now` on under an id made of `random`. A person allowed the files of `allowed_digest` before.
    fn new(call: PendingCall, allowed_digest: Option<String>, now: Timestamp, random: u128) -> Self {
        let PendingCall { subject, skill_digest, digest, input, input_cut, outline, outline_names } = call;
        let (id, expires_at) = (format!("{random:032x}"), later(now));
        let (decision, message) = (None, None);
        Self {
            id,
            digest,
            subject,
            input,
            input_cut,
            outline,
            outline_names,
            expires_at,
            decision,
            skill_digest,
            allowed_digest,
            message,
            unknown: UnknownMembers::default(),
        }
    }

    /// The call as a person sees it at `now`.
    fn shown(&self, now: Timestamp) -> WaitingCall {
        WaitingCall {
            approval_id: self.id.clone(),
            tool: self.subject.tool.clone(),
            input: serde_json::from_str(&self.input).unwrap_or_default(),
            input_cut: self.input_cut,
            skill: self.subject.skill.clone(),
            digest: self.skill_digest.clone(),
            allowed_digest: self.allowed_digest.clone(),
            expires_at: self.expires_at,
            seconds_left: u64::try_from(self.expires_at.duration_since(now).as_secs()).unwrap_or_default(),
        }
    }

    fn request(&self) -> ApprovalRequest {
        ApprovalRequest {
            approval_id: self.id.clone(),
            tool: self.subject.tool.clone(),
            outline: serde_json::from_str(&self.outline).unwrap_or_else(|_| json!({})),
            names: serde_json::from_str(&self.outline_names).ok(),
        }
    }
}

impl Approvals {
    /// The decision about `call` at `now`. An undecided call waits from now on, under an id made of `random`. Also
    /// returns whether the change must be saved before the answer counts.
    ///
    /// # Errors
    /// `rate_limited` if too many calls wait already.
    pub fn ask(&mut self, call: &PendingCall, now: Timestamp, random: u128) -> Result<(CallDecision, bool)> {
        self.expire(now);
        match self.remembered(&call.subject, call.skill_digest.as_ref()) {
            Some(Decision::Allow) => return Ok((CallDecision::Allowed, false)),
            Some(Decision::Deny) => return Ok((CallDecision::Denied { message: self.message(call) }, false)),
            None => {}
        }
        if let Some(at) = self.calls.iter().position(|kept| kept.digest == call.digest)
            && let Some(kept) = self.calls.get(at)
        {
            return Ok(match kept.decision {
                None => (CallDecision::Waits { call: kept.shown(now), is_new: false }, false),
                Some(Decision::Deny) => (CallDecision::Denied { message: kept.message.clone() }, false),
                Some(Decision::Allow) => {
                    self.calls.remove(at);
                    (CallDecision::Allowed, true)
                }
            });
        }
        self.make_room()?;
        let kept = KeptCall::new(call.clone(), self.allowed_before(call), now, random);
        let shown = kept.shown(now);
        self.calls.push(kept);
        Ok((CallDecision::Waits { call: shown, is_new: true }, true))
    }

    /// Whether `call` was asked for and is not allowed, so that a decision may have been made elsewhere since.
    #[must_use]
    pub fn may_be_behind(&self, call: &PendingCall) -> bool {
        self.calls.iter().any(|kept| kept.digest == call.digest && kept.decision != Some(Decision::Allow))
    }

    /// Decides about the call `id`, and for the whole session if `wanted` says so.
    ///
    /// # Errors
    /// `approval_not_found` if no such call waits; `invalid_request` for a text that [`DecideApproval::checked_message`] refuses;
    /// `rate_limited` if too much is remembered already.
    pub fn decide(&mut self, id: &str, wanted: &DecideApproval, now: Timestamp) -> Result<()> {
        let message = wanted.checked_message()?;
        self.expire(now);
        let Some(kept) = self.calls.iter_mut().find(|kept| kept.id == id) else { return Err(not_found(id)) };
        kept.decision = Some(wanted.decision);
        kept.message = message.map(str::to_owned);
        kept.expires_at = later(now);
        if wanted.remember {
            let (subject, files) = (kept.subject.clone(), kept.skill_digest.clone());
            self.remember(subject, files, wanted.decision)?;
        }
        Ok(())
    }

    /// The calls that wait at `now`, the oldest first.
    #[must_use]
    pub fn waiting(&self, now: Timestamp) -> ApprovalList {
        ApprovalList { approvals: self.kept_waiting(now).map(|kept| kept.shown(now)).collect() }
    }

    /// The same calls, as listeners receive them.
    #[must_use]
    pub fn requests(&self, now: Timestamp) -> Vec<ApprovalRequest> {
        self.kept_waiting(now).map(KeptCall::request).collect()
    }

    fn kept_waiting(&self, now: Timestamp) -> impl Iterator<Item = &KeptCall> {
        self.calls.iter().filter(move |kept| kept.decision.is_none() && now < kept.expires_at)
    }

    /// Forgets what was decided for the whole session.
    pub fn forget_remembered(&mut self) {
        self.tools.clear();
        self.skills.clear();
        self.allowed_digests.clear();
    }

    /// Whether there is nothing to keep.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let is_known_empty = self.calls.is_empty() && self.tools.is_empty() && self.skills.is_empty();
        is_known_empty && self.unknown == UnknownMembers::default()
    }

    /// The bytes it takes in memory.
    pub(super) fn weight(&self) -> usize {
        let of_call = |kept: &KeptCall| {
            let skill = kept.subject.skill.as_ref().map_or(0, |skill| weight::text(skill.as_str()));
            let texts = [&kept.id, &kept.digest, &kept.subject.tool, &kept.input, &kept.outline, &kept.outline_names];
            let texts = texts.into_iter().chain(&kept.skill_digest).chain(&kept.allowed_digest).chain(&kept.message);
            skill + texts.map(|text| weight::text(text)).sum::<usize>() + kept.unknown.weight()
        };
        let calls: usize = self.calls.iter().map(of_call).sum();
        let tools: usize = self.tools.keys().map(|tool| weight::text(tool)).sum();
        let skills: usize = self.skills.keys().map(|skill| weight::text(skill.as_str())).sum();
        let digest = |(skill, digest): (&SkillPath, &String)| weight::text(skill.as_str()) + weight::text(digest);
        let digests: usize = self.allowed_digests.iter().map(digest).sum();
        let maps = weight::tree(self.tools.len() + self.skills.len(), size_of::<(String, Decision)>());
        let maps = maps + weight::tree(self.allowed_digests.len(), size_of::<(SkillPath, String)>());
        let calls = calls + weight::list(self.calls.len(), size_of::<KeptCall>());
        calls + tools + skills + digests + maps + self.unknown.weight()
    }

    fn expire(&mut self, now: Timestamp) {
        self.calls.retain(|kept| now < kept.expires_at);
    }

    /// The decision for the whole session about all rules that ask for approval of `subject`, which loads `files`.
    fn remembered(&self, subject: &PendingSubject, files: Option<&String>) -> Option<Decision> {
        let tool = subject.tool_asks.then(|| self.tools.get(&subject.tool).copied());
        let skill = subject.skill_asks.then(|| self.remembered_load(subject.skill.as_ref()?, files));
        let decisions: Vec<_> = tool.into_iter().chain(skill).collect();
        if decisions.contains(&Some(Decision::Deny)) {
            return Some(Decision::Deny);
        }
        decisions.iter().all(Option::is_some).then_some(Decision::Allow)
    }

    /// The decision for the whole session about loads of `skill`. A skill is allowed with these `files` alone, and denied with any.
    fn remembered_load(&self, skill: &SkillPath, files: Option<&String>) -> Option<Decision> {
        let is_for_these = || files.is_some() && self.allowed_digests.get(skill) == files;
        self.skills.get(skill).copied().filter(|decision| *decision == Decision::Deny || is_for_these())
    }

    /// The digest of other files of the skill that `call` loads, which a person allowed last.
    fn allowed_before(&self, call: &PendingCall) -> Option<String> {
        let skill = call.subject.skill.as_ref()?;
        let allows =
            |kept: &&KeptCall| kept.decision == Some(Decision::Allow) && kept.subject.skill.as_ref() == Some(skill);
        let of_call = self.calls.iter().rev().find(allows).and_then(|kept| kept.skill_digest.as_ref());
        of_call
            .or_else(|| self.allowed_digests.get(skill))
            .filter(|files| Some(*files) != call.skill_digest.as_ref())
            .cloned()
    }

    /// The text that a person sent with the denial of this call.
    fn message(&self, call: &PendingCall) -> Option<String> {
        self.calls.iter().find(|kept| kept.digest == call.digest)?.message.clone()
    }

    /// Remembers a decision for the rules that asked. Drops the calls that this decision settles, except one with a text for the
    /// model.
    fn remember(&mut self, subject: PendingSubject, files: Option<String>, decision: Decision) -> Result<()> {
        if self.skills.len() >= POLICY_RULES {
            let message = "too many skills are remembered in this session; set a rule in its policy";
            return Err(Error::new(Code::RateLimited, message));
        }
        if subject.tool_asks {
            self.tools.insert(subject.tool, decision);
        }
        if let Some(skill) = subject.skill.filter(|_| subject.skill_asks) {
            match files.filter(|_| decision == Decision::Allow) {
                Some(files) => drop(self.allowed_digests.insert(skill.clone(), files)),
                None => drop(self.allowed_digests.remove(&skill)),
            }
            self.skills.insert(skill, decision);
        }
        let kept = std::mem::take(&mut self.calls);
        let stays = |kept: &KeptCall| {
            kept.message.is_some() || self.remembered(&kept.subject, kept.skill_digest.as_ref()).is_none()
        };
        self.calls = kept.into_iter().filter(stays).collect();
        Ok(())
    }

    /// Makes room for one more call. Calls that were denied go first.
    fn make_room(&mut self) -> Result<()> {
        if self.calls.len() < APPROVALS {
            return Ok(());
        }
        let Some(denied) = self.calls.iter().position(|kept| kept.decision == Some(Decision::Deny)) else {
            let message = format!(
                "{APPROVALS} calls of this session wait for a person's approval, which is the most: wait until some are \
                 decided, then make this call again"
            );
            return Err(Error::new(Code::RateLimited, message));
        };
        self.calls.remove(denied);
        Ok(())
    }
}

fn later(now: Timestamp) -> Timestamp {
    now.saturating_add(APPROVAL_LIFE).unwrap_or(Timestamp::MAX)
}

fn not_found(id: &str) -> Error {
    let shown = one_line(id.get(..id.floor_char_boundary(64)).unwrap_or_default());
    let message = format!(
        "no call {:?} waits for approval in this session; it may have expired, and its list shows the waiting calls",
        shown.plain()
    );
    Error::new(Code::ApprovalNotFound, message)
}

#[cfg(test)]
mod tests;
