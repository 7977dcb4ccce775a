//! Every method and every error by the client of the protocol's own SDK, over both transports and in both versions of the protocol;
//! two users at once, and a service that starts again in the middle.

use std::collections::HashMap;

use rmcp::{
    RoleClient, ServiceError,
    model::{
        ArgumentInfo, CallToolRequestParams, CallToolResult, CompleteRequestParams, ErrorCode, GetPromptRequestParams,
        GetSkillRequestParams, PaginatedRequestParams, ProtocolVersion, ReadResourceDirectoryRequestParams,
        ReadResourceRequestParams, Reference,
    },
    service::{ClientLifecycleMode, ClientServiceExt as _, RunningService},
    transport::{
        StreamableHttpClientTransport, TokioChildProcess, streamable_http_client::StreamableHttpClientTransportConfig,
    },
};
use serde_json::{Value, json};

use super::text;
use crate::cli::{Home, server::Server};

const MAIN: &str = "skill://escrituras/compraventa/SKILL.md";

/// A conversation of a user in a session.
struct Host(RunningService<RoleClient, ()>);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Era {
    Handshake,
    Stateless,
}

impl Era {
    fn lifecycle(self) -> ClientLifecycleMode {
        match self {
            Self::Handshake => ClientLifecycleMode::Initialize,
            Self::Stateless => {
                ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] }
            }
        }
    }
}

impl Host {
    async fn on_stdio(home: &Home, (user, session): (&str, &str), era: Era) -> Self {
        let program = home.program(&["--user", user, "--session", session, "mcp"]);
        let transport = TokioChildProcess::new(tokio::process::Command::from(program)).unwrap();
        Self(().serve_with_lifecycle(transport, era.lifecycle()).await.unwrap())
    }

    async fn over_http(url: &str, (user, session): (&str, &str), era: Era) -> Self {
        let mut to = StreamableHttpClientTransportConfig::with_uri(format!("{url}/mcp"));
        let headers = [("x-skillmount-user", user), ("x-skillmount-session", session)];
        to.custom_headers = HashMap::from(headers.map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())));
        let transport = StreamableHttpClientTransport::from_config(to);
        Self(().serve_with_lifecycle(transport, era.lifecycle()).await.unwrap())
    }

    async fn call(&self, tool: &'static str, input: Value) -> CallToolResult {
        let mut call = CallToolRequestParams::new(tool);
        call.arguments = input.as_object().cloned();
        self.0.call_tool(call).await.unwrap()
    }

    async fn said(&self, tool: &'static str, input: Value) -> String {
        let result = self.call(tool, input).await;
        assert_eq!(result.is_error, Some(false), "{tool}: {}", text(&result));
        text(&result).to_owned()
    }

    /// Calls every method, most of them in the session that they change.
    async fn every_method(&self) {
        let about = self.0.peer_info().unwrap();
        assert!(about.instructions.clone().unwrap().contains("escrituras/compraventa"));
        let tools: Vec<_> = self.0.list_all_tools().await.unwrap().into_iter().map(|tool| tool.name).collect();
        for name in ["ls", "read", "grep", "glob", "write", "edit", "delete", "move", "load_skill", "unload_skill"] {
            assert!(tools.iter().any(|tool| tool == name), "{name} in {tools:?}");
        }
        let prompts = self.0.list_all_prompts().await.unwrap();
        assert_eq!(
            prompts.iter().map(|prompt| prompt.name.as_str()).collect::<Vec<_>>(),
            ["escrituras/compraventa", "notas"]
        );
        let templates = self.0.list_all_resource_templates().await.unwrap();
        let at = Reference::for_resource(templates[0].uri_template.clone());
        let completed =
            self.0.complete(CompleteRequestParams::new(at, ArgumentInfo::new("skill", "no"))).await.unwrap();
        assert_eq!(completed.completion.values, ["notas"]);
        let resources = self.0.list_all_resources().await.unwrap();
        assert!(resources.iter().any(|resource| resource.uri == MAIN));
        let read = self.0.read_resource(ReadResourceRequestParams::new(MAIN)).await.unwrap();
        assert!(serde_json::to_string(&read).unwrap().contains("Pasos."));
        let skills = self.0.list_all_skills().await.unwrap();
        assert_eq!(skills.iter().map(|skill| skill.uri.as_str()).collect::<Vec<_>>(), [MAIN, "skill://notas/SKILL.md"]);
        let skill = self.0.get_skill(GetSkillRequestParams::new(MAIN)).await.unwrap();
        assert!(serde_json::to_string(&skill).unwrap().contains("resources/ejemplo.md"));
        let folder = ReadResourceDirectoryRequestParams::new("skill://escrituras/compraventa");
        let folder = self.0.read_resource_directory(folder).await.unwrap();
        assert_eq!(folder.resources.len(), 2);

        let loaded = self.call("load_skill", json!({"skill": "compraventa"})).await;
        assert_eq!(loaded.structured_content.as_ref().unwrap()["mount"], "/skills/compraventa");
        assert!(text(&loaded).contains("Pasos."));
        let example = json!({"file_path": "/skills/compraventa/resources/ejemplo.md"});
        assert!(self.said("read", example).await.contains("dos arras"));
        self.said("write", json!({"file_path": "/workspace/a.md", "content": "uno\n"})).await;
        self.said("edit", json!({"file_path": "/workspace/a.md", "old_string": "uno", "new_string": "dos"})).await;
        assert!(self.said("grep", json!({"pattern": "dos", "path": "/workspace"})).await.contains("a.md"));
        assert!(self.said("glob", json!({"pattern": "*.md", "path": "/workspace"})).await.contains("a.md"));
        self.said("move", json!({"from": "/workspace/a.md", "to": "/workspace/b.md"})).await;
        assert!(self.said("ls", json!({"path": "/workspace"})).await.contains("b.md"));
        self.said("delete", json!({"path": "/workspace/b.md"})).await;
        assert!(self.said("discover_skills", json!({"query": "toma notas"})).await.contains("notas"));
        self.said("unload_skill", json!({"skill": "compraventa"})).await;
        let mut wanted = GetPromptRequestParams::new("notas");
        wanted.arguments = json!({"arguments": "de hoy"}).as_object().cloned();
        let prompt = self.0.get_prompt(wanted).await.unwrap();
        assert!(prompt.messages[0].content.as_text().unwrap().text.contains("de hoy"));
    }

    /// Makes every mistake, and one call after them.
    async fn every_error(&self) {
        let unknown = "skill://none/SKILL.md";
        let mut page = PaginatedRequestParams::default();
        page.cursor = Some("of somebody else".to_owned());
        let none = CompleteRequestParams::new(Reference::for_prompt("none"), ArgumentInfo::new("arguments", ""));
        let refused = [
            (-32602, code(self.0.call_tool(CallToolRequestParams::new("fly")).await)),
            (-32004, code(self.0.get_prompt(GetPromptRequestParams::new("none")).await)),
            (-32602, code(self.0.read_resource(ReadResourceRequestParams::new(unknown)).await)),
            (-32602, code(self.0.read_resource(ReadResourceRequestParams::new("file:///etc/passwd")).await)),
            (-32602, code(self.0.get_skill(GetSkillRequestParams::new(unknown)).await)),
            (-32602, code(self.0.read_resource_directory(ReadResourceDirectoryRequestParams::new(MAIN)).await)),
            (-32602, code(self.0.list_resources(Some(page.clone())).await)),
            (-32602, code(self.0.list_skills(Some(page)).await)),
            (-32004, code(self.0.complete(none).await)),
        ];
        for (at, (expected, found)) in refused.into_iter().enumerate() {
            assert_eq!(found, ErrorCode(expected), "{at}");
        }
        for (tool, input, said) in [
            ("read", json!({"file_path": "/workspace/none"}), "File not found"),
            ("read", json!({"path": 3}), "file_path"),
            ("load_skill", json!({"skill": "nadie"}), "there is no skill"),
            ("write", json!({"file_path": "/skills/x", "content": ""}), "cannot be written"),
            ("ls", json!({"path": "/workspace/../../u2"}), "Error"),
            ("grep", json!({"pattern": "("}), "Error"),
        ] {
            let failed = self.call(tool, input).await;
            assert!(failed.is_error == Some(true) && text(&failed).contains(said), "{tool}: {}", text(&failed));
        }
        self.said("ls", json!({"path": "/"})).await;
    }
}

fn code<T: std::fmt::Debug>(outcome: Result<T, ServiceError>) -> ErrorCode {
    match outcome {
        Err(ServiceError::McpError(error)) => error.code,
        other => panic!("{other:?}"),
    }
}

// S-MCP-2: A call that fails is a result that its model reads, with `isError`. What names no tool, prompt or method is an error of
// the protocol.
#[tokio::test(flavor = "multi_thread")]
async fn every_method_answers_and_every_error_is_the_protocols() {
    let home = Home::with_skills();
    let server = Server::start(&home, &[]);
    for era in [Era::Handshake, Era::Stateless] {
        let session = format!("{era:?}");
        for host in [
            Host::on_stdio(&home, ("me", &format!("{session}-1")), era).await,
            Host::over_http(&server.url, ("me", &format!("{session}-2")), era).await,
        ] {
            host.every_method().await;
            host.every_error().await;
            host.0.cancel().await.unwrap();
        }
    }
}

// S-MCP-5: `/mcp` serves every user. The user is the key's or that of `x-skillmount-user`, and the session that of
// `x-skillmount-session` or `mcp-session-id`, which a conversation that begins without one is given.
#[tokio::test(flavor = "multi_thread")]
async fn two_users_at_once_see_nothing_of_each_other() {
    let home = Home::with_skills();
    home.file("of bob/leases/SKILL.md", &crate::cli::skill("leases", "Drafts leases."));
    home.ok(&["--user", "bob", "push", "of bob"]);
    let server = Server::start(&home, &[]);
    for is_http in [false, true] {
        let host = async |user: &'static str| {
            // Both have a session of one name.
            if is_http {
                Host::over_http(&server.url, (user, "s"), Era::Handshake).await
            } else {
                Host::on_stdio(&home, (user, "s"), Era::Stateless).await
            }
        };
        let (me, bob) = tokio::join!(host("me"), host("bob"));
        let work = async |host: &Host, user: &str, own: &str, other: &str| {
            for number in 0..10 {
                let file = json!({"file_path": format!("/workspace/{user}{number}-{is_http}"), "content": user});
                host.said("write", file).await;
            }
            host.said("load_skill", json!({"skill": own})).await;
            assert_eq!(host.call("load_skill", json!({"skill": other})).await.is_error, Some(true));
            let (files, skills) = tokio::join!(
                host.said("ls", json!({"path": "/workspace"})),
                host.said("ls", json!({"path": "/skills"}))
            );
            assert!(files.contains(user) && !files.contains(if user == "me" { "bob" } else { "/me" }), "{files}");
            assert!(skills.contains(own) && !skills.contains(other), "{skills}");
        };
        tokio::join!(work(&me, "me", "notas", "leases"), work(&bob, "bob", "leases", "notas"));
    }
}

// S-MCP-5: `/mcp` serves every user. The user is the key's or that of `x-skillmount-user`, and the session that of
// `x-skillmount-session` or `mcp-session-id`, which a conversation that begins without one is given.
#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_goes_on_after_the_service_started_again() {
    let home = Home::with_skills();
    let first = Server::start(&home, &[]);
    let (url, address) = (first.url.clone(), first.url.strip_prefix("http://").unwrap().to_owned());
    let hosts = [
        Host::over_http(&url, ("me", "one"), Era::Handshake).await,
        Host::over_http(&url, ("me", "two"), Era::Stateless).await,
    ];
    for host in &hosts {
        host.said("load_skill", json!({"skill": "notas"})).await;
        host.said("write", json!({"file_path": "/workspace/a.md", "content": "uno\n"})).await;
    }
    drop(first);
    let again = home.program(&["serve", "--listen", &address, "--json"]);
    let _second = Server::spawn(&mut { again });
    for host in &hosts {
        assert!(host.said("read", json!({"file_path": "/workspace/a.md"})).await.contains("uno"));
        assert!(host.said("ls", json!({"path": "/skills"})).await.contains("notas"));
        host.every_error().await;
    }
    // On standard input and output the host starts the process again.
    let ended = Host::on_stdio(&home, ("me", "one"), Era::Stateless).await;
    assert!(ended.said("read", json!({"file_path": "/workspace/a.md"})).await.contains("uno"));
    ended.0.cancel().await.unwrap();
    let again = Host::on_stdio(&home, ("me", "one"), Era::Handshake).await;
    assert!(again.said("ls", json!({"path": "/skills"})).await.contains("notas"));
}
