//! `skillmount.toml`: flat names, nothing unknown, errors with their line.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
};

use toml::de::{DeTable, DeValue};

use super::{deprecated::setting_named, setting::Setting, text::Text};
use crate::{
    error::{Error, Result},
    path::distance,
    process::Process,
};

/// The name of the file in the working folder or in the user's configuration folder.
const FILE_NAME: &str = "skillmount.toml";

/// A configuration file, checked.
#[derive(Clone, Debug)]
pub(crate) struct ConfigFile {
    path: PathBuf,
    /// Each value by the name in the file, today's or the earlier one.
    values: BTreeMap<&'static str, Text>,
}

/// The file named by `explicit`, or else the first of `skillmount.toml` in the working folder and the one in the user's
/// configuration folder; `None` where there is neither.
///
/// # Errors
/// `invalid_request` where the file cannot be read, does not parse, or holds a name that is no setting.
pub(crate) fn find(process: &Process, explicit: Option<&Path>) -> Result<Option<ConfigFile>> {
    if let Some(path) = explicit {
        let text = std::fs::read_to_string(process.local(path)).map_err(|error| unreadable(path, error))?;
        return ConfigFile::parse(path.to_owned(), &text).map(Some);
    }
    let own = process.folders.config.as_ref().map(|folder| folder.join("skillmount").join(FILE_NAME));
    for path in [Some(PathBuf::from(FILE_NAME)), own].into_iter().flatten() {
        match std::fs::read_to_string(process.local(&path)) {
            Ok(text) => return ConfigFile::parse(path, &text).map(Some),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(unreadable(&path, error)),
        }
    }
    Ok(None)
}

impl ConfigFile {
    /// Checks `text`, the content of `path`.
    pub(super) fn parse(path: PathBuf, text: &str) -> Result<Self> {
        let fail = |offset: usize, what: String| {
            let line = text.get(..offset).unwrap_or(text).lines().count().max(1);
            // An offset at the start of a line counts the lines before it.
            let starts = offset == 0 || text.as_bytes().get(offset - 1) == Some(&b'\n');
            let line = if starts && offset > 0 { line + 1 } else { line };
            invalid!("{}, line {line}: {what}", path.display())
        };
        let table = DeTable::parse(text)
            .map_err(|error| fail(error.span().map_or(0, |span| span.start), error.message().to_owned()))?;
        let mut values = BTreeMap::new();
        for (name, value) in table.get_ref() {
            let (setting, known) =
                setting_named(name.get_ref()).ok_or_else(|| fail(name.span().start, unknown(name.get_ref())))?;
            let value = scalar(value.get_ref()).ok_or_else(|| {
                fail(value.span().start, format!("{known} must be a string, a number or true or false"))
            })?;
            values.insert(known, setting.text(value));
        }
        Ok(Self { path, values })
    }

    /// Where it lies.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The value under `name` in the file.
    pub(super) fn get(&self, name: &str) -> Option<&Text> {
        self.values.get(name)
    }
}

fn scalar(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) => Some(number.as_str().to_owned()),
        DeValue::Boolean(on) => Some(on.to_string()),
        _ => None,
    }
}

fn unknown(name: &str) -> String {
    let nearest = Setting::ALL.iter().map(|setting| setting.name()).min_by_key(|known| distance(name, known));
    let names: Vec<_> = Setting::ALL.iter().map(|setting| setting.name()).collect();
    match nearest.filter(|known| distance(name, known) <= known.len() / 2) {
        Some(known) => format!("there is no setting {name:?}; did you mean {known}?"),
        None => format!("there is no setting {name:?}; the settings are {}", names.join(", ")),
    }
}

fn unreadable(path: &Path, error: io::Error) -> Error {
    invalid!("the configuration file {} cannot be read; correct its name or its rights", path.display())
        .with_source(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        ConfigFile::parse(PathBuf::from("f.toml"), text).unwrap_err().message().to_owned()
    }

    #[test]
    fn an_unknown_name_is_refused_with_its_line_and_the_nearest_known_one() {
        assert_eq!(
            message("user = 'a'\n\nendpoint-url = 'x'\n"),
            "f.toml, line 3: there is no setting \"endpoint-url\"; did you mean endpoint_url?"
        );
        assert!(message("zzzzzzzzzzzz = 1").contains("the settings are store, server"));
    }

    #[test]
    fn what_is_not_toml_or_not_a_plain_value_is_refused_with_its_line() {
        assert!(message("user = 'a'\nregion = \n").starts_with("f.toml, line 2: "));
        assert!(message("user = 'a'\nregion = ['x']\n").starts_with("f.toml, line 2: region must be"));
        assert!(message("[s3]\nregion = 'x'\n").starts_with("f.toml, line 1: "));
    }

    #[test]
    fn a_name_in_another_case_is_suggested() {
        assert!(message("REGION = 'x'").ends_with("did you mean region?"));
    }

    #[test]
    fn a_key_in_a_file_is_not_printed() {
        let file = ConfigFile::parse(PathBuf::from("f.toml"), "api_key = 'hunter2'\nuser = 'u1'").unwrap();
        let text = format!("{file:?}");
        assert!(!text.contains("hunter2") && text.contains("u1"), "{text}");
    }
}
