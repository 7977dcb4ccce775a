//! `skillmount approvals`: what waits, and deciding it, on a store and through a server.

use serde_json::json;

use super::{Home, server::Server};

/// Lets the policy of the user ask about `write`.
fn ask_about_write(home: &Home) {
    let policy = json!({"skills_access": "write", "tools": {"*": "auto", "write": "ask"}});
    home.file("data/skillmount/me/.skillmount/policy.json", &policy.to_string());
}

/// A write that waits, and its id.
fn waiting(home: &Home, more: &[&str], path: &str) -> String {
    let refused = home.run(&[more, &["write", path, "x", "--json"]].concat());
    assert_eq!(refused.status.code(), Some(4), "{}", String::from_utf8_lossy(&refused.stderr));
    let problem: serde_json::Value = serde_json::from_slice(&refused.stderr).unwrap();
    assert_eq!(problem["code"], "approval_required");
    problem["approval_id"].as_str().unwrap().to_owned()
}

#[test]
fn what_waits_is_listed_and_decided_on_a_store_and_through_a_server() {
    let home = Home::with_skills();
    ask_about_write(&home);
    let server = Server::start(&home, &[]);
    for more in [&[][..], &["--server", &server.url, "--session", "over-http"]] {
        let run = |arguments: &[&str]| home.ok(&[more, arguments].concat());
        assert_eq!(home.json(&[more, &["approvals"]].concat()), json!({"approvals": []}));
        let id = waiting(&home, more, "/workspace/a");
        let listed = run(&["approvals"]);
        assert!(listed.starts_with(&format!("{id}  write  ")) && listed.contains("/workspace/a"), "{listed}");
        let left = listed.split("  ").nth(2).unwrap().strip_suffix(" s left").unwrap();
        assert!((200..=300).contains(&left.parse().unwrap()), "{listed}");
        let document = home.json(&[more, &["approvals"]].concat());
        assert_eq!(document["approvals"][0]["approval_id"], id);
        assert_eq!(run(&["approvals", "allow", &id]), format!("allowed {id}\n"));
        run(&["write", "/workspace/a", "x"]);
        assert_eq!(run(&["cat", "/workspace/a"]), "x");

        let id = waiting(&home, more, "/workspace/b");
        assert_eq!(run(&["approvals", "deny", &id]), format!("denied {id}\n"));
        let refused = home.refused(&[more, &["write", "/workspace/b", "x"]].concat());
        assert_eq!(refused, (4, "tool_blocked".to_owned()));

        let id = waiting(&home, more, "/workspace/e");
        run(&["approvals", "deny", &id, "--message", "archive it instead"]);
        let refused = home.run(&[more, &["write", "/workspace/e", "x", "--json"]].concat());
        let problem: serde_json::Value = serde_json::from_slice(&refused.stderr).unwrap();
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.ends_with("The person says: \"archive it instead\""), "{detail}");
        let no_flag = home.run(&[more, &["approvals", "allow", &id, "--message", "x"]].concat());
        assert_eq!(no_flag.status.code(), Some(2));
        let long = "x".repeat(1001);
        let too_long = home.refused(&[more, &["approvals", "deny", &id, "--message", &long]].concat());
        assert_eq!(too_long, (2, "invalid_request".to_owned()));

        let id = waiting(&home, more, "/workspace/c");
        let done = home.json(&[more, &["approvals", "allow", &id, "--remember"]].concat());
        assert_eq!(done, json!({"approval_id": id, "decision": "allow", "remember": true}));
        run(&["write", "/workspace/d", "x"]);
        let unknown = home.refused(&[more, &["approvals", "allow", "0123"]].concat());
        assert_eq!(unknown, (5, "approval_not_found".to_owned()));
        let none = home.run(&[more, &["approvals", "deny", ""]].concat());
        let said = String::from_utf8(none.stderr).unwrap();
        assert!(none.status.code() == Some(2) && said.contains("`skillmount approvals` lists the calls"), "{said}");
    }
}

#[test]
fn a_person_reads_what_to_do_and_a_script_is_not_asked() {
    let home = Home::new();
    ask_about_write(&home);
    let refused = home.run(&["write", "/workspace/a", "x"]);
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(said.contains("`skillmount approvals` shows it") && !said.contains("identical call"), "{said}");
    assert_eq!(home.refused(&["approvals", "--watch"]), (2, "invalid_request".to_owned()));
}

// S-APPROVAL-11: The person who decides about a call sees the tool, its input (S-APPROVAL-15) and the seconds left.
#[test]
fn a_list_shows_the_skill_and_the_version_of_a_load() {
    let home = Home::with_skills();
    let policy = json!({"skills": {"notas": "enabled"}});
    home.file("data/skillmount/me/.skillmount/policy.json", &policy.to_string());
    let server = Server::start(&home, &[]);
    let load = json!({"content": [{"type": "tool_use", "id": "1", "name": "load_skill", "input": {"skill": "notas"}}]});
    let url = format!("{}/v1/users/me/sessions/cli/tool_calls", server.url);
    let client = reqwest::Client::new();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let sent = runtime.block_on(client.post(url).json(&load).send()).unwrap();
    assert!(sent.status().is_success());
    let document = home.json(&["--server", &server.url, "approvals"]);
    let call = &document["approvals"][0];
    let digest = call["digest"].as_str().unwrap();
    assert!(call["skill"] == "notas" && digest.starts_with("sha256:"), "{document}");
    let listed = home.ok(&["--server", &server.url, "approvals"]);
    assert!(listed.contains("  load_skill  ") && listed.contains(&format!("  notas {digest}  ")), "{listed}");
}
