//! The example of an agent, played against a real server: listing, choice, load, work, answer.

#[path = "../../../examples/agent_loop.rs"]
#[expect(dead_code, reason = "its main and its live model need somebody to talk to")]
mod example;

use serde_json::Value;

use self::example::{Agent, Conversation, Model, Result, Scripted, Turn};
use super::Server;

/// The scripted model, and what each turn it was asked for was given: system prompt and names of tools.
struct Watched(Vec<(String, Vec<String>)>);

impl Model for Watched {
    async fn answer(&mut self, turn: Turn<'_>) -> Result<Vec<Value>> {
        let names = turn.tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned());
        self.0.push((turn.system.to_owned(), names.collect()));
        Scripted.answer(turn).await
    }
}

async fn talk(server: &Server, said: &str) -> (Conversation, Vec<(String, Vec<String>)>) {
    let mut model = Watched(Vec::new());
    let conversation = Agent::new(&server.session("")).talk(&mut model, said).await.unwrap();
    (conversation, model.0)
}

/// The tools that were called, a list for each turn.
fn calls(conversation: &Conversation) -> Vec<Vec<&str>> {
    let turns = conversation.messages.iter().filter(|message| message["role"] == "assistant");
    let names = turns.map(|turn| {
        let blocks = turn["content"].as_array().unwrap().iter();
        blocks.filter(|block| block["type"] == "tool_use").map(|block| block["name"].as_str().unwrap()).collect()
    });
    names.collect()
}

async fn written(server: &Server) -> String {
    let reply = server.client.get(server.session("/files/workspace/result.md")).send().await.unwrap();
    assert_eq!(reply.status(), 200);
    reply.text().await.unwrap()
}

#[tokio::test]
async fn an_agent_loads_what_the_listing_offers_before_it_answers_and_works_with_its_files() {
    let server = Server::with_skills().await;
    let (conversation, turns) = talk(&server, "Redacta la compraventa del piso").await;
    assert_eq!(calls(&conversation), [vec!["load_skill"], vec!["read", "ls"], vec!["write"], vec![]]);

    let (before, after) = (&turns[0].0, &turns[1].0);
    assert!(before.contains("location=\"escrituras/compraventa\"") && !before.contains("Pasos."), "{before}");
    assert!(after.contains("Pasos."), "the instructions are there once the skill is loaded: {after}");
    assert!(turns.iter().all(|(_, tools)| tools.contains(&"load_skill".to_owned())));

    let both = &conversation.messages[4];
    let ids: Vec<_> =
        both["content"].as_array().unwrap().iter().map(|result| result["tool_use_id"].as_str().unwrap()).collect();
    assert_eq!((both["role"].as_str(), ids), (Some("user"), vec!["read_0", "ls_1"]), "one message, in order");
    assert!(both["content"][0]["content"].as_str().unwrap().contains("un ejemplo"), "{both}");

    assert!(written(&server).await.contains("un ejemplo"));
    assert!(conversation.text.starts_with("Done. "), "{}", conversation.text);
}

#[tokio::test]
async fn a_slash_command_loads_its_skill_before_the_model_is_asked() {
    let server = Server::with_skills().await;
    let (conversation, turns) = talk(&server, "/compraventa piso").await;
    assert_eq!(calls(&conversation), [vec!["read", "ls"], vec!["write"], vec![]]);
    assert!(turns[0].0.contains("Pasos."), "{}", turns[0].0);
    assert!(written(&server).await.contains("un ejemplo"));
}

#[tokio::test]
async fn an_agent_that_no_skill_fits_answers_by_itself_and_one_that_fails_says_so() {
    let server = Server::with_skills().await;
    let (conversation, _) = talk(&server, "¿Qué hora es?").await;
    assert_eq!(calls(&conversation), [Vec::<&str>::new()]);
    assert_eq!(conversation.messages.len(), 2);

    let mut stuck = Repeating(0);
    let error = Agent::new(&server.session("")).talk(&mut stuck, "hola").await.unwrap_err();
    assert!(stuck.0 == 25 && error.to_string().contains("25 turns"), "{error}");
}

/// A model that lists the root for ever.
struct Repeating(usize);

impl Model for Repeating {
    async fn answer(&mut self, _: Turn<'_>) -> Result<Vec<Value>> {
        self.0 += 1;
        let input = serde_json::json!({ "path": "/" });
        Ok(vec![serde_json::json!({ "type": "tool_use", "id": self.0.to_string(), "name": "ls", "input": input })])
    }
}
