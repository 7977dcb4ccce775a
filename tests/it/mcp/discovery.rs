//! Whether a model finds one skill of 200 with nothing but the text that a host shows it.
//!
//! The model is scripted. It reads shown text alone: it takes the names of tools, their arguments and locations from there.

use std::collections::HashSet;

use rmcp::model::{CallToolRequestParams, Tool};
use serde_json::{Value, json};

use super::Conversation;
use crate::cli::Home;

/// Characters of instructions and descriptions that Claude Code shows.
const SHOWN_CHARS: usize = 2048;
/// Characters of a hook's context that Claude Code shows.
const HOOK_CHARS: usize = 10_000;
/// Characters of a result that Claude Code shows: 25,000 tokens of four characters. A longer one becomes a file.
const RESULT_CHARS: usize = 100_000;

/// Location, description and a request of a person.
const WANTED: [(&str, &str, &str); 20] = [
    (
        "accessible-tables",
        "Makes HTML tables readable for screen readers, with captions and header scopes.",
        "our html tables confuse screen readers, please add captions",
    ),
    (
        "adopt-rescue-dog",
        "Prepares a home and papers for adopting a rescue dog from a shelter.",
        "we want to adopt a rescue dog from the shelter next week",
    ),
    (
        "airline-refunds",
        "Claims compensation from an airline for delayed or cancelled flights.",
        "my flight was cancelled, how do I get compensation from the airline",
    ),
    (
        "allergy-menus",
        "Plans restaurant menus that mark gluten, nuts and other allergens.",
        "mark the allergens such as gluten and nuts on our restaurant menu",
    ),
    (
        "kubernetes-rollouts",
        "Diagnoses Kubernetes deployments whose pods crash or whose rollout is stuck.",
        "the kubernetes rollout is stuck and pods crash",
    ),
    (
        "lease-review",
        "Reviews a residential lease for unfair clauses on deposit, rent and notice.",
        "check the clauses on deposit and notice in this lease",
    ),
    (
        "marathon-training",
        "Builds weekly running plans for a first marathon, with rest and tapering.",
        "make me a weekly running plan for my first marathon",
    ),
    (
        "node-upgrade",
        "Upgrades a JavaScript project to a newer Node release and repairs its npm dependencies.",
        "upgrade this javascript project to the latest node release",
    ),
    (
        "onboarding-mail",
        "Writes welcome emails for new employees, with accounts and first meetings.",
        "write a welcome email for the new employees who start on monday",
    ),
    (
        "pdf-forms",
        "Fills in fields of PDF forms and flattens them for signature.",
        "fill in the fields of this pdf form before the signature",
    ),
    (
        "postgres-indexes",
        "Finds slow Postgres queries and proposes indexes from their execution plans.",
        "postgres queries are slow, which indexes are missing",
    ),
    (
        "quilt-patterns",
        "Calculates fabric and cutting lists for quilt blocks.",
        "how much fabric do I need to cut for these quilt blocks",
    ),
    (
        "react-rerenders",
        "Profiles React components that render too often and adds memoisation.",
        "react components render too often, profile them",
    ),
    (
        "sourdough-baking",
        "Schedules feeding of a starter, proofing and baking of sourdough bread.",
        "when do I feed my starter for sourdough bread",
    ),
    (
        "tax-return-freelance",
        "Collects deductible expenses and receipts for the tax return of a freelancer.",
        "sort my receipts into deductible expenses for the freelancer tax return",
    ),
    (
        "terraform-drift",
        "Detects drift between Terraform state and cloud resources and imports what is missing.",
        "terraform state shows drift from our cloud resources",
    ),
    (
        "translate-subtitles",
        "Translates subtitle files of films and keeps timing and line length.",
        "translate the subtitle file of this film and keep the timing",
    ),
    (
        "unicode-cleanup",
        "Removes invisible Unicode characters and normalises mixed encodings in CSV exports.",
        "there are invisible unicode characters in the csv exports",
    ),
    (
        "wedding-seating",
        "Arranges seating of wedding guests at tables by family and language.",
        "arrange the seating of our wedding guests by family",
    ),
    (
        "zoning-appeals",
        "Drafts an appeal against a zoning decision of the municipality.",
        "draft an appeal against the zoning decision of our municipality",
    ),
];

const TOPICS: [&str; 18] = [
    "orchids",
    "bicycles",
    "telescopes",
    "beehives",
    "violins",
    "aquariums",
    "vineyards",
    "sailboats",
    "tapestries",
    "locomotives",
    "fossils",
    "chessboards",
    "lighthouses",
    "ceramics",
    "falcons",
    "typewriters",
    "greenhouses",
    "clocks",
];

/// The end of a location and the begin of a description.
const TASKS: [(&str, &str); 10] = [
    ("inventory-of-all-pieces-in-storage", "Counts and numbers stored"),
    ("insurance-value-after-damage-or-loss", "Estimates the insured value of"),
    ("exhibition-labels-for-young-visitors", "Words exhibition labels about"),
    ("seasonal-maintenance-by-volunteers", "Schedules seasonal maintenance of"),
    ("transport-crates-and-customs-papers", "Packs for overseas transport"),
    ("photographs-for-the-printed-catalogue", "Lights and photographs"),
    ("fundraising-letters-to-former-donors", "Asks former donors to sponsor"),
    ("climate-readings-of-the-storage-rooms", "Monitors humidity and temperature around"),
    ("oral-history-interviews-with-owners", "Interviews earlier owners of"),
    ("condition-survey-with-a-damage-scale", "Surveys the condition of"),
];

/// A home with 200 skills pushed: the 20 that are wanted, and ten tasks of 18 topics.
fn home_of_two_hundred() -> Home {
    let home = Home::new();
    let put = |location: &str, description: &str| {
        let name = location.rsplit('/').next().unwrap();
        let text =
            format!("---\nname: {name}\ndescription: {description}\n---\n\n# Steps\n\nThe steps of {location}.\n");
        home.file(&format!("many/{location}/SKILL.md"), &text);
    };
    for (location, description, _) in WANTED {
        put(location, description);
    }
    for topic in TOPICS {
        for (task, what) in TASKS {
            put(
                &format!("collections/{topic}/{topic}-{task}"),
                &format!("{what} {topic} in a museum or a private house."),
            );
        }
    }
    home.ok(&["push", "many"]);
    home
}

fn cut(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}

/// The words of a text with five letters or more.
fn words(text: &str) -> HashSet<String> {
    let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| word.chars().count() >= 5);
    words.map(str::to_lowercase).collect()
}

/// The skills in a shown text that have a description: location and the line.
fn described(text: &str) -> Vec<(&str, &str)> {
    let items = text.lines().filter_map(|line| line.strip_prefix("- ")).filter(|line| line.contains(": "));
    items.map(|line| (line.split([':', ',', ' ']).next().unwrap(), line)).collect()
}

/// The word before `rest`, which a text names as a tool to call.
fn tool_before<'a>(text: &'a str, rest: &str) -> &'a str {
    let (before, _) = text.split_once(rest).unwrap_or_else(|| panic!("no {rest:?} in {text}"));
    let mut words = before.rsplit(' ');
    let tool = words.next().unwrap();
    assert_eq!(words.next().map(str::to_lowercase).as_deref(), Some("call"), "{text}");
    tool
}

/// A model behind a host. It has no knowledge but `shown` and the tools.
struct Model<'a> {
    conversation: &'a Conversation,
    tools: Vec<Tool>,
}

impl<'a> Model<'a> {
    async fn new(conversation: &'a Conversation) -> Self {
        Self { conversation, tools: conversation.host.list_all_tools().await.unwrap() }
    }

    /// The descriptions of all tools, as the host shows them.
    fn descriptions(&self) -> String {
        let shown = self.tools.iter().map(|tool| cut(tool.description.as_deref().unwrap_or_default(), SHOWN_CHARS));
        shown.collect::<Vec<_>>().join("\n")
    }

    /// Calls the tool with one argument, whose name is the first word of the schema that fits: a required one, or text about the task.
    async fn call(&self, tool: &str, value: &str) -> String {
        let known = self.tools.iter().find(|known| known.name == tool).unwrap_or_else(|| panic!("no tool {tool}"));
        let schema = Value::Object((*known.input_schema).clone());
        let about = |(_, property): &(&String, &Value)| property["description"].as_str().unwrap().contains("is about");
        let argument = schema["required"][0].as_str().map(str::to_owned);
        let argument = argument
            .or_else(|| schema["properties"].as_object().unwrap().iter().find(about).map(|(name, _)| name.clone()));
        let mut call = CallToolRequestParams::new(known.name.clone());
        call.arguments = json!({ argument.unwrap(): value }).as_object().cloned();
        let result = self.conversation.host.call_tool(call).await.unwrap();
        let text: String =
            result.content.iter().filter_map(|block| block.as_text()).map(|block| block.text.as_str()).collect();
        if text.chars().count() > RESULT_CHARS { "The result is in a file.".to_owned() } else { text }
    }

    /// Finds and loads a skill for the request. Returns the text of the load, and whether the model had to search.
    async fn answer(&self, shown: &str, request: &str) -> (String, bool) {
        let loader = tool_before(shown, " with the location");
        if let Some(location) = listed_for(shown, request) {
            return (self.call(loader, location).await, false);
        }
        let found = self.call(tool_before(shown, " with what the request is about"), request).await;
        let (location, _) = *described(&found).first().unwrap_or_else(|| panic!("{request}: {found}"));
        (self.call(loader, location).await, true)
    }
}

/// The listed skill that shares most rare words with the request, two at least. A word is rare if two skills have it at most.
fn listed_for<'a>(shown: &'a str, request: &str) -> Option<&'a str> {
    let listed = described(shown);
    let is_rare = |word: &String| {
        let having = listed.iter().filter(|(_, line)| words(line).contains(word)).map(|(location, _)| location);
        having.collect::<HashSet<_>>().len() <= 2
    };
    let asked: HashSet<String> = words(request).into_iter().filter(is_rare).collect();
    let shared = listed.iter().map(|(location, line)| (words(line).intersection(&asked).count(), *location));
    shared.max_by_key(|(count, _)| *count).filter(|(count, _)| *count >= 2).map(|(_, location)| location)
}

fn assert_loaded(loaded: &str, location: &str, door: &str) {
    assert!(loaded.contains(&format!("The steps of {location}.")), "{door}, {location}: {}", cut(loaded, 400));
}

/// Asserts that at least half of the wanted skills are nowhere in a listing.
fn assert_most_are_hidden(listing: &str) {
    let hidden = WANTED.iter().filter(|(location, ..)| !listing.contains(location)).count();
    assert!((10..20).contains(&hidden), "{hidden} of 20 are not in {listing}");
}

#[tokio::test]
async fn a_model_that_reads_the_instructions_of_the_server_loads_the_right_one_of_200_skills() {
    let home = home_of_two_hundred();
    let conversation = Conversation::begin(&home, &[]).await;
    let model = Model::new(&conversation).await;
    let instructions = conversation.host.peer_info().unwrap().instructions.clone().unwrap();
    let shown = cut(&instructions, SHOWN_CHARS);
    assert_most_are_hidden(&shown);
    let mut searches = 0;
    for (location, _, request) in WANTED {
        let (loaded, is_searched) = model.answer(&shown, request).await;
        assert_loaded(&loaded, location, "instructions");
        searches += usize::from(is_searched);
    }
    assert!((10..20).contains(&searches), "{searches}");
}

#[tokio::test]
async fn a_model_whose_host_drops_the_instructions_loads_the_right_one_of_200_skills() {
    let home = home_of_two_hundred();
    let conversation = Conversation::begin(&home, &[]).await;
    let model = Model::new(&conversation).await;
    let shown = model.descriptions();
    for (location, _, request) in WANTED {
        let (loaded, is_searched) = model.answer(&shown, request).await;
        assert_loaded(&loaded, location, "descriptions");
        assert!(is_searched, "{location}");
    }
}

#[tokio::test]
async fn a_model_that_reads_hooks_loads_the_right_one_of_200_skills() {
    let home = home_of_two_hundred();
    let conversation = Conversation::begin(&home, &["--session", "hooked"]).await;
    let model = Model::new(&conversation).await;
    let context = |input: Value| {
        let output = home.typed(&["--session", "hooked", "hook"]).input(&input.to_string()).run();
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        cut(answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default(), HOOK_CHARS)
    };
    let listing = context(json!({"hook_event_name": "SessionStart", "session_id": "h", "source": "startup"}));
    assert_most_are_hidden(&listing);
    for (location, _, request) in WANTED {
        let named = context(json!({"hook_event_name": "UserPromptSubmit", "session_id": "h", "prompt": request}));
        let (loaded, _) = model.answer(&format!("{listing}\n{named}"), request).await;
        assert_loaded(&loaded, location, "hooks");
    }
    let summary = home.ok(&["--session", "hooked", "ls", "/skills"]);
    assert_eq!(WANTED.iter().filter(|(location, ..)| summary.contains(location)).count(), 20, "{summary}");
}
