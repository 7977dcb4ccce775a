//! Connections without sockets, on a clock that stands still: who is served while others misbehave.

use bytes::Bytes;
use futures_util::poll;
use skillmount_store::{MemoryStore, PutOptions, Store as _, Verb, testing::Faulty};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream},
    time::{Instant, timeout},
};

use super::*;
use crate::{
    access::{KeyEntry, Scope},
    clock::SystemClock,
    handle::ServiceOptions,
    limits::{BODY_PATIENCE, BODY_STEP_BYTES, CONNECTIONS, CONNECTIONS_RESERVED, EVENTS_ALIVE},
    path::{Id, KeyPrefix},
};

/// The connections that calls have.
const CALL_CONNECTIONS: u64 = (CONNECTIONS - CONNECTIONS_RESERVED) as u64 / 2;

struct Served {
    app: Arc<ServerState>,
    store: Arc<Faulty>,
    router: Router,
    connections: GracefulShutdown,
}

impl Served {
    fn new() -> Self {
        let clock = Arc::new(SystemClock::new());
        let store = Arc::new(Faulty::new(Arc::new(MemoryStore::new())));
        let service = Service::new(store.clone(), ServiceOptions::default(), clock.clone());
        let app = Arc::new(ServerState::new(HttpConfig::default(), service, clock));
        Self { router: router::router(Arc::clone(&app)), app, store, connections: GracefulShutdown::new() }
    }

    /// A client's end of a new connection.
    fn connect(&self) -> DuplexStream {
        let (near, far) = tokio::io::duplex(16 << 10);
        let client = IpAddr::from([127, 0, 0, 1]);
        let (place, router) = (self.app.limits.connections.open(), self.router.clone());
        tokio::spawn(serve_connection(far, client, place, router, &self.connections));
        near
    }

    async fn ask(&self, request: &str) -> DuplexStream {
        let mut stream = self.connect();
        stream.write_all(request.as_bytes()).await.unwrap();
        stream
    }

    /// The status of the answer to `request` on a connection of its own.
    async fn status(&self, request: &str) -> u16 {
        status(&mut self.ask(request).await).await
    }
}

/// The status of the next answer; 0 if the connection ends without one.
async fn status(stream: &mut DuplexStream) -> u16 {
    let mut line = [0; 12];
    match stream.read_exact(&mut line).await {
        Ok(_) => std::str::from_utf8(&line).unwrap().rsplit(' ').next().unwrap().parse().unwrap(),
        Err(_) => 0,
    }
}

/// The rest of the bytes that come on a connection.
async fn rest(mut stream: DuplexStream) -> String {
    let mut text = Vec::new();
    stream.read_to_end(&mut text).await.unwrap();
    String::from_utf8(text).unwrap()
}

const PROBE: &str = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";

fn post(user: &str, operation: &str, announced: usize, body: &str) -> String {
    format!(
        "POST /v1/users/{user}/sessions/s/{operation} HTTP/1.1\r\nHost: localhost\r\n\
         Content-Type: application/json\r\nContent-Length: {announced}\r\n\r\n{body}"
    )
}

fn ls(user: &str) -> String {
    let body = r#"{"path":"/"}"#;
    post(user, "ls", body.len(), body)
}

/// Lets everything run that can run without time passing.
async fn settle() {
    for _ in 0..200 {
        tokio::task::yield_now().await;
    }
}

#[test]
fn without_keys_only_this_machine_may_reach_the_socket() {
    let with_keys = Keys::single("k").unwrap();
    for (address, open) in [("127.0.0.1:1", true), ("[::1]:1", true), ("0.0.0.0:1", false), ("10.0.0.1:1", false)] {
        let address = address.parse().unwrap();
        assert_eq!(check_exposure(&Keys::none(), address).is_ok(), open, "{address}");
        assert!(check_exposure(&with_keys, address).is_ok());
    }
    let error = check_exposure(&Keys::none(), "0.0.0.0:1".parse().unwrap()).unwrap_err();
    assert!(error.message().contains("--api-key"));
}

#[tokio::test(start_paused = true)]
async fn a_body_that_does_not_come_ends_its_call_and_its_connection() {
    let served = Served::new();
    let began = Instant::now();
    let stream = served.ask(&post("u", "ls", 1000, "{\"path\":")).await;
    let answer = rest(stream).await;
    assert_eq!(began.elapsed(), BODY_PATIENCE);
    assert!(answer.starts_with("HTTP/1.1 400") && answer.contains("connection: close"), "{answer}");
    assert!(answer.contains("slower than 1024 bytes a second"), "{answer}");
    assert_eq!((served.app.limits.admission.counts(), served.app.limits.admission.memory().reserved()), ([0; 3], 0));
}

// S-FAIR-4: The service answers whether it lives, whatever calls run or wait.
#[tokio::test(start_paused = true)]
async fn one_user_keeps_neither_probes_nor_other_users_out() {
    let served = Served::new();
    let began = Instant::now();
    let mut slow = Vec::new();
    for _ in 0..1100 {
        slow.push(served.ask(&post("greedy", "ls", 1000, "{\"path\":")).await);
    }
    settle().await;
    assert_eq!(
        served.app.limits.admission.counts(),
        [CALL_CONNECTIONS / 2, 0, 0],
        "no place is held for a body that comes"
    );
    assert_eq!(served.app.limits.admission.memory().reserved(), 0, "and no memory");
    for probe in
        [PROBE, "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n"]
    {
        assert_eq!(served.status(probe).await, 200);
    }
    assert_eq!(served.status(&ls("honest")).await, 200);
    assert_eq!(began.elapsed(), Duration::ZERO, "they waited for nothing");

    let mut refused = served.ask(&ls("greedy")).await;
    let answer = rest_of_head(&mut refused).await;
    assert!(answer.starts_with("HTTP/1.1 429") && answer.contains("retry-after: 1"), "{answer}");
    drop(slow);
    tokio::time::sleep(Duration::from_mins(1)).await;
    assert_eq!(served.status(&ls("greedy")).await, 200, "and it is served again");
}

async fn rest_of_head(stream: &mut DuplexStream) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    String::from_utf8(head).unwrap()
}

#[tokio::test(start_paused = true)]
async fn idle_connections_and_waiting_calls_leave_room_for_new_connections() {
    let served = Served::new();
    let began = Instant::now();
    let mut idle = Vec::new();
    for _ in 0..5000 {
        idle.push(served.connect());
    }
    assert_eq!(served.app.limits.connections.count(), CONNECTIONS);
    assert_eq!(served.status(PROBE).await, 200);
    let mut waiting = Vec::new();
    for n in 0..CONNECTIONS {
        waiting.push(served.ask(&post(&format!("u{}", n % 3), "ls", 1000, "{")).await);
        if n % 64 == 0 {
            settle().await;
        }
    }
    settle().await;
    assert!(served.app.limits.admission.counts()[0] <= CALL_CONNECTIONS);
    assert_eq!((served.status(PROBE).await, began.elapsed()), (200, Duration::ZERO));
    drop((idle, waiting));
}

// S-FAIR-5: A client that closes its sending side gets an answer if the answer begins within two seconds.
#[tokio::test(start_paused = true)]
async fn a_client_that_closes_its_sending_side_gets_its_answer_and_work_for_one_that_left_ends() {
    let served = Served::new();
    let mut half = served.ask(&ls("u")).await;
    half.shutdown().await.unwrap();
    let answer = rest(half).await;
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("/workspace"), "{answer}");

    served.store.set_latency(Duration::from_secs(30));
    let began = Instant::now();
    let mut left = served.ask(&ls("u2")).await;
    settle().await;
    assert_eq!(served.app.limits.admission.counts()[2], 1);
    left.shutdown().await.unwrap();
    assert_eq!((status(&mut left).await, began.elapsed()), (0, HALF_CLOSE_PATIENCE));
    assert_eq!(served.app.limits.admission.counts(), [0; 3]);
}

#[tokio::test(start_paused = true)]
async fn a_download_that_nobody_reads_holds_its_window_until_it_is_given_up() {
    let served = Served::new();
    let key = KeyPrefix::all().key("u/threads/s/big").unwrap();
    served.store.put(&key, Bytes::from(vec![7; 8 << 20]), PutOptions::default()).await.unwrap();
    let began = Instant::now();
    let get = "GET /v1/users/u/sessions/s/files/workspace/big HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let mut unread = Vec::new();
    for _ in 0..17 {
        let mut stream = served.ask(get).await;
        assert_eq!(status(&mut stream).await, 200);
        unread.push(stream);
    }
    settle().await;
    assert!(served.store.seen(Verb::Get) <= 2 * 17 + 10, "one piece each, not eight");
    let memory = served.app.limits.admission.memory();
    assert_eq!(memory.reserved(), 17 * ((2 << 20) + (256 << 10)));
    assert_eq!(served.status(get).await, 429, "the quarter of one user is taken");
    assert_eq!(served.status(&get.replace("users/u/", "users/honest/")).await, 404);
    tokio::time::sleep(WRITE_STALL).await;
    settle().await;
    assert_eq!((memory.reserved(), served.app.limits.admission.counts()), (0, [0; 3]));
    assert!(began.elapsed() < 2 * WRITE_STALL);
}

#[tokio::test]
async fn a_change_that_would_let_other_machines_in_without_a_key_is_refused() {
    let app = Served::new().app;
    let with_key = |key| Callers { keys: Keys::single(key).unwrap(), ..Callers::default() };
    let names = || app.callers().keys.names().cloned().collect::<Vec<_>>();
    app.set_callers(with_key("first"));
    let first = names();
    let (changed, callers_now) = watch::channel(Callers::default());
    let mut follow = Box::pin(follow_updates(&app, "10.0.0.1:1".parse().unwrap(), Some(callers_now)));
    for (change, is_taken) in [(Callers::default(), false), (with_key("second"), true)] {
        changed.send(change).unwrap();
        assert!(poll!(&mut follow).is_pending());
        assert_eq!(names() != first, is_taken);
    }
}

// S-EVENT-8: A stream of events ends if its key no longer lets the caller watch, or if a caller deletes the user.
#[tokio::test(start_paused = true)]
async fn a_stream_on_which_nothing_happens_ends_too_once_its_key_is_revoked() {
    let served = Served::new();
    let with_key = |key| Callers { keys: Keys::single(key).unwrap(), ..Callers::default() };
    served.app.set_callers(with_key("first"));
    let watch = "GET /v1/users/u/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer first\r\n\
                 Accept: text/event-stream\r\nConnection: close\r\n\r\n";
    let mut stream = served.ask(watch).await;
    assert_eq!(status(&mut stream).await, 200);
    let reading = tokio::spawn(rest(stream));
    tokio::time::sleep(10 * EVENTS_ALIVE).await;
    assert!(!reading.is_finished(), "a good key watches as long as it likes");
    served.app.set_callers(with_key("second"));
    let began = Instant::now();
    reading.await.unwrap();
    assert!(began.elapsed() <= 2 * EVENTS_ALIVE, "{:?}", began.elapsed());
}

/// A request for a stream of events, with a key if there are any.
fn watch(user: &str, key: Option<&str>) -> String {
    let key = key.map(|key| format!("Authorization: Bearer {key}\r\n")).unwrap_or_default();
    format!(
        "GET /v1/users/{user}/sessions/s/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n{key}\r\n"
    )
}

/// `request` with a key.
fn with_key(request: &str, key: &str) -> String {
    request.replacen("\r\n", &format!("\r\nAuthorization: Bearer {key}\r\n"), 1)
}

/// A service with an agent's key and a control key of each of these users.
fn with_keys(users: &[&str]) -> (Served, Vec<[String; 2]>) {
    let served = Served::new();
    let clock = SystemClock::new();
    let (mut keys, mut toml) = (Vec::new(), String::new());
    for user in users {
        let user = Id::parse(user).unwrap();
        let new = |scope| KeyEntry::generate(&clock, Some(&user), vec![scope]);
        let [(agent, first), (control, second)] = [Scope::Agent, Scope::Control].map(new);
        toml += &(first.to_toml().unwrap() + &second.to_toml().unwrap());
        keys.push([agent, control]);
    }
    served.app.set_callers(Callers { keys: Keys::from_toml(&toml).unwrap(), ..Callers::default() });
    (served, keys)
}

/// How long after `end` an idle stream of an agent's key of `ana` stays open.
async fn open_after(end: impl AsyncFnOnce(&Served, &[KeyEntry; 2])) -> Duration {
    let (served, clock) = (Served::new(), SystemClock::new());
    let user = Id::parse("ana").unwrap();
    let [(agent, first), (_, second)] =
        [Scope::Agent, Scope::Control].map(|scope| KeyEntry::generate(&clock, Some(&user), vec![scope]));
    let entries = [first, second];
    served.app.set_callers(Callers { keys: Keys::new(&entries).unwrap(), ..Callers::default() });
    let request = watch("ana", Some(&agent)).replacen("\r\n", "\r\nConnection: close\r\n", 1);
    let mut stream = served.ask(&request).await;
    assert_eq!(status(&mut stream).await, 200);
    tokio::time::sleep(EVENTS_ALIVE * 4 / 3).await;
    end(&served, &entries).await;
    let began = Instant::now();
    rest(stream).await;
    began.elapsed()
}

// S-SESSION-27: Within 30 seconds after a key is revoked or changed, its user is deleted or a policy is stricter, nothing that began
// before gives more than a new call would.
#[tokio::test(start_paused = true)]
async fn an_idle_stream_ends_within_thirty_seconds_of_the_end_of_its_right() {
    let keys = |served: &Served, entries: &[KeyEntry]| {
        served.app.set_callers(Callers { keys: Keys::new(entries).unwrap(), ..Callers::default() });
    };
    let promised = Duration::from_secs(30);
    let revoked = open_after(async |served, [_, control]| keys(served, std::slice::from_ref(control))).await;
    let moved = open_after(async |served, [agent, control]| {
        keys(served, &[KeyEntry { team: Some(Id::parse("red").unwrap()), ..agent.clone() }, control.clone()]);
    });
    let bound = open_after(async |served, [agent, control]| {
        keys(served, &[KeyEntry { sessions: Some(vec!["x".to_owned()]), ..agent.clone() }, control.clone()]);
    });
    let deleted = open_after(async |served, _| {
        served.app.service.deletions().delete_user(&Id::parse("ana").unwrap(), None).await.unwrap();
    });
    for (what, open) in
        [("revoked", revoked), ("moved", moved.await), ("bound", bound.await), ("deleted", deleted.await)]
    {
        assert!(open <= promised, "{what}: {open:?}");
    }
    for later in 0..25 {
        let elsewhere = open_after(async |served, _| {
            tokio::time::sleep(Duration::from_secs(later)).await;
            let clock = Arc::new(SystemClock::new());
            let other = Service::new(served.store.clone(), ServiceOptions::default(), clock);
            other.deletions().delete_user(&Id::parse("ana").unwrap(), None).await.unwrap();
        });
        let open = elsewhere.await;
        assert!(open <= promised, "deleted in another process after {later} s: {open:?}");
    }
}

// S-FAIR-8: A stream of events holds a place among the streams, and memory only while it replays.
#[tokio::test(start_paused = true)]
async fn a_stream_of_each_of_many_users_keeps_nobody_out() {
    let served = Served::new();
    let began = Instant::now();
    let mut streams = Vec::new();
    for n in 0..1000 {
        let mut stream = served.ask(&watch(&format!("u{n}"), None)).await;
        assert_eq!(status(&mut stream).await, 200, "{n}");
        streams.push(stream);
    }
    assert_eq!(served.app.limits.admission.counts(), [0, 1000, 0]);
    assert_eq!(served.app.limits.admission.memory().reserved(), 0);
    for user in ["u0", "other"] {
        assert_eq!(served.status(&ls(user)).await, 200);
    }
    assert_eq!(began.elapsed(), Duration::ZERO, "they waited for nothing");
    drop(streams);
    tokio::time::sleep(2 * EVENTS_ALIVE).await;
    assert_eq!(served.app.limits.admission.counts(), [0; 3]);
}

// S-FAIR-8: A stream of events holds a place among the streams, and memory only while it replays.
#[tokio::test(start_paused = true)]
async fn streams_of_two_agents_keys_keep_out_no_other_user_and_no_other_key_of_theirs() {
    let (served, keys) = with_keys(&["ana", "bob", "tom"]);
    let began = Instant::now();
    let mut streams = Vec::new();
    for (user, [agent, _]) in ["ana", "bob"].into_iter().zip(&keys) {
        let mut granted = 0;
        for _ in 0..500 {
            let mut stream = served.ask(&watch(user, Some(agent))).await;
            granted += u64::from(status(&mut stream).await == 200);
            streams.push(stream);
        }
        assert_eq!(granted, CALL_CONNECTIONS / 4 * 3 / 4, "three quarters of the part of {user}");
    }
    for (user, [agent, control]) in ["ana", "bob", "tom"].into_iter().zip(&keys) {
        for key in [agent, control] {
            assert_eq!(served.status(&with_key(&ls(user), key)).await, 200, "{user}");
        }
        assert_eq!(served.status(&watch(user, Some(control))).await, 200, "{user}");
    }
    assert_eq!(began.elapsed(), Duration::ZERO, "they waited for nothing");
}

// S-BUDGET-3: A request reserves its memory once its body has come.
#[tokio::test(start_paused = true)]
async fn slow_bodies_of_two_agents_keys_keep_out_no_other_user_and_no_other_key_of_theirs() {
    let (served, keys) = with_keys(&["ana", "bob", "tom"]);
    let began = Instant::now();
    for operation in ["tool_calls", "write", "ls", "discover_skills"] {
        let mut slow_calls = Vec::new();
        for (user, [agent, _]) in ["ana", "bob"].into_iter().zip(&keys) {
            for announced in [20 << 20, 900 << 10, 100 << 10] {
                for _ in 0..10 {
                    let half_body = post(user, operation, announced, &"x".repeat(1400));
                    slow_calls.push(served.ask(&with_key(&half_body, agent)).await);
                }
            }
        }
        settle().await;
        assert_eq!(served.app.limits.admission.memory().reserved(), 0, "{operation}: what has come is in the buffers");
        for (user, [_, control]) in ["ana", "bob", "tom"].into_iter().zip(&keys) {
            assert_eq!(served.status(&with_key(&ls(user), control)).await, 200, "{user}");
            let list = format!("GET /v1/users/{user}/skills HTTP/1.1\r\nHost: localhost\r\n\r\n");
            assert_eq!(served.status(&with_key(&list, control)).await, 200, "{user}");
        }
        drop(slow_calls);
        settle().await;
    }
    assert_eq!(began.elapsed(), Duration::ZERO, "they waited for nothing");
}

// S-BUDGET-3: A request reserves its memory once its body has come.
#[tokio::test]
async fn half_of_a_body_holds_what_has_come_and_moves_to_disk_if_no_memory_is_free() {
    let served = Served::new();
    let memory = served.app.limits.admission.memory();
    let body = format!(r#"{{"file_path":"/workspace/a","content":"{}"}}"#, "x".repeat(500_000));
    let mut half = served.ask(&post("u", "write", body.len(), &body[..300_000])).await;
    while memory.reserved() < 300_000 {
        settle().await;
    }
    let held = 300_000_u64.next_multiple_of(BODY_STEP_BYTES);
    assert_eq!(memory.reserved(), held);
    let rest = (40 << 20) - held;
    let of_user = memory.reserve(&"u".into(), rest).await.unwrap();
    half.write_all(&body.as_bytes()[300_000..400_000]).await.unwrap();
    while memory.reserved() > rest {
        settle().await;
    }
    half.write_all(&body.as_bytes()[400_000..]).await.unwrap();
    let mut byte = [0; 1];
    assert!(timeout(Duration::from_millis(200), half.read(&mut byte)).await.is_err(), "it waits for its user's memory");
    drop(of_user);
    assert_eq!(status(&mut half).await, 200);
}
