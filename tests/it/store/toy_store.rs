//! The example of a store that is written outside the crate passes the suite.

#[path = "../../../examples/toy_store.rs"]
#[expect(dead_code, reason = "its main prints what the suite returns")]
mod example;

#[tokio::test(flavor = "multi_thread")]
async fn a_store_written_outside_the_crate_passes_the_suite() {
    let found = example::run_the_suite().await;
    assert_eq!(found.passed.len(), 28);
    assert_eq!(found.excused, ["a_conditional_delete_needs_its_version"]);
}
