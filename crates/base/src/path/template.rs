//! Mount templates: the keys behind `/workspace` and `/ticket`.

use std::collections::{BTreeMap, BTreeSet};

use super::{Id, KeyPrefix, UserSpace, id::quoted, segment};
use crate::error::{Code, Error, Result};

/// Names that a session variable cannot have, because the layout or the service uses them.
const RESERVED: [&str; 4] = ["user", "session", "skills", "skillmount"];

/// The variable that is the session's id.
const SESSION: &str = "session";

/// The keys behind one mount: `{user}/threads/{session}`.
///
/// After `{user}/` comes a literal other than `skills` and `.skillmount`, then literals and variables. The variable
/// `session` is the session's id. Any other is a session variable, with the session's id as its default. Setting it
/// needs a key of scope `control`, unless it is written `{name:agent}`.
///
/// ```
/// use std::collections::BTreeMap;
///
/// use skillmount_base::path::{Id, MountTemplate, Namespace};
///
/// let template = MountTemplate::parse("{user}/tickets/{ticket_id}")?;
/// let anna = Namespace::default().user(&Id::parse("anna")?)?;
/// let variables = BTreeMap::from([("ticket_id".to_owned(), Id::parse("T-12")?)]);
/// assert_eq!(template.prefix(&anna, &Id::parse("chat-7")?, &variables)?.as_str(), "anna/tickets/T-12/");
/// # Ok::<(), skillmount_base::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MountTemplate {
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Literal(String),
    Variable { name: String, is_agents: bool },
}

impl MountTemplate {
    /// Checks `text`.
    ///
    /// # Errors
    /// `invalid_request`, with the broken rule.
    pub fn parse(text: &str) -> Result<Self> {
        let refuse =
            |why: &str| Error::new(Code::InvalidRequest, format!("{} is not a mount template: {why}", quoted(text)));
        let rest = text.strip_prefix("{user}/").ok_or_else(|| refuse("it must begin with {user}/"))?;
        let parts = rest.trim_end_matches('/').split('/').map(part).collect::<Option<Vec<_>>>();
        let parts = parts
            .ok_or_else(|| refuse("after {user}/ use plain names and variables like {session}, whole segments"))?;
        match parts.first() {
            Some(Part::Literal(name)) if name != "skills" && !name.starts_with('.') => Ok(Self { parts }),
            _ => Err(refuse("the segment after {user}/ must be a plain name other than skills")),
        }
    }

    /// The prefix for one session.
    ///
    /// # Errors
    /// `invalid_path` if it would be too long for a key.
    pub fn prefix(&self, space: &UserSpace, session: &Id, vars: &BTreeMap<String, Id>) -> Result<KeyPrefix> {
        let value = |part: &Part| match part {
            Part::Literal(name) => name.clone(),
            Part::Variable { name, .. } => vars.get(name).unwrap_or(session).to_string(),
        };
        space.root().folder(&self.parts.iter().map(value).collect::<Vec<_>>().join("/"))
    }

    /// Whether the keys of some session could be `relative`, or lie below it. `relative` begins after `{user}/`.
    pub(super) fn covers(&self, relative: &str) -> bool {
        let mut segments = relative.split('/');
        self.parts.iter().all(|part| match (part, segments.next()) {
            (Part::Literal(name), Some(segment)) => name == segment,
            (Part::Variable { .. }, Some(_)) => true,
            (_, None) => false,
        })
    }

    /// The session variables it uses, without `session`.
    fn variables(&self) -> impl Iterator<Item = &str> {
        self.uses().map(|(name, _)| name)
    }

    /// Whether it has a variable, `session` included. If it has, sessions have prefixes of their own unless they set a
    /// variable to the same value.
    #[must_use]
    pub fn has_variable(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Variable { .. }))
    }

    /// The session variables it uses, and whether agents may set them.
    fn uses(&self) -> impl Iterator<Item = (&str, bool)> {
        self.parts.iter().filter_map(|part| match part {
            Part::Variable { name, is_agents } if name != SESSION => Some((name.as_str(), *is_agents)),
            _ => None,
        })
    }

    /// Whether some session could see the same keys through both.
    fn meets(&self, other: &Self) -> bool {
        self.parts.iter().zip(&other.parts).all(|pair| match pair {
            (Part::Literal(one), Part::Literal(two)) => one == two,
            _ => true,
        })
    }
}

fn part(text: &str) -> Option<Part> {
    if let Some(name) = text.strip_prefix('{') {
        let inside = name.strip_suffix('}')?;
        let name = inside.strip_suffix(":agent").unwrap_or(inside);
        let is_agents = name != inside;
        let is_known = check_variable_name(name).is_ok() || inside == SESSION;
        return is_known.then(|| Part::Variable { name: name.to_owned(), is_agents });
    }
    let plain = segment::fault(text).is_none() && !text.contains(['{', '}']);
    plain.then(|| Part::Literal(text.to_owned()))
}

/// Checks the name of a session variable: `[a-z][a-z0-9_]{0,31}`, and none of the names that the layout uses.
///
/// # Errors
/// `invalid_request`, with the reason.
pub fn check_variable_name(name: &str) -> Result<()> {
    let shape = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.len() <= 32
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    if shape && !RESERVED.contains(&name) {
        return Ok(());
    }
    Err(Error::new(
        Code::InvalidRequest,
        format!(
            "{} is not a variable name: use up to 32 of a-z 0-9 _ and none of {}",
            quoted(name),
            RESERVED.join(", ")
        ),
    ))
}

/// The templates of a service: the places of `/workspace` and `/ticket`.
///
/// ```
/// use skillmount_base::path::{MountTemplate, MountTemplates};
///
/// let template = |text| MountTemplate::parse(text);
/// let templates = MountTemplates::new(template("{user}/work/{session}")?, template("{user}/tickets/{ticket_id:agent}")?)?;
/// assert!(templates.agents_may_set("ticket_id"));
/// assert!(MountTemplates::new(template("{user}/work")?, template("{user}/work/{session}")?).is_err(), "they meet");
/// # Ok::<(), skillmount_base::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MountTemplates {
    workspace: MountTemplate,
    ticket: MountTemplate,
}

impl MountTemplates {
    /// Joins the two templates, which must never meet: neither is a prefix of the other, for any values of the
    /// variables.
    ///
    /// # Errors
    /// `invalid_request` if they could.
    pub fn new(workspace: MountTemplate, ticket: MountTemplate) -> Result<Self> {
        if workspace.meets(&ticket) {
            return Err(Error::new(
                Code::InvalidRequest,
                "the templates of /workspace and /ticket can name the same keys: give them different folders after {user}/",
            ));
        }
        Ok(Self { workspace, ticket })
    }

    /// The template of `/workspace`.
    #[must_use]
    pub fn workspace(&self) -> &MountTemplate {
        &self.workspace
    }

    /// The template of `/ticket`.
    #[must_use]
    pub fn ticket(&self) -> &MountTemplate {
        &self.ticket
    }

    /// Every session variable that has a use.
    #[must_use]
    pub fn variables(&self) -> BTreeSet<&str> {
        self.workspace.variables().chain(self.ticket.variables()).collect()
    }

    /// Whether agents may set a variable: every template with the variable must allow that.
    #[must_use]
    pub fn agents_may_set(&self, variable: &str) -> bool {
        let mut uses = self.workspace.uses().chain(self.ticket.uses()).filter(|(name, _)| *name == variable).peekable();
        uses.peek().is_some() && uses.all(|(_, is_agents)| is_agents)
    }
}

impl Default for MountTemplates {
    /// `{user}/threads/{session}` and `{user}/tickets/{ticket_id}`.
    fn default() -> Self {
        let template = |folder: &str, variable: &str| MountTemplate {
            parts: vec![
                Part::Literal(folder.to_owned()),
                Part::Variable { name: variable.to_owned(), is_agents: false },
            ],
        };
        Self { workspace: template("threads", "session"), ticket: template("tickets", "ticket_id") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // S-MOUNT-3: The service refuses a mount template that could reach `skills`, the service's own objects or another
    // template's keys.
    #[test]
    fn templates_that_reach_skills_or_our_own_objects_are_refused() {
        for bad in [
            "skills/{session}",
            "{user}/skills/x",
            "{user}/.skillmount",
            "{user}/{session}",
            "{user}/",
            "{user}/a//b",
            "{user}/a/{skills}",
            "{user}/a/x{session}",
            "{user}/../x",
            "{user}/a/{session:agent}",
            "{user}/a/{x:agents}",
            "{user}/a/{:agent}",
        ] {
            assert!(MountTemplate::parse(bad).is_err(), "{bad}");
        }
        for good in ["{user}/threads/{session}", "{user}/workspace/", "{user}/t/{team_1}/x"] {
            assert!(MountTemplate::parse(good).is_ok(), "{good}");
        }
    }

    #[test]
    fn templates_that_could_meet_are_refused() {
        let join =
            |one, two| MountTemplates::new(MountTemplate::parse(one).unwrap(), MountTemplate::parse(two).unwrap());
        assert!(join("{user}/a/{session}", "{user}/a/b/c").is_err());
        assert!(join("{user}/a", "{user}/a/b").is_err());
        assert!(join("{user}/a/x", "{user}/a/y").is_ok());
        let default = MountTemplates::default();
        assert!(join("{user}/threads/{session}", "{user}/tickets/{ticket_id}").unwrap() == default);
    }

    #[test]
    fn agents_set_a_variable_where_every_template_says_so() {
        let may = |workspace: &str, ticket: &str| {
            let parse = |text: &str| MountTemplate::parse(text).unwrap();
            MountTemplates::new(parse(workspace), parse(ticket)).unwrap().agents_may_set("t")
        };
        assert!(may("{user}/a/{session}", "{user}/b/{t:agent}"));
        assert!(may("{user}/a/{t:agent}", "{user}/b/{t:agent}"));
        assert!(!may("{user}/a/{t}", "{user}/b/{t:agent}"));
        assert!(!may("{user}/a/{session}", "{user}/b/{t}"));
        assert!(!may("{user}/a", "{user}/b"), "a variable without a use is not anybody's to set");
    }

    #[test]
    fn reserved_and_odd_variable_names_are_refused() {
        for bad in ["skills", "user", "session", "skillmount", "", "A", "1a", "a-b"] {
            assert!(check_variable_name(bad).is_err(), "{bad}");
        }
        assert!(check_variable_name("ticket_id").is_ok());
    }
}
