//! Searches that explain themselves.

use std::time::Duration;

use serde_json::json;
use skillmount::{
    Code,
    session::{Change, Session},
    wire::{
        BackendProtocol as _, DiscoverRequest, SearchField, SearchMatchKind, SearchRanking, SkillRule, SkillStanding,
        Standing,
    },
};
use tokio::time::sleep;

use crate::support::world::{World, code, id};

async fn notary() -> World {
    let world = World::new();
    for (skill, description) in [
        ("escrituras/compraventa", "Redacta la escritura de compraventa de una vivienda."),
        ("escrituras/hipotecas/cancelacion", "Cancela la hipoteca de una vivienda."),
        ("contratos/arrendamiento", "Redacta el contrato de alquiler de una vivienda."),
        ("resumen", "Summarise a long document."),
    ] {
        world.put_skill("demo", skill, description, "# Pasos\n").await;
    }
    world
}

fn explained(query: &str) -> DiscoverRequest {
    DiscoverRequest { explain: true, ..DiscoverRequest::new(query) }
}

fn why(query: &str, skill: &str) -> DiscoverRequest {
    DiscoverRequest { why: Some(skill.to_owned()), ..DiscoverRequest::new(query) }
}

async fn standing(world: &World, request: DiscoverRequest) -> SkillStanding {
    world.agent().discover_skills(request).await.unwrap().why.unwrap()
}

// S-SEARCH-9: A search with `explain` gives the words and fields behind the score of each skill.
#[tokio::test]
async fn a_score_is_explained_by_the_words_that_made_it() {
    let world = notary().await;
    let query = "escrituras de compravetna en Reykjavik";
    let plain = world.agent().discover_skills(DiscoverRequest::new(query)).await.unwrap();
    let reply = world.agent().discover_skills(explained(query)).await.unwrap();
    assert!(plain.skills.iter().all(|found| found.explain.is_none()) && plain.words.is_empty());
    assert_eq!(plain.skills.len(), reply.skills.len());
    let best = &reply.skills[0];
    assert_eq!((best.skill.as_str(), best.score), ("escrituras/compraventa", plain.skills[0].score));
    let score = best.explain.as_ref().unwrap();
    let matches = &score.matches;
    let has = |field, word: &str, matched: &str, by| {
        matches.iter().any(|one| one.field == field && one.word == word && one.matched == matched && one.by == by)
    };
    assert!(has(SearchField::Name, "compravetna", "compraventa", SearchMatchKind::Typo), "{matches:?}");
    assert!(has(SearchField::Description, "escrituras", "escritura", SearchMatchKind::Stem), "{matches:?}");
    assert!(has(SearchField::Category, "escrituras", "escrituras", SearchMatchKind::Exact), "{matches:?}");
    let words: f32 = matches.iter().map(|one| one.weight).sum();
    let sum = words + score.nearness.map_or(0.0, |near| near.weight);
    assert!((sum - best.score).abs() < 0.001, "{sum} {best:?}");
    let unknown: Vec<_> = reply.words.iter().filter(|word| !word.known).map(|word| word.word.as_str()).collect();
    assert_eq!(unknown, ["reykjavik"]);
    let nothing = world.agent().discover_skills(explained("Reykjavik")).await.unwrap();
    assert_eq!((nothing.total, nothing.words.len()), (0, 1), "{nothing:?}");
}

// S-SEARCH-19: In a `lexical` ranking a skill counts for more if its words are nearer in general meaning to the words
// of the question.
#[tokio::test]
async fn of_skills_that_share_as_much_with_a_question_the_one_that_is_about_it_comes_first() {
    let world = World::new();
    for (skill, description) in [
        ("books/binding", "Binds the pages of a diary in leather."),
        ("web/latency", "Measures latency, caching and bandwidth of pages."),
        ("garden/trees", "Prunes apple trees in winter."),
    ] {
        world.put_skill("demo", skill, description, "# Steps\n").await;
    }
    let reply = world.agent().discover_skills(explained("my pages are so slow to load")).await.unwrap();
    let nearness = |at: usize| reply.skills[at].explain.as_ref().unwrap().nearness.unwrap();
    let found: Vec<_> = reply.skills.iter().map(|found| found.skill.as_str()).collect();
    assert_eq!((reply.ranking, found), (SearchRanking::Lexical, vec!["web/latency", "books/binding"]));
    assert!(nearness(0).cosine > nearness(1).cosine && nearness(0).weight > nearness(1).weight, "{reply:?}");
    // A skill that shares no word with a question is not found by that.
    let reply = world.agent().discover_skills(why("horticulture", "trees")).await.unwrap();
    assert_eq!((reply.total, reply.why.unwrap().standing), (0, Standing::NoMatch));
}

// S-SEARCH-30: The session does not remember a search that asks for an explanation.
#[tokio::test(start_paused = true)]
async fn a_search_that_explains_itself_is_not_remembered() {
    let world = notary().await;
    let agent = world.agent();
    agent.discover_skills(explained("vivienda")).await.unwrap();
    agent.discover_skills(why("vivienda", "resumen")).await.unwrap();
    sleep(Duration::from_mins(1)).await;
    assert!(!world.keys().await.iter().any(|key| key.contains("/sessions/")));
    agent.discover_skills(DiscoverRequest::new("vivienda")).await.unwrap();
    sleep(Duration::from_mins(1)).await;
    assert!(world.keys().await.iter().any(|key| key.contains("/sessions/")));
}

// S-SEARCH-10: A search with `why` says the rank of one skill, or why the search did not find it.
#[tokio::test]
async fn a_skill_that_is_asked_about_has_a_standing() {
    let world = notary().await;
    world.put("demo/skills/roto/SKILL.md", "---\nname: roto\n---\n").await;
    world
        .put("demo/skills/mano/SKILL.md", "---\ndescription: Vende la vivienda.\ndisable-model-invocation: true\n---\n")
        .await;
    let found = standing(&world, why("alquiler de una vivienda", "arrendamiento")).await;
    assert_eq!((found.standing, found.rank), (Standing::Found, Some(1)));
    assert_eq!(found.message, "It is number 1 of the 1 that are found.");
    assert!(found.score > 0.0 && !found.explain.unwrap().matches.is_empty());
    let all = world.agent().discover_skills(DiscoverRequest::new("vivienda")).await.unwrap();
    let narrow = DiscoverRequest { limit: 1, ..why("vivienda", &all.skills.last().unwrap().skill) };
    let beyond = standing(&world, narrow).await;
    assert_eq!(beyond.standing, Standing::BeyondLimit);
    assert!(beyond.rank.is_some_and(|rank| rank > 1) && beyond.message.contains("the limit is 1"), "{beyond:?}");
    let long = "vivienda con herencia, alquiler, contrato, hipoteca, cancela, summarise, document, long";
    for (request, expected, message) in [
        (
            why("document", "compraventa"),
            Standing::NoMatch,
            "It contains no word of the question: put words that people ask with into its description or triggers.",
        ),
        (
            why(long, "compraventa"),
            Standing::TooLittle,
            "It contains too little of the question: put words that people ask with into its description or triggers.",
        ),
        (
            DiscoverRequest { category: Some("contratos".into()), ..why("vivienda", "compraventa") },
            Standing::OtherCategory,
            "It does not lie in the category contratos.",
        ),
        (
            DiscoverRequest { level: Some("pro".into()), ..why("vivienda", "compraventa") },
            Standing::OtherLevel,
            "Its frontmatter does not name the level pro.",
        ),
        (
            why("vivienda", "mano"),
            Standing::PeopleOnly,
            "Its frontmatter has `disable-model-invocation`: only people may call for it, and no search finds it.",
        ),
        (why("vivienda", "roto"), Standing::Unreadable, "No search finds it: "),
    ] {
        let found = standing(&world, request.clone()).await;
        assert_eq!((found.standing, found.rank), (expected, None), "{request:?} {found:?}");
        let is_said =
            found.message == message || (expected == Standing::Unreadable && found.message.starts_with(message));
        assert!(is_said, "{found:?}");
    }
    let listed = world.agent().discover_skills(why("vivienda", "compraventa")).await.unwrap();
    assert!(listed.total == 3 && listed.skills.iter().all(|skill| skill.explain.is_none()));
}

// S-SEARCH-31: `why` answers for a skill that the policy hides as for a skill that does not exist.
#[tokio::test]
async fn a_hidden_skill_is_answered_for_as_one_that_does_not_exist() {
    let world = notary().await;
    let agent = world.agent();
    let hide = |session: &mut Session| {
        session.policy.skills = [("resumen".to_owned(), SkillRule::Blocked)].into();
        Ok(Change::Save(()))
    };
    world.service.sessions().update(agent.user(), &id("s"), hide).await.unwrap();
    let hidden = agent.discover_skills(why("document", "resumen")).await.unwrap_err();
    let missing = agent.discover_skills(why("document", "resumem")).await.unwrap_err();
    assert_eq!((hidden.code(), missing.code()), (Code::SkillNotFound, Code::SkillNotFound));
    assert_eq!(hidden.message().replace("resumen", "resumem"), missing.message());
    assert_eq!(hidden.details(), missing.details());
    let found = agent.discover_skills(explained("summarise a document")).await.unwrap();
    assert!(!json!(found.skills).to_string().contains("resumen"), "{found:?}");
    assert_eq!(code(agent.discover_skills(why("document", "")).await), Code::SkillNotFound);
}

// Otherwise one could ask which words a hidden skill contains.
// S-SEARCH-31: `why` answers for a skill that the policy hides as for a skill that does not exist.
#[tokio::test]
async fn words_of_hidden_skills_are_like_unknown_ones() {
    let world = World::new();
    world.put_skill("demo", "open", "Folds paper cranes.", "Body\n").await;
    world.put_skill("demo", "hidden", "Folds a paper zeppelin.", "Body\n").await;
    let words = |session: &str| {
        let agent = world.agent_of("demo", session);
        async move { agent.discover_skills(explained("paper zeppelin submarine")).await.unwrap().words }
    };
    assert!(words("all").await.iter().any(|word| word.word == "zeppelin" && word.known));
    let hide = |session: &mut Session| {
        session.policy.skills = [("hidden".to_owned(), SkillRule::Blocked)].into();
        Ok(Change::Save(()))
    };
    world.service.sessions().update(&id("demo"), &id("some"), hide).await.unwrap();
    let words: Vec<_> = words("some").await.into_iter().map(|word| (word.word, word.known, word.share)).collect();
    let expected = [("paper", true, 1.0), ("submarine", false, 0.0), ("zeppelin", false, 0.0)];
    assert_eq!(words, expected.map(|(word, known, share)| (word.to_owned(), known, share)));
}

// S-SEARCH-31: `why` answers for a skill that the policy hides as for a skill that does not exist. A word of hidden skills
// alone is like a word of no skill, in scores and repairs too.
#[tokio::test]
async fn no_score_tells_a_word_of_a_hidden_skill_from_a_word_of_no_skill() {
    let world = World::new();
    world.put_skill("demo", "open", "Folds paper cranes.", "Body\n").await;
    world.put_skill("demo", "zepplins", "Folds paper zepplins for a garden.", "Body\n").await;
    world.put_skill("demo", "beds", "Plans the beds of a garden.", "Body\n").await;
    world.put_skill("demo", "secret/zeppelins", "Buys Innitrek with paper zeppelins in a gardenhouse.", "Body\n").await;
    let hide = |session: &mut Session| {
        session.policy.skills = [("secret/*".to_owned(), SkillRule::Blocked)].into();
        Ok(Change::Save(()))
    };
    world.service.sessions().update(&id("demo"), &id("s"), hide).await.unwrap();
    let agent = world.agent();
    for query in ["paper innitrek", "innitrek", "innitrek garden beds paper", "innitrek gardenx"] {
        let found = async |query: &str| json!(agent.discover_skills(explained(query)).await.unwrap()).to_string();
        let (one, other) = (found(query).await, found(&query.replace("innitrek", "innotrak")).await);
        assert_eq!(one.replace("innitrek", "innotrak"), other, "{query}");
    }
    let found = agent.discover_skills(DiscoverRequest::new("zeppelins")).await.unwrap();
    assert_eq!(found.skills[0].skill, "zepplins", "its word is repaired to a visible one");
}
