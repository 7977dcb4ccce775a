//! Requests to the store per operation, in a session that does a little of everything.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use crate::{fill, id, service, verdict};
use jiff::Timestamp;
use rand::{RngExt, SeedableRng, rngs::StdRng, seq::SliceRandom};
use skillmount::{
    clock::{Clock, SystemClock},
    handle::{Service, SessionBackend},
    prompt::for_session,
    store::{MemoryStore, SharedStore},
    wire::{
        BackendProtocol, EditRequest, GlobRequest, GrepOutput, GrepRequest, LoadSkillRequest, LsRequest, PromptRequest,
        ReadRequest, WriteRequest,
    },
};

/// Operations of each kind in a hundred.
const MIX: [(Kind, usize); 8] = [
    (Kind::Read, 40),
    (Kind::Grep, 20),
    (Kind::Ls, 15),
    (Kind::Glob, 10),
    (Kind::Write, 5),
    (Kind::Edit, 5),
    (Kind::Load, 4),
    (Kind::Start, 1),
];
const HUNDREDS: usize = 10;
/// Between two operations, as agents work: what is trusted for a while does grow old.
const PAUSE: Duration = Duration::from_secs(2);
const GOAL: f64 = 0.2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Read,
    Grep,
    Ls,
    Glob,
    Write,
    Edit,
    Load,
    Start,
}

/// A clock that goes on by [`PAUSE`] with every operation.
#[derive(Debug, Default)]
struct Paced {
    operations: AtomicU64,
    machine: SystemClock,
}

impl Clock for Paced {
    fn now(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH + self.uptime()
    }

    fn uptime(&self) -> Duration {
        PAUSE * u32::try_from(self.operations.load(Ordering::Relaxed)).unwrap()
    }

    fn random(&self) -> u128 {
        self.machine.random()
    }
}

/// The session and what its files hold.
struct Stage {
    service: Service,
    agent: SessionBackend,
    random: StdRng,
    revisions: Vec<u64>,
    starts: u64,
}

pub(crate) async fn session() {
    println!("requests per operation of a mixed session over 100 files and 100 skills, nothing known before");
    let bucket: SharedStore = Arc::new(MemoryStore::new());
    fill(&bucket).await;
    let clock = Arc::new(Paced::default());
    let (service, ledger) = service(bucket, clock.clone());
    let agent = service.session(id("demo"), id("s"));
    let random = StdRng::seed_from_u64(1);
    let mut stage = Stage { service, agent, random, revisions: vec![0; 100], starts: 0 };
    let mut order: Vec<_> = MIX.iter().flat_map(|(kind, share)| vec![*kind; share * HUNDREDS]).collect();
    order.shuffle(&mut stage.random);
    let mut spent = Vec::new();
    for kind in order {
        clock.operations.fetch_add(1, Ordering::Relaxed);
        let before = ledger.counts();
        stage.perform(kind).await;
        let counts = ledger.counts() - before;
        spent.push((kind, counts.objects.requests.total(), counts.sessions.requests.total()));
    }
    for (kind, share) in MIX {
        let own: Vec<_> = spent.iter().filter(|(done, ..)| *done == kind).copied().collect();
        let (objects, sessions) = per_operation(&own);
        println!("  {share:>2} % {:<5} {objects:>5.2} and {sessions:.2} for sessions", format!("{kind:?}"));
    }
    let (objects, sessions) = per_operation(&spent);
    let all = objects + sessions;
    println!(
        "  together {all:.2}, of which {sessions:.2} for sessions (goal: at most {GOAL}): {}",
        verdict(all <= GOAL)
    );
    // One that is refused would have ended the benchmark.
    println!("  refused by budgets: 0 of {} operations", spent.len());
}

fn per_operation(spent: &[(Kind, u64, u64)]) -> (f64, f64) {
    let many = spent.len() as f64;
    let objects: u64 = spent.iter().map(|(_, objects, _)| objects).sum();
    let sessions: u64 = spent.iter().map(|(.., sessions)| sessions).sum();
    (objects as f64 / many, sessions as f64 / many)
}

/// What a file holds in its revision `revision`.
pub(crate) fn text(revision: u64) -> String {
    format!("revision {revision};\n{}a needle\n", "some text that is looked through\n".repeat(50))
}

impl Stage {
    async fn perform(&mut self, kind: Kind) {
        let number = self.random.random_range(0..self.revisions.len());
        let file_path = format!("/workspace/{number:02}.md");
        let revision = self.revisions[number];
        match kind {
            Kind::Read => {
                let read = self.agent.read(ReadRequest { file_path, offset: 0, limit: 2000 }).await.unwrap();
                assert_eq!(read.content, text(revision));
            }
            Kind::Grep => assert_eq!(self.agent.grep(grep()).await.unwrap().files.unwrap().len(), 100),
            Kind::Ls => {
                assert_eq!(self.agent.ls(LsRequest { path: "/workspace".into() }).await.unwrap().entries.len(), 100);
            }
            Kind::Glob => {
                let wanted = GlobRequest { pattern: "*.md".into(), path: Some("/workspace".into()) };
                assert_eq!(self.agent.glob(wanted).await.unwrap().matches.len(), 100);
            }
            Kind::Write => {
                self.agent.write(WriteRequest { file_path, content: text(0), overwrite: true }).await.unwrap();
                self.revisions[number] = 0;
            }
            Kind::Edit => {
                let (old, new) = (format!("revision {revision};"), format!("revision {};", revision + 1));
                self.agent.edit(EditRequest::new(file_path, old, new)).await.unwrap();
                self.revisions[number] += 1;
            }
            Kind::Load => {
                // A session has room for 64 skills.
                let skill = format!("group-{}/skill-{:02}", number % 10, number % 50 / 10 * 10 + number % 10);
                self.agent.load_skill(LoadSkillRequest::new(skill)).await.unwrap();
            }
            Kind::Start => self.start().await,
        }
    }

    /// Another conversation of the user begins: its folders and its prompt.
    async fn start(&mut self) {
        self.starts += 1;
        let agent = self.service.session(id("demo"), id(&format!("s{}", self.starts)));
        agent.ls(LsRequest { path: "/".into() }).await.unwrap();
        for_session(&agent, &PromptRequest::default()).await.unwrap();
    }
}

pub(crate) fn grep() -> GrepRequest {
    GrepRequest {
        pattern: "needle".into(),
        path: Some("/workspace".into()),
        glob: None,
        literal: false,
        ignore_case: false,
        context: 0,
        output_mode: GrepOutput::Files,
        max_count: None,
    }
}
