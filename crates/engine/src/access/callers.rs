//! The callers that a surface lets in. A surface gets them when it starts and whenever they change.

use super::{Keys, PeerRules, PublicSkills};

/// Who may call, and by which names.
#[derive(Clone, Debug, Default)]
pub struct Callers {
    /// The keys that are taken.
    pub keys: Keys,
    /// Which Hosts and Origins are answered.
    pub peers: PeerRules,
    /// Whose skills may be fetched without a key.
    pub public: PublicSkills,
}
