//! Policies: what may be set, what lies in the bucket, and what no policy lets anybody learn.

use reqwest::Method;
use serde_json::{Value, json};
use skillmount::{
    access::{Callers, KeyEntry, Keys, Scope},
    clock::SystemClock,
    http::HttpConfig,
    limits::JSON_VALUES,
    path::Id,
};

use super::{Answer, Server};

const USER_POLICY: &str = "u1/.skillmount/policy.json";

#[tokio::test]
async fn an_array_is_no_policy_over_the_wire() {
    let server = Server::start().await;
    let (session, user) = (server.session(""), server.user("/policy"));
    server.send(Method::PATCH, &session, &json!({"policy": {"plan_mode": true}})).await.is(200);
    for wrong in [json!([]), json!(["write", "all"]), json!({"tools": []}), json!({"skills": [["a", "blocked"]]})] {
        server.send(Method::PATCH, &session, &json!({"policy": wrong})).await.is_problem(400, "invalid_request");
        server.send(Method::PUT, &user, &wrong).await.is_problem(400, "invalid_request");
    }
    assert_eq!(server.get(&session).await.is(200)["policy"]["plan_mode"], true);
    let call = json!({"content": [{"type": "tool_use", "id": "1", "name": "ls", "input": ["/"]}]});
    let answer = server.op("tool_calls", call).await;
    assert_eq!(answer.is(200)["content"][0]["is_error"], true, "{}", answer.json);
}

#[tokio::test]
async fn a_damaged_policy_of_a_user_allows_nothing_until_another_is_set() {
    for damaged in ["[]", r#"["write","all",true]"#, "", "{", "null", r#"{"tools": []}"#] {
        let server = Server::with_skills().await;
        server.memory.put_raw(USER_POLICY, damaged);
        let calls = [
            server.op("ls", json!({"path": "/"})).await,
            server.op("write", json!({"file_path": "/workspace/a", "content": ""})).await,
            server.op("load_skill", json!({"skill": "escrituras/compraventa"})).await,
            server.get(&server.session("/prompt")).await,
            server.get(&server.user("/skills")).await,
            server.get(&server.user("/policy")).await,
        ];
        for answer in calls {
            let detail = answer.is_problem(500, "object_damaged").json["detail"].as_str().unwrap();
            assert!(detail.contains("policy of this user is damaged"), "{damaged}: {detail}");
        }
        server.send(Method::PUT, &server.user("/policy"), &json!({"plan_mode": true})).await.is(200);
        server.op("ls", json!({"path": "/"})).await.is(200);
        let write = server.op("write", json!({"file_path": "/workspace/a", "content": ""})).await;
        write.is_problem(403, "plan_mode");
    }
}

// S-SESSION-31: `PUT` of a session that exists changes nothing. Its answer names in `unchanged` the members of the request
// that differ from the session.
#[tokio::test]
async fn a_session_that_exists_keeps_its_policy_and_the_answer_says_so() {
    let server = Server::start().await;
    let session = server.session("");
    let put = async |body: Value| server.send(Method::PUT, &session, &body).await;
    let made = put(json!({"policy": {"plan_mode": true}, "vars": {"ticket_id": "T-1"}})).await;
    assert_eq!(made.is(201).get("unchanged"), None);
    let same = put(json!({"policy": {"plan_mode": true}, "vars": {"ticket_id": "T-1"}})).await;
    assert_eq!(same.is(200).get("unchanged"), None);
    assert_eq!(put(json!({})).await.is(200).get("unchanged"), None);
    let other = put(json!({"policy": {"plan_mode": false}, "vars": {"ticket_id": "T-2"}, "parent": "p"})).await;
    // A parent that does not exist is refused as ever.
    other.is_problem(404, "session_not_found");
    let other = put(json!({"policy": {"plan_mode": false}, "vars": {"ticket_id": "T-2"}})).await;
    assert_eq!(other.is(200)["unchanged"], json!(["policy", "vars"]));
    assert_eq!((&other.json["policy"]["plan_mode"], &other.json["vars"]["ticket_id"]), (&json!(true), &json!("T-1")));
    assert_eq!(server.get(&session).await.is(200).get("unchanged"), None);

    // A fork keeps the rights that its parent gave it, so the same request differs in nothing.
    let parent = server.user("/sessions/p");
    server.send(Method::PUT, &parent, &json!({"policy": {"children": {"load": false}}})).await.is(201);
    let fork = server.user("/sessions/f");
    let wanted = json!({"policy": {"plan_mode": true}, "parent": "p"});
    server.send(Method::PUT, &fork, &wanted).await.is(201);
    assert_eq!(server.send(Method::PUT, &fork, &wanted).await.is(200).get("unchanged"), None);
    let other = server.send(Method::PUT, &session, &json!({"parent": "p"})).await;
    assert_eq!(other.is(200)["unchanged"], json!(["parent"]));
}

#[tokio::test]
async fn a_body_of_very_many_values_is_refused_before_they_are_read() {
    let server = Server::start().await;
    // Broken off after the limit: had the rest been looked at, it would be `invalid_request`.
    let many = format!(r#"{{"content":[{}"#, r#"{"":0},"#.repeat(JSON_VALUES));
    let request = server.client.post(server.session("/tool_calls")).header("content-type", "application/json");
    let answer = Answer::of(request.body(many).send().await.unwrap()).await;
    assert_eq!(answer.is_problem(400, "too_expensive").json["limit"], JSON_VALUES);
}

#[tokio::test]
async fn rules_hold_for_every_way_to_the_same_end() {
    let server = Server::with_skills().await;
    let file = server.session("/files/workspace/a");
    server.put("/workspace/a", "x").await;
    let set = async |tools: Value| {
        server.send(Method::PUT, &server.user("/policy"), &json!({"tools": tools})).await.is(200);
    };
    set(json!({"*": "auto", "write": "blocked"})).await;
    let put = server.client.put(&file).body("y").send().await.unwrap();
    Answer::of(put).await.is_problem(403, "tool_blocked");
    Answer::of(server.client.delete(&file).send().await.unwrap()).await.is_problem(403, "tool_blocked");
    let edit = json!({"file_path": "/workspace/a", "old_string": "x", "new_string": "y"});
    server.op("edit", edit).await.is_problem(403, "tool_blocked");
    server.op("delete", json!({"path": "/workspace/a"})).await.is_problem(403, "tool_blocked");
    let form = reqwest::multipart::Form::new().percent_encode_noop().text("/workspace/b", "b");
    let upload = server.client.post(server.session("/upload")).multipart(form).send().await.unwrap();
    assert_eq!(Answer::of(upload).await.is(200)["files"][0]["error"], "tool_blocked");

    set(json!({"*": "auto", "read": "blocked"})).await;
    Answer::of(server.client.get(&file).send().await.unwrap()).await.is_problem(403, "tool_blocked");
    assert_eq!(server.client.head(&file).send().await.unwrap().status(), 403);

    for (load_tool, ruled) in [("Skill", "Skill"), ("Skill", "load_skill"), ("load_skill", "Skill")] {
        let policy = json!({"load_tool": load_tool, "tools": {"*": "auto", ruled: "blocked"}});
        server.send(Method::PUT, &server.user("/policy"), &json!({})).await.is(200);
        server.send(Method::PATCH, &server.session(""), &json!({"policy": policy})).await.is(200);
        let input = json!({"skill": "escrituras/compraventa"});
        let call = json!({"content": [{"type": "tool_use", "id": "1", "name": load_tool, "input": input}]});
        assert_eq!(server.op("tool_calls", call).await.is(200)["content"][0]["is_error"], true, "{ruled}");
        server.op("load_skill", input).await.is_problem(403, "tool_blocked");
        let tools = server.get(&server.session("/tools")).await;
        assert!(!tools.json.to_string().contains(&format!("{load_tool:?}")), "{}", tools.json);
    }
}

// S-POLICY-5: `prompt_mode`, `load_tool` and `preload` belong to a session: they say how its agent works, and none of
// their values is stricter.
#[tokio::test]
async fn what_is_a_sessions_own_is_refused_in_the_policy_of_a_user_and_kept_at_rest() {
    let server = Server::with_skills().await;
    let url = server.user("/policy");
    for (member, value) in [
        ("prompt_mode", json!("discover")),
        ("load_tool", json!("Skill")),
        ("preload", json!(["escrituras/compraventa"])),
        ("preload", json!("auto")),
    ] {
        let policy = json!({"plan_mode": true, member: value});
        let answer = server.send(Method::PUT, &url, &policy).await;
        let detail = answer.is_problem(400, "invalid_request").json["detail"].as_str().unwrap();
        assert!(detail.starts_with(member) && detail.contains("policy of each session"), "{detail}");
        assert_eq!(server.get(&url).await.is(200)["plan_mode"], false, "nothing was set");
        server.send(Method::PATCH, &server.session(""), &json!({"policy": policy})).await.is(200);
    }
    // A policy that was read is sent back as it is.
    let read = server.get(&url).await.json;
    assert_eq!(*server.send(Method::PUT, &url, &read).await.is(200), read);

    let old = json!({"prompt_mode": "discover", "load_tool": "Skill", "preload": ["pub/none"], "plan_mode": true});
    server.memory.put_raw("u2/.skillmount/policy.json", old.to_string());
    let url = |rest: &str| format!("{}/v1/users/u2{rest}", server.base);
    let made = server.send(Method::PUT, &url("/sessions/s"), &json!({})).await;
    assert_eq!(made.is(201)["policy"]["prompt_mode"], "two_state");
    let prompt = server.get(&url("/sessions/s/prompt")).await;
    assert_eq!(prompt.is(200)["mode"], "two_state", "{}", prompt.json);
    let write = json!({"file_path": "/workspace/a", "content": ""});
    server.send(Method::POST, &url("/sessions/s/write"), &write).await.is_problem(403, "plan_mode");
}

#[tokio::test]
async fn an_unknown_tool_is_refused_when_set_and_kept_and_reported_at_rest() {
    let server = Server::start().await;
    let wrong = json!({"tools": {"*": "auto", "wriet": "blocked"}});
    let answer = server.send(Method::PUT, &server.user("/policy"), &wrong).await;
    assert_eq!(answer.is_problem(400, "invalid_request").json["suggestions"], json!(["write"]));
    server.send(Method::PATCH, &server.session(""), &json!({"policy": wrong})).await.is_problem(400, "invalid_request");
    server.send(Method::PUT, &server.session(""), &json!({"policy": wrong})).await.is_problem(400, "invalid_request");

    // As an older version, or a newer one, may have left it.
    let rules = json!({"*": "ask", "wriet": "auto", "run": "blocked"});
    server.memory.put_raw("u2/.skillmount/policy.json", json!({"tools": rules}).to_string());
    let url = |rest: &str| format!("{}/v1/users/u2{rest}", server.base);
    let shown = server.get(&url("/policy")).await;
    assert_eq!((&shown.is(200)["unknown_tools"], &shown.json["tools"]), (&json!(["run", "wriet"]), &rules));
    let ls = server.send(Method::POST, &url("/sessions/s/ls"), &json!({"path": "/"})).await;
    ls.is_problem(403, "approval_required");
    let (session, key) = (url("/sessions/s"), "u2/.skillmount/sessions/s.json");
    let mut stored = server.get(&session).await.json;
    // The call that waits was the first change of the session.
    stored["version"] = json!(2);
    stored["policy"]["tools"] = json!({"*": "auto", "run": "blocked"});
    server.memory.put_raw(key, stored.to_string());
    let fresh = server.client.get(&session).header("x-skillmount-session-version", "2");
    assert_eq!(Answer::of(fresh.send().await.unwrap()).await.is(200)["unknown_tools"], json!(["run"]));
}

// S-POLICY-6: The answer to a change of a policy names its rules that match no skill, in `unmatched_rules`.
#[tokio::test]
async fn rules_that_match_no_skill_are_named_when_a_policy_is_set() {
    let server = Server::start().await;
    server.memory.put_raw("u1/skills/legal/review/SKILL.md", "---\nname: review\ndescription: Reviews.\n---\n# Go\n");
    let policy = json!({
        "skills": {"*": "auto_approve", "Legal/*": "enabled", "legal/*": "enabled"}, "agents": {"clerk": ["legal/reviews"]},
    });
    let answer = server.send(Method::PUT, &server.user("/policy"), &policy).await;
    assert_eq!(answer.is(200)["unmatched_rules"], json!(["Legal/*", "legal/reviews"]));
    assert_eq!(answer.json["skills"], policy["skills"], "it is set all the same");
    let right = json!({"skills": {"legal/*": "enabled", "legal/review": "disabled"}});
    let answer = server.send(Method::PUT, &server.user("/policy"), &right).await;
    assert_eq!(answer.is(200).get("unmatched_rules"), None);

    let session = server.session("");
    let begun = server.send(Method::PUT, &session, &json!({"policy": policy})).await;
    assert_eq!(begun.is(201)["unmatched_rules"], json!(["Legal/*", "legal/reviews"]));
    let again = server.send(Method::PUT, &session, &json!({"policy": policy})).await;
    assert_eq!(again.is(200).get("unmatched_rules"), None, "nothing was set");
    let changed =
        server.send(Method::PATCH, &session, &json!({"policy": {"skills": {"legal/revue": "blocked"}}})).await;
    assert_eq!(changed.is(200)["unmatched_rules"], json!(["legal/revue"]));
    let changed = server.send(Method::PATCH, &session, &json!({"vars": {"ticket_id": "t"}})).await;
    assert_eq!(changed.is(200).get("unmatched_rules"), None, "the policy was not set");
    assert_eq!(server.get(&session).await.is(200).get("unmatched_rules"), None);
}

/// A server with skills below `sec/` that the user's policy hides, and others that have much in common with them. With
/// the key of an agent.
async fn with_secrets() -> (Server, String) {
    let user = Id::parse("u1").unwrap();
    let (key, entry) = KeyEntry::generate(&SystemClock::new(), Some(&user), vec![Scope::Agent]);
    let keys = Keys::from_toml(&entry.to_toml().unwrap()).unwrap();
    let server =
        Server::with(HttpConfig { callers: Callers { keys, ..Callers::default() }, ..HttpConfig::default() }).await;
    for (path, name) in [
        ("sec/hidden", "twin"),
        ("sec/venta", "venta"),
        ("sec/two", "venta"),
        ("pub/hidden", "twin"),
        ("pub/venta", "venta"),
        ("pub/other", "venta"),
    ] {
        let text = format!("---\nname: {name}\ndescription: About {name} and hidden things\n---\n# {name}\n");
        server.memory.put_raw(&format!("u1/skills/{path}/SKILL.md"), text);
    }
    server.memory.put_raw("u1/skills/sec/broken/SKILL.md", "nothing");
    server.memory.put_raw("u1/skills/sec/a/b/c/d/e/f/SKILL.md", "nothing");
    server.memory.put_raw("u1/skills/sec/misnamed/skill.md", "nothing");
    let policy = json!({"skills": {"*": "auto_approve", "sec/*": "blocked", "sec/two": "disabled"}});
    server.memory.put_raw(USER_POLICY, policy.to_string());
    (server, key)
}

// S-POLICY-3: No answer names a skill, or a folder of skills, that the policy hides from the caller.
#[tokio::test]
async fn nothing_names_what_the_policy_hides() {
    let (server, key) = with_secrets().await;
    let call = async |method: Method, url: String, body: Value| {
        let request = server.client.request(method, url).bearer_auth(&key).json(&body);
        Answer::of(request.send().await.unwrap()).await.json
    };
    let session = |rest: &str| server.session(rest);
    let (get, post) = (Method::GET, Method::POST);
    let own = json!({"policy": {"skills": {"sec/hidden": "blocked"}, "preload": ["sec/venta"]}});
    let turn = |name: &str, skill: &str| json!({"content": [{"type": "tool_use", "id": "1", "name": name, "input": {"skill": skill}}]});
    let mut told = vec![
        call(Method::PUT, session(""), json!({})).await,
        call(Method::PATCH, session(""), own).await,
        call(get.clone(), session(""), Value::Null).await,
        call(get.clone(), server.user("/sessions"), Value::Null).await,
        call(get.clone(), server.user("/policy"), Value::Null).await,
        call(get.clone(), server.user("/skills"), Value::Null).await,
        call(get.clone(), server.user("/skills?limit=1"), Value::Null).await,
        call(get.clone(), server.user("/skills/pub/hidden"), Value::Null).await,
        call(post.clone(), server.user("/catalog/refresh"), Value::Null).await,
        call(get.clone(), session("/prompt"), Value::Null).await,
        call(get.clone(), session("/prompt?mode=listing&max_tokens=60"), Value::Null).await,
        call(get.clone(), session("/tools"), Value::Null).await,
        call(post.clone(), session("/discover_skills"), json!({"query": "hidden things"})).await,
        call(post.clone(), session("/discover_skills"), json!({"query": "zzzzz"})).await,
    ];
    for name in ["hidden", "twin", "venta", "hiden", "two", "pub/two", "broken", "misnamed"] {
        told.push(call(post.clone(), session("/load_skill"), json!({"skill": name})).await);
        told.push(call(post.clone(), session("/tool_calls"), turn("load_skill", name)).await);
        told.push(call(post.clone(), session("/messages"), json!({"text": format!("/{name}")})).await);
    }
    for answer in &told {
        assert!(!answer.to_string().contains("sec"), "{answer}");
    }
    // What is left of the findings is what the visible skills have in common.
    let messages: Vec<_> = told[5]["diagnostics"].as_array().unwrap().iter().map(|found| &found["message"]).collect();
    assert_eq!(
        messages.iter().filter(|text| text.to_string().contains("named \\\"venta\\\" too")).count(),
        1,
        "{messages:?}"
    );
    assert!(!told[5].to_string().contains("mount_as") && !told[5].to_string().contains("more)"), "{messages:?}");
    // And the counts are of what is visible.
    assert_eq!((&told[9]["total"], &told[8]["skills"]), (&json!(3), &json!(3)));
}

// S-POLICY-3: No answer names a skill, or a folder of skills, that the policy hides from the caller. Only a key of scope
// `control` sees the rules that name skills.
#[tokio::test]
async fn rules_that_name_skills_are_shown_to_control_alone() {
    let user = Id::parse("u1").unwrap();
    let clock = SystemClock::new();
    let (agent, entry) = KeyEntry::generate(&clock, Some(&user), vec![Scope::Agent]);
    let (control, other) = KeyEntry::generate(&clock, Some(&user), vec![Scope::Control]);
    let keys = [entry, other].map(|entry| entry.to_toml().unwrap()).join("\n");
    let callers = Callers { keys: Keys::from_toml(&keys).unwrap(), ..Callers::default() };
    let server = Server::with(HttpConfig { callers, ..HttpConfig::default() }).await;
    server.memory.put_raw("u1/skills/sec/venta/SKILL.md", "---\nname: venta\ndescription: Sells.\n---\n# Go\n");
    let call = async |key: &str, method: Method, url: String, body: Value| {
        let request = server.client.request(method, url).bearer_auth(key).json(&body);
        Answer::of(request.send().await.unwrap()).await.json
    };
    let rules = json!({"skills": {"*": "auto_approve", "sec/venta": "enabled"}, "agents": {"clerk": ["sec/*", "*"]}});
    let mut own = rules.clone();
    own["preload"] = json!(["sec/venta"]);
    call(&control, Method::PUT, server.user("/policy"), rules.clone()).await;
    call(&control, Method::PUT, server.session(""), json!({"policy": rules})).await;
    call(&control, Method::PATCH, server.session(""), json!({"policy": own})).await;
    let get = async |key: &str, url: String| call(key, Method::GET, url, Value::Null).await;
    let fork = server.user("/sessions/fork");
    call(&control, Method::PUT, fork.clone(), json!({"parent": "s1"})).await;

    let told = [
        get(&agent, server.user("/policy")).await,
        get(&agent, server.session("")).await,
        get(&agent, server.user("/sessions")).await,
        get(&agent, fork.clone()).await,
        call(&agent, Method::PUT, server.session(""), json!({})).await,
        call(&agent, Method::PATCH, server.session(""), json!({"current_skill": null})).await,
    ];
    for answer in &told {
        assert!(!answer.to_string().contains("sec/") && answer.get("code").is_none(), "{answer}");
    }
    assert_eq!((&told[0]["skills"], &told[0]["agents"]), (&json!({"*": "auto_approve"}), &json!({"clerk": ["*"]})));
    let whole = get(&control, server.session("")).await;
    assert_eq!((&whole["policy"]["preload"], &whole["policy"]["skills"]), (&own["preload"], &own["skills"]));
}

#[tokio::test]
async fn a_loaded_skill_that_is_hidden_since_is_not_named_by_its_mount() {
    let server = Server::with_skills().await;
    server.memory.put_raw("u1/skills/sec/x/SKILL.md", "---\ndescription: d\n---\n");
    server.memory.put_raw("u1/skills/pub/x/SKILL.md", "---\ndescription: d\n---\n");
    server.op("load_skill", json!({"skill": "sec/x"})).await.is(200);
    server.send(Method::PUT, &server.user("/policy"), &json!({"skills": {"sec/*": "blocked"}})).await.is(200);
    let conflict = server.op("load_skill", json!({"skill": "pub/x"})).await;
    assert!(!conflict.is_problem(409, "mount_conflict").json.to_string().contains("sec"), "{}", conflict.json);
    assert_eq!(server.op("unload_skill", json!({"skill": "x"})).await.is(200)["skill"], "x");
}
