//! The explorer: it runs a case under each schedule within a bound, and has each history judged.
//!
//! A step is one request of one service to the store. Each run begins anew and replays the choices that led to its branch.
//! Two runs that reach the same store with services that have read the same answers go on alike, so the second one ends there.
//!
//! A service sleeps if its next request was explored before the requests of another service, and none of these has changed its
//! answer. To run it after them would lead to the same states again, with as many switches. (These are the sleep sets of
//! Godefroid's *Partial-Order Methods*, for the service that could go on.)

use std::{
    collections::{BTreeSet, HashMap},
    hash::{DefaultHasher, Hash as _, Hasher as _},
    sync::{Arc, Mutex},
    time::Duration,
};

use rand::{RngExt, SeedableRng, rngs::StdRng};
use skillmount::{
    path::KeyPrefix,
    store::{MemoryStore, StoreExt as _},
};
use tokio::task::JoinHandle;

use super::{
    calls::{BegunCall, Client, Digests, Files, check, observe},
    gate::{GateState, Request},
    model::{Do, Entry, Reply, State, is_linearizable},
    services::{NOW, Services, reader, user},
};

/// Calls that overlap, each by a service of its own.
#[derive(Clone, Debug)]
pub(super) struct Case {
    /// The calls that made the skills before.
    pub(super) before: Vec<(&'static str, Do)>,
    pub(super) calls: Vec<(&'static str, Do)>,
    pub(super) files: Files,
    /// How often the scheduler goes from a service that could go on to another.
    pub(super) switches: usize,
    /// How many services it stops for good.
    pub(super) stops: usize,
    /// How many replies to puts of heads and drafts it loses.
    pub(super) losses: usize,
    /// The turns that every schedule begins with: a service, and how many requests pass.
    pub(super) turns: Vec<(usize, usize)>,
    /// Whether a second write of equal content has the same tag, as on S3 without a key of KMS. Else each write has its own.
    pub(super) is_tagged_by_content: bool,
}

/// One choice of the scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Choice {
    Run(usize),
    /// The request passes, and its reply is lost.
    Lose(usize),
    Stop(usize),
}

/// What was explored.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ExplorationCounts {
    pub(super) states: usize,
    pub(super) histories: usize,
    pub(super) steps: usize,
    pub(super) runs: usize,
}

/// The choices that lead to a state, and the services that sleep there.
#[derive(Clone, Debug, Default)]
struct Branch {
    choices: Vec<Choice>,
    asleep: BTreeSet<usize>,
}

/// How far a state is explored: how many switches and stops are left, and which services sleep.
#[derive(Clone, Debug)]
struct ExplorationLimit {
    switches: usize,
    stops: usize,
    losses: usize,
    asleep: BTreeSet<usize>,
}

impl ExplorationLimit {
    /// Whether this state was explored at least as far as `other` asks for.
    fn covers(&self, other: &Self) -> bool {
        self.switches >= other.switches
            && self.stops >= other.stops
            && self.losses >= other.losses
            && self.asleep.is_subset(&other.asleep)
    }
}

/// The hash of all keys and tags of a store. A tag names the bytes.
async fn hash_of(store: &MemoryStore) -> u64 {
    let (entries, _) = store.list_all(&KeyPrefix::all(), 10_000).await.unwrap();
    let mut hasher = DefaultHasher::new();
    for entry in entries {
        (entry.key, entry.etag.to_string()).hash(&mut hasher);
    }
    hasher.finish()
}

/// The keys of the plain files below the folder of the user's skills.
async fn plain_files(store: &MemoryStore) -> BTreeSet<String> {
    let (entries, _) = store.list_all(&KeyPrefix::all(), 10_000).await.unwrap();
    entries.into_iter().filter_map(|entry| Some(entry.key.strip_prefix("demo/skills/")?.to_owned())).collect()
}

/// The hash of the store of a run, by the number of writes before it.
#[derive(Default)]
struct StoredHash(Option<(usize, u64)>);

impl StoredHash {
    async fn of(&mut self, store: &MemoryStore, runners: &[Runner]) -> u64 {
        let writes = runners.iter().map(|one| one.gate.lock().unwrap().writes()).sum();
        match self.0 {
            Some((known, hash)) if known == writes => hash,
            _ => {
                let hash = hash_of(store).await;
                self.0 = Some((writes, hash));
                hash
            }
        }
    }
}

/// A client at work.
struct Runner {
    gate: Arc<Mutex<GateState>>,
    task: JoinHandle<()>,
    is_stopped: bool,
    /// Whether a reply to it was lost.
    has_lost: bool,
    /// Its calls so far.
    calls: Arc<Mutex<Vec<BegunCall>>>,
    /// When each of them sent its first request, and when it ended.
    times: Vec<(usize, Option<usize>)>,
}

impl Runner {
    fn is_under_way(&self) -> bool {
        !self.is_stopped && !self.task.is_finished()
    }

    fn is_ready(&self) -> bool {
        self.is_under_way() && self.gate.lock().unwrap().is_waiting()
    }

    /// Whether its next request is the first one of a call.
    fn begins_call(&self) -> bool {
        self.times.len() < self.calls.lock().unwrap().len()
    }

    /// Notes that the calls with an answer have ended by now.
    fn note_ended(&mut self, now: usize) {
        for (number, _) in self.calls.lock().unwrap().iter().enumerate().filter(|(_, call)| call.reply.is_some()) {
            if number == self.times.len() {
                self.times.push((now, None));
            }
            self.times[number].1.get_or_insert(now);
        }
    }

    /// Lets its next request pass.
    fn release(&mut self, now: usize, is_lost: bool) -> Request {
        if self.begins_call() {
            self.times.push((now, None));
        }
        self.gate.lock().unwrap().release(is_lost)
    }

    /// Its calls that sent a request or have an answer.
    fn history(&self) -> Vec<Entry> {
        let calls = self.calls.lock().unwrap();
        let entry = |(call, (begun, ended)): (&BegunCall, &(usize, Option<usize>))| Entry {
            skill: call.skill,
            call: call.call,
            reply: call.reply.unwrap_or(Reply::Stopped),
            begun: *begun,
            ended: ended.unwrap_or(usize::MAX),
        };
        calls.iter().zip(&self.times).map(entry).collect()
    }
}

/// Waits until each service under way waits at its gate.
async fn quiet(runners: &[Runner]) {
    // Every task has run when the paused clock goes on. Threads of workers do not hold it, so they are waited for here.
    loop {
        tokio::time::sleep(Duration::from_micros(1)).await;
        if runners.iter().all(|one| !one.is_under_way() || one.is_ready()) {
            return;
        }
        std::thread::yield_now();
    }
}

/// The services of `asleep` that still sleep once `service` has run. The first request of a call wakes all, because it
/// decides which calls had ended before.
fn still_asleep(asleep: &BTreeSet<usize>, runners: &[Runner], service: usize) -> BTreeSet<usize> {
    let request = |one: usize| runners[one].gate.lock().unwrap().next();
    let (runs, is_first) = (request(service), runners[service].begins_call());
    let sleeps = |one: &usize| {
        let waits = request(*one);
        *one != service && !is_first && waits.zip(runs.clone()).is_some_and(|(waits, runs)| !waits.conflicts(&runs))
    };
    asleep.iter().copied().filter(sleeps).collect()
}

/// A choice by the dice.
fn rolled(dice: &mut StdRng, runners: &[Runner], ready: &[usize], stops: usize) -> Choice {
    let service = ready[dice.random_range(0..ready.len())];
    let is_stopped = stops > 0 && !runners[service].times.is_empty() && dice.random_ratio(1, 20);
    if is_stopped { Choice::Stop(service) } else { Choice::Run(service) }
}

/// A store once readers have settled what was pending.
#[derive(Clone, Debug)]
struct SettledStore {
    /// What they find.
    after: Result<State, String>,
    /// The plain files that are left.
    files: BTreeSet<String>,
}

/// The explorer of one case.
pub(super) struct Explorer<'test> {
    case: Case,
    /// The store before the calls.
    before: MemoryStore,
    digests: Digests,
    first: State,
    services: &'test mut Services,
    /// The branches that are left.
    left: Vec<Branch>,
    /// How far each state was explored.
    seen: HashMap<u64, Vec<ExplorationLimit>>,
    /// What readers find in a store, by its contents.
    settled: HashMap<u64, SettledStore>,
    explored: ExplorationCounts,
    /// The dice that choose, if the schedules are random ones.
    dice: Option<StdRng>,
}

/// Explores `case`, and returns the first history that no order of the calls explains.
pub(super) async fn explore(
    case: &Case,
    digests: &Digests,
    services: &mut Services,
) -> Result<ExplorationCounts, String> {
    let turns = case.turns.iter().flat_map(|(service, requests)| vec![Choice::Run(*service); *requests]);
    let left = vec![Branch { choices: turns.collect(), asleep: BTreeSet::new() }];
    Explorer::begin(case, digests, services, left, None).await
}

/// Runs `case` under `runs` random schedules with any number of switches, in the same way.
pub(super) async fn roll(
    case: &Case,
    digests: &Digests,
    services: &mut Services,
    (runs, seed): (usize, u64),
) -> Result<ExplorationCounts, String> {
    let dice = StdRng::seed_from_u64(seed);
    Explorer::begin(case, digests, services, vec![Branch::default(); runs], Some(dice)).await
}

impl<'test> Explorer<'test> {
    async fn begin(
        case: &Case,
        digests: &Digests,
        services: &'test mut Services,
        left: Vec<Branch>,
        dice: Option<StdRng>,
    ) -> Result<ExplorationCounts, String> {
        let by_content = case.is_tagged_by_content;
        let store =
            Arc::new(if by_content { MemoryStore::tagged_by_content() } else { MemoryStore::tagged_by_write() });
        let service = reader(store.clone(), NOW - 3_600);
        let maker = Client { service, user: user(), files: case.files, digests: digests.clone() };
        for (skill, call) in &case.before {
            assert_eq!(maker.perform(skill, *call).await, Reply::Done, "{skill} {call:?}");
        }
        let first = observe(&reader(store.clone(), NOW - 1_800), &user(), &case.skills()).await.unwrap();
        let mut explorer = Self {
            case: case.clone(),
            before: store.copy(),
            digests: digests.clone(),
            first,
            services,
            left,
            dice,
            seen: HashMap::new(),
            settled: HashMap::new(),
            explored: ExplorationCounts::default(),
        };
        while let Some(branch) = explorer.left.pop() {
            Box::pin(explorer.run(branch)).await?;
        }
        Ok(explorer.explored)
    }

    /// Runs the case by the choices of a branch, and then without a switch as long as possible.
    async fn run(&mut self, branch: Branch) -> Result<(), String> {
        self.explored.runs += 1;
        let store = Arc::new(self.before.copy());
        let mut runners = Vec::new();
        for (number, (actor, (skill, call))) in self.services.actors.iter().zip(&self.case.calls).enumerate() {
            let (files, digests) = (self.case.files, self.digests.clone());
            let (service, gate) = actor.begin(number, &store);
            let client = Client { service, user: user(), files, digests };
            let (skill, call, calls) = (*skill, *call, Arc::<Mutex<_>>::default());
            let begun = calls.clone();
            let task = tokio::spawn(async move { Box::pin(client.play(skill, call, &begun)).await });
            runners.push(Runner { gate, task, is_stopped: false, has_lost: false, calls, times: Vec::new() });
        }
        let judged = self.schedule(&store, &mut runners, branch).await;
        for (number, (runner, (_, call))) in runners.into_iter().zip(&self.case.calls).enumerate() {
            if !runner.task.is_finished() {
                runner.task.abort();
                // It was aborted, or has just ended.
                let _ = runner.task.await;
            }
            // A service whose request was never released may hold locks for ever. A service that made a read remembers the answer.
            if runner.gate.lock().unwrap().is_held() || matches!(call, Do::Move(_)) {
                self.services.replace(number);
            }
        }
        judged
    }

    async fn schedule(
        &mut self,
        store: &Arc<MemoryStore>,
        runners: &mut [Runner],
        branch: Branch,
    ) -> Result<(), String> {
        let Branch { mut choices, asleep } = branch;
        let replayed = choices.len();
        let (mut at, mut current, mut time) = (0, None, 0);
        let Case { switches, stops, losses, .. } = self.case;
        let mut limit = ExplorationLimit { switches, stops, losses, asleep: BTreeSet::new() };
        let mut trace = Vec::new();
        let mut stored = StoredHash::default();
        loop {
            quiet(runners).await;
            for runner in runners.iter_mut().filter(|one| !one.is_stopped) {
                runner.note_ended(time);
            }
            let ready: Vec<usize> = (0..runners.len()).filter(|&one| runners[one].is_ready()).collect();
            if ready.is_empty() {
                break;
            }
            if at == replayed {
                limit.asleep.clone_from(&asleep);
            }
            if at >= replayed
                && self.dice.is_none()
                && self.was_seen(stored.of(store, runners).await, runners, current, &limit)
            {
                return Ok(());
            }
            let goes_on = current.filter(|one| ready.contains(one));
            if at == choices.len() {
                let next = match &mut self.dice {
                    Some(dice) => Some(rolled(dice, runners, &ready, limit.stops)),
                    None => self.branch(&choices, runners, &ready, goes_on, &limit),
                };
                // To go on would repeat states that were explored.
                let Some(next) = next else { return Ok(()) };
                choices.push(next);
            }
            let choice = choices[at];
            at += 1;
            match choice {
                // In a turn that was given, a service may end early.
                Choice::Run(service) if !ready.contains(&service) => {}
                Choice::Run(service) | Choice::Lose(service) => {
                    if self.dice.is_none() && goes_on.is_some_and(|one| one != service) {
                        // Turns that were given cost nothing.
                        limit.switches = limit.switches.saturating_sub(1);
                    }
                    limit.asleep = still_asleep(&limit.asleep, runners, service);
                    time += 1;
                    let is_lost = matches!(choice, Choice::Lose(_));
                    limit.losses -= usize::from(is_lost);
                    runners[service].has_lost |= is_lost;
                    let request = runners[service].release(time, is_lost);
                    trace.push(format!("{service}: {request}{}", if is_lost { ", and its reply is lost" } else { "" }));
                    current = Some(service);
                    self.explored.steps += 1;
                }
                Choice::Stop(service) => {
                    limit.stops -= 1;
                    limit.asleep.remove(&service);
                    runners[service].is_stopped = true;
                    runners[service].task.abort();
                    trace.push(format!("{service}: stopped"));
                }
            }
        }
        self.judge(store, runners, &trace).await
    }

    /// Adds the other choices of this state to the branches that are left. Returns the choice to go on with; `None` if all services
    /// sleep.
    fn branch(
        &mut self,
        choices: &[Choice],
        runners: &[Runner],
        ready: &[usize],
        goes_on: Option<usize>,
        limit: &ExplorationLimit,
    ) -> Option<Choice> {
        let awake = |one: &usize| !limit.asleep.contains(one);
        let taken = goes_on.or_else(|| ready.iter().copied().find(awake)).filter(awake);
        let mut others = Vec::new();
        if goes_on.is_none() || limit.switches > 0 {
            others.extend(ready.iter().copied().filter(|one| awake(one) && Some(*one) != taken).map(Choice::Run));
        }
        if limit.stops > 0 {
            others.extend(ready.iter().filter(|one| !runners[**one].times.is_empty()).map(|one| Choice::Stop(*one)));
        }
        if limit.losses > 0 {
            let next = |one: &&usize| runners[**one].gate.lock().unwrap().next();
            let loses = |one: &&usize| next(one).is_some_and(|request| request.is_losable());
            // The service that goes on loses it, or any if none does.
            let loses = ready.iter().filter(|one| goes_on.is_none_or(|on| on == **one)).filter(loses);
            others.extend(loses.map(|one| Choice::Lose(*one)));
        }
        for other in others {
            let mut asleep = limit.asleep.clone();
            if let Choice::Run(service) = other {
                // The service that goes on needs no switch, so its request comes first at no higher cost.
                asleep.extend(goes_on);
                asleep = still_asleep(&asleep, runners, service);
            }
            if let Choice::Lose(_) = other {
                asleep.clear();
            }
            self.left.push(Branch { choices: choices.iter().copied().chain([other]).collect(), asleep });
        }
        taken.map(Choice::Run)
    }

    /// Whether this state was explored before, with at least this limit.
    fn was_seen(&mut self, stored: u64, runners: &[Runner], current: Option<usize>, limit: &ExplorationLimit) -> bool {
        let mut hasher = DefaultHasher::new();
        stored.hash(&mut hasher);
        for runner in runners {
            (runner.gate.lock().unwrap().history(), runner.is_stopped, runner.task.is_finished()).hash(&mut hasher);
            // What had ended when a call began decides which orders are possible.
            for (begun, _) in &runner.times {
                let ended_before = |(_, ended): &(usize, Option<usize>)| ended.is_some_and(|end| end < *begun);
                let others = runners.iter().map(|other| other.times.iter().map(ended_before).collect::<Vec<_>>());
                others.collect::<Vec<_>>().hash(&mut hasher);
            }
            runner.begins_call().hash(&mut hasher);
        }
        current.hash(&mut hasher);
        let reached = self.seen.entry(hasher.finish()).or_default();
        if reached.iter().any(|one| one.covers(limit)) {
            return true;
        }
        if reached.is_empty() {
            self.explored.states += 1;
        }
        reached.push(limit.clone());
        false
    }

    /// What readers find an hour later. The first of them settles what is pending.
    async fn settled(&mut self, store: &Arc<MemoryStore>) -> SettledStore {
        let key = hash_of(store).await;
        if let Some(known) = self.settled.get(&key) {
            return known.clone();
        }
        let skills = self.case.skills();
        // It may find the page and the listing of two moments.
        let _ = observe(&self.services.settler.over(store), &user(), &skills).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        let reader = self.services.reader.over(store);
        let mut after = observe(&reader, &user(), &skills).await;
        if let Err(fault) = check(&reader, &user()).await {
            after = Err(fault);
        }
        let settled = SettledStore { after, files: plain_files(store).await };
        self.settled.insert(key, settled.clone());
        settled
    }

    async fn judge(
        &mut self,
        store: &Arc<MemoryStore>,
        runners: &mut [Runner],
        trace: &[String],
    ) -> Result<(), String> {
        self.explored.histories += 1;
        for runner in runners.iter_mut().filter(|one| !one.is_stopped) {
            (&mut runner.task).await.unwrap();
        }
        let history: Vec<_> = runners.iter().flat_map(Runner::history).collect();
        assert!(history.iter().all(|one| one.reply != Reply::Unavailable), "no store failed: {history:?}");
        let left = plain_files(store).await;
        let SettledStore { after, files } = self.settled(store).await;
        // A call that lost a reply may say that its files are not complete. A reader completes them.
        let left = if runners.iter().any(|one| one.has_lost) { files } else { left };
        let is_tidy = runners.iter().any(|one| one.is_stopped)
            || after.as_ref().is_ok_and(|after| left == self.case.files_of(after));
        if !is_tidy {
            return Err(format!("files are left over, or absent: {left:?}\nafter: {after:?}\n{}", trace.join("\n")));
        }
        if after.as_ref().is_ok_and(|after| is_linearizable(&self.first, &history, after)) {
            return Ok(());
        }
        let told: Vec<String> =
            history.iter().map(|one| format!("{} {:?}: {:?}", one.skill, one.call, one.reply)).collect();
        Err(format!(
            "no order of these calls explains what is there\nbefore: {:?}\n{}\nafter: {after:?}\n{}",
            self.first,
            told.join("\n"),
            trace.join("\n")
        ))
    }
}

impl Case {
    /// Calls on skills of two files after these, without a switch.
    pub(super) fn of(before: Vec<(&'static str, Do)>, calls: Vec<(&'static str, Do)>) -> Self {
        Self {
            before,
            calls,
            files: Files::Two,
            switches: 0,
            stops: 0,
            losses: 0,
            turns: Vec::new(),
            is_tagged_by_content: false,
        }
    }

    /// The plain files of the published skills in `state`.
    fn files_of(&self, state: &State) -> BTreeSet<String> {
        let published = state.iter().filter_map(|(skill, at)| Some((skill, self.files.names(at.published?))));
        published.flat_map(|(skill, names)| names.iter().map(move |name| format!("{skill}/{name}"))).collect()
    }

    /// The paths of the case.
    pub(super) fn skills(&self) -> Vec<&'static str> {
        let calls = self.before.iter().chain(&self.calls);
        let of = |(skill, call): &(&'static str, Do)| match call {
            Do::Move(to) => vec![*skill, *to],
            _ => vec![*skill],
        };
        let mut skills: Vec<_> = calls.flat_map(of).collect();
        skills.sort_unstable();
        skills.dedup();
        skills
    }
}
