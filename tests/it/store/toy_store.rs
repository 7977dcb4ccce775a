//! The example of a store that is written outside the crate passes the suites.

#[path = "../../../examples/toy_store.rs"]
#[expect(dead_code, reason = "its main prints what the suites return")]
mod example;

#[tokio::test(flavor = "multi_thread")]
async fn a_store_written_outside_the_crate_passes_the_suites() {
    let [one, two] = example::run_the_suites().await;
    assert_eq!(one.passed.len(), 29);
    let lacks = [
        "a_conditional_delete_needs_its_version",
        "tags_leave_their_object_as_it_is",
        "a_purge_removes_what_is_below_its_prefix",
    ];
    assert_eq!(one.excused, lacks);
    assert_eq!((two.passed.len(), two.excused.len()), (5, 0));
}
