//! What must hold when everything else goes wrong: files replaced while they are read, nonsense in every field, a bucket
//! that cannot be trusted with writes.

use std::time::Duration;

use proptest::prelude::*;
use skillmount::{
    Code, Result,
    handle::{Service, ServiceOptions, SessionBackend},
    limits::{CHUNK_BYTES, FIRST_CHUNK_BYTES},
    store::ReadOnly,
    wire::{
        BackendProtocol, CreateSession, EditRequest, GlobRequest, GrepRequest, LoadSkillRequest, Newlines,
        UnloadSkillRequest, UploadFile,
    },
};
use tokio::time::sleep;

use crate::support::{
    clock,
    saboteur::under_test,
    world::{BackendExt, World, code, grep, id, soak},
};

const KEY: &str = "demo/threads/s/big";
const PATH: &str = "/workspace/big";
/// The latency of one request.
const TRIP: Duration = Duration::from_secs(1);

/// Lines of one letter alone, more than `bytes` of them.
fn lines_of(letter: &str, bytes: u64) -> String {
    format!("{}\n", letter.repeat(79)).repeat(usize::try_from(bytes).unwrap() / 80 + 2)
}

/// Carries `read` out while another client replaces the file, so many milliseconds after the beginning.
async fn while_it_changes<T>(after: u64, bytes: u64, read: impl AsyncFnOnce(SessionBackend) -> T) -> T {
    let world = World::new();
    world.put(KEY, lines_of("a", bytes)).await;
    world.agent().names("/").await.unwrap();
    world.faults.set_latency(TRIP);
    let change = async {
        sleep(Duration::from_millis(after)).await;
        world.put(KEY, lines_of("b", bytes)).await;
    };
    tokio::join!(read(world.agent()), change).0
}

/// A whole version, or the word that there is none.
fn check(read: Result<Vec<u8>>, bytes: u64) -> bool {
    match read {
        Ok(text) => {
            let letter = if text.starts_with(b"a") { "a" } else { "b" };
            assert!(text == lines_of(letter, bytes).into_bytes(), "two versions in one, or a part of one");
            true
        }
        Err(error) => {
            assert_eq!(error.code(), Code::EditConflict);
            false
        }
    }
}

// S-PIN-4: One read serves one version of a file, old or new: never a mixture, and never cut short silently.
#[tokio::test(start_paused = true)]
async fn a_file_that_is_replaced_while_it_is_read_is_never_mixed() {
    let mut whole = Vec::new();
    for after in [500, 1500, 2500] {
        let read = while_it_changes(after, FIRST_CHUNK_BYTES, async |agent| agent.lines(PATH, 0, 1_000_000).await);
        whole.push(check(read.await.map(|read| read.content.into_bytes()), FIRST_CHUNK_BYTES));
    }
    assert_eq!(whole, [true, false, true], "before the first request, between the two, after them");

    for after in [500, 1500, 2500] {
        let read = while_it_changes(after, CHUNK_BYTES, async |agent| agent.download(vec![PATH.to_owned()]).await);
        let read = read.await.unwrap().remove(0).result;
        check(read.map(|bytes| bytes.to_vec()), CHUNK_BYTES);
    }
    let streamed = while_it_changes(1500, CHUNK_BYTES, async |agent| {
        let mut reader = agent.files().open(PATH, None, None).await?;
        let mut bytes = Vec::new();
        while let Some(piece) = reader.next().await? {
            bytes.extend_from_slice(&piece);
        }
        Ok(bytes)
    });
    assert!(!check(streamed.await, CHUNK_BYTES), "the second piece of the first version is gone");
}

/// Every operation with these words in its fields.
async fn everything(agent: &SessionBackend, [one, two, three]: [String; 3], number: u64) -> Vec<Result<()>> {
    let size = usize::try_from(number % 100_000).unwrap();
    let search = GrepRequest {
        glob: Some(three.clone()),
        literal: number.is_multiple_of(2),
        ignore_case: number.is_multiple_of(3),
        context: size,
        max_count: Some(size),
        ..grep(&one, Some(&two))
    };
    let newlines = if number.is_multiple_of(4) { Newlines::File } else { Newlines::Exact };
    let replace_all = number.is_multiple_of(2);
    let edit = EditRequest { replace_all, newlines, ..EditRequest::new(&one, &two, &three) };
    let load = LoadSkillRequest {
        mount_as: Some(two.clone()),
        arguments: Some(three.clone()),
        ..LoadSkillRequest::new(one.clone())
    };
    vec![
        agent.names(&one).await.map(drop),
        agent.lines(&one, number, u64::MAX - number).await.map(drop),
        agent.grep(search).await.map(drop),
        agent.grep(grep(&one, None)).await.map(drop),
        agent.glob(GlobRequest { pattern: one.clone(), path: Some(two.clone()) }).await.map(drop),
        agent.glob(GlobRequest { pattern: one.clone(), path: None }).await.map(drop),
        agent.create(&one, &two).await.map(drop),
        agent.overwrite(&one, &two).await.map(drop),
        agent.edit(edit).await.map(drop),
        agent.upload(vec![UploadFile { path: one.clone(), bytes: two.into() }]).await.map(drop),
        agent.download(vec![one.clone(), three]).await.map(drop),
        agent.files().stat(&one).await.map(drop),
        agent.load_skill(load).await.map(drop),
        agent.unload_skill(UnloadSkillRequest { skill: one.clone() }).await.map(drop),
        agent.remove(&one).await.map(drop),
    ]
}

fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "/(workspace|skills|ticket)(/\\PC{0,8}){0,3}",
        "[(){}\\[\\]*+?|^$\\\\.a0-9,/!-]{0,40}",
        Just("/workspace/a".to_owned()),
        Just("venta".to_owned()),
        Just("x".repeat(5000)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256 * soak(), failure_persistence: None, ..ProptestConfig::default() })]

    // S-LIMIT-3: No input makes the process panic, hang or grow without bound.
    #[test]
    fn no_input_is_too_odd_to_be_answered(words in [word(), word(), word()], number in any::<u64>()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let answers = runtime.block_on(async {
            let world = World::new();
            world.put("demo/threads/s/a", "text\n").await;
            world.put_skill("demo", "venta", "Sells.", "{{x}} $1 $ARGUMENTS").await;
            everything(&world.agent(), words, number).await
        });
        for error in answers.into_iter().filter_map(Result::err) {
            prop_assert_ne!(error.code(), Code::Internal, "{:?}", error);
            prop_assert!(error.message().len() < 10_000, "{}", error.message().len());
        }
    }
}

// S-STORE-2: If a bucket does not honour conditional writes, the service finds this out at start and refuses changes
// with that reason.
#[tokio::test(start_paused = true)]
async fn a_service_that_must_not_write_says_why_and_reads_on() {
    let world = World::new();
    world.put_fixtures().await;
    world.put("demo/threads/s/a", "text").await;
    let before = world.keys().await;
    let access = ReadOnly::from("If-Match is ignored").into();
    let options = ServiceOptions { access, index: true, ..ServiceOptions::default() };
    let (bucket, options) = under_test(world.bucket.clone(), options, clock());
    let service = Service::new(bucket, options, clock());
    let agent = service.session(id("demo"), id("s"));
    assert_eq!(agent.text("/workspace/a").await.unwrap(), "text");
    assert!(!agent.catalog(true).await.unwrap().entries.is_empty());
    for refused in [
        agent.create("/workspace/b", "x").await.map(drop),
        agent.overwrite("/workspace/a", "x").await.map(drop),
        agent.replace("/workspace/a", "text", "x").await.map(drop),
        agent.remove("/workspace/a").await.map(drop),
        agent.load("hipoteca").await.map(drop),
        service.create_session(&id("demo"), &id("t"), CreateSession::default()).await.map(drop),
    ] {
        assert!(refused.as_ref().is_err_and(|error| error.message().contains("If-Match is ignored")), "{refused:?}");
        assert_eq!(code(refused), Code::ReadOnly);
    }
    let upload = UploadFile { path: "/workspace/b".into(), bytes: "x".into() };
    assert_eq!(code(agent.upload(vec![upload]).await.unwrap().remove(0).result), Code::ReadOnly);
    World::quiet().await;
    assert_eq!(world.keys().await, before);
}
