//! Searching contents.
//!
//! Files are fetched up to 64 at a time and searched as they come. Hits are taken strictly in (path, line) order, so
//! the answer does not depend on the store's timing. The search stops as soon as one hit more than asked for is known.
//! [`FirstHits`] holds the hits of all files that are searched at once.
//! Content in memory under the listed ETag costs no request.

use std::sync::Arc;

use futures_util::{StreamExt, stream};

use super::{
    Files,
    bundles::fetch_bundles,
    first_hits::FirstHits,
    glob::{named, search_root, unlisted},
    listing::{FileListing, ListedFile, files_below},
    mounts::tree,
};
use crate::{
    budget::Job,
    content::{FileRef, FileVersion, advance, try_fetch, unreadable},
    context::{CallInput, Context, OperationSpan},
    error::{Code, Error, Result},
    limits::{
        CHUNK_BYTES, GREP_CONTEXT_LINES, GREP_FILE_BYTES, GREP_MATCHES, GREP_MATCHES_MAX, GREP_REPLY_BYTES,
        PARALLEL_GETS, SEARCH_LINE_BYTES, SEARCH_WINDOW_KIB,
    },
    path::{Glob, VirtualPath},
    store::{Object, StoreError},
    text::{Hit, HitLimit, Pattern, binary_type},
    wire::{GrepCount, GrepMatch, GrepOutput, GrepReply, GrepRequest},
};

/// A search: its pattern, and how much of the result to return.
#[derive(Clone, Debug)]
struct Search {
    pattern: Pattern,
    context: usize,
    output: GrepOutput,
    most: usize,
}

/// A search under way.
struct SearchRun<'run> {
    context: &'run Context,
    search: &'run Search,
    errand: &'run Job,
    hits: Arc<FirstHits>,
}

/// The result of searching a file, but for its hits.
#[derive(Debug, Default)]
struct FileResult {
    count: u64,
    is_cut: bool,
}

pub(crate) async fn grep(_: &Files, span: &OperationSpan, request: GrepRequest) -> Result<GrepReply> {
    check(&request)?;
    let context = span.context();
    let errand = context.errand();
    // A pattern may take a while to compile.
    let (search, request) = errand.run(move |_| Ok((Search::new(&request)?, request))).await?;
    let glob = request.glob.as_deref().map(Glob::parse).transpose()?;
    let root = search_root(request.path.as_deref())?;
    let tree = tree(&span.check().await?.admit(CallInput::from_request(&request)).await?).await?;
    let mut files = files_below(context, &tree, &root).await?;
    if let Some(glob) = glob {
        files.entries = named(&errand, files.entries, glob, root).await?;
    }
    let large = files.entries.iter().filter(|found| found.size > GREP_FILE_BYTES).count();
    files.entries.retain(|found| found.size <= GREP_FILE_BYTES);
    fetch_bundles(context, &files.entries).await;
    let (mut reply, cut) = search_files(context, &search, &mut files, &errand).await?;
    if !reply.truncated {
        reply.truncation_reason = left_out(&files, large, cut);
        reply.truncated = reply.truncation_reason.is_some();
    }
    Ok(reply)
}

/// The reply, and how many files were searched in part.
async fn search_files(
    context: &Context,
    search: &Search,
    files: &mut FileListing,
    errand: &Job,
) -> Result<(GrepReply, usize)> {
    let total = files.entries.len();
    let run = SearchRun { context, search, errand, hits: Arc::new(FirstHits::new(search.limit())) };
    let searched = stream::iter(files.entries.drain(..).enumerate())
        .map(|(place, found)| run.search_found(place, found))
        .buffered(PARALLEL_GETS);
    let mut results = std::pin::pin!(searched);
    let mut collected = ReplyBuilder::new(search);
    let (mut cut, mut done) = (0, 0);
    while let Some(result) = results.next().await {
        let (path, searched) = result?;
        let hits = run.hits.take(done);
        done += 1;
        context.report_progress(done, total);
        cut += usize::from(searched.is_cut);
        if !collected.add(&path, hits, searched.count) {
            break;
        }
    }
    Ok((collected.finish(), cut))
}

impl SearchRun<'_> {
    /// Searches the file with this place in the order of paths. If it changed since the listing, its present content counts.
    async fn search_found(&self, place: usize, found: ListedFile) -> Result<(VirtualPath, FileResult)> {
        let path = found.file.path.clone();
        let memory = &self.context.search_memory;
        let kib = u32::try_from(found.size.div_ceil(1 << 10)).unwrap_or(SEARCH_WINDOW_KIB).min(SEARCH_WINDOW_KIB);
        let permit = memory.acquire_many(kib).await.map_err(Error::internal)?;
        if found.size == 0 || self.hits.is_full_before(place) {
            return Ok((path, FileResult::default()));
        }
        let searched = match self.search_file(place, &found.file).await {
            Err(SkipReason::Unread(StoreError::NotFound | StoreError::PreconditionFailed))
                if is_listed(&found.file) =>
            {
                drop(permit);
                let _permit = memory.acquire_many(SEARCH_WINDOW_KIB).await.map_err(Error::internal)?;
                let newest = FileRef { version: FileVersion::Newest, size: None, ..found.file };
                match self.search_file(place, &newest).await {
                    Err(SkipReason::Unread(StoreError::NotFound)) => Ok(FileResult::default()),
                    searched => searched.map_err(|error| error.about(&newest)),
                }
            }
            searched => searched.map_err(|error| error.about(&found.file)),
        };
        searched.map(|searched| (path, searched))
    }

    /// Searches a file. A file that is larger than [`CHUNK_BYTES`] is searched piece by piece.
    async fn search_file(&self, place: usize, file: &FileRef) -> Result<FileResult, SkipReason> {
        let content = self.context.core.content();
        let range = file.size.is_none_or(|size| size > CHUNK_BYTES).then_some(0..CHUNK_BYTES);
        let Object { meta, bytes: mut piece, range } = try_fetch(content, file, range, None).await?;
        if meta.size > GREP_FILE_BYTES || binary_type(&piece).is_some() {
            return Ok(FileResult::default());
        }
        let mut at = range.end;
        let mut state = self.search.pattern.file(self.search.context, self.search.limit());
        loop {
            let is_last = at >= meta.size;
            let worst = self.search.pattern.worst_steps(piece.len());
            let (hits, path_bytes) = (self.hits.clone(), file.path.as_str().len());
            state = self
                .errand
                .run_sized(worst, move |work| {
                    state.feed(&piece, is_last, work)?;
                    // Before its thread takes the next job, so that few files hold hits of their own at once.
                    if state.is_done {
                        hits.put(place, path_bytes, std::mem::take(&mut state.hits));
                    }
                    Ok(state)
                })
                .await?;
            if state.is_done {
                return Ok(FileResult { count: state.count, is_cut: state.is_cut });
            }
            let next = try_fetch(content, file, Some(at..at + CHUNK_BYTES), Some(&meta.etag)).await?;
            at = advance(file, at, &next)?;
            piece = next.bytes;
        }
    }
}

/// Why a file could not be searched.
enum SkipReason {
    /// Its bytes could not be had.
    Unread(StoreError),
    /// The search itself failed.
    Failed(Error),
}

impl SkipReason {
    fn about(self, file: &FileRef) -> Error {
        match self {
            Self::Unread(error) => unreadable(file, error).into(),
            Self::Failed(error) => error,
        }
    }
}

impl From<StoreError> for SkipReason {
    fn from(error: StoreError) -> Self {
        Self::Unread(error)
    }
}

impl From<Error> for SkipReason {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// Whether the file may have changed or gone between the listing and now: then what is there now counts, as large as it may
/// be.
fn is_listed(file: &FileRef) -> bool {
    matches!(file.version, FileVersion::Listed(_))
}

/// Why a search that found no more than it may show did not look at everything.
fn left_out(files: &FileListing, large: usize, cut: usize) -> Option<String> {
    if files.truncated {
        return Some(unlisted());
    }
    if large > 0 {
        return Some(format!("{large} files over {GREP_FILE_BYTES} bytes were not searched; read them in windows"));
    }
    let reason =
        format!("{cut} files were searched only up to a line over {SEARCH_LINE_BYTES} bytes; read on from there");
    (cut > 0).then_some(reason)
}

/// # Errors
/// `invalid_request` if more is asked for than one search returns.
fn check(request: &GrepRequest) -> Result<()> {
    let most = request.max_count.unwrap_or(GREP_MATCHES);
    if most <= GREP_MATCHES_MAX && request.context <= GREP_CONTEXT_LINES {
        return Ok(());
    }
    let message = format!("max_count goes up to {GREP_MATCHES_MAX} and context up to {GREP_CONTEXT_LINES}");
    Err(Error::new(Code::InvalidRequest, message))
}

impl Search {
    fn new(request: &GrepRequest) -> Result<Self> {
        Ok(Self {
            pattern: Pattern::new(&request.pattern, request.literal, request.ignore_case)?,
            context: request.context,
            output: request.output_mode,
            most: request.max_count.unwrap_or(GREP_MATCHES),
        })
    }

    /// The limit of the hits to keep. By one hit more than it shows, the reply knows of a cut.
    fn limit(&self) -> HitLimit {
        let hits = match self.output {
            GrepOutput::Content => self.most + 1,
            GrepOutput::Files | GrepOutput::Count => 0,
        };
        HitLimit { hits, bytes: GREP_REPLY_BYTES }
    }
}

/// The reply as it grows, file after file.
#[derive(Debug)]
struct ReplyBuilder<'search> {
    search: &'search Search,
    matches: Vec<GrepMatch>,
    counts: Vec<GrepCount>,
    bytes: usize,
    cut: Option<String>,
}

impl<'search> ReplyBuilder<'search> {
    fn new(search: &'search Search) -> Self {
        Self { search, matches: Vec::new(), counts: Vec::new(), bytes: 0, cut: None }
    }

    /// Takes the hits of the next file; false once the reply is full.
    fn add(&mut self, path: &VirtualPath, hits: Vec<Hit>, count: u64) -> bool {
        if count == 0 {
            return true;
        }
        if self.search.output != GrepOutput::Content {
            if self.counts.len() == self.search.most {
                self.cut = Some(format!(
                    "only the first {} files are shown; raise max_count, or narrow path or glob",
                    self.search.most
                ));
                return false;
            }
            self.counts.push(GrepCount { path: path.to_string(), count });
            return true;
        }
        for hit in hits {
            self.bytes += path.as_str().len() + hit.size();
            if self.matches.len() == self.search.most {
                self.cut = Some(format!(
                    "only the first {} hits are shown; raise max_count, or narrow path, glob or pattern",
                    self.search.most
                ));
                return false;
            }
            if self.bytes > GREP_REPLY_BYTES {
                self.cut = Some(
                    "the hits are too long to show them all; narrow path, glob or pattern, or ask for less context"
                        .to_owned(),
                );
                return false;
            }
            self.matches.push(GrepMatch {
                path: path.to_string(),
                line: hit.line,
                text: hit.text,
                before: hit.before,
                after: hit.after,
            });
        }
        true
    }

    fn finish(self) -> GrepReply {
        let files = || self.counts.iter().map(|count| count.path.clone()).collect();
        GrepReply {
            files: (self.search.output == GrepOutput::Files).then(files),
            matches: (self.search.output == GrepOutput::Content).then_some(self.matches),
            counts: (self.search.output == GrepOutput::Count).then_some(self.counts),
            truncated: self.cut.is_some(),
            truncation_reason: self.cut,
        }
    }
}
