//! What each tool takes and what a model is told of it: the only place, for definitions and for errors alike.

use serde_json::{Map, Value, json};

use super::tool::Tool;
use crate::limits::SEARCH_RESULTS_MOST;

impl Tool {
    /// What it does and how to use it, for a model.
    pub(super) const fn description(self) -> &'static str {
        match self {
            Self::Ls => "List a folder. /workspace and /ticket are yours; /skills holds the loaded skills.",
            Self::Read => "Read a text file as numbered lines. Go on with offset where the last line says so.",
            Self::Grep => "Search file contents with a Rust regular expression.",
            Self::Glob => "Find files by name: *.md at any depth, or /workspace/**/*.md.",
            Self::Write => "Create a file. Fails if it exists, unless overwrite is true; use edit for changes.",
            Self::Edit => {
                "Replace exact text in a file. old_string must occur once, unless replace_all is true. Read the file first."
            }
            Self::Delete => "Delete a file, or a folder and everything in it.",
            Self::LoadSkill | Self::Skill => {
                "Load a skill before you answer a request that it matches; then follow its instructions. Its files \
                 appear below /skills."
            }
            Self::UnloadSkill => "Hide a loaded skill that is done with.",
            Self::DiscoverSkills => "Search the skills there are. Finding one does not load it.",
        }
    }

    /// The JSON Schema of its input.
    pub(super) fn input_schema(self) -> Value {
        json!({
            "type": "object",
            "properties": self.properties(),
            "required": self.required(),
            "additionalProperties": false,
        })
    }

    /// What it takes, in one line: `file_path (string), offset (integer, optional)`.
    pub(super) fn expected(self) -> String {
        let required = self.required();
        let say = |(name, property): (&String, &Value)| {
            let kind = property.get("type").and_then(Value::as_str).unwrap_or("string");
            let optional = if required.contains(&name.as_str()) { "" } else { ", optional" };
            let choices = property.get("enum").and_then(Value::as_array).map(|choices| {
                let choices: Vec<_> = choices.iter().filter_map(Value::as_str).collect();
                format!(": {}", choices.join(" or "))
            });
            format!("{name} ({kind}{}{optional})", choices.unwrap_or_default())
        };
        self.properties().iter().map(say).collect::<Vec<_>>().join(", ")
    }

    const fn required(self) -> &'static [&'static str] {
        match self {
            Self::Ls | Self::Delete => &["path"],
            Self::Read => &["file_path"],
            Self::Grep | Self::Glob => &["pattern"],
            Self::Write => &["file_path", "content"],
            Self::Edit => &["file_path", "old_string", "new_string"],
            Self::LoadSkill | Self::Skill | Self::UnloadSkill => &["skill"],
            Self::DiscoverSkills => &["query"],
        }
    }

    fn properties(self) -> Map<String, Value> {
        let properties = match self {
            Self::Ls | Self::Delete => json!({ "path": text("Absolute path") }),
            Self::Read => json!({
                "file_path": text("Absolute path"),
                "offset": count("Lines to skip; default 0"),
                "limit": count("Lines to return; default 2000"),
            }),
            Self::Grep => json!({
                "pattern": text("Regular expression"),
                "path": text("Folder or file; default everything"),
                "glob": text("Only files that match, such as *.md"),
                "literal": flag("Take the pattern as plain text"),
                "ignore_case": flag("Ignore case"),
                "context": count("Lines to show around each hit"),
                "output_mode": { "type": "string", "enum": ["content", "files", "count"] },
                "max_count": count("Hits at most"),
            }),
            Self::Glob => json!({
                "pattern": text("Glob"),
                "path": text("Folder; default everything"),
            }),
            Self::Write => json!({
                "file_path": text("Absolute path"),
                "content": text("The whole content"),
                "overwrite": flag("Replace a file that exists"),
            }),
            Self::Edit => json!({
                "file_path": text("Absolute path"),
                "old_string": text("Exact text, without line numbers"),
                "new_string": text("Text to put in its place"),
                "replace_all": flag("Replace every occurrence"),
            }),
            Self::LoadSkill => json!({
                "skill": text("Location of the skill"),
                "mount_as": text("Another name below /skills, where its own is taken"),
                "arguments": text("What the skill asks for: words, or name=value"),
            }),
            Self::Skill => json!({
                "skill": text("Location of the skill"),
                "args": text("What the skill asks for: words, or name=value"),
            }),
            Self::UnloadSkill => json!({ "skill": text("Location or name of the skill") }),
            Self::DiscoverSkills => json!({
                "query": text("What the task is about"),
                "category": text("Only this category"),
                "level": text("Only this level"),
                "limit": limit("Default 10", SEARCH_RESULTS_MOST),
            }),
        };
        match properties {
            Value::Object(properties) => properties,
            _ => Map::new(),
        }
    }
}

fn text(description: &str) -> Value {
    json!({ "type": "string", "description": description })
}

fn count(description: &str) -> Value {
    json!({ "type": "integer", "minimum": 0, "description": description })
}

fn limit(description: &str, most: usize) -> Value {
    json!({ "type": "integer", "minimum": 1, "maximum": most, "description": description })
}

fn flag(description: &str) -> Value {
    json!({ "type": "boolean", "description": description })
}
