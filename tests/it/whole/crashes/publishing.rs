//! Two real servers of one folder, killed while an author at each publishes the same skill and another tool writes into its folder.

use std::{
    collections::BTreeSet,
    fs,
    io::Read as _,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use rand::{RngExt, SeedableRng, rngs::StdRng};
use serde_json::{Value, json};
use skillmount::{
    client::RemoteBackend,
    path::KeyPrefix,
    store::PutOptions,
    wire::{BackendProtocol, GlobRequest},
};
use zip::ZipArchive;

use super::content;
use crate::{
    cli::{on_store, server::Server},
    support::{
        directory, directory_in_memory,
        world::{BackendExt, files_below, id, seed, soak},
    },
};

const KILLS: u32 = 25;
const OTHERS: [&str; 4] = ["a.md", "b.md", "c.md", "d/e.md"];
pub(super) const FOLDER: &str = "demo/skills/a/demo";
const VERSIONS: &str = "demo/.skillmount/versions/a/demo";

/// An author who publishes version after version.
struct Author {
    name: &'static str,
    /// The number of the last version that was sent.
    sent: u64,
    /// The digest of the last version that was acknowledged.
    acknowledged: Option<String>,
    /// The number of the one that was acknowledged last in this life of the servers, and those that were not answered after it.
    told: Option<u64>,
    in_doubt: Vec<u64>,
}

impl Author {
    /// Publishes until the server is gone.
    async fn work(mut self, url: String, done: Arc<AtomicU64>) -> Self {
        let client = reqwest::Client::new();
        (self.told, self.in_doubt) = (None, Vec::new());
        loop {
            self.sent += 1;
            self.in_doubt.push(self.sent);
            let body = version(&self.tag(self.sent));
            let put = client.put(format!("{url}/v1/users/demo/skills/a/demo")).json(&body).send().await;
            let Ok(reply) = put else { return self };
            let status = reply.status();
            let Ok(reply) = reply.json::<Value>().await else { return self };
            assert!(status.is_success() || status == 409 || status == 503, "{status} {reply}");
            if status.is_success() {
                self.acknowledged = Some(reply["digest"].as_str().unwrap().to_owned());
                (self.told, self.in_doubt) = (Some(self.sent), Vec::new());
            } else if reply["outcome"] == "not_applied" {
                self.in_doubt.pop();
            }
            done.fetch_add(1, Ordering::SeqCst);
        }
    }

    fn tag(&self, number: u64) -> String {
        format!("{}-{number}", self.name)
    }
}

/// A version whose files all say which it is.
pub(super) fn version(tag: &str) -> Value {
    let files: serde_json::Map<_, _> = OTHERS.iter().map(|path| ((*path).to_owned(), json!(tag))).collect();
    json!({"description": format!("Version {tag}."), "body": format!("Body {tag}\n"), "files": files})
}

pub(super) fn start(folder: &Path) -> Server {
    let mut command = on_store(folder);
    command.args(["serve", "--listen", "127.0.0.1:0", "--json"]).env("SKILLMOUNT_LOG", "off");
    Server::spawn(&mut command)
}

/// Two servers of one folder.
pub(super) struct Pair([Server; 2]);

impl Pair {
    pub(super) fn start(folder: &Path) -> Self {
        Self([start(folder), start(folder)])
    }

    pub(super) fn urls(&self) -> [String; 2] {
        [self.0[0].url.clone(), self.0[1].url.clone()]
    }

    /// Ends both at once, or one of them and the other a while later.
    pub(super) async fn kill(&mut self, random: &mut StdRng) {
        let first = random.random_range(0..2);
        self.0[first].kill();
        if random.random() {
            tokio::time::sleep(Duration::from_micros(random.random_range(0..60_000))).await;
        }
        self.0[1 - first].kill();
    }
}

/// Everything a session reads of the skill, by path below its mount.
pub(super) async fn loaded(backend: &RemoteBackend) -> Vec<(String, String)> {
    let wanted = GlobRequest { pattern: "**".into(), path: Some("/skills/demo".into()) };
    let mut files = Vec::new();
    for found in backend.glob(wanted).await.unwrap().matches {
        let text = content::fetch(backend, &found.path).await.unwrap();
        files.push((found.path.trim_start_matches("/skills/demo/").to_owned(), text));
    }
    files
}

/// The contents of all files in all archives of versions.
pub(super) fn archived(folder: &Path) -> BTreeSet<String> {
    let mut contents = BTreeSet::new();
    for (_, bytes) in files_below(&folder.join(VERSIONS)) {
        let mut zip = ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
        for index in 0..zip.len() {
            let mut text = String::new();
            zip.by_index(index).unwrap().read_to_string(&mut text).unwrap();
            contents.insert(text);
        }
    }
    contents
}

// S-PUBLISH-3: Readers through the service see the version before a publish or the version after it, whatever fails
// meanwhile, and any server completes it.
// S-PUBLISH-5: A publish never loses a file that another tool wrote: the file stays where it is, or the service keeps
// it as a version.
// S-PUBLISH-7: A session that loaded a published version reads it to the session's end, through every later publish and
// deletion.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_killed_while_it_publishes_mixes_no_versions_and_loses_no_file_of_others() {
    let mut random = StdRng::seed_from_u64(seed());
    let (folder, _store) = directory_in_memory();
    let mut authors =
        ["ana", "eva"].map(|name| Author { name, sent: 0, acknowledged: None, told: None, in_doubt: Vec::new() });
    let first = begin(folder.path()).await;
    let mut foreign: Vec<String> = Vec::new();
    let (mut published, mut tag) = (0, "first".to_owned());
    for life in 0..KILLS * (soak() / 5).max(1) {
        let mut servers = Pair::start(folder.path());
        let done = Arc::new(AtomicU64::new(0));
        let (mut urls, counted) = (servers.urls().into_iter(), &done);
        let tasks = authors.map(|author| tokio::spawn(author.work(urls.next().unwrap(), counted.clone())));
        let enough = random.random_range(0..6);
        let other = write_between(folder.path(), life, &mut random, &done, enough).await;
        tokio::time::sleep(Duration::from_micros(random.random_range(0..30_000))).await;
        servers.kill(&mut random).await;
        let [one, two] = tasks;
        authors = [one.await.unwrap(), two.await.unwrap()];
        published += done.load(Ordering::SeqCst);
        foreign.extend(other);
        tag = check(folder.path(), life, &authors, (&tag, &first), &foreign).await;
    }
    println!("{published} versions published, {} files written between", foreign.len());
    assert!(published > 0);
}

/// Publishes a first version, and returns what the session `reader` reads of it.
async fn begin(folder: &Path) -> Vec<(String, String)> {
    let server = start(folder);
    let put = reqwest::Client::new().put(format!("{}/v1/users/demo/skills/a/demo", server.url));
    assert_eq!(put.json(&version("first")).send().await.unwrap().status(), 201);
    let reader = RemoteBackend::new(&server.url, id("demo"), id("reader"), None).unwrap();
    reader.load("a/demo").await.unwrap();
    loaded(&reader).await
}

/// Another tool puts files into the folder while authors publish: new ones, and one over a file of theirs. Returns what it
/// wrote, once some publishes are done.
pub(super) async fn write_between(
    folder: &Path,
    life: u32,
    random: &mut StdRng,
    done: &AtomicU64,
    enough: u64,
) -> Vec<String> {
    let store = directory(folder);
    let mut written = Vec::new();
    let mut write = async |path: String| {
        let text = format!("another tool {life} {path}");
        let key = KeyPrefix::all().key(&format!("{FOLDER}/{path}")).unwrap();
        store.put(&key, Bytes::from(text.clone()), PutOptions::default()).await.unwrap();
        written.push(text);
    };
    for number in 0..3 {
        tokio::time::sleep(Duration::from_micros(random.random_range(0..20_000))).await;
        write(format!("other-{life}-{number}.md")).await;
    }
    write("c.md".into()).await;
    for _ in 0..5_000 {
        if done.load(Ordering::SeqCst) >= enough {
            break;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    written
}

/// What must hold after each kill, through a new server. `before` is the tag that the skill had when this life of the servers began, and
/// `first` what the session `reader` loaded. Returns the tag that the skill has now.
async fn check(
    folder: &Path,
    life: u32,
    authors: &[Author; 2],
    (before, first): (&str, &[(String, String)]),
    foreign: &[String],
) -> String {
    let server = start(folder);
    let session = |name: &str| RemoteBackend::new(&server.url, id("demo"), id(name), None).unwrap();
    assert_eq!(loaded(&session("reader")).await, first, "the session goes on with the version it loaded");
    let newest = session(&format!("s-{life}"));
    newest.load("a/demo").await.unwrap();
    let files = loaded(&newest).await;
    let tag_of = |(path, text): &(String, String)| match path.as_str() {
        "SKILL.md" => text.split("Body ").nth(1).unwrap().trim().to_owned(),
        _ => text.clone(),
    };
    let tags: BTreeSet<_> = files.iter().map(tag_of).filter(|tag| !tag.starts_with("another tool")).collect();
    assert_eq!(tags.len(), 1, "a mixture of versions: {files:?}");
    assert!(files.iter().all(|(_, text)| !text.is_empty()));
    let tag = tags.first().unwrap();
    let told: Vec<_> = authors.iter().filter_map(|author| Some(author.tag(author.told?))).collect();
    let in_doubt = authors.iter().flat_map(|author| author.in_doubt.iter().map(|number| author.tag(*number)));
    let last = if told.is_empty() { vec![before.to_owned()] } else { told };
    let may_be: Vec<_> = last.into_iter().chain(in_doubt).collect();
    assert!(may_be.contains(tag), "life {life}: {tag} and not one of {may_be:?}");
    for digest in authors.iter().filter_map(|author| author.acknowledged.as_ref()) {
        let name = format!("{VERSIONS}/{}.zip", digest.trim_start_matches("sha256:"));
        assert!(fs::exists(folder.join(name)).unwrap(), "an acknowledged version is gone");
    }
    let kept = archived(folder);
    let there: BTreeSet<_> =
        files_below(&folder.join(FOLDER)).into_iter().map(|(_, bytes)| String::from_utf8(bytes).unwrap()).collect();
    // What the other tool wrote over itself is no concern of ours.
    let is_newest = |text: &&String| !text.ends_with(" c.md") || text.starts_with(&format!("another tool {life} "));
    for text in foreign.iter().filter(is_newest) {
        assert!(kept.contains(text) || there.contains(text), "a file of another tool is lost: {text}");
    }
    tag.clone()
}
