//! Keys, users who leave, and checks of the whole bucket.

use reqwest::Method;
use serde_json::{Value, json};

use super::{BUCKETS, Served};
use crate::support::world::id;

#[tokio::test]
async fn the_keys_of_then_open_what_they_opened() {
    for bucket in BUCKETS {
        let bucket = Served::start(bucket).await;
        for (key, path, opens) in [
            ("all", "users/otra/sessions", true),
            ("notary", "users/eva/policy", true),
            ("notary", "users/otra/policy", false),
            ("agent", "users/eva/sessions/venta", true),
            ("agent", "users/eva/audit", false),
            ("desk", "users/eva/sessions/mesa-1", true),
            ("desk", "users/eva/sessions/venta", false),
        ] {
            let answer = bucket.get(key, path).await;
            assert_eq!(answer.status == 200, opens, "{key} {path}: {answer:?}");
        }
        let stranger = bucket.client.get(format!("{}/users/eva/skills", bucket.base)).bearer_auth("smk_0").send().await;
        assert_eq!(stranger.unwrap().status(), 401);
    }
}

#[tokio::test]
async fn deletions_that_ended_have_receipts_and_one_that_began_keeps_its_user_out() {
    for bucket in BUCKETS {
        let bucket = Served::start(bucket).await;
        let ended = bucket.get("all", "deletions/ido").await;
        assert_eq!(
            (&ended.is(200)["state"], &ended.json["sweeps"][0]["total"]["objects"]),
            (&json!("deleted"), &json!(2))
        );
        assert_eq!(ended.json["sweeps"].as_array().unwrap().len(), 2);
        assert!(ended.json["finished_at"].is_string(), "{ended:?}");

        let begun = bucket.get("all", "deletions/yendo").await;
        assert_eq!((&begun.is(200)["state"], &begun.json["finished_at"]), (&json!("deleting"), &Value::Null));
        let write = json!({"file_path": "/workspace/a.md", "content": "a\n"});
        let refused = bucket.call("all", Method::POST, "users/yendo/sessions/s/write", &write).await;
        refused.is_problem("denied");
    }
}

#[tokio::test]
async fn a_check_finds_nothing_before_and_after_new_writes() {
    for bucket in BUCKETS {
        let bucket = Served::start(bucket).await;
        is_clean(&bucket).await;
        let content = json!({"description": "Redacta una compraventa. Úsala para todo.", "body": "De otra manera.\n"});
        for skill in ["escrituras/compraventa", "archivo/fichas"] {
            bucket.call("notary", Method::PUT, &format!("users/eva/skills/{skill}"), &content).await.is(200);
        }
        let edit = json!({"file_path": "/workspace/borrador.md", "old_string": "14", "new_string": "16"});
        bucket.operation("venta", "edit", &edit).await.is(200);
        bucket.operation("venta", "load_skill", &json!({"skill": "archivo/fichas"})).await.is(200);
        is_clean(&bucket).await;
        let bucket = bucket.restarted().await;
        is_clean(&bucket).await;
        assert_eq!(bucket.text("venta", "/workspace/borrador.md").await, "# Escritura\n\nFinca 16.\n");
    }
}

async fn is_clean(bucket: &Served) {
    let report = bucket.world.service.upkeep().check_user(&id("eva"), false).await.unwrap();
    assert!(report.clean && report.findings.is_empty(), "{report:#?}");
    let report = bucket.world.service.upkeep().check_everybody(false).await.unwrap();
    assert!(report.clean, "{report:#?}");
}
