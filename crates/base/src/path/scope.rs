//! The folders that a session can reach, and the mapping from a virtual path to an object key.

use super::{KeyPrefix, ObjectKey, VirtualPath};
use crate::error::Result;

/// A folder of the virtual tree and the keys behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mount {
    /// Its path for the agent: `/workspace`, `/skills/compraventa`.
    pub at: VirtualPath,
    /// The keys behind it.
    pub prefix: KeyPrefix,
}

/// The target of a virtual path in a scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResolvedPath<'scope> {
    /// A folder that exists only because mounts lie below it: `/`, and `/skills` once a skill is loaded.
    Above,
    /// A mount, or a path below a mount: the index of the mount, and the relative path, which is empty for the mount itself.
    Inside(usize, &'scope str),
    /// A path outside this session's mounts.
    Nowhere,
}

/// All mounts of a session, in the order of listings.
///
/// A scope is closed: a path that no mount covers has no key, so the store is never asked for it.
///
/// ```
/// use skillmount_base::path::{KeyPrefix, Mount, Scope, VirtualPath};
///
/// let workspace = Mount { at: VirtualPath::parse("/workspace")?, prefix: KeyPrefix::all().folder("anna/threads/chat-7")? };
/// let scope = Scope::new(vec![workspace]);
///
/// let key = scope.object_key(&VirtualPath::parse("/workspace/draft.md")?)?;
/// assert_eq!(key.unwrap().as_str(), "anna/threads/chat-7/draft.md");
/// assert_eq!(scope.object_key(&VirtualPath::parse("/skills/minutes/SKILL.md")?)?, None, "it is not loaded");
/// # Ok::<(), skillmount_base::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    mounts: Vec<Mount>,
}

impl Scope {
    /// A scope of these mounts. None may lie inside another.
    #[must_use]
    pub fn new(mounts: Vec<Mount>) -> Self {
        Self { mounts }
    }

    /// The mounts, in listing order.
    #[must_use]
    pub fn mounts(&self) -> &[Mount] {
        &self.mounts
    }

    /// The target of `path`, by whole segments.
    #[must_use]
    pub fn place<'path>(&self, path: &'path VirtualPath) -> ResolvedPath<'path> {
        let inside = self.mounts.iter().enumerate().find_map(|(index, mount)| Some((index, path.below(&mount.at)?)));
        match inside {
            Some((index, relative)) => ResolvedPath::Inside(index, relative),
            None if path.is_root() || self.mounts.iter().any(|mount| mount.at.below(path).is_some()) => {
                ResolvedPath::Above
            }
            None => ResolvedPath::Nowhere,
        }
    }

    /// The key of the file at `path`; `None` if no mount covers it, or if it is a mount itself.
    ///
    /// # Errors
    /// `invalid_path` if the key would be over 1,024 bytes.
    pub fn object_key(&self, path: &VirtualPath) -> Result<Option<ObjectKey>> {
        match self.place(path) {
            ResolvedPath::Inside(index, relative) if !relative.is_empty() => {
                self.mounts.get(index).map(|mount| mount.prefix.key(relative)).transpose()
            }
            _ => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope() -> Scope {
        let mount = |at: &str, prefix: &str| Mount {
            at: VirtualPath::parse(at).unwrap(),
            prefix: KeyPrefix::all().folder(prefix).unwrap(),
        };
        Scope::new(vec![mount("/workspace", "u1/threads/s"), mount("/skills/venta", "u1/skills/escrituras/venta")])
    }

    // S-PATH-4: Names match on whole segments.
    #[test]
    fn only_whole_segments_lead_into_a_mount() {
        let key = |text| scope().object_key(&VirtualPath::parse(text).unwrap()).unwrap().map(|key| key.to_string());
        assert_eq!(key("/workspace/a").as_deref(), Some("u1/threads/s/a"));
        assert_eq!(key("/skills/venta/SKILL.md").as_deref(), Some("u1/skills/escrituras/venta/SKILL.md"));
        for nowhere in
            ["/workspaceX/a", "/skills/compraventa/a", "/skills/vent/a", "/workspace", "/skills", "/", "/ticket/a"]
        {
            assert_eq!(key(nowhere), None, "{nowhere}");
        }
    }

    #[test]
    fn folders_above_mounts_exist_only_because_of_them() {
        let scope = scope();
        let place = |text: &str| scope.place(&VirtualPath::parse(text).unwrap()) == ResolvedPath::Above;
        assert!(place("/") && place("/skills"));
        assert!(!place("/skill") && !place("/skills/x"));
    }
}
