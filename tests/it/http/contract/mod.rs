//! What the OpenAPI document says, held against the service: [Schemathesis](https://schemathesis.io) invents requests for every
//! operation, valid ones and others, and checks each answer against the document.
//!
//! `SKILLMOUNT_CASES` is the number of requests that it throws dice for, for each operation; it adds those that lie at the bounds
//! of the schemas, the examples, and sequences in which one call uses what another returned. `SKILLMOUNT_SEED` throws other
//! dice. Which checks hold and what they allow is in `schemathesis.toml`. A failure is a defect of the service or of the
//! document, and is fixed there.
//!
//! Schemathesis is pinned with all that it needs in `requirements.txt`. If it cannot be installed, the test says aloud that it
//! was skipped.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::{ExitStatus, Stdio},
    time::Duration,
};

use futures_util::future::join_all;
use tokio::{process::Command, time::timeout};

use crate::{
    cli::{Home, server::Server},
    support::{
        packages::{help, made, path, python, ready},
        world::seed,
    },
};

const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/http/contract");
const HOME: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/contract");
/// Invented requests for each operation.
const CASES: usize = 30;
/// A run takes a minute or two. One that takes so long waits for an answer without an end, and is a failure instead of a hang.
const LONGEST: Duration = Duration::from_mins(15);
/// A process of a run. Several workers of one process trip over the parser of Python.
struct Run {
    phases: &'static str,
    /// Valid requests (`positive`), others (`negative`), or both (`all`).
    mode: &'static str,
}
const RUNS: [Run; 3] = [
    Run { phases: "examples,coverage", mode: "all" },
    Run { phases: "fuzzing,stateful", mode: "positive" },
    Run { phases: "fuzzing,stateful", mode: "negative" },
];
/// Where a value of a dictionary goes into a body. Schemathesis compares the value with the schema that it has negated, and takes a
/// valid body for a wrong one. So wrong bodies have invented values only.
const IN_BODIES: &str = "\"body.";

// S-API-3: The OpenAPI document has the status, content type, headers and body of every answer of an operation.
#[tokio::test]
async fn every_answer_to_an_invented_request_is_as_the_document_says() {
    let tools = python("contract");
    let Some(programs) = ready("the contract was not tried", tools, &help("http::contract")) else { return };
    let home = Home::with_skills();
    let server = Server::start(&home, &["--drain", "0"]);
    let said = join_all(RUNS.map(|run| called(&programs, &server.url, run))).await;
    server.signal("TERM");
    let (status, log) = server.end();
    let failed: Vec<_> = said.iter().filter_map(|said| said.as_ref().err()).map(String::as_str).collect();
    assert!(failed.is_empty(), "SKILLMOUNT_SEED={}\n{}", seed(), failed.join("\n"));
    let faults: Vec<_> = log.lines().filter(|line| line.contains("\"ERROR\"")).collect();
    assert!(status == Some(0) && faults.is_empty(), "{status:?}\n{}", faults.join("\n"));
    println!(
        "SKILLMOUNT_SEED={}: {}",
        seed(),
        said.into_iter().map(Result::unwrap_or_default).collect::<Vec<_>>().join("; ")
    );
}

/// Calls the service in one run. Returns the number of requests, or all output about failures.
async fn called(programs: &Path, service: &str, Run { phases, mode }: Run) -> Result<String, String> {
    let folder = made(Path::new(HOME), &format!("{}-{mode}", phases.replace(',', "-")));
    let config = fs::read_to_string(source("schemathesis.toml")).unwrap();
    let is_kept = |line: &&str| mode != "negative" || !line.starts_with(IN_BODIES);
    let lines: Vec<_> = config.lines().filter(is_kept).collect();
    let mut command = Command::new(programs.join("st"));
    command.arg("--config-file").arg(folder.join("schemathesis.toml"));
    fs::write(folder.join("schemathesis.toml"), lines.join("\n")).unwrap();
    command.args(["run", &format!("{service}/openapi.json"), "--phases", phases, "--mode", mode, "--checks", "all"]);
    // `the_methods_that_a_route_allows_are_those_of_the_document` does this one, and knows of the skill that is called as an
    // operation.
    command.args(["--exclude-checks", "allow_header_conformance"]);
    let cases = if mode == "all" { cases() } else { cases().div_ceil(2) };
    command.args(["--workers", "1", "--seed", &seed().to_string(), "--max-examples", &cases.to_string()]);
    command.args(["--continue-on-failure", "--generation-database", "none", "--warnings", "off"]);
    command.args(["--no-color", "--output-truncate", "false"]);
    let said = folder.join("said");
    let output = File::create(&said).unwrap();
    command.current_dir(folder).env("PATH", path(programs)).stdin(Stdio::null());
    command.stdout(output.try_clone().unwrap()).stderr(output);
    let status = ended(command).await;
    let text = String::from_utf8_lossy(&fs::read(said).unwrap()).into_owned();
    if !status.is_some_and(|status| status.success()) {
        return Err(format!("{phases}, {mode}: {status:?}\n{text}"));
    }
    let count = text.lines().find(|line| line.contains(" generated"));
    count.map(|line| format!("{phases}, {mode}: {}", line.trim())).ok_or(text)
}

/// How the run ended, or nothing if it had to be stopped.
async fn ended(mut command: Command) -> Option<ExitStatus> {
    let mut child = command.kill_on_drop(true).spawn().unwrap();
    timeout(LONGEST, child.wait()).await.ok().map(Result::unwrap)
}

fn cases() -> usize {
    std::env::var("SKILLMOUNT_CASES").map_or(CASES, |cases| cases.parse().unwrap())
}

fn source(name: &str) -> PathBuf {
    Path::new(SOURCES).join(name)
}
