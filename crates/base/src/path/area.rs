//! The areas of a user's part of the bucket, for code that walks through all of it.

use std::fmt;

use super::MountTemplates;

macro_rules! areas {
    ($($variant:ident $name:literal $doc:literal;)*) => {
        /// The purpose of an object in a user's part of the bucket.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum ObjectKind { $(#[doc = $doc] $variant,)* }

        impl ObjectKind {
            /// Its name in reports.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }
    };
}

areas! {
    Skills "skills" "Files of skills.";
    Workspace "workspace" "Files behind `/workspace`.";
    Tickets "tickets" "Files behind `/ticket`.";
    Sessions "sessions" "Sessions.";
    Snapshots "snapshots" "File lists beside sessions.";
    Heads "heads" "Which version of a skill is published.";
    Versions "versions" "Published versions.";
    Drafts "drafts" "Drafts of skills.";
    Audit "audit" "Records of operations.";
    Policy "policy" "The user's policy.";
    Derived "derived" "What is made from the rest, and can be made again.";
    Unknown "unknown" "Objects of the service that this version does not know.";
    Other "other" "Files of other tools, behind no mount.";
}

impl ObjectKind {
    /// The area of the object `relative`, whose name begins after `{user}/`. `templates` says what lies behind the mounts.
    ///
    /// ```
    /// use skillmount_base::path::{ObjectKind, MountTemplates};
    ///
    /// let templates = MountTemplates::default();
    /// assert_eq!(ObjectKind::classify("skills/writing/SKILL.md", &templates), ObjectKind::Skills);
    /// assert_eq!(ObjectKind::classify(".skillmount/sessions/chat-7.json", &templates), ObjectKind::Sessions);
    /// assert_eq!(ObjectKind::classify("notes.txt", &templates), ObjectKind::Other);
    /// ```
    #[must_use]
    pub fn classify(relative: &str, templates: &MountTemplates) -> Self {
        if let Some(own) = relative.strip_prefix(".skillmount/") {
            return Self::of_service(own);
        }
        match relative.split_once('/') {
            Some(("skills", _)) => Self::Skills,
            Some(_) if templates.workspace().covers(relative) => Self::Workspace,
            Some(_) if templates.ticket().covers(relative) => Self::Tickets,
            _ => Self::Other,
        }
    }

    fn of_service(own: &str) -> Self {
        match own.split_once('/') {
            Some(("sessions", _)) => Self::Sessions,
            Some(("snapshots", _)) => Self::Snapshots,
            Some(("heads", _)) => Self::Heads,
            Some(("versions", _)) => Self::Versions,
            Some(("drafts" | "draft-versions", _)) => Self::Drafts,
            Some(("audit", _)) => Self::Audit,
            Some(("bundles", _)) => Self::Derived,
            None if own == "policy.json" => Self::Policy,
            None if ["catalog.json", "uses.json", "feedback.json", "vectors"].contains(&own) => Self::Derived,
            _ => Self::Unknown,
        }
    }
}

impl fmt::Display for ObjectKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_object_of_a_user_has_an_area() {
        let templates = MountTemplates::default();
        for (relative, area) in [
            ("skills/a/SKILL.md", "skills"),
            ("threads/chat-7/draft.md", "workspace"),
            ("threads", "other"),
            ("tickets/t-1/note.md", "tickets"),
            ("skills", "other"),
            (".skillmount/heads/a/b.json", "heads"),
            (".skillmount/audit/x", "audit"),
            (".skillmount/uses.json", "derived"),
            (".skillmount/policy.json", "policy"),
            (".skillmount/policy.json/x", "unknown"),
            (".skillmount/later/x", "unknown"),
        ] {
            assert_eq!(ObjectKind::classify(relative, &templates).name(), area, "{relative}");
        }
    }
}
