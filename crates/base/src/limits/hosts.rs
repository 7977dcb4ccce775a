//! The limits of each host: how much of an answer reaches its model.
//!
//! Read in the documentation and the source of the hosts in November 2026. A host changes without notice, so a row is a
//! measured size and no promise of the host. The MCP server picks a row by the name that the client gives itself. Rows decide
//! sizes and forms alone, never rights.

/// The limits of one host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostLimits {
    /// The name of the host in settings, on the command line and in the documentation.
    pub name: &'static str,
    /// The names that its client gives itself at `initialize`, in lower case.
    pub client_names: &'static [&'static str],
    /// Characters of a server's instructions that reach the model; 0 if the host drops them.
    pub instruction_chars: usize,
    /// Characters of a tool's description.
    pub description_chars: usize,
    /// Characters of a tool's name, with the prefix that the host adds.
    pub tool_name_chars: usize,
    /// Tools of all servers together.
    pub tools: usize,
    /// Bytes of the input schema of one tool.
    pub schema_bytes: usize,
    /// Bytes of one result that the service sends. The host passes on as much without a cut.
    pub result_bytes: usize,
    /// Whether the host reads only the first page of tools and prompts.
    pub reads_first_page: bool,
    /// Characters, and bytes, of the context of one hook answer; 0 if the host asks no hook.
    pub hook_chars: usize,
    /// Seconds that the host waits for the result of a call.
    pub call_seconds: u64,
    /// Where the figures come from.
    pub source: &'static str,
}

/// A host that is not in the table, and a client that does not name itself.
pub const UNKNOWN_HOST: HostLimits = HostLimits {
    name: "unknown",
    client_names: &[],
    instruction_chars: 2048,
    description_chars: 2048,
    tool_name_chars: 64,
    tools: 80,
    schema_bytes: 16_384,
    result_bytes: 36_000,
    reads_first_page: false,
    hook_chars: 10_000,
    call_seconds: 60,
    source: "sizes that most hosts pass on whole",
};

/// Every host with limits of its own. Figures that were not found are those of [`UNKNOWN_HOST`].
pub const HOSTS: &[HostLimits] = &[
    HostLimits {
        name: "claude-code",
        client_names: &["claude-code", "claude code"],
        call_seconds: 300,
        source: "Claude Code documentation: mcp, hooks; issue 81268 of anthropics/claude-code",
        ..UNKNOWN_HOST
    },
    HostLimits {
        name: "claude-desktop",
        client_names: &["claude-ai", "claude-desktop", "claude"],
        instruction_chars: 0,
        hook_chars: 0,
        call_seconds: 240,
        source: "issues 93 of anthropics/claude-ai-mcp, 77296 and 64614 of anthropics/claude-code",
        ..UNKNOWN_HOST
    },
    HostLimits {
        name: "codex",
        client_names: &["codex-mcp-client", "codex"],
        source: "openai/codex: codex-mcp/rmcp_client.rs, hooks/output_spill.rs, tools.rs",
        ..UNKNOWN_HOST
    },
    HostLimits {
        name: "gemini-cli",
        client_names: &["gemini-cli-mcp-client", "gemini-cli"],
        tool_name_chars: 63,
        reads_first_page: true,
        call_seconds: 600,
        source: "google-gemini/gemini-cli: mcp-client.ts, mcp-tool.ts, tool-executor.ts",
        ..UNKNOWN_HOST
    },
    HostLimits {
        name: "vscode",
        client_names: &["visual studio code", "visual studio code - insiders", "vscode", "github copilot"],
        result_bytes: 8000,
        tools: 128,
        source: "microsoft/vscode-copilot-chat: toolCalling.tsx, toolSchemaNormalizer.ts",
        ..UNKNOWN_HOST
    },
    HostLimits {
        name: "cursor",
        client_names: &["cursor", "cursor-vscode"],
        tool_name_chars: 59,
        tools: 40,
        source: "issues 2788 of ComposioHQ/composio and 77 of Snowflake-Labs/mcp",
        ..UNKNOWN_HOST
    },
    HostLimits {
        name: "windsurf",
        client_names: &["windsurf", "windsurf-client"],
        tools: 100,
        hook_chars: 0,
        source: "Windsurf documentation: cascade/mcp",
        ..UNKNOWN_HOST
    },
    HostLimits {
        name: "cline",
        client_names: &["cline"],
        instruction_chars: 0,
        reads_first_page: true,
        source: "cline/cline: name-transform.ts, McpHub.ts, hook-factory.ts",
        ..UNKNOWN_HOST
    },
    HostLimits {
        name: "goose",
        client_names: &["goose", "goose-desktop", "goose-cli"],
        hook_chars: 0,
        call_seconds: 300,
        source: "block/goose: mcp_client.rs, large_response_handler.rs",
        ..UNKNOWN_HOST
    },
    HostLimits {
        name: "zed",
        client_names: &["zed"],
        instruction_chars: 0,
        reads_first_page: true,
        hook_chars: 0,
        source: "zed-industries/zed: crates/agent",
        ..UNKNOWN_HOST
    },
    HostLimits {
        name: "pydantic-ai",
        client_names: &["pydantic-ai"],
        instruction_chars: 0,
        hook_chars: 0,
        call_seconds: 300,
        source: "pydantic/pydantic-ai: include_instructions is off by default",
        ..UNKNOWN_HOST
    },
    HostLimits {
        name: "openai-agents",
        client_names: &["openai-agents", "openai-agents-mcp"],
        instruction_chars: 0,
        hook_chars: 0,
        call_seconds: 5,
        source: "openai/openai-agents-python: a session waits for 5 seconds by default",
        ..UNKNOWN_HOST
    },
    HostLimits {
        name: "google-adk",
        client_names: &["google-adk"],
        instruction_chars: 0,
        reads_first_page: true,
        hook_chars: 0,
        call_seconds: 5,
        source: "google/adk-python 2.13",
        ..UNKNOWN_HOST
    },
];

impl HostLimits {
    /// The row of the client that gives itself this name at `initialize`; [`UNKNOWN_HOST`] for a name outside the table.
    #[must_use]
    pub fn of_client(client: &str) -> &'static Self {
        let client = client.trim().to_lowercase();
        HOSTS.iter().find(|host| host.client_names.contains(&client.as_str())).unwrap_or(&UNKNOWN_HOST)
    }

    /// The row with this name in settings.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        HOSTS.iter().chain([&UNKNOWN_HOST]).find(|host| host.name == name)
    }
}
