//! The report of a call beside the reply: the version of the session, and the tag of prompt and tools.
//!
//! A framework renders the prompt before each call of a model. With the tag of the reply before, it knows without a request that
//! the prompt is still the same.

use sha2::{Digest as _, Sha256};

use super::call::Context;
use crate::{error::Result, session::cached_session_tag, wire::SessionVersion};

/// The report of a call beside the reply.
#[derive(Clone, Debug)]
pub struct CallReport {
    /// The version of the session that the reply was made from, or that the call led to.
    pub seen: SessionVersion,
    /// A hash of session, policies and catalog, on which prompt and tools depend. It is the same on every replica.
    /// `None` unless this process has recent versions of them all in memory.
    pub tag: Option<String>,
}

/// The report of the calls of this handle so far. If none of them read the session, reads it now.
///
/// # Errors
/// As [`Context::state`], if the session is read.
pub(crate) async fn call_report(context: &Context) -> Result<CallReport> {
    let seen = match context.seen.get() {
        Some(seen) => seen,
        // The call may have changed the session by another way, so what was read before the call does not count.
        None => context.read_session().await?.seen_version(),
    };
    Ok(CallReport { seen, tag: cached_prompt_tag(context).await })
}

/// The tag of prompt and tools, from memory alone.
pub(crate) async fn cached_prompt_tag(context: &Context) -> Option<String> {
    let catalog = context.core.catalogs().cached_tag(context.caller.audience())?;
    let session = cached_session_tag(context.core.sessions(), context.user(), &context.session).await?;
    Some(hex::encode(Sha256::digest(format!("{session}\n{catalog}"))))
}
