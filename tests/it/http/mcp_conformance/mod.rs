//! The protocol and its Skills extension as their official judges see them: the conformance suite, and the Inspector.
//!
//! Both are pinned with all that they need, in `package-lock.json`. If they cannot be installed, for want of npm or its
//! registry, the tests say aloud that they were skipped.

use std::{path::Path, process::Command};

use serde_json::Value;
use skillmount::path::Id;

use super::{Server, mcp::config};
use crate::support::packages::{self, Node};

const HOME: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/mcp");
const SUITE: &str = "node_modules/@modelcontextprotocol/conformance/dist/index.js";
const INSPECTOR: &str = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js";

/// The scenarios of the protocol itself that are about what every server has, with the versions in which they are, and how many
/// checks each makes there. The others ask for tools, prompts and resources that only a server made for the suite has.
const OF_THE_PROTOCOL: &[(&str, &[(&str, u32)])] = &[
    ("server-initialize", &[("2025-06-18", 3), ("2025-11-25", 3)]),
    ("server-session-lifecycle", &[("2025-06-18", 1), ("2025-11-25", 1)]),
    ("ping", &[("2025-06-18", 2), ("2025-11-25", 2)]),
    ("tools-list", &[("2025-06-18", 2), ("2025-11-25", 3), ("2026-07-28", 4)]),
    ("resources-list", &[("2025-06-18", 2), ("2025-11-25", 2), ("2026-07-28", 2)]),
    ("prompts-list", &[("2025-06-18", 2), ("2025-11-25", 2), ("2026-07-28", 2)]),
    ("server-sse-multiple-streams", &[("2025-11-25", 1), ("2026-07-28", 1)]),
    ("dns-rebinding-protection", &[("2025-11-25", 2), ("2026-07-28", 2)]),
    ("sep-2164-resource-not-found", &[("2026-07-28", 4)]),
    ("caching", &[("2026-07-28", 8)]),
    ("http-header-validation", &[("2026-07-28", 14)]),
    ("input-required-result-unsupported-methods", &[("2026-07-28", 2)]),
];

/// Each count is that of the scenario. A server that does not declare the extension passes 1 of 1.
const OF_SKILLS: &[(&str, u32)] =
    &[("sep-2640-skills-enumeration", 32), ("sep-2640-skills-manifest", 6), ("sep-2640-skills-directory", 7)];

fn tools(what: &str) -> Option<Node> {
    let tools = Node::with_packages("mcp_conformance");
    packages::ready(what, tools, &packages::help("http::mcp_conformance"))
}

/// A server with skills whose digests are known, as they are once a host has asked for them.
async fn served() -> Server {
    let server = Server::with(config()).await;
    // The scenario of folders looks into the first skill alone, which so has one.
    let about = "version: 2025-01-31\nlicense: MIT\nmetadata:\n  author: Ana\n  stars: 3\ntags: [a, b]\nextra: {deep: [1, 2.5, true]}";
    let text = format!("---\nname: alpha\ndescription: \"Does: this\"\n{about}\n---\n# Alpha\n");
    server.memory.put_raw("me/skills/alpha/SKILL.md", text);
    server.memory.put_raw("me/skills/alpha/scripts/run.py", "print(1)\n");
    server.memory.put_raw("me/skills/alpha/scripts/more/data.bin", vec![0_u8, 159, 146, 150]);
    server.memory.put_raw(
        "me/skills/escrituras/compraventa/SKILL.md",
        "---\nname: compraventa\ndescription: Redacta.\n---\nx\n",
    );
    server.memory.put_raw("me/skills/notas/SKILL.md", "---\nname: notas\ndescription: |\n  Toma\n  notas.\n---\nx\n");
    server.memory.put_raw("me/skills/notas/referencias/año.md", "uno\r\ndos");
    let agent = server.service.session(Id::parse("me").unwrap(), Id::parse("mcp").unwrap());
    for entry in agent.host_skills().catalog_skills(true).await.unwrap() {
        assert!(agent.host_skills().show_catalog_skill(&entry).await.unwrap().manifest.is_some());
    }
    server
}

async fn said(mut command: Command, about: &str) -> String {
    let said = tokio::task::spawn_blocking(move || packages::run_for_text(&mut command)).await.unwrap();
    said.unwrap_or_else(|why| panic!("{about}: {why}"))
}

/// Plays a scenario, and asserts how many checks it made.
async fn play(node: &Node, server: &Server, scenario: &str, version: &str, checks: u32) {
    let mut command = node.link(&packages::made(Path::new(HOME), &format!("conformance-{scenario}-{version}")));
    command.args([SUITE, "server", "--url", &format!("{}/mcp", server.base), "--force"]);
    command.args(["--scenario", scenario, "--spec-version", version]);
    let said = said(command, scenario).await;
    assert!(
        said.contains(&format!("Passed: {checks}/{checks}, 0 failed, 0 warnings")),
        "{scenario} of {version}: {said}"
    );
}

// S-MCP-7: A host that supports the Skills extension lists the skills of the catalog and fetches their files, without
// loading them.
#[tokio::test(flavor = "multi_thread")]
async fn the_official_suite_finds_nothing_wrong_with_the_skills() {
    let Some(node) = tools("the conformance suite of MCP was not run") else { return };
    let server = served().await;
    for (scenario, checks) in OF_SKILLS {
        play(&node, &server, scenario, "2026-07-28", *checks).await;
    }
}

// S-MCP-4: Input of a host that is not the protocol ends nothing but its own call.
#[tokio::test(flavor = "multi_thread")]
async fn the_official_suite_finds_nothing_wrong_with_the_protocol() {
    let Some(node) = tools("the conformance suite of MCP was not run") else { return };
    let server = served().await;
    for (scenario, versions) in OF_THE_PROTOCOL {
        for (version, checks) in *versions {
            play(&node, &server, scenario, version, *checks).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_official_suite_finds_of_the_stateless_version_is_what_it_could_not_try() {
    let Some(node) = tools("the conformance suite of MCP was not run") else { return };
    let server = served().await;
    let mut command = node.link(&packages::made(Path::new(HOME), "conformance-stateless"));
    command.args([SUITE, "server", "--url", &format!("{}/mcp", server.base), "--scenario", "server-stateless"]);
    let output = tokio::task::spawn_blocking(move || command.output()).await.unwrap().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("Passed: 21/25, 4 failed, 0 warnings"), "{said}");
    let faults: Vec<_> = said.lines().filter(|line| line.trim_start().starts_with("Error: ")).collect();
    assert!(faults.len() == 4 && faults.iter().all(|line| line.contains("diagnostic tool")), "{faults:?}");
}

// S-MCP-7: A host that supports the Skills extension lists the skills of the catalog and fetches their files, without
// loading them. It gets the whole frontmatter, and the SHA-256 and the size of the bytes of each file.
#[tokio::test(flavor = "multi_thread")]
async fn the_inspector_verifies_every_digest_and_calls_tools() {
    let Some(node) = tools("the Inspector of MCP was not run") else { return };
    let server = served().await;
    let inspect = async |arguments: &[&str]| {
        let folder = packages::made(Path::new(HOME), "inspector");
        let mut command = node.link(&folder);
        command.env("HOME", &folder);
        command.args([INSPECTOR, "--cli", &format!("{}/mcp", server.base), "--transport", "http"]);
        command.args(["--protocol-era", "modern"]).args(arguments);
        said(command, &arguments.join(" ")).await
    };
    let verified = inspect(&["--method", "skills/list", "--verify", "--require-digests"]).await;
    for (what, times) in [("\"outcome\":\"verified\"", 3), ("\"status\":\"verified\"", 6), ("\"status\":", 6)] {
        assert_eq!(verified.matches(what).count(), times, "{what}: {verified}");
    }

    let listed: Value = serde_json::from_str(&inspect(&["--method", "tools/list"]).await).unwrap();
    assert!(listed["tools"].to_string().contains("load_skill"));
    let load = ["--method", "tools/call", "--tool-name", "load_skill", "--tool-arg", "skill=alpha"];
    assert!(inspect(&load).await.contains("# Alpha"));
    let folder = inspect(&["--method", "resources/directory/read", "--uri", "skill://alpha/scripts"]).await;
    let folder: Value = serde_json::from_str(&folder).unwrap();
    let names: Vec<_> = folder["resources"].as_array().unwrap().iter().map(|child| &child["name"]).collect();
    assert_eq!(names, ["more", "run.py"]);
}
