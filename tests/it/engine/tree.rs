//! The virtual tree and its gate: what a session sees, and what it can never reach.

use crate::support::world::{BackendExt, World, code, id};
use skillmount::{
    Code,
    session::Change,
    wire::{BackendProtocol, GlobRequest, LoadSkillRequest, Policy, SkillRule, SkillsAccess, Visibility},
};

async fn set_policy(world: &World, change: impl Fn(&mut Policy)) {
    let (user, session) = (id("demo"), id("s"));
    let update = world.service.sessions().update(&user, &session, |session| {
        change(&mut session.policy);
        Ok(Change::Save(()))
    });
    update.await.unwrap();
}

// S-MOUNT-1: `ls /` lists `/workspace`, then `/ticket`, then `/skills` if at least one skill is loaded.
// S-GATE-1: `/skills` does not exist until a skill is loaded, and then lists the loaded skills by mount name and nothing
// else.
#[tokio::test]
async fn skills_appear_when_the_first_is_loaded_and_go_with_the_last() {
    let world = World::new();
    world.put_fixtures().await;
    let agent = world.agent();
    assert_eq!(agent.names("/").await.unwrap(), ["/workspace", "/ticket"]);
    assert_eq!(agent.names("/workspace").await.unwrap(), [""; 0]);
    assert_eq!(code(agent.names("/skills").await), Code::FileNotFound);
    agent.load("contratos/arrendamiento").await.unwrap();
    agent.load("escrituras/hipoteca").await.unwrap();
    assert_eq!(agent.names("/").await.unwrap(), ["/workspace", "/ticket", "/skills"]);
    assert_eq!(agent.names("/skills").await.unwrap(), ["/skills/arrendamiento", "/skills/hipoteca"]);
    for skill in ["arrendamiento", "escrituras/hipoteca"] {
        let request = skillmount::wire::UnloadSkillRequest { skill: skill.into() };
        agent.unload_skill(request).await.unwrap();
    }
    assert_eq!(agent.names("/").await.unwrap(), ["/workspace", "/ticket"]);
}

// S-MOUNT-2: `/workspace` lies at `{user}/threads/{session}/`, and `/ticket` at `{user}/tickets/{ticket_id}/`.
#[tokio::test]
async fn mounts_lie_where_their_templates_say() {
    let world = World::new();
    let vars = [("ticket_id".to_owned(), id("T-7"))].into();
    let wanted = skillmount::wire::CreateSession { vars, ..Default::default() };
    world.service.create_session(&id("demo"), &id("s"), wanted).await.unwrap();
    for agent in [world.agent(), world.agent_of("demo", "other")] {
        agent.create("/workspace/a", "w").await.unwrap();
        agent.create("/ticket/a", "t").await.unwrap();
    }
    let mut files = world.keys().await;
    files.retain(|key| !key.contains(".skillmount"));
    assert_eq!(files, ["demo/threads/other/a", "demo/threads/s/a", "demo/tickets/T-7/a", "demo/tickets/other/a"]);
}

// S-GATE-2: A path in an unloaded skill gives the same answer as a missing path, byte for byte but for the path itself.
#[tokio::test]
async fn an_unloaded_skill_and_an_absent_one_answer_alike() {
    let world = World::new();
    world.put_fixtures().await;
    let agent = world.agent();
    agent.load("contratos/arrendamiento").await.unwrap();
    for (there, absent) in [
        ("/skills/compraventa", "/skills/xxxxxxxxxxx"),
        ("/skills/compraventa/SKILL.md", "/skills/xxxxxxxxxxx/SKILL.md"),
        ("/skills/compraventa/resources", "/skills/arrendamiento/resources"),
    ] {
        let answers = |path: &'static str| {
            let agent = agent.clone();
            async move {
                let errors = [
                    agent.names(path).await.unwrap_err(),
                    agent.text(path).await.unwrap_err(),
                    agent.create(path, "x").await.unwrap_err(),
                    agent.replace(path, "a", "b").await.unwrap_err(),
                    agent.remove(path).await.unwrap_err(),
                    agent.files().stat(path).await.unwrap_err(),
                ];
                let found = agent.glob(GlobRequest { pattern: "**/*".into(), path: Some(path.into()) }).await.unwrap();
                let hits = agent.hits(".", Some(path)).await.unwrap();
                format!("{errors:?} {:?} {found:?} {hits:?}", errors.clone().map(|error| error.details().clone()))
            }
        };
        assert_eq!(answers(there).await.replace(there, "PATH"), answers(absent).await.replace(absent, "PATH"));
    }
}

// S-GATE-3: No file operation asks the store for a key of a skill that is not loaded.
#[tokio::test]
async fn searching_everything_never_asks_for_an_unloaded_skill() {
    let world = World::new();
    world.put_fixtures().await;
    let agent = world.agent();
    agent.load("contratos/arrendamiento").await.unwrap();
    let before = world.ledger.asked().len();
    assert!(!agent.hits("escritura", None).await.unwrap().iter().any(|hit| hit.contains("compraventa/")));
    assert!(!agent.find("**/*.md").await.unwrap().is_empty());
    agent.names("/").await.unwrap();
    for (_, key) in world.ledger.asked().split_off(before) {
        assert!(!key.contains("skills/") || key.starts_with("demo/skills/contratos/arrendamiento/"), "asked for {key}");
    }
}

// S-GATE-4: A write, edit or delete anywhere below `/skills` is `read_only`, whatever is there.
// S-DELETE-3: A caller cannot delete mounts, `/skills` or the folders of loaded skills.
#[tokio::test]
async fn skills_cannot_be_changed() {
    let world = World::new();
    world.put_fixtures().await;
    let agent = world.agent();
    agent.load("escrituras/compraventa").await.unwrap();
    let before = world.keys().await;
    for path in ["/skills/compraventa/SKILL.md", "/skills/compraventa/new.md", "/skills/none/x", "/skills/x", "/skills"]
    {
        assert_eq!(code(agent.create(path, "x").await), Code::ReadOnly, "{path}");
        assert_eq!(code(agent.overwrite(path, "x").await), Code::ReadOnly, "{path}");
        assert_eq!(code(agent.replace(path, "a", "b").await), Code::ReadOnly, "{path}");
        assert_eq!(code(agent.remove(path).await), Code::ReadOnly, "{path}");
    }
    assert_eq!(world.keys().await, before);
}

// S-GATE-5: Policy `skills_access: write` lets an agent change files of loaded skills, and each such change moves the
// session's snapshot with it.
// S-DELETE-3: A caller cannot delete mounts, `/skills` or the folders of loaded skills.
#[tokio::test]
async fn a_policy_may_open_loaded_skills_for_writing() {
    let world = World::new();
    world.put_fixtures().await;
    set_policy(&world, |policy| policy.skills_access = SkillsAccess::Write).await;
    let agent = world.agent();
    assert_eq!(code(agent.create("/skills/compraventa/new.md", "x").await), Code::ReadOnly, "not loaded yet");
    let loaded = agent.load("escrituras/compraventa").await.unwrap();
    agent.create("/skills/compraventa/new.md", "one").await.unwrap();
    agent.replace("/skills/compraventa/new.md", "one", "two").await.unwrap();
    assert_eq!(agent.text("/skills/compraventa/new.md").await.unwrap(), "two");
    assert!(agent.names("/skills/compraventa").await.unwrap().contains(&"/skills/compraventa/new.md".to_owned()));
    assert_eq!(world.bytes("demo/skills/escrituras/compraventa/new.md").await.unwrap(), b"two");
    let digest = agent.session().await.unwrap().loaded_skills[0].digest.clone();
    assert_ne!(digest, loaded.digest);
    assert_eq!(agent.load("escrituras/compraventa").await.unwrap().digest, digest, "the snapshot is what is there");
    assert_eq!(agent.remove("/skills/compraventa/new.md").await.unwrap(), 1);
    assert_eq!(code(agent.text("/skills/compraventa/new.md").await), Code::FileNotFound);
    assert_eq!(code(agent.remove("/skills/compraventa").await), Code::ReadOnly);
}

// S-GATE-6: Policy `visibility: all` shows every permitted skill as `/skills/{mount}`, read-only.
#[tokio::test]
async fn a_policy_may_show_every_skill() {
    let world = World::new();
    world.put_fixtures().await;
    set_policy(&world, |policy| {
        policy.visibility = Visibility::All;
        policy.skills.insert("contratos/*".into(), SkillRule::Blocked);
    })
    .await;
    let agent = world.agent();
    assert_eq!(agent.names("/skills").await.unwrap(), ["/skills/compraventa", "/skills/hipoteca"]);
    assert!(agent.text("/skills/hipoteca/SKILL.md").await.unwrap().contains("name: hipoteca"));
    assert_eq!(code(agent.text("/skills/arrendamiento/SKILL.md").await), Code::FileNotFound);
    assert_eq!(code(agent.overwrite("/skills/hipoteca/SKILL.md", "x").await), Code::ReadOnly);
}

// S-PIN-1: Below `/skills`, a read serves the snapshot taken at load, and fetches each file with `If-Match`.
// S-PIN-2: If a file of a loaded skill has changed in the bucket and its old bytes are gone, a read is `skill_changed`
// and asks for a new load.
#[tokio::test]
async fn a_loaded_skill_is_the_one_that_was_loaded() {
    let world = World::new();
    world.put_skill("demo", "venta", "Sells.", "old body\n").await;
    world.put("demo/skills/venta/read.md", "old\n").await;
    world.put("demo/skills/venta/unread.md", "old\n").await;
    let agent = world.agent();
    agent.load("venta").await.unwrap();
    agent.text("/skills/venta/read.md").await.unwrap();
    for file in ["read.md", "unread.md", "added.md"] {
        world.put(&format!("demo/skills/venta/{file}"), "new\n").await;
    }
    assert_eq!(agent.text("/skills/venta/read.md").await.unwrap(), "old\n", "its bytes are still in memory");
    let changed = agent.text("/skills/venta/unread.md").await.unwrap_err();
    assert_eq!(changed.code(), Code::SkillChanged);
    assert!(changed.message().contains("load_skill"));
    assert_eq!(code(agent.text("/skills/venta/added.md").await), Code::FileNotFound);
    agent.load("venta").await.unwrap();
    assert_eq!(agent.text("/skills/venta/unread.md").await.unwrap(), "new\n");
    assert_eq!(agent.text("/skills/venta/added.md").await.unwrap(), "new\n");
}

// S-LOAD-1: `load_skill` takes a skill path, a mount name or a frontmatter name, and tries them in that order.
#[tokio::test]
async fn a_skill_answers_to_its_path_its_folder_and_its_name() {
    let world = World::new();
    world.put("demo/skills/a/folder/SKILL.md", "---\nname: title\ndescription: One.\n---\nx").await;
    world.put("demo/skills/title/SKILL.md", "---\nname: other\ndescription: Two.\n---\nx").await;
    let agent = world.agent();
    assert_eq!(agent.load("a/folder").await.unwrap().skill, "a/folder");
    assert_eq!(agent.load("folder").await.unwrap().skill, "a/folder");
    assert_eq!(agent.load("title").await.unwrap().skill, "title", "a path comes before a name");
    assert_eq!(agent.load("other").await.unwrap().skill, "title");
}

// S-LOAD-2: A name that several skills answer to is `ambiguous_skill` with the candidates, and an unknown name is
// `skill_not_found` with the nearest names.
#[tokio::test]
async fn names_that_are_unclear_or_unknown_are_answered_with_what_there_is() {
    let world = World::new();
    world.put_fixtures().await;
    world.put_skill("demo", "x/twin", "One.", "x").await;
    world.put_skill("demo", "y/twin", "Two.", "x").await;
    let agent = world.agent();
    let unclear = agent.load("twin").await.unwrap_err();
    assert_eq!(
        (unclear.code(), &unclear.details()["candidates"]),
        (Code::AmbiguousSkill, &serde_json::json!(["x/twin", "y/twin"]))
    );
    let unknown = agent.load("compravneta").await.unwrap_err();
    assert_eq!(
        (unknown.code(), &unknown.details()["suggestions"][0]),
        (Code::SkillNotFound, &serde_json::json!("escrituras/compraventa"))
    );
    assert_eq!(code(agent.load("venta").await), Code::SkillNotFound, "venta is not compraventa");
    for odd in ["", "../u2", "a//b", &"x".repeat(5000)] {
        assert_eq!(code(agent.load(odd).await), Code::SkillNotFound, "{odd:.20}");
    }
}

// S-LOAD-3: A second skill whose mount name is taken is `mount_conflict`, unless the load names another with
// `mount_as`.
#[tokio::test]
async fn two_skills_of_one_name_need_two_mounts() {
    let world = World::new();
    world.put_skill("demo", "x/twin", "One.", "first").await;
    world.put_skill("demo", "y/twin", "Two.", "second").await;
    let agent = world.agent();
    agent.load("x/twin").await.unwrap();
    assert_eq!(code(agent.load("y/twin").await), Code::MountConflict);
    let request = |name: &str| LoadSkillRequest { mount_as: Some(name.into()), ..LoadSkillRequest::new("y/twin") };
    assert_eq!(agent.load_skill(request("other")).await.unwrap().mount, "/skills/other");
    assert_eq!(agent.names("/skills").await.unwrap(), ["/skills/other", "/skills/twin"]);
    assert!(agent.text("/skills/other/SKILL.md").await.unwrap().contains("second"));
    assert_eq!(code(agent.load_skill(request("a/b")).await), Code::InvalidRequest);
}

// S-LOAD-6: With `body: false`, `load_skill` answers everything but the instructions, for a framework that has them
// elsewhere.
#[tokio::test]
async fn a_load_leaves_the_instructions_out_where_they_are_not_wanted() {
    let world = World::new();
    world.put_fixtures().await;
    let agent = world.agent();
    let without = LoadSkillRequest { body: false, ..LoadSkillRequest::new("contratos/arrendamiento") };
    let without = agent.load_skill(without).await.unwrap();
    assert_eq!(without.body, None);
    let with = agent.load("contratos/arrendamiento").await.unwrap();
    assert!(with.body.is_some_and(|body| !body.is_empty()));
    assert_eq!((without.digest, without.files, without.parameters), (with.digest, with.files, with.parameters));
}

// S-LOAD-4: A repeated load answers `already_loaded`, or `reloaded` with the new snapshot if the files changed.
#[tokio::test]
async fn loading_again_says_whether_anything_changed() {
    use skillmount::wire::LoadStatus::{AlreadyLoaded, Loaded, Reloaded};
    let world = World::new();
    world.put_skill("demo", "venta", "Sells.", "one").await;
    let agent = world.agent();
    let first = agent.load("venta").await.unwrap();
    let again = agent.load("venta").await.unwrap();
    world.put("demo/skills/venta/more.md", "x").await;
    let changed = agent.load("venta").await.unwrap();
    assert_eq!([first.status, again.status, changed.status], [Loaded, AlreadyLoaded, Reloaded]);
    assert_eq!(first.digest, again.digest);
    assert_ne!(first.digest, changed.digest);
    assert_eq!(changed.files.len(), 2);
}

// S-LOAD-5: The skill loaded last is the current skill, and unloading hides a skill again.
#[tokio::test]
async fn the_last_skill_loaded_is_current() {
    let world = World::new();
    world.put_fixtures().await;
    let agent = world.agent();
    let current = || async { agent.session().await.unwrap().current_skill.clone().map(String::from) };
    agent.load("hipoteca").await.unwrap();
    agent.load("compraventa").await.unwrap();
    agent.load("hipoteca").await.unwrap();
    assert_eq!(current().await.as_deref(), Some("escrituras/hipoteca"));
    let unload = |skill: &str| skillmount::wire::UnloadSkillRequest { skill: skill.into() };
    agent.unload_skill(unload("hipoteca")).await.unwrap();
    assert_eq!(current().await.as_deref(), Some("escrituras/compraventa"));
    assert_eq!(code(agent.text("/skills/hipoteca/SKILL.md").await), Code::FileNotFound);
    let again = agent.unload_skill(unload("hipoteca")).await.unwrap();
    assert_eq!(again.status, skillmount::wire::UnloadStatus::NotLoaded);
}

#[tokio::test]
async fn a_folder_inside_a_skill_is_a_part_of_it_and_not_a_skill() {
    let world = World::new();
    world.put_skill("demo", "outer", "Outer.", "x").await;
    world.put_skill("demo", "outer/inner", "Inner.", "x").await;
    let agent = world.agent();
    assert_eq!(code(agent.load("outer/inner").await), Code::SkillNotFound);
    agent.load("outer").await.unwrap();
    assert!(agent.text("/skills/outer/inner/SKILL.md").await.unwrap().contains("Inner."));
}

#[tokio::test]
async fn blocked_and_disabled_skills_answer_as_if_they_were_not_there() {
    let world = World::new();
    world.put_fixtures().await;
    let agent = world.agent();
    agent.load("hipoteca").await.unwrap();
    set_policy(&world, |policy| {
        policy.skills.insert("escrituras/hipoteca".into(), SkillRule::Disabled);
        policy.skills.insert("contratos/*".into(), SkillRule::Blocked);
        policy.skills.insert("escrituras/compraventa".into(), SkillRule::AskFirst);
    })
    .await;
    for hidden in ["hipoteca", "escrituras/hipoteca", "arrendamiento", "contratos/arrendamiento"] {
        assert_eq!(code(agent.load(hidden).await), Code::SkillNotFound, "{hidden}");
    }
    assert_eq!(code(agent.text("/skills/hipoteca/SKILL.md").await), Code::FileNotFound);
    assert_eq!(code(agent.load("compraventa").await), Code::ApprovalRequired);
}

#[tokio::test]
async fn plan_mode_and_tool_rules_hold() {
    use skillmount::wire::ToolRule::{Ask, Blocked};
    let world = World::new();
    let agent = world.agent();
    agent.create("/workspace/a", "x").await.unwrap();
    set_policy(&world, |policy| policy.plan_mode = true).await;
    assert_eq!(agent.text("/workspace/a").await.unwrap(), "x");
    assert_eq!(code(agent.create("/workspace/b", "x").await), Code::PlanMode);
    assert_eq!(code(agent.replace("/workspace/a", "x", "y").await), Code::PlanMode);
    assert_eq!(code(agent.remove("/workspace/a").await), Code::PlanMode);
    set_policy(&world, |policy| {
        policy.plan_mode = false;
        policy.tools.insert("grep".into(), Blocked);
        policy.tools.insert("write".into(), Ask);
    })
    .await;
    assert_eq!(code(agent.hits("x", None).await), Code::ToolBlocked);
    assert_eq!(code(agent.create("/workspace/b", "x").await), Code::ApprovalRequired);
}
