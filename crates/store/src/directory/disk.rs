//! The folder of a store, with the facts that a process remembers about it. The verbs of the folder block: `read`,
//! `write` and `list` have them.

use std::sync::{Arc, atomic::AtomicU64};

use super::{layout::StoreLayout, listings::Listings, turns::Turns};
use skillmount_base::clock::Clock;

/// The state that all handles of one store in this process share.
#[derive(Debug)]
pub(super) struct Disk {
    pub(super) layout: StoreLayout,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) turns: Turns,
    pub(super) listings: Listings,
    /// The number of folders read so far, which is the cost of listings.
    pub(super) folders_read: Arc<AtomicU64>,
}

impl Disk {
    pub(super) fn new(layout: StoreLayout, clock: Arc<dyn Clock>) -> Self {
        Self { layout, clock, turns: Turns::new(), listings: Listings::default(), folders_read: Arc::default() }
    }
}
