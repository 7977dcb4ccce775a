//! Damage to the indexes and bundles in the folder of a directory store, while another process serves from it.
//!
//! A thread, because the tests that start processes wait for them: what it does falls between the requests of the server
//! or into the middle of one, as with any other program on the machine.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        mpsc::{self, RecvTimeoutError, Sender},
    },
    thread::JoinHandle,
    time::Duration,
};

use rand::{RngExt, rngs::StdRng};
use tokio::time::Instant;

use super::{
    sabotage::indexes_are_sabotaged,
    saboteur::{BUNDLES, Deed, INDEX, OLDEST, dice},
};

/// The longest pause between two looks at the folder, in milliseconds.
const PAUSE: u64 = 20;

/// Damages indexes until it is dropped.
#[derive(Debug)]
pub(crate) struct FolderSaboteur {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
    done: Arc<Mutex<BTreeMap<Deed, u64>>>,
}

/// What is known of one index.
#[derive(Debug, Default)]
struct Known {
    /// What the server wrote, and when it was first seen.
    written: Vec<(Instant, Vec<u8>)>,
    /// What the saboteur left of it.
    own: Option<Vec<u8>>,
}

impl FolderSaboteur {
    /// In `store`, the folder of a directory store, which need not exist yet.
    pub(crate) fn begin(store: PathBuf) -> Self {
        let (stop, stopped) = mpsc::channel();
        let done = Arc::default();
        let mut hand = Hand { store, random: dice(), known: BTreeMap::new(), done: Arc::clone(&done) };
        let thread = std::thread::spawn(move || {
            while stopped.recv_timeout(hand.pause()) == Err(RecvTimeoutError::Timeout) {
                hand.strike();
            }
        });
        Self { stop: Some(stop), thread: Some(thread), done }
    }

    /// The same in a run with sabotaged indexes, and nobody in another.
    pub(crate) fn where_asked_for(store: PathBuf) -> Option<Self> {
        indexes_are_sabotaged().then(|| Self::begin(store))
    }

    /// How often it did what.
    pub(crate) fn done(&self) -> BTreeMap<Deed, u64> {
        self.done.lock().unwrap().clone()
    }
}

impl Drop for FolderSaboteur {
    fn drop(&mut self) {
        drop(self.stop.take());
        let ended = self.thread.take().map(JoinHandle::join);
        assert!(ended.is_none_or(|ended| ended.is_ok()) || std::thread::panicking(), "the saboteur failed");
    }
}

/// What runs on the thread.
struct Hand {
    store: PathBuf,
    random: StdRng,
    known: BTreeMap<PathBuf, Known>,
    done: Arc<Mutex<BTreeMap<Deed, u64>>>,
}

impl Hand {
    fn pause(&mut self) -> Duration {
        Duration::from_millis(self.random.random_range(0..PAUSE))
    }

    /// Damages each index and each bundle there is, or lets it be.
    fn strike(&mut self) {
        // Of a user, of the organisation; those of teams lie a folder deeper.
        let owners = folders(&self.store).into_iter();
        let owners = owners.flat_map(|owner| folders(&owner).into_iter().chain([owner]));
        let derived = owners.flat_map(|owner| {
            let bundles = files(&owner.join(BUNDLES.trim_matches('/')));
            bundles.into_iter().chain([owner.join(INDEX)])
        });
        for index in derived.collect::<Vec<_>>() {
            let Ok(bytes) = fs::read(&index) else { continue };
            self.known.entry(index.clone()).or_default().see(&bytes);
            if self.random.random() {
                let deed = Deed::any(&mut self.random);
                if self.carry_out(deed, &index, &bytes).is_some() {
                    *self.done.lock().unwrap().entry(deed).or_default() += 1;
                }
            }
        }
    }

    /// `None` where there was nothing to do it to, or the server was quicker.
    fn carry_out(&mut self, deed: Deed, index: &Path, bytes: &[u8]) -> Option<()> {
        let known = self.known.get_mut(index)?;
        let left = match deed {
            Deed::Delete => return fs::remove_file(index).ok(),
            Deed::PutBack => known.earlier(bytes, &mut self.random)?,
            _ if bytes.is_empty() => return None,
            _ => deed.damage(bytes, &mut self.random),
        };
        known.own = Some(left.clone());
        fs::write(index, left).ok()
    }
}

impl Known {
    /// Takes note of what is there, if it is the server's.
    fn see(&mut self, bytes: &[u8]) {
        self.written.retain(|(at, _)| at.elapsed() <= OLDEST);
        if self.own.as_deref() != Some(bytes) && self.written.last().is_none_or(|(_, last)| last != bytes) {
            self.written.push((Instant::now(), bytes.to_vec()));
        }
    }

    fn earlier(&self, present: &[u8], random: &mut StdRng) -> Option<Vec<u8>> {
        let other: Vec<_> = self.written.iter().filter(|(_, bytes)| bytes != present).collect();
        (!other.is_empty()).then(|| other[random.random_range(0..other.len())].1.clone())
    }
}

/// Every file below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

fn folders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
}
