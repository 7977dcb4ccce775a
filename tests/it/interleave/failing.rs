//! A call on a store that stops answering at some request, judged by the same sequential model.

use std::{sync::Arc, time::Duration};

use skillmount::store::{
    MemoryStore, Verb,
    testing::{Fault, Faulty},
};

use super::{
    calls::{Client, Files, check, observe},
    digests,
    model::{Entry, Reply, State, is_linearizable},
    services::{NOW, reader, user},
    starts,
};

/// More requests of one verb than a call makes.
const MOST_REQUESTS: usize = 60;
/// How often a reader looks again at a change that another reader completes.
const MOST_WAITS: usize = 100;

/// What readers find an hour later. The first of them settles what is pending, in the background.
async fn settled(store: Arc<MemoryStore>) -> Result<State, String> {
    let _ = observe(&reader(store.clone(), NOW + 3_600), &user(), &["n"]).await;
    let mut state = read_again(store.clone()).await;
    for _ in 0..MOST_WAITS {
        if state.is_ok() {
            break;
        }
        // Threads of workers do not hold the paused clock.
        std::thread::yield_now();
        tokio::time::sleep(Duration::from_secs(1)).await;
        state = read_again(store.clone()).await;
    }
    state
}

async fn read_again(store: Arc<MemoryStore>) -> Result<State, String> {
    let later = reader(store, NOW + 3_660);
    let state = observe(&later, &user(), &["n"]).await?;
    check(&later, &user()).await?;
    Ok(state)
}

// S-WRITE-7: If the write ids cannot decide, the answer is `unknown` and the service repeats no PUT. This holds for a create whose
// object is not there, since another call may have deleted it.
#[tokio::test(start_paused = true)]
async fn an_error_that_says_not_applied_has_changed_nothing() {
    let (digests, mut runs, mut unexplained) = (digests().await, 0, Vec::new());
    for (start, before, kinds) in starts() {
        let made = Arc::new(MemoryStore::tagged_by_write());
        let client = |service| Client { service, user: user(), files: Files::Two, digests: digests.clone() };
        let maker = client(reader(made.clone(), NOW - 3_600));
        for (skill, call) in before {
            assert_eq!(maker.perform(skill, call).await, Reply::Done, "{skill} {call:?}");
        }
        let first = observe(&reader(made.clone(), NOW - 1_800), &user(), &["n"]).await.unwrap();
        for [call, _] in kinds {
            for verb in [Verb::Get, Verb::Head, Verb::List, Verb::Put] {
                for passed in 0..MOST_REQUESTS {
                    let store = Arc::new(made.copy());
                    let faulty = Arc::new(Faulty::new(store.clone()));
                    let refused = std::iter::repeat_n(Fault::Refuse, 1_000);
                    faulty.script(verb, std::iter::repeat_n(Fault::None, passed).chain(refused));
                    let reply = client(reader(faulty.clone(), NOW)).perform("n", call).await;
                    if faulty.seen(verb) <= passed as u64 {
                        assert!(!matches!(reply, Reply::Unavailable | Reply::Unknown), "{start} {call:?}");
                        break;
                    }
                    runs += 1;
                    let after = settled(store).await;
                    let history = [Entry { skill: "n", call, reply, begun: 0, ended: 1 }];
                    if !after.as_ref().is_ok_and(|after| is_linearizable(&first, &history, after)) {
                        unexplained
                            .push(format!("{start}: {call:?}, {passed} of {verb:?} pass: {reply:?}, then {after:?}"));
                    }
                }
            }
        }
    }
    println!("{runs} calls on a store that stops answering, {} without an explanation", unexplained.len());
    assert!(unexplained.is_empty(), "{}", unexplained.join("\n"));
}
