//! What the first question costs a process that knows nothing, and many first questions at once.
//!
//! Each figure comes from a process of its own, this benchmark started again: it reads a catalog from a folder, builds the
//! index and answers. The work is what the system counts as its time on the processor.

use std::{env, fs, path::Path, process::Command, sync::Arc};

use skillmount::{
    budget::Workers,
    catalog::Catalogs,
    clock::SystemClock,
    path::{Id, Namespace, SkillPath},
    store::DirectoryStore,
};
use tempfile::TempDir;

use super::{
    programs::{self, folder_of},
    skills::{Skill, generated},
};

/// Names a folder and how many ask, and makes this a process that asks.
const ASK: &str = "SKILLMOUNT_BENCH_ASK";
/// The skills of a stampede.
const MANY: usize = 6000;
/// How much more memory a stampede may take than one question.
const MORE: f64 = 1.3;
const QUESTION: &str = "how do I keep a changelog for the next release";

/// What a process says of itself.
struct Figures {
    /// Seconds on the processor: until the catalog was read, and for the rest.
    reading: f64,
    answering: f64,
    /// Its peak.
    mib: f64,
    builds: u64,
}

/// Asks and prints figures, if this process was started for that.
pub(crate) fn is_asker() -> bool {
    let Ok(asked) = env::var(ASK) else { return false };
    let (many, folder) = asked.split_once(':').unwrap();
    let many: usize = many.parse().unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let clock = Arc::new(SystemClock::new());
        let store = Arc::new(DirectoryStore::open(folder, clock.clone()).unwrap());
        let catalogs = Catalogs::new(store, Namespace::parse("").unwrap(), clock, Workers::new(2));
        let user = Id::parse("u").unwrap();
        catalogs.view(&user, false).await.unwrap();
        let read = own_seconds();
        let ask = || {
            let (catalogs, user) = (catalogs.clone(), user.clone());
            tokio::spawn(async move {
                let catalog = catalogs.searchable(&user).await.unwrap();
                std::hint::black_box(catalog.index.search(QUESTION, |_| true, 10).unwrap());
            })
        };
        for asker in (0..many).map(|_| ask()).collect::<Vec<_>>() {
            asker.await.unwrap();
        }
        println!("{read} {} {} {}", own_seconds() - read, peak_mib(), catalogs.indexes_built());
    });
    true
}

/// Prints the figures. Returns the goals that are missed.
pub(crate) fn measure(public: &[(SkillPath, String)], real: &[Skill]) -> Vec<String> {
    if !Path::new("/proc/self/stat").exists() {
        println!("SKIPPED: the first question: this system does not say what a process costs");
        return Vec::new();
    }
    let mut missed = Vec::new();
    if !public.is_empty() {
        let folder = folder_of(public.iter().cloned());
        let one = asked(&folder, 1);
        println!(
            "first question over {} public skills: {:.2} s of CPU for the catalog, {:.2} s for index and answer, {:.0} MiB",
            public.len(),
            one.reading,
            one.answering,
            one.mib
        );
        missed.extend(programs::measure(public, QUESTION));
    }
    let text = |skill: &Skill| {
        format!("---\ndescription: {:?}\n---\n# {}\n{}", skill.frontmatter.description, skill.headings, skill.opening)
    };
    let many = folder_of(generated(real, MANY).iter().map(|skill| (skill.path.clone(), text(skill))));
    let one = asked(&many, 1);
    println!("one first question over {MANY} skills: {:.0} MiB, {} built, {:.2} s", one.mib, one.builds, one.answering);
    for askers in [16, 64] {
        let all = asked(&many, askers);
        let goal = format!(
            "{askers} first questions at once build {} index and take {:.2} times the memory of one",
            all.builds,
            all.mib / one.mib
        );
        println!("{goal} (1 and {MORE} at most)");
        if all.builds != 1 || all.mib > MORE * one.mib {
            missed.push(goal);
        }
    }
    missed
}

fn asked(folder: &TempDir, many: usize) -> Figures {
    let asked = format!("{many}:{}", folder.path().display());
    let output = Command::new(env::current_exe().unwrap()).env(ASK, asked).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|number| number.parse().ok()).collect();
    let [reading, answering, mib, builds] = numbers[..] else {
        panic!("{text:?}, {}", String::from_utf8_lossy(&output.stderr))
    };
    Figures { reading, answering, mib, builds: builds as u64 }
}

fn own_seconds() -> f64 {
    programs::seconds(&fs::read_to_string("/proc/self/stat").unwrap())
}

fn peak_mib() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    peak.trim().trim_end_matches(" kB").parse::<f64>().unwrap() / 1024.0
}
