//! Lists the files of the documentation, so that the program carries them and no list of pages is kept by hand.
//!
//! `docs` is a link to `docs` of the repository. A package of this crate has the files themselves.

use std::{
    env,
    error::Error,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

const DOCS: &str = "docs";
/// The endings of the files that the guide serves.
const ENDINGS: [&str; 2] = ["md", "svg"];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={DOCS}");
    let mut files = Vec::new();
    collect(Path::new(DOCS), "", &mut files)?;
    files.sort();
    let mut table = String::from("&[\n");
    for name in files {
        println!("cargo::rerun-if-changed={DOCS}/{name}");
        writeln!(table, "    ({name:?}, include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/{DOCS}/{name}\"))),")?;
    }
    table.push_str("]\n");
    let target = PathBuf::from(env::var("OUT_DIR")?).join("docs.rs");
    fs::write(target, table)?;
    Ok(())
}

/// Adds the names of the files below `folder`, each behind `prefix`.
fn collect(folder: &Path, prefix: &str, files: &mut Vec<String>) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        let name = format!("{prefix}{name}");
        if path.is_dir() {
            collect(&path, &format!("{name}/"), files)?;
        } else if path.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known)) {
            files.push(name);
        }
    }
    Ok(())
}
