//! Sessions, their policies, their loaded skills, and calls that wait for a person.

use reqwest::Method;
use serde_json::{Value, json};

use super::{BUCKETS, Served, members};
use crate::support::world::id;

const ARRAS: &str = "# Cláusulas\n\nArras: diez por ciento.\n";

#[tokio::test]
async fn sessions_have_their_skills_variables_policies_and_parents() {
    for bucket in BUCKETS {
        let bucket = Served::start(bucket).await;
        let page = bucket.get("notary", "users/eva/sessions").await;
        assert_eq!(members(&page.is(200)["sessions"], "session_id"), ["autor", "copia", "mesa-1", "venta"]);
        assert_eq!(page.json["damaged"], json!([]));

        let shown = async |session: &str| bucket.get("notary", &format!("users/eva/sessions/{session}")).await.json;
        let venta = shown("venta").await;
        assert_eq!((&venta["vars"], &venta["current_skill"]), (&json!({"ticket_id": "T-7"}), &json!("estilo/tono")));
        let policy = &venta["policy"];
        assert_eq!(policy["tools"], json!({"delete": "ask", "edit": "ask"}));
        assert_eq!((&policy["prompt_mode"], &policy["children"]["load"]), (&json!("combined"), &json!(false)));
        let loaded = &venta["loaded_skills"];
        let skills = ["escrituras/compraventa", "archivo/fichas", "plantillas/notificacion", "estilo/tono"];
        assert_eq!(members(loaded, "skill"), skills);
        assert_eq!(members(loaded, "layer"), ["user", "user", "team", "org"]);

        let copy = shown("copia").await;
        assert_eq!((&copy["parent"], &copy["workspace_of"]), (&json!("venta"), &json!("venta")));
        assert_eq!(members(&copy["loaded_skills"], "skill"), skills);
        let author = shown("autor").await;
        assert_eq!(author["policy"]["agents"], json!({"revisor": ["escrituras/*"]}));
        assert_eq!(author["policy"]["preload"], json!(["estilo/tono"]));
        assert_eq!(shown("mesa-1").await["vars"], json!({"ticket_id": "T-9"}));
    }
}

// S-PIN-1: Below `/skills`, a read serves the snapshot taken at load, and fetches each file with `If-Match`.
#[tokio::test]
async fn loaded_skills_are_read_as_they_were_when_they_were_loaded() {
    for bucket in BUCKETS {
        let bucket = Served::start(bucket).await;
        for session in ["venta", "copia"] {
            let found = bucket.operation(session, "glob", &json!({"pattern": "/skills/**/*.md"})).await;
            assert_eq!(found.is(200)["matches"].as_array().unwrap().len(), 2 + 18 + 1 + 1);
            // The folder has the second version, and the archive of the first one has these bytes.
            assert_eq!(bucket.text(session, "/skills/compraventa/clausulas.md").await, ARRAS);
            assert_eq!(bucket.text(session, "/skills/fichas/fichas/17.md").await, "# Ficha 17\n\nAño 1917.\n");
            assert!(bucket.text(session, "/skills/notificacion/SKILL.md").await.ends_with("Fecha primero.\n"));
            assert!(bucket.text(session, "/skills/tono/SKILL.md").await.ends_with("De usted.\n"));
            assert_eq!(bucket.text(session, "/workspace/borrador.md").await, "# Escritura\n\nFinca 14.\n");
            assert_eq!(bucket.text(session, "/ticket/notas.md").await, "Pedir la nota simple.\n");
        }
    }
}

#[tokio::test]
async fn a_call_waits_for_a_person_and_what_was_allowed_before_is_allowed() {
    for bucket in BUCKETS {
        let bucket = Served::start(bucket).await;
        let waiting = bucket.get("notary", "users/eva/sessions/venta/approvals").await;
        assert_eq!(members(&waiting.is(200)["approvals"], "tool"), ["delete"]);
        let edit = json!({"file_path": "/workspace/borrador.md", "old_string": "14", "new_string": "16"});
        bucket.operation("venta", "edit", &edit).await.is(200);

        let delete = json!({"path": "/workspace/borrador.md"});
        bucket.operation("venta", "delete", &delete).await.is_problem("approval_required");
        let id = waiting.json["approvals"][0]["approval_id"].as_str().unwrap();
        let decision = format!("users/eva/sessions/venta/approvals/{id}");
        let decided = bucket.call("notary", Method::POST, &decision, &json!({"decision": "allow"})).await;
        assert!(decided.status < 300, "{decided:?}");
        bucket.operation("venta", "delete", &delete).await.is(200);
        let left = bucket.operation("venta", "ls", &json!({"path": "/workspace"})).await;
        assert_eq!(left.is(200)["entries"], json!([]));
    }
}

#[tokio::test]
async fn policies_of_users_and_sessions_are_in_force() {
    for bucket in BUCKETS {
        let bucket = Served::start(bucket).await;
        let policy = bucket.get("notary", "users/eva/policy").await;
        assert_eq!(policy.is(200)["skills"], json!({"secreto/*": "blocked"}));
        assert_eq!(policy.json["tools"], json!({"move": "blocked"}));
        let moved = json!({"from": "/workspace/borrador.md", "to": "/workspace/a.md"});
        bucket.operation("venta", "move", &moved).await.is_problem("tool_blocked");
        bucket
            .operation("venta", "load_skill", &json!({"skill": "secreto/tarifa"}))
            .await
            .is_problem("skill_not_found");
        // The parent's policy keeps its children from loading more.
        bucket.operation("copia", "load_skill", &json!({"skill": "archivo/fichas"})).await.is_problem("tool_blocked");
    }
}

#[tokio::test]
async fn searches_and_uses_of_then_are_remembered() {
    for bucket in BUCKETS {
        let bucket = Served::start(bucket).await;
        let session = bucket.world.service.session(id("eva"), id("venta")).session().await.unwrap();
        let asked: Vec<_> = session.discoveries.iter().map(|past| past.query.as_str()).collect();
        assert_eq!(asked, ["redactar la compraventa de una casa con arras"]);

        let arguments: Vec<_> = session.loaded_skills.iter().filter_map(|loaded| loaded.arguments.as_deref()).collect();
        assert_eq!(arguments, ["finca 12"]);

        let begun = bucket.world.service.session(id("eva"), id("nueva")).ranked_state().await.unwrap().session;
        let uses: Vec<_> = begun.ranks.iter().map(|(skill, sessions)| (skill.as_str(), *sessions)).collect();
        let skills = ["archivo/fichas", "contratos/alquiler", "escrituras/compraventa", "estilo/tono"];
        assert_eq!(uses[..4], skills.map(|skill| (skill, 1)));

        let question = json!({"query": "la compraventa de una casa con arras", "explain": true});
        let found = bucket.operation("nueva", "discover_skills", &question).await;
        let first = &found.is(200)["skills"][0];
        assert_eq!(first["skill"], "escrituras/compraventa");
        assert_eq!(first["explain"]["raised"]["loads"], json!(1), "a load after a like question");
    }
}

#[tokio::test]
async fn a_session_of_then_goes_on() {
    for bucket in BUCKETS {
        let bucket = Served::start(bucket).await;
        let version = async |bucket: &Served| {
            bucket.get("notary", "users/eva/sessions/venta").await.is(200)["version"].as_u64().unwrap()
        };
        let before = version(&bucket).await;
        bucket.operation("venta", "unload_skill", &json!({"skill": "compraventa"})).await.is(200);
        let loaded = bucket.operation("venta", "load_skill", &json!({"skill": "escrituras/compraventa"})).await;
        assert_eq!(loaded.is(200)["status"], "loaded");
        let write = json!({"file_path": "/workspace/otro.md", "content": "Otro.\n"});
        bucket.operation("venta", "write", &write).await.is(200);

        let bucket = bucket.restarted().await;
        assert!(version(&bucket).await > before);
        assert_eq!(
            bucket.text("venta", "/skills/compraventa/clausulas.md").await,
            "# Cláusulas\n\nSeñal: veinte por ciento.\n"
        );
        assert_eq!(bucket.text("copia", "/workspace/otro.md").await, "Otro.\n");
        assert_eq!(bucket.text("copia", "/skills/compraventa/clausulas.md").await, ARRAS);
        let made = bucket.call("agent", Method::PUT, "users/eva/sessions/nieta", &json!({"parent": "venta"})).await;
        assert_eq!(made.is(201)["loaded_skills"].as_array().map(Vec::len), Some(4));
        assert_ne!(made.json["loaded_skills"], Value::Null);
    }
}
