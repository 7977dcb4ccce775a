//! The buckets as a newer version would have written them: a service of this version beside it loses nothing.

use std::fs;

use reqwest::Method;
use serde_json::{Value, json};

use super::{BUCKETS, Served};

const MEMBER: &str = "of_a_newer_version";
const SESSION: &str = "eva/.skillmount/sessions/venta.json";
const POLICY: &str = "eva/.skillmount/policy.json";
const HEAD: &str = "eva/.skillmount/heads/escrituras/compraventa.json";
const DRAFT: &str = "eva/.skillmount/drafts/contratos/alquiler.json";

impl Served {
    fn stored(&self, name: &str) -> Value {
        serde_json::from_slice(&fs::read(self.folder.path().join(name)).unwrap()).unwrap()
    }

    fn store(&self, name: &str, value: &Value) {
        fs::write(self.folder.path().join(name), value.to_string()).unwrap();
    }

    /// Adds a member of a newer version to these objects of a document.
    fn add_members(&self, name: &str, places: &[&str]) {
        let mut value = self.stored(name);
        for place in places {
            value.pointer_mut(place).unwrap()[MEMBER] = json!({ "at": place });
        }
        self.store(name, &value);
    }

    /// Checks that these members are still there.
    fn has_members(&self, name: &str, places: &[&str]) {
        let value = self.stored(name);
        for place in places {
            assert_eq!(value.pointer(place).unwrap()[MEMBER], json!({ "at": place }), "{name} {place}: {value:#}");
        }
    }

    async fn edits(&self, from: &str, to: &str) -> super::Answer {
        let edit = json!({ "file_path": "/workspace/borrador.md", "old_string": from, "new_string": to });
        self.operation("venta", "edit", &edit).await
    }
}

// S-STORE-20: A service keeps all members of stored documents that a newer version added.
#[tokio::test]
async fn members_of_a_newer_version_outlive_each_change() {
    for bucket in BUCKETS {
        let bucket = Served::start(bucket).await;
        let of_session =
            ["", "/loaded_skills/0", "/loaded_skills/3", "/discoveries/0", "/approvals", "/approvals/calls/0"];
        bucket.add_members(SESSION, &of_session);
        bucket.add_members(HEAD, &["", "/numbers"]);
        bucket.add_members(DRAFT, &[""]);

        bucket.operation("venta", "load_skill", &json!({ "skill": "archivo/fichas", "arguments": "7" })).await.is(200);
        let vars = json!({ "vars": { "ticket_id": "T-8" } });
        bucket.call("notary", Method::PATCH, "users/eva/sessions/venta", &vars).await.is(200);
        assert_eq!(bucket.stored(SESSION)["vars"], json!({ "ticket_id": "T-8" }));
        bucket.has_members(SESSION, &of_session);

        let content =
            json!({ "description": "Redacta una compraventa. Úsala para todo.", "body": "De otra manera.\n" });
        let generation = bucket.stored(HEAD)["generation"].as_u64();
        bucket.call("notary", Method::PUT, "users/eva/skills/escrituras/compraventa", &content).await.is(200);
        assert!(bucket.stored(HEAD)["generation"].as_u64() > generation);
        bucket.has_members(HEAD, &["", "/numbers"]);

        let description = json!({ "description": "Redacta un alquiler. Úsala para arrendar un garaje." });
        bucket.call("notary", Method::PATCH, "users/eva/skills/contratos/alquiler", &description).await.is(200);
        assert_eq!(bucket.stored(DRAFT)["description"], description["description"]);
        bucket.has_members(DRAFT, &[""]);
    }
}

#[tokio::test]
async fn a_rule_of_a_newer_version_blocks_the_calls_that_it_is_for() {
    for bucket in BUCKETS {
        let bucket = Served::start(bucket).await;
        bucket.store(POLICY, &json!({ "tools": { "grep": "on_weekdays" }, "skills": { "archivo/*": "by_two" } }));
        let search = json!({ "pattern": "Finca", "path": "/workspace" });
        bucket.operation("venta", "grep", &search).await.is_problem("tool_blocked");
        bucket
            .operation("nueva", "load_skill", &json!({ "skill": "archivo/fichas" }))
            .await
            .is_problem("skill_not_found");
        bucket.operation("nueva", "load_skill", &json!({ "skill": "estilo/tono" })).await.is(200);
        bucket.edits("14", "16").await.is(200);
        let shown = bucket.get("notary", "users/eva/policy").await;
        assert_eq!(shown.is(200)["tools"], json!({ "grep": "blocked" }));
    }
}

#[tokio::test]
async fn under_a_member_of_a_newer_version_sessions_are_read_and_nothing_is_changed() {
    for bucket in BUCKETS {
        let bucket = Served::start(bucket).await;
        bucket.store(POLICY, &json!({ "working_hours": ["9-17"] }));
        assert_eq!(bucket.text("venta", "/workspace/borrador.md").await, "# Escritura\n\nFinca 14.\n");
        let refused = bucket.edits("14", "16").await;
        refused.is_problem("plan_mode");
        assert!(refused.json["detail"].as_str().unwrap().contains("newer version"), "{refused:?}");
        let set = bucket.call("notary", Method::PUT, "users/eva/policy", &json!({ "working_hours": [] })).await;
        assert_eq!(set.status, 400, "a request has no such rule: {set:?}");
        bucket.call("notary", Method::PUT, "users/eva/policy", &json!({})).await.is(200);
        bucket.edits("14", "16").await.is(200);
    }
}

#[tokio::test]
async fn a_head_of_a_newer_format_costs_its_skill_alone() {
    for bucket in BUCKETS {
        let bucket = Served::start(bucket).await;
        let mut head = bucket.stored(HEAD);
        head["format"] = json!(2);
        bucket.store(HEAD, &head);
        let load = bucket.operation("nueva", "load_skill", &json!({ "skill": "escrituras/compraventa" })).await;
        load.is_problem("object_damaged");
        assert!(load.json["detail"].as_str().unwrap().contains("newer version"), "{load:?}");
        bucket.get("agent", "users/eva/skills").await.is(200);
        bucket.operation("nueva", "load_skill", &json!({ "skill": "estilo/tono" })).await.is(200);
        bucket.text("venta", "/skills/compraventa/clausulas.md").await;
    }
}
