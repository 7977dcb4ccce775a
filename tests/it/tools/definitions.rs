//! What a model is told of its tools.

use serde_json::{Value, json};
use skillmount::{
    limits::{HOSTS, SEARCH_RESULTS_MOST, TOOL_ENUM_SKILLS, UNKNOWN_HOST},
    tools::for_session,
    wire::{DefinitionShape, LoadTool, Policy, PromptMode, SkillRule, ToolRule},
};

use super::{agent_in, agent_with, names, notary, offered, refused, said};
use crate::support::world::{World, id};

const FILE_TOOLS: [&str; 8] = ["ls", "read", "grep", "glob", "write", "edit", "move", "delete"];

async fn schema(agent: &skillmount::handle::SessionBackend, name: &str) -> Value {
    let found = offered(agent).await.into_iter().find(|(tool, _)| tool == name);
    found.map(|(_, tool)| tool["input_schema"].clone()).unwrap()
}

#[tokio::test]
async fn every_tool_has_a_name_a_description_and_a_closed_schema_in_each_shape() {
    let agent = notary().await.agent();
    for tool in for_session(&agent).await.unwrap() {
        let (name, about) = (tool.tool.name(), &tool.description);
        let schema = &tool.input_schema;
        assert_eq!((schema["type"].as_str(), &schema["additionalProperties"]), (Some("object"), &Value::Bool(false)));
        assert!(
            schema["required"]
                .as_array()
                .unwrap()
                .iter()
                .all(|name| { schema["properties"].get(name.as_str().unwrap()).is_some() })
        );
        let anthropic = json!({ "name": name, "description": about, "input_schema": schema });
        assert_eq!(tool.in_shape(DefinitionShape::Anthropic), anthropic);
        let function = json!({ "name": name, "description": about, "parameters": schema });
        assert_eq!(tool.in_shape(DefinitionShape::Openai), json!({ "type": "function", "function": function }));
        let mcp = tool.in_shape(DefinitionShape::Mcp);
        assert_eq!((&mcp["name"], &mcp["description"], &mcp["inputSchema"]), (&json!(name), &json!(about), schema));
        assert_eq!(
            mcp["annotations"]["readOnlyHint"],
            json!(!["create_skill", "write", "edit", "move", "delete"].contains(&name))
        );
    }
}

/// Characters of the longest prefix that a host puts before a name: that of a plugin in Claude Code.
const LONGEST_PREFIX: usize = "mcp__plugin_skillmount_skillmount__".len();
/// Characters of the description of a parameter that VS Code passes on.
const PARAMETER_CHARS: usize = 1024;

// S-TOOL-13: Each tool fits into every host of `limits::HOSTS`: name, description and schema. Each parameter has a type, and a schema
// has no references.
#[tokio::test]
async fn every_tool_fits_into_every_host_also_with_long_names_of_skills() {
    let world = World::new();
    for number in 0..TOOL_ENUM_SKILLS {
        let path = format!("{}/{}-{number}", "category".repeat(24), "name".repeat(14));
        world.put_skill("demo", &path, "Does something.", "").await;
    }
    for (agent, has_enum) in [(world.agent(), false), (notary().await.agent(), true)] {
        let tools = for_session(&agent).await.unwrap();
        assert!(tools.len() >= 10);
        for tool in &tools {
            let shaped = tool.in_shape(DefinitionShape::Mcp);
            let (name, schema) = (tool.tool.name(), &shaped["inputSchema"]);
            for host in HOSTS.iter().chain([&UNKNOWN_HOST]) {
                assert!(tools.len() <= host.tools && tool.description.chars().count() <= host.description_chars);
                assert!(schema.to_string().len() <= host.schema_bytes, "{name} in {}", host.name);
                assert!(LONGEST_PREFIX + name.len() <= host.tool_name_chars, "{name} in {}", host.name);
            }
            assert!(shaped.get("outputSchema").is_none());
            let text = schema.to_string();
            for absent in ["$ref", "oneOf", "anyOf", "allOf", "\"not\"", "\"if\""] {
                assert!(!text.contains(absent), "{name}: {absent}");
            }
            for (parameter, about) in schema["properties"].as_object().unwrap() {
                assert!(about["type"].is_string(), "{name}.{parameter}");
                assert!(about["type"] != "array" || about["items"].is_object(), "{name}.{parameter}");
                let chars = about["description"].as_str().unwrap_or_default().chars().count();
                assert!(chars <= PARAMETER_CHARS, "{name}.{parameter}");
            }
        }
        let load = schema(&agent, "load_skill").await;
        assert_eq!(load["properties"]["skill"].get("enum").is_some(), has_enum);
    }
}

#[tokio::test]
async fn tools_are_as_reviewed() {
    let tools = for_session(&notary().await.agent()).await.unwrap();
    for shape in [DefinitionShape::Anthropic, DefinitionShape::Openai, DefinitionShape::Mcp] {
        let shaped: Vec<_> = tools.iter().map(|tool| tool.in_shape(shape)).collect();
        let text = serde_json::to_string_pretty(&shaped).unwrap();
        insta::assert_snapshot!(format!("tools_{shape:?}").to_lowercase(), text);
    }
}

#[tokio::test]
async fn the_schema_of_a_tool_and_what_it_accepts_are_the_same() {
    let agent = World::new().agent();
    for (name, tool) in offered(&agent).await {
        let properties = tool["input_schema"]["properties"].as_object().unwrap().clone();
        let value = |property: &Value| match (property["type"].as_str().unwrap(), property.get("enum")) {
            (_, Some(choices)) => choices[0].clone(),
            ("string", _) => json!("no such thing"),
            ("integer", _) => json!(1),
            (kind, _) => Value::Bool(kind == "boolean"),
        };
        let full: serde_json::Map<_, _> =
            properties.iter().map(|(name, property)| (name.clone(), value(property))).collect();
        let answer = super::turn(&agent, &[(&name, Value::Object(full.clone()))]).await.content.remove(0);
        assert!(!answer.content.contains("wrong input"), "{}", answer.content);
        let mut more = full.clone();
        more.insert("colour".to_owned(), json!("red"));
        assert!(refused(&agent, &name, Value::Object(more)).await.contains("wrong input"), "{name}");
        for required in tool["input_schema"]["required"].as_array().unwrap() {
            let mut less = full.clone();
            less.remove(required.as_str().unwrap());
            assert!(refused(&agent, &name, Value::Object(less)).await.contains("wrong input"), "{name}: {required}");
        }
    }
}

#[tokio::test]
async fn the_search_names_the_limits_it_takes() {
    let limit = schema(&notary().await.agent(), "discover_skills").await["properties"]["limit"].clone();
    assert_eq!((&limit["minimum"], &limit["maximum"]), (&json!(1), &json!(SEARCH_RESULTS_MOST)));
}

#[tokio::test]
async fn the_skill_tool_takes_a_required_skill_and_optional_args() {
    let agent = agent_with(&notary().await, Policy { load_tool: LoadTool::Skill, ..Policy::default() }).await;
    let schema = schema(&agent, "Skill").await;
    assert_eq!(schema["required"], json!(["skill"]));
    assert_eq!(schema["properties"].as_object().unwrap().keys().collect::<Vec<_>>(), ["skill", "args"]);
    assert!(!names(&agent).await.contains(&"load_skill".to_owned()));
    let text = said(&agent, "Skill", json!({ "skill": "compraventa", "args": "Ana" })).await;
    assert!(!text.contains("Missing"), "{text}");
    let text = said(&agent, "Skill", json!({ "skill": "pdf", "mount_as": "other" })).await;
    assert!(text.contains("/skills/other"), "what a conflict advises works: {text}");
    assert!(refused(&agent, "load_skill", json!({ "skill": "pdf" })).await.contains("no tool"));
}

// S-TOOL-6: A model sees only the tools that the session may use now.
#[tokio::test]
async fn only_the_tools_the_session_may_use_now_are_offered() {
    let world = notary().await;
    let mut policy = Policy { plan_mode: true, ..Policy::default() };
    policy.tools.insert("grep".to_owned(), ToolRule::Blocked);
    policy.tools.insert("load_skill".to_owned(), ToolRule::Blocked);
    policy.tools.insert("ls".to_owned(), ToolRule::Ask);
    let offered = names(&agent_with(&world, policy).await).await;
    for (tool, is_offered) in [("grep", false), ("load_skill", false), ("Skill", false), ("ls", true), ("read", true)] {
        assert_eq!(offered.contains(&tool.to_owned()), is_offered, "{tool}: {offered:?}");
    }
    assert!(["write", "edit", "delete"].iter().all(|tool| !offered.contains(&(*tool).to_owned())), "{offered:?}");
    let of_another = world.agent_of("demo", "other");
    let offered = names(&of_another).await;
    assert!(FILE_TOOLS.iter().all(|tool| offered.contains(&(*tool).to_owned())), "{offered:?}");
}

#[tokio::test]
async fn load_skill_lists_the_skills_a_model_may_load_while_they_are_few_enough() {
    let world = World::new();
    for number in 0..TOOL_ENUM_SKILLS {
        world.put_skill("demo", &format!("s{number:02}"), "d", "").await;
    }
    world.put_skill("demo", "hidden", "d", "").await;
    world.put("demo/skills/mine/SKILL.md", "---\ndescription: d\ndisable-model-invocation: true\n---\n").await;
    let mut policy = Policy::default();
    policy.skills.insert("hidden".to_owned(), SkillRule::Disabled);
    let agent = agent_with(&world, policy).await;
    let names = schema(&agent, "load_skill").await["properties"]["skill"]["enum"].clone();
    let wanted: Vec<_> = (0..TOOL_ENUM_SKILLS).map(|number| format!("s{number:02}")).collect();
    assert_eq!(names, json!(wanted));
    world.put_skill("demo", "one-more", "d", "").await;
    agent.catalog(true).await.unwrap();
    assert_eq!(schema(&agent, "load_skill").await["properties"]["skill"].get("enum"), None);
}

#[tokio::test]
async fn a_skill_name_that_is_not_what_it_seems_is_not_listed() {
    let world = notary().await;
    world.put_skill("demo", "pd\u{200b}f", "d", "").await;
    let names = schema(&world.agent(), "load_skill").await["properties"]["skill"]["enum"].clone();
    assert_eq!(names, json!(["escrituras/compraventa", "pdf"]));
}

#[tokio::test]
async fn tools_that_a_loaded_skill_expects_are_told_and_not_granted() {
    let world = notary().await;
    let mut policy = Policy { prompt_mode: PromptMode::Listing, ..Policy::default() };
    policy.tools.insert("read".to_owned(), ToolRule::Blocked);
    let blocked = agent_with(&world, policy).await;
    let free = world.agent_of("demo", "other");
    for agent in [&blocked, &free] {
        said(agent, "load_skill", json!({ "skill": "compraventa" })).await;
    }
    assert!(!names(&blocked).await.contains(&"read".to_owned()));
    let tools = for_session(&free).await.unwrap();
    let expected: Vec<_> = tools
        .iter()
        .filter(|tool| tool.description.contains("escrituras/compraventa"))
        .map(|tool| tool.tool.name())
        .collect();
    assert_eq!(expected, ["read"]);
}

#[tokio::test]
async fn the_same_session_gives_the_same_bytes() {
    let world = notary().await;
    let bytes = async |world: &World| {
        let tools = for_session(&agent_in(world, PromptMode::TwoState).await).await.unwrap();
        let tools: Vec<_> = tools.iter().map(|tool| tool.in_shape(DefinitionShape::Anthropic)).collect();
        serde_json::to_string(&tools).unwrap()
    };
    assert_eq!(bytes(&world).await, bytes(&world.replica()).await);
}

#[tokio::test]
async fn where_there_is_no_skill_nothing_that_loads_one_is_offered() {
    let world = World::new();
    world.put_skill("demo", "hidden", "d", "").await;
    let policy = Policy { prompt_mode: PromptMode::Discover, ..Policy::default() };
    let before = names(&agent_with(&world, policy).await).await;
    assert_eq!(before, ["discover_skills"]);
    let skills = [("hidden".to_owned(), SkillRule::Blocked)].into();
    let hiding = Policy { skills, ..Policy::default() };
    world.service.sessions().set_user_policy(&id("demo"), hiding).await.unwrap();
    assert_eq!(names(&world.agent()).await, [&["create_skill"][..], &FILE_TOOLS].concat());
}
