//! What a scripted model says, and what it was told.

use std::sync::{Arc, Mutex};

use rig_agent::{
    AgentHook, HookContext,
    agent::{OutcomeAction, OutcomeEvent},
};
use rig_core::{
    completion::CompletionRequest,
    message::{AssistantContent, Message, ToolCall, ToolFunction, ToolName},
    test_utils::{MockCompletionModel, MockTurn},
};
use serde_json::Value;

/// Turns enough for every script.
pub(crate) const TURNS: usize = 10;

/// A model that makes these calls, one in each turn, and then says "done".
pub(crate) fn model(calls: impl IntoIterator<Item = (&'static str, Value)>) -> MockCompletionModel {
    let call = |(at, (tool, input)): (usize, (&str, Value))| MockTurn::tool_call(format!("call-{at}"), tool, input);
    let calls: Vec<_> = calls.into_iter().enumerate().map(call).collect();
    MockCompletionModel::from_turns(calls.into_iter().chain([MockTurn::text("done")]))
}

/// A turn of several calls.
pub(crate) fn turn(calls: impl IntoIterator<Item = (&'static str, &'static str, Value)>) -> MockTurn {
    MockTurn::from_contents(calls.into_iter().map(|(id, tool, input)| {
        let function = ToolFunction::new(ToolName::new(tool).unwrap(), input);
        AssistantContent::ToolCall(ToolCall::from_wire(id, function))
    }))
}

/// The system message of a request.
pub(crate) fn system(request: &CompletionRequest) -> &str {
    match request.chat_history.first().unwrap().as_ref() {
        Message::System { content } => content,
        other => panic!("no system message: {other:?}"),
    }
}

pub(crate) fn tool_names(request: &CompletionRequest) -> Vec<&str> {
    request.tools.iter().map(|tool| tool.name.as_str()).collect()
}

/// The last message of the last request: the results that the model read before it said "done".
pub(crate) fn last_results(model: &MockCompletionModel) -> String {
    format!("{:?}", model.requests().last().unwrap().chat_history.last().unwrap())
}

/// Notes of each tool result its name, whether it failed, and its text.
#[derive(Clone, Default)]
pub(crate) struct Results(pub(crate) Arc<Mutex<Vec<(String, bool, String)>>>);

impl Results {
    pub(crate) fn all(&self) -> Vec<(String, bool, String)> {
        self.0.lock().unwrap().clone()
    }

    pub(crate) fn texts(&self) -> Vec<String> {
        self.all().into_iter().map(|(_, _, text)| text).collect()
    }
}

impl AgentHook for Results {
    async fn on_outcome(&self, _: &HookContext, event: OutcomeEvent<'_>) -> OutcomeAction {
        if let (Some(tool), Some(result)) = (event.tool_name(), event.tool_result()) {
            let result = (tool.to_owned(), result.is_error(), result.output().render());
            self.0.lock().unwrap().push(result);
        }
        OutcomeAction::proceed()
    }
}
