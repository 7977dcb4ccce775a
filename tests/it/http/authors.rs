//! What authors do through a server: the same as on a store, and never at the cost of one another.

use std::{
    collections::BTreeSet,
    sync::atomic::{AtomicUsize, Ordering},
};

use proptest::{
    prelude::*,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};
use serde_json::json;
use skillmount::{
    Code,
    access::{Callers, KeyEntry, Keys, Scope},
    client::{
        RemoteBackend,
        sync::{PullHow, PullOptions, PushOptions, PushStatus, SkillText, pull_skill, push_skill},
    },
    clock::SystemClock,
    handle::StoreRepository,
    http::HttpConfig,
    path::{Id, SkillPath},
    wire::{Condition, LintListRequest, SkillRepository, VersionListRequest},
};

use super::{Answer, Server};
use crate::support::{
    draft::Draft,
    world::{id, soak},
};

const MAIN: &str = "---\nname: demo\ndescription: Shows how. Use it to show.\n---\nBody\n";

fn remote(server: &Server, key: Option<&str>) -> RemoteBackend {
    RemoteBackend::new(&server.base, id("u1"), id("s1"), key.map(str::to_owned)).unwrap()
}

fn demo() -> SkillPath {
    SkillPath::parse("a/demo").unwrap()
}

/// What an author does next.
#[derive(Clone, Copy, Debug)]
enum Step {
    Pull,
    /// Pulls, and joins what both changed.
    Merge,
    /// Adds a line: in which file, and at which place.
    Edit(u8, u8),
    Push,
    /// Both push, at the same time.
    PushBoth,
}

fn steps() -> impl Strategy<Value = Vec<(bool, Step)>> {
    let step = prop_oneof![
        2 => Just(Step::Pull),
        2 => Just(Step::Merge),
        4 => (0..3_u8, 0..8_u8).prop_map(|(file, place)| Step::Edit(file, place)),
        3 => Just(Step::Push),
        2 => Just(Step::PushBoth),
    ];
    prop::collection::vec((any::<bool>(), step), 1..12)
}

/// One author: a folder, the lines that were written in it, and those of them that a push said are saved.
#[derive(Default)]
struct Writer {
    draft: Draft,
    written: Vec<String>,
    saved: BTreeSet<String>,
}

fn lines(draft: &Draft) -> BTreeSet<String> {
    let texts = draft.files.values().map(|bytes| String::from_utf8(bytes.to_vec()).unwrap());
    texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect()
}

impl Writer {
    /// What a person does with the marks of a merge, which no push takes: both sides stay.
    fn keep_both_sides(&mut self) {
        for bytes in self.draft.files.values_mut() {
            let text = String::from_utf8(bytes.to_vec()).unwrap();
            let is_mark = |line: &&str| ["<<<<<<< mine", "=======", ">>>>>>> theirs"].contains(line);
            let kept: Vec<&str> = text.lines().filter(|line| !is_mark(line)).chain([""]).collect();
            *bytes = kept.join("\n").into();
        }
    }

    async fn take(&mut self, author: &RemoteBackend, step: Step, line: String) {
        let there = async || author.skill_digests(Some(&demo())).await.unwrap().skills.pop().unwrap();
        match step {
            Step::Pull | Step::Merge => {
                let how = if matches!(step, Step::Merge) { PullHow::Merge } else { PullHow::Careful };
                let options = PullOptions { how, ..PullOptions::default() };
                pull_skill(author, &there().await, &mut self.draft, &options).await.unwrap().unwrap();
                let now = lines(&self.draft);
                assert!(self.written.iter().all(|line| now.contains(line)), "a pull lost what was written here");
                self.keep_both_sides();
            }
            Step::Edit(file, place) => {
                let path = ["SKILL.md", "one.md", "two.md"][usize::from(file)];
                let text = self.draft.text(path).to_owned();
                let mut lines: Vec<&str> = text.lines().collect();
                // The frontmatter stays what it is.
                let from = if path == "SKILL.md" { 4.min(lines.len()) } else { 0 };
                lines.insert((from + usize::from(place)).min(lines.len()), &line);
                if path != "SKILL.md" || from == 4 {
                    let text = lines.join("\n") + "\n";
                    self.draft.set(path, &text);
                    self.written.push(line);
                }
            }
            Step::Push | Step::PushBoth => drop(self.push(author).await),
        }
    }

    /// Pushes what there is, and notes what is said to be saved. Returns `None` if there is nothing to push.
    async fn push(&mut self, author: &RemoteBackend) -> Option<PushStatus> {
        if !self.draft.files.contains_key("SKILL.md") {
            return None;
        }
        let there = author.skill_digests(Some(&demo())).await.unwrap().skills.pop().unwrap();
        let pushed = push_skill(author, &demo(), &mut self.draft, Some(&there), &PushOptions::default()).await;
        let status = pushed.unwrap().status;
        if status != PushStatus::Conflict {
            self.saved.extend(self.written.iter().cloned());
        }
        Some(status)
    }
}

// S-AUTHOR-16: A skill that another author deleted stays deleted in the same way.
#[tokio::test]
async fn what_another_author_deleted_stays_deleted_until_it_is_pushed_by_force() {
    let server = Server::start().await;
    let author = remote(&server, None);
    let mut draft = Draft::new(&[("SKILL.md", MAIN)]);
    let push = async |draft: &mut Draft, force: bool, dry_run: bool| {
        let there = author.skill_digests(Some(&demo())).await.unwrap().skills.pop();
        let options = PushOptions { force, dry_run, ..PushOptions::default() };
        push_skill(&author, &demo(), draft, there.as_ref(), &options).await.unwrap().status
    };
    assert_eq!(push(&mut draft, false, false).await, PushStatus::New);
    let local = StoreRepository::new(server.service.clone(), id("u1"));
    local.delete_skill(&demo(), None).await.unwrap();
    for edited in [false, true] {
        if edited {
            draft.set("one.md", "1\n");
        }
        assert_eq!(push(&mut draft, false, true).await, PushStatus::Conflict, "{edited}");
        assert_eq!(push(&mut draft, false, false).await, PushStatus::Conflict, "{edited}");
    }
    assert!(author.skill_digests(None).await.unwrap().skills.is_empty(), "it stays deleted");
    assert_eq!(push(&mut draft, true, false).await, PushStatus::New);
    // A folder that comes from another store is new here.
    let other = Server::start().await;
    let author = remote(&other, None);
    let pushed = push_skill(&author, &demo(), &mut draft, None, &PushOptions::default()).await.unwrap();
    assert_eq!(pushed.status, PushStatus::New);
}

// S-AUTHOR-7: A push publishes over the version that its folder comes from, and over no other.
#[tokio::test]
async fn a_push_over_a_draft_says_that_it_is_one_on_a_store_and_through_a_server() {
    let server = Server::start().await;
    let text = json!({"description": "Folds paper into cranes.", "body": "# The draft\n"});
    let url = server.user(&format!("/skills/{}?state=draft", demo()));
    Answer::of(server.client.put(url).json(&text).send().await.unwrap()).await.is(201);
    let local = StoreRepository::new(server.service.clone(), id("u1"));
    let through: [&dyn SkillRepository; 2] = [&local, &remote(&server, None)];
    for author in through {
        let mut draft = Draft::new(&[("SKILL.md", MAIN)]);
        let pushed = push_skill(author, &demo(), &mut draft, None, &PushOptions::default()).await.unwrap_err();
        assert_eq!(pushed.code(), Code::VersionConflict);
        assert!(pushed.message().contains("is a draft, whose place a push would take"), "{pushed}");
    }
}

// S-AUTHOR-7: A push publishes over the version that its folder comes from, and over no other.
#[test]
fn two_authors_never_lose_a_line_that_either_was_told_is_saved() {
    let cases = CASES * soak().min(5);
    let races = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for lane in 0..LANES {
            let races = &races;
            scope.spawn(move || play_cases(cases / LANES, lane, races));
        }
    });
    let races = races.into_inner();
    println!("{cases} interleavings, and {races} races of two pushes that one author won");
    assert!(races > 0, "no two pushes met");
}

/// Interleavings, and the threads that play them.
const CASES: u32 = 1_000;
const LANES: u32 = 2;

fn play_cases(cases: u32, lane: u32, races: &AtomicUsize) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let server = runtime.block_on(Server::start());
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let seed = [7 + u8::try_from(lane).unwrap(); 32];
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &seed));
    let played = AtomicUsize::new(0);
    let result = runner.run(&steps(), |steps| {
        // Each has a user of its own.
        let user = id(&format!("u{}", played.fetch_add(1, Ordering::Relaxed)));
        races.fetch_add(runtime.block_on(play(&server, &user, &steps)), Ordering::Relaxed);
        Ok(())
    });
    result.unwrap();
}

/// Plays `steps`, and returns how many races of two pushes one author won.
async fn play(server: &Server, user: &Id, steps: &[(bool, Step)]) -> usize {
    let author = RemoteBackend::new(&server.base, user.clone(), id("s1"), None).unwrap();
    let first = [("SKILL.md", MAIN), ("one.md", "1\n2\n"), ("two.md", "1\n")];
    push_skill(&author, &demo(), &mut Draft::new(&first), None, &PushOptions::default()).await.unwrap();
    let mut writers = [Writer::default(), Writer::default()];
    let mut races = 0;
    for (number, (who, step)) in steps.iter().enumerate() {
        match step {
            Step::PushBoth => {
                let [one, two] = &mut writers;
                let of_one_version = one.draft.known.is_some() && one.draft.known == two.draft.known;
                let pushed = tokio::join!(one.push(&author), two.push(&author));
                let saved = |status| matches!(status, Some(PushStatus::New | PushStatus::Changed));
                let lost = |status| status == Some(PushStatus::Conflict);
                let one_won = saved(pushed.0) && lost(pushed.1) || saved(pushed.1) && lost(pushed.0);
                races += usize::from(of_one_version && one_won);
            }
            _ => writers[usize::from(*who)].take(&author, *step, format!("line {number}")).await,
        }
        if !matches!(step, Step::Push | Step::PushBoth) {
            continue;
        }
        let local = StoreRepository::new(server.service.clone(), user.clone());
        let files = SkillText::get(&local, &demo(), None).await.unwrap().unwrap().files;
        let now = lines(&Draft { files, ..Draft::default() });
        for saved in writers.iter().flat_map(|writer| &writer.saved) {
            assert!(now.contains(saved), "{saved} is lost after step {number} of {steps:?}");
        }
    }
    races
}

// S-AUTHOR-4: `push` of N unchanged skills is the LIST requests of the user's skills and N GET, of their heads.
#[tokio::test]
async fn what_is_unchanged_is_known_from_one_listing() {
    let server = Server::start().await;
    let author = remote(&server, None);
    let mut drafts = Vec::new();
    for number in 0..130 {
        let skill = SkillPath::parse(&format!("c{}/s{number:03}", number % 7)).unwrap();
        let text = format!("---\nname: s{number:03}\ndescription: Shows how. Use it to show.\n---\n{number}\n");
        let mut draft = Draft::new(&[("SKILL.md", &text), ("a.md", "a\n")]);
        push_skill(&author, &skill, &mut draft, None, &PushOptions::default()).await.unwrap();
        drafts.push((skill, draft));
    }
    let counted = || async {
        let metrics = server.client.get(format!("{}/metrics", server.base)).send().await.unwrap().text().await.unwrap();
        let requests = metrics.lines().filter(|line| line.starts_with("skillmount_http_requests_total{"));
        requests.map(|line| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap()).sum::<u64>()
    };
    let before = counted().await;
    let known = author.skill_digests(None).await.unwrap();
    for (skill, draft) in &mut drafts {
        let pushed = push_skill(&author, skill, draft, known.find(skill), &PushOptions::default()).await.unwrap();
        assert_eq!(pushed.status, PushStatus::Unchanged, "{skill}");
    }
    // One of them is for the count itself.
    let requests = counted().await - before - 1;
    assert!((1..=2).contains(&requests), "{requests} requests");
}

// S-AUTHOR-9: Through a server authors have the same commands as on a store, with a key of the user.
#[tokio::test]
async fn authors_have_through_a_server_what_they_have_on_a_store() {
    let server = Server::with_skills().await;
    let author = remote(&server, None);
    let known = author.skill_digests(None).await.unwrap();
    let names: Vec<_> = known.skills.iter().map(|one| one.skill.as_str()).collect();
    assert_eq!(names, ["contratos/arrendamiento", "escrituras/compraventa", "roto"], "broken ones too");
    let skill = SkillPath::parse("escrituras/compraventa").unwrap();
    let now = author.skill_zip(&skill, None).await.unwrap();
    let version = SkillText::get(&author, &skill, None).await.unwrap().unwrap().version.digest().to_owned();
    let local = StoreRepository::new(server.service.clone(), id("u1"));
    assert_eq!(version, SkillText::get(&local, &skill, None).await.unwrap().unwrap().version.digest());
    assert_eq!(now.digest, None, "it was never published");

    let mut draft = Draft::default();
    let there = known.find(&skill).unwrap();
    pull_skill(&author, there, &mut draft, &PullOptions::default()).await.unwrap();
    draft.set("resources/ejemplo.md", "otro\n");
    let there = author.skill_digests(Some(&skill)).await.unwrap().skills.pop();
    let pushed = push_skill(&author, &skill, &mut draft, there.as_ref(), &PushOptions::default()).await.unwrap();
    assert_eq!(pushed.changes.updated, ["resources/ejemplo.md"]);
    let files = draft.files.clone().into_iter().collect();
    let twice = author.publish_skill(&skill, files, None, Condition::Nothing).await;
    assert_eq!(twice.unwrap_err().code(), Code::VersionConflict);

    let versions = author.list_versions(&skill, &VersionListRequest::default()).await.unwrap();
    assert_eq!((versions.versions.len(), &versions.current), (2, &pushed.digest));
    author.roll_back_skill(&skill, &version).await.unwrap();
    let stale = author.delete_skill(&skill, pushed.digest).await.unwrap_err();
    assert_eq!(stale.code(), Code::VersionConflict);
    author.delete_skill(&skill, Some(version.clone())).await.unwrap();
    assert_eq!(author.skill_zip(&skill, None).await.unwrap_err().code(), Code::SkillNotFound);
    assert_eq!(author.skill_zip(&skill, Some(&version)).await.unwrap().digest, Some(version));

    let linted = author.lint_skills(&LintListRequest::default()).await.unwrap().skills;
    assert!(linted.iter().any(|one| one.skill == "roto" && one.errors_only().is_some()));
    assert_eq!(author.catalog_status().await.unwrap().skills, 1);
    assert_eq!(author.rebuild_catalog().await.unwrap().errors, 1);
    assert_eq!(author.collect_garbage().await.unwrap().removed, 0);
}

// S-AUTHOR-22: An agent's key reads no whole skill that policy hides, and none whose load needs an approval.
#[tokio::test]
async fn an_agents_key_reads_what_its_policy_shows_and_changes_nothing() {
    let (agent, entry) = KeyEntry::generate(&SystemClock::new(), Some(&Id::parse("u1").unwrap()), vec![Scope::Agent]);
    let keys = Keys::from_toml(&entry.to_toml().unwrap()).unwrap();
    let callers = Callers { keys, ..Callers::default() };
    let server = Server::with(HttpConfig { callers, ..HttpConfig::default() }).await;
    for skill in ["open", "asked", "hidden"] {
        server.memory.put_raw(&format!("u1/skills/{skill}/SKILL.md"), MAIN);
    }
    let policy = serde_json::from_value(json!({"skills": {"asked": "enabled", "hidden": "disabled"}})).unwrap();
    server.service.sessions().set_user_policy(&id("u1"), policy).await.unwrap();
    let author = remote(&server, Some(&agent));
    let archive = async |skill: &str| author.skill_zip(&SkillPath::parse(skill).unwrap(), None).await;
    assert!(archive("open").await.is_ok());
    assert_eq!(archive("asked").await.unwrap_err().code(), Code::ApprovalRequired);
    assert_eq!(archive("hidden").await.unwrap_err().code(), Code::SkillNotFound);
    let linted = author.lint_skills(&LintListRequest::default()).await.unwrap().skills;
    assert_eq!(linted.iter().map(|one| one.skill.as_str()).collect::<Vec<_>>(), ["asked", "open"]);
    assert_eq!(author.rebuild_catalog().await.unwrap_err().code(), Code::Denied);
    assert_eq!(author.collect_garbage().await.unwrap_err().code(), Code::Denied);
    assert_eq!(author.delete_skill(&demo(), None).await.unwrap_err().code(), Code::Denied);
}

#[tokio::test]
async fn a_condition_that_says_nothing_or_contradicts_itself_is_refused() {
    let server = Server::with_skills().await;
    let digest = format!("\"sha256:{}\"", "0".repeat(64));
    for (new, only) in [("\"x\"", None), ("*", Some(digest.as_str()))] {
        let put = server.client.put(server.user("/skills/a/demo")).header("if-none-match", new);
        let put = only.into_iter().fold(put, |put, only| put.header("if-match", only));
        let put = put.json(&json!({"description": "Shows how.", "body": "Body"}));
        Answer::of(put.send().await.unwrap()).await.is_problem(400, "invalid_request");
    }
}
