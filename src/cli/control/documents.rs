//! The documents of the HTTP interface, made from a store.

use serde_json::{Value, json};

use crate::{
    backend::{Listing, Service},
    catalog::{Audience, CatalogEntry, CatalogView},
    error::{Code, Error, Result},
    limits::{SKILL_FILE_BYTES, SKILL_FILES},
    path::{Id, SkillPath},
    session::{LoadedSummary, Policy, SessionPage, SessionSummary},
    skill::{outline, read_document},
    store::{GetOptions, StoreExt as _},
};

pub(super) fn session_document(session: &SessionSummary) -> Value {
    json!({
        "session_id": session.session_id,
        "user_id": session.user_id,
        "vars": session.vars,
        "policy": session.policy,
        "parent": session.parent,
        "workspace_of": session.workspace_of,
        "current_skill": session.current_skill,
        "version": session.version,
        "created_at": session.created_at,
        "updated_at": session.updated_at,
        "expires_at": session.expires_at,
        "loaded_skills": session.loaded_skills.iter().map(loaded_document).collect::<Vec<_>>(),
    })
}

/// A page of sessions.
pub(super) fn sessions_document(page: &SessionPage) -> Value {
    let damaged = page.damaged.iter();
    json!({
        "sessions": page.sessions.iter().map(session_document).collect::<Vec<_>>(),
        "damaged": damaged
            .map(|damaged| json!({ "session_id": damaged.session_id, "message": damaged.message }))
            .collect::<Vec<_>>(),
        "next_cursor": page.next_cursor,
    })
}

fn loaded_document(loaded: &LoadedSummary) -> Value {
    json!({
        "skill": loaded.skill,
        "mount": format!("/skills/{}", loaded.mount),
        "name": loaded.name,
        "description": loaded.description,
        "digest": loaded.digest,
        "loaded_at": loaded.loaded_at,
    })
}

/// The skills in `category` and below it that the policy lets be seen, and the findings on them.
pub(super) fn skills_document(view: &CatalogView, policy: &Policy, category: Option<&str>) -> Value {
    let Listing { skills, diagnostics } = Listing::of(view, policy, category);
    json!({
        "skills": skills.iter().map(|entry| entry_document(entry)).collect::<Vec<_>>(),
        "diagnostics": diagnostics,
        "total": skills.len(),
        "total_diagnostics": diagnostics.len(),
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
        "shadows": entry.shadows,
    })
}

/// One skill with its instructions and its files.
pub(super) async fn skill_document(service: &Service, user: &Id, skill: &SkillPath) -> Result<Value> {
    let (view, policy) = tokio::try_join!(service.catalogs().view(user, false), service.sessions().user_policy(user))?;
    let is_visible = policy.skill(skill).is_visible();
    let entry = view.entry(skill).filter(|_| is_visible).ok_or_else(|| {
        let message = match view.left_out(skill).filter(|_| is_visible) {
            Some(why) => format!("skill {skill} cannot be shown: {}", why.message),
            None => format!("there is no skill {skill}; give its path as the list shows it"),
        };
        Error::new(Code::SkillNotFound, message)
    })?;
    let layers = service.catalogs().layers(&Audience::from(user))?;
    let home = layers.into_iter().find_map(|(layer, space)| (layer == entry.layer).then_some(space));
    let folder = home.ok_or_else(|| Error::internal("a skill of a layer that is not seen"))?.skill(skill)?;
    let main = folder.key("SKILL.md")?;
    let store = service.store();
    let (object, listed) = tokio::try_join!(
        store.get(&main, GetOptions::range(0..SKILL_FILE_BYTES)),
        store.list_all(&folder, SKILL_FILES)
    )?;
    let (document, diagnostics) = read_document(&object.bytes, skill.folder());
    let body = document.map(|document| document.body).unwrap_or_default();
    let outline = outline(&body);
    let headings = outline.headings.into_iter().map(|heading| {
        let section = heading.section;
        json!({ "level": heading.level, "text": heading.text, "start": section.start, "end": section.end })
    });
    let files = listed.0.iter().filter_map(|file| {
        let key = folder.admit(&file.key)?;
        Some(json!({ "path": folder.relative(key.as_str())?, "size": file.size }))
    });
    let mut shown = entry_document(entry);
    if let Some(members) = shown.as_object_mut() {
        members.insert("outline".to_owned(), headings.collect());
        members.insert("outline_truncated".to_owned(), outline.is_cut.into());
        members.insert("file_list".to_owned(), files.collect());
        members.insert("diagnostics".to_owned(), json!(diagnostics));
        members.insert("body".to_owned(), body.into());
    }
    Ok(shown)
}
