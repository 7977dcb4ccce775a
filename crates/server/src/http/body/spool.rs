//! Bodies on their way in: in counted memory while they are short, and in a temporary file above that.
//!
//! A client may send as slowly as the pace allows. So a body takes memory only for bytes that have come, and never waits for
//! memory while it holds some. A body over [`UPLOAD_WINDOW_BYTES`] goes to a temporary file as it comes. Without free memory a
//! shorter body goes there too. Once the body is complete, its call takes memory for its whole need, holding none, and reads
//! the file. So conditions, retries and write ids work as for any write. Users and keys share the disk as they share memory. A
//! skill that is published in parts may be too long for memory, so its files stay on disk and are read from there while they
//! are checked.

use std::{
    fs::File,
    io::{Read as _, Seek as _, Write as _},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use axum::extract::Request;
use bytes::{Bytes, BytesMut};
use futures_util::{Stream, StreamExt as _, TryStreamExt as _};
use tokio::time::Instant;

use super::receive::{broken, check_announced, over};
use crate::{
    error::{Code, Error, Outcome, Result},
    http::door::{Admission, FairShare, FairShares, ShareOwner},
    limits::{
        BODY_BUFFER_BYTES, BODY_STEP_BYTES, MEMORY_PATIENCE, OPERATION_TIMEOUT, REQUEST_TIMEOUT, REQUESTS_AT_ONCE,
        SPOOL_BYTES, SPOOL_STEP_BYTES, UPLOAD_WINDOW_BYTES, UPLOADS_AT_ONCE,
    },
    publish::SpooledBody,
};

/// The copies of a body in memory while it is parsed: the bytes, the texts that the parser unescapes, and the result.
pub(crate) const PARSED_COPIES: u64 = 3;

/// Where bodies wait that are too long for memory.
#[derive(Debug)]
pub(crate) struct Spool {
    folder: PathBuf,
    disk: FairShares,
    /// Bodies on disk that arrive.
    arriving: FairShares,
}

/// The bodies of one call.
#[derive(Clone, Debug)]
pub(crate) struct Uploads {
    admission: Arc<Admission>,
    spool: Arc<Spool>,
    caller: ShareOwner,
    until: Instant,
}

/// The bytes of a file, and the memory they may take.
#[derive(Debug)]
pub(crate) struct Upload {
    pub(crate) bytes: Bytes,
    pub(crate) held: FairShare,
}

/// A body that arrives piece by piece.
pub(crate) struct IncomingUpload<'u> {
    uploads: &'u Uploads,
    limit: usize,
    /// How often it is in memory once all of it has come.
    copies: u64,
    seen: usize,
    arrived: Result<ReceivedPart>,
}

/// The memory or the space on the disk that an upload holds while it is read.
#[derive(Debug)]
pub(crate) struct SpoolPermit {
    _memory: Option<FairShare>,
    _space: Option<FairShare>,
}

impl From<FairShare> for SpoolPermit {
    fn from(memory: FairShare) -> Self {
        Self { _memory: Some(memory), _space: None }
    }
}

/// The part of a body that has come so far.
pub(crate) enum ReceivedPart {
    /// Up to [`BODY_BUFFER_BYTES`] it counts as a part of the buffers of its connection, and holds no memory.
    InMemory(BytesMut, Option<FairShare>),
    OnDisk(Box<OnDisk>),
}

pub(crate) struct OnDisk {
    file: File,
    bytes: usize,
    space: FairShare,
    /// `None` once all of it has come.
    turn: Option<FairShare>,
}

impl Spool {
    /// Temporary files lie in `folder`, or in the system's own folder if `folder` is `None`.
    pub(crate) fn new(folder: Option<PathBuf>) -> Self {
        let folder = folder.unwrap_or_else(std::env::temp_dir);
        let arriving = FairShares::new(REQUESTS_AT_ONCE as u64, UPLOADS_AT_ONCE);
        Self { folder, disk: FairShares::new(SPOOL_BYTES, SPOOL_BYTES / 4), arriving }
    }
}

impl Uploads {
    /// The bodies of a call that has just begun. Waiting for a body ends early enough to leave time for the store.
    pub(crate) fn new(admission: Arc<Admission>, spool: Arc<Spool>, caller: ShareOwner) -> Self {
        let until = Instant::now() + REQUEST_TIMEOUT.saturating_sub(OPERATION_TIMEOUT);
        Self { admission, spool, caller, until }
    }

    /// Receives a file of at most `limit` bytes. A refused file is read on for a while, because its sender would not see the
    /// refusal otherwise.
    ///
    /// # Errors
    /// `file_too_large`; those of `body`; `rate_limited` if there is no room for it in time.
    pub(crate) async fn receive(
        &self,
        announced: Option<u64>,
        body: impl Stream<Item = Result<Bytes>>,
        limit: usize,
    ) -> Result<Upload> {
        self.begin(announced, limit, 1).await.add_all(body).await?.in_memory().await
    }

    /// As [`receive`](Self::receive), for the whole body of a request. Memory is held for `copies` of the body.
    ///
    /// # Errors
    /// As [`receive`](Self::receive).
    pub(crate) async fn receive_body(&self, request: Request, limit: usize, copies: u64) -> Result<Upload> {
        let announced = check_announced(&request, limit)?;
        let body = request.into_body().into_data_stream().map_err(broken);
        self.begin(announced, limit, copies).await.add_all(body).await?.in_memory().await
    }

    /// Begins to receive a body of at most `limit` bytes, of which memory will hold `copies`. [`receive`](Self::receive) says
    /// which bodies are refused.
    pub(crate) async fn begin(&self, announced: Option<u64>, limit: usize, copies: u64) -> IncomingUpload<'_> {
        let is_long = announced.is_some_and(|announced| announced.min(limit as u64) > UPLOAD_WINDOW_BYTES);
        let arrived = if is_long {
            self.open_file().await.map(|file| ReceivedPart::OnDisk(Box::new(file)))
        } else {
            Ok(ReceivedPart::InMemory(BytesMut::new(), None))
        };
        IncomingUpload { uploads: self, limit, copies, seen: 0, arrived }
    }

    /// An empty file, once it is the turn of this caller.
    async fn open_file(&self) -> Result<OnDisk> {
        let turn = self.turn().await?;
        let space =
            tokio::time::timeout(self.patience(), self.spool.disk.acquire(&self.caller, SPOOL_STEP_BYTES)).await;
        let space = space.ok().flatten().ok_or_else(no_room)?;
        OnDisk::new(self.spool.folder.clone(), space, Some(turn)).await
    }

    async fn turn(&self) -> Result<FairShare> {
        let turn = tokio::time::timeout(self.patience(), self.spool.arriving.acquire(&self.caller, 1)).await;
        turn.ok().flatten().ok_or_else(no_room)
    }

    /// The same bytes in a file. The memory is free once they are written, so the caller waits for nothing before.
    async fn move_to_disk(&self, bytes: Bytes) -> Result<OnDisk> {
        let space = self.spool.disk.try_acquire(&self.caller, SPOOL_STEP_BYTES).ok_or_else(no_room)?;
        OnDisk::new(self.spool.folder.clone(), space, None).await?.append(bytes).await
    }

    /// All of a body in memory, of which `need` bytes are reserved for its call. A body that finds no free memory waits on disk.
    ///
    /// # Errors
    /// `rate_limited` if there is no room in time; `too_expensive` if there is never so much.
    pub(crate) async fn in_memory(&self, arrived: ReceivedPart, need: u64) -> Result<(Bytes, FairShare)> {
        let file = match arrived {
            ReceivedPart::InMemory(bytes, Some(mut held)) => {
                if held.try_grow_to(need) {
                    held.shrink_to(need);
                    return Ok((bytes.freeze(), held));
                }
                self.move_to_disk(bytes.freeze()).await?
            }
            ReceivedPart::InMemory(bytes, None) => {
                let patience = self.patience().min(MEMORY_PATIENCE);
                let held = self.admission.reserve(&self.caller, need, patience).await?;
                return Ok((bytes.freeze(), held));
            }
            ReceivedPart::OnDisk(file) => OnDisk { turn: None, ..*file },
        };
        let held = self.admission.reserve(&self.caller, need, self.patience()).await?;
        Ok((file.read().await?, held))
    }

    /// The same part of a body, holding no memory.
    ///
    /// # Errors
    /// `rate_limited` if the disk has no room.
    pub(crate) async fn without_memory(&self, arrived: ReceivedPart) -> Result<ReceivedPart> {
        match arrived {
            ReceivedPart::InMemory(bytes, Some(_held)) => {
                Ok(ReceivedPart::OnDisk(Box::new(self.move_to_disk(bytes.freeze()).await?)))
            }
            other => Ok(other),
        }
    }

    /// Adds a piece to the part that has come, once it is this user's turn.
    async fn take(&self, arrived: ReceivedPart, piece: Bytes) -> Result<ReceivedPart> {
        match arrived {
            ReceivedPart::InMemory(mut bytes, mut held) => {
                bytes.extend_from_slice(&piece);
                if self.try_hold(&mut held, bytes.len()) {
                    return Ok(ReceivedPart::InMemory(bytes, held));
                }
                Ok(ReceivedPart::OnDisk(Box::new(self.move_to_disk(bytes.freeze()).await?)))
            }
            ReceivedPart::OnDisk(mut file) => {
                if file.turn.is_none() {
                    file.turn = Some(self.turn().await?);
                }
                if !self.is_in_turn(piece.len()).await {
                    return Err(no_room());
                }
                Ok(ReceivedPart::OnDisk(Box::new(file.append(piece).await?)))
            }
        }
    }

    /// Whether a body of `length` bytes can be in memory, of which it holds `held`. It goes to disk otherwise.
    fn try_hold(&self, held: &mut Option<FairShare>, length: usize) -> bool {
        if length <= BODY_BUFFER_BYTES || length as u64 > UPLOAD_WINDOW_BYTES {
            return length <= BODY_BUFFER_BYTES;
        }
        let need = (length as u64).next_multiple_of(BODY_STEP_BYTES);
        if let Some(held) = held {
            return held.try_grow_to(need);
        }
        *held = self.admission.try_reserve(&self.caller, need);
        held.is_some()
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

impl IncomingUpload<'_> {
    /// The bytes that have come.
    pub(crate) fn seen(&self) -> usize {
        self.seen
    }

    /// Adds a piece. An upload that was refused is read on for a while.
    ///
    /// # Errors
    /// Those of [`Uploads::receive`], once it is read on no longer.
    pub(crate) async fn add(self, piece: Bytes) -> Result<Self> {
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
    pub(crate) async fn add_all(mut self, body: impl Stream<Item = Result<Bytes>>) -> Result<Self> {
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
    pub(crate) async fn in_memory(self) -> Result<Upload> {
        let need = self.copies * self.seen as u64;
        let (bytes, held) = self.uploads.in_memory(self.arrived?, need).await?;
        Ok(Upload { bytes, held })
    }

    /// All that has come, where it is.
    ///
    /// # Errors
    /// Those of [`Uploads::receive`].
    pub(crate) fn arrived(self) -> Result<ReceivedPart> {
        self.arrived
    }

    /// The received bytes, in memory or on disk, and the permit for this place.
    ///
    /// # Errors
    /// As [`in_memory`](Self::in_memory).
    pub(crate) async fn waiting(self) -> Result<(SpooledBody, SpoolPermit)> {
        match self.arrived? {
            ReceivedPart::OnDisk(file) => {
                let OnDisk { file, bytes, space, .. } = *file;
                let held = SpoolPermit { _memory: None, _space: Some(space) };
                Ok((SpooledBody::in_file(file, bytes as u64), held))
            }
            arrived @ ReceivedPart::InMemory(..) => {
                let need = self.copies * self.seen as u64;
                let (bytes, held) = self.uploads.in_memory(arrived, need).await?;
                Ok((bytes.into(), held.into()))
            }
        }
    }
}

impl ReceivedPart {
    /// The bytes of a body that holds no memory, because it is short.
    pub(crate) fn short(&self) -> Option<&[u8]> {
        match self {
            Self::InMemory(bytes, None) => Some(bytes),
            Self::InMemory(_, Some(_)) | Self::OnDisk(_) => None,
        }
    }
}

impl OnDisk {
    async fn new(folder: PathBuf, space: FairShare, turn: Option<FairShare>) -> Result<Self> {
        let file = blocking(move || tempfile::tempfile_in(folder)).await?;
        Ok(Self { file, bytes: 0, space, turn })
    }

    /// Adds a piece. The disk is taken as the bytes come, and a body waits for nothing while it holds some of it.
    async fn append(mut self, piece: Bytes) -> Result<Self> {
        let bytes = self.bytes + piece.len();
        if !self.space.try_grow_to((bytes as u64).next_multiple_of(SPOOL_STEP_BYTES)) {
            return Err(no_room());
        }
        blocking(move || {
            self.file.write_all(&piece)?;
            self.bytes = bytes;
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
    use axum::body::Body;
    use futures_util::stream;

    use super::*;
    use crate::{budget::Memory, limits::CONNECTIONS};

    const MIB: usize = 1 << 20;

    fn caller(user: &str) -> ShareOwner {
        ShareOwner { user: user.into(), key: None }
    }

    // S-FAIR-6: While the service has several users, large uploads of each arrive at 16 MiB a second, four at a time.
    #[tokio::test(start_paused = true)]
    async fn an_upload_that_is_refused_is_read_on_at_the_rate_of_its_user_up_to_twice_the_limit() {
        let admission = Arc::new(Admission::new(&Memory::new(160 << 20, MEMORY_PATIENCE), CONNECTIONS));
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
        assert!((0.9..1.1).contains(&took), "16 MiB in {took} s");
    }

    // S-PUBLISH-18: A JSON body has up to 16 MiB, and the error about a longer body names the other forms.
    #[tokio::test]
    async fn a_body_that_is_parsed_holds_memory_for_its_copies() {
        let admission = Arc::new(Admission::new(&Memory::new(160 << 20, MEMORY_PATIENCE), CONNECTIONS));
        let uploads = Uploads::new(Arc::clone(&admission), Arc::new(Spool::new(None)), caller("u"));
        for bytes in [10, 2 * MIB] {
            let request = || Request::new(Body::from(vec![0; bytes]));
            let parsed = uploads.receive_body(request(), bytes, PARSED_COPIES).await.unwrap();
            assert_eq!((parsed.bytes.len(), admission.memory().reserved()), (bytes, 3 * bytes as u64));
            drop(parsed);
            let sent = uploads.receive_body(request(), bytes, 1).await.unwrap();
            assert_eq!((sent.bytes.len(), admission.memory().reserved()), (bytes, bytes as u64));
        }
    }
}
