//! The calls that the model lets overlap, and what a caller reads of their answers.

use skillmount::{
    Code, Error, Outcome,
    content::DraftReader,
    handle::Service,
    path::{Id, SkillPath},
    publish::{PublishOptions, UploadedSkill},
    wire::{ChangeSkillRequest, FindingCode, FsckFinding, ListedState, Policy, SkillListRequest, SkillState},
};

use super::model::{Condition, Do, PathState, Reply, State};
use crate::support::world::id;

/// The files of the skills in a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Files {
    /// SKILL.md alone.
    One,
    /// Another file too. A publish writes SKILL.md last, so for a moment the other file lies there alone.
    Two,
}

/// The digest of the skill `n` with these files by its body.
pub(super) type Digests = std::collections::BTreeMap<(Files, &'static str), String>;

fn user() -> Id {
    id("demo")
}

pub(super) fn path(text: &str) -> SkillPath {
    SkillPath::parse(text).unwrap()
}

/// The skill with this body.
pub(super) fn upload(skill: &str, body: &str, files: Files) -> UploadedSkill {
    let name = skill.rsplit('/').next().unwrap();
    let main = format!("---\nname: {name}\ndescription: Writes the minutes of a meeting.\n---\n{body}\n");
    let mut uploaded = vec![("SKILL.md".to_owned(), main.into())];
    if files == Files::Two {
        uploaded.push(("a.md".to_owned(), body.to_owned().into()));
    }
    UploadedSkill::Files(uploaded)
}

/// Makes a call on `skill` and reads its answer.
pub(super) async fn perform(service: &Service, skill: &str, call: Do, files: Files, digests: &Digests) -> Reply {
    let publisher = service.publisher();
    let condition = match call.condition() {
        Condition::Any => skillmount::wire::Condition::Any,
        Condition::Nothing => skillmount::wire::Condition::Nothing,
        Condition::Body(body) => skillmount::wire::Condition::Version(digests[&(files, body)].clone()),
    };
    let (user, at) = (user(), path(skill));
    let options = PublishOptions { condition, ..PublishOptions::default() };
    let change = |change: ChangeSkillRequest| publisher.change_skill(&user, &at, change, options.clone());
    let to = |state| ChangeSkillRequest { state: Some(state), ..ChangeSkillRequest::default() };
    let done: skillmount::Result<()> = match call {
        Do::Publish(body, _) => {
            publisher.publish_skill(&user, &at, upload(skill, body, files), options.clone()).await.map(drop)
        }
        Do::Draft(body, _) => {
            publisher.draft_skill(&user, &at, upload(skill, body, files), options.clone()).await.map(drop)
        }
        Do::ToDraft(_) => change(to(SkillState::Draft)).await.map(drop),
        Do::ToPublished(_) => change(to(SkillState::Published)).await.map(drop),
        Do::Text(body, _) => {
            let wanted = ChangeSkillRequest { body: Some(body.to_owned()), ..ChangeSkillRequest::default() };
            change(wanted).await.map(drop)
        }
        Do::RollBack(body, _) => {
            publisher.roll_back_skill(&user, &at, &digests[&(files, body)], options.clone()).await.map(drop)
        }
        Do::Delete(_) => publisher.delete_skill(&user, &at, options.clone()).await,
    };
    done.map_or_else(|error| refused(&error), |()| Reply::Done)
}

fn refused(error: &Error) -> Reply {
    match (error.code(), error.outcome()) {
        (Code::SkillNotFound, _) => Reply::NotFound,
        (Code::AlreadyExists, _) => Reply::Exists,
        (Code::VersionConflict, _) => Reply::Conflict,
        (Code::EditConflict, Some(Outcome::NotApplied)) => Reply::Contended,
        (_, Some(Outcome::Unknown | Outcome::Partial)) => Reply::Unknown,
        other => panic!("an answer of no known kind: {other:?}: {error}"),
    }
}

/// What a caller of scope `control` reads of the skills, by a service that remembers nothing.
///
/// # Errors
/// What differs between the page of a skill and the listing.
pub(super) async fn observe(service: &Service, skills: &[&'static str]) -> Result<State, String> {
    let (policy, library) = (Policy::unrestricted(), service.library());
    let wanted = SkillListRequest { fresh: true, ..SkillListRequest::default() };
    let listed = library.list_skills(&user(), &policy, &wanted, DraftReader::Control).await.unwrap().skills;
    let mut state = State::new();
    for skill in skills {
        let shown = library.show_skill(&user(), &policy, &path(skill), DraftReader::Control).await.ok();
        let in_list = listed.iter().find(|one| one.skill == *skill).map(|one| one.state);
        let on_page = shown.as_ref().map(|page| page.skill.state);
        if on_page != in_list {
            return Err(format!("{skill}: the page says {on_page:?}, and the listing {in_list:?}"));
        }
        let body = |wanted: &[ListedState]| {
            let page = shown.as_ref().filter(|page| wanted.contains(&page.skill.state))?;
            Some(page.body.trim().to_owned())
        };
        let published = body(&[ListedState::Published, ListedState::Unmanaged]);
        state.insert(skill, PathState { published, draft: body(&[ListedState::Draft]) });
    }
    Ok(state)
}

/// Checks every object of the user. Plain files that a stopped service left behind are no fault: the next load completes them.
///
/// # Errors
/// What an operator would have to fix.
pub(super) async fn check(service: &Service) -> Result<(), String> {
    let report = service.upkeep().check_user(&user(), false).await.unwrap();
    let is_fault = |found: &&FsckFinding| match found.code {
        FindingCode::UnfinishedPublish => false,
        // No other tool writes here, so the folder of a skill is what was published.
        FindingCode::ChangedFolder => true,
        _ => found.is_wrong(),
    };
    match report.findings.iter().find(is_fault) {
        None => Ok(()),
        Some(found) => Err(format!("fsck finds {found:?}")),
    }
}
