//! Completion of a person's typing: names of skills, and parameters of a skill.

use rmcp::{
    ErrorData,
    model::{CompleteRequestParams, CompleteResult, CompletionInfo, Reference, ResourceTemplate},
};

use super::{
    prompts::{self, ARGUMENTS},
    refusal::{McpResult, refusal},
};
use crate::{error::Error, handle::SessionBackend, skill::Parameter};

/// The address of a skill, with a place for its path.
const TEMPLATE: &str = "skill://{+skill}/SKILL.md";
const SKILL: &str = "skill";

/// The addresses of skills, as a pattern.
pub(super) fn template() -> ResourceTemplate {
    let template = ResourceTemplate::new(TEMPLATE, "skill").with_description("The instructions of a skill.");
    template.with_mime_type("text/markdown")
}

/// The completions of an argument's text.
pub(super) async fn complete(backend: &SessionBackend, wanted: CompleteRequestParams) -> McpResult<CompleteResult> {
    let (name, typed) = (wanted.argument.name.as_str(), wanted.argument.value.as_str());
    let found = match &wanted.r#ref {
        Reference::Prompt(prompt) => {
            let skill = prompts::skill_of(backend, &prompt.name).await.map_err(|error| prompts::refused(&error))?;
            let parameters = &skill.frontmatter.parameters;
            match parameters.iter().find(|one| one.name == name) {
                _ if name == ARGUMENTS => parameters_after(typed, parameters),
                // All that is known of its values.
                Some(one) => one.default.iter().filter(|text| text.starts_with(typed)).cloned().collect(),
                None => return Err(nothing()),
            }
        }
        Reference::Resource(template) if template.uri == TEMPLATE && name == SKILL => {
            let skills = backend.host_skills().catalog_skills(false).await.map_err(|error| refusal(&error))?;
            let names = skills.iter().map(|entry| entry.skill.to_string());
            names.filter(|skill| skill.starts_with(typed)).collect()
        }
        _ => return Err(nothing()),
    };
    let total = u32::try_from(found.len()).ok();
    let has_more = found.len() > CompletionInfo::MAX_VALUES;
    let values = found.into_iter().take(CompletionInfo::MAX_VALUES).collect();
    let info = CompletionInfo::with_pagination(values, total, has_more);
    Ok(CompleteResult::new(info.map_err(|fault| refusal(&Error::internal(fault)))?))
}

fn nothing() -> ErrorData {
    let message = "there is nothing to complete: prompts have the arguments that prompts/list shows, and the resource template \
                   has `skill`";
    ErrorData::invalid_params(message, None)
}

/// The text, completed by each parameter whose name begins with its last word. Parameters that have a value already are
/// omitted.
fn parameters_after(typed: &str, parameters: &[Parameter]) -> Vec<String> {
    let at = typed.rfind(char::is_whitespace).map_or(0, |at| at + 1);
    let (before, begun) = typed.split_at_checked(at).unwrap_or((typed, ""));
    let is_given =
        |name: &str| before.split_whitespace().any(|word| word.split_once('=').is_some_and(|(given, _)| given == name));
    let names = parameters.iter().map(|one| one.name.as_str());
    let open = names.filter(|name| name.starts_with(begun) && !is_given(name));
    open.map(|name| format!("{before}{name}=")).collect()
}

#[cfg(test)]
mod tests {
    use super::{Parameter, parameters_after};

    #[test]
    fn parameters_are_offered_for_the_word_under_way_until_they_are_given() {
        let parameters =
            ["comprador", "comprado", "precio"].map(|name| Parameter { name: name.to_owned(), ..Parameter::default() });
        let after = |typed: &str| parameters_after(typed, &parameters);
        assert_eq!(after(""), ["comprador=", "comprado=", "precio="]);
        assert_eq!(after("pre"), ["precio="]);
        assert_eq!(after("comprador=Ana comp"), ["comprador=Ana comprado="]);
        assert_eq!(after("precio=1 comprado=x  "), ["precio=1 comprado=x  comprador="]);
        assert_eq!(after("otra cosa"), Vec::<String>::new());
    }
}
