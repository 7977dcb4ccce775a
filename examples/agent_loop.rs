//! A small agent on the HTTP interface: what an agent framework does with it, in one file.
//!
//! ```text
//! skillmount --store file:demo-store --user demo push crates/cli/fixtures/store/demo/skills
//! skillmount --store file:demo-store serve
//! cargo run --example agent_loop -- http://127.0.0.1:8787/v1/users/demo/sessions/s1 "Prepara una compraventa"
//! ```
//!
//! Before each turn it asks for the system prompt and the tools, because both may change with every call. The model's
//! `tool_use` blocks go to the service as they are, and its answer is the next message. Without `ANTHROPIC_API_KEY` the
//! model is a scripted one, which plays a good agent's part and needs nobody.

#![allow(clippy::indexing_slicing, reason = "a JSON value indexed by a name it lacks is null, not a panic")]

use std::{env, error::Error};

use reqwest::{Client, RequestBuilder, Response};
use serde_json::{Value, json};

/// Turns after which a model is taken to go in circles.
const TURNS: usize = 25;

pub(crate) type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// What a model is given for one turn.
#[derive(Clone, Copy)]
pub(crate) struct Turn<'a> {
    pub(crate) system: &'a str,
    pub(crate) tools: &'a [Value],
    pub(crate) messages: &'a [Value],
}

/// Anything that says what comes next: the content blocks of one message.
pub(crate) trait Model {
    async fn answer(&mut self, turn: Turn<'_>) -> Result<Vec<Value>>;
}

/// An agent in one session.
pub(crate) struct Agent {
    client: Client,
    session: String,
}

/// The whole conversation, and what the model said last.
#[derive(Debug)]
pub(crate) struct Conversation {
    pub(crate) messages: Vec<Value>,
    pub(crate) text: String,
}

#[tokio::main]
#[expect(clippy::print_stdout, reason = "it is what the program is for")]
async fn main() -> Result<()> {
    let mut arguments = env::args().skip(1);
    let usage = "give the address of a session, and what to say: agent_loop URL TEXT";
    let (session, said) = arguments.next().zip(arguments.next()).ok_or(usage)?;
    let agent = Agent::new(&session);
    let conversation = match env::var("ANTHROPIC_API_KEY") {
        Ok(key) => agent.talk(&mut Live::new(key), &said).await?,
        Err(_) => agent.talk(&mut Scripted, &said).await?,
    };
    for message in &conversation.messages {
        println!("{message:#}");
    }
    println!("\n{}", conversation.text);
    Ok(())
}

impl Agent {
    /// An agent in the session at `session`: `{server}/v1/users/{user}/sessions/{session}`.
    pub(crate) fn new(session: &str) -> Self {
        Self { client: Client::new(), session: session.trim_end_matches('/').to_owned() }
    }

    /// Lets `model` work on what a person said until it has nothing more to call.
    pub(crate) async fn talk(&self, model: &mut impl Model, said: &str) -> Result<Conversation> {
        // A slash command loads its skill here, so that the model reads what came of it.
        let first = self.post("messages", &json!({ "text": said })).await?;
        let mut messages = vec![json!({ "role": "user", "content": first["text"] })];
        for _ in 0..TURNS {
            let (system, tools) = tokio::try_join!(self.system(), self.tools())?;
            let content = model.answer(Turn { system: &system, tools: &tools, messages: &messages }).await?;
            messages.push(json!({ "role": "assistant", "content": content }));
            if !content.iter().any(|block| block["type"] == "tool_use") {
                return Ok(Conversation { text: text_of(&content), messages });
            }
            // All results of a turn are one message, in the order of the calls.
            messages.push(self.post("tool_calls", &json!({ "content": content })).await?);
        }
        Err(format!("the model did not come to an end in {TURNS} turns").into())
    }

    async fn system(&self) -> Result<String> {
        let request = self.client.get(format!("{}/prompt", self.session)).header("accept", "text/plain");
        Ok(send(request).await?.text().await?)
    }

    async fn tools(&self) -> Result<Vec<Value>> {
        let request = self.client.get(format!("{}/tools?format=anthropic", self.session));
        let reply: Value = send(request).await?.json().await?;
        Ok(reply["tools"].as_array().cloned().unwrap_or_default())
    }

    async fn post(&self, call: &str, body: &Value) -> Result<Value> {
        let request = self.client.post(format!("{}/{call}", self.session)).json(body);
        Ok(send(request).await?.json().await?)
    }
}

/// The response, if it is a success; else an error that says what the server said.
async fn send(request: RequestBuilder) -> Result<Response> {
    let response = request.send().await?;
    let status = response.status();
    if status.is_success() { Ok(response) } else { Err(format!("{status}: {}", response.text().await?).into()) }
}

fn text_of(content: &[Value]) -> String {
    content.iter().filter_map(|block| block["text"].as_str()).collect::<Vec<_>>().join("\n")
}

/// A model of Anthropic, over the Messages API.
struct Live {
    client: Client,
    key: String,
    model: String,
}

impl Live {
    fn new(key: String) -> Self {
        let model = env::var("ANTHROPIC_MODEL").unwrap_or_else(|_| "claude-sonnet-4-5".to_owned());
        Self { client: Client::new(), key, model }
    }
}

impl Model for Live {
    async fn answer(&mut self, turn: Turn<'_>) -> Result<Vec<Value>> {
        let body = json!({
            "model": self.model,
            "max_tokens": 4096,
            "system": turn.system,
            "tools": turn.tools,
            "messages": turn.messages,
        });
        let request = self.client.post("https://api.anthropic.com/v1/messages").json(&body);
        let request = request.header("x-api-key", &self.key).header("anthropic-version", "2023-06-01");
        let reply: Value = send(request).await?.json().await?;
        reply["content"].as_array().cloned().ok_or_else(|| format!("the model gave no content: {reply}").into())
    }
}

/// A model that plays a good agent's part: it loads the skill that the listing offers for the task, reads one of its files
/// and looks around in the same turn, writes down what it did, and only then answers.
pub(crate) struct Scripted;

impl Model for Scripted {
    async fn answer(&mut self, turn: Turn<'_>) -> Result<Vec<Value>> {
        let results = last_results(turn.messages);
        if let Some(failed) = results.iter().find(|result| result["is_error"] == true) {
            return Ok(vec![say(format!("It did not work: {}", failed["content"]))]);
        }
        let result = results.first().and_then(|result| result["content"].as_str());
        Ok(match (last_call(turn.messages), result) {
            (Some("load_skill"), Some(loaded)) => look_around(loaded)?,
            (Some("read"), Some(file)) => vec![say("I note what I read."), write_down(file)],
            (Some("write"), Some(written)) => vec![say(format!("Done. {written}"))],
            _ => begin(turn)?,
        })
    }
}

/// What to do with what a person said: follow a skill that is loaded already, load one that fits, or just answer.
fn begin(turn: Turn<'_>) -> Result<Vec<Value>> {
    let said = turn.messages.first().and_then(|message| message["content"].as_str()).unwrap_or_default();
    if said.starts_with("<command-name>") {
        return look_around(said);
    }
    let may_load = turn.tools.iter().any(|tool| tool["name"] == "load_skill");
    match fitting_skill(turn.system, said).filter(|_| may_load) {
        Some(skill) => Ok(vec![say("A skill fits."), call("load_skill", 0, &json!({ "skill": skill }))]),
        None => Ok(vec![say("No skill fits; I answer by myself.")]),
    }
}

/// The location of the listed skill that shares most words with what was said.
fn fitting_skill(system: &str, said: &str) -> Option<String> {
    let said = said.to_lowercase();
    let words: Vec<_> = said.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() > 3).collect();
    let listed = system.lines().filter_map(|line| Some((line, between(line, "location=\"", "\"")?)));
    let shared = |line: &str| {
        let line = line.to_lowercase();
        words.iter().filter(|word| line.contains(**word)).count()
    };
    let fitting = listed.map(|(line, location)| (shared(line), location)).filter(|(count, _)| *count > 0);
    fitting.max_by_key(|(count, _)| *count).map(|(_, location)| location.to_owned())
}

/// Reads a file of the skill that was just loaded, beside SKILL.md where it has one, and lists the workspace.
fn look_around(loaded: &str) -> Result<Vec<Value>> {
    let folder = between(loaded, "Its files are in ", ":").ok_or("the result of a load names no folder")?;
    let files: Vec<_> = loaded.lines().filter_map(|line| line.strip_prefix("- ")).collect();
    let file = files.iter().find(|file| **file != "SKILL.md" && is_markdown(file)).unwrap_or(&"SKILL.md");
    let read = call("read", 0, &json!({ "file_path": format!("{folder}/{file}"), "limit": 40 }));
    Ok(vec![say("I read what it brings."), read, call("ls", 1, &json!({ "path": "/workspace" }))])
}

fn write_down(file: &str) -> Value {
    let content = format!("# What I read\n\n{file}\n");
    call("write", 0, &json!({ "file_path": "/workspace/result.md", "content": content, "overwrite": true }))
}

/// The results that the last message holds.
fn last_results(messages: &[Value]) -> &[Value] {
    messages.last().and_then(|message| message["content"].as_array()).map_or(&[], Vec::as_slice)
}

/// The first tool that was called in the last turn.
fn last_call(messages: &[Value]) -> Option<&str> {
    let content = messages.iter().rev().find(|message| message["role"] == "assistant")?["content"].as_array()?;
    content.iter().find(|block| block["type"] == "tool_use")?["name"].as_str()
}

fn say(text: impl Into<String>) -> Value {
    json!({ "type": "text", "text": text.into() })
}

fn is_markdown(file: &str) -> bool {
    std::path::Path::new(file).extension().is_some_and(|ending| ending == "md")
}

fn call(name: &str, nth: usize, input: &Value) -> Value {
    json!({ "type": "tool_use", "id": format!("{name}_{nth}"), "name": name, "input": input })
}

fn between<'text>(text: &'text str, before: &str, after: &str) -> Option<&'text str> {
    let (_, rest) = text.split_once(before)?;
    rest.split_once(after).map(|(inside, _)| inside)
}
