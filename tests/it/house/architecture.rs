//! The rules of the code base: modules import only from the left, effects stay in their rooms, and tests lie with their
//! room.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use regex::Regex;

use crate::support::sources::{has_module, is_one_module, module_path, program_sources, root, sources};

/// Each top module and what it imports. The table contains every import between modules and no other; `docs/ARCHITECTURE.md`
/// has the same table.
const EDGES: &[(&str, &[&str])] = &[
    ("error", &[]),
    ("limits", &[]),
    ("clock", &[]),
    ("path", &["error", "limits"]),
    ("operation_note", &["error", "path"]),
    ("budget", &["error", "limits"]),
    ("json", &["error", "limits"]),
    ("text", &["error", "limits", "path", "budget"]),
    ("access", &["error", "limits", "clock", "path", "budget"]),
    ("store", &["error", "limits", "clock", "path", "budget"]),
    ("skill", &["limits", "path", "budget", "json", "text"]),
    ("wire", &["error", "limits", "path", "json", "skill"]),
    ("words", &["error", "limits", "path", "budget", "wire"]),
    ("encoder", &["error", "limits", "path"]),
    ("catalog", &["error", "limits", "clock", "path", "budget", "store", "skill", "words", "encoder"]),
    ("session", &["error", "limits", "clock", "path", "budget", "json", "access", "store", "skill", "wire"]),
    ("observer", &["error", "limits", "path", "wire", "session"]),
    ("deletions", &["error", "limits", "path", "json", "store", "wire"]),
    (
        "content",
        &[
            "error", "limits", "clock", "path", "budget", "json", "access", "store", "skill", "wire", "catalog",
            "session", "observer",
        ],
    ),
    (
        "context",
        &[
            "error",
            "limits",
            "clock",
            "path",
            "operation_note",
            "budget",
            "access",
            "store",
            "skill",
            "wire",
            "catalog",
            "session",
            "observer",
            "deletions",
            "content",
        ],
    ),
    (
        "files",
        &[
            "error", "limits", "path", "budget", "text", "store", "skill", "wire", "session", "observer", "content",
            "context",
        ],
    ),
    (
        "publish",
        &["error", "limits", "path", "json", "text", "store", "skill", "wire", "observer", "content", "context"],
    ),
    (
        "skills",
        &[
            "error", "limits", "clock", "path", "json", "text", "access", "store", "skill", "wire", "words", "catalog",
            "session", "observer", "content", "context", "files", "publish",
        ],
    ),
    ("users", &["error", "limits", "path", "store", "wire", "session", "context", "files"]),
    (
        "upkeep",
        &[
            "error",
            "limits",
            "path",
            "json",
            "store",
            "skill",
            "wire",
            "catalog",
            "session",
            "deletions",
            "content",
            "context",
            "users",
        ],
    ),
    (
        "authoring",
        &[
            "error", "limits", "path", "budget", "text", "store", "skill", "wire", "catalog", "content", "context",
            "skills",
        ],
    ),
    (
        "handle",
        &[
            "error",
            "limits",
            "clock",
            "path",
            "operation_note",
            "budget",
            "store",
            "skill",
            "wire",
            "encoder",
            "catalog",
            "session",
            "observer",
            "deletions",
            "context",
            "files",
            "publish",
            "skills",
            "users",
            "upkeep",
            "authoring",
        ],
    ),
    (
        "prompt",
        &["error", "limits", "path", "budget", "skill", "wire", "catalog", "session", "context", "skills", "handle"],
    ),
    (
        "tools",
        &["error", "limits", "path", "json", "skill", "wire", "catalog", "session", "context", "skills", "handle"],
    ),
    (
        "hooks",
        &[
            "error", "limits", "path", "budget", "skill", "wire", "words", "catalog", "context", "skills", "handle",
            "prompt",
        ],
    ),
    (
        "audit",
        &["error", "limits", "clock", "path", "store", "wire", "catalog", "session", "observer", "context", "handle"],
    ),
    ("client", &["error", "limits", "path", "operation_note", "text", "skill", "wire", "handle"]),
    (
        "mcp",
        &[
            "error", "limits", "path", "json", "skill", "wire", "catalog", "context", "skills", "handle", "prompt",
            "tools",
        ],
    ),
    (
        "http",
        &[
            "error", "limits", "clock", "path", "budget", "json", "access", "wire", "catalog", "session", "observer",
            "content", "context", "files", "publish", "skills", "handle", "prompt", "tools", "hooks", "audit", "mcp",
        ],
    ),
    (
        "cli",
        &[
            "error",
            "limits",
            "clock",
            "path",
            "access",
            "store",
            "skill",
            "wire",
            "encoder",
            "session",
            "observer",
            "content",
            "context",
            "skills",
            "users",
            "authoring",
            "handle",
            "prompt",
            "tools",
            "hooks",
            "audit",
            "client",
            "mcp",
            "http",
        ],
    ),
    ("rig", &["error", "wire", "handle", "prompt", "tools", "client"]),
];

/// Doors through which only a few names pass: who imports, from where, and what.
const NARROW_DOORS: &[(&str, &str, &[&str])] = &[("cli", "store", &["S3Options", "StoreAddress", "WriteAccess"])];

/// Code that only one room may speak: (what it looks like, where it is allowed).
const ROOMS: &[(&str, &[&str])] = &[
    ("aws_sdk_s3", &["store/src/s3"]),
    ("serde_yaml", &["skill/src/frontmatter"]),
    ("Timestamp::now()", &["crates/base/src/clock.rs", "store/src/memory.rs"]),
    ("rand::", &["crates/base/src/clock.rs"]),
    ("rmcp::", &["crates/server/src/mcp"]),
    ("use ort::", &["crates/search/src/encoder"]),
    // A call reads its session once, through its context. The others act on sessions that they are not in.
    ("sessions.get(", &["crates/engine/src/session", "crates/engine/src/skills/bound_session.rs"]),
    (
        "sessions().get(",
        &[
            "crates/engine/src/session",
            "crates/engine/src/context/state.rs",
            "crates/engine/src/skills/begin_session.rs",
            "crates/engine/src/skills/drafts.rs",
            "crates/server/src/http/door/shares.rs",
        ],
    ),
    (".get_ranked(", &["crates/engine/src/context/state.rs"]),
];

/// The folders of `tests/it` that belong to no single room.
const OF_THE_WHOLE: &[&str] =
    &["engine", "fuzz", "house", "interleave", "model", "reference", "siege", "support", "whole"];

#[test]
fn modules_import_only_from_the_left() {
    let mut wrong = Vec::new();
    for file in program_sources() {
        let Some(home) = home(&file) else { continue };
        let allowed =
            EDGES.iter().find(|(name, _)| *name == home).unwrap_or_else(|| panic!("{home} is in no row of EDGES")).1;
        for used in uses(&fs::read_to_string(&file).unwrap(), &home) {
            if used != home && EDGES.iter().any(|(name, _)| *name == used) && !allowed.contains(&used.as_str()) {
                wrong.push(format!("{}: {home} imports {used}", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "forbidden edges:\n{}", wrong.join("\n"));
}

#[test]
fn narrow_doors_let_only_their_names_through() {
    for (home, other, allowed) in NARROW_DOORS {
        let mut found = BTreeSet::new();
        for file in program_sources().into_iter().filter(|file| self::home(file).as_deref() == Some(home)) {
            found.extend(names(&fs::read_to_string(file).unwrap(), other));
        }
        assert_eq!(found, allowed.iter().map(ToString::to_string).collect(), "what {home} imports from {other}");
    }
}

#[test]
fn every_door_is_used() {
    let mut used: BTreeSet<(String, String)> = BTreeSet::new();
    for file in program_sources() {
        let Some(home) = home(&file) else { continue };
        used.extend(uses(&fs::read_to_string(&file).unwrap(), &home).into_iter().map(|other| (home.clone(), other)));
    }
    let doors =
        EDGES.iter().flat_map(|(home, allowed)| allowed.iter().map(|other| (home.to_string(), other.to_string())));
    let walls: Vec<_> = doors.filter(|door| !used.contains(door)).collect();
    assert!(walls.is_empty(), "arrows that EDGES lists and the code does not have: {walls:?}");
}

#[test]
fn the_map_has_the_same_table() {
    let map = fs::read_to_string(root().join("docs/ARCHITECTURE.md")).unwrap();
    let section = map.split_once("## Edges").unwrap().1.split_once("\n## ").unwrap().0;
    let shown: Vec<_> = section.lines().filter(|line| line.starts_with("| `")).collect();
    let row = |(home, allowed): &(&str, &[&str])| {
        let allowed = if allowed.is_empty() { "nothing".to_owned() } else { allowed.join(" ") };
        format!("| `{home}` | {allowed} |")
    };
    assert_eq!(shown, EDGES.iter().map(row).collect::<Vec<_>>(), "the table of docs/ARCHITECTURE.md, and EDGES");
    for (home, other, allowed) in NARROW_DOORS {
        let allowed: Vec<_> = allowed.iter().map(|name| format!("`{name}`")).collect();
        let sentence = format!("From `{other}`, `{home}` imports only {}.", allowed.join(" and "));
        assert!(map.contains(&sentence), "docs/ARCHITECTURE.md lacks the sentence {sentence}");
    }
}

/// A folder of a `mod.rs` and its tests is one module, which the map may name as one: without the slash.
#[test]
fn the_map_names_every_folder() {
    let map = fs::read_to_string(root().join("docs/ARCHITECTURE.md")).unwrap();
    let has_parts = |file: &&PathBuf| !file.ends_with("tests.rs") && !file.ends_with("mod.rs");
    let files = program_sources();
    let folder_of = |file: &PathBuf| file.parent().unwrap().to_path_buf();
    let with_parts: BTreeSet<_> = files.iter().filter(has_parts).map(folder_of).collect();
    for folder in files.iter().map(folder_of).collect::<BTreeSet<_>>() {
        let inside = module_path(&folder);
        let Some(name) = inside.file_name().map(|name| name.to_string_lossy()) else { continue };
        let is_named = names_folder(&map, &name)
            || map.contains(&format!("`crates/{name}/src/`"))
            || (!with_parts.contains(&folder) && map.contains(&format!("`{name}`")));
        assert!(is_named, "docs/ARCHITECTURE.md does not name src/{}", inside.display());
    }
}

/// Whether `map` names the folder `name`, perhaps in the row of the folder it lies in.
fn names_folder(map: &str, name: &str) -> bool {
    map.contains(&format!("`{name}/`")) || map.contains(&format!("/{name}/`"))
}

#[test]
fn a_folder_is_not_named_by_another_that_ends_as_it_does() {
    assert!(names_folder("`src/log/`", "log") && names_folder("in `log/`", "log"));
    assert!(!names_folder("`crates/engine/src/catalog/` and `log`", "log"));
}

#[test]
fn a_forbidden_edge_would_be_seen() {
    let text = "use crate::{\n    http::Server,\n    path::{ObjectKey, Id},\n};\nfn f() { crate::session::x(); }";
    assert_eq!(uses(text, "cli"), ["http", "path", "session"].map(str::to_owned).into());
    let text =
        "use skillmount_base::{limits, path::Id};\nuse skillmount_store::Store;\nuse crate::{backoff::wait, error::X};";
    assert_eq!(uses(text, "store"), ["limits", "path", "store"].map(str::to_owned).into());
}

#[test]
fn an_example_is_no_import() {
    let text = "/// ```\n/// use crate::http::Server;\n/// ```\nuse crate::path::Id;\n/// [`X`](crate::wire::X)";
    assert_eq!(uses(text, "cli"), ["path", "wire"].map(str::to_owned).into());
}

#[test]
fn a_forbidden_name_would_be_seen() {
    let seen = |text: &str| names(text, "store").into_iter().collect::<Vec<_>>().join(" ");
    assert_eq!(seen("use crate::{\n    path::{Id, store::X},\n    store::{A, b::{C, D}, E as F},\n};"), "A E b");
    assert_eq!(seen("use crate::store::A; fn f() { crate::store::B; crate::stored::C; }"), "A B");
    assert_eq!(seen("use crate::{store, path::Id};"), "store");
    assert_eq!(seen("use crate::store::*;"), "*");
    assert_eq!(seen("use crate::{error, store::{self, A}};"), "A self");
}

#[test]
fn effects_stay_in_their_rooms() {
    let mut wrong = Vec::new();
    for file in program_sources() {
        let name = file.to_string_lossy().replace('\\', "/");
        let text = fs::read_to_string(&file).unwrap();
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
        for (word, rooms) in ROOMS {
            if code.contains(word) && !rooms.iter().any(|room| name.contains(room)) {
                wrong.push(format!("{name}: {word}"));
            }
        }
    }
    let advice = "time and dice come in as a Clock; for other words see ROOMS in this file";
    assert!(wrong.is_empty(), "outside their room:\n{}\n{advice}", wrong.join("\n"));
}

#[test]
fn no_test_file_is_forgotten() {
    for file in sources("tests/it") {
        // A folder's `mod.rs` is declared one folder up, as every other file is in its own folder.
        let declared = if file.ends_with("mod.rs") { file.parent().unwrap() } else { &file };
        let (name, folder) = (declared.file_stem().unwrap().to_string_lossy(), declared.parent().unwrap());
        let parent = ["mod.rs", "main.rs"].map(|parent| folder.join(parent)).into_iter().find(|parent| parent.exists());
        let lines = fs::read_to_string(parent.unwrap_or_else(|| panic!("{} has no mod.rs", folder.display()))).unwrap();
        let is_named = lines.lines().any(|line| line.ends_with(&format!("mod {name};")));
        assert!(name == "main" || is_named, "{} is in no mod line", file.display());
    }
}

#[test]
fn tests_lie_with_their_room() {
    for file in sources("tests/it") {
        let inside = file.strip_prefix(root().join("tests/it")).unwrap();
        let name = inside.iter().next().unwrap().to_string_lossy();
        let is_known =
            name == "main.rs" || OF_THE_WHOLE.contains(&&*name) || EDGES.iter().any(|(room, _)| *room == name);
        assert!(is_known, "tests/it/{name} is neither named as a room nor one of {OF_THE_WHOLE:?}");
    }
}

/// The top module a file belongs to; none for `lib.rs` and `main.rs`, which join them, and for unit tests in a file of their
/// own, which may set up what they like.
fn home(file: &Path) -> Option<String> {
    if file.ends_with("tests.rs") {
        return None;
    }
    let inside = module_path(file);
    let first = inside.iter().next().unwrap().to_string_lossy().replace(".rs", "");
    (first != "lib" && first != "main").then_some(first)
}

/// The top modules named by paths such as `crate::x` and `skillmount_base::x` and by groups `use crate::{x, y::z}` in a file
/// of the module `home`.
fn uses(text: &str, home: &str) -> BTreeSet<String> {
    let text = &without_examples(text);
    let mut found = BTreeSet::new();
    for root in Regex::new(r"\b(?:crate|skillmount_(\w+))::").unwrap().captures_iter(text) {
        match root.get(1).map(|name| name.as_str()) {
            Some(name) if is_one_module(name) => found.extend([name.to_owned()]),
            name => {
                let words = items(&text[root.get(0).unwrap().end()..]).into_iter().filter_map(word);
                let is_own = |word: &String| name.is_none() && is_one_module(home) && has_module(home, word);
                found.extend(words.filter(|word| !is_own(word)));
            }
        }
    }
    found
}

/// `text` without the examples in its comments. An example is a crate of its own, so a module of its imports may lie above.
fn without_examples(text: &str) -> String {
    let mut is_example = false;
    let is_code = |line: &&str| {
        let comment = line.trim_start();
        let comment = comment.strip_prefix("///").or_else(|| comment.strip_prefix("//!"));
        let is_fence = comment.is_some_and(|text| text.trim_start().starts_with("```"));
        is_example = comment.is_some() && is_example != is_fence;
        !is_example
    };
    text.lines().filter(is_code).collect::<Vec<_>>().join("\n")
}

/// What is taken from the top module `module`: the next segments of its paths, and its own name where it is taken whole.
fn names(text: &str, module: &str) -> BTreeSet<String> {
    let items = text.match_indices("crate::").flat_map(|(at, path)| items(&text[at + path.len()..]));
    let mut found = BTreeSet::new();
    for item in items.filter(|item| word(item).as_deref() == Some(module)) {
        match item[module.len()..].strip_prefix("::") {
            None => found.extend([module.to_owned()]),
            Some(inner) => {
                found.extend(self::items(inner).into_iter().map(|name| word(name).unwrap_or("*".to_owned())));
            }
        }
    }
    found
}

/// The items of a group, or the one path there is; each with all that follows it.
fn items(rest: &str) -> Vec<&str> {
    let Some(group) = rest.strip_prefix('{') else { return vec![rest] };
    let mut found = Vec::new();
    let mut depth = 0;
    let mut item_begins = true;
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => item_begins = true,
            c if c.is_whitespace() => {}
            _ if item_begins => {
                found.push(&group[at..]);
                item_begins = false;
            }
            _ => {}
        }
    }
    found
}

fn word(text: &str) -> Option<String> {
    let word: String = text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    (!word.is_empty()).then_some(word)
}
