//! No circles: no source file needs another file that needs it, directly or by way of others.
//!
//! A file is a module, and an arrow leads from a file to each file whose names it uses. A name that a `mod.rs` hands on
//! with `pub use` belongs to the file that defines it, so a `mod.rs` that only declares and hands on is the face of its
//! folder and has no arrows. What else a `mod.rs` uses or defines counts as in any file. Unit tests may use what they
//! like. Methods are not seen: a method lies with its type, whichever file has the `impl`.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::PathBuf,
};

use regex::Regex;

use crate::support::sources::{has_module, is_one_module, module_path, program_sources};

/// The place of a file below `src`, as its segments: `["store", "s3"]` is `store/s3/mod.rs` or `store/s3.rs`.
type Place = Vec<String>;

/// From each file to those it uses names of.
type Arrows = BTreeMap<String, BTreeSet<String>>;

/// A file: what it imports, and its text without that.
struct File {
    imports: Vec<Import>,
    /// What it defines, methods included.
    defined: BTreeSet<String>,
    body: String,
}

/// One name of a `use`.
struct Import {
    path: Vec<String>,
    /// What it is called in the file.
    name: String,
    /// Whether it is a `pub use`.
    is_handed_on: bool,
}

/// The files of a crate, by their place.
struct House(BTreeMap<Place, File>);

#[test]
fn no_file_needs_one_that_needs_it() {
    let circles = in_circles(&House::of_sources().arrows());
    assert!(circles.is_empty(), "these files need each other; move what ties them to a file of its own:\n{circles:#?}");
}

#[test]
fn a_circle_would_be_seen_and_a_face_is_none() {
    let arrows = |files: &[(&str, &str)]| {
        let files = files.iter().map(|(place, text)| (place_of(place), File::read(text)));
        House(files.collect()).arrows()
    };
    let seen = |files: &[(&str, &str)]| in_circles(&arrows(files)).len();
    let face = ("a", "mod b;\nmod c;\npub use b::B;\npub(super) use self::c::*;\n");
    let one = ("a/b", "use super::c::{C, D as E};\npub struct B;");
    assert_eq!(seen(&[face, one, ("a/c", "use crate::a::B;\npub(crate) struct C;")]), 2, "through the face");
    assert_eq!(
        seen(&[face, one, ("a/c", "pub struct C;\n#[cfg(test)]\nmod tests {\n    use super::super::b::B;\n}")]),
        0
    );
    assert_eq!(seen(&[("a", "mod b;\nuse b::B;\npub struct A;"), ("a/b", "use super::A;\npub struct B;")]), 2);
    assert_eq!(seen(&[("a", "mod b;\npub use b::B;\nfn f() -> B {}"), ("a/b", "use super::f;\npub struct B;")]), 2);
    assert_eq!(seen(&[("a", "use crate::b;\nfn f() { b::g() }"), ("b", "fn g() { crate::a::f() }")]), 2);
    let apart =
        arrows(&[("a", "// crate::b::B\nfn f() {}"), ("b", "pub(in crate::a) struct B;"), ("c", "use crate::a;")]);
    assert!(apart.values().all(BTreeSet::is_empty), "{apart:?}");
}

impl House {
    fn of_sources() -> Self {
        let mut files = BTreeMap::new();
        let is_read = |file: &PathBuf| !file.ends_with("tests.rs") && !file.ends_with("main.rs");
        for file in program_sources().into_iter().filter(is_read) {
            let inside = module_path(&file).with_extension("");
            let place = place_of(&inside.to_string_lossy().replace('\\', "/"));
            files.insert(place, File::read(&fs::read_to_string(&file).unwrap()));
        }
        Self(files)
    }

    /// From each file to those it uses names of.
    fn arrows(&self) -> Arrows {
        let inner = self.0.keys().filter(|place| !place.is_empty());
        inner.map(|home| (home.join("/"), self.used_by(home).into_iter().map(|to| to.join("/")).collect())).collect()
    }

    fn used_by(&self, home: &Place) -> BTreeSet<&Place> {
        let File { imports, body, .. } = &self.0[home];
        let mut used: Vec<Vec<String>> = Vec::new();
        for import in imports {
            let Some(path) = self.absolute(home, &import.path) else { continue };
            let is_glob = import.name == "*";
            if import.is_handed_on && (is_glob || !has_word(body, &import.name)) {
                continue;
            }
            if self.0.contains_key(&path) && !is_glob {
                used.extend(paths_in(body, &import.name).into_iter().map(|rest| [path.clone(), rest].concat()));
            } else {
                used.push(path);
            }
        }
        let children = self.0.keys().filter(|place| place.len() == home.len() + 1 && place.starts_with(home));
        let starts = children.filter_map(|child| child.last().map(String::as_str)).chain(["crate", "self", "super"]);
        for start in starts {
            let inline = paths_in(body, start).into_iter().map(|rest| [vec![start.to_owned()], rest].concat());
            used.extend(inline.filter_map(|path| self.absolute(home, &path)));
        }
        let owners = used.iter().filter_map(|path| self.owner(path, 0));
        owners.filter(|owner| *owner != home && !owner.is_empty()).collect()
    }

    /// The path from the root of the library; `None` for one into a crate of other people.
    fn absolute(&self, home: &Place, path: &[String]) -> Option<Vec<String>> {
        let ups = path.iter().take_while(|segment| *segment == "super").count();
        let child = || [home.clone(), path[..1].to_vec()].concat();
        match path.first()?.as_str() {
            "crate" if self.is_in_own_crate(home, path) => Some([&home[..1], &path[1..]].concat()),
            "crate" => Some(path[1..].to_vec()),
            "self" => Some([home, &path[1..]].concat()),
            "super" => Some([&home[..home.len().checked_sub(ups)?], &path[ups..]].concat()),
            other => match other.strip_prefix("skillmount_") {
                Some(name) if is_one_module(name) => Some([&[name.to_owned()], &path[1..]].concat()),
                Some(_) => Some(path[1..].to_vec()),
                None => self.0.contains_key(&child()).then(|| [home, path].concat()),
            },
        }
    }

    /// Whether `path`, which begins at the root of a crate, stays in the crate of `home`, which is one module.
    fn is_in_own_crate(&self, home: &Place, path: &[String]) -> bool {
        let Some(module) = home.first().filter(|module| is_one_module(module)) else { return false };
        path.get(1).is_none_or(|name| has_module(module, name) || !self.0.contains_key(std::slice::from_ref(name)))
    }

    /// The file that what `path` names lies in. A name that a file hands on is looked for where that has it from.
    fn owner(&self, path: &[String], hops: usize) -> Option<&Place> {
        let length = (0..=path.len()).rev().find(|length| self.0.contains_key(&path[..*length]))?;
        let (place, file) = self.0.get_key_value(&path[..length])?;
        let Some(name) = path.get(length).filter(|name| !file.defined.contains(*name) && hops < 9) else {
            return Some(place);
        };
        let through = |import: &Import, name: &[String]| {
            let from = self.absolute(place, &import.path)?;
            self.owner(&[&from, name, &path[length + 1..]].concat(), hops + 1)
        };
        let named = file.imports.iter().find(|import| import.name == *name);
        if let Some(owner) = named.and_then(|import| through(import, &[])) {
            return Some(owner);
        }
        let globs = file.imports.iter().filter(|import| import.name == "*");
        let mut owners = globs.filter_map(|import| through(import, std::slice::from_ref(name)));
        owners.find(|owner| self.0[*owner].defined.contains(name)).or(Some(place))
    }
}

impl File {
    fn read(text: &str) -> Self {
        let mut text = text.to_owned();
        for (pattern, instead) in [
            (r"(?m)^\s*//.*$", ""),
            (r"pub\([^)]*\)", "pub"),
            (r"(?s)#\[cfg\(test\)\]\s+(pub )?mod \w+ \{.*", ""),
            (r"(?m)^\s*(pub )?mod \w+;", ""),
        ] {
            text = Regex::new(pattern).unwrap().replace_all(&text, instead).into_owned();
        }
        let uses = Regex::new(r"(?m)^\s*(pub )?use ([^;]+);").unwrap();
        let imports = uses.captures_iter(&text).flat_map(|found| {
            let is_handed_on = found.get(1).is_some();
            leaves(&found[2]).into_iter().map(move |path| Import::of(path, is_handed_on))
        });
        let imports = imports.collect();
        let body = uses.replace_all(&text, "").into_owned();
        let definition =
            r"(?m)^\s*(?:pub )?(?:async |const )*(?:struct|enum|fn|trait|type|const|static|macro_rules!) (\w+)";
        let defined = Regex::new(definition).unwrap().captures_iter(&body).map(|found| found[1].to_owned()).collect();
        Self { imports, defined, body }
    }
}

impl Import {
    /// The import of a path as it is written, which may end in `self` or `as NAME`.
    fn of(mut path: Vec<String>, is_handed_on: bool) -> Self {
        let last = path.pop().unwrap();
        let (last, alias) = last.split_once(" as ").map_or((last.as_str(), None), |(last, alias)| (last, Some(alias)));
        if !["self", "*"].contains(&last) {
            path.push(last.to_owned());
        }
        let own = if last == "*" { "*" } else { path.last().map_or("", String::as_str) };
        let name = alias.unwrap_or(own).to_owned();
        Self { path, name, is_handed_on }
    }
}

/// The paths that the tree of a `use` stands for.
fn leaves(tree: &str) -> Vec<Vec<String>> {
    let (head, group) = tree.split_once('{').map_or((tree, None), |(head, group)| (head, Some(group)));
    let head = head.split("::").map(|segment| segment.trim().to_owned()).filter(|segment| !segment.is_empty());
    let head: Vec<_> = head.collect();
    let Some(group) = group.and_then(|group| group.rsplit_once('}')) else { return vec![head] };
    let (mut items, mut depth) = (vec![String::new()], 0);
    for c in group.0.chars() {
        depth += i32::from(c == '{') - i32::from(c == '}');
        match c {
            ',' if depth == 0 => items.push(String::new()),
            c => items.last_mut().unwrap().push(c),
        }
    }
    let items = items.iter().map(|item| item.trim()).filter(|item| !item.is_empty());
    items.flat_map(leaves).map(|rest| [head.clone(), rest].concat()).collect()
}

/// What follows `start` in each path of `body` that begins with it.
fn paths_in(body: &str, start: &str) -> Vec<Vec<String>> {
    let ends = body.match_indices(start).filter(|(at, _)| !body[..*at].ends_with(is_of_path));
    let rests = ends.filter_map(|(at, _)| body[at + start.len()..].strip_prefix("::"));
    let path = |rest: &str| {
        let end = rest.find(|c| !is_of_path(c)).unwrap_or(rest.len());
        rest[..end].split("::").filter(|segment| !segment.is_empty()).map(str::to_owned).collect()
    };
    rests.map(path).collect()
}

fn is_of_path(c: char) -> bool {
    c.is_alphanumeric() || "_:".contains(c)
}

fn has_word(text: &str, word: &str) -> bool {
    let is_inner = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = text.match_indices(word);
    found.any(|(at, _)| !text[..at].ends_with(is_inner) && !text[at + word.len()..].starts_with(is_inner))
}

/// The place of a file, by its path below `src` without its ending.
fn place_of(path: &str) -> Place {
    let mut place: Place = path.split('/').map(str::to_owned).collect();
    place.pop_if(|last| ["mod", "lib"].contains(&last.as_str()));
    place
}

/// The files in circles or between two, each with the files among them that it uses.
fn in_circles(arrows: &Arrows) -> Arrows {
    let mut rest = arrows.clone();
    loop {
        let used: BTreeSet<_> = rest.values().flatten().cloned().collect();
        let stays = |(file, tos): (&String, &BTreeSet<String>)| {
            let tos: BTreeSet<_> = tos.iter().filter(|to| rest.contains_key(*to)).cloned().collect();
            (!tos.is_empty() && used.contains(file)).then(|| (file.clone(), tos))
        };
        let left: Arrows = rest.iter().filter_map(stays).collect();
        if left == rest {
            return left;
        }
        rest = left;
    }
}
