//! The files of this repository, for tests that read them.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// The folder of the repository.
pub(crate) fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The Rust files of the library and the program: those of each crate of the workspace.
pub(crate) fn program_sources() -> Vec<PathBuf> {
    let crates = fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().file_name());
    let folders = crates.map(|name| format!("crates/{}/src", name.to_string_lossy()));
    folders.chain(["src".to_owned()]).flat_map(|folder| sources(&folder)).collect()
}

/// The path of a file below the folder `src` of its crate. A crate that is one module of the library, as `skillmount_store`
/// is `skillmount::store`, counts as a folder of that name. So does a crate beside the library.
pub(crate) fn module_path(file: &Path) -> PathBuf {
    let below = file.strip_prefix(root()).unwrap();
    let Ok(of_crate) = below.strip_prefix("crates") else { return below.strip_prefix("src").unwrap().to_owned() };
    let name = of_crate.iter().next().unwrap().to_str().unwrap();
    let inside = of_crate.strip_prefix(name).unwrap().strip_prefix("src").unwrap();
    if is_one_module(name) { Path::new(name).join(inside) } else { inside.to_owned() }
}

/// Whether the library re-exports the crate `skillmount_NAME` as its module `NAME` rather than the modules in it, or not at all.
pub(crate) fn is_one_module(name: &str) -> bool {
    let facade = fs::read_to_string(root().join("src/lib.rs")).unwrap();
    let is_beside = root().join("crates").join(name).exists() && !facade.contains(&format!("skillmount_{name}"));
    is_beside || facade.contains(&format!("pub use skillmount_{name} as {name};"))
}

/// Whether the crate `skillmount_NAME` has a module `module` of its own at its root, and does not take it from a lower crate.
pub(crate) fn has_module(name: &str, module: &str) -> bool {
    let source = root().join("crates").join(name).join("src");
    source.join(format!("{module}.rs")).exists() || source.join(module).is_dir()
}

/// The Rust files below the folder `below`.
pub(crate) fn sources(below: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(below)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                found.push(path);
            }
        }
    }
    assert!(!found.is_empty());
    found
}
