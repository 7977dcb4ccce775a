//! What a prompt costs, and what gives way when it costs too much.

use std::{collections::BTreeMap, sync::Arc};

use proptest::prelude::*;
use skillmount::{
    limits::PROMPT_TOKENS,
    path::SkillPath,
    skill::read_head,
    wire::{PromptMode, PromptRequest},
};

use super::stage::{FORMATS, Stage, entry, notary, roomy};
use crate::support::world::real_skill_texts;

// S-PROMPT-4: A listing over its budget says how many skills it shows, how many there are, and how to find the rest.
#[test]
fn a_budget_shortens_descriptions_then_keeps_names_then_counts_categories() {
    let long = "palabra ".repeat(60);
    let skills: Vec<_> = (0..40).map(|number| format!("c{}/skill-{number:02}", number % 4)).collect();
    let stage = Stage::new(&skills.iter().map(|skill| (skill.as_str(), long.as_str())).collect::<Vec<_>>());
    for format in FORMATS {
        let mut before = usize::MAX;
        for max_tokens in [10_000, 2500, 1500, 150] {
            let found = stage.render(&PromptRequest { format, max_tokens, ..PromptRequest::default() });
            assert!(found.tokens <= max_tokens && found.tokens < before, "{format:?} {max_tokens}: {}", found.tokens);
            before = found.tokens;
            assert_eq!(found.total, 40);
            let said = format!("{} of 40 skills shown", found.shown);
            match max_tokens {
                10_000 => assert!(!found.prompt.contains("skills shown") && !found.prompt.contains('…')),
                2500 => assert!(found.prompt.contains('…') && found.shown == 40),
                1500 => assert_eq!(found.shown, 40),
                _ => assert!(found.shown < 40 && found.prompt.contains(&said), "{}", found.prompt),
            }
            if found.shown < 40 {
                assert!(found.prompt.contains("discover_skills") && found.prompt.contains("c0 (10), c1 (10)"));
            }
        }
    }
}

#[test]
fn the_least_used_give_way_first() {
    let long = "palabra ".repeat(60);
    let skills: Vec<_> = (0..40).map(|number| format!("c/skill-{number:02}")).collect();
    let mut stage = Stage::new(&skills.iter().map(|skill| (skill.as_str(), long.as_str())).collect::<Vec<_>>());
    stage.session.ranks = BTreeMap::from([(SkillPath::parse("c/skill-39").unwrap(), 7)]);
    let found = stage.render(&PromptRequest { max_tokens: 300, ..PromptRequest::default() });
    assert!(found.shown < 40 && found.prompt.contains("c/skill-39"), "{}", found.prompt);
}

#[test]
fn a_budget_too_small_for_anything_still_says_what_there_is() {
    for format in FORMATS {
        let found = notary().render(&PromptRequest { format, max_tokens: 0, ..PromptRequest::default() });
        assert_eq!((found.shown, found.total), (0, 3));
        assert!(found.prompt.contains("0 of 3 skills shown"));
        assert!(!found.prompt.contains("available_skills"));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_budget_is_kept_once_the_sentences_fit(max_tokens in 160_usize..3000, count in 0_usize..60) {
        let skills: Vec<_> = (0..count).map(|number| (format!("cat-{}/s{number}", number % 7), "Hace algo útil. ".repeat(number % 13))).collect();
        let stage = Stage::new(&skills.iter().map(|(skill, text)| (skill.as_str(), text.as_str())).collect::<Vec<_>>());
        for format in FORMATS {
            let found = stage.render(&PromptRequest { format, max_tokens, ..PromptRequest::default() });
            prop_assert!(found.tokens <= max_tokens, "{format:?}: {} of {max_tokens}\n{}", found.tokens, found.prompt);
        }
    }
}

#[test]
fn names_of_categories_leave_room_for_skills() {
    let skills: Vec<_> = (0..60).map(|number| format!("{}{}/s{number}", "c".repeat(200), number % 30)).collect();
    let stage = Stage::new(&skills.iter().map(|skill| (skill.as_str(), "Hace algo.")).collect::<Vec<_>>());
    for format in FORMATS {
        for max_tokens in [150, 300, 2000] {
            let found = stage.render(&PromptRequest { format, max_tokens, ..PromptRequest::default() });
            assert!(found.tokens <= max_tokens, "{format:?}: {} of {max_tokens}\n{}", found.tokens, found.prompt);
        }
        let tight = stage.render(&PromptRequest { format, max_tokens: 150, ..PromptRequest::default() });
        assert!(tight.prompt.contains("Categories: 30."), "{}", tight.prompt);
    }
}

/// The public skills, where they are.
fn real_skills() -> Option<Stage> {
    let mut stage = Stage::new(&[]);
    for (path, text) in real_skill_texts()? {
        let (head, _) = read_head(&text, path.rsplit('/').next().unwrap());
        let mut entry = entry(&path, None, "");
        Arc::make_mut(&mut entry).frontmatter = head.unwrap().frontmatter;
        stage.view.entries.push(entry);
    }
    stage.view.entries.sort_by(|one, two| one.skill.cmp(&two.skill));
    Some(stage)
}

#[test]
fn the_real_skills_are_all_named_within_the_budget_and_at_little_cost() {
    let Some(stage) = real_skills() else { return };
    assert_eq!(stage.view.entries.len(), 130);
    for format in FORMATS {
        let mode = Some(PromptMode::Listing);
        let found = stage.render(&PromptRequest { mode, format, ..PromptRequest::default() });
        assert!(found.tokens <= PROMPT_TOKENS, "{format:?}: {}", found.tokens);
        assert_eq!((found.shown, found.total), (130, 130), "{format:?}");
        for entry in &stage.view.entries {
            assert!(found.prompt.contains(entry.name()), "{format:?}: {}", entry.name());
        }
        let whole = stage.render(&PromptRequest { mode, format, ..roomy() });
        println!("{format:?}: whole {} tokens, in the budget {}", whole.tokens, found.tokens);
        assert!(!whole.prompt.contains("skills shown"));
    }
}

#[cfg(feature = "tiktoken")]
#[test]
fn a_listing_costs_little_beside_names_and_descriptions() {
    use skillmount::wire::Format;

    let Some(stage) = real_skills() else { return };
    let tokens = |text: &str| tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len();
    let said: usize = stage.view.entries.iter().map(|entry| tokens(entry.name()) + tokens(entry.description())).sum();
    for (format, most) in [(Format::Markdown, 6), (Format::Xml, 20)] {
        let whole = stage.render(&PromptRequest { mode: Some(PromptMode::Listing), format, ..roomy() });
        let each = (whole.tokens - said) / stage.view.entries.len();
        println!("{format:?}: {each} tokens a skill beside its name and description");
        assert!(whole.tokens - said <= most * stage.view.entries.len(), "{format:?}: {each}");
    }
}
