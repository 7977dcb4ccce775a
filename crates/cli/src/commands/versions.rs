//! The versions of skills: `skillmount skills history`, `diff`, `rollback`, `rm` and `mv`.

use bytes::Bytes;
use clap::Args;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::json;

use crate::{
    app::App,
    client::sync::SkillText,
    counts::counted,
    error::{Code, Error, Result},
    limits::VERSIONS_LISTED,
    output::Output,
    path::SkillPath,
    screen::{Cell, LastColumn, plain},
    shell::quoted,
    skill::{MAIN, fix, read_document},
    skills::{NamedSkill, skill_named},
    wire::{Condition, DiffRequest, SkillRepository, VersionChange, VersionDiff, VersionDocument, VersionListRequest},
};

/// Digits of a digest that are shown on a line.
const SHOWN_DIGITS: usize = 19;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  skillmount skills history escrituras/compraventa
  skillmount skills history compraventa --json | jq -r '.versions[].digest'")]
pub(crate) struct History {
    /// A skill path or a folder name; the path of a deleted skill
    skill: String,
    /// How many to show at most
    #[arg(long, value_name = "COUNT", default_value_t = VERSIONS_LISTED)]
    limit: usize,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  skillmount skills diff compraventa                      what the last publish changed
  skillmount skills diff compraventa e21b0cc3             what changed since that version
  skillmount skills diff compraventa e21b0cc3 7f3a1d      between two of them")]
pub(crate) struct Diff {
    /// A skill path or a folder name; the path of a deleted skill
    #[arg(index = 1)]
    skill: String,
    /// The older version [default: the one before the published one]
    #[arg(index = 2)]
    from: Option<String>,
    /// The newer version [default: the published one]
    #[arg(index = 3)]
    to: Option<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  skillmount skills rollback compraventa sha256:e21b0cc3   any beginning that names one version
  skillmount skills rollback compraventa                   the one that the last change replaced, or this one
                                                           if its folder is gone")]
pub(crate) struct Rollback {
    /// A skill path or a folder name; the path of a deleted skill
    #[arg(index = 1)]
    skill: String,
    /// The version to go back to, as `skills history` lists it
    #[arg(index = 2)]
    digest: Option<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  skillmount skills rm compraventa
  skillmount skills rollback escrituras/compraventa sha256:e21b0cc3   brings it back")]
pub(crate) struct Remove {
    /// A skill path or a folder name
    skill: String,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  skillmount skills mv compraventa ventas/compraventa")]
pub(crate) struct Move {
    /// A skill path or a folder name
    #[arg(index = 1)]
    from: String,
    /// The new skill path
    #[arg(index = 2)]
    to: String,
}

/// The versions of a skill, of all pages.
#[derive(Debug, Serialize)]
struct KnownVersions {
    skill: SkillPath,
    versions: Vec<VersionDocument>,
    current: Option<String>,
    last_change: Option<VersionChange>,
    /// Whether the folder of the published version is gone, by another tool or a failed write.
    folder_is_gone: bool,
}

impl History {
    pub(super) async fn run(self, app: &App) -> Result<()> {
        let author = app.author().await?;
        let skill = named(&*author, &self.skill).await?;
        let mut known = versions(&*author, skill, self.limit).await?;
        known.look_for_folder(&*author).await?;
        app.out.reply(&known, print)
    }
}

impl Diff {
    pub(super) async fn run(self, app: &App) -> Result<()> {
        let author = app.author().await?;
        let skill = named(&*author, &self.skill).await?;
        let mut wanted = DiffRequest::default();
        if self.from.is_some() {
            let known = versions(&*author, skill.clone(), usize::MAX).await?;
            let digest = |named: Option<&str>| named.map(|named| known.choose(Some(named))).transpose();
            (wanted.from, wanted.to) = (digest(self.from.as_deref())?, digest(self.to.as_deref())?);
        }
        let found = author.diff_versions(&skill, &wanted).await?;
        app.out.reply(&found, print_diff)
    }
}

impl Rollback {
    pub(super) async fn run(self, app: &App) -> Result<()> {
        let author = app.author().await?;
        let skill = named(&*author, &self.skill).await?;
        let mut known = versions(&*author, skill, usize::MAX).await?;
        known.look_for_folder(&*author).await?;
        let digest = known.choose(self.digest.as_deref())?;
        let reply = author.roll_back_skill(&known.skill, &digest).await?;
        app.out.reply(&reply, |out, reply| out.line(format_args!("{} is {} again", plain(&reply.skill), reply.digest)))
    }
}

impl Remove {
    pub(super) async fn run(self, app: &App) -> Result<()> {
        let author = app.author().await?;
        let skill = named(&*author, &self.skill).await?;
        author.delete_skill(&skill, None).await?;
        let was_draft = is_unknown(&*author, &skill).await;
        app.out.reply(&json!({ "deleted": skill }), |out, _| {
            let name = plain(skill.as_str());
            out.line(format_args!("deleted {name}"))?;
            if was_draft {
                out.note(format_args!("it was a draft, of which no version is kept"));
            } else {
                out.note(format_args!(
                    "its versions stay: `skillmount skills history {name}` lists them, and a rollback brings it back"
                ));
            }
            Ok(())
        })
    }
}

impl Move {
    pub(super) async fn run(self, app: &App) -> Result<()> {
        let author = app.author().await?;
        let (from, to) = (named(&*author, &self.from).await?, SkillPath::parse(&self.to)?);
        if from == to {
            return Err(invalid!("{to} is where the skill is already: name another path"));
        }
        let none = || Error::new(Code::SkillNotFound, format!("there is no skill {from}"));
        // A server shows its drafts too. To move one would publish it.
        author.skill_digests(Some(&from)).await?.find(&from).ok_or_else(none)?;
        let mut text = SkillText::get(&*author, &from, None).await?.ok_or_else(none)?;
        let digest = text.version.digest().to_owned();
        if let Some(main) = text.files.get_mut(MAIN)
            && let Some(renamed) = renamed(main, &from, &to)
        {
            *main = renamed;
        }
        let source = Some(format!("{from} {digest}, moved here"));
        let files = text.files.into_iter().collect();
        let published = author.publish_skill(&to, files, source, Condition::Nothing).await;
        published.map_err(|error| if error.code() == Code::VersionConflict { taken(&to) } else { error })?;
        author.delete_skill(&from, Some(digest)).await.map_err(|error| {
            let message = format!("{to} is there now, and {from} could not be deleted: {}", error.message());
            Error::new(error.code(), message).with_source(error)
        })?;
        app.out.reply(&json!({ "from": from, "to": to }), |out, _| {
            let [from, to] = [&from, &to].map(|path| plain(path.as_str()));
            out.line(format_args!("moved {from} to {to}"))?;
            out.note(format_args!("the versions before stay under the old path: `skillmount skills history {from}`"));
            Ok(())
        })
    }
}

/// That a skill cannot move to a path, because one is there.
fn taken(to: &SkillPath) -> Error {
    let message = format!(
        "there is a skill {to} already: name another path, or delete that one first with `skillmount skills rm {to}`"
    );
    Error::new(Code::VersionConflict, message)
}

/// The SKILL.md of a skill that moves to a folder of another name. If its name was the folder's, it gets the new
/// folder's name.
fn renamed(main: &Bytes, from: &SkillPath, to: &SkillPath) -> Option<Bytes> {
    let name = read_document(main, from.folder()).0?.frontmatter.name;
    let is_of_folder = name.is_none_or(|name| name == from.folder());
    (is_of_folder && from.folder() != to.folder()).then(|| fix(main, to.folder()))?.map(|fixed| fixed.bytes.into())
}

/// The skill of a name. A path is taken as it is, since the skill may be deleted; another name is looked up among the
/// folder names of the list.
pub(super) async fn named(author: &dyn SkillRepository, name: &str) -> Result<SkillPath> {
    if name.contains('/') {
        return SkillPath::parse(name);
    }
    let known = author.skill_digests(None).await?.skills;
    let skills: Vec<_> = known.iter().map(|one| NamedSkill { skill: &one.skill, name: one.skill.folder() }).collect();
    match (skill_named(name, &skills), SkillPath::parse(name)) {
        (Ok(found), _) => Ok(found.clone()),
        (Err(unknown), Ok(path)) if unknown.code() == Code::SkillNotFound => {
            // A deleted skill is in no list, and still has versions.
            if is_unknown(author, &path).await { Err(unknown) } else { Ok(path) }
        }
        (Err(unknown), _) => Err(unknown),
    }
}

/// Whether nothing was ever published there.
async fn is_unknown(author: &dyn SkillRepository, skill: &SkillPath) -> bool {
    let one = VersionListRequest { limit: Some(1), ..VersionListRequest::default() };
    author.list_versions(skill, &one).await.is_err_and(|error| error.code() == Code::SkillNotFound)
}

async fn versions(author: &dyn SkillRepository, skill: SkillPath, most: usize) -> Result<KnownVersions> {
    let mut wanted =
        VersionListRequest { limit: Some(most.clamp(1, VERSIONS_LISTED)), ..VersionListRequest::default() };
    let mut all =
        KnownVersions { skill, versions: Vec::new(), current: None, last_change: None, folder_is_gone: false };
    loop {
        let page = author.list_versions(&all.skill, &wanted).await?;
        all.versions.extend(page.versions);
        all.current = page.current;
        all.last_change = page.last_change;
        if all.versions.len() >= most || page.next_cursor.is_none() || page.next_cursor == wanted.cursor {
            all.versions.truncate(most);
            all.complete();
            return Ok(all);
        }
        wanted.cursor = page.next_cursor;
    }
}

impl KnownVersions {
    /// Completes a version whose archive is damaged with the facts of the last change, so that both are one line.
    fn complete(&mut self) {
        let Some(change) = &self.last_change else { return };
        let damaged = |one: &&mut VersionDocument| one.files.is_none() && Some(&one.digest) == change.digest.as_ref();
        if let Some(version) = self.versions.iter_mut().find(damaged) {
            version.published_at = change.at;
            version.by.clone_from(&change.by);
            version.source.clone_from(&change.source);
        }
    }

    /// Finds out whether the published version has its folder.
    async fn look_for_folder(&mut self, author: &dyn SkillRepository) -> Result<()> {
        if self.current.is_some() {
            self.folder_is_gone = author.skill_digests(Some(&self.skill)).await?.find(&self.skill).is_none();
        }
        Ok(())
    }

    /// The last change, if no line of a version shows it.
    fn again(&self) -> Option<&VersionChange> {
        let is_shown = |change: &&VersionChange| {
            let digest = change.digest.as_ref();
            self.versions.iter().any(|one| Some(&one.digest) == digest && one.published_at == change.at)
        };
        self.last_change.as_ref().filter(|change| !is_shown(change))
    }

    /// The version that the last change replaced, if it is known and not the current version.
    fn replaced(&self) -> Option<&String> {
        let replaced = self.last_change.as_ref()?.previous.as_ref();
        let is_another = |digest: &&String| {
            Some(*digest) != self.current.as_ref() && self.versions.iter().any(|one| one.digest == **digest)
        };
        replaced.filter(is_another)
    }

    /// The version whose digest begins with `digest`. Without `digest`, the published version if its folder is gone,
    /// else the version that the last change replaced, else the version before.
    fn choose(&self, digest: Option<&str>) -> Result<String> {
        let Some(named) = digest else {
            if let Some(current) = self.current.as_ref().filter(|_| self.folder_is_gone) {
                return Ok(current.clone());
            }
            let at = self.versions.iter().position(|one| Some(&one.digest) == self.current.as_ref());
            let older = self.versions.get(at.map_or(0, |at| at + 1)).map(|one| &one.digest);
            return self.replaced().or(older).cloned().ok_or_else(|| {
                Error::new(Code::VersionNotFound, format!("{} has no version before this one", self.skill))
            });
        };
        let named = if named.starts_with("sha256:") { named.to_owned() } else { format!("sha256:{named}") };
        let mut fitting = self.versions.iter().filter(|one| one.digest.starts_with(&named));
        match (fitting.next(), fitting.next()) {
            (Some(one), None) => Ok(one.digest.clone()),
            (None, _) => {
                let message = format!("{} has no version {named}; `skillmount skills history` lists them", self.skill);
                Err(Error::new(Code::VersionNotFound, message))
            }
            (Some(_), Some(_)) => {
                Err(invalid!("several versions of {} begin with {named}: give more of it", self.skill))
            }
        }
    }
}

fn print(out: &Output, known: &KnownVersions) -> Result<()> {
    let row = |what: String, at: Timestamp, files: String, (by, source): (Option<&str>, Option<&str>)| {
        let at = at.strftime("%Y-%m-%d %H:%M:%SZ").to_string();
        let (by, source) = (plain(by.unwrap_or("-")), plain(source.unwrap_or_default()));
        [Cell::from(what), at.into(), Cell::number(files), by.into(), source.into()]
    };
    let files = |one: &VersionDocument| one.files.map_or_else(|| "?".to_owned(), |files| counted(files, "file"));
    let short = |digest: &str| digest.get(..SHOWN_DIGITS).unwrap_or(digest).to_owned();
    // A rollback, a publish of older content and a deletion have no version of their own, and a line nevertheless.
    let again = known.again();
    let changed = again.map(|change| {
        let (what, files) = match &change.digest {
            Some(digest) => {
                let version = known.versions.iter().find(|one| one.digest == *digest);
                (format!("* {}", short(digest)), version.map_or_else(|| "?".to_owned(), files))
            }
            None => ("  deleted".to_owned(), "-".to_owned()),
        };
        row(what, change.at, files, (change.by.as_deref(), change.source.as_deref()))
    });
    let versions = known.versions.iter().map(|one| {
        let mark = if again.is_none() && Some(&one.digest) == known.current.as_ref() { "*" } else { " " };
        let who = (one.by.as_deref(), one.source.as_deref());
        row(format!("{mark} {}", short(&one.digest)), one.published_at, files(one), who)
    });
    let rows = changed.into_iter().chain(versions);
    out.list(["VERSION", "PUBLISHED", "FILES", "BY", "SOURCE"], LastColumn::Cut, rows)?;
    if known.current.is_none() {
        out.note("it is deleted; `skillmount skills rollback` brings one of these back");
    }
    if known.folder_is_gone {
        let skill = quoted(&plain(known.skill.as_str()));
        out.note(format_args!(
            "its folder has no SKILL.md, so listings omit it; `skillmount skills rollback {skill}` brings it back"
        ));
    }
    Ok(())
}

/// Prints a patch, and names the files that it says nothing of.
fn print_diff(out: &Output, found: &VersionDiff) -> Result<()> {
    out.block(&found.diff)?;
    for file in found.files.iter().filter(|file| file.binary) {
        out.note(format_args!("{} differs, and is no text", plain(&file.path)));
    }
    if found.total == 0 {
        out.note("nothing differs");
    }
    if let Some(why) = &found.truncation_reason {
        out.note(plain(why));
    }
    Ok(())
}
