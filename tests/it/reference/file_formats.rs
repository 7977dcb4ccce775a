//! The page on file formats. The text stands here, and buckets that earlier versions wrote check its tables.

use std::{collections::BTreeSet, fs, path::PathBuf};

use regex::Regex;
use serde_json::Value;

use super::page::{check, code, table};
use crate::support::sources::root;

const BEGINNING: &str = "# File formats

A bucket stays readable without the service: files of skills and of sessions are plain objects. Objects below `.skillmount/` belong to
the service. Each format has a number or a member for later additions, and an older service refuses a newer format.

## Objects of a bucket

Each key begins with the prefix of the store address, if it has one. `{owner}` is a user, `_org` for the organisation, or `_teams/TEAM`.

";
const DERIVED: &str = "
The service makes `catalog.json`, `vectors`, `uses.json`, `feedback.json` and `bundles/` from other objects. After their deletion it
gives the same answers, more slowly at first, and counts uses from zero.

The address `file:DIR` stores the same keys as files of the folder. It keeps the metadata of an object in `.skillmount-store/`.
";
const SKILL: &str = "
## A skill

A skill is a folder with a `SKILL.md`, in the format of [Agent Skills](https://agentskills.io): frontmatter in YAML between two lines of
`---`, then Markdown. `skillmount lint` checks a skill, and names each field that it does not know.
";
const VERSION: &str = "
## A version

A version is a zip archive of the files of a skill. Its digest is a SHA-256 over the paths and contents of the files, and names the
version. The comment of the archive has the author, the time and the source.

## A head

A head names the published version of a skill. The service replaces it by a conditional write, and this publishes.

";
const DRAFT: &str = "
## A draft

";
const KEYS: &str = "
## A keys file

`serve --keys FILE` reads TOML with a table `[[key]]` for each key. `skillmount keys new` writes one.

";
const OTHERS: &str = "
## Audit records

An object below `audit/` has one record in each line, as JSON. [Events](events.md#an-audit-record) lists the members.

## The file in a pulled skill

`skillmount pull` writes `.skillmount.json` into the folder of a skill. It has the version that the folder came from, so that the next
push finds changes on both sides. It is never pushed. If another tool or an agent left the files, `is_unversioned`
is `true`, and `store` is a hash of the address of the store and of the user. Another store, or another user, does not replace these files.
";

/// The keys of a bucket, and what lies there. `{name}` is one segment, and `…` is any number of them.
const KEYS_OF_A_BUCKET: [(&str, &str); 22] = [
    ("{owner}/skills/…/SKILL.md", "The text of a skill, in up to five categories."),
    ("{owner}/skills/…", "The other files of skills."),
    ("{user}/threads/{session}/…", "Files of `/workspace`. The setting `workspace` changes this folder."),
    ("{user}/tickets/{ticket_id}/…", "Files of `/ticket`. The setting `ticket` changes this folder."),
    ("{user}/.skillmount/sessions/{session}.json", "A session: policy, variables and loaded skills."),
    (
        "{user}/.skillmount/snapshots/{digest}.json",
        "The files of a loaded skill, if they are too many for the session.",
    ),
    ("{user}/.skillmount/policy.json", "The policy of the user."),
    (
        "{owner}/.skillmount/audit/{time}-{replica}",
        "A batch of audit records: of a user, or of the changes of shared skills.",
    ),
    ("{owner}/.skillmount/heads/….json", "The head of a skill."),
    ("{owner}/.skillmount/versions/…/{digest}.zip", "A version."),
    ("{owner}/.skillmount/drafts/….json", "A draft."),
    ("{owner}/.skillmount/draft-versions/…/{digest}.zip", "The files of a draft."),
    ("{owner}/.skillmount/catalog.json", "The catalog of an owner, compressed."),
    ("{owner}/.skillmount/vectors", "The vectors of the catalog, for search by meaning."),
    ("{owner}/.skillmount/bundles/{digest}.zip", "The files of a skill that nobody has published, in one object."),
    ("{user}/.skillmount/uses.json", "How often the sessions of the user have used each skill."),
    ("{user}/.skillmount/feedback.json", "Which skills the user's sessions loaded after which questions."),
    ("_teams/{team}/skills/…", "Skills of a team."),
    ("_org/skills/…", "Skills of the organisation."),
    ("_deleted/{user}", "The tombstone of a user: the service deletes the user, or has done so."),
    ("_deleted/.receipts/{user}", "The receipt of a finished deletion."),
    (".skillmount-store/…", "Metadata of objects in a `file:` store."),
];

const MEMBERS_OF_A_HEAD: [(&str, &str); 22] = [
    ("format", "The number of the format: 1."),
    ("skill", "The path of the skill."),
    ("generation", "The number of changes so far."),
    ("state", "`published` or `deleted`."),
    ("digest", "The published version."),
    ("previous", "The version before."),
    ("published_at", "The time of the change."),
    ("by", "The name of the key that made the change, with the first digits of its hash."),
    ("source", "The origin that the publisher gave."),
    ("created_at", "The time of the first publish."),
    ("numbers", "The numbers of the versions."),
    ("pending", "The call that may still undo this publish, and its time."),
    ("final_calls", "The last eight calls whose pending publish became final, the latest first."),
    ("undone", "The last call whose publish was undone."),
    ("took", "The digest of the draft whose place the skill took."),
    ("drafts_since", "The `generation` since which drafts count."),
    ("drafts_ended_by", "The call whose deletion of a draft raised `drafts_since`."),
    ("draft", "The draft that the skill became, until its object is stored."),
    ("materialised", "Whether the plain files have the version."),
    ("files", "The plain files: path, size, SHA-256 and ETag."),
    ("replaces", "The ETags of the plain files before, until `materialised`."),
    ("late", "Plain files that other calls may still write or delete, and until when."),
];
/// Members that a head has during a change, or if changes met. The buckets of the fixtures are at rest.
const PASSING_MEMBERS_OF_A_HEAD: [&str; 9] =
    ["pending", "final_calls", "undone", "took", "drafts_since", "drafts_ended_by", "draft", "replaces", "late"];
const PASSING_MEMBERS_OF_A_DRAFT: [&str; 3] = ["generation", "is_deleted", "deletion"];
const MEMBERS_OF_A_DRAFT: [(&str, &str); 15] = [
    ("format", "The number of the format: 1."),
    ("skill", "The path of the skill."),
    ("digest", "The version in `draft-versions/`."),
    ("name", "The name in the frontmatter."),
    ("description", "The description."),
    ("frontmatter", "The whole frontmatter."),
    ("files", "The number of files."),
    ("size", "Their bytes."),
    ("made_at", "The time of the last change."),
    ("by", "The name of the key that made the change."),
    ("source", "The origin."),
    ("session", "The session whose agent made the draft."),
    ("generation", "The `generation` of the head that the draft was made over."),
    ("is_deleted", "Whether the draft is deleted. The object goes next."),
    ("deletion", "The call that deleted it."),
];
const MEMBERS_OF_A_KEY: [(&str, &str); 9] = [
    ("hash", "`sha256:` and the SHA-256 of the key. The key itself is nowhere."),
    ("name", "A name for the log and for audit records."),
    ("user", "The user, or `*` for every user."),
    ("scopes", "`agent`, `control`, or both."),
    ("team", "The team whose skills the sessions see."),
    ("sessions", "Patterns for the sessions of the key."),
    ("vars", "Variables that the sessions of the key have."),
    ("created", "The time of its creation."),
    ("expires", "The time from which on the service refuses the key."),
];

#[test]
fn the_page_on_file_formats_is_generated() {
    let rows = |rows: &[(&str, &str)]| -> Vec<[String; 2]> {
        rows.iter().map(|(name, about)| [code(name), (*about).to_owned()]).collect()
    };
    let members = |list: &[(&str, &str)]| table(["member", "meaning"], rows(list));
    let keys = table(["key", "contents"], rows(&KEYS_OF_A_BUCKET));
    let [head, draft, key] = [members(&MEMBERS_OF_A_HEAD), members(&MEMBERS_OF_A_DRAFT), members(&MEMBERS_OF_A_KEY)];
    check(
        "file-formats.md",
        &format!("{BEGINNING}{keys}{DERIVED}{SKILL}{VERSION}{head}{DRAFT}{draft}{KEYS}{key}{OTHERS}"),
    );
}

#[test]
fn each_object_of_the_fixtures_has_a_row() {
    let patterns: Vec<_> = KEYS_OF_A_BUCKET.iter().map(|(key, _)| pattern(key)).collect();
    let mut seen = BTreeSet::new();
    for key in objects() {
        let found = patterns.iter().position(|pattern| pattern.is_match(&key));
        seen.insert(found.unwrap_or_else(|| panic!("{key} has no row")));
    }
    assert!(seen.len() > 14, "only {seen:?}: are the fixtures still read?");
}

#[test]
fn the_members_are_those_of_the_fixtures() {
    for (folder, members) in
        [("/.skillmount/heads/", &MEMBERS_OF_A_HEAD[..]), ("/.skillmount/drafts/", &MEMBERS_OF_A_DRAFT)]
    {
        let files: Vec<_> = files().into_iter().filter(|file| file.to_string_lossy().contains(folder)).collect();
        let documents =
            files.iter().map(|file| serde_json::from_str::<Value>(&fs::read_to_string(file).unwrap()).unwrap());
        let found: BTreeSet<_> =
            documents.flat_map(|one| one.as_object().unwrap().keys().cloned().collect::<Vec<_>>()).collect();
        let named: BTreeSet<_> = members.iter().map(|(name, _)| (*name).to_owned()).collect();
        let passing =
            if folder.contains("heads") { &PASSING_MEMBERS_OF_A_HEAD[..] } else { &PASSING_MEMBERS_OF_A_DRAFT };
        let found: BTreeSet<_> = found.into_iter().chain(passing.iter().map(|name| (*name).to_owned())).collect();
        assert_eq!(found, named, "{folder}");
    }
    let keys = fs::read_to_string(root().join("fixtures/buckets/2026-11-26.keys.toml")).unwrap();
    let name = Regex::new(r"(?m)^(?:\[key\.)?(\w+)(?: =|\]$)").unwrap();
    let named = MEMBERS_OF_A_KEY.map(|(name, _)| name);
    let below = ["ticket_id"];
    for found in
        name.captures_iter(&keys).map(|found| found[1].to_owned()).filter(|name| !below.contains(&name.as_str()))
    {
        assert!(named.contains(&found.as_str()), "{found} has no row");
    }
}

/// A key of the table as an expression. The rows are tried in their order.
fn pattern(key: &str) -> Regex {
    let name = Regex::new(r"\\\{(\w+)\\\}").unwrap();
    let escaped = regex::escape(key);
    let named = name.replace_all(&escaped, |found: &regex::Captures<'_>| match &found[1] {
        "owner" => r"(?:_teams/[^/]+|[^/]+)".to_owned(),
        _ => "[^/]+".to_owned(),
    });
    Regex::new(&format!("^{}$", named.replace('…', ".+"))).unwrap()
}

/// The files of the buckets that earlier versions wrote.
fn files() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders: Vec<_> = ["2026-11-26", "2026-11-26-s3", "before-doors", "before-publishing"]
        .map(|bucket| root().join("fixtures/buckets").join(bucket))
        .into();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found
}

/// Their keys.
fn objects() -> Vec<String> {
    let home = root().join("fixtures/buckets");
    let below = |file: PathBuf| {
        let inside = file.strip_prefix(&home).unwrap().to_string_lossy().replace('\\', "/");
        inside.split_once('/').unwrap().1.to_owned()
    };
    files().into_iter().map(below).collect()
}
