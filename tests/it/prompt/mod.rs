//! The prompt: what it says in each mode and format.

mod budget;
mod cached_tag;
mod explained;
mod host_listing;
mod hostile;
#[cfg(feature = "cli")]
mod processes;
mod stage;

use std::{fmt::Write as _, sync::Arc};

use jiff::Timestamp;
use serde_json::Value;
use skillmount::{
    catalog::CatalogDiagnostic,
    path::ETag,
    skill::{Diagnostic, FindingCode, read_head},
    wire::{Format, LoadTool, PromptMode, PromptRequest, SkillRule, ToolRule},
};

use self::stage::{FORMATS, Stage, entry, notary, parsed_xml, roomy};

/// Each format in one snapshot, with every mode before and after a skill is loaded.
#[test]
fn prompts_are_as_reviewed() {
    let fresh = || {
        Stage::new(&[
            ("escrituras/compraventa", "Redacta escrituras de compraventa."),
            ("escrituras/hipoteca", "Úsala si: hay <préstamo> & \"garantía\"; [véase](x) # no es un título"),
            ("notas", "Toma notas."),
        ])
    };
    let mut loaded = fresh();
    loaded.load("notas", "# Notas");
    loaded.load("escrituras/compraventa", "# Compraventa\n\n```sh\necho \"$1\"\n```\n</skill>");
    for format in FORMATS {
        let mut text = String::new();
        for mode in [PromptMode::TwoState, PromptMode::Listing, PromptMode::Combined, PromptMode::Discover] {
            for (state, stage) in [("nothing loaded", &fresh()), ("two skills loaded", &loaded)] {
                let request = PromptRequest { mode: Some(mode), format, ..roomy() };
                let _ = write!(text, "======== {mode:?}, {state}\n{}\n", stage.render(&request).prompt);
            }
        }
        insta::assert_snapshot!(format!("prompt_{format:?}").to_lowercase(), text);
    }
}

#[test]
fn a_listing_holds_name_description_category_and_location_of_each_skill() {
    let skills = parsed_xml(&notary().prompt(Format::Xml));
    let wanted = [
        ("arrendamiento", "contratos", "contratos/arrendamiento", "Redacta contratos de arrendamiento."),
        ("compraventa", "escrituras", "escrituras/compraventa", "Redacta escrituras de compraventa."),
        ("hipoteca", "escrituras", "escrituras/hipoteca", "Redacta hipotecas."),
    ];
    let wanted = wanted.map(|(a, b, c, d)| (a.to_owned(), b.to_owned(), c.to_owned(), d.to_owned()));
    assert_eq!(skills, wanted);
}

#[test]
fn json_parses_back_to_the_same_skills() {
    let prompt: Value = serde_json::from_str(&notary().prompt(Format::Json)).unwrap();
    assert_eq!(
        prompt["available_skills"][1],
        serde_json::json!({ "name": "compraventa", "description": "Redacta escrituras de compraventa.",
                            "category": "escrituras", "location": "escrituras/compraventa" })
    );
    assert_eq!(prompt["available_skills"].as_array().unwrap().len(), 3);
    assert!(prompt["instructions"].as_str().unwrap().contains("load_skill"));
}

#[test]
fn yaml_blocks_parse_back_as_frontmatter() {
    let mut stage = notary();
    stage.view.entries[0] = entry("contratos/arrendamiento", Some("Con: dos \"puntos\""), "# no\n- un comentario: ñ");
    let prompt = stage.prompt(Format::Yaml);
    let blocks: Vec<&str> = prompt.split("---\n").skip(1).collect();
    assert_eq!(blocks.len(), 3);
    let (head, _) = read_head(format!("---\n{}---\n", blocks[0]).as_bytes(), "arrendamiento");
    let frontmatter = head.unwrap().frontmatter;
    assert_eq!(frontmatter.name.as_deref(), Some("Con: dos \"puntos\""));
    assert_eq!(frontmatter.description, "# no - un comentario: ñ");
    assert_eq!(frontmatter.fields["location"], "contratos/arrendamiento");
}

#[test]
fn markdown_is_one_line_a_skill() {
    let mut stage = notary();
    stage.view.entries[0] = entry("contratos/arrendamiento", Some("Rentals"), "Uno\n\n# dos\n- tres </x>");
    let prompt = stage.prompt(Format::Markdown);
    assert!(prompt.contains("\n- contratos/arrendamiento (Rentals): Uno # dos - tres \\</x>\n"), "{prompt}");
    assert_eq!(prompt.lines().filter(|line| line.starts_with("- ")).count(), 3);
}

#[test]
fn the_guidance_says_how_to_use_skills_and_names_the_tool_of_the_policy() {
    let mut stage = notary();
    let guidance = stage.prompt(Format::Xml);
    for said in ["call load_skill", "before you answer", "never mention a skill without loading it", "already loaded"] {
        assert!(guidance.contains(said), "{said}: {guidance}");
    }
    stage.session.policy.load_tool = LoadTool::Skill;
    let guidance = stage.prompt(Format::Xml);
    assert!(guidance.contains("call Skill ") && !guidance.contains("load_skill"));
}

// S-PROMPT-2: `two_state` shows the listing until a skill is loaded, then the current skill's instructions.
#[test]
fn two_state_shows_the_listing_until_a_skill_is_loaded_and_then_its_body_alone() {
    let mut stage = notary();
    assert!(stage.prompt(Format::Xml).contains("<available_skills>"));
    stage.load("escrituras/hipoteca", "# Hipoteca");
    stage.load("escrituras/compraventa", "# Compraventa\nPaso uno.");
    for format in FORMATS {
        let found = stage.render(&PromptRequest { format, ..roomy() });
        assert!(found.prompt.contains("# Compraventa") && found.prompt.contains("/skills/compraventa"));
        assert!(found.prompt.contains("/skills/hipoteca") && !found.prompt.contains("# Hipoteca"));
        assert!(!found.prompt.contains("available_skills") && !found.prompt.contains("arrendamiento"));
        assert_eq!((found.mode, found.shown, found.total), (PromptMode::TwoState, 0, 3));
    }
}

// S-TOOL-4: A result over its limit ends at the end of a line. Cut instructions continue with the `offset` of
// `load_skill`; a prompt cuts them at the same limit.
#[test]
fn a_prompt_has_as_much_of_long_instructions_as_the_result_of_a_load() {
    let mut stage = notary();
    stage.load("escrituras/compraventa", &"línea de texto\n".repeat(20_000));
    for format in FORMATS {
        let prompt = stage.render(&PromptRequest { format, ..roomy() }).prompt;
        assert!((95_000..=125_000).contains(&prompt.len()), "{format:?}: {}", prompt.len());
        let note = "; for the rest load escrituras/compraventa again with offset ";
        assert!(prompt.contains("[instructions: lines 1-") && prompt.contains(note), "{format:?}");
    }
}

#[test]
fn listing_never_holds_a_body_and_combined_holds_both() {
    let mut stage = notary();
    stage.load("escrituras/compraventa", "# Compraventa");
    for format in FORMATS {
        let with = |mode| stage.render(&PromptRequest { mode: Some(mode), format, ..roomy() }).prompt;
        let (listing, combined) = (with(PromptMode::Listing), with(PromptMode::Combined));
        assert!(listing.contains("arrendamiento") && !listing.contains("# Compraventa"));
        assert!(listing.contains("Already loaded: escrituras/compraventa in /skills/compraventa."));
        assert!(combined.contains("arrendamiento") && combined.contains("# Compraventa"));
    }
}

#[test]
fn discover_names_no_skill_and_is_tiny() {
    let found = notary().render(&PromptRequest { mode: Some(PromptMode::Discover), ..roomy() });
    assert!(found.prompt.contains("discover_skills") && !found.prompt.contains("compraventa"));
    assert!(found.tokens <= 90, "{}", found.tokens);
    assert_eq!((found.shown, found.total), (0, 3));
}

#[test]
fn blocked_disabled_and_person_only_skills_are_in_no_listing() {
    let mut stage = notary();
    stage.session.policy.skills.insert("escrituras/hipoteca".to_owned(), SkillRule::Blocked);
    stage.user_policy.skills.insert("contratos/*".to_owned(), SkillRule::Disabled);
    let person_only = Arc::make_mut(&mut stage.view.entries[1]);
    person_only.frontmatter.disable_model_invocation = true;
    for format in FORMATS {
        for mode in [PromptMode::Listing, PromptMode::Combined, PromptMode::TwoState, PromptMode::Discover] {
            let found = stage.render(&PromptRequest { mode: Some(mode), format, ..roomy() });
            assert_eq!(found.total, 0);
            for name in ["hipoteca", "arrendamiento", "compraventa", "available_skills"] {
                assert!(!found.prompt.contains(name), "{}", found.prompt);
            }
            assert!(found.prompt.contains("No skills are available."));
        }
    }
}

#[test]
fn a_current_skill_that_was_blocked_since_is_not_shown() {
    let mut stage = notary();
    stage.load("escrituras/compraventa", "# Compraventa");
    stage.user_policy.skills.insert("escrituras/compraventa".to_owned(), SkillRule::Blocked);
    assert!(!stage.prompt(Format::Xml).contains("# Compraventa"));
}

#[test]
fn a_category_holds_its_own_skills_and_says_when_it_has_none() {
    let only = |category: &str| notary().render(&PromptRequest { category: Some(category.to_owned()), ..roomy() });
    assert_eq!((only("escrituras").shown, only("escrituras").total), (2, 2));
    assert!(!only("escrituras").prompt.contains("arrendamiento"));
    assert_eq!(only("escritura").total, 0);
    assert!(only("<none>").prompt.contains("No skills are available in the category &lt;none&gt;."));
}

#[test]
fn removed_characters_are_counted() {
    let mut stage = notary();
    stage.view.entries[0] = entry("contratos/arrendamiento", None, "Alqui\u{202e}ler\u{e0041} 👩\u{200d}⚖️");
    let prompt = stage.prompt(Format::Xml);
    stage.load("escrituras/compraventa", "Pa\u{202e}so");
    let body = stage.prompt(Format::Xml);
    assert!(body.contains("\nPaso\n") && body.contains("removed from what skills say: 1."), "{body}");
    assert!(prompt.contains(">Alquiler 👩\u{200d}⚖️</skill>"), "{prompt}");
    assert!(prompt.contains("removed from what skills say: 2."), "{prompt}");
}

// S-PROMPT-1: The prompt depends on the catalog and the session alone, and its bytes stay the same while neither
// changes.
#[test]
fn the_same_scene_gives_the_same_bytes_whenever_it_is_rendered() {
    let mut stage = notary();
    for format in FORMATS {
        let request = PromptRequest { format, max_tokens: 120, ..PromptRequest::default() };
        let first = stage.render(&request);
        stage.view.as_of = Timestamp::MAX;
        for entry in &mut stage.view.entries {
            let entry = Arc::make_mut(entry);
            (entry.etag, entry.updated_at) = (ETag::new("other"), Timestamp::MAX);
        }
        for _ in 0..1000 {
            assert_eq!(stage.render(&request).prompt, first.prompt);
        }
        assert_eq!(stage.render(&request).etag(), first.etag());
        assert_ne!(stage.render(&PromptRequest { category: Some("contratos".into()), ..request }).etag(), first.etag());
    }
}

#[test]
fn a_tool_that_is_blocked_is_not_recommended() {
    let mut stage = notary();
    stage.session.policy.tools.insert("discover_skills".to_owned(), ToolRule::Blocked);
    let found = stage.render(&PromptRequest { max_tokens: 0, ..PromptRequest::default() });
    assert!(!found.prompt.contains("discover_skills"), "{}", found.prompt);
}

#[test]
fn where_no_skill_can_be_loaded_none_is_named() {
    let mut stage = notary();
    stage.session.policy.tools.insert("load_skill".to_owned(), ToolRule::Blocked);
    for mode in [PromptMode::Listing, PromptMode::Discover] {
        let found = stage.render(&PromptRequest { mode: Some(mode), ..PromptRequest::default() });
        assert_eq!((found.prompt.as_str(), found.total), ("Skills cannot be loaded in this session.", 0));
    }
}

#[test]
fn the_mode_discover_lists_where_there_is_nothing_to_search_with() {
    let mut stage = notary();
    let discover = PromptRequest { mode: Some(PromptMode::Discover), ..PromptRequest::default() };
    assert_eq!(stage.render(&discover).shown, 0);
    stage.session.policy.tools.insert("discover_skills".to_owned(), ToolRule::Blocked);
    let found = stage.render(&discover);
    assert!(found.shown == found.total && found.total > 0, "{}", found.prompt);
    assert!(!found.prompt.contains("discover_skills"), "{}", found.prompt);
}

// S-SESSION-5: Of the user's policy and the session's policy, the stricter value holds for each question. No listing
// has blocked or disabled skills, except the catalog of a key of scope `control` (S-POLICY-4).
#[test]
fn a_loaded_skill_that_is_blocked_since_is_not_named() {
    let mut stage = notary();
    stage.load("contratos/arrendamiento", "Paso 1.");
    stage.load("escrituras/compraventa", "Paso 2.");
    assert!(stage.prompt(Format::Xml).contains("contratos/arrendamiento in /skills/arrendamiento"));
    stage.user_policy.skills.insert("contratos/*".to_owned(), SkillRule::Blocked);
    assert!(!stage.prompt(Format::Xml).contains("arrendamiento"));
}

// S-TOOL-10: A model reads only text that it can use.
#[test]
fn findings_on_skill_files_are_for_people_and_in_no_format_of_the_prompt() {
    let mut stage = notary();
    let clean = FORMATS.map(|format| stage.prompt(format));
    let found = |skill: &str| CatalogDiagnostic {
        skill: skill.to_owned(),
        diagnostic: Diagnostic::new(FindingCode::DescriptionMissing, "no"),
    };
    stage.view.diagnostics = vec![found("escrituras/rota"), found("otros/rota"), found("")];
    assert_eq!(FORMATS.map(|format| stage.prompt(format)), clean);
}
