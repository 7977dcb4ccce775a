//! What an agent can do, as a policy names it.
//!
//! Every route and every tool that acts is one of these, so that a rule cannot be walked round by another way to the same
//! end: `Skill` is `load_skill` by another name, and a rule for `write` holds for whatever else changes a file.

use std::fmt;

macro_rules! operations {
    ($($(#[$doc:meta])* $variant:ident $name:literal $aliases:expr, $under:expr, $changes:literal;)*) => {
        /// An operation that a policy has rules for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Operation { $($(#[$doc])* $variant,)* }

        impl Operation {
            /// Every operation, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// What a policy, and a model, calls it.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Its other names.
            #[must_use]
            pub const fn aliases(self) -> &'static [&'static str] {
                match self { $(Self::$variant => $aliases,)* }
            }

            /// The operation that it is a way to do: no rule makes it freer than that one.
            #[must_use]
            pub const fn under(self) -> Option<Self> {
                match self { $(Self::$variant => $under,)* }
            }

            /// Whether it changes files, and so is nothing for a session that plans.
            #[must_use]
            pub const fn changes_files(self) -> bool {
                match self { $(Self::$variant => $changes,)* }
            }
        }
    };
}

operations! {
    /// Finds skills for a task.
    DiscoverSkills "discover_skills" &[], None, false;
    /// Loads a skill.
    LoadSkill "load_skill" &["Skill"], None, false;
    /// Hides a skill again.
    UnloadSkill "unload_skill" &[], None, false;
    /// Lists a folder.
    Ls "ls" &[], None, false;
    /// Reads lines of a file.
    Read "read" &[], None, false;
    /// Searches contents.
    Grep "grep" &[], None, false;
    /// Finds files by name.
    Glob "glob" &[], None, false;
    /// Gives the bytes of files, or what is known of them: `GET` and `HEAD` of a file, and many at once.
    Download "download" &[], Some(Self::Read), false;
    /// Makes or replaces a file, also by `PUT`.
    Write "write" &[], None, true;
    /// Replaces text in a file.
    Edit "edit" &[], Some(Self::Write), true;
    /// Deletes a file or folder, also by `DELETE`.
    Delete "delete" &[], Some(Self::Write), true;
    /// Stores many files at once.
    Upload "upload" &[], Some(Self::Write), true;
}

impl Operation {
    /// Every name of every operation.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Self::ALL.iter().flat_map(|operation| operation.own_names())
    }

    /// Its name and its aliases.
    pub fn own_names(self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name()).chain(self.aliases().iter().copied())
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
