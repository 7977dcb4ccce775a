//! The text of a skill that is encoded.

use crate::{catalog::CatalogEntry, limits::VECTOR_TEXT_BYTES};

/// The name, the description and the beginning of the body: encoders read no more than a few hundred words.
pub(super) fn skill_text(entry: &CatalogEntry) -> String {
    let name = entry.name().replace(['-', '_'], " ");
    let when = entry.frontmatter.when_to_use.as_deref().unwrap_or_default();
    let mut text = format!("{name}. {} {when}\n{}", entry.description(), entry.opening);
    text.truncate(text.floor_char_boundary(VECTOR_TEXT_BYTES));
    text
}
