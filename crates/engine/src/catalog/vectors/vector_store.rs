//! The vectors of each layer: read from the bucket once, and made where they are missing.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use tokio::{sync::Semaphore, time::timeout};

use super::{format, knowledge::Knowledge, layer::LayerVectors};
use crate::{
    budget::{Job, Workers},
    catalog::view::CatalogView,
    clock::Clock,
    encoder::{Encoder, TextRole},
    error::Error,
    limits::{ENCODER_DELAY, ENCODER_PATIENCE, ENCODER_REST, VECTORS_BYTES, WORK_STEPS},
    path::{ETag, LayerOwner, ObjectKey, SkillPath},
    store::{GetOptions, SharedStore, StoreError, WriteAccess},
};

/// The vectors of one layer, as far as this process knows them.
#[derive(Debug, Default)]
pub(in crate::catalog) struct KeptVectors {
    /// Whether the bucket was asked for them.
    pub(super) is_read: tokio::sync::Mutex<bool>,
    /// Held by the task that makes the vectors of a few changed skills while questions wait.
    pub(super) turn_of_few: tokio::sync::Mutex<()>,
    /// Held by the task that compares the vectors with the encoder.
    pub(super) turn_of_trust: tokio::sync::Mutex<()>,
    state: Mutex<State>,
    /// Whether there are others than when their weight was last taken.
    is_new: AtomicBool,
}

#[derive(Debug, Default)]
struct State {
    known: Option<Arc<LayerVectors>>,
    /// The newest catalog that a question wanted vectors for.
    wanted: Weak<CatalogView>,
    is_making: bool,
    /// The uptime before which nothing is tried.
    rests_until: Duration,
    /// How often the encoder had been doubted when it was found to make such vectors.
    trusted: Option<u64>,
    is_checking: bool,
    /// The uptime before which they are not compared with the encoder.
    unchecked_until: Duration,
    /// The first skill of the last few that failed together, and the last skill that failed alone.
    stumbled: [Option<(SkillPath, ETag)>; 2],
}

impl KeptVectors {
    pub(super) fn cached(&self) -> Option<Arc<LayerVectors>> {
        self.state().known.clone()
    }

    pub(super) fn replace(&self, vectors: LayerVectors) {
        self.state().known = Some(Arc::new(vectors));
        self.is_new.store(true, Ordering::Relaxed);
    }

    /// Counts as knowing none, so that they are made again.
    pub(super) fn forget(&self) {
        self.state().known = None;
        self.is_new.store(true, Ordering::Relaxed);
    }

    /// Whether the encoder was found to make such vectors after it was doubted so often.
    pub(super) fn is_trusted(&self, doubts: u64) -> bool {
        self.state().trusted == Some(doubts)
    }

    pub(super) fn trust(&self, doubts: u64) {
        self.state().trusted = Some(doubts);
    }

    /// Returns true if the caller must compare the vectors with the encoder.
    fn wants_check(&self, doubts: u64, now: Duration) -> bool {
        let mut state = self.state();
        let begins = state.trusted != Some(doubts) && !state.is_checking && now >= state.unchecked_until;
        state.is_checking |= begins;
        begins
    }

    /// Ends a comparison. After a failure the next one waits until then.
    pub(super) fn checked(&self, unchecked_until: Duration) {
        let mut state = self.state();
        (state.is_checking, state.unchecked_until) = (false, unchecked_until);
    }

    /// Notes that the encoder failed at a few skills, this one first. Returns whether it did so the last time too.
    pub(super) fn stumbles_together(&self, skill: &SkillPath, etag: &ETag) -> bool {
        let [together, _] = &mut self.state().stumbled;
        together.replace((skill.clone(), etag.clone())).is_some_and(|(last, at)| last == *skill && at == *etag)
    }

    /// The same of one skill alone.
    pub(super) fn stumbles_alone(&self, skill: &SkillPath, etag: &ETag) -> bool {
        let [_, alone] = &mut self.state().stumbled;
        alone.replace((skill.clone(), etag.clone())).is_some_and(|(last, at)| last == *skill && at == *etag)
    }

    /// The catalog to make vectors for, if anybody still wants them.
    pub(super) fn wanted(&self) -> Option<Arc<CatalogView>> {
        self.state().wanted.upgrade()
    }

    /// Wants vectors for `view`. Returns true if the caller must make them.
    pub(super) fn want(&self, view: &Arc<CatalogView>, now: Duration) -> bool {
        let mut state = self.state();
        state.wanted = Arc::downgrade(view);
        let begins = !state.is_making && now >= state.rests_until;
        state.is_making |= begins;
        begins
    }

    /// Ends a making. After a failure the next one waits until then.
    pub(super) fn ended(&self, rests_until: Duration) {
        let mut state = self.state();
        (state.is_making, state.rests_until) = (false, rests_until);
    }

    /// Waits until then before anything is tried again.
    pub(super) fn rest(&self, until: Duration) {
        self.state().rests_until = until;
    }

    /// Whether no task makes vectors, and nothing failed lately.
    pub(super) fn is_idle(&self, now: Duration) -> bool {
        let state = self.state();
        !state.is_making && now >= state.rests_until
    }

    /// Whether there are others since this was last asked.
    pub(in crate::catalog) fn are_new(&self) -> bool {
        self.is_new.swap(false, Ordering::Relaxed)
    }

    /// The bytes that they take.
    pub(in crate::catalog) fn bytes(&self) -> usize {
        self.cached().map_or(0, |known| known.memory_bytes())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads, makes and keeps vectors. Cheap to clone.
#[derive(Clone, Debug)]
pub(in crate::catalog) struct VectorStore {
    pub(in crate::catalog) encoder: Arc<dyn Encoder>,
    pub(super) store: SharedStore,
    pub(super) clock: Arc<dyn Clock>,
    workers: Workers,
    /// Whether vectors are written to the bucket.
    pub(super) access: WriteAccess,
    /// Who makes vectors now: one layer at a time.
    pub(super) turn: Arc<Semaphore>,
    pub(super) knowledge: Knowledge,
    answering: Arc<Mutex<Answering>>,
}

/// Whether the encoder answers questions.
#[derive(Debug, Default)]
struct Answering {
    /// The uptime before which no question is encoded.
    away_until: Duration,
    /// The uptime of its last answer.
    answered_at: Duration,
}

impl VectorStore {
    pub(in crate::catalog) fn new(
        encoder: Arc<dyn Encoder>,
        store: SharedStore,
        clock: Arc<dyn Clock>,
        workers: Workers,
        access: WriteAccess,
    ) -> Self {
        let turn = Arc::new(Semaphore::new(1));
        let (knowledge, answering) = (Knowledge::default(), Arc::default());
        Self { encoder, store, clock, workers, access, turn, knowledge, answering }
    }

    /// Reads the vectors of a layer from the bucket, the first time, with one GET. If that fails they are read with the next
    /// question.
    pub(in crate::catalog) async fn read(&self, key: &ObjectKey, owner: &LayerOwner, kept: &KeptVectors) {
        let mut is_read = kept.is_read.lock().await;
        if *is_read {
            return;
        }
        let most = u64::try_from(2 * VECTORS_BYTES).unwrap_or(u64::MAX);
        *is_read = match self.store.get(key, GetOptions::range(0..most)).await {
            Err(StoreError::NotFound) => true,
            Err(error) => {
                tracing::warn!(%key, %error, "the vectors of skills could not be read");
                false
            }
            Ok(object) => {
                let encoder = self.encoder.identity().to_owned();
                let decode = move |_: &_| format::decode(&object.bytes, &encoder).map_err(Error::internal);
                match self.errand(owner).run(decode).await {
                    Ok(vectors) => kept.replace(vectors),
                    Err(error) => tracing::warn!(%key, error = %error.chain(), "the vectors of skills are made again"),
                }
                true
            }
        };
    }

    /// The vectors of a layer, if each skill of `view` has one. Otherwise they are made behind the request.
    pub(in crate::catalog) fn of_layer(
        &self,
        key: ObjectKey,
        owner: &LayerOwner,
        kept: &Arc<KeptVectors>,
        view: &Arc<CatalogView>,
    ) -> Option<Arc<LayerVectors>> {
        let known = kept.cached();
        let is_whole = |known: &&Arc<LayerVectors>| view.entries.iter().all(|entry| known.place(entry).is_some());
        let now = self.clock.uptime();
        if let Some(known) = known.as_ref().filter(is_whole) {
            if kept.wants_check(self.knowledge.doubts(), now) {
                tokio::spawn(self.clone().check(owner.clone(), kept.clone(), view.clone()));
            }
            return Some(known.clone());
        }
        if !self.is_too_large(view, kept) && kept.want(view, now) {
            tokio::spawn(self.clone().make(key, owner.clone(), Arc::downgrade(kept)));
        }
        None
    }

    /// The vectors of the parts of a question; `None` if they have none now. An encoder that is away is left alone for
    /// a while. A refusal of one question, or a long wait while the encoder answers others, does not affect other
    /// questions.
    pub(in crate::catalog) async fn question(&self, parts: &[String]) -> Option<Vec<Vec<f32>>> {
        let trimmed = parts.iter().map(|part| part.trim_matches(|c: char| c.is_whitespace() || c.is_control()));
        let texts: Vec<_> = trimmed.filter(|part| !part.is_empty()).map(str::to_owned).collect();
        let (began, parts) = (self.clock.uptime(), texts.len());
        if texts.is_empty() || began < self.answering().away_until {
            return None;
        }
        let asked = self.encoder.encode(texts, TextRole::Question);
        let answer = timeout(ENCODER_PATIENCE, asked).await;
        let now = self.clock.uptime();
        let mut rest = ENCODER_REST;
        let (why, is_away) = match answer {
            Ok(Ok(vectors)) if vectors.len() == parts => {
                self.answering().answered_at = now;
                return Some(vectors);
            }
            Ok(Ok(_)) => ("it gave another number of vectors than it was asked for".to_owned(), false),
            Ok(Err(error)) => {
                rest = error.delay().unwrap_or(ENCODER_REST).min(ENCODER_DELAY);
                (error.chain(), !error.is_refusal())
            }
            Err(_) => ("it takes too long".to_owned(), self.answering().answered_at <= began),
        };
        let encoder = self.encoder.identity();
        if is_away {
            tracing::warn!(encoder, error = why, "questions are answered without the encoder");
            self.answering().away_until = now + rest;
        } else {
            tracing::info!(encoder, error = why, "a question is answered without the encoder");
        }
        None
    }

    fn answering(&self) -> MutexGuard<'_, Answering> {
        self.answering.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn errand(&self, owner: &LayerOwner) -> Job {
        self.workers.errand(&owner.to_string(), WORK_STEPS)
    }
}
