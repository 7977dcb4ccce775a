//! The arguments that a person can type: the flags that every command takes, and the list of commands.

use std::path::PathBuf;

use clap::{ArgAction, Args, Command, CommandFactory as _, Parser, Subcommand};
use secrecy::{ExposeSecret as _, SecretString};

use crate::{
    app::App, commands, deprecated::with_earlier_flags, error::Result, output::Detail, settings::Setting,
    status::ExitStatus, store::StoreAddress, wire::MoveRequest,
};

/// A small file system over S3 for agents: each session sees only the skills it has loaded.
#[derive(Debug, Parser)]
#[command(
    name = "skillmount",
    version,
    propagate_version = true,
    max_term_width = 100,
    after_help = "\
A first session, on a store in your data folder:
  skillmount push ./my-skills             publish your skills
  skillmount prompt                       print what an agent reads about them
  skillmount skills load NAME             load one: its files appear below /skills
  skillmount ls /skills                   list them as the agent sees them

Every flag above can be set as SKILLMOUNT_<FLAG> or in skillmount.toml;
`skillmount config show` says where each value comes from.
`skillmount man` prints the manual, and `skillmount completions --help` says how a shell completes
skills and sessions.
Exit status: 0 done, 1 grep found nothing, fsck something wrong or test a question that fails
(or a bug, which it says), 2 wrong input, 3 done in part (push refused some skills, or pull --merge
left conflicts), 4 not allowed, 5 not found, 6 conflict, 7 too much or not available."
)]
pub(super) struct Cli {
    #[command(flatten)]
    pub(super) global: GlobalArgs,
    #[command(subcommand)]
    pub(super) command: CliCommand,
}

/// Flags that every command takes, before or after its name.
#[derive(Debug, Args)]
#[command(next_help_heading = "Where and who")]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own on the command line")]
pub(super) struct GlobalArgs {
    #[arg(
        long,
        global = true,
        value_name = "STORE",
        conflicts_with = "server",
        help = format!("Where objects lie: {} [default: file: in your data folder]", StoreAddress::FORMS)
    )]
    store: Option<String>,
    /// Speak to a running service instead of a store
    #[arg(long, global = true, value_name = "URL")]
    server: Option<String>,
    /// Whose skills and files [default: me]
    #[arg(long, global = true, value_name = "ID")]
    user: Option<String>,
    /// Which conversation [default: cli]
    #[arg(long, global = true, value_name = "ID")]
    session: Option<String>,
    /// The key to show to the server; with `serve`, the key clients must show
    #[arg(long, global = true, value_name = "KEY")]
    api_key: Option<SecretString>,
    /// Show sessions the skills of their team and of the organisation too
    #[arg(long, global = true)]
    layers: bool,
    /// Write changes of skills into the folder of skills:DIR, which is only read otherwise
    #[arg(long, global = true)]
    writable: bool,
    /// Configuration file [default: ./skillmount.toml, then the one in your configuration folder]
    #[arg(long, global = true, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    /// Print results as JSON, and errors as problem documents on stderr
    #[arg(long, global = true, help_heading = "Output")]
    pub(super) json: bool,
    /// Print every line, and log to stderr: -v each operation, -vv also each request to the store
    #[arg(short, long, global = true, action = ArgAction::Count, help_heading = "Output")]
    pub(super) verbose: u8,
    /// Print results and errors alone, without remarks
    #[arg(short, long, global = true, conflicts_with = "verbose", help_heading = "Output")]
    pub(super) quiet: bool,
    /// S3: endpoint, for anything that is not AWS
    #[arg(long, global = true, value_name = "URL", help_heading = "S3")]
    endpoint_url: Option<String>,
    /// S3: region [default: as the AWS tools find it]
    #[arg(long, global = true, value_name = "NAME", help_heading = "S3")]
    region: Option<String>,
    /// S3: profile of the AWS configuration files
    #[arg(long, global = true, value_name = "NAME", help_heading = "S3")]
    profile: Option<String>,
    /// S3: put the bucket in the path instead of the host name
    #[arg(long, global = true, help_heading = "S3")]
    path_style: bool,
    /// S3: encrypt what is written with this KMS key
    #[arg(long, global = true, value_name = "ID", help_heading = "S3")]
    sse_kms_key_id: Option<String>,
}

impl GlobalArgs {
    /// How much is printed beside results.
    pub(super) fn detail(&self) -> Detail {
        match (self.quiet, self.verbose) {
            (true, _) => Detail::Quiet,
            (false, 0) => Detail::Usual,
            (false, _) => Detail::Every,
        }
    }

    /// The settings that were given as flags.
    pub(super) fn settings(&self) -> Vec<(Setting, String)> {
        let given = [
            (Setting::Store, &self.store),
            (Setting::Server, &self.server),
            (Setting::User, &self.user),
            (Setting::Session, &self.session),
            (Setting::EndpointUrl, &self.endpoint_url),
            (Setting::Region, &self.region),
            (Setting::Profile, &self.profile),
            (Setting::SseKmsKeyId, &self.sse_kms_key_id),
        ];
        let switches =
            [(Setting::PathStyle, self.path_style), (Setting::Layers, self.layers), (Setting::Writable, self.writable)];
        let on = switches.into_iter().filter(|(_, on)| *on).map(|(setting, _)| (setting, "true".to_owned()));
        let key = self.api_key.iter().map(|key| (Setting::ApiKey, key.expose_secret().to_owned()));
        given.into_iter().filter_map(|(setting, text)| Some((setting, text.clone()?))).chain(key).chain(on).collect()
    }
}

/// The whole command line, with earlier names.
pub(super) fn command_line() -> Command {
    with_earlier_flags(Cli::command())
}

/// The commands, in the order of a first day.
#[derive(Debug, Subcommand)]
pub(super) enum CliCommand {
    /// Serve the store over HTTP
    Serve(commands::serve::Serve),
    /// Run a session on a store of its own, and check every answer
    Demo(commands::demo::Demo),
    /// List a folder as the agent sees it
    Ls(commands::ls::Ls),
    /// Print a file
    #[command(alias = "read")]
    Cat(commands::cat::Cat),
    /// Search the contents of files
    Grep(commands::grep::Grep),
    /// Find files by name
    Glob(commands::glob::GlobArgs),
    /// Create a file
    Write(commands::write::Write),
    /// Replace text in a file
    Edit(commands::edit::Edit),
    /// Move or rename a file or folder
    #[command(aliases = ["move", "rename"])]
    Mv(MoveRequest),
    /// Delete files
    #[command(alias = "delete")]
    Rm(commands::rm::Rm),
    /// Show, list, prune and delete sessions
    #[command(subcommand, alias = "sessions")]
    Session(commands::session::SessionArgs),
    /// List the calls of agents, with caller, session and outcome
    Audit(commands::audit::Audit),
    /// List and decide calls that wait for a person's approval
    #[command(alias = "approval")]
    Approvals(commands::approvals::ApprovalsArgs),
    /// Show how agents find and use skills
    Usage(commands::usage::UsageArgs),
    /// Print what an agent reads about skills
    Prompt(commands::prompt::Prompt),
    /// Answer a hook of an agent's host, whose JSON is standard input
    Hook(commands::hook::Hook),
    /// Serve the tools of a session over MCP on standard input and output
    Mcp(commands::mcp::Mcp),
    /// Connect an agent's host, so that it starts `skillmount mcp`
    Connect(commands::connect::Connect),
    /// Write skills, hooks and tools as a plugin for an agent's host
    #[command(subcommand)]
    Plugin(commands::plugin::Plugin),
    /// List, show, discover, load and unload skills
    #[command(subcommand, alias = "skill")]
    Skills(commands::skills::Skills),
    /// Find skills for a task, best first
    Search(commands::discover::Discover),
    /// Show the state of the catalog, or rebuild it
    #[command(subcommand)]
    Catalog(commands::catalog::Catalog),
    /// Create a skill
    New(commands::new::New),
    /// Check that questions find the skills that they should
    Test(commands::test::Test),
    /// Check skills before they are published
    Lint(commands::lint::Lint),
    /// Publish folders of skills
    Push(commands::push::Push),
    /// Copy skills from the store into a folder
    Pull(commands::pull::Pull),
    /// Add skills from a host, a git repository or a folder
    #[command(visible_alias = "install")]
    Add(commands::add::Add),
    /// Update added skills to newer versions
    #[command(visible_alias = "upgrade")]
    Update(commands::update::Update),
    /// Add an embedding model to this machine, for semantic search
    #[command(subcommand)]
    Encoder(commands::encoder::EncoderArgs),
    /// List, export and delete users
    #[command(subcommand, alias = "users")]
    User(commands::user::UserArgs),
    /// Check what the service keeps in the store, and repair it
    Fsck(commands::fsck::Fsck),
    /// Find out why something does not work
    Doctor(commands::doctor::Doctor),
    /// Show the configuration
    #[command(subcommand)]
    Config(commands::config::Config),
    /// Print a completion script for a shell
    Completions(commands::completions::Completions),
    /// Print the manual page, or write those of all commands
    Man(commands::man::Man),
    /// Print the description of the HTTP interface (OpenAPI 3.1)
    Openapi(commands::openapi::Openapi),
    /// Create a link by which installers fetch the user's skills
    Share(commands::share::ShareArgs),
    /// The earlier name of `share`
    #[command(hide = true)]
    Link(commands::share::ShareArgs),
    /// Create, list and revoke keys for clients of the service
    #[command(subcommand)]
    Keys(commands::keys::KeysArgs),
}

impl CliCommand {
    /// Runs the command.
    pub(super) async fn run(self, app: &App) -> Result<ExitStatus> {
        let outcome = match self {
            Self::Grep(command) => return command.run(app).await,
            Self::Test(command) => return command.run(app).await,
            Self::Fsck(command) => return command.run(app).await,
            Self::Serve(command) => command.run(app).await,
            Self::Demo(command) => command.run(app).await,
            Self::Ls(command) => command.run(app).await,
            Self::Cat(command) => command.run(app).await,
            Self::Glob(command) => command.run(app).await,
            Self::Write(command) => command.run(app).await,
            Self::Edit(command) => command.run(app).await,
            Self::Mv(request) => app.out.of_operation(&app.backend().await?.move_path(request).await?),
            Self::Rm(command) => command.run(app).await,
            Self::Session(command) => command.run(app).await,
            Self::Audit(command) => command.run(app).await,
            Self::Approvals(command) => command.run(app).await,
            Self::Usage(command) => command.run(app).await,
            Self::Prompt(command) => command.run(app).await,
            Self::Hook(command) => command.run(app).await,
            Self::Mcp(command) => command.run(app).await,
            Self::Connect(command) => command.run(app),
            Self::Plugin(command) => command.run(app).await,
            Self::Skills(command) => command.run(app).await,
            Self::Search(command) => command.run(app).await,
            Self::Catalog(command) => command.run(app).await,
            Self::New(command) => command.run(app),
            Self::Lint(command) => command.run(app).await,
            Self::Push(command) => command.run(app).await,
            Self::Pull(command) => command.run(app).await,
            Self::Add(command) => command.run(app).await,
            Self::Update(command) => command.run(app).await,
            Self::Encoder(command) => command.run(app).await,
            Self::User(command) => command.run(app).await,
            Self::Doctor(command) => command.run(app).await,
            Self::Config(command) => command.run(app),
            Self::Completions(command) => command.run(app),
            Self::Man(command) => command.run(app, command_line()),
            Self::Openapi(command) => command.run(app),
            Self::Keys(command) => command.run(app),
            Self::Share(command) | Self::Link(command) => command.run(app),
        };
        outcome.map(|()| ExitStatus::Done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commands_are_well_formed() {
        command_line().debug_assert();
    }

    #[test]
    fn a_flag_counts_wherever_it_stands() {
        for line in [["skillmount", "--user", "u1", "ls"], ["skillmount", "ls", "--user", "u1"]] {
            let cli = Cli::try_parse_from(line).unwrap();
            assert_eq!(cli.global.settings(), [(Setting::User, "u1".to_owned())]);
        }
    }
}
