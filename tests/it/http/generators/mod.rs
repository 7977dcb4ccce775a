//! Clients that generators make from the OpenAPI document: each is generated, compiled, and plays a session on a server.
//!
//! The generators are pinned with all that they need, in `requirements.txt` and `package-lock.json`. If they cannot be
//! installed, for want of Python, Node.js or a registry, each test says aloud that it was skipped. Other systems than Linux on x86-64 need a Node.js of their own, 22.18 or newer.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use super::Server;
use crate::support::packages::{self, Node, Outcome, done, path, run};

/// Where the scripts and the lists of packages are.
const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/http/generators");
const HOME: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/generators");

#[tokio::test(flavor = "multi_thread")]
async fn the_document_and_its_examples_are_valid() {
    let Some(python) = ready("openapi-spec-validator", python()) else { return };
    let folder = folder("document");
    done(run(Command::new(python.join("python")).arg(source("document.py")).arg(folder.join("openapi.json"))));
}

// S-API-2: Clients that openapi-python-client, openapi-generator, openapi-typescript and @hey-api/openapi-ts generate from
// the document compile and work.
#[tokio::test(flavor = "multi_thread")]
async fn a_client_of_openapi_python_client_plays_a_session() {
    let Some(python) = ready("openapi-python-client", python()) else { return };
    let folder = folder("openapi-python-client");
    let generate = ["generate", "--path", "openapi.json", "--meta", "none", "--fail-on-warning", "--output-path"];
    let mut generator = Command::new(python.join("openapi-python-client"));
    generator.current_dir(&folder).env("PATH", path(&python)).args(generate).arg("skillmount_client");
    done(run(generator.arg("--config").arg(source("openapi_python_client.yaml"))));
    play_in_python(&python, &folder, "openapi_python_client.py").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_python_client_of_openapi_generator_plays_a_session() {
    let Some(python) = ready("openapi-generator for Python", python()) else { return };
    let folder = folder("openapi-generator-python");
    let generate = ["generate", "-g", "python", "-i", "openapi.json", "-o", ".", "--package-name", "skillmount_client"];
    let mut generator = Command::new(python.join("openapi-generator-cli"));
    done(run(generator.current_dir(&folder).env("PATH", path(&python)).args(generate)));
    play_in_python(&python, &folder, "openapi_generator.py").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_typescript_client_of_openapi_generator_plays_a_session() {
    let Some(python) = ready("openapi-generator for TypeScript", python()) else { return };
    let Some(node) = ready("openapi-generator for TypeScript", node()) else { return };
    let folder = folder("typescript-fetch");
    let generate = ["generate", "-g", "typescript-fetch", "-i", "openapi.json", "-o", "client"];
    let mut generator = Command::new(python.join("openapi-generator-cli"));
    done(run(generator.current_dir(&folder).env("PATH", path(&python)).args(generate)));
    play_in_typescript(&node, &folder, "typescript_fetch").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_of_openapi_typescript_plays_a_session() {
    let Some(node) = ready("openapi-typescript", node()) else { return };
    let folder = folder("openapi-typescript");
    let generate = ["node_modules/openapi-typescript/bin/cli.js", "openapi.json", "-o", "schema.d.ts"];
    done(run(node.link(&folder).args(generate)));
    play_in_typescript(&node, &folder, "openapi_fetch").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_of_hey_api_plays_a_session() {
    let Some(node) = ready("@hey-api/openapi-ts", node()) else { return };
    let folder = folder("hey-api");
    let generate = ["node_modules/.bin/openapi-ts", "-i", "openapi.json", "-o", "client"];
    done(run(node.link(&folder).args(generate)));
    play_in_typescript(&node, &folder, "hey_api").await;
}

async fn play_in_python(python: &Path, folder: &Path, script: &str) {
    let server = Server::with_skills().await;
    let mut session = Command::new(python.join("python"));
    session.arg(source(script)).arg(&server.base).env("PYTHONPATH", folder);
    done(tokio::task::spawn_blocking(move || run(&mut session)).await.unwrap());
}

async fn play_in_typescript(node: &Node, folder: &Path, script: &str) {
    for name in [format!("{script}.ts"), "tsconfig.json".to_owned()] {
        fs::copy(source(&name), folder.join(name)).unwrap();
    }
    done(run(node.link(folder).args(["node_modules/typescript/bin/tsc", "-p", "."])));
    let server = Server::with_skills().await;
    let mut session = node.link(folder);
    session.arg(format!("built/{script}.js")).arg(&server.base);
    done(tokio::task::spawn_blocking(move || run(&mut session)).await.unwrap());
}

/// A new folder with the document in it.
fn folder(name: &str) -> PathBuf {
    let folder = packages::made(Path::new(HOME), name);
    let document = serde_json::to_string(&skillmount::http::openapi()).unwrap();
    fs::write(folder.join("openapi.json"), document).unwrap();
    folder
}

/// The folder of Python and of the generators that it runs.
fn python() -> Outcome<PathBuf> {
    packages::python("generators")
}

fn node() -> Outcome<Node> {
    Node::with_packages("generators")
}

/// What a test needs, or a line that nobody overlooks.
fn ready<T>(generator: &str, tools: Outcome<T>) -> Option<T> {
    packages::ready(&format!("the client of {generator} was not tried"), tools, &packages::help("http::generators"))
}

fn source(name: &str) -> PathBuf {
    Path::new(SOURCES).join(name)
}
