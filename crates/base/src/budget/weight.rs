//! The memory of values, for caches that are bounded by bytes.
//!
//! The estimates are high. A cache with high estimates evicts early. With low estimates, a cache outgrows its budget. The
//! estimates assume a 64-bit machine and an allocator that rounds up and keeps a header.

use std::collections::BTreeMap;

/// The overhead of a block: the allocator's header and the rounding.
pub const BLOCK: usize = 16;
/// The overhead of a cache slot beside its key and value: the hash table, the queues of ages, the counts.
pub const SLOT: usize = 384;
/// The most entries of a tree node.
const NODE_ENTRIES: usize = 11;
/// The entries of a node that is filled in order: half.
const NODE_FILLED: usize = 6;
/// The overhead of a node: lengths and links.
const NODE_LINKS: usize = 64;

/// A text on the heap, without the pointer to it.
#[must_use]
pub fn text(text: &str) -> usize {
    // A shared text has two counts before it.
    if text.is_empty() { 0 } else { text.len() + 2 * BLOCK }
}

/// The nodes of a sorted map or set with `entries` of `size` bytes each. Memory behind pointers in the entries does not count.
#[must_use]
pub fn tree(entries: usize, size: usize) -> usize {
    entries.div_ceil(NODE_FILLED) * (NODE_ENTRIES * size + NODE_LINKS + BLOCK)
}

/// A list of `entries` of `size` bytes each. Memory behind pointers in the entries does not count.
#[must_use]
pub fn list(entries: usize, size: usize) -> usize {
    // A list that grew has up to twice the room it needs.
    if entries == 0 { 0 } else { 2 * entries * size + BLOCK }
}

/// The number as caches count it, at most four gigabytes.
#[must_use]
pub fn counted(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

/// A map from texts to texts, without the pointer to it.
#[must_use]
pub fn texts(map: &BTreeMap<String, String>) -> usize {
    let strings: usize = map.iter().map(|(name, value)| text(name) + text(value)).sum();
    tree(map.len(), size_of::<(String, String)>()) + strings
}
