//! `skillmount encoder add`: what it takes, what it refuses, and that nothing is left behind then.

use std::{fs, net::TcpListener};

use serde_json::json;

use super::{Home, skill};
use crate::support::wheels::Wheels;

/// The names in the folder of encoders; `None` if there is no such folder.
fn encoders(home: &Home) -> Option<Vec<String>> {
    let entries = fs::read_dir(home.path().join("data/skillmount-encoders")).ok()?;
    Some(entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect())
}

/// A real encoder in the folder `minilm` of a home, its model below that in `onnx`.
fn unpack(wheels: &Wheels, home: &Home) {
    let folder = home.path().join("minilm");
    fs::create_dir_all(folder.join("onnx")).unwrap();
    wheels.unpack(&folder);
    fs::rename(folder.join("model.onnx"), folder.join("onnx/model.onnx")).unwrap();
}

/// The command that adds the encoder of these files.
const fn add<'a>(model: &'a str, tokenizer: &'a str, runtime: &'a str) -> [&'a str; 8] {
    ["encoder", "add", "--model", model, "--tokenizer", tokenizer, "--runtime", runtime]
}

/// The command for the encoder in `minilm`.
const MINILM: [&str; 8] = add("minilm/onnx/model.onnx", "minilm/tokenizer.json", "minilm/libonnxruntime.so");

/// What is said of a command that is refused, after which there must be no encoder.
fn refused(home: &Home, arguments: &[&str]) -> String {
    let output = home.run(arguments);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success(), "{arguments:?}: {said}");
    assert_eq!(encoders(home), None, "{arguments:?}");
    said
}

// S-ENCODER-1: `encoder add` builds an encoder of three files, tests it, and prints the setting for it.
// S-ENCODER-5: A command that searches a store makes the missing vectors before it answers, for 30 seconds at most.
#[test]
fn an_encoder_of_three_files_is_added_and_finds_by_meaning() {
    let Some(wheels) = Wheels::get() else { return };
    let home = Home::new().apart();
    unpack(&wheels, &home);
    let pooling = r#"{"word_embedding_dimension": 384, "pooling_mode_mean_tokens": true}"#;
    home.file("minilm/1_Pooling/config.json", pooling);
    let said = home.ok(&MINILM);
    let folder = home.path().join("data/skillmount-encoders/minilm");
    assert_eq!(fs::read_to_string(folder.join("1_Pooling/config.json")).unwrap(), pooling);
    let line = format!("embedding_url = \"dir:{}\"", folder.display());
    assert!(said.starts_with("added minilm: 384 dimensions") && said.ends_with(&format!("{line}\n")), "{said}");
    assert_eq!(encoders(&home).unwrap(), ["minilm"]);

    // The line is one of a configuration, and the service then finds what shares no word.
    home.file("skillmount.toml", &line);
    home.file("skills/felines/SKILL.md", &skill("felines", "Looks after felines."));
    home.file("skills/ledgers/SKILL.md", &skill("ledgers", "Keeps ledgers of a company."));
    home.ok(&["push", "skills"]);
    let checks = home.json(&["doctor"])["checks"].clone();
    let check = checks.as_array().unwrap().iter().find(|check| check["name"] == "encoder").unwrap();
    assert_eq!(
        (&check["status"], &check["detail"]),
        (&json!("ok"), &json!(format!("dir:{} makes vectors of 384 numbers", folder.display())))
    );

    // A command has nothing behind it: the first search makes the vectors, and the next ones find them.
    let vectors = home.path().join("data/skillmount/me/.skillmount/vectors");
    for _ in 0..2 {
        let found = home.json(&["search", "my cat is hungry"]);
        assert_eq!((&found["ranking"], &found["skills"][0]["skill"]), (&json!("fused"), &json!("felines")), "{found}");
        assert!(vectors.exists());
    }
    let explained = home.ok(&["skills", "discover", "my cat is hungry", "--explain", "--why", "ledgers"]);
    assert!(explained.starts_with("ranking: fused") && explained.contains("cosine"), "{explained}");

    // The same name is taken, until it is said that it gives way.
    assert_eq!(home.refused(&MINILM), (6, "already_exists".to_owned()));
    home.ok(&[&MINILM[..], &["--name", "other"]].concat());
    home.ok(&[&MINILM[..], &["--replace", "--question-prefix", "query: "]].concat());
    let mut names = encoders(&home).unwrap();
    names.sort();
    assert_eq!(names, ["minilm", "other"]);
    assert!(fs::read_to_string(folder.join("config_sentence_transformers.json")).unwrap().contains("query: "));
    assert!(!home.path().join("data/skillmount-encoders/other/config_sentence_transformers.json").exists());

    // What does not work leaves what was there.
    let whole = home.path().join("data/skillmount-encoders/other");
    let file = |name: &str| whole.join(name).to_str().unwrap().to_owned();
    let (model, tokenizer, runtime) = (file("model.onnx"), file("tokenizer.json"), file("libonnxruntime.so"));
    let third = [&add(&model, &tokenizer, &runtime)[..], &["--name", "third"]].concat();
    let added = home.json(&third);
    assert_eq!((&added["dimensions"], &added["name"]), (&json!(384), &json!("third")));
    fs::write(whole.join("model.onnx"), "no model").unwrap();
    let failed = home.refused(&[&third[..], &["--replace"]].concat());
    assert_eq!(failed, (2, "invalid_request".to_owned()));
    assert!(home.path().join("data/skillmount-encoders/third/tokenizer.json").exists());
    assert_eq!(encoders(&home).unwrap().len(), 3);
}

// The first design, "Data Privacy": "Local Processing - Use local models for sensitive operations when possible".
#[test]
fn local_processing_use_local_models_for_sensitive_operations_when_possible() {
    let Some(wheels) = Wheels::get() else { return };
    let home = Home::new().apart();
    unpack(&wheels, &home);
    home.ok(&[&MINILM[..], &["--name", "local"]].concat());
    home.file("skills/felines/SKILL.md", &skill("felines", "Looks after felines."));
    home.ok(&["push", "skills"]);
    // Whatever a process sends out of this machine comes here.
    let proxy = TcpListener::bind("127.0.0.1:0").unwrap();
    proxy.set_nonblocking(true).unwrap();
    let address = format!("http://{}", proxy.local_addr().unwrap());
    let asked_with = |encoder: Option<&str>| {
        home.file("skillmount.toml", &encoder.map(|place| format!("embedding_url = {place:?}")).unwrap_or_default());
        let mut command = home.program(&["search", "my cat is hungry", "--json"]);
        for name in ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY"] {
            command.env(name, &address);
        }
        let output = command.output().unwrap();
        let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        (found["ranking"].as_str().unwrap().to_owned(), proxy.accept().is_ok())
    };
    assert_eq!(asked_with(None), ("lexical".to_owned(), false), "no model, unless one is named");
    let local = format!("dir:{}", home.path().join("data/skillmount-encoders/local").display());
    assert_eq!(asked_with(Some(&local)), ("fused".to_owned(), false), "a model of this machine, and nothing leaves it");
    let elsewhere = "http://models.example/v1/embeddings";
    assert_eq!(
        asked_with(Some(elsewhere)),
        ("lexical".to_owned(), true),
        "one elsewhere is asked if an operator says so"
    );
}

// S-ENCODER-2: `encoder add` refuses files that cannot become an encoder, names the fault and the next step, and leaves
// nothing behind.
#[test]
fn what_is_no_encoder_is_refused_and_nothing_is_left_behind() {
    const MODEL: &str = "model/model.onnx";
    const TOKENIZER: &str = "model/tokenizer.json";
    const RUNTIME: &str = "model/libonnxruntime.so";
    let home = Home::new().apart();
    for file in [MODEL, RUNTIME, "model/text.txt", "model/spiece.model", "onnxruntime.whl", "Model.ZIP"] {
        home.file(file, "nothing of the kind");
    }
    home.file(TOKENIZER, "{}");
    home.file("model/zipped.onnx", "PK and no more");
    let unzip = |option: &str| format!("is a wheel or another zip archive; unzip it, and give {option} the file in it");
    for (arguments, said) in [
        (add("nowhere.onnx", TOKENIZER, RUNTIME), "nowhere.onnx cannot be read".to_owned()),
        (add("model", TOKENIZER, RUNTIME), "model is a folder; give --model the file in it".to_owned()),
        (add("Model.ZIP", TOKENIZER, RUNTIME), unzip("--model")),
        (add("model/zipped.onnx", TOKENIZER, RUNTIME), unzip("--model")),
        (add(MODEL, "onnxruntime.whl", RUNTIME), unzip("--tokenizer") + ": the tokenizer, a file tokenizer.json"),
        (add(MODEL, TOKENIZER, "onnxruntime.whl"), unzip("--runtime") + ": ONNX Runtime, a file libonnxruntime.so"),
        (add("model/text.txt", TOKENIZER, RUNTIME), "is not the model, a file that ends in .onnx".to_owned()),
        (add(MODEL, "model/spiece.model", RUNTIME), "makes it of a tokenizer in another form".to_owned()),
        (add(MODEL, TOKENIZER, MODEL), "`pip download --no-deps onnxruntime` gets a wheel".to_owned()),
        (add(MODEL, TOKENIZER, RUNTIME), "the library of the encoder cannot be used".to_owned()),
    ] {
        let why = refused(&home, &arguments);
        assert!(why.contains(&said), "{arguments:?}: {why}");
    }
    let why = refused(&home, &[&add(MODEL, TOKENIZER, RUNTIME)[..], &["--name", "../up"]].concat());
    assert!(why.contains("is no name of an encoder"), "{why}");
    let why = refused(&home, &["encoder", "add", "--model", MODEL]);
    assert!(why.contains("--tokenizer <FILE>") && why.contains("--runtime <FILE>"), "{why}");
}

#[test]
fn a_model_that_is_no_sentence_encoder_is_refused_by_what_it_gives() {
    let Some(wheels) = Wheels::get() else { return };
    let home = Home::new().apart();
    unpack(&wheels, &home);
    let [.., model, _, tokenizer, _, runtime] = MINILM;
    home.file("bad/tokenizer.json", "{}");
    let why = refused(&home, &add(model, "bad/tokenizer.json", runtime));
    assert!(why.contains("tokenizer.json of the encoder cannot be used"), "{why}");
    home.file("bad/model.onnx", "no model");
    let why = refused(&home, &add("bad/model.onnx", tokenizer, runtime));
    assert!(why.contains("model.onnx of the encoder cannot be used"), "{why}");
}

/// The check `encoder` of doctor, with these lines of configuration.
fn checked(home: &Home, lines: &str) -> (String, String) {
    home.file("skillmount.toml", lines);
    let output = home.run(&["doctor", "--json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let checks = report["checks"].as_array().unwrap().clone();
    let check = checks.into_iter().find(|check| check["name"] == "encoder").unwrap();
    assert_eq!(output.status.code(), Some(if check["status"] == "ok" { 0 } else { 7 }), "{check}");
    (check["status"].as_str().unwrap().to_owned(), check["detail"].as_str().unwrap().to_owned())
}

// S-ENCODER-3: `doctor` tests the encoder in the settings and names its fault.
#[cfg(feature = "s3")]
#[test]
fn doctor_says_what_is_wrong_with_an_encoder() {
    use super::doctor::serving;

    let home = Home::new().apart();
    assert!(!home.ok(&["doctor"]).contains("encoder"), "none is named");
    home.file("empty/README.md", "nothing");
    let (status, said) = checked(&home, &format!("embedding_url = 'dir:{}'", home.path().join("empty").display()));
    assert!(status == "fail" && said.contains("model.onnx cannot be read"), "{said}");

    let answer = |status: &str, body: &str| {
        let length = body.len();
        format!(
            "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        )
    };
    let vectors = |one: &str, other: &str| {
        format!(r#"{{"data": [{{"index": 0, "embedding": {one}}}, {{"index": 1, "embedding": {other}}}]}}"#)
    };
    for (status, body, is_ok, wanted) in [
        ("200 OK", vectors("[1, 0, 0.5]", "[0, 1, 0.5]"), true, "makes vectors of 3 numbers"),
        ("401 Unauthorized", String::new(), false, "refused the key (401 Unauthorized): set embedding_api_key"),
        ("404 Not Found", String::new(), false, "or it has no model \"m\" (404 Not Found)"),
        ("500 Internal Server Error", String::new(), false, "answered 500"),
        ("200 OK", "<html>".to_owned(), false, "is no endpoint for embeddings"),
        ("200 OK", vectors("[1, 0]", "[1]"), false, "have 2 and 1 numbers"),
        ("200 OK", vectors("[1, 0]", "[2, 0]"), false, "are the same"),
        ("200 OK", r#"{"data": []}"#.to_owned(), false, "gave 0 vectors"),
    ] {
        let reply = answer(status, &body);
        let address = serving(move |_| reply.clone());
        let lines = format!(
            "embedding_url = 'http://{address}/v1/embeddings'\nembedding_model = 'm'\nembedding_api_key = 'hunter2'"
        );
        let (found, said) = checked(&home, &lines);
        assert_eq!(found == "ok", is_ok, "{said}");
        assert!(said.contains(wanted) && !said.contains("hunter2"), "{wanted}: {said}");
    }
    let (status, said) = checked(&home, "embedding_url = 'http://127.0.0.1:9/v1/embeddings'");
    assert!(status == "fail" && said.contains("cannot be reached"), "{said}");
}
