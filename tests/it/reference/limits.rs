//! The page on limits, from the files that declare them.

use std::{collections::BTreeMap, fmt::Write as _, fs};

use super::page::{check, code, table};
use crate::support::sources::root;

const BEGINNING: &str = "# Limits

An answer over a limit says so, and says how to get the rest. Sizes are in bytes unless the name says otherwise. The names are those
of `skillmount::limits` in Rust.
";

/// The files in the order of the page, with the title of each.
const FILES: [(&str, &str); 8] = [
    ("tree", "Names and files"),
    ("skills", "Skills, search and prompt"),
    ("approvals", "Approvals"),
    ("drafts", "Drafts"),
    ("process", "The process"),
    ("audit", "Audit records and events"),
    ("mcp", "MCP"),
    ("leaving", "Users who leave"),
];
/// Facts about hosts of other makers, which are no limits of this program.
const OF_OTHERS: [&str; 1] = ["hosts"];

/// A limit as a file declares it.
struct Limit {
    name: String,
    /// Whether it is only a part of other limits.
    is_private: bool,
    about: String,
    /// The value as the source has it.
    value: String,
}

/// A line of a page: the title of a group, or a limit.
enum Item {
    Group(String),
    Limit(Limit),
}

#[test]
fn the_page_on_limits_is_generated() {
    let folder = root().join("crates/base/src/limits");
    let files =
        FILES.map(|(name, title)| (title, items(&fs::read_to_string(folder.join(format!("{name}.rs"))).unwrap())));
    let names = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let known = FILES.map(|(name, _)| name).into_iter().chain(OF_OTHERS).chain(["mod"]);
    assert_eq!(names.count(), known.count(), "a file of limits has no place on the page");

    let limits = files.iter().flat_map(|(_, items)| items).filter_map(|item| match item {
        Item::Limit(limit) => Some((limit.name.clone(), limit.value.clone())),
        Item::Group(_) => None,
    });
    let values: BTreeMap<_, _> = limits.collect();
    assert!(values.len() > 150, "only {} limits: are the files still read?", values.len());
    let mut text = BEGINNING.to_owned();
    for (title, items) in files {
        write!(text, "\n## {title}\n").unwrap();
        let mut rows = Vec::new();
        for item in items {
            match item {
                Item::Group(group) => {
                    text.push_str(&written(&mut rows));
                    write!(text, "\n### {group}\n").unwrap();
                }
                Item::Limit(Limit { is_private: true, .. }) => {}
                Item::Limit(Limit { name, about, value, .. }) => {
                    rows.push([code(&name), shown(&value, &values), about]);
                }
            }
        }
        text.push_str(&written(&mut rows));
    }
    check("limits.md", &text);
}

/// The table of these rows, which are gone then; nothing without rows.
fn written(rows: &mut Vec<[String; 3]>) -> String {
    let rows = std::mem::take(rows);
    if rows.is_empty() { String::new() } else { format!("\n{}", table(["limit", "value", "meaning"], rows)) }
}

/// The limits of a file in their order.
fn items(source: &str) -> Vec<Item> {
    let mut found = Vec::new();
    let mut about = Vec::new();
    for line in source.lines() {
        if let Some(group) = line.strip_prefix("// ---- ") {
            found.push(Item::Group(capitalised(group)));
        } else if let Some(text) = line.strip_prefix("/// ") {
            about.push(text);
        } else if let Some(declared) = line.strip_prefix("pub const ").or(line.strip_prefix("const ")) {
            let (name, rest) = declared.split_once(": ").unwrap();
            let (_, value) = rest.split_once(" =").unwrap();
            let value = value.trim();
            // The value of a long declaration has its own line.
            let value = if value.is_empty() { after(source, line) } else { value };
            let about = without_links(&std::mem::take(&mut about).join(" "));
            found.push(Item::Limit(Limit {
                name: name.to_owned(),
                is_private: !line.starts_with("pub "),
                about,
                value: value.trim_end_matches(';').to_owned(),
            }));
        } else if !line.starts_with("#[") {
            about.clear();
        }
    }
    found
}

/// The line behind `line`.
fn after<'a>(source: &'a str, line: &str) -> &'a str {
    source.lines().skip_while(|other| *other != line).nth(1).unwrap().trim()
}

fn capitalised(text: &str) -> String {
    let (first, rest) = text.split_at(1);
    first.to_uppercase() + rest
}

/// Links to items of the code as code.
fn without_links(text: &str) -> String {
    let link = regex::Regex::new(r"\[(`[^`]*`)\](\([^)]*\))?").unwrap();
    link.replace_all(text, "$1").into_owned()
}

/// A value as a person reads it.
fn shown(value: &str, values: &BTreeMap<String, String>) -> String {
    let duration = regex::Regex::new(r"^(?:Signed)?Duration::from_(\w+)\((.*)\)$").unwrap();
    if let Some(found) = duration.captures(value) {
        let unit = match &found[1] {
            "millis" => "ms",
            "secs" => "s",
            "mins" => "min",
            "hours" => "h",
            unit => panic!("{unit} is no unit"),
        };
        return format!("{} {unit}", number(&found[2], values));
    }
    if let Some(list) = value.strip_prefix('[') {
        return list.trim_end_matches(']').to_owned();
    }
    sized(number(value, values))
}

/// A number with its thousands apart, or as a binary multiple.
fn sized(number: u64) -> String {
    for (unit, shift) in [("GiB", 30), ("MiB", 20), ("KiB", 10)] {
        if number >= 1 << shift && number.is_multiple_of(1 << shift) {
            return format!("{} ({} {unit})", grouped(number), number >> shift);
        }
    }
    grouped(number)
}

fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The value of an expression of the limits: sums, differences, products and shifts of numbers and other limits.
fn number(expression: &str, values: &BTreeMap<String, String>) -> u64 {
    let expression = expression.trim();
    for (sign, apply) in [
        (" + ", u64::wrapping_add as fn(u64, u64) -> u64),
        (" - ", u64::wrapping_sub),
        (" << ", |number, shift| number << shift),
        (" * ", u64::wrapping_mul),
    ] {
        if let Some((left, right)) = outside_brackets(expression, sign) {
            return apply(number(left, values), number(right, values));
        }
    }
    if let Some(inner) = expression.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        return number(inner, values);
    }
    let name = expression.trim_end_matches(" as u64").trim_end_matches(" as usize");
    match values.get(name) {
        Some(value) => number(value, values),
        None => name.replace('_', "").parse().unwrap_or_else(|_| panic!("{name:?} is no number and no limit")),
    }
}

/// The parts around the last `sign` outside of brackets.
fn outside_brackets<'a>(text: &'a str, sign: &str) -> Option<(&'a str, &'a str)> {
    let depth = |before: &str| before.matches('(').count() - before.matches(')').count();
    let found = text.rmatch_indices(sign).map(|(at, _)| at).find(|at| depth(&text[..*at]) == 0)?;
    Some((&text[..found], &text[found + sign.len()..]))
}

#[test]
fn values_are_computed() {
    let values = BTreeMap::from([("A_BYTES".to_owned(), "2 << 10".to_owned())]);
    for (expression, text) in [
        ("64", "64"),
        ("20_000", "20,000"),
        ("1 << 20", "1,048,576 (1 MiB)"),
        ("16 * 1024", "16,384 (16 KiB)"),
        ("A_BYTES + (4 << 10)", "6,144 (6 KiB)"),
        ("3 * A_BYTES", "6,144 (6 KiB)"),
        ("Duration::from_mins(5)", "5 min"),
        ("Duration::from_hours(30 * 24)", "720 h"),
    ] {
        assert_eq!(shown(expression, &values), text, "{expression}");
    }
}
