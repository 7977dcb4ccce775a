//! The `skillmount` binary: the command line in the process that the operating system gives it.

use std::process::ExitCode;

use skillmount::cli::{self, Process};

/// The memory budget bounds what is in use, and an allocator decides how much more the process keeps. That of glibc keeps half
/// as much again after large buffers of many threads.
#[cfg(all(target_os = "linux", feature = "jemalloc"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    cli::run(std::env::args_os().collect(), Process::current()).into()
}
