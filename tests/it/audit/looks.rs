//! Looks at what other replicas have stored: each session is looked at in the end, whatever fails and however many there are.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use serde_json::json;
use skillmount::{
    audit::{AuditMode, Listener},
    error::Code,
    limits::{EVENTS_LOOK, SESSIONS_LOOKED_AT},
    session::{Change, Session, poll_approval_watch, start_approval_watch},
    store::{Verb, testing::Fault},
    wire::{BackendProtocol as _, Event, ToolRule},
};
use tokio::time::{sleep, timeout};

use super::{Audited, id, user};

/// Two processes, of which the second keeps no records: the first learns of its calls from the sessions alone.
fn two_replicas() -> (Audited, Audited) {
    let one = Audited::new(AuditMode::Async);
    let two = Audited::over(Arc::clone(&one.memory), AuditMode::Off);
    (one, two)
}

/// A call that begins to wait for a person.
async fn begins_to_wait(world: &Audited, session: &str, path: &str) {
    let asks = |session: &mut Session| {
        session.policy.tools = [("write".to_owned(), ToolRule::Ask)].into();
        Ok(Change::Save(()))
    };
    world.service.sessions().update(&user(), &id(session), asks).await.unwrap();
    let write = serde_json::from_value(json!({"file_path": path, "content": "x"})).unwrap();
    assert_eq!(world.session(session).write(write).await.unwrap_err().code(), Code::ApprovalRequired);
}

/// The next permission request, if one is told before the next look is over.
async fn asked_soon(listener: &mut Listener) -> Option<Event> {
    let asked = async {
        loop {
            let event = listener.next().await.unwrap().unwrap();
            if event.event == "permission_request" {
                return event;
            }
        }
    };
    timeout(EVENTS_LOOK + Duration::from_secs(1), asked).await.ok()
}

// S-EVENT-6: Every replica reports a permission request within 5 seconds, and once.
#[tokio::test(start_paused = true)]
async fn a_session_that_the_store_did_not_give_is_looked_at_again() {
    let (one, two) = two_replicas();
    let mut listener = one.events().listen(&user(), None, None).await.unwrap();
    one.faulty.for_keys(Verb::Get, "/sessions/", Fault::Deny);
    begins_to_wait(&two, "s1", "/workspace/a").await;
    sleep(3 * EVENTS_LOOK).await;
    assert_eq!(asked_soon(&mut listener).await, None);
    one.faulty.clear();
    assert_eq!(asked_soon(&mut listener).await.unwrap().session.as_deref(), Some("s1"));
    assert_eq!(asked_soon(&mut listener).await, None);
}

// S-LIMIT-1: Every limit stands in `crates/base/src/limits/`; the service takes n and refuses n + 1.
#[tokio::test]
async fn so_many_sessions_are_looked_at_in_one_look_and_each_has_its_turn() {
    let (one, two) = two_replicas();
    let sessions = one.service.sessions();
    let mut known = start_approval_watch(sessions, &user()).await.unwrap();
    let name = |number: usize| format!("s{number:03}");
    for number in 0..=SESSIONS_LOOKED_AT {
        begins_to_wait(&two, &name(number), "/workspace/a").await;
    }
    let mut look = async || -> BTreeSet<String> {
        let waiting = poll_approval_watch(sessions, &user(), &mut known).await.unwrap();
        waiting.into_iter().map(|(session, _)| session.to_string()).collect()
    };
    let first = look().await;
    assert_eq!(first, (0..SESSIONS_LOOKED_AT).map(name).collect());
    // They change all the time, and the last one waits for none of them.
    for session in &first {
        begins_to_wait(&two, session, "/workspace/b").await;
    }
    let second = look().await;
    assert!(second.len() == SESSIONS_LOOKED_AT && second.contains(&name(SESSIONS_LOOKED_AT)), "{second:?}");
    assert_eq!(look().await, [name(SESSIONS_LOOKED_AT - 1)].into());
    assert_eq!(look().await, BTreeSet::new());
}
