//! A skill in an archive beside a good one, over HTTP and S3.

use std::sync::Arc;

use serde_json::json;
use skillmount::{handle::ServiceOptions, http::HttpConfig};

use super::Server;
use crate::support::{s3_in_process::s3_with_script, s3_script::Fault};

// S-CATALOG-6: A SKILL.md that cannot be read costs its own skill and no other.
#[tokio::test]
async fn a_skill_in_glacier_is_a_diagnostic_and_the_good_one_beside_it_is_served() {
    let (s3, memory, script) = s3_with_script();
    script.stand("/u1/skills/b/SKILL.md", Fault::Refused(403, "InvalidObjectState"));
    memory.put_raw("u1/skills/a/SKILL.md", "---\nname: a\ndescription: Redacta una compraventa.\n---\nPasos.\n");
    memory.put_raw("u1/skills/b/SKILL.md", "---\nname: b\ndescription: Old.\n---\n");
    let server = Server::over(HttpConfig::default(), ServiceOptions::default(), memory, Arc::new(s3)).await;

    let listed = server.get(&server.user("/skills")).await;
    assert_eq!(listed.is(200)["skills"][0]["skill"], "a");
    let found = &listed.json["diagnostics"][0];
    assert_eq!(
        (&found["skill"], &found["code"], &found["severity"]),
        (&json!("b"), &json!("unreadable"), &json!("error"))
    );
    assert!(found["message"].as_str().unwrap().contains("archived storage class"), "{found}");

    let prompt = server.get(&server.session("/prompt")).await;
    assert!(prompt.is(200)["prompt"].as_str().unwrap().contains("Redacta una compraventa."), "{}", prompt.json);
    let found = server.op("discover_skills", json!({"query": "compraventa"})).await;
    assert_eq!(found.is(200)["skills"][0]["skill"], "a");
    server.op("load_skill", json!({"skill": "a"})).await.is(200);
    let refused = server.op("load_skill", json!({"skill": "b"})).await;
    let detail = &refused.is_problem(404, "skill_not_found").json["detail"];
    assert!(detail.as_str().unwrap().contains("archived storage class"), "{detail}");
    let shown = server.get(&server.user("/skills/b")).await;
    let detail = &shown.is_problem(404, "skill_not_found").json["detail"];
    assert!(detail.as_str().unwrap().contains("archived storage class"), "{detail}");
}
