//! The catalog from the command line: discovery, what is kept of it, and shared skills.

use serde_json::json;
use skillmount::limits::SEARCH_QUERY_BYTES;

use super::{Home, server::Server, skill};

const INDEX: &str = "data/skillmount/me/.skillmount/catalog.json";

#[test]
fn discovery_finds_the_skill_that_fits_within_its_category_level_and_limit() {
    let home = Home::with_skills();
    let found = home.json(&["skills", "discover", "preparar una escritura"]);
    assert_eq!(found["skills"][0]["skill"], "escrituras/compraventa", "{found}");
    let text = home.ok(&["skills", "discover", "notas"]);
    assert!(text.contains("notas") && !text.contains("compraventa"), "{text}");
    assert_eq!(home.json(&["skills", "discover", "notas", "--category", "escrituras"])["skills"], json!([]));
    home.file("data/skillmount/me/skills/curso/SKILL.md", "---\ndescription: Toma notas.\nlevel: basic\n---\n");
    let basic = home.json(&["skills", "discover", "notas", "--level", "Basic"]);
    assert_eq!((&basic["total"], &basic["skills"][0]["skill"]), (&json!(1), &json!("curso")), "{basic}");
    let one = home.json(&["skills", "discover", "úsala cuando haga falta", "--limit", "1"]);
    assert_eq!(one["skills"].as_array().unwrap().len(), 1, "{one}");
    assert_eq!(home.refused(&["skills", "discover", "notas", "--limit", "0"]), (2, "invalid_request".into()));
}

#[test]
fn a_person_sees_how_sure_a_search_is_and_is_told_of_a_doubt() {
    let home = Home::with_skills();
    home.file("data/skillmount/me/skills/gente/SKILL.md", "---\ndescription: Helps people who feel sad today.\n---\n");
    for number in 0..3 {
        let path = format!("data/skillmount/me/skills/s{number}/SKILL.md");
        home.file(&path, "---\ndescription: One of many skills.\n---\n");
    }
    for explain in [&[][..], &["--explain"]] {
        let found = home
            .run(&[&["skills", "discover", "why are people always so tired in rainy weather"][..], explain].concat());
        let (text, said) = (String::from_utf8(found.stdout).unwrap(), String::from_utf8(found.stderr).unwrap());
        assert!(text.contains("  low  gente"), "{text}");
        assert!(
            said.contains("Confidence is low: only everyday words match, or a small part of the question"),
            "{said}"
        );
        let sure = home.run(&[&["skills", "discover", "preparar una escritura de compraventa"][..], explain].concat());
        let (text, said) = (String::from_utf8(sure.stdout).unwrap(), String::from_utf8(sure.stderr).unwrap());
        assert!(text.contains("  high  escrituras/compraventa") && !said.contains("Confidence"), "{text}{said}");
    }
}

#[test]
fn a_message_of_sixteen_kibibytes_is_searched_for_and_a_longer_one_is_refused() {
    let home = Home::with_skills();
    let message = |bytes: usize| format!("compraventa{}", " casa".repeat(bytes))[..bytes].to_owned();
    let [most, over] = [SEARCH_QUERY_BYTES, SEARCH_QUERY_BYTES + 1].map(message);
    let server = Server::start(&home, &[]);
    for through in [&[][..], &["--server", &server.url]] {
        let found = home.json(&[through, &["skills", "discover", &most]].concat());
        assert_eq!(found["skills"][0]["skill"], "escrituras/compraventa");
        let refused = home.run(&[through, &["skills", "discover", &over]].concat());
        let said = String::from_utf8(refused.stderr).unwrap();
        assert_eq!(refused.status.code(), Some(2), "{said}");
        assert!(said.contains("16385 bytes long; the limit is 16384; ask with the part"), "{said}");
    }
}

#[test]
fn what_a_command_notes_is_written_when_it_ends() {
    let home = Home::with_skills();
    home.ok(&["skills", "load", "notas"]);
    let uses = std::fs::read_to_string(home.path().join("data/skillmount/me/.skillmount/uses.json")).unwrap();
    assert!(uses.contains("\"notas\":1"), "{uses}");
    home.ok(&["skills", "discover", "notas"]);
    let session = home.path().join("data/skillmount/me/.skillmount/sessions/cli.json");
    assert!(std::fs::read_to_string(session).unwrap().contains("\"query\":\"notas\""));
}

#[test]
fn the_status_of_the_catalog_counts_and_a_rebuild_writes_the_index_anew() {
    let mut home = Home::with_skills();
    home.leave_indexes_alone();
    home.file("data/skillmount/me/skills/roto/SKILL.md", "nothing");
    let status = home.json(&["catalog", "status"]);
    assert_eq!((&status["skills"], &status["errors"], &status["index"]), (&json!(2), &json!(1), &json!(null)));
    assert!(home.ok(&["catalog", "status"]).contains("index        none"));
    home.file(INDEX, "an index that somebody broke");
    let rebuilt = home.json(&["catalog", "rebuild"]);
    assert_eq!((&rebuilt["skills"], &rebuilt["errors"]), (&json!(2), &json!(1)));
    assert!(std::fs::read(home.path().join(INDEX)).unwrap().starts_with(b"{\"schema\":"));
    let status = home.json(&["catalog", "status"]);
    assert_eq!(status["index"]["key"], "me/.skillmount/catalog.json");
    assert_eq!(status["index"]["size"], std::fs::metadata(home.path().join(INDEX)).unwrap().len());
    assert!(status["index"]["age_seconds"].is_u64(), "{status}");
    assert!(status["index"]["as_of"].is_string() && status["index"]["problem"].is_null());
    home.file(INDEX, "garbage");
    let status = home.json(&["catalog", "status"]);
    assert_eq!(status["index"]["problem"], "it has no readable first line");
    assert!(home.ok(&["catalog", "status"]).contains("NOT USED: it has no readable first line"));
    assert_eq!(home.refused(&["--server", "http://127.0.0.1:9", "catalog", "status"]), (7, "store_unavailable".into()));
}

#[test]
fn skills_of_the_organisation_are_seen_with_layers_only() {
    let home = Home::with_skills();
    home.file("data/skillmount/_org/skills/festivos/SKILL.md", &skill("festivos", "Los festivos de todos."));
    let seen = |arguments: &[&str]| {
        let list = home.json(&[arguments, &["skills", "list", "--fresh"]].concat());
        list["skills"].as_array().unwrap().iter().any(|skill| skill["skill"] == "festivos")
    };
    assert!(!seen(&[]));
    assert!(seen(&["--layers"]));
    let shown = home.json(&["--layers", "skills", "show", "festivos"]);
    assert_eq!((&shown["layer"], &shown["file_list"][0]["path"]), (&json!("org"), &json!("SKILL.md")));
    home.file("skillmount.toml", "layers = true\n");
    assert!(seen(&[]));
    let output = home.typed(&["skills", "list", "--json"]).env("SKILLMOUNT_LAYERS", "false").run();
    assert!(!String::from_utf8(output.stdout).unwrap().contains("festivos"));
    home.file("skillmount.toml", "layers = 'perhaps'\n");
    assert_eq!(home.refused(&["skills", "list"]), (2, "invalid_request".into()));
}

// S-CLI-5: A caller names a skill by path, folder name or frontmatter name, and the command tries these in order.
#[test]
fn a_skill_answers_to_its_name_wherever_its_path_is_taken() {
    let home = Home::with_skills();
    home.file("data/skillmount/me/skills/roto/SKILL.md", "nothing");
    let server = Server::start(&home, &[]);
    for through in [&[][..], &["--server", &server.url]] {
        let shown = |name: &str| home.json(&[through, &["skills", "show", name]].concat())["skill"].clone();
        assert_eq!(shown("compraventa"), "escrituras/compraventa");
        assert_eq!(shown("escrituras/compraventa"), "escrituras/compraventa");
        let output = home.run(&[through, &["skills", "show", "compravneta"]].concat());
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(5) && said.contains("the nearest are: escrituras/compraventa"), "{said}");
        let output = home.run(&[through, &["skills", "show", "roto"]].concat());
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("roto cannot be shown"), "what is left out of the list says why: {said}");
    }
    home.ok(&["pull", "compraventa", "out"]);
    assert_eq!(home.read("out/escrituras/compraventa/resources/ejemplo.md"), "uno\ndos arras\ntres\n");
    assert!(home.ok(&["lint", "compraventa"]).contains("1 skill"));
    let output = home.run(&["pull", "compravneta", "out"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("the nearest are: escrituras/compraventa"), "{said}");
    home.file("data/skillmount/me/skills/otra/compraventa/SKILL.md", &skill("compraventa", "Otra."));
    for command in [&["skills", "show", "compraventa"][..], &["pull", "compraventa", "out"]] {
        assert_eq!(home.refused(command), (6, "ambiguous_skill".into()), "{command:?}");
    }
}
