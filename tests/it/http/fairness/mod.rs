//! Hostile callers at each place that reserves, waits or holds. The places are the rows of the second table of
//! `docs/fairness.md`, so a new row needs an attack, and a file that makes a new pool needs a row.

mod attacks;
mod pools;
mod stage;

use attacks::{ATTACKS, Attack};
use stage::{Attacker, Stage};

const PAGE: &str = include_str!("../../../../docs/fairness.md");

/// The cells of the rows of a table of the page, by the first cell of its head.
fn rows(head: &str) -> Vec<Vec<&'static str>> {
    let lines = PAGE.lines().skip_while(|line| !line.starts_with(&format!("| {head} |"))).skip(2);
    let cells = |line: &'static str| line.trim_matches('|').split('|').map(str::trim).collect();
    lines.take_while(|line| line.starts_with('|')).map(cells).collect()
}

#[test]
fn each_place_of_the_page_has_an_attack() {
    let places: Vec<_> = rows("place").iter().map(|row| row[0]).collect();
    assert_eq!(places, ATTACKS.iter().map(|attack| attack.place).collect::<Vec<_>>());
}

/// Lets the attacker take all that it can get, and then calls as every other caller.
async fn others_are_served(attack: &Attack, attacker: Attacker) {
    let stage = Stage::new(attack.size).await;
    let held = (attack.begin)(&stage, attacker.callers(&stage)).await;
    let most = (attack.most)(attacker);
    stage.wait_until(attack.gauge, most, attack.place).await;
    let before = if attack.is_still { stage.settled("skillmount_contentions_total").await } else { 0 };
    for caller in attacker.others(&stage) {
        for (call, status) in stage.honest_calls(caller, attack.is_still).await {
            assert_eq!(status, 200, "{}: {call} of {caller:?} beside {attacker:?}", attack.place);
        }
    }
    if attack.is_still {
        let waits = stage.metric("skillmount_contentions_total").await - before;
        assert_eq!(waits, 0, "{}: others waited beside {attacker:?}", attack.place);
    }
    assert!(stage.metric(attack.gauge).await <= most.1, "{}: {attacker:?} holds more than its part", attack.place);
    drop(held);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_key_at_any_place_keeps_out_no_other_user_and_no_other_key_of_its_user() {
    for attack in ATTACKS {
        others_are_served(attack, Attacker::OneKey).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_of_all_users_that_names_one_user_keeps_out_no_key_of_that_user() {
    for attack in ATTACKS {
        others_are_served(attack, Attacker::WideKeyOnOneUser).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn all_keys_of_a_user_at_any_place_keep_out_no_other_user() {
    for attack in ATTACKS {
        others_are_served(attack, Attacker::OneUser).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_of_all_users_at_any_place_keeps_out_no_other_key() {
    for attack in ATTACKS {
        others_are_served(attack, Attacker::WideKey).await;
    }
}
