//! Finding files by name: the `glob` operation.

use super::{
    Files,
    listing::{ListedFile, files_below},
    mounts::tree,
};
use crate::{
    budget::{Job, WorkBudget},
    context::{CallInput, OperationSpan},
    error::Result,
    limits::{LIST_ENTRIES, LIST_OBJECTS},
    path::{Glob, VirtualPath},
    wire::{GlobMatch, GlobReply, GlobRequest},
};

/// The message about a glob that takes too many steps.
const TOO_MANY_NAMES: &str =
    "the glob is too expensive for this many names: use fewer braces and stars, or search a folder below";

pub(crate) async fn glob(_: &Files, span: &OperationSpan, request: GlobRequest) -> Result<GlobReply> {
    let glob = Glob::parse(&request.pattern)?;
    let root = search_root(request.path.as_deref())?;
    let tree = tree(&span.check().await?.admit(CallInput::from_request(&request)).await?).await?;
    let files = files_below(span.context(), &tree, &root).await?;
    let errand = span.context().errand();
    let mut matches: Vec<GlobMatch> = named(&errand, files.entries, glob, root)
        .await?
        .into_iter()
        .map(|found| GlobMatch { path: found.file.path.to_string(), size: found.size, modified_at: found.modified_at })
        .take(LIST_ENTRIES + 1)
        .collect();
    let over = matches.len() > LIST_ENTRIES;
    matches.truncate(LIST_ENTRIES);
    let truncation_reason = if over {
        Some(format!("only the first {LIST_ENTRIES} files are shown; give a narrower pattern or a path"))
    } else {
        files.truncated.then(unlisted)
    };
    Ok(GlobReply { matches, truncated: truncation_reason.is_some(), truncation_reason })
}

/// The files whose names fit `glob`.
///
/// # Errors
/// `too_expensive` if that takes more steps than the errand has left.
pub(crate) async fn named(
    errand: &Job,
    files: Vec<ListedFile>,
    glob: Glob,
    root: VirtualPath,
) -> Result<Vec<ListedFile>> {
    let names = files.iter().map(|found| found.file.path.as_str().len()).sum();
    let worst = glob.worst_steps(names);
    let filter = move |work: &WorkBudget| {
        let mut fitting = Vec::new();
        for found in files {
            let mut steps = 0;
            let fits = glob.matches_counting(relative_name(&found.file.path, &root), &mut steps);
            work.spend(steps).map_err(|stop| stop.into_error(TOO_MANY_NAMES))?;
            fitting.extend(fits.then_some(found));
        }
        Ok(fitting)
    };
    errand.run_sized(worst, filter).await
}

/// The folder a search begins in: everything the session sees if none is named.
pub(crate) fn search_root(path: Option<&str>) -> Result<VirtualPath> {
    path.map_or_else(|| Ok(VirtualPath::root()), VirtualPath::parse)
}

/// The text that a glob is matched with: the path below the searched folder, or the name if the root is a file itself.
pub(crate) fn relative_name<'path>(path: &'path VirtualPath, root: &VirtualPath) -> &'path str {
    path.below(root).filter(|relative| !relative.is_empty()).or(path.file_name()).unwrap_or_default()
}

/// The reason for an incomplete answer if a folder holds more files than one operation lists.
pub(crate) fn unlisted() -> String {
    format!("the folder holds more than {LIST_OBJECTS} files and the rest was not looked at; search a folder below it")
}
