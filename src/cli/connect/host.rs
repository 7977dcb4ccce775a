//! The hosts that can be connected: where each has its configuration, and in which form.

use std::{
    env,
    path::{Path, PathBuf},
};

use clap::ValueEnum;

use crate::error::{Code, Error, Result};

/// A program that agents run in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum Host {
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
pub(super) enum Form {
    /// JSON: servers in the member of this name, which say that they are programs if `is_typed`.
    Json { member: &'static str, is_typed: bool },
    /// TOML with a table for each server.
    Toml,
    /// YAML with servers among other extensions.
    Yaml,
}

impl Host {
    /// The name that it has on the command line.
    pub(in crate::cli) fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    pub(super) const fn form(self) -> Form {
        match self {
            Self::ClaudeCode | Self::ClaudeDesktop | Self::Cursor => {
                Form::Json { member: "mcpServers", is_typed: false }
            }
            Self::Vscode => Form::Json { member: "servers", is_typed: true },
            Self::Codex => Form::Toml,
            Self::Goose => Form::Yaml,
        }
    }

    /// Its configuration file, which may not be there.
    ///
    /// # Errors
    /// `invalid_request` if this account has no home folder.
    pub(in crate::cli) fn file(self) -> Result<PathBuf> {
        let nowhere = || Error::new(Code::InvalidRequest, "this account has no home folder: set HOME, or use --print");
        let home = dirs::home_dir().ok_or_else(nowhere)?;
        let settings = dirs::config_dir().ok_or_else(nowhere)?;
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

/// The folder that a variable of the host names instead of its usual one.
fn chosen(variable: &str) -> Option<PathBuf> {
    env::var_os(variable).map(PathBuf::from).filter(|folder| folder.as_path() != Path::new(""))
}
