//! `skillmount test`

mod questions;
mod report;

use std::{path::PathBuf, sync::Arc};

use clap::{Args, ValueEnum};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use self::{
    questions::{TEMPLATE, TestQuestion, read},
    report::{Missing, TestAnswer, TestReport},
};
use crate::{
    app::App,
    blocking::blocking,
    error::{Code, Error, Result},
    findings::read as read_main,
    folder::{Extent, LocalSkill, scan},
    handle::{OpenStore, ServiceOptions},
    input,
    limits::{PARALLEL_QUESTIONS, QUESTIONS_BYTES},
    status::ExitStatus,
    transfer,
    wire::{BackendProtocol, DiscoverRequest, DiscoveredSkill},
};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  skillmount test --init > questions.yaml          a file to begin with
  skillmount test questions.yaml                   ask them of the skills in the store
  skillmount test questions.yaml --skills ./skills  of a folder on this machine, before it is pushed
  skillmount --server http://127.0.0.1:8787 test questions.yaml
  skillmount test questions.yaml --format junit > search.xml
  skillmount test questions.yaml --json | jq '.questions[] | select(.passed | not)'

The exit status is 1 if a question does not find its skills. The session does not remember these searches.")]
pub(crate) struct Test {
    /// The questions, as YAML or JSON; `-` for standard input
    #[arg(required_unless_present = "init")]
    file: Option<PathBuf>,
    /// Ask a folder of skills on this machine, in place of a store or a server
    #[arg(long, value_name = "DIR")]
    skills: Option<PathBuf>,
    /// How results are written: for people, as with --json, or as `JUnit` XML for build servers
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Print a file of questions to begin with, and ask nothing
    #[arg(long, conflicts_with_all = ["file", "skills", "format"])]
    init: bool,
}

/// How results are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
    Junit,
}

impl Test {
    pub(crate) async fn run(self, app: &App) -> Result<ExitStatus> {
        let Some(file) = self.file.as_deref().filter(|_| !self.init) else {
            return app.out.bytes(TEMPLATE.as_bytes()).map(|()| ExitStatus::Done);
        };
        if app.out.is_json() && self.format.is_some() {
            return Err(invalid!("--json says already how results are written: leave it out, or --format"));
        }
        let text = input::text(app, None, Some(file))?;
        if text.len() > QUESTIONS_BYTES {
            let message =
                format!("{} is over {} MiB; split it into several files", file.display(), QUESTIONS_BYTES >> 20);
            return Err(Error::new(Code::FileTooLarge, message));
        }
        let questions =
            read(&text).map_err(|why| Error::new(why.code(), format!("{}: {}", file.display(), why.message())))?;
        let backend = match self.skills {
            Some(folder) => local(app, folder).await?,
            None => app.finder().await?,
        };
        let report = TestReport::from_answers(file, answers(app, &*backend, questions).await?);
        match self.format {
            None => app.out.reply(&report, |out, report| report.print(out))?,
            Some(Format::Text) => report.print(&app.out)?,
            Some(Format::Json) => app.out.document(&report)?,
            Some(Format::Junit) => app.out.bytes(report.junit()?.as_bytes())?,
        }
        Ok(if report.failed == 0 { ExitStatus::Done } else { ExitStatus::FoundWrong })
    }
}

/// The answers to all questions, in their order.
async fn answers(app: &App, backend: &dyn BackendProtocol, questions: Vec<TestQuestion>) -> Result<Vec<TestAnswer>> {
    let bar = transfer::progress(&app.out, questions.len(), "questions");
    let asked = stream::iter(questions).map(|question| answer(backend, question));
    let answers = asked.buffered(PARALLEL_QUESTIONS).inspect_ok(|_| bar.inc(1)).try_collect().await;
    bar.finish_and_clear();
    answers
}

async fn answer(backend: &dyn BackendProtocol, question: TestQuestion) -> Result<TestAnswer> {
    let reply = backend.discover_skills(request(&question, None)).await?;
    let mut missing = Vec::new();
    for skill in question.expect.iter().filter(|name| !reply.skills.iter().any(|found| is_meant(found, name))) {
        missing.push(why_missing(backend, &question, skill).await?);
    }
    Ok(TestAnswer::from_reply(question, &reply, missing))
}

/// A search with explanations, so that no session remembers the search.
fn request(question: &TestQuestion, why: Option<&str>) -> DiscoverRequest {
    DiscoverRequest {
        query: question.query.clone(),
        category: question.category.clone(),
        level: question.level.clone(),
        limit: question.top,
        explain: true,
        why: why.map(str::to_owned),
    }
}

/// Whether `name` is the path of a skill, its folder's name or the name in its frontmatter.
fn is_meant(found: &DiscoveredSkill, name: &str) -> bool {
    found.skill == name || found.name == name || found.skill.rsplit('/').next() == Some(name)
}

async fn why_missing(backend: &dyn BackendProtocol, question: &TestQuestion, skill: &str) -> Result<Missing> {
    let (rank, reason) = match backend.discover_skills(request(question, Some(skill))).await {
        Ok(reply) => reply.why.map_or((None, String::new()), |why| (why.rank, why.message)),
        Err(error) if matches!(error.code(), Code::SkillNotFound | Code::AmbiguousSkill) => {
            (None, error.message().to_owned())
        }
        Err(error) => return Err(error),
    };
    Ok(Missing { skill: skill.to_owned(), rank, reason })
}

/// The skills of a folder in a store of their own, which is gone with the process.
async fn local(app: &App, folder: PathBuf) -> Result<Arc<dyn BackendProtocol>> {
    let (user, session) = (app.user()?, app.session()?);
    let folder = app.process.local(folder);
    let scanned = blocking(move || scan(&folder, None, Extent::NotIgnored)).await?;
    // The SKILL.md of a skill is all that search reads of it.
    let text = |local: &LocalSkill| Ok((local.skill.clone(), read_main(&local.main())?.into()));
    let skills = scanned.skills.iter().map(text).collect::<Result<Vec<_>>>()?;
    let store = OpenStore::of_skills(&user, skills, app.clock.clone()).await?;
    Ok(Arc::new(store.direct_service(ServiceOptions::default()).session(user, session)))
}
