//! Finding files by name: the `glob` operation.

use super::{GlobMatch, GlobReply, GlobRequest, SkillBackend};
use crate::{
    error::Result,
    limits::{LIST_ENTRIES, LIST_OBJECTS},
    path::{Glob, VirtualPath},
    session::Operation,
};

impl SkillBackend {
    pub(super) async fn find_files(&self, request: GlobRequest) -> Result<GlobReply> {
        let glob = Glob::parse(&request.pattern)?;
        let root = search_root(request.path.as_deref())?;
        let (session, policy) = self.allowed(Operation::Glob).await?;
        let tree = self.tree(&session, &policy).await?;
        let files = self.files_below(&tree, &root).await?;
        let mut matches: Vec<GlobMatch> = files
            .found
            .into_iter()
            .filter(|found| glob.matches(relative_name(&found.file.path, &root)))
            .map(|found| GlobMatch {
                path: found.file.path.to_string(),
                size: found.size,
                modified_at: found.modified_at,
            })
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
}

/// The folder a search begins in: everything the session sees where none is named.
pub(super) fn search_root(path: Option<&str>) -> Result<VirtualPath> {
    path.map_or_else(|| Ok(VirtualPath::root()), VirtualPath::parse)
}

/// What a glob is held against: the path below the folder searched, or the name where that is a file itself.
pub(super) fn relative_name<'path>(path: &'path VirtualPath, root: &VirtualPath) -> &'path str {
    path.below(root).filter(|relative| !relative.is_empty()).or(path.file_name()).unwrap_or_default()
}

/// What is said where a folder holds more than one operation lists.
pub(super) fn unlisted() -> String {
    format!("the folder holds more than {LIST_OBJECTS} files and the rest was not looked at; search a folder below it")
}
