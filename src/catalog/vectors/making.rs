//! Making the vectors of a layer, behind the requests.
//!
//! A skill that has a vector of its present version keeps it. After each few skills the making pauses for as long as they
//! took, so that an encoder on this machine has time for questions. What was made is kept and written now and then, and when
//! the making ends, however it ends.
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
        let (made, missing) = sorted(view, Some(&known));
        let mut making = Making { meanings: self, key, owner, kept, kind, made, unsaved: 0 };
        match timeout(ENCODER_PATIENCE, making.encode(&missing)).await {
            Ok(Ok(())) => {
                let vectors = making.vectors_so_far();
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
        let (made, missing) = sorted(view, known.as_deref());
        let mut making = Making { meanings: self, key, owner, kept, kind, made, unsaved: 0 };
        let done = making.make_all(&missing).await;
        // A layer without skills has its vectors when it has none of them.
        if making.unsaved > 0 || missing.is_empty() {
            making.keep().await;
        }
        done
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

/// The making of one layer's vectors.
struct Making<'a> {
    meanings: &'a Meanings,
    key: &'a ObjectKey,
    owner: &'a LayerOwner,
    kept: &'a KeptVectors,
    kind: Kind,
    made: Made,
    /// How many of them are made since they were last kept.
    unsaved: usize,
}

impl Making<'_> {
    async fn make_all(&mut self, missing: &[&Arc<CatalogEntry>]) -> Result<(), EncoderError> {
        for entries in missing.chunks(ENCODED_AT_ONCE) {
            let clock = &self.meanings.clock;
            let began = clock.uptime();
            self.encode(entries).await?;
            if self.unsaved >= VECTORS_SAVED_EVERY {
                self.keep().await;
            }
            tokio::time::sleep(clock.uptime().saturating_sub(began)).await;
        }
        Ok(())
    }

    /// Encodes some skills. If the encoder refuses them it is asked about each alone, so that one does not keep the others
    /// from theirs.
    async fn encode(&mut self, entries: &[&Arc<CatalogEntry>]) -> Result<(), EncoderError> {
        match self.vectors(entries).await {
            Ok(vectors) => {
                entries.iter().zip(vectors).for_each(|(entry, vector)| self.add(entry, &vector));
                return Ok(());
            }
            Err(error) if !error.is_refusal() => return Err(error),
            Err(_) => {}
        }
        // An encoder that refuses everything, such as one whose key does not hold any more, says nothing about a skill.
        self.meanings.kind().await?;
        for entry in entries {
            match self.vectors(&[entry]).await {
                Ok(vectors) => vectors.iter().for_each(|vector| self.add(entry, vector)),
                Err(error) if error.is_refusal() => {
                    let (skill, error) = (&entry.skill, error.chain());
                    tracing::warn!(%skill, error, "a skill is found by its words alone, because the encoder refuses it");
                    self.add(entry, &[]);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    async fn vectors(&self, entries: &[&Arc<CatalogEntry>]) -> Result<Vec<Vec<f32>>, EncoderError> {
        let texts: Vec<_> = entries.iter().map(|entry| skill_text(entry)).collect();
        let vectors = self.meanings.encoder.encode(texts, TextRole::Skill).await?;
        if vectors.len() != entries.len() || vectors.iter().any(|vector| vector.len() != self.kind.dimensions) {
            return Err(EncoderError::new("it gave other vectors than it was asked for"));
        }
        Ok(vectors)
    }

    /// Adds the vector of a skill. One without a direction is near to nothing.
    fn add(&mut self, entry: &CatalogEntry, vector: &[f32]) {
        let none = || vec![0; self.kind.dimensions].into();
        let numbers = Direction::of(vector).map_or_else(none, |one| one.numbers);
        self.made.insert(entry.skill.clone(), (entry.etag.clone(), numbers));
        self.unsaved += 1;
    }

    fn vectors_so_far(&self) -> LayerVectors {
        let (Kind { background, dimensions }, made) = (self.kind, self.made.clone());
        LayerVectors::new(self.meanings.encoder.identity(), background, dimensions, made)
    }

    /// Keeps what is made so far, so that no failure takes it away.
    async fn keep(&mut self) {
        self.unsaved = 0;
        let vectors = self.vectors_so_far();
        self.kept.replace(vectors.clone());
        self.meanings.save(self.key, self.owner, vectors).await;
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
