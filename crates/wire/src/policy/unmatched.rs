//! Rules of a policy that match no skill: they change nothing, and often have a slip in their pattern.

use std::collections::BTreeSet;

use super::{Policy, REST, folder_of};

impl Policy {
    /// The patterns in `skills` and `agents` that match none of `skills`, which are paths of skills. In byte order, each once. `*`
    /// is never among them.
    #[must_use]
    pub fn unmatched_rules<'skill>(&self, skills: impl IntoIterator<Item = &'skill str>) -> Vec<String> {
        let skills: BTreeSet<&str> = skills.into_iter().collect();
        let above = |skill: &'skill str| skill.match_indices('/').filter_map(move |(at, _)| skill.get(..at));
        let folders: BTreeSet<&str> = skills.iter().flat_map(|skill| above(skill)).collect();
        let names = |pattern: &str| match folder_of(pattern) {
            _ if pattern == REST => true,
            Some(folder) => folders.contains(folder),
            None => skills.contains(pattern),
        };
        // A rule for a skill also holds for the skills inside it.
        let rules = self.skills.keys().filter(|pattern| !names(pattern) && !folders.contains(pattern.as_str()));
        let handed_down = self.agents.values().flatten().filter(|pattern| !names(pattern));
        rules.chain(handed_down).cloned().collect::<BTreeSet<_>>().into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rules_that_match_no_skill_are_named_once() {
        let policy: Policy = serde_json::from_value(json!({
            "skills": {
                "*": "auto_approve", "legal/*": "enabled", "Legal/*": "enabled", "legal/contracts": "blocked", "legal": "blocked",
                "legal/contract": "blocked", "leg/*": "blocked", "legal/contracts/*": "blocked", "legal/contracts/nda/*": "blocked",
            },
            "agents": { "*": ["*", "legal/contracts/nda", "legal"], "clerk": ["Legal/*", "office/*"] },
        }))
        .unwrap();
        let skills = ["legal/contracts/nda", "legal/contracts", "mail"];
        let unmatched = policy.unmatched_rules(skills);
        assert_eq!(unmatched, ["Legal/*", "leg/*", "legal", "legal/contract", "legal/contracts/nda/*", "office/*"]);
        assert_eq!(policy.unmatched_rules([]).len(), 10, "all but `*`");
        assert!(Policy::default().unmatched_rules([]).is_empty());
    }
}
