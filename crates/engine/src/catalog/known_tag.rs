//! A tag of a catalog, from the memory of this process alone.

use super::{Audience, Catalogs};
use crate::limits::FRESH;

impl Catalogs {
    /// A text that changes when the skills that `audience` sees do. `None` unless all of its layers are in memory and younger than
    /// [`FRESH`]. Does not ask the store.
    #[must_use]
    pub fn known_tag(&self, audience: &Audience) -> Option<String> {
        let now = self.clock.uptime();
        let owners = audience.owners(self.layers);
        let tags = owners.iter().map(|owner| {
            let known = self.kept.look_at(owner)?.known().filter(|known| known.age(now) <= FRESH)?;
            Some(format!("{owner:?}:{}", known.tag()))
        });
        tags.collect::<Option<Vec<_>>>().map(|tags| tags.join(" "))
    }
}
