//! The part of a bucket that a skill comes from.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    id::Id,
    space::{Namespace, UserSpace},
};
use crate::error::Result;

/// The origin of a skill. The nearest layer wins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = SkillLayer)]
pub enum Layer {
    /// The user's own folder.
    #[default]
    User,
    /// The folder of the caller's team.
    Team,
    /// The organisation's folder.
    Org,
}

impl std::fmt::Display for Layer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::User => "user",
            Self::Team => "team",
            Self::Org => "org",
        })
    }
}

/// Whose skills they are: the owner of one layer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LayerOwner {
    /// A user.
    User(Id),
    /// A team.
    Team(Id),
    /// The organisation.
    Org,
}

impl From<&Id> for LayerOwner {
    /// A user.
    fn from(user: &Id) -> Self {
        Self::User(user.clone())
    }
}

impl From<&Self> for LayerOwner {
    fn from(owner: &Self) -> Self {
        owner.clone()
    }
}

impl LayerOwner {
    /// The layer.
    #[must_use]
    pub fn layer(&self) -> Layer {
        match self {
            Self::User(_) => Layer::User,
            Self::Team(_) => Layer::Team,
            Self::Org => Layer::Org,
        }
    }

    /// The part of the bucket in which the layer lies.
    ///
    /// # Errors
    /// `invalid_path` if id and prefix together are too long for a key.
    pub fn space(&self, namespace: &Namespace) -> Result<UserSpace> {
        match self {
            Self::User(user) => namespace.user(user),
            Self::Team(team) => namespace.team(team),
            Self::Org => namespace.org(),
        }
    }
}

impl std::fmt::Display for LayerOwner {
    /// The folder of the bucket, by which the owner also gets its share of the workers.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::User(user) => user.fmt(f),
            Self::Team(team) => write!(f, "_teams/{team}"),
            Self::Org => f.write_str("_org"),
        }
    }
}
