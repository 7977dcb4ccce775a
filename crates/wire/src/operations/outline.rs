//! The input of a call as an account of the call holds it, with the kinds of its members.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// The members of an input by kind. Of texts that are contents or questions it holds the length alone.
#[derive(Clone, Debug, Default, PartialEq)]
#[must_use]
pub struct CallOutline {
    /// Virtual paths.
    pub paths: Map<String, Value>,
    /// Names of skills: their paths, their names or their mounts.
    pub skills: Map<String, Value>,
    /// Globs of virtual paths.
    pub globs: Map<String, Value>,
    /// The members that name neither a file nor a skill.
    pub other: Map<String, Value>,
}

/// Which members of an input are names, and of what.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct InputNames {
    /// The arguments that are virtual paths.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// The arguments that name skills.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<String>,
    /// The arguments that are globs of virtual paths.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub globs: Vec<String>,
}

impl CallOutline {
    /// The input of a call on several files.
    pub fn of_files<'path>(paths: impl IntoIterator<Item = &'path str>) -> Self {
        Self::default().path("paths", paths.into_iter().collect::<Vec<_>>())
    }

    /// The same with a member that is a virtual path, several, or none.
    pub fn path(mut self, member: &str, value: impl Serialize) -> Self {
        put(&mut self.paths, member, value);
        self
    }

    /// The same with a member that names a skill, or none.
    pub fn skill(mut self, member: &str, value: impl Serialize) -> Self {
        put(&mut self.skills, member, value);
        self
    }

    /// The same with a member that is a glob of virtual paths, or none.
    pub fn glob(mut self, member: &str, value: impl Serialize) -> Self {
        put(&mut self.globs, member, value);
        self
    }

    /// The same with a member that names neither a file nor a skill.
    pub fn other(mut self, member: &str, value: impl Serialize) -> Self {
        put(&mut self.other, member, value);
        self
    }

    /// All members as one object.
    #[must_use]
    pub fn input(&self) -> Value {
        let Self { paths, skills, globs, other } = self;
        let members = [paths, skills, globs, other].into_iter().flatten();
        Value::Object(members.map(|(name, value)| (name.clone(), value.clone())).collect())
    }

    /// Which of the members are names.
    #[must_use]
    pub fn names(&self) -> InputNames {
        let names = |members: &Map<String, Value>| members.keys().cloned().collect();
        InputNames { paths: names(&self.paths), skills: names(&self.skills), globs: names(&self.globs) }
    }

    /// The members that `room` bytes of JSON hold, names first. `input_cut` says if some are left out.
    pub fn within(mut self, mut room: usize) -> Self {
        let mut is_cut = false;
        for members in [&mut self.paths, &mut self.skills, &mut self.globs, &mut self.other] {
            members.retain(|name, value| {
                if value.is_null() {
                    return false;
                }
                let left = room.checked_sub(name.len() + value.to_string().len() + 6);
                room = left.unwrap_or(room);
                is_cut |= left.is_none();
                left.is_some()
            });
        }
        if is_cut { self.other("input_cut", true) } else { self }
    }
}

fn put(members: &mut Map<String, Value>, member: &str, value: impl Serialize) {
    members.insert(member.to_owned(), serde_json::to_value(value).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_input_is_kept_as_far_as_there_is_room() {
        let all = CallOutline::of_files(["x".repeat(100).as_str()]).other("offset", 1).glob("glob", None::<&str>);
        assert_eq!(all.clone().within(100).input(), json!({"offset": 1, "input_cut": true}));
        assert_eq!(all.clone().within(1000).input(), json!({"paths": ["x".repeat(100)], "offset": 1}));
        let names = InputNames { paths: vec!["paths".to_owned()], ..InputNames::default() };
        assert_eq!(all.within(1000).names(), names);
    }
}
