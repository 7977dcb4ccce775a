//! Limits of drafts, and of the skills that agents write.

/// The object of one draft: its frontmatter, and some names.
pub const DRAFT_BYTES: u64 = 1 << 20;
/// Drafts that one session sees. Each is in the prompt of the session.
pub const SESSION_DRAFTS: usize = 16;
/// The least characters of a description if an agent writes the skill. A shorter text cannot name both purpose and occasion.
pub const CREATED_DESCRIPTION_CHARS: usize = 20;
/// Characters that a body has at least if an agent writes the skill, the template not counted.
pub const CREATED_BODY_CHARS: usize = 40;
