//! `skillmount test`, and searches and prompts that explain themselves.

use serde_json::{Value, json};

use super::{Home, server::Server, skill};

const QUESTIONS: &str = "\
top: 1
questions:
  - query: preparar una escritura
    expect: escrituras/compraventa
  - query: tomar notas
    expect: [notas]
  - query: xyzzy plugh
    expect: []
";

/// The exit status and what a test printed.
fn tested(home: &Home, arguments: &[&str]) -> (i32, String) {
    let output = home.run(arguments);
    (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
}

// S-CLI-6: `test` asks the questions of a file, and each must find all its expected skills within its first `top`.
#[test]
fn questions_find_their_skills_in_a_store_through_a_server_and_in_a_folder() {
    let home = Home::with_skills();
    home.file("questions.yaml", QUESTIONS);
    home.file("bad.yaml", "- query: preparar una escritura\n  expect: [escrituras/compraventa, notas, nada]\n");
    let server = Server::start(&home, &[]);
    for place in [&[][..], &["--server", &server.url], &["--store", "memory:"]] {
        let folder: &[&str] = if place.contains(&"memory:") { &["--skills", "skills"] } else { &[] };
        let (status, text) = tested(&home, &[place, &["test", "questions.yaml"], folder].concat());
        assert_eq!(status, 0, "{place:?}: {text}");
        assert!(text.ends_with("3 questions: 3 passed, 0 failed\n"), "{text}");
        let (status, text) = tested(&home, &[place, &["test", "bad.yaml", "--json"], folder].concat());
        let report: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((status, &report["failed"], &report["passed"]), (1, &json!(1), &json!(0)), "{report}");
        let question = &report["questions"][0];
        assert_eq!(question["found"][0]["skill"], "escrituras/compraventa");
        let missing = question["missing"].as_array().unwrap();
        assert_eq!((&missing[0]["skill"], &missing[1]["skill"]), (&json!("notas"), &json!("nada")));
        assert!(missing[0]["reason"].as_str().unwrap().contains("no word of the question"), "{missing:?}");
        assert!(missing[1]["reason"].as_str().unwrap().contains("there is no skill"), "{missing:?}");
    }
    let (status, text) = tested(&home, &["test", "bad.yaml"]);
    assert!(status == 1 && text.contains("FAIL") && text.ends_with("1 question: 0 passed, 1 failed\n"), "{text}");
    let session = home.path().join("data/skillmount/me/.skillmount/sessions/cli.json");
    assert!(!session.exists(), "a test is not remembered");
}

#[test]
fn a_report_for_build_servers_is_junit_whatever_the_questions_say() {
    let home = Home::with_skills();
    home.file(
        "q.json",
        &json!([{"query": "<a> & \"b\" \u{7} ]]>", "expect": "notas"}, {"query": "notas", "expect": []}]).to_string(),
    );
    let (status, xml) = tested(&home, &["test", "q.json", "--format", "junit"]);
    let document = roxmltree::Document::parse(&xml).unwrap_or_else(|error| panic!("{error}: {xml}"));
    let suite = document.descendants().find(|node| node.has_tag_name("testsuite")).unwrap();
    assert_eq!((status, suite.attribute("tests"), suite.attribute("failures")), (1, Some("2"), Some("2")));
    let cases: Vec<_> = document.descendants().filter(|node| node.has_tag_name("testcase")).collect();
    assert!(cases[0].attribute("name").unwrap().contains("<a> & \"b\""), "{xml}");
    let failure = cases[1].children().find(|node| node.has_tag_name("failure")).unwrap();
    assert_eq!(failure.attribute("message"), Some("nothing should be found, and this is: notas"));
}

#[test]
fn a_file_to_begin_with_is_printed_and_a_faulty_one_is_refused_with_its_place() {
    let home = Home::with_skills();
    home.file("begin.yaml", &home.ok(&["test", "--init"]));
    let (status, text) = tested(&home, &["test", "begin.yaml"]);
    assert!(status == 1 && text.contains("3 questions"), "{text}");
    home.file("faulty.yaml", "- query: a\n  expects: b\n");
    let said = String::from_utf8(home.run(&["test", "faulty.yaml"]).stderr).unwrap();
    assert!(said.contains("faulty.yaml: question 1: unknown field `expects`"), "{said}");
    for command in [&["test", "faulty.yaml"][..], &["test", "none.yaml"], &["test", "begin.yaml", "--format", "text"]] {
        assert_eq!(home.refused(command), (2, "invalid_request".into()), "{command:?}");
    }
    home.file("large.yaml", &"#".repeat(skillmount::limits::QUESTIONS_BYTES + 1));
    assert_eq!(home.refused(&["test", "large.yaml"]).1, "file_too_large");
    home.file("large.yaml", &"#".repeat(skillmount::limits::QUESTIONS_BYTES));
    assert_eq!(home.refused(&["test", "large.yaml"]).1, "invalid_request");
}

#[test]
fn a_search_and_a_prompt_explain_themselves_to_a_person() {
    let home = Home::with_skills();
    let server = Server::start(&home, &[]);
    for through in [&[][..], &["--server", &server.url]] {
        let run = |arguments: &[&str]| home.ok(&[through, arguments].concat());
        let text = run(&["skills", "discover", "escrituras", "--explain"]);
        assert!(text.contains("escritura  ") && text.contains("for escrituras: another form"), "{text}");
        let text = run(&["search", "escrituras", "--why", "notas"]);
        assert!(text.contains("notas: It contains no word of the question"), "{text}");
        let text = run(&["search", "escrituras de compravetna", "--explain"]);
        assert!(text.starts_with("ranking: lexical, by words\n"), "{text}");
        assert!(text.contains("  high  escrituras/compraventa\n"), "{text}");
        assert!(text.contains("compraventa  for compravetna: a typo"), "{text}");
        let text = run(&["search", "escrituras", "--why", "compraventa"]);
        assert!(text.contains("escrituras/compraventa: It is number 1 of the 1 that are found.\n"), "{text}");
        let weights = text.lines().filter_map(|line| line.strip_prefix("      ")?.get(..5)?.parse::<f32>().ok());
        assert!(weights.sum::<f32>() > 0.0, "what made the score stands below: {text}");
        let text = run(&["search", "escrituras", "--why", "compraventa", "--category", "otra"]);
        assert!(text.contains("escrituras/compraventa: It does not lie in the category otra."), "{text}");
        let text = run(&["search", "escrituras", "--why", "compraventa", "--level", "pro"]);
        assert!(text.contains("escrituras/compraventa: Its frontmatter does not name the level pro."), "{text}");
        let found = home.run(&[through, &["search", "escrituras de Reykjavik", "--explain"]].concat());
        let said = String::from_utf8(found.stderr).unwrap();
        assert!(said.contains("no skill contains: reykjavik"), "{said}");
        let text = run(&["prompt", "--explain"]);
        assert!(text.contains("whole") && text.contains("escrituras/compraventa  It fits."), "{text}");
        assert!(text.contains("of them around the skills; 2 of 2 shown"), "{text}");
    }
    home.file("data/skillmount/me/skills/roto/SKILL.md", &skill("roto", "").replace("description", "descripcion"));
    let said = home.ok(&["prompt", "--explain"]);
    assert!(said.contains("roto") && said.contains("It is left out"), "{said}");
}
