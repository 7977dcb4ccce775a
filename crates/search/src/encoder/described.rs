//! The settings in the folder of an encoder: the prompts before a text, and the pooling of token vectors.

use std::{collections::BTreeMap, fs, io, path::Path};

use serde::{Deserialize, de::DeserializeOwned};

use super::folder::{POOLING, PROMPTS};
use crate::encoder::EncoderError;

/// The prompts that some encoders want before a question or a skill.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Prompts {
    pub(super) question: String,
    pub(super) skill: String,
}

impl Prompts {
    /// Those of a folder; none if it names none.
    pub(super) fn from_folder(folder: &Path) -> Result<Self, EncoderError> {
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct Config {
            prompts: BTreeMap<String, Option<String>>,
        }
        let Config { prompts } = read(folder, PROMPTS)?.unwrap_or_default();
        let named = |names: &[&str]| names.iter().find_map(|name| prompts.get(*name)?.clone()).unwrap_or_default();
        Ok(Self {
            question: named(&["query", "search_query"]),
            skill: named(&["document", "passage", "search_document"]),
        })
    }
}

/// How the vectors of tokens become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pooling {
    Mean,
    First,
    Last,
    Max,
}

impl Pooling {
    /// That of a folder; the mean if it names none.
    pub(super) fn from_folder(folder: &Path) -> Result<Self, EncoderError> {
        let config: BTreeMap<String, serde_json::Value> = read(folder, POOLING)?.unwrap_or_default();
        // Newer files have the name of one mode, older ones a switch for each.
        let named = config.get("pooling_mode").and_then(|mode| mode.as_str()).map(str::to_owned);
        let switched = config.iter().filter(|(_, on)| **on == serde_json::Value::Bool(true));
        let switched = switched.filter_map(|(name, _)| name.strip_prefix("pooling_mode_").map(str::to_owned));
        let modes: Vec<String> = named.into_iter().chain(switched).collect();
        match modes.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
            [] | ["mean" | "mean_tokens" | "mean_sqrt_len_tokens"] => Ok(Self::Mean),
            ["cls" | "cls_token"] => Ok(Self::First),
            ["lasttoken" | "last_token"] => Ok(Self::Last),
            ["max" | "max_tokens"] => Ok(Self::Max),
            others => {
                let message = format!(
                    "{POOLING} asks for {}; the mean, the first, the last and the greatest are known",
                    others.join(" and ")
                );
                Err(EncoderError::new(message))
            }
        }
    }

    /// Joins the vectors of the tokens, which follow each other in `numbers`, into one vector. The length of the vector
    /// means nothing.
    pub(super) fn pooled(self, numbers: &[f32], dimensions: usize) -> Vec<f32> {
        let mut rows = numbers.chunks_exact(dimensions.max(1));
        let joined = match self {
            Self::First => rows.next(),
            Self::Last => rows.next_back(),
            Self::Mean => return folded(rows, |sum, number| sum + number),
            Self::Max => return folded(rows, f32::max),
        };
        joined.unwrap_or_default().to_vec()
    }
}

fn folded<'a>(mut rows: impl Iterator<Item = &'a [f32]>, join: impl Fn(f32, f32) -> f32) -> Vec<f32> {
    let mut all = rows.next().unwrap_or_default().to_vec();
    for row in rows {
        all.iter_mut().zip(row).for_each(|(all, number)| *all = join(*all, *number));
    }
    all
}

/// A file of JSON; `None` if there is none.
fn read<T: DeserializeOwned>(folder: &Path, name: &str) -> Result<Option<T>, EncoderError> {
    match fs::read(folder.join(name)) {
        Ok(text) => serde_json::from_slice(&text).map(Some).map_err(|fault| faulty(name, fault)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(EncoderError::caused(format!("{} cannot be read", folder.join(name).display()), error)),
    }
}

/// The error for an unusable file of an encoder.
pub(super) fn faulty(name: &str, fault: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> EncoderError {
    EncoderError::caused(format!("{name} of the encoder cannot be used"), fault)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(name: &str, text: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
        folder
    }

    #[test]
    fn prompts_go_by_their_usual_names_and_without_a_file_there_are_none() {
        let prompts = |text| Prompts::from_folder(with(PROMPTS, text).path());
        let e5 = Prompts { question: "query: ".to_owned(), skill: "passage: ".to_owned() };
        assert_eq!(prompts(r#"{"prompts": {"query": "query: ", "passage": "passage: "}}"#).unwrap(), e5);
        let both = r#"{"prompts": {"query": "query: ", "document": "passage: ", "passage": "other", "more": null}}"#;
        assert_eq!(prompts(both).unwrap(), e5);
        assert_eq!(prompts(r#"{"similarity_fn_name": "cosine"}"#).unwrap(), Prompts::default());
        assert_eq!(Prompts::from_folder(Path::new("/nowhere")).unwrap(), Prompts::default());
        assert!(prompts("{").unwrap_err().chain().starts_with("config_sentence_transformers.json of the encoder"));
    }

    #[test]
    fn pooling_goes_by_what_the_model_says_of_itself() {
        let pooling = |text| Pooling::from_folder(with(POOLING, text).path());
        let old =
            r#"{"word_embedding_dimension": 384, "pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false}"#;
        assert_eq!(pooling(old).unwrap(), Pooling::First);
        assert_eq!(pooling(r#"{"pooling_mode": "lasttoken", "include_prompt": true}"#).unwrap(), Pooling::Last);
        assert_eq!(pooling(r#"{"pooling_mode_max_tokens": true}"#).unwrap(), Pooling::Max);
        assert_eq!(Pooling::from_folder(Path::new("/nowhere")).unwrap(), Pooling::Mean);
        let two = r#"{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": true}"#;
        assert!(pooling(two).unwrap_err().chain().contains("cls_token and mean_tokens"));
        assert!(pooling(r#"{"pooling_mode_weightedmean_tokens": true}"#).is_err());
    }

    #[test]
    fn tokens_become_one_vector() {
        let numbers = [1.0, 8.0, 3.0, -2.0, 5.0, 0.0];
        for (pooling, vector) in [
            (Pooling::Mean, [9.0, 6.0]),
            (Pooling::First, [1.0, 8.0]),
            (Pooling::Last, [5.0, 0.0]),
            (Pooling::Max, [5.0, 8.0]),
        ] {
            assert_eq!(pooling.pooled(&numbers, 2), vector, "{pooling:?}");
        }
        assert!(Pooling::Mean.pooled(&[], 2).is_empty());
    }
}
