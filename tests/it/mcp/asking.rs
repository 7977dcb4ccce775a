//! Calls that a person approves at the host.

use rmcp::{
    ClientHandler, ErrorData, RoleClient, ServiceError,
    model::{
        CallToolRequestParams, ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationAction,
        ErrorCode, GetPromptRequestParams, Implementation, ProtocolVersion,
    },
    service::{ClientLifecycleMode, ClientServiceExt as _, NotificationContext, RequestContext, RunningService},
    transport::TokioChildProcess,
};
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::text;
use crate::cli::Home;

/// A host whose person gives the same answer to every question. It notes the questions, and that its tools changed.
#[derive(Clone, Debug)]
struct Host {
    asked: UnboundedSender<String>,
    changes: UnboundedSender<()>,
    answer: Option<&'static str>,
}

/// What a host was asked, and when its tools changed.
struct Heard {
    questions: UnboundedReceiver<String>,
    changes: UnboundedReceiver<()>,
}

fn eras() -> [ClientLifecycleMode; 2] {
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    [ClientLifecycleMode::Initialize, ClientLifecycleMode::Discover { preferred_versions }]
}

/// A host of this answer that starts the command.
async fn begin(
    home: &Home,
    answer: Option<&'static str>,
    era: ClientLifecycleMode,
) -> (RunningService<RoleClient, Host>, Heard) {
    let (asked, questions) = unbounded_channel();
    let (told, changes) = unbounded_channel();
    let transport = TokioChildProcess::new(tokio::process::Command::from(home.program(&["mcp"]))).unwrap();
    let host = Host { asked, changes: told, answer }.serve_with_lifecycle(transport, era).await.unwrap();
    (host, Heard { questions, changes })
}

impl ClientHandler for Host {
    fn get_info(&self) -> ClientConfig {
        ClientConfig::new(ClientCapabilities::builder().enable_elicitation().build(), Implementation::new("t", "1"))
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changes.send(()).unwrap();
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } = request else { panic!() };
        let schema = serde_json::to_value(requested_schema).unwrap();
        assert_eq!(schema["required"], json!(["decision"]));
        assert_eq!(
            (&schema["properties"]["message"]["type"], &schema["properties"]["message"]["maxLength"]),
            (&json!("string"), &json!(1000))
        );
        self.asked.send(message).unwrap();
        Ok(match self.answer {
            Some("cancel") => ElicitResult::new(ElicitationAction::Cancel),
            Some(answer) => {
                let content = json!({"decision": answer, "message": "append \n\u{202e}to it"});
                ElicitResult::new(ElicitationAction::Accept).with_content(content)
            }
            None => ElicitResult::new(ElicitationAction::Decline),
        })
    }
}

// S-MCP-12: If a policy says `ask`, a host on standard input and output asks its person if it can, and the answer
// decides about the call. A person who gives no answer, and any other host, leave the call waiting.
#[tokio::test]
async fn a_person_at_the_host_decides_about_calls_that_ask() {
    let home = Home::with_skills();
    let policy = json!({"tools": {"*": "auto", "write": "ask"}, "skills": {"notas": "enabled"}});
    home.file("data/skillmount/me/.skillmount/policy.json", &policy.to_string());
    let write = json!({"file_path": "/workspace/a.md", "content": "uno"});
    let answers = [
        (Some("allow"), [false, true], 2),
        (Some("allow until the conversation ends"), [false, true], 1),
        (Some("deny"), [true, true], 1),
        (None, [true, true], 1),
        (Some("cancel"), [true, true], 2),
        (Some("perhaps"), [true, true], 2),
    ];
    for (era, (answer, fails, questions)) in eras().into_iter().flat_map(|era| answers.map(|row| (era.clone(), row))) {
        let (host, mut heard) = begin(&home, answer, era).await;
        let call = async |name: &'static str, input: &Value| {
            let mut call = CallToolRequestParams::new(name);
            call.arguments = input.as_object().cloned();
            host.call_tool(call).await.unwrap()
        };
        let first = call("write", &write).await;
        assert_eq!(first.is_error == Some(true), fails[0], "{answer:?}: {}", text(&first));
        let question = heard.questions.recv().await.unwrap();
        let asked =
            r#"The agent wants to call write with {"content":"uno","file_path":"/workspace/a.md","overwrite":false}."#;
        assert!(question.starts_with(asked) && question.ends_with(" seconds more."), "{question}");
        // If the file is there by now, the call fails once it has been asked about. A denial holds for a while.
        let second = call("write", &write).await;
        assert_eq!(second.is_error == Some(true), fails[1], "{answer:?}: {}", text(&second));
        let mut count = 1;
        while heard.questions.try_recv().is_ok() {
            count += 1;
        }
        assert_eq!(count, questions, "{answer:?}");
        if answer == Some("cancel") {
            assert!(text(&second).contains("needs a person's approval"), "{}", text(&second));
        }
        if answer == Some("deny") {
            let said = r#"The person says: "append \n\u{202e}to it""#;
            assert!(text(&first).contains(said) && text(&second).contains(said), "{}", text(&first));
        }
        if answer == Some("allow") {
            let loaded = call("load_skill", &json!({"skill": "notas"})).await;
            assert!(text(&loaded).contains("Pasos."), "{}", text(&loaded));
        }
    }
}

// S-APPROVAL-11: The person who decides about a call sees the tool, its input (S-APPROVAL-15) and the seconds left.
#[tokio::test]
async fn a_question_shows_the_input_as_far_as_it_is_kept_and_says_that_it_is_cut() {
    let home = Home::with_skills();
    let policy = json!({"tools": {"*": "auto", "write": "ask"}});
    home.file("data/skillmount/me/.skillmount/policy.json", &policy.to_string());
    let (host, mut heard) = begin(&home, Some("deny"), eras()[0].clone()).await;
    for (length, is_cut) in [(3000, false), (30_000, true)] {
        let mut call = CallToolRequestParams::new("write");
        call.arguments = json!({"file_path": "/workspace/a", "content": "x".repeat(length)}).as_object().cloned();
        host.call_tool(call).await.unwrap();
        let question = heard.questions.recv().await.unwrap();
        assert_eq!(question.contains("(long texts are cut)"), is_cut, "{question}");
        assert!(question.contains(&"x".repeat(1500)) && question.len() < 5000, "{}", question.len());
        assert_eq!(question.contains("(30000 bytes in all)"), is_cut);
    }
}

#[tokio::test]
async fn a_prompt_asks_as_a_load_does_and_reports_what_it_changed() {
    let home = Home::with_skills();
    let policy = json!({"skills": {"notas": "enabled"}});
    home.file("data/skillmount/me/.skillmount/policy.json", &policy.to_string());
    for era in eras() {
        let (host, mut heard) = begin(&home, Some("allow"), era.clone()).await;
        let prompt = host.get_prompt(GetPromptRequestParams::new("notas")).await.unwrap();
        assert!(prompt.messages[0].content.as_text().unwrap().text.contains("Pasos."));
        let question = heard.questions.try_recv().unwrap();
        assert!(question.contains(" This loads the skill notas, version sha256:"), "{question}");
        if matches!(era, ClientLifecycleMode::Initialize) {
            heard.changes.recv().await.unwrap();
        }
        // In the other version a host is told what it listens to, and this one listens to nothing.
        assert!(heard.changes.try_recv().is_err());
        let (host, mut heard) = begin(&home, Some("deny"), era).await;
        let refused = host.get_prompt(GetPromptRequestParams::new("notas")).await.unwrap_err();
        let ServiceError::McpError(refused) = refused else { panic!("{refused}") };
        assert!(refused.code != ErrorCode::INVALID_PARAMS && refused.message.contains("denied"), "{refused:?}");
        assert!(heard.questions.try_recv().is_ok() && heard.changes.try_recv().is_err());
    }
}
