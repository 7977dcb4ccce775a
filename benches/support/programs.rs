//! What the first question costs other builds of the program, such as that of the commit before, in the same run.
//!
//! `SKILLMOUNT_BENCH_PROGRAMS` names them, with commas between. Each serves the same folder of skills, lists it and answers one
//! question; what the system counts as its time on the processor is printed for both.

use std::{
    env, fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
};

/// Prints what each program costs over the skills in `folder`.
pub(crate) fn measure(folder: &Path, question: &str) {
    let Ok(programs) = env::var("SKILLMOUNT_BENCH_PROGRAMS") else {
        println!("SKIPPED: other programs: set SKILLMOUNT_BENCH_PROGRAMS to one of the commit before and one of this");
        return;
    };
    for program in programs.split(',') {
        let served = Served::start(program, folder);
        served.ask("GET", "/v1/users/u/skills?limit=1", "");
        let listed = served.seconds();
        served.ask("POST", "/v1/users/u/sessions/s/discover_skills", &format!("{{\"query\":\"{question}\"}}"));
        let answered = served.seconds() - listed;
        println!("{program}: {listed:.2} s of CPU for the catalog, {answered:.2} s for index and answer");
    }
}

/// A program that serves, until it is dropped.
struct Served {
    child: Child,
    address: String,
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
        Self { child, address }
    }

    fn ask(&self, method: &str, path: &str, body: &str) {
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
