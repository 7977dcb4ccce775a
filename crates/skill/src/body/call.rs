//! The arguments of one call: their assignment to the parameters of a skill, and the placeholders that show them.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::words::{Word, words};
use crate::{Frontmatter, Parameter};
use skillmount_base::limits::PARAMETER_REACH;

/// A parameter of a skill with its value in this call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct FilledParameter {
    /// Its name.
    pub name: String,
    /// The question to the user; empty if the author gives none.
    pub description: String,
    /// Whether the skill needs it.
    pub required: bool,
    /// The given value, or its default.
    pub value: Option<String>,
}

/// The arguments of one call. Words are referred to by their index in all words.
pub(super) struct CallArguments<'a> {
    /// The arguments as given.
    pub raw: &'a str,
    /// Whether the skill declares arguments.
    pub is_declared: bool,
    words: Vec<Word>,
    every: Vec<usize>,
    /// The words that name no parameter of the skill.
    unnamed: Vec<usize>,
    /// Every `name=value`, declared or not.
    pairs: BTreeMap<String, ArgumentSpan>,
    parameters: Vec<(FilledParameter, Vec<usize>)>,
    /// The values of `$N` in their order.
    positions: Vec<ArgumentSpan>,
    /// The value of `$ARGUMENTS`, if it is not the text as given.
    joined: Option<String>,
    /// The number of the first argument in `$N`.
    first: usize,
}

/// A value and the indexes of its words.
#[derive(Clone, Default)]
struct ArgumentSpan {
    value: String,
    words: Vec<usize>,
}

/// A placeholder at the beginning of a text.
pub(super) struct Placeholder<'a> {
    /// Its length in bytes.
    pub length: usize,
    /// Its value in this call.
    pub value: Option<&'a str>,
    /// The indexes of the words in that value.
    pub words: &'a [usize],
}

impl<'a> CallArguments<'a> {
    /// Assigns `raw` to the parameters of a skill. `first` is the number of the first argument in its body's `$N`.
    pub(super) fn new(raw: &'a str, front: &Frontmatter, first: usize) -> Self {
        let raw = raw.trim();
        let words = words(raw);
        let mut call = Self {
            raw,
            is_declared: takes_arguments(front),
            every: (0..words.len()).collect(),
            unnamed: Vec::new(),
            pairs: BTreeMap::new(),
            parameters: Vec::new(),
            positions: Vec::new(),
            joined: None,
            words,
            first,
        };
        call.read_pairs(&front.parameters);
        call.share(&front.parameters);
        call.place(&front.parameters);
        call
    }

    /// Finds each `name=value`. If the call names every parameter, the words behind one continue its value, because no
    /// other parameter needs them.
    fn read_pairs(&mut self, declared: &[Parameter]) {
        let is_named = |one: &Parameter| self.words.iter().any(|word| name(word) == Some(&one.name));
        let is_all_named = declared.iter().all(is_named);
        let mut goes_on = None;
        for (at, word) in self.words.iter().enumerate() {
            let parameter = declared.iter().find(|one| name(word) == Some(&one.name));
            if parameter.is_none() {
                self.unnamed.push(at);
            }
            if let Some((name, value)) = word.text.split_once('=').filter(|(name, _)| !name.is_empty()) {
                self.pairs.insert(name.to_owned(), ArgumentSpan { value: value.to_owned(), words: vec![at] });
                goes_on = parameter.filter(|_| is_all_named);
            } else if let Some(given) = goes_on.and_then(|one| self.pairs.get_mut(&one.name)) {
                given.words.push(at);
            }
        }
        for given in self.pairs.values_mut().filter(|given| given.words.len() > 1) {
            let end = |at: Option<&usize>| Some(self.words.get(*at?)?.span.end);
            let rest =
                end(given.words.first()).zip(end(given.words.last())).and_then(|(from, to)| self.raw.get(from..to));
            let rest = rest.unwrap_or_default();
            given.value.push_str(if given.value.is_empty() { rest.trim_start() } else { rest });
        }
    }

    /// Gives each parameter its value: the named one, or else the next word without a name. The last unnamed parameter
    /// takes the rest. Empty text is not a value for a required parameter.
    fn share(&mut self, declared: &[Parameter]) {
        let mut left = self.unnamed.as_slice();
        let mut waiting = declared.iter().filter(|one| !self.pairs.contains_key(&one.name)).count();
        for one in declared {
            let given = self.pairs.get(&one.name).cloned().or_else(|| {
                waiting = waiting.saturating_sub(1);
                let (taken, rest) = left.split_at(if waiting == 0 { left.len() } else { left.len().min(1) });
                left = rest;
                (!taken.is_empty()).then(|| ArgumentSpan { value: self.text(taken), words: taken.to_vec() })
            });
            let given = given.filter(|given| !(one.required && given.value.is_empty()));
            let (value, words) = match given {
                Some(ArgumentSpan { value, words }) => (Some(value), words),
                None => (one.default.clone(), Vec::new()),
            };
            let filled = FilledParameter {
                name: one.name.clone(),
                description: one.description.clone(),
                required: one.required,
                value,
            };
            self.parameters.push((filled, words));
        }
    }

    /// Gives each position its value. If the call names a parameter, each parameter is a position in the order of its
    /// declaration, and further words follow. Otherwise each word is one.
    fn place(&mut self, declared: &[Parameter]) {
        let word = |at: usize| ArgumentSpan {
            value: self.words.get(at).map_or_else(String::new, |word| word.text.clone()),
            words: vec![at],
        };
        if !declared.iter().any(|one| self.pairs.contains_key(&one.name)) {
            self.positions = self.unnamed.iter().map(|at| word(*at)).collect();
            return;
        }
        let value = |(one, words): &(FilledParameter, Vec<usize>)| ArgumentSpan {
            value: one.value.clone().unwrap_or_default(),
            words: words.clone(),
        };
        let taken: BTreeSet<usize> = self.parameters.iter().flat_map(|(_, words)| words.iter().copied()).collect();
        let further = self.unnamed.iter().filter(|at| !taken.contains(at)).map(|at| word(*at));
        let positions: Vec<_> = self.parameters.iter().map(value).chain(further).collect();
        let values = positions.iter().map(|one| one.value.as_str()).filter(|value| !value.is_empty());
        self.joined = Some(values.collect::<Vec<_>>().join(" "));
        self.positions = positions;
    }

    /// One word without its quotes, or several words as typed.
    fn text(&self, words: &[usize]) -> String {
        if let [at] = words {
            return self.words.get(*at).map_or_else(String::new, |word| word.text.clone());
        }
        let mut text = String::new();
        let mut before: Option<usize> = None;
        for at in words {
            let Some(span) = self.words.get(*at).map(|word| word.span.clone()) else { continue };
            // The text between two words stays, unless it contains a `name=value`, which is shown elsewhere.
            let gap = before.filter(|before| before + 1 == *at).and_then(|before| self.words.get(before));
            match gap {
                Some(before) => text.push_str(self.raw.get(before.span.end..span.start).unwrap_or_default()),
                None if before.is_some() => text.push(' '),
                None => {}
            }
            text.push_str(self.raw.get(span).unwrap_or_default());
            before = Some(*at);
        }
        text
    }

    /// The placeholder at the beginning of `text`.
    pub(super) fn placeholder(&self, text: &str) -> Option<Placeholder<'_>> {
        if let Some(inside) = text.strip_prefix("{{") {
            // Only as far as a name can reach, because searching a whole body for the end of each `{{` would be
            // quadratic.
            let reach = inside.get(..inside.floor_char_boundary(PARAMETER_REACH))?;
            let (name, _) = reach.split_once("}}")?;
            return self.named(name.trim(), name.len() + "{{}}".len());
        }
        if let Some((number, length)) = position(text) {
            let nth = number.checked_sub(self.first).unwrap_or(usize::MAX);
            return Some(self.word(nth, length));
        }
        let after = text.strip_prefix('$')?;
        if let Some(rest) = after.strip_prefix("ARGUMENTS") {
            return self.arguments(rest);
        }
        let fits = |one: &&FilledParameter| after.strip_prefix(one.name.as_str()).is_some_and(ends_word);
        let longest = self.parameters.iter().map(|(one, _)| one).filter(fits).max_by_key(|one| one.name.len())?;
        self.named(&longest.name, 1 + longest.name.len())
    }

    /// `$ARGUMENTS` or `$ARGUMENTS[N]`, depending on the text behind the word.
    fn arguments(&self, rest: &str) -> Option<Placeholder<'_>> {
        let length = "$ARGUMENTS".len();
        let index =
            rest.strip_prefix('[').and_then(|inside| inside.get(..inside.floor_char_boundary(8))?.split_once(']'));
        if let Some((digits, _)) = index
            && let Ok(nth) = digits.parse::<usize>()
        {
            return Some(self.word(nth, length + digits.len() + "[]".len()));
        }
        ends_word(rest).then_some(Placeholder {
            length,
            value: Some(self.joined.as_deref().unwrap_or(self.raw)),
            words: &self.every,
        })
    }

    /// The position `nth`, counted from zero.
    fn word(&self, nth: usize, length: usize) -> Placeholder<'_> {
        let declared = self.parameters.get(nth).map(|(one, _)| one);
        match (self.positions.get(nth), declared) {
            // A required parameter without a value is missing.
            (Some(given), Some(one)) if given.value.is_empty() && one.required => {
                Placeholder { length, value: None, words: &given.words }
            }
            (Some(given), _) => Placeholder { length, value: Some(&given.value), words: &given.words },
            (None, declared) => Placeholder { length, value: declared.and_then(value_or_empty), words: &[] },
        }
    }

    fn named(&self, name: &str, length: usize) -> Option<Placeholder<'_>> {
        if let Some((declared, words)) = self.parameters.iter().find(|(one, _)| one.name == name) {
            return Some(Placeholder { length, value: value_or_empty(declared), words });
        }
        let given = self.pairs.get(name)?;
        Some(Placeholder { length, value: Some(&given.value), words: &given.words })
    }

    /// Whether some word of the arguments is not among those `shown`.
    pub(super) fn has_others_than(&self, shown: &BTreeSet<usize>) -> bool {
        let is_unset =
            |word: &Word| self.parameters.iter().any(|(one, _)| word.text.strip_suffix('=') == Some(&one.name));
        let is_empty = |word: &Word| word.text.is_empty() || is_unset(word);
        self.words.iter().enumerate().any(|(at, word)| !shown.contains(&at) && !is_empty(word))
    }

    /// The parameters of the skill with their values.
    pub(super) fn into_parameters(self) -> Vec<FilledParameter> {
        self.parameters.into_iter().map(|(one, _)| one).collect()
    }
}

/// The value of a parameter. An optional one without a value is empty text, and a required one has none.
fn value_or_empty(one: &FilledParameter) -> Option<&str> {
    one.value.as_deref().or((!one.required).then_some(""))
}

/// Whether a skill declares arguments.
pub(super) fn takes_arguments(front: &Frontmatter) -> bool {
    !front.parameters.is_empty() || front.argument_hint.is_some()
}

/// The number of the `$N` at the beginning of `text`, and its length. `$1.50` and `$1,000` are amounts, and `$007` is
/// something else.
pub(super) fn position(text: &str) -> Option<(usize, usize)> {
    let after = text.strip_prefix('$')?;
    let rest = after.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = after.strip_suffix(rest)?;
    let is_amount = rest.strip_prefix(['.', ',']).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let is_padded = digits.len() > 1 && digits.starts_with('0');
    if is_amount || is_padded || !ends_word(rest) {
        return None;
    }
    Some((digits.parse().ok()?, 1 + digits.len()))
}

fn name(word: &Word) -> Option<&str> {
    word.text.split_once('=').map(|(name, _)| name)
}

fn ends_word(rest: &str) -> bool {
    !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')
}
