//! The example of a store that is written outside the crate passes the suites.

#[path = "../../../examples/toy_store.rs"]
#[expect(dead_code, reason = "its main prints what the suites return")]
mod example;

#[tokio::test(flavor = "multi_thread")]
async fn a_store_written_outside_the_crate_passes_the_suites() {
    let [one, two] = example::run_the_suites().await;
    assert_eq!(one.passed.len(), 29);
    assert_eq!(one.excused, ["a_conditional_delete_needs_its_version"]);
    assert_eq!((two.passed.len(), two.excused.len()), (5, 0));
}
