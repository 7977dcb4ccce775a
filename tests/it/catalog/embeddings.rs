//! Search by meaning with servers of embeddings as there are: that change their model, break down at a text, take short texts
//! only, or one at a time, are busy, hang, or answer with numbers that are none.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Json, Router,
    extract::State,
    http::{HeaderMap, StatusCode, header::RETRY_AFTER},
    response::{IntoResponse as _, Response},
    routing::post,
};
use serde_json::{Value, json};
use skillmount::{
    clock::SystemClock,
    encoder::{Encoder, RemoteEncoder},
    handle::{Service, ServiceOptions, SessionBackend},
    limits::{ENCODER_REST, VECTOR_DIMENSIONS, VECTORS_BYTES},
    store::{MemoryStore, ReadOnly},
    wire::{DiscoverReply, SearchRanking},
};

use super::meaning::{ask, ask_fused, process, put, refresh, service, session, store};

const QUESTION: &str = "my cat is hungry";

/// How the server behaves now.
#[derive(Clone, Debug)]
struct Mood {
    /// The numbers of a vector.
    dimensions: usize,
    /// Another model of the same size: each vector is turned.
    is_turned: bool,
    /// The most texts in a request.
    texts: usize,
    /// The most bytes of a text.
    bytes: usize,
    /// The word at which it breaks down.
    breaks_at: &'static str,
    /// How many requests from now on it has no time for.
    busy: usize,
    /// Whether it never answers.
    hangs: bool,
    /// What it says in the place of each number of the second half of a vector.
    number: Option<&'static str>,
}

impl Default for Mood {
    fn default() -> Self {
        let (texts, bytes, breaks_at) = (usize::MAX, usize::MAX, "\u{0}");
        Self { dimensions: 8, is_turned: false, texts, bytes, breaks_at, busy: 0, hangs: false, number: None }
    }
}

#[derive(Debug, Default)]
struct Server {
    mood: Mutex<Mood>,
    asked: Mutex<Vec<(String, Vec<String>)>>,
}

impl Server {
    fn set(&self, change: impl FnOnce(&mut Mood)) {
        change(&mut self.mood.lock().unwrap());
    }

    /// How many texts it was asked for that contain this.
    fn asked(&self, what: &str) -> usize {
        self.asked.lock().unwrap().iter().flat_map(|(_, texts)| texts).filter(|text| text.contains(what)).count()
    }
}

/// A vector in which cats are felines and dogs are hounds.
fn vector(text: &str, mood: &Mood) -> Vec<f32> {
    let has = |words: [&str; 2]| f32::from(u8::from(words.iter().any(|word| text.contains(word))));
    let mut vector = vec![0.0; mood.dimensions];
    (vector[0], vector[1], vector[2]) = (has(["feline", "cat "]), has(["hound", "dog"]), 0.3);
    // Unrelated texts are alike, and not the same.
    vector[3] = 0.1 * f32::from(u8::try_from(text.len() % 3).unwrap());
    if mood.is_turned {
        vector.reverse();
    }
    vector
}

async fn answer(State(server): State<Arc<Server>>, headers: HeaderMap, Json(asked): Json<Value>) -> Response {
    let texts: Vec<String> = serde_json::from_value(asked["input"].clone()).unwrap();
    let key = headers["authorization"].to_str().unwrap().to_owned();
    server.asked.lock().unwrap().push((key, texts.clone()));
    let mood = server.mood.lock().unwrap().clone();
    if mood.hangs {
        tokio::time::sleep(Duration::from_hours(1)).await;
    }
    if mood.busy > 0 {
        server.set(|mood| mood.busy -= 1);
        return (StatusCode::TOO_MANY_REQUESTS, [(RETRY_AFTER, "1")]).into_response();
    }
    if texts.len() > mood.texts || texts.iter().any(|text| text.len() > mood.bytes) {
        return StatusCode::BAD_REQUEST.into_response();
    }
    if texts.iter().any(|text| text.contains(mood.breaks_at)) {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    }
    let data = texts.iter().enumerate().map(|(at, text)| json!({ "index": at, "embedding": vector(text, &mood) }));
    let reply = json!({ "data": data.collect::<Vec<_>>() }).to_string();
    mood.number.map_or(reply.clone(), |number| reply.replace("0.0", number)).into_response()
}

async fn serve() -> (Arc<Server>, Arc<dyn Encoder>) {
    let server = Arc::new(Server::default());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1/embeddings", listener.local_addr().unwrap());
    let routes = Router::new().route("/v1/embeddings", post(answer)).with_state(server.clone());
    tokio::spawn(async move { axum::serve(listener, routes).await });
    (server, Arc::new(RemoteEncoder::new(&url, "animals", Some("the-key".to_owned())).unwrap()))
}

fn found(reply: &DiscoverReply) -> Vec<&str> {
    reply.skills.iter().map(|one| one.skill.as_str()).collect()
}

/// Asks until the answer is lexical.
async fn ask_lexical(store: &Arc<MemoryStore>, encoder: &Arc<dyn Encoder>) -> SessionBackend {
    let session = service(store, Some(encoder.clone()));
    for _ in 0..600 {
        if ask(&session, QUESTION).await.ranking == SearchRanking::Lexical {
            return session;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the vectors of another model were never doubted");
}

// S-ENCODER-4: If the model behind an encoder's address has changed, the service rebuilds all vectors.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_changes_its_model_has_all_vectors_made_again() {
    let (store, (server, encoder)) = (store(), serve().await);
    let first = ask_fused(&service(&store, Some(encoder.clone())), QUESTION).await;
    let skill = "Looks after felines";
    let larger: fn(&mut Mood) = |mood| mood.dimensions = 16;
    let turned: fn(&mut Mood) = |mood| mood.is_turned = true;
    for (change, what) in [(larger, "another size"), (turned, "the same size")] {
        let before = server.asked(skill);
        server.set(change);
        let session = ask_lexical(&store, &encoder).await;
        assert_eq!(found(&ask_fused(&session, QUESTION).await), found(&first), "{what}");
        // The answer may come before the last vector is made.
        for _ in 0..100 {
            if server.asked(skill) < before + 2 {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
        assert_eq!(server.asked(skill), before + 2, "{what}: it is compared, and made again");
        // The next process finds vectors of the model that there is.
        let session = service(&store, Some(encoder.clone()));
        assert_eq!(ask(&session, QUESTION).await.ranking, SearchRanking::Fused, "{what}");
        tokio::time::sleep(Duration::from_millis(300)).await;
        assert_eq!(ask(&session, QUESTION).await.ranking, SearchRanking::Fused, "{what}");
        assert_eq!(server.asked(skill), before + 3, "{what}: it is compared once");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_serves_on_sees_that_vectors_have_another_size() {
    let (store, (server, encoder)) = (store(), serve().await);
    let session = service(&store, Some(encoder));
    let first = ask_fused(&session, QUESTION).await;
    server.set(|mood| mood.dimensions = 16);
    assert_eq!(ask(&session, QUESTION).await.ranking, SearchRanking::Lexical);
    assert_eq!(found(&ask_fused(&session, QUESTION).await), found(&first));
}

// S-SEARCH-38: A refusal of the encoder costs that question or skill alone its meaning.
#[tokio::test(flavor = "multi_thread")]
async fn a_text_at_which_a_server_breaks_down_keeps_no_other_skill_from_its_meaning() {
    let (store, (server, encoder)) = (store(), serve().await);
    server.set(|mood| mood.breaks_at = "Poisonous");
    put(&store, "animals/frogs", "Poisonous felines.");
    let session = service(&store, Some(encoder));
    assert_eq!(found(&ask_fused(&session, QUESTION).await), ["animals/felines"]);
    let asked = server.asked("Poisonous");
    assert_eq!(ask(&session, QUESTION).await.ranking, SearchRanking::Fused);
    assert_eq!(server.asked("Poisonous"), asked, "the server is asked about it no more");
}

// S-SEARCH-39: If an encoder's server refuses a text, the service sends its first half, then its first quarter.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_takes_short_texts_only_gets_their_beginnings() {
    let (store, (server, encoder)) = (store(), serve().await);
    server.set(|mood| mood.bytes = 1500);
    let text = format!("---\ndescription: Looks after large felines.\n---\n{}", "Étude. ".repeat(300));
    store.put_raw("u1/skills/animals/lions/SKILL.md", text);
    let session = service(&store, Some(encoder));
    let fused = ask_fused(&session, QUESTION).await;
    assert_eq!(found(&fused), ["animals/felines", "animals/lions"]);
    let long = format!("{QUESTION}. {}", "So it goes. ".repeat(300));
    assert_eq!(ask(&session, &long).await.ranking, SearchRanking::Fused, "and so are questions");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_takes_one_text_at_a_time_is_asked_for_each() {
    let (store, (server, encoder)) = (store(), serve().await);
    server.set(|mood| mood.texts = 1);
    let fused = ask_fused(&service(&store, Some(encoder)), QUESTION).await;
    assert_eq!(found(&fused), ["animals/felines"]);
    assert!(server.asked.lock().unwrap().iter().all(|(key, _)| key == "Bearer the-key"));
}

// S-SEARCH-37: An encoder that fails rests for ten seconds, and a busy encoder for as long as it asks, a minute at
// most.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_busy_is_asked_again_when_it_wants_to_be_without_another_question() {
    let (store, (server, encoder)) = (store(), serve().await);
    let process = process(&store, Some(encoder));
    let session = session(&process);
    ask_fused(&session, QUESTION).await;
    for number in 0..20 {
        put(&store, &format!("many/s{number}"), "Feeds felines.");
    }
    refresh(&process).await;
    // The question meets the busy server, and so does the making.
    server.set(|mood| mood.busy = 2);
    assert_eq!(ask(&session, QUESTION).await.ranking, SearchRanking::Lexical);
    for _ in 0..100 {
        if server.asked("Feeds felines") >= 20 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the making waited for another question");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_hangs_or_gives_no_numbers_leaves_answers_to_words() {
    let (store, (server, encoder)) = (store(), serve().await);
    let fused = ask_fused(&service(&store, Some(encoder.clone())), QUESTION).await;
    for number in ["null", "NaN", "1e39", "\"1\""] {
        server.set(|mood| mood.number = Some(number));
        let reply = ask(&service(&store, Some(encoder.clone())), QUESTION).await;
        assert_eq!(reply.ranking, SearchRanking::Lexical, "{number}");
    }
    server.set(|mood| *mood = Mood { hangs: true, ..Mood::default() });
    let session = service(&store, Some(encoder.clone()));
    let reply = tokio::time::timeout(Duration::from_secs(4), ask(&session, QUESTION)).await.unwrap();
    assert_eq!(reply.ranking, SearchRanking::Lexical);
    server.set(|mood| mood.hangs = false);
    assert_eq!(ask(&service(&store, Some(encoder)), QUESTION).await, fused);
}

// S-SEARCH-40: Words alone answer everybody who sees a layer that is too large for vectors: over 32 MiB, with a byte
// for each number.
#[tokio::test(flavor = "multi_thread")]
async fn a_layer_that_is_too_large_for_vectors_is_answered_by_words_and_costs_nothing_again() {
    let (store, (server, encoder)) = (Arc::new(MemoryStore::new()), serve().await);
    server.set(|mood| mood.dimensions = VECTOR_DIMENSIONS);
    for number in 0..=VECTORS_BYTES / VECTOR_DIMENSIONS {
        put(&store, &format!("many/s{number}"), "Feeds felines.");
    }
    let session = service(&store, Some(encoder));
    // What unrelated texts have in common is measured, to know how large vectors are.
    let measured = || server.asked("database migrations");
    for _ in 0..600 {
        assert_eq!(ask(&session, QUESTION).await.ranking, SearchRanking::Lexical);
        if measured() > 0 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    tokio::time::sleep(ENCODER_REST + Duration::from_secs(1)).await;
    assert_eq!(ask(&session, QUESTION).await.ranking, SearchRanking::Lexical);
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!((measured(), server.asked("Feeds felines")), (1, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_may_not_write_reads_the_vectors_there_are() {
    let (store, (server, encoder)) = (store(), serve().await);
    let fused = ask_fused(&service(&store, Some(encoder.clone())), QUESTION).await;
    let asked = server.asked("Keeps ledgers");
    let options =
        ServiceOptions { access: ReadOnly::from("it is").into(), encoder: Some(encoder), ..Default::default() };
    let reader = Service::new(store, options, Arc::new(SystemClock::new()));
    assert_eq!(ask(&session(&reader), QUESTION).await, fused);
    assert_eq!(server.asked("Keeps ledgers"), asked);
}
