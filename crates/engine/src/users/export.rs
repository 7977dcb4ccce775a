//! Everything of a user, as one archive. The archive is made while it is sent.
//!
//! An entry is named as its key: `{user}/skills/…`, `{user}/.skillmount/sessions/…`. The last one is `_manifest.json`, which no
//! user is called. The manifest lists the contents and the omissions. An archive without a manifest is known to be cut.

use std::{collections::VecDeque, fmt, pin::Pin, sync::Arc};

use bytes::Bytes;
use futures_util::{Stream, StreamExt as _, TryStreamExt as _, stream};
use jiff::Timestamp;

use super::{Users, archive};
use crate::{
    context::Core,
    error::{Error, Result},
    limits::{EXPORT_AHEAD, EXPORT_LEFT_NAMED, EXPORT_PIECE_BYTES},
    path::{Id, KeyPrefix, ObjectKey, ObjectKind},
    store::{CachePolicy, GetOptions, ListEntry, ListOptions, Object, PageToken, StoreError},
    wire::{Amount, Amounts, ExportManifest, LeftOut, count},
};

/// The format of the archive and of its manifest.
const FORMAT: u32 = 1;
/// The name of the last entry.
const MANIFEST: &str = "_manifest.json";

/// The archive of one user, piece by piece.
///
/// ```
/// use std::sync::Arc;
///
/// use skillmount_base::{clock::SystemClock, path::Id};
/// use skillmount_engine::handle::{Service, ServiceOptions};
/// use skillmount_store::MemoryStore;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> skillmount_base::Result<()> {
/// let store = Arc::new(MemoryStore::new());
/// store.put_raw("anna/skills/minutes/SKILL.md", "---\nname: minutes\ndescription: Writes minutes.\n---\nBegin.\n");
/// let service = Service::new(store, ServiceOptions::default(), Arc::new(SystemClock::new()));
/// let mut export = service.users().export(&Id::parse("anna")?)?;
/// let mut bytes = 0;
/// while let Some(piece) = export.next().await? {
///     bytes += piece.len();
/// }
/// assert!(bytes > 0, "the archive has at least its manifest");
/// # Ok(())
/// # }
/// ```
pub struct Export {
    core: Arc<Core>,
    user: Id,
    root: KeyPrefix,
    began_at: Timestamp,
    found: FirstPieces,
    /// Pieces that are ready.
    ready: VecDeque<Bytes>,
    /// An object of which pieces are to come.
    open: Option<Open>,
    contents: ExportContents,
    is_over: bool,
}

/// The contents of the archive so far, and the omitted objects.
#[derive(Default)]
struct ExportContents {
    total: Amount,
    areas: Amounts,
    /// The first [`EXPORT_LEFT_NAMED`] omitted objects.
    left_out: Vec<LeftOut>,
    left_out_count: u64,
}

type FirstPieces = Pin<Box<dyn Stream<Item = Result<First>> + Send>>;

/// The first piece of an object, or why there is none.
enum First {
    Piece(ObjectKey, Object),
    LeftOut(String, &'static str),
}

/// An object whose first piece is out.
struct Open {
    key: ObjectKey,
    object: Object,
}

impl Users {
    /// The archive of everything that a user has. Nothing is asked of the store before its first piece.
    ///
    /// # Errors
    /// `invalid_path` if the id is too long for a key.
    pub fn export(&self, user: &Id) -> Result<Export> {
        let root = self.core.namespace().user(user)?.root().clone();
        Ok(Export {
            found: first_pieces(Arc::clone(&self.core), root.clone()),
            core: Arc::clone(&self.core),
            user: user.clone(),
            root,
            began_at: self.core.clock().now(),
            ready: VecDeque::new(),
            open: None,
            contents: ExportContents::default(),
            is_over: false,
        })
    }
}

impl Export {
    /// The next piece; `None` after the last.
    ///
    /// # Errors
    /// The store's. The archive is then cut, and has no manifest.
    pub async fn next(&mut self) -> Result<Option<Bytes>> {
        loop {
            if let Some(piece) = self.ready.pop_front() {
                return Ok(Some(piece));
            }
            if let Some(open) = self.open.take() {
                self.go_on(open).await?;
                continue;
            }
            match self.found.next().await.transpose()? {
                Some(First::Piece(key, object)) => self.begin(key, object)?,
                Some(First::LeftOut(key, why)) => self.leave_out(key, why),
                None if self.is_over => return Ok(None),
                None => self.finish()?,
            }
        }
    }

    fn begin(&mut self, key: ObjectKey, object: Object) -> Result<()> {
        let size = object.meta.size;
        let Some(relative) = self.root.relative(key.as_str()) else { return Ok(()) };
        self.contents.total.add(size);
        count(&mut self.contents.areas, ObjectKind::classify(relative, self.core.templates()), size);
        let name = format!("{}/{relative}", self.user);
        self.ready.push_back(archive::head(&name, size, object.meta.modified_at)?);
        self.ready.push_back(object.bytes.clone());
        self.follow(Open { key, object });
        Ok(())
    }

    /// Fetches the next piece of an object, in the version that it began with.
    async fn go_on(&mut self, open: Open) -> Result<()> {
        let at = open.object.range.end;
        let options = GetOptions { if_match: Some(open.object.meta.etag.clone()), ..once(at..at + EXPORT_PIECE_BYTES) };
        let object = self.core.store().get(&open.key, options).await?;
        if object.range.end <= at {
            return Err(StoreError::broken("the store gave no bytes of an object").into());
        }
        self.ready.push_back(object.bytes.clone());
        self.follow(Open { object, ..open });
        Ok(())
    }

    fn follow(&mut self, open: Open) {
        let size = open.object.meta.size;
        if open.object.range.end < size {
            self.open = Some(open);
        } else {
            self.ready.push_back(archive::padding(size));
        }
    }

    fn leave_out(&mut self, key: String, why: &'static str) {
        self.contents.left_out_count += 1;
        if self.contents.left_out.len() < EXPORT_LEFT_NAMED {
            self.contents.left_out.push(LeftOut { key, why: why.to_owned() });
        }
    }

    fn finish(&mut self) -> Result<()> {
        let ended_at = self.core.clock().now();
        let manifest = ExportManifest {
            format: FORMAT,
            user_id: self.user.clone(),
            began_at: self.began_at,
            ended_at,
            total: self.contents.total,
            areas: std::mem::take(&mut self.contents.areas),
            left_out: std::mem::take(&mut self.contents.left_out),
            left_out_count: self.contents.left_out_count,
        };
        let text = serde_json::to_vec_pretty(&manifest).map_err(Error::internal)?;
        let size = text.len() as u64;
        self.ready.push_back(archive::head(MANIFEST, size, ended_at)?);
        self.ready.extend([Bytes::from(text), archive::padding(size), archive::end()]);
        self.is_over = true;
        Ok(())
    }
}

impl fmt::Debug for Export {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Export").field("user", &self.user).field("total", &self.contents.total).finish_non_exhaustive()
    }
}

/// The first piece of each object below `root`, in the order of the listing. A few are fetched ahead.
fn first_pieces(core: Arc<Core>, root: KeyPrefix) -> FirstPieces {
    let fetcher = Arc::clone(&core);
    let (below, admitted) = (root.clone(), root);
    let pages = stream::try_unfold(Some(None), move |page: Option<Option<PageToken>>| {
        let (core, root) = (Arc::clone(&core), below.clone());
        async move {
            let Some(page) = page else { return Ok::<_, Error>(None) };
            let listed = core.store().list(&root, ListOptions::default().with_page(page)).await?;
            Ok(Some((listed.objects, listed.next.map(Some))))
        }
    });
    let entries = pages.map_ok(|entries| stream::iter(entries.into_iter().map(Ok))).try_flatten();
    let firsts = entries.map(move |entry: Result<ListEntry>| {
        let (core, root) = (Arc::clone(&fetcher), admitted.clone());
        async move { first(&core, &root, entry?).await }
    });
    Box::pin(firsts.buffered(EXPORT_AHEAD))
}

async fn first(core: &Core, root: &KeyPrefix, entry: ListEntry) -> Result<First> {
    let Some(key) = root.admit(&entry.key) else {
        return Ok(First::LeftOut(entry.key, "no path can name its key; copy it with a tool of the store"));
    };
    match core.store().get(&key, once(0..EXPORT_PIECE_BYTES)).await {
        Ok(object) => Ok(First::Piece(key, object)),
        Err(StoreError::NotFound) => Ok(First::LeftOut(entry.key, "it was deleted while the export was made")),
        Err(error) => Err(error.into()),
    }
}

/// A range of an object that is read once.
fn once(range: std::ops::Range<u64>) -> GetOptions {
    GetOptions::range(range).with_keep(CachePolicy::Not)
}
