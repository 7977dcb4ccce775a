//! Which skill a name means, for every command and operation that takes one.

use std::collections::BTreeMap;

use crate::{
    error::{Code, Error, Result},
    path::{SkillPath, distance},
    skill::shown::one_line,
};

/// Names suggested for a skill that was not found.
const SUGGESTIONS: usize = 3;
/// A name with so many typos is near, and a longer one if a third of its letters are typos.
const TYPOS: usize = 2;

/// A skill that a name may mean.
#[derive(Clone, Copy, Debug)]
pub struct NamedSkill<'skill> {
    /// Where it lies.
    pub skill: &'skill SkillPath,
    /// The name in its frontmatter, or the name of its folder if the frontmatter was not read.
    pub name: &'skill str,
}

/// The skill among `skills` that `name` means: the skill at this path, else in a folder of this name, else with this frontmatter
/// name.
///
/// # Errors
/// `skill_not_found` if there is none, with the nearest, if any is near, as `suggestions`; `ambiguous_skill` if there are several, with them as
/// `candidates`.
///
/// ```
/// use skillmount_engine::skills::{NamedSkill, skill_named};
/// use skillmount_base::path::SkillPath;
///
/// # fn main() -> skillmount_base::Result<()> {
/// let skill = SkillPath::parse("escrituras/compraventa")?;
/// let skills = [NamedSkill { skill: &skill, name: "Venta" }];
/// assert_eq!(skill_named("compraventa", &skills)?, &skill);
/// assert_eq!(skill_named("Venta", &skills)?, &skill);
/// let missing = skill_named("compravneta", &skills).unwrap_err();
/// assert!(missing.message().ends_with("the nearest are: escrituras/compraventa"));
/// # Ok(())
/// # }
/// ```
pub fn skill_named<'skill>(name: &str, skills: &[NamedSkill<'skill>]) -> Result<&'skill SkillPath> {
    match answering(name, skills).as_slice() {
        [] => Err(unknown(name, skills)),
        [skill] => Ok(skill),
        several => Err(ambiguous(name, several)),
    }
}

/// The skills by names without categories. A skill has the name of its folder; if two folders have one name, the category
/// comes first. If two skills have one name even then, the first in byte order keeps it, and the other is omitted.
pub fn flat_names<T>(all: &[T], skill: impl Fn(&T) -> &SkillPath) -> BTreeMap<String, &T> {
    let mut count = BTreeMap::<&str, usize>::new();
    for one in all {
        *count.entry(skill(one).folder()).or_default() += 1;
    }
    let mut named = BTreeMap::new();
    for one in all {
        let skill = skill(one);
        let name = match count.get(skill.folder()) {
            Some(1) => skill.folder().to_owned(),
            _ => skill.as_str().replace('/', "-"),
        };
        named.entry(name).or_insert(one);
    }
    named
}

/// The skills that answer to `name`.
pub(crate) fn answering<'skill>(name: &str, skills: &[NamedSkill<'skill>]) -> Vec<&'skill SkillPath> {
    let ways: [fn(&NamedSkill<'_>, &str) -> bool; 3] = [
        |known, name| known.skill.as_str() == name,
        |known, name| known.skill.folder() == name,
        |known, name| known.name == name,
    ];
    let found = ways.iter().map(|is_meant| {
        let meant = skills.iter().filter(|known| is_meant(known, name));
        meant.map(|known| known.skill).collect::<Vec<_>>()
    });
    found.into_iter().find(|meant| !meant.is_empty()).unwrap_or_default()
}

pub(crate) fn ambiguous(name: &str, several: &[&SkillPath]) -> Error {
    let candidates: Vec<&str> = several.iter().map(|skill| skill.as_str()).collect();
    let message = format!("several skills are called {name:?}; name one of these by its path: {}", listed(&candidates));
    Error::new(Code::AmbiguousSkill, message).with_detail("candidates", candidates)
}

pub(crate) fn unknown(name: &str, skills: &[NamedSkill<'_>]) -> Error {
    let distance_to = |known: &NamedSkill<'_>| {
        let names = [known.skill.as_str(), known.skill.folder(), known.name];
        names.iter().map(|known| distance(name, known)).min().unwrap_or(usize::MAX)
    };
    // A catalog that is a moment old may still have the skill itself.
    let others = skills.iter().filter(|known| known.skill.as_str() != name);
    let length = name.chars().count();
    let is_near = |distance: usize| distance <= TYPOS.max(length / 3) && distance < length;
    let distances = others.map(|known| (distance_to(known), known.skill.as_str()));
    let mut near: Vec<_> = distances.filter(|(distance, _)| is_near(*distance)).collect();
    near.sort_unstable();
    let suggestions: Vec<&str> = near.iter().take(SUGGESTIONS).map(|(_, skill)| *skill).collect();
    let shown: String = name.chars().take(100).collect();
    let message = match suggestions.as_slice() {
        [] if skills.is_empty() => format!("there is no skill {shown:?}, and none other either"),
        [] => format!("there is no skill {shown:?}, and none with a name near it"),
        near => format!("there is no skill {shown:?}; the nearest are: {}", listed(near)),
    };
    Error::new(Code::SkillNotFound, message).with_detail("suggestions", suggestions)
}

/// Paths of skills within a sentence.
fn listed(skills: &[&str]) -> String {
    let shown: Vec<_> = skills.iter().map(|skill| one_line(skill).inline().into_owned()).collect();
    shown.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(name: &str, paths: &[&str]) -> Error {
        let paths: Vec<_> = paths.iter().map(|path| SkillPath::parse(path).unwrap()).collect();
        let skills: Vec<_> = paths.iter().map(|skill| NamedSkill { skill, name: skill.folder() }).collect();
        unknown(name, &skills)
    }

    #[test]
    fn only_skills_with_a_name_near_it_are_suggested() {
        let known = ["writing/minutes", "science/anndata", "science/cirq", "legal/sale"];
        for (name, near) in
            [("minuts", "writing/minutes"), ("seal", "legal/sale"), ("science/anndat", "science/anndata")]
        {
            let error = refusal(name, &known);
            assert_eq!(error.details()["suggestions"], serde_json::json!([near]), "{name}");
        }
        for name in ["/nope", "astropy", "x", ""] {
            let error = refusal(name, &known);
            assert!(error.message().ends_with("and none with a name near it"), "{error}");
        }
        assert!(refusal("minutes", &[]).message().ends_with("and none other either"));
    }
}
