//! The skills of the demo, carried in the binary: the files of `fixtures/store/`.

macro_rules! fixtures {
    ($($key:literal)*) => {
        /// (object key, content) of each.
        pub(super) const FILES: &[(&str, &[u8])] = &[
            $(($key, include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/store/", $key))),)*
        ];
    };
}

fixtures! {
    "demo/skills/contratos/arrendamiento/SKILL.md"
    "demo/skills/escrituras/compraventa/SKILL.md"
    "demo/skills/escrituras/compraventa/disclosure_clausulas.md"
    "demo/skills/escrituras/compraventa/resources/ejemplo.md"
    "demo/skills/escrituras/compraventa/resources/plantilla.pdf"
    "demo/skills/escrituras/hipoteca/SKILL.md"
}

/// The content of one of them; empty for a name that none has.
pub(super) fn content(key: &str) -> &'static [u8] {
    FILES.iter().find(|(name, _)| *name == key).map_or(&[], |(_, bytes)| bytes)
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::*;

    fn files_below(folder: &Path, found: &mut Vec<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                files_below(&path, found);
            } else {
                found.push(path.to_str().unwrap().to_owned());
            }
        }
    }

    #[test]
    fn every_file_of_the_fixtures_is_carried() {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/store/");
        let mut found = Vec::new();
        files_below(Path::new(root), &mut found);
        found.sort();
        let found: Vec<_> = found.iter().map(|path| path.strip_prefix(root).unwrap()).collect();
        assert_eq!(FILES.iter().map(|(key, _)| *key).collect::<Vec<_>>(), found);
    }
}
