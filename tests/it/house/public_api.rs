//! What the library offers: every public item in one file, so that each change of it shows in a diff.
//!
//! The lint `unreachable_pub` holds each `pub` item of a private module to being reachable, so the `pub` items of the
//! source are the public ones, and reading its lines is enough. rustfmt writes them, so their shape is known.

use std::{collections::BTreeSet, fs, path::Path};

use crate::support::sources::{module_path, program_sources};

/// What breaks callers stands in CHANGELOG.md as well.
#[test]
fn the_public_items_are_the_snapshot() {
    // A test shows what it printed if it fails, above the advice of insta.
    println!("If meant: `INSTA_UPDATE=always cargo test --test it -- public_api`, then CHANGELOG.");
    insta::assert_snapshot!("public_api", public_api());
}

#[test]
fn every_kind_of_item_is_seen() {
    let text = r#"
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// How many.
    pub most: usize,
    hidden: bool,
}

impl Options {
    /// A long one.
    pub fn new(
        most: usize,
        other: &str,
    ) -> Self {
        Self { most }
    }

    pub(crate) fn inner(&self) {}
}

wire! {
    pub enum Answer {
        /// None.
        Nothing,
        Some { what: String },
        Many {
            /// Which.
            which: String,
            rest: Vec<String>,
        },
    }
}

pub trait Door: Send {
    #[cfg(feature = "s3")]
    async fn open(&self) -> bool;
}

pub const MOST: usize = 1 << 20;
pub use inner::{
    One,
    Two,
};

fn private() {
    let pub_like = 1;
}

#[cfg(test)]
mod tests {
    pub fn helper() {}
}
"#;
    assert_eq!(
        items(text),
        [
            "#[derive(Clone, Debug)] #[non_exhaustive] pub struct Options",
            "Options: pub most: usize",
            "Options: pub fn new(most: usize, other: &str) -> Self",
            "pub enum Answer",
            "Answer: Nothing",
            "Answer: Some { what: String }",
            "Answer: Many { which: String, rest: Vec<String> }",
            "pub trait Door: Send",
            "Door: #[cfg(feature = \"s3\")] async fn open(&self) -> bool",
            "pub const MOST: usize",
            "pub use inner::{One, Two}",
        ]
    );
}

/// One line for each item, `room: item`, sorted.
fn public_api() -> String {
    let offers_none = |file: &Path| file.ends_with("main.rs") || file.ends_with("tests.rs");
    let files: Vec<_> = program_sources().into_iter().filter(|file| !offers_none(file)).collect();
    let rooms: BTreeSet<_> = files.iter().flat_map(|file| public_modules(file)).collect();
    let mut lines = BTreeSet::new();
    for file in &files {
        let room = room_of(&module_of(file), &rooms);
        lines.extend(items(&fs::read_to_string(file).unwrap()).into_iter().map(|item| format!("{room}: {item}")));
    }
    lines.into_iter().fold(String::new(), |text, line| text + &line + "\n")
}

/// The modules that `file` makes public, as `store::testing`.
fn public_modules(file: &Path) -> Vec<String> {
    let here = module_of(file);
    let text = fs::read_to_string(file).unwrap();
    let module = |line: &str| {
        let declared = line
            .strip_prefix("pub mod ")
            .or_else(|| line.strip_prefix("pub use skillmount_")?.split_once(" as ").map(|(_, name)| name));
        declared?.strip_suffix(';').map(str::to_owned)
    };
    let names = text.lines().filter_map(module);
    names.map(|name| if here.is_empty() { name } else { format!("{here}::{name}") }).collect()
}

/// The public module through which the items of `module` are reached: itself, or the nearest one above.
fn room_of(module: &str, rooms: &BTreeSet<String>) -> String {
    let mut room = module;
    while !room.is_empty() && !rooms.contains(room) {
        room = room.rsplit_once("::").map_or("", |(above, _)| above);
    }
    if room.is_empty() { "skillmount".to_owned() } else { room.to_owned() }
}

fn module_of(file: &Path) -> String {
    let inside = module_path(file).with_extension("");
    let mut parts: Vec<_> = inside.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    parts.retain(|part| part != "mod" && part != "lib");
    parts.join("::")
}

/// Inside of what the lines are.
struct Block {
    name: String,
    is_enum: bool,
    is_trait: bool,
    indent: usize,
}

/// The public items of one file in their order; `owner: item` for fields, variants and methods.
fn items(text: &str) -> Vec<String> {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//") && !line.trim().is_empty());
    let mut lines = code.peekable();
    let (mut found, mut attributes, mut block): (_, Vec<String>, Option<Block>) = (Vec::new(), Vec::new(), None);
    while let Some(line) = lines.next() {
        let (indent, line) = (line.len() - line.trim_start().len(), line.trim());
        if line == "mod tests {" && attributes.iter().any(|attribute| attribute == "#[cfg(test)]") {
            break;
        }
        if line.starts_with("#[") {
            attributes.push(line.to_owned());
            continue;
        }
        if block.as_ref().is_some_and(|block| indent <= block.indent) {
            block = None;
        }
        // What stands in an enum or a trait is public without the word.
        let within = block.as_ref().filter(|block| indent == block.indent + 4);
        let is_variant = within.is_some_and(|block| block.is_enum);
        let is_inside =
            (is_variant || within.is_some_and(|block| block.is_trait)) && !line.starts_with(['}', ')', '$']);
        if line.starts_with("pub ") || is_inside {
            let mut whole = line.to_owned();
            while !is_complete(&whole, is_variant) {
                let Some(next) = lines.next() else { break };
                whole.push(' ');
                whole.push_str(next.trim());
            }
            let kept = attributes.iter().filter(|attribute| is_interface(attribute));
            let item = kept.cloned().chain([shortened(&whole)]).collect::<Vec<_>>().join(" ");
            let owner = block.as_ref().map(|block| format!("{}: ", block.name)).unwrap_or_default();
            // A line with a `$` is a macro's: what it makes is written at its call.
            found.extend(Some(owner + &item).filter(|item| !item.contains('$')));
        }
        if block.is_none() && line.ends_with('{') {
            block = opened(line, indent);
        }
        attributes.clear();
    }
    found
}

/// Whether a caller can see the difference that an attribute makes.
fn is_interface(attribute: &str) -> bool {
    ["#[non_exhaustive", "#[derive(", "#[cfg(feature"].iter().any(|start| attribute.starts_with(start))
}

/// Whether an item has come to its end, or to the beginning of its body.
fn is_complete(item: &str, is_variant: bool) -> bool {
    let counts_braces = is_variant || item.starts_with("pub use ");
    let depth = item.chars().fold(0, |depth: i32, c| match c {
        '(' | '[' => depth + 1,
        ')' | ']' => depth - 1,
        '{' if counts_braces => depth + 1,
        '}' if counts_braces => depth - 1,
        _ => depth,
    });
    depth == 0 && item.ends_with([';', '{', '}', ','])
}

/// The item without its body, value and line breaks.
fn shortened(item: &str) -> String {
    let is_value = item.starts_with("pub const ") && !item.contains("fn ") || item.starts_with("pub static ");
    let is_body = ["pub struct ", "pub enum ", "pub trait "].iter().any(|start| item.starts_with(start));
    let end = if is_value {
        " = "
    } else if is_body {
        " {"
    } else {
        "\n"
    };
    let item = item.split(end).next().unwrap().trim_end_matches([';', ',']).trim_end_matches('{').trim_end();
    let joined = item.replace("( ", "(").replace(", )", ")").replace(" )", ")").replace(", }", " }");
    if item.starts_with("pub use ") { joined.replace("{ ", "{").replace(" }", "}") } else { joined }
}

/// The type, trait or implementation that `line` opens.
fn opened(line: &str, indent: usize) -> Option<Block> {
    let words = line.trim_end_matches('{');
    let rest = ["pub struct ", "pub enum ", "pub trait "].iter().find_map(|start| words.strip_prefix(start));
    let rest = rest.or_else(|| {
        let inherent = words.strip_prefix("impl").filter(|rest| !rest.contains(" for "))?;
        // `impl<T> Name<T>`: the name comes after the parameters.
        Some(inherent.trim_start_matches(|c| c != ' ').trim_start())
    })?;
    let name = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    let (is_enum, is_trait) = (words.starts_with("pub enum "), words.starts_with("pub trait "));
    Some(Block { name, is_enum, is_trait, indent })
}
