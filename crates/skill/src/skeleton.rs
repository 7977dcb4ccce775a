//! Skeletons for the bodies of skills that agents write: the parts around the instructions.

use serde::{Deserialize, Serialize};

/// What kind of work a skill is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SkillTemplate {
    /// To find something out and judge it.
    Analysis,
    /// To write a text.
    Writing,
    /// To change or make a program.
    Code,
}

impl SkillTemplate {
    /// The body of such a skill around these instructions.
    ///
    /// ```
    /// use skillmount_skill::SkillTemplate;
    ///
    /// let body = SkillTemplate::Writing.around("Write the minutes of a meeting.\n");
    /// assert!(body.starts_with("## What to write\n\nWrite the minutes of a meeting.\n\n## "));
    /// ```
    #[must_use]
    pub fn around(self, body: &str) -> String {
        let (title, steps, before_the_end) = match self {
            Self::Analysis => (
                "What to find out",
                [
                    "Name the question, and the material that can answer it.",
                    "Read the material before judging it, and note where each fact stands.",
                    "Keep what the material says apart from what follows from it.",
                ],
                "Give the answer first, then the reasons with their places, then what stays open.",
            ),
            Self::Writing => (
                "What to write",
                [
                    "Find out who reads the text and what it is for; ask if neither is known.",
                    "Collect the facts it needs, and write none that no source gives.",
                    "Write it whole, then shorten it.",
                ],
                "Check names, numbers and dates against their sources.",
            ),
            Self::Code => (
                "What to do",
                [
                    "Read the code around the change, and follow its style.",
                    "Make the smallest change that does what is asked.",
                    "Run the tests, and add one that fails without the change.",
                ],
                "Say what was changed, how it was tested, and what was left alone.",
            ),
        };
        let [first, second, third] = steps;
        let body = body.trim_matches('\n');
        format!(
            "## {title}\n\n{body}\n\n## How to work\n\n1. {first}\n2. {second}\n3. {third}\n\n## Before the end\n\n{before_the_end}\n"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{compose, lint};

    #[test]
    fn a_skill_in_each_skeleton_has_no_findings() {
        for template in [SkillTemplate::Analysis, SkillTemplate::Writing, SkillTemplate::Code] {
            let body = template.around("# Minutes\n\nSay who was there.\n");
            assert!(body.contains("\n\n# Minutes\n\nSay who was there.\n\n## How to work"), "{body}");
            let text = compose("demo", "Writes minutes. Use it after a meeting.", &serde_json::Map::new(), &body);
            assert_eq!(lint(text.as_bytes(), "demo", Some(&["SKILL.md"])), [], "{text}");
        }
    }
}
