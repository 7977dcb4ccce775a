//! What can happen: an operation of the agent, another client of the bucket, a restart. All from small alphabets, so that
//! files, skills and patterns meet. No name is a file in one place and a folder in another: a directory cannot hold both.

use proptest::prelude::*;

/// Files an agent may make.
const FILES: [&str; 6] =
    ["/workspace/f", "/workspace/g.md", "/workspace/d/f", "/workspace/d/.h", "/workspace/d/e/f.md", "/ticket/f"];
/// Where nothing can be written.
const ELSEWHERE: [&str; 7] =
    ["/", "/workspace", "/skills", "/skills/venta/SKILL.md", "/skills/none/x", "/other/f", "/workspace/../f"];
/// What is asked for besides those.
const LOOKED_AT: [&str; 10] = [
    "/workspace/d",
    "/workspace/d/e",
    "/workspace/none",
    "/workspace/f/below",
    "/ticket",
    "/skills/venta",
    "/skills/venta/r",
    "/skills/venta/r/n.md",
    "/skills/other/SKILL.md",
    "/skills/compra/n.md",
];
/// Where skills lie; each folder name is there once.
pub(super) const SKILLS: [&str; 3] = ["a/venta", "b/compra", "otra"];
const SKILL_FILES: [&str; 3] = ["SKILL.md", "n.md", "r/n.md"];
const SKILL_NAMES: [&str; 6] = ["a/venta", "b/compra", "otra", "venta", "other", "none"];
const PIECES: [&str; 7] = ["a", "b", "ñ", "\n", "ab\n", " ", "a\r\n"];

#[derive(Clone, Debug)]
pub(super) enum Step {
    Ls(String),
    Read {
        path: String,
        offset: u64,
        limit: u64,
    },
    Grep {
        pattern: &'static str,
        literal: bool,
        path: Option<String>,
        most: Option<usize>,
    },
    Glob {
        pattern: &'static str,
        path: Option<String>,
    },
    Write {
        path: String,
        content: String,
        overwrite: bool,
    },
    Edit {
        path: String,
        old: &'static str,
        new: &'static str,
        all: bool,
    },
    Delete(String),
    /// To distinct paths: two uploads of one call to one path may land in either order.
    Upload([(String, Vec<u8>); 2]),
    Download([String; 3]),
    Load {
        skill: &'static str,
        mount_as: Option<&'static str>,
    },
    Unload(&'static str),
    /// Another client puts an object, in these bytes and a number of its own.
    PutFile(String, Vec<u8>),
    PutSkillFile(&'static str, &'static str),
    DropFile(String),
    DropSkillFile(&'static str, &'static str),
    /// The service starts anew, with nothing in memory.
    Restart,
}

pub(super) fn step() -> impl Strategy<Value = Step> {
    let pattern = prop::sample::select(vec!["a", "b", "ñ", "^a", "b$", "[ab]+\\s*ñ", ".", "x*", "body", "("]);
    let glob = prop::sample::select(vec!["*", "f", "*.md", "**", "d/*", "/f", ".h", "**/f", "skills/*/SKILL.md", ".."]);
    let old = prop::sample::select(vec!["a", "b", "ab", "\n", "ñ", ""]);
    let new = prop::sample::select(vec!["a", "ñb", ""]);
    let skill = || prop::sample::select(&SKILLS[..]);
    let skill_file = || prop::sample::select(&SKILL_FILES[..]);
    let name = || prop::sample::select(&SKILL_NAMES[..]);
    prop_oneof![
        3 => path().prop_map(Step::Ls),
        3 => (path(), 0..5_u64, 0..5_u64).prop_map(|(path, offset, limit)| Step::Read { path, offset, limit }),
        3 => (pattern, any::<bool>(), prop::option::of(path()), prop::option::of(0..4_usize))
            .prop_map(|(pattern, literal, path, most)| Step::Grep { pattern, literal, path, most }),
        2 => (glob, prop::option::of(path())).prop_map(|(pattern, path)| Step::Glob { pattern, path }),
        4 => (target(), content(), any::<bool>())
            .prop_map(|(path, content, overwrite)| Step::Write { path, content, overwrite }),
        4 => (target(), old, new, any::<bool>()).prop_map(|(path, old, new, all)| Step::Edit { path, old, new, all }),
        2 => prop_oneof![target(), path()].prop_map(Step::Delete),
        2 => ((target(), bytes()), (target(), bytes()))
            .prop_filter("two paths", |(one, two)| one.0 != two.0)
            .prop_map(|(one, two)| Step::Upload([one, two])),
        1 => [path(), path(), path()].prop_map(Step::Download),
        4 => (name(), prop::option::weighted(0.2, Just("other")))
            .prop_map(|(skill, mount_as)| Step::Load { skill, mount_as }),
        1 => name().prop_map(Step::Unload),
        2 => (file(), bytes()).prop_map(|(path, bytes)| Step::PutFile(path, bytes)),
        3 => (skill(), skill_file()).prop_map(|(skill, file)| Step::PutSkillFile(skill, file)),
        1 => file().prop_map(Step::DropFile),
        1 => (skill(), skill_file()).prop_map(|(skill, file)| Step::DropSkillFile(skill, file)),
        1 => Just(Step::Restart),
    ]
}

fn file() -> impl Strategy<Value = String> {
    prop::sample::select(&FILES[..]).prop_map(str::to_owned)
}

/// Where a change may be tried.
fn target() -> impl Strategy<Value = String> {
    prop_oneof![4 => file(), 1 => prop::sample::select(&ELSEWHERE[..]).prop_map(str::to_owned)]
}

fn path() -> impl Strategy<Value = String> {
    prop_oneof![2 => target(), 1 => prop::sample::select(&LOOKED_AT[..]).prop_map(str::to_owned)]
}

fn content() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(&PIECES[..]), 0..8).prop_map(|pieces| pieces.concat())
}

/// Text most of the time; otherwise not UTF-8, or binary.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let odd = prop_oneof![4 => Just(None), 1 => Just(Some(0xff)), 1 => Just(Some(0))];
    (content(), odd).prop_map(|(content, odd)| content.into_bytes().into_iter().chain(odd).collect())
}
