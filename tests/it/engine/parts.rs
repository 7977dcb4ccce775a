//! What is said of changes of skills that land in part, and that the same call completes them. Time is paused throughout.

use skillmount::{
    Code, Outcome, Parts, Result,
    handle::SessionBackend,
    limits::SNAPSHOT_INLINE_FILES,
    path::ETag,
    store::{Verb, testing::Fault},
    wire::{
        BackendProtocol as _, ChildRights, CreateSession, DeleteReply, DeleteRequest, Policy, SkillsAccess, UploadFile,
        WriteCondition,
    },
};

use crate::support::world::{BackendExt, World, code, id};

/// What can befall the object of a session, and what the answer then says of it.
const TROUBLES: [(Trouble, Outcome, Code); 4] = [
    (Trouble::Busy, Outcome::NotApplied, Code::StoreUnavailable),
    (Trouble::Denied, Outcome::NotApplied, Code::StoreUnavailable),
    (Trouble::Contested, Outcome::NotApplied, Code::EditConflict),
    (Trouble::ReplyLost, Outcome::Unknown, Code::StoreUnavailable),
];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Trouble {
    Busy,
    Denied,
    Contested,
    ReplyLost,
}

impl Trouble {
    fn strike(self, world: &World) {
        let fault = match self {
            Self::Busy => Fault::Refuse,
            Self::Denied => Fault::Deny,
            Self::Contested => Fault::Disprove,
            Self::ReplyLost => Fault::LoseReply,
        };
        world.faults.for_keys(Verb::Put, "/sessions/", fault);
        world.faults.for_keys(Verb::Head, "/sessions/", Fault::Deny);
    }
}

/// A change of a file in a skill.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Change {
    Create,
    CreateByHeader,
    Overwrite,
    ReplaceVersion,
    Upload,
    Append,
    AppendAll,
    Delete,
}

const CHANGES: [Change; 8] = [
    Change::Create,
    Change::CreateByHeader,
    Change::Overwrite,
    Change::ReplaceVersion,
    Change::Upload,
    Change::Append,
    Change::AppendAll,
    Change::Delete,
];

/// What the log holds before; an append finds its place in what it leaves, so that a second one would show.
const LOG: &str = "<end> <end>";

impl Change {
    async fn make(self, agent: &SessionBackend, log: &ETag) -> Result<Option<u64>> {
        let (new, old) = ("/skills/k/new.md", "/skills/k/log.md");
        match self {
            Self::Create => agent.create(new, "text").await.map(|_| None),
            Self::CreateByHeader => {
                agent.files().put_file(new, "text".into(), WriteCondition::IfAbsent).await.map(|_| None)
            }
            Self::Overwrite => agent.overwrite(old, "text").await.map(|_| None),
            Self::ReplaceVersion => agent
                .files()
                .put_file(old, "text".into(), WriteCondition::IfMatch(vec![log.clone()]))
                .await
                .map(|_| None),
            Self::Upload => {
                let file = UploadFile { path: old.into(), bytes: "text".into() };
                agent.upload(vec![file]).await?.remove(0).result.map(|_| None)
            }
            Self::Append => agent.replace(old, LOG, &format!("line\n{LOG}")).await.map(|done| Some(done.occurrences)),
            Self::AppendAll => {
                let edit = serde_json::json!({"file_path": old, "old_string": "<end>", "new_string": "+<end>", "replace_all": true});
                agent.edit(serde_json::from_value(edit).unwrap()).await.map(|done| Some(done.occurrences))
            }
            Self::Delete => agent.remove(old).await.map(Some),
        }
    }

    /// The file it changes, and what that holds afterwards.
    fn result(self) -> (&'static str, Option<&'static str>) {
        match self {
            Self::Create | Self::CreateByHeader => ("new.md", Some("text")),
            Self::Overwrite | Self::ReplaceVersion | Self::Upload => ("log.md", Some("text")),
            Self::Append => ("log.md", Some("line\n<end> <end>")),
            Self::AppendAll => ("log.md", Some("+<end> +<end>")),
            Self::Delete => ("log.md", None),
        }
    }

    fn count(self) -> Option<u64> {
        match self {
            Self::Append | Self::Delete => Some(1),
            Self::AppendAll => Some(2),
            _ => None,
        }
    }
}

/// A world in which the session `s` has loaded the skill `k` and may change it, and the version of its log.
async fn world_with_skill() -> (World, ETag) {
    let world = World::new();
    world.put_skill("demo", "k", "A skill.", "body").await;
    world.put("demo/skills/k/log.md", LOG).await;
    let children = ChildRights { publish: true, ..ChildRights::default() };
    let policy = Policy { skills_access: SkillsAccess::Write, children, ..Policy::default() };
    let wanted = CreateSession { policy: Some(policy), ..CreateSession::default() };
    world.service.create_session(&id("demo"), &id("s"), wanted).await.unwrap();
    world.agent().load("k").await.unwrap();
    let log = world.agent().files().stat("/skills/k/log.md").await.unwrap().etag;
    (world, log)
}

async fn stored(world: &World, file: &str) -> Option<String> {
    world.bytes(&format!("demo/skills/k/{file}")).await.map(|bytes| String::from_utf8(bytes).unwrap())
}

/// What an agent of a process that has just started reads there.
async fn seen(world: &World, file: &str) -> Result<String> {
    world.replica().agent().text(&format!("/skills/k/{file}")).await
}

fn parts(file: Outcome, session: Outcome) -> Parts {
    Parts { file: Some(file), session: Some(session), audit: None }
}

// S-WRITE-4: A failed change says `not_applied`, `partial` or `unknown`, and never plain failure for a change that
// landed.
// S-WRITE-6: A change of a skill's file has two parts, the file and the session's snapshot, and a failed change reports
// both.
#[tokio::test(start_paused = true)]
async fn a_change_that_lands_in_part_says_so_and_the_same_call_completes_it() {
    for (trouble, session, error_code) in TROUBLES {
        for change in CHANGES {
            let (world, log) = world_with_skill().await;
            let agent = world.agent();
            trouble.strike(&world);
            let error = change.make(&agent, &log).await.unwrap_err();
            let what = format!("{change:?}, {trouble:?}: {error:?}");
            assert_eq!((error.code(), error.outcome()), (error_code, Some(Outcome::Partial)), "{what}");
            assert_eq!(error.parts(), Some(parts(Outcome::Applied, session)), "{what}");
            assert!(error.message().contains("make the same call again"), "{what}");
            let (file, expected) = change.result();
            assert_eq!(stored(&world, file).await.as_deref(), expected, "{what}");

            let again = change.make(&agent, &log).await;
            world.faults.clear();
            let repeated = match again {
                // The session had changed after all, and a look at it said so.
                Ok(count) if trouble == Trouble::ReplyLost => Ok(count),
                // It is not known yet whether it had.
                Err(_) if trouble == Trouble::ReplyLost => change.make(&agent, &log).await,
                again => {
                    let still = Some(parts(Outcome::Applied, session));
                    assert_eq!(again.unwrap_err().parts(), still, "still not there: {what}");
                    change.make(&agent, &log).await
                }
            };
            assert_eq!(repeated.unwrap_or_else(|error| panic!("{what}, again: {error:?}")), change.count());
            assert_eq!(stored(&world, file).await.as_deref(), expected, "done once: {what}");
            assert_eq!(seen(&world, file).await.ok().as_deref(), expected, "{what}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn another_process_completes_it_too() {
    for change in CHANGES {
        let (world, log) = world_with_skill().await;
        Trouble::Denied.strike(&world);
        change.make(&world.agent(), &log).await.unwrap_err();
        let other = world.replica();
        let (file, expected) = change.result();
        let repeated = change.make(&other.agent(), &log).await;
        assert_eq!(repeated.unwrap_or_else(|error| panic!("{change:?}: {error:?}")), change.count());
        assert_eq!(stored(&world, file).await.as_deref(), expected, "{change:?}");
        assert_eq!(seen(&world, file).await.ok().as_deref(), expected, "{change:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_completed_is_not_taken_for_half_done() {
    let (world, log) = world_with_skill().await;
    let agent = world.agent();
    for times in 1..=3 {
        Change::Append.make(&agent, &log).await.unwrap();
        assert_eq!(
            stored(&world, "log.md").await.unwrap().matches("line").count(),
            times,
            "the same edit is made again"
        );
    }
    Change::Create.make(&agent, &log).await.unwrap();
    let error = Change::Create.make(&agent, &log).await.unwrap_err();
    assert_eq!((error.code(), error.outcome()), (Code::AlreadyExists, Some(Outcome::NotApplied)));
    assert_eq!(error.parts(), Some(parts(Outcome::NotApplied, Outcome::NotApplied)));
    let error = Change::ReplaceVersion.make(&agent, &log).await.unwrap_err();
    assert_eq!((error.code(), error.outcome()), (Code::PreconditionFailed, Some(Outcome::NotApplied)));

    // A replica that knows the session only as it was before an edit takes the edit for a new one, as it is.
    let (world, log) = world_with_skill().await;
    let behind = world.replica();
    behind.agent().names("/skills").await.unwrap();
    Change::Append.make(&world.agent(), &log).await.unwrap();
    Change::Append.make(&behind.agent(), &log).await.unwrap();
    assert_eq!(stored(&world, "log.md").await.unwrap().matches("line").count(), 2);
    Change::Create.make(&world.agent(), &log).await.unwrap();
    assert_eq!(code(Change::Create.make(&behind.agent(), &log).await), Code::AlreadyExists);
}

#[tokio::test(start_paused = true)]
async fn the_same_words_of_another_session_are_another_call() {
    let (world, log) = world_with_skill().await;
    let sessions = world.service.sessions();
    let wanted = CreateSession { parent: Some(id("s")), ..CreateSession::default() };
    sessions.create(&id("demo"), &id("t"), wanted).await.unwrap();
    world.faults.for_keys(Verb::Put, "/sessions/s.json", Fault::Deny);
    Change::Create.make(&world.agent(), &log).await.unwrap_err();
    Change::Append.make(&world.agent(), &log).await.unwrap_err();
    let other = world.agent_of("demo", "t");
    assert_eq!(code(Change::Create.make(&other, &log).await), Code::AlreadyExists, "one of them made it");
    Change::Append.make(&other, &log).await.unwrap();
    assert_eq!(stored(&world, "log.md").await.unwrap().matches("line").count(), 2);

    world.faults.clear();
    let agent = world.agent();
    Change::Append.make(&agent, &log).await.unwrap();
    assert_eq!(
        stored(&world, "log.md").await.unwrap().matches("line").count(),
        2,
        "it is there, though others wrote since"
    );
    Change::Create.make(&agent, &log).await.unwrap();
    assert_eq!(agent.text("/skills/k/new.md").await.unwrap(), "text");
}

#[tokio::test(start_paused = true)]
async fn equal_edits_at_the_same_time_are_all_made() {
    let (world, log) = world_with_skill().await;
    let agent = world.agent();
    let edits = (0..8).map(|_| Change::Append.make(&agent, &log));
    for edited in futures_util::future::join_all(edits).await {
        edited.unwrap();
    }
    assert_eq!(stored(&world, "log.md").await.unwrap().matches("line").count(), 8);
}

#[tokio::test(start_paused = true)]
async fn a_first_part_that_fails_leaves_the_session_alone() {
    let cases = [
        (Fault::Deny, Outcome::NotApplied, Outcome::NotApplied),
        (Fault::Refuse, Outcome::NotApplied, Outcome::NotApplied),
        (Fault::LoseReply, Outcome::Unknown, Outcome::Partial),
        (Fault::LoseRequest, Outcome::Unknown, Outcome::Partial),
    ];
    for (fault, file, whole) in cases {
        for change in CHANGES {
            let (world, log) = world_with_skill().await;
            let version = world.agent().session().await.unwrap().version;
            let agent = world.agent();
            let verb = if change == Change::Delete { Verb::Delete } else { Verb::Put };
            world.faults.for_keys(verb, "skills/k/", fault);
            if verb == Verb::Put && file == Outcome::Unknown {
                world.faults.for_keys(Verb::Head, "skills/k/new.md", Fault::Deny);
                world.faults.script(Verb::Head, vec![Fault::None; usize::from(change == Change::ReplaceVersion)]);
                world.faults.for_keys(Verb::Head, "skills/k/log.md", Fault::Deny);
            }
            let result = change.make(&agent, &log).await;
            if (change, fault) == (Change::Delete, Fault::LoseReply) {
                assert_eq!(result.unwrap(), Some(1), "a look shows that it is gone");
                continue;
            }
            let error = result.unwrap_err();
            let what = format!("{change:?}, {fault:?}: {error:?}");
            assert_eq!(
                (error.parts(), error.outcome()),
                (Some(parts(file, Outcome::NotApplied)), Some(whole)),
                "{what}"
            );
            assert_eq!(world.agent().session().await.unwrap().version, version, "{what}");
            world.faults.clear();
            assert_eq!(
                change.make(&agent, &log).await.unwrap_or_else(|error| panic!("{what}: {error:?}")),
                change.count()
            );
            let (file, expected) = change.result();
            assert_eq!(stored(&world, file).await.as_deref(), expected, "done once: {what}");
            assert_eq!(seen(&world, file).await.ok().as_deref(), expected, "{what}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_list_of_files_beside_its_session_is_moved_on_by_every_replica() {
    let (world, _) = world_with_skill().await;
    for number in 0..=SNAPSHOT_INLINE_FILES {
        world.put(&format!("demo/skills/k/{number}"), "x").await;
    }
    world.agent().load("k").await.unwrap();
    let behind = world.replica();
    behind.agent().names("/skills/k").await.unwrap();
    world.agent().create("/skills/k/one", "1").await.unwrap();
    behind.agent().create("/skills/k/two", "2").await.unwrap();
    let names = world.replica().agent().names("/skills/k").await.unwrap();
    for name in ["/skills/k/one", "/skills/k/two"] {
        assert!(names.contains(&name.to_owned()), "{name}");
    }
    Trouble::Denied.strike(&world);
    world.faults.for_keys(Verb::Put, "/snapshots/", Fault::LoseReply);
    world.faults.for_keys(Verb::Head, "/snapshots/", Fault::Deny);
    let error = world.agent().create("/skills/k/three", "3").await.unwrap_err();
    assert_eq!(error.parts(), Some(parts(Outcome::Applied, Outcome::NotApplied)), "no session names that list");
}

// S-GATE-5: Policy `skills_access: write` lets an agent change files of loaded skills, and each such change moves the
// session's snapshot with it.
#[tokio::test(start_paused = true)]
async fn deleting_a_folder_of_a_skill_changes_the_session_once() {
    let (world, _) = world_with_skill().await;
    for number in 0..20 {
        world.put(&format!("demo/skills/k/old/{number:02}"), "x").await;
    }
    let agent = world.agent();
    agent.load("k").await.unwrap();
    let (version, puts) = (agent.session().await.unwrap().version, world.faults.seen(Verb::Put));
    world.faults.for_keys(Verb::Delete, "/old/1", Fault::Deny);
    let reply = delete(&agent, "/skills/k/old").await.unwrap();
    assert_eq!((reply.deleted, reply.failed.len()), (10, 10));
    assert_eq!((agent.session().await.unwrap().version, world.faults.seen(Verb::Put)), (version + 1, puts + 1));
    assert_eq!(agent.names("/skills/k/old").await.unwrap().len(), 10, "those that are left are seen");

    // Both kinds of trouble at once: the answer names what is left, and what became of the session.
    world.faults.clear();
    world.faults.for_keys(Verb::Delete, "/old/19", Fault::Deny);
    Trouble::Denied.strike(&world);
    let error = delete(&agent, "/skills/k/old").await.unwrap_err();
    assert_eq!(error.parts(), Some(parts(Outcome::Partial, Outcome::NotApplied)));
    assert_eq!(error.outcome(), Some(Outcome::Partial));
    assert_eq!(error.details()["failed"][0]["path"], "/skills/k/old/19");
    world.faults.clear();
    assert_eq!(delete(&agent, "/skills/k/old").await.unwrap().failed, []);
    assert_eq!(code(agent.names("/skills/k/old").await), Code::FileNotFound);
    assert!(!world.keys().await.iter().any(|key| key.contains("/old/")));
}

pub(crate) async fn delete(agent: &SessionBackend, path: &str) -> Result<DeleteReply> {
    agent.delete(DeleteRequest { path: path.to_owned() }).await
}
