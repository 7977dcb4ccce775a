//! MCP as a host meets it: the real command, spoken to by the client of the protocol's own SDK.

mod asking;
mod bad_input;
mod cancelled;
mod changes;
mod completion;
mod discovery;
mod methods;
mod prompts;
mod results;

use std::time::Duration;

use rmcp::{
    ClientHandler, RoleClient, ServiceError, ServiceExt as _,
    model::{
        CallToolRequestParams, CallToolResult, ClientRequest, CustomRequest, ErrorCode, GetPromptRequestParams,
        PaginatedRequestParams,
    },
    service::{NotificationContext, RunningService},
    transport::TokioChildProcess,
};
use serde_json::{Value, json};
use skillmount::limits::{DELETIONS_KNOWN, TEXT_BODY_BYTES};
use tokio::{
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    time::Instant,
};

use crate::cli::Home;

/// A host that notes when it is told that its tools or its resources changed.
#[derive(Clone, Debug)]
struct Host {
    tools: UnboundedSender<()>,
    resources: UnboundedSender<()>,
}

impl ClientHandler for Host {
    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.tools.send(()).unwrap();
    }

    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.resources.send(()).unwrap();
    }
}

struct Conversation {
    host: RunningService<RoleClient, Host>,
    changes: UnboundedReceiver<()>,
    resource_changes: UnboundedReceiver<()>,
}

impl Conversation {
    async fn begin(home: &Home, arguments: &[&str]) -> Self {
        let command = tokio::process::Command::from(home.program(&[arguments, &["mcp"]].concat()));
        let (tools, changes) = unbounded_channel();
        let (resources, resource_changes) = unbounded_channel();
        let host = Host { tools, resources }.serve(TokioChildProcess::new(command).unwrap()).await.unwrap();
        Self { host, changes, resource_changes }
    }

    async fn call(&self, tool: &'static str, input: Value) -> CallToolResult {
        let mut call = CallToolRequestParams::new(tool);
        call.arguments = input.as_object().cloned();
        self.host.call_tool(call).await.unwrap()
    }

    async fn tools(&self) -> Vec<String> {
        let tools = self.host.list_all_tools().await.unwrap();
        tools.into_iter().map(|tool| tool.name.into_owned()).collect()
    }
}

fn text(result: &CallToolResult) -> &str {
    result.content[0].as_text().unwrap().text.as_str()
}

// S-MCP-1: `skillmount mcp` gives a host the tools of a session on standard input and output. Each process has a
// session of its own unless the caller names one.
#[tokio::test]
async fn a_host_loads_a_skill_and_reads_what_it_holds() {
    let home = Home::with_skills();
    let mut conversation = Conversation::begin(&home, &[]).await;
    let known = conversation.host.peer_info().unwrap();
    let instructions = known.instructions.clone().unwrap();
    assert!(instructions.contains("escrituras/compraventa"), "{instructions}");
    assert!(conversation.tools().await.contains(&"load_skill".to_owned()));

    let unloaded = conversation.call("ls", json!({"path": "/skills"})).await;
    assert_eq!(unloaded.is_error, Some(true));
    let loaded = conversation.call("load_skill", json!({"skill": "compraventa"})).await;
    assert_eq!(loaded.is_error, Some(false));
    assert!(text(&loaded).contains("Pasos."), "{}", text(&loaded));
    conversation.changes.recv().await.unwrap();
    let read = conversation.call("read", json!({"file_path": "/skills/compraventa/resources/ejemplo.md"})).await;
    assert!(text(&read).contains("dos arras"));
    conversation.call("write", json!({"file_path": "/workspace/a.md", "content": "uno"})).await;

    let other = Conversation::begin(&home, &[]).await;
    assert_eq!(other.call("ls", json!({"path": "/skills"})).await.is_error, Some(true), "another session");
    assert_eq!(other.call("read", json!({"file_path": "/workspace/a.md"})).await.is_error, Some(true));
    let named = Conversation::begin(&home, &["--session", "s"]).await;
    named.call("write", json!({"file_path": "/workspace/b.md", "content": "dos"})).await;
    drop(named.host.cancel().await.unwrap());
    assert_eq!(home.ok(&["--session", "s", "cat", "/workspace/b.md"]), "dos");
}

// S-MCP-18: An empty cursor asks for the first page.
#[tokio::test]
async fn an_empty_cursor_is_the_beginning() {
    let home = Home::with_skills();
    let conversation = Conversation::begin(&home, &[]).await;
    let page = |cursor: &str| Some(PaginatedRequestParams::default().with_cursor(Some(cursor.to_owned())));
    let first = conversation.host.list_tools(None).await.unwrap();
    assert_eq!(conversation.host.list_tools(page("")).await.unwrap(), first);
    assert!(conversation.host.list_tools(page("2")).await.is_err());
    let first = conversation.host.list_prompts(None).await.unwrap();
    assert_eq!(conversation.host.list_prompts(page("")).await.unwrap(), first);
}

// S-LEAVE-3: During the deletion of a user, calls for the user are `denied`.
#[tokio::test]
async fn a_host_writes_nothing_for_a_user_who_is_being_deleted() {
    let home = Home::with_skills();
    let conversation = Conversation::begin(&home, &["--user", "anna"]).await;
    let calls = [
        ("write", json!({"file_path": "/workspace/a.md", "content": "one", "overwrite": true})),
        ("read", json!({"file_path": "/workspace/a.md"})),
        ("discover_skills", json!({"query": "notas"})),
    ];
    for (tool, input) in &calls {
        assert_eq!(conversation.call(tool, input.clone()).await.is_error, Some(false), "{tool}");
    }
    home.ok(&["user", "delete", "anna", "--yes"]);
    let begun = Instant::now();
    for (tool, input) in calls {
        let is_denied =
            |answer: &CallToolResult| answer.is_error == Some(true) && text(answer).contains("is being deleted");
        while !is_denied(&conversation.call(tool, input.clone()).await) {
            assert!(begun.elapsed() < DELETIONS_KNOWN + Duration::from_secs(10), "{tool} is denied");
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }
}

// S-MCP-2: A failed call is a result that its model reads, with `isError`. An unknown tool, prompt or method is an
// error of the protocol.
#[tokio::test]
async fn a_model_reads_why_its_call_failed_and_nothing_else_is_a_result() {
    let home = Home::with_skills();
    let conversation = Conversation::begin(&home, &[]).await;
    let failed = conversation.call("read", json!({"file_path": "/workspace/none"})).await;
    assert_eq!(failed.is_error, Some(true));
    assert!(text(&failed).starts_with("Error: File not found"), "{}", text(&failed));
    let wrong = conversation.call("read", json!({"path": 3})).await;
    assert!(wrong.is_error == Some(true) && text(&wrong).contains("file_path"), "{}", text(&wrong));

    let code = |error: ServiceError| match error {
        ServiceError::McpError(error) => error.code,
        other => panic!("{other}"),
    };
    let unknown = conversation.host.call_tool(CallToolRequestParams::new("fly")).await.unwrap_err();
    assert_eq!(code(unknown), ErrorCode::INVALID_PARAMS);
    let missing = conversation.host.get_prompt(GetPromptRequestParams::new("none")).await.unwrap_err();
    assert_eq!(code(missing), ErrorCode::INVALID_PARAMS);
    let odd = ClientRequest::CustomRequest(CustomRequest::new("no/such", None));
    assert_eq!(code(conversation.host.send_request(odd).await.unwrap_err()), ErrorCode::METHOD_NOT_FOUND);
}

// S-MCP-3: Each skill that a person may call is a prompt, and getting it loads the skill.
#[tokio::test]
async fn skills_that_people_call_are_prompts() {
    let home = Home::with_skills();
    home.file(
        "more/interno/SKILL.md",
        "---\nname: interno\ndescription: Para modelos. Úsala siempre.\nuser-invocable: false\n---\n\nx\n",
    );
    home.ok(&["push", "more"]);
    let conversation = Conversation::begin(&home, &[]).await;
    let prompts = conversation.host.list_all_prompts().await.unwrap();
    let names: Vec<_> = prompts.iter().map(|prompt| prompt.name.as_str()).collect();
    assert_eq!(names, ["escrituras/compraventa", "notas"]);
    let mut wanted = GetPromptRequestParams::new("notas");
    wanted.arguments = json!({"arguments": "de hoy"}).as_object().cloned();
    let prompt = conversation.host.get_prompt(wanted).await.unwrap();
    let said = prompt.messages[0].content.as_text().unwrap().text.clone();
    assert!(said.contains("Pasos.") && said.contains("de hoy"), "{said}");
    let listed = conversation.call("ls", json!({"path": "/skills"})).await;
    assert!(text(&listed).contains("/skills/notas"), "{}", text(&listed));
}

// S-MCP-4: Input of a host that is not the protocol ends nothing but its own call.
#[test]
fn nonsense_on_standard_input_is_refused_in_words_and_stops_nothing() {
    let home = Home::with_skills();
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "ls", "arguments": {"path": "/"}}});
    let odd = json!({"jsonrpc": "2.0", "id": 3, "method": "no/such"});
    let served = [("tools/call", json!({})), ("tools/call", json!({"name": 3})), ("skills/get", json!({}))];
    let served = served.iter().zip(10..);
    let served: Vec<_> = served
        .map(|((method, params), id)| json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
        .map(|message| message.to_string())
        .collect();
    let served = served.join("\n");
    let mut input = format!("{hello}\n{ready}\nnot json\n{{\"jsonrpc\":\"2.0\"}}\n[]\n{odd}\n{served}\n").into_bytes();
    for line in [b"\xff\xfe".to_vec(), vec![b'['; 5000], vec![b'x'; TEXT_BODY_BYTES + 1]] {
        input.extend(line);
        input.push(b'\n');
    }
    input.extend(format!("{call}\n").bytes());
    let output = home.command(&["mcp"]).write_stdin(input).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let answers = String::from_utf8(output.stdout).unwrap();
    let answers: Vec<Value> = answers.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let to = |id: u64| answers.iter().find(|answer| answer["id"] == id).unwrap_or_else(|| panic!("{answers:?}"));
    assert_eq!(to(1)["result"]["serverInfo"]["name"], "skillmount");
    assert_eq!(to(3)["error"]["code"], -32601);
    for id in 10..13 {
        assert_eq!(to(id)["error"]["code"], -32602, "{id}");
    }
    let unnamed = answers.iter().filter(|answer| answer["id"].is_null() && answer["method"].is_null());
    let unnamed: Vec<_> = unnamed.map(|answer| answer["error"]["code"].as_i64().unwrap()).collect();
    assert_eq!(unnamed, [-32700, -32600, -32600, -32700, -32700, -32700]);
    assert!(to(2)["result"]["content"][0]["text"].as_str().unwrap().contains("/workspace"));

    let refused = home.command(&["mcp"]).write_stdin("GET / HTTP/1.1\n\n").output().unwrap();
    let refused = String::from_utf8(refused.stdout).unwrap();
    let answer: Value = serde_json::from_str(refused.trim_end()).unwrap_or_else(|error| panic!("{error}: {refused}"));
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&Value::Null, &json!(-32700)));
}

// S-HOME-1: `serve DIR`, `mcp --skills DIR` and the store `skills:DIR` serve a folder of skills as it is, for the default user.
#[tokio::test]
async fn a_host_gets_the_skills_of_an_ordinary_folder() {
    let home = Home::new();
    home.file(".claude/skills/notes/SKILL.md", &crate::cli::skill("notes", "Takes notes."));
    home.file(".claude/skills/notes/form.md", "one\ntwo words\n");
    let command = tokio::process::Command::from(home.program(&["mcp", "--skills", ".claude/skills"]));
    let (tools, _changes) = unbounded_channel();
    let (resources, _resource_changes) = unbounded_channel();
    let host = Host { tools, resources }.serve(TokioChildProcess::new(command).unwrap()).await.unwrap();
    let call = async |tool: &'static str, input: Value| {
        let mut call = CallToolRequestParams::new(tool);
        call.arguments = input.as_object().cloned();
        host.call_tool(call).await.unwrap()
    };
    let listed = ClientRequest::CustomRequest(CustomRequest::new("skills/list", Some(json!({}))));
    let listed = serde_json::to_value(host.send_request(listed).await.unwrap()).unwrap();
    assert!(listed.to_string().contains("skill://notes"), "{listed}");
    assert!(text(&call("load_skill", json!({"skill": "notes"})).await).contains("Pasos."));
    let found = call("grep", json!({"pattern": "words", "path": "/skills"})).await;
    assert!(text(&found).contains("/skills/notes/form.md"), "{}", text(&found));
    // What is loaded stays as it was, or the model is told to load it again.
    home.file(".claude/skills/notes/form.md", "something else entirely\n");
    let read = call("read", json!({"file_path": "/skills/notes/form.md"})).await;
    assert!(text(&read).contains("two words") || read.is_error == Some(true), "{}", text(&read));
    call("load_skill", json!({"skill": "notes"})).await;
    let read = call("read", json!({"file_path": "/skills/notes/form.md"})).await;
    assert!(text(&read).contains("something else"), "{}", text(&read));
    drop(host.cancel().await.unwrap());
    assert_eq!(std::fs::read_dir(home.path().join(".claude/skills")).unwrap().count(), 1);
}

#[test]
fn a_host_that_closes_its_side_has_the_answer_of_its_last_call() {
    let home = Home::with_skills();
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let load = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call",
        "params": {"name": "load_skill", "arguments": {"skill": "notas"}}});
    let output = home.command(&["mcp"]).write_stdin(format!("{hello}\n{ready}\n{load}\n")).output().unwrap();
    let answers = String::from_utf8(output.stdout).unwrap();
    assert!(answers.lines().any(|line| line.contains("\"id\":2") && line.contains("Loaded skill")), "{answers}");
}
