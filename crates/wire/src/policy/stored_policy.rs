//! A policy as it lies in the bucket, where a newer version of this program may have written it.
//!
//! The service refuses a request with an unknown rule, but a stored rule holds. So an unknown rule of a stored policy counts as
//! the strictest one: a tool or skill with such a rule is blocked. An unknown member could limit any change, so nothing may be
//! changed under it. All unknown rules are written back unchanged.
//!
//! For serde, as `#[serde(with = "stored_policy")]`.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::DeserializeOwned, de::Error as _, ser::Error as _};
use serde_json::{Map, Value, json};
use skillmount_base::json::from_slice;

use super::{
    ApproveBy, LoadTool, Policy, Preload, PromptMode, SkillRule, SkillsAccess, ToolRule, UnknownRules, Visibility,
    unknown_rules::{CHILD_RIGHTS, MEMBERS},
};

/// Writes a policy, with the rules that were not understood as they were.
///
/// # Errors
/// The serializer's.
pub fn serialize<S: Serializer>(policy: &Policy, serializer: S) -> Result<S::Ok, S::Error> {
    let mut stored = serde_json::to_value(policy).map_err(S::Error::custom)?;
    lay_over(&mut stored, serde_json::to_value(policy.unknown.members()).map_err(S::Error::custom)?);
    stored.serialize(serializer)
}

/// Reads a policy, with the rules that this version cannot understand as the strictest ones.
///
/// # Errors
/// The deserializer's, for a value that is a policy in no version.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Policy, D::Error> {
    understand(Map::deserialize(deserializer)?).map_err(D::Error::custom)
}

fn understand(mut stored: Map<String, Value>) -> Result<Policy, serde_json::Error> {
    let mut unknown = Map::new();
    take_unknown(&mut stored, &MEMBERS, &mut unknown);
    if let Some(Value::Object(children)) = stored.get_mut("children") {
        let mut rights = Map::new();
        take_unknown(children, &CHILD_RIGHTS, &mut rights);
        if !rights.is_empty() {
            unknown.insert("children".to_owned(), Value::Object(rights));
        }
    }
    close_rules::<ToolRule>(&mut stored, "tools", &mut unknown);
    close_rules::<SkillRule>(&mut stored, "skills", &mut unknown);
    close_word::<SkillsAccess>(&mut stored, "skills_access", json!("read"), &mut unknown);
    close_word::<Visibility>(&mut stored, "visibility", json!("loaded"), &mut unknown);
    close_word::<ApproveBy>(&mut stored, "approve_by", json!("control"), &mut unknown);
    close_word::<PromptMode>(&mut stored, "prompt_mode", json!(PromptMode::default()), &mut unknown);
    close_word::<LoadTool>(&mut stored, "load_tool", json!(LoadTool::default()), &mut unknown);
    close_word::<Preload>(&mut stored, "preload", json!([]), &mut unknown);
    // As every stored object: an array is no object, and null is no absent member.
    let policy: Policy = from_slice(&serde_json::to_vec(&stored)?)?;
    Ok(Policy { unknown: UnknownRules::from(unknown), ..policy })
}

/// Moves the members that are not in `known` to `unknown`.
fn take_unknown(stored: &mut Map<String, Value>, known: &[&str], unknown: &mut Map<String, Value>) {
    let (kept, taken) = std::mem::take(stored).into_iter().partition(|(name, _)| known.contains(&name.as_str()));
    *stored = kept;
    *unknown = taken;
}

/// Blocks each entry of the member `name` whose rule is a word that `T` does not know.
fn close_rules<T: DeserializeOwned>(stored: &mut Map<String, Value>, name: &str, unknown: &mut Map<String, Value>) {
    let Some(Value::Object(rules)) = stored.get_mut(name) else { return };
    let mut closed = Map::new();
    for (of, rule) in rules.iter_mut().filter(|(_, rule)| is_unknown_word::<T>(rule)) {
        closed.insert(of.clone(), std::mem::replace(rule, json!("blocked")));
    }
    if !closed.is_empty() {
        unknown.insert(name.to_owned(), Value::Object(closed));
    }
}

/// Replaces the value of the member `name` with `strictest` if it is a word that `T` does not know.
fn close_word<T: DeserializeOwned>(
    stored: &mut Map<String, Value>,
    name: &str,
    strictest: Value,
    unknown: &mut Map<String, Value>,
) {
    if let Some(value) = stored.get_mut(name).filter(|value| is_unknown_word::<T>(value)) {
        unknown.insert(name.to_owned(), std::mem::replace(value, strictest));
    }
}

/// Whether `value` is a word that `T` does not know. Another value of a wrong type is damage.
fn is_unknown_word<T: DeserializeOwned>(value: &Value) -> bool {
    value.is_string() && T::deserialize(value).is_err()
}

/// Puts the values of `over` into their places in `under`.
fn lay_over(under: &mut Value, over: Value) {
    match (under, over) {
        (Value::Object(under), Value::Object(over)) => {
            for (name, value) in over {
                match under.get_mut(&name) {
                    Some(place) => lay_over(place, value),
                    None => drop(under.insert(name, value)),
                }
            }
        }
        (under, over) => *under = over,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Operation;
    use skillmount_base::path::SkillPath;

    fn read(stored: &Value) -> Result<Policy, serde_json::Error> {
        deserialize(stored)
    }

    fn written(policy: &Policy) -> Value {
        serialize(policy, serde_json::value::Serializer).unwrap()
    }

    #[test]
    fn the_members_are_those_of_the_type() {
        for name in MEMBERS {
            let error = serde_json::from_value::<Policy>(json!({ name: { "a": { "b": 1 } } })).unwrap_err().to_string();
            assert!(!error.contains(&format!("unknown field `{name}`")), "{error}");
        }
        let error = serde_json::from_value::<Policy>(json!({ "x": 1 })).unwrap_err().to_string();
        assert_eq!(error.matches('`').count(), 2 * (MEMBERS.len() + 1), "{error}");
    }

    // S-STORE-21: The service reads a stored policy of a newer version, and an unknown rule counts as the strictest one.
    #[test]
    fn a_rule_that_cannot_be_understood_is_the_strictest_and_is_kept() {
        let stored = json!({
            "tools": { "write": "twice", "*": "auto" },
            "skills": { "law/*": "weekdays", "*": "auto_approve" },
            "skills_access": "append",
            "approve_by": "committee",
            "children": { "load": true, "create": true, "publish": false, "rename": true },
        });
        let policy = read(&stored).unwrap();
        assert_eq!(policy.tool(Operation::Write), ToolRule::Blocked);
        assert_eq!(policy.tool(Operation::Read), ToolRule::Auto);
        assert_eq!(policy.skill(&SkillPath::parse("law/leases").unwrap()), SkillRule::Blocked);
        assert_eq!(policy.skill(&SkillPath::parse("work/leases").unwrap()), SkillRule::AutoApprove);
        assert_eq!(policy.skills_access, SkillsAccess::Read);
        let effective = policy.under(&Policy::unrestricted());
        assert_eq!((effective.approve_by(), effective.plan_mode()), (ApproveBy::Control, false));
        let back = written(&policy);
        for name in ["tools", "skills", "skills_access", "approve_by", "children"] {
            assert_eq!(back[name], stored[name], "{name}");
        }
        assert_eq!(read(&back).unwrap(), policy);
    }

    #[test]
    fn nothing_may_be_changed_under_a_member_that_is_not_known() {
        let policy = read(&json!({ "quota": { "files": 7 } })).unwrap();
        for effective in [policy.under(&Policy::unrestricted()), Policy::unrestricted().under(&policy)] {
            assert!(effective.plan_mode());
        }
        assert_eq!(written(&policy)["quota"], json!({ "files": 7 }));
    }

    #[test]
    fn a_value_that_is_of_no_version_is_damage() {
        for stored in [
            json!({ "tools": [] }),
            json!({ "tools": { "write": null } }),
            json!({ "plan_mode": null }),
            json!({ "plan_mode": "yes" }),
            json!({ "children": [true, true, true] }),
            json!({ "skills": { "a": 7 } }),
        ] {
            assert!(read(&stored).is_err(), "{stored}");
        }
    }

    #[test]
    fn a_policy_that_is_understood_is_written_as_before() {
        for policy in [Policy::default(), Policy::unrestricted()] {
            let written = written(&policy);
            assert_eq!(written, serde_json::to_value(&policy).unwrap());
            assert_eq!(read(&written).unwrap(), policy);
        }
    }
}
