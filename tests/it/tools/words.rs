//! What a model reads of failures: what it can act on, and nothing of keys, stores and those who run them.

use serde_json::{Value, json};
use skillmount::{
    store::{Verb, testing::Fault},
    tools::{ToolOptions, run},
};

use super::{blocks, notary};
use crate::support::world::BackendExt;

/// Parts of keys, and words that only an operator could follow.
const NOT_FOR_MODELS: [&str; 20] = [
    "doctor",
    "operator",
    "credential",
    "s3:",
    "aws",
    "AWS",
    "bucket",
    "endpoint",
    "region",
    "chmod",
    "--",
    "skillmount",
    "scripted",
    "the log",
    "request id",
    "api key",
    ".json",
    "threads/",
    "demo/",
    "u1/",
];

/// Checks that a text is one for models.
#[track_caller]
pub(crate) fn is_for_models(text: &str) {
    for word in NOT_FOR_MODELS {
        assert!(!text.contains(word), "{word:?} in {text:?}");
    }
}

/// A turn that reaches every verb of a store.
fn everything() -> Vec<Value> {
    blocks(&[
        ("ls", json!({ "path": "/workspace" })),
        ("read", json!({ "file_path": "/workspace/a" })),
        ("read", json!({ "file_path": "/skills/pdf/scripts/fill.py" })),
        ("grep", json!({ "pattern": "uno" })),
        ("glob", json!({ "pattern": "*" })),
        ("write", json!({ "file_path": "/workspace/new", "content": "x" })),
        ("write", json!({ "file_path": "/workspace/b", "content": "x", "overwrite": true })),
        ("edit", json!({ "file_path": "/workspace/a", "old_string": "uno", "new_string": "dos" })),
        ("move", json!({ "from": "/workspace/c", "to": "/workspace/moved" })),
        ("delete", json!({ "path": "/workspace/d" })),
        ("discover_skills", json!({ "query": "compraventa" })),
        ("load_skill", json!({ "skill": "compraventa" })),
        ("unload_skill", json!({ "skill": "pdf" })),
    ])
}

// S-TOOL-10: A model reads only text that it can use.
#[tokio::test(start_paused = true)]
async fn however_the_store_fails_a_model_reads_no_key_and_no_advice_to_operators() {
    let faults = [
        Fault::Refuse,
        Fault::LoseRequest,
        Fault::LoseReply,
        Fault::Busy,
        Fault::SlowDown,
        Fault::Deny,
        Fault::Disprove,
    ];
    let mut failures = 0;
    for fault in faults {
        for verb in [Verb::Get, Verb::Put, Verb::Head, Verb::List, Verb::Delete] {
            for part in ["", "threads/", "skills/"] {
                let world = notary().await;
                let agent = world.agent();
                for name in ["a", "b", "c", "d"] {
                    agent.create(&format!("/workspace/{name}"), "uno\n").await.unwrap();
                }
                agent.load("pdf").await.unwrap();
                let failing = world.replica();
                failing.faults.for_keys(verb, part, fault);
                match run(&failing.agent(), everything(), ToolOptions::default()).await {
                    // The session cannot be read: this is for the caller, whose model may still read it.
                    Err(error) => is_for_models(error.message()),
                    Ok(results) => {
                        failures += results.content.iter().filter(|result| result.is_error).count();
                        for result in &results.content {
                            is_for_models(&result.content);
                        }
                    }
                }
            }
        }
    }
    assert!(failures > 100, "{failures}");
}
