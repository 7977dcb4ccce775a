//! A client that knows what each of its files may hold: one content after an acknowledgement, and one more for a change
//! whose reply never came.

use std::{
    collections::BTreeSet,
    fmt,
    sync::{Arc, atomic::Ordering},
};

use super::{END, Figures, LOG, Life, SKILLS, content, skill_text};
use crate::support::world::{BackendExt, id};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use skillmount::{
    Code, Outcome, Result,
    client::RemoteBackend,
    wire::{BackendProtocol, UnloadSkillRequest},
};

const FILES: usize = 8;

/// A session with files of its own, and lines in the log of all.
pub(super) struct Agent {
    name: String,
    random: StdRng,
    backend: Option<RemoteBackend>,
    files: Vec<Known<Option<String>>>,
    skills: Known<BTreeSet<&'static str>>,
    /// Lines sent to the log in this life, and whether they were acknowledged.
    pub(super) lines: Vec<(String, bool)>,
    written: u64,
}

/// What is known of a value: what was acknowledged last, and what a change that was cut off may have made of it.
struct Known<T> {
    acknowledged: T,
    in_doubt: Option<T>,
}

impl<T: Clone + PartialEq + fmt::Debug> Known<T> {
    fn new(acknowledged: T) -> Self {
        Self { acknowledged, in_doubt: None }
    }

    /// Takes the outcome of a change to `next`.
    fn learn<R>(&mut self, next: T, outcome: Result<R>) -> Result<()> {
        match outcome {
            Ok(_) => self.acknowledged = next,
            Err(error) => {
                if error.outcome() != Some(Outcome::NotApplied) {
                    self.in_doubt = Some(next);
                }
                return Err(error);
            }
        }
        Ok(())
    }

    /// Takes what was found after a restart, which ends the doubt.
    fn settle(&mut self, found: T, figures: &mut Figures) {
        let landed = self.in_doubt.as_ref() == Some(&found);
        assert!(landed || self.acknowledged == found, "found {found:?}, acknowledged {:?}", self.acknowledged);
        figures.in_doubt += u64::from(self.in_doubt.take().is_some());
        figures.landed += u64::from(landed);
        self.acknowledged = found;
    }
}

impl Agent {
    pub(super) fn new(number: u64, seed: u64) -> Self {
        Self {
            name: format!("agent-{number}"),
            random: StdRng::seed_from_u64(seed),
            backend: None,
            files: (0..FILES).map(|_| Known::new(None)).collect(),
            skills: Known::new(BTreeSet::new()),
            lines: Vec::new(),
            written: 0,
        }
    }

    /// Goes on with the server at `url`.
    pub(super) fn meet(&mut self, url: &str) {
        self.backend = Some(RemoteBackend::new(url, id("demo"), id(&self.name), None).unwrap());
    }

    /// Compares files and session with what is known; returns the keys of the files there are.
    pub(super) async fn check(&mut self, figures: &mut Figures) -> Vec<String> {
        let mut keys = Vec::new();
        for number in 0..FILES {
            let path = path(number);
            let found = content::fetch(self.backend(), &path).await;
            if let Some(text) = &found {
                assert!(content::body(text).is_some(), "{path} is half-written: {} bytes", text.len());
                keys.push(content::key(&self.name, &path));
            }
            self.files[number].settle(found, figures);
        }
        let session = self.backend().session().await.unwrap();
        let listed: Vec<_> = session.loaded_skills.iter().map(|loaded| loaded.skill.as_str()).collect();
        let loaded = SKILLS.into_iter().filter(|skill| listed.contains(skill)).collect::<BTreeSet<_>>();
        assert_eq!(loaded.len(), listed.len());
        for skill in SKILLS {
            let text = content::fetch(self.backend(), &format!("/skills/{skill}/SKILL.md")).await;
            assert_eq!(text, loaded.contains(skill).then(|| skill_text(skill)));
        }
        self.skills.settle(loaded, figures);
        keys
    }

    /// Acts until the server is gone.
    pub(super) async fn work(mut self, life: Arc<Life>) -> Self {
        loop {
            let done = match self.random.random_range(0..10) {
                0..6 => self.change_a_file().await,
                6..8 => self.append_to_the_log(&life).await,
                _ => self.load_or_unload().await,
            };
            if let Err(error) = done {
                assert!(life.killed.load(Ordering::SeqCst), "refused while the server was alive: {error:?}");
                assert_eq!(error.code(), Code::StoreUnavailable);
                return self;
            }
            life.acknowledged.fetch_add(1, Ordering::SeqCst);
        }
    }

    async fn change_a_file(&mut self) -> Result<()> {
        let number = self.random.random_range(0..FILES);
        let path = path(number);
        let fresh = content::letters(&mut self.random);
        let now = self.files[number].acknowledged.clone();
        let (next, outcome) = match (now, self.random.random_range(0..5)) {
            (None, _) => {
                let next = content::sealed(&fresh);
                let outcome = self.backend().create(&path, &next).await.map(drop);
                (Some(next), outcome)
            }
            (Some(_), 0) => (None, self.backend().remove(&path).await.map(drop)),
            (Some(_), 1 | 2) => {
                let next = content::sealed(&fresh);
                let outcome = self.backend().overwrite(&path, &next).await.map(drop);
                (Some(next), outcome)
            }
            (Some(now), _) => {
                let body = content::body(&now).unwrap();
                let added = content::sealed(&format!("{body}{fresh}"));
                let outcome = self.backend().replace(&path, &now[body.len()..], &added[body.len()..]).await;
                (Some(added), outcome.map(drop))
            }
        };
        self.files[number].learn(next, outcome)
    }

    async fn append_to_the_log(&mut self, life: &Life) -> Result<()> {
        self.written += 1;
        let entry = format!("{} {} {}", self.name, self.written, content::letters(&mut self.random));
        let outcome = life.log.replace(LOG, END, &format!("{entry}\n{END}")).await;
        let was_refused = outcome.as_ref().is_err_and(|error| error.outcome() == Some(Outcome::NotApplied));
        if !was_refused {
            self.lines.push((entry, outcome.is_ok()));
        }
        outcome.map(drop)
    }

    async fn load_or_unload(&mut self) -> Result<()> {
        let skill = SKILLS[self.random.random_range(0..SKILLS.len())];
        let mut next = self.skills.acknowledged.clone();
        let outcome = if next.remove(skill) {
            self.backend().unload_skill(UnloadSkillRequest { skill: skill.to_owned() }).await.map(drop)
        } else {
            next.insert(skill);
            self.backend().load(skill).await.map(drop)
        };
        self.skills.learn(next, outcome)
    }

    fn backend(&self) -> &RemoteBackend {
        self.backend.as_ref().expect("an agent meets a server before it acts")
    }
}

fn path(number: usize) -> String {
    format!("/workspace/{number}.md")
}
