//! An honest user: does a little of everything, at a steady pace, and knows what each of its files may hold.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use bytes::Bytes;
use rand::{RngExt, SeedableRng, rngs::StdRng};
use reqwest::{Client, Method};
use serde_json::{Value, json};
use skillmount::{
    path::KeyPrefix,
    store::{GetOptions, MemoryStore, Store},
};
use tokio::{sync::watch, time::Instant};

use super::figures::Figures;

/// Files that `write` changes, and files that are uploaded.
const TEXTS: usize = 4;
const BLOBS: usize = 2;
/// What stands at the end of the log that a user appends to.
const END: &str = "<end>";
/// Longer than any deadline of the service.
const PATIENCE: Duration = Duration::from_secs(75);
/// Skills that each user has.
const SKILLS: u32 = 8;

/// What a user does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Deed {
    Ls,
    Read,
    Grep,
    Glob,
    Write,
    Edit,
    Upload,
    Download,
    Load,
    Prompt,
    Discover,
}

/// Each deed with its share of a hundred.
const MIX: [(Deed, u32); 11] = [
    (Deed::Ls, 12),
    (Deed::Read, 28),
    (Deed::Grep, 10),
    (Deed::Glob, 8),
    (Deed::Write, 10),
    (Deed::Edit, 10),
    (Deed::Upload, 4),
    (Deed::Download, 5),
    (Deed::Load, 4),
    (Deed::Prompt, 5),
    (Deed::Discover, 4),
];

/// What became of a change, as the service said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fate {
    Acknowledged,
    NotApplied,
    InDoubt,
}

/// The revisions that a file may have: the one acknowledged last, and those of changes since then that are in doubt.
#[derive(Default)]
struct Known {
    acknowledged: Option<u64>,
    in_doubt: Vec<u64>,
}

pub(super) struct User {
    name: String,
    key: String,
    /// The addresses of the replicas. What is about skills goes to the first, all else to either.
    replicas: Vec<String>,
    client: Client,
    random: StdRng,
    figures: Arc<Figures>,
    files: Vec<Known>,
    /// The lines sent to the log.
    lines: BTreeMap<String, Fate>,
    revision: u64,
    /// Answers that cannot be right.
    wrong: Vec<String>,
}

/// What all users found at the end.
#[derive(Debug, Default)]
pub(super) struct Verdict {
    pub(super) acknowledged: u64,
    pub(super) in_doubt: u64,
    pub(super) lost: Vec<String>,
    pub(super) doubled: Vec<String>,
    pub(super) wrong: Vec<String>,
}

struct Answer {
    status: u16,
    bytes: Bytes,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).unwrap_or_default()
    }

    /// The code of a refusal.
    fn refusal(&self) -> Option<String> {
        let code = || self.json()["code"].as_str().map_or_else(|| self.status.to_string(), str::to_owned);
        (self.status >= 400).then(code)
    }

    fn fate(&self) -> Fate {
        match self.json()["outcome"].as_str() {
            _ if self.status < 400 => Fate::Acknowledged,
            Some("not_applied") => Fate::NotApplied,
            _ => Fate::InDoubt,
        }
    }
}

impl User {
    pub(super) fn new(number: usize, key: String, replicas: &[String], figures: Arc<Figures>) -> Self {
        let mut replicas = replicas.to_vec();
        let homes = replicas.len();
        replicas.rotate_left(number % homes);
        Self {
            name: name(number),
            key,
            replicas,
            client: Client::builder().no_proxy().timeout(PATIENCE).build().unwrap(),
            random: StdRng::seed_from_u64(number as u64),
            figures,
            files: (0..TEXTS + BLOBS).map(|_| Known::default()).collect(),
            lines: BTreeMap::new(),
            revision: 0,
            wrong: Vec::new(),
        }
    }

    /// Puts the skills of user `number` there, as another tool would.
    pub(super) fn plant(memory: &MemoryStore, number: usize) {
        for skill in 0..SKILLS {
            let folder = format!("{}/skills/group-{}/skill-{skill}", name(number), skill % 3);
            let text =
                format!("---\nname: skill-{skill}\ndescription: Prepares a file of kind {skill}.\n---\n# Steps\n");
            memory.put_raw(&format!("{folder}/SKILL.md"), text);
            memory.put_raw(&format!("{folder}/notes.md"), "A note on how it is done.\n");
        }
        memory.put_raw(&format!("{}/threads/main/log.md", name(number)), END);
    }

    /// Works until it is told to stop.
    pub(super) async fn work(mut self, stop: watch::Receiver<bool>) -> Self {
        // Users do not act in step.
        let pace = self.figures.pace;
        let mut next = Instant::now() + pace.mul_f64(self.random.random());
        while !*stop.borrow() {
            tokio::time::sleep_until(next).await;
            let mut dice = self.random.random_range(0..MIX.iter().map(|(_, share)| share).sum());
            let (deed, _) =
                MIX.into_iter().find(|(_, share)| dice.checked_sub(*share).map(|rest| dice = rest).is_none()).unwrap();
            self.perform(deed).await;
            next = (next + pace).max(Instant::now());
        }
        self
    }

    async fn perform(&mut self, deed: Deed) {
        match deed {
            Deed::Ls => self.ask(deed, "/ls", json!({"path": "/workspace"})).await,
            Deed::Grep => self.ask(deed, "/grep", json!({"pattern": r"looked\s\w+", "path": "/workspace"})).await,
            Deed::Glob => self.ask(deed, "/glob", json!({"pattern": "**/*.{md,txt}", "path": "/workspace"})).await,
            Deed::Discover => self.ask(deed, "/discover_skills", json!({"query": "prepare a file of kind 3"})).await,
            Deed::Load => {
                let skill = self.random.random_range(0..SKILLS);
                self.ask(deed, "/load_skill", json!({"skill": format!("group-{}/skill-{skill}", skill % 3)})).await;
            }
            Deed::Prompt => drop(self.call(deed, Method::GET, "/prompt", None).await),
            Deed::Read | Deed::Download => self.look(deed).await,
            Deed::Write | Deed::Upload => self.replace(deed).await,
            Deed::Edit => self.append().await,
        }
    }

    async fn ask(&mut self, deed: Deed, rest: &str, body: Value) {
        self.call(deed, Method::POST, rest, Some(body.to_string().into())).await;
    }

    /// Compares a file with what is known of it.
    async fn look(&mut self, deed: Deed) {
        let number = self.random.random_range(0..if deed == Deed::Read { TEXTS } else { TEXTS + BLOBS });
        let text = if deed == Deed::Read {
            let body = json!({"file_path": format!("/workspace/{}", file(number))}).to_string();
            let answer = self.call(deed, Method::POST, "/read", Some(body.into())).await;
            answer.map(|answer| (answer.status, answer.json()["content"].as_str().unwrap_or_default().to_owned()))
        } else {
            let answer = self.call(deed, Method::GET, &format!("/files/workspace/{}", file(number)), None).await;
            answer.map(|answer| (answer.status, String::from_utf8_lossy(&answer.bytes).into_owned()))
        };
        let found = match text {
            Some((200, text)) => Some(text),
            Some((404, _)) => None,
            _ => return,
        };
        if let Err(wrong) = self.check(number, found.as_deref()) {
            self.wrong.push(wrong);
        }
    }

    async fn replace(&mut self, deed: Deed) {
        self.revision += 1;
        let revision = self.revision;
        let number = self.random.random_range(if deed == Deed::Write { 0..TEXTS } else { TEXTS..TEXTS + BLOBS });
        let content = content(number, revision);
        let answer = if deed == Deed::Write {
            let body =
                json!({"file_path": format!("/workspace/{}", file(number)), "content": content, "overwrite": true});
            self.call(deed, Method::POST, "/write", Some(body.to_string().into())).await
        } else {
            self.call(deed, Method::PUT, &format!("/files/workspace/{}", file(number)), Some(content.into())).await
        };
        let known = &mut self.files[number];
        match answer.map_or(Fate::InDoubt, |answer| answer.fate()) {
            Fate::Acknowledged => *known = Known { acknowledged: Some(revision), in_doubt: Vec::new() },
            Fate::InDoubt => known.in_doubt.push(revision),
            Fate::NotApplied => {}
        }
    }

    async fn append(&mut self) {
        let line = format!("line {}", self.lines.len());
        let (old, new) = (END, format!("{line};\n{END}"));
        let body = json!({"file_path": "/workspace/log.md", "old_string": old, "new_string": new}).to_string();
        let answer = self.call(Deed::Edit, Method::POST, "/edit", Some(body.into())).await;
        self.lines.insert(line, answer.map_or(Fate::InDoubt, |answer| answer.fate()));
    }

    /// One request; none where no whole answer came.
    async fn call(&mut self, deed: Deed, method: Method, rest: &str, body: Option<Bytes>) -> Option<Answer> {
        let about_skills = matches!(deed, Deed::Load | Deed::Prompt | Deed::Discover);
        let replica = if about_skills { 0 } else { self.random.random_range(0..self.replicas.len()) };
        let url = format!("{}/v1/users/{}/sessions/main{rest}", self.replicas[replica], self.name);
        let kind = if method == Method::POST { "application/json" } else { "application/octet-stream" };
        let mut request = self.client.request(method, url).bearer_auth(&self.key);
        if let Some(body) = body {
            request = request.header("content-type", kind).body(body);
        }
        let (phase, begun) = (self.figures.phase(), Instant::now());
        let answer = async {
            let response = request.send().await.ok()?;
            Some(Answer { status: response.status().as_u16(), bytes: response.bytes().await.ok()? })
        };
        let answer = answer.await;
        let refusal = answer.as_ref().map_or_else(|| Some("no_answer".to_owned()), Answer::refusal);
        // A file that was never written is rightly not there.
        let refusal = refusal.filter(|code| code != "file_not_found");
        self.figures.record(phase, deed, begun, refusal.as_deref());
        answer
    }

    /// Whether this may be the content of a file.
    fn check(&self, number: usize, found: Option<&str>) -> Result<(), String> {
        let known = &self.files[number];
        let revision = found.and_then(|text| text.split(['\n', ' ']).nth(1)?.parse().ok());
        let is_whole = found.is_none_or(|text| revision.is_some_and(|revision| text == content(number, revision)));
        let is_known = revision == known.acknowledged || revision.is_some_and(|found| known.in_doubt.contains(&found));
        if is_whole && is_known {
            return Ok(());
        }
        let (acknowledged, in_doubt) = (known.acknowledged, &known.in_doubt);
        let (name, file) = (&self.name, file(number));
        Err(format!("{name} {file}: found {revision:?}, acknowledged {acknowledged:?}, in doubt {in_doubt:?}"))
    }

    /// Compares all that was said of changes with what is in the store.
    pub(super) async fn verify(&mut self, memory: &MemoryStore, verdict: &mut Verdict) {
        for number in 0..self.files.len() {
            let found = self.stored(memory, &file(number)).await;
            verdict.lost.extend(self.check(number, found.as_deref()).err());
        }
        let log = self.stored(memory, "log.md").await.unwrap_or_default();
        for (line, fate) in &self.lines {
            let times = log.matches(&format!("{line};")).count();
            let told = format!("{} log.md {line}: {fate:?}, there {times} times", self.name);
            match (fate, times) {
                (Fate::Acknowledged, 0) => verdict.lost.push(told),
                (Fate::NotApplied, 1..) => verdict.wrong.push(told),
                (_, 2..) => verdict.doubled.push(told),
                _ => {}
            }
            verdict.acknowledged += u64::from(*fate == Fate::Acknowledged);
            verdict.in_doubt += u64::from(*fate == Fate::InDoubt);
        }
        verdict.wrong.append(&mut self.wrong);
    }

    async fn stored(&self, memory: &MemoryStore, file: &str) -> Option<String> {
        let key = KeyPrefix::all().key(&format!("{}/threads/main/{file}", self.name)).unwrap();
        let object = memory.get(&key, GetOptions::default()).await.ok()?;
        Some(String::from_utf8_lossy(&object.bytes).into_owned())
    }
}

/// What user `number` is called.
pub(super) fn name(number: usize) -> String {
    format!("user-{number}")
}

fn file(number: usize) -> String {
    if number < TEXTS { format!("{number}.md") } else { format!("{number}.bin") }
}

/// What a file holds in a revision, which its first line names.
fn content(number: usize, revision: u64) -> String {
    let lines = if number < TEXTS { revision % 50 } else { 2000 + revision % 1000 };
    let lines = usize::try_from(lines).unwrap();
    format!("revision {revision} of {number}\n{}", "some text that is looked through\n".repeat(lines))
}
