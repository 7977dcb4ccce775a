//! `skillmount skills`

use clap::{Args, Subcommand};

use super::super::{
    app::App,
    output::{Output, note},
    screen::{Cell, LastColumn, Screen, Table},
};
use crate::{
    error::Result,
    limits::SEARCH_RESULTS,
    skill::{
        Severity,
        shown::{block, one_line},
    },
    wire::{
        DiscoverReply, DiscoverRequest, Invoker, LoadSkillRequest, LoadStatus, SkillDiagnostic, SkillFile, SkillList,
        SkillPage, UnloadSkillRequest, UnloadStatus,
    },
};

/// Warnings of which each has a line; of more there is a count.
const SHOWN_WARNINGS: usize = 3;

#[derive(Debug, Args)]
pub(in super::super) struct Skills {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List the user's skills, and say what is wrong with those left out
    #[command(after_help = "\
Examples:
  skillmount skills list
  skillmount skills list --category escrituras
  skillmount skills list --json | jq -r '.skills[].skill'")]
    #[command(alias = "ls")]
    List {
        /// Only this category and those below it
        #[arg(long)]
        category: Option<String>,
        /// Ask the store now, however young what is known may be
        #[arg(long)]
        fresh: bool,
    },
    /// Show one skill: what it says of itself, its instructions and files
    #[command(after_help = "\
Examples:
  skillmount skills show escrituras/compraventa
  skillmount skills show compraventa")]
    Show {
        /// A skill path, a folder name or the name in its frontmatter
        skill: String,
    },
    /// Find skills for a task, best first
    #[command(aliases = ["search", "find"])]
    Discover(Discover),
    /// Load a skill into the session: its files appear below /skills
    #[command(after_help = "\
Examples:
  skillmount skills load escrituras/compraventa
  skillmount skills load compraventa --as venta        appears as /skills/venta
  skillmount skills load review --arguments 'src/main.rs strict'")]
    Load {
        /// A skill path, a folder name or the name in its frontmatter
        skill: String,
        /// Another name for its folder
        #[arg(long = "as", value_name = "NAME")]
        mount_as: Option<String>,
        /// Arguments for the parameters of its instructions
        #[arg(long, value_name = "TEXT")]
        arguments: Option<String>,
        /// A published version to load in place of what the skill is now
        #[arg(long, value_name = "DIGEST")]
        digest: Option<String>,
        /// Who calls it: authors can keep a skill to people, or to models
        #[arg(long, value_enum, value_name = "WHO", default_value_t = Invoker::Person)]
        invoker: Invoker,
    },
    /// Hide a loaded skill again
    #[command(after_help = "\
Examples:
  skillmount skills unload compraventa")]
    Unload {
        /// A skill path, a folder name or the name in its frontmatter
        skill: String,
    },
}

/// Finding skills, which is a command of its own too.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  skillmount skills discover 'sale of a flat with a mortgage'
  skillmount skills discover contract --category escrituras --limit 3
  skillmount skills discover contract --json | jq -r '.skills[].skill'
  skillmount search contract                          the same, in fewer words")]
pub(in super::super) struct Discover {
    /// What the skills should be for: a sentence or a few words
    query: String,
    /// Only this category and those below it
    #[arg(long)]
    category: Option<String>,
    /// Only skills whose frontmatter names this level
    #[arg(long)]
    level: Option<String>,
    /// How many to show at most
    #[arg(long, value_name = "COUNT", default_value_t = SEARCH_RESULTS)]
    limit: usize,
}

impl Discover {
    pub(in super::super) async fn run(self, app: &App) -> Result<()> {
        let Self { query, category, level, limit } = self;
        let request = DiscoverRequest { query, category, level, limit };
        let reply = app.backend().await?.discover_skills(request).await?;
        app.out.reply(&reply, discovered)
    }
}

impl Skills {
    pub(in super::super) async fn run(self, app: &App) -> Result<()> {
        match self.action {
            Action::List { category, fresh } => list(app, category, fresh).await,
            Action::Show { skill } => app.out.reply(&app.control().await?.skill(&skill).await?, show),
            Action::Discover(discover) => discover.run(app).await,
            Action::Load { skill, mount_as, arguments, digest, invoker } => {
                load(app, LoadSkillRequest { skill, mount_as, arguments, digest, invoker }).await
            }
            Action::Unload { skill } => unload(app, UnloadSkillRequest { skill }).await,
        }
    }
}

async fn unload(app: &App, request: UnloadSkillRequest) -> Result<()> {
    let reply = app.backend().await?.unload_skill(request).await?;
    app.out.reply(&reply, |out, reply| {
        let skill = one_line(&reply.skill);
        match reply.status {
            UnloadStatus::Unloaded => out.line(format_args!("unloaded {}", skill.plain())),
            UnloadStatus::NotLoaded => out.line(format_args!("{} is not loaded", skill.plain())),
        }
    })
}

async fn load(app: &App, request: LoadSkillRequest) -> Result<()> {
    let reply = app.backend().await?.load_skill(request).await?;
    app.out.reply(&reply, |out, reply| {
        let what = match reply.status {
            LoadStatus::Loaded => "loaded",
            LoadStatus::AlreadyLoaded => "already loaded:",
            LoadStatus::Reloaded => "loaded again, it had changed:",
        };
        let (skill, mount) = (one_line(&reply.skill), one_line(&reply.mount));
        out.line(format_args!("{what} {} as {}", skill.plain(), mount.plain()))?;
        out.table(&files(out.screen(), &reply.files))?;
        for parameter in reply.parameters.iter().filter(|parameter| parameter.required && parameter.value.is_none()) {
            let what = parameter.description.as_deref().map(one_line);
            let what = what.map(|what| format!(" ({})", what.plain())).unwrap_or_default();
            let name = one_line(&parameter.name);
            note(format_args!("the parameter {}{what} has no value yet; give it with --arguments", name.plain()));
        }
        Ok(())
    })
}

fn discovered(out: &Output, reply: &DiscoverReply) -> Result<()> {
    let mut table = Table::new(LastColumn::Cut);
    for found in &reply.skills {
        let (skill, description) = (one_line(&found.skill), one_line(&found.description));
        table.row([Cell::number(format!("{:.2}", found.score)), skill.plain().into(), description.plain().into()]);
    }
    out.table(&table)?;
    match (reply.skills.len(), reply.total) {
        (0, _) => note("no skill fits; ask in other words, or see them all with `skillmount skills list`"),
        (shown, total) if shown < total => {
            note(format_args!("the best {shown} of {total}; --limit shows more, and a narrower question fewer"));
        }
        _ => note("`skillmount skills load SKILL` makes one visible to the session"),
    }
    Ok(())
}

async fn list(app: &App, category: Option<String>, fresh: bool) -> Result<()> {
    let reply = app.control().await?.skills(category.clone(), fresh).await?;
    let user = app.user()?;
    app.out.reply(&reply, |out, reply| {
        let SkillList { skills, diagnostics, .. } = reply;
        let mut table = Table::new(LastColumn::Cut);
        for skill in skills {
            let (path, description) = (one_line(&skill.skill), one_line(&skill.description));
            table.row([path.plain().into(), description.plain().into()]);
        }
        out.table(&table)?;
        findings(diagnostics);
        if skills.is_empty() {
            match category {
                Some(category) => note(format_args!(
                    "user {user} has no skills in the category {category}; `skillmount skills list` shows all"
                )),
                None => note(format_args!(
                    "user {user} has no skills yet; `skillmount push DIR` puts folders of skills here, and \
                     `skillmount new NAME` begins one"
                )),
            }
        }
        Ok(())
    })
}

/// Says what is wrong: each error, for it leaves a skill out, and of many warnings how many there are.
fn findings(found: &[SkillDiagnostic]) {
    let (errors, warnings): (Vec<_>, Vec<_>) =
        found.iter().partition(|found| found.diagnostic.severity == Severity::Error);
    let shown = if warnings.len() > SHOWN_WARNINGS { &[] } else { &*warnings };
    for SkillDiagnostic { skill, diagnostic } in errors.iter().chain(shown) {
        let (skill, message) = (one_line(skill), one_line(&diagnostic.message));
        note(format_args!("{} {}: {}", diagnostic.severity, skill.plain(), message.plain()));
    }
    if warnings.len() > shown.len() {
        note(format_args!("{} warnings; `skillmount skills list --json` holds them", warnings.len()));
    }
}

fn show(out: &Output, page: &SkillPage) -> Result<()> {
    let skill = &page.skill;
    let [path, name, description] = [&skill.skill, &skill.name, &skill.description].map(|text| one_line(text));
    let facts = [
        ("skill", path.plain().to_owned()),
        ("name", name.plain().to_owned()),
        ("description", description.plain().to_owned()),
        ("layer", skill.layer.to_string()),
        ("size", out.screen().size(skill.size)),
        ("updated_at", skill.updated_at.to_string()),
    ];
    let mut table = Table::new(LastColumn::Wrapped);
    for (name, fact) in facts {
        table.row([name.into(), fact.into()]);
    }
    out.table(&table)?;
    out.table(&files(out.screen(), &page.file_list))?;
    out.line("")?;
    out.bytes(block(&page.body).plain().as_bytes())
}

/// The files of a skill with their sizes.
fn files(screen: Screen, files: &[SkillFile]) -> Table {
    let mut table = Table::new(LastColumn::Whole);
    for file in files {
        table.row([Cell::number(screen.size(file.size)), one_line(&file.path).plain().into()]);
    }
    table
}
