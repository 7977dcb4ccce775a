//! What values take in memory, for caches that are bounded by bytes.
//!
//! Estimates, on the high side: a cache that counts too much evicts early, one that counts too little grows past its part.
//! They assume a 64-bit machine and an allocator that rounds up and keeps a header.

use std::collections::BTreeMap;

/// What the allocator adds to a block: its header and the rounding.
pub const BLOCK: usize = 16;
/// What a slot of a cache takes beyond its key and value: the hash table, the queues of ages, the counts.
pub const SLOT: usize = 384;
/// Entries a node of a tree holds at most.
const NODE_ENTRIES: usize = 11;
/// Entries of a node that is filled in order: half.
const NODE_FILLED: usize = 6;
/// What a node takes beyond its entries: lengths and links.
const NODE_LINKS: usize = 64;

/// A text on the heap, beyond the pointer to it.
#[must_use]
pub fn text(text: &str) -> usize {
    // A shared text has two counts in front of it.
    if text.is_empty() { 0 } else { text.len() + 2 * BLOCK }
}

/// The nodes of a sorted map or set with `entries` of `size` bytes each, beyond what the entries point to.
#[must_use]
pub fn tree(entries: usize, size: usize) -> usize {
    entries.div_ceil(NODE_FILLED) * (NODE_ENTRIES * size + NODE_LINKS + BLOCK)
}

/// A list of `entries` of `size` bytes each, beyond what the entries point to.
#[must_use]
pub fn list(entries: usize, size: usize) -> usize {
    // A list that grew has up to twice the room it needs.
    if entries == 0 { 0 } else { 2 * entries * size + BLOCK }
}

/// The number as caches count; what is over four gigabytes counts as that.
#[must_use]
pub fn counted(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

/// A map from texts to texts, beyond the pointer to it.
#[must_use]
pub fn texts(map: &BTreeMap<String, String>) -> usize {
    let strings: usize = map.iter().map(|(name, value)| text(name) + text(value)).sum();
    tree(map.len(), size_of::<(String, String)>()) + strings
}
