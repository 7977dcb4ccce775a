//! Every way in which a caller loses a skill, tried on every place.

use reqwest::Method;
use serde_json::{Value, json};
use skillmount::access::{KeyEntry, Scope};

use super::{
    LOST, NEVER, WORDS, World, key,
    places::{Place, places},
};

/// A session that has loaded the skill, and one that has not.
const SESSIONS: [&str; 2] = ["loaded", "other"];

/// A way in which the agent's key loses the skill.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    /// The key leaves its team.
    LeavesTeam,
    /// The key moves to another team.
    MovesToAnotherTeam,
    /// Another key takes the place of the revoked one, in the same sessions.
    AnotherKey,
    /// The policy of the user hides the skill.
    UserPolicy,
    /// As `UserPolicy`, and the skill is the user's own.
    UserPolicyOnOwn,
    /// The policies of the sessions hide the skill.
    SessionPolicy,
    /// Somebody deletes the skill.
    Deletion,
    /// Somebody makes a draft of the skill.
    Draft,
}

impl Way {
    const ALL: [Self; 8] = [
        Self::LeavesTeam,
        Self::MovesToAnotherTeam,
        Self::AnotherKey,
        Self::UserPolicy,
        Self::UserPolicyOnOwn,
        Self::SessionPolicy,
        Self::Deletion,
        Self::Draft,
    ];

    /// The address at which the skill is published.
    const fn published_at(self) -> &'static str {
        match self {
            Self::UserPolicyOnOwn | Self::Deletion | Self::Draft => "ops/turtle",
            _ => "ops/turtle?layer=team",
        }
    }

    /// The sessions that lose the skill. A session that has loaded a skill keeps the loaded version of it, also after a deletion.
    const fn sessions(self) -> &'static [&'static str] {
        match self {
            Self::Deletion | Self::Draft => &["other"],
            _ => &SESSIONS,
        }
    }

    /// Whether the skill is gone for everybody, which the next result over MCP says once.
    const fn is_told(self) -> bool {
        matches!(self, Self::Deletion | Self::Draft)
    }

    async fn go(self, world: &mut World) {
        let hiding = json!({"skills": {"*": "auto_approve", "ops/*": "blocked"}});
        match self {
            Self::LeavesTeam | Self::MovesToAnotherTeam => {
                let team = (self == Self::MovesToAnotherTeam).then(|| skillmount::path::Id::parse("blue").unwrap());
                let entry = KeyEntry { team, ..world.entry.clone() };
                world.set_keys(&[&entry, &world.control_entry]).await;
            }
            Self::AnotherKey => {
                let (agent, entry) = key(Scope::Agent, None);
                world.set_keys(&[&entry, &world.control_entry]).await;
                world.agent = agent;
            }
            Self::UserPolicy | Self::UserPolicyOnOwn => {
                let whole = json!({"skills_access": "write", "skills": hiding["skills"]});
                world.manage(Method::PUT, "/policy", &whole).await;
            }
            Self::SessionPolicy => {
                for session in SESSIONS {
                    world.manage(Method::PATCH, &format!("/sessions/{session}"), &json!({"policy": hiding})).await;
                }
            }
            Self::Deletion => drop(world.manage(Method::DELETE, "/skills/ops/turtle", &Value::Null).await),
            Self::Draft => drop(world.manage(Method::PATCH, "/skills/ops/turtle", &json!({"state": "draft"})).await),
        }
    }
}

/// The answer of a place about the skill `skill`, without what differs from call to call.
async fn answer(world: &World, session: &str, place: &Place, skill: &str) -> (u16, String) {
    let mount = skill.rsplit('/').next().unwrap();
    let fill = |text: &str| text.replace("{skill}", skill).replace("{mount}", mount);
    let body = serde_json::from_str(&fill(&place.body.to_string())).unwrap();
    let (status, text) = world.ask(session, place.method.clone(), &fill(&place.path), &body).await;
    let text = without(text, "\"request_id\":\"");
    // The parts of a download stand between lines of a random name.
    let between = text.lines().next().filter(|line| line.starts_with("--skillmount-")).map(str::to_owned);
    (status, between.map_or(text.clone(), |between| text.replace(&between, "--")))
}

/// The text without the values behind `before`, up to the next quote.
fn without(text: String, before: &str) -> String {
    let Some((head, rest)) = text.split_once(before) else { return text };
    let rest = rest.split_once('"').map_or("", |(_, rest)| rest);
    format!("{head}{}", without(rest.to_owned(), before))
}

/// The text with the path and the folder of the skill cut out.
fn unnamed(text: &str, skill: &str) -> String {
    text.replace(skill, "").replace(skill.rsplit('/').next().unwrap(), "")
}

/// How the answer of a place shows more of the lost skill than of a skill that never was; `None` if it does not.
async fn fault(world: &World, session: &str, place: &Place) -> Option<String> {
    let what = format!("session {session}, {} {} {}", place.name, place.path, place.body);
    let (status, text) = answer(world, session, place, LOST).await;
    let said = if place.names_skill() { unnamed(&text, LOST) } else { text.clone() };
    if status >= 500 || WORDS.iter().any(|word| said.contains(word)) {
        return Some(format!("{what}: {status} {text}"));
    }
    if !place.names_skill() {
        return None;
    }
    let (never_status, never) = answer(world, session, place, NEVER).await;
    let (lost, never) = ((status, said), (never_status, unnamed(&never, NEVER)));
    (lost != never).then(|| format!("{what}: {lost:?} and for a skill that never was {never:?}"))
}

// S-SESSION-24: Once a caller may no longer see a skill, no answer names the skill to this caller.
#[tokio::test]
async fn no_place_names_a_skill_that_the_caller_has_lost_in_any_way() {
    let mut faults = Vec::new();
    for way in Way::ALL {
        let mut world = World::start(way.published_at()).await;
        // A session that has loaded the skill keeps it after a deletion, and the list of sessions names it.
        if !way.is_told() {
            world.ask("loaded", Method::POST, "{s}/load_skill", &json!({"skill": LOST})).await;
        }
        let hello = places().into_iter().find(|place| place.name == "initialize").unwrap();
        for session in SESSIONS {
            world.ask(session, Method::POST, "{s}/load_skill", &json!({"skill": "gazelle"})).await;
            let (_, text) = answer(&world, session, &hello, LOST).await;
            assert!(text.contains(LOST), "{way:?}: {text}");
            let prompt = world.ask(session, Method::GET, "{s}/prompt?mode=listing", &Value::Null).await.1;
            assert!(prompt.contains(LOST), "{way:?}: {prompt}");
        }
        let prompt = world.ask("loaded", Method::GET, "{s}/prompt?mode=listing", &Value::Null).await.1;
        assert_eq!(prompt.contains("ops/turtle in /skills/turtle"), !way.is_told(), "{way:?}: {prompt}");
        way.go(&mut world).await;
        for session in way.sessions() {
            let all = places();
            if way.is_told() {
                let call = all.iter().find(|place| place.name == "tools/call").unwrap();
                let (_, text) = answer(&world, session, call, LOST).await;
                assert!(text.contains("Skills that are gone: ops/turtle"), "{way:?}: {text}");
            }
            // The folder stays taken in the session, and the answer does not say by which skill.
            let into_its_folder = json!({"skill": "gazelle", "mount_as": "turtle"});
            let (_, text) = world.ask(session, Method::POST, "{s}/load_skill", &into_its_folder).await;
            assert!(!text.contains(LOST) && !text.contains("slowly"), "{way:?}: {text}");
            world
                .ask(session, Method::POST, "{s}/load_skill", &json!({"skill": "gazelle", "mount_as": "gazelle"}))
                .await;
            for place in all.iter().filter(|place| way != Way::SessionPolicy || place.is_of_session) {
                faults.extend(fault(&world, session, place).await.map(|fault| format!("{way:?}, {fault}")));
            }
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}
