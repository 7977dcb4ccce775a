//! Secrets that a skill must not carry: whoever may load the skill would get them.
//!
//! Only what is a secret beyond doubt is found: files that exist to hold one, and private keys by their first line.

use super::{Diagnostic, FindingCode};

/// File names, in lower case, that hold secrets and nothing else.
const NAMES: [&str; 8] = [".env", ".netrc", ".pgpass", ".npmrc", ".pypirc", "credentials.json", "id_rsa", "id_ed25519"];
/// Variants of `.env` that are templates by convention and hold no secret.
const TEMPLATES: [&str; 4] = [".env.example", ".env.sample", ".env.template", ".env.dist"];
/// What the first line of a private key begins and ends with, in PEM.
const PRIVATE_KEY: (&str, &str) = ("-----BEGIN ", "PRIVATE KEY");

/// The finding on the file at `path` with these bytes, if it is a secret.
#[must_use]
pub fn secret(path: &str, bytes: &[u8]) -> Option<Diagnostic> {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let is_named = NAMES.contains(&name.as_str()) || name.starts_with(".env.") && !TEMPLATES.contains(&name.as_str());
    let what = if is_named {
        "is a file for secrets"
    } else if has_private_key(bytes) {
        "contains a private key"
    } else {
        return None;
    };
    let message = format!("{path} {what}: remove it, replace the secret, and let the caller pass it in another way");
    Some(Diagnostic::new(FindingCode::SecretFile, message))
}

fn has_private_key(bytes: &[u8]) -> bool {
    let (begin, end) = PRIVATE_KEY;
    memchr::memmem::find_iter(bytes, begin).any(|at| {
        let line = bytes.get(at..).unwrap_or_default();
        let line = line.get(..line.len().min(80)).unwrap_or_default();
        let line = line.split(|byte| *byte == b'\n').next().unwrap_or_default();
        memchr::memmem::find(line, end.as_bytes()).is_some()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_for_secrets_and_private_keys_are_found_and_nothing_else_is() {
        let key = format!("text\n{}RSA {}-----\nMII\n", PRIVATE_KEY.0, PRIVATE_KEY.1);
        for (path, bytes) in [(".env", "A=1"), ("x/.ENV.local", ""), ("id_rsa", "x"), ("notes.md", key.as_str())] {
            assert!(secret(path, bytes.as_bytes()).is_some(), "{path}");
        }
        let public = "-----BEGIN PUBLIC KEY-----\n";
        for (path, bytes) in
            [("env.md", "A=1"), (".env.example", "A="), ("a.md", public), ("a.md", "-----BEGIN \nPRIVATE KEY")]
        {
            assert!(secret(path, bytes.as_bytes()).is_none(), "{path}");
        }
    }
}
