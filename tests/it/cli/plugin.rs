//! A plugin on disk: what a host finds in it, what follows the skills of the user, and what of it is somebody else's.

use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Command, Stdio},
    time::SystemTime,
};

use serde_json::{Value, json};

use super::{Home, server::Server, skill};

/// Every file below `folder` with its bytes and when it was last written.
fn files(folder: &Path) -> BTreeMap<String, (Vec<u8>, SystemTime)> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
                found.insert(name, (fs::read(&path).unwrap(), entry.metadata().unwrap().modified().unwrap()));
            }
        }
    }
    found
}

/// What became of the skills and files that are not as they were.
fn news(answer: &Value) -> Vec<(&str, &str)> {
    let rows = answer["files"].as_array().unwrap().iter();
    let rows = rows.map(|row| (row["path"].as_str().unwrap(), row["status"].as_str().unwrap()));
    rows.filter(|(_, status)| *status != "unchanged").collect()
}

fn document(home: &Home, path: &str) -> Value {
    serde_json::from_str(&home.read(path)).unwrap()
}

/// What a program that a host starts prints once it was given this line.
fn answered(command: &mut Command, line: &Value) -> Value {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    writeln!(child.stdin.take().unwrap(), "{line}").unwrap();
    let output = child.wait_with_output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

// S-PLUGIN-1: `plugin export` writes a plugin of Claude Code with the user's skills, the hooks and the server of the
// Model Context Protocol.
#[test]
fn a_host_finds_skills_hooks_and_tools_in_a_plugin_that_a_store_is_exported_to() {
    let home = Home::with_skills();
    home.file("more/otras/notas/SKILL.md", &skill("notas", "Toma otras notas."));
    home.ok(&["push", "more"]);
    let exported = home.json(&["plugin", "export", "a plugin", "--name", "mine"]);
    let parts = [".claude-plugin/plugin.json", ".mcp.json", "hooks/hooks.json"];
    let skills = ["skills/compraventa", "skills/notas", "skills/otras-notas"];
    assert_eq!(
        news(&exported),
        [&parts[..], &skills].concat().into_iter().map(|path| (path, "new")).collect::<Vec<_>>()
    );
    let folder = home.path().join("a plugin");
    let found = files(&folder);
    let ours: Vec<_> = found.keys().filter(|name| !name.starts_with(".skillmount-plugin")).collect();
    assert_eq!(ours.len(), 7, "{ours:?}");
    assert_eq!(home.read("a plugin/skills/compraventa/resources/ejemplo.md"), "uno\ndos arras\ntres\n");
    assert_eq!(home.read("a plugin/skills/otras-notas/SKILL.md"), skill("notas", "Toma otras notas."));
    assert_eq!(document(&home, "a plugin/.claude-plugin/plugin.json")["name"], "mine");

    let server = document(&home, "a plugin/.mcp.json")["mcpServers"]["skillmount"].clone();
    let arguments = server["args"].as_array().unwrap().iter().map(|word| word.as_str().unwrap());
    let mut program = home.program(&arguments.collect::<Vec<_>>());
    assert_eq!(server["command"], env!("CARGO_BIN_EXE_skillmount"));
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
    let greeted = answered(&mut program, &hello);
    assert!(greeted["result"]["instructions"].as_str().unwrap().contains("otras/notas"), "{greeted}");

    let hooks = document(&home, "a plugin/hooks/hooks.json");
    let prompt = json!({"hook_event_name": "UserPromptSubmit", "prompt": "toma notas de la reunión"});
    let bash = json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "cat notas"}});
    for (event, input) in [("UserPromptSubmit", prompt), ("PreToolUse", bash)] {
        let command = hooks["hooks"][event][0]["hooks"][0]["command"].as_str().unwrap();
        // The host runs it in a shell, in a folder of its own and with the person's environment.
        let mut shell = home.program(&[]);
        let environment: Vec<_> =
            shell.get_envs().map(|(name, value)| (name.to_owned(), value.map(Into::into))).collect();
        shell = Command::new("sh");
        shell.env_clear().current_dir("/").args(["-c", command]);
        for (name, value) in environment {
            let value: std::ffi::OsString = value.unwrap();
            shell.env(name, value);
        }
        let said = answered(&mut shell, &input);
        let context = said["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
        assert!(context.contains("notas"), "{event}: {said}");
    }

    // S-PLUGIN-2: A second export changes nothing and fetches nothing of a published skill.
    let again = home.run(&["-vv", "plugin", "export", "a plugin", "--name", "mine", "--json"]);
    assert_eq!(news(&serde_json::from_slice(&again.stdout).unwrap()), []);
    assert_eq!(files(&folder), found);
    let asked = String::from_utf8(again.stderr).unwrap();
    assert!(asked.contains("heads/notas.json") && !asked.contains("skills/notas/SKILL.md"), "{asked}");
}

// S-PLUGIN-1: `plugin export` writes a plugin of Claude Code with the user's skills, the hooks and the server of the
// Model Context Protocol.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_exported_through_a_server_has_no_key_in_it_and_obeys_the_policy() {
    let home = Home::with_skills();
    let server = Server::start(&home, &["--api-key", "secret-of-anna"]);
    let export = ["--server", server.url.as_str(), "--api-key", "secret-of-anna", "plugin", "export", "out"];
    home.json(&export);
    let found = files(&home.path().join("out"));
    assert!(found.contains_key("skills/notas/SKILL.md"), "{:?}", found.keys());
    assert!(found.values().all(|(bytes, _)| !String::from_utf8_lossy(bytes).contains("secret-of-anna")));
    let told = document(&home, "out/.mcp.json")["mcpServers"]["skillmount"].clone();
    assert_eq!(told["url"], format!("{}/mcp", server.url));
    assert_eq!(told["headers"]["authorization"], "Bearer ${SKILLMOUNT_API_KEY}");

    let hook = document(&home, "out/hooks/hooks.json")["hooks"]["UserPromptSubmit"][0]["hooks"][0].clone();
    assert_eq!(hook["headers"]["authorization"], "Bearer $SKILLMOUNT_API_KEY");
    assert_eq!(hook["allowedEnvVars"], json!(["SKILLMOUNT_API_KEY"]));
    let client = reqwest::Client::new();
    let posted = client.post(hook["url"].as_str().unwrap()).bearer_auth("secret-of-anna");
    let input = json!({"hook_event_name": "UserPromptSubmit", "prompt": "toma notas"});
    let said: Value = posted.json(&input).send().await.unwrap().json().await.unwrap();
    assert!(said["hookSpecificOutput"]["additionalContext"].as_str().unwrap().contains("notas"), "{said}");

    let again = home.run(&[&["-vv", "--json"], &export[..]].concat());
    assert_eq!(news(&serde_json::from_slice(&again.stdout).unwrap()), []);
    let asked = String::from_utf8(again.stderr).unwrap();
    assert!(asked.contains("/v1/users/me/skills") && !asked.contains("/v1/users/me/skills/"), "{asked}");
    assert_eq!(files(&home.path().join("out")), found);

    for (policy, left) in [
        (json!({"skills": {"notas": "enabled"}}), vec!["compraventa"]),
        (json!({"skills": {"escrituras/*": "blocked"}}), vec!["notas"]),
        (json!({"catalog_reads": false}), vec![]),
        (json!({}), vec!["compraventa", "notas"]),
    ] {
        let set = client.put(format!("{}/v1/users/me/policy", server.url)).bearer_auth("secret-of-anna").json(&policy);
        assert_eq!(set.send().await.unwrap().status(), 200);
        home.json(&export);
        let mut names: Vec<_> =
            fs::read_dir(home.path().join("out/skills")).unwrap().map(|one| one.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, left, "{policy}");
    }
}

// S-PLUGIN-3: An export changes and removes only files that an export wrote.
#[test]
fn what_somebody_else_put_there_or_changed_stays() {
    let home = Home::with_skills();
    home.file("full/mine.md", "mine");
    assert_eq!(home.refused(&["plugin", "export", "full"]), (2, "invalid_request".to_owned()));
    assert_eq!(files(&home.path().join("full")).len(), 1, "nothing was written into it");

    home.ok(&["plugin", "export", "out"]);
    home.file("out/README.md", "mine");
    home.file("out/skills/mine/SKILL.md", "mine");
    home.file("skills/mine/SKILL.md", &skill("mine", "Is theirs."));
    home.file("skills/notas/SKILL.md", &skill("notas", "Toma buenas notas."));
    home.ok(&["push", "skills"]);
    let export = ["plugin", "export", "out", "--json"];
    let one = home.run(&export);
    assert_eq!(one.status.code(), Some(6));
    let expected = [("skills/mine", "kept"), ("skills/notas", "changed")];
    assert_eq!(news(&serde_json::from_slice(&one.stdout).unwrap()), expected);
    assert!(home.read("out/skills/notas/SKILL.md").contains("buenas"));
    assert_eq!((home.read("out/README.md"), home.read("out/skills/mine/SKILL.md")), ("mine".into(), "mine".into()));

    // One with a file of somebody else, one with a file that was changed, and a part of the plugin.
    home.file("out/skills/notas/draft.md", "mine");
    home.file("out/skills/compraventa/resources/ejemplo.md", "mine");
    home.file("out/.mcp.json", "{}");
    home.ok(&["skills", "rm", "notas"]);
    home.ok(&["skills", "rm", "escrituras/compraventa"]);
    home.ok(&["skills", "rm", "mine"]);
    let before = files(&home.path().join("out/skills"));
    let two = home.run(&export);
    let expected = [(".mcp.json", "kept"), ("skills/compraventa", "kept"), ("skills/notas", "kept")];
    assert_eq!((two.status.code(), news(&serde_json::from_slice(&two.stdout).unwrap())), (Some(6), expected.to_vec()));
    assert_eq!((files(&home.path().join("out/skills")), home.read("out/.mcp.json").as_str()), (before, "{}"));

    // Once it is moved away, the rest goes.
    fs::remove_file(home.path().join("out/skills/notas/draft.md")).unwrap();
    fs::remove_file(home.path().join("out/.mcp.json")).unwrap();
    fs::remove_dir_all(home.path().join("out/skills/compraventa")).unwrap();
    let three = home.json(&["plugin", "export", "out"]);
    let expected = [(".mcp.json", "new"), ("skills/compraventa", "removed"), ("skills/notas", "removed")];
    assert_eq!(news(&three), expected);
    let left: Vec<_> =
        fs::read_dir(home.path().join("out/skills")).unwrap().map(|one| one.unwrap().file_name()).collect();
    assert_eq!(left, ["mine"]);

    let other = home.path().join("elsewhere");
    fs::create_dir(&other).unwrap();
    std::os::unix::fs::symlink(&other, home.path().join("linked")).unwrap();
    fs::create_dir(home.path().join("trap")).unwrap();
    home.ok(&["plugin", "export", "trap"]);
    fs::remove_dir_all(home.path().join("trap/skills")).unwrap();
    std::os::unix::fs::symlink(&other, home.path().join("trap/skills")).unwrap();
    assert_eq!(home.refused(&["plugin", "export", "trap"]).0, 2);
    assert_eq!(fs::read_dir(other).unwrap().count(), 0, "nothing is written through a link");
}

// S-PLUGIN-5: With `--watch` an export looks again every 10 seconds, or as `--every` says, and takes over every new,
// changed and removed skill.
#[test]
fn a_watched_plugin_follows_what_is_new_changed_and_removed() {
    let home = Home::with_skills();
    let mut server = Server::start(&home, &[]);
    let url = server.url.clone();
    let mut program = home.program(&["--server", &url, "plugin", "export", "out", "--watch", "--every", "1"]);
    let mut child = program.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut errors = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || lines.next().unwrap().unwrap();
    while next() != "2 skills; 5 changed" {}
    assert_eq!(errors.next().unwrap().unwrap(), "looking every 1 second; Ctrl-C ends it");
    let busy = home.refused(&["plugin", "export", "out"]);
    assert_eq!(busy, (2, "invalid_request".to_owned()), "one export at a time");

    home.file("skills/nueva/SKILL.md", &skill("nueva", "Es nueva."));
    home.ok(&["--server", &url, "push", "skills"]);
    assert_eq!(next(), "skills/nueva: new");
    home.file("skills/nueva/SKILL.md", &skill("nueva", "Es mejor."));
    home.file("skills/nueva/more.md", "more");
    home.ok(&["--server", &url, "push", "skills"]);
    assert_eq!(next(), "skills/nueva: changed");
    assert_eq!(home.read("out/skills/nueva/more.md"), "more");
    assert!(home.read("out/skills/nueva/SKILL.md").contains("mejor"));
    home.ok(&["--server", &url, "skills", "rm", "notas"]);
    assert_eq!(next(), "skills/notas: removed");
    assert!(!home.path().join("out/skills/notas").exists());

    // A server that is away removes nothing.
    server.kill();
    assert!(errors.next().unwrap().unwrap().starts_with("not looked: "));
    assert!(home.path().join("out/skills/nueva/SKILL.md").exists());
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let left: Vec<_> = files(&home.path().join("out")).into_keys().filter(|name| name.contains("-new-")).collect();
    assert_eq!(left, Vec::<String>::new());
}
