//! `skillmount skills`

use std::collections::BTreeMap;

use anstyle::{AnsiColor, Style};
use clap::Subcommand;

use super::{
    discover::Discover,
    versions::{Diff, History, Move, Remove, Rollback},
};
use crate::{
    app::App,
    counts::counted,
    error::Result,
    findings::at_file,
    output::Output,
    screen::{Cell, LastColumn, plain},
    shell::quoted,
    skill::{Diagnostic, MAIN, Severity, shown::block},
    wire::{
        Invoker, ListedState, LoadSkillRequest, LoadStatus, SkillDiagnostic, SkillDocument, SkillFile, SkillList,
        SkillPage, UnloadSkillRequest, UnloadStatus,
    },
};

/// The style of a warning.
const WARNING: Style = AnsiColor::Yellow.on_default();

#[derive(Debug, Subcommand)]
pub(crate) enum Skills {
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
    /// Show one skill: its frontmatter, instructions and files
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
        /// A published version to load, in place of the newest
        #[arg(long, value_name = "DIGEST")]
        digest: Option<String>,
        /// Who calls it: authors can keep a skill to people, or to models
        #[arg(long, value_enum, value_name = "WHO", default_value_t = Invoker::Person)]
        invoker: Invoker,
    },
    /// List the versions of a skill, newest first; * is the published one
    History(History),
    /// Compare two versions of a skill, as a patch
    Diff(Diff),
    /// Go back to an earlier version of a skill, also of a deleted one
    Rollback(Rollback),
    /// Delete a skill; its versions stay
    #[command(alias = "delete")]
    Rm(Remove),
    /// Move a skill to another path
    #[command(aliases = ["move", "rename"])]
    Mv(Move),
    /// Hide a loaded skill again
    #[command(after_help = "\
Examples:
  skillmount skills unload compraventa")]
    Unload {
        /// A skill path, a folder name or the name in its frontmatter
        skill: String,
    },
}

impl Skills {
    pub(crate) async fn run(self, app: &App) -> Result<()> {
        match self {
            Self::List { category, fresh } => list(app, category, fresh).await,
            Self::Show { skill } => app.out.reply(&app.control().await?.skill(&skill).await?, show),
            Self::Discover(discover) => discover.run(app).await,
            Self::Load { skill, mount_as, arguments, digest, invoker } => {
                load(app, LoadSkillRequest { mount_as, arguments, digest, invoker, ..LoadSkillRequest::new(skill) })
                    .await
            }
            Self::History(history) => history.run(app).await,
            Self::Diff(diff) => diff.run(app).await,
            Self::Rollback(rollback) => rollback.run(app).await,
            Self::Rm(remove) => remove.run(app).await,
            Self::Mv(moved) => moved.run(app).await,
            Self::Unload { skill } => unload(app, UnloadSkillRequest { skill }).await,
        }
    }
}

async fn unload(app: &App, request: UnloadSkillRequest) -> Result<()> {
    let reply = app.backend().await?.unload_skill(request).await?;
    app.out.reply(&reply, |out, reply| {
        let skill = plain(&reply.skill);
        match reply.status {
            UnloadStatus::Unloaded => out.line(format_args!("unloaded {skill}")),
            UnloadStatus::NotLoaded => out.line(format_args!("{skill} is not loaded")),
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
        out.line(format_args!("{what} {} as {}", plain(&reply.skill), plain(&reply.mount)))?;
        print_files(out, &reply.files)?;
        for parameter in reply.parameters.iter().filter(|parameter| parameter.required && parameter.value.is_none()) {
            let what = parameter.description.as_deref().map(|what| format!(" ({})", plain(what))).unwrap_or_default();
            let name = plain(&parameter.name);
            out.note(format_args!("the parameter {name}{what} has no value yet; give it with --arguments"));
        }
        Ok(())
    })
}

async fn list(app: &App, category: Option<String>, fresh: bool) -> Result<()> {
    let reply = app.control().await?.skills(category.clone(), fresh).await?;
    let user = app.user()?;
    app.out.reply(&reply, |out, reply| {
        let SkillList { skills, diagnostics, .. } = reply;
        let mut warnings: BTreeMap<&str, Vec<&Diagnostic>> = BTreeMap::new();
        for found in diagnostics.iter().filter(|found| is_warning(found)) {
            warnings.entry(&found.skill).or_default().push(&found.diagnostic);
        }
        let none = Vec::new();
        let rows = skills.iter().flat_map(|skill| rows(out, skill, warnings.get(&*skill.skill).unwrap_or(&none)));
        out.list(["SKILL", "DESCRIPTION"], LastColumn::Cut, rows)?;
        left_out(out, diagnostics);
        say_warnings(out, diagnostics);
        if skills.is_empty() {
            match category {
                Some(category) => out.note(format_args!(
                    "user {user} has no skills in the category {category}; `skillmount skills list` shows all"
                )),
                None => out.note(format_args!(
                    "user {user} has no skills yet; `skillmount push DIR` puts folders of skills here, and \
                     `skillmount new NAME` begins one"
                )),
            }
        }
        Ok(())
    })
}

/// The row of a skill, which says how many warnings it has. On a terminal each warning follows in a row of its own; a
/// script gets one row for each skill.
fn rows(out: &Output, skill: &SkillDocument, warnings: &[&Diagnostic]) -> Vec<[Cell; 2]> {
    let draft = if skill.state == ListedState::Draft { "(draft) " } else { "" };
    let mark = match warnings.len() {
        0 => String::new(),
        count => format!("({}) ", counted(count, "warning")),
    };
    let row = [plain(&skill.skill).into(), format!("{draft}{mark}{}", plain(&skill.description)).into()];
    let below = warnings.iter().filter(|_| out.screen().is_terminal).map(|one| {
        let text = format!("{}: {} [{}]", one.severity, plain(&one.message), one.code);
        [Cell::default(), Cell::from(text).styled(WARNING)]
    });
    std::iter::once(row).chain(below).collect()
}

fn is_warning(found: &SkillDiagnostic) -> bool {
    found.diagnostic.severity != Severity::Error
}

/// Names the skills that an error leaves out, each with its errors, as `lint` does.
fn left_out(out: &Output, found: &[SkillDiagnostic]) {
    let errors: Vec<_> = found.iter().filter(|one| !is_warning(one)).collect();
    for of_skill in errors.chunk_by(|one, next| one.skill == next.skill) {
        let skill = of_skill.first().map(|one| plain(&one.skill)).unwrap_or_default();
        out.note(format_args!("{skill}: left out, {}", counted(of_skill.len(), "error")));
        for SkillDiagnostic { diagnostic, .. } in of_skill {
            out.note(at_file(&format!("{skill}/{MAIN}"), diagnostic.severity, diagnostic));
        }
    }
}

/// Says how many warnings the list marks, and which command shows them whole.
fn say_warnings(out: &Output, found: &[SkillDiagnostic]) {
    let warnings: Vec<_> = found.iter().filter(|one| is_warning(one)).collect();
    let Some(first) = warnings.first() else { return };
    let is_one_skill = warnings.iter().all(|one| one.skill == first.skill);
    let target = if is_one_skill { quoted(&plain(&first.skill)) } else { "store".to_owned() };
    out.note(format_args!(
        "{}; `skillmount lint {target}` shows each with its place",
        counted(warnings.len(), "warning")
    ));
}

fn show(out: &Output, page: &SkillPage) -> Result<()> {
    let skill = &page.skill;
    let facts = [
        ("skill", plain(&skill.skill)),
        ("name", plain(&skill.name)),
        ("description", plain(&skill.description)),
        ("layer", skill.layer.to_string()),
        ("size", out.screen().size(skill.size)),
        ("updated_at", skill.updated_at.to_string()),
    ];
    out.table(LastColumn::Wrapped, facts.map(|(name, fact)| [name.into(), fact.into()]))?;
    print_files(out, &page.file_list)?;
    out.line("")?;
    out.bytes(block(&page.body).plain().as_bytes())
}

/// The files of a skill with their sizes.
fn print_files(out: &Output, files: &[SkillFile]) -> Result<()> {
    let row = |file: &SkillFile| [Cell::number(out.screen().size(file.size)), plain(&file.path).into()];
    out.table(LastColumn::Whole, files.iter().map(row))
}
