//! Uploaded files on their way to the store.
//!
//! A client may send as slowly as the pace allows, so what it sends must not wait in memory: what is announced to be short
//! does, anything else goes to a temporary file as it comes. Once all of it is there, memory for it is reserved, holding none,
//! and the store gets it in one PUT: so conditions, retries and write ids are those of any write. Users and keys share
//! the disk as they share memory. A skill that is published in parts may be longer than memory should hold, so it stays on disk and is
//! read from there while it is checked.

use std::{
    fs::File,
    io::{Read as _, Seek as _, Write as _},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use bytes::{Bytes, BytesMut};
use futures_util::{Stream, StreamExt as _};
use tokio::time::Instant;

use super::{
    admission::{Admission, FairShare, FairShares, HeldMemory, ShareOwner},
    receive::over,
};
use crate::{
    backend::SpooledBody,
    budget::{Share, Shares},
    error::{Code, Error, Outcome, Result},
    limits::{
        MEMORY_PATIENCE, OPERATION_TIMEOUT, REQUEST_TIMEOUT, REQUESTS_AT_ONCE, SPOOL_BYTES, UPLOAD_WINDOW_BYTES,
        UPLOADS_AT_ONCE,
    },
};

/// How often a body is in memory while it is parsed: as it came, as the parser unescapes its texts, and as what was parsed.
const PARSED_COPIES: u64 = 3;

/// Where uploads wait that are too long for memory.
#[derive(Debug)]
pub(super) struct Spool {
    folder: PathBuf,
    disk: FairShares,
    /// Uploads that arrive: only the part of each user is bounded.
    arriving: Shares,
}

/// The uploads of one call.
#[derive(Clone, Debug)]
pub(super) struct Uploads {
    admission: Arc<Admission>,
    spool: Arc<Spool>,
    caller: ShareOwner,
    until: Instant,
}

/// The bytes of a file, and the memory they may take.
#[derive(Debug)]
pub(super) struct Upload {
    pub(super) bytes: Bytes,
    pub(super) held: HeldMemory,
}

/// An upload that arrives piece by piece.
pub(super) struct Arriving<'u> {
    uploads: &'u Uploads,
    limit: usize,
    /// How often it is in memory once all of it has come.
    copies: u64,
    seen: usize,
    arrived: Result<ReceivedPart>,
}

/// What an upload takes as long as it is read: memory, or space on the disk.
#[derive(Debug)]
pub(super) struct SpoolPermit {
    _memory: Option<HeldMemory>,
    _space: Option<FairShare>,
}

impl From<HeldMemory> for SpoolPermit {
    fn from(memory: HeldMemory) -> Self {
        Self { _memory: Some(memory), _space: None }
    }
}

/// What has come of a file so far.
enum ReceivedPart {
    InMemory(BytesMut, HeldMemory),
    OnDisk(Box<OnDisk>),
}

struct OnDisk {
    file: File,
    bytes: usize,
    space: FairShare,
    _turn: Share,
}

impl Spool {
    /// Temporary files lie in `folder`, the system's own where `None`.
    pub(super) fn new(folder: Option<PathBuf>) -> Self {
        let folder = folder.unwrap_or_else(std::env::temp_dir);
        let arriving = Shares::new(REQUESTS_AT_ONCE as u64, UPLOADS_AT_ONCE);
        Self { folder, disk: FairShares::new(SPOOL_BYTES), arriving }
    }
}

impl Uploads {
    /// Of a call that has just begun: what it waits for may take as long as leaves time for the store.
    pub(super) fn new(admission: Arc<Admission>, spool: Arc<Spool>, caller: ShareOwner) -> Self {
        let until = Instant::now() + REQUEST_TIMEOUT.saturating_sub(OPERATION_TIMEOUT);
        Self { admission, spool, caller, until }
    }

    /// Takes a file of at most `limit` bytes in. One that is refused is read on for a while, because its sender would not see
    /// the refusal otherwise.
    ///
    /// # Errors
    /// `file_too_large`; those of `body`; `rate_limited` where there is no room for it in time.
    pub(super) async fn receive<B>(&self, announced: Option<u64>, body: B, limit: usize) -> Result<Upload>
    where
        B: Stream<Item = Result<Bytes>>,
    {
        self.begin(announced, limit).await.add_all(body).await?.in_memory().await
    }

    /// As [`receive`](Self::receive), for a body that is parsed whole. Memory is held for that too.
    ///
    /// # Errors
    /// As [`receive`](Self::receive).
    pub(super) async fn receive_to_parse<B>(&self, announced: Option<u64>, body: B, limit: usize) -> Result<Upload>
    where
        B: Stream<Item = Result<Bytes>>,
    {
        self.begin_copied(announced, limit, PARSED_COPIES).await.add_all(body).await?.in_memory().await
    }

    /// Begins to take an upload of at most `limit` bytes in, which is refused as [`receive`](Self::receive) does.
    pub(super) async fn begin(&self, announced: Option<u64>, limit: usize) -> Arriving<'_> {
        self.begin_copied(announced, limit, 1).await
    }

    async fn begin_copied(&self, announced: Option<u64>, limit: usize, copies: u64) -> Arriving<'_> {
        let arrived = self.place(announced, limit, copies).await;
        Arriving { uploads: self, limit, copies, seen: 0, arrived }
    }

    /// Where the file goes: to memory if it is known to be short. What is in memory never moves to disk, for it would wait
    /// for disk holding memory, while others wait the other way round.
    async fn place(&self, announced: Option<u64>, limit: usize, copies: u64) -> Result<ReceivedPart> {
        match announced {
            Some(bytes) if bytes <= UPLOAD_WINDOW_BYTES => {
                // A buffer that grows is there twice while it does.
                let held = self.admission.reserve(&self.caller, copies.max(2) * bytes, MEMORY_PATIENCE).await?;
                Ok(ReceivedPart::InMemory(BytesMut::new(), held))
            }
            announced => self.to_disk(announced.unwrap_or(u64::MAX).min(limit as u64)).await,
        }
    }

    async fn to_disk(&self, bytes: u64) -> Result<ReceivedPart> {
        let turn = tokio::time::timeout(self.patience(), self.spool.arriving.acquire(&self.caller.user, 1)).await;
        let turn = turn.ok().flatten().ok_or_else(no_room)?;
        let space = tokio::time::timeout(self.patience(), self.spool.disk.acquire(&self.caller, bytes)).await;
        let space = space.ok().flatten().ok_or_else(no_room)?;
        let folder = self.spool.folder.clone();
        let file = blocking(move || tempfile::tempfile_in(folder)).await?;
        Ok(ReceivedPart::OnDisk(Box::new(OnDisk { file, bytes: 0, space, _turn: turn })))
    }

    async fn finish(&self, arrived: ReceivedPart, copies: u64) -> Result<Upload> {
        match arrived {
            ReceivedPart::InMemory(bytes, mut held) => {
                held.shrink_to(copies * bytes.len() as u64);
                Ok(Upload { bytes: bytes.freeze(), held })
            }
            ReceivedPart::OnDisk(file) => {
                let held = self.admission.reserve(&self.caller, copies * file.bytes as u64, self.patience()).await?;
                Ok(Upload { bytes: file.read().await?, held })
            }
        }
    }

    /// Adds a piece to what has come, once it is this user's turn.
    async fn take(&self, arrived: ReceivedPart, piece: Bytes) -> Result<ReceivedPart> {
        if matches!(&arrived, ReceivedPart::OnDisk(_)) && !self.is_in_turn(piece.len()).await {
            return Err(no_room());
        }
        arrived.append(piece).await
    }

    /// Waits until this user may send so many bytes more; false at once if that is too late.
    async fn is_in_turn(&self, bytes: usize) -> bool {
        let when = self.admission.bandwidth().when(&self.caller.user, bytes as u64);
        if when > self.until {
            return false;
        }
        tokio::time::sleep_until(when).await;
        true
    }

    fn patience(&self) -> Duration {
        self.until.saturating_duration_since(Instant::now())
    }
}

impl Arriving<'_> {
    /// The bytes that have come.
    pub(super) fn seen(&self) -> usize {
        self.seen
    }

    /// Adds a piece. An upload that was refused is read on for a while.
    ///
    /// # Errors
    /// Those of [`Uploads::receive`], once it is read on no longer.
    pub(super) async fn add(self, piece: Bytes) -> Result<Self> {
        let Self { uploads, limit, copies, seen, arrived } = self;
        let seen = seen.saturating_add(piece.len());
        let arrived = match arrived {
            Ok(arrived) if seen <= limit => uploads.take(arrived, piece).await,
            Ok(_) => Err(over(limit)),
            Err(error) if seen > 2 * limit || !uploads.is_in_turn(piece.len()).await => return Err(error),
            Err(error) => Err(error),
        };
        Ok(Self { uploads, limit, copies, seen, arrived })
    }

    /// Adds all of `body`.
    ///
    /// # Errors
    /// As [`add`](Self::add); those of `body`.
    pub(super) async fn add_all<B>(mut self, body: B) -> Result<Self>
    where
        B: Stream<Item = Result<Bytes>>,
    {
        let mut body = std::pin::pin!(body);
        while let Some(piece) = body.next().await {
            self = self.add(piece?).await?;
        }
        Ok(self)
    }

    /// All that has come, in memory.
    ///
    /// # Errors
    /// Those of [`Uploads::receive`].
    pub(super) async fn in_memory(self) -> Result<Upload> {
        self.uploads.finish(self.arrived?, self.copies).await
    }

    /// All that has come, where it is, and what it takes there.
    ///
    /// # Errors
    /// As [`in_memory`](Self::in_memory).
    pub(super) async fn waiting(self) -> Result<(SpooledBody, SpoolPermit)> {
        match self.arrived? {
            ReceivedPart::OnDisk(file) => {
                let OnDisk { file, bytes, space, .. } = *file;
                let held = SpoolPermit { _memory: None, _space: Some(space) };
                Ok((SpooledBody::in_file(file, bytes as u64), held))
            }
            arrived @ ReceivedPart::InMemory(..) => {
                let Upload { bytes, held } = self.uploads.finish(arrived, self.copies).await?;
                Ok((bytes.into(), held.into()))
            }
        }
    }
}

impl ReceivedPart {
    async fn append(self, piece: Bytes) -> Result<Self> {
        match self {
            Self::InMemory(mut bytes, held) => {
                bytes.extend_from_slice(&piece);
                Ok(Self::InMemory(bytes, held))
            }
            Self::OnDisk(file) => Ok(Self::OnDisk(Box::new(file.append(piece).await?))),
        }
    }
}

impl OnDisk {
    async fn append(mut self, piece: Bytes) -> Result<Self> {
        blocking(move || {
            self.file.write_all(&piece)?;
            self.bytes += piece.len();
            Ok(self)
        })
        .await
    }

    /// All of it; the file is gone afterwards.
    async fn read(mut self) -> Result<Bytes> {
        blocking(move || {
            self.file.rewind()?;
            let mut bytes = Vec::with_capacity(self.bytes);
            self.file.read_to_end(&mut bytes)?;
            drop(self.space);
            if bytes.len() == self.bytes { Ok(bytes.into()) } else { Err(std::io::ErrorKind::UnexpectedEof.into()) }
        })
        .await
    }
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> std::io::Result<T> + Send + 'static) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await.map_err(Error::internal)?;
    done.map_err(|cause| {
        let message = "the service could not keep the upload on its disk; try again, or tell its operator";
        Error::new(Code::StoreUnavailable, message).with_outcome(Outcome::NotApplied).with_source(cause)
    })
}

fn no_room() -> Error {
    Error::new(Code::RateLimited, "too many uploads are under way to take this one; try again in a moment")
        .with_outcome(Outcome::NotApplied)
}

#[cfg(test)]
mod tests {
    use futures_util::stream;

    use super::*;
    use crate::budget::Memory;

    const MIB: usize = 1 << 20;

    fn caller(user: &str) -> ShareOwner {
        ShareOwner { user: user.into(), key: None }
    }

    // S-FAIR-6: While several users are served, large uploads of each arrive at 16 MiB a second, four at a time.
    #[tokio::test(start_paused = true)]
    async fn an_upload_that_is_refused_is_read_on_at_the_rate_of_its_user_up_to_twice_the_limit() {
        let admission = Arc::new(Admission::new(&Memory::new(160 << 20, MEMORY_PATIENCE)));
        let (large, small) = (caller("large"), caller("small"));
        let uploads = Uploads::new(Arc::clone(&admission), Arc::new(Spool::new(None)), large.clone());
        let pieces = stream::repeat_with(|| {
            admission.bandwidth().serve(&large.user);
            admission.bandwidth().serve(&small.user);
            Ok(Bytes::from(vec![0; MIB / 4]))
        });
        let began = Instant::now();
        let refused = uploads.receive(None, pieces, 8 * MIB).await.unwrap_err();
        assert_eq!(refused.code(), Code::FileTooLarge);
        let took = began.elapsed().as_secs_f64();
        assert!((1.0..1.1).contains(&took), "16 MiB in {took} s");
    }

    // S-PUBLISH-10: A skill is published as JSON, as a zip archive of its folder or as a part for each file, with a key of scope
    // `control`.
    #[tokio::test]
    async fn a_body_that_is_parsed_holds_memory_for_its_copies() {
        let admission = Arc::new(Admission::new(&Memory::new(160 << 20, MEMORY_PATIENCE)));
        let uploads = Uploads::new(Arc::clone(&admission), Arc::new(Spool::new(None)), caller("u"));
        for bytes in [10, 2 * MIB] {
            let body = || stream::iter([Ok(Bytes::from(vec![0; bytes]))]);
            let parsed = uploads.receive_to_parse(Some(bytes as u64), body(), bytes).await.unwrap();
            assert_eq!((parsed.bytes.len(), admission.memory().reserved()), (bytes, 3 * bytes as u64));
            drop(parsed);
            let sent = uploads.receive(Some(bytes as u64), body(), bytes).await.unwrap();
            assert_eq!((sent.bytes.len(), admission.memory().reserved()), (bytes, bytes as u64));
        }
    }
}
