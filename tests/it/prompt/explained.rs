//! Prompts that explain themselves.

use std::sync::Arc;

use skillmount::{
    catalog::CatalogDiagnostic,
    limits::PROMPT_EXPLAINED_SKILLS,
    skill::{Diagnostic, FindingCode},
    wire::{
        PromptExplanation, PromptMode, PromptRequest, PromptSkill, PromptSkillStatus, Rendering, SkillRule, ToolRule,
    },
};

use super::stage::{FORMATS, Stage, entry, notary, roomy};

fn explained(stage: &Stage, request: PromptRequest) -> (Rendering, PromptExplanation) {
    let plain = stage.render(&request);
    let found = stage.render(&PromptRequest { explain: true, ..request });
    assert_eq!((&plain.prompt, plain.tokens, plain.shown), (&found.prompt, found.tokens, found.shown));
    assert_eq!(plain.explain, None);
    let explanation = found.explain.clone().unwrap();
    (found, explanation)
}

fn one<'a>(explanation: &'a PromptExplanation, skill: &str) -> &'a PromptSkill {
    let found = explanation.skills.iter().find(|one| one.skill == skill);
    found.unwrap_or_else(|| panic!("{skill}: {explanation:?}"))
}

// S-PROMPT-8: A prompt with `explain` reports the form of each skill in the prompt, the reason and its tokens.
#[test]
fn a_prompt_says_of_each_skill_what_of_it_is_in_and_why() {
    let long = "palabra ".repeat(60);
    let skills: Vec<_> = (0..40).map(|number| format!("c{}/skill-{number:02}", number % 4)).collect();
    let stage = Stage::new(&skills.iter().map(|skill| (skill.as_str(), long.as_str())).collect::<Vec<_>>());
    for format in FORMATS {
        let mut met = [false; 5];
        for max_tokens in [10_000, 2500, 1500, 1200, 900, 700, 500, 400, 300, 150] {
            let request = PromptRequest { format, max_tokens, ..PromptRequest::default() };
            let (found, explanation) = explained(&stage, request);
            assert_eq!((explanation.skills.len(), explanation.more), (40, 0));
            let shown = explanation.skills.iter().filter(|skill| skill.status != PromptSkillStatus::Out).count();
            assert_eq!(shown, found.shown, "{format:?} {max_tokens}");
            for skill in &explanation.skills {
                let is_whole = skill.status == PromptSkillStatus::Whole;
                assert!(is_whole || skill.reason.contains(&max_tokens.to_string()), "{skill:?}");
                assert_eq!(skill.tokens == 0, skill.status == PromptSkillStatus::Out, "{skill:?}");
                met[skill.status as usize] = true;
            }
            let named: usize = explanation.skills.iter().map(|skill| skill.tokens).sum();
            assert_eq!(named + explanation.frame_tokens, found.tokens, "{format:?} {max_tokens}");
        }
        assert_eq!(met, [false, true, true, true, true], "{format:?}: nothing is loaded; whole, shortened, names, out");
    }
}

#[test]
fn the_mode_the_category_and_the_author_are_reasons_too() {
    let mut stage = notary();
    let mut people = entry("solo/personas", None, "Para personas.").as_ref().clone();
    people.frontmatter.disable_model_invocation = true;
    stage.view.entries.push(Arc::new(people));
    stage.view.diagnostics = vec![CatalogDiagnostic {
        skill: "roto".to_owned(),
        diagnostic: Diagnostic::new(FindingCode::DescriptionMissing, "there is no description".to_owned()),
    }];
    let (_, listing) = explained(&stage, roomy());
    assert_eq!(one(&listing, "escrituras/hipoteca").status, PromptSkillStatus::Whole);
    for (skill, reason) in [("solo/personas", "only people"), ("roto", "there is no description")] {
        let found = one(&listing, skill);
        assert!(found.status == PromptSkillStatus::Out && found.reason.contains(reason), "{found:?}");
    }
    let (_, narrow) = explained(&stage, PromptRequest { category: Some("contratos".into()), ..roomy() });
    assert!(one(&narrow, "escrituras/hipoteca").reason.contains("the category contratos"));
    let (_, discover) = explained(&stage, PromptRequest { mode: Some(PromptMode::Discover), ..roomy() });
    assert!(one(&discover, "escrituras/hipoteca").reason.contains("discover_skills finds it"));
    stage.load("escrituras/hipoteca", "# Pasos\n\nUno, dos y tres.");
    let (found, loaded) = explained(&stage, PromptRequest { mode: Some(PromptMode::TwoState), ..roomy() });
    let current = one(&loaded, "escrituras/hipoteca");
    assert_eq!((current.status, &loaded.skills[0]), (PromptSkillStatus::Instructions, current));
    assert!(current.tokens > 5 && current.tokens < found.tokens);
    assert!(one(&loaded, "escrituras/compraventa").reason.contains("in place of the listing"));
    let (found, both) = explained(&stage, PromptRequest { mode: Some(PromptMode::Combined), ..roomy() });
    assert!(one(&both, "escrituras/hipoteca").tokens > current.tokens);
    let named: usize = both.skills.iter().map(|skill| skill.tokens).sum();
    assert_eq!(named + both.frame_tokens, found.tokens);
    stage.session.policy.tools = [("load_skill".to_owned(), ToolRule::Blocked)].into();
    let (_, blocked) = explained(&stage, PromptRequest { mode: Some(PromptMode::Listing), ..roomy() });
    assert!(one(&blocked, "escrituras/compraventa").reason.contains("blocks load_skill"));
}

// S-PROMPT-12: An explained prompt names 1,000 skills, the most visible first, and counts the others; it never names a
// skill that the policy hides.
#[test]
fn a_hidden_skill_is_not_named_and_of_many_the_first_are() {
    let mut stage = notary();
    stage.view.diagnostics = vec![CatalogDiagnostic {
        skill: "secreto".to_owned(),
        diagnostic: Diagnostic::new(FindingCode::DescriptionMissing, "there is no description".to_owned()),
    }];
    let rules = [("escrituras/*", SkillRule::Blocked), ("secreto", SkillRule::Disabled)];
    stage.session.policy.skills = rules.map(|(skill, rule)| (skill.to_owned(), rule)).into();
    let (_, explanation) = explained(&stage, roomy());
    let named: Vec<_> = explanation.skills.iter().map(|skill| skill.skill.as_str()).collect();
    assert_eq!(named, ["contratos/arrendamiento"]);
    for many in [PROMPT_EXPLAINED_SKILLS, PROMPT_EXPLAINED_SKILLS + 1] {
        let skills: Vec<_> = (0..many).map(|number| format!("c/s{number:05}")).collect();
        let stage = Stage::new(&skills.iter().map(|skill| (skill.as_str(), "d")).collect::<Vec<_>>());
        let (found, explanation) = explained(&stage, PromptRequest { max_tokens: 500, ..PromptRequest::default() });
        assert_eq!(
            (explanation.skills.len(), explanation.more),
            (PROMPT_EXPLAINED_SKILLS, many - PROMPT_EXPLAINED_SKILLS)
        );
        let shown = explanation.skills.iter().filter(|skill| skill.status != PromptSkillStatus::Out).count();
        assert_eq!(shown, found.shown, "what is shown comes first");
    }
}
