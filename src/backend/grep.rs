//! Searching contents.
//!
//! Files are fetched up to 64 at a time and searched as they come, but hits are taken strictly in (path, line) order,
//! so the answer is the same whatever the store's timing, and the search stops as soon as one hit more than asked for
//! is known. Content that is in memory under the listed ETag costs no request.

use std::sync::Arc;

use futures_util::{StreamExt, stream};
use tokio::sync::Semaphore;

use super::{
    GrepCount, GrepMatch, GrepOutput, GrepReply, GrepRequest, SkillBackend,
    files::{Files, Found},
    find::{relative_name, search_root, unlisted},
    matcher::{Hit, Pattern},
    text::binary_type,
};
use crate::{
    error::{Code, Error, Result},
    limits::{GREP_CONTEXT_LINES, GREP_FILE_BYTES, GREP_MATCHES, GREP_MATCHES_MAX, GREP_REPLY_BYTES, PARALLEL_GETS},
    path::{Glob, VirtualPath},
    session::Operation,
};

/// Contents held in memory at once by one search, in MiB.
const HELD_MIB: u32 = 128;
/// Contents larger than this are searched off the runtime's own threads.
const INLINE_SEARCH_BYTES: usize = 64 << 10;

/// What a search looks for, and how much of it to return.
#[derive(Clone, Debug)]
struct Search {
    pattern: Arc<Pattern>,
    context: usize,
    output: GrepOutput,
    most: usize,
}

impl SkillBackend {
    pub(super) async fn search(&self, request: GrepRequest) -> Result<GrepReply> {
        let search = Search::new(&request)?;
        let glob = request.glob.as_deref().map(Glob::parse).transpose()?;
        let root = search_root(request.path.as_deref())?;
        let (session, policy) = self.allowed(Operation::Grep).await?;
        let tree = self.tree(&session, &policy).await?;
        let mut files = self.files_below(&tree, &root).await?;
        if let Some(glob) = glob {
            files.found.retain(|found| glob.matches(relative_name(&found.file.path, &root)));
        }
        let large = files.found.iter().filter(|found| found.size > GREP_FILE_BYTES).count();
        files.found.retain(|found| found.size <= GREP_FILE_BYTES);
        let mut reply = self.search_files(&search, &mut files).await?;
        if !reply.truncated && (large > 0 || files.truncated) {
            reply.truncated = true;
            reply.truncation_reason = Some(if files.truncated {
                unlisted()
            } else {
                format!("{large} files over {GREP_FILE_BYTES} bytes were not searched; read them in windows")
            });
        }
        Ok(reply)
    }

    async fn search_files(&self, search: &Search, files: &mut Files) -> Result<GrepReply> {
        let held = Arc::new(Semaphore::new(HELD_MIB as usize));
        let searched = stream::iter(files.found.drain(..))
            .map(|found| self.search_file(found, search, held.clone()))
            .buffered(PARALLEL_GETS);
        let mut results = std::pin::pin!(searched);
        let mut collected = Collected::new(search);
        while let Some(result) = results.next().await {
            let (path, hits, count) = result?;
            if !collected.add(&path, hits, count) {
                break;
            }
        }
        Ok(collected.finish())
    }

    /// The hits of one file: at most one more than are asked for.
    async fn search_file(
        &self,
        found: Found,
        search: &Search,
        held: Arc<Semaphore>,
    ) -> Result<(VirtualPath, Vec<Hit>, u64)> {
        let nothing = (found.file.path.clone(), Vec::new(), 0);
        if found.size == 0 {
            return Ok(nothing);
        }
        let mib = u32::try_from(found.size.div_ceil(1 << 20)).unwrap_or(HELD_MIB).clamp(1, HELD_MIB);
        let _permit = held.acquire_many(mib).await.map_err(Error::internal)?;
        let bytes = match self.fetch_whole(&found.file, GREP_FILE_BYTES).await {
            Ok((_, bytes)) => bytes,
            // It changed or went between the listing and now: then what is there now counts.
            Err(error) if found.fresh && error.code() == Code::SkillChanged => {
                let newest = super::tree::FileRef { pin: None, size: None, ..found.file.clone() };
                match self.fetch_whole(&newest, GREP_FILE_BYTES).await {
                    Ok((_, bytes)) => bytes,
                    Err(error) if matches!(error.code(), Code::FileNotFound | Code::FileTooLarge) => {
                        return Ok(nothing);
                    }
                    Err(error) => return Err(error),
                }
            }
            Err(error) => return Err(error),
        };
        if binary_type(&bytes).is_some() {
            return Ok(nothing);
        }
        let search = search.clone();
        let size = bytes.len();
        let run = move || search.pattern.hits(&bytes, search.context, search.hits_wanted());
        let (hits, count) = if size > INLINE_SEARCH_BYTES {
            tokio::task::spawn_blocking(run).await.map_err(Error::internal)??
        } else {
            run()?
        };
        Ok((found.file.path, hits, count))
    }
}

impl Search {
    fn new(request: &GrepRequest) -> Result<Self> {
        let most = request.max_count.unwrap_or(GREP_MATCHES);
        if most > GREP_MATCHES_MAX || request.context > GREP_CONTEXT_LINES {
            let message = format!("max_count goes up to {GREP_MATCHES_MAX} and context up to {GREP_CONTEXT_LINES}");
            return Err(Error::new(Code::InvalidRequest, message));
        }
        Ok(Self {
            pattern: Arc::new(Pattern::new(&request.pattern, request.literal, request.ignore_case)?),
            context: request.context,
            output: request.output_mode,
            most,
        })
    }

    /// How many hits of one file are worth keeping, one past the cap so that a cut is noticed.
    fn hits_wanted(&self) -> usize {
        match self.output {
            GrepOutput::Content => self.most + 1,
            GrepOutput::Files | GrepOutput::Count => 0,
        }
    }
}

/// The reply as it grows, file after file.
#[derive(Debug)]
struct Collected<'search> {
    search: &'search Search,
    matches: Vec<GrepMatch>,
    counts: Vec<GrepCount>,
    bytes: usize,
    cut: Option<String>,
}

impl<'search> Collected<'search> {
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
            self.bytes += hit.size();
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
