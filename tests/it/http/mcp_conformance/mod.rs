//! The Skills extension as the official conformance suite of the protocol judges it.
//!
//! The suite is pinned with all that it needs, in `package-lock.json`, and is installed once below `target/tmp/mcp`. If it cannot
//! be, for want of npm or its registry, the test says aloud that it was skipped.

use std::{path::Path, process::Command};

use skillmount::path::Id;

use super::{Server, mcp::config};
use crate::support::packages::{self, Node};

const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/http/mcp_conformance");
const HOME: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/mcp");
const SUITE: &str = "node_modules/@modelcontextprotocol/conformance/dist/index.js";

// S-MCP-7: A host that knows the Skills extension lists the skills of the catalog and fetches their files, which loads none of
// them.
#[tokio::test(flavor = "multi_thread")]
async fn the_official_suite_finds_nothing_wrong_with_the_skills() {
    let tools = Node::with_packages(Path::new(HOME), Path::new(SOURCES));
    let what = "the conformance suite of MCP was not run";
    let Some(node) = packages::ready(what, tools, &packages::help("http::mcp_conformance")) else { return };
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

    // The digests of a skill are known once a host has asked for it.
    let agent = server.service.session(Id::parse("me").unwrap(), Id::parse("mcp").unwrap());
    for entry in agent.catalog_skills(true).await.unwrap() {
        assert!(agent.show_catalog_skill(&entry).await.unwrap().manifest.is_some());
    }
    let folder = packages::made(Path::new(HOME), "conformance");
    // Each count is that of the scenario. A server that does not declare the extension passes 1 of 1.
    for (scenario, checks) in [("enumeration", 32), ("manifest", 6), ("directory", 7)] {
        let mut command: Command = node.link(&folder);
        command.args([SUITE, "server", "--url", &format!("{}/mcp", server.base), "--force"]);
        command.args(["--scenario", &format!("sep-2640-skills-{scenario}"), "--spec-version", "2026-07-28"]);
        let said = tokio::task::spawn_blocking(move || packages::run_for_text(&mut command)).await.unwrap();
        let said = said.unwrap_or_else(|why| panic!("{scenario}: {why}"));
        assert!(said.contains(&format!("Passed: {checks}/{checks}, 0 failed, 0 warnings")), "{scenario}: {said}");
    }
}
