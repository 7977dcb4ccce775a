//! Which calls leave records: every operation of the contract is recorded, or is named here with the reason why it is not.

use std::{collections::BTreeMap, sync::Arc};

use reqwest::Method;
use serde_json::{Value, json};
use skillmount::store::MemoryStore;

use super::{Answer, Server, events::audited};

/// What leaves a record of its own. `audit_trail` calls each of the tools, `skill_records` the changes of skills.
const RECORDED: &str = "create_session change_session forget_session set_user_policy decide_approval \
    collect_sessions rebuild_catalog refresh_catalog publish_skill change_skill delete_skill roll_back_skill create_skill delete_path \
    discover_skills download_files edit_file get_file put_file delete_file head_file find_files search_files load_skill list_folder \
    move_path read_file unload_skill upload_files write_file show_skill get_skill_file download_skills diff_versions export_user \
    api_create_skill api_publish_version api_delete_skill api_get_content api_add_version api_delete_version \
    api_get_version_content";

/// What leaves none, and why.
const NOT_RECORDED: [(&str, &str); 9] = [
    ("check_health check_readiness", "probes are about no user"),
    ("list_users show_deletion delete_user", "a user's records go with the user, and the receipt says who asked"),
    ("run_tool_calls send_message", "what they call leaves a record for each call"),
    (
        "answer_claude_hook answer_hook",
        "what a hook says are names and descriptions, as in a listing; what it notes in its session is a `change_session`",
    ),
    (
        "render_prompt list_tools show_session list_sessions list_approvals show_user_policy",
        "what a session has, or may do",
    ),
    ("watch_session watch_user list_audit_records get_usage", "they are made of records"),
    ("list_skills list_versions show_catalog lint_skills", "listings hold no contents"),
    ("api_list_skills api_show_skill api_list_versions api_show_version", "listings hold no contents"),
    (
        "list_installable_skills fetch_installable_skill list_skills_of_link fetch_skill_of_link",
        "an operator shows these to everybody, and nobody says who asks",
    ),
];

// S-AUDIT-7: Reads of skills outside sessions leave records like those of operations.
#[test]
fn every_operation_of_the_contract_is_recorded_or_named_with_the_reason() {
    let recorded = RECORDED.split_whitespace().map(|name| (name, "recorded"));
    let left_out = NOT_RECORDED.iter().flat_map(|(names, why)| names.split(' ').map(|name| (name, *why)));
    let mut known = BTreeMap::new();
    for (name, why) in recorded.chain(left_out) {
        assert!(known.insert(name, why).is_none(), "{name} is named twice");
    }
    let documents = [skillmount::http::openapi(), skillmount::http::skills_api_openapi()];
    let documents = documents.map(|document| serde_json::to_value(document).unwrap());
    let items = documents.iter().flat_map(|document| document["paths"].as_object().unwrap().values());
    let operations = items.flat_map(|item| item.as_object().unwrap().values());
    for name in operations.filter_map(|operation| operation["operationId"].as_str()) {
        assert!(known.remove(name).is_some(), "is {name} recorded, or why not?");
    }
    assert!(known.is_empty(), "there are no such operations: {known:?}");
}

async fn call(server: &Server, method: Method, url: &str, accept: &str, body: &Value) -> u16 {
    let request = server.client.request(method, url).header("accept", accept).header("x-skillmount-user", "u1");
    Answer::of(request.json(body).send().await.unwrap()).await.status
}

// S-AUDIT-7: Reads of skills outside sessions leave records like those of operations.
// S-AUDIT-12: Listings and other answers without contents leave no record.
#[tokio::test]
async fn what_delivers_contents_beside_sessions_leaves_a_record() {
    let server = audited(&Arc::new(MemoryStore::like_s3())).await;
    let text = |body: &str| json!({"description": "Writes minutes. Use it after a meeting.", "body": body});
    let put = async |body: &str| server.send(Method::PUT, &server.user("/skills/minutes"), &text(body)).await;
    let one = put("Secret one.\n").await.is(201)["digest"].as_str().unwrap().to_owned();
    put("Secret two.\n").await.is(200);
    let skill_id = server.client.get(format!("{}/v1/skills", server.base)).header("x-skillmount-user", "u1");
    let listed = Answer::of(skill_id.send().await.unwrap()).await;
    let id = listed.is(200)["data"][0]["id"].as_str().unwrap().to_owned();

    let (get, zip, any) = (Method::GET, "application/zip", "*/*");
    let user = |rest: &str| server.user(rest);
    let wanted = json!({"skills": [{"skill": "minutes"}, {"skill": "none"}]});
    let calls = [
        (get.clone(), user("/skills/minutes"), any, Value::Null, "show_skill", "minutes".to_owned(), "ok"),
        (get.clone(), user("/skills/minutes"), zip, Value::Null, "show_skill", "minutes".to_owned(), "ok"),
        (
            get.clone(),
            user(&format!("/skills/minutes?digest={one}")),
            any,
            Value::Null,
            "show_skill",
            format!("minutes {one}"),
            "ok",
        ),
        (get.clone(), user("/skills/none"), any, Value::Null, "show_skill", "none".to_owned(), "skill_not_found"),
        (
            get.clone(),
            user("/skill_files/minutes"),
            any,
            Value::Null,
            "get_skill_file",
            "minutes/SKILL.md".to_owned(),
            "ok",
        ),
        (
            get.clone(),
            user("/skill_files/minutes?path=none"),
            any,
            Value::Null,
            "get_skill_file",
            "minutes/none".to_owned(),
            "file_not_found",
        ),
        (Method::POST, user("/skills/download"), any, wanted, "download_skills", "minutes none".to_owned(), "ok"),
        (get.clone(), user("/diff/minutes"), any, Value::Null, "diff_versions", "minutes".to_owned(), "ok"),
        (get.clone(), user("/export"), any, Value::Null, "export_user", String::new(), "ok"),
        (
            get.clone(),
            format!("{}/v1/skills/{id}/content", server.base),
            any,
            Value::Null,
            "show_skill",
            "minutes".to_owned(),
            "ok",
        ),
        (
            get,
            format!("{}/v1/skills/{id}/versions/1/content", server.base),
            any,
            Value::Null,
            "show_skill",
            "minutes".to_owned(),
            "ok",
        ),
    ];
    let mut expected = Vec::new();
    for (method, url, accept, body, operation, subject, outcome) in calls {
        let status = call(&server, method, &url, accept, &body).await;
        assert_eq!(status, if outcome == "ok" { 200 } else { 404 }, "{url}");
        expected.push((operation, subject, outcome));
    }
    let answer = server.get(&server.user("/audit")).await;
    let records = answer.is(200)["records"].as_array().unwrap();
    let said: Vec<_> = records.iter().filter(|record| record["operation"] != "publish_skill").collect();
    let text = |record: &Value, name: &str| record[name].as_str().unwrap_or_default().to_owned();
    let found: Vec<_> =
        said.iter().map(|one| (text(one, "operation"), text(one, "subject"), text(one, "outcome"))).collect();
    let expected: Vec<_> =
        expected.into_iter().map(|(one, two, three)| (one.to_owned(), two, three.to_owned())).collect();
    assert_eq!(found, expected);
    assert!(!answer.json.to_string().contains("Secret"), "{}", answer.json);
}
