//! `skillmount skills`

use std::fmt::Display;

use clap::{Args, Subcommand};

use super::super::{
    app::App,
    output::{Output, note, shortened},
};
use crate::{
    error::Result,
    limits::SEARCH_RESULTS,
    path::SkillPath,
    skill::shown::{block, one_line},
    wire::{
        DiscoverReply, DiscoverRequest, Invoker, LoadSkillRequest, LoadStatus, SkillDiagnostic, SkillList, SkillPage,
        UnloadSkillRequest, UnloadStatus,
    },
};

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
  skillmount skills show escrituras/compraventa")]
    Show {
        /// Its path, as the list shows it
        skill: String,
    },
    /// Find skills for a task, best first
    #[command(after_help = "\
Examples:
  skillmount skills discover 'sale of a flat with a mortgage'
  skillmount skills discover contract --category escrituras --limit 3
  skillmount skills discover contract --json | jq -r '.skills[].skill'")]
    Discover {
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
    },
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

impl Skills {
    pub(in super::super) async fn run(self, app: &App) -> Result<()> {
        match self.action {
            Action::List { category, fresh } => {
                let reply = app.control().await?.skills(category, fresh).await?;
                app.out.reply(&reply, list)
            }
            Action::Show { skill } => {
                let reply = app.control().await?.skill(&SkillPath::parse(&skill)?).await?;
                app.out.reply(&reply, show)
            }
            Action::Discover { query, category, level, limit } => {
                let request = DiscoverRequest { query, category, level, limit };
                let reply = app.backend().await?.discover_skills(request).await?;
                app.out.reply(&reply, discovered)
            }
            Action::Load { skill, mount_as, arguments, digest, invoker } => {
                load(app, LoadSkillRequest { skill, mount_as, arguments, digest, invoker }).await
            }
            Action::Unload { skill } => {
                let reply = app.backend().await?.unload_skill(UnloadSkillRequest { skill }).await?;
                app.out.reply(&reply, |out, reply| {
                    let skill = one_line(&reply.skill);
                    match reply.status {
                        UnloadStatus::Unloaded => out.line(format_args!("unloaded {}", skill.plain())),
                        UnloadStatus::NotLoaded => out.line(format_args!("{} is not loaded", skill.plain())),
                    }
                })
            }
        }
    }
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
        for file in &reply.files {
            out.line(format_args!("{:>10}  {}", file.size, one_line(&file.path).plain()))?;
        }
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
    for found in &reply.skills {
        let (skill, description) = (one_line(&found.skill), one_line(&found.description));
        let description = shortened(description.plain());
        out.line(format_args!("{:.2}  {:<32} {description}", found.score, skill.plain()))?;
    }
    note(one_line(&reply.message).plain());
    Ok(())
}

fn list(out: &Output, reply: &SkillList) -> Result<()> {
    for skill in &reply.skills {
        let (path, description) = (one_line(&skill.skill), one_line(&skill.description));
        out.line(format_args!("{:<32} {}", path.plain(), shortened(description.plain())))?;
    }
    for SkillDiagnostic { skill, diagnostic } in &reply.diagnostics {
        let (skill, message) = (one_line(skill), one_line(&diagnostic.message));
        note(format_args!("{} {}: {}", diagnostic.severity, skill.plain(), message.plain()));
    }
    Ok(())
}

fn show(out: &Output, page: &SkillPage) -> Result<()> {
    let skill = &page.skill;
    let [path, name, description] = [&skill.skill, &skill.name, &skill.description].map(|text| one_line(text));
    let facts: [(&str, &dyn Display); 6] = [
        ("skill", &path.plain()),
        ("name", &name.plain()),
        ("description", &description.plain()),
        ("layer", &skill.layer),
        ("size", &skill.size),
        ("updated_at", &skill.updated_at),
    ];
    for (name, fact) in facts {
        out.line(format_args!("{name:<12} {fact}"))?;
    }
    for file in &page.file_list {
        out.line(format_args!("{:>10}  {}", file.size, one_line(&file.path).plain()))?;
    }
    out.line("")?;
    out.bytes(block(&page.body).plain().as_bytes())
}
