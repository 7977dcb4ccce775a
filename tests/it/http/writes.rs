//! What the wire says of changes that fail, in whole or in part.

use std::convert::Infallible;

use futures_util::{StreamExt as _, stream};
use reqwest::{
    Body, Method,
    multipart::{Form, Part},
};
use serde_json::{Value, json};
use skillmount::{
    Code, Outcome, Parts,
    client::RemoteBackend,
    path::Id,
    store::{Verb, testing::Fault},
    wire::{BackendProtocol as _, DeleteRequest, EditRequest, UploadFile},
};

use super::{Answer, Server};

/// A server whose session `s1` has loaded a skill and may change it, but cannot be changed itself any more.
async fn server_with_broken_session() -> Server {
    let server = Server::with_skills().await;
    server.send(Method::PUT, &server.session(""), &json!({"policy": {"skills_access": "write"}})).await.is(201);
    server.op("load_skill", json!({"skill": "compraventa"})).await.is(200);
    server.faulty.for_keys(Verb::Put, "/sessions/", Fault::Deny);
    server
}

fn remote(server: &Server) -> RemoteBackend {
    let id = |text| Id::parse(text).unwrap();
    RemoteBackend::new(&server.base, id("u1"), id("s1"), None).unwrap()
}

/// `skillmount rm /workspace/f` in session `s1`: its exit status and what it says on stderr; on stdout it says nothing.
async fn rm(server: &Server, options: &[&str]) -> (i32, String) {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_skillmount"));
    command.env_clear().args(["--server", &server.base, "--user", "u1", "--session", "s1", "rm", "/workspace/f"]);
    command.args(options);
    let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "");
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

/// One tool call, as a model reads its result.
async fn tool(server: &Server, name: &str, input: Value) -> (bool, String) {
    let block = json!({"type": "tool_use", "id": "t", "name": name, "input": input});
    let answer = server.op("tool_calls", json!({"content": [block]})).await;
    let result = &answer.is(200)["content"][0];
    (result["is_error"] == true, result["content"].as_str().unwrap().to_owned())
}

// S-WRITE-6: A change of a skill's file has two parts, the file and the session's snapshot, and a failed change reports
// both.
#[tokio::test]
async fn a_change_that_lands_in_part_carries_its_parts_over_the_wire() {
    let server = server_with_broken_session().await;
    let new = "/skills/compraventa/new.md";
    let write = json!({"file_path": new, "content": "one"});
    let edit = json!({"file_path": new, "old_string": "one", "new_string": "one one"});
    let delete = json!({"path": "/skills/compraventa/resources"});
    for (operation, request) in [("write", &write), ("edit", &edit), ("delete", &delete)] {
        let answer = server.op(operation, request.clone()).await;
        answer.is_problem(503, "store_unavailable");
        assert_eq!(answer.json["outcome"], "partial", "{operation}");
        assert_eq!(answer.json["parts"], json!({"file": "applied", "session": "not_applied"}), "{operation}");
        let (is_error, text) = tool(&server, operation, request.clone()).await;
        assert!(is_error && text.contains("make the same call again"), "{operation}: {text}");
        server.faulty.clear();
        server.op(operation, request.clone()).await.is(200);
        server.faulty.for_keys(Verb::Put, "/sessions/", Fault::Deny);
    }
    server.faulty.clear();
    assert_eq!(server.op("read", json!({"file_path": new})).await.is(200)["content"], "one one");
    server.op("ls", delete).await.is_problem(404, "file_not_found");
}

#[tokio::test]
async fn the_remote_backend_reads_the_parts_back() {
    let server = server_with_broken_session().await;
    let edit = EditRequest::new("/skills/compraventa/SKILL.md", "Pasos.", "Pasos. Pasos.");
    let error = remote(&server).edit(edit.clone()).await.unwrap_err();
    let parts = Parts { file: Some(Outcome::Applied), session: Some(Outcome::NotApplied), audit: None };
    assert_eq!((error.parts(), error.outcome(), error.details().len()), (Some(parts), Some(Outcome::Partial), 0));
    server.faulty.clear();
    assert_eq!(remote(&server).edit(edit).await.unwrap().occurrences, 1);
    let stored = server.op("read", json!({"file_path": "/skills/compraventa/SKILL.md"})).await;
    assert_eq!(stored.is(200)["content"].as_str().unwrap().matches("Pasos.").count(), 2);
}

// S-DELETE-5: `DELETE` of a file's address answers with the problem of the first file that stayed, and with `outcome`,
// `deleted` and `failed`.
#[tokio::test]
async fn a_folder_that_is_deleted_in_part_says_so_by_either_route() {
    let server = Server::start().await;
    for route in ["delete", "DELETE", "tool", "remote", "rm", "rm --json"] {
        for number in 0..20 {
            server.put(&format!("/workspace/f/{number:02}"), "x").await;
        }
        server.faulty.for_keys(Verb::Delete, "/f/1", Fault::Deny);
        let path = json!({"path": "/workspace/f"});
        let first = json!({"path": "/workspace/f/10", "code": "store_unavailable", "outcome": "not_applied"});
        match route {
            "delete" => {
                let answer = server.op("delete", path.clone()).await;
                assert_eq!(answer.is(200)["deleted"], 10);
                assert_eq!((&answer.json["outcome"], &answer.json["failed"][0]), (&json!("partial"), &first));
                assert_eq!(answer.json["failed"].as_array().unwrap().len(), 10);
            }
            "DELETE" => {
                let url = server.session("/files/workspace/f");
                let answer = Answer::of(server.client.delete(url).send().await.unwrap()).await;
                answer.is_problem(503, "store_unavailable");
                assert_eq!((&answer.json["outcome"], &answer.json["deleted"]), (&json!("partial"), &json!(10)));
                assert_eq!(answer.json["failed"][0], first);
            }
            "tool" => {
                let (is_error, text) = tool(&server, "delete", path.clone()).await;
                assert!(
                    is_error && text.contains("10 files were deleted") && text.contains("/workspace/f/10"),
                    "{text}"
                );
                assert!(text.contains("make the same call again"), "{text}");
            }
            "rm" => {
                let (status, text) = rm(&server, &["-r"]).await;
                assert!(text.contains("not deleted: /workspace/f/10 (store_unavailable)"), "{text}");
                assert!(status == 7 && text.contains("10 files were deleted"), "{status}: {text}");
            }
            "rm --json" => {
                let (status, text) = rm(&server, &["-r", "--json"]).await;
                let problem: Value = serde_json::from_str(&text).unwrap();
                assert_eq!((status, &problem["outcome"], &problem["failed"][0]), (7, &json!("partial"), &first));
            }
            _ => {
                let reply = remote(&server).delete(DeleteRequest { path: "/workspace/f".into() }).await.unwrap();
                assert_eq!((reply.deleted, reply.outcome, reply.failed.len()), (10, Some(Outcome::Partial), 10));
            }
        }
        server.faulty.clear();
        let rest = server.op("delete", path).await;
        assert_eq!(rest.is(200), &json!({"path": "/workspace/f", "deleted": 10}), "{route}");
    }
}

// S-TRANSFER-1: `upload` and `download` carry any bytes and report on each file, in the given order.
#[tokio::test]
async fn an_upload_says_what_became_of_each_file() {
    let server = Server::start().await;
    server.faulty.for_keys(Verb::Put, "lost", Fault::LoseReply);
    server.faulty.for_keys(Verb::Head, "lost", Fault::Deny);
    server.faulty.for_keys(Verb::Put, "denied", Fault::Deny);
    let names = ["/workspace/fine", "/workspace/lost", "/workspace/denied", "bad"];
    let form = names.into_iter().fold(Form::new(), |form, name| form.part(name, Part::bytes(vec![1])));
    let request = server.client.post(server.session("/upload")).multipart(form.percent_encode_noop());
    let answer = Answer::of(request.send().await.unwrap()).await;
    let outcomes: Vec<_> = answer.is(200)["files"].as_array().unwrap().iter().map(|file| &file["outcome"]).collect();
    assert_eq!(outcomes, [&json!(null), &json!("unknown"), &json!("not_applied"), &json!("not_applied")]);

    let files = names.map(|path| UploadFile { path: path.into(), bytes: "x".into() });
    let uploaded = remote(&server).upload(files.to_vec()).await.unwrap();
    let outcomes: Vec<_> =
        uploaded.iter().map(|one| one.result.as_ref().err().and_then(skillmount::Error::outcome)).collect();
    assert_eq!(outcomes, [None, Some(Outcome::Unknown), Some(Outcome::NotApplied), Some(Outcome::NotApplied)]);
}

#[tokio::test]
async fn an_upload_that_breaks_off_says_what_became_of_the_whole() {
    let server = Server::start().await;
    server.faulty.for_keys(Verb::Put, "denied", Fault::Deny);
    for (name, outcome) in [("fine", "partial"), ("denied", "not_applied")] {
        let cut = format!(
            "--b\r\ncontent-disposition: form-data; name=\"/workspace/{name}\"\r\n\r\nx\r\n--b\r\nno header at all\r\n\r\n"
        );
        let request =
            server.client.post(server.session("/upload")).header("content-type", "multipart/form-data; boundary=b");
        let answer = Answer::of(request.body(cut).send().await.unwrap()).await;
        answer.is_problem(400, "invalid_request");
        assert_eq!(answer.json["outcome"], outcome, "{}", answer.json);
    }
}

// S-BUDGET-3: A request reserves its memory once its body has come.
#[tokio::test]
async fn a_form_that_never_begins_or_whose_part_head_never_ends_is_not_read_on() {
    let server = Server::start().await;
    let skill = format!("{}/v1/users/u1/skills/a/new", server.base);
    for begin in ["", "--b\r\nfoo: "] {
        for (method, address) in [(Method::POST, server.session("/upload")), (Method::PUT, skill.clone())] {
            let spaces = stream::repeat(vec![b' '; 4096]).take(8);
            let pieces = stream::once(async { begin.as_bytes().to_vec() }).chain(spaces);
            let endless = pieces.map(Ok::<_, Infallible>).chain(stream::pending());
            let request = server.client.request(method, &address).body(Body::wrap_stream(endless));
            let request = request.header("content-type", "multipart/form-data; boundary=b");
            let answer = Answer::of(request.send().await.unwrap()).await;
            answer.is_problem(400, "invalid_request");
            assert!(answer.json["detail"].as_str().unwrap().contains("16384 bytes"), "{}", answer.json);
        }
    }
}

// S-SESSION-11: If a preload fails, the service creates no session, and if it succeeds, the session takes one write.
#[tokio::test]
async fn a_session_whose_preload_fails_is_not_made() {
    let server = Server::with_skills().await;
    let wanted = json!({"policy": {"preload": ["escrituras/compraventa", "pub/missing"]}});
    for _ in 0..2 {
        let answer = server.send(Method::PUT, &server.session(""), &wanted).await;
        answer.is_problem(404, "skill_not_found");
        assert_eq!(answer.json["outcome"], "not_applied");
        assert_eq!(server.get(&server.session("")).await.is(200)["version"], 0);
    }
    assert_eq!(server.get(&server.user("/sessions")).await.is(200)["sessions"], json!([]));
    let wanted = json!({"policy": {"preload": ["escrituras/compraventa"]}});
    let made = server.send(Method::PUT, &server.session(""), &wanted).await;
    assert_eq!((&made.is(201)["version"], &made.json["current_skill"]), (&json!(1), &json!("escrituras/compraventa")));
}

// S-WRITE-7: If the write ids cannot decide, the answer is `unknown` and the service repeats no PUT.
#[tokio::test]
async fn a_create_whose_reply_was_lost_and_whose_file_is_gone_is_unknown() {
    let server = Server::start().await;
    server.faulty.for_keys(Verb::Put, "gone.md", Fault::LoseRequest);
    let answer = server.op("write", json!({"file_path": "/workspace/gone.md", "content": "x"})).await;
    answer.is_problem(503, "store_unavailable");
    assert_eq!(answer.json["outcome"], "unknown");
    server.faulty.clear();
    server.op("read", json!({"file_path": "/workspace/gone.md"})).await.is_problem(404, "file_not_found");
    let error = remote(&server).delete(DeleteRequest { path: "/workspace/gone.md".into() }).await.unwrap_err();
    assert_eq!((error.code(), error.outcome()), (Code::FileNotFound, Some(Outcome::NotApplied)));
}
