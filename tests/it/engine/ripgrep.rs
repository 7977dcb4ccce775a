//! Grep against ripgrep itself: the same (path, line, text) for 200 patterns, on the fixtures and on real skills.
//!
//! What `read` calls binary is not given to ripgrep, which has another opinion of such files; here it has no hits.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    process::Command,
};

use skillmount::{
    Code,
    handle::SessionBackend,
    limits::{GREP_LINE_BYTES, GREP_MATCHES_MAX},
    wire::{BackendProtocol, GrepOutput, GrepRequest},
};
use tempfile::TempDir;

use crate::support::world::{BackendExt, World, code, files_below, fixtures, grep, real_skills};

const PATTERNS: usize = 100;
const LITERALS: &str = "(\n[\n**\n://\n```\n{{\n$\n|\n- \n.md\n\\n\n---\n#\n§\n—\n¿\nñ\ná\n  \n\t\n*\n?\n+\n^\n.*\n'\n\"\n\
    name:\n:\n1.\n%\n@\n_\n€\n🙂\n\r\nno such text anywhere";
const EXPRESSIONS: &str = "^#\n^# \n^\\s*$\n^$\n.\n.*\nx*\n\\S+\\s+\\S+$\n^\\s*[-*] \n[0-9]{3,}\n(?i)SKILL\n\\bde\\b\n\\Bde\\B\n\
    [áéíóúñ]\n\\p{Lu}{3,}\n\\p{Greek}\n[^\\x00-\\x7f]\n(?-u:\\xc3)\n^(---|\\+\\+\\+)$\n(a|e|i)(s|n)\\b\n^.{80,}$\n\\d+\\.\\d+\n\
    https?://[^\\s)]+\n\\[[^\\]]*\\]\\([^)]*\\)\n`[^`]+`\n\\r$\n\\t\n(?x) n a m e\n(?s)a.b\n\\w+@\\w+\n[[:punct:]]{3}\n\
    ^[^a-z]*$\n\\.$\nw(h|e)\n(?m)^name\n\\Aname\nb\\z\n\\x{e9}";

/// A line that matched: path, number, text.
type Line = (String, u64, String);

/// Files by their relative names, as they lie in the workspace and, but for binary ones, in a folder.
struct Corpus {
    agent: SessionBackend,
    folder: TempDir,
    words: Vec<String>,
}

impl Corpus {
    async fn new(files: Vec<(String, Vec<u8>)>) -> Self {
        let world = World::new();
        let agent = world.agent();
        let folder = TempDir::new().unwrap();
        let mut words = BTreeSet::new();
        for (name, bytes) in files {
            let (path, key) = (format!("/workspace/{name}"), format!("demo/threads/s/{name}"));
            world.put(&key, bytes.clone()).await;
            let read = agent.lines(&path, 0, 1).await;
            if read.is_err() && code(read) == Code::BinaryFile {
                continue;
            }
            if bytes.contains(&0) {
                agent.remove(&path).await.unwrap();
                continue;
            }
            let text = String::from_utf8_lossy(&bytes);
            words.extend(text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2).map(str::to_owned));
            let file = folder.path().join(&name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, bytes).unwrap();
        }
        Self { agent, folder, words: words.into_iter().collect() }
    }

    /// A hundred words and phrases as they stand, and a hundred expressions made of words; the same on every run.
    fn patterns(&self) -> Vec<(String, bool)> {
        let step = (self.words.len() / PATTERNS).max(1);
        let words = || self.words.iter().step_by(step).cycle();
        let made = words().enumerate().map(|(number, word)| match number % 5 {
            0 => format!("\\b{word}\\b"),
            1 => format!("(?i)^.*{word}"),
            2 => format!("{}.+", word.chars().take(2).collect::<String>()),
            3 => format!("({word}|{word}s?)\\W"),
            _ => format!("[{word}]{{4}}$"),
        });
        let literals = LITERALS.split('\n').map(str::to_owned).chain(words().cloned()).take(PATTERNS);
        let expressions = EXPRESSIONS.split('\n').map(str::to_owned).chain(made).take(PATTERNS);
        literals.map(|text| (text, true)).chain(expressions.map(|text| (text, false))).collect()
    }

    /// What ripgrep finds, in order of path and line; `None` where it refuses the pattern.
    fn ripgrep(&self, pattern: &str, literal: bool) -> Option<Vec<Line>> {
        let mut command = Command::new("rg");
        command
            .args("--no-config --hidden --no-ignore --encoding=none -n --no-heading --with-filename --null".split(' '));
        command.args(literal.then_some("-F")).args(["-e", pattern, "./"]);
        let output = command.current_dir(self.folder.path()).output().unwrap();
        if output.status.code() == Some(2) {
            return None;
        }
        let lines = output.stdout.split_inclusive(|byte| *byte == b'\n').map(|line| parsed(line).unwrap());
        let mut lines: Vec<Line> = lines.collect();
        lines.sort();
        Some(lines)
    }

    async fn compare(&self) {
        let mut hits = 0;
        for (pattern, literal) in self.patterns() {
            let request =
                GrepRequest { literal, max_count: Some(GREP_MATCHES_MAX), ..grep(&pattern, Some("/workspace")) };
            let counting = GrepRequest { output_mode: GrepOutput::Count, ..request.clone() };
            let Some(expected) = self.ripgrep(&pattern, literal) else {
                assert_eq!(code(self.agent.grep(request).await), Code::InvalidPattern, "{pattern:?}");
                continue;
            };
            let found = self.agent.grep(request).await.unwrap();
            let seen: Vec<Line> =
                found.matches.unwrap().into_iter().map(|hit| (hit.path, hit.line, hit.text)).collect();
            let shown = if found.truncated { seen.len() } else { expected.len() };
            assert!(!found.truncated || seen.len() > 1000, "{pattern:?}: {:?}", found.truncation_reason);
            let differ = seen.iter().zip(&expected).find(|(seen, expected)| seen != expected);
            assert_eq!((differ, seen.len()), (None, shown), "{pattern:?}, literal: {literal}");
            // Where the reply is full, the number of lines still tells of the rest.
            let mut counts = BTreeMap::<String, u64>::new();
            for (path, _, _) in &expected {
                *counts.entry(path.clone()).or_default() += 1;
            }
            let counted = self.agent.grep(counting).await.unwrap().counts.unwrap();
            let counted: BTreeMap<_, _> = counted.into_iter().map(|file| (file.path, file.count)).collect();
            assert_eq!(counted, counts, "{pattern:?}, literal: {literal}");
            hits += expected.len();
        }
        println!("{} patterns, {hits} lines", 2 * PATTERNS);
        assert!(hits > PATTERNS, "hardly anything was found, which proves nothing");
    }
}

/// One line of ripgrep's output: `./path NUL number : text`.
fn parsed(line: &[u8]) -> Option<Line> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let nul = line.iter().position(|byte| *byte == 0)?;
    let (path, rest) = (&line[..nul], &line[nul + 1..]);
    let colon = rest.iter().position(|byte| *byte == b':')?;
    let path = format!("/workspace/{}", String::from_utf8(path.to_vec()).ok()?.strip_prefix("./")?);
    let number = String::from_utf8(rest[..colon].to_vec()).ok()?.parse().ok()?;
    Some((path, number, shown(&rest[colon + 1..])))
}

/// A line as our replies show it.
fn shown(text: &[u8]) -> String {
    if text.len() <= GREP_LINE_BYTES {
        return String::from_utf8_lossy(text).into_owned();
    }
    format!("{}… [cut: the line has {} bytes]", String::from_utf8_lossy(&text[..GREP_LINE_BYTES]), text.len())
}

/// Whether ripgrep is installed; says aloud where it is not.
fn is_installed() -> bool {
    let found = Command::new("rg").arg("--version").output().is_ok();
    if !found {
        println!("SKIPPED: rg is not installed, so grep was not held against it");
    }
    found
}

/// Lines as editors and other systems leave them, beside the fixtures.
fn odd_files() -> Vec<(String, Vec<u8>)> {
    let odd: [(&str, &[u8]); 7] = [
        ("odd/crlf.txt", b"name: one\r\ntwo\r\n\r\nname: three"),
        ("odd/bom.txt", b"\xef\xbb\xbfname: first\nsecond\n"),
        ("odd/latin1.txt", b"caf\xe9\nni\xf1o\n\xc3\n"),
        ("odd/utf16.txt", b"\xff\xfen\x00a\x00m\x00e\x00\n\x00"),
        ("odd/no newline at the end", b"name"),
        ("odd/empty", b""),
        (".odd/.hidden", b"name\x0b\x0cname\x85name\n\xe2\x80\xa8name\n"),
    ];
    odd.into_iter().map(|(name, bytes)| (name.to_owned(), bytes.to_vec())).collect()
}

#[tokio::test]
async fn the_fixtures_are_searched_as_ripgrep_does() {
    if is_installed() {
        let long = ("odd/long.txt".to_owned(), ["name ", &"x".repeat(GREP_LINE_BYTES), "\nname"].concat().into_bytes());
        let files = fixtures().into_iter().chain(odd_files()).chain([long]);
        Corpus::new(files.collect()).await.compare().await;
    }
}

#[tokio::test]
async fn real_skills_are_searched_as_ripgrep_does() {
    if let (Some(root), true) = (real_skills(), is_installed()) {
        Corpus::new(files_below(Path::new(&root))).await.compare().await;
    }
}
