//! Skills for installers: the index and its artifacts, without a key, for whom the operator or a link names.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use reqwest::{Response, header};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use skillmount::{
    access::{Callers, Keys, LinkSecret, PeerRules, PublicSkills},
    handle::ServiceOptions,
    http::HttpConfig,
    path::Id,
    skill::VersionArchive,
};

use super::Server;

const INDEX: &str = "/.well-known/agent-skills/index.json";

fn secret() -> LinkSecret {
    LinkSecret::parse(&"s".repeat(32)).unwrap()
}

/// With a key for everything else, and the skills of `u1` for whoever asks 127.0.0.1.
async fn server() -> Server {
    let hosts = BTreeMap::from([("127.0.0.1".to_owned(), Id::parse("u1").unwrap())]);
    let public = PublicSkills { hosts, links: Some(secret()) };
    let callers = Callers { keys: Keys::single("k").unwrap(), peers: PeerRules::default(), public };
    let server = Server::serving(HttpConfig { callers, ..HttpConfig::default() }, ServiceOptions::default()).await;
    server.put_skills();
    server.memory.put_raw("u2/skills/geheim/SKILL.md", "---\ndescription: Geheim\n---\nx\n");
    server
}

async fn got(server: &Server, path: &str) -> Response {
    server.client.get(format!("{}{path}", server.base)).send().await.unwrap()
}

async fn index(server: &Server, path: &str) -> Value {
    let response = got(server, path).await;
    assert_eq!(
        (response.status().as_u16(), &response.headers()["content-type"]),
        (200, &"application/json".parse().unwrap())
    );
    response.json().await.unwrap()
}

fn digest(bytes: &[u8]) -> String {
    format!("sha256:{}", hex::encode(Sha256::digest(bytes)))
}

// S-WELLKNOWN-1: `/.well-known/agent-skills/index.json` lists the skills of the user that the operator names for the Host, by
// discovery 0.2.0.
#[tokio::test]
async fn installers_find_the_skills_of_a_public_user_with_their_digests() {
    let server = server().await;
    let listed = index(&server, INDEX).await;
    assert_eq!(listed["$schema"], "https://schemas.agentskills.io/discovery/0.2.0/schema.json");
    let skills = listed["skills"].as_array().unwrap();
    let short: Vec<_> = skills.iter().map(|one| (&one["name"], &one["type"], &one["url"])).collect();
    assert_eq!(
        json!(short),
        json!([
            ["arrendamiento", "skill-md", "contratos/arrendamiento/SKILL.md"],
            ["compraventa", "archive", "escrituras/compraventa.zip"],
        ])
    );
    assert_eq!(skills[1]["description"], "Redacta una compraventa");
    for (skill, kind) in skills.iter().zip(["text/markdown; charset=utf-8", "application/zip"]) {
        let path = format!("/.well-known/agent-skills/{}", skill["url"].as_str().unwrap());
        let response = got(&server, &path).await;
        assert_eq!((response.status().as_u16(), &response.headers()["content-type"]), (200, &kind.parse().unwrap()));
        assert_eq!(response.headers()["x-content-type-options"], "nosniff");
        let tag = response.headers()["etag"].clone();
        let bytes = response.bytes().await.unwrap();
        assert_eq!(digest(&bytes), skill["digest"], "{skill}");
        assert_eq!(bytes, got(&server, &path).await.bytes().await.unwrap(), "the same each time");
        let head = server.client.head(format!("{}{path}", server.base)).send().await.unwrap();
        assert_eq!((head.status().as_u16(), &head.headers()["content-length"]), (200, &bytes.len().into()));
        let known = server.client.get(format!("{}{path}", server.base)).header(header::IF_NONE_MATCH, tag);
        assert_eq!(known.send().await.unwrap().status(), 304);
        if kind == "application/zip" {
            let mut archive = VersionArchive::open(bytes).unwrap();
            assert_eq!(archive.read("resources/ejemplo.md", 100).unwrap().unwrap(), "un ejemplo\n");
            assert!(archive.read("SKILL.md", 1000).unwrap().is_some(), "at its root");
        }
    }
    let head = server.client.head(format!("{}{INDEX}", server.base)).send().await.unwrap();
    let tag = head.headers()["etag"].clone();
    let known = server.client.get(format!("{}{INDEX}", server.base)).header(header::IF_NONE_MATCH, tag.clone());
    assert_eq!((head.status().as_u16(), known.send().await.unwrap().status().as_u16()), (200, 304));

    // A change of a skill is another digest.
    server.memory.put_raw("u1/skills/escrituras/compraventa/resources/ejemplo.md", "otro ejemplo\n");
    let refresh = server.client.post(server.user("/catalog/refresh")).bearer_auth("k").json(&json!({}));
    assert_eq!(refresh.send().await.unwrap().status(), 200);
    let again = index(&server, INDEX).await;
    assert_ne!(again["skills"][1]["digest"], skills[1]["digest"]);
    assert_eq!(again["skills"][0], skills[0]);
    assert_ne!(got(&server, INDEX).await.headers()["etag"], tag);
}

// S-WELLKNOWN-2: Without a key a caller reaches nothing but skills of that user.
#[tokio::test]
async fn nothing_else_is_reached_without_a_key() {
    let server = server().await;
    for unknown in [
        "geheim/SKILL.md",
        "escrituras/compraventa/SKILL.md",
        "contratos/arrendamiento.zip",
        "escrituras/compraventa",
        "roto/SKILL.md",
        "../../v1/users",
        "escrituras/compraventa/resources/ejemplo.md",
        "a%2F..%2Fb.zip",
        "%FF.zip",
    ] {
        let status = got(&server, &format!("/.well-known/agent-skills/{unknown}")).await.status().as_u16();
        assert!([400, 401, 404].contains(&status), "{unknown}: {status}");
    }
    for closed in ["/v1/users/u1/skills", "/v1/users/u1/skills/escrituras/compraventa", "/v1/users", "/mcp"] {
        assert_eq!(got(&server, closed).await.status(), 401, "{closed}");
    }
    let refused = server.client.post(format!("{}{INDEX}", server.base)).send().await.unwrap();
    assert_eq!(refused.status(), 405);
    let port = server.base.rsplit_once(':').unwrap().1;
    let elsewhere = server.client.get(format!("http://localhost:{port}{INDEX}")).send().await.unwrap();
    assert_eq!(elsewhere.status(), 404, "the Host names nobody");

    for (policy, names) in [
        (json!({"skills": {"escrituras/*": "blocked"}}), vec!["arrendamiento"]),
        (json!({"skills": {"*": "enabled", "escrituras/*": "auto_approve"}}), vec!["compraventa"]),
        (json!({"catalog_reads": false}), vec![]),
    ] {
        let set = server.client.put(server.user("/policy")).bearer_auth("k").json(&policy).send().await.unwrap();
        assert_eq!(set.status(), 200);
        let listed = index(&server, INDEX).await;
        let found: Vec<_> =
            listed["skills"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
        assert_eq!(found, names, "{policy}");
        let hidden = got(&server, "/.well-known/agent-skills/escrituras/compraventa.zip").await.status().as_u16();
        assert_eq!(hidden, if names.contains(&"compraventa") { 200 } else { 404 }, "{policy}");
    }
}

#[tokio::test]
async fn what_is_a_draft_is_not_offered_and_two_skills_of_one_name_have_two() {
    let server = server().await;
    server.memory.put_raw("u1/skills/otros/compraventa/SKILL.md", "---\ndescription: Otra\n---\nx\n");
    server.memory.put_raw("u1/skills/Gran Caso/SKILL.md", "---\ndescription: Sin nombre\n---\nx\n");
    let draft = json!({"description": "Borrador. Úsala cuando haga falta.", "body": "# B\n\nPasos.\n"});
    let put = server.client.put(server.user("/skills/borrador?state=draft")).bearer_auth("k").json(&draft);
    assert_eq!(put.send().await.unwrap().status(), 201);
    let listed = index(&server, INDEX).await;
    let names: Vec<_> = listed["skills"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["arrendamiento", "escrituras-compraventa", "otros-compraventa"]);
}

// S-WELLKNOWN-3: A signed link gives the same of one user until it expires, wherever a caller reaches the service.
#[tokio::test]
async fn a_link_gives_the_skills_of_its_user_until_it_expires() {
    let server = server().await;
    let now = Timestamp::now();
    let of =
        |user: &str, seconds: i64| secret().sign(&Id::parse(user).unwrap(), now + SignedDuration::from_secs(seconds));
    let link = of("u2", 600);
    let listed = index(&server, &format!("/links/{link}{INDEX}")).await;
    assert_eq!(listed["skills"][0]["url"], "geheim/SKILL.md");
    let text =
        got(&server, &format!("/links/{link}/.well-known/agent-skills/geheim/SKILL.md")).await.bytes().await.unwrap();
    assert_eq!(digest(&text), listed["skills"][0]["digest"]);
    for (link, status) in [
        (of("u2", -1), 403),
        (link.replace("u2", "u1"), 404),
        (link.replacen('.', "0.", 1), 404),
        ("x".to_owned(), 404),
        ("%00".to_owned(), 404),
    ] {
        assert_eq!(got(&server, &format!("/links/{link}{INDEX}")).await.status().as_u16(), status, "{link}");
    }
    assert_eq!(got(&server, &format!("/links/{link}/v1/users/u2/skills")).await.status(), 404);
    assert_eq!(got(&server, &format!("/links/{link}/healthz")).await.status(), 404);

    let without = Server::with_skills().await;
    for path in [INDEX.to_owned(), format!("/links/{link}{INDEX}")] {
        assert_eq!(got(&without, &path).await.status(), 404, "nobody is named, and there is no secret");
    }
}
