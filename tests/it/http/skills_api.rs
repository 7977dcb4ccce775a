//! Published skills in the shapes of other services' Skills APIs. The SDKs themselves are run by the Python tests.

use reqwest::{
    Method, RequestBuilder,
    multipart::{Form, Part},
};
use serde_json::{Value, json};
use skillmount::{
    access::{Callers, KeyEntry, Keys, Scope},
    clock::SystemClock,
    http::HttpConfig,
    path::{Id, KeyPrefix},
    store::{DeleteOptions, GetOptions, Store as _, StoreExt as _},
};

use super::{Answer, Server};

const CLAUDE: (&str, &str) = ("anthropic-version", "2026-10-21");

fn main(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\n# Minutes\n\nSay who was there.\n")
}

/// A form with a part for each file, as both SDKs send it.
fn form(files: &[(&str, &str)]) -> Form {
    files.iter().fold(Form::new().percent_encode_noop(), |form, (path, text)| {
        form.part("files[]", Part::text((*text).to_owned()).file_name((*path).to_owned()))
    })
}

fn minutes(description: &str) -> Form {
    form(&[("minutes/SKILL.md", &main("minutes", description)), ("minutes/r/a.md", "text")])
}

impl Server {
    /// A call of user `u1`.
    fn published(&self, method: Method, rest: &str) -> RequestBuilder {
        self.client.request(method, format!("{}/v1/skills{rest}", self.base)).header("x-skillmount-user", "u1")
    }

    async fn shown(&self, rest: &str) -> Answer {
        answer(self.published(Method::GET, rest)).await
    }

    async fn post(&self, rest: &str, form: Form) -> Answer {
        answer(self.published(Method::POST, rest).multipart(form)).await
    }

    async fn remove(&self, rest: &str) -> Answer {
        answer(self.published(Method::DELETE, rest)).await
    }
}

async fn answer(request: RequestBuilder) -> Answer {
    Answer::of(request.send().await.unwrap()).await
}

/// That it is an error in the shape of OpenAI's API.
#[track_caller]
fn is_error(answer: &Answer, status: u16, code: &str) {
    assert_eq!((answer.status, answer.json["error"]["code"].as_str()), (status, Some(code)), "{}", answer.json);
    assert!(answer.json["error"]["message"].as_str().is_some_and(|text| !text.is_empty()));
    assert_eq!((answer.header("content-type"), answer.header("x-should-retry")), ("application/json", "false"));
}

/// Any change of these routes shows in a diff of this snapshot.
#[tokio::test]
async fn the_document_of_these_routes_is_the_snapshot_and_is_served() {
    let document = skillmount::http::skills_api_openapi();
    insta::assert_snapshot!("openapi_skills_api", serde_json::to_string_pretty(&document).unwrap());
    let server = Server::start().await;
    let answer = server.get(&format!("{}/openapi-skills-api.json", server.base)).await;
    assert_eq!(*answer.is(200), serde_json::to_value(document).unwrap());
}

// S-SDK-1: The SDKs of Anthropic and of OpenAI publish, list, read and delete skills at `/v1/skills`.
// S-SDK-5: `anthropic-version` decides between the two shapes of answers, and errors have the shape too.
#[tokio::test]
async fn each_api_is_answered_in_its_own_shape() {
    let server = Server::start().await;
    let made = server.post("", minutes("Writes minutes.").text("display_name", "Minutes!")).await;
    let made = made.is(200);
    assert_eq!(
        (&made["object"], &made["name"], &made["default_version"]),
        (&json!("skill"), &json!("minutes"), &json!("1"))
    );
    assert!(made["created_at"].is_u64() && made.get("type").is_none());
    let claude = answer(server.published(Method::GET, "/skill_minutes").header(CLAUDE.0, CLAUDE.1)).await;
    assert_eq!((&claude.is(200)["type"], &claude.json["display_name"]), (&json!("skill"), &json!("Minutes!")));
    assert!(claude.json["created_at"].is_string() && claude.json.get("object").is_none());
    assert_eq!(claude.header("request-id"), claude.header("x-request-id"));

    for (method, rest, status, code, kind) in [
        (Method::GET, "/skill_none", 404, "skill_not_found", "not_found_error"),
        (Method::GET, "/nonsense", 404, "skill_not_found", "not_found_error"),
        (Method::GET, "/skill_minutes/versions/7", 404, "version_not_found", "not_found_error"),
        (Method::GET, "/skill_minutes/versions/latest", 404, "version_not_found", "not_found_error"),
        (Method::GET, "?limit=x", 400, "invalid_request", "invalid_request_error"),
        (Method::GET, "?page=x", 400, "invalid_request", "invalid_request_error"),
        (Method::GET, "/a/b/c/d/e", 404, "route_not_found", "not_found_error"),
        (Method::PATCH, "", 405, "method_not_allowed", "invalid_request_error"),
    ] {
        let plain = answer(server.published(method.clone(), rest)).await;
        is_error(&plain, status, code);
        let claude = answer(server.published(method, rest).header(CLAUDE.0, CLAUDE.1)).await;
        assert_eq!((claude.status, &claude.json["type"]), (status, &json!("error")), "{rest}: {}", claude.json);
        assert_eq!(claude.json["error"]["type"], kind, "{rest}");
        assert_eq!(claude.json["error"]["details"]["error_code"], code, "{rest}");
        assert_eq!(claude.json["request_id"], claude.header("request-id"), "{rest}");
    }
    let problem = server.get(&server.user("/skills/none")).await;
    problem.is_problem(404, "skill_not_found");
}

// S-SDK-2: The id of a skill comes from its path, and the id of a version from its digest, so neither ever changes.
#[tokio::test]
async fn what_was_published_by_any_route_is_there_with_its_id() {
    let server = Server::start().await;
    let text = json!({"description": "Leases for rent.", "body": "# Leases\n"});
    let put = server.send(Method::PUT, &server.user("/skills/my_law/leases"), &text).await;
    let digest = put.is(201)["digest"].as_str().unwrap().replace("sha256:", "skillver_");
    let id = "/skill_my_5flaw.leases";
    let shown = server.shown(id).await;
    assert_eq!((&shown.is(200)["name"], &shown.json["description"]), (&json!("leases"), &json!("Leases for rent.")));
    let version = server.shown(&format!("{id}/versions/1")).await;
    assert_eq!(version.is(200)["id"], digest);
    assert_eq!(server.shown(&format!("{id}/versions/{digest}")).await.is(200), &version.json);

    // What another tool put there, a draft and a broken skill are no published skills.
    server.put_skills();
    let draft = server.user("/skills/drafted?state=draft");
    server.send(Method::PUT, &draft, &text).await.is(201);
    let listed = server.shown("").await;
    let ids: Vec<_> = listed.is(200)["data"].as_array().unwrap().iter().map(|one| one["id"].clone()).collect();
    assert_eq!(ids, ["skill_my_5flaw.leases"]);
    is_error(&server.shown("/skill_escrituras.compraventa").await, 404, "skill_not_found");
    is_error(&server.remove("/skill_escrituras.compraventa").await, 404, "skill_not_found");
    is_error(&server.post("/skill_escrituras.compraventa/versions", minutes("x")).await, 404, "skill_not_found");
}

// S-SDK-6: No list names a deleted version. After the deletion of the published version, the newest of the others
// becomes the published version. With the last version the skill goes.
#[tokio::test]
async fn deleting_versions_leads_back_and_to_the_end() {
    let server = Server::start().await;
    server.post("", minutes("One.")).await.is(200);
    let id = "/skill_minutes";
    for (description, default) in [("Two.", "true"), ("Three.", "false"), ("Four.", "true")] {
        server.post(&format!("{id}/versions"), minutes(description).text("default", default)).await.is(200);
    }
    let now = async || {
        let shown = server.shown(id).await;
        (shown.json["default_version"].clone(), shown.json["latest_version"].clone(), shown.json["description"].clone())
    };
    assert_eq!(now().await, (json!("4"), json!("4"), json!("Four.")));
    server.remove(&format!("{id}/versions/4")).await.is(200);
    assert_eq!(now().await, (json!("3"), json!("3"), json!("Three.")));
    server.remove(&format!("{id}/versions/1")).await.is(200);
    assert_eq!(now().await, (json!("3"), json!("3"), json!("Three.")), "one that is not published leads nowhere");
    is_error(&server.remove(&format!("{id}/versions/1")).await, 404, "version_not_found");
    // Its archive stays, as that of any version.
    let all = server.get(&server.user("/versions/minutes")).await;
    assert_eq!(all.is(200)["versions"].as_array().unwrap().len(), 4);
    server.remove(&format!("{id}/versions/3")).await.is(200);
    let last = server.remove(&format!("{id}/versions/2")).await;
    assert_eq!((&last.is(200)["object"], &last.json["version"]), (&json!("skill.version.deleted"), &json!("2")));
    is_error(&server.shown(id).await, 404, "skill_not_found");
    is_error(&server.shown(&format!("{id}/versions")).await, 404, "skill_not_found");
    assert_eq!(server.remove(id).await.is(200)["deleted"], true, "deleting it again changes nothing");

    // No number is given twice, not even after the skill is gone.
    server.post("", minutes("Five.")).await.is(200);
    assert_eq!(now().await, (json!("5"), json!("5"), json!("Five.")));
    let versions = server.shown(&format!("{id}/versions")).await;
    assert_eq!(versions.is(200)["data"].as_array().unwrap().len(), 1);
}

// S-PUBLISH-8: Deleting a skill keeps its versions, and a rollback to a version brings the skill back.
#[tokio::test]
async fn a_skill_whose_folder_another_tool_emptied_is_deleted_as_any() {
    let server = Server::start().await;
    server.post("", minutes("One.")).await.is(200);
    for file in ["SKILL.md", "r/a.md"] {
        let key = KeyPrefix::all().key(&format!("u1/skills/minutes/{file}")).unwrap();
        server.memory.delete(&key, DeleteOptions::default()).await.unwrap();
    }
    assert_eq!(server.remove("/skill_minutes").await.is(200)["deleted"], true);
    is_error(&server.shown("/skill_minutes").await, 404, "skill_not_found");
    let listed = server.get(&server.user("/versions/minutes")).await;
    assert_eq!((&listed.is(200)["current"], &listed.json["last_change"]["digest"]), (&Value::Null, &Value::Null));
    let gone = server.client.delete(server.user("/skills/minutes")).send().await.unwrap();
    Answer::of(gone).await.is_problem(404, "skill_not_found");
}

// S-SDK-3: Versions have numbers from 1 in the order of their first publish, and the service gives no number twice.
#[tokio::test]
async fn every_route_that_publishes_counts_the_versions() {
    let server = Server::start().await;
    let url = server.user("/skills/a");
    let put = async |text: &str| {
        let put = server.send(Method::PUT, &url, &json!({"description": "d", "body": text})).await;
        put.json["digest"].as_str().unwrap().to_owned()
    };
    let first = put("1").await;
    put("2").await;
    put("1").await;
    // Another tool's file makes a version of its own, which is kept with the next publish.
    server.memory.put_raw("u1/skills/a/note.md", "by hand");
    put("3").await;
    server.send(Method::POST, &server.user("/rollback/a"), &json!({"digest": first})).await.is(200);
    let versions = server.shown("/skill_a/versions").await;
    let numbers: Vec<_> =
        versions.is(200)["data"].as_array().unwrap().iter().map(|one| one["version"].clone()).collect();
    assert_eq!(numbers, ["4", "3", "2", "1"]);
    let shown = server.shown("/skill_a").await;
    assert_eq!((&shown.json["default_version"], &shown.json["latest_version"]), (&json!("1"), &json!("4")));

    // A head of an earlier version of this program has no numbers: they are counted in the order of storing.
    let key = "u1/.skillmount/heads/a.json";
    let at = KeyPrefix::all().key(key).unwrap();
    let head = server.memory.get(&at, GetOptions::default()).await.unwrap();
    let mut head: Value = serde_json::from_slice(&head.bytes).unwrap();
    for member in ["numbers", "created_at"] {
        head.as_object_mut().unwrap().remove(member).unwrap();
    }
    server.memory.put_raw(key, head.to_string());
    let counted = server.shown("/skill_a/versions").await;
    assert_eq!(counted.is(200)["data"].as_array().unwrap().len(), 4);
    assert_eq!(server.shown("/skill_a").await.is(200)["default_version"], "1");
}

// S-SDK-4: The user is that of the key, which clients send in `authorization` or in `x-api-key`.
#[tokio::test]
async fn a_key_names_its_user_in_either_header() {
    let clock = SystemClock::new();
    let made =
        ["u1", "u2"].map(|user| KeyEntry::generate(&clock, Some(&Id::parse(user).unwrap()), vec![Scope::Control]));
    let all = KeyEntry::generate(&clock, None, vec![Scope::Control]);
    let agent = KeyEntry::generate(&clock, Some(&Id::parse("u1").unwrap()), vec![Scope::Agent]);
    let entries = made.iter().chain([&all, &agent]);
    let file: String = entries.map(|(_, entry)| entry.to_toml().unwrap()).collect();
    let callers = Callers { keys: Keys::from_toml(&file).unwrap(), ..Callers::default() };
    let server = Server::with(HttpConfig { callers, ..HttpConfig::default() }).await;
    let call = |method: Method, rest: &str| server.client.request(method, format!("{}/v1/skills{rest}", server.base));
    let [one, two] = made.map(|(key, _)| key);
    answer(call(Method::POST, "").header("x-api-key", &one).multipart(minutes("d"))).await.is(200);
    answer(call(Method::GET, "/skill_minutes").bearer_auth(&one)).await.is(200);
    is_error(&answer(call(Method::GET, "/skill_minutes").header("x-api-key", &two)).await, 404, "skill_not_found");
    is_error(&answer(call(Method::GET, "").header("x-api-key", "none")).await, 401, "unauthenticated");
    is_error(&answer(call(Method::GET, "")).await, 401, "unauthenticated");
    is_error(&answer(call(Method::GET, "").bearer_auth(&all.0)).await, 400, "invalid_request");
    answer(call(Method::GET, "/skill_minutes").bearer_auth(&all.0).header("x-skillmount-user", "u1")).await.is(200);
    is_error(&answer(call(Method::GET, "").bearer_auth(&two).header("x-skillmount-user", "u1")).await, 403, "denied");
    // An agent reads and changes nothing.
    answer(call(Method::GET, "/skill_minutes/versions").bearer_auth(&agent.0)).await.is(200);
    is_error(&answer(call(Method::POST, "").bearer_auth(&agent.0).multipart(minutes("d"))).await, 403, "denied");
    is_error(&answer(call(Method::DELETE, "/skill_minutes").bearer_auth(&agent.0)).await, 403, "denied");
}

#[tokio::test]
async fn a_form_that_is_none_stores_nothing() {
    let server = Server::start().await;
    for (form, code) in [
        (form(&[("minutes/notes.md", "x")]), "invalid_skill"),
        (form(&[("a/SKILL.md", &main("minutes", "d")), ("b/x.md", "x")]), "invalid_skill"),
        (form(&[("minutes/SKILL.md", &main("minutes", "d")), ("minutes/../../x", "x")]), "invalid_skill"),
        (form(&[("minutes.zip", "PK\u{3}\u{4} no zip")]), "invalid_skill"),
        (Form::new().text("display_name", "x"), "invalid_skill"),
        (minutes("d").text("nonsense", "x"), "invalid_request"),
        (minutes("d").text("default", "yes"), "invalid_request"),
        (minutes("d").text("display_name", "two\nlines"), "invalid_request"),
        (minutes("d").text("display_name", "x".repeat(2000)), "file_too_large"),
    ] {
        let answer = server.post("", form).await;
        let status = if code == "file_too_large" { 413 } else { 400 };
        is_error(&answer, status, code);
    }
    is_error(&answer(server.published(Method::POST, "").json(&json!({}))).await, 400, "invalid_request");
    assert_eq!(server.shown("").await.is(200)["data"], json!([]));
    let (stored, _) = server.memory.list_all(&KeyPrefix::all(), 100).await.unwrap();
    assert!(stored.iter().all(|one| !one.key.starts_with("u1/")), "nothing was stored");
}
