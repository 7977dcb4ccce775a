//! Throws changed seeds at a target, on a stable compiler and as an ordinary test.
//!
//! Nothing here sees which code an input reaches. What stands in for it is the target's word for what became of an input:
//! an input with an outcome that none had before is kept, and changed further. So each refusal is a step to the next.

use std::{
    any::Any,
    collections::BTreeSet,
    env, fs,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    path::{Path, PathBuf},
    time::Duration,
};

use rand::{RngExt, SeedableRng, rngs::StdRng};
use tokio::time::Instant;

use crate::support::world::seed;

/// Changed seeds in every run, so that none rots.
const AT_LEAST: u32 = 200;
/// The longest input.
const LONGEST: usize = 64 << 10;
/// Changes of one input at most.
const CHANGES: u32 = 6;
/// Inputs that are kept at most for their outcomes.
const KEPT: usize = 2000;

/// Seeds with their names.
type Seeds = Vec<(String, Vec<u8>)>;

/// Replays the corpus of `target`, then throws changed seeds at it for as many seconds as `SKILLMOUNT_FUZZ_SECONDS` says.
///
/// `words` are what its inputs are made of. `check` says in a word or two what became of an input, and panics where that
/// is wrong: the input is then saved, and belongs into the corpus.
pub(super) fn run(target: &str, words: &[&str], mut check: impl FnMut(&[u8]) -> String) {
    let seeds = corpus(target);
    let mut outcomes = BTreeSet::new();
    let mut kept: Vec<Vec<u8>> = Vec::new();
    let mut meet = |input: &[u8], name: &str| {
        let met = catch_unwind(AssertUnwindSafe(|| check(input)));
        let outcome = met.unwrap_or_else(|cause| report(target, name, input, cause));
        outcomes.insert(outcome)
    };
    for (name, input) in &seeds {
        meet(input, name);
        kept.push(input.clone());
    }
    let seconds = env::var("SKILLMOUNT_FUZZ_SECONDS").map_or(0, |seconds| seconds.parse().unwrap());
    let (begun, enough) = (Instant::now(), Duration::from_secs(seconds));
    let mut random = StdRng::seed_from_u64(seed());
    let mut inputs = 0;
    while inputs < AT_LEAST || begun.elapsed() < enough {
        let input = changed(&kept, words, &mut random);
        inputs += 1;
        if meet(&input, "a changed seed") && kept.len() < KEPT {
            kept.push(input);
        }
    }
    println!("{target}: {} seeds, {inputs} changed ones, {} outcomes", seeds.len(), outcomes.len());
    assert!(outcomes.len() > 3, "hardly any input gets anywhere: {outcomes:?}");
}

/// The files below `corpus/{target}`, sorted by name.
fn corpus(target: &str) -> Seeds {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/fuzz/corpus").join(target);
    let files = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths: BTreeSet<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    assert!(paths.len() >= 5, "{target} has {} seeds", paths.len());
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    paths.into_iter().map(|path| (name(&path), fs::read(&path).unwrap())).collect()
}

/// Saves an input that a target failed on, and fails.
fn report(target: &str, name: &str, input: &[u8], cause: Box<dyn Any + Send>) -> ! {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fuzz-{target}"));
    fs::write(&path, input).unwrap();
    println!("{target} fails on {name}, which is saved as {}", path.display());
    resume_unwind(cause)
}

/// One of the inputs, changed a few times.
fn changed(kept: &[Vec<u8>], words: &[&str], random: &mut StdRng) -> Vec<u8> {
    let mut input = kept[random.random_range(0..kept.len())].clone();
    for _ in 0..random.random_range(1..=CHANGES) {
        change(&mut input, kept, words, random);
        input.truncate(LONGEST);
    }
    input
}

fn change(input: &mut Vec<u8>, kept: &[Vec<u8>], words: &[&str], random: &mut StdRng) {
    let at = random.random_range(0..=input.len());
    let to = (at + random.random_range(0..=16)).min(input.len());
    let part = input[at..to].to_vec();
    match random.random_range(0..8) {
        0 if at < input.len() => input[at] ^= 1 << random.random_range(0..8),
        1 if at < input.len() => input[at] = random.random(),
        2 => drop(input.drain(at..to)),
        3 => drop(input.splice(at..at, part.repeat(random.random_range(1..40)))),
        4 => {
            let other = &kept[random.random_range(0..kept.len())];
            let from = random.random_range(0..=other.len());
            input.truncate(at);
            input.extend_from_slice(&other[from..]);
        }
        5 => input.truncate(at),
        _ => {
            let word = words[random.random_range(0..words.len())];
            drop(input.splice(at..at, word.bytes()));
        }
    }
}
