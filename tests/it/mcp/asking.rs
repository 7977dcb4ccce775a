//! Calls that a person approves at the host.

use rmcp::{
    ClientHandler, ErrorData, RoleClient, ServiceExt as _,
    model::{
        CallToolRequestParams, ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationAction,
        Implementation,
    },
    service::RequestContext,
    transport::TokioChildProcess,
};
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use super::text;
use crate::cli::Home;

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
        let ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } = request else { panic!() };
        let schema = serde_json::to_value(requested_schema).unwrap();
        assert_eq!(schema["required"], json!(["decision"]));
        self.asked.send(message).unwrap();
        Ok(match self.answer {
            Some("cancel") => ElicitResult::new(ElicitationAction::Cancel),
            Some(answer) => ElicitResult::new(ElicitationAction::Accept).with_content(json!({"decision": answer})),
            None => ElicitResult::new(ElicitationAction::Decline),
        })
    }
}

// S-MCP-12: Where a policy says `ask`, a host on standard input and output that can ask its person is asked to, and the call runs
// or is refused by the answer. A person who gives none, and any other host, leave the call waiting.
#[tokio::test]
async fn a_person_at_the_host_decides_about_calls_that_ask() {
    let home = Home::with_skills();
    let policy = json!({"tools": {"*": "auto", "write": "ask"}, "skills": {"notas": "enabled"}});
    home.file("data/skillmount/me/.skillmount/policy.json", &policy.to_string());
    let write = json!({"file_path": "/workspace/a.md", "content": "uno"});
    for (answer, fails, questions) in [
        (Some("allow"), [false, true], 2),
        (Some("allow until the conversation ends"), [false, true], 1),
        (Some("deny"), [true, true], 1),
        (None, [true, true], 1),
        (Some("cancel"), [true, true], 2),
        (Some("perhaps"), [true, true], 2),
    ] {
        let (asked, mut questions_asked) = unbounded_channel();
        let command = tokio::process::Command::from(home.program(&["mcp"]));
        let host = Host { asked, answer }.serve(TokioChildProcess::new(command).unwrap()).await.unwrap();
        let call = async |name: &'static str, input: &Value| {
            let mut call = CallToolRequestParams::new(name);
            call.arguments = input.as_object().cloned();
            host.call_tool(call).await.unwrap()
        };
        let first = call("write", &write).await;
        assert_eq!(first.is_error == Some(true), fails[0], "{answer:?}: {}", text(&first));
        let question = questions_asked.recv().await.unwrap();
        assert!(question.contains("write") && question.contains("/workspace/a.md"), "{question}");
        // If the file is there by now, the call fails once it has been asked about. A denial holds for a while.
        let second = call("write", &write).await;
        assert_eq!(second.is_error == Some(true), fails[1], "{answer:?}: {}", text(&second));
        let mut count = 1;
        while questions_asked.try_recv().is_ok() {
            count += 1;
        }
        assert_eq!(count, questions, "{answer:?}");
        if answer == Some("cancel") {
            assert!(text(&second).contains("needs a person's approval"), "{}", text(&second));
        }
        if answer == Some("allow") {
            let loaded = call("load_skill", &json!({"skill": "notas"})).await;
            assert!(text(&loaded).contains("Pasos."), "{}", text(&loaded));
        }
    }
}
