//! The calls that the model lets overlap, and what a caller reads of their answers.

use std::sync::Mutex;

use skillmount::{
    Code, Error, Outcome,
    content::DraftReader,
    handle::Service,
    path::{Id, SkillPath},
    publish::{PublishOptions, UploadedSkill},
    wire::{
        ChangeSkillRequest, Condition as WireCondition, FindingCode, FsckFinding, ListedState, Policy,
        SkillListRequest, SkillState,
    },
};

use super::{
    BODIES,
    model::{Condition, Do, PathState, Reply, State},
};

/// The files of the skills in a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Files {
    /// SKILL.md alone.
    One,
    /// Another file too. A publish writes SKILL.md last, so for a moment the other file lies there alone.
    Two,
    /// The other file belongs to the versions with the body `two` alone, so a change adds it or removes it.
    Some,
}

impl Files {
    /// The names of the files of a skill with this body.
    pub(super) fn names(self, body: &str) -> &'static [&'static str] {
        match self {
            Self::Two => &["SKILL.md", "a.md"],
            Self::Some if body == "two" => &["SKILL.md", "a.md"],
            Self::One | Self::Some => &["SKILL.md"],
        }
    }
}

/// The digest of the skill `n` with these files by its body.
pub(super) type Digests = std::collections::BTreeMap<(Files, &'static str), String>;

pub(super) fn path(text: &str) -> SkillPath {
    SkillPath::parse(text).unwrap()
}

/// The skill with this body.
pub(super) fn upload(skill: &str, body: &str, files: Files) -> UploadedSkill {
    let name = skill.rsplit('/').next().unwrap();
    let main = format!("---\nname: {name}\ndescription: Writes the minutes of a meeting.\n---\n{body}\n");
    let mut uploaded = vec![("SKILL.md".to_owned(), main.into())];
    if files.names(body).contains(&"a.md") {
        uploaded.push(("a.md".to_owned(), body.to_owned().into()));
    }
    UploadedSkill::Files(uploaded)
}

/// The skills of a user, as a client of one service changes them.
#[derive(Clone, Debug)]
pub(super) struct Client {
    pub(super) service: Service,
    pub(super) user: Id,
    pub(super) files: Files,
    pub(super) digests: Digests,
}

/// A call that a client has begun, and its answer once it has one.
#[derive(Clone, Copy, Debug)]
pub(super) struct BegunCall {
    pub(super) skill: &'static str,
    pub(super) call: Do,
    pub(super) reply: Option<Reply>,
}

impl Client {
    /// Makes a call, or the three calls of a move. Each is in `calls` from its begin.
    pub(super) async fn play(&self, skill: &'static str, call: Do, calls: &Mutex<Vec<BegunCall>>) {
        let Do::Move(to) = call else {
            record(skill, call, self.perform(skill, call), calls).await;
            return;
        };
        let mut version = WireCondition::Any;
        let read = async {
            match self.read(skill).await {
                Ok((body, digest)) => {
                    version = WireCondition::Version(digest);
                    Reply::Found(body)
                }
                Err(refused) => refused,
            }
        };
        let Reply::Found(body) = Box::pin(record(skill, Do::Read, read, calls)).await else { return };
        let publish = Do::Publish(body, Condition::Nothing);
        if record(to, publish, self.perform(to, publish), calls).await == Reply::Done {
            let delete = Do::Delete(Condition::Body(body));
            record(skill, delete, self.perform_if(version, skill, delete), calls).await;
        }
    }

    /// Makes a call and reads its answer.
    pub(super) async fn perform(&self, skill: &str, call: Do) -> Reply {
        let condition = match call.condition() {
            Condition::Any => WireCondition::Any,
            Condition::Nothing => WireCondition::Nothing,
            Condition::Body(body) => WireCondition::Version(self.digests[&(self.files, body)].clone()),
        };
        self.perform_if(condition, skill, call).await
    }

    async fn perform_if(&self, condition: WireCondition, skill: &str, call: Do) -> Reply {
        let Self { service, user, files, digests } = self;
        let (publisher, files) = (service.publisher(), *files);
        let at = path(skill);
        let options = PublishOptions { condition, ..PublishOptions::default() };
        let change = |change: ChangeSkillRequest| publisher.change_skill(user, &at, change, options.clone());
        let to = |state| ChangeSkillRequest { state: Some(state), ..ChangeSkillRequest::default() };
        let done: skillmount::Result<()> = match call {
            Do::Publish(body, _) => {
                publisher.publish_skill(user, &at, upload(skill, body, files), options.clone()).await.map(drop)
            }
            Do::Draft(body, _) => {
                publisher.draft_skill(user, &at, upload(skill, body, files), options.clone()).await.map(drop)
            }
            Do::ToDraft(_) => change(to(SkillState::Draft)).await.map(drop),
            Do::ToPublished(_) => change(to(SkillState::Published)).await.map(drop),
            Do::Text(body, _) => {
                let wanted = ChangeSkillRequest { body: Some(body.to_owned()), ..ChangeSkillRequest::default() };
                change(wanted).await.map(drop)
            }
            Do::RollBack(body, _) => {
                publisher.roll_back_skill(user, &at, &digests[&(files, body)], options.clone()).await.map(drop)
            }
            Do::Delete(_) => publisher.delete_skill(user, &at, options.clone()).await,
            Do::Read | Do::Move(_) => unreachable!("a move alone reads, and it is made of other calls"),
        };
        done.map_or_else(|error| refused(&error), |()| Reply::Done)
    }

    /// The body and the digest of the published version.
    async fn read(&self, skill: &str) -> Result<(&'static str, String), Reply> {
        let (library, policy) = (self.service.library(), Policy::unrestricted());
        match library.show_skill(&self.user, &policy, &path(skill), DraftReader::Control).await {
            Ok(page) if page.skill.state == ListedState::Draft => Err(Reply::NotFound),
            Ok(page) => Ok((known(&page.body).unwrap(), page.skill.digest.unwrap())),
            Err(error) => Err(refused(&error)),
        }
    }
}

/// Waits for the reply of a call, which is in `calls` meanwhile.
async fn record(
    skill: &'static str,
    call: Do,
    work: impl Future<Output = Reply>,
    calls: &Mutex<Vec<BegunCall>>,
) -> Reply {
    calls.lock().unwrap().push(BegunCall { skill, call, reply: None });
    let reply = work.await;
    calls.lock().unwrap().last_mut().unwrap().reply = Some(reply);
    reply
}

/// The body of a case with this text.
fn known(text: &str) -> Result<&'static str, String> {
    let body = BODIES.iter().find(|body| **body == text.trim());
    body.copied().ok_or_else(|| format!("no call gave a skill the body {text:?}"))
}

fn refused(error: &Error) -> Reply {
    match (error.code(), error.outcome()) {
        (Code::SkillNotFound, _) => Reply::NotFound,
        (Code::AlreadyExists, _) => Reply::Exists,
        (Code::VersionConflict, _) => Reply::Conflict,
        (Code::EditConflict, Some(Outcome::NotApplied)) => Reply::Contended,
        (Code::StoreUnavailable, Some(Outcome::NotApplied)) => Reply::Unavailable,
        (_, Some(Outcome::Unknown | Outcome::Partial)) => {
            assert!(!error.message().contains("nothing was changed"), "nobody knows that: {error}");
            Reply::Unknown
        }
        other => panic!("an answer of no known kind: {other:?}: {error}"),
    }
}

/// What a caller of scope `control` reads of the user's skills.
///
/// # Errors
/// What differs between the page of a skill and the listing.
pub(super) async fn observe(service: &Service, user: &Id, skills: &[&'static str]) -> Result<State, String> {
    let (policy, library) = (Policy::unrestricted(), service.library());
    let wanted = SkillListRequest { fresh: true, ..SkillListRequest::default() };
    let listed = library.list_skills(user, &policy, &wanted, DraftReader::Control).await.unwrap().skills;
    let mut state = State::new();
    for skill in skills {
        let shown = library.show_skill(user, &policy, &path(skill), DraftReader::Control).await.ok();
        let in_list = listed.iter().find(|one| one.skill == *skill).map(|one| one.state);
        let on_page = shown.as_ref().map(|page| page.skill.state);
        if on_page != in_list {
            return Err(format!("{skill}: the page says {on_page:?}, and the listing {in_list:?}"));
        }
        let body = |wanted: &[ListedState]| {
            let page = shown.as_ref().filter(|page| wanted.contains(&page.skill.state))?;
            Some(known(&page.body))
        };
        let published = body(&[ListedState::Published, ListedState::Unmanaged]).transpose()?;
        let draft = body(&[ListedState::Draft]).transpose()?;
        state.insert(skill, PathState { published, draft });
    }
    Ok(state)
}

/// Checks every object of the user. Plain files that a stopped service left behind are no fault: the next load completes them.
///
/// # Errors
/// What an operator would have to fix.
pub(super) async fn check(service: &Service, user: &Id) -> Result<(), String> {
    let report = service.upkeep().check_user(user, false).await.unwrap();
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
