//! No bytes from outside make the service panic, hang, or answer with a fault of its own: one target for each way in.
//!
//! A target is a function of bytes, so that any engine can drive it; `driver` is the one that needs nothing but a stable
//! compiler. Seeds lie in `corpus/`, a folder for each target.

mod at_rest;
#[cfg(all(feature = "server", feature = "client"))]
mod bodies;
mod driver;

use std::sync::Arc;

use skillmount::{
    Code, Result,
    path::{KeyPrefix, Mount, ResolvedPath, Scope, VirtualPath},
    skill::{Severity, lint, read_document, read_head},
    store::MemoryStore,
    wire::{BackendProtocol, GlobRequest, GrepRequest},
};
use tokio::runtime::{Builder, Runtime};

use crate::support::world::{World, grep};

/// What a refusal of a pattern may be called.
const OF_PATTERNS: [Code; 4] = [Code::InvalidPattern, Code::TooExpensive, Code::InvalidRequest, Code::InvalidPath];

/// The first line is the pattern, the rest are names of files.
#[test]
fn a_glob_finds_or_is_refused() {
    let words =
        ["*", "**", "?", "[", "]", "[!a-z]", "{", "}", ",", "{1..9}", "..", "/", "\\", "\n", ".", "é", "[[:alpha:]]"];
    let runtime = runtime();
    driver::run("glob", &words, |input| {
        let text = String::from_utf8_lossy(input);
        let (pattern, names) = text.split_once('\n').unwrap_or((&text, "a.md"));
        let memory = Arc::new(MemoryStore::new());
        let folder = KeyPrefix::all().folder("demo/threads/s").unwrap();
        for key in names.lines().take(8).filter_map(|name| folder.key(name).ok()) {
            memory.put_raw(key.as_str(), "");
        }
        let agent = World::over(memory).agent();
        let found = runtime.block_on(agent.glob(GlobRequest { pattern: pattern.to_owned(), path: None }));
        outcome(found, &OF_PATTERNS, |found| format!("{} files", found.matches.len()))
    });
}

/// The whole input is the expression; its first byte says whether case matters.
#[test]
fn an_expression_searches_or_is_refused() {
    let words = [
        "(", ")", "(?:", "|", "*", "+", "?", "{1000}", "{3,}", "[^", "]", "\\w", "\\b", "\\pL", "(?i)", "^", "$", "\n",
        "é",
    ];
    let runtime = runtime();
    let memory = Arc::new(MemoryStore::new());
    let text = "one line of text\nanother, with an é and numbers 0110 and some aaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n\nlast";
    memory.put_raw("demo/threads/s/text.md", text);
    memory.put_raw("demo/threads/s/latin1.md", &b"caf\xe9\n"[..]);
    let agent = World::over(memory).agent();
    driver::run("expression", &words, |input| {
        let ignore_case = input.first().is_some_and(|byte| byte % 2 == 1);
        let request = GrepRequest { ignore_case, ..grep(&String::from_utf8_lossy(input), None) };
        let found = runtime.block_on(agent.grep(request));
        outcome(found, &OF_PATTERNS, |found| format!("{} hits", found.matches.unwrap_or_default().len()))
    });
}

/// The whole input is a SKILL.md.
#[test]
fn frontmatter_gives_a_skill_or_says_why_not() {
    let words = [
        "---\n",
        "name: ",
        "description: ",
        "- ",
        "? ",
        ": ",
        "&a ",
        "*a ",
        "<<: ",
        "[",
        "]",
        "{",
        "}",
        "|",
        ">-",
        "\t",
        "\r\n",
        "\"",
        "'",
        "#",
        "!!str ",
        "\u{feff}",
        "%YAML 1.1\n",
        "...",
    ];
    driver::run("frontmatter", &words, |input| {
        let (document, found) = read_document(input, "folder");
        let (head, _) = read_head(input, "folder");
        assert_eq!(document.is_none(), found.iter().any(|one| one.severity == Severity::Error), "{found:?}");
        assert_eq!(head.map(|head| head.frontmatter), document.map(|document| document.frontmatter));
        let judged = lint(input, "folder", None);
        let mut codes: Vec<_> = found.iter().chain(&judged).map(|one| one.code.clone()).collect();
        codes.sort();
        codes.dedup();
        codes.join(" ")
    });
}

/// The whole input is a path that an agent gives.
#[test]
fn a_virtual_path_is_normal_or_refused() {
    let words = [
        "/",
        "//",
        ".",
        "..",
        "/../",
        "%2e",
        "\\",
        "\0",
        "\u{202e}",
        "é",
        "e\u{301}",
        "workspace",
        "/workspace/",
        "/skills/k/",
        "~",
    ];
    let prefix = |folder| KeyPrefix::all().folder(folder).unwrap();
    let mount = |at, folder| Mount { at: VirtualPath::parse(at).unwrap(), prefix: prefix(folder) };
    let scope = Scope::new(vec![mount("/workspace", "u1/threads/s"), mount("/skills/k", "u1/skills/k")]);
    driver::run("virtual_path", &words, |input| {
        let text = String::from_utf8_lossy(input);
        let Ok(path) = VirtualPath::parse(&text) else { return "refused".to_owned() };
        // Of two spellings of a folder one is the path.
        let spelled = text.strip_suffix('/').filter(|folder| !folder.is_empty()).unwrap_or(&text);
        assert_eq!(path.as_str(), spelled, "a path is taken as it is, or not at all");
        assert!(path.segments().all(|segment| !matches!(segment, "" | "." | "..") && !segment.contains('\0')));
        match (scope.place(&path), scope.object_key(&path)) {
            (ResolvedPath::Inside(mount, below), Ok(Some(key))) => {
                let folder = ["u1/threads/s/", "u1/skills/k/"][mount];
                assert_eq!(key.as_str(), [folder, below].concat());
                format!("inside {mount}")
            }
            (ResolvedPath::Nowhere | ResolvedPath::Above, Ok(Some(key))) => panic!("{text:?} has the key {key:?}"),
            (place, key) => format!("{} {}", matches!(place, ResolvedPath::Nowhere), key.is_err()),
        }
    });
}

/// What became of a call, as a word; one of `refusals` if it failed.
fn outcome<T>(result: Result<T>, refusals: &[Code], word: impl Fn(T) -> String) -> String {
    match result {
        Ok(found) => word(found),
        Err(error) => {
            assert!(refusals.contains(&error.code()), "{error:?}");
            // Numbers and names in a message are not what makes two refusals differ.
            let message = error.message().split(|c: char| !c.is_ascii_alphabetic()).take(6).collect::<Vec<_>>();
            format!("{} {}", error.code(), message.join(" "))
        }
    }
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}
