//! What honest users met: how long their operations took and what was refused, before the hostile user came and beside it.

use std::{collections::BTreeMap, fmt, sync::Mutex, time::Duration};

use tokio::time::Instant;

use super::honest::Deed;

/// Codes with which a budget turns work away. No honest work may meet one.
const BUDGETS: [&str; 2] = ["rate_limited", "too_expensive"];

/// When an operation began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    /// Caches are empty; its times say nothing.
    WarmUp,
    /// All users are honest.
    Before,
    /// One is not.
    Beside,
}

/// What all users met.
pub(super) struct Figures {
    /// A user begins an operation this often. Who waits longer for one misses the next: these count too, as begun in time.
    pub(super) pace: Duration,
    now: Mutex<Phase>,
    tallies: Mutex<BTreeMap<Phase, Tally>>,
}

#[derive(Default)]
struct Tally {
    operations: u64,
    times: BTreeMap<Deed, Vec<Duration>>,
    refusals: BTreeMap<String, u64>,
}

impl Figures {
    pub(super) fn new(pace: Duration) -> Self {
        Self { pace, now: Mutex::new(Phase::WarmUp), tallies: Mutex::default() }
    }

    /// From now on operations count for `phase`.
    pub(super) fn enter(&self, phase: Phase) {
        *self.now.lock().unwrap() = phase;
    }

    pub(super) fn phase(&self) -> Phase {
        *self.now.lock().unwrap()
    }

    /// Takes note of an operation that began in `phase`, and of the code it was refused with.
    pub(super) fn record(&self, phase: Phase, deed: Deed, begun: Instant, refusal: Option<&str>) {
        let mut tallies = self.tallies.lock().unwrap();
        let tally = tallies.entry(phase).or_default();
        tally.operations += 1;
        let times = tally.times.entry(deed).or_default();
        let took = begun.elapsed();
        // What would have been begun meanwhile would have waited for the rest of it.
        let missed = (1..).map_while(|beats| took.checked_sub(self.pace * beats)).filter(|rest| !rest.is_zero());
        times.extend(std::iter::once(took).chain(missed));
        if let Some(code) = refusal {
            *tally.refusals.entry(code.to_owned()).or_default() += 1;
        }
    }

    /// The time that 99 of 100 operations of a phase stayed under.
    pub(super) fn p99(&self, phase: Phase) -> Duration {
        self.tallies.lock().unwrap().get(&phase).map_or(Duration::ZERO, |tally| percentile(&tally.all(), 99))
    }

    /// Operations that a budget turned away, in any phase.
    pub(super) fn refused_by_budgets(&self) -> u64 {
        let tallies = self.tallies.lock().unwrap();
        let refusals = tallies.values().flat_map(|tally| &tally.refusals);
        refusals.filter(|(code, _)| BUDGETS.contains(&code.as_str())).map(|(_, times)| times).sum()
    }
}

impl Tally {
    fn all(&self) -> Vec<Duration> {
        self.times.values().flatten().copied().collect()
    }
}

/// The table of all phases but the first.
impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tallies = self.tallies.lock().unwrap();
        for (phase, tally) in tallies.iter().filter(|(phase, _)| **phase != Phase::WarmUp) {
            writeln!(f, "{phase:?}: {} operations, refused: {:?}", tally.operations, tally.refusals)?;
            writeln!(f, "  {:<10} {:>7} {:>9} {:>9} {:>9}", "", "times", "p50 ms", "p99 ms", "most ms")?;
            let all = tally.all();
            let rows = tally.times.iter().map(|(deed, times)| (format!("{deed:?}"), times));
            for (name, times) in rows.chain([("together".to_owned(), &all)]) {
                let [half, nearly_all, most] = [50, 99, 100].map(|share| percentile(times, share).as_secs_f64() * 1e3);
                writeln!(f, "  {name:<10} {:>7} {half:>9.1} {nearly_all:>9.1} {most:>9.1}", times.len())?;
            }
        }
        Ok(())
    }
}

fn percentile(times: &[Duration], share: usize) -> Duration {
    let mut times = times.to_vec();
    times.sort_unstable();
    let last = times.len().saturating_sub(1);
    times.get((times.len() * share / 100).min(last)).copied().unwrap_or_default()
}
