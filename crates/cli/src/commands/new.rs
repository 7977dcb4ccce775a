//! `skillmount new`

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::{
    app::App,
    error::Result,
    folder::PullFolder,
    limits::SKILL_NAME_CHARS,
    skill::{fix, template},
};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  skillmount new compraventa                              makes ./compraventa/SKILL.md
  skillmount new compraventa --into skills/escrituras     and the folders above it
  skillmount new compraventa --description 'Prepares the deed of sale of a flat.'
  skillmount new compraventa && skillmount lint compraventa

A name is lower-case letters, digits and single dashes between them. What is there to be replaced
is a finding of lint until it is: an error in the description, a warning in the body.")]
pub(crate) struct New {
    /// The skill's name, which is its folder's too
    name: String,
    /// The folder to make it in [default: this one]
    #[arg(long, value_name = "DIR")]
    into: Option<PathBuf>,
    /// What the skill does and when to use it [default: a placeholder to be replaced]
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
}

impl New {
    pub(crate) fn run(self, app: &App) -> Result<()> {
        let text = begun(&self.name, self.description.as_deref())?;
        let folder = app.process.local(self.into.unwrap_or_default().join(&self.name));
        PullFolder::create(folder.clone())?.write("SKILL.md", &text, app.clock.random())?;
        let file = folder.join("SKILL.md").display().to_string();
        let reply = json!({ "skill": self.name, "file": file });
        app.out.reply(&reply, |out, _| {
            out.line(format_args!("made {file}"))?;
            out.note("write in there what it does, then `skillmount lint` it and `skillmount push` it");
            Ok(())
        })
    }
}

/// The SKILL.md of a new skill.
///
/// # Errors
/// `invalid_request` where the specification does not take the name.
fn begun(name: &str, description: Option<&str>) -> Result<Vec<u8>> {
    let text = template(description);
    fix(text.as_bytes(), name).filter(|_| !name.is_empty()).map(|fixed| fixed.bytes).ok_or_else(|| {
        let rule = "lower-case letters, digits and single `-` between them";
        invalid!("{name:?} cannot be a name: use up to {SKILL_NAME_CHARS} {rule}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Code;
    use crate::skill::lint;

    #[test]
    fn what_is_made_has_no_findings_but_its_placeholders_whatever_its_name() {
        for name in ["compraventa", "a-1", "on", "1", "技能", &"x".repeat(SKILL_NAME_CHARS)] {
            for (description, placeholders) in [
                (None, ["description_placeholder", "body_placeholder"].as_slice()),
                (Some("Says: yes # no"), &["body_placeholder"]),
            ] {
                let found = lint(&begun(name, description).unwrap(), name, Some(&["SKILL.md"]));
                let found: Vec<_> = found.iter().map(|one| one.code.as_str()).collect();
                assert_eq!(found, placeholders, "{name}");
            }
        }
    }

    #[test]
    fn names_that_the_specification_does_not_take_are_refused() {
        let long = "x".repeat(SKILL_NAME_CHARS + 1);
        for name in ["", "Venta", "a--b", "-a", "a-", "a_b", "a b", "a/b", "..", "../a", "a\nb", &long] {
            assert_eq!(begun(name, None).unwrap_err().code(), Code::InvalidRequest, "{name:?}");
        }
    }
}
