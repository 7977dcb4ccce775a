//! Listing a folder.

use std::collections::BTreeSet;

use super::{
    Files,
    mounts::tree_at,
    tree::{MountKind, Tree, TreeTarget},
};
use crate::{
    content::{FileRef, missing},
    context::{CallInput, Context, OperationSpan},
    error::{Code, Error, Result},
    limits::LIST_ENTRIES,
    path::{Mount, VirtualPath},
    skill::Snapshot,
    store::{ListOptions, StoreError},
    wire::{Entry, LsReply, LsRequest},
};

pub(crate) async fn ls(_: &Files, span: &OperationSpan, request: LsRequest) -> Result<LsReply> {
    let path = VirtualPath::parse(&request.path)?;
    let tree = tree_at(&span.check().await?.admit(CallInput::from_request(&request)).await?, &path).await?;
    match tree.spot(&path) {
        TreeTarget::Above => Ok(LsReply { entries: above(&tree, &path), hidden: Vec::new(), truncated: false }),
        TreeTarget::In { kind: MountKind::Pinned(pinned), relative, .. } => {
            Ok(folder_first(snapshot_entries(&pinned.snapshot, &path, &relative)?))
        }
        TreeTarget::In { mount, relative, .. } => list_fresh(span.context(), mount, &path, &relative, &tree).await,
        TreeTarget::Nowhere => Err(missing(&path)),
    }
}

async fn list_fresh(
    context: &Context,
    mount: &Mount,
    path: &VirtualPath,
    relative: &str,
    tree: &Tree,
) -> Result<LsReply> {
    let prefix = mount.prefix.folder(relative)?;
    let mut entries = Vec::new();
    let mut seen_any = false;
    let mut page = None;
    let mut truncated = false;
    loop {
        let options = ListOptions { delimiter: true, page: page.clone(), ..ListOptions::default() };
        let listed = context.core.store().list(&prefix, options).await?;
        seen_any |= !listed.objects.is_empty() || !listed.folders.is_empty();
        for folder in &listed.folders {
            let name = prefix.relative(folder).and_then(|name| name.strip_suffix('/'));
            entries.extend(name.and_then(|name| directory(path, name)));
        }
        for object in &listed.objects {
            // A key that is the prefix itself is a folder marker some tools leave; it names no file.
            let name = prefix.relative(&object.key).filter(|_| prefix.admit(&object.key).is_some());
            let child = name.and_then(|name| path.join(name).ok());
            entries.extend(child.map(|child| Entry {
                path: child.to_string(),
                is_dir: false,
                size: object.size,
                modified_at: Some(object.modified_at),
            }));
        }
        truncated |= entries.len() > LIST_ENTRIES;
        if truncated {
            break;
        }
        page = listed.next_after(page.as_ref())?;
        if page.is_none() {
            break;
        }
    }
    if !seen_any && !relative.is_empty() {
        explain_empty(context, &tree.file(path)?).await?;
    }
    let mut reply = folder_first(entries);
    reply.entries.truncate(LIST_ENTRIES);
    let last = reply.entries.last().map(|entry| entry.path.clone());
    reply.hidden.retain(|file| Some(&file.path) <= last.as_ref());
    Ok(LsReply { truncated, ..reply })
}

/// Why a folder below a mount lists nothing: it is a file, or it is not there.
async fn explain_empty(context: &Context, file: &FileRef) -> Result<()> {
    match context.core.store().head(&file.key).await {
        Ok(_) => Err(not_a_directory(&file.path)),
        Err(StoreError::NotFound) => Err(missing(&file.path)),
        Err(error) => Err(error.into()),
    }
}

fn not_a_directory(path: &VirtualPath) -> Error {
    Error::new(Code::NotADirectory, format!("{path} is a file, not a folder; read it with read"))
}

fn directory(parent: &VirtualPath, name: &str) -> Option<Entry> {
    let path = parent.join(name).ok().filter(|path| path != parent)?;
    Some(Entry { path: path.to_string(), is_dir: true, size: 0, modified_at: None })
}

/// The entries of one folder in byte order of paths. Of a folder and a file of one name the folder is shown.
fn folder_first(mut entries: Vec<Entry>) -> LsReply {
    entries.sort_by(|one, two| (&one.path, two.is_dir).cmp(&(&two.path, one.is_dir)));
    let mut reply = LsReply { entries: Vec::with_capacity(entries.len()), hidden: Vec::new(), truncated: false };
    for entry in entries {
        let is_hidden = !entry.is_dir && reply.entries.last().is_some_and(|last| last.path == entry.path);
        if is_hidden { reply.hidden.push(entry) } else { reply.entries.push(entry) }
    }
    reply
}

/// The folders that exist only because mounts lie below them: mount order at the root, byte order below.
fn above(tree: &Tree, path: &VirtualPath) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for (mount, _) in tree.mounts() {
        let name = mount.at.below(path).and_then(|below| below.split('/').next());
        if let Some(entry) = name.and_then(|name| directory(path, name))
            && !entries.contains(&entry)
        {
            entries.push(entry);
        }
    }
    if !path.is_root() {
        entries.sort_by(|one, two| one.path.cmp(&two.path));
    }
    entries
}

/// The entries of a folder of a snapshot.
fn snapshot_entries(snapshot: &Snapshot, path: &VirtualPath, relative: &str) -> Result<Vec<Entry>> {
    let inside = if relative.is_empty() { String::new() } else { format!("{relative}/") };
    let mut folders = BTreeSet::new();
    let mut entries = Vec::new();
    for file in snapshot.files() {
        let Some(below) = file.path.strip_prefix(&inside) else { continue };
        match below.split_once('/') {
            Some((folder, _)) => {
                folders.insert(folder);
            }
            None => entries.push(Entry {
                path: path.join(below)?.to_string(),
                is_dir: false,
                size: file.size,
                modified_at: Some(file.modified_at),
            }),
        }
    }
    if entries.is_empty() && folders.is_empty() && !relative.is_empty() {
        let is_file = snapshot.file(relative).is_some();
        return Err(if is_file { not_a_directory(path) } else { missing(path) });
    }
    entries.extend(folders.into_iter().filter_map(|folder| directory(path, folder)));
    Ok(entries)
}
