//! Calls that a person approves at a host over HTTP, spoken to by the client of the protocol's own SDK.

use std::{collections::HashMap, sync::Arc};

use reqwest::Method;
use rmcp::{
    ClientHandler, ErrorData, RoleClient,
    model::{
        CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult,
        ElicitationAction, Implementation, ProtocolVersion,
    },
    service::{ClientLifecycleMode, ClientServiceExt as _, RequestContext},
    transport::{StreamableHttpClientTransport, streamable_http_client::StreamableHttpClientTransportConfig},
};
use serde_json::json;
use skillmount::{audit::AuditMode, store::MemoryStore};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use super::{Server, events::recording_with, mcp::config};

/// A host whose person gives the same answer to every question.
#[derive(Clone, Debug)]
struct Host {
    asked: UnboundedSender<String>,
    answer: Option<&'static str>,
}

impl ClientHandler for Host {
    fn get_info(&self) -> ClientConfig {
        ClientConfig::new(ClientCapabilities::builder().enable_elicitation().build(), Implementation::new("t", "1"))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let ElicitRequestParams::FormElicitationParams { message, .. } = request else { panic!() };
        self.asked.send(message).unwrap();
        Ok(match self.answer {
            Some(answer) => ElicitResult::new(ElicitationAction::Accept).with_content(json!({"decision": answer})),
            None => ElicitResult::new(ElicitationAction::Cancel),
        })
    }
}

fn text(result: &CallToolResult) -> String {
    serde_json::to_value(result).unwrap()["content"][0]["text"].as_str().unwrap().to_owned()
}

/// What comes of a call that asks in a session of this name, and how often the person was asked.
async fn write(
    server: &Server,
    session: &str,
    answer: Option<&'static str>,
    version: ProtocolVersion,
) -> (String, usize) {
    let (asked, mut questions) = unbounded_channel();
    let mut to = StreamableHttpClientTransportConfig::with_uri(format!("{}/mcp", server.base));
    to.custom_headers = HashMap::from([("x-skillmount-session".parse().unwrap(), session.parse().unwrap())]);
    let lifecycle = if version == ProtocolVersion::V_2026_07_28 {
        ClientLifecycleMode::Discover { preferred_versions: vec![version] }
    } else {
        ClientLifecycleMode::Initialize
    };
    let transport = StreamableHttpClientTransport::from_config(to);
    let host = Host { asked, answer }.serve_with_lifecycle(transport, lifecycle).await.unwrap();
    let mut call = CallToolRequestParams::new("write");
    call.arguments = json!({"file_path": "/workspace/a.md", "content": "uno"}).as_object().cloned();
    let result = host.call_tool(call).await.unwrap();
    host.cancel().await.unwrap();
    let mut count = 0;
    while let Ok(question) = questions.try_recv() {
        assert!(question.contains("write") && question.contains("/workspace/a.md"), "{question}");
        count += 1;
    }
    (text(&result), count)
}

// S-APPROVAL-9: The person at a host decides about its calls over HTTP only if the user's policy says `approve_by:
// host`.
#[tokio::test]
async fn a_person_at_a_host_over_http_decides_where_the_users_policy_says_so() {
    let server = Server::with(config()).await;
    let modern = || ProtocolVersion::V_2026_07_28;
    let waits = |(text, asked): (String, usize)| text.contains("needs a person's approval") && asked == 0;
    let policy = format!("{}/v1/users/me/policy", server.base);
    let ask = json!({"tools": {"*": "auto", "write": "ask"}});
    server.send(Method::PUT, &policy, &ask).await.is(200);
    assert!(waits(write(&server, "none", Some("allow"), modern()).await));
    let control = json!({"tools": {"*": "auto", "write": "ask"}, "approve_by": "control"});
    server.send(Method::PUT, &policy, &control).await.is(200);
    assert!(waits(write(&server, "control", Some("allow"), modern()).await));

    let host = json!({"tools": {"*": "auto", "write": "ask"}, "approve_by": "host"});
    assert_eq!(server.send(Method::PUT, &policy, &host).await.is(200)["approve_by"], "host");
    let (text, asked) = write(&server, "allowed", Some("allow"), modern()).await;
    assert!(text.contains("/workspace/a.md") && asked == 1, "{asked}: {text}");
    let (text, asked) = write(&server, "denied", Some("deny"), modern()).await;
    assert!(text.contains("denied") && asked == 1, "{asked}: {text}");
    let (text, asked) = write(&server, "none", None, modern()).await;
    assert!(text.contains("needs a person's approval") && asked == 1, "{asked}: {text}");
    // A host of an earlier protocol cannot come back with an answer.
    assert!(waits(write(&server, "early", Some("allow"), ProtocolVersion::V_2025_06_18).await));
    // A session's policy takes it back.
    let session = format!("{}/v1/users/me/sessions/strict", server.base);
    server.send(Method::PUT, &session, &json!({"policy": {"approve_by": "control"}})).await.is(201);
    assert!(waits(write(&server, "strict", Some("allow"), modern()).await));
}

// S-AUDIT-1: Every operation of an agent leaves a record of its caller, session, subject and outcome. So does every
// change of a session, a policy or a skill, and every decision on a waiting call.
#[tokio::test]
async fn what_a_person_at_a_host_decides_has_its_record() {
    let memory = Arc::new(MemoryStore::like_s3());
    let server = recording_with(config(), AuditMode::Sync, &memory, memory.clone()).await;
    let policy = json!({"tools": {"*": "auto", "write": "ask"}, "approve_by": "host"});
    server.send(Method::PUT, &format!("{}/v1/users/me/policy", server.base), &policy).await.is(200);
    let (text, asked) = write(&server, "s", Some("allow"), ProtocolVersion::V_2026_07_28).await;
    assert!(text.contains("/workspace/a.md") && asked == 1, "{asked}: {text}");
    let records = server.get(&format!("{}/v1/users/me/audit?operation=decide_approval", server.base)).await;
    let records = records.is(200)["records"].as_array().unwrap().clone();
    assert_eq!(records.len(), 1, "{records:?}");
    assert_eq!((&records[0]["session"], &records[0]["outcome"]), (&json!("s"), &json!("ok")));
    assert!(records[0]["subject"].as_str().unwrap().starts_with("allow "), "{records:?}");
}
