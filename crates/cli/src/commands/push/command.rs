//! The arguments of a push, and what it does once.

use std::path::PathBuf;

use clap::Args;
use futures_util::{StreamExt as _, stream};

use super::{
    local::{Candidate, PushedFolder, check_distinct, path_without_category},
    report::{PushReport, PushRow},
};
use crate::{
    app::App,
    blocking::blocking,
    client::sync::{PushOptions, PushResult, push_skill},
    each::{Run, SkillRefusal},
    error::Result,
    findings::{judge, judge_no_skill},
    folder::{Extent, LocalSkill, scan},
    limits::PARALLEL_SKILLS,
    path::SkillPath,
    transfer,
    wire::{SkillDigest, SkillRepository},
};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  skillmount push ./skills                         every folder below it that holds a SKILL.md
  skillmount push ./compraventa --into escrituras  becomes the skill escrituras/compraventa
  skillmount push ./skills --dry-run               say what would change, change nothing
  skillmount push ./skills --watch                 push what you change, until Ctrl-C
  skillmount push ./skills --quiet                 print only what was refused

Each skill that differs is published as a new version: its files are then those of the folder, and
`skillmount skills history` lists the versions before it. The file .skillmount.json in its folder says
which skill and version the folder comes from, so a folder of writing/minutes that is called minutes stays
writing/minutes without --into. A folder that lies in writing/ already is not put below writing again. A skill that another author published since stays as it is, the
exit status is 6, and `skillmount pull --merge` joins the changes; --force publishes yours.
A skill that is refused stays behind with its reason, the others are pushed, and the exit status is
that of the gravest error. A skill in which `skillmount lint` finds an error is refused too;
`lint --fix` repairs what is safe. The status is 2 if every skill is refused for wrong input, and 3
if only some are. Of more than ten skills there is a summary; --verbose lists their files.
What .gitignore, .ignore and .skillignore name is passed over, but for files of the version that the
folder comes from; so are .git, node_modules and .DS_Store. Links are not followed.")]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own on the command line")]
pub(crate) struct Push {
    /// The folder: a skill, or a folder of skills
    pub(super) dir: PathBuf,
    /// Put the skills below this category, or / for none [default: the category that a folder comes from]
    #[arg(long, value_name = "CATEGORY")]
    into: Option<String>,
    /// Say what would change and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Publish over what other authors published, too; their versions stay in the history, and a draft there is gone
    #[arg(long)]
    force: bool,
    /// Send what .gitignore, .ignore and .skillignore name, too
    #[arg(long)]
    no_ignore: bool,
    /// Where the skills come from, such as a commit: each version keeps it
    #[arg(long, value_name = "TEXT")]
    source: Option<String>,
    /// Go on: push each skill whenever its files change
    #[arg(long, conflicts_with_all = ["dry_run", "force"])]
    watch: bool,
}

impl Push {
    pub(crate) async fn run(self, app: &App) -> Result<()> {
        let author = app.author().await?;
        if self.watch {
            return self.watch(app, &*author).await;
        }
        let report = self.once(app, &*author).await?;
        if report.has_changes() {
            report.show(app, self.dry_run)?;
        }
        report.outcome()
    }

    /// Pushes everything in the folder that differs.
    pub(super) async fn once(&self, app: &App, author: &dyn SkillRepository) -> Result<PushReport> {
        let began = app.clock.uptime();
        let is_ready = |one: &Candidate| one.local.is_some() && one.judged.errors_only().is_none();
        let (sent, left): (Vec<_>, Vec<_>) = self.candidates(app).await?.into_iter().partition(is_ready);
        let locals: Vec<_> = sent.iter().filter_map(|one| one.local.as_ref()).collect();
        let run = Run::default();
        let pushed = self.send(app, author, &locals, &run).await?;
        let place = app.settings.place_flags();
        let rows = sent.iter().zip(pushed).filter_map(|(one, pushed)| Some(PushRow::from_result(one, pushed?, &place)));
        let rows = rows.chain(left.iter().filter_map(PushRow::left_behind)).collect();
        let took = app.clock.uptime().saturating_sub(began);
        Ok(PushReport::new(rows, &locals, left, took, run.stopped()))
    }

    /// Everything in the folder that is a skill or almost one.
    async fn candidates(&self, app: &App) -> Result<Vec<Candidate>> {
        let (dir, into) = (app.process.local(&self.dir), self.into.clone());
        let extent = if self.no_ignore { Extent::Everything } else { Extent::NotIgnored };
        blocking(move || {
            let mut scanned = scan(&dir, into.as_deref(), extent)?;
            if into.is_none() {
                scanned.skills.iter_mut().for_each(|local| local.skill = path_without_category(local));
            }
            check_distinct(&scanned.skills)?;
            let none = scanned.no_skills.iter().map(|one| Candidate { local: None, judged: judge_no_skill(one) });
            let skills = scanned.skills.into_iter().map(|local| {
                let judged = judge(&local);
                Candidate { local: Some(local), judged }
            });
            Ok(none.chain(skills).collect())
        })
        .await
    }

    /// Pushes the skills, some at a time, with one bar for all of them. The outcomes come in the order of the skills;
    /// `None` if the run stopped before a skill was done.
    async fn send(
        &self,
        app: &App,
        author: &dyn SkillRepository,
        locals: &[&LocalSkill],
        run: &Run,
    ) -> Result<Vec<Option<Result<PushResult, SkillRefusal>>>> {
        let options = PushOptions { force: self.force, dry_run: self.dry_run, source: self.source.clone() };
        let known = match locals {
            [] => return Ok(Vec::new()),
            [one] => author.skill_digests(Some(&one.skill)).await?,
            _ => author.skill_digests(None).await?,
        };
        let bar = transfer::progress(&app.out, locals.len(), "skills");
        let push = async |local: &LocalSkill| {
            let mut folder = PushedFolder { app, local };
            let there = match known.find(&local.skill) {
                None if known.is_cut => one(author, &local.skill).await?,
                listed => listed.cloned(),
            };
            push_skill(author, &local.skill, &mut folder, there.as_ref(), &options).await
        };
        let work = locals.iter().map(|local| async {
            let pushed = run.on_one(push(local)).await;
            bar.inc(1);
            pushed
        });
        let work: Vec<_> = work.collect();
        let pushed = stream::iter(work).buffered(PARALLEL_SKILLS).collect().await;
        bar.finish_and_clear();
        Ok(pushed)
    }
}

/// One skill by itself, for the listing of all of them was cut.
async fn one(author: &dyn SkillRepository, skill: &SkillPath) -> Result<Option<SkillDigest>> {
    Ok(author.skill_digests(Some(skill)).await?.skills.pop())
}
