//! What the command line of then wrote on an author's disk: a folder that was pulled, and a keys file.

use std::fs;

use serde_json::json;

use super::{BUCKETS, members};
use crate::{
    cli::Home,
    support::{
        earlier::{buckets, restore},
        world::files_below,
    },
};

#[test]
fn a_folder_that_was_pulled_then_is_pushed_as_the_next_version() {
    for bucket in BUCKETS {
        let home = Home::new();
        restore(bucket, &home.path().join("store"));
        let pulled = buckets().join(format!("{bucket}.pulled"));
        for (name, bytes) in files_below(&pulled) {
            home.file(&name, &String::from_utf8(bytes).unwrap());
        }
        let store = ["--store", "file:store", "--user", "eva"];
        let push = [store.as_slice(), &["push", "escrituras/compraventa", "--into", "escrituras"]].concat();
        let unchanged = home.json(&push);
        assert_eq!((&unchanged["skills"][0]["unchanged"], &unchanged["skills"][0]["updated"]), (&json!(2), &json!([])));

        home.file("escrituras/compraventa/clausulas.md", "# Cláusulas\n\nSin señal.\n");
        let pushed = home.json(&push);
        assert_eq!(pushed["skills"][0]["updated"], json!(["clausulas.md"]), "{pushed}");
        let history = home.json(&[store.as_slice(), &["skills", "history", "escrituras/compraventa"]].concat());
        assert_eq!(history["versions"].as_array().unwrap().len(), 3, "{history}");
    }
}

#[test]
fn the_keys_file_of_then_is_listed_and_takes_another_key_out() {
    for bucket in BUCKETS {
        let home = Home::new();
        home.file("keys.toml", &fs::read_to_string(buckets().join(format!("{bucket}.keys.toml"))).unwrap());
        let listed = home.json(&["keys", "list", "--keys", "keys.toml"]);
        let keys = &listed["keys"];
        assert_eq!(members(keys, "name"), ["all", "notary", "agent", "desk"]);
        assert_eq!(members(keys, "user"), ["*", "eva", "eva", "eva"]);
        assert_eq!(members(keys, "team"), ["", "notaria", "notaria", ""]);
        assert_eq!((&keys[1]["scopes"], &keys[2]["scopes"]), (&json!(["control"]), &json!(["agent"])));
        assert_eq!((&keys[3]["sessions"], &keys[3]["vars"]), (&json!(["mesa-*"]), &json!({"ticket_id": "T-9"})));
        assert_eq!((&keys[3]["expires"], &keys[3]["expired"]), (&json!("2099-01-01T00:00:00Z"), &json!(false)));
        home.ok(&["keys", "revoke", "agent", "--keys", "keys.toml"]);
        let listed = home.json(&["keys", "list", "--keys", "keys.toml"]);
        assert_eq!(members(&listed["keys"], "name"), ["all", "notary", "desk"]);
    }
}
