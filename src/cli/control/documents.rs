//! The documents of the HTTP interface, made from a store.

use serde_json::{Value, json};

use crate::{
    backend::Service,
    catalog::{CatalogEntry, CatalogView},
    error::{Code, Error, Result},
    limits::{LIST_ENTRIES, SKILL_FILES},
    path::{Id, SkillPath},
    session::{LoadedSkill, Session},
    skill::read_document,
    store::{GetOptions, StoreExt as _},
};

pub(super) fn session_document(session: &Session) -> Value {
    json!({
        "session_id": session.session_id,
        "user_id": session.user_id,
        "vars": session.vars,
        "policy": session.policy,
        "parent": session.parent,
        "current_skill": session.current_skill,
        "version": session.version,
        "created_at": session.created_at,
        "updated_at": session.updated_at,
        "expires_at": session.expires_at(),
        "loaded_skills": session.loaded_skills.iter().map(loaded_document).collect::<Vec<_>>(),
    })
}

fn loaded_document(loaded: &LoadedSkill) -> Value {
    json!({
        "skill": loaded.skill,
        "mount": format!("/skills/{}", loaded.mount),
        "name": loaded.name,
        "description": loaded.description,
        "digest": loaded.digest,
        "loaded_at": loaded.loaded_at,
    })
}

/// The skills in `category` and below it, and every finding.
pub(super) fn skills_document(view: &CatalogView, category: Option<&str>) -> Value {
    let inside = |entry: &CatalogEntry| {
        category.is_none_or(|wanted| {
            let rest = entry.skill.category().strip_prefix(wanted);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    };
    json!({
        "skills": view.entries.iter().filter(|entry| inside(entry)).map(|entry| entry_document(entry)).collect::<Vec<_>>(),
        "diagnostics": view.diagnostics,
        "as_of": view.as_of,
        "next_cursor": null,
    })
}

fn entry_document(entry: &CatalogEntry) -> Value {
    json!({
        "skill": entry.skill,
        "name": entry.name(),
        "description": entry.description(),
        "category": entry.skill.category(),
        "layer": entry.layer,
        "frontmatter": entry.frontmatter.fields,
        "files": entry.files,
        "size": entry.size,
        "updated_at": entry.updated_at,
        "state": "published",
        "shadows": [],
    })
}

/// One skill with its instructions and its files.
pub(super) async fn skill_document(service: &Service, user: &Id, skill: &SkillPath) -> Result<Value> {
    let view = service.catalogs().view(user, true).await?;
    let entry = view.entry(skill).ok_or_else(|| {
        Error::new(Code::SkillNotFound, format!("there is no skill {skill}; give its path as the list shows it"))
    })?;
    let prefix = service.namespace().user(user)?.skill(skill)?;
    let main = prefix.key("SKILL.md")?;
    let store = service.store();
    let (listed, object) =
        tokio::try_join!(store.list_all(&prefix, SKILL_FILES.min(LIST_ENTRIES)), store.get(&main, GetOptions::default()))?;
    let files: Vec<_> = listed
        .0
        .iter()
        .filter_map(|file| Some(json!({ "path": prefix.relative(&file.key)?, "size": file.size })))
        .collect();
    let body = read_document(&object.bytes, skill.folder()).0.map(|document| document.body);
    let mut document = entry_document(entry);
    if let Some(members) = document.as_object_mut() {
        members.insert("body".into(), json!(body));
        members.insert("files".into(), json!(files));
    }
    Ok(document)
}
