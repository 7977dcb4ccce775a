//! Drafts of skills: who sees them, what becomes of them, and what is left wherever it fails.

use std::{sync::Arc, time::Duration};

use skillmount::{
    Code, Result,
    content::DraftReader,
    handle::SessionBackend,
    limits::{CREATED_BODY_CHARS, CREATED_DESCRIPTION_CHARS, SESSION_DRAFTS},
    path::SkillPath,
    prompt::{self},
    publish::{PublishOptions, UploadedSkill},
    skill::SkillTemplate,
    store::{Verb, testing::Fault},
    tools,
    wire::{
        BackendProtocol, ChangeSkillRequest, ChildRights, CreateSession, CreateSkillReply, CreateSkillRequest,
        DiscoverRequest, ListedState, LoadSkillRequest, Policy, PromptRequest, PublishReply, PublishRequest, SkillList,
        SkillListRequest, SkillState, SkillsAccess, Standing, ToolRule, VersionListRequest, WriteRequest,
    },
};

use super::publishing::{FAULTS, from_the};
use crate::support::{
    s3_in_process::s3_with_script,
    world::{BackendExt, World, code, id},
};

const DESCRIPTION: &str = "Writes the minutes of a meeting. Use it after one.";
const BODY: &str = "Say who was there, what was decided, and who does what until when.";

fn path(text: &str) -> SkillPath {
    SkillPath::parse(text).unwrap()
}

fn asked(name: &str) -> CreateSkillRequest {
    CreateSkillRequest::new(name, DESCRIPTION, BODY)
}

/// A policy by which agents write skills unasked.
fn writers() -> Policy {
    let tools = [("*", ToolRule::Auto), ("create_skill", ToolRule::Auto)];
    Policy { tools: tools.map(|(name, rule)| (name.to_owned(), rule)).into(), ..Policy::default() }
}

/// The session `name`, which may write skills.
async fn writer(world: &World, name: &str) -> SessionBackend {
    let wanted = CreateSession { policy: Some(writers()), ..CreateSession::default() };
    world.service.create_session(&id("demo"), &id(name), wanted).await.unwrap();
    world.agent_of("demo", name)
}

/// The skills and drafts that one who decides sees.
async fn listed(world: &World) -> SkillList {
    let (policy, wanted) = (Policy::unrestricted(), SkillListRequest { fresh: true, ..SkillListRequest::default() });
    let service = world.replica().service;
    service.library().list_skills(&id("demo"), &policy, &wanted, DraftReader::Control).await.unwrap()
}

pub(super) async fn states(world: &World) -> Vec<(String, ListedState)> {
    listed(world).await.skills.into_iter().map(|one| (one.skill, one.state)).collect()
}

pub(super) async fn body(world: &World, skill: &str) -> Result<String> {
    let policy = Policy::unrestricted();
    let shown =
        world.replica().service.library().show_skill(&id("demo"), &policy, &path(skill), DraftReader::Control).await;
    shown.map(|page| page.body)
}

pub(super) async fn change(
    world: &World,
    skill: &str,
    wanted: ChangeSkillRequest,
    only: Option<&str>,
) -> Result<PublishReply> {
    let options = PublishOptions { condition: only.map(str::to_owned).into(), ..PublishOptions::default() };
    world.service.publisher().change_skill(&id("demo"), &path(skill), wanted, options).await
}

pub(super) fn to(state: SkillState) -> ChangeSkillRequest {
    ChangeSkillRequest { state: Some(state), ..ChangeSkillRequest::default() }
}

fn text(skill: &str, body: &str) -> UploadedSkill {
    let (description, body) = (DESCRIPTION.to_owned(), body.to_owned());
    let files = [("a.md".to_owned(), "a file".to_owned())].into();
    let text = PublishRequest { description, body, files, frontmatter: serde_json::Map::new() };
    UploadedSkill::from_text(&path(skill), text).unwrap()
}

pub(super) async fn draft(world: &World, skill: &str, body: &str, only: Option<&str>) -> Result<PublishReply> {
    let options = PublishOptions { condition: only.map(str::to_owned).into(), ..PublishOptions::default() };
    world.service.publisher().draft_skill(&id("demo"), &path(skill), text(skill, body), options).await
}

async fn publish(world: &World, skill: &str, body: &str, only: Option<&str>) -> Result<PublishReply> {
    let options = PublishOptions { condition: only.map(str::to_owned).into(), ..PublishOptions::default() };
    world.service.publisher().publish_skill(&id("demo"), &path(skill), text(skill, body), options).await
}

pub(super) async fn delete(world: &World, skill: &str) -> Result<()> {
    world.service.publisher().delete_skill(&id("demo"), &path(skill), PublishOptions::default()).await.map(drop)
}

/// What a session is told of skills: its prompt, and what a search finds.
async fn told(agent: &SessionBackend) -> (String, Vec<String>) {
    let prompt = prompt::for_session(agent, &PromptRequest::default()).await.unwrap().prompt;
    let found = agent.discover_skills(DiscoverRequest::new("minutes of a meeting")).await.unwrap();
    (prompt, found.skills.into_iter().map(|one| one.skill).collect())
}

async fn plain(world: &World) -> Vec<String> {
    world.keys().await.into_iter().filter(|key| key.starts_with("demo/skills/")).collect()
}

// S-DRAFT-1: A draft has no file below `skills/`. The session that made the draft sees it, and so do keys of scope
// `control`; for all others it is not there.
#[tokio::test]
async fn a_draft_is_seen_by_its_session_and_by_control_alone() {
    let world = World::new();
    world.put_skill("demo", "office/pdf", "Reads pages.", "Body").await;
    let agent = writer(&world, "s").await;
    let made = agent.create_skill(asked("minutes")).await.unwrap();
    assert_eq!((made.skill.as_str(), made.state, made.lint.len()), ("minutes", SkillState::Draft, 0));
    assert_eq!(plain(&world).await, ["demo/skills/office/pdf/SKILL.md"]);

    for agent in [agent.clone(), world.replica().agent_of("demo", "s")] {
        let (prompt, found) = told(&agent).await;
        assert!(prompt.contains("minutes"), "{prompt}");
        assert_eq!(found, ["minutes"]);
        let loaded = agent.load("minutes").await.unwrap();
        assert!(loaded.version.is_none());
        assert!(loaded.body.unwrap().contains(BODY));
        assert!(agent.text("/skills/minutes/SKILL.md").await.unwrap().contains(BODY));
        assert!(
            tools::for_session(&agent)
                .await
                .unwrap()
                .iter()
                .any(|tool| tool.input_schema.to_string().contains("\"minutes\""))
        );
    }

    let other = writer(&world, "t").await;
    let (prompt, found) = told(&other).await;
    assert!(!prompt.contains("minutes") && found.is_empty(), "{prompt}");
    let missing = other.load("minutes").await.unwrap_err();
    let absent = other.load("seconds").await.unwrap_err();
    assert_eq!(missing.message().replace("minutes", "seconds"), absent.message());
    let by_digest = LoadSkillRequest { digest: Some(made.digest.clone()), ..LoadSkillRequest::new("minutes") };
    assert_eq!(code(other.load_skill(by_digest).await), Code::SkillNotFound);
    let versions =
        world.service.publisher().list_versions(&id("demo"), &path("minutes"), &VersionListRequest::default()).await;
    assert_eq!(code(versions), Code::SkillNotFound, "it was never published");

    let both = [("minutes", ListedState::Draft), ("office/pdf", ListedState::Unmanaged)];
    assert_eq!(states(&world).await, both.map(|(skill, state)| (skill.to_owned(), state)));
    assert!(body(&world, "minutes").await.unwrap().contains(BODY));
    let bound = skillmount::access::SessionScope::new(&["s".to_owned()], &std::collections::BTreeMap::new()).unwrap();
    let elsewhere =
        skillmount::access::SessionScope::new(&["t".to_owned()], &std::collections::BTreeMap::new()).unwrap();
    for (reach, sees) in [(&bound, true), (&elsewhere, false), (&skillmount::access::SessionScope::default(), false)] {
        let (policy, reader) = (Policy::unrestricted(), DraftReader::Agent(reach));
        let shown = world.service.library().show_skill(&id("demo"), &policy, &path("minutes"), reader).await;
        assert_eq!(shown.is_ok(), sees);
        let all = world
            .service
            .library()
            .list_skills(&id("demo"), &policy, &SkillListRequest::default(), reader)
            .await
            .unwrap();
        assert_eq!((all.skills.len(), all.total), if sees { (2, 2) } else { (1, 1) });
    }
}

// S-DRAFT-1: A draft has no file below `skills/`. The session that made the draft sees it, and so do keys of scope
// `control`; for all others it is not there.
// S-SEARCH-9: A search with `explain` gives the words and fields behind the score of each skill.
#[tokio::test]
async fn a_draft_is_explained_as_any_skill() {
    let world = World::new();
    world.put_skill("demo", "office/pdf", "Reads pages of a meeting.", "Body").await;
    let agent = writer(&world, "s").await;
    agent.create_skill(asked("minutes")).await.unwrap();
    let ask = async |query: &str, explain, why: Option<&str>| {
        let why = why.map(str::to_owned);
        agent.discover_skills(DiscoverRequest { explain, why, ..DiscoverRequest::new(query) }).await.unwrap()
    };
    let found = ask("the minutes of a meeting", true, Some("minutes")).await;
    assert_eq!((found.skills[0].skill.as_str(), found.total), ("minutes", 2), "{found:?}");
    let explained = found.skills[0].explain.as_ref().unwrap();
    let words: f32 = explained.matches.iter().map(|one| one.weight).sum();
    let sum = words + explained.nearness.map_or(0.0, |near| near.weight);
    assert!((sum - found.skills[0].score).abs() < 0.001 && explained.matches.len() > 1, "{found:?}");
    let standing = found.why.unwrap();
    assert_eq!(
        (standing.standing, standing.rank, standing.explain.as_ref()),
        (Standing::Found, Some(1), Some(explained))
    );
    let missing = ask("reads pages", false, Some("minutes")).await;
    assert_eq!((missing.total, missing.why.unwrap().standing), (1, Standing::NoMatch));
}

#[tokio::test]
async fn a_key_that_is_bound_to_a_session_reads_the_drafts_of_that_session_alone() {
    let world = World::new();
    writer(&world, "s").await.create_skill(asked("minutes")).await.unwrap();
    for number in 0..20 {
        let agent = writer(&world, &format!("other-{number}")).await;
        agent.create_skill(asked(&format!("draft-{number}"))).await.unwrap();
    }
    let bound = skillmount::access::SessionScope::new(&["s".to_owned()], &std::collections::BTreeMap::new()).unwrap();
    let reader = DraftReader::Agent(&bound);
    let (user, policy, wanted) = (id("demo"), Policy::unrestricted(), SkillListRequest::default());
    let list = || world.service.library().list_skills(&user, &policy, &wanted, reader);
    list().await.unwrap();
    let before = world.ledger.asked().len();
    let all = list().await.unwrap();
    assert_eq!(all.skills.iter().map(|one| one.skill.as_str()).collect::<Vec<_>>(), ["minutes"]);
    let drafts: Vec<_> = world
        .ledger
        .asked()
        .into_iter()
        .skip(before)
        .map(|asked| format!("{asked:?}"))
        .filter(|asked| asked.contains("draft"))
        .collect();
    assert!(drafts.len() == 1 && drafts[0].contains("minutes"), "{drafts:?}");
}

#[tokio::test]
async fn drafts_and_skills_are_listed_in_pages_of_one_order() {
    let world = World::new();
    for skill in ["b", "d", "f"] {
        world.put_skill("demo", skill, "Reads pages.", "Body").await;
    }
    for skill in ["a", "c", "e", "g"] {
        draft(&world, skill, BODY, None).await.unwrap();
    }
    let (mut seen, mut cursor) = (Vec::new(), None);
    loop {
        let wanted = SkillListRequest { limit: Some(2), cursor, ..SkillListRequest::default() };
        let (user, policy) = (id("demo"), Policy::unrestricted());
        let page = world.service.library().list_skills(&user, &policy, &wanted, DraftReader::Control).await.unwrap();
        assert!(page.skills.len() <= 2);
        seen.extend(page.skills.into_iter().map(|one| one.skill));
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(seen, ["a", "b", "c", "d", "e", "f", "g"]);
    assert_eq!(listed(&world).await.total, 7);
}

// S-DRAFT-1: A draft has no file below `skills/`. The session that made the draft sees it, and so do keys of scope
// `control`; for all others it is not there.
#[tokio::test]
async fn the_session_that_made_a_draft_loads_it_at_a_server_that_knew_the_session_before() {
    let world = World::new();
    let (agent, replica) = (writer(&world, "s").await, world.replica());
    let elsewhere = replica.agent_of("demo", "s");
    assert_eq!(code(elsewhere.load("minutes").await), Code::SkillNotFound);
    agent.create_skill(asked("minutes")).await.unwrap();
    assert!(elsewhere.load("minutes").await.unwrap().body.unwrap().contains(BODY));
    assert_eq!(code(replica.agent_of("demo", "other").load("minutes").await), Code::SkillNotFound);
}

// S-DRAFT-2: `PUT` with `state=draft` makes a draft or replaces it. Over, inside or around a published skill the answer
// is `already_exists`. A publish at the path of a draft replaces the draft.
#[tokio::test]
async fn a_path_is_a_draft_or_published() {
    let world = World::new();
    let first = draft(&world, "a/demo", "# One", None).await.unwrap();
    assert_eq!((first.state, first.complete), (SkillState::Draft, true));
    let second = draft(&world, "a/demo", "# Two", Some(&first.digest)).await.unwrap();
    let late = draft(&world, "a/demo", "# Three", Some(&first.digest)).await.unwrap_err();
    assert_eq!((late.code(), &late.details()["current"]), (Code::VersionConflict, &second.digest.clone().into()));
    let late = publish(&world, "a/demo", "# Three", Some(&first.digest)).await.unwrap_err();
    assert_eq!((late.code(), &late.details()["current"]), (Code::VersionConflict, &second.digest.clone().into()));
    assert!(plain(&world).await.is_empty());

    publish(&world, "a/demo", "# Three", Some(&second.digest)).await.unwrap();
    assert_eq!(states(&world).await, [("a/demo".to_owned(), ListedState::Published)]);
    for (skill, only) in [("a/demo", None), ("a", None), ("a/demo/inner", None)] {
        assert_eq!(code(draft(&world, skill, "# Four", only).await), Code::AlreadyExists, "{skill}");
    }
    delete(&world, "a/demo").await.unwrap();
    assert!(states(&world).await.is_empty(), "the draft went when its place was taken");
}

// S-DRAFT-3: `PATCH` publishes a draft, makes a draft of a published skill, and changes a description or a body. The rest of
// SKILL.md and all other files stay byte by byte.
#[tokio::test]
async fn a_skill_goes_back_and_forth_and_keeps_all_that_is_not_changed() {
    let world = World::new();
    let main = "---\nname: demo\n# Mine.\ndescription: >\n  Long\n  ago.\nlicense: MIT\n---\nBody\n";
    world.put("demo/skills/demo/SKILL.md", main).await;
    world.put("demo/skills/demo/b.md", "b").await;
    let described = ChangeSkillRequest { description: Some("Now: this.".into()), ..ChangeSkillRequest::default() };
    let reply = change(&world, "demo", described, None).await.unwrap();
    assert_eq!(reply.state, SkillState::Published);
    let described = "---\nname: demo\n# Mine.\ndescription: \"Now: this.\"\nlicense: MIT\n---\nBody\n";
    assert_eq!(world.agent().load("demo").await.unwrap().description, "Now: this.");
    assert_eq!(world.bytes("demo/skills/demo/SKILL.md").await.unwrap(), described.as_bytes());

    let hidden = change(&world, "demo", to(SkillState::Draft), Some(&reply.digest)).await.unwrap();
    assert_eq!((hidden.state, &hidden.digest), (SkillState::Draft, &reply.digest));
    assert!(plain(&world).await.is_empty());
    assert_eq!(code(world.agent_of("demo", "new").load("demo").await), Code::SkillNotFound);
    let late = change(&world, "demo", to(SkillState::Published), Some(&"sha256:0".replace('0', &"0".repeat(64)))).await;
    assert_eq!(late.unwrap_err().details()["current"], reply.digest);

    let wanted = ChangeSkillRequest { body: Some("# New".into()), ..to(SkillState::Published) };
    let published = change(&world, "demo", wanted, Some(&reply.digest)).await.unwrap();
    assert_eq!(published.state, SkillState::Published);
    let text = described.replace("Body\n", "\n# New\n");
    assert_eq!(world.bytes("demo/skills/demo/SKILL.md").await.unwrap(), text.as_bytes());
    assert_eq!(world.bytes("demo/skills/demo/b.md").await.unwrap(), b"b");
    assert_eq!(states(&world).await, [("demo".to_owned(), ListedState::Published)]);
    let again = change(&world, "demo", to(SkillState::Published), None).await.unwrap();
    assert_eq!(again.digest, published.digest);

    assert_eq!(code(change(&world, "demo", ChangeSkillRequest::default(), None).await), Code::InvalidRequest);
    assert_eq!(code(change(&world, "none", to(SkillState::Published), None).await), Code::SkillNotFound);
    let empty = ChangeSkillRequest { description: Some(String::new()), ..ChangeSkillRequest::default() };
    assert_eq!(code(change(&world, "demo", empty, None).await), Code::InvalidRequest);
}

#[tokio::test]
async fn what_is_made_of_a_draft_is_no_secret_of_the_session_that_made_it() {
    let world = World::new();
    let agent = writer(&world, "s").await;
    let made = agent.create_skill(asked("minutes")).await.unwrap();
    agent.load("minutes").await.unwrap();
    let edited = ChangeSkillRequest { body: Some("# Edited by a person".into()), ..ChangeSkillRequest::default() };
    change(&world, "minutes", edited, Some(&made.digest)).await.unwrap();
    let text = agent.text("/skills/minutes/SKILL.md").await.unwrap();
    assert!(text.contains(BODY), "it reads what it loaded");
    assert!(agent.load("minutes").await.unwrap().body.unwrap().contains("# Edited by a person"));

    change(&world, "minutes", to(SkillState::Published), None).await.unwrap();
    assert!(world.agent_of("demo", "t").load("minutes").await.unwrap().version.is_some());
    assert!(agent.load("minutes").await.unwrap().version.is_some(), "the published one counts for its maker too");
}

/// A state of the world, and a change that may fail anywhere in it.
#[derive(Clone, Copy, Debug)]
enum Step {
    Creates,
    Drafts,
    Publishes,
    Hides,
    Deletes,
}

impl Step {
    async fn prepare(self, world: &World) -> SessionBackend {
        let agent = writer(world, "s").await;
        match self {
            Self::Creates | Self::Drafts => {}
            Self::Publishes | Self::Deletes => drop(draft(world, "minutes", "# One", None).await.unwrap()),
            Self::Hides => drop(publish(world, "minutes", "# One", None).await.unwrap()),
        }
        agent
    }

    async fn run(self, world: &World, agent: &SessionBackend) -> Result<()> {
        match self {
            Self::Creates => agent.create_skill(asked("minutes")).await.map(drop),
            Self::Drafts => draft(world, "minutes", "# One", None).await.map(drop),
            Self::Publishes => change(world, "minutes", to(SkillState::Published), None).await.map(drop),
            Self::Hides => change(world, "minutes", to(SkillState::Draft), None).await.map(drop),
            Self::Deletes => delete(world, "minutes").await,
        }
    }

    /// What it is before and after.
    fn states(self) -> [Option<ListedState>; 2] {
        match self {
            Self::Creates | Self::Drafts => [None, Some(ListedState::Draft)],
            Self::Publishes => [Some(ListedState::Draft), Some(ListedState::Published)],
            Self::Hides => [Some(ListedState::Published), Some(ListedState::Draft)],
            Self::Deletes => [Some(ListedState::Draft), None],
        }
    }
}

// S-DRAFT-4: Whatever fails while a caller makes, changes, publishes or deletes a draft, the skill is whole, in its old
// or its new state.
#[tokio::test(start_paused = true)]
async fn at_every_crash_point_a_skill_is_what_it_was_or_what_it_is_to_be() {
    for step in [Step::Creates, Step::Drafts, Step::Publishes, Step::Hides, Step::Deletes] {
        let mut outcomes = Vec::new();
        for verb in [Verb::Put, Verb::Delete] {
            for (crash, fault) in (0..8).flat_map(|crash| FAULTS.map(|fault| (crash, fault))) {
                let world = World::new();
                let agent = step.prepare(&world).await;
                world.faults.script(verb, from_the(crash, fault));
                let outcome = step.run(&world, &agent).await;
                world.faults.clear();
                let [before, after] = step.states();
                let now = states(&world).await;
                assert!(now.len() <= 1, "{step:?} {verb:?} {crash}: {now:?}");
                let state = now.first().map(|(_, state)| *state);
                assert!(state == before || state == after, "{step:?} {fault:?} {verb:?} {crash}: {now:?}");
                // A listing goes by the plain files, which may be behind what was told.
                let is_told = outcome.is_ok() && !matches!(step, Step::Publishes | Step::Hides);
                assert!(!is_told || state == after, "{step:?} {fault:?} {verb:?} {crash}: {now:?}");
                if state.is_some() {
                    let body = body(&world, "minutes").await.unwrap();
                    assert!(body.contains("# One") || body.contains(BODY), "{step:?} {verb:?} {crash}: {body}");
                }
                outcomes.push((outcome.is_ok(), state == after));
                let again = step.run(&world, &agent).await;
                let is_done = matches!(step, Step::Deletes) && state.is_none();
                assert!(again.is_ok() || is_done, "{step:?} {fault:?} {verb:?} {crash}: {again:?}");
                let now = states(&world).await;
                assert_eq!(now.first().map(|(_, state)| *state), after, "{step:?} {verb:?} {crash}");
                if matches!(step, Step::Creates) {
                    assert_eq!(told(&world.replica().agent_of("demo", "s")).await.1, ["minutes"]);
                }
            }
        }
        assert!(outcomes.contains(&(true, true)) && outcomes.contains(&(false, false)), "{step:?}: {outcomes:?}");
    }
}

// S-DRAFT-5: `create_skill` makes a draft of a name, a description and a body, in the skeleton of a template if the
// call names one.
// S-DRAFT-10: In `create_skill`, the name of a skill or of another draft is `already_exists`.
#[tokio::test]
async fn a_skill_that_an_agent_writes_is_checked_and_its_name_is_free() {
    let world = World::new();
    world.put_skill("demo", "office/pdf", "Reads pages.", "Body").await;
    world.put_skill("demo", "office/secret", "Hides pages.", "Body").await;
    let agent = writer(&world, "s").await;
    let templated = CreateSkillRequest { template: Some(SkillTemplate::Writing), ..asked("writing/minutes") };
    let made = agent.create_skill(templated.clone()).await.unwrap();
    assert_eq!(made.skill, "writing/minutes");
    let body = agent.load("minutes").await.unwrap().body.unwrap();
    assert!(body.contains(BODY) && body.contains("## How to work"), "{body}");
    let again: CreateSkillReply = agent.create_skill(templated.clone()).await.unwrap();
    assert_eq!(again, made, "the same call again answers the same");

    let other = writer(&world, "t").await;
    for (agent, request, expected) in [
        (&agent, asked("Bad_Name"), Code::InvalidSkill),
        (&agent, asked("../up"), Code::InvalidRequest),
        (&agent, asked(""), Code::InvalidRequest),
        (&agent, asked("office/pdf"), Code::AlreadyExists),
        (&agent, asked("pdf"), Code::AlreadyExists),
        (&agent, asked("office/pdf/inner"), Code::AlreadyExists),
        (&agent, asked("office"), Code::AlreadyExists),
        (&agent, asked("writing/minutes"), Code::AlreadyExists),
        (&agent, asked("minutes"), Code::AlreadyExists),
        (&other, templated, Code::AlreadyExists),
    ] {
        let name = request.name.clone();
        assert_eq!(code(agent.create_skill(request).await), expected, "{name}");
    }
    // A name that the policy hides answers the same whether there is such a skill or not.
    let mut policy = Policy::unrestricted();
    policy.skills.insert("office/*".into(), skillmount::wire::SkillRule::Blocked);
    world.service.sessions().set_user_policy(&id("demo"), policy).await.unwrap();
    let hidden = agent.create_skill(asked("office/secret")).await.unwrap_err();
    let absent = agent.create_skill(asked("office/absent")).await.unwrap_err();
    assert_eq!(hidden.message().replace("secret", "absent"), absent.message());
}

#[tokio::test]
async fn texts_are_taken_at_their_least_length_and_drafts_up_to_their_most() {
    let world = World::new();
    let agent = writer(&world, "s").await;
    let request = |name: &str, description: usize, body: usize| {
        CreateSkillRequest::new(name, "d".repeat(description), "b".repeat(body))
    };
    let (description, body) = (CREATED_DESCRIPTION_CHARS, CREATED_BODY_CHARS);
    for short in [request("x", description - 1, body), request("x", description, body - 1)] {
        assert_eq!(code(agent.create_skill(short).await), Code::InvalidRequest);
    }
    for number in 0..SESSION_DRAFTS {
        agent.create_skill(request(&format!("x{number}"), description, body)).await.unwrap();
    }
    assert_eq!(code(agent.create_skill(request("y", description, body)).await), Code::RateLimited);
    agent.create_skill(request("x0", description, body)).await.unwrap();
}

// S-DRAFT-6: `create_skill` is `ask` unless a policy names it; `*` never stands for it.
#[tokio::test]
async fn who_may_write_skills_is_said_by_name() {
    let world = World::new();
    let offered = async |agent: &SessionBackend| {
        tools::for_session(agent).await.unwrap().iter().any(|tool| tool.tool.name() == "create_skill")
    };
    let agent = world.agent();
    assert_eq!(code(agent.create_skill(asked("minutes")).await), Code::ApprovalRequired);
    assert!(offered(&agent).await);
    let agent = writer(&world, "w").await;
    assert!(offered(&agent).await && agent.create_skill(asked("minutes")).await.is_ok());
    for (policy, expected) in [
        (Policy { plan_mode: true, ..writers() }, Code::PlanMode),
        (
            Policy { tools: [("create_skill".to_owned(), ToolRule::Blocked)].into(), ..Policy::default() },
            Code::ToolBlocked,
        ),
        (Policy { tools: [("*".to_owned(), ToolRule::Blocked)].into(), ..Policy::default() }, Code::ToolBlocked),
    ] {
        world.service.sessions().set_user_policy(&id("demo"), policy).await.unwrap();
        assert_eq!(code(agent.create_skill(asked("seconds")).await), expected);
        assert!(!offered(&agent).await);
    }
}

// S-SESSION-22: Without `create` a fork writes no skills, and without `publish` it changes no files of loaded skills.
// S-SESSION-15: A fork may do no more than `children` in the policy of its parent allows.
#[tokio::test]
async fn a_child_writes_skills_and_changes_them_only_if_its_parent_lets_it() {
    for (create, publish) in [(false, false), (true, false), (false, true), (true, true)] {
        let world = World::new();
        world.put_skill("demo", "pdf", "Reads pages.", "Body").await;
        let children = ChildRights { create, publish, ..ChildRights::default() };
        let policy = Policy { children, skills_access: SkillsAccess::Write, ..writers() };
        let wanted = CreateSession { policy: Some(policy.clone()), ..CreateSession::default() };
        world.service.create_session(&id("demo"), &id("s"), wanted).await.unwrap();
        // Another policy does not open what the parent's closes.
        let policy = Policy { children: ChildRights::ALL, ..policy };
        let wanted = CreateSession { parent: Some(id("s")), policy: Some(policy), ..CreateSession::default() };
        world.service.create_session(&id("demo"), &id("child"), wanted).await.unwrap();
        let child = world.agent_of("demo", "child");
        let made = child.create_skill(asked("minutes")).await;
        assert_eq!(made.map_err(|error| error.code()).err(), (!create).then_some(Code::ToolBlocked));
        child.load("pdf").await.unwrap();
        let write = WriteRequest::new("/skills/pdf/new.md", "x");
        assert_eq!(child.write(write).await.err().map(|error| error.code()), (!publish).then_some(Code::ReadOnly));
    }
}

// S-DRAFT-7: A session reads a loaded draft to the session's end, and cannot write its files. A draft outlives the
// session that made it; deleting a draft leaves no version to go back to.
#[tokio::test]
async fn a_draft_outlives_its_session_and_is_read_only() {
    let world = World::new();
    let agent = writer(&world, "s").await;
    world
        .service
        .sessions()
        .update(&id("demo"), &id("s"), |session| {
            session.policy.skills_access = SkillsAccess::Write;
            Ok(skillmount::session::Change::Save(()))
        })
        .await
        .unwrap();
    agent.create_skill(asked("minutes")).await.unwrap();
    agent.load("minutes").await.unwrap();
    assert_eq!(code(agent.write(WriteRequest::new("/skills/minutes/new.md", "x")).await), Code::ReadOnly);
    assert!(plain(&world).await.is_empty());

    let other = writer(&world, "gone").await;
    other.create_skill(asked("hours")).await.unwrap();
    world.service.sessions().delete(&id("demo"), &id("gone")).await.unwrap();
    assert_eq!(states(&world).await.len(), 2);
    let reborn = writer(&world, "gone").await;
    assert_eq!(code(reborn.load("hours").await), Code::SkillNotFound, "another session of the same id");

    delete(&world, "minutes").await.unwrap();
    assert_eq!(code(delete(&world, "minutes").await), Code::SkillNotFound);
    assert!(agent.text("/skills/minutes/SKILL.md").await.unwrap().contains(BODY));
    assert_eq!(code(agent.load("minutes").await), Code::SkillNotFound);
    let (prompt, found) = told(&agent).await;
    assert!(!prompt.contains("after one") && found.is_empty(), "it is not named any more: {prompt}");
    let versions =
        world.service.publisher().list_versions(&id("demo"), &path("minutes"), &VersionListRequest::default()).await;
    assert_eq!(code(versions), Code::SkillNotFound);
}

// S-DRAFT-13: While a draft is published, or a skill becomes a draft, readers always find one of the two. This holds for the page,
// the archive, the files and the listing of the same server.
#[tokio::test]
async fn a_listing_has_a_draft_or_the_skill_that_took_its_place() {
    let world = World::new();
    draft(&world, "demo", "# One", None).await.unwrap();
    let listed = async || {
        let (policy, wanted) = (Policy::unrestricted(), SkillListRequest::default());
        let library = world.service.library();
        let list = library.list_skills(&id("demo"), &policy, &wanted, DraftReader::Control).await.unwrap();
        list.skills.into_iter().map(|one| (one.skill, one.state)).collect::<Vec<_>>()
    };
    assert_eq!(listed().await, [("demo".to_owned(), ListedState::Draft)]);
    // The object of the draft is still there once the skill is published.
    let other = world.replica();
    other.faults.for_keys(Verb::Delete, "/drafts/", Fault::Deny);
    change(&other, "demo", to(SkillState::Published), None).await.unwrap();
    assert_eq!(listed().await, [("demo".to_owned(), ListedState::Published)]);
}

#[tokio::test]
async fn a_damaged_draft_costs_itself_and_says_so() {
    let world = World::new();
    draft(&world, "good", BODY, None).await.unwrap();
    world.put("demo/.skillmount/drafts/bad.json", "{}").await;
    assert_eq!(states(&world).await, [("good".to_owned(), ListedState::Draft)]);
    let error = draft(&world, "bad", BODY, None).await.unwrap_err();
    assert!(error.message().contains("the draft of the skill bad") && !error.message().contains(".json"), "{error}");
    assert!(error.chain().contains("demo/.skillmount/drafts/bad.json"), "the log has it");
}

// S-STORE-23: To delete one version of an object, the service names it in `If-Match`.
#[tokio::test(start_paused = true)]
async fn a_draft_that_is_deleted_slowly_takes_no_later_draft_with_it() {
    for publishes in [false, true] {
        let (store, _memory, _script) = s3_with_script();
        let world = World::over(Arc::new(store));
        let other = world.replica();
        draft(&world, "a/b", "The first draft of this skill.", None).await.unwrap();
        world.faults.for_keys(Verb::Delete, "drafts/", Fault::SlowRequest(Duration::from_secs(2)));
        let slow = async {
            if publishes {
                return change(&world, "a/b", to(SkillState::Published), None).await.map(drop);
            }
            delete(&world, "a/b").await
        };
        let fast = async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            if publishes {
                return change(&other, "a/b", to(SkillState::Draft), None).await.unwrap();
            }
            draft(&other, "a/b", "The second draft of this skill.", None).await.unwrap()
        };
        let (slow, _) = tokio::join!(slow, fast);
        slow.unwrap();
        assert_eq!(states(&other).await, [("a/b".to_owned(), ListedState::Draft)], "{publishes}");
    }
}
