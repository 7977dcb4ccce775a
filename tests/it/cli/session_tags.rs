//! Tags of sessions in a bucket that refuses them, and once it does not any more: the real binary against an S3 in this process.

use std::{
    io,
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use bytes::Bytes;
use hyper::{Request, Response, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use s3s::{Body, service::S3Service};
use serde_json::Value;
use skillmount::{
    path::{ETag, KeyPrefix, ObjectKey},
    session::session_tags,
    store::{GetOptions, MemoryStore, Store as _, Tags},
};
use tokio::net::TcpListener;

use super::{Home, server::Server, skill};
use crate::support::s3_in_process::{BUCKET, service_over};

/// A bucket whose policy may refuse tags.
struct Bucket {
    memory: Arc<MemoryStore>,
    url: String,
    policy: Arc<Policy>,
}

#[derive(Default)]
struct Policy {
    refuses_tags: AtomicBool,
    /// Requests that were refused.
    refused: AtomicU64,
}

impl Bucket {
    /// One that refuses tags, on a free port, as long as the runtime lives.
    async fn open() -> Self {
        let (memory, policy) = (Arc::new(MemoryStore::like_s3()), Arc::new(Policy::default()));
        policy.refuses_tags.store(true, Ordering::SeqCst);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (service, rules) = (service_over(memory.clone()), policy.clone());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (service, rules) = (service.clone(), rules.clone());
                let answer = service_fn(move |request| answer(request, service.clone(), rules.clone()));
                tokio::spawn(
                    http1::Builder::new().timer(TokioTimer::new()).serve_connection(TokioIo::new(stream), answer),
                );
            }
        });
        Self { memory, url, policy }
    }

    /// What a command that succeeds prints, with `--json`.
    fn run(&self, home: &Home, arguments: &[&str]) -> Value {
        let of_bucket = ["--store", &format!("s3://{BUCKET}"), "--endpoint-url", &self.url, "--user", "ana", "--json"];
        let mut command = home.command(&[&of_bucket, arguments].concat());
        command.env("AWS_ACCESS_KEY_ID", "key").env("AWS_SECRET_ACCESS_KEY", "secret");
        let output = command.env("AWS_EC2_METADATA_DISABLED", "true").output().unwrap();
        let [said, told] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        assert!(output.status.success(), "{arguments:?}: {said}{told}");
        serde_json::from_str(&said).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {said}{told}"))
    }

    fn tags_of(&self, session: &str) -> Tags {
        self.memory.tags_of(&format!("ana/.skillmount/sessions/{session}.json")).expect("the session is in the bucket")
    }

    async fn object(&self, session: &str) -> (Bytes, ETag) {
        let key = session_object("ana", session);
        let object = self.memory.get(&key, GetOptions::default()).await.unwrap();
        (object.bytes, object.meta.etag)
    }

    fn allow(&self) {
        self.policy.refuses_tags.store(false, Ordering::SeqCst);
    }
}

async fn answer(request: Request<Incoming>, service: S3Service, policy: Arc<Policy>) -> io::Result<Response<Body>> {
    let asks = request.headers().contains_key("x-amz-tagging")
        || request.uri().query().is_some_and(|query| query.starts_with("tagging"));
    if asks && policy.refuses_tags.load(Ordering::SeqCst) {
        policy.refused.fetch_add(1, Ordering::SeqCst);
        let text = "<?xml version=\"1.0\"?><Error><Code>AccessDenied</Code><Message>not authorized to perform: \
                    s3:PutObjectTagging</Message></Error>";
        let reply = Response::builder().status(403).header("content-type", "application/xml");
        return Ok(reply.body(Body::from(text.to_owned())).unwrap());
    }
    service.call(request.map(Body::from)).await.map_err(|_| io::Error::from(io::ErrorKind::Other))
}

fn check_of_tags(doctor: &Value) -> &Value {
    doctor["checks"].as_array().unwrap().iter().find(|check| check["name"] == "session tags").expect("it looks at tags")
}

// S-SESSION-17: If the bucket refuses tags, the service writes sessions without a tag.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bucket_that_refuses_tags_has_sessions_without_and_doctor_says_so_until_they_are_tagged() {
    let (bucket, home) = (Bucket::open().await, Home::new());
    bucket.memory.put_raw("ana/skills/notas/SKILL.md", skill("notas", "Toma notas."));
    bucket.run(&home, &["--session", "old", "skills", "load", "notas"]);
    assert_eq!(bucket.tags_of("old"), Tags::new());
    assert_eq!(bucket.policy.refused.load(Ordering::SeqCst), 1, "a process finds out once");

    let before = bucket.object("old").await;
    let doctor = bucket.run(&home, &["doctor"]);
    let check = check_of_tags(&doctor);
    assert_eq!(check["status"], "warn", "{check}");
    let (detail, fix) = (check["detail"].as_str().unwrap(), check["fix"].as_str().unwrap());
    assert!(detail.contains("s3:PutObjectTagging") && detail.contains("written untagged"), "{detail}");
    assert!(fix.contains("allow s3:PutObjectTagging") && fix.contains("session prune --all"), "{fix}");
    let refused = bucket.run(&home, &["session", "prune", "--all"]);
    assert!(refused["untagged"].as_str().is_some_and(|why| why.contains("s3:PutObjectTagging")), "{refused}");
    assert_eq!((&refused["tagged"], bucket.tags_of("old")), (&0.into(), Tags::new()));

    bucket.allow();
    let doctor = bucket.run(&home, &["doctor"]);
    assert_eq!(check_of_tags(&doctor)["status"], "ok", "{doctor}");
    bucket.run(&home, &["--session", "new", "skills", "load", "notas"]);
    assert_eq!((bucket.tags_of("old"), bucket.tags_of("new")), (Tags::new(), session_tags()));
    let tagged = bucket.run(&home, &["session", "prune", "--all"]);
    assert_eq!((&tagged["tagged"], &tagged["untagged"]), (&2.into(), &Value::Null), "{tagged}");
    assert_eq!(bucket.tags_of("old"), session_tags());
    assert_eq!(bucket.object("old").await, before, "nothing else of it has changed");

    // Through a server it is the same command, with a key of all users.
    let plain = session_object("ana", "old");
    bucket.memory.tag(&plain, Tags::new()).await.unwrap();
    let made = home.json(&["keys", "new", "--all-users", "--scope", "control"]);
    home.file("keys.toml", made["entry"].as_str().unwrap());
    let mut serve = Command::new(env!("CARGO_BIN_EXE_skillmount"));
    serve.args(["serve", "--listen", "127.0.0.1:0", "--json", "--keys", "keys.toml"]).current_dir(home.path());
    serve.args(["--store", &format!("s3://{BUCKET}"), "--endpoint-url", &bucket.url]);
    serve
        .env("AWS_ACCESS_KEY_ID", "key")
        .env("AWS_SECRET_ACCESS_KEY", "secret")
        .env("AWS_EC2_METADATA_DISABLED", "true");
    serve.env("AWS_REGION", "us-east-1").env("XDG_DATA_HOME", home.path().join("data"));
    let server = Server::spawn(&mut serve);
    let key = made["key"].as_str().unwrap();
    let collected = home.json(&["--server", &server.url, "--api-key", key, "session", "prune", "--all"]);
    let figures = [&collected["users"], &collected["removed"], &collected["tagged"], &collected["untagged"]];
    assert_eq!(figures, [&1.into(), &0.into(), &2.into(), &Value::Null], "{collected}");
    assert_eq!(bucket.tags_of("old"), session_tags());
}

fn session_object(user: &str, session: &str) -> ObjectKey {
    KeyPrefix::all().key(&format!("{user}/.skillmount/sessions/{session}.json")).unwrap()
}
