//! The `skillmount` binary.

fn main() {}
