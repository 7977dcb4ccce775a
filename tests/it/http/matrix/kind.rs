//! The kinds of key.

use std::collections::BTreeMap;

use skillmount::{
    access::{KeyEntry, Scope},
    clock::SystemClock,
    path::Id,
};

/// Who calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Nobody,
    Unknown,
    Expired,
    OfOther,
    Agent,
    Control,
    OfTeam,
    BoundHere,
    BoundElsewhere,
    ControlBoundHere,
    ControlOfTicketHere,
    OfTicketHere,
    OfTicketElsewhere,
    ControlOfTeam,
    AgentOfAll,
    OfAll,
}

impl Kind {
    pub(super) const ALL: [Self; 16] = [
        Self::Nobody,
        Self::Unknown,
        Self::Expired,
        Self::OfOther,
        Self::Agent,
        Self::Control,
        Self::OfTeam,
        Self::BoundHere,
        Self::BoundElsewhere,
        Self::ControlBoundHere,
        Self::ControlOfTicketHere,
        Self::OfTicketHere,
        Self::OfTicketElsewhere,
        Self::ControlOfTeam,
        Self::AgentOfAll,
        // Its last calls delete the user, so it comes last.
        Self::OfAll,
    ];

    /// Its entry in the keys file; none for those that bring no key of the file.
    pub(super) fn entry(self) -> Option<(String, KeyEntry)> {
        let user = Id::parse(if self == Self::OfOther { "u2" } else { "u1" }).unwrap();
        let scope = if self.has_control() { Scope::Control } else { Scope::Agent };
        let user = Some(&user).filter(|_| !matches!(self, Self::AgentOfAll | Self::OfAll));
        let (key, mut entry) = KeyEntry::generate(&SystemClock::new(), user, vec![scope]);
        let ticket = |id: &str| Some(BTreeMap::from([("ticket_id".to_owned(), Id::parse(id).unwrap())]));
        match self {
            Self::Nobody | Self::Unknown => return None,
            Self::OfOther | Self::Agent | Self::Control | Self::AgentOfAll | Self::OfAll => {}
            Self::Expired => entry.expires = Some("2020-01-01T00:00:00Z".parse().unwrap()),
            Self::OfTeam | Self::ControlOfTeam => entry.team = Some(Id::parse("team").unwrap()),
            Self::BoundHere | Self::ControlBoundHere => entry.sessions = Some(vec!["in-*".to_owned()]),
            Self::BoundElsewhere => entry.sessions = Some(vec!["out-*".to_owned()]),
            Self::OfTicketHere | Self::ControlOfTicketHere => entry.vars = ticket("t1"),
            Self::OfTicketElsewhere => entry.vars = ticket("t2"),
        }
        Some((key, entry))
    }

    pub(super) fn has_control(self) -> bool {
        matches!(
            self,
            Self::Control | Self::ControlBoundHere | Self::ControlOfTicketHere | Self::ControlOfTeam | Self::OfAll
        )
    }

    pub(super) fn is_bound(self) -> bool {
        self.is_bound_to_sessions()
            || matches!(self, Self::ControlOfTicketHere | Self::OfTicketHere | Self::OfTicketElsewhere)
    }

    pub(super) fn is_bound_to_sessions(self) -> bool {
        matches!(self, Self::BoundHere | Self::BoundElsewhere | Self::ControlBoundHere)
    }

    /// Whether it reaches the sessions `in-…`, which have the ticket `t1`.
    pub(super) fn reaches(self) -> bool {
        !matches!(self, Self::BoundElsewhere | Self::OfTicketElsewhere)
    }
}
