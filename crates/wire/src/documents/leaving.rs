//! The users of a store, the contents of an export, and the state of a deletion.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use skillmount_base::path::{Id, ObjectKind};

/// Which users to list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct UserListRequest {
    /// Users of one page, 1 to 1,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// `next_cursor` of the page before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// One page of users.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UserList {
    /// In byte order of their folders, `{user_id}/`. A page may have none and still name a next one.
    pub users: Vec<User>,
    /// Give this back to get the next page; null on the last one.
    pub next_cursor: Option<String>,
}

/// A user with objects in the store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct User {
    /// Its id.
    #[schema(value_type = String)]
    pub user_id: Id,
}

/// A number of objects and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Amount {
    /// How many objects.
    pub objects: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl Amount {
    /// Counts one object more.
    pub fn add(&mut self, bytes: u64) {
        self.objects += 1;
        self.bytes = self.bytes.saturating_add(bytes);
    }
}

/// Amounts by area: `skills`, `workspace`, `tickets`, `sessions` and so on.
pub type Amounts = BTreeMap<String, Amount>;

/// Counts one object of `area` more.
pub fn count(amounts: &mut Amounts, area: ObjectKind, bytes: u64) {
    amounts.entry(area.name().to_owned()).or_default().add(bytes);
}

/// The last file of an export. An archive without it is not whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ExportManifest {
    /// The number of this format.
    pub format: u32,
    /// Whose export it is.
    #[schema(value_type = String)]
    pub user_id: Id,
    /// When it began.
    #[schema(value_type = String, format = DateTime)]
    pub began_at: Timestamp,
    /// When it ended.
    #[schema(value_type = String, format = DateTime)]
    pub ended_at: Timestamp,
    /// All that it contains.
    pub total: Amount,
    /// The same by area.
    pub areas: Amounts,
    /// Objects that are not in it: deleted meanwhile, or with keys that no path can name. The first
    /// 1,000.
    pub left_out: Vec<LeftOut>,
    /// How many are not in it.
    pub left_out_count: u64,
}

/// An object that is not in an export.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LeftOut {
    /// Its key.
    pub key: String,
    /// Why.
    pub why: String,
}

/// The deletion of a user: how far it is, and what went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Deletion {
    /// Who is deleted.
    #[schema(value_type = String)]
    pub user_id: Id,
    /// How far it is.
    pub state: DeletionState,
    /// When it was asked for.
    #[schema(value_type = String, format = DateTime)]
    pub requested_at: Timestamp,
    /// The name of the key that asked for it, if one did.
    pub requested_by: Option<String>,
    /// When the second sweep is due. The first begins at once.
    #[schema(value_type = String, format = DateTime)]
    pub second_sweep_at: Timestamp,
    /// The sweeps so far: the first removes what is there, the second what was written while it ran.
    pub sweeps: Vec<Sweep>,
    /// When all was done. From then on the id may be used again.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub finished_at: Option<Timestamp>,
    /// Whether anything of the user is in the store at the time of this answer: the id is in use again, or a store carried out late
    /// what was sent to it before. To delete the user again removes it. Null while the deletion goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found_now: Option<bool>,
}

/// How far a deletion is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeletionState {
    /// It goes on, and calls for the user are denied.
    Deleting,
    /// It is done.
    Deleted,
}

/// One sweep over everything of a user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Sweep {
    /// When it began.
    #[schema(value_type = String, format = DateTime)]
    pub began_at: Timestamp,
    /// When it ended; null while it goes on.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub ended_at: Option<Timestamp>,
    /// All objects that it removed.
    pub total: Amount,
    /// The same by area.
    pub areas: Amounts,
    /// Earlier versions that it removed from a versioned bucket, and marks of deletes.
    pub versions: Amount,
    /// Why earlier versions were left, if there may be some: the store cannot remove them, or does not let the service.
    pub versions_left: Option<String>,
    /// Objects that stay, because no call of the store can name their keys.
    pub left: u64,
    /// How often another process went on with it. What a process removed just before it ended is not counted.
    pub interrupted: u32,
}

impl Sweep {
    /// A sweep that begins now.
    #[must_use]
    pub fn begun(now: Timestamp) -> Self {
        Self {
            began_at: now,
            ended_at: None,
            total: Amount::default(),
            areas: Amounts::new(),
            versions: Amount::default(),
            versions_left: None,
            left: 0,
            interrupted: 0,
        }
    }
}
