//! Every method and every error, as the client of the protocol's own SDK meets them over both transports and in both versions.

use std::{collections::HashMap, net::TcpListener};

use rmcp::{
    RoleClient, ServiceError,
    model::{
        ArgumentInfo, CallToolRequestParams, ClientRequest, CompleteRequestParams, CustomRequest, ErrorCode,
        GetPromptRequestParams, GetSkillRequestParams, PaginatedRequestParams, PingRequest, ProtocolVersion,
        ReadResourceDirectoryRequestParams, ReadResourceRequestParams, Reference, ServerResult, SkillResources,
    },
    service::{ClientLifecycleMode, ClientServiceExt as _, RunningService},
    transport::{
        StreamableHttpClientTransport, TokioChildProcess, streamable_http_client::StreamableHttpClientTransportConfig,
    },
};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::text;
use crate::cli::{Home, server::Server};

const SKILL: &str = "skill://escrituras/compraventa/SKILL.md";

type Host = RunningService<RoleClient, ()>;

/// How a host reaches the service, which lasts longer than one host.
enum Way {
    Stdio,
    Http { server: Server, port: u16 },
}

impl Way {
    /// A service of its own, at a port to which it can come back.
    fn http(home: &Home) -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        Self::Http { server: Self::serve(home, port), port }
    }

    fn serve(home: &Home, port: u16) -> Server {
        Server::spawn(&mut home.program(&["serve", "--json", "--drain", "0", "--listen", &format!("127.0.0.1:{port}")]))
    }

    /// Ends what serves, at once, and begins it anew. On standard input and output each host starts its own.
    fn restart(&mut self, home: &Home) {
        if let Self::Http { server, port } = self {
            server.kill();
            *server = Self::serve(home, *port);
        }
    }

    async fn host(&self, home: &Home, user: &str, session: &str, version: &ProtocolVersion) -> Host {
        let lifecycle = if *version == ProtocolVersion::V_2026_07_28 {
            ClientLifecycleMode::Discover { preferred_versions: vec![version.clone()] }
        } else {
            ClientLifecycleMode::Initialize
        };
        match self {
            Self::Stdio => {
                let command = home.program(&["--user", user, "--session", session, "mcp"]);
                let transport = TokioChildProcess::new(tokio::process::Command::from(command)).unwrap();
                ().serve_with_lifecycle(transport, lifecycle).await.unwrap()
            }
            Self::Http { server, .. } => {
                let mut to = StreamableHttpClientTransportConfig::with_uri(format!("{}/mcp", server.url));
                let named = [("x-skillmount-user", user), ("x-skillmount-session", session)];
                to.custom_headers =
                    HashMap::from(named.map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())));
                let transport = StreamableHttpClientTransport::from_config(to);
                ().serve_with_lifecycle(transport, lifecycle).await.unwrap()
            }
        }
    }
}

/// Whether a call succeeded, and its text.
async fn call(host: &Host, name: &'static str, input: Value) -> (bool, String) {
    let mut call = CallToolRequestParams::new(name);
    call.arguments = input.as_object().cloned();
    let result = host.call_tool(call).await.unwrap();
    (result.is_error != Some(true), text(&result).to_owned())
}

/// The bytes of a resource, as far as it is text.
async fn resource(host: &Host, uri: &str) -> String {
    let read = host.read_resource(ReadResourceRequestParams::new(uri)).await.unwrap();
    serde_json::to_value(&read.contents[0]).unwrap()["text"].as_str().unwrap().to_owned()
}

async fn every_method(host: &Host, version: &ProtocolVersion) {
    let pinged = host.send_request(ClientRequest::PingRequest(PingRequest::default())).await;
    // The version without a handshake has no ping.
    assert_eq!(pinged.is_ok(), *version != ProtocolVersion::V_2026_07_28, "{pinged:?}");
    let tools = host.list_all_tools().await.unwrap();
    assert!(tools.iter().any(|tool| tool.name == "load_skill"));
    let (is_done, said) = call(host, "write", json!({"file_path": "/workspace/a", "content": "uno"})).await;
    assert!(is_done, "{said}");

    let skills = host.list_skills(None).await.unwrap().skills;
    assert_eq!(skills[0].uri, SKILL);
    let skill = host.get_skill(GetSkillRequestParams::new(SKILL)).await.unwrap().skill;
    let SkillResources::Files(files) = skill.resources else { panic!("{skill:?}") };
    assert_eq!(files.len(), 2);
    for file in &files {
        let digest = format!("sha256:{}", hex::encode(Sha256::digest(resource(host, &file.uri).await)));
        assert_eq!(serde_json::to_value(file).unwrap()["digest"], digest);
    }
    let folder = ReadResourceDirectoryRequestParams::new("skill://escrituras/compraventa");
    let children = host.read_resource_directory(folder).await.unwrap().resources;
    assert_eq!(children.iter().map(|child| child.name.as_str()).collect::<Vec<_>>(), ["compraventa", "resources"]);
    let resources = host.list_all_resources().await.unwrap();
    assert_eq!((resources[0].uri.as_str(), resources[1].uri.as_str()), ("skill://index.json", SKILL));
    assert!(resource(host, "skill://index.json").await.contains(SKILL));

    let template = host.list_all_resource_templates().await.unwrap().remove(0).uri_template;
    let wanted = CompleteRequestParams::new(Reference::for_resource(template), ArgumentInfo::new("skill", "escr"));
    assert_eq!(host.complete(wanted).await.unwrap().completion.values, ["escrituras/compraventa"]);
    let prompts = host.list_all_prompts().await.unwrap();
    let mut names: Vec<_> = prompts.iter().map(|prompt| prompt.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["escrituras/compraventa", "notas"], "the skill used most is first");
    let prompt = host.get_prompt(GetPromptRequestParams::new("notas")).await.unwrap();
    assert!(prompt.messages[0].content.as_text().unwrap().text.contains("Pasos."));
    assert!(call(host, "ls", json!({"path": "/skills/notas"})).await.0, "it was loaded");
}

async fn every_error(host: &Host) {
    let code = |result: Result<(), ServiceError>| match result.unwrap_err() {
        ServiceError::McpError(error) => error.code,
        other => panic!("{other}"),
    };
    let cursor = || Some(PaginatedRequestParams::default().with_cursor(Some("x".to_owned())));
    let prompt = CompleteRequestParams::new(Reference::for_prompt("none"), ArgumentInfo::new("arguments", ""));
    let none = "skill://none/SKILL.md";
    let file = ReadResourceDirectoryRequestParams::new(SKILL);
    for (what, result) in [
        ("a tool", host.call_tool(CallToolRequestParams::new("fly")).await.map(drop)),
        ("a prompt", host.get_prompt(GetPromptRequestParams::new("none")).await.map(drop)),
        ("what to complete", host.complete(prompt).await.map(drop)),
        ("a resource", host.read_resource(ReadResourceRequestParams::new("file:///etc/passwd")).await.map(drop)),
        ("a skill", host.get_skill(GetSkillRequestParams::new(none)).await.map(drop)),
        ("a folder", host.read_resource_directory(file).await.map(drop)),
        ("a page of tools", host.list_tools(cursor()).await.map(drop)),
        ("a page of prompts", host.list_prompts(cursor()).await.map(drop)),
        ("a page of resources", host.list_resources(cursor()).await.map(drop)),
        ("a page of templates", host.list_resource_templates(cursor()).await.map(drop)),
        ("a page of skills", host.list_skills(cursor()).await.map(drop)),
    ] {
        assert_eq!(code(result), ErrorCode::INVALID_PARAMS, "{what}");
    }
    let odd = ClientRequest::CustomRequest(CustomRequest::new("no/such", None));
    assert_eq!(code(host.send_request(odd).await.map(|_: ServerResult| ())), ErrorCode::METHOD_NOT_FOUND);
    for (name, input, says) in [
        ("read", json!({"file_path": "/workspace/none"}), "File not found"),
        ("read", json!({"path": 3}), "file_path"),
        ("read", json!({"file_path": "/skills/compraventa/SKILL.md"}), "load_skill"),
        ("load_skill", json!({"skill": "none"}), "there is no skill"),
        ("write", json!({"file_path": "/skills/x", "content": ""}), "cannot be written"),
        ("grep", json!({"pattern": "("}), "Error"),
    ] {
        let (is_done, said) = call(host, name, input).await;
        assert!(!is_done && said.contains(says), "{name}: {said}");
    }
}

#[tokio::test]
async fn a_host_has_every_method_and_every_error_over_both_transports() {
    for version in [ProtocolVersion::V_2025_06_18, ProtocolVersion::V_2026_07_28] {
        let home = Home::with_skills();
        for mut way in [Way::Stdio, Way::http(&home)] {
            let session = if matches!(way, Way::Stdio) { "s1" } else { "s2" };
            let (mine, theirs) =
                tokio::join!(way.host(&home, "me", session, &version), way.host(&home, "otto", session, &version));
            every_error(&mine).await;
            let write = json!({"file_path": "/workspace/a", "content": "dos"});
            let ((), other) = tokio::join!(every_method(&mine, &version), call(&theirs, "write", write));
            assert!(other.0, "{}", other.1);
            assert!(theirs.list_skills(None).await.unwrap().skills.is_empty(), "skills of another user");
            let read = || json!({"file_path": "/workspace/a"});
            assert!(call(&theirs, "read", read()).await.1.contains("dos"));

            way.restart(&home);
            // Over HTTP it is the host of before: there a conversation is in nothing but its session.
            let mine = if matches!(way, Way::Stdio) { way.host(&home, "me", session, &version).await } else { mine };
            assert!(call(&mine, "read", read()).await.1.contains("uno"));
            assert!(call(&mine, "ls", json!({"path": "/skills/notas"})).await.0, "still loaded");
            every_error(&mine).await;
        }
    }
}
