//! Versions, heads, drafts, skills of all layers, the index and the vectors.

use std::sync::atomic::Ordering;

use reqwest::Method;
use serde_json::{Value, json};
use skillmount::store::Verb;

use super::{BUCKETS, Served, members};

const COMPRAVENTA: &str = "escrituras/compraventa";

#[tokio::test]
async fn skills_of_all_layers_are_listed_as_what_they_are() {
    for bucket in BUCKETS {
        let bucket = Served::start(bucket).await;
        let seen = async |key: &str| {
            let list = bucket.get(key, "users/eva/skills").await;
            let skills = &list.is(200)["skills"];
            let states =
                members(skills, "skill").into_iter().zip(members(skills, "layer")).zip(members(skills, "state"));
            states.map(|((skill, layer), state)| format!("{skill} {layer} {state}")).collect::<Vec<_>>()
        };
        // The draft `contratos/alquiler` is of the session `autor`, and the policy hides `secreto/tarifa`.
        let of_agent = [
            "archivo/fichas user unmanaged",
            "escrituras/compraventa user published",
            "estilo/tono org published",
            "plantillas/notificacion team published",
        ];
        assert_eq!(seen("agent").await, of_agent);
        let of_notary = [
            "archivo/fichas user unmanaged",
            "contratos/alquiler user draft",
            "escrituras/compraventa user published",
            "escrituras/poder user draft",
            "estilo/tono org published",
            "plantillas/notificacion team published",
            "secreto/tarifa user published",
        ];
        assert_eq!(seen("notary").await, of_notary);
        assert!(!seen("desk").await.join(" ").contains("plantillas"), "its key is in no team");
    }
}

#[tokio::test]
async fn versions_are_listed_compared_and_gone_back_to() {
    for bucket in BUCKETS {
        let bucket = Served::start(bucket).await;
        let versions = bucket.get("notary", "users/eva/versions/escrituras/compraventa").await;
        let versions = &versions.is(200)["versions"];
        assert_eq!(members(versions, "source"), ["commit 2", "commit 1"]);
        assert!(members(versions, "by").into_iter().all(|author| author.starts_with("notary (")), "{versions}");
        let diff = bucket.get("notary", "users/eva/diff/escrituras/compraventa").await;
        let diff = diff.is(200)["diff"].as_str().unwrap();
        assert!(
            diff.contains("\n-Arras: diez por ciento.\n") && diff.contains("\n+Señal: veinte por ciento.\n"),
            "{diff}"
        );

        let back = json!({"digest": versions[1]["digest"]});
        bucket.call("notary", Method::POST, "users/eva/rollback/escrituras/compraventa", &back).await.is(200);
        let bucket = bucket.restarted().await;
        bucket.operation("nueva", "load_skill", &json!({"skill": COMPRAVENTA})).await.is(200);
        let text = bucket.text("nueva", "/skills/compraventa/clausulas.md").await;
        assert_eq!(text, "# Cláusulas\n\nArras: diez por ciento.\n");
        for (layer, skill) in [("team", "plantillas/notificacion"), ("org", "estilo/tono")] {
            let key = if layer == "org" { "all" } else { "notary" };
            let versions = bucket.get(key, &format!("users/eva/versions/{skill}?layer={layer}")).await;
            assert_eq!(versions.is(200)["versions"].as_array().unwrap().len(), 1, "{skill}");
        }
    }
}

#[tokio::test]
async fn a_skill_that_was_deleted_is_brought_back_by_its_version() {
    for bucket in BUCKETS {
        let bucket = Served::start(bucket).await;
        bucket.get("notary", "users/eva/skills/archivo/viejo").await.is_problem("skill_not_found");
        let versions = bucket.get("notary", "users/eva/versions/archivo/viejo").await;
        let back = json!({"digest": versions.is(200)["versions"][0]["digest"]});
        bucket.call("notary", Method::POST, "users/eva/rollback/archivo/viejo", &back).await.is(201);
        let shown = bucket.get("agent", "users/eva/skills/archivo/viejo").await;
        assert_eq!(shown.is(200)["body"], "\n# Viejo\n\nPor años.\n");
    }
}

// S-DRAFT-1: A draft has no file below `skills/`.
#[tokio::test]
async fn drafts_are_seen_by_their_authors_alone_until_they_are_published() {
    for bucket in BUCKETS {
        let bucket = Served::start(bucket).await;
        for (skill, body) in [
            ("contratos/alquiler", "\n# Alquiler\n\nPregunta la renta, el plazo y la fianza antes de escribir.\n"),
            ("escrituras/poder", "\n# Poder\n\nPregunta a quién.\n"),
        ] {
            let path = format!("users/eva/skills/{skill}");
            let shown = bucket.get("notary", &path).await;
            assert_eq!(
                (&shown.is(200)["state"], shown.json["body"].as_str().unwrap().trim()),
                (&json!("draft"), body.trim())
            );
            bucket.get("agent", &path).await.is_problem("skill_not_found");
            bucket.operation("nueva", "load_skill", &json!({"skill": skill})).await.is_problem("skill_not_found");
        }
        let text = bucket.text("autor", "/skills/alquiler/SKILL.md").await;
        assert!(text.contains("Pregunta la renta"), "{text}");
        let versions = bucket.get("notary", "users/eva/versions/escrituras/poder").await;
        assert_eq!(versions.is(200)["versions"].as_array().unwrap().len(), 1, "it was published once");

        for skill in ["contratos/alquiler", "escrituras/poder"] {
            let state = json!({"state": "published"});
            bucket.call("notary", Method::PATCH, &format!("users/eva/skills/{skill}"), &state).await.is(200);
            bucket.operation("nueva", "load_skill", &json!({"skill": skill})).await.is(200);
        }
        assert!(bucket.text("nueva", "/skills/alquiler/SKILL.md").await.contains("Pregunta la renta"));
    }
}

#[tokio::test]
async fn the_indexes_of_then_save_reading_the_skills() {
    for bucket in BUCKETS {
        let bucket = Served::start(bucket).await;
        bucket.get("agent", "users/eva/skills").await.is(200);
        let asked = bucket.world.ledger.asked();
        for layer in ["eva", "_teams/notaria", "_org"] {
            assert!(asked.contains(&(Verb::Get, format!("{layer}/.skillmount/catalog.json"))), "{layer}: {asked:?}");
        }
        assert!(!asked.iter().any(|(_, key)| key.ends_with("/SKILL.md")), "{asked:?}");
        let status = bucket.get("notary", "users/eva/catalog").await;
        assert_eq!((&status.is(200)["skills"], &status.json["index"]["problem"]), (&json!(3), &Value::Null));
    }
}

#[tokio::test]
async fn the_vectors_of_then_save_encoding_the_skills() {
    for bucket in BUCKETS {
        let bucket = Served::start(bucket).await;
        let found = bucket.operation("nueva", "discover_skills", &json!({"query": "una ficha del archivo"})).await;
        assert_eq!(
            (&found.is(200)["ranking"], &found.json["skills"][0]["skill"]),
            (&json!("fused"), &json!("archivo/fichas"))
        );
        // A process compares one vector of each layer with what the encoder makes now. The bucket has five skills.
        assert_eq!(bucket.encoder.skills.load(Ordering::Relaxed), 3, "texts of skills that were encoded");
    }
}

#[tokio::test]
async fn a_skill_of_then_is_published_again() {
    for bucket in BUCKETS {
        let bucket = Served::start(bucket).await;
        for (skill, versions) in [(COMPRAVENTA, 3), ("archivo/fichas", 2), ("archivo/viejo", 2)] {
            let description = format!("Escribe de otra manera {skill}. Úsala para todo.");
            let content = json!({"description": description, "body": "De otra manera.\n"});
            let published = bucket.call("notary", Method::PUT, &format!("users/eva/skills/{skill}"), &content).await;
            assert!(published.status < 300, "{published:?}");
            let listed = bucket.get("notary", &format!("users/eva/versions/{skill}")).await;
            assert_eq!(listed.is(200)["versions"].as_array().unwrap().len(), versions, "{skill}");
        }
        let bucket = bucket.restarted().await;
        bucket.operation("nueva", "load_skill", &json!({"skill": COMPRAVENTA})).await.is(200);
        assert!(bucket.text("nueva", "/skills/compraventa/SKILL.md").await.ends_with("De otra manera.\n"));
        assert_eq!(
            bucket.text("venta", "/skills/compraventa/clausulas.md").await,
            "# Cláusulas\n\nArras: diez por ciento.\n"
        );
    }
}
