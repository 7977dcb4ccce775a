//! Whether the services of a test have sabotaged indexes: a hash of the test's name and of a seed decides.
//!
//! An index is derived and disposable, so each test must pass both ways. One run tries half of the tests each way.
//! `SKILLMOUNT_INDEX=complement` turns every decision around, so a run and its complement try each test both ways.
//! The seed is `SKILLMOUNT_SEED`, or else the hash of the tree: two runs of one tree decide alike.

use std::{
    hash::{DefaultHasher, Hash as _, Hasher as _},
    path::Path,
    process::Command,
    sync::OnceLock,
};

use super::world::soak;

/// Parts of the names of tests to which an index makes no difference: stores, the rules of the code base, writes that
/// race, servers that are killed, the comparison with ripgrep, generated clients and hosts, invented requests, the page
/// in a browser, bounds on memory, hostile archives, commands that a signal ends, searches that a host cancels, the
/// doctor, encoders, the matrix of keys and policies, and hostile prompts.
const INDIFFERENT: &[&str] = &[
    "store::",
    "house::",
    "creates_race",
    "edit_one_file",
    "crashes::",
    "ripgrep::",
    "generators::",
    "contract::",
    "docs_page::",
    "http::memory::",
    "large_skills::",
    "_to_their_limits_and",
    "_to_its_limits_and",
    "cli::interrupted::",
    "cli::encoder::",
    "hostile_archives::",
    "cli::doctor::",
    "mcp_cancelled::",
    "http::matrix::",
    "mcp_conformance::",
    "prompt::hostile::",
    "audit::soak::",
    "fuzz::",
    "siege::",
];

/// What `SKILLMOUNT_INDEX` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choice {
    /// The seed decides.
    BySeed,
    /// The opposite of what the seed decides.
    Complement,
    /// Every test has sabotaged indexes.
    Sabotaged,
    /// No test has.
    Intact,
}

impl Choice {
    fn of_environment() -> Self {
        match std::env::var("SKILLMOUNT_INDEX").as_deref() {
            Err(std::env::VarError::NotPresent) => Self::BySeed,
            Ok("complement") => Self::Complement,
            Ok("sabotaged") => Self::Sabotaged,
            Ok("intact") => Self::Intact,
            other => panic!("SKILLMOUNT_INDEX is `complement`, `sabotaged` or `intact`, and here it is {other:?}"),
        }
    }

    fn sabotages(self, test: &str, seed: impl FnOnce() -> u64) -> bool {
        match self {
            _ if INDIFFERENT.iter().any(|part| test.contains(part)) => false,
            Self::Sabotaged => true,
            Self::Intact => false,
            Self::BySeed => is_chosen(test, seed()),
            Self::Complement => !is_chosen(test, seed()),
        }
    }
}

/// Whether this run tries a case of a table that is too large for one run: the seed chooses half of the cases, and
/// `SKILLMOUNT_SOAK` all.
pub(crate) fn tries(case: &str) -> bool {
    soak() > 1 || is_chosen(case, seed())
}

/// Whether the running test has sabotaged indexes.
pub(crate) fn indexes_are_sabotaged() -> bool {
    Choice::of_environment().sabotages(&running_test(), seed)
}

fn is_chosen(name: &str, seed: u64) -> bool {
    let mut hasher = DefaultHasher::new();
    (name, seed).hash(&mut hasher);
    hasher.finish() & 1 == 1
}

/// The full name of the running test. A process that runs one test has its name among the arguments; elsewhere the test
/// harness names the thread of each test by it.
fn running_test() -> String {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let named = arguments.iter().filter(|argument| argument.contains("::")).collect::<Vec<_>>();
    if let ([name], true) = (named.as_slice(), arguments.iter().any(|argument| argument == "--exact")) {
        return (*name).clone();
    }
    let thread = std::thread::current();
    let name = thread.name().filter(|name| name.contains("::"));
    name.unwrap_or_else(|| panic!("the thread {:?} has no name of a test", thread.name())).to_owned()
}

/// The seed of all decisions, which `.ci/seed` prints: `make` passes it on, so that it is computed once.
fn seed() -> u64 {
    static SEED: OnceLock<u64> = OnceLock::new();
    *SEED.get_or_init(|| {
        let variable = |name| std::env::var(name).ok();
        let text = variable("SKILLMOUNT_SEED").or_else(|| variable("SKILLMOUNT_TREE")).unwrap_or_else(|| {
            let script = Path::new(env!("CARGO_MANIFEST_DIR")).join(".ci/seed");
            String::from_utf8(Command::new(script).output().unwrap().stdout).unwrap()
        });
        text.trim().parse().unwrap_or_else(|_| panic!("a seed is a whole number from 0 to 2^64 - 1, and not {text:?}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_and_its_complement_try_each_test_both_ways() {
        let names: Vec<_> = (0..400).map(|number| format!("catalog::test_{number}")).collect();
        for seed in [0, 1, 17, u64::MAX] {
            let with = |choice: Choice| names.iter().filter(|name| choice.sabotages(name, || seed)).collect::<Vec<_>>();
            let (first, second) = (with(Choice::BySeed), with(Choice::Complement));
            assert_eq!(first.len() + second.len(), names.len());
            assert!(first.iter().all(|name| !second.contains(name)));
            assert!((100..300).contains(&first.len()), "{} of {}", first.len(), names.len());
            assert_eq!(first, with(Choice::BySeed), "the same seed decides alike");
        }
        let of_two = [3, 4].map(|seed| names.iter().map(|name| is_chosen(name, seed)).collect::<Vec<_>>());
        assert_ne!(of_two[0], of_two[1], "another seed decides otherwise");
    }

    #[test]
    fn all_or_none_can_be_asked_for_and_some_tests_are_left_alone() {
        assert!(Choice::Sabotaged.sabotages("catalog::a", || 0));
        assert!(!Choice::Intact.sabotages("catalog::a", || 0));
        assert!(!Choice::Sabotaged.sabotages("store::a", || 0));
    }

    #[test]
    fn the_running_test_is_known_by_its_full_name() {
        assert_eq!(running_test(), "support::sabotage::tests::the_running_test_is_known_by_its_full_name");
    }

    #[test]
    fn the_tree_has_a_seed() {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join(".ci/seed");
        let printed = || String::from_utf8(Command::new(&script).output().unwrap().stdout).unwrap();
        assert_eq!(printed(), printed());
        assert!(printed().trim().parse::<u64>().is_ok(), "{:?}", printed());
    }
}
