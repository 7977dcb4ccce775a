//! The object of a user's policy, and the memory that a policy takes.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::objects::StoredValue;
use crate::{
    budget::weight,
    error::{Code, Error, Result},
    path::{ObjectKey, SkillPath},
    wire::{Policy, stored_policy},
};

/// A user's policy as it lies in the bucket.
#[derive(Clone, Debug)]
pub(super) struct PolicyObject(pub(super) Arc<Policy>);

impl Serialize for PolicyObject {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        stored_policy::serialize(&self.0, serializer)
    }
}

impl<'de> Deserialize<'de> for PolicyObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        stored_policy::deserialize(deserializer).map(|policy| Self(Arc::new(policy)))
    }
}

impl StoredValue for PolicyObject {
    type Shared = ();

    fn weight(&self) -> usize {
        weight_of_policy(&self.0)
    }

    fn in_place_of_damaged(_: &ObjectKey) -> Result<Self> {
        let message = "the policy of this user is damaged, so nothing is allowed to them; set another with a key of scope control";
        Err(Error::new(Code::ObjectDamaged, message))
    }
}

/// The bytes of a policy in memory.
pub(super) fn weight_of_policy(policy: &Policy) -> usize {
    let rules = |names: usize, count: usize| names + weight::tree(count, size_of::<(String, u8)>());
    let tools: usize = policy.tools.keys().map(|name| weight::text(name)).sum();
    let skills: usize = policy.skills.keys().map(|name| weight::text(name)).sum();
    let preload: usize = policy.preload.named().iter().map(|skill| weight::text(skill.as_str())).sum();
    let list = weight::list(policy.preload.named().len(), size_of::<SkillPath>());
    let of_agent = |(agent, skills): (&String, &Vec<String>)| {
        let skills_bytes: usize = skills.iter().map(|skill| weight::text(skill)).sum();
        weight::text(agent) + skills_bytes + weight::list(skills.len(), size_of::<String>())
    };
    let agents: usize = policy.agents.iter().map(of_agent).sum();
    let agents = agents + weight::tree(policy.agents.len(), size_of::<(String, Vec<String>)>());
    let rules = rules(tools, policy.tools.len()) + rules(skills, policy.skills.len());
    rules + preload + list + agents + policy.unknown.weight()
}
