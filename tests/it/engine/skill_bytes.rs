//! Bytes of skills that no session has loaded.

use bytes::Bytes;
use skillmount::{
    content::DraftReader,
    error::{Code, Result},
    path::SkillPath,
    publish::{PublishOptions, UploadedSkill},
    skills::CatalogFile,
    wire::Policy,
};

use crate::support::world::{World, id};

async fn file(world: &World, skill: &str, path: &str) -> CatalogFile {
    let skill = SkillPath::parse(skill).unwrap();
    let found = world
        .service
        .library()
        .catalog_skill(&id("demo"), &Policy::default(), &skill, DraftReader::Control)
        .await
        .unwrap();
    found.file(path).unwrap()
}

async fn read(file: CatalogFile) -> Result<Bytes> {
    let mut reader = file.open(None).await?;
    let mut all = Vec::new();
    while let Some(bytes) = reader.next().await? {
        all.extend_from_slice(&bytes);
    }
    Ok(all.into())
}

// S-CATALOG-8: A caller reads the files of a skill without loading it, by the rules of every other view of the catalog.
#[tokio::test]
async fn a_file_is_read_in_the_version_that_was_listed_or_not_at_all() {
    let world = World::new();
    world.put("demo/skills/found/SKILL.md", "---\ndescription: Found.\n---\n").await;
    world.put("demo/skills/found/a.md", "old\n").await;
    let found = file(&world, "found", "a.md").await;
    world.put("demo/skills/found/a.md", "new\n").await;
    assert_eq!(read(found).await.unwrap_err().code(), Code::SkillChanged, "nothing of it was in memory");
    assert_eq!(read(file(&world, "found", "a.md").await).await.unwrap(), "new\n");

    let files = [("SKILL.md", "---\nname: made\ndescription: Made.\n---\n"), ("a.md", "old\n")];
    let files = files.map(|(path, text)| (path.to_owned(), Bytes::from(text))).to_vec();
    let (skill, options) = (SkillPath::parse("made").unwrap(), PublishOptions::default());
    world.service.publisher().publish_skill(&id("demo"), &skill, UploadedSkill::Files(files), options).await.unwrap();
    let published = file(&world, "made", "a.md").await;
    world.put("demo/skills/made/a.md", "new\n").await;
    assert_eq!(read(published).await.unwrap(), "old\n", "the archive of the version has it");
    assert_eq!(read(file(&world, "made", "a.md").await).await.unwrap(), "new\n");
}
