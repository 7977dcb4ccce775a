//! Making the vectors of a layer, behind the requests.
//!
//! A skill that has a vector of its present version keeps it. After each few skills the making pauses for as long as they
//! took, so that an encoder on this machine has time for questions. What was made is written now and then, and at the end.
//!
//! If only a few skills of a layer lack vectors, because somebody changed them, a question waits for these: one edit shall not
//! make the whole search lexical.

use std::{
    collections::BTreeMap,
    sync::{Arc, Weak},
    time::Duration,
};

use tokio::time::timeout;

use super::{
    background::background,
    format,
    kept::{KeptVectors, Meanings},
    layer::LayerVectors,
    numbers::Direction,
    skill_text::skill_text,
};
use crate::{
    catalog::{
        CatalogEntry,
        encoder::{EncoderError, TextRole},
        view::CatalogView,
    },
    error::Error,
    limits::{ENCODED_AT_ONCE, ENCODER_PATIENCE, ENCODER_REST, VECTOR_DIMENSIONS, VECTORS_BYTES, VECTORS_SAVED_EVERY},
    path::{ETag, LayerOwner, ObjectKey, SkillPath},
    store::PutOptions,
};

/// The vectors so far, by skill, with the version of its SKILL.md.
type Made = BTreeMap<SkillPath, (ETag, Box<[i8]>)>;

/// What all vectors of an encoder have in common.
#[derive(Clone, Copy)]
struct Kind {
    background: i32,
    dimensions: usize,
}

impl Meanings {
    /// Makes what is missing, once it is this layer's turn.
    pub(super) async fn make(self, key: ObjectKey, owner: LayerOwner, kept: Weak<KeptVectors>) {
        let Ok(_turn) = self.turn.acquire().await else { return };
        // Nobody may want them any more: a catalog that is forgotten while it waits costs nothing.
        let Some(kept) = kept.upgrade() else { return };
        let made = match kept.wanted() {
            None => Ok(()),
            Some(view) => self.make_for(&view, &key, &owner, &kept).await,
        };
        let rest = match made {
            Ok(()) => Duration::ZERO,
            Err(error) => {
                tracing::warn!(?owner, error = error.chain(), "vectors of skills were not made");
                ENCODER_REST
            }
        };
        kept.ended(self.clock.uptime() + rest);
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
        // Whoever came before may have made them, or failed.
        let Some(known) = few_missing(view, kept).filter(|_| kept.is_idle(self.clock.uptime())) else { return };
        let kind = Kind { background: known.background, dimensions: known.dimensions };
        let (mut made, missing) = sorted(view, Some(&known));
        match timeout(ENCODER_PATIENCE, self.encode(&missing, kind, &mut made)).await {
            Ok(Ok(())) => {
                let vectors = LayerVectors::new(self.encoder.identity(), kind.background, kind.dimensions, made);
                kept.replace(vectors.clone());
                let (this, key, owner) = (self.clone(), key.clone(), owner.clone());
                tokio::spawn(async move { this.save(&key, &owner, vectors).await });
            }
            Ok(Err(error)) => {
                tracing::warn!(?owner, error = error.chain(), "vectors of changed skills were not made");
                kept.rest(self.clock.uptime() + ENCODER_REST);
            }
            // Behind the requests they have time.
            Err(_) => {}
        }
    }

    async fn make_for(
        &self,
        view: &Arc<CatalogView>,
        key: &ObjectKey,
        owner: &LayerOwner,
        kept: &KeptVectors,
    ) -> Result<(), EncoderError> {
        let known = kept.known();
        let kind = match &known {
            Some(known) => Kind { background: known.background, dimensions: known.dimensions },
            None => self.kind().await?,
        };
        if view.entries.len() * kind.dimensions > VECTORS_BYTES {
            return Err(EncoderError::new("there are too many skills for vectors of this size"));
        }
        let (mut made, missing) = sorted(view, known.as_deref());
        let mut unsaved = 0;
        for entries in missing.chunks(ENCODED_AT_ONCE) {
            let began = self.clock.uptime();
            self.encode(entries, kind, &mut made).await?;
            unsaved += entries.len();
            if unsaved >= VECTORS_SAVED_EVERY {
                unsaved = 0;
                self.save(
                    key,
                    owner,
                    LayerVectors::new(self.encoder.identity(), kind.background, kind.dimensions, made.clone()),
                )
                .await;
            }
            tokio::time::sleep(self.clock.uptime().saturating_sub(began)).await;
        }
        let vectors = LayerVectors::new(self.encoder.identity(), kind.background, kind.dimensions, made);
        kept.replace(vectors.clone());
        self.save(key, owner, vectors).await;
        Ok(())
    }

    async fn kind(&self) -> Result<Kind, EncoderError> {
        let (background, dimensions) = background(&*self.encoder).await?;
        if !(1..=VECTOR_DIMENSIONS).contains(&dimensions) {
            return Err(EncoderError::new(format!(
                "its vectors have {dimensions} numbers, and not 1 to {VECTOR_DIMENSIONS}"
            )));
        }
        Ok(Kind { background, dimensions })
    }

    async fn encode(&self, entries: &[&Arc<CatalogEntry>], kind: Kind, made: &mut Made) -> Result<(), EncoderError> {
        let texts: Vec<_> = entries.iter().map(|entry| skill_text(entry)).collect();
        let vectors = self.encoder.encode(texts, TextRole::Skill).await?;
        if vectors.len() != entries.len() || vectors.iter().any(|vector| vector.len() != kind.dimensions) {
            return Err(EncoderError::new("it gave other vectors than it was asked for"));
        }
        for (entry, vector) in entries.iter().zip(vectors) {
            // A text of which the encoder makes nothing has a vector that is near to nothing.
            let numbers = Direction::of(&vector).map_or_else(|| vec![0; kind.dimensions].into(), |one| one.numbers);
            made.insert(entry.skill.clone(), (entry.etag.clone(), numbers));
        }
        Ok(())
    }

    /// Writes vectors to the bucket. If that fails they are made again by the next process.
    async fn save(&self, key: &ObjectKey, owner: &LayerOwner, vectors: LayerVectors) {
        if !self.is_saved {
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
    let known = kept.known()?;
    let missing = view.entries.iter().filter(|entry| known.place(entry).is_none()).take(ENCODED_AT_ONCE + 1).count();
    (1..=ENCODED_AT_ONCE).contains(&missing).then_some(known)
}

/// The vectors that still hold, and the skills that have none.
fn sorted<'view>(view: &'view CatalogView, known: Option<&LayerVectors>) -> (Made, Vec<&'view Arc<CatalogEntry>>) {
    let (mut made, mut missing) = (Made::new(), Vec::new());
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
