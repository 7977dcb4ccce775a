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
        let document = home.json(&[more, &["approvals"]].concat());
        assert_eq!(document["approvals"][0]["approval_id"], id);
        assert_eq!(run(&["approvals", "allow", &id]), format!("allowed {id}\n"));
        run(&["write", "/workspace/a", "x"]);
        assert_eq!(run(&["cat", "/workspace/a"]), "x");

        let id = waiting(&home, more, "/workspace/b");
        assert_eq!(run(&["approvals", "deny", &id]), format!("denied {id}\n"));
        let refused = home.refused(&[more, &["write", "/workspace/b", "x"]].concat());
        assert_eq!(refused, (4, "tool_blocked".to_owned()));

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
