//! Notes of a call's effects for its record, taken while the call runs.

use std::fmt;

use bytes::Bytes;

use super::call::Context;
use crate::{
    observer::{ChangeEffect, SkillUse, content_digest},
    path::ETag,
};

/// Notes that a file was changed.
pub(crate) fn record_file(
    context: &Context,
    path: impl fmt::Display,
    before: Option<&ETag>,
    after: Option<String>,
    etag: Option<&ETag>,
) {
    let Some(note) = &context.effects else { return };
    let tag = |etag: Option<&ETag>| etag.map(|etag| etag.as_str().to_owned());
    let file = ChangeEffect { path: path.to_string(), before: tag(before), after, etag: tag(etag) };
    note.change(|effects| effects.add(file));
}

/// Notes what became of a skill in this session.
pub(crate) fn record_skill(context: &Context, skill: impl FnOnce() -> SkillUse) {
    if let Some(note) = &context.effects {
        note.change(|effects| effects.skill = Some(skill()));
    }
}

/// Notes that the call has begun to wait for a person.
pub(crate) fn record_approval(context: &Context, approval: &str) {
    if let Some(note) = &context.effects {
        note.change(|effects| effects.approval = Some(approval.to_owned()));
    }
}

/// Notes how many skills a search found.
pub(crate) fn record_found(context: &Context, found: usize) {
    if let Some(note) = &context.effects {
        note.change(|effects| effects.found = Some(found as u64));
    }
}

/// SHA-256 of a content, if an observer keeps records.
pub(crate) async fn recorded_digest(context: &Context, bytes: &Bytes) -> Option<String> {
    context.effects.as_ref()?;
    let (length, bytes) = (bytes.len() as u64, bytes.clone());
    let errand = context.core.workers().errand(context.user().as_str(), length);
    errand.run_sized(length, move |_| Ok(content_digest(&bytes))).await.ok()
}
