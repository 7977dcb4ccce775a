//! Loads after a question raise their skills for the like questions of the same user.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use skillmount::{
    clock::Clock,
    handle::ServiceOptions,
    limits::FEEDBACK_REACH,
    store::MemoryStore,
    wire::{BackendProtocol as _, DiscoverReply, DiscoverRequest},
};

use crate::support::{
    SetClock, Wall,
    world::{BackendExt, World, id},
};

const KEY: &str = "demo/.skillmount/feedback.json";
const QUESTION: &str = "convert quarterly invoices to a spreadsheet";

fn store() -> Arc<MemoryStore> {
    let store = Arc::new(MemoryStore::new());
    for user in ["demo", "other"] {
        for (skill, description) in [
            ("office/convert", "Convert files to a spreadsheet."),
            ("office/invoices", "Quarterly invoices of the company as a spreadsheet."),
            ("office/letters", "Write letters to customers."),
        ] {
            store
                .put_raw(&format!("{user}/skills/{skill}/SKILL.md"), format!("---\ndescription: {description}\n---\n"));
        }
    }
    store
}

fn process(store: &Arc<MemoryStore>, clock: Arc<dyn Clock>) -> World {
    World::undisturbed(store.clone(), ServiceOptions { feedback: true, ..ServiceOptions::default() }, clock)
}

async fn explained(world: &World, user: &str, query: &str) -> DiscoverReply {
    let session = world.service.session(id(user), id("looks"));
    session.discover_skills(DiscoverRequest { explain: true, ..DiscoverRequest::new(query) }).await.unwrap()
}

/// Asks and loads in a session of its own, and waits until that is written.
async fn follow(world: &World, session: &str, query: &str, skill: &str) {
    let agent = world.service.session(id("demo"), id(session));
    agent.discover_skills(DiscoverRequest::new(query)).await.unwrap();
    agent.load(skill).await.unwrap();
    world.service.sessions().flush_all().await;
}

fn order(reply: &DiscoverReply) -> Vec<&str> {
    reply.skills.iter().map(|found| found.skill.as_str()).collect()
}

// S-SEARCH-13: A skill that a user's sessions loaded after a question ranks a little higher for similar questions of
// the same user.
// S-SEARCH-42: One object of the user holds past loads: the skill, the day, and numbers of the words, each shared by
// several words of a language.
// S-SEARCH-43: With `feedback = false` a service neither learns from loads nor uses them.
#[tokio::test]
async fn a_load_raises_its_skill_for_like_questions_of_the_same_user_alone() {
    let store = store();
    let clock = SetClock::at(1_000_000_000);
    let world = process(&store, clock.clone());
    let like = "quarterly invoices: convert them into spreadsheets";
    let (before, unlike) =
        (explained(&world, "demo", like).await, explained(&world, "demo", "letters to customers").await);
    let last = before.skills.last().unwrap().skill.clone();
    for session in ["one", "two"] {
        follow(&world, session, QUESTION, &last).await;
    }
    let after = explained(&world, "demo", like).await;
    let place = |reply: &DiscoverReply| reply.skills.iter().position(|found| found.skill == last).unwrap();
    let (old, new) = (&before.skills[place(&before)], &after.skills[place(&after)]);
    assert!(new.score > old.score && place(&after) <= place(&before), "{after:?}");
    let raised = new.explain.as_ref().unwrap().raised.unwrap();
    assert_eq!(raised.loads, 2);
    assert!((old.score + raised.weight - new.score).abs() < 2e-3, "{raised:?}");
    // Nothing is found or lost by it.
    let sorted = |reply: &DiscoverReply| order(reply).into_iter().map(str::to_owned).collect::<BTreeSet<_>>();
    assert_eq!((after.total, sorted(&after)), (before.total, sorted(&before)));
    assert_eq!(explained(&world, "demo", "letters to customers").await, unlike);
    assert_eq!(explained(&world, "other", like).await, before, "another user's answers stay as they are");

    // Of a question there are numbers of its words, and neither its text nor its session.
    let kept = String::from_utf8(world.bytes(KEY).await.unwrap()).unwrap();
    for word in ["invoice", "quarter", "spreadsheet", "convert quarterly", "one", "two"] {
        assert!(!kept.replace(&last, "").contains(word), "{word}: {kept}");
    }

    // Another process gives the same answer from the same records, and one that does not learn gives that of before.
    assert_eq!(explained(&process(&store, clock.clone()), "demo", like).await, after);
    let off = World::undisturbed(store.clone(), ServiceOptions::default(), clock.clone());
    assert_eq!(explained(&off, "demo", like).await, before);
    store.put_raw(KEY, "{");
    assert_eq!(explained(&process(&store, clock.clone()), "demo", like).await, before, "they are hints");

    // After a while they say nothing any more.
    clock.set(1_000_000_000 + 91 * 24 * 60 * 60);
    let late = explained(&world, "demo", like).await;
    assert_eq!(order(&late), order(&before));
    assert!(late.skills.iter().all(|found| found.explain.as_ref().unwrap().raised.is_none()));
}

// Loads reach the first hundred skills alone, and `why` looks at all.
#[tokio::test]
async fn to_ask_where_a_skill_stands_changes_no_answer() {
    let store = Arc::new(MemoryStore::new());
    for number in 0..=FEEDBACK_REACH {
        let more = if number == FEEDBACK_REACH { "zulu" } else { "" };
        let text = format!("---\ndescription: Quarterly invoices of the company {more}\n---\n");
        store.put_raw(&format!("demo/skills/office/s{number:03}/SKILL.md"), text);
    }
    let world = process(&store, Arc::new(Wall::new()));
    let last = format!("office/s{FEEDBACK_REACH:03}");
    follow(&world, "one", "quarterly invoices zulu", &last).await;
    let session = world.service.session(id("demo"), id("looks"));
    let wanted = DiscoverRequest::new("quarterly invoices of the company");
    let plain = session.discover_skills(wanted.clone()).await.unwrap();
    let asked = session.discover_skills(DiscoverRequest { why: Some(last), ..wanted }).await.unwrap();
    assert_eq!(plain.skills, asked.skills);
    let standing = asked.why.unwrap();
    assert_eq!(standing.rank, Some(FEEDBACK_REACH + 1));
    assert_eq!(standing.explain.unwrap().raised, None, "it is beyond their reach");
}

// S-SEARCH-41: A load counts if its session had found the skill and never loaded it before.
#[tokio::test]
async fn only_the_first_load_of_what_a_question_found_counts() {
    let store = store();
    let world = process(&store, Arc::new(Wall::new()));
    let agent = world.service.session(id("demo"), id("s"));
    agent.load("office/convert").await.unwrap();
    agent.discover_skills(DiscoverRequest::new(QUESTION)).await.unwrap();
    agent.load("office/convert").await.unwrap();
    agent.load("office/letters").await.unwrap();
    world.service.sessions().flush_all().await;
    assert!(world.bytes(KEY).await.is_none(), "one was loaded before, the other not found");
    agent.load("office/invoices").await.unwrap();
    world.service.sessions().flush_all().await;
    let kept = String::from_utf8(world.bytes(KEY).await.unwrap()).unwrap();
    assert_eq!(kept.matches("office/").count(), 1, "{kept}");
    let refused = process(&store, Arc::new(Wall::new()));
    assert_eq!(refused.service.upkeep().check_user(&id("demo"), false).await.unwrap().findings, []);
}

// S-SEARCH-14: Past loads cost the first question of a user in a process one request beside the others, and further
// questions none.
#[tokio::test(start_paused = true)]
async fn a_question_waits_for_no_request_more() {
    let store = store();
    let world = process(&store, Arc::new(Wall::new()));
    follow(&world, "one", QUESTION, "office/invoices").await;
    let fresh = process(&store, Arc::new(Wall::new()));
    let off = World::undisturbed(store.clone(), ServiceOptions::default(), Arc::new(Wall::new()));
    let cost = async |world: &World| world.cost(explained(world, "demo", QUESTION)).await.1;
    let without = cost(&off).await;
    let with = cost(&fresh).await;
    assert_eq!((with.get, with.list, with.put), (without.get + 1, without.list, without.put));
    for _ in 0..3 {
        assert_eq!(cost(&fresh).await, cost(&off).await, "and neither asks for anything");
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}
