//! Search by meaning: with an encoder on a server that speaks over HTTP, and with a real model in a folder.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use axum::{Json, Router, extract::State, http::StatusCode, routing::post};
use serde_json::{Value, json};
use skillmount::{
    clock::SystemClock,
    encoder::{Encoder, RemoteEncoder},
    handle::{Service, ServiceOptions, SessionBackend},
    limits::ENCODED_AT_ONCE,
    path::Id,
    store::MemoryStore,
    wire::{
        BackendProtocol as _, CreateSession, CreateSkillRequest, DiscoverReply, DiscoverRequest, Policy, SearchRanking,
        ToolRule,
    },
};

use crate::support::{SetClock, world::BackendExt as _};

const BODY: &str = "Brush the animal from head to tail, and say what you find.";
const VECTORS: &str = "u1/.skillmount/vectors";

pub(super) fn store() -> Arc<MemoryStore> {
    let store = Arc::new(MemoryStore::new());
    for (skill, description) in [
        ("animals/felines", "Looks after felines."),
        ("animals/hounds", "Walks hounds."),
        ("office/ledgers", "Keeps ledgers of a company."),
    ] {
        put(&store, skill, description);
    }
    store
}

pub(super) fn process(store: &Arc<MemoryStore>, encoder: Option<Arc<dyn Encoder>>) -> Service {
    let options = ServiceOptions { encoder, index: true, ..ServiceOptions::default() };
    Service::new(store.clone(), options, Arc::new(SystemClock::new()))
}

pub(super) fn session(process: &Service) -> SessionBackend {
    process.session(Id::parse("u1").unwrap(), Id::parse("s").unwrap())
}

pub(super) fn service(store: &Arc<MemoryStore>, encoder: Option<Arc<dyn Encoder>>) -> SessionBackend {
    session(&process(store, encoder))
}

pub(super) async fn refresh(process: &Service) {
    process.library().refresh_skills(&Id::parse("u1").unwrap(), &Policy::default()).await.unwrap();
}

pub(super) fn put(store: &MemoryStore, skill: &str, description: &str) {
    store.put_raw(&format!("u1/skills/{skill}/SKILL.md"), format!("---\ndescription: {description}\n---\n"));
}

pub(super) async fn ask(session: &SessionBackend, query: &str) -> DiscoverReply {
    session.discover_skills(DiscoverRequest { explain: true, ..DiscoverRequest::new(query) }).await.unwrap()
}

/// Asks until the vectors are made.
pub(super) async fn ask_fused(session: &SessionBackend, query: &str) -> DiscoverReply {
    for _ in 0..600 {
        let reply = ask(session, query).await;
        if reply.ranking == SearchRanking::Fused {
            return reply;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the vectors were never made");
}

/// A server that knows that cats are felines and dogs are hounds, until it is told to be away.
pub(crate) async fn server(is_away: Arc<AtomicBool>) -> Arc<dyn Encoder> {
    async fn answer(
        State(is_away): State<Arc<AtomicBool>>,
        Json(asked): Json<Value>,
    ) -> Result<Json<Value>, StatusCode> {
        if is_away.load(Ordering::SeqCst) {
            return Err(StatusCode::SERVICE_UNAVAILABLE);
        }
        let texts = asked["input"].as_array().ok_or(StatusCode::BAD_REQUEST)?;
        let vector = |text: &str| {
            let has = |words: [&str; 2]| f32::from(u8::from(words.iter().any(|word| text.contains(word))));
            // What else there is in a text points anywhere, so texts of other things are not alike.
            let mut vector = vec![has(["feline", "cat "]), has(["hound", "dog"]), 0.0, 0.0, 0.0, 0.0, 0.0];
            vector[2 + text.len() % 5] = 0.3 * has(["e", "a"]);
            vector
        };
        // Last first: the index says which is which.
        let data = texts.iter().enumerate().rev();
        let data =
            data.map(|(at, text)| json!({ "index": at, "embedding": vector(text.as_str().unwrap_or_default()) }));
        Ok(Json(json!({ "data": data.collect::<Vec<_>>() })))
    }
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1/embeddings", listener.local_addr().unwrap());
    let routes = Router::new().route("/v1/embeddings", post(answer)).with_state(is_away);
    tokio::spawn(async move { axum::serve(listener, routes).await });
    Arc::new(RemoteEncoder::new(&url, "animals", Some("key".to_owned())).unwrap())
}

// S-SEARCH-12: With an encoder, search also finds skills by meaning, and the reply's `ranking` is `fused`.
#[tokio::test(flavor = "multi_thread")]
async fn a_skill_that_shares_no_word_is_found_by_an_encoder_and_words_alone_count_while_it_is_away() {
    let (store, is_away) = (store(), Arc::new(AtomicBool::new(false)));
    let encoder = server(is_away.clone()).await;
    let session = service(&store, Some(encoder.clone()));
    let question = "my cat is hungry";
    assert_eq!(ask(&service(&store, None), question).await.ranking, SearchRanking::Lexical);
    let first = ask(&session, question).await;
    assert_eq!((first.ranking, first.total), (SearchRanking::Lexical, 0), "no answer waits for vectors");

    let fused = ask_fused(&session, question).await;
    assert_eq!(fused.skills[0].skill, "animals/felines");
    let explained = fused.skills[0].explain.as_ref().unwrap();
    let nearness = explained.nearness.unwrap();
    assert!(explained.matches.is_empty() && nearness.cosine > 0.9, "{fused:?}");
    assert!((nearness.weight - fused.skills[0].score).abs() < 1e-3);

    // Another process reads what this one made, and a restart gives the same answer at once.
    let other = service(&store, Some(encoder.clone()));
    assert_eq!(ask(&other, question).await, fused);

    is_away.store(true, Ordering::SeqCst);
    assert_eq!(ask(&other, question).await, first, "without it, words alone count");
}

// S-SEARCH-16: The service encodes two parts of a question over 450 bytes: its beginning, and the part whose words tell
// most.
#[tokio::test(flavor = "multi_thread")]
async fn a_task_is_found_by_meaning_wherever_it_stands_in_a_long_message() {
    let (store, encoder) = (store(), server(Arc::default()).await);
    // One word of the task is known; what the chat is made of is not, and its vector is another.
    put(&store, "office/kibble", "Orders kibble.");
    let session = service(&store, Some(encoder));
    ask_fused(&session, "my cat is hungry").await;
    let chat = "so then you know it went on until noon and I do not mind ".repeat(100);
    for message in [
        format!("my cat is out of kibble {chat}"),
        format!("{chat} my cat is out of kibble {chat}"),
        format!("{chat} my cat is out of kibble"),
    ] {
        let found = ask(&session, &message).await;
        let names: Vec<_> = found.skills.iter().map(|one| one.skill.as_str()).collect();
        assert!(found.ranking == SearchRanking::Fused && names.contains(&"animals/felines"), "{names:?}: {message}");
    }
    // A log below a task has most of the words, and the task still counts.
    let log = format!("my cat is hungry {} {}", "then it went on ".repeat(50), "kibble ordered ".repeat(60));
    let found = ask(&session, &log).await;
    let names: Vec<_> = found.skills.iter().map(|one| one.skill.as_str()).collect();
    assert!(names.contains(&"animals/felines") && names.contains(&"office/kibble"), "{names:?}");
}

// S-SEARCH-36: The object with the vectors, beside the catalog's index, may be deleted or damaged at any time.
#[tokio::test(flavor = "multi_thread")]
async fn a_vector_object_that_is_damaged_or_gone_changes_the_ranking_and_nothing_else() {
    let (store, is_away) = (store(), Arc::default());
    let encoder = server(is_away).await;
    let fused = ask_fused(&service(&store, Some(encoder.clone())), "walking my dog").await;
    let lexical = ask(&service(&store, None), "walking my dog").await;
    store.put_raw(VECTORS, "{\"schema\":1}\nnothing");
    let session = service(&store, Some(encoder));
    assert_eq!(ask(&session, "walking my dog").await, lexical);
    assert_eq!(ask_fused(&session, "walking my dog").await, fused, "they are made again");
}

// S-SEARCH-33: For one catalog and one `ranking` all replicas answer alike.
// S-SEARCH-34: A process makes vectors in the background.
#[tokio::test(flavor = "multi_thread")]
async fn a_changed_skill_has_its_vector_before_the_next_answer_and_many_are_made_behind_it() {
    let (store, is_away) = (store(), Arc::new(AtomicBool::new(false)));
    let encoder = server(is_away.clone()).await;
    let (one, other) = (process(&store, Some(encoder.clone())), process(&store, Some(encoder)));
    let (question, asker) = ("my cat is hungry", session(&one));
    ask_fused(&asker, question).await;
    ask_fused(&session(&other), question).await;
    put(&store, "office/cattery", "Books rooms for felines.");
    for process in [&one, &other] {
        refresh(process).await;
    }
    let changed = ask(&asker, question).await;
    let found: Vec<_> = changed.skills.iter().map(|one| one.skill.as_str()).collect();
    assert_eq!((changed.ranking, found), (SearchRanking::Fused, vec!["animals/felines", "office/cattery"]));
    assert_eq!(ask(&session(&other), question).await, changed, "replicas that made their own vectors answer alike");

    for number in 0..=ENCODED_AT_ONCE {
        put(&store, &format!("many/s{number}"), "Feeds felines.");
    }
    refresh(&one).await;
    assert_eq!(ask(&asker, question).await.ranking, SearchRanking::Lexical, "no answer waits for so many");
    assert_eq!(ask_fused(&asker, question).await.total, 3 + ENCODED_AT_ONCE);

    is_away.store(true, Ordering::SeqCst);
    put(&store, "office/cattery", "Books rooms for lions.");
    refresh(&one).await;
    assert_eq!(ask(&asker, question).await.ranking, SearchRanking::Lexical);
}

// S-SEARCH-35: A draft has no vector: its words give it a share of the score of the skill with the best words.
#[tokio::test(flavor = "multi_thread")]
async fn a_session_with_a_draft_is_answered_by_meaning_and_the_draft_by_its_words() {
    let store = store();
    let encoder = server(Arc::default()).await;
    let process = process(&store, Some(encoder));
    let asker = session(&process);
    let without = ask_fused(&asker, "my cat is hungry").await;
    let tools = [("*", ToolRule::Auto), ("create_skill", ToolRule::Auto)];
    let policy = Policy { tools: tools.map(|(name, rule)| (name.to_owned(), rule)).into(), ..Policy::default() };
    let (wanted, id) =
        (CreateSession { policy: Some(policy), ..CreateSession::default() }, |name| Id::parse(name).unwrap());
    process.create_session(&id("u1"), &id("s"), wanted).await.unwrap();
    asker.create_skill(CreateSkillRequest::new("grooming", "Grooms felines and hounds.", BODY)).await.unwrap();
    assert_eq!(ask(&asker, "my cat is hungry").await, without, "no word of the draft is asked for");
    let found = ask(&asker, "grooms hounds").await;
    let names: Vec<_> = found.skills.iter().map(|one| one.skill.as_str()).collect();
    assert_eq!((found.ranking, names), (SearchRanking::Fused, vec!["grooming", "animals/hounds"]));
    assert!(found.skills.iter().all(|one| (0.0..=1.0).contains(&one.score)), "{found:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn loads_raise_what_is_found_by_meaning_alike_in_each_process_and_after_a_restart() {
    let (store, encoder) = (store(), server(Arc::default()).await);
    put(&store, "animals/cattery", "Books rooms for felines.");
    let clock = SetClock::at(1_000_000_000);
    let learning = || {
        let encoder = Some(encoder.clone());
        let options = ServiceOptions { encoder, index: true, feedback: true, ..ServiceOptions::default() };
        Service::new(store.clone(), options, clock.clone())
    };
    let (one, question) = (learning(), "my hungry cat wants dinner");
    let before = ask_fused(&session(&one), question).await;
    let last = before.skills.last().unwrap().skill.clone();
    for name in ["first", "second"] {
        let agent = one.session(Id::parse("u1").unwrap(), Id::parse(name).unwrap());
        agent.discover_skills(DiscoverRequest::new(question)).await.unwrap();
        agent.load(&last).await.unwrap();
        one.sessions().flush_all().await;
    }
    let after = ask(&session(&one), question).await;
    let raised = after.skills.iter().find(|found| found.skill == last).unwrap().explain.as_ref().unwrap().raised;
    assert_eq!((after.ranking, raised.map(|raised| raised.loads)), (SearchRanking::Fused, Some(2)), "{after:?}");
    assert_ne!(after.skills, before.skills);

    assert_eq!(ask(&session(&learning()), question).await, after, "another process");
    drop(one);
    assert_eq!(ask(&session(&learning()), question).await, after, "a restart");
}

#[cfg(feature = "encoder")]
#[tokio::test(flavor = "multi_thread")]
async fn a_real_model_finds_what_shares_no_word() {
    let Some(wheels) = crate::support::wheels::Wheels::get() else { return };
    let folder = tempfile::tempdir().unwrap();
    wheels.unpack(folder.path());
    let encoder = skillmount::encoder::LocalEncoder::open(folder.path()).unwrap();
    let fused = ask_fused(&service(&store(), Some(Arc::new(encoder))), "my cat is hungry").await;
    assert_eq!(fused.skills[0].skill, "animals/felines", "{fused:?}");
    assert!(fused.skills[0].explain.as_ref().unwrap().matches.is_empty());
}
