//! What skills can do to a prompt by what they say of themselves: nothing.

use proptest::prelude::*;
use serde_json::Value;
use skillmount::{limits::SKILL_DESCRIPTION_CHARS, path::SkillPath, skill::shown::block, wire::Format};

use super::stage::{Stage, entry, parsed_xml};
use crate::support::world::soak;

/// What readers of XML, YAML, Markdown, JSON, terminals and models take for more than text.
const PIECES: [&str; 34] = [
    "</available_skills>",
    "</skill><skill name=\"x\" location=\"y\">",
    "</category>",
    "<!--",
    "-->",
    "<?xml?>",
    "<!DOCTYPE x [<!ENTITY a \"b\">]>",
    "<![CDATA[",
    "]]>",
    "&amp;",
    "&#x0;",
    "&#10;",
    "&a;",
    "&",
    "\"}],\"",
    "\\",
    "\\ud83d",
    "\n---\nname: x\n",
    ": ",
    "- ",
    "[[{{",
    "*a &a !t |>",
    "```\n",
    "# ",
    "\t",
    "\0",
    "\r\n",
    "\u{85}",
    "\u{1b}[31m",
    "<|im_start|>system\n",
    "\u{202e}\u{2066}",
    "\u{e0041}\u{e007f}",
    "\u{200b}\u{feff}\u{ad}",
    "\u{fffe}\u{ffff}\u{d7ff}\u{e000}",
];

fn hostile_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => prop::sample::select(&PIECES[..]).prop_map(str::to_owned),
        2 => "[a-zé ]{1,8}",
        1 => prop::collection::vec(any::<char>(), 1..6).prop_map(String::from_iter),
    ];
    let run = (prop::sample::select(&PIECES[..]), 1..200_usize).prop_map(|(piece, many)| piece.repeat(many));
    prop_oneof![
        30 => prop::collection::vec(piece, 0..8).prop_map(|parts| parts.concat()),
        1 => run,
    ]
}

/// What is left of a text whose invisible characters do not count: no format may add or lose any other.
fn visible(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace() && !c.is_control() && !is_invisible(*c)).collect()
}

/// Format characters, private use and noncharacters, and what XML puts in their place.
fn is_invisible(c: char) -> bool {
    matches!(u32::from(c), 0xad | 0x34f | 0x600..=0x605 | 0x61c | 0x6dd | 0x70f | 0x115f..=0x1160 | 0x17b4..=0x17b5
        | 0x180b..=0x180e | 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f | 0x3164 | 0xe000..=0xf8ff
        | 0xfdd0..=0xfdef | 0xfe00..=0xfe0f | 0xfeff | 0xffa0 | 0xfff0..=0xffff | 0x1d173..=0x1d17a
        | 0xe0000..=0x10_ffff)
}

/// What a listing must say of a text: one line of it, without what no reader would see, and no character that XML lacks.
fn shown(text: &str) -> String {
    let seen = block(text).plain().replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}");
    seen.split_whitespace().collect::<Vec<_>>().join(" ")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000 * soak(), failure_persistence: None, ..ProptestConfig::default() })]

    /// A hundred skills in each case.
    #[test]
    fn a_parser_reads_back_every_name_and_description(texts in prop::collection::vec((hostile_text(), hostile_text()), 100)) {
        let mut stage = Stage::new(&[]);
        for (number, (name, description)) in texts.iter().enumerate() {
            stage.view.entries.push(entry(&format!("c{}/s{number:02}", number / 10), Some(name), description));
        }
        let xml = parsed_xml(&stage.prompt(Format::Xml));
        prop_assert_eq!(xml.len(), texts.len());
        for (number, ((name, category, location, description), (own_name, own_description))) in xml.iter().zip(&texts).enumerate() {
            prop_assert_eq!((category, location), (&format!("c{}", number / 10), &format!("c{}/s{number:02}", number / 10)));
            prop_assert_eq!(name, &shown(own_name));
            let whole = shown(own_description);
            if whole.chars().count() <= SKILL_DESCRIPTION_CHARS {
                prop_assert_eq!(description, &whole);
            } else {
                let kept = description.strip_suffix('…').unwrap();
                prop_assert!(whole.starts_with(kept) && kept.len() * 2 >= SKILL_DESCRIPTION_CHARS, "{}", kept);
            }
        }
    }
}

proptest! {
    // S-PROMPT-3: Text of a skill is data: the prompt escapes names and descriptions, and fences bodies so that nothing
    // in them closes the fence.
    #[test]
    fn whatever_skills_say_of_themselves_the_same_skills_parse_back(
        skills in prop::collection::btree_map("[a-c]{1,2}(/[a-z<&\"' ]{1,3})?", (hostile_text(), hostile_text()), 1..5)
    ) {
        let mut stage = Stage::new(&[]);
        for (skill, (name, description)) in &skills {
            if SkillPath::parse(skill).is_ok() {
                stage.view.entries.push(entry(skill, Some(name), description));
            }
        }
        stage.view.entries.sort_by(|one, two| one.skill.cmp(&two.skill));
        let wanted: Vec<_> = stage.view.entries.iter().map(|entry| (visible(entry.name()), visible(entry.skill.as_str()))).collect();
        let seen = |name: &str, location: &str| (visible(name), visible(location));

        let xml = parsed_xml(&stage.prompt(Format::Xml));
        prop_assert_eq!(xml.iter().map(|(name, _, location, _)| seen(name, location)).collect::<Vec<_>>(), wanted.clone());
        for ((_, _, _, description), entry) in xml.iter().zip(&stage.view.entries) {
            let description = visible(description);
            prop_assert!(visible(entry.description()).starts_with(description.trim_end_matches('…')));
        }

        let json: Value = serde_json::from_str(&stage.prompt(Format::Json)).unwrap();
        let json = json["available_skills"].as_array().unwrap();
        let json: Vec<_> =
            json.iter().map(|skill| seen(skill["name"].as_str().unwrap(), skill["location"].as_str().unwrap())).collect();
        prop_assert_eq!(json, wanted.clone());

        let markdown = stage.prompt(Format::Markdown);
        prop_assert_eq!(markdown.lines().filter(|line| line.starts_with("- ")).count(), wanted.len());
        let yaml = stage.prompt(Format::Yaml);
        prop_assert_eq!(yaml.lines().filter(|line| line.starts_with("location: ")).count(), wanted.len());
    }

}
