//! The findings of a check of a store.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FindingLevel {
    /// Worth knowing, and nothing wrong.
    Note,
    /// Nothing is lost, and something needs a fix.
    Warning,
    /// Something cannot be served as it was stored.
    Error,
}

macro_rules! finding_codes {
    ($($variant:ident $level:ident $fix:literal;)*) => {
        /// What was found.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
        #[serde(rename_all = "snake_case")]
        #[expect(missing_docs, reason = "each is named by what is wrong, and the table has the fix")]
        pub enum FindingCode { $($variant,)* }

        impl FindingCode {
            /// Every code, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// How bad it is.
            #[must_use]
            pub const fn level(self) -> FindingLevel {
                match self { $(Self::$variant => FindingLevel::$level,)* }
            }

            /// What to do about it.
            #[must_use]
            pub const fn fix(self) -> &'static str {
                match self { $(Self::$variant => $fix,)* }
            }
        }
    };
}

finding_codes! {
    DamagedHead Error "delete the object: the skill is then what lies in its folder, and its versions stay";
    NewerHead Error "update this service: it cannot tell what is published there, and the object is not damaged";
    MissingVersion Error "publish the skill again, or roll it back to a version that is there";
    DamagedVersion Error "delete the object, or restore it from a backup; then publish the skill again if it was the newest";
    DamagedSession Error "`skillmount session delete` removes it; its files stay";
    MissingSnapshot Error "load the skill again in that session, or unload it";
    DamagedSnapshot Error "delete the object, and load the skill again in the sessions that use it";
    DamagedPolicy Error "set the user's policy again";
    DamagedTombstone Error "delete the object, and ask for the deletion again";
    DamagedReceipt Error "delete the object: the user is deleted, and what that removed is not known any more";
    DamagedDraft Error "delete the object, or restore it from a backup: the draft it names cannot be shown";
    MissingDraftFiles Error "delete the draft, or make it again";
    DamagedAudit Error "restore the object from a backup; what can be read of it is served, and it is never deleted before its time";
    TooManyObjects Error "the rest was not checked: remove what is not needed";
    UnfinishedPublish Warning "--repair brings the plain files up to it, as the next load does";
    UnfinishedDeletion Warning "--repair goes on with it, as any running service does";
    DamagedIndex Warning "--repair deletes it, and it is made again";
    DamagedUses Warning "--repair deletes it, and the count of uses starts again";
    DamagedVectors Warning "--repair deletes it, and the vectors are made again";
    DamagedFeedback Warning "--repair deletes it, and the service records loads after questions again";
    OrphanSnapshot Warning "--repair deletes it: no session uses it";
    DamagedBundle Warning "--repair deletes it: files are read one by one, and it may be made again";
    OrphanBundle Warning "--repair deletes it: no process uses it";
    LeftoverProbe Warning "--repair deletes it";
    ForeignVectors Note "--repair deletes it; a service replaces it once it has made its own";
    OrphanVectors Note "--repair deletes it: no skill has a vector there";
    OrphanVersion Note "its publish never counted, or the head is gone. Publishing the same content again makes it a version";
    OrphanDraftFiles Note "no draft names it: one was being made here, changed or published";
    ChangedFolder Note "other tools or an agent changed the folder; the next publish first keeps it as a version";
    ExpiredSession Note "`skillmount session prune` removes it";
    UnknownObject Note "an object of a newer version, or of another tool; it is never deleted";
    UnnameableKey Note "no path can name it; a tool of the store can";
}

/// One finding of a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FsckFinding {
    /// Whose: a user, `_org`, `_teams/{team}`, or nobody's.
    pub owner: Option<String>,
    /// What.
    pub code: FindingCode,
    /// How bad.
    pub level: FindingLevel,
    /// The object that it is about.
    pub key: String,
    /// What is wrong, in words.
    pub detail: String,
    /// What to do.
    pub fix: String,
    /// Whether it was fixed.
    pub repaired: bool,
}

impl FsckFinding {
    /// A finding that is not fixed.
    #[must_use]
    pub fn new(owner: Option<&str>, code: FindingCode, key: impl Into<String>, detail: impl Into<String>) -> Self {
        Self {
            owner: owner.map(str::to_owned),
            code,
            level: code.level(),
            key: key.into(),
            detail: detail.into(),
            fix: code.fix().to_owned(),
            repaired: false,
        }
    }

    /// Whether something is wrong, still.
    #[must_use]
    pub fn is_wrong(&self) -> bool {
        !self.repaired && self.level > FindingLevel::Note
    }
}

/// What a check found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FsckReport {
    /// Whether nothing is wrong, or nothing is wrong any more.
    pub clean: bool,
    /// Users, teams and organisations that were checked.
    pub owners: u64,
    /// Objects that were looked at.
    pub objects: u64,
    /// What was found, by owner and key.
    pub findings: Vec<FsckFinding>,
}
