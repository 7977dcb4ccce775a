//! One attack for each place of the page. An attack opens more than its caller can get, and leaves it open.

use std::time::Duration;

use futures_util::{FutureExt as _, future::BoxFuture};
use reqwest::Method;
use serde_json::json;
use tokio::{io::AsyncWriteExt as _, net::TcpStream, task::JoinSet};

use skillmount::limits::PART_HEAD_BYTES;

use super::stage::{Attacker, Caller, Size, Stage};
use crate::http::publishing::zipped;

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;

/// What an attack holds until it is dropped.
#[derive(Default)]
pub(super) struct Held {
    _sockets: Vec<TcpStream>,
    /// Calls that go on.
    calls: JoinSet<()>,
}

pub(super) struct Attack {
    /// The first cell of its row.
    pub(super) place: &'static str,
    pub(super) size: Size,
    pub(super) begin: for<'a> fn(&'a Stage, Vec<Caller>) -> BoxFuture<'a, Held>,
    /// The value of `/metrics` that shows what the attacker holds.
    pub(super) gauge: &'static str,
    /// What the attacker can get of it, at least and at most.
    pub(super) most: fn(Attacker) -> (u64, u64),
    /// Whether the attacker only holds. While it keeps calling, its own users wait for each other.
    pub(super) is_still: bool,
}

const CONNECTIONS: &str = "skillmount_connections_engaged";
const STREAMS: &str = "skillmount_streams";
const CALLS: &str = "skillmount_calls";
const MEMORY: &str = "skillmount_memory_reserved_bytes";

pub(super) const ATTACKS: &[Attack] = &[
    Attack {
        place: "any call on a user's data",
        begin: |stage, callers| slow_bodies(stage, callers, (260, 9 * KIB, 1)).boxed(),
        most: |attacker| by_attacker(attacker, [(84, 84), (112, 112), (182, 196)]),
        ..holding(CONNECTIONS)
    },
    Attack {
        place: "`GET …/events` as a stream",
        begin: |stage, callers| streams(stage, callers, None).boxed(),
        most: |attacker| by_attacker(attacker, [(42, 42), (56, 56), (182, 196)]),
        ..holding(STREAMS)
    },
    Attack {
        place: "the same with `Last-Event-ID`",
        begin: |stage, callers| streams(stage, callers, Some("20260102T030405.000006Z-0a1b2c3d.7.1")).boxed(),
        most: |attacker| memory(attacker, 18),
        ..holding(MEMORY)
    },
    Attack {
        place: "a body up to 16 KiB",
        begin: |stage, callers| slow_bodies(stage, callers, (260, 16 * KIB, 16 * KIB - 1)).boxed(),
        most: |_| (0, 0),
        ..holding(MEMORY)
    },
    Attack {
        place: "a body up to 1 MiB",
        begin: |stage, callers| {
            // Few bodies, because the server gives up the first after ten seconds without a byte. A key has 19 in memory and three on
            // disk, and the next would wait for so long.
            let count = if callers.len() == 1 { 21 } else { 12 * callers.len() };
            slow_bodies(stage, callers, (count, MIB, MIB - 1)).boxed()
        },
        // Bodies that find no memory at the same time all go to disk.
        most: |attacker| (1 << 20, memory(attacker, 17).1),
        ..holding(MEMORY)
    },
    Attack {
        place: "a longer body",
        begin: |stage, callers| slow_bodies(stage, callers, (24, 4 * MIB, 2 * MIB)).boxed(),
        most: |_| (0, 0),
        ..holding(MEMORY)
    },
    Attack {
        place: "a call whose body has come",
        size: Size::LARGE,
        begin: |stage, callers| held_calls(stage, callers, (1000, "ls", r#"{"path":"/"}"#)).boxed(),
        most: places,
        ..holding(CALLS)
    },
    Attack {
        place: "a call that has its place",
        begin: |stage, callers| held_calls(stage, callers, (480, "ls", r#"{"path":"/"}"#)).boxed(),
        most: |attacker| memory(attacker, 17),
        ..holding(MEMORY)
    },
    Attack {
        place: "an upload",
        size: Size::LARGE,
        begin: |stage, callers| slow_uploads(stage, callers).boxed(),
        most: places,
        ..holding(CALLS)
    },
    Attack {
        place: "a form",
        begin: |stage, callers| slow_forms(stage, callers).boxed(),
        most: |_| (0, 0),
        ..holding(MEMORY)
    },
    Attack {
        place: "a download",
        begin: |stage, callers| unread_downloads(stage, callers).boxed(),
        most: |attacker| memory(attacker, 16),
        ..holding(MEMORY)
    },
    Attack {
        place: "search, parsing, packing, comparing",
        begin: |stage, callers| futures_util::future::ready(flood(stage, &callers, long_turn)).boxed(),
        most: |_| (1, 1024),
        is_still: false,
        ..holding(CALLS)
    },
    Attack {
        place: "an archive of a version",
        begin: |stage, callers| futures_util::future::ready(flood(stage, &callers, publish)).boxed(),
        most: |_| (1, 1024),
        is_still: false,
        ..holding(CALLS)
    },
    Attack {
        place: "an idle connection",
        begin: |stage, _| idle_connections(stage).boxed(),
        most: |_| (0, 0),
        ..holding(CONNECTIONS)
    },
];

/// The members that most attacks share.
const fn holding(gauge: &'static str) -> Attack {
    Attack {
        place: "",
        size: Size::SMALL,
        begin: |_, _| futures_util::future::ready(Held { _sockets: Vec::new(), calls: JoinSet::new() }).boxed(),
        gauge,
        most: |_| (0, 0),
        is_still: true,
    }
}

fn by_attacker(attacker: Attacker, of: [(u64, u64); 3]) -> (u64, u64) {
    let [key, user, wide] = of;
    match attacker {
        Attacker::OneKey | Attacker::WideKeyOnOneUser => key,
        Attacker::OneUser => user,
        Attacker::WideKey => wide,
    }
}

/// The memory of 104 MiB that an attacker can get, if one key gets at least `least` MiB with whole requests.
fn memory(attacker: Attacker, least: u64) -> (u64, u64) {
    let mib = |least: u64, most: u64| (least << 20, most << 19);
    by_attacker(attacker, [mib(least, 2 * 20 - 1), mib(least + 5, 2 * 26), mib(4 * least, 2 * 91)])
}

/// The places among the calls under way that an attacker can get.
fn places(attacker: Attacker) -> (u64, u64) {
    by_attacker(attacker, [(384, 384), (512, 512), (832, 896)])
}

/// Writes the head of a request, and the begin of its body.
async fn begin_request(stage: &Stage, caller: &Caller, head: &str, body: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(stage.server.base.strip_prefix("http://").unwrap()).await.unwrap();
    let (first, rest) = head.split_once("{user}").unwrap();
    let head =
        format!("{first}{}{rest}\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n\r\n", caller.user, caller.key);
    stream.write_all(head.as_bytes()).await.unwrap();
    // A server that has refused the call reads no more of it.
    let _ = stream.write_all(body).await;
    stream
}

/// `count` bodies that come up to `come` of their `announced` bytes and then stop.
async fn slow_bodies(stage: &Stage, callers: Vec<Caller>, (count, announced, come): (usize, usize, usize)) -> Held {
    let head = format!(
        "POST /v1/users/{{user}}/sessions/attack/write HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: {announced}"
    );
    open(stage, callers, count, &head, &vec![b' '; come]).await
}

async fn slow_uploads(stage: &Stage, callers: Vec<Caller>) -> Held {
    let head = "PUT /v1/users/{user}/sessions/attack/files/workspace/a HTTP/1.1\r\nContent-Length: 1000";
    open(stage, callers, 1000, head, b"begin").await
}

/// Forms whose first part has a head that does not end, almost as long as a head may be.
async fn slow_forms(stage: &Stage, callers: Vec<Caller>) -> Held {
    let head = "POST /v1/users/{user}/sessions/attack/upload HTTP/1.1\r\nContent-Length: 60000000\r\nContent-Type: multipart/form-data; boundary=b";
    let part = [b"--b\r\nx: ".as_slice(), &vec![b' '; PART_HEAD_BYTES - 100]].concat();
    open(stage, callers, 260, head, &part).await
}

async fn streams(stage: &Stage, callers: Vec<Caller>, last: Option<&str>) -> Held {
    stage.hold_store();
    let last = last.map(|last| format!("\r\nLast-Event-ID: {last}")).unwrap_or_default();
    let head = format!("GET /v1/users/{{user}}/sessions/attack/events HTTP/1.1\r\nAccept: text/event-stream{last}");
    open(stage, callers, 240, &head, b"").await
}

/// Calls whose answers wait for the store.
async fn held_calls(stage: &Stage, callers: Vec<Caller>, (count, operation, body): (usize, &str, &str)) -> Held {
    stage.hold_store();
    let head = format!(
        "POST /v1/users/{{user}}/sessions/attack/{operation} HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: {}",
        body.len()
    );
    open(stage, callers, count, &head, body.as_bytes()).await
}

/// Downloads of a file that is longer than the buffers of its connection.
async fn unread_downloads(stage: &Stage, callers: Vec<Caller>) -> Held {
    for caller in &callers {
        stage.server.memory.put_raw(&format!("{}/threads/attack/big", caller.user), vec![7; 24 * MIB]);
    }
    open(stage, callers, 60, "GET /v1/users/{user}/sessions/attack/files/workspace/big HTTP/1.1", b"").await
}

/// `count` requests, of each caller in turn.
async fn open(stage: &Stage, callers: Vec<Caller>, count: usize, head: &str, body: &[u8]) -> Held {
    let mut sockets = Vec::new();
    for caller in callers.iter().cycle().take(count) {
        sockets.push(begin_request(stage, caller, head, body).await);
    }
    Held { _sockets: sockets, ..Held::default() }
}

async fn idle_connections(stage: &Stage) -> Held {
    let mut sockets = Vec::new();
    for _ in 0..600 {
        sockets.push(TcpStream::connect(stage.server.base.strip_prefix("http://").unwrap()).await.unwrap());
    }
    Held { _sockets: sockets, ..Held::default() }
}

/// Four calls of each caller at any time.
fn flood(stage: &Stage, callers: &[Caller], call: fn(&Stage, &Caller) -> reqwest::RequestBuilder) -> Held {
    let mut held = Held::default();
    for caller in callers.iter().cycle().take(4 * callers.len()) {
        let request = call(stage, caller);
        held.calls.spawn(async move {
            loop {
                let answer = request.try_clone().expect("its body is in memory").send().await;
                assert!(answer.is_ok(), "{answer:?}");
            }
        });
    }
    held
}

/// A turn of a MiB of JSON, which a worker parses.
fn long_turn(stage: &Stage, caller: &Caller) -> reqwest::RequestBuilder {
    let mut blocks: Vec<_> =
        (0..20_000).map(|n| json!({"type": "text", "text": "some text of a model", "n": n})).collect();
    blocks.push(json!({"type": "tool_use", "id": "1", "name": "none"}));
    stage.request(caller, Method::POST, "/sessions/attack/tool_calls").json(&json!({ "content": blocks }))
}

/// A publish of a skill with a file of a MiB.
fn publish(stage: &Stage, caller: &Caller) -> reqwest::RequestBuilder {
    let text = "some words of a long file\n".repeat(40_000);
    let files = [("SKILL.md", "---\nname: big\ndescription: Has a long file\n---\nRead it.\n"), ("long.md", &text)];
    let request = stage.request(caller, Method::PUT, "/skills/big").header("content-type", "application/zip");
    request.body(zipped(&files)).timeout(Duration::from_mins(1))
}
