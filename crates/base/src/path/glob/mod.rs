//! Globs, by the rules of wcmatch that agents built on deepagents expect.
//!
//! A pattern without `/` matches the base name at any depth. One with a `/` matches the whole relative path, in which
//! `**` means any number of folders. Names that begin with a dot need that dot in the pattern. The crate globset has other
//! rules, and adapting its output took more code than this matcher. Braces are expanded first (`brace`), each alternative is
//! cut into segments (`segment`), and a path walks through the segments as through an automaton. So a match costs at most
//! pattern times path, whatever the number of `**`.

mod brace;
mod segment;

use self::segment::Segment;
use super::id::quoted;
use crate::{
    error::{Code, Error, Result},
    limits::GLOB_BYTES,
};

/// A compiled glob, matched against paths relative to the searched folder.
///
/// ```
/// use skillmount_base::path::Glob;
///
/// let anywhere = Glob::parse("*.{md,txt}")?;
/// assert!(anywhere.matches("notes.md") && anywhere.matches("drafts/old/notes.txt"));
/// let in_folder = Glob::parse("drafts/*.md")?;
/// assert!(in_folder.matches("drafts/a.md") && !in_folder.matches("drafts/old/a.md"));
/// # Ok::<(), skillmount_base::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Glob {
    /// One for each alternative of its braces. Malformed ones are left out, so that they match nothing.
    alternatives: Vec<Vec<Part>>,
    /// Whether only the last segment of a path counts.
    base_name: bool,
    /// The number of characters of all alternatives.
    size: u64,
}

#[derive(Clone, Debug)]
enum Part {
    /// `**`: any number of folders, none of them hidden.
    Folders,
    One(Segment),
}

impl Glob {
    /// Compiles `pattern`. A malformed one, such as `[a-` or `*.{py`, is accepted and matches nothing.
    ///
    /// # Errors
    /// `invalid_pattern` if the pattern is over [`GLOB_BYTES`], if its braces expand too far or nest too deep, or if it has
    /// a `..` segment.
    pub fn parse(pattern: &str) -> Result<Self> {
        let refuse = |why: &str| Error::new(Code::InvalidPattern, format!("the glob {} {why}", quoted(pattern)));
        if pattern.len() > GLOB_BYTES {
            return Err(refuse(&format!("is over {GLOB_BYTES} bytes: use a shorter one")));
        }
        let texts = brace::expand(pattern.strip_prefix('/').unwrap_or(pattern)).map_err(|why| refuse(&why))?;
        let mut alternatives = Vec::with_capacity(texts.len());
        for text in &texts {
            let parts: Option<Vec<Part>> = text.split('/').map(part).collect();
            if text.split('/').any(|part| Segment::parse(part).is_some_and(|segment| segment.is_literally(".."))) {
                return Err(refuse("has a `..` segment: search from a folder above instead"));
            }
            alternatives.extend(parts);
        }
        let size = texts.iter().map(|text| text.len() as u64 + 1).sum();
        Ok(Self { alternatives, base_name: !pattern.contains('/'), size })
    }

    /// The most steps that one match against a path of so many bytes takes.
    #[must_use]
    pub fn worst_steps(&self, path_bytes: usize) -> u64 {
        self.size.saturating_mul(path_bytes as u64 + 1)
    }

    /// Whether the pattern matches `relative`, a path below the searched folder, without a leading `/`.
    #[must_use]
    pub fn matches(&self, relative: &str) -> bool {
        self.matches_counting(relative, &mut 0)
    }

    /// As [`matches`](Self::matches). Adds its steps to `steps`: comparisons of a pattern element with a character.
    #[must_use]
    pub fn matches_counting(&self, relative: &str, steps: &mut u64) -> bool {
        let path = match relative.rsplit_once('/') {
            Some((_, name)) if self.base_name => name,
            _ => relative,
        };
        self.alternatives.iter().any(|parts| walk(parts, path, steps))
    }
}

fn part(text: &str) -> Option<Part> {
    if text == "**" { Some(Part::Folders) } else { Segment::parse(text).map(Part::One) }
}

/// Walks `path` through `parts`, keeping the set of parts that may come next.
fn walk(parts: &[Part], path: &str, steps: &mut u64) -> bool {
    *steps += 1;
    let mut next = vec![false; parts.len() + 1];
    enter(parts, &mut next, 0);
    for name in path.split('/') {
        let mut after = vec![false; parts.len() + 1];
        *steps += parts.len() as u64;
        for (at, part) in parts.iter().enumerate().filter(|(at, _)| next.get(*at) == Some(&true)) {
            match part {
                Part::Folders if name.starts_with('.') => {}
                Part::Folders => {
                    enter(parts, &mut after, at);
                    // As the last part it matches at least one name, not the folder itself.
                    enter(parts, &mut after, at + 1);
                }
                Part::One(segment) if segment.matches(name, steps) => enter(parts, &mut after, at + 1),
                Part::One(_) => {}
            }
        }
        if !after.contains(&true) {
            return false;
        }
        next = after;
    }
    next.last() == Some(&true)
}

/// Marks part `at` as a possible next part. If that part can match nothing, marks the part behind it too.
fn enter(parts: &[Part], next: &mut [bool], at: usize) {
    for (part, mark) in next.iter_mut().enumerate().skip(at) {
        *mark = true;
        let last = part + 1 >= parts.len();
        if last || !matches!(parts.get(part), Some(Part::Folders)) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::limits::GLOB_ALTERNATIVES;

    fn hits(pattern: &str, path: &str) -> bool {
        Glob::parse(pattern).unwrap().matches(path)
    }

    #[test]
    fn the_rules_of_the_protocol_hold() {
        for (pattern, yes, no) in [
            ("*.py", &["main.py", "src/app/main.py", ".g/x.py"][..], &["main.pyc", ".py", "a/.x.py"][..]),
            ("**", &["x", ".g/x", "a/b"], &[".x", "a/.x"]),
            ("src/**/*.py", &["src/a.py", "src/b/c/a.py"], &["a.py", "x/src/a.py", "src/.g/a.py"]),
            ("sub/*.py", &["sub/a.py"], &["sub/b/a.py", "x/sub/a.py"]),
            ("/*.py", &["a.py"], &["sub/a.py"]),
            ("*.yml", &[".github/w/ci.yml"], &[".ci.yml"]),
            ("**/*.yml", &["ci.yml", "a/b/ci.yml"], &[".github/w/ci.yml", "a/.g/ci.yml"]),
            (".github/**/*.yml", &[".github/ci.yml", ".github/w/ci.yml"], &[".github/.w/ci.yml"]),
            (".*", &[".env", "a/.env"], &["env"]),
            ("[.]env", &[], &[".env"]),
            ("src/**", &["src/a", "src/a/b"], &["src", "src/.a", "src/.a/b"]),
            ("**/a/**/b", &["a/b", "x/a/y/b", "a/a/b/b"], &["a", "b/a", "a/b/c"]),
            ("a**b/c", &["ab/c", "axb/c"], &["a/b/c"]),
            ("*.{py,{md,txt}}", &["a.py", "a.md", "x/a.txt"], &["a.{py"]),
            ("v{1..3}/{01..02}{a..c}", &["v1/01a", "v3/02c"], &["v4/01a", "v1/1a"]),
            ("{a/b,c}", &["a/b", "c"], &["x/c", "x/a/b", "b"]),
            ("{a}.txt", &["{a}.txt"], &["a.txt"]),
            ("[abc][!d][^e]", &["axx"], &["dxx", "adx", "axe"]),
            ("[[:alpha:]][[:digit:]_]", &["a1", "Z_"], &["1a", "é1"]),
            ("[]x][a-c-]", &["]b", "x-"], &["ab"]),
            ("?ño", &["año"], &["ño", "aaño"]),
            (r"\*\{a,b\}", &["*{a,b}"], &["xa"]),
            ("~", &["~", "a/~"], &["x"]),
            ("!a", &["!a"], &["b"]),
        ] {
            for path in yes {
                assert!(hits(pattern, path), "{pattern} should match {path}");
            }
            for path in no {
                assert!(!hits(pattern, path), "{pattern} should not match {path}");
            }
        }
    }

    #[test]
    fn malformed_patterns_match_nothing() {
        for pattern in ["", "/", "a/", "a//b", "[a-", "*.{py", "[z-a]", "[[:nope:]]", "a\\", "{a", "[", "[]"] {
            for path in ["a", "", "a/b", "b.py", "[a-", "*.{py", "{a"] {
                assert!(!hits(pattern, path), "{pattern} matched {path:?}");
            }
        }
        assert!(hits("{[a-,b}", "b"), "the alternatives that are well formed still count");
    }

    #[test]
    fn patterns_over_a_limit_or_with_a_parent_segment_are_refused() {
        let refused = |pattern: &str| Glob::parse(pattern).is_err_and(|error| error.code() == Code::InvalidPattern);
        assert!(!refused(&"a".repeat(GLOB_BYTES)) && refused(&"a".repeat(GLOB_BYTES + 1)));
        let range = |end: usize| format!("{{1..{end}}}");
        assert!(!refused(&range(GLOB_ALTERNATIVES)) && refused(&range(GLOB_ALTERNATIVES + 1)));
        assert!(!refused("{1..500}{a,b}") && refused("{1..500}{a,b}{,c}"));
        assert!(refused("{1..9223372036854775807}") && refused(&"{a,b}".repeat(800)));
        for pattern in ["..", "../x", "a/..", "{..,a}/b", "{.,a}./b", r"\.\./x", "/../x"] {
            assert!(refused(pattern), "{pattern}");
        }
        assert!(!refused("..."));
    }

    #[test]
    fn many_stars_do_not_make_matching_slow() {
        let path = format!("{}b", "a/".repeat(500));
        assert!(!hits(&format!("{}c", "**/a/".repeat(300)), &path));
        assert!(!hits(&format!("{}c", "*a".repeat(300)), &"a".repeat(1000)));
    }

    /// The rules again, as plainly as possible: every way to read a `*` or `**` is tried.
    fn naive_path(pattern: &[&str], path: &[&str]) -> bool {
        match (pattern, path) {
            ([], _) => path.is_empty(),
            (["**"], _) => !path.is_empty() && path.iter().all(|name| !name.starts_with('.')),
            (["**", rest @ ..], _) => {
                naive_path(rest, path)
                    || path
                        .split_first()
                        .is_some_and(|(name, more)| !name.starts_with('.') && naive_path(pattern, more))
            }
            (_, []) => false,
            ([first, rest @ ..], [name, more @ ..]) => {
                (!name.starts_with('.') || first.starts_with('.'))
                    && naive_name(&first.chars().collect::<Vec<_>>(), &name.chars().collect::<Vec<_>>())
                    && naive_path(rest, more)
            }
        }
    }

    fn naive_name(pattern: &[char], name: &[char]) -> bool {
        match (pattern, name) {
            ([], _) => name.is_empty(),
            (['*', rest @ ..], _) => (0..=name.len()).any(|at| naive_name(rest, &name[at..])),
            (['?', rest @ ..], [_, more @ ..]) => naive_name(rest, more),
            (['[', '!', not, ']', rest @ ..], [c, more @ ..]) => c != not && naive_name(rest, more),
            (['[', one, two, ']', rest @ ..], [c, more @ ..]) => (c == one || c == two) && naive_name(rest, more),
            ([one, rest @ ..], [c, more @ ..]) => one == c && naive_name(rest, more),
            (_, []) => false,
        }
    }

    fn naive(alternatives: &[String], bare: bool, path: &str) -> bool {
        let path: Vec<&str> = path.split('/').collect();
        let path = if bare { &path[path.len() - 1..] } else { &path };
        alternatives.iter().any(|one| naive_path(&one.split('/').collect::<Vec<_>>(), path))
    }

    fn word() -> impl Strategy<Value = String> {
        prop::collection::vec(prop::sample::select(vec!["a", "b", ".", "*", "?", "[ab]", "[!a]"]), 1..4)
            .prop_map(|parts| parts.concat().replace("**", "*"))
            .prop_filter("a `..` segment is refused", |word| word != "..")
    }

    proptest! {
        #[test]
        fn it_agrees_with_the_naive_matcher(
            before in prop::collection::vec(prop_oneof![3 => word(), 1 => Just("**".to_owned())], 0..4),
            choices in prop::collection::vec(word(), 2..4),
            after in prop::collection::vec(prop_oneof![3 => word(), 1 => Just("**".to_owned())], 0..3),
            paths in prop::collection::vec("[ab.]{1,3}(/[ab.]{1,3}){0,4}", 1..20),
        ) {
            let join = |middle: &str| {
                before.iter().map(String::as_str).chain([middle]).chain(after.iter().map(String::as_str))
                    .collect::<Vec<_>>().join("/")
            };
            let pattern = join(&format!("{{{}}}", choices.join(",")));
            let alternatives: Vec<String> = choices.iter().map(|choice| join(choice)).collect();
            let glob = Glob::parse(&pattern).unwrap();
            for path in &paths {
                prop_assert_eq!(glob.matches(path), naive(&alternatives, !pattern.contains('/'), path), "{} {}", pattern, path);
            }
        }

        #[test]
        fn no_pattern_panics(pattern in r"[ab/{},.*?\[\]!^:\\1-9\-]{0,40}", path in "[ab./{1]{0,12}") {
            if let Ok(glob) = Glob::parse(&pattern) {
                let _ = glob.matches(&path);
            }
        }
    }
}
