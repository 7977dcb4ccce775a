//! The body of a skill with the arguments of a call filled in.
//!
//! The body is filled in one pass from left to right, and inserted text is never read again, so an argument
//! `$ARGUMENTS` or `{{name}}` stays those characters. `$1` is the first argument, as in a shell. If a skill declares
//! arguments and its body has `$0`, it was written for Claude Code: there `$0` is the first, and all its `$N` count
//! from there. `$ARGUMENTS[N]`, which only Claude Code has, counts in the same way. Shell substitutions, `` !`command`
//! `` and blocks opened by ```` ```! ````, are text here and never run.

mod call;
mod words;

use std::collections::BTreeSet;

pub use self::call::FilledParameter;
use self::call::{CallArguments, Placeholder, position, takes_arguments};
use super::{
    Document, Frontmatter,
    outline::{Outline, outline},
};
use skillmount_base::limits::RENDERED_BODY_BYTES;

/// The note after a body with shell substitutions.
const SHELL_NOTE: &str = "Note: the shell commands marked with ! above were not run; they are shown as text.";

/// A body ready for the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderedBody {
    /// The text. A parameter without a value stays as written.
    pub text: String,
    /// The declared parameters in their order.
    pub parameters: Vec<FilledParameter>,
    /// The required parameters without a value, to ask the user for.
    pub missing: Vec<String>,
    /// Whether it contains shell substitutions, which were left as text.
    pub has_shell: bool,
}

/// Fills `arguments` into the body of `document`.
///
/// Arguments are cut into words much as in a shell. `name=value` fills the parameter of that name, the other words fill
/// the remaining parameters in order, and the last of them takes the rest. If no placeholder shows some word, the
/// arguments are added at the end as `ARGUMENTS: …`. `mount` is the folder of the skill's files, which replaces
/// `${SKILL_DIR}` and `${CLAUDE_SKILL_DIR}`. A backslash before a placeholder keeps it as text, and of two one stays.
/// In a skill that declares no arguments, `$1` in code is the shell's. From the point where the text would exceed
/// [`RENDERED_BODY_BYTES`], it keeps its placeholders.
#[must_use]
pub fn render(document: &Document, arguments: Option<&str>, mount: &str) -> RenderedBody {
    let (body, front) = (document.body.as_str(), &document.frontmatter);
    let outline = outline(body);
    let first = usize::from(!counts_from_zero(body, front));
    let call = CallArguments::new(arguments.unwrap_or_default(), front, first);
    let (mut text, shown) = fill(body, &call, &outline, mount);
    if call.has_others_than(&shown) {
        append(&mut text, &format!("ARGUMENTS: {}", call.raw));
    }
    let has_shell = has_shell(body, &outline);
    if has_shell {
        append(&mut text, SHELL_NOTE);
    }
    let parameters = call.into_parameters();
    let missing = parameters.iter().filter(|one| one.required && one.value.is_none()).map(|one| one.name.clone());
    RenderedBody { text, missing: missing.collect(), parameters, has_shell }
}

/// The body with its placeholders filled, and the words of the call that the text shows.
fn fill(body: &str, call: &CallArguments<'_>, outline: &Outline, mount: &str) -> (String, BTreeSet<usize>) {
    let mut text = String::with_capacity(body.len() + call.raw.len());
    let mut shown = BTreeSet::new();
    let mut rest = body;
    while let Some(at) = rest.find(['$', '{']) {
        let (before, from) = rest.split_at(at);
        let is_shell = !call.is_declared && position(from).is_some() && outline.is_code(body.len() - from.len());
        let of_call = if is_shell { None } else { call.placeholder(from) };
        let Some(found) = of_call.or_else(|| of_mount(from, mount)) else {
            let (one, after) = from.split_at(1);
            text.extend([before, one]);
            rest = after;
            continue;
        };
        let (written, after) = from.split_at(found.length);
        let backslashes = trailing_backslashes(before);
        text.push_str(before.get(..before.len() - backslashes.div_ceil(2)).unwrap_or_default());
        let room = RENDERED_BODY_BYTES.saturating_sub(text.len() + from.len());
        match found.value.filter(|value| backslashes.is_multiple_of(2) && value.len() <= room) {
            Some(value) => {
                text.push_str(value);
                shown.extend(found.words);
            }
            None => text.push_str(written),
        }
        rest = after;
    }
    (text + rest, shown)
}

fn of_mount<'a>(text: &str, mount: &'a str) -> Option<Placeholder<'a>> {
    let name = ["${SKILL_DIR}", "${CLAUDE_SKILL_DIR}"].into_iter().find(|name| text.starts_with(name))?;
    Some(Placeholder { length: name.len(), value: Some(mount), words: &[] })
}

/// Whether a skill that declares arguments has `$0` among its placeholders.
fn counts_from_zero(body: &str, front: &Frontmatter) -> bool {
    // Elsewhere `$0` is an amount, or the shell's.
    takes_arguments(front)
        && body.match_indices("$0").any(|(at, _)| {
            let (before, from) = body.split_at(at);
            position(from).is_some_and(|(number, _)| number == 0) && trailing_backslashes(before).is_multiple_of(2)
        })
}

fn trailing_backslashes(text: &str) -> usize {
    text.len() - text.trim_end_matches('\\').len()
}

fn append(text: &mut String, line: &str) {
    text.truncate(text.trim_end().len());
    let gap = if text.is_empty() { "" } else { "\n\n" };
    text.extend([gap, line, "\n"]);
}

/// Whether Claude Code would run a command in `body` before showing it.
fn has_shell(body: &str, outline: &Outline) -> bool {
    let inline = |line: &str| {
        line.match_indices("!`").any(|(at, _)| {
            let (before, after) = line.split_at(at);
            before.chars().next_back().is_none_or(char::is_whitespace) && after.matches('`').nth(1).is_some()
        })
    };
    body.lines().any(inline) || outline.code.iter().any(|block| block.info.trim_start().starts_with('!'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Parameter;

    fn parameter(name: &str, required: bool, default: Option<&str>) -> Parameter {
        let description = format!("what {name} is");
        Parameter { name: name.into(), description, required, default: default.map(str::to_owned) }
    }

    fn render(body: &str, parameters: &[Parameter], arguments: Option<&str>, mount: &str) -> RenderedBody {
        let frontmatter = Frontmatter { parameters: parameters.to_vec(), ..Frontmatter::default() };
        super::render(&Document { frontmatter, body: body.to_owned(), body_line: 1 }, arguments, mount)
    }

    fn text(body: &str, arguments: &str) -> String {
        let declared = [parameter("file", true, None), parameter("file-type", false, Some("pdf"))];
        render(body, &declared, Some(arguments), "/skills/x").text
    }

    /// Renders a skill with one required parameter, `topic`.
    fn on_topic(body: &str, arguments: &str) -> String {
        render(body, &[parameter("topic", true, None)], Some(arguments), "/").text
    }

    /// Of a skill that declares nothing.
    fn undeclared(body: &str, arguments: &str) -> String {
        render(body, &[], Some(arguments), "/").text
    }

    // S-ARGS-1: A load fills `$ARGUMENTS`, `$1`, `$name` and `{{name}}` in the body of a skill with the arguments of
    // the call, in one pass.
    // S-ARGS-5: `$N` counts from one, or from zero if the skill declares arguments and its body has `$0`;
    // `$ARGUMENTS[N]` counts from zero.
    #[test]
    fn every_form_of_placeholder_is_filled() {
        for (body, arguments, expected) in [
            ("Do $ARGUMENTS now", "a  'b c'", "Do a  'b c' now"),
            ("$1-$2 $ARGUMENTS[0] $ARGUMENTS[1]", "a 'b c'", "a-b c a b c"),
            ("{{file}} {{ file-type }} $file $file-type.", "x.md", "x.md pdf x.md pdf."),
            ("{{file-type}} {{file}}", "file-type=doc 'a b'", "doc a b"),
            ("{{file-type}} {{file}}", "\"file=a b\" txt", "txt a b"),
            ("{{other}} {{unknown}}", "other=1", "1 {{unknown}}"),
            ("$3 $HOME $filer $ARGUMENTSX $ {{ } $ARGUMENTS", "a", "$3 $HOME $filer $ARGUMENTSX $ {{ } a"),
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
    fn words_are_counted_from_one_and_from_zero_where_there_is_a_zero() {
        for (body, expected) in [
            ("$1 then $2", "a then b"),
            ("$0 then $1, not $2", "a then b, not $2"),
            ("`$0` $1", "a b"),
            ("$ARGUMENTS[0] $1 $ARGUMENTS[1]", "a a b"),
            ("$0.50, $2 $1 and \\$0", "$0.50, b a and $0"),
            ("$1.50 $2,000 $1. $2, $1a", "$1.50 $2,000 a. b, $1a"),
            (
                "$00000000000000000000000 $99999999999999999999999 $1 $2",
                "$00000000000000000000000 $99999999999999999999999 a b",
            ),
        ] {
            let declared = [parameter("x", false, None), parameter("y", false, None)];
            assert_eq!(render(body, &declared, Some("a b"), "/").text.replace('`', ""), expected, "{body}");
        }
    }

    // S-ARGS-3: A backslash in front of a placeholder keeps it as text and disappears, and of two backslashes one
    // stays.
    #[test]
    fn an_author_can_write_a_placeholder_as_text() {
        for (body, expected) in [
            (r"\$1 $1", "$1 a"),
            (r"\{{file}} {{file}}", "{{file}} a"),
            (r"\$ARGUMENTS[0] \$ARGUMENTS \$file $file", "$ARGUMENTS[0] $ARGUMENTS $file a"),
            (r"C:\\{{file}}", r"C:\a"),
            (r"\\\$1 $1", r"\$1 a"),
            (r"\${SKILL_DIR} ${SKILL_DIR} $1", "${SKILL_DIR} /skills/x a"),
            (r"\$HOME \{{other}} \$1.50 \n $1", r"\$HOME \{{other}} \$1.50 \n a"),
        ] {
            assert_eq!(text(body, "a"), expected, "{body}");
        }
    }

    #[test]
    fn dollars_in_code_are_the_shells_where_a_skill_declares_no_arguments() {
        let body = "```sh\nawk '{print $1, $2}' \\$1\n```\nRun `cut $0`.\n";
        assert_eq!(undeclared(body, "alpha beta"), format!("{body}\nARGUMENTS: alpha beta\n"));
        assert_eq!(undeclared("Fix $1, as `$ARGUMENTS` says", "7"), "Fix 7, as `7` says");
        assert_eq!(undeclared("The plan costs $0 a month. Fix $1", "7"), "The plan costs $0 a month. Fix 7");
        let hint = Frontmatter { argument_hint: Some("[issue]".to_owned()), ..Frontmatter::default() };
        let hinted = Document { frontmatter: hint, body: "`view $1`".to_owned(), body_line: 1 };
        assert_eq!(super::render(&hinted, Some("7"), "/").text, "`view 7`");
    }

    #[test]
    fn the_last_parameter_takes_what_is_left() {
        let body = "Write about {{topic}}.";
        for (arguments, expected) in [
            ("sale of a flat in Madrid", "Write about sale of a flat in Madrid."),
            ("topic=sale of a flat", "Write about sale of a flat."),
            ("topic= sale of a flat", "Write about sale of a flat."),
            ("'sale of' a  \"flat\"", "Write about 'sale of' a  \"flat\"."),
            ("'sale of a flat'", "Write about sale of a flat."),
            ("it's a file", "Write about it's a file."),
            (r"C:\dir\file.txt", r"Write about C:\dir\file.txt."),
            ("x=1 y", "Write about x=1 y."),
        ] {
            assert_eq!(on_topic(body, arguments), expected, "{arguments}");
        }
        assert_eq!(text("{{file}}|{{file-type}}", "one two three"), "one|two three");
        assert_eq!(text("{{file}}|{{file-type}}", "one file-type=x two three"), "one two three|x");
        assert_eq!(text("{{file}}|{{file-type}}", "file=one two file-type=x y"), "one two|x y");
    }

    // S-ARGS-2: No word of the arguments is lost: if no placeholder shows some word, the load adds all words at the end
    // as `ARGUMENTS: …`.
    #[test]
    fn a_word_that_is_shown_nowhere_brings_all_of_them() {
        let added = |body: &str, arguments: &str| text(body, arguments).contains("\n\nARGUMENTS: ");
        for (body, arguments, is_added) in [
            ("$1", "a", false),
            ("$1", "a b", true),
            ("{{file}}", "a", false),
            ("{{file}}", "a file-type=b", true),
            ("{{file}} {{file-type}}", "a file-type=b", false),
            ("{{file}} {{file-type}}", "file=x file=a", true),
            ("$ARGUMENTS", "a b c", false),
            ("$ARGUMENTS[1] $1", "a b", false),
            ("$ARGUMENTS[1]", "a b", true),
            ("{{file}} {{file-type}}", "a ''", false),
            ("{{file-type}}", "file-type=a file=", false),
            ("\\{{file}}", "a", true),
            ("{{x}} {{file}}", "x=1", false),
            ("x", "file=", false),
            ("x", "file==", true),
            ("x", "y=", true),
        ] {
            assert_eq!(added(body, arguments), is_added, "{body} with {arguments}");
        }
        assert_eq!(on_topic("{{topic}}", "a=1 topic=2"), "2\n\nARGUMENTS: a=1 topic=2\n");
        assert_eq!(on_topic("{{topic}}", "topic=1 a=2 b"), "1\n\nARGUMENTS: topic=1 a=2 b\n");
    }

    #[test]
    fn arguments_without_a_placeholder_are_added_at_the_end() {
        assert_eq!(text("Body\n", "some 'words'"), "Body\n\nARGUMENTS: some 'words'\n");
        assert_eq!(text("In ${SKILL_DIR}", "x"), "In /skills/x\n\nARGUMENTS: x\n");
        assert_eq!(text("Body\n", "  "), "Body\n");
        assert_eq!(render("Body\n", &[], None, "/").text, "Body\n");
    }

    // S-ARGS-6: If a call names a parameter, `$1`, `$2` … are the parameters in the order of their declaration. If a
    // call names a parameter, `$1`, `$2` … are the parameters in the order of their declaration.
    // S-ARGS-5: `$N` counts from one, or from zero if the skill declares arguments and its body has `$0`;
    // `$ARGUMENTS[N]` counts from zero.
    #[test]
    fn a_declared_name_is_a_position() {
        let declared = [parameter("issue", false, None), parameter("branch", false, None)];
        let body = "1=[$1] 2=[$2] 3=[$3] all=[$ARGUMENTS] named=[$issue/$branch]";
        for (arguments, expected) in [
            ("issue=123 branch=main", "1=[123] 2=[main] 3=[$3] all=[123 main] named=[123/main]"),
            ("branch=main issue=123", "1=[123] 2=[main] 3=[$3] all=[123 main] named=[123/main]"),
            ("branch=main 123", "1=[123] 2=[main] 3=[$3] all=[123 main] named=[123/main]"),
            (
                "more branch='main line' issue=123",
                "1=[123] 2=[main line] 3=[more] all=[123 main line more] named=[123/main line]",
            ),
            ("branch=main", "1=[] 2=[main] 3=[$3] all=[main] named=[/main]"),
            ("issue= branch=main", "1=[] 2=[main] 3=[$3] all=[main] named=[/main]"),
            ("123 main", "1=[123] 2=[main] 3=[$3] all=[123 main] named=[123/main]"),
            ("123", "1=[123] 2=[] 3=[$3] all=[123] named=[123/]"),
            ("", "1=[] 2=[] 3=[$3] all=[] named=[/]"),
        ] {
            assert_eq!(render(body, &declared, Some(arguments), "/").text, expected, "{arguments}");
        }
        let from_zero = render("0=[$0] 1=[$1] [$ARGUMENTS[1]]", &declared, Some("branch=main issue=123"), "/");
        assert_eq!(from_zero.text, "0=[123] 1=[main] [main]");
        let required = [parameter("issue", true, None), parameter("branch", false, None)];
        let missing = render("1=[$1] 2=[$2]", &required, Some("branch=main"), "/");
        assert_eq!((missing.text.as_str(), missing.missing), ("1=[$1] 2=[main]", vec!["issue".to_owned()]));
    }

    // S-ARGS-4: A required parameter without a value, or with empty text, is missing.
    #[test]
    fn missing_required_parameters_are_named_and_optional_ones_are_empty() {
        let declared = [parameter("a", true, None), parameter("b", true, Some("1")), parameter("c", false, None)];
        let none = render("{{a}} {{b}} {{c}}", &declared, None, "/");
        assert_eq!((none.text.as_str(), none.missing), ("{{a}} 1 ", vec!["a".to_owned()]));
        let given = render("{{a}}", &declared, Some("c=3 1"), "/");
        let values: Vec<_> = given.parameters.iter().map(|one| one.value.as_deref()).collect();
        assert_eq!((values, given.missing), (vec![Some("1"), Some("1"), Some("3")], vec![]));
        for empty in ["a=", "''", "c=1 a=''"] {
            let empty = render("{{a}}", &declared, Some(empty), "/");
            assert_eq!((empty.text.lines().next(), empty.missing), (Some("{{a}}"), vec!["a".to_owned()]));
        }
        assert_eq!(render("{{c}}.", &declared, Some("a=1 c="), "/").text.lines().next(), Some("."));
        assert_eq!(none.parameters[0].description, "what a is");
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
    fn a_body_does_not_grow_without_bound() {
        let body = "$ARGUMENTS".repeat(2000);
        let room = RENDERED_BODY_BYTES / 1000;
        let grown = text(&body, &"x".repeat(room));
        assert!(grown.len() <= RENDERED_BODY_BYTES && grown.ends_with("$ARGUMENTS"));
        assert!(!text(&body, "x").contains('$'));
    }

    #[test]
    fn what_has_no_name_names_nothing() {
        assert_eq!(text("{{}}", "="), "{{}}\n\nARGUMENTS: =\n");
        assert_eq!(text("{{}} $1", "=a"), "{{}} =a");
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn nothing_panics(body in r"[${}a01!`\[\]\\ \nARGUMENTSé]{0,60}", arguments in r#"[a=1 "'\$é\\]{0,30}"#) {
            let rendered = render(&body, &[parameter("a", true, None)], Some(&arguments), "/m");
            prop_assert_eq!(rendered.missing.is_empty(), rendered.parameters[0].value.is_some());
            // A word that is nowhere in the text was lost. Quotes and backslashes may stay or go with the words they
            // group.
            let bare = |text: &str| text.replace(['"', '\'', '\\'], "");
            let seen = bare(&rendered.text);
            let is_seen = |word: words::Word| seen.contains(&bare(word.text.strip_prefix("a=").unwrap_or(&word.text)));
            let is_added = rendered.text.contains(&format!("ARGUMENTS: {}\n", arguments.trim()));
            prop_assert!(is_added || words::words(arguments.trim()).into_iter().all(is_seen), "{}", rendered.text);
        }
    }
}
