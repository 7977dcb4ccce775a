//! Encoders that refuse, wait and go away.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;

use super::{KeptVectors, VectorStore};
use crate::{
    budget::Workers,
    catalog::{CatalogView, discover},
    clock::SystemClock,
    encoder::{Encoder, EncoderError, TextRole},
    limits::{ENCODER_PATIENCE, ENCODER_REST},
    path::{Id, LayerOwner, Namespace},
    store::{MemoryStore, ReadOnly},
};

/// An encoder with three special texts: it refuses the first, hangs at the second, and fails at the third.
#[derive(Debug, Default)]
struct Moody {
    asked: Mutex<Vec<String>>,
    /// How many texts of skills the encoder takes before it goes away.
    left: Option<AtomicUsize>,
}

impl Moody {
    fn asked(&self, what: &str) -> usize {
        self.asked.lock().unwrap().iter().filter(|text| text.contains(what)).count()
    }
}

#[async_trait]
impl Encoder for Moody {
    fn identity(&self) -> &'static str {
        "moody"
    }

    async fn encode(&self, texts: Vec<String>, _: TextRole) -> Result<Vec<Vec<f32>>, EncoderError> {
        self.asked.lock().unwrap().extend(texts.iter().cloned());
        let has = |what: &str| texts.iter().any(|text| text.contains(what));
        if has("refused") {
            return Err(EncoderError::caused("not this", "400").of_these_texts());
        }
        if has("slow") {
            tokio::time::sleep(2 * ENCODER_PATIENCE).await;
        }
        let of_skills = texts.iter().filter(|text| text.contains("numbered")).count();
        let is_spent = |left: &AtomicUsize| {
            left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(of_skills)).is_err()
        };
        if has("away") || self.left.as_ref().is_some_and(is_spent) {
            return Err(EncoderError::new("gone"));
        }
        Ok(texts.iter().map(|_| vec![1.0, 2.0]).collect())
    }
}

fn meanings(encoder: &Arc<Moody>, store: &Arc<MemoryStore>) -> VectorStore {
    VectorStore::new(
        encoder.clone(),
        store.clone(),
        Arc::new(SystemClock::new()),
        Workers::new(2),
        ReadOnly::from("it is").into(),
    )
}

// S-SEARCH-38: A refusal of the encoder costs that question or skill alone its meaning.
#[tokio::test(start_paused = true)]
async fn a_question_that_is_refused_or_waits_in_a_queue_turns_meaning_off_for_nobody_else() {
    let encoder = Arc::new(Moody::default());
    let meanings = meanings(&encoder, &Arc::new(MemoryStore::new()));
    for blank in ["", " \n\t", "\u{0}"] {
        assert_eq!(meanings.question(&[blank.to_owned()]).await, None);
    }
    assert_eq!(encoder.asked(""), 0, "blank texts are not encoded");
    assert_eq!(meanings.question(&["refused".to_owned()]).await, None);
    assert!(meanings.question(&["cranes".to_owned()]).await.is_some());

    // Others are answered while this one waits.
    let waiting = tokio::spawn({
        let meanings = meanings.clone();
        async move { meanings.question(&["slow".to_owned()]).await }
    });
    tokio::time::sleep(ENCODER_PATIENCE / 2).await;
    assert!(meanings.question(&["cranes".to_owned()]).await.is_some());
    assert_eq!(waiting.await.unwrap(), None);
    assert!(meanings.question(&["cranes".to_owned()]).await.is_some());
}

// S-SEARCH-37: An encoder that fails rests for ten seconds, and a busy encoder for as long as it asks, a minute at
// most.
#[tokio::test(start_paused = true)]
async fn an_encoder_that_is_away_or_answers_nobody_rests() {
    for question in ["away", "slow"] {
        let encoder = Arc::new(Moody::default());
        let meanings = meanings(&encoder, &Arc::new(MemoryStore::new()));
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!(meanings.question(&[question.to_owned()]).await, None);
        assert_eq!(meanings.question(&["cranes".to_owned()]).await, None);
        assert_eq!(encoder.asked("cranes"), 0, "it is left alone");
        tokio::time::sleep(ENCODER_REST).await;
        assert!(meanings.question(&["cranes".to_owned()]).await.is_some());
    }
}

/// A layer, and what is known of its vectors.
struct Layer {
    meanings: VectorStore,
    kept: Arc<KeptVectors>,
    view: Arc<CatalogView>,
}

impl Layer {
    async fn of(encoder: &Arc<Moody>, skills: impl Iterator<Item = String>) -> Self {
        let store = Arc::new(MemoryStore::new());
        for (at, description) in skills.enumerate() {
            store.put_raw(&format!("u1/skills/s{at:03}/SKILL.md"), format!("---\ndescription: {description}\n---\n"));
        }
        let space = Namespace::parse("").unwrap().user(&Id::parse("u1").unwrap()).unwrap();
        let view = discover(&*store, &space, &SystemClock::new(), None).await.unwrap().view().clone();
        Self { meanings: meanings(encoder, &store), kept: Arc::default(), view }
    }

    /// Asks once for the vectors, and waits for the result. Returns how many skills have one.
    async fn made(&self) -> usize {
        let owner = LayerOwner::User(Id::parse("u1").unwrap());
        let key = owner.space(&Namespace::parse("").unwrap()).unwrap().vectors().unwrap();
        let _ = self.meanings.of_layer(key, &owner, &self.kept, &self.view);
        tokio::time::sleep(ENCODER_REST).await;
        self.kept.cached().map_or(0, |known| known.skills.len())
    }
}

#[tokio::test(start_paused = true)]
async fn an_encoder_that_goes_away_again_and_again_still_makes_all_vectors_in_the_end() {
    let encoder = Arc::new(Moody { left: Some(AtomicUsize::new(20)), ..Moody::default() });
    let layer = Layer::of(&encoder, (0..30).map(|at| format!("numbered {at}"))).await;
    assert_eq!(layer.made().await, 16, "what was made before it went is kept");
    encoder.left.as_ref().unwrap().store(20, Ordering::SeqCst);
    assert_eq!(layer.made().await, 30);
    assert_eq!(encoder.asked("numbered 3 "), 1, "and is not asked for again");
}

#[tokio::test(start_paused = true)]
async fn a_skill_that_is_refused_has_no_meaning_and_keeps_no_other_from_its_own() {
    let encoder = Arc::new(Moody::default());
    let description = |at| if at == 3 { "refused".to_owned() } else { format!("numbered {at}") };
    let layer = Layer::of(&encoder, (0..20).map(description)).await;
    assert_eq!(layer.made().await, 20);
    let known = layer.kept.cached().unwrap();
    let length = |at: usize| known.lengths[at];
    assert!(length(3) == 0.0 && length(2) > 0.0 && length(4) > 0.0, "{:?}", known.lengths);
    let asked = encoder.asked("refused");
    assert_eq!(layer.made().await, 20);
    assert_eq!(encoder.asked("refused"), asked, "it is not asked again about a version that it refused");
}

#[tokio::test(start_paused = true)]
async fn an_encoder_that_refuses_everything_marks_no_skill() {
    let encoder = Arc::new(Moody::default());
    let layer = Layer::of(&encoder, std::iter::once("numbered".to_owned())).await;
    assert_eq!(layer.made().await, 1);
    let everything = Arc::new(Deaf);
    let store = Arc::new(MemoryStore::new());
    let meanings = VectorStore::new(
        everything,
        store,
        Arc::new(SystemClock::new()),
        Workers::new(2),
        ReadOnly::from("it is").into(),
    );
    // Its vectors so far hold, and another skill is new.
    let more = Layer::of(&encoder, ["numbered", "numbered too"].map(str::to_owned).into_iter()).await;
    let layer = Layer { meanings, kept: layer.kept, view: more.view };
    assert_eq!(layer.made().await, 1);
}

/// An encoder whose key does not hold any more.
#[derive(Debug)]
struct Deaf;

#[async_trait]
impl Encoder for Deaf {
    fn identity(&self) -> &'static str {
        "moody"
    }

    async fn encode(&self, _: Vec<String>, _: TextRole) -> Result<Vec<Vec<f32>>, EncoderError> {
        Err(EncoderError::caused("not you", "401").of_these_texts())
    }
}
