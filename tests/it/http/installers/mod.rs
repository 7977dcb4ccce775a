//! The public installer of skills, from its registry, on the index that the real binary serves.
//!
//! It is pinned with all that it needs, in `package-lock.json`. If it cannot be installed, for want of npm or its registry, the
//! test says aloud that it was skipped.

use std::{path::Path, process::Stdio};

use crate::{
    cli::{Home, server, skill},
    support::packages::{self, Node},
};

const HOME: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/installers");
const INSTALLER: &str = "node_modules/skills/bin/cli.mjs";

// S-WELLKNOWN-1: `/.well-known/agent-skills/index.json` lists the skills of the user that the operator names for the Host, by
// discovery 0.2.0.
#[test]
fn the_public_installer_installs_skills_from_a_host_and_from_a_link() {
    let tools = Node::with_packages("installers");
    let what = "the public installer of skills was not run";
    let Some(node) = packages::ready(what, tools, &packages::help("http::installers")) else { return };
    let home = Home::new();
    home.file("mine/writing/minutes/SKILL.md", &skill("minutes", "Takes the minutes."));
    home.file("mine/writing/minutes/forms/año.md", "one\n");
    home.file("mine/notes/SKILL.md", &skill("notes", "Takes notes."));
    let secret = "0123456789abcdef0123456789abcdef";
    let mut command = home.program(&["serve", "mine", "--listen", "127.0.0.1:0", "--json", "--public", "127.0.0.1=me"]);
    let service = server::Server::spawn(command.env("SKILLMOUNT_SHARE_SIGNING_KEY", secret).stderr(Stdio::piped()));
    let mut link = home.command(&["share", "--expires", "1h", "--base", &service.url]);
    let link = link.env("SKILLMOUNT_SHARE_SIGNING_KEY", secret).output().unwrap();
    assert!(link.status.success(), "{}", String::from_utf8_lossy(&link.stderr));
    let link = String::from_utf8(link.stdout).unwrap();

    for (name, url) in [("host", service.url.as_str()), ("link", link.trim())] {
        let folder = packages::made(Path::new(HOME), name);
        let mut command = node.link(&folder);
        command.args([INSTALLER, "add", url, "--skill", "*", "--agent", "claude-code", "--yes", "--copy"]);
        command.env("HOME", &folder).env("DISABLE_TELEMETRY", "1").env("CI", "1");
        let said = packages::run_for_text(&mut command).unwrap();
        for (installed, source) in [
            ("minutes/SKILL.md", "writing/minutes/SKILL.md"),
            ("minutes/forms/año.md", "writing/minutes/forms/año.md"),
            ("notes/SKILL.md", "notes/SKILL.md"),
        ] {
            let found = std::fs::read_to_string(folder.join(".claude/skills").join(installed));
            assert_eq!(found.ok(), Some(home.read(&format!("mine/{source}"))), "{name}: {installed}: {said}");
        }
    }
}
