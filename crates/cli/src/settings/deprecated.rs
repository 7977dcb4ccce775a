//! Earlier names of settings and of their values. Each works for one more version.
//!
//! The flag and the variable of a setting follow its name, so they have earlier names by the same table.

use super::setting::Setting;
use crate::error::Result;

/// The settings that had another name, each with that name.
const NAMES: &[(Setting, &str)] = &[
    (Setting::Writable, "write"),
    (Setting::ShareSigningKey, "link_secret"),
    (Setting::MemoryLimit, "memory"),
    (Setting::UploadDir, "spool"),
    (Setting::EmbeddingUrl, "encoder"),
    (Setting::EmbeddingModel, "encoder_model"),
    (Setting::EmbeddingDocumentModel, "encoder_skill_model"),
    (Setting::EmbeddingApiKey, "encoder_key"),
    (Setting::EmbeddingQueryPrefix, "encoder_question_prefix"),
    (Setting::EmbeddingDocumentPrefix, "encoder_skill_prefix"),
];

/// The values that had another name: the setting, the earlier name and the name.
const VALUES: &[(Setting, &str, &str)] = &[(Setting::Audit, "relaxed", "async"), (Setting::Audit, "strict", "sync")];

/// The earlier name of a setting, if it had one.
pub(crate) fn earlier_name(setting: Setting) -> Option<&'static str> {
    NAMES.iter().find(|(renamed, _)| *renamed == setting).map(|(_, earlier)| *earlier)
}

/// The setting of this name or earlier name, and the name.
pub(super) fn setting_named(name: &str) -> Option<(Setting, &'static str)> {
    let now = Setting::ALL.iter().copied().find(|setting| setting.name() == name);
    let earlier = || NAMES.iter().find(|(_, earlier)| *earlier == name).copied();
    now.map(|setting| (setting, setting.name())).or_else(earlier)
}

/// The name of a value that was given by its earlier name.
pub(super) fn renamed_value(setting: Setting, value: &str) -> Option<&'static str> {
    VALUES.iter().find(|(of, earlier, _)| *of == setting && *earlier == value).map(|(_, _, name)| *name)
}

/// The value of `setting` in one place, with its name there. `value` looks a name up, and `written` writes a name as
/// that place does.
///
/// # Errors
/// `invalid_request` if the place has a value under both names.
pub(super) fn under_one_name<T>(
    setting: Setting,
    written: impl Fn(&str) -> String,
    value: impl Fn(&'static str) -> Option<T>,
) -> Result<Option<(&'static str, T)>> {
    let now = value(setting.name()).map(|value| (setting.name(), value));
    let earlier = earlier_name(setting).and_then(|name| Some((name, value(name)?)));
    match (now, earlier) {
        (Some((name, _)), Some((earlier, _))) => {
            let (name, earlier) = (written(name), written(earlier));
            Err(invalid!("{name} and {earlier} are two names of one setting; keep {name}"))
        }
        (now, earlier) => Ok(now.or(earlier)),
    }
}

/// The remark that a name is deprecated.
pub(crate) fn remark(earlier: &str, now: &str) -> String {
    format!("{earlier} is deprecated and goes with the next version; use {now}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_earlier_name_names_one_setting_and_is_no_name_of_today() {
        for (setting, earlier) in NAMES {
            assert_eq!(setting_named(earlier), Some((*setting, *earlier)));
            assert_eq!(earlier_name(*setting), Some(*earlier));
            assert!(Setting::ALL.iter().all(|known| known.name() != *earlier), "{earlier}");
        }
    }
}
