//! What authors do with the skills of a store, as any surface would ask for it: push, pull, lint and the catalog's state.

use std::sync::Arc;

use bytes::Bytes;
use skillmount::{
    Code, Result,
    client::sync::{PullHow, PullOptions, PullResult, PushOptions, PushResult, PushStatus, pull_skill, push_skill},
    clock::SystemClock,
    content::DraftReader,
    handle::{ServiceOptions, StoreRepository},
    path::{KeyPrefix, SkillPath},
    publish::{PublishOptions, UploadedSkill},
    skill::FindingCode,
    store::{DeleteOptions, MemoryStore, ReadOnly, Verb, testing::Fault},
    wire::{FileChanges, LintListRequest, ListedState, Policy, SkillListRequest, SkillRepository, VersionListRequest},
};

use crate::support::{
    draft::Draft,
    world::{World, code, id},
};

const MAIN: &str = "---\nname: sale\ndescription: Prepares a sale.\n---\nBegin.\n";
const KEY: &str = "demo/skills/legal/sale";

fn sale() -> SkillPath {
    SkillPath::parse("legal/sale").unwrap()
}

fn author(world: &World) -> StoreRepository {
    StoreRepository::new(world.service.clone(), id("demo"))
}

async fn push_with(world: &World, draft: &mut Draft, options: PushOptions) -> Result<PushResult> {
    let author = author(world);
    let there = author.skill_digests(Some(&sale())).await?.skills.pop();
    push_skill(&author, &sale(), draft, there.as_ref(), &options).await
}

async fn push(world: &World, draft: &mut Draft) -> Result<PushResult> {
    push_with(world, draft, PushOptions::default()).await
}

async fn pull(world: &World, draft: &mut Draft, how: PullHow, dry_run: bool) -> Result<Option<PullResult>> {
    let author = author(world);
    match author.skill_digests(Some(&sale())).await?.skills.pop() {
        Some(there) => {
            pull_skill(&author, &there, draft, &PullOptions { how, dry_run, ..PullOptions::default() }).await
        }
        None => Ok(None),
    }
}

async fn pulled(world: &World) -> Draft {
    let mut draft = Draft::default();
    pull(world, &mut draft, PullHow::Careful, false).await.unwrap().unwrap();
    draft
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

// S-AUTHOR-20: A file that its author saves during the pull stays, and the status is 6.
#[tokio::test]
async fn what_an_author_saves_while_a_pull_writes_stays_and_the_next_pull_asks() {
    for (how, saved) in [(PullHow::Careful, "b.md"), (PullHow::Careful, "gone.md"), (PullHow::Merge, "b.md")] {
        let world = World::new();
        let mut other = Draft::new(&[("SKILL.md", MAIN), ("a.md", "one\n"), ("b.md", "one\n"), ("gone.md", "one\n")]);
        push(&world, &mut other).await.unwrap();
        let mut draft = pulled(&world).await;
        other.set("a.md", "two\n");
        other.set("b.md", "two\n");
        other.files.remove("gone.md");
        push(&world, &mut other).await.unwrap();
        draft.saves = Some(["a.md", saved, "mine\n"]);
        let before = draft.known.clone();
        let report = pull(&world, &mut draft, how, false).await.unwrap().unwrap();
        assert_eq!(draft.text(saved), "mine\n", "{how:?}");
        assert!(report.refused.len() == 1 && report.refused[0].contains("was changed here"), "{:?}", report.refused);
        assert!(
            !report.changes.updated.contains(&saved.to_owned()) && !report.changes.deleted.contains(&saved.to_owned())
        );
        assert_eq!((draft.text("a.md"), &draft.known), ("two\n", &before), "what is not whole is not remembered");
        draft.saves = None;
        let again = pull(&world, &mut draft, PullHow::Careful, false).await.unwrap().unwrap();
        assert_eq!((again.conflicts, draft.text(saved)), (names(&[saved]), "mine\n"));
    }
}

// S-AUTHOR-21: A folder that comes from another skill counts as a folder that remembers no version.
#[tokio::test]
async fn a_folder_that_comes_from_another_skill_is_not_taken_for_an_older_version_of_this_one() {
    let world = World::new();
    let mut of_sale = Draft::new(&[("SKILL.md", MAIN), ("only.md", "sale")]);
    push(&world, &mut of_sale).await.unwrap();
    let (author, other) = (author(&world), SkillPath::parse("legal/lease").unwrap());
    let mut of_lease = Draft::new(&[("SKILL.md", &MAIN.replace("sale", "lease")), ("other.md", "lease")]);
    push_skill(&author, &other, &mut of_lease, None, &PushOptions::default()).await.unwrap();
    let report = pull(&world, &mut of_lease, PullHow::Careful, false).await.unwrap().unwrap();
    assert_eq!((report.conflicts, of_lease.text("other.md")), (names(&["SKILL.md"]), "lease"));
    assert!(of_lease.text("SKILL.md").contains("lease"));
}

#[tokio::test]
async fn a_push_makes_the_skill_what_the_folder_is_and_the_same_again_nothing() {
    let world = World::new();
    let mut draft = Draft::new(&[("SKILL.md", MAIN), ("a.md", "one"), ("b.md", "two"), ("c.md", "three")]);
    let pushed = push(&world, &mut draft).await.unwrap();
    assert_eq!((pushed.status, pushed.changes.created.len()), (PushStatus::New, 4));
    let again = push(&world, &mut draft).await.unwrap();
    assert_eq!((again.status, again.changes.unchanged, &again.digest), (PushStatus::Unchanged, 4, &pushed.digest));
    draft.set("a.md", "ONE");
    draft.files.remove("c.md");
    let dry = push_with(&world, &mut draft, PushOptions { dry_run: true, ..PushOptions::default() }).await.unwrap();
    let changes =
        FileChanges { updated: names(&["a.md"]), deleted: names(&["c.md"]), unchanged: 2, ..FileChanges::default() };
    assert_eq!((dry.status, &dry.changes), (PushStatus::Changed, &changes));
    assert_eq!(world.bytes(&format!("{KEY}/a.md")).await.unwrap(), b"one", "a dry run changes nothing");
    assert_eq!(push(&world, &mut draft).await.unwrap().changes, changes);
    assert_eq!(world.bytes(&format!("{KEY}/a.md")).await.unwrap(), b"ONE");
    assert_eq!(world.bytes(&format!("{KEY}/c.md")).await, None);
    let versions = author(&world).list_versions(&sale(), &VersionListRequest::default()).await.unwrap();
    assert_eq!(versions.versions.len(), 2, "what was pushed before is a version");
}

// S-AUTHOR-4: `push` of N unchanged skills is the LIST requests of the user's skills and N GET, of their heads.
#[tokio::test]
async fn what_is_unchanged_is_known_without_reading_it() {
    let world = World::new();
    let files = [("SKILL.md", MAIN), ("a.md", "one"), ("b.md", "two")];
    push(&world, &mut Draft::new(&files)).await.unwrap();
    // As a process that remembers nothing, and a folder that does not either.
    let (world, mut draft) = (world.replica(), Draft::new(&files));
    assert_eq!(push(&world, &mut draft).await.unwrap().status, PushStatus::Unchanged);
    let asked: Vec<_> = world.ledger.asked().iter().map(|(verb, key)| (*verb, key.clone())).collect();
    let head = "demo/.skillmount/heads/legal/sale.json".to_owned();
    assert_eq!(asked, [(Verb::List, format!("{KEY}/")), (Verb::Get, head)]);
    assert!(draft.known.is_some(), "from now on it comes from this version");
}

// S-AUTHOR-7: A push publishes over the version that its folder comes from, and over no other.
#[tokio::test]
async fn a_push_over_what_another_author_published_is_refused_with_the_three_versions() {
    let world = World::new();
    push(&world, &mut Draft::new(&[("SKILL.md", MAIN), ("a.md", "one\n")])).await.unwrap();
    let (mut ana, mut ben) = (pulled(&world).await, pulled(&world).await);
    ana.set("a.md", "Ana\n");
    push(&world, &mut ana).await.unwrap();
    ben.set("a.md", "Ben\n");
    let refused = push(&world, &mut ben).await.unwrap();
    let conflict = refused.conflict.unwrap();
    assert_eq!(
        (refused.status, conflict.base.is_some(), &conflict.theirs),
        (PushStatus::Conflict, true, &refused.digest)
    );
    let file = &conflict.files[0];
    let sides = [&file.base, &file.theirs, &file.mine].map(|side| side.as_ref().unwrap().to_vec());
    assert_eq!((conflict.files.len(), sides), (1, ["one\n", "Ana\n", "Ben\n"].map(|text| text.as_bytes().to_vec())));
    assert_eq!(world.bytes(&format!("{KEY}/a.md")).await.unwrap(), b"Ana\n");
    // A folder that does not know where it comes from is refused as well.
    let mut stranger = Draft::new(&[("SKILL.md", MAIN)]);
    let refused = push(&world, &mut stranger).await.unwrap();
    assert_eq!((refused.status, refused.conflict.unwrap().base), (PushStatus::Conflict, None));
    let forced = push_with(&world, &mut ben, PushOptions { force: true, ..PushOptions::default() }).await.unwrap();
    assert_eq!((forced.status, forced.changes.updated), (PushStatus::Changed, names(&["a.md"])));
    assert_eq!(world.bytes(&format!("{KEY}/a.md")).await.unwrap(), b"Ben\n");
}

#[tokio::test]
async fn what_lies_there_unpublished_is_taken_over_if_it_is_the_same() {
    let world = World::new();
    world.put(&format!("{KEY}/SKILL.md"), MAIN).await;
    let mut draft = Draft::new(&[("SKILL.md", MAIN)]);
    assert_eq!(push(&world, &mut draft).await.unwrap().status, PushStatus::Unchanged);
    let known = author(&world).skill_digests(None).await.unwrap();
    assert_eq!(known.find(&sale()).unwrap().digest.as_deref(), Some(draft.known.unwrap().digest.as_str()));
}

#[tokio::test]
async fn a_push_that_cannot_read_its_files_changes_nothing() {
    let world = World::new();
    let mut draft = Draft::new(&[("SKILL.md", MAIN), ("a.md", "one")]);
    draft.left.lock().unwrap().insert("a.md", 1);
    assert_eq!(push(&world, &mut draft).await.unwrap_err().message(), "the disk is gone");
    assert_eq!(world.bytes(&format!("{KEY}/SKILL.md")).await, None);
}

#[tokio::test]
async fn nothing_is_pushed_to_a_store_that_can_only_be_read() {
    let options = ServiceOptions { access: ReadOnly::from("it is being moved").into(), ..ServiceOptions::default() };
    let world = World::with(Arc::new(MemoryStore::like_s3()), options);
    let mut draft = Draft::new(&[("SKILL.md", MAIN)]);
    assert_eq!(push(&world, &mut draft).await.unwrap_err().code(), Code::ReadOnly);
    assert_eq!(world.bytes(&format!("{KEY}/SKILL.md")).await, None);
}

// S-AUTHOR-8: A pull leaves the author's changes since the version that the folder comes from.
#[tokio::test]
async fn a_pull_takes_what_others_changed_and_leaves_what_is_changed_here() {
    let world = World::new();
    let files = [("SKILL.md", MAIN), ("a.md", "one\n"), ("b.md", "two\n"), ("c.md", "three\n"), ("d.md", "four\n")];
    push(&world, &mut Draft::new(&files)).await.unwrap();
    let (mut ana, mut ben) = (pulled(&world).await, pulled(&world).await);
    ana.set("a.md", "Ana\n");
    ana.files.remove("b.md");
    ana.set("new.md", "new\n");
    push(&world, &mut ana).await.unwrap();
    ben.set("c.md", "Ben\n");
    ben.files.remove("d.md");
    let expected = FileChanges {
        created: names(&["new.md"]),
        updated: names(&["a.md"]),
        deleted: names(&["b.md"]),
        unchanged: 1,
        kept: names(&["c.md", "d.md"]),
    };
    let dry = pull(&world, &mut ben, PullHow::Careful, true).await.unwrap().unwrap();
    assert_eq!((&dry.changes, ben.text("a.md")), (&expected, "one\n"), "a dry run changes nothing");
    assert_eq!(pull(&world, &mut ben, PullHow::Careful, false).await.unwrap().unwrap().changes, expected);
    assert_eq!((ben.text("a.md"), ben.text("c.md"), ben.text("b.md")), ("Ana\n", "Ben\n", ""));
    let pushed = push(&world, &mut ben).await.unwrap();
    assert_eq!((pushed.status, pushed.changes.deleted), (PushStatus::Changed, names(&["d.md"])));
}

// S-AUTHOR-17: `--merge` joins the lines of both sides, with marks if both changed the same lines, and `--force` takes
// the files of the store.
#[tokio::test]
async fn what_both_changed_is_left_joined_or_replaced_as_is_asked_for() {
    let world = World::new();
    push(&world, &mut Draft::new(&[("SKILL.md", MAIN), ("a.md", "1\n2\n3\n"), ("b.md", "1\n")])).await.unwrap();
    let (mut ana, mut ben) = (pulled(&world).await, pulled(&world).await);
    ana.set("a.md", "Ana\n2\n3\n");
    ana.set("b.md", "Ana\n");
    push(&world, &mut ana).await.unwrap();
    ben.set("a.md", "1\n2\nBen\n");
    ben.set("b.md", "Ben\n");
    let careful = pull(&world, &mut ben, PullHow::Careful, false).await.unwrap().unwrap();
    assert_eq!((careful.conflicts, ben.text("a.md")), (names(&["a.md", "b.md"]), "1\n2\nBen\n"));
    assert_eq!(push(&world, &mut ben).await.unwrap().status, PushStatus::Conflict, "it still comes from the old one");
    let joined = pull(&world, &mut ben, PullHow::Merge, false).await.unwrap().unwrap();
    assert_eq!((joined.marked, ben.text("a.md")), (names(&["b.md"]), "Ana\n2\nBen\n"));
    assert_eq!(ben.text("b.md"), "<<<<<<< mine\nBen\n=======\nAna\n>>>>>>> theirs\n");
    let refused = push(&world, &mut ben).await.unwrap_err();
    assert!(refused.message().contains("both versions stand between marks"), "{refused:?}");
    ben.set("b.md", "Ben and Ana\n");
    assert_eq!(push(&world, &mut ben).await.unwrap().status, PushStatus::Changed);
    ana.set("b.md", "Ana again\n");
    pull(&world, &mut ana, PullHow::Theirs, false).await.unwrap();
    assert_eq!(ana.text("b.md"), ben.text("b.md"));
}

// S-AUTHOR-19: A pull does not fetch files of the store that belong to a tool, and says so.
#[tokio::test]
async fn what_belongs_to_a_tool_is_not_pulled_and_is_alone_no_change() {
    let world = World::new();
    world.put(&format!("{KEY}/SKILL.md"), MAIN).await;
    world.put(&format!("{KEY}/.git/config"), "[core]").await;
    let mut draft = Draft::default();
    let first = pull(&world, &mut draft, PullHow::Careful, false).await.unwrap().unwrap();
    assert_eq!((&first.of_tools, first.refused.len(), draft.files.len()), (&names(&[".git/config"]), 0, 1));
    // Of a version that was published with it, nothing is fetched to see that nothing changed.
    let author = author(&world);
    let mut there = author.skill_digests(Some(&sale())).await.unwrap().skills.pop().unwrap();
    there.digest = draft.known.as_ref().map(|known| known.digest.clone());
    let options = PullOptions::default();
    let again = pull_skill(&author, &there, &mut draft, &options);
    let (again, requests) = world.cost(again).await;
    assert_eq!((again.unwrap().unwrap().of_tools, requests.get), (names(&[".git/config"]), 0));
    for dry_run in [true, false] {
        let same = push_with(&world, &mut draft, PushOptions { dry_run, ..PushOptions::default() }).await.unwrap();
        assert_eq!((same.status, same.changes.changed()), (PushStatus::Unchanged, 0));
    }
    assert_eq!(world.bytes(&format!("{KEY}/.git/config")).await.unwrap(), b"[core]");
    draft.set("a.md", "one\n");
    let pushed = push(&world, &mut draft).await.unwrap();
    assert_eq!((pushed.status, pushed.changes.deleted), (PushStatus::Changed, names(&[".git/config"])));
    assert_eq!(pull(&world, &mut draft, PullHow::Careful, false).await.unwrap().unwrap().of_tools, names(&[]));
}

#[tokio::test]
async fn files_of_an_unknown_version_are_left_and_those_that_are_the_same_are_known_then() {
    let world = World::new();
    push(&world, &mut Draft::new(&[("SKILL.md", MAIN), ("a.md", "one")])).await.unwrap();
    let mut draft = Draft::new(&[("a.md", "mine"), ("more.md", "mine")]);
    let refused = pull(&world, &mut draft, PullHow::Careful, false).await.unwrap().unwrap();
    assert_eq!((refused.conflicts, draft.files.len(), draft.known.is_none()), (names(&["a.md"]), 2, true));
    draft.set("a.md", "one");
    let whole = pull(&world, &mut draft, PullHow::Careful, false).await.unwrap().unwrap();
    assert_eq!((whole.changes.created, draft.known.is_some()), (names(&["SKILL.md"]), true));
    assert_eq!(draft.text("more.md"), "mine");
    let requests = world.cost(pull(&world, &mut draft, PullHow::Careful, false)).await.1;
    assert_eq!((requests.list, requests.get), (1, 1), "what is unchanged is not fetched");
}

#[tokio::test]
async fn a_push_takes_the_place_of_a_draft_by_force_alone() {
    let world = World::new();
    let drafted = UploadedSkill::Files(vec![("SKILL.md".to_owned(), Bytes::from(MAIN))]);
    world.service.publisher().draft_skill(&id("demo"), &sale(), drafted, PublishOptions::default()).await.unwrap();
    let mut draft = Draft::new(&[("SKILL.md", MAIN), ("a.md", "more")]);
    let refused = push(&world, &mut draft).await.unwrap_err();
    assert_eq!(refused.code(), Code::VersionConflict);
    assert!(refused.message().starts_with("legal/sale is a draft"), "{refused}");
    let force = PushOptions { force: true, ..PushOptions::default() };
    assert_eq!(push_with(&world, &mut draft, force).await.unwrap().status, PushStatus::New);
    let (policy, wanted) = (Policy::default(), SkillListRequest::default());
    let listed =
        world.service.library().list_skills(&id("demo"), &policy, &wanted, DraftReader::Control).await.unwrap();
    assert_eq!(listed.skills[0].state, ListedState::Published);
}

#[tokio::test]
async fn the_same_skill_from_two_authors_is_no_conflict() {
    let world = World::new();
    push(&world, &mut Draft::new(&[("SKILL.md", MAIN)])).await.unwrap();
    let mut other = Draft::new(&[("SKILL.md", MAIN)]);
    // It was not there yet when the other author looked.
    let pushed = push_skill(&author(&world), &sale(), &mut other, None, &PushOptions::default()).await.unwrap();
    assert_eq!((pushed.status, pushed.changes.unchanged, other.known.is_some()), (PushStatus::Unchanged, 1, true));
}

#[tokio::test]
async fn an_archive_is_of_the_skill_as_it_is_now_or_of_a_version() {
    let world = World::new();
    let zip = async |digest: Option<&str>| author(&world).skill_zip(&sale(), digest).await;
    assert_eq!(code(zip(None).await), Code::SkillNotFound);
    let first = push(&world, &mut Draft::new(&[("SKILL.md", MAIN)])).await.unwrap().digest.unwrap();
    world.put(&format!("{KEY}/a.md"), "by another tool").await;
    let now = pulled(&world).await;
    assert_eq!(now.text("a.md"), "by another tool");
    assert_eq!(zip(None).await.unwrap().digest, None, "it is no version");
    assert_eq!(zip(Some(&first)).await.unwrap().digest.as_ref(), Some(&first));
    assert_eq!(code(zip(Some(&format!("sha256:{}", "0".repeat(64)))).await), Code::VersionNotFound);
    assert_eq!(code(zip(Some("../x")).await), Code::InvalidRequest);
    let key = KeyPrefix::all().key(&format!("{KEY}/SKILL.md")).unwrap();
    world.bucket.delete(&key, DeleteOptions::default()).await.unwrap();
    assert_eq!(code(zip(None).await), Code::SkillNotFound);
}

#[tokio::test]
async fn lint_judges_the_skills_of_a_store_page_by_page_and_by_name() {
    let world = World::new();
    world.put_skill("demo", "legal/sale", "Prepares a sale.", "").await;
    world.put("demo/skills/legal/sale/inner/SKILL.md", "inner").await;
    world.put("demo/skills/legal/readme.md", "no skill's").await;
    world.put("demo/skills/broken/SKILL.md", "nothing").await;
    let author = author(&world);
    let page = author.lint_skills(&LintListRequest { limit: Some(1), ..Default::default() }).await.unwrap();
    assert_eq!((page.skills[0].skill.as_str(), page.next_cursor.as_deref()), ("broken", Some("broken")));
    assert!(page.skills[0].errors_only().is_some() && page.skills[0].file == "broken/SKILL.md");
    let rest = LintListRequest { cursor: page.next_cursor, ..Default::default() };
    let rest = author.lint_skills(&rest).await.unwrap();
    assert_eq!((rest.skills.len(), rest.skills[0].skill.as_str(), rest.next_cursor), (1, "legal/sale", None));
    let named = |name: &str| LintListRequest { skill: Some(name.to_owned()), ..Default::default() };
    assert_eq!(author.lint_skills(&named("sale")).await.unwrap().skills, rest.skills, "a folder's name is enough");
    let unknown = author.lint_skills(&named("seal")).await.unwrap_err();
    assert_eq!((unknown.code(), &unknown.details()["suggestions"][0]), (Code::SkillNotFound, &"legal/sale".into()));
}

#[tokio::test]
async fn a_stored_skill_that_may_not_be_read_is_a_finding() {
    let world = World::new();
    world.put_skill("demo", "sale", "Prepares a sale.", "").await;
    world.faults.for_keys(Verb::Get, "sale/SKILL.md", Fault::Deny);
    let linted = author(&world).lint_skills(&LintListRequest::default()).await.unwrap();
    assert_eq!(linted.skills[0].findings[0].diagnostic.code, FindingCode::Unreadable.as_str());
}

#[tokio::test]
async fn a_rebuild_of_the_catalog_writes_the_index_that_its_status_shows() {
    let store = Arc::new(MemoryStore::like_s3());
    store.put_raw("demo/skills/sale/SKILL.md", MAIN);
    store.put_raw("demo/skills/bad/SKILL.md", "nothing");
    let options = ServiceOptions { index: true, ..ServiceOptions::default() };
    let clock = Arc::new(SystemClock::new());
    let world = World::undisturbed(store, options, clock);
    let before = world.service.authoring().catalog_status(&id("demo")).await.unwrap();
    assert_eq!((before.skills, before.errors, before.index), (1, 1, None));
    let index = world.service.authoring().rebuild_catalog(&id("demo")).await.unwrap().index.unwrap();
    assert_eq!((index.key.as_str(), index.problem), ("demo/.skillmount/catalog.json", None));
}

/// A server runs them in tasks, which may move between threads.
#[test]
fn the_work_of_authors_can_be_spawned() {
    fn spawned(_: impl Future + Send) {}
    let world = World::new();
    let (author, user) = (author(&world), id("demo"));
    let (mut one, mut two) = (Draft::default(), Draft::default());
    let skill = sale();
    spawned(push_skill(&author, &skill, &mut one, None, &PushOptions::default()));
    let there = skillmount::wire::SkillDigest { skill: sale(), digest: None };
    let options = PullOptions::default();
    spawned(pull_skill(&author, &there, &mut two, &options));
    spawned(world.service.authoring().catalog_status(&user));
    spawned(world.service.authoring().rebuild_catalog(&user));
}
