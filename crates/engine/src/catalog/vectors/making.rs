//! Making the vectors of a layer, behind the requests.
//!
//! A skill that has a vector of its present version keeps this vector. After each few skills the making pauses for as
//! long as they took, so that an encoder on this machine has time for questions. New vectors are written now and then,
//! and at the end of the making, even after a failure.
//!
//! If only a few changed skills of a layer lack vectors, a question waits for these. So one edit does not make the
//! whole search lexical. A process that ends with its answer can make no vectors later. So it waits for as many as time
//! allows.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use tokio::time::timeout;

use super::{
    encoding::{Encoding, VectorsBySkill, too_slow},
    format,
    knowledge::EncoderTraits,
    layer::LayerVectors,
    pace::EncodingPriority,
    vector_store::{KeptVectors, VectorStore},
};
use crate::{
    catalog::{CatalogEntry, view::CatalogView},
    encoder::EncoderError,
    error::Error,
    limits::{ENCODED_AT_ONCE, ENCODER_DELAY, ENCODER_PATIENCE, ENCODER_REST},
    path::{LayerOwner, ObjectKey},
    store::PutOptions,
};

impl VectorStore {
    /// Makes what is missing, once it is this layer's turn.
    pub(super) async fn make(self, key: ObjectKey, owner: LayerOwner, kept: Weak<KeptVectors>) {
        let Ok(_turn) = self.turn.acquire().await else { return };
        // No catalog may need them any more: a catalog that is forgotten during the wait costs nothing.
        let Some(kept) = kept.upgrade() else { return };
        let made = match kept.wanted() {
            None => Ok(()),
            Some(view) => self.make_for(&view, (&key, &owner), &kept, EncodingPriority::Behind).await,
        };
        self.ended(&owner, &kept, made);
    }

    /// Makes what is missing while the caller waits, at the pace of `wanted`.
    pub(in crate::catalog) async fn make_now(
        &self,
        key: &ObjectKey,
        owner: &LayerOwner,
        kept: &Arc<KeptVectors>,
        wanted: (&Arc<CatalogView>, EncodingPriority<'_>),
    ) {
        let (view, pace) = wanted;
        if self.is_too_large(view, kept) || !kept.want(view, self.clock.uptime()) {
            return;
        }
        let made = self.make_for(view, (key, owner), kept, pace).await;
        self.ended(owner, kept, made);
    }

    fn ended(&self, owner: &LayerOwner, kept: &KeptVectors, made: Result<(), EncoderError>) {
        let rest = match made {
            Ok(()) => Duration::ZERO,
            Err(error) => {
                tracing::warn!(?owner, error = error.chain(), "vectors of skills were not made");
                error.delay().unwrap_or(ENCODER_REST).min(ENCODER_DELAY)
            }
        };
        kept.ended(self.clock.uptime() + rest);
    }

    /// Compares the known vectors with new vectors of the encoder.
    pub(super) async fn check(self, owner: LayerOwner, kept: Arc<KeptVectors>, view: Arc<CatalogView>) {
        let rest = match self.trusts(&kept, &view).await {
            Ok(_) => Duration::ZERO,
            Err(error) => {
                tracing::warn!(?owner, error = error.chain(), "vectors of skills were not compared with the encoder");
                ENCODER_REST
            }
        };
        kept.checked(self.clock.uptime() + rest);
    }

    /// Makes the vectors of a few skills that lack them in a layer that has vectors, and waits for them as long as for the
    /// vector of a question. After a failure they are left to [`make`](Self::make).
    pub(in crate::catalog) async fn catch_up(
        &self,
        key: &ObjectKey,
        owner: &LayerOwner,
        kept: &Arc<KeptVectors>,
        view: &Arc<CatalogView>,
    ) {
        if few_missing(view, kept).is_none() {
            return;
        }
        let _turn = kept.turn_of_few.lock().await;
        // An earlier task may have made them, or failed.
        let Some(known) = few_missing(view, kept).filter(|_| kept.is_idle(self.clock.uptime())) else { return };
        let (made, missing) = sorted(view, Some(&known));
        let kind = EncoderTraits::from_layer(&known);
        let mut encoding = Encoding { meanings: self, key, owner, kept, kind, made, unsaved: 0 };
        let encoded = async {
            let is_trusted = self.trusts(kept, view).await?;
            if is_trusted { encoding.encode(&missing).await.map(|()| true) } else { Ok(false) }
        };
        match timeout(ENCODER_PATIENCE, encoded).await {
            Ok(Ok(true)) => {
                let vectors = encoding.vectors_so_far();
                kept.replace(vectors.clone());
                let (this, key, owner) = (self.clone(), key.clone(), owner.clone());
                tokio::spawn(async move { this.save(&key, &owner, vectors).await });
            }
            Ok(Err(error)) => {
                tracing::warn!(?owner, error = error.chain(), "vectors of changed skills were not made");
                kept.rest(self.clock.uptime() + ENCODER_REST);
            }
            // Vectors that are not trusted are made again, and late ones made: behind the requests, where there is time.
            Ok(Ok(false)) | Err(_) => {}
        }
    }

    async fn make_for(
        &self,
        view: &Arc<CatalogView>,
        (key, owner): (&ObjectKey, &LayerOwner),
        kept: &Arc<KeptVectors>,
        pace: EncodingPriority<'_>,
    ) -> Result<(), EncoderError> {
        let (known, kind) = match pace.time_left(self) {
            None => self.begun(view, kept).await?,
            Some(left) => timeout(left, self.begun(view, kept)).await.unwrap_or_else(|_| Err(too_slow()))?,
        };
        if kind.is_too_large_for(view) {
            return Err(EncoderError::new("there are too many skills for vectors of this size"));
        }
        let (made, missing) = sorted(view, known.as_deref());
        let mut encoding = Encoding { meanings: self, key, owner, kept, kind, made, unsaved: 0 };
        let done = encoding.encode_all(&missing, pace).await;
        // A layer without skills has its vectors when it has none of them.
        if encoding.unsaved > 0 || (known.is_none() && missing.is_empty()) {
            encoding.keep().await;
        }
        done
    }

    /// The known vectors to go on from, if the encoder still makes such vectors, and the common traits of new vectors.
    async fn begun(
        &self,
        view: &CatalogView,
        kept: &KeptVectors,
    ) -> Result<(Option<Arc<LayerVectors>>, EncoderTraits), EncoderError> {
        let is_trusted = self.trusts(kept, view).await?;
        if let Some(known) = kept.cached().filter(|_| is_trusted) {
            let kind = EncoderTraits::from_layer(&known);
            return Ok((Some(known), kind));
        }
        let doubts = self.knowledge.doubts();
        let kind = self.kind().await?;
        kept.trust(doubts);
        Ok((None, kind))
    }

    /// Writes vectors to the bucket. If that fails they are made again by the next process.
    pub(super) async fn save(&self, key: &ObjectKey, owner: &LayerOwner, vectors: LayerVectors) {
        if !self.access.is_granted() {
            return;
        }
        let written = async {
            let object = self.errand(owner).run(move |_| format::encode(&vectors).map_err(Error::internal)).await?;
            self.store.put(key, object, PutOptions::default()).await.map(drop).map_err(Error::from)
        };
        if let Err(error) = written.await {
            tracing::warn!(%key, error = %error.chain(), "the vectors of skills were not written");
        }
    }
}

/// The vectors of a layer in which a few skills of `view` have none; `None` if all have one, or many have none.
fn few_missing(view: &CatalogView, kept: &KeptVectors) -> Option<Arc<LayerVectors>> {
    let known = kept.cached()?;
    let missing = view.entries.iter().filter(|entry| known.place(entry).is_none()).take(ENCODED_AT_ONCE + 1).count();
    (1..=ENCODED_AT_ONCE).contains(&missing).then_some(known)
}

/// The vectors that still hold, and the skills that have none.
fn sorted<'view>(
    view: &'view CatalogView,
    known: Option<&LayerVectors>,
) -> (VectorsBySkill, Vec<&'view Arc<CatalogEntry>>) {
    let (mut made, mut missing) = (VectorsBySkill::new(), Vec::new());
    for entry in &view.entries {
        match known.and_then(|known| Some((known, known.place(entry)?))) {
            Some((known, place)) => {
                made.insert(entry.skill.clone(), (entry.etag.clone(), known.numbers(place).into()));
            }
            None => missing.push(entry),
        }
    }
    (made, missing)
}
