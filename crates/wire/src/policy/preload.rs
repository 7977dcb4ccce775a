//! The skills that a session begins with.

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error, SeqAccess, Visitor},
};
use skillmount_base::path::SkillPath;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{ArrayBuilder, Object, ObjectBuilder, OneOfBuilder, RefOr, Schema, Type},
};

/// The word that leaves the choice to the records.
const AUTO: &str = "auto";

/// The skills to load when a session begins: a list of skill paths, or `"auto"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Preload {
    /// These. A session of which one cannot be loaded is not made.
    Skills(Vec<SkillPath>),
    /// The skills that at least 30 % of the user's conversations used. A skill that cannot be loaded is omitted.
    Auto,
}

impl Preload {
    /// The skills that it names; none for `auto`.
    #[must_use]
    pub fn named(&self) -> &[SkillPath] {
        match self {
            Self::Skills(skills) => skills,
            Self::Auto => &[],
        }
    }

    /// Whether it asks for nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Skills(skills) if skills.is_empty())
    }

    /// Keeps the named skills that `keeps` holds for.
    pub fn retain(&mut self, keeps: impl Fn(&SkillPath) -> bool) {
        if let Self::Skills(skills) = self {
            skills.retain(keeps);
        }
    }
}

impl Default for Preload {
    fn default() -> Self {
        Self::Skills(Vec::new())
    }
}

impl From<Vec<SkillPath>> for Preload {
    fn from(skills: Vec<SkillPath>) -> Self {
        Self::Skills(skills)
    }
}

impl Serialize for Preload {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Skills(skills) => skills.serialize(serializer),
            Self::Auto => serializer.serialize_str(AUTO),
        }
    }
}

impl<'de> Deserialize<'de> for Preload {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Preload;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of skill paths, or \"auto\"")
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<Preload, E> {
        if word == AUTO { Ok(Preload::Auto) } else { Err(E::invalid_value(serde::de::Unexpected::Str(word), &self)) }
    }

    /// Null for it is its absence, as for every member of a policy.
    fn visit_unit<E: Error>(self) -> Result<Preload, E> {
        Ok(Preload::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut skills: A) -> Result<Preload, A::Error> {
        let mut named = Vec::new();
        while let Some(skill) = skills.next_element()? {
            named.push(skill);
        }
        Ok(Preload::Skills(named))
    }
}

impl PartialSchema for Preload {
    fn schema() -> RefOr<Schema> {
        let skills = ArrayBuilder::new().items(Object::with_type(Type::String));
        let word = ObjectBuilder::new().schema_type(Type::String).enum_values(Some([AUTO]));
        OneOfBuilder::new().item(skills).item(word).into()
    }
}

impl ToSchema for Preload {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_a_list_or_one_word() {
        let read = |text: &str| serde_json::from_str::<Preload>(text);
        for text in [r#"["a/b","c"]"#, "[]", r#""auto""#] {
            assert_eq!(serde_json::to_string(&read(text).unwrap()).unwrap(), text);
        }
        assert_eq!(read("null").unwrap(), Preload::default());
        assert!(read("[]").unwrap().is_empty() && !read(r#""auto""#).unwrap().is_empty());
        for (text, word) in [(r#""all""#, "or \"auto\""), ("1", "a list of skill paths"), (r#"["../x"]"#, "..")] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(word), "{error}");
        }
    }
}
