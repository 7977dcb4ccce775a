//! A call that needs approval, and how it is known again: by the digest of its canonical JSON.
//!
//! For a long input, a person sees a value with the same members and shortened texts.

use std::io::{self, Write};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::{
    error::{Error, Result},
    limits::APPROVAL_INPUT_BYTES,
    path::SkillPath,
    wire::CallOutline,
};

/// The tool and the skill of a call that needs approval, and which rules of the policy ask.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PendingSubject {
    pub(super) tool: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) skill: Option<SkillPath>,
    pub(super) tool_asks: bool,
    pub(super) skill_asks: bool,
}

/// The skill that a call loads, with the digest of its files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillToLoad {
    /// Its path.
    pub skill: SkillPath,
    /// The digest of the files that the call loads.
    pub digest: String,
}

/// A call that needs approval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingCall {
    pub(super) subject: PendingSubject,
    pub(super) skill_digest: Option<String>,
    pub(super) digest: String,
    pub(super) input: String,
    pub(super) input_cut: bool,
    pub(super) outline: String,
    pub(super) outline_names: String,
}

impl PendingCall {
    /// The call of `tool` with `input`, which is in its normal form. `load` is the skill that the call loads, if any. `tool_asks`
    /// and `skill_asks` say which rules of the policy ask.
    ///
    /// # Errors
    /// None that a caller can cause.
    pub fn new(
        tool: &str,
        mut input: Value,
        load: Option<&SkillToLoad>,
        (tool_asks, skill_asks): (bool, bool),
    ) -> Result<Self> {
        input.sort_all_objects();
        let (skill, skill_digest) = (load.map(|load| &load.skill), load.map(|load| load.digest.clone()));
        let mut call = json!({ "input": input, "skill": skill, "tool": tool });
        if let (Some(digest), Some(members)) = (&skill_digest, call.as_object_mut()) {
            members.insert("digest".to_owned(), json!(digest));
        }
        let mut hash = Hash(Sha256::new());
        serde_json::to_writer(&mut hash, &call).map_err(Error::internal)?;
        let (input, input_cut) = kept(call.get("input").unwrap_or(&Value::Null));
        let subject = PendingSubject { tool: tool.to_owned(), skill: skill.cloned(), tool_asks, skill_asks };
        let (digest, outline, outline_names) = (hex::encode(hash.0.finalize()), String::new(), String::new());
        Ok(Self { subject, skill_digest, digest, input, input_cut, outline, outline_names })
    }

    /// The same call. Listeners receive `outline` in the place of its input.
    #[must_use]
    pub fn outlined(self, outline: &CallOutline) -> Self {
        let outline_names = serde_json::to_string(&outline.names()).unwrap_or_default();
        Self { outline: kept(&outline.input()).0, outline_names, ..self }
    }
}

/// Text on its way into a digest.
struct Hash(Sha256);

impl Write for Hash {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// An input as JSON of at most [`APPROVAL_INPUT_BYTES`], and whether texts in it were cut for that.
fn kept(input: &Value) -> (String, bool) {
    let lengths = std::iter::successors(Some(APPROVAL_INPUT_BYTES), |most| Some(most / 2).filter(|most| *most >= 16));
    let fitting = lengths.map(|most| {
        let mut is_cut = false;
        (shortened(input, most, &mut is_cut).to_string(), is_cut)
    });
    fitting.into_iter().find(|(text, _)| text.len() <= APPROVAL_INPUT_BYTES).unwrap_or_else(|| ("{}".to_owned(), true))
}

/// The same value with texts of at most `most` bytes.
fn shortened(value: &Value, most: usize, is_cut: &mut bool) -> Value {
    match value {
        Value::String(text) if text.len() > most => {
            *is_cut = true;
            let begin = text.get(..text.floor_char_boundary(most)).unwrap_or_default();
            Value::String(format!("{begin}… ({} bytes in all)", text.len()))
        }
        Value::Array(items) => items.iter().map(|item| shortened(item, most, is_cut)).collect(),
        Value::Object(members) => {
            let members = members.iter().map(|(name, member)| (name.clone(), shortened(member, most, is_cut)));
            Value::Object(members.collect())
        }
        short => short.clone(),
    }
}
