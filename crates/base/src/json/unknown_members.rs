//! The members of a stored object that this version does not know.
//!
//! Replicas of two versions may share a store. The older one changes objects of the newer one. So each stored
//! type keeps the members that it does not know, and the newer replica finds them again.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

/// The members that the type around it does not know. A stored type has one as its last field, with `#[serde(flatten)]`.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use skillmount_base::json::UnknownMembers;
///
/// #[derive(Serialize, Deserialize)]
/// struct Note {
///     text: String,
///     #[serde(flatten)]
///     unknown: UnknownMembers,
/// }
///
/// let newer = r#"{"text":"a","colour":"red"}"#;
/// let mut note: Note = serde_json::from_str(newer)?;
/// note.text = "b".to_owned();
/// assert_eq!(serde_json::to_string(&note)?, r#"{"text":"b","colour":"red"}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnknownMembers(Option<Box<Map<String, Value>>>);

impl UnknownMembers {
    /// Their names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().flat_map(|members| members.keys().map(String::as_str))
    }

    /// Removes the member `name`.
    pub fn remove(&mut self, name: &str) {
        if let Some(members) = &mut self.0 {
            members.remove(name);
        }
    }

    /// The bytes they take in memory, as an estimate that is too high.
    #[must_use]
    pub fn weight(&self) -> usize {
        self.0.as_deref().map_or(0, weight_of_object)
    }
}

impl From<Map<String, Value>> for UnknownMembers {
    fn from(members: Map<String, Value>) -> Self {
        Self((!members.is_empty()).then(|| Box::new(members)))
    }
}

impl Serialize for UnknownMembers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().flat_map(|members| members.iter()))
    }
}

impl<'de> Deserialize<'de> for UnknownMembers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Map::deserialize(deserializer).map(Self::from)
    }
}

/// The bytes of a member beside its texts: name and value, with the room that a growing map keeps free.
const MEMBER: usize = 2 * (size_of::<(String, Value)>() + 2 * size_of::<usize>());

fn weight_of_object(members: &Map<String, Value>) -> usize {
    members.iter().map(|(name, value)| MEMBER + name.len() + weight_of_value(value)).sum()
}

fn weight_of_value(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::String(text) => text.len(),
        Value::Array(values) => values.iter().map(|value| MEMBER + weight_of_value(value)).sum(),
        Value::Object(members) => weight_of_object(members),
    }
}
