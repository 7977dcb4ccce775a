//! Other builds of the program, measured in the same run.
//!
//! `SKILLMOUNT_BENCH_PROGRAMS` names two, with a comma between: that of the commit before, and one of this commit that was built
//! likewise. Each serves the same folder of skills, lists it and answers one question; what the system counts as its time on the
//! processor is printed for both, the best of some runs. The first also answers the requests to the public skills.

use std::{
    env, fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
};

use serde_json::{Value, json};
use skillmount::path::SkillPath;
use tempfile::TempDir;

/// Runs of each program. A system that does other work beside it counts more for the same.
const RUNS: usize = 5;
/// What the first question may cost of what it cost the commit before.
const HALF: f64 = 0.5;

/// The program of the commit before, which serves these skills; `None`, said aloud, where none is given.
pub(crate) fn before(texts: &[(SkillPath, String)]) -> Option<Served> {
    let Ok(programs) = env::var("SKILLMOUNT_BENCH_PROGRAMS") else {
        println!("SKIPPED: the commit before: set SKILLMOUNT_BENCH_PROGRAMS to its program and one of this commit");
        return None;
    };
    let folder = folder_of(texts.iter().cloned());
    let program = programs.split(',').next().unwrap();
    let mut served = Served::start(program, folder.path());
    served.folder = Some(folder);
    Some(served)
}

/// Prints what each program costs over these skills. Returns the goals that are missed.
pub(crate) fn measure(texts: &[(SkillPath, String)], question: &str) -> Vec<String> {
    let Ok(programs) = env::var("SKILLMOUNT_BENCH_PROGRAMS") else {
        println!("SKIPPED: other programs: set SKILLMOUNT_BENCH_PROGRAMS to one of the commit before and one of this");
        return Vec::new();
    };
    let (mut first, mut missed) = (None, Vec::new());
    for program in programs.split(',') {
        let runs = (0..RUNS).map(|_| {
            // What a program keeps beside the skills would help the next one.
            let folder = folder_of(texts.iter().cloned());
            let served = Served::start(program, folder.path());
            served.ask("GET", "/v1/users/u/skills?limit=1", "");
            let listed = served.seconds();
            served.find(question, 10);
            (listed, served.seconds() - listed)
        });
        let (listed, answered) = runs.reduce(|one, other| (one.0.min(other.0), one.1.min(other.1))).unwrap();
        let ratio = answered / *first.get_or_insert(answered);
        println!(
            "{program}: {listed:.2} s of CPU for the catalog, {answered:.2} s for index and answer, which is {ratio:.2} of the first"
        );
        if program != programs.split(',').next().unwrap() && ratio > HALF {
            missed.push(format!(
                "the first question costs {program} {ratio:.2} of what it costs the first program, {HALF} at most"
            ));
        }
    }
    missed
}

/// A folder in which the user `u` has these skills.
pub(crate) fn folder_of(skills: impl Iterator<Item = (SkillPath, String)>) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (skill, text) in skills {
        let own = folder.path().join("u/skills").join(skill.as_str());
        fs::create_dir_all(&own).unwrap();
        fs::write(own.join("SKILL.md"), text).unwrap();
    }
    folder
}

/// A program that serves, until it is dropped.
pub(crate) struct Served {
    child: Child,
    address: String,
    /// What it serves, if that goes with it.
    folder: Option<TempDir>,
}

impl Served {
    fn start(program: &str, folder: &Path) -> Self {
        let store = format!("file:{}", folder.display());
        let mut child = Command::new(program)
            .args(["serve", "--store", &store, "--listen", "127.0.0.1:0"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let (_, address) = line.trim().split_once("http://").unwrap_or_else(|| panic!("{program} said {line:?}"));
        let address = address.trim_end_matches(['"', '}']).to_owned();
        Self { child, address, folder: None }
    }

    /// The paths of the best skills for a question, best first.
    pub(crate) fn find(&self, question: &str, most: usize) -> Vec<String> {
        let body = json!({ "query": question, "limit": most }).to_string();
        let reply = self.ask("POST", "/v1/users/u/sessions/s/discover_skills", &body);
        let reply: Value = serde_json::from_str(&reply).unwrap();
        let found = reply["skills"].as_array().unwrap().iter();
        found.map(|skill| skill["skill"].as_str().unwrap().to_owned()).collect()
    }

    /// The body of the reply.
    fn ask(&self, method: &str, path: &str, body: &str) -> String {
        let Self { address, .. } = self;
        let mut stream = TcpStream::connect(address).unwrap();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
        assert!(reply.starts_with("HTTP/1.1 200"), "{reply}");
        reply.split_once("\r\n\r\n").unwrap().1.to_owned()
    }

    fn seconds(&self) -> f64 {
        seconds(&fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The time that a process has spent on the processor, from what the system says of it.
pub(crate) fn seconds(stat: &str) -> f64 {
    // Behind the name, which may have spaces: the fields 14 and 15, in hundredths.
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    fields[11..13].iter().map(|ticks| ticks.parse::<f64>().unwrap()).sum::<f64>() / 100.0
}
