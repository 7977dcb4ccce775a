//! What the first command costs on a store with nothing in it.

use super::{Home, peak_memory::peak_memory};

/// How much more memory a prompt may take than a listing, in MiB. A tokenizer that is built in memory takes 38.
const MORE: f64 = 8.0;
/// What both may take of a release build, in MiB. A debug build has more code in memory.
const MOST: f64 = 35.0;

#[tokio::test]
async fn a_prompt_takes_little_more_memory_than_a_listing() {
    let home = Home::new();
    home.ok(&["ls"]);
    let listing = peak_memory(home.program(&["ls"])).await;
    let prompt = peak_memory(home.program(&["prompt"])).await;
    println!("ls {listing:.1} MiB, prompt {prompt:.1} MiB");
    assert!(prompt <= listing + MORE, "prompt {prompt:.1} MiB, ls {listing:.1} MiB");
    assert!(cfg!(debug_assertions) || prompt <= MOST, "{prompt:.1} MiB");
}
