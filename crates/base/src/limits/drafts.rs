//! Limits of drafts, and of the skills that agents write.

/// The object of one draft: its frontmatter, and some names.
pub const DRAFT_BYTES: u64 = 1 << 20;
/// Drafts of one session that it sees: each is in its prompt.
pub const SESSION_DRAFTS: usize = 16;
/// Characters that a description has at least if an agent writes the skill: fewer say not both what it does and when to use it.
pub const CREATED_DESCRIPTION_CHARS: usize = 20;
/// Characters that a body has at least if an agent writes the skill, the template not counted.
pub const CREATED_BODY_CHARS: usize = 40;
