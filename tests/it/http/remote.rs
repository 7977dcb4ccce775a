//! The remote backend against a real server: the trait answers as it does in process.

use std::time::Duration;

use bytes::Bytes;
use serde_json::json;
use skillmount::{
    Code, Outcome,
    access::{Callers, Keys},
    client::RemoteBackend,
    http::HttpConfig,
    path::{Id, SkillPath},
    wire::{
        BackendProtocol as _, DefinitionShape, DeleteRequest, DiscoverRequest, EditRequest, GlobRequest, GrepRequest,
        LoadSkillRequest, LoadStatus, LsRequest, PromptMode, PromptRequest, ReadRequest, SessionListRequest,
        SkillListRequest, ToolCallsRequest, ToolListRequest, TurnFormat, TurnReply, UnloadSkillRequest, UnloadStatus,
        UploadFile, WriteRequest,
    },
};

use super::Server;

fn remote(server: &Server, session: &str, key: Option<&str>) -> RemoteBackend {
    let id = |text| Id::parse(text).unwrap();
    RemoteBackend::new(&server.base, id("u1"), id(session), key.map(str::to_owned)).unwrap()
}

fn write(path: &str, content: &str) -> WriteRequest {
    WriteRequest { file_path: path.to_owned(), content: content.to_owned(), overwrite: false }
}

#[tokio::test]
async fn every_operation_works_from_afar() {
    let server = Server::with_skills().await;
    let remote = remote(&server, "s1", None);
    assert!(remote.write(write("/workspace/a.md", "one two\n")).await.unwrap().created);
    let edit = EditRequest::new("/workspace/a.md", "two", "2");
    assert_eq!(remote.edit(edit).await.unwrap().occurrences, 1);
    let read = ReadRequest { file_path: "/workspace/a.md".into(), offset: 0, limit: 10 };
    assert_eq!(remote.read(read).await.unwrap().content, "one 2\n");
    assert_eq!(remote.ls(LsRequest { path: "/".into() }).await.unwrap().entries.len(), 2);
    let glob = GlobRequest { pattern: "*.md".into(), path: None };
    assert_eq!(remote.glob(glob).await.unwrap().matches[0].path, "/workspace/a.md");
    let grep: GrepRequest = serde_json::from_str(r#"{"pattern": "2"}"#).unwrap();
    assert_eq!(remote.grep(grep).await.unwrap().matches.unwrap()[0].line, 1);

    let load = LoadSkillRequest::new("compraventa");
    assert_eq!(remote.load_skill(load).await.unwrap().status, LoadStatus::Loaded);
    assert_eq!(remote.session().await.unwrap().current_skill.unwrap().as_str(), "escrituras/compraventa");
    let skill = SkillPath::parse("escrituras/compraventa").unwrap();
    assert_eq!(remote.show_skill(&skill).await.unwrap().skill.name, "compraventa");
    assert_eq!(
        remote
            .list_skills(&SkillListRequest { category: Some("contratos".into()), ..SkillListRequest::default() })
            .await
            .unwrap()
            .skills[0]
            .skill,
        "contratos/arrendamiento"
    );
    assert_eq!(
        remote.list_sessions(&SessionListRequest::default()).await.unwrap().sessions[0].session_id.as_str(),
        "s1"
    );
    let listing = PromptRequest { mode: Some(PromptMode::Listing), ..PromptRequest::default() };
    assert!(remote.prompt(&listing).await.unwrap().prompt.contains("contratos/arrendamiento"));
    let discover = DiscoverRequest::new("alquileres");
    assert_eq!(remote.discover_skills(discover).await.unwrap().skills[0].skill, "contratos/arrendamiento");
    let tools = remote.tools(&ToolListRequest { format: DefinitionShape::Mcp, mode: None }).await.unwrap().tools;
    assert!(tools[0]["inputSchema"].is_object(), "{tools:?}");
    let call = json!({"type": "tool_use", "id": "t", "name": "read", "input": {"file_path": "/workspace/a.md"}});
    let turn = ToolCallsRequest { content: vec![call], ..ToolCallsRequest::default() };
    let TurnReply::Results(answer) = remote.tool_calls(&turn, false).await.unwrap() else { panic!("another shape") };
    assert!(answer.content[0].content.contains("one 2"), "{answer:?}");
    let arguments = json!({"file_path": "/workspace/a.md"}).to_string();
    let call = json!({"type": "function", "id": "t", "function": {"name": "read", "arguments": arguments}});
    let turn =
        ToolCallsRequest { format: Some(TurnFormat::Openai), tool_calls: vec![call], ..ToolCallsRequest::default() };
    let TurnReply::Messages(same) = remote.tool_calls(&turn, false).await.unwrap() else { panic!("another shape") };
    assert_eq!(same.messages[0].content, answer.content[0].content);
    let unload = UnloadSkillRequest { skill: "compraventa".into() };
    assert_eq!(remote.unload_skill(unload).await.unwrap().status, UnloadStatus::Unloaded);
    assert_eq!(remote.delete(DeleteRequest { path: "/workspace/a.md".into() }).await.unwrap().deleted, 1);
}

#[tokio::test]
async fn files_travel_as_bytes_with_an_outcome_each_in_order() {
    let server = Server::start().await;
    let remote = remote(&server, "s1", None);
    let paths = ["/workspace/odd ?#%2e [é]", "/workspace/../x", "/skills/x", "/workspace/b"];
    let file = |path: &&str| UploadFile { path: (*path).to_owned(), bytes: Bytes::from_static(b"\0\xff") };
    let uploaded = remote.upload(paths.iter().map(file).collect()).await.unwrap();
    let code = |result: Option<&skillmount::Error>| result.map(skillmount::Error::code);
    let codes: Vec<_> = uploaded.iter().map(|outcome| code(outcome.result.as_ref().err())).collect();
    assert_eq!(codes, [None, Some(Code::InvalidPath), Some(Code::ReadOnly), None]);
    let downloaded = remote.download(paths.map(str::to_owned).to_vec()).await.unwrap();
    assert_eq!(downloaded[0].result.as_ref().unwrap(), &b"\0\xff"[..]);
    assert_eq!(code(downloaded[2].result.as_ref().err()), Some(Code::FileNotFound));
    assert_eq!(downloaded[3].path, "/workspace/b");
}

#[tokio::test]
async fn errors_come_back_with_code_message_outcome_and_details() {
    let server = Server::with_skills().await;
    let remote = remote(&server, "s1", None);
    let load = LoadSkillRequest::new("compravento");
    let error = remote.load_skill(load).await.unwrap_err();
    assert_eq!(error.code(), Code::SkillNotFound);
    assert!(
        error.details()["suggestions"].to_string().contains("compraventa") && error.details().len() == 1,
        "{:?}",
        error.details()
    );
    server.faulty.set_down(true);
    let error = remote.write(write("/workspace/a", "")).await.unwrap_err();
    assert_eq!((error.code(), error.outcome()), (Code::StoreUnavailable, Some(Outcome::NotApplied)));
}

#[tokio::test]
async fn keys_are_sent_and_their_lack_is_told() {
    let server = Server::with(HttpConfig {
        callers: Callers { keys: Keys::single("k").unwrap(), ..Callers::default() },
        ..HttpConfig::default()
    })
    .await;
    assert!(remote(&server, "s1", Some("k")).session().await.is_ok());
    assert_eq!(remote(&server, "s1", None).session().await.unwrap_err().code(), Code::Unauthenticated);
}

#[tokio::test]
async fn a_server_that_is_not_there_means_not_applied_and_one_that_falls_silent_unknown() {
    let mut server = Server::start().await;
    let before = remote(&server, "s1", None);
    let cut = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let id = Id::parse("u1").unwrap();
    let silent = RemoteBackend::new(&format!("http://{}", cut.local_addr().unwrap()), id.clone(), id, None).unwrap();
    tokio::spawn(async move {
        let (stream, _) = cut.accept().await.unwrap();
        stream.readable().await.unwrap();
        tokio::time::sleep(Duration::from_millis(10)).await;
    });
    let error = silent.write(write("/workspace/a", "")).await.unwrap_err();
    assert_eq!((error.code(), error.outcome()), (Code::StoreUnavailable, Some(Outcome::Unknown)));
    server.stop();
    server.task.await.unwrap().unwrap();
    let error = before.write(write("/workspace/a", "")).await.unwrap_err();
    assert_eq!((error.code(), error.outcome()), (Code::StoreUnavailable, Some(Outcome::NotApplied)));
    assert!(error.retryable());
}
