//! Policies: what may be set, what lies in the bucket, and what no policy lets anybody learn.

use reqwest::Method;
use serde_json::json;
use skillmount::limits::JSON_VALUES;

use super::Server;

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
            let detail = answer.is_problem(500, "internal").json["detail"].as_str().unwrap();
            assert!(detail.contains("policy of user u1 is damaged"), "{damaged}: {detail}");
        }
        server.send(Method::PUT, &server.user("/policy"), &json!({"plan_mode": true})).await.is(200);
        server.op("ls", json!({"path": "/"})).await.is(200);
        let write = server.op("write", json!({"file_path": "/workspace/a", "content": ""})).await;
        write.is_problem(403, "plan_mode");
    }
}

#[tokio::test]
async fn a_body_of_very_many_values_is_refused_before_they_are_read() {
    let server = Server::start().await;
    // Broken off after the limit: had the rest been looked at, it would be `invalid_request`.
    let many = format!(r#"{{"content":[{}"#, r#"{"":0},"#.repeat(JSON_VALUES));
    let request = server.client.post(server.session("/tool_calls")).header("content-type", "application/json");
    let answer = super::Answer::of(request.body(many).send().await.unwrap()).await;
    assert_eq!(answer.is_problem(400, "too_expensive").json["limit"], JSON_VALUES);
}
