//! `.ci/shape` counts what is planted in a small tree, and nothing else.

use std::{collections::BTreeMap, fs, path::PathBuf, process::Command};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{
    packages::{ready, run_for_text},
    sources::root,
};

/// Each figure: its value and what was counted.
type Figures = BTreeMap<String, (u64, String)>;

const ARCHITECTURE: &str = "# Map\n## Walkthroughs\n### A read\n`src/http/a.rs`, then `src/path.rs`; `src/path.rs` again.\n\
                            ### A write\nNo file.\n## More\n`src/other.rs`\n";

#[test]
fn a_sound_tree_has_no_faults() {
    let Some(figures) = count(&[
        ("src/lib.rs", "//! A crate.\npub mod path;\n"),
        (
            "src/path.rs",
            "/// A path: `fn of`.\npub struct Path(String);\nimpl Path {\n    pub fn parse(text: &str) -> Self { todo!(\"fn of() { x.code() }\") }\n}\n",
        ),
    ]) else {
        return;
    };
    for name in [
        "error.code() outside the surfaces",
        "upward calls",
        "entry points",
        "exported type names used for two types",
        "functions named of",
        "types named by a participle",
        "fields of the largest owner",
        "modules without a place in the order",
    ] {
        assert_eq!(figures[name], (0, String::new()), "{name}");
    }
    assert_eq!(figures["lines of code"].0, 5);
    assert_eq!(figures["methods of the largest type"].0, 1);
}

#[test]
fn sizes_are_those_of_the_largest() {
    let Some(figures) = count(&[
        ("src/path.rs", "pub struct One;\n// no code\n\nimpl One {\n    fn a(&self) {}\n}\n"),
        (
            "src/session/mod.rs",
            "pub struct Two<'a> {\n    a: &'a str,\n    pub b: Vec<(u8, u8)>,\n    #[allow(dead_code)]\n    c: u8,\n}\nimpl<'a> Two<'a> {\n    fn a(&self) { fn nested() {} }\n    pub(crate) const fn b() {}\n}\n",
        ),
        (
            "src/session/more.rs",
            "impl super::Two<'_> {\n    async fn c(self) {}\n}\nimpl Drop for Two<'_> {\n    fn drop(&mut self) {}\n}\n#[cfg(test)]\nmod tests {\n    impl super::Two<'_> { fn d(&self) {} }\n}\n#[cfg(test)]\nmod planted;\n",
        ),
        ("src/session/more/planted.rs", "pub struct Asked;\n"),
        (
            "src/session/document.rs",
            "#[derive(Debug, Serialize)]\nstruct Document { a: u8, b: u8, c: u8, d: u8 }\nimpl Document { fn a(&self) {} }\npub struct Plain { pub a: u8, pub b: u8, pub c: u8, pub d: u8 }\nimpl Plain { fn a(&self) {} }\n",
        ),
    ]) else {
        return;
    };
    assert_eq!(figures["methods of the largest type"].0, 3);
    assert_eq!(figures["files of its methods"].0, 2);
    assert_eq!(figures["fields of the largest owner"].0, 3);
    assert_eq!(figures["types named by a participle"].0, 0, "planted.rs is for tests alone");
    assert_eq!(figures["lines of code"].0, 4 + 10 + 6 + 5);
    assert_eq!(figures["largest module, percent"].0, 84);
}

#[test]
fn names_that_say_little_are_counted() {
    let Some(figures) = count(&[
        (
            "src/path.rs",
            "pub struct Place;\npub(crate) enum Kind {}\nstruct Asked;\ntrait T { type Place; fn of(); }\n",
        ),
        (
            "src/store.rs",
            "pub type Place = u8;\nenum Kind {}\nstruct Seed;\npub struct Kept {}\nimpl Kept { pub fn of() {} fn of_it() {} }\n",
        ),
    ]) else {
        return;
    };
    assert_eq!(figures["exported type names used for two types"], (1, "Place  src/path.rs, src/store.rs".to_owned()));
    assert_eq!(figures["functions named of"], (2, "src/path.rs:4 src/store.rs:5".to_owned()));
    assert_eq!(figures["types named by a participle"], (2, "Asked  src/path.rs Kept  src/store.rs".to_owned()));
}

#[test]
fn calls_of_methods_that_only_lie_above_are_counted() {
    let below = "struct Low;\nimpl Low {\n    fn go(&self, high: &High) {\n        self.climb();\n        high.fly();\n        High::land();\n        high.walk();\n        high.len();\n    }\n    fn walk(&self) {}\n}\n";
    let above = "impl Low {\n    fn climb(&self) {}\n}\npub struct High;\nimpl High {\n    pub fn fly(&self) {}\n    pub fn land() {}\n    pub fn walk(&self) {}\n    pub fn len(&self) {}\n    fn down(&self, low: &Low) { low.go(self) }\n}\n";
    let seen = |low: &str, high: &str| Some(count(&[(low, below), (high, above)])?["upward calls"].clone());
    let Some(found) = seen("src/store/a.rs", "src/session/b.rs") else { return };
    assert_eq!(found, (1, "src/store/a.rs -> src/session/b.rs: climb, fly, land".to_owned()));
    let turned_round = (1, "src/store/b.rs -> src/session/a.rs: go".to_owned());
    assert_eq!(seen("src/session/a.rs", "src/store/b.rs").unwrap(), turned_round);
    // Parts of `backend` lie above its other files, and crates have places of their own.
    assert_eq!(seen("src/backend/a.rs", "src/backend/ops/b.rs").unwrap().0, 1);
    assert_eq!(seen("crates/store/src/a.rs", "crates/engine/src/session/b.rs").unwrap().0, 1);
    assert_eq!(seen("crates/engine/src/files/a.rs", "crates/engine/src/handle.rs").unwrap().0, 1);
    // Some modules are crates while `backend` is still there.
    let half = [("crates/base/src/path.rs", below), ("src/session/b.rs", above), ("src/backend/c.rs", "struct C;")];
    let half = count(&half).unwrap();
    assert_eq!((half["upward calls"].0, half["modules without a place in the order"].0), (1, 0));
    let unplaced = count(&[("crates/engine/src/attic.rs", "struct A;")]).unwrap();
    assert_eq!(unplaced["modules without a place in the order"], (1, "engine/attic".to_owned()));
}

#[test]
fn ways_in_and_errors_that_are_taken_apart_are_counted() {
    let context = "impl Context {\n    pub async fn admit(&self, request: &R) -> Result<Admission<'_>, Refusal> { todo!() }\n    fn inner(&self) -> Admission { todo!() }\n}\nimpl Admission {\n    pub fn again(self) -> Self { self }\n}\nimpl Author {\n    pub(crate) fn new(user: Id) -> Result<Self> { todo!() }\n}\n";
    let files = "impl Tree {\n    pub fn for_call(admission: &Admission) -> Result<Tree> { todo!() }\n}\nimpl SessionBackend {\n    pub async fn approved(&self) -> Result<Self> { todo!() }\n    pub fn in_team(self) -> Self { self }\n    pub async fn state(&self) -> Result<SessionState> { if error.code() == X {} }\n}\n";
    let surface = "fn f() { error.code() }\nimpl Door { pub fn admit(&self) -> Admission { todo!() } }\n";
    let Some(figures) = count(&[
        ("crates/engine/src/context/mod.rs", context),
        ("crates/engine/src/files/tree.rs", files),
        ("crates/server/src/http/door.rs", surface),
    ]) else {
        return;
    };
    let entries = ["Context::admit", "Author::new", "SessionBackend::approved"];
    assert_eq!(figures["entry points"].0, entries.len() as u64, "{}", figures["entry points"].1);
    assert!(entries.iter().all(|entry| figures["entry points"].1.contains(entry)), "{}", figures["entry points"].1);
    let codes = (1, "crates/engine/src/files/tree.rs:7".to_owned());
    assert_eq!(figures["error.code() outside the surfaces"], codes);
}

#[test]
fn a_missed_goal_fails_only_if_goals_are_checked() {
    let tree = tree(&[("src/path.rs", "struct Asked;\n")]);
    let Some(script) = script() else { return };
    let status = |options: &[&str]| Command::new(&script).args(options).arg(tree.path()).output().unwrap();
    assert_eq!(status(&["--check"]).status.code(), Some(1));
    let shown = status(&["--details"]);
    assert_eq!(shown.status.code(), Some(0));
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(shown.contains("types named by a participle") && shown.contains("Asked  src/path.rs"), "{shown}");
    assert!(shown.contains("2  A read"), "{shown}");
}

// Method calls through `self` need no `use`, so the edges of modules do not show them.
#[test]
fn this_repository_keeps_the_goals_of_its_shape() {
    let Some(script) = script() else { return };
    let printed = run_for_text(Command::new(script).arg("--json").arg(root())).unwrap();
    let rows: Vec<Value> = serde_json::from_str(&printed).unwrap();
    let is_size = |row: &Value| row["figure"] == "lines of code";
    let missed = |row: &&Value| row["value"].as_f64() > row["goal"].as_f64() && !is_size(row);
    let missed: Vec<_> = rows.iter().filter(missed).map(|row| (figure(row), row["goal"].to_string())).collect();
    assert!(rows.iter().any(is_size) && missed.is_empty(), "{missed:#?}");
}

/// The figures of a repository that has these files and a small map; none if there is no Python to count with.
fn count(files: &[(&str, &str)]) -> Option<Figures> {
    let tree = tree(files);
    let printed = run_for_text(Command::new(script()?).arg("--json").arg(tree.path())).unwrap();
    let rows: Vec<Value> = serde_json::from_str(&printed).unwrap();
    assert!(rows.len() > 12, "{printed}");
    let figures: Figures = rows.iter().map(figure).collect();
    assert_eq!(figures["files on the longest walkthrough"].0, 2);
    assert_eq!(figures["walkthroughs that name no file"], (1, "A write".to_owned()));
    Some(figures)
}

/// The name of a figure, its value without a fraction, and what was counted for it.
fn figure(row: &Value) -> (String, (u64, String)) {
    let counted: Vec<_> = row["counted"].as_array().unwrap().iter().map(|item| item.as_str().unwrap()).collect();
    let value = row["value"].to_string().split('.').next().unwrap().parse().unwrap();
    (row["figure"].as_str().unwrap().to_owned(), (value, counted.join(" ")))
}

fn tree(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (path, text) in files.iter().chain(&[("docs/ARCHITECTURE.md", ARCHITECTURE)]) {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

/// The script, if there is a Python that runs it.
fn script() -> Option<PathBuf> {
    let condition = "import sys; sys.exit(sys.version_info < (3, 11) and 'Python 3.11 is needed')";
    let python = run_for_text(Command::new("python3").args(["-c", condition]));
    ready("the shape of the code base", python, "install Python 3.11")?;
    Some(root().join(".ci/shape"))
}
