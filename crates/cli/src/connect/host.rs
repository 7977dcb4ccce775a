//! The hosts that can be connected, with the place and the form of their configuration.

use std::path::PathBuf;

use clap::ValueEnum;

use crate::{error::Result, process::Process};

/// A program that agents run in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Host {
    /// Claude Code, for all projects
    ClaudeCode,
    /// Claude Desktop
    ClaudeDesktop,
    /// Cursor, for all projects
    Cursor,
    /// Visual Studio Code, for your profile
    Vscode,
    /// Codex
    Codex,
    /// goose
    Goose,
}

/// How a host writes down which servers it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConfigForm {
    /// JSON: servers in the member of this name, which say that they are programs if `is_typed`.
    Json { member: &'static str, is_typed: bool },
    /// TOML with a table for each server.
    Toml,
    /// YAML with servers among other extensions.
    Yaml,
}

impl Host {
    /// The name that it has on the command line.
    pub(crate) fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    pub(super) const fn form(self) -> ConfigForm {
        match self {
            Self::ClaudeCode | Self::ClaudeDesktop | Self::Cursor => {
                ConfigForm::Json { member: "mcpServers", is_typed: false }
            }
            Self::Vscode => ConfigForm::Json { member: "servers", is_typed: true },
            Self::Codex => ConfigForm::Toml,
            Self::Goose => ConfigForm::Yaml,
        }
    }

    /// Its configuration file, which may not be there.
    ///
    /// # Errors
    /// `invalid_request` if this account has no home folder.
    pub(crate) fn file(self, process: &Process) -> Result<PathBuf> {
        let nowhere = || invalid!("this account has no home folder: set HOME, or use --print");
        let home = process.folders.home.clone().ok_or_else(nowhere)?;
        let settings = process.folders.config.as_ref().ok_or_else(nowhere)?;
        // A variable of the host may name another folder than its usual one.
        let chosen = |variable| process.path_variable(variable).map(|folder| process.current_dir.join(folder));
        Ok(match self {
            // https://code.claude.com/docs/en/settings, https://developers.openai.com/codex/config-advanced
            Self::ClaudeCode => chosen("CLAUDE_CONFIG_DIR").unwrap_or(home).join(".claude.json"),
            Self::ClaudeDesktop => settings.join("Claude/claude_desktop_config.json"),
            Self::Cursor => home.join(".cursor/mcp.json"),
            Self::Vscode => settings.join("Code/User/mcp.json"),
            Self::Codex => chosen("CODEX_HOME").unwrap_or_else(|| home.join(".codex")).join("config.toml"),
            Self::Goose if cfg!(target_os = "macos") => home.join(".config/goose/config.yaml"),
            Self::Goose => settings.join("goose/config.yaml"),
        })
    }
}
