//! `skillmount connect`: hosts of agents that start `skillmount mcp` from now on.

use serde_json::{Value, json};

use super::Home;

// S-MCP-14: `connect` puts a server named skillmount into the configuration of a host, and `--remove` takes it out. The
// earlier configuration stays beside it.
#[test]
fn each_host_is_connected_and_disconnected_where_its_configuration_lies() {
    let home = Home::with_skills();
    for (host, file, text, other) in [
        ("claude-code", ".claude.json", "{\"numStartups\": 3}", "numStartups"),
        ("claude-desktop", "config/Claude/claude_desktop_config.json", "{\"mcpServers\": {\"x\": {}}}", "\"x\""),
        ("cursor", ".cursor/mcp.json", "", ""),
        ("vscode", "config/Code/User/mcp.json", "{\"inputs\": []}", "inputs"),
        ("codex", ".codex/config.toml", "# mine\nmodel = \"x\"\n", "# mine"),
        ("goose", "config/goose/config.yaml", "# mine\nextensions:\n  x:\n    cmd: y\n", "# mine"),
    ] {
        if !text.is_empty() {
            home.file(file, text);
        }
        let connected = home.json(&["connect", host, "--user", "ana"]);
        assert_eq!((&connected["connected"], &connected["changed"]), (&json!(true), &json!(true)), "{host}");
        let new = home.read(file);
        assert!(new.contains("skillmount") && new.contains("--user") && new.contains(other), "{host}: {new}");
        if text.is_empty() {
            assert_eq!(connected["backup"], Value::Null);
        } else {
            assert_eq!(home.read(&format!("{file}.before-skillmount")), text, "{host}");
        }
        assert_eq!(home.json(&["connect", host, "--user", "ana"])["changed"], false, "{host}");
        assert_eq!(home.read(file), new);
        let removed = home.ok(&["connect", host, "--remove"]);
        assert!(removed.contains("is no longer connected"), "{removed}");
        let left = home.read(file);
        assert!(!left.contains("skillmount") && left.contains(other), "{host}: {left}");
        assert!(home.ok(&["connect", host, "--remove"]).contains("was not connected"));
    }
}

// S-MCP-14: `connect` puts a server named skillmount into the configuration of a host, and `--remove` takes it out.
#[test]
fn the_server_is_started_with_every_setting_that_was_chosen() {
    let home = Home::with_skills();
    home.file(
        "skillmount.toml",
        "path_style = false\nticket = \"{user}/t/{ticket_id}\"\nembedding_api_key = \"k-secret\"\n",
    );
    let chosen = ["--store", "file:here", "--session", "fixed", "--sse-kms-key-id", "K", "--layers", "--region", "eu"];
    let told = home.ok(&[&["connect", "cursor"], &chosen[..]].concat());
    assert!(told.contains("SKILLMOUNT_EMBEDDING_API_KEY is a secret"), "{told}");
    let text = home.read(".cursor/mcp.json");
    assert!(!text.contains("k-secret"), "{text}");
    let server = serde_json::from_str::<Value>(&text).unwrap()["mcpServers"]["skillmount"].clone();
    let arguments = server["args"].as_array().unwrap();
    let here = format!("file:{}/here", home.path().display());
    for wanted in [&["--store", &here][..], &["--session", "fixed"], &["--sse-kms-key-id", "K"], &["--region", "eu"]] {
        assert!(arguments.windows(2).any(|pair| pair == wanted), "{wanted:?} in {arguments:?}");
    }
    assert!(arguments.contains(&json!("--layers")) && !arguments.contains(&json!("--path-style")), "{arguments:?}");
    let variables = json!({ "SKILLMOUNT_PATH_STYLE": "false", "SKILLMOUNT_TICKET": "{user}/t/{ticket_id}" });
    assert_eq!(server["env"], variables);
    assert!(home.ok(&["connect", "codex", "--print"]).contains("SKILLMOUNT_TICKET = \"{user}/t/{ticket_id}\""));
}

#[test]
fn a_kept_configuration_is_never_written_over() {
    let home = Home::with_skills();
    home.file(".cursor/mcp.json", "{\"mine\": 1}");
    home.ok(&["connect", "cursor"]);
    let first = home.read(".cursor/mcp.json");
    assert!(home.ok(&["connect", "cursor", "--user", "ana"]).contains("mcp.json.before-skillmount-2"));
    home.ok(&["connect", "cursor", "--remove"]);
    assert_eq!(home.read(".cursor/mcp.json.before-skillmount"), "{\"mine\": 1}");
    assert_eq!(home.read(".cursor/mcp.json.before-skillmount-2"), first);
    // The same text is kept once.
    home.file(".cursor/mcp.json", "{\"mine\": 1}");
    home.ok(&["connect", "cursor"]);
    assert!(!home.path().join(".cursor/mcp.json.before-skillmount-4").exists());
}

#[test]
fn a_host_that_was_told_of_another_folder_has_its_configuration_there() {
    let home = Home::with_skills();
    for (host, variable, file) in
        [("claude-code", "CLAUDE_CONFIG_DIR", ".claude.json"), ("codex", "CODEX_HOME", "config.toml")]
    {
        let folder = home.path().join(host);
        let connected = home.typed(&["connect", host]).env(variable, &folder.to_string_lossy()).run();
        assert!(connected.status.success());
        assert!(std::fs::read_to_string(folder.join(file)).unwrap().contains("skillmount"), "{host}");
    }
    assert!(!home.path().join(".claude.json").exists() && !home.path().join(".codex").exists());
}

// S-MCP-15: `connect` leaves a configuration that it cannot parse alone, and says so. `--print` changes nothing.
#[test]
fn what_cannot_be_understood_is_left_alone() {
    let home = Home::with_skills();
    home.file(".cursor/mcp.json", "{ // mine\n}");
    for arguments in [&["connect", "cursor"][..], &["connect", "cursor", "--remove"]] {
        let output = home.run(arguments);
        assert_eq!(output.status.code(), Some(2));
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("left alone") && said.contains("--print"), "{said}");
    }
    assert_eq!(home.read(".cursor/mcp.json"), "{ // mine\n}");
    let printed: Value = serde_json::from_str(&home.ok(&["connect", "cursor", "--print"])).unwrap();
    assert_eq!(printed["mcpServers"]["skillmount"]["args"], json!(["mcp"]));
    assert!(home.ok(&["connect", "goose", "--print"]).contains("type: \"stdio\""));
    assert!(!home.path().join("config/goose").exists());
    assert_eq!(home.refused(&["connect", "cursor", "--server", "http://127.0.0.1:9"]).0, 2);
}

#[test]
fn the_program_that_a_connected_host_starts_serves_the_same_store() {
    let home = Home::with_skills();
    home.ok(&["connect", "claude-code", "--store", "file:data/skillmount"]);
    let settings: Value = serde_json::from_str(&home.read(".claude.json")).unwrap();
    let server = &settings["mcpServers"]["skillmount"];
    assert_eq!(server["command"], env!("CARGO_BIN_EXE_skillmount"));
    let arguments: Vec<&str> = server["args"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
    let elsewhere = tempfile::tempdir().unwrap();
    let mut started = home.command(&arguments);
    let answer = started.current_dir(elsewhere.path()).write_stdin(format!("{hello}\n")).output().unwrap();
    let answer = String::from_utf8(answer.stdout).unwrap();
    assert!(answer.contains("escrituras/compraventa"), "{answer}");

    let doctor = home.json(&["doctor"]);
    let checks = doctor["checks"].as_array().unwrap();
    let hosts = checks.iter().find(|check| check["name"] == "hosts").unwrap();
    assert_eq!((&hosts["status"], &hosts["detail"]), (&json!("ok"), &json!("claude-code starts skillmount")));
}
