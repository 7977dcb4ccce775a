//! The part of a bucket that a skill comes from.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

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
