//! The body of a skill with the arguments of a call filled in.
//!
//! One pass from left to right: what is put in is never looked at again, so an argument that reads `$ARGUMENTS` or
//! `{{name}}` stays those characters. `$1` is the first argument, as in a shell and as an author counts; where
//! `$ARGUMENTS[N]` is used instead, N counts from zero, as in the arrays of Claude Code, which that form comes from. Shell
//! substitutions, `` !`command` `` and blocks opened by ```` ```! ````, are text here and never run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Parameter, outline::outline};
use crate::limits::{PARAMETER_REACH, RENDERED_BODY_BYTES};

/// What stands behind the body where it holds shell substitutions.
const SHELL_NOTE: &str = "Note: the shell commands marked with ! above were not run; they are shown as text.";

/// A parameter of a skill and what this call gives it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "http", derive(utoipa::ToSchema))]
pub struct FilledParameter {
    /// Its name.
    pub name: String,
    /// Whether the skill cannot be followed without it.
    pub required: bool,
    /// What was given, or its default.
    pub value: Option<String>,
}

/// A body ready for the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// The text. A parameter without a value stays as it was written.
    pub text: String,
    /// The declared parameters in their order.
    pub parameters: Vec<FilledParameter>,
    /// Names of required parameters that have no value: what to ask the user for.
    pub missing: Vec<String>,
    /// Whether it holds shell substitutions, which were left as text.
    pub has_shell: bool,
}

/// Fills `arguments` into `body`.
///
/// Arguments are cut into words as a shell does, quotes and backslashes included. `name=value` fills the parameter of
/// that name, the other words fill the remaining parameters in order. Where no placeholder shows any of them, the
/// arguments are added at the end as `ARGUMENTS: …`. `mount` is where the skill's files are, which `${SKILL_DIR}` and
/// `${CLAUDE_SKILL_DIR}` stand for. Text that would grow past [`RENDERED_BODY_BYTES`] keeps its placeholders from there on.
#[must_use]
pub fn render(body: &str, parameters: &[Parameter], arguments: Option<&str>, mount: &str) -> Rendered {
    let call = Call::new(arguments.unwrap_or_default().trim(), parameters);
    let (mut text, shown) = fill(body, &call, mount);
    if !shown && !call.raw.is_empty() {
        append(&mut text, &format!("ARGUMENTS: {}", call.raw));
    }
    let has_shell = has_shell(body);
    if has_shell {
        append(&mut text, SHELL_NOTE);
    }
    let missing = call.parameters.iter().filter(|one| one.required && one.value.is_none()).map(|one| one.name.clone());
    Rendered { text, missing: missing.collect(), parameters: call.parameters, has_shell }
}

/// The body with its placeholders filled, and whether any of them showed something of the call.
fn fill(body: &str, call: &Call<'_>, mount: &str) -> (String, bool) {
    let mut text = String::with_capacity(body.len() + call.raw.len());
    let mut shown = false;
    let mut rest = body;
    while let Some(at) = rest.find(['$', '{']) {
        let (before, from) = rest.split_at(at);
        text.push_str(before);
        let room = RENDERED_BODY_BYTES.saturating_sub(text.len() + from.len());
        let of_call = call.placeholder(from);
        let found = of_call.or_else(|| mount_placeholder(from).map(|length| (length, mount)));
        let (length, value) = match found.filter(|(_, value)| value.len() <= room) {
            Some(found) => {
                shown |= of_call.is_some();
                found
            }
            None => (1, from.get(..1).unwrap_or_default()),
        };
        text.push_str(value);
        rest = from.get(length..).unwrap_or_default();
    }
    (text + rest, shown)
}

fn mount_placeholder(text: &str) -> Option<usize> {
    ["${SKILL_DIR}", "${CLAUDE_SKILL_DIR}"].into_iter().find(|name| text.starts_with(name)).map(str::len)
}

fn append(text: &mut String, line: &str) {
    text.truncate(text.trim_end().len());
    let gap = if text.is_empty() { "" } else { "\n\n" };
    text.extend([gap, line, "\n"]);
}

/// The arguments of one call, shared out to the parameters.
struct Call<'a> {
    raw: &'a str,
    /// The words that name no parameter, in order.
    words: Vec<String>,
    /// Every `name=value`, declared or not.
    named: BTreeMap<String, String>,
    parameters: Vec<FilledParameter>,
}

impl<'a> Call<'a> {
    fn new(raw: &'a str, declared: &[Parameter]) -> Self {
        let all = words(raw);
        let pair = |word: &String| word.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
        let named: BTreeMap<_, _> = all.iter().filter_map(pair).collect();
        let is_declared =
            |word: &String| pair(word).is_some_and(|(name, _)| declared.iter().any(|one| one.name == name));
        let words: Vec<_> = all.into_iter().filter(|word| !is_declared(word)).collect();
        let mut unnamed = words.iter().cloned();
        let fill = |one: &Parameter| FilledParameter {
            name: one.name.clone(),
            required: one.required,
            value: named.get(&one.name).cloned().or_else(|| unnamed.next()).or_else(|| one.default.clone()),
        };
        let parameters = declared.iter().map(fill).collect();
        Self { raw, words, named, parameters }
    }

    /// The length of the placeholder at the head of `text` and its value; `None` where it is none or has none.
    fn placeholder(&self, text: &str) -> Option<(usize, &str)> {
        if let Some(inside) = text.strip_prefix("{{") {
            // As far as a name can reach: looking for the end of each `{{` in a whole body would be quadratic.
            let reach = inside.get(..inside.floor_char_boundary(PARAMETER_REACH))?;
            let (name, _) = reach.split_once("}}")?;
            return Some((name.len() + 4, self.value(name.trim())?));
        }
        let after = text.strip_prefix('$')?;
        if let Some(rest) = after.strip_prefix("ARGUMENTS") {
            return self.arguments(rest);
        }
        let digits = after.len() - after.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if digits > 0 {
            let nth = after.get(..digits)?.parse::<usize>().ok()?.checked_sub(1)?;
            return Some((1 + digits, self.words.get(nth)?));
        }
        let fits = |one: &&FilledParameter| after.strip_prefix(one.name.as_str()).is_some_and(ends_word);
        let named = self.parameters.iter().filter(fits).max_by_key(|one| one.name.len())?;
        Some((1 + named.name.len(), named.value.as_deref()?))
    }

    /// `$ARGUMENTS` or `$ARGUMENTS[N]`, by what follows the word.
    fn arguments(&self, rest: &str) -> Option<(usize, &str)> {
        let length = "$ARGUMENTS".len();
        let index =
            rest.strip_prefix('[').and_then(|inside| inside.get(..inside.floor_char_boundary(8))?.split_once(']'));
        if let Some((digits, _)) = index
            && let Ok(at) = digits.parse::<usize>()
        {
            return Some((length + digits.len() + 2, self.words.get(at)?));
        }
        ends_word(rest).then_some((length, self.raw))
    }

    fn value(&self, name: &str) -> Option<&str> {
        match self.parameters.iter().find(|one| one.name == name) {
            Some(declared) => declared.value.as_deref(),
            None => self.named.get(name).map(String::as_str),
        }
    }
}

fn ends_word(rest: &str) -> bool {
    !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')
}

/// Words as a shell cuts them: quotes group, a backslash takes the next character as it is outside single quotes, and a
/// quote that is never closed reaches to the end.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            (c, Some(open)) if c == open => quote = None,
            ('"' | '\'', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            ('\\', None | Some('"')) => word.get_or_insert_default().extend(chars.next()),
            (c, None) if c.is_whitespace() => words.extend(word.take()),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// Whether Claude Code would run something in `body` before showing it.
fn has_shell(body: &str) -> bool {
    let inline = |line: &str| {
        line.match_indices("!`").any(|(at, _)| {
            let (before, after) = line.split_at(at);
            before.chars().next_back().is_none_or(char::is_whitespace) && after.matches('`').nth(1).is_some()
        })
    };
    body.lines().any(inline) || outline(body).code.iter().any(|block| block.info.trim_start().starts_with('!'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parameter(name: &str, required: bool, default: Option<&str>) -> Parameter {
        Parameter { name: name.into(), description: String::new(), required, default: default.map(str::to_owned) }
    }

    fn text(body: &str, arguments: &str) -> String {
        let declared = [parameter("file", true, None), parameter("file-type", false, Some("pdf"))];
        render(body, &declared, Some(arguments), "/skills/x").text
    }

    #[test]
    fn every_form_of_placeholder_is_filled() {
        for (body, arguments, expected) in [
            ("Do $ARGUMENTS now", "a  'b c'", "Do a  'b c' now"),
            ("$1-$2 $ARGUMENTS[0] $ARGUMENTS[1]", "a 'b c'", "a-b c a b c"),
            ("{{file}} {{ file-type }} $file $file-type.", "x.md", "x.md pdf x.md pdf."),
            ("{{file-type}} {{file}}", "file-type=doc 'a b'", "doc a b"),
            ("{{file-type}} {{file}}", "\"file=a b\" txt", "txt a b"),
            ("{{other}} {{unknown}}", "other=1", "1 {{unknown}}"),
            ("$3 $0 $HOME $filer $ARGUMENTSX $ {{ } $ARGUMENTS", "a", "$3 $0 $HOME $filer $ARGUMENTSX $ {{ } a"),
            ("run ${SKILL_DIR}/a ${CLAUDE_SKILL_DIR}/b", "", "run /skills/x/a /skills/x/b"),
            ("Do $ARGUMENTS.", "", "Do ."),
        ] {
            assert_eq!(text(body, arguments), expected, "{body} with {arguments}");
        }
    }

    #[test]
    fn what_is_put_in_is_never_looked_at_again() {
        assert_eq!(text("$1|$2|$file", "'$2' '{{file}} ${SKILL_DIR}'"), "$2|{{file}} ${SKILL_DIR}|$2");
        assert_eq!(text("{{file}}", "'{{file}}$ARGUMENTS'"), "{{file}}$ARGUMENTS");
        assert_eq!(text("{{{file}}}", "a"), "{{{file}}}".replace("{{file}}", "a"));
    }

    #[test]
    fn arguments_without_a_placeholder_are_added_at_the_end() {
        assert_eq!(text("Body\n", "some 'words'"), "Body\n\nARGUMENTS: some 'words'\n");
        assert_eq!(text("In ${SKILL_DIR}", "x"), "In /skills/x\n\nARGUMENTS: x\n");
        assert_eq!(text("Body\n", "  "), "Body\n");
        assert_eq!(render("Body\n", &[], None, "/").text, "Body\n");
    }

    #[test]
    fn missing_required_parameters_are_named() {
        let declared = [parameter("a", true, None), parameter("b", true, Some("1")), parameter("c", false, None)];
        let none = render("{{a}} {{b}} {{c}}", &declared, None, "/");
        assert_eq!((none.text.as_str(), none.missing), ("{{a}} 1 {{c}}", vec!["a".to_owned()]));
        let given = render("{{a}}", &declared, Some("c=3 1"), "/");
        let values: Vec<_> = given.parameters.iter().map(|one| one.value.as_deref()).collect();
        assert_eq!((values, given.missing), (vec![Some("1"), Some("1"), Some("3")], vec![]));
    }

    #[test]
    fn shell_substitutions_are_shown_and_never_run() {
        for body in ["Now: !`date`", "x\n```!\nrm -rf /\n```\n"] {
            let rendered = render(body, &[], None, "/");
            assert!(rendered.has_shell && rendered.text.starts_with(body.trim_end()), "{body}");
            assert!(rendered.text.ends_with(&format!("{SHELL_NOTE}\n")));
        }
        for body in ["Wow!`code`", "```sh\nls\n```", "not !`closed"] {
            assert!(!render(body, &[], None, "/").has_shell, "{body}");
        }
    }

    #[test]
    fn words_are_cut_as_in_a_shell() {
        assert_eq!(words(r#"a "b \" c" 'd\ e'f g\ h '' "open x"#), ["a", "b \" c", r"d\ ef", "g h", "", "open x"]);
        assert_eq!(words(" \t"), Vec::<String>::new());
    }

    #[test]
    fn a_body_does_not_grow_without_bound() {
        let body = "$ARGUMENTS".repeat(2000);
        let room = RENDERED_BODY_BYTES / 1000;
        let grown = text(&body, &"x".repeat(room));
        assert!(grown.len() <= RENDERED_BODY_BYTES && grown.ends_with("$ARGUMENTS"));
        assert!(!text(&body, "x").contains('$'));
    }

    proptest! {
        #[test]
        fn nothing_panics(body in r"[${}a1!`\[\] \nARGUMENTSé]{0,60}", arguments in r#"[a=1 "'\$é\\]{0,30}"#) {
            let rendered = render(&body, &[parameter("a", true, None)], Some(&arguments), "/m");
            prop_assert_eq!(rendered.missing.is_empty(), rendered.parameters[0].value.is_some());
        }
    }
}
