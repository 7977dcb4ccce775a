//! What budgets refused in the whole suite. A budget that turns honest work away would show here even if the test that met it
//! looked at something else.
//!
//! A test that provokes a refusal says so by [`Answer::is_problem`](super::Answer::is_problem); any other is of honest work. Each
//! process writes its figures to a file of its own, and `make tests` adds them up and prints them.

use std::{
    fs,
    path::Path,
    sync::{Mutex, PoisonError},
};

/// The codes by which budgets refuse.
const OF_BUDGETS: [&str; 2] = ["rate_limited", "too_expensive"];

struct Figures {
    answers: u64,
    refused: i64,
}

static FIGURES: Mutex<Figures> = Mutex::new(Figures { answers: 0, refused: 0 });

/// Counts an answer.
pub(super) fn count(code: Option<&str>) {
    note(|figures| {
        figures.answers += 1;
        figures.refused += i64::from(code.is_some_and(is_of_budget));
    });
}

/// Takes an answer back from the refusals, because its test provoked it.
pub(super) fn expect(code: &str) {
    note(|figures| figures.refused -= i64::from(is_of_budget(code)));
}

fn is_of_budget(code: &str) -> bool {
    OF_BUDGETS.contains(&code)
}

fn note(change: impl FnOnce(&mut Figures)) {
    let mut figures = FIGURES.lock().unwrap_or_else(PoisonError::into_inner);
    change(&mut figures);
    let Figures { answers, refused } = *figures;
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("refusals");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(std::process::id().to_string()), format!("{answers} {refused}\n")).unwrap();
}
