//! Random sequences of all operations, with other clients of the bucket at work in between and restarts of the service,
//! held against a model that is two plain maps. Every store must answer as the model does.

mod play;
mod reference;
mod step;

use std::sync::Arc;

use proptest::prelude::*;
use skillmount::store::{MemoryStore, SharedStore};

use self::step::{Step, step};
use crate::support::{directory_in_memory, world::soak};

fn run(store: SharedStore, steps: Vec<Step>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(play::play(store, steps));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64 * soak(), failure_persistence: None, ..ProptestConfig::default() })]

    // S-STORE-1: The bucket stays plain: a file is an object with its own bytes, and the service sees every object of
    // other tools.
    #[test]
    fn memory_answers_as_the_model_does(steps in prop::collection::vec(step(), 40)) {
        run(Arc::new(MemoryStore::new()), steps);
    }

    #[test]
    fn a_directory_answers_as_the_model_does(steps in prop::collection::vec(step(), 40)) {
        let (_folder, store) = directory_in_memory();
        run(store, steps);
    }

    #[cfg(feature = "s3")]
    #[test]
    fn s3_answers_as_the_model_does(steps in prop::collection::vec(step(), 40)) {
        run(Arc::new(crate::support::s3_in_process::s3_in_process().0), steps);
    }
}
