//! Sessions of sub-agents: made from their caller's, and held to what its policy lets them do.

use serde_json::json;
use skillmount::{
    Code,
    handle::SessionBackend,
    session::{Change, Session},
    tools,
    wire::{
        BackendProtocol as _, ChangeSession, ChildRights, CreateSession, Policy, SkillRule, SkillsAccess, ToolRule,
        UnloadSkillRequest,
    },
};

use super::{agent_with, begun, called, named, office, said};
use crate::{
    session::objects::stored,
    support::world::{BackendExt, World, code, id},
};

/// A session made from `s`.
async fn fork(world: &World, policy: Option<Policy>) -> SessionBackend {
    let wanted = CreateSession { parent: Some(id("s")), policy, ..CreateSession::default() };
    world.service.create_session(&id("demo"), &id("child"), wanted).await.unwrap();
    world.agent_of("demo", "child")
}

fn withholding() -> Policy {
    Policy { children: ChildRights { load: false, ..ChildRights::default() }, ..Policy::default() }
}

#[tokio::test]
async fn a_child_begins_with_the_skills_of_its_parent_and_loads_for_itself() {
    let world = office().await;
    let parent = world.agent();
    parent.load("office/pdf").await.unwrap();
    let child = fork(&world, None).await;
    assert_eq!(child.names("/skills").await.unwrap(), ["/skills/pdf"]);
    child.load("media/video").await.unwrap();
    assert_eq!(parent.names("/skills").await.unwrap(), ["/skills/pdf"]);
    assert!(said(&child, "hello").await.contains("- office/xlsx: "), "it has a context of its own");
}

// S-SESSION-32: A fork without a policy of its own has the preloads of its parent. It omits those of hidden skills, and no
// error names them.
#[tokio::test]
async fn a_fork_begins_without_the_preloads_that_a_policy_hides_by_now() {
    let world = office().await;
    let skills = ["media/video", "office/pdf"].map(path).to_vec();
    let policy = Policy { preload: skills.into(), ..Policy::default() };
    let parent = agent_with(&world, policy.clone()).await;
    parent.unload_skill(UnloadSkillRequest { skill: "office/pdf".into() }).await.unwrap();
    let hidden = Policy { skills: [("media/video".to_owned(), SkillRule::Blocked)].into(), ..Policy::default() };
    world.service.sessions().set_user_policy(&id("demo"), hidden).await.unwrap();
    let child = fork(&world, None).await;
    assert_eq!(child.names("/skills").await.unwrap(), ["/skills/pdf"]);

    let wanted = CreateSession { parent: Some(id("s")), policy: Some(policy), ..CreateSession::default() };
    let refused = world.service.create_session(&id("demo"), &id("other"), wanted).await;
    assert_eq!(code(refused.map(drop)), Code::SkillNotFound);
}

// S-SESSION-21: Without `load` a fork keeps the skills that it begins with and loads no other.
// S-SESSION-15: A fork may do no more than `children` in the policy of its parent allows.
#[tokio::test]
async fn a_child_that_may_not_load_keeps_what_its_parent_gave_it() {
    let world = office().await;
    let parent = agent_with(&world, Policy { preload: vec![path("office/pdf")].into(), ..withholding() }).await;
    parent.load("office/xlsx").await.unwrap();
    // Another policy does not open what the parent's closes.
    let preloading = Policy { preload: vec![path("media/video")].into(), ..Policy::default() };
    for policy in [None, Some(Policy::unrestricted()), Some(preloading)] {
        let child = fork(&world, policy).await;
        assert_eq!(child.names("/skills").await.unwrap(), ["/skills/pdf", "/skills/xlsx"]);
        assert_eq!(code(child.load("media/video").await), Code::ToolBlocked);
        let offered = tools::for_session(&child).await.unwrap();
        assert!(offered.iter().all(|tool| tool.tool.name() != "load_skill"));
        assert_eq!(said(&child, "cut films with ffmpeg").await, "");
        assert_eq!(stored(&world, "child").await["policy"]["tools"]["load_skill"], "blocked");
        world.service.sessions().delete(&id("demo"), &id("child")).await.unwrap();
    }
    parent.load("media/video").await.unwrap();
}

/// A policy that closes nothing by itself.
fn open() -> Policy {
    let tools = ["*", "load_skill", "create_skill"].map(|tool| (tool.to_owned(), ToolRule::Auto));
    Policy { tools: tools.into(), preload: vec![path("media/video")].into(), ..Policy::unrestricted() }
}

/// Gives the session `name` another policy, as a key of scope `control` does.
async fn give(world: &World, name: &str, policy: Policy) {
    let wanted = ChangeSession { policy: Some(policy), ..ChangeSession::default() };
    world.service.sessions().change(&id("demo"), &id(name), &wanted).await.unwrap();
}

/// Whether the agent may load a skill, write one, and change a file of the loaded one.
async fn rights(agent: &SessionBackend) -> ChildRights {
    let load = agent.load("media/image-generation").await.map(drop).map_err(|error| error.code());
    let offered = tools::for_session(agent).await.unwrap();
    let file = format!("/skills/pdf/{}.md", agent.session_id());
    let publish = agent.create(&file, "x").await.map(drop).map_err(|error| error.code());
    assert!([Ok(()), Err(Code::ToolBlocked)].contains(&load), "{load:?}");
    assert!([Ok(()), Err(Code::ReadOnly)].contains(&publish), "{publish:?}");
    let create = offered.iter().any(|tool| tool.tool.name() == "create_skill");
    ChildRights { load: load.is_ok(), create, publish: publish.is_ok() }
}

const NONE: ChildRights = ChildRights { load: false, create: false, publish: false };

// S-SESSION-23: A fork keeps its rights: a later policy of the fork gives back no right that its parent withheld.
#[tokio::test]
async fn what_was_withheld_from_a_child_stays_withheld_whatever_policy_it_is_given() {
    let world = office().await;
    let parent = agent_with(&world, withholding()).await;
    parent.load("office/pdf").await.unwrap();
    let child = fork(&world, None).await;
    give(&world, "child", open()).await;
    assert_eq!(rights(&child).await, NONE);
    let policy = &stored(&world, "child").await["policy"];
    assert_eq!((&policy["tools"]["load_skill"], &policy["preload"]), (&json!("blocked"), &json!([])));

    // An earlier version that changes the session drops what it was given; its policy still says that.
    let mut old = stored(&world, "child").await;
    assert!(old.as_object_mut().unwrap().remove("given").is_some());
    world.put("demo/.skillmount/sessions/child.json", old.to_string()).await;
    let other = world.replica();
    give(&other, "child", open()).await;
    assert_eq!(rights(&other.agent_of("demo", "child")).await, NONE);

    // Nor does a policy that the parent is given afterwards open it. It holds for those that are made then.
    give(&world, "s", Policy { children: ChildRights::ALL, ..open() }).await;
    give(&world, "child", open()).await;
    assert_eq!(rights(&child).await, NONE);
    let wanted = CreateSession { parent: Some(id("s")), ..CreateSession::default() };
    world.service.create_session(&id("demo"), &id("later"), wanted).await.unwrap();
    assert_eq!(rights(&world.agent_of("demo", "later")).await, ChildRights::ALL);
}

// S-SESSION-15: A fork may do no more than `children` in the policy of its parent allows.
#[tokio::test]
async fn what_the_policy_of_a_child_closes_by_itself_another_policy_opens() {
    let world = office().await;
    let parent = agent_with(&world, Policy { children: ChildRights::ALL, ..open() }).await;
    parent.load("office/pdf").await.unwrap();
    let child = fork(&world, None).await;
    let tools = ["load_skill", "create_skill"].map(|tool| (tool.to_owned(), ToolRule::Blocked)).into();
    let closed = Policy { tools, skills_access: SkillsAccess::Read, ..open() };
    give(&world, "child", closed).await;
    assert_eq!(rights(&child).await, NONE);
    // What the parent's policy says by now is for others.
    let withhold = |session: &mut Session| {
        session.policy.children = NONE;
        Ok(Change::Save(()))
    };
    world.service.sessions().update(&id("demo"), &id("s"), withhold).await.unwrap();
    give(&world, "child", open()).await;
    assert_eq!(rights(&child).await, ChildRights::ALL);
    // A session that was made from no other is what its policy says.
    give(&world, "s", open()).await;
    assert_eq!(rights(&parent).await, ChildRights::ALL);
}

fn path(text: &str) -> skillmount::path::SkillPath {
    skillmount::path::SkillPath::parse(text).unwrap()
}

#[tokio::test]
async fn of_two_policies_a_child_has_the_rights_that_both_give() {
    for (own, of_user) in [(withholding(), Policy::unrestricted()), (Policy::default(), withholding())] {
        let world = office().await;
        agent_with(&world, own).await;
        world.service.sessions().set_user_policy(&id("demo"), of_user).await.unwrap();
        let child = fork(&world, None).await;
        assert_eq!(code(child.load("media/video").await), Code::ToolBlocked);
        // Nor may one that is made from it.
        let wanted = CreateSession { parent: Some(id("child")), ..CreateSession::default() };
        world.service.create_session(&id("demo"), &id("grandchild"), wanted).await.unwrap();
        assert_eq!(code(world.agent_of("demo", "grandchild").load("media/video").await), Code::ToolBlocked);
    }
}

#[tokio::test]
async fn what_a_child_may_not_load_is_not_handed_down() {
    let world = office().await;
    let agents = [("*".to_owned(), vec!["*".to_owned()])].into();
    let agent = agent_with(&world, Policy { agents, ..withholding() }).await;
    assert_eq!(begun(&agent, "x").await, "");
    agent.load("office/pdf").await.unwrap();
    assert_eq!(named(&begun(&agent, "x").await), ["office/pdf"]);
    assert_eq!(named(&called(&agent, "x", "cut films with ffmpeg").await), ["office/pdf"]);
}

#[tokio::test]
async fn policies_without_the_new_members_are_read_and_defaults_are_not_written() {
    let world = office().await;
    agent_with(&world, Policy::default()).await;
    let policy = &stored(&world, "s").await["policy"];
    assert!(policy.get("children").is_none() && policy.get("agents").is_none(), "earlier versions read {policy}");
    let read: Policy = serde_json::from_value(policy.clone()).unwrap();
    assert_eq!((read.children, read.agents.len()), (ChildRights::default(), 0));
    assert_eq!(read.children, ChildRights { load: true, create: false, publish: false });

    let rights = json!({ "children": { "create": true }, "agents": { "x": ["a/*"] } });
    let read: Policy = serde_json::from_value(rights.clone()).unwrap();
    assert_eq!(read.children, ChildRights { load: true, create: true, publish: false });
    assert!(read.check().is_ok());
    let again: Policy = serde_json::from_value(serde_json::to_value(&read).unwrap()).unwrap();
    assert_eq!(again, read);
    for wrong in [json!({ "children": { "laod": true } }), json!({ "agents": ["a"] })] {
        assert!(serde_json::from_value::<Policy>(wrong.clone()).is_err(), "{wrong}");
    }
    let bad: Policy = serde_json::from_value(json!({ "agents": { "x": ["a/**"] } })).unwrap();
    assert_eq!(code(bad.check()), Code::InvalidRequest);
}

#[test]
fn a_policy_shows_an_agent_no_rule_that_names_a_skill_and_hands_the_skills_down() {
    let agents = json!({ "x": ["a/secret", "secret/*", "a/*", "*"] });
    let skills = json!({ "a/secret": "blocked", "secret/*": "disabled" });
    let policy: Policy = serde_json::from_value(json!({ "agents": agents, "skills": skills })).unwrap();
    let shown = policy.for_agent();
    assert_eq!(shown.agents["x"], ["*"]);
    assert!(shown.skills.is_empty(), "{shown:?}");
    assert!(policy.hands_down("x", &path("a/b")) && !policy.hands_down("y", &path("a/b")));
}
