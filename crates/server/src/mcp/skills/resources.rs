//! The files of skills as resources.

use std::{collections::BTreeMap, sync::Arc};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use rmcp::{
    ErrorData,
    model::{
        CacheScope, DIRECTORY_MIME_TYPE, ListResourcesResult, ReadResourceDirectoryResult, ReadResourceResult,
        Resource, ResourceContents,
    },
};
use serde_json::json;

use super::{
    listing::{MAIN, age, locate, page, shown, unreadable},
    uri::address,
};
use crate::{
    catalog::CatalogEntry,
    handle::SessionBackend,
    mcp::refusal::{McpResult, refusal, unknown},
    skill::shown::one_line,
    skills::{HostFile, HostSkill},
};

/// The list of skills of an earlier draft, which some hosts still read.
const INDEX: &str = "skill://index.json";
const INDEX_SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
const MARKDOWN: &str = "text/markdown";

/// A page of the resources: each skill's SKILL.md, and in front of them the list of all.
pub(in crate::mcp) async fn list(backend: &SessionBackend, cursor: Option<&str>) -> McpResult<ListResourcesResult> {
    let page = page(backend, cursor).await?;
    let mut resources: Vec<_> = page.entries.iter().filter_map(|entry| main_of(backend, entry)).collect();
    if cursor.is_none() && !page.entries.is_empty() {
        let index = Resource::new(INDEX, "index.json").with_description("The skills, for hosts of an earlier draft.");
        resources.insert(0, index.with_mime_type("application/json"));
    }
    let mut result = ListResourcesResult::with_all_items(resources);
    result.next_cursor = page.next;
    (result.ttl_ms, result.cache_scope) = (Some(age()), Some(CacheScope::Private));
    Ok(result)
}

/// The bytes of a file of a skill.
pub(in crate::mcp) async fn read(backend: &SessionBackend, uri: &str) -> McpResult<ReadResourceResult> {
    if uri == INDEX {
        let index = ResourceContents::text(index(backend).await?, INDEX).with_mime_type("application/json");
        return Ok(ReadResourceResult::new(vec![index]));
    }
    let (entry, path) = locate(backend, uri).await?;
    let file = backend.host_skills().catalog_file(&entry, &path).await.map_err(|error| unreadable(&error, uri))?;
    Ok(ReadResourceResult::new(vec![contents(uri, &path, &file)]))
}

/// The entries directly in a folder of a skill.
pub(in crate::mcp) async fn directory(
    backend: &SessionBackend,
    uri: &str,
    cursor: Option<&str>,
) -> McpResult<ReadResourceDirectoryResult> {
    if cursor.is_some() {
        return Err(ErrorData::invalid_params("there is no such cursor: a folder is read in one page", None));
    }
    let (entry, folder) = locate(backend, uri).await?;
    let files = backend.host_skills().catalog_files(&entry).await.map_err(|error| unreadable(&error, uri))?;
    let above = if folder.is_empty() { String::new() } else { format!("{folder}/") };
    let mut children: BTreeMap<&str, Resource> = BTreeMap::new();
    for (path, size) in &files {
        let Some(inside) = path.strip_prefix(&above) else { continue };
        let (name, is_file) = inside.split_once('/').map_or((inside, true), |(name, _)| (name, false));
        let resource = || {
            let resource = Resource::new(address(&entry.skill, &format!("{above}{name}")), name);
            match (is_file, path == MAIN) {
                (false, _) => resource.with_mime_type(DIRECTORY_MIME_TYPE),
                (true, true) => main_of(backend, &entry).unwrap_or(resource).with_size(*size),
                (true, false) => typed(resource, name).with_size(*size),
            }
        };
        children.entry(name).or_insert_with(resource);
    }
    if children.is_empty() {
        return Err(unknown(uri));
    }
    Ok(ReadResourceDirectoryResult::with_all_items(children.into_values().collect()))
}

/// The SKILL.md of a skill, with the name and the description of its frontmatter.
fn main_of(backend: &SessionBackend, entry: &Arc<CatalogEntry>) -> Option<Resource> {
    let fields = entry.frontmatter.fields.clone();
    let skill = shown(backend, &HostSkill { entry: entry.clone(), fields, manifest: None })?;
    let resource = Resource::new(skill.uri, skill.frontmatter.name).with_description(skill.frontmatter.description);
    Some(resource.with_mime_type(MARKDOWN))
}

fn typed(resource: Resource, name: &str) -> Resource {
    match media_type(name) {
        Some(media_type) => resource.with_mime_type(media_type),
        None => resource,
    }
}

fn media_type(name: &str) -> Option<&'static str> {
    let (_, extension) = name.rsplit_once('.')?;
    match extension.to_ascii_lowercase().as_str() {
        "md" | "markdown" => Some(MARKDOWN),
        "json" => Some("application/json"),
        _ => None,
    }
}

fn contents(uri: &str, path: &str, file: &HostFile) -> ResourceContents {
    match (std::str::from_utf8(&file.bytes), file.media_type) {
        (Ok(text), None) => ResourceContents::text(text, uri).with_mime_type(media_type(path).unwrap_or("text/plain")),
        (_, media_type) => ResourceContents::blob(BASE64_STANDARD.encode(&file.bytes), uri)
            .with_mime_type(media_type.unwrap_or("application/octet-stream")),
    }
}

async fn index(backend: &SessionBackend) -> McpResult<String> {
    let entries = backend.host_skills().catalog_skills(false).await.map_err(|error| refusal(&error))?;
    if entries.is_empty() {
        return Err(unknown(INDEX));
    }
    let skills = entries.iter().filter_map(|entry| main_of(backend, entry)).map(|resource| {
        let description = resource.description.unwrap_or_default();
        json!({
            "name": resource.name,
            "type": "skill-md",
            "description": one_line(&description).plain(),
            "url": resource.uri,
        })
    });
    Ok(json!({ "$schema": INDEX_SCHEMA, "skills": skills.collect::<Vec<_>>() }).to_string())
}
