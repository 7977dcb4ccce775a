//! Ids of skills and of versions.
//!
//! An id is the path of the skill, or the digest of the version, in letters that need no escape in an address. So it is the
//! same on every replica and for ever, two skills never share an id, and nothing has to be stored for it.

use crate::{
    content::NumberedVersion,
    error::{Code, Error, Result},
    path::SkillPath,
    publish::VersionName,
};

const SKILL: &str = "skill_";
const VERSION: &str = "skillver_";

/// The id of a skill: letters, digits and `-` stand for themselves, `.` for `/`, and `_` with two hex digits for any other byte.
pub(super) fn skill_id(skill: &SkillPath) -> String {
    let mut id = SKILL.to_owned();
    for byte in skill.as_str().bytes() {
        match byte {
            b'/' => id.push('.'),
            b'-' => id.push('-'),
            byte if byte.is_ascii_alphanumeric() => id.push(char::from(byte)),
            byte => id.extend(['_'].into_iter().chain(hex::encode([byte]).chars())),
        }
    }
    id
}

/// The skill of an id.
///
/// # Errors
/// `skill_not_found` if it is the id of none.
pub(super) fn skill_of(id: &str) -> Result<SkillPath> {
    let skill = id.strip_prefix(SKILL).and_then(unescaped).and_then(|path| SkillPath::parse(&path).ok());
    // One skill has one id.
    skill.filter(|skill| skill_id(skill) == id).ok_or_else(|| {
        Error::new(Code::SkillNotFound, "there is no skill of this id; list the skills to see their ids")
    })
}

fn unescaped(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'.' => b'/',
            b'_' => *hex::decode([rest.next()?, rest.next()?]).ok()?.first()?,
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

/// The id of a version.
pub(super) fn version_id(version: &NumberedVersion) -> String {
    format!("{VERSION}{}", version.digest.strip_prefix("sha256:").unwrap_or(&version.digest))
}

/// The version that `text` names, by id or by number.
///
/// # Errors
/// `version_not_found` if `text` is neither.
pub(super) fn version_named(text: &str) -> Result<VersionName> {
    let number = || text.parse().ok().filter(|number: &u64| number.to_string() == text).map(VersionName::Number);
    let digest = text.strip_prefix(VERSION).map(|hex| VersionName::Digest(format!("sha256:{hex}")));
    digest.or_else(number).ok_or_else(|| {
        Error::new(Code::VersionNotFound, "there is no version of this id or number; list the versions of the skill")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    // S-SDK-2: The id of a skill comes from its path, and the id of a version from its digest, so neither ever changes.
    #[test]
    fn every_path_has_one_id_that_is_read_back() {
        for (path, id) in [
            ("minutes", "skill_minutes"),
            ("law/new-year", "skill_law.new-year"),
            ("law.new_year", "skill_law_2enew_5fyear"),
            ("Año/a b", "skill_A_c3_b1o.a_20b"),
        ] {
            let skill = SkillPath::parse(path).unwrap();
            assert_eq!((skill_id(&skill).as_str(), skill_of(id).unwrap()), (id, skill));
        }
        for none in [
            "",
            "minutes",
            "skill_",
            "skill_a_2",
            "skill_a_zz",
            "skill_a_2F",
            "skill_a_2fb",
            "skill_..",
            "skill_a%2fb",
            "skill_a_ff",
        ] {
            assert_eq!(skill_of(none).unwrap_err().code(), Code::SkillNotFound, "{none}");
        }
    }

    #[test]
    fn a_version_is_named_by_its_id_or_its_number() {
        let version = NumberedVersion { number: 2, digest: format!("sha256:{}", "a".repeat(64)) };
        assert_eq!(version_named(&version_id(&version)).unwrap(), VersionName::Digest(version.digest));
        assert_eq!(version_named("2").unwrap(), VersionName::Number(2));
        for none in ["", "02", "+2", "-1", "latest", "2.0"] {
            assert_eq!(version_named(none).unwrap_err().code(), Code::VersionNotFound, "{none}");
        }
    }
}
