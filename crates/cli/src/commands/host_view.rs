//! How much of the skills and tools of a user reaches the model behind one host.

use serde::Serialize;
use serde_json::json;

use crate::{
    app::App,
    error::Result,
    handle::SessionBackend,
    limits::{HOSTS, HostLimits, UNKNOWN_HOST},
    mcp::McpOptions,
    output::Output,
    path::Id,
    prompt::{HostListing, TextRoom, host_listing},
    tools::{self, ToolDefinition},
    wire::{DefinitionShape, PromptMode},
};

/// The name for a table of all hosts.
const ALL: &str = "all";
/// The session of the view. Nothing is written into it.
const SESSION: &str = "doctor";

/// The view of one host.
#[derive(Debug, Serialize)]
struct HostView {
    host: &'static str,
    /// Skills of the user that the session may load.
    skills: usize,
    instructions: ListingView,
    hook: ListingView,
    tools: Vec<ToolView>,
    result_bytes: usize,
    call_seconds: u64,
    source: &'static str,
}

/// A listing as the model reads it.
#[derive(Debug, Default, Serialize)]
struct ListingView {
    /// The text that arrives; empty if the host drops it.
    text: String,
    /// Characters that the service sends.
    sent: usize,
    /// Characters that arrive.
    arrived: usize,
    /// Skills that arrive with a description.
    with_description: usize,
    /// Skills that arrive by name alone.
    by_name: usize,
}

#[derive(Debug, Serialize)]
struct ToolView {
    name: &'static str,
    description_chars: usize,
    schema_bytes: usize,
    /// Whether the host shows it whole.
    is_whole: bool,
}

/// Prints the view of the host with this name, or a table of all.
///
/// # Errors
/// `invalid_request` for an unknown name, and beside `--server`; the store's.
pub(super) async fn run(app: &App, name: &str) -> Result<()> {
    if app.settings.server()?.is_some() {
        return Err(invalid!("--mcp-host looks into a store: leave out --server, or name the store with --store"));
    }
    let hosts: Vec<&HostLimits> = match (name, HostLimits::named(name)) {
        (ALL, _) => HOSTS.iter().collect(),
        (_, Some(host)) => vec![host],
        (_, None) => {
            let names: Vec<_> = HOSTS.iter().chain([&UNKNOWN_HOST]).map(|host| host.name).chain([ALL]).collect();
            return Err(invalid!("there is no host {name:?}; the hosts are {}", names.join(", ")));
        }
    };
    let backend = app.service().await?.session(app.user()?, Id::parse(SESSION)?).in_mode(Some(PromptMode::Listing));
    let mut views = Vec::new();
    for host in hosts {
        views.push(HostView::read(&backend, app.mcp_options()?, host).await?);
    }
    app.out.reply(&json!({ "hosts": views }), |out, _| if name == ALL { table(out, &views) } else { page(out, &views) })
}

impl HostView {
    async fn read(backend: &SessionBackend, options: McpOptions, host: &'static HostLimits) -> Result<Self> {
        let sent = options.instruction_chars.unwrap_or(UNKNOWN_HOST.instruction_chars);
        let room = |characters: usize, bytes: usize| host_listing(backend, TextRoom { characters, bytes });
        let instructions = room(sent, usize::MAX).await?;
        let hook = room(UNKNOWN_HOST.hook_chars, UNKNOWN_HOST.hook_chars).await?;
        let tools = tools::for_session(backend).await?;
        Ok(Self {
            host: host.name,
            skills: instructions.total,
            instructions: ListingView::new(&instructions, host.instruction_chars),
            hook: ListingView::new(&hook, host.hook_chars),
            tools: tools.iter().map(|tool| ToolView::new(tool, host)).collect(),
            result_bytes: options.result_bytes.unwrap_or(host.result_bytes),
            call_seconds: host.call_seconds,
            source: host.source,
        })
    }

    fn is_whole(&self) -> bool {
        self.tools.iter().all(|tool| tool.is_whole)
    }
}

impl ListingView {
    /// The listing behind a host that passes on `most` characters. Of a listing that is cut no skill counts.
    fn new(listing: &HostListing, most: usize) -> Self {
        let sent = listing.text.chars().count();
        let text: String = listing.text.chars().take(most).collect();
        let (with_description, named) = if most < sent { (0, 0) } else { (listing.described, listing.shown) };
        Self { sent, arrived: sent.min(most), with_description, by_name: named.saturating_sub(with_description), text }
    }
}

impl ToolView {
    fn new(tool: &ToolDefinition, host: &HostLimits) -> Self {
        let name = tool.tool.name();
        let schema =
            tool.in_shape(DefinitionShape::Mcp).get("inputSchema").map_or(0, |schema| schema.to_string().len());
        let description_chars = tool.description.chars().count();
        let is_whole = description_chars <= host.description_chars
            && schema <= host.schema_bytes
            && PREFIX.len() + name.len() <= host.tool_name_chars;
        Self { name, description_chars, schema_bytes: schema, is_whole }
    }
}

/// The prefix of Claude Code, which is the longest of all hosts.
const PREFIX: &str = "mcp__plugin_skillmount_skillmount__";

fn page(out: &Output, views: &[HostView]) -> Result<()> {
    for view in views {
        let HostView { host, skills, instructions, hook, tools, result_bytes, call_seconds, source } = view;
        out.line(format!("host           {host} ({source})"))?;
        out.line(format!("instructions   {}", counted(instructions, *skills)))?;
        out.line(format!("hooks          {}", counted(hook, *skills)))?;
        let names: Vec<_> = tools.iter().map(|tool| tool.name).collect();
        out.line(format!("tools          {}: {}", tools.len(), names.join(", ")))?;
        for tool in tools.iter().filter(|tool| !tool.is_whole) {
            out.line(format!("               {} is too long for this host", tool.name))?;
        }
        out.line(format!("results        {result_bytes} bytes at most; a call has {call_seconds} seconds"))?;
        out.line(format!("the rest       {}", rest(view)))?;
        if !instructions.text.is_empty() {
            out.line(format!("\nThe model reads:\n\n{}", instructions.text))?;
        }
    }
    Ok(())
}

/// One row of Markdown for each host.
fn table(out: &Output, views: &[HostView]) -> Result<()> {
    let skills = views.first().map_or(0, |view| view.skills);
    out.line(format!("| host, {skills} skills | instructions: characters | with description | by name | hooks: characters | with description | by name | the rest |"))?;
    out.line("|---|---|---|---|---|---|---|---|")?;
    for view in views {
        let HostView { host, instructions, hook, .. } = view;
        let cells = |one: &ListingView| format!("{} | {} | {}", one.arrived, one.with_description, one.by_name);
        out.line(format!("| {host} | {} | {} | {} |", cells(instructions), cells(hook), rest(view)))?;
    }
    Ok(())
}

fn counted(listing: &ListingView, skills: usize) -> String {
    let ListingView { sent, arrived, with_description, by_name, .. } = listing;
    if *arrived == 0 {
        return "the host has none for its model".to_owned();
    }
    format!(
        "{arrived} of {sent} characters; {with_description} of {skills} skills with description, {by_name} by name only"
    )
}

/// How a model finds the skills that it does not read of.
fn rest(view: &HostView) -> String {
    let has = |name: &str| view.tools.iter().any(|tool| tool.name == name);
    let is_whole = view.instructions.with_description >= view.skills && view.is_whole();
    match (is_whole, has("discover_skills")) {
        (true, _) => "nothing is missing".to_owned(),
        (false, true) if view.instructions.arrived == 0 => {
            "discover_skills; its description and the first result say when".to_owned()
        }
        (false, true) => "discover_skills".to_owned(),
        (false, false) => "the session has no search".to_owned(),
    }
}
