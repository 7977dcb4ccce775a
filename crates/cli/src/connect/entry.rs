//! A host's configuration as text, with and without our server in it.
//!
//! JSON is read and written whole. TOML and YAML are edited as text, so that comments stay, and then read again: if anything but
//! our own entry would be different, the file is left to its owner.

use serde_json::{Map, Value, json};

use super::{host::ConfigForm, launch::Launch};
use crate::skill::yaml_value;

/// The name of the server in hosts.
pub(super) const NAME: &str = "skillmount";
/// The table of servers in TOML, and of extensions in YAML.
const TABLE: &str = "mcp_servers";
const EXTENSIONS: &str = "extensions";

/// `text` with our server, started as in `launch`; without our server if `launch` is `None`.
///
/// # Errors
/// Why the text cannot be changed.
pub(super) fn edited(form: ConfigForm, text: &str, launch: Option<&Launch>) -> Result<String, String> {
    let before = parsed(form, text)?;
    let wanted = with(form, before, launch)?;
    let new = match form {
        ConfigForm::Json { .. } => format!("{wanted:#}\n"),
        ConfigForm::Toml => in_toml(text, launch),
        ConfigForm::Yaml => in_yaml(text, launch),
    };
    let is_right = parsed(form, &new).is_ok_and(|read| without_empty(form, read) == without_empty(form, wanted));
    is_right
        .then_some(new)
        .ok_or_else(|| "it is written in a way that cannot be changed without changing more".to_owned())
}

/// Whether our server is in `text`.
pub(super) fn is_in(form: ConfigForm, text: &str) -> bool {
    parsed(form, text).is_ok_and(|value| value.get(member(form)).and_then(|servers| servers.get(NAME)).is_some())
}

const fn member(form: ConfigForm) -> &'static str {
    match form {
        ConfigForm::Json { member, .. } => member,
        ConfigForm::Toml => TABLE,
        ConfigForm::Yaml => EXTENSIONS,
    }
}

fn parsed(form: ConfigForm, text: &str) -> Result<Value, String> {
    if text.trim().is_empty() {
        return Ok(json!({}));
    }
    let value = match form {
        ConfigForm::Json { .. } => {
            serde_json::from_str(text).map_err(|fault| format!("it has comments, a last comma, or no JSON: {fault}"))?
        }
        ConfigForm::Toml => {
            toml::from_str(text).map_err(|fault| format!("it is not valid TOML: {}", fault.message()))?
        }
        ConfigForm::Yaml => match yaml_value(text).map_err(|fault| format!("it is not valid YAML: {fault}"))? {
            // Comments alone are no document.
            Value::Null => json!({}),
            value => value,
        },
    };
    Value::is_object(&value).then_some(value).ok_or_else(|| "it holds no settings".to_owned())
}

/// The settings that the file is to hold.
fn with(form: ConfigForm, mut whole: Value, launch: Option<&Launch>) -> Result<Value, String> {
    let wrong = || format!("its `{}` holds no servers", member(form));
    let members = whole.as_object_mut().ok_or_else(wrong)?;
    let servers = members.entry(member(form)).or_insert_with(|| Value::Object(Map::new()));
    if servers.is_null() {
        *servers = Value::Object(Map::new());
    }
    let servers = servers.as_object_mut().ok_or_else(wrong)?;
    match launch {
        Some(launch) => drop(servers.insert(NAME.to_owned(), entry(form, launch))),
        None => drop(servers.shift_remove(NAME)),
    }
    Ok(without_empty(form, whole))
}

/// A table of servers without any is as good as none.
fn without_empty(form: ConfigForm, mut whole: Value) -> Value {
    let is_empty = |servers: &Value| servers.is_null() || servers.as_object().is_some_and(Map::is_empty);
    if whole.get(member(form)).is_some_and(is_empty)
        && let Some(members) = whole.as_object_mut()
    {
        members.shift_remove(member(form));
    }
    whole
}

fn entry(form: ConfigForm, Launch { command, args, variables }: &Launch) -> Value {
    let mut entry = match form {
        ConfigForm::Json { is_typed: true, .. } => json!({ "type": "stdio", "command": command, "args": args }),
        ConfigForm::Json { .. } | ConfigForm::Toml => json!({ "command": command, "args": args }),
        ConfigForm::Yaml => json!({
            "name": NAME, "type": "stdio", "cmd": command, "args": args, "enabled": true, "timeout": 300
        }),
    };
    if let Some(members) = entry.as_object_mut()
        && !variables.is_empty()
    {
        let name = if form == ConfigForm::Yaml { "envs" } else { "env" };
        members.insert(name.to_owned(), json!(variables));
    }
    entry
}

/// JSON text is TOML for strings and lists of strings, and YAML for all values.
fn in_toml(text: &str, launch: Option<&Launch>) -> String {
    let header = format!("[{TABLE}.{NAME}]");
    let mut kept = String::new();
    let mut is_ours = false;
    for line in text.lines() {
        if line.trim_start().starts_with('[') {
            is_ours = line.trim() == header;
        }
        let is_comment = line.trim().is_empty() || line.trim_start().starts_with('#');
        if !is_ours || is_comment {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    let Some(Launch { command, args, variables }) = launch else { return kept };
    let gap = if kept.trim().is_empty() { "" } else { "\n" };
    let variables: Vec<_> = variables.iter().map(|(name, value)| format!("{name} = {}", json!(value))).collect();
    let variables =
        if variables.is_empty() { String::new() } else { format!("env = {{ {} }}\n", variables.join(", ")) };
    format!(
        "{}{gap}{header}\ncommand = {}\nargs = {}\n{variables}",
        kept.trim_end_matches('\n').to_owned() + end(&kept),
        json!(command),
        json!(args)
    )
}

/// The line end of a text that has any line.
fn end(text: &str) -> &'static str {
    if text.trim().is_empty() { "" } else { "\n" }
}

fn in_yaml(text: &str, launch: Option<&Launch>) -> String {
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let is_extensions = |line: &&str| line.split('#').next().unwrap_or_default().trim_end() == format!("{EXTENSIONS}:");
    let lines: Vec<&str> = text.lines().collect();
    let at = lines.iter().position(is_extensions);
    let first = at.and_then(|at| {
        lines.iter().skip(at + 1).find(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'))
    });
    let depth = first.map(|line| indent(line)).filter(|depth| *depth > 0).unwrap_or(2);
    let block = launch.map(|launch| {
        let pad = " ".repeat(depth);
        let members = entry(ConfigForm::Yaml, launch);
        let members =
            members.as_object().into_iter().flatten().map(|(name, value)| format!("{pad}  {name}: {value}\n"));
        format!("{pad}{NAME}:\n{}", members.collect::<String>())
    });
    let mut new = String::new();
    let mut is_ours = false;
    for (number, line) in lines.iter().enumerate() {
        let is_inside = at.is_some_and(|at| number > at);
        if is_inside && !line.trim().is_empty() && indent(line) <= depth {
            is_ours = indent(line) == depth && line.trim_end() == format!("{}{NAME}:", " ".repeat(depth));
        }
        if !is_ours {
            new.push_str(line);
            new.push('\n');
        }
        if at == Some(number) {
            new.push_str(block.as_deref().unwrap_or_default());
        }
    }
    match (at, block) {
        (None, Some(block)) => format!("{new}{EXTENSIONS}:\n{block}"),
        _ => new,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLAUDE: ConfigForm = ConfigForm::Json { member: "mcpServers", is_typed: false };

    fn launch(program: &str) -> Launch {
        let args = ["mcp", "--user", "a \"b\""].map(str::to_owned).to_vec();
        let variables = [("SKILLMOUNT_LOG".to_owned(), "a: \"b\" # c".to_owned())].into();
        Launch { command: program.to_owned(), args, variables }
    }

    #[test]
    fn what_is_put_in_and_taken_out_leaves_all_else_as_it_was() {
        let texts = [
            (
                CLAUDE,
                "{\n  \"numStartups\": 3,\n  \"mcpServers\": {\n    \"other\": {\n      \"command\": \"x\"\n    }\n  }\n}\n",
            ),
            (ConfigForm::Toml, "# mine\nmodel = \"x\" # here\n\n[mcp_servers.other]\ncommand = \"x\"\n"),
            (ConfigForm::Yaml, "# mine\nextensions: # all\n  other:\n    type: stdio\n    cmd: x\n# end\nGOOSE: y\n"),
            (ConfigForm::Yaml, "GOOSE: y\n"),
            (ConfigForm::Toml, ""),
            (CLAUDE, "{}\n"),
        ];
        for (form, text) in texts {
            let connected = edited(form, text, Some(&launch("/bin/old"))).unwrap();
            assert!(is_in(form, &connected) && !is_in(form, text), "{connected}");
            let again = edited(form, &connected, Some(&launch("/bin/new"))).unwrap();
            assert!(again.contains("/bin/new") && !again.contains("/bin/old"), "{again}");
            assert_eq!(edited(form, &again, Some(&launch("/bin/new"))).unwrap(), again, "again changes nothing");
            let server = parsed(form, &again).unwrap()[member(form)][NAME].clone();
            assert_eq!(server["args"], json!(["mcp", "--user", "a \"b\""]));
            let variables = if form == ConfigForm::Yaml { &server["envs"] } else { &server["env"] };
            assert_eq!(variables, &json!({ "SKILLMOUNT_LOG": "a: \"b\" # c" }));
            let removed = edited(form, &again, None).unwrap();
            assert_eq!(without_empty(form, parsed(form, &removed).unwrap()), parsed(form, text).unwrap(), "{removed}");
            for comment in ["# mine", "# here", "# all", "# end"].iter().filter(|comment| text.contains(**comment)) {
                assert!(removed.contains(comment), "{removed}");
            }
        }
    }

    #[test]
    fn a_file_that_cannot_be_understood_is_left_alone() {
        for (form, text) in [
            (CLAUDE, "{ // mine\n}"),
            (CLAUDE, "[]"),
            (CLAUDE, "{\"mcpServers\": []}"),
            (ConfigForm::Toml, "a ="),
            (ConfigForm::Toml, "mcp_servers = { other = { command = \"x\" } }"),
            (ConfigForm::Yaml, "extensions: {other: {cmd: x}}\n"),
            (ConfigForm::Yaml, "a: [\n"),
            (ConfigForm::Yaml, "extensions: []\n"),
        ] {
            assert!(edited(form, text, Some(&launch("x"))).is_err(), "{text}");
        }
    }
}
