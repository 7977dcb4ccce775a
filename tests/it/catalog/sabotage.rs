//! Catalogs while a saboteur is at their indexes: it does what it is there for, and no answer ever shows it.
//!
//! The whole suite passes with it as well, see `support/saboteur.rs`; here it has hundreds of steps in one bucket.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use jiff::Timestamp;
use rand::{RngExt, SeedableRng, rngs::StdRng};
use skillmount::{
    catalog::CatalogView,
    clock::Clock,
    handle::{ServiceOptions, SessionBackend},
    limits::CATALOG_STALE,
    path::KeyPrefix,
    prompt::{self},
    store::{DeleteOptions, GetOptions, MemoryStore, Store, StoreExt, Verb},
    wire::{BackendProtocol, DiscoverRequest, PromptRequest},
};
use tempfile::TempDir;
use tokio::time::sleep;

use crate::support::{
    Wall,
    folder_saboteur::FolderSaboteur,
    sabotage::indexes_are_sabotaged,
    saboteur::{BUNDLES, Deed, INDEX, Saboteur},
    world::{World, seed, soak},
};

const STEPS: u32 = 400;
const PROCESSES: usize = 3;
const SKILLS: [&str; 8] = ["a/venta", "a/hipoteca", "a/b/arras", "b/venta", "b/acta", "poder", "resumen", "a/b"];
const WORDS: [&str; 6] = ["vivienda", "hipoteca", "escritura", "contract", "summary", "poderes"];

/// What a process says of the catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Answers {
    catalog: String,
    found: String,
    prompt: String,
}

/// One bucket, what is true of it and since when, and processes that are asked.
struct Scene {
    bucket: Arc<MemoryStore>,
    saboteur: Arc<Saboteur>,
    clock: Arc<Wall>,
    random: StdRng,
    files: BTreeMap<String, String>,
    truths: Vec<(Timestamp, Answers)>,
    processes: Vec<World>,
    /// Answers given on the word of an index alone, and answers that were not the newest truth.
    believed: u32,
    outdated: u32,
}

impl Scene {
    async fn new() -> Self {
        let (bucket, clock) = (Arc::new(MemoryStore::new()), Arc::new(Wall::new()));
        let saboteur = Arc::new(Saboteur::new(bucket.clone(), clock.clone()));
        let random = StdRng::seed_from_u64(seed());
        let (files, truths, processes) = Default::default();
        let mut scene = Self { bucket, saboteur, clock, random, files, truths, processes, believed: 0, outdated: 0 };
        scene.note_the_truth().await;
        scene.processes = (0..PROCESSES).map(|_| scene.process()).collect();
        scene
    }

    /// A process that knows nothing yet, keeps indexes, and works above the saboteur.
    fn process(&self) -> World {
        let options = ServiceOptions { index: true, ..ServiceOptions::default() };
        World::undisturbed(self.saboteur.clone(), options, self.clock.clone())
    }

    async fn step(&mut self) {
        // Something happens between any two changes, and background work gets its turn.
        sleep(Duration::from_millis(self.random.random_range(1..50))).await;
        let process = self.random.random_range(0..PROCESSES);
        match self.random.random_range(0..10) {
            0..4 => self.change().await,
            4 => sleep(Duration::from_millis(self.random.random_range(0..45_000))).await,
            5..7 => {
                self.processes[process] = self.process();
                if self.random.random_ratio(1, 3) {
                    self.ask_freshly(process).await;
                } else {
                    self.ask(process).await;
                }
            }
            7 => self.ask(process).await,
            _ => self.ask_freshly(process).await,
        }
    }

    /// Somebody puts, changes or removes a file of a skill.
    async fn change(&mut self) {
        let skill = SKILLS[self.random.random_range(0..SKILLS.len())];
        let word = WORDS[self.random.random_range(0..WORDS.len())];
        let number: u32 = self.random.random();
        let (file, text) = match self.random.random_range(0..8) {
            0..4 => ("SKILL.md", Some(format!("---\ndescription: About {word} {number}.\n---\n# {word}\n"))),
            4 => ("SKILL.md", Some(format!("neither frontmatter nor {word} {number}\n"))),
            5 => ("more.md", Some(format!("{number}\n"))),
            6 => ("more.md", None),
            _ => ("SKILL.md", None),
        };
        let key = format!("demo/skills/{skill}/{file}");
        if let Some(text) = text {
            self.bucket.put_raw(&key, text.clone());
            self.files.insert(key, text);
        } else {
            let object = KeyPrefix::all().key(&key).unwrap();
            self.bucket.delete(&object, DeleteOptions::default()).await.unwrap();
            self.files.remove(&key);
        }
        self.note_the_truth().await;
    }

    /// What a process that keeps no index and has read everything just now says.
    async fn note_the_truth(&mut self) {
        let plain = World::undisturbed(self.bucket.clone(), ServiceOptions::default(), self.clock.clone());
        let view = plain.agent().catalog(true).await.unwrap();
        let truth = rest(&plain.agent(), &view).await;
        self.truths.push((view.as_of, truth));
    }

    /// What was true from `begin` to `end`.
    fn truths(&self, begin: Timestamp, end: Timestamp) -> &[(Timestamp, Answers)] {
        let first = self.truths.partition_point(|(since, _)| *since <= begin).saturating_sub(1);
        let last = self.truths.partition_point(|(since, _)| *since <= end);
        &self.truths[first..last]
    }

    /// The process looks itself, so what it says is what is true now; and it says so again.
    async fn ask_freshly(&mut self, process: usize) {
        let agent = self.processes[process].agent();
        let truth = &self.truths.last().unwrap().1;
        let view = agent.catalog(true).await.unwrap();
        assert_eq!(&rest(&agent, &view).await, truth);
        let again = agent.catalog(false).await.unwrap();
        assert_eq!(&rest(&agent, &again).await, truth);
    }

    /// The process may say what was true a while ago, but then it says when that was. While it answers it may learn more.
    async fn ask(&mut self, process: usize) {
        let world = &self.processes[process];
        let (knows_nothing, asked) = (world.ledger.asked().is_empty(), world.ledger.asked().len());
        let agent = world.agent();
        let view = agent.catalog(false).await.unwrap();
        let listed = world.ledger.asked().split_off(asked).iter().any(|(verb, _)| *verb == Verb::List);
        let answers = rest(&agent, &view).await;
        let then = agent.catalog(false).await.unwrap().as_of;

        let age = self.clock.now().duration_since(view.as_of).unsigned_abs();
        assert!(age < CATALOG_STALE, "{age:?} old");
        assert_eq!(answers.catalog, self.truths(view.as_of, view.as_of)[0].1.catalog, "as of {}", view.as_of);
        let meanwhile = self.truths(view.as_of, then);
        assert!(meanwhile.iter().any(|(_, truth)| truth.found == answers.found), "{}", answers.found);
        assert!(meanwhile.iter().any(|(_, truth)| truth.prompt == answers.prompt), "{}", answers.prompt);
        self.believed += u32::from(knows_nothing && !listed);
        self.outdated += u32::from(answers.catalog != self.truths.last().unwrap().1.catalog);
    }

    /// Whatever was done to indexes, no other object but the sessions' own was touched.
    async fn compare_files(&self) {
        let (listed, _) = self.bucket.list_all(&KeyPrefix::all(), 10_000).await.unwrap();
        let keys: BTreeSet<_> = listed.into_iter().map(|entry| entry.key).collect();
        let of_skills = keys.iter().filter(|key| key.starts_with("demo/skills/"));
        assert_eq!(of_skills.collect::<Vec<_>>(), self.files.keys().collect::<Vec<_>>());
        for (key, text) in &self.files {
            let key = KeyPrefix::all().key(key).unwrap();
            assert_eq!(self.bucket.get(&key, GetOptions::default()).await.unwrap().bytes, text.as_bytes());
        }
    }
}

/// What `agent` says beside `view`, which it gave.
async fn rest(agent: &SessionBackend, view: &CatalogView) -> Answers {
    let catalog = format!("{:#?} {:#?} {}", view.entries, view.diagnostics, view.unnameable_keys);
    let mut found = String::new();
    for word in WORDS {
        let request = DiscoverRequest::new(word);
        writeln!(found, "{:#?}", agent.discover_skills(request).await.unwrap()).unwrap();
    }
    let prompt = prompt::for_session(agent, &PromptRequest::default()).await.unwrap().prompt;
    Answers { catalog, found, prompt }
}

#[tokio::test(start_paused = true)]
async fn whatever_becomes_of_an_index_answers_are_those_of_a_process_without_one() {
    let mut scene = Scene::new().await;
    for _ in 0..STEPS * soak() {
        scene.step().await;
    }
    scene.compare_files().await;

    let (done, asked) = (scene.saboteur.done_to(INDEX), scene.saboteur.asked());
    println!("{done:?}, {asked:?}, believed {}, outdated {}", scene.believed, scene.outdated);
    for deed in Deed::ALL {
        assert!(done.get(&deed).is_some_and(|times| *times >= 10), "{deed:?} hardly happened: {done:?}");
    }
    for (verb, least) in [(Verb::Get, 50), (Verb::Put, 50)] {
        assert!(asked.get(&verb).is_some_and(|times| *times >= least), "indexes were hardly asked for: {asked:?}");
    }
    assert!(scene.believed >= 3 && scene.outdated >= 3, "believed {}, outdated {}", scene.believed, scene.outdated);
}

#[tokio::test]
async fn services_under_test_keep_indexes_in_a_run_that_sabotages_them_and_in_no_other() {
    let world = World::new();
    world.put_skill("demo", "venta", "Vende.", "x").await;
    world.agent().catalog(false).await.unwrap();
    let asked = world.ledger.asked().iter().any(|(_, key)| key.ends_with(INDEX));
    assert_eq!(asked, indexes_are_sabotaged());
}

#[tokio::test]
async fn a_saboteur_in_a_folder_damages_every_index_and_bundle_there_in_every_way_and_nothing_else() {
    let folder = TempDir::new().unwrap();
    let indexes = ["me", "_org", "_teams/notaries"].map(|owner| folder.path().join(owner).join(INDEX));
    let bundle = folder.path().join(format!("me{BUNDLES}a/venta/1.zip"));
    let indexes = [&indexes[..], &[bundle]].concat();
    let skill = folder.path().join("me/skills/venta/SKILL.md");
    for file in indexes.iter().chain([&skill]) {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
    }
    fs::write(&skill, "a skill").unwrap();
    let saboteur = FolderSaboteur::begin(folder.path().to_owned());
    let mut met = BTreeSet::new();
    let text = |round: u32| format!("{{\"schema\":{round}}}\nand what follows");
    for round in 0..20_000 {
        for index in &indexes {
            fs::write(index, text(round)).unwrap();
        }
        sleep(Duration::from_millis(20)).await;
        let is_damaged = |index: &&PathBuf| !fs::read(index).is_ok_and(|left| left == text(round).as_bytes());
        met.extend(indexes.iter().filter(is_damaged));
        if met.len() == indexes.len() && Deed::ALL.iter().all(|deed| saboteur.done().contains_key(deed)) {
            assert_eq!(fs::read(&skill).unwrap(), b"a skill");
            return;
        }
    }
    panic!("damaged {met:?}, and did {:?}", saboteur.done());
}
