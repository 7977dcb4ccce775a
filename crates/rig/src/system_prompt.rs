//! The prompt of the session in a request to a model.

use std::{collections::BTreeSet, sync::Arc};

use rig_core::{
    completion::{CompletionRequest, ToolDefinition},
    message::{Message, ToolName},
};

use crate::{door::OfferedTool, session::TurnInstructions, tools::Tool};

/// Adds the session's prompt to the end of the system message of `request`, and replaces the session's tools by the tools of the
/// moment. All else stays.
pub(crate) fn add_instructions(request: &mut CompletionRequest, instructions: &TurnInstructions) {
    add_prompt(&mut request.chat_history, &instructions.prompt);
    replace_tools(&mut request.tools, &instructions.tools);
}

fn add_prompt(history: &mut Vec<Arc<Message>>, prompt: &str) {
    if prompt.is_empty() {
        return;
    }
    let with_own = match history.first().map(AsRef::as_ref) {
        Some(Message::System { content }) => Some(format!("{content}\n\n{prompt}")),
        _ => None,
    };
    match (with_own, history.first_mut()) {
        (Some(text), Some(first)) => *first = Arc::new(Message::system(text)),
        _ => history.insert(0, Arc::new(Message::system(prompt))),
    }
}

/// The session's tools come where the first of them was, so that the order is the same in each turn.
fn replace_tools(tools: &mut Vec<Arc<ToolDefinition>>, offered: &[OfferedTool]) {
    let names: BTreeSet<_> = Tool::all().map(Tool::name).collect();
    let is_ours = |tool: &Arc<ToolDefinition>| names.contains(tool.name.as_str());
    let allowed: BTreeSet<_> = tools.iter().filter(|tool| is_ours(tool)).map(|tool| tool.name.to_string()).collect();
    let Some(at) = tools.iter().position(is_ours) else { return };
    tools.retain(|tool| !is_ours(tool));
    // Another hook may have narrowed the tools of this turn.
    let now = offered.iter().filter(|tool| allowed.contains(&tool.name)).filter_map(definition);
    tools.splice(at..at, now);
}

fn definition(tool: &OfferedTool) -> Option<Arc<ToolDefinition>> {
    let name = ToolName::new(tool.name.as_str()).ok()?;
    Some(Arc::new(ToolDefinition::new(name, tool.description.as_str(), tool.input_schema.clone())))
}
