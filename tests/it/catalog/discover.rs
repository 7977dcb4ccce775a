//! `discover_skills`: what is found, what is never found, what is remembered, and what it costs.

use std::{fmt::Write as _, sync::Arc, time::Duration};

use skillmount::{
    Code, Result,
    handle::{ServiceOptions, SessionBackend},
    limits::{DISCOVERIES, DISCOVERY_QUERY_BYTES, NOTE_FLUSH, SEARCH_QUERY_BYTES, SEARCH_RESULTS_MOST},
    path::KeyPrefix,
    session::Change,
    store::{DeleteOptions, MemoryStore, Requests, Verb},
    wire::{BackendProtocol, DiscoverReply, DiscoverRequest, SearchConfidence, SearchRanking, SkillRule, ToolRule},
};
use tokio::time::{Instant, advance, sleep};

use crate::support::{
    Wall, clock,
    world::{BackendExt, World, code, id, real_skill_texts},
};

fn ask(query: &str) -> DiscoverRequest {
    DiscoverRequest::new(query)
}

async fn found(agent: &SessionBackend, query: &str) -> Result<Vec<String>> {
    Ok(names(agent.discover_skills(ask(query)).await?))
}

fn names(reply: DiscoverReply) -> Vec<String> {
    reply.skills.into_iter().map(|skill| skill.skill).collect()
}

async fn notary() -> World {
    with_skills(World::new()).await
}

async fn with_skills(world: World) -> World {
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

/// The requests that wrote the session.
fn session_puts(world: &World) -> usize {
    let asked = world.ledger.asked().into_iter();
    asked.filter(|(verb, key)| *verb == Verb::Put && key.contains("/.skillmount/sessions/")).count()
}

// S-SEARCH-1: `discover_skills` answers a question with the best skills, each with path, description and score, and
// says how many there are.
#[tokio::test]
async fn a_question_is_answered_with_the_skills_that_match() {
    let world = notary().await;
    let reply = world.agent().discover_skills(ask("necesito una escritura de compravnta")).await.unwrap();
    let best = &reply.skills[0];
    assert_eq!((best.skill.as_str(), best.category.as_str()), ("escrituras/compraventa", "escrituras"));
    assert_eq!(best.description, "Redacta la escritura de compraventa de una vivienda.");
    assert!(best.score > 0.0 && best.score <= 1.0);
    assert_eq!(reply.total, reply.skills.len());
    assert_eq!(reply.message, format!("Found {} skill(s). Call load_skill to use one.", reply.total));
}

// S-SEARCH-11: Each result has a `confidence`: `low` if the matching part of the question tells little, and `high`
// otherwise.
#[tokio::test]
async fn small_talk_is_answered_with_doubt_and_a_task_is_not() {
    let world = notary().await;
    world.put_skill("demo", "home/people", "Helps people who feel sad today.", "# Steps\n").await;
    world.put_skill("demo", "home/desk", "Tidies a desk.", "# Steps\n").await;
    let small = world.agent().discover_skills(ask("why are people always so tired in rainy weather")).await.unwrap();
    assert_eq!((small.ranking, small.skills[0].confidence), (SearchRanking::Lexical, SearchConfidence::Low));
    assert!(small.message.contains("Confidence is low"), "{}", small.message);
    let task = world.agent().discover_skills(ask("redacta la escritura de compraventa de mi vivienda")).await.unwrap();
    assert_eq!(task.skills[0].confidence, SearchConfidence::High);
    assert!(!task.message.contains("onfidence"), "{}", task.message);
}

// S-SEARCH-32: If the confidence of the best result is `low`, the `message` says so. If a search by words looked at five
// skills or fewer, it gives their number as the reason.
#[tokio::test]
async fn among_few_skills_a_low_confidence_is_explained_by_their_number() {
    let world = World::new();
    let description = "Writes the minutes of a meeting. Use when notes become minutes.";
    world.put_skill("demo", "writing/minutes", description, "# Steps\n").await;
    let only = world.agent().discover_skills(ask("turn my notes into minutes")).await.unwrap();
    assert_eq!((only.total, only.skills[0].confidence), (1, SearchConfidence::Low));
    let doubt = only.doubt.unwrap();
    assert!(doubt.starts_with("Only 1 skill was searched, too few for a sure score: "), "{doubt}");
    assert!(only.message.ends_with(&doubt) && !only.message.contains("none fits"), "{}", only.message);

    let world = World::new();
    world.put_skill("demo", "writing/minutes", description, "# Steps\n").await;
    for number in 0..5 {
        world.put_skill("demo", &format!("more/s{number}"), "One of many skills.", "# Steps\n").await;
    }
    let question = "the weather of a meeting in a galvanised zeppelin";
    let small = world.agent().discover_skills(ask(question)).await.unwrap();
    assert_eq!(small.skills[0].confidence, SearchConfidence::Low);
    let doubt = small.doubt.unwrap();
    assert!(doubt.starts_with("Confidence is low: ") && small.message.ends_with(&doubt), "{doubt}");
    let in_writing = DiscoverRequest { category: Some("writing".to_owned()), ..ask(question) };
    let narrow = world.agent().discover_skills(in_writing).await.unwrap();
    assert!(narrow.doubt.unwrap().starts_with("Only 1 skill was searched"), "a category narrows the search");
}

// S-SEARCH-11: Each result has a `confidence`: `low` if the matching part of the question tells little, and `high`
// otherwise. A small part of a question tells less than the whole.
#[tokio::test]
async fn a_word_that_is_rare_and_stands_in_passing_in_a_long_question_is_answered_with_doubt() {
    let world = notary().await;
    let prose = "steps of the office ".repeat(40);
    world.put_skill("demo", "home/desk", "Tidies a desk.", &format!("# Desk\n{prose} stapler {prose}\n")).await;
    let question = "galvanised zeppelins orbit quixotic archipelagos whenever marzipan stapler colonnades reverberate";
    let passing = world.agent().discover_skills(ask(question)).await.unwrap();
    assert_eq!((passing.skills[0].skill.as_str(), passing.skills[0].confidence), ("home/desk", SearchConfidence::Low));
    let whole = world.agent().discover_skills(ask("tidies desk stapler")).await.unwrap();
    assert_eq!(whole.skills[0].confidence, SearchConfidence::High);
}

#[tokio::test]
async fn a_message_of_two_thousand_words_finds_what_it_is_about() {
    let world = notary().await;
    let letters = || ('b'..='z').filter(|letter| !"aeiou".contains(*letter));
    let pairs = letters().flat_map(|one| letters().map(move |two| format!("q{one}{two}")));
    let noise = pairs.flat_map(|pair| "bcdfg".chars().map(move |three| format!("{pair}{three} "))).collect::<String>();
    assert!(noise.split_whitespace().count() > 2000);
    let message = format!("{noise} redacta la escritura de compraventa");
    assert_eq!(found(&world.agent(), &message).await.unwrap()[0], "escrituras/compraventa");
}

// S-SEARCH-17: In a question of more than 70 words a word tells more if the passage around it tells more and is more
// like prose.
#[tokio::test]
async fn a_task_beside_a_log_is_found_and_the_log_alone_finds_what_reads_logs() {
    let world = notary().await;
    let about = "Reads logs of a gateway: upstream, status, retry, request_id, path, client, connection, closed.";
    world.put_skill("demo", "ops/gateway-logs", about, "# Steps\n").await;
    let line = |line: u32| {
        format!(
            "2026-11-16T17:{line}:07.301Z ERROR gateway upstream=orders-{line} client closed connection status=502 \
             retry=3 request_id=a3f{line}9c path=/api/v2/carts/{line}77 bytes={line}88 {line}42ms "
        )
    };
    let log = (0..30).map(line).collect::<Vec<_>>().concat();
    assert_eq!(found(&world.agent(), &log).await.unwrap()[0], "ops/gateway-logs");
    let task =
        "redacta por favor la escritura de compraventa del piso que firmamos ante el notario la semana que viene";
    for message in [format!("{task}. {log}"), format!("{log} {task}")] {
        assert_eq!(found(&world.agent(), &message).await.unwrap()[0], "escrituras/compraventa");
    }
}

#[tokio::test]
async fn where_a_category_has_nothing_the_ones_that_answer_come_first() {
    let world = notary().await;
    let request = DiscoverRequest { category: Some("contratos".to_owned()), ..ask("cancela la hipoteca") };
    let reply = world.agent().discover_skills(request).await.unwrap();
    assert!(reply.message.starts_with("No matching skills found. Try: escrituras/hipotecas, "), "{}", reply.message);
}

// S-SEARCH-22: Search reads a skill's name, category, description, `when_to_use`, triggers, tags, keywords, the
// headings of its body and the words of its first four kilobytes.
#[tokio::test]
async fn what_a_body_begins_with_is_found_too() {
    let world = notary().await;
    world.put_skill("demo", "office/letters", "Writes letters.", "# Steps\nAsk for the letterhead.\n").await;
    assert_eq!(found(&world.agent(), "letterhead").await.unwrap(), ["office/letters"]);
}

// S-SEARCH-22: Search reads a skill's name, category, description, `when_to_use`, triggers, tags, keywords, the
// headings of its body and the words of its first four kilobytes.
#[tokio::test]
async fn a_heading_is_found_wherever_it_stands_in_what_is_read() {
    let world = notary().await;
    let far = "Text of no interest.\n".repeat(100);
    let body = format!("# Steps\n{far}\n## Zebrafish embryology\n{far}");
    world.put_skill("demo", "lab/fish", "Keeps fish.", &body).await;
    assert_eq!(found(&world.agent(), "zebrafish embryology").await.unwrap(), ["lab/fish"]);
    assert_eq!(found(&world.agent(), "no interest").await.unwrap(), ["lab/fish"], "its body begins with it");
}

#[tokio::test]
async fn an_answer_that_is_cut_says_so() {
    let world = notary().await;
    let reply = world.agent().discover_skills(DiscoverRequest { limit: 1, ..ask("vivienda") }).await.unwrap();
    assert_eq!((reply.skills.len(), reply.total), (1, 3));
    assert!(
        reply.message.starts_with("Found 3 skill(s). Call load_skill to use one. The best 1 "),
        "{}",
        reply.message
    );
}

// S-SEARCH-2: A question without any telling word of a skill finds nothing, and the answer names the existing
// categories, the nearest to the question first.
#[tokio::test]
async fn what_is_not_there_is_answered_with_the_categories_there_are() {
    let world = notary().await;
    let reply = world.agent().discover_skills(ask("quantum chromodynamics")).await.unwrap();
    assert_eq!((reply.skills, reply.total), (Vec::new(), 0));
    assert_eq!(reply.message, "No matching skills found. Try: contratos, escrituras, escrituras/hipotecas.");
    for nothing in ["Johnny Minneapolis", "hola, buenos días", "thank you so much", "por favor, ayúdame", "#4521"] {
        assert_eq!(found(&world.agent(), nothing).await.unwrap(), [""; 0], "{nothing}");
    }
    let empty = World::new().agent().discover_skills(ask("vivienda")).await.unwrap();
    assert_eq!(empty.message, "No matching skills found.");
}

// S-SEARCH-26: Words that no skill contains, such as names and dates, keep no skill from being found by the other
// words.
#[tokio::test]
async fn names_dates_and_unknown_words_keep_no_skill_from_being_found() {
    let world = notary().await;
    world.put_skill("demo", "dev/review", "Use when reviewing code before it is merged.", "# Steps\n").await;
    world.put_skill("demo", "dev/tests-first", "Write tests before the code.", "# Steps\n").await;
    world.put_skill("demo", "office/posters", "Make a poster for a conference.", "# Steps\n").await;
    world.put_skill("demo", "office/images", "Generate or edit images.", "# Steps\n").await;
    for (question, right) in [
        ("code review Johnny Minneapolis", "dev/review"),
        ("My boss Johnny from Minneapolis wants a code review before tomorrow afternoon's demo", "dev/review"),
        ("oye porfa revisame el código del PR #4521 de la rama feature/login que subió Marta ayer", "dev/review"),
        ("flaky tests", "dev/tests-first"),
        ("my tests are flaky", "dev/tests-first"),
        ("hacer primero las pruebas", "dev/tests-first"),
        ("escribir pruebas primero y luego el codigo", "dev/tests-first"),
        (
            "Buenos días, mi jefe necesita mañana por la tarde un póster para la conferencia de Zaragoza",
            "office/posters",
        ),
        ("generar una imajen", "office/images"),
        ("imajenes", "office/images"),
        ("revisar codgo", "dev/review"),
        ("revicion de codigo", "dev/review"),
        ("codgo", "dev/review"),
    ] {
        let found = found(&world.agent(), question).await.unwrap();
        assert!(found.iter().take(2).any(|skill| skill == right), "{question}: {found:?}");
    }
}

#[tokio::test]
async fn the_public_skills_are_found_in_spite_of_names_dates_typos_and_unknown_words() {
    let Some(skills) = real_skill_texts() else { return };
    let world = World::new();
    for (path, text) in skills {
        world.put(&format!("demo/skills/{path}/SKILL.md"), text).await;
    }
    for (question, right) in [
        ("code review Johnny Minneapolis", "sentry/code-review"),
        ("My boss Johnny from Minneapolis wants a code review before tomorrow afternoon's demo", "sentry/code-review"),
        ("flaky tests", "superpowers/test-driven-development"),
        ("hacer primero las pruebas", "superpowers/test-driven-development"),
        ("Can you tell me why my Jenkins pipeline is red", "engineering/ci-cd-and-automation"),
        (
            "oye porfa revisame el PR #4521 de la rama feature/login que subió Marta ayer",
            "engineering/code-review-and-quality",
        ),
        ("Buenos días, mi jefe necesita mañana un póster para la conferencia de Zaragoza", "science/latex-posters"),
        ("generar una imajen", "science/generate-image"),
        ("revicion de codigo", "sentry/code-review"),
    ] {
        let found = found(&world.agent(), question).await.unwrap();
        assert!(found.iter().take(5).any(|skill| skill == right), "{question}: {found:?}");
    }
    for nothing in ["Johnny Minneapolis", "hola, buenos días", "lasagna bechamel oregano"] {
        assert_eq!(found(&world.agent(), nothing).await.unwrap(), [""; 0], "{nothing}");
    }
}

#[tokio::test]
async fn a_category_holds_what_lies_in_it_and_below_it() {
    let world = notary().await;
    let agent = world.agent();
    let within = |category: &str| {
        let request = DiscoverRequest { category: Some(category.to_owned()), ..ask("vivienda") };
        let agent = agent.clone();
        async move {
            let mut names = names(agent.discover_skills(request).await.unwrap());
            names.sort();
            names
        }
    };
    assert_eq!(within("escrituras").await, ["escrituras/compraventa", "escrituras/hipotecas/cancelacion"]);
    assert_eq!(within("escrituras/hipotecas/").await, ["escrituras/hipotecas/cancelacion"]);
    assert_eq!(within("escritura").await, [""; 0], "whole segments only");
    assert_eq!(within("").await.len(), 3);
}

// S-SEARCH-7: A category narrows a question to the skills in or below it, and a level to the skills with that level in
// their frontmatter.
#[tokio::test]
async fn a_level_narrows_a_question_alone_and_with_a_category() {
    let world = notary().await;
    for (skill, level) in
        [("curso/compra", "level: Basic"), ("curso/venta", "metadata:\n  level: basic"), ("alta", "level: pro")]
    {
        let text = format!("---\ndescription: Explica la vivienda.\n{level}\n---\n");
        world.put(&format!("demo/skills/{skill}/SKILL.md"), text).await;
    }
    let agent = world.agent();
    let of = async |level: &str, category: &str| {
        let (level, category) = (Some(level.to_owned()), Some(category.to_owned()));
        let request = DiscoverRequest { level, category, ..ask("vivienda") };
        let mut names = names(agent.discover_skills(request).await.unwrap());
        names.sort();
        names
    };
    assert_eq!(of("BASIC", "").await, ["curso/compra", "curso/venta"]);
    assert_eq!(of(" pro ", "").await, ["alta"]);
    assert_eq!(of("pro", "curso").await, [""; 0]);
    assert_eq!(of("bas", "").await, [""; 0]);
    assert_eq!(of("", "").await.len(), 6, "no level is every skill");
}

// S-SEARCH-3: No search finds a skill that the policy hides, or a skill that only people may call.
#[tokio::test]
async fn hidden_skills_are_never_found() {
    let world = notary().await;
    let text = "---\ndescription: Vende la vivienda.\ndisable-model-invocation: true\n---\n";
    world.put("demo/skills/vender/SKILL.md", text).await;
    let agent = world.agent();
    world
        .service
        .sessions()
        .update(&id("demo"), &id("s"), |session| {
            session.policy.skills.insert("escrituras/*".into(), SkillRule::Blocked);
            session.policy.skills.insert("contratos/arrendamiento".into(), SkillRule::AskFirst);
            Ok(Change::Save(()))
        })
        .await
        .unwrap();
    assert_eq!(found(&agent, "vivienda").await.unwrap(), ["contratos/arrendamiento"]);
    let nothing = agent.discover_skills(ask("xyzzy")).await.unwrap();
    assert_eq!(nothing.message, "No matching skills found. Try: contratos.");
    world
        .service
        .sessions()
        .update(&id("demo"), &id("s"), |session| {
            session.policy.tools.insert("discover_skills".into(), ToolRule::Blocked);
            Ok(Change::Save(()))
        })
        .await
        .unwrap();
    assert_eq!(code(found(&agent, "vivienda").await), Code::ToolBlocked);
}

// S-SEARCH-4: Discovering makes no skill available; loading does.
#[tokio::test]
async fn what_was_discovered_is_not_there_until_it_is_loaded() {
    let world = notary().await;
    let agent = world.agent();
    assert!(!found(&agent, "escritura de compraventa").await.unwrap().is_empty());
    assert_eq!(agent.names("/").await.unwrap(), ["/workspace", "/ticket"]);
    assert_eq!(code(agent.text("/skills/compraventa/SKILL.md").await), Code::FileNotFound);
    agent.load("escrituras/compraventa").await.unwrap();
    assert!(agent.text("/skills/compraventa/SKILL.md").await.is_ok());
}

// S-SEARCH-5: A session remembers its last 20 discoveries, and the service stores them with the next change or together
// within seconds, never each by itself.
#[tokio::test(start_paused = true)]
async fn discoveries_ride_with_the_next_change_and_are_written_together_otherwise() {
    let world = notary().await;
    let agent = world.agent();
    for round in 0..50 {
        found(&agent, &format!("hipoteca {round}")).await.unwrap();
    }
    assert_eq!(session_puts(&world), 0);
    agent.load("resumen").await.unwrap();
    assert_eq!(session_puts(&world), 1, "the load, and the discoveries with it");
    let session = agent.session().await.unwrap();
    assert_eq!(session.discoveries.len(), DISCOVERIES);
    let last = session.discoveries.last().unwrap();
    assert_eq!((last.query.as_str(), last.total, last.skills.len()), ("hipoteca 49", 1, 1));
    sleep(2 * NOTE_FLUSH).await;
    assert_eq!(session_puts(&world), 1, "nothing was left to write");

    for round in 50..60 {
        found(&agent, &format!("hipoteca {round}")).await.unwrap();
    }
    sleep(NOTE_FLUSH.checked_sub(Duration::from_millis(1)).unwrap()).await;
    assert_eq!(session_puts(&world), 1);
    sleep(Duration::from_millis(2)).await;
    assert_eq!(session_puts(&world), 2);
    let replica = world.replica().agent().session().await.unwrap();
    let queries: Vec<_> = replica.discoveries.iter().map(|past| past.query.as_str()).collect();
    assert_eq!((queries.len(), queries[0], queries[DISCOVERIES - 1]), (DISCOVERIES, "hipoteca 40", "hipoteca 59"));
}

#[tokio::test(start_paused = true)]
async fn a_session_that_was_deleted_is_not_made_anew_by_what_it_had_discovered() {
    let world = notary().await;
    let agent = world.agent();
    agent.load("resumen").await.unwrap();
    found(&agent, "vivienda").await.unwrap();
    world.service.sessions().delete(&id("demo"), &id("s")).await.unwrap();
    sleep(2 * NOTE_FLUSH).await;
    assert!(!world.keys().await.iter().any(|key| key.contains("/sessions/")));
    assert_eq!(world.replica().agent().session().await.unwrap().version, 0);
}

#[tokio::test(start_paused = true)]
async fn an_outage_takes_notes_of_discoveries_and_nothing_else() {
    let world = notary().await;
    let agent = world.agent();
    found(&agent, "vivienda").await.unwrap();
    world.faults.set_down(true);
    sleep(Duration::from_mins(1)).await;
    world.faults.set_down(false);
    agent.load("resumen").await.unwrap();
    assert_eq!(agent.session().await.unwrap().discoveries, []);
}

// S-SEARCH-24: The service answers or refuses every question: over 16 KiB or 2,500 words it is `invalid_request`, and
// over 64 million steps `too_expensive`.
#[tokio::test]
async fn questions_and_limits_are_taken_at_the_limit_and_refused_beyond_it() {
    let world = notary().await;
    let agent = world.agent();
    let long = |bytes: usize| format!("vivienda{}", " ".repeat(bytes - "vivienda".len()));
    assert_eq!(found(&agent, &long(SEARCH_QUERY_BYTES)).await.unwrap().len(), 3);
    assert_eq!(code(found(&agent, &long(SEARCH_QUERY_BYTES + 1)).await), Code::InvalidRequest);
    for (limit, taken) in [(0, false), (1, true), (SEARCH_RESULTS_MOST, true), (SEARCH_RESULTS_MOST + 1, false)] {
        let asked = agent.discover_skills(DiscoverRequest { limit, ..ask("vivienda") }).await;
        assert_eq!(asked.is_ok(), taken, "{limit}");
    }
    assert!(serde_json::from_str::<DiscoverRequest>(r#"{"query": "a", "querry": "b"}"#).is_err());
    agent.load("resumen").await.unwrap();
    let session = agent.session().await.unwrap();
    assert_eq!(session.discoveries[0].query.len(), DISCOVERY_QUERY_BYTES);
}

#[tokio::test]
async fn a_search_of_a_known_catalog_asks_the_store_nothing_and_sees_what_changed() {
    let world = notary().await;
    for number in 0..400 {
        world.put_skill("demo", &format!("many/s{number}"), "Does something.", "x").await;
    }
    let agent = world.agent();
    found(&agent, "vivienda").await.unwrap();
    let (again, cost) = world.cost(found(&agent, "hipoteca")).await;
    assert_eq!((again.unwrap().len(), cost), (1, Requests::default()));
    world.put_skill("demo", "hipoteca", "Concede una hipoteca.", "x").await;
    agent.catalog(true).await.unwrap();
    // Meanwhile the index of before answers.
    while found(&agent, "hipoteca").await.unwrap().len() < 2 {
        tokio::task::yield_now().await;
    }
}

const INDEX: &str = "demo/.skillmount/catalog.json";
/// The latency of one request where round trips are counted.
const TRIP: Duration = Duration::from_secs(1);

/// A new process over the bucket of `world` that keeps catalogs there, with its session and policy known.
async fn process(world: &World, clock: &Arc<Wall>) -> World {
    let options = ServiceOptions { index: true, ..ServiceOptions::default() };
    let process = World::undisturbed(world.bucket.clone(), options, clock.clone());
    process.agent().state().await.unwrap();
    process
}

/// Requests and round trips of a question that finds one skill.
async fn cost_of_a_question(world: &World) -> (Requests, u64) {
    world.faults.set_latency(TRIP);
    let begun = Instant::now();
    let (answer, cost) = world.cost(found(&world.agent(), "zebra")).await;
    assert_eq!(answer.unwrap(), ["c/zebra"]);
    (cost, begun.elapsed().as_secs())
}

// S-SEARCH-6: A search costs a process that knows the catalog no request, and a new process one round trip if the
// bucket holds the catalog.
#[tokio::test(start_paused = true)]
async fn a_question_costs_one_request_in_a_new_process_and_none_in_an_old_one() {
    for skills in [100_u64, 10_000] {
        let bucket = Arc::new(MemoryStore::new());
        for number in 1..skills {
            bucket.put_raw(&format!("demo/skills/c/s{number:05}/SKILL.md"), "---\ndescription: Does it.\n---\n");
        }
        bucket.put_raw("demo/skills/c/zebra/SKILL.md", "---\ndescription: Stripes.\n---\n");
        let world = World::undisturbed(bucket, ServiceOptions::default(), clock());
        world.agent().state().await.unwrap();
        let list = skills.div_ceil(1000);
        let without = (Requests { list, get: skills, ..Requests::default() }, list + skills.div_ceil(64));
        assert_eq!(cost_of_a_question(&world).await, without);

        let clock = Arc::new(Wall::new());
        process(&world, &clock).await.agent().catalog(false).await.unwrap();
        sleep(TRIP).await;
        let fresh = process(&world, &clock).await;
        assert_eq!(
            cost_of_a_question(&fresh).await,
            (Requests { get: 1, ..Requests::default() }, 1),
            "{skills} skills"
        );
        assert_eq!(cost_of_a_question(&fresh).await, (Requests::default(), 0));
    }
}

/// What a process says of the skills: what it finds, lists and loads.
async fn answers(world: &World) -> String {
    let agent = world.agent();
    let mut said = format!("{:?}", agent.catalog(false).await.unwrap().entries);
    for question in ["vivienda", "cancelar una hipoteca", "letterhead", "xyzzy"] {
        writeln!(said, "{:?}", agent.discover_skills(ask(question)).await.unwrap()).unwrap();
    }
    for name in ["compraventa", "escrituras/hipotecas/cancelacion", "resumen", "nothing"] {
        let loaded = agent.load(name).await.map(|loaded| (loaded.mount, loaded.digest, loaded.body));
        writeln!(said, "{loaded:?}").unwrap();
    }
    said
}

// S-SEARCH-28: The catalog's copy in the bucket may be deleted, cut short, damaged or half a minute old at any time:
// the answers stay the same.
#[tokio::test(start_paused = true)]
async fn an_index_that_is_lost_damaged_or_old_changes_no_answer() {
    let clock = Arc::new(Wall::new());
    let world = World::undisturbed(Arc::new(MemoryStore::new()), ServiceOptions::default(), clock.clone());
    let world = with_skills(world).await;
    let truth = answers(&world).await;
    let key = KeyPrefix::all().key(INDEX).unwrap();
    let mut state = 0x9e37_79b9_u64;
    let mut roll = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % below
    };
    let mut old = Vec::new();
    for round in 0..100 {
        let process = process(&world, &clock).await;
        assert_eq!(answers(&process).await, truth, "round {round}");
        advance(Duration::from_millis(u64::try_from(roll(20_000)).unwrap())).await;
        sleep(Duration::from_secs(1)).await;
        assert_eq!(answers(&process).await, truth, "round {round}, the same process again");
        let index = world.bytes(INDEX).await.expect("it is written anew");
        old.push(index.clone());
        let sabotage = match roll(6) {
            0 => None,
            1 => Some(index[..roll(index.len())].to_vec()),
            2 => {
                let mut damaged = index.clone();
                damaged[roll(index.len())] ^= 1 << roll(8);
                Some(damaged)
            }
            3 => Some(b"not ours".to_vec()),
            4 => Some(old[roll(old.len())].clone()),
            _ => Some(index),
        };
        match sabotage {
            None => world.bucket.delete(&key, DeleteOptions::default()).await.unwrap(),
            Some(bytes) => world.put(INDEX, bytes).await,
        }
        advance(Duration::from_secs(u64::try_from(roll(31)).unwrap())).await;
    }
}
