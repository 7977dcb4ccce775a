//! Secrets that were left in a skill. Every person who can load the skill has them, and so has every model that reads
//! it.
//!
//! A file is judged by its name, text by the forms that keys and tokens of common services have. A form counts only if
//! its value looks drawn at random. Documentation is full of `AKIAIOSFODNN7EXAMPLE`, and an author who sees warnings
//! about examples stops reading them.

use std::{collections::BTreeSet, sync::LazyLock};

use regex_automata::{meta::Regex, util::syntax};

use crate::{Diagnostic, FindingCode};
use skillmount_base::limits::SKILL_FINDINGS;

/// Each kind of secret with its form.
const FORMS: [(&str, &str); 11] = [
    (
        "a private key",
        r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----(?:\\[rn]|\s)+(?:[A-Za-z-]+: [^\n]*\s+)*[A-Za-z0-9+/=]{40}",
    ),
    ("an access key id of AWS", r"\b(?:AKIA|ASIA)[A-Z2-7]{16}\b"),
    (
        "a secret access key of AWS",
        r#"(?i:aws_secret_access_key|secretaccesskey)["']?\s*[=:]\s*["']?[A-Za-z0-9/+]{40}"#,
    ),
    ("a key of Google", r"\bAIza[0-9A-Za-z_-]{35}\b"),
    ("a key of this service", r"\bsmk_[0-9a-f]{64}\b"),
    ("a token of GitHub", r"\bgh[pousr]_[A-Za-z0-9]{36,255}\b"),
    ("a token of GitHub", r"\bgithub_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}\b"),
    ("a key of Anthropic", r"\bsk-ant-[a-z]+[0-9]{2}-[A-Za-z0-9_-]{80,}"),
    ("a key of OpenAI", r"\bsk-[A-Za-z0-9_-]{16,}T3BlbkFJ[A-Za-z0-9_-]{16,}"),
    ("a token of Slack", r"\bxox[abeoprs]-(?:[0-9]+-)+[A-Za-z0-9-]{16,}"),
    ("a webhook of Slack", r"\bhooks\.slack\.com/(?:services|workflows)/T[A-Z0-9]{8,}/[A-Z0-9]{8,}/[A-Za-z0-9]{20,}"),
];

/// Parts of made-up secrets in examples, in lower case.
const MADE_UP: [&str; 14] = [
    "...",
    "0000",
    "1234567",
    "abcdefg",
    "changeme",
    "dummy",
    "example",
    "fake",
    "insert",
    "placeholder",
    "redacted",
    "replace",
    "xxxx",
    "your",
];

/// The characters at the end of a match that are looked at, and how many different ones are at least among them.
const DRAWN: usize = 16;
const DIFFERENT: usize = 7;

/// Endings of `.env` files that hold names without values.
const ENV_EXAMPLES: [&str; 6] = ["defaults", "dist", "example", "sample", "schema", "template"];

/// Files that hold a private key, as `ssh-keygen` names them.
const KEY_FILES: [&str; 4] = ["id_dsa", "id_ecdsa", "id_ed25519", "id_rsa"];

/// The forms as one expression, in their order. A test holds that it can be built.
static EXPRESSION: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let forms: Vec<_> = FORMS.iter().map(|(_, form)| form).collect();
    Regex::builder().syntax(syntax::Config::new().unicode(false).utf8(false)).build_many(&forms).ok()
});

/// Judges a file of a skill by its name: `.env` and private keys do not belong into a skill.
pub(super) fn secret_file(path: &str) -> Option<Diagnostic> {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let is_environment = name == ".env" || name.strip_prefix(".env.").is_some_and(|end| !ENV_EXAMPLES.contains(&end));
    let message = if is_environment {
        format!(
            "{path} is a file for secrets, and agents would read it: name it in .skillignore, or call it .env.example if it \
             holds no values"
        )
    } else if KEY_FILES.contains(&name.as_str()) {
        format!(
            "{path} is named as private keys are, and agents would read it: name it in .skillignore, or move it away"
        )
    } else {
        return None;
    };
    Some(Diagnostic::new(FindingCode::SecretFile, message))
}

/// Finds what has the form of a secret in a text, each with its line and column, up to one more than are shown. The
/// messages do not repeat the secrets.
pub(super) fn secrets(text: &[u8]) -> Vec<Diagnostic> {
    let Some(expression) = EXPRESSION.as_ref() else { return Vec::new() };
    let matches = expression.find_iter(text).filter(|found| is_drawn(text.get(found.range()).unwrap_or_default()));
    let finding = |at: usize, what: &str| {
        let message = format!(
            "here is {what}, and agents would read it: take it out, and revoke it if it was pushed or shared before"
        );
        let before = String::from_utf8_lossy(text.get(..at).unwrap_or_default());
        Diagnostic::new(FindingCode::Secret, message).after(&before)
    };
    let named = matches.filter_map(|found| Some((found.start(), FORMS.get(found.pattern().as_usize())?.0)));
    named.take(SKILL_FINDINGS + 1).map(|(at, what)| finding(at, what)).collect()
}

/// Whether a match looks drawn at random, and not made up for an example.
fn is_drawn(found: &[u8]) -> bool {
    let folded = String::from_utf8_lossy(found).to_lowercase();
    let last: BTreeSet<_> = found.iter().rev().take(DRAWN).collect();
    last.len() >= DIFFERENT && !MADE_UP.iter().any(|word| folded.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `length` characters of `alphabet` that look drawn at random, and are the same in each run. No secret stands in the
    /// source, because others look for them there.
    fn drawn(alphabet: &str, length: usize) -> String {
        let alphabet = alphabet.as_bytes();
        let mut state = 0x2545_F491_4F6C_DD1D_u64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            char::from(alphabet[usize::try_from(state % alphabet.len() as u64).unwrap()])
        };
        (0..length).map(|_| next()).collect()
    }

    fn letters(length: usize) -> String {
        drawn("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", length)
    }

    fn found(text: &str) -> Vec<(String, Option<u32>, Option<u32>)> {
        let words = |message: &str| message.split(", and").next().unwrap().replace("here is ", "");
        secrets(text.as_bytes()).into_iter().map(|one| (words(&one.message), one.line, one.column)).collect()
    }

    #[test]
    fn each_form_is_found_with_its_place_and_not_repeated() {
        let aws = drawn("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16);
        let key = |kind: &str, end: &str| format!("-----BEGIN {kind}PRIVATE KEY{end}-----\n");
        for (secret, what) in [
            (format!("AKIA{aws}"), "an access key id of AWS"),
            (format!("ASIA{aws}"), "an access key id of AWS"),
            (format!("AIza{}", letters(35)), "a key of Google"),
            (format!("smk_{}", drawn("0123456789abcdef", 64)), "a key of this service"),
            (format!("ghp_{}", letters(36)), "a token of GitHub"),
            (format!("gho_{}", letters(36)), "a token of GitHub"),
            (format!("github_pat_{}_{}", letters(22), letters(59)), "a token of GitHub"),
            (format!("sk-ant-api03-{}AA", letters(93)), "a key of Anthropic"),
            (format!("sk-{}T3BlbkFJ{}", letters(20), letters(20)), "a key of OpenAI"),
            (format!("sk-proj-{}T3BlbkFJ{}", letters(74), letters(74)), "a key of OpenAI"),
            (format!("xoxb-263594206564-2343594206574-{}", letters(24)), "a token of Slack"),
            (format!("hooks.slack.com/services/T{}/B{}/{}", &aws[..8], &aws[..9], letters(24)), "a webhook of Slack"),
            (key("", "") + &letters(64), "a private key"),
            (key("RSA ", "") + &letters(64), "a private key"),
            (key("OPENSSH ", "") + &letters(70), "a private key"),
            (key("RSA ", "") + "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES\n\n" + &letters(64), "a private key"),
            (key("PGP ", " BLOCK") + "\n" + &letters(64), "a private key"),
            (key("", "").replace('\n', "\\n") + &letters(64), "a private key"),
        ] {
            let text = format!("# é\nset KEY=\"{secret}\"\n");
            assert_eq!(found(&text), [(what.to_owned(), Some(2), Some(10))], "{secret}");
            assert!(!secrets(text.as_bytes())[0].message.contains(&secret[..12]), "the message repeats it");
        }
    }

    #[test]
    fn a_secret_without_a_form_of_its_own_is_found_by_its_name() {
        let key = letters(40);
        for text in [format!("aws_secret_access_key = {key}"), format!("\"SecretAccessKey\": \"{key}\"")] {
            assert_eq!(found(&text)[0].0, "a secret access key of AWS", "{text}");
        }
        for text in ["aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "aws_secret_access_key = $KEY"]
        {
            assert_eq!(found(text), [], "{text}");
        }
    }

    #[test]
    fn what_is_made_up_cut_short_or_part_of_a_longer_word_is_no_secret() {
        for text in [
            "AKIAIOSFODNN7EXAMPLE".to_owned(),
            "AKIAXXXXXXXXXXXXXXXX".to_owned(),
            format!("x{}", "AKIA".to_owned() + &drawn("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16)),
            "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx".to_owned(),
            format!("ghp_{}", letters(20)),
            format!("ghp_{}", "a".repeat(36)),
            "ghp_1234567890abcdefghijklmnopqrstuvwxyz".to_owned(),
            "sk-ant-api03-...".to_owned(),
            format!("sk-ant-api03-your-key-here-{}", letters(80)),
            "sk-proj-abc123".to_owned(),
            format!("sk-{}", letters(48)),
            "xoxb-your-token".to_owned(),
            "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----".to_owned(),
            "-----BEGIN PUBLIC KEY-----\n".to_owned() + &letters(64),
            "-----BEGIN CERTIFICATE-----\n".to_owned() + &letters(64),
            "grep -r 'BEGIN RSA PRIVATE KEY' .".to_owned(),
            letters(400),
        ] {
            assert_eq!(found(&text), [], "{text}");
        }
        let many = format!("ghp_{}\n", letters(36)).repeat(2 * SKILL_FINDINGS);
        assert_eq!(secrets(many.as_bytes()).len(), SKILL_FINDINGS + 1);
    }

    #[test]
    fn files_are_judged_by_their_name() {
        for path in [".env", "a/.env", ".env.local", "scripts/.env.production", ".ssh/id_rsa", "id_ed25519", "ID_RSA"] {
            assert_eq!(secret_file(path).unwrap().code, "secret_file", "{path}");
        }
        for path in [".env.example", "a/.env.sample", "env", "x.env", ".envrc", "id_rsa.pub", "id_rsa.md", ".env/x", ""]
        {
            assert_eq!(secret_file(path), None, "{path}");
        }
    }
}
