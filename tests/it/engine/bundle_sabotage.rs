//! Searches while a saboteur is at the bundles of skills: it does what it is there for, and no answer ever shows it.

use std::{sync::Arc, time::Duration};

use rand::{RngExt, SeedableRng, rngs::StdRng};
use skillmount::{
    handle::ServiceOptions,
    limits::BUNDLED_FILES,
    store::MemoryStore,
    wire::{BackendProtocol, GrepReply},
};
use tokio::time::sleep;

use crate::support::{
    Wall,
    saboteur::{BUNDLES, Deed, Saboteur},
    world::{BackendExt, World, grep, seed, soak},
};

const FILES: usize = 40;
/// Steps that are always taken, and the most that are.
const STEPS: u32 = 200;
const MOST: u32 = 5000;
/// How often each deed is done at least, and a bundle believed.
const LEAST: u64 = 3;

/// What a session that loads the skill now finds in it, and how many files were asked for.
async fn found(world: &World, session: &str) -> (GrepReply, u64) {
    let agent = world.agent_of("demo", session);
    agent.load("big").await.unwrap();
    let (reply, cost) = world.cost(agent.grep(grep("needle", Some("/skills/big")))).await;
    (reply.unwrap(), cost.get)
}

// S-BUNDLE-2: A missing, damaged or foreign archive changes no answer: the service reads the files one by one.
// S-BUNDLE-3: A skill of more than 32 files and up to 16 MiB that was never published gets a bundle after its second
// load in a process.
#[tokio::test(start_paused = true)]
async fn whatever_becomes_of_a_bundle_answers_are_those_of_a_process_without_one() {
    const { assert!(FILES > BUNDLED_FILES) };
    let (bucket, clock) = (Arc::new(MemoryStore::tagged_by_content()), Arc::new(Wall::new()));
    let saboteur = Arc::new(Saboteur::new(bucket.clone(), clock.clone()));
    let mut random = StdRng::seed_from_u64(seed());
    let process = || World::undisturbed(saboteur.clone(), ServiceOptions::default(), clock.clone());
    bucket.put_raw("demo/skills/big/SKILL.md", "---\nname: big\ndescription: Holds many files.\n---\nneedle main\n");
    for number in 1..FILES {
        bucket.put_raw(&format!("demo/skills/big/r/{number:03}.md"), format!("needle {number}\n"));
    }
    let (mut world, mut believed) = (process(), 0);
    for step in 0..MOST {
        match random.random_range(0..6) {
            0..2 => world = process(),
            2 => drop(
                bucket.put_raw(&format!("demo/skills/big/r/{:03}.md", step % 4 + 1), format!("needle at {step}\n")),
            ),
            _ => {}
        }
        let plain = World::undisturbed(bucket.clone(), ServiceOptions::default(), clock.clone());
        let expected = found(&plain, "plain").await.0;
        for session in ["one", "two"] {
            let (reply, gets) = found(&world, session).await;
            assert_eq!(reply, expected, "{session} at {step}");
            believed += u64::from((1..5).contains(&gets));
        }
        sleep(Duration::from_millis(random.random_range(1..50))).await;
        let done = saboteur.done_to(BUNDLES);
        let is_all = Deed::ALL.iter().all(|deed| done.get(deed).is_some_and(|times| *times >= LEAST));
        if step >= STEPS * soak() && is_all && believed >= LEAST {
            return;
        }
    }
    panic!("damaged bundles {:?}, and {believed} were believed", saboteur.done_to(BUNDLES));
}
