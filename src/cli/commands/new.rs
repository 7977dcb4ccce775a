//! `skillmount new`

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::super::{app::App, folder::Target, output::note};
use crate::{
    error::{Code, Error, Result},
    limits::SKILL_NAME_CHARS,
    skill::fix,
};

/// A skill that says where its parts go. It has no name: `fix` puts in the folder's, quoted where YAML wants that.
const SCAFFOLD: &str = "\
---
description: Says what this skill does. Use when the task calls for it; name the words that people use for it.
---

# What the skill does

## Steps

1. Say first what must be known before the work can begin, and where to find it.
2. Say what to do, in the order in which it is done.
3. Say how to see that the result is right.
";

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  skillmount new compraventa                              makes ./compraventa/SKILL.md
  skillmount new compraventa --into skills/escrituras     and the folders above it
  skillmount new compraventa && skillmount lint compraventa

A name is lower-case letters, digits and single dashes between them.")]
pub(in super::super) struct New {
    /// The skill's name, which is its folder's too
    name: String,
    /// The folder to make it in [default: this one]
    #[arg(long, value_name = "DIR")]
    into: Option<PathBuf>,
}

impl New {
    pub(in super::super) fn run(self, app: &App) -> Result<()> {
        let text = scaffold(&self.name)?;
        let folder = self.into.unwrap_or_default().join(&self.name);
        Target::create(folder.clone())?.write("SKILL.md", &text, app.clock.random())?;
        let file = folder.join("SKILL.md").display().to_string();
        let reply = json!({ "skill": self.name, "file": file });
        app.out.reply(&reply, |out, _| out.line(format_args!("made {file}")))?;
        if !app.out.is_json() {
            note("describe it in there, then `skillmount lint` it and `skillmount push` it");
        }
        Ok(())
    }
}

/// The SKILL.md of a new skill.
///
/// # Errors
/// `invalid_request` where the specification does not take the name.
fn scaffold(name: &str) -> Result<Vec<u8>> {
    fix(SCAFFOLD.as_bytes(), name).filter(|_| !name.is_empty()).map(|fixed| fixed.bytes).ok_or_else(|| {
        let rule = "lower-case letters, digits and single `-` between them";
        Error::new(Code::InvalidRequest, format!("{name:?} cannot be a name: use up to {SKILL_NAME_CHARS} {rule}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skill::lint;

    #[test]
    fn what_is_made_has_no_findings_whatever_its_name() {
        for name in ["compraventa", "a-1", "on", "1", "技能", &"x".repeat(SKILL_NAME_CHARS)] {
            assert_eq!(lint(&scaffold(name).unwrap(), name, Some(&["SKILL.md"])), [], "{name}");
        }
    }

    #[test]
    fn names_that_the_specification_does_not_take_are_refused() {
        let long = "x".repeat(SKILL_NAME_CHARS + 1);
        for name in ["", "Venta", "a--b", "-a", "a-", "a_b", "a b", "a/b", "..", "../a", "a\nb", &long] {
            assert_eq!(scaffold(name).unwrap_err().code(), Code::InvalidRequest, "{name:?}");
        }
    }
}
