//! Skill paths and mount names.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{id::quoted, segment};
use crate::{
    error::{Code, Error, Result},
    limits::{PATH_BYTES, SKILL_DEPTH},
};

/// The path of a skill below `skills/`: `escrituras/compraventa`, one to six segments.
///
/// ```
/// use skillmount_base::path::SkillPath;
///
/// let skill = SkillPath::parse("escrituras/compraventa")?;
/// assert_eq!((skill.category(), skill.folder()), ("escrituras", "compraventa"));
/// assert!(SkillPath::parse("/escrituras/compraventa").is_err());
/// # Ok::<(), skillmount_base::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SkillPath(Arc<str>);

impl SkillPath {
    /// Checks `text`: segments as in a virtual path, none of them a hidden folder of tools (`.git`, `node_modules`).
    ///
    /// # Errors
    /// `invalid_request`, with the form of a skill path.
    pub fn parse(text: &str) -> Result<Self> {
        let fault = if text.len() > PATH_BYTES {
            Some("too long")
        } else if text.split('/').count() > SKILL_DEPTH {
            Some("more than 6 folders deep")
        } else if text.split('/').any(|part| matches!(part, ".git" | "node_modules")) {
            Some("inside a folder of tools")
        } else {
            segment::fault_in(text).map(|_| "not a relative path of plain names")
        };
        match fault {
            None => Ok(Self(Arc::from(text))),
            Some(fault) => Err(Error::new(
                Code::InvalidRequest,
                format!("{} is not a skill path: it is {fault}; one looks like escrituras/compraventa", quoted(text)),
            )),
        }
    }

    /// The path as text, without slashes at either end.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The part before the last `/`; empty for a skill at the top.
    #[must_use]
    pub fn category(&self) -> &str {
        self.0.rsplit_once('/').map_or("", |(category, _)| category)
    }

    /// Whether it lies in the category `category` or below it, by whole segments. Every skill lies in the empty one.
    #[must_use]
    pub fn is_in(&self, category: &str) -> bool {
        let category = category.trim_matches('/');
        let below = self.category().strip_prefix(category);
        below.is_some_and(|rest| category.is_empty() || rest.is_empty() || rest.starts_with('/'))
    }

    /// The last segment: the name of its folder, and of its mount if there is no alias.
    #[must_use]
    pub fn folder(&self) -> &str {
        self.0.rsplit_once('/').map_or(&*self.0, |(_, folder)| folder)
    }

    /// The mount name of a load without alias.
    pub fn mount_name(&self) -> MountName {
        MountName(Arc::from(self.folder()))
    }

    /// The folders above this one, nearest first. A skill in one of them would contain this folder.
    pub fn ancestors(&self) -> impl Iterator<Item = Self> {
        let mut rest = &*self.0;
        std::iter::from_fn(move || {
            rest = rest.rsplit_once('/')?.0;
            Some(Self(Arc::from(rest)))
        })
    }
}

/// The folder of a loaded skill below `/skills`: one segment.
///
/// ```
/// use skillmount_base::path::{MountName, SkillPath};
///
/// assert_eq!(SkillPath::parse("writing/minutes")?.mount_name(), MountName::parse("minutes")?);
/// assert!(MountName::parse("writing/minutes").is_err());
/// # Ok::<(), skillmount_base::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[must_use]
pub struct MountName(Arc<str>);

impl MountName {
    /// Checks `text`: one segment of a virtual path.
    ///
    /// # Errors
    /// `invalid_request` if it is not one.
    pub fn parse(text: &str) -> Result<Self> {
        if text.contains('/') || segment::fault(text).is_some() {
            return Err(Error::new(
                Code::InvalidRequest,
                format!("{} is not a mount name: give one folder name, without slashes", quoted(text)),
            ));
        }
        Ok(Self(Arc::from(text)))
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skill_is_in_its_category_and_those_above_on_whole_segments() {
        let skill = |text: &str| SkillPath::parse(text).unwrap();
        assert!(["", "a", "a/b", "/a/"].iter().all(|category| skill("a/b/s").is_in(category)));
        assert!(["a/b/s", "a/b/c", "b", "a/"].iter().all(|category| !skill("ab/s").is_in(category)));
        assert!(skill("s").is_in("") && !skill("s").is_in("s"));
    }

    #[test]
    fn a_skill_path_knows_its_category_folder_and_ancestors() {
        let path = SkillPath::parse("a/b/c").unwrap();
        assert_eq!((path.category(), path.folder()), ("a/b", "c"));
        let above: Vec<_> = path.ancestors().map(String::from).collect();
        assert_eq!(above, ["a/b", "a"]);
        assert_eq!(SkillPath::parse("c").unwrap().category(), "");
    }

    #[test]
    fn depth_is_taken_at_the_limit_and_refused_beyond_it() {
        assert!(SkillPath::parse(&["s"; SKILL_DEPTH].join("/")).is_ok());
        assert!(SkillPath::parse(&["s"; SKILL_DEPTH + 1].join("/")).is_err());
    }

    #[test]
    fn odd_skill_paths_are_refused() {
        for bad in ["", "/a", "a/", "a//b", "../a", "a/..", "a\0", "node_modules/x", ".git"] {
            assert!(SkillPath::parse(bad).is_err(), "{bad:?}");
        }
        for bad in ["", "a/b", "..", "."] {
            assert!(MountName::parse(bad).is_err(), "{bad:?}");
        }
    }
}
