//! Limits of texts and lists that need no session: each is taken at n and refused at n + 1.

use std::collections::BTreeMap;

use skillmount::{
    limits::{
        GLOB_ALTERNATIVES, GLOB_BYTES, GLOB_NESTING, ID_BYTES, KEY_BYTES, LIFE_BYTES, PATH_BYTES, POLICY_RULES,
        QUOTED_CHARS, SEARCH_QUERY_BYTES, SEARCH_QUERY_WORDS, SEGMENT_BYTES, SKILL_COMPATIBILITY_CHARS, SKILL_DEPTH,
        SKILL_DESCRIPTION_CHARS, SKILL_NAME_CHARS,
    },
    path::{Glob, Id, KeyPrefix, SkillPath, VirtualPath},
    skill::{Severity, lint},
    wire::{Policy, SessionVersion, SkillRule, ToolRule},
    words::SearchIndex,
};

/// The name of a limit, its value, and whether a value of a given size is taken.
type Row = (&'static str, usize, fn(usize) -> bool);

const ROWS: &[Row] = &[
    ("ID_BYTES", ID_BYTES, |size| Id::parse(&"a".repeat(size)).is_ok()),
    ("SEGMENT_BYTES", SEGMENT_BYTES, |size| VirtualPath::parse(&format!("/{}", "a".repeat(size))).is_ok()),
    ("PATH_BYTES", PATH_BYTES, |size| VirtualPath::parse(&long_path(size)).is_ok()),
    ("KEY_BYTES", KEY_BYTES, |size| KeyPrefix::all().key(&long_path(size + 1)[1..]).is_ok()),
    ("SKILL_DEPTH", SKILL_DEPTH, |size| SkillPath::parse(&vec!["a"; size].join("/")).is_ok()),
    ("LIFE_BYTES", LIFE_BYTES, |size| format!("{}.1", "a".repeat(size)).parse::<SessionVersion>().is_ok()),
    ("GLOB_BYTES", GLOB_BYTES, |size| Glob::parse(&"a".repeat(size)).is_ok()),
    ("GLOB_ALTERNATIVES", GLOB_ALTERNATIVES, |size| Glob::parse(&format!("{{{}}}", vec!["a"; size].join(","))).is_ok()),
    ("GLOB_NESTING", GLOB_NESTING, |size| Glob::parse(&format!("{}a{}", "{a,".repeat(size), "}".repeat(size))).is_ok()),
    ("SEARCH_QUERY_BYTES", SEARCH_QUERY_BYTES, |size| is_searched(&"a".repeat(size))),
    ("SEARCH_QUERY_WORDS", SEARCH_QUERY_WORDS, |size| is_searched(&words(size).join(" "))),
    ("POLICY_RULES of skills", POLICY_RULES, |size| {
        let skills = names(size).map(|name| (name, SkillRule::AskFirst)).collect();
        Policy { skills, ..Policy::default() }.check().is_ok()
    }),
    ("POLICY_RULES of preloads", POLICY_RULES, |size| {
        let preload = names(size).map(|name| SkillPath::parse(&name).unwrap()).collect::<Vec<_>>().into();
        Policy { preload, ..Policy::default() }.check().is_ok()
    }),
    ("POLICY_RULES of agents", POLICY_RULES, |size| {
        let agents = [("x".to_owned(), names(size).collect())].into();
        Policy { agents, ..Policy::default() }.check().is_ok()
    }),
    ("SKILL_NAME_CHARS", SKILL_NAME_CHARS, |size| {
        let name = "a".repeat(size);
        is_clean(&format!("name: {name}\ndescription: d"), &name)
    }),
    ("SKILL_DESCRIPTION_CHARS", SKILL_DESCRIPTION_CHARS, |size| {
        is_clean(&format!("name: demo\ndescription: {}", "d".repeat(size)), "demo")
    }),
    ("SKILL_COMPATIBILITY_CHARS", SKILL_COMPATIBILITY_CHARS, |size| {
        is_clean(&format!("name: demo\ndescription: d\ncompatibility: {}", "c".repeat(size)), "demo")
    }),
];

// S-LIMIT-1: Every limit stands in `crates/base/src/limits/`; the service takes n and refuses n + 1.
#[test]
fn each_limit_is_taken_at_n_and_refused_at_n_plus_one() {
    for (name, limit, is_taken) in ROWS {
        assert!(is_taken(*limit), "{name}: {limit} is refused");
        assert!(!is_taken(limit + 1), "{name}: {} is taken", limit + 1);
    }
}

#[test]
fn a_refused_name_is_quoted_up_to_its_limit() {
    for size in [QUOTED_CHARS, QUOTED_CHARS + 1] {
        let tools = BTreeMap::from([("x".repeat(size), ToolRule::Ask)]);
        let refused = Policy { tools, ..Policy::default() }.check().unwrap_err();
        assert!(refused.message().contains(&format!("{:?}", "x".repeat(QUOTED_CHARS))), "{refused:?}");
    }
}

/// A path of `size` bytes with short segments.
fn long_path(size: usize) -> String {
    "/aaaaaaaaa".chars().cycle().take(size).collect()
}

fn names(count: usize) -> impl Iterator<Item = String> {
    (0..count).map(|number| format!("skill-{number}"))
}

/// Different words, none of which is a stop word or a number.
fn words(count: usize) -> Vec<String> {
    let letters = || "bcdfghjklmnpqrstvwxz".chars();
    let pairs = letters().flat_map(|one| letters().map(move |two| format!("zz{one}{two}")));
    pairs.flat_map(|pair| letters().map(move |three| format!("{pair}{three}"))).take(count).collect()
}

fn is_searched(query: &str) -> bool {
    SearchIndex::build([]).search(query, |_| true, 10).is_ok()
}

/// Whether lint finds no error in a skill with these fields.
fn is_clean(fields: &str, folder: &str) -> bool {
    let found = lint(format!("---\n{fields}\n---\nBody\n").as_bytes(), folder, None);
    found.iter().all(|finding| finding.severity != Severity::Error)
}
