//! The example and the races once more with the real SDK between them and the store.
//!
//! LocalStack plays them in `localstack.rs`; here S3 runs in this process, over a store that decides every condition
//! exactly, so that there can be many rounds.

use std::sync::Arc;

use super::{
    example::play_in_library,
    races::{create_races, many_edits, two_replicas},
};
use crate::support::{s3_in_process::s3_in_process, world::soak};

#[tokio::test]
async fn the_complete_example_in_the_library_over_s3() {
    play_in_library(Arc::new(s3_in_process().0)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_agents_edit_one_file_on_s3() {
    many_edits(Arc::new(s3_in_process().0), false).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_agents_edit_one_file_on_s3_while_replies_are_lost() {
    many_edits(Arc::new(s3_in_process().0), true).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_replicas_edit_one_file_on_s3() {
    for drop_replies in [false, true] {
        two_replicas(Arc::new(s3_in_process().0), 25 * soak() as usize, drop_replies).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn creates_race_on_s3_and_one_wins() {
    create_races(Arc::new(s3_in_process().0), 1000 * soak() as usize, false).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn creates_race_on_s3_and_one_wins_while_replies_are_lost() {
    create_races(Arc::new(s3_in_process().0), 1000 * soak() as usize, true).await;
}
