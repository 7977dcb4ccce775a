//! Skills: listed, shown, loaded, and in the prompt.

use reqwest::{Method, header};
use serde_json::json;
use skillmount::{
    access::{Callers, KeyEntry, Keys, Scope},
    clock::SystemClock,
    http::HttpConfig,
    path::Id,
};

use super::{Answer, Server};

#[tokio::test]
async fn skills_are_listed_with_their_frontmatter_and_what_is_wrong() {
    let server = Server::with_skills().await;
    let listed = server.get(&server.user("/skills")).await;
    let skills = listed.is(200)["skills"].as_array().unwrap();
    assert_eq!(
        skills.iter().map(|skill| &skill["skill"]).collect::<Vec<_>>(),
        ["contratos/arrendamiento", "escrituras/compraventa"]
    );
    let skill = &skills[1];
    assert_eq!(
        (&skill["name"], &skill["category"], &skill["layer"]),
        (&json!("compraventa"), &json!("escrituras"), &json!("user"))
    );
    assert_eq!((&skill["files"], &skill["frontmatter"]["autor"]), (&json!(2), &json!("Ana")));
    assert!(
        listed.json["diagnostics"]
            .as_array()
            .unwrap()
            .iter()
            .any(|found| found["skill"] == "roto" && found["severity"] == "error")
    );

    let first = server.get(&server.user("/skills?limit=1")).await;
    assert_eq!(first.is(200)["next_cursor"], "contratos/arrendamiento");
    assert_eq!(
        (&first.json["total"], &first.json["total_diagnostics"]),
        (&listed.json["total"], &listed.json["total_diagnostics"])
    );
    assert_eq!(listed.json["total"], 2);
    assert!(!first.json["diagnostics"].to_string().contains("roto"), "{}", first.json["diagnostics"]);
    let second = server.get(&server.user("/skills?limit=1&cursor=contratos/arrendamiento")).await;
    assert_eq!(
        (&second.is(200)["skills"][0]["skill"], &second.json["next_cursor"]),
        (&json!("escrituras/compraventa"), &json!(null))
    );
    assert!(second.json["diagnostics"].to_string().contains("roto"), "{}", second.json["diagnostics"]);
    let of_category = server.get(&server.user("/skills?category=escritura")).await;
    assert_eq!(of_category.is(200)["skills"], json!([]), "a category is whole segments");

    server.memory.put_raw("u1/skills/nuevo/SKILL.md", "---\ndescription: x\n---\n");
    let fresh = server.get(&server.user("/skills?fresh=true")).await;
    assert_eq!(fresh.is(200)["skills"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn one_skill_is_shown_with_body_outline_and_files() {
    let server = Server::with_skills().await;
    let shown = server.get(&server.user("/skills/escrituras/compraventa")).await;
    assert_eq!(shown.is(200)["description"], "Redacta una compraventa");
    assert!(shown.json["body"].as_str().unwrap().starts_with("# Compraventa"));
    let headings: Vec<_> =
        shown.json["outline"].as_array().unwrap().iter().map(|heading| heading["text"].clone()).collect();
    assert_eq!(headings, [json!("Compraventa"), json!("Cláusulas")]);
    assert_eq!(shown.json["file_list"][1], json!({"path": "resources/ejemplo.md", "size": 11}));
    server.get(&server.user("/skills/escrituras/nada")).await.is_problem(404, "skill_not_found");
    server.memory.put_raw("u1/skills/escrituras/nada/SKILL.md", "---\ndescription: x\n---\n");
    server.get(&server.user("/skills/escrituras/nada")).await.is(200);
    let unknown = server.get(&server.user("/skills/escrituras/compraventa?digets=x")).await;
    unknown.is_problem(400, "invalid_request");
    assert_eq!(server.get(&server.user("/skills/escrituras%2Fcompraventa")).await.is(200), shown.is(200));
}

#[tokio::test]
async fn hidden_skills_are_in_no_listing() {
    let (key, entry) = KeyEntry::generate(&SystemClock::new(), Some(&Id::parse("u1").unwrap()), vec![Scope::Agent]);
    let callers = Callers { keys: Keys::from_toml(&entry.to_toml().unwrap()).unwrap(), ..Callers::default() };
    let server = Server::with(HttpConfig { callers, ..HttpConfig::default() }).await;
    server.put_skills();
    let policy = json!({"skills": {"*": "auto_approve", "escrituras/*": "blocked", "roto": "disabled"}});
    server.memory.put_raw("u1/.skillmount/policy.json", policy.to_string());
    let get = async |path: &str| {
        Answer::of(server.client.get(server.user(path)).bearer_auth(&key).send().await.unwrap()).await
    };
    let listed = get("/skills").await.is(200).to_string();
    assert!(
        listed.contains("arrendamiento") && !listed.contains("compraventa") && !listed.contains("roto"),
        "{listed}"
    );
    get("/skills/escrituras/compraventa").await.is_problem(404, "skill_not_found");
}

#[tokio::test]
async fn a_loaded_skill_appears_in_the_session_and_below_skills() {
    let server = Server::with_skills().await;
    let loaded = server.op("load_skill", json!({"skill": "escrituras/compraventa"})).await;
    assert_eq!((&loaded.is(200)["status"], &loaded.json["mount"]), (&json!("loaded"), &json!("/skills/compraventa")));
    assert!(loaded.header("x-skillmount-session-version").ends_with(".1"));
    let session = server.get(&server.session("")).await;
    let in_session = &session.is(200)["loaded_skills"][0];
    assert_eq!(in_session["mount"], "/skills/compraventa");
    assert_eq!(
        (&in_session["skill"], &in_session["digest"]),
        (&json!("escrituras/compraventa"), &loaded.json["digest"])
    );
    assert_eq!(session.json["current_skill"], "escrituras/compraventa");
    server.op("read", json!({"file_path": "/skills/compraventa/resources/ejemplo.md"})).await.is(200);

    let cleared = server.send(Method::PATCH, &server.session(""), &json!({"current_skill": null})).await;
    assert_eq!(cleared.is(200)["current_skill"], json!(null));
    let set = server.send(Method::PATCH, &server.session(""), &json!({"current_skill": "x"})).await;
    set.is_problem(400, "invalid_request");

    assert_eq!(server.op("unload_skill", json!({"skill": "compraventa"})).await.is(200)["status"], "unloaded");
    let unknown = server.op("load_skill", json!({"skill": "compravento"})).await;
    assert!(unknown.is_problem(404, "skill_not_found").json["suggestions"].to_string().contains("compraventa"));
}

#[tokio::test]
async fn a_skill_not_loaded_answers_as_one_that_does_not_exist() {
    let server = Server::with_skills().await;
    let body = async |mount: &str| {
        let request = json!({"file_path": format!("/skills/{mount}/SKILL.md")});
        let mut answer = server.op("read", request).await.is_problem(404, "file_not_found").json.clone();
        answer["request_id"] = json!(null);
        answer.to_string().replace(mount, "X")
    };
    assert_eq!(body("compraventa").await, body("inexistente").await);
}

#[tokio::test]
async fn the_prompt_comes_as_json_or_text_and_is_304_while_it_stays() {
    let server = Server::with_skills().await;
    let url = server.session("/prompt?mode=listing&format=markdown&category=escrituras&max_tokens=500");
    let prompt = server.get(&url).await;
    assert!(prompt.is(200)["prompt"].as_str().unwrap().contains("escrituras/compraventa"));
    assert_eq!((&prompt.json["mode"], &prompt.json["format"]), (&json!("listing"), &json!("markdown")));
    assert_eq!((&prompt.json["shown"], &prompt.json["total"]), (&json!(1), &json!(1)));

    let text = server.client.get(&url).header(header::ACCEPT, "text/plain").send().await.unwrap();
    assert_ne!(text.headers()["etag"], prompt.headers["etag"], "two representations, two tags");
    assert_eq!(text.text().await.unwrap(), prompt.json["prompt"].as_str().unwrap());

    let written = server.op("write", json!({"file_path": "/workspace/a", "content": "x"})).await;
    for tag in ["x-skillmount-prompt-tag", "x-skillmount-tools-tag"] {
        assert_eq!(prompt.header(tag).len(), 64, "{tag} is there");
        assert_eq!(written.header(tag), prompt.header(tag), "{tag} stays while the prompt does");
    }

    let again = server.client.get(&url).header(header::IF_NONE_MATCH, prompt.header("etag"));
    assert_eq!(again.send().await.unwrap().status(), 304);
    server.get(&server.session("/prompt?mode=lsting")).await.is_problem(400, "invalid_request");

    server.op("load_skill", json!({"skill": "compraventa"})).await.is(200);
    let two_state = server.client.get(server.session("/prompt")).header(header::IF_NONE_MATCH, prompt.header("etag"));
    let two_state = Answer::of(two_state.send().await.unwrap()).await;
    assert!(two_state.is(200)["prompt"].as_str().unwrap().contains("# Compraventa"));
}
