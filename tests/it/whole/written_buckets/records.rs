//! Records of what was done, and the figures that are counted from them.

use std::collections::BTreeMap;

use serde_json::json;

use super::{BUCKETS, Served, members};

#[tokio::test]
async fn the_records_of_then_are_listed_in_their_order() {
    for bucket in BUCKETS {
        let bucket = Served::start(bucket).await;
        let list = bucket.get("notary", "users/eva/audit").await;
        let records = &list.is(200)["records"];
        let mut counts = BTreeMap::new();
        for operation in members(records, "operation") {
            *counts.entry(operation).or_insert(0) += 1;
        }
        let expected = [
            ("change_skill", 1),
            ("create_session", 4),
            ("create_skill", 1),
            ("decide_approval", 1),
            ("delete", 1),
            ("delete_skill", 1),
            ("discover_skills", 2),
            ("edit", 2),
            ("load_skill", 5),
            ("publish_skill", 7),
            ("set_user_policy", 1),
            ("show_skill", 1),
            ("write", 2),
        ];
        assert_eq!(counts, BTreeMap::from(expected));
        assert!(members(records, "time").is_sorted());
        let of_edits = bucket.get("notary", "users/eva/audit?operation=edit&session=venta").await;
        let edits = &of_edits.is(200)["records"];
        assert_eq!(members(edits, "outcome"), ["approval_required", "ok"]);
        assert_eq!(
            (&edits[1]["subject"], &edits[1]["input"]["new_string"]),
            (&json!("/workspace/borrador.md"), &json!({"bytes": 2}))
        );
        assert!(edits[1]["by"].as_str().unwrap().starts_with("agent ("), "{edits}");
        assert_eq!(edits[1]["files"][0]["path"], "/workspace/borrador.md");
    }
}

#[tokio::test]
async fn new_records_follow_those_of_then() {
    for bucket in BUCKETS {
        let bucket = Served::start(bucket).await;
        let edit = json!({"file_path": "/workspace/borrador.md", "old_string": "14", "new_string": "16"});
        bucket.operation("venta", "edit", &edit).await.is(200);
        let bucket = bucket.restarted().await;
        let list = bucket.get("notary", "users/eva/audit?session=venta").await;
        let operations = members(&list.is(200)["records"], "operation");
        assert_eq!((operations.first(), operations.last()), (Some(&"create_session"), Some(&"edit")));
    }
}

#[tokio::test]
async fn figures_are_counted_from_the_records_of_then() {
    for bucket in BUCKETS {
        let bucket = Served::start(bucket).await;
        let usage = bucket.get("notary", "users/eva/usage").await;
        let usage = usage.is(200);
        let mut loads: Vec<_> = members(&usage["skills"], "skill");
        loads.sort_unstable();
        let skills = [
            "archivo/fichas",
            "contratos/alquiler",
            "escrituras/compraventa",
            "estilo/tono",
            "plantillas/notificacion",
        ];
        assert_eq!((loads.as_slice(), &usage["searches"]), (skills.as_slice(), &json!(2)));
    }
}
