//! The files of a plugin beside its skills: the manifest with its name, the hooks, and the server for its host.

use serde_json::{Map, Value, json};

use crate::{app::App, connect::launch, error::Result, folder::json_text, settings::Setting, shell::quoted};

/// The events that the service answers and that a plugin asks about, with the tools that matter. The host lists the skills of a
/// plugin itself when a conversation begins.
const EVENTS: &[(&str, Option<&str>)] =
    &[("UserPromptSubmit", None), ("PreToolUse", Some("Bash|Task|Agent")), ("SubagentStart", None)];

/// The variable in which a host finds the key. A key itself is never written down.
const KEY: &str = "SKILLMOUNT_API_KEY";

/// The files beside the skills, by their paths.
///
/// # Errors
/// `invalid_request` if the settings name no user, session or store.
pub(super) fn parts(app: &App, name: &str) -> Result<Vec<(&'static str, Vec<u8>)>> {
    let about = json!({ "name": name, "description": "Skills of skillmount, their reminders and their tools." });
    let (hook, server) = match app.settings.server()? {
        Some(server) => of_server(app, server)?,
        None => of_store(app)?,
    };
    let hooks: Map<String, Value> = EVENTS.iter().map(|(event, matcher)| of_event(event, *matcher, &hook)).collect();
    let files = [
        (".claude-plugin/plugin.json", about),
        ("hooks/hooks.json", json!({ "hooks": hooks })),
        (".mcp.json", json!({ "mcpServers": { "skillmount": server } })),
    ];
    files.into_iter().map(|(path, value)| Ok((path, json_text(&value)?))).collect()
}

fn of_event(event: &str, matcher: Option<&str>, hook: &Value) -> (String, Value) {
    let mut group = json!({ "hooks": [hook] });
    if let (Some(matcher), Some(members)) = (matcher, group.as_object_mut()) {
        members.insert("matcher".to_owned(), json!(matcher));
    }
    (event.to_owned(), json!([group]))
}

/// A hook that posts to a service, and its server of the protocol.
fn of_server(app: &App, server: &str) -> Result<(Value, Value)> {
    let (user, session) = (app.user()?, app.session()?);
    let server = server.trim_end_matches('/');
    let mut hook = members([
        ("type", json!("http")),
        ("url", json!(format!("{server}/v1/users/{user}/sessions/{session}/hooks"))),
    ]);
    let mut headers = members([("x-skillmount-user", json!(user))]);
    if !app.settings.is_default(Setting::Session) {
        headers.extend(members([("x-skillmount-session", json!(session))]));
    }
    if app.settings.get(Setting::ApiKey).is_some() {
        hook.extend(members([
            ("headers", json!({ "authorization": format!("Bearer ${KEY}") })),
            ("allowedEnvVars", json!([KEY])),
        ]));
        headers.extend(members([("authorization", json!(format!("Bearer ${{{KEY}}}")))]));
    }
    Ok((Value::Object(hook), json!({ "type": "http", "url": format!("{server}/mcp"), "headers": headers })))
}

/// A hook that runs this program on the store, and this program as the server.
fn of_store(app: &App) -> Result<(Value, Value)> {
    let server = launch(app, "mcp")?;
    let hook = launch(app, "hook")?;
    let variables = hook.variables.iter().map(|(name, value)| format!("{name}={}", quoted(value)));
    let mut words = [hook.command].into_iter().chain(hook.args).collect::<Vec<_>>();
    if app.settings.is_default(Setting::Session) {
        words.extend(["--session".to_owned(), app.session()?.to_string()]);
    }
    let command: Vec<_> = variables.chain(words.iter().map(|word| quoted(word))).collect();
    let mut started = members([("command", json!(server.command)), ("args", json!(server.args))]);
    if !server.variables.is_empty() {
        started.extend(members([("env", json!(server.variables))]));
    }
    Ok((json!({ "type": "command", "command": command.join(" ") }), Value::Object(started)))
}

fn members<const N: usize>(of: [(&str, Value); N]) -> Map<String, Value> {
    of.map(|(name, value)| (name.to_owned(), value)).into_iter().collect()
}
