//! The text of a keys file: TOML, a `[[key]]` table for each key.
//!
//! A table is removed by lines, so that everything else stays as people wrote it. The rest is read again and compared,
//! because TOML has more ways to write a table than this module knows.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::{KeyEntry, Keys};
use crate::error::{Code, Error, Result};

/// Digits of a hash that name a key at least.
const HASH_DIGITS: usize = 4;

/// The content of a keys file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Tables {
    #[serde(default)]
    key: Vec<KeyEntry>,
}

/// The text of a keys file, and the entries that were read from it.
#[derive(Clone, Debug)]
pub struct KeysText {
    text: String,
    entries: Vec<KeyEntry>,
}

impl Keys {
    /// The keys of the text of a keys file.
    ///
    /// # Errors
    /// `invalid_request`, naming the line or the entry; a file without keys is one too.
    pub fn from_toml(text: &str) -> Result<Self> {
        Self::new(&parse(text)?)
    }
}

impl KeyEntry {
    /// The entry as a table to append to a keys file.
    ///
    /// # Errors
    /// Never for an entry made by [`KeyEntry::generate`].
    pub fn to_toml(&self) -> Result<String> {
        toml::to_string(&Tables { key: vec![self.clone()] }).map_err(Error::internal)
    }
}

impl KeysText {
    /// Reads the text of a keys file.
    ///
    /// # Errors
    /// As [`Keys::from_toml`]: this function refuses the same texts as a service.
    pub fn parse(text: String) -> Result<Self> {
        let entries = parse(&text)?;
        Keys::new(&entries)?;
        Ok(Self { text, entries })
    }

    /// The entries, in the order of the file.
    #[must_use]
    pub fn entries(&self) -> &[KeyEntry] {
        &self.entries
    }

    /// Returns the entry of the key that `wanted` names, and the text without it. A key is named by its name, or by the
    /// first digits of its hash, four at least.
    ///
    /// # Errors
    /// `invalid_request` if `wanted` names no key or several, if it is the only key, or if its lines cannot be
    /// separated from other lines.
    pub fn without(&self, wanted: &str) -> Result<(KeyEntry, String)> {
        let revoked = self.find(wanted)?;
        let is_left = |entry: &&KeyEntry| entry.digest() != revoked.digest();
        let left: Vec<_> = self.entries.iter().filter(is_left).cloned().collect();
        if left.is_empty() {
            let message = "this is the only key, and a service does not take a file without keys but keeps those it has; \
                           add another key first, or stop the service and remove the file";
            return Err(Error::new(Code::InvalidRequest, message));
        }
        let headers = headers(&self.text);
        let mut text = self.text.clone();
        // From the last to the first, so that earlier tables keep their place.
        for (index, _) in self.entries.iter().enumerate().rev().filter(|(_, entry)| !is_left(entry)) {
            if let Some(lines) = lines_of(&self.text, &headers, index) {
                text.replace_range(lines, "");
            }
        }
        if headers.len() == self.entries.len() && parse(&text).is_ok_and(|now| now == left) {
            return Ok((revoked.clone(), text));
        }
        let message =
            "the lines of this key cannot be told from those of others; remove them from the keys file by hand";
        Err(Error::new(Code::InvalidRequest, message))
    }

    fn find(&self, wanted: &str) -> Result<&KeyEntry> {
        let digits = wanted.strip_prefix("sha256:").unwrap_or(wanted).to_ascii_lowercase();
        let has_digits = |entry: &KeyEntry| {
            let hash = entry.hash.strip_prefix("sha256:").unwrap_or_default().to_ascii_lowercase();
            digits.len() >= HASH_DIGITS && hash.starts_with(&digits)
        };
        let is_named = |entry: &&KeyEntry| entry.name.as_deref() == Some(wanted) || has_digits(entry);
        let found: Vec<_> = self.entries.iter().filter(is_named).collect();
        match found.as_slice() {
            [entry] => Ok(entry),
            [] => {
                let message = format!(
                    "no key is called {wanted:?} or has a hash that begins so; `skillmount keys list` shows all"
                );
                Err(Error::new(Code::InvalidRequest, message))
            }
            several => {
                let hashes: Vec<_> = several.iter().filter_map(|entry| entry.short_hash()).collect();
                let message = format!(
                    "{wanted:?} may be any of {} keys; name one by its hash: {}",
                    several.len(),
                    hashes.join(", ")
                );
                Err(Error::new(Code::InvalidRequest, message))
            }
        }
    }
}

fn parse(text: &str) -> Result<Vec<KeyEntry>> {
    toml::from_str::<Tables>(text).map(|tables| tables.key).map_err(|error| {
        Error::new(Code::InvalidRequest, format!("the keys file is not as `skillmount keys new` prints it: {error}"))
    })
}

/// Where the lines `[[key]]` begin.
fn headers(text: &str) -> Vec<usize> {
    let is_header = |line: &str| {
        let inside = line.trim_start().strip_prefix("[[").and_then(|rest| rest.trim_start().strip_prefix("key"));
        inside.is_some_and(|rest| rest.trim_start().starts_with("]]"))
    };
    lines(text).filter(|(_, line)| is_header(line)).map(|(at, _)| at).collect()
}

/// The lines of the entry at `index`: its table, the comments directly above and directly below it, and the blank lines
/// after it. A comment between two tables without a blank line belongs to the second.
fn lines_of(text: &str, headers: &[usize], index: usize) -> Option<Range<usize>> {
    let header = *headers.get(index)?;
    let next = headers.get(index + 1).copied();
    let above: Vec<_> = lines(text.get(..header)?).collect();
    let comments = above.iter().rev().take_while(|(_, line)| is_comment(line));
    let start = comments.last().map_or(header, |(at, _)| *at);

    let below: Vec<_> = lines(text.get(header..next.unwrap_or(text.len()))?).collect();
    let last = below.iter().rposition(|(_, line)| !is_blank(line) && !is_comment(line))?;
    let mut rest = below.get(last + 1..)?;
    let own = rest.iter().take_while(|(_, line)| !is_blank(line)).count();
    if own < rest.len() || next.is_none() {
        rest = rest.get(own..)?;
    }
    let end = rest.iter().find(|(_, line)| !is_blank(line)).map(|(at, _)| header + at);
    Some(start..end.or(next).unwrap_or(text.len()))
}

/// Each line with where it begins and its end.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_inclusive('\n').scan(0, |at, line| {
        let begins = *at;
        *at += line.len();
        Some((begins, line))
    })
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with('#')
}

fn is_blank(line: &str) -> bool {
    line.trim().is_empty()
}

#[cfg(test)]
mod tests;
