//! `skillmount hook`: a host runs a command, gives it the hook on standard input and reads the answer.

use serde_json::{Value, json};

use super::{Home, server::Server};

/// The exit status of a hook and what it printed.
fn hook(home: &Home, flags: &[&str], input: &str) -> (Option<i32>, Value) {
    let output = home.typed(&[flags, &["hook"]].concat()).input(input).run();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().count(), 1, "{text}");
    (output.status.code(), serde_json::from_str(&text).unwrap())
}

#[test]
fn a_hook_on_standard_input_is_answered_on_a_store_and_through_a_server() {
    let home = Home::with_skills();
    let server = Server::start(&home, &[]);
    let start = json!({"session_id": "0f9c", "hook_event_name": "SessionStart", "source": "startup"}).to_string();
    let bash = json!({
        "hook_event_name": "UserPromptSubmit", "cwd": "/", "prompt": "toma notas de la reunión",
    });
    let mut answers = Vec::new();
    for flags in [&["--session", "a"][..], &["--server", &server.url, "--session", "b"]] {
        let (status, started) = hook(&home, flags, &start);
        assert_eq!(status, Some(0));
        let listing = started["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
        assert!(listing.contains("escrituras/compraventa"), "{listing}");
        let (_, prompted) = hook(&home, flags, &bash.to_string());
        let context = prompted["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
        assert!(context.contains("- notas, words: ") && !context.contains("escrituras"), "{context}");
        assert_eq!(hook(&home, flags, r#"{"hook_event_name": "Stop"}"#), (Some(0), json!({})));
        answers.push((started, prompted));
    }
    assert_eq!(answers[0], answers[1]);
}

#[test]
fn the_settings_in_the_documents_work_as_they_are_pasted() {
    let page = include_str!("../../../docs/hooks.md");
    let settings = page.split("```json\n").nth(1).unwrap().split("```").next().unwrap();
    let settings: Value = serde_json::from_str(settings).unwrap();
    let home = Home::with_skills();
    let server = Server::start(&home, &[]);
    let hook = |event: &str| settings["hooks"][event][0]["hooks"][0].clone();
    // Claude Code posts no SessionStart.
    assert_eq!(hook("SessionStart")["type"], "command");
    let command = hook("SessionStart")["command"].as_str().unwrap().replace("http://127.0.0.1:8787", &server.url);
    let words: Vec<&str> = command.strip_prefix("skillmount ").unwrap().split(' ').collect();
    let answer = home.typed(&words).input(r#"{"hook_event_name": "SessionStart"}"#).run();
    assert!(String::from_utf8(answer.stdout).unwrap().contains("escrituras/compraventa"));
    for event in ["UserPromptSubmit", "PreToolUse", "SubagentStart"] {
        assert_eq!(hook(event)["type"], "http", "{event}");
        let url = hook(event)["url"].as_str().unwrap().to_owned();
        assert!(url.ends_with("/hooks/claude"), "{url}");
        let headers = serde_json::json!({ "x-skillmount-user": "me", "x-skillmount-session": "cli" });
        assert_eq!(hook(event)["headers"], headers);
    }
}

// S-HOOK-11: `skillmount hook` that fails says why to the person, in `systemMessage`, and ends with status 0.
#[test]
fn a_hook_that_fails_tells_the_person_and_stops_nothing() {
    let home = Home::with_skills();
    let start = r#"{"hook_event_name": "SessionStart"}"#;
    for (flags, input, why) in [
        (&[][..], "no json", "JSON"),
        (&[], "", "JSON"),
        (&[], r#"{"hook_event_name": "UserPromptSubmit"}"#, "`prompt`"),
        (&["--server", "http://127.0.0.1:9"], start, "cannot be reached"),
        (&["--store", "nowhere:x"], start, "nowhere:x"),
    ] {
        let (status, output) = hook(&home, flags, input);
        assert_eq!((status, output.as_object().unwrap().len()), (Some(0), 1), "{output}");
        let message = output["systemMessage"].as_str().unwrap();
        assert!(message.starts_with("skillmount has no skills to offer here: ") && message.contains(why), "{message}");
    }
}
