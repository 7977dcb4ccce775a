//! Buckets that earlier versions wrote: sessions, policies, files and the index mean today what they meant then.

use std::{fs, sync::Arc};

use tempfile::TempDir;

use crate::support::{
    SetClock,
    earlier::restore,
    world::{BackendExt, World, code, id},
};
use skillmount::{
    Code,
    content::DraftReader,
    handle::{ServiceOptions, SessionBackend},
    path::{Id, SkillPath},
    prompt::for_session,
    publish::{PublishOptions, UploadedSkill},
    session::list_sessions,
    store::{DirectoryStore, SharedStore, Verb},
    wire::{
        BackendProtocol, ListedState, Policy, PromptMode, PromptRequest, SkillListRequest, SkillRule, ToolRule,
        UnloadSkillRequest, VersionListRequest,
    },
};

/// A copy of one of `fixtures/buckets`, and a service over it.
struct Restored {
    /// Whether sessions see the skills of their team and of the organisation too.
    layers: bool,
    folder: TempDir,
    world: World,
    /// A second after the last write to it: no session has expired and the index is young.
    clock: Arc<SetClock>,
}

impl Restored {
    /// The bucket of user `ana`.
    fn new() -> Self {
        Self::of("before-doors", false)
    }

    /// The bucket of user `bea` and of two layers above.
    fn of_layers() -> Self {
        Self::of("before-publishing", true)
    }

    fn of(bucket: &str, layers: bool) -> Self {
        let folder = TempDir::new().unwrap();
        let last = restore(bucket, folder.path());
        let clock = SetClock::at(i64::try_from(last.as_secs()).unwrap() + 1);
        let store = Arc::new(DirectoryStore::open(folder.path(), clock.clone()).unwrap());
        Self { world: Self::process(store, &clock, layers), layers, folder, clock }
    }

    /// Another process over the same folder, which knows nothing yet.
    fn restarted(self) -> Self {
        Self { world: Self::process(self.world.bucket.clone(), &self.clock, self.layers), ..self }
    }

    fn process(store: SharedStore, clock: &Arc<SetClock>, layers: bool) -> World {
        World::undisturbed(store, ServiceOptions { index: true, layers, ..ServiceOptions::default() }, clock.clone())
    }

    fn agent(&self, session: &str) -> SessionBackend {
        self.world.agent_of("ana", session)
    }

    /// An agent of the bucket from before skills were published as versions.
    fn of_bea(&self, session: &str) -> SessionBackend {
        self.world.agent_in(Some("notaria"), "bea", session)
    }

    /// That a check of each user and of everybody finds nothing, and has nothing to repair.
    async fn is_clean(&self) {
        for user in ["ana", "bea", "nobody"] {
            let report = self.world.service.upkeep().check_user(&id(user), false).await.unwrap();
            assert!(report.clean, "{report:#?}");
        }
        let report = self.world.service.upkeep().check_everybody(true).await.unwrap();
        assert!(report.clean && report.findings.iter().all(|found| !found.repaired), "{report:#?}");
    }
}

fn names(ids: &[Id]) -> Vec<&str> {
    ids.iter().map(Id::as_str).collect()
}

#[tokio::test]
async fn sessions_have_their_skills_variables_and_policies() {
    let bucket = Restored::new();
    let sessions = bucket.world.service.sessions();
    let page = list_sessions(sessions, &id("ana"), 10, None).await.unwrap();
    let listed: Vec<_> = page.sessions.iter().map(|session| session.session_id.clone()).collect();
    assert_eq!((names(&listed), page.damaged.len()), (vec!["fork", "sale"], 0));

    let sale = bucket.agent("sale").session().await.unwrap();
    assert_eq!((sale.vars["ticket_id"].as_str(), sale.policy.prompt_mode), ("T-7", PromptMode::Combined));
    assert_eq!(sale.policy.tools["edit"], ToolRule::Ask);
    let loaded: Vec<_> = sale.loaded_skills.iter().map(|loaded| loaded.skill.as_str()).collect();
    assert_eq!((loaded, sale.discoveries.len()), (vec!["escrituras/compraventa"], 1));

    let of_user = sessions.user_policy(&id("ana")).await.unwrap();
    assert_eq!((of_user.skills["contratos/*"], of_user.tools["delete"]), (SkillRule::Blocked, ToolRule::Ask));
    let agent = bucket.agent("sale");
    assert_eq!(code(agent.replace("/workspace/draft.md", "Deed", "Sale").await), Code::ApprovalRequired);
    assert_eq!(code(agent.remove("/workspace/draft.md").await), Code::ApprovalRequired);
    assert_eq!(code(agent.load("contratos/arrendamiento").await), Code::SkillNotFound);

    let begun = bucket.agent("another").ranked_state().await.unwrap().session;
    let ranks: Vec<_> = begun.ranks.iter().map(|(skill, times)| (skill.as_str(), *times)).collect();
    assert_eq!(ranks, [("escrituras/compraventa", 1), ("escrituras/hipoteca", 1)], "uses are counted on");
}

// S-PIN-1: Below `/skills`, a read serves the snapshot taken at load, and fetches each file with `If-Match`.
#[tokio::test]
async fn a_loaded_skill_is_read_through_the_snapshot_of_then() {
    let bucket = Restored::new();
    let agent = bucket.agent("sale");
    let file = bucket.folder.path().join("ana/skills/escrituras/compraventa/disclosure_clausulas.md");
    let (text, shown) = (fs::read_to_string(&file).unwrap(), "/skills/compraventa/disclosure_clausulas.md");
    assert_eq!(agent.text(shown).await.unwrap(), text);
    let found = agent.find("/skills/**/*.md").await.unwrap();
    assert_eq!(found.len(), 3, "{found:?}");

    fs::write(&file, text.replace("arras", "señal")).unwrap();
    let bucket = bucket.restarted();
    assert_eq!(code(bucket.agent("sale").text(shown).await), Code::SkillChanged);
}

// S-SESSION-12: A fork shares the `/workspace` and `/ticket` of its parent, and `workspace_of` names the session that
// owns them.
#[tokio::test]
async fn a_fork_of_then_keeps_a_workspace_of_its_own() {
    let bucket = Restored::new();
    let fork = bucket.agent("fork").session().await.unwrap();
    assert_eq!((fork.parent.as_ref().map(Id::as_str), &fork.workspace_of), (Some("sale"), &None));
    for (session, text) in [("sale", "# Deed\n"), ("fork", "# Of the fork\n")] {
        let agent = bucket.agent(session);
        assert_eq!(agent.text("/workspace/draft.md").await.unwrap(), text);
        assert_eq!(agent.text("/ticket/notes.md").await.unwrap(), "Ask for the deposit.\n");
    }
    let of_fork = bucket.agent("fork").names("/skills").await.unwrap();
    assert_eq!(of_fork, ["/skills/compraventa", "/skills/hipoteca"]);
}

#[tokio::test]
async fn the_index_of_then_saves_reading_the_skills() {
    let bucket = Restored::new();
    let found = bucket.agent("sale").catalog(false).await.unwrap();
    assert_eq!(found.entries.len(), 3);
    let asked = bucket.world.ledger.asked();
    assert!(asked.contains(&(Verb::Get, "ana/.skillmount/catalog.json".to_owned())), "{asked:?}");
    assert!(!asked.iter().any(|(_, key)| key.contains("/skills/")), "{asked:?}");
}

/// The snapshots are what the earlier version answered; a later change of our own wording is the only one they take.
#[tokio::test]
async fn prompts_are_those_of_then() {
    let bucket = Restored::new();
    for session in ["sale", "fork"] {
        let rendering = for_session(&bucket.agent(session), &PromptRequest::default()).await.unwrap();
        insta::assert_snapshot!(format!("prompt_of_{session}"), rendering.prompt);
    }
}

#[tokio::test]
async fn a_session_of_then_goes_on() {
    let bucket = Restored::new();
    let agent = bucket.agent("sale");
    let before = agent.session().await.unwrap().version;
    agent.unload_skill(UnloadSkillRequest { skill: "compraventa".to_owned() }).await.unwrap();
    agent.overwrite("/workspace/draft.md", "# Sale\n").await.unwrap();
    agent.load("escrituras/hipoteca").await.unwrap();
    let bucket = bucket.restarted();
    let agent = bucket.agent("sale");
    assert!(agent.session().await.unwrap().version > before);
    assert_eq!(agent.names("/skills").await.unwrap(), ["/skills/hipoteca"]);
    assert_eq!(agent.text("/workspace/draft.md").await.unwrap(), "# Sale\n");
}

#[tokio::test]
async fn a_check_calls_each_bucket_clean() {
    for bucket in [Restored::new(), Restored::of_layers()] {
        bucket.is_clean().await;
    }
}

#[tokio::test]
async fn sessions_from_before_publishing_have_their_skills_of_all_layers() {
    let bucket = Restored::of_layers();
    let page = list_sessions(bucket.world.service.sessions(), &id("bea"), 10, None).await.unwrap();
    let listed: Vec<_> = page.sessions.iter().map(|session| session.session_id.clone()).collect();
    assert_eq!((names(&listed), page.damaged.len()), (vec!["copia", "venta"], 0));
    let agent = bucket.of_bea("venta");
    let mounts = ["/skills/compraventa", "/skills/legajos", "/skills/notificacion", "/skills/tono"];
    assert_eq!(agent.names("/skills").await.unwrap(), mounts);
    let skills = ["bea/skills/escrituras/compraventa", "bea/skills/archivo/legajos"];
    let above = ["_teams/notaria/skills/plantillas/notificacion", "_org/skills/estilo/tono"];
    for (mount, folder) in mounts.into_iter().zip(skills.into_iter().chain(above)) {
        let file = bucket.folder.path().join(folder).join("SKILL.md");
        assert_eq!(agent.text(&format!("{mount}/SKILL.md")).await.unwrap(), fs::read_to_string(file).unwrap());
    }
    assert_eq!(agent.find("/skills/legajos/**/*.md").await.unwrap().len(), 21);
    let session = agent.session().await.unwrap();
    let with_arguments = session.loaded_skills.iter().filter_map(|loaded| loaded.arguments.as_deref());
    assert_eq!(with_arguments.collect::<Vec<_>>(), ["finca 12"]);

    let fork = bucket.of_bea("copia");
    assert_eq!(fork.names("/skills").await.unwrap(), mounts[..3]);
    assert_eq!(fork.text("/skills/legajos/fichas/20.md").await.unwrap(), "# Ficha 20\n\nLegajo del año 1920.\n");
    for agent in [&agent, &fork] {
        assert_eq!(agent.names("/workspace").await.unwrap(), ["/workspace/borrador.md", "/workspace/de-la-copia.md"]);
        assert_eq!(agent.text("/ticket/notas.md").await.unwrap(), "Pedir la nota simple.\n");
    }
    assert_eq!(code(agent.load("escrituras/hipoteca").await), Code::ApprovalRequired);
    assert_eq!(code(agent.remove("/workspace/borrador.md").await), Code::ApprovalRequired);
}

// S-PUBLISH-6: If other tools change a folder, the folder is the skill until the next publish, which first keeps it as
// a version.
#[tokio::test]
async fn a_skill_from_before_publishing_is_kept_as_a_version_by_the_first_publish() {
    let bucket = Restored::of_layers();
    let (service, user, skill) = (&bucket.world.service, id("bea"), SkillPath::parse("archivo/legajos").unwrap());
    let (policy, wanted) = (Policy::default(), SkillListRequest::default());
    let found = service.library().list_skills(&user, &policy, &wanted, DraftReader::Control).await.unwrap().skills;
    assert!(found.len() == 4 && found.iter().all(|one| one.state == ListedState::Unmanaged), "{found:?}");
    let main = "---\nname: legajos\ndescription: Ordena los legajos.\n---\nDe otra manera.\n";
    let files = UploadedSkill::Files(vec![("SKILL.md".to_owned(), main.into())]);
    service.publisher().publish_skill(&user, &skill, files, PublishOptions::default()).await.unwrap();
    let versions =
        service.publisher().list_versions(&user, &skill, &VersionListRequest::default()).await.unwrap().versions;
    assert_eq!(versions.iter().map(|one| one.files).collect::<Vec<_>>(), [Some(1), Some(21)]);
    bucket.is_clean().await;
    let bucket = bucket.restarted();
    let agent = bucket.of_bea("otra");
    agent.load("archivo/legajos").await.unwrap();
    assert_eq!(agent.text("/skills/legajos/SKILL.md").await.unwrap(), main);
}
