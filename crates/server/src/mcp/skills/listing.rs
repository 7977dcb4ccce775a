//! `skills/list` and `skills/get`.

use std::sync::Arc;

use rmcp::{
    ErrorData,
    model::{CacheScope, GetSkillResult, ListSkillsResult, Skill, SkillFrontmatter, SkillResource, SkillResources},
};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use super::uri::{address, find};
use crate::{
    catalog::CatalogEntry,
    error::{Code, Error, Result},
    handle::SessionBackend,
    limits::{FRESH, MCP_PAGE_FILES, MCP_PAGE_SKILLS},
    mcp::refusal::{McpResult, no_such_cursor, refusal, unknown},
    path::SkillPath,
    skill::VersionFile,
    skills::HostSkill,
};

/// The file that a skill is named by.
pub(super) const MAIN: &str = "SKILL.md";

/// A page of skills, and how the next is asked for.
pub(in crate::mcp) struct SkillResourcePage {
    pub(in crate::mcp) entries: Vec<Arc<CatalogEntry>>,
    pub(in crate::mcp) next: Option<String>,
}

/// A page of the skills, each with its files as far as their digests are known.
pub(in crate::mcp) async fn list(backend: &SessionBackend, cursor: Option<&str>) -> McpResult<ListSkillsResult> {
    let page = page(backend, cursor).await?;
    let listed = backend.host_skills().list_catalog_skills(&page.entries).await.map_err(|error| refusal(&error))?;
    let (mut skills, mut files, mut next) = (Vec::new(), 0, page.next);
    let mut last: Option<&SkillPath> = None;
    for found in &listed {
        let Some(skill) = shown(backend, found) else { continue };
        files += found.manifest.as_ref().map_or(0, |manifest| manifest.files().len());
        if let Some(last) = last
            && files > MCP_PAGE_FILES
        {
            next = Some(cursor_after(backend, last));
            break;
        }
        last = Some(&found.entry.skill);
        skills.push(skill);
    }
    let mut result = ListSkillsResult::with_all_items(skills);
    result.next_cursor = next;
    (result.ttl_ms, result.cache_scope) = (Some(age()), Some(CacheScope::Private));
    Ok(result)
}

/// The skill whose SKILL.md has this address, with the digests of all its files.
pub(in crate::mcp) async fn get(backend: &SessionBackend, uri: &str) -> McpResult<GetSkillResult> {
    let (entry, path) = locate(backend, uri).await?;
    if path != MAIN {
        return Err(unknown(uri));
    }
    let found = backend.host_skills().show_catalog_skill(&entry).await.map_err(|error| unreadable(&error, uri))?;
    let mut result = GetSkillResult::new(shown(backend, &found).ok_or_else(|| unknown(uri))?);
    (result.ttl_ms, result.cache_scope) = (Some(age()), Some(CacheScope::Private));
    Ok(result)
}

/// The answer to an address that cannot be read. An address that is not for hosts counts as unknown.
pub(super) fn unreadable(error: &Error, uri: &str) -> ErrorData {
    match error.code() {
        Code::FileNotFound | Code::SkillNotFound | Code::FileTooLarge | Code::InvalidPath => unknown(uri),
        _ => refusal(error),
    }
}

/// How long a host may take a listing for fresh: as long as a catalog is not looked at again.
pub(super) fn age() -> u64 {
    u64::try_from(FRESH.as_millis()).unwrap_or(u64::MAX)
}

/// The skill in which an address lies, and the path in it. A skill that is not known is looked for once more.
pub(super) async fn locate(backend: &SessionBackend, uri: &str) -> McpResult<(Arc<CatalogEntry>, String)> {
    for fresh in [false, true] {
        let skills = backend.host_skills().catalog_skills(fresh).await.map_err(|error| refusal(&error))?;
        if let Some((entry, path)) = find(&skills, uri) {
            return Ok((entry, path));
        }
    }
    Err(unknown(uri))
}

/// A page of the skills that hosts can be shown.
pub(super) async fn page(backend: &SessionBackend, cursor: Option<&str>) -> McpResult<SkillResourcePage> {
    let skills = backend.host_skills().catalog_skills(false).await.map_err(|error| refusal(&error))?;
    page_of(backend, &skills, cursor)
}

/// A page of these skills, which are in byte order of their paths.
pub(in crate::mcp) fn page_of(
    backend: &SessionBackend,
    skills: &[Arc<CatalogEntry>],
    cursor: Option<&str>,
) -> McpResult<SkillResourcePage> {
    let after = cursor.map(|cursor| skill_in(backend, cursor)).transpose()?;
    let begin = after.map_or(0, |after| skills.partition_point(|entry| entry.skill <= after));
    let rest = skills.get(begin..).unwrap_or_default();
    let entries = rest.get(..MCP_PAGE_SKILLS).unwrap_or(rest).to_vec();
    let next = entries.last().filter(|_| rest.len() > entries.len()).map(|last| cursor_after(backend, &last.skill));
    Ok(SkillResourcePage { entries, next })
}

/// The cursor for the skills after `last`. It is of no use to another user.
fn cursor_after(backend: &SessionBackend, last: &SkillPath) -> String {
    format!("{}:{last}", mark_of(backend))
}

/// The cursor for the skills behind a first page that is in another order.
pub(in crate::mcp) fn cursor_behind_first(backend: &SessionBackend) -> String {
    format!("{}:*", mark_of(backend))
}

fn skill_in(backend: &SessionBackend, cursor: &str) -> McpResult<SkillPath> {
    let skill = cursor.strip_prefix(&mark_of(backend)).and_then(|rest| rest.strip_prefix(':'));
    let skill = skill.and_then(|skill| SkillPath::parse(skill).ok());
    skill.ok_or_else(no_such_cursor)
}

fn mark_of(backend: &SessionBackend) -> String {
    let mut mark = hex::encode(Sha256::digest(backend.user().as_str()));
    mark.truncate(16);
    mark
}

/// A skill in the form of the protocol. Returns `None` if the protocol does not allow the skill, and logs the reason
/// for the operator.
pub(super) fn shown(backend: &SessionBackend, found: &HostSkill) -> Option<Skill> {
    skill_of(found).inspect_err(|why| backend.host_skills().record_left_out(&found.entry, why)).ok()
}

fn skill_of(found: &HostSkill) -> Result<Skill, String> {
    let HostSkill { entry, fields, manifest } = found;
    let text = |field: &str| fields.get(field).and_then(Value::as_str).map(str::to_owned);
    let absent =
        |field: &str| format!("its frontmatter has no text as `{field}`, which hosts compare with what they read");
    let (name, description) = (text("name"), text("description"));
    let mut frontmatter =
        SkillFrontmatter::new(name.ok_or_else(|| absent("name"))?, description.ok_or_else(|| absent("description"))?);
    let further = fields.iter().filter(|(field, _)| !matches!(field.as_str(), "name" | "description"));
    frontmatter.extra = further.map(|(field, value)| (field.clone(), value.clone())).collect::<Map<_, _>>();
    let resource = |file: &VersionFile| {
        SkillResource::new(address(&entry.skill, &file.path), format!("sha256:{}", file.sha256), file.size)
    };
    let resources = match manifest {
        Some(manifest) => SkillResources::Files(manifest.files().iter().map(resource).collect()),
        None => SkillResources::Dynamic,
    };
    let skill = Skill::new(address(&entry.skill, MAIN), frontmatter, resources);
    // An invalid skill would cost the whole page.
    skill.validate().map_err(|fault| fault.to_string())?;
    Ok(skill)
}
