//! Settings: one table of names, and where each value comes from.
//!
//! A flag beats an environment variable. A variable beats `skillmount.toml`, and the file beats the default. Every
//! value stays text with its origin until a command asks for it by type. So `config show` can print every origin, and
//! an error can name the place to look at.

mod deprecated;
mod file;
mod setting;
mod text;

use std::{collections::BTreeMap, ffi::OsString, fmt, path::PathBuf, sync::Arc, time::Duration};

use serde::Serialize;

pub(super) use deprecated::{earlier_name, remark};
use deprecated::{renamed_value, setting_named, under_one_name};
pub(super) use file::{ConfigFile, find};
use setting::{ENV_PREFIX, variable_of};
pub(super) use setting::{Passage, Setting, flag_of};
use text::Text;

use crate::{
    error::{Error, Result},
    limits::DIGEST_PACE_MOST,
    path::{Id, distance},
    process::Process,
    shell::quoted,
};

/// Where a value comes from, strongest first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Origin {
    Flag,
    Env(String),
    File(PathBuf),
    Default,
}

impl Origin {
    /// How strong it is, without the details: smaller beats larger.
    const fn rank(&self) -> u8 {
        match self {
            Self::Flag => 0,
            Self::Env(_) => 1,
            Self::File(_) => 2,
            Self::Default => 3,
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag => f.write_str("flag"),
            Self::Env(name) => write!(f, "env {name}"),
            Self::File(path) => write!(f, "file {}", path.display()),
            Self::Default => f.write_str("default"),
        }
    }
}

/// A value as text, and where it comes from.
#[derive(Clone, Debug)]
struct Value {
    text: Text,
    origin: Origin,
}

/// Remarks on environment variables that are nearly those of a setting. Any other may be of a container or a test, so it is no error
/// as it is in a file.
pub(super) fn misspelt_variables<'name>(variables: impl Iterator<Item = &'name OsString>) -> Vec<String> {
    const MOST: usize = 2;
    let remark = |variable: &OsString| {
        let variable = variable.to_str()?;
        let given = variable.strip_prefix(ENV_PREFIX)?;
        let near = |setting: &&Setting| {
            (1..=MOST.min((setting.name().len() + 1) / 3)).contains(&distance(given, setting.name()))
        };
        let is_known = setting_named(&given.to_lowercase()).is_some_and(|(_, name)| variable_of(name) == variable);
        let meant = Setting::ALL.iter().filter(|_| !is_known).find(near)?;
        Some(format!("there is no setting {variable}, and it changes nothing; did you mean {}?", meant.env_name()))
    };
    variables.filter_map(remark).collect()
}

/// Where values are looked for, so that this can be done again.
#[derive(Debug)]
pub(super) struct Sources {
    /// The values of flags, by the name of the setting or its earlier name.
    flags: Vec<(&'static str, Text)>,
    file: Option<PathBuf>,
    default_store: Option<String>,
    process: Arc<Process>,
}

impl Sources {
    /// The four sources: the flags by the name of the setting, the configuration file that the caller named, the default
    /// folder of the store, and the process with the environment.
    pub(super) fn new(
        flags: Vec<(&'static str, String)>,
        file: Option<PathBuf>,
        default_store: Option<String>,
        process: Arc<Process>,
    ) -> Self {
        let known =
            |(name, text): (&'static str, String)| setting_named(name).map(|(setting, _)| (name, setting.text(text)));
        Self { flags: flags.into_iter().filter_map(known).collect(), file, default_store, process }
    }

    /// The settings as they are now.
    ///
    /// # Errors
    /// As [`find`]. `invalid_request` if one place has both names of a setting.
    pub(super) fn settings(&self) -> Result<Settings> {
        let file = find(&self.process, self.file.as_deref())?;
        let env = |name: &str| self.process.variable(name);
        Settings::resolve(&self.flags, &env, file.as_ref(), self.default_store.as_deref())
    }
}

/// Every setting that has a value.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    values: BTreeMap<Setting, Value>,
    /// Remarks on earlier names in use.
    deprecated: Vec<String>,
}

/// One line of `config show`.
#[derive(Debug, Serialize)]
pub(super) struct SettingLine {
    name: &'static str,
    value: Option<String>,
    origin: String,
}

impl Settings {
    /// Merges the four origins. `flags` holds what was given, `env` reads a variable, `default_store` is the folder that
    /// holds everything where nothing else was said.
    fn resolve(
        flags: &[(&'static str, Text)],
        env: &dyn Fn(&str) -> Option<String>,
        file: Option<&ConfigFile>,
        default_store: Option<&str>,
    ) -> Result<Self> {
        let mut settings = Self { values: BTreeMap::new(), deprecated: Vec::new() };
        for setting in Setting::ALL.iter().copied() {
            let flag = |name| flags.iter().find(|(given, _)| *given == name).map(|(_, text)| text.clone());
            // An empty variable is how a shell says "not set".
            let variable = |name| env(&variable_of(name)).filter(|given| !given.is_empty());
            let flag = under_one_name(setting, flag_of, flag)?;
            let variable = under_one_name(setting, variable_of, variable)?;
            let in_file = under_one_name(setting, str::to_owned, |name| file?.get(name).cloned())?;
            let flag = flag.map(|(name, text)| (flag_of(name), setting.flag(), text, Origin::Flag));
            let variable = variable.map(|(name, text)| {
                let written = variable_of(name);
                (written.clone(), setting.env_name(), setting.text(text), Origin::Env(written))
            });
            let in_file = file.zip(in_file).map(|(file, (name, text))| {
                (name.to_owned(), setting.name().to_owned(), text, Origin::File(file.path().to_owned()))
            });
            let given: Vec<_> = [flag, variable, in_file].into_iter().flatten().collect();
            let renamed = given.iter().filter(|(written, now, ..)| written != now);
            settings.deprecated.extend(renamed.map(|(written, now, ..)| remark(written, now)));
            let default = match setting {
                Setting::Store => default_store,
                other => other.default(),
            };
            let default = default.map(|text| (setting.text(text.to_owned()), Origin::Default));
            let strongest = given.into_iter().next().map(|(_, _, text, origin)| (text, origin)).or(default);
            if let Some((text, origin)) = strongest {
                settings.set(setting, text, origin);
            }
        }
        Ok(settings)
    }

    /// Sets the value. A value by its earlier name gets its name.
    fn set(&mut self, setting: Setting, text: Text, origin: Origin) {
        let text = match renamed_value(setting, text.expose()) {
            Some(now) => {
                let name = setting.name();
                self.deprecated.push(remark(&format!("{name} = {}", text.shown()), &format!("{name} = {now}")));
                setting.text(now.to_owned())
            }
            None => text,
        };
        self.values.insert(setting, Value { text, origin });
    }

    /// Remarks on earlier names in use, one for each.
    pub(super) fn deprecated(&self) -> &[String] {
        &self.deprecated
    }

    /// The value as text.
    pub(super) fn get(&self, setting: Setting) -> Option<&str> {
        self.values.get(&setting).map(|value| value.text.expose())
    }

    /// Whether no caller chose the value: it is the default, or there is none.
    pub(super) fn is_default(&self, setting: Setting) -> bool {
        self.values.get(&setting).is_none_or(|value| value.origin == Origin::Default)
    }

    /// The flags of this command that choose the store and the user, as they follow a command that goes on there. Empty without
    /// such flags.
    pub(super) fn place_flags(&self) -> String {
        let is_flag = |setting: &&Setting| self.values.get(*setting).is_some_and(|value| value.origin == Origin::Flag);
        let places = [Setting::Store, Setting::Server, Setting::User];
        let flag = |setting: &Setting| {
            let shown = self.values.get(setting).map_or("", |value| value.text.shown());
            format!(" {} {}", flag_of(setting.name()), quoted(shown))
        };
        places.iter().filter(is_flag).map(flag).collect()
    }

    /// The value as `parse` understands it.
    ///
    /// # Errors
    /// The error of `parse`, with the setting and the origin of its value in front.
    pub(super) fn parsed<T>(&self, setting: Setting, parse: impl Fn(&str) -> Result<T>) -> Result<Option<T>> {
        let Some(value) = self.values.get(&setting) else { return Ok(None) };
        parse(value.text.expose()).map(Some).map_err(|error| {
            let message = format!("the setting {} ({}): {}", setting.name(), value.origin, error.message());
            Error::new(error.code(), message).with_source(error)
        })
    }

    /// As [`parsed`](Self::parsed), for a setting that a command cannot do without.
    pub(super) fn required<T>(&self, setting: Setting, parse: impl Fn(&str) -> Result<T>) -> Result<T> {
        self.parsed(setting, parse)?.ok_or_else(|| missing(setting))
    }

    /// An id: `user` or `session`.
    pub(super) fn id(&self, setting: Setting) -> Result<Id> {
        self.required(setting, Id::parse)
    }

    /// Bytes, of a setting in MiB that is at least `least` bytes.
    pub(super) fn mebibytes(&self, setting: Setting, least: u64) -> Result<u64> {
        self.required(setting, |text| {
            let bytes = text.parse().ok().and_then(|mib: u64| mib.checked_mul(1 << 20));
            bytes.filter(|bytes| *bytes >= least).ok_or_else(|| {
                let least = least >> 20;
                invalid!("{text:?} is not a number of MiB from {least} on")
            })
        })
    }

    /// A time in milliseconds.
    pub(super) fn milliseconds(&self, setting: Setting) -> Result<Duration> {
        self.required(setting, |text| {
            let time = text.parse().ok().map(Duration::from_millis).filter(|time| *time <= DIGEST_PACE_MOST);
            time.ok_or_else(|| {
                let most = DIGEST_PACE_MOST.as_millis();
                invalid!("{text:?} is not a number of milliseconds up to {most}")
            })
        })
    }

    /// A whole number from `least` on.
    pub(super) fn number(&self, setting: Setting, least: usize) -> Result<Option<usize>> {
        self.parsed(setting, |text| {
            let number = text.parse().ok().filter(|number| *number >= least);
            number.ok_or_else(|| invalid!("{text:?} is not a number from {least} on"))
        })
    }

    /// A time in whole seconds, from `least` to `most`.
    pub(super) fn seconds(&self, setting: Setting, least: Duration, most: Duration) -> Result<Duration> {
        self.required(setting, |text| {
            let time = text.parse().ok().map(Duration::from_secs).filter(|time| (least..=most).contains(time));
            time.ok_or_else(|| {
                invalid!("{text:?} is not a number of seconds from {} to {}", least.as_secs(), most.as_secs())
            })
        })
    }

    /// A switch.
    pub(super) fn switch(&self, setting: Setting) -> Result<Option<bool>> {
        self.parsed(setting, on_or_off)
    }

    /// The server to speak to, where one was named at least as strongly as the store.
    ///
    /// # Errors
    /// `invalid_request` where flags, or the environment, name both: which of the two is meant cannot be guessed.
    pub(super) fn server(&self) -> Result<Option<&str>> {
        let Some(server) = self.values.get(&Setting::Server) else { return Ok(None) };
        let store = self.values.get(&Setting::Store).map_or(Origin::Default.rank(), |store| store.origin.rank());
        match server.origin.rank().cmp(&store) {
            std::cmp::Ordering::Less => Ok(Some(server.text.expose())),
            std::cmp::Ordering::Greater => Ok(None),
            std::cmp::Ordering::Equal => {
                Err(invalid!("both a store and a server are set ({}); keep one of --store and --server", server.origin))
            }
        }
    }

    /// The lines that `config show` prints.
    pub(super) fn shown(&self) -> Vec<SettingLine> {
        let line = |setting: &Setting| {
            let value = self.values.get(setting);
            let text = value.map(|value| value.text.shown().to_owned());
            let origin = value.map_or_else(|| "not set".to_owned(), |value| value.origin.to_string());
            SettingLine { name: setting.name(), value: text, origin }
        };
        Setting::ALL.iter().map(line).collect()
    }
}

impl SettingLine {
    /// Name, value and origin.
    pub(super) fn cells(self) -> [String; 3] {
        [self.name.to_owned(), self.value.unwrap_or_else(|| "-".to_owned()), self.origin]
    }
}

fn missing(setting: Setting) -> Error {
    let flag = setting.flag();
    invalid!("no {} is set; give {flag} or set {}", flag.trim_start_matches('-'), setting.env_name())
}

fn on_or_off(text: &str) -> Result<bool> {
    match text {
        "true" | "1" | "yes" | "on" => Ok(true),
        "false" | "0" | "no" | "off" => Ok(false),
        other => Err(invalid!("{other:?} is neither true nor false")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Code;

    fn file(text: &str) -> ConfigFile {
        ConfigFile::parse(PathBuf::from("skillmount.toml"), text).unwrap()
    }

    fn resolve(flags: &[(Setting, &str)], env: &[(&str, &str)], toml: &str) -> Settings {
        let flags: Vec<_> = flags.iter().map(|(setting, text)| (setting.name(), *text)).collect();
        resolve_names(&flags, env, toml).unwrap()
    }

    fn resolve_names(flags: &[(&'static str, &str)], env: &[(&str, &str)], toml: &str) -> Result<Settings> {
        let text = |name: &str, text: &str| setting_named(name).unwrap().0.text(text.to_owned());
        let flags: Vec<_> = flags.iter().map(|(name, given)| (*name, text(name, given))).collect();
        let env = |name: &str| env.iter().find(|(known, _)| *known == name).map(|(_, text)| (*text).to_owned());
        Settings::resolve(&flags, &env, Some(&file(toml)), Some("file:/data"))
    }

    #[test]
    fn an_earlier_name_works_in_every_place_and_is_remarked_on() {
        let flag = [("spool", "from-flag")];
        let env = [("SKILLMOUNT_SPOOL", "from-env")];
        for (flags, env, toml, value, remarks) in [
            (&[][..], &[][..], "spool = 'from-file'", "from-file", &["spool is deprecated"][..]),
            (&[], &env, "", "from-env", &["SKILLMOUNT_SPOOL is deprecated"]),
            (&flag, &[], "", "from-flag", &["--spool is deprecated"]),
            (&flag, &env, "", "from-flag", &["--spool is deprecated", "SKILLMOUNT_SPOOL is deprecated"]),
            (&[], &[], "upload_dir = 'from-file'", "from-file", &[]),
        ] {
            let settings = resolve_names(flags, env, toml).unwrap();
            assert_eq!(settings.get(Setting::UploadDir), Some(value));
            assert_eq!(settings.deprecated().len(), remarks.len(), "{:?}", settings.deprecated());
            let said = settings.deprecated().iter().zip(remarks);
            said.for_each(|(said, begins)| assert!(said.starts_with(begins), "{said}"));
        }
        let said = resolve_names(&[], &env, "").unwrap().deprecated().concat();
        assert!(said.ends_with("use SKILLMOUNT_UPLOAD_DIR"), "{said}");
    }

    #[test]
    fn an_earlier_name_in_a_stronger_place_beats_the_name_in_a_weaker_one() {
        let settings = resolve_names(&[("memory", "300")], &[], "memory_limit = 400").unwrap();
        assert_eq!(settings.get(Setting::MemoryLimit), Some("300"));
        let settings = resolve_names(&[("memory_limit", "300")], &[("SKILLMOUNT_MEMORY", "400")], "").unwrap();
        assert_eq!(settings.get(Setting::MemoryLimit), Some("300"));
    }

    #[test]
    fn both_names_in_one_place_are_an_error() {
        let env = [("SKILLMOUNT_SPOOL", "a"), ("SKILLMOUNT_UPLOAD_DIR", "b")];
        for (given, keep) in [
            (resolve_names(&[("memory", "300"), ("memory_limit", "300")], &[], ""), "keep --memory-limit"),
            (resolve_names(&[], &env, ""), "keep SKILLMOUNT_UPLOAD_DIR"),
            (resolve_names(&[], &[], "link_secret = 'a'\nshare_signing_key = 'b'"), "keep share_signing_key"),
        ] {
            let error = given.unwrap_err();
            assert!(error.code() == Code::InvalidRequest && error.message().ends_with(keep), "{error}");
        }
        let empty = [("SKILLMOUNT_SPOOL", "a"), ("SKILLMOUNT_UPLOAD_DIR", "")];
        assert_eq!(resolve_names(&[], &empty, "").unwrap().get(Setting::UploadDir), Some("a"));
    }

    #[test]
    fn an_earlier_value_is_read_as_the_value_of_today() {
        for (earlier, now) in [("relaxed", "async"), ("strict", "sync")] {
            let settings = resolve(&[(Setting::Audit, earlier)], &[], "");
            assert_eq!(settings.get(Setting::Audit), Some(now));
            assert!(settings.deprecated().concat().ends_with(&format!("use audit = {now}")));
            assert!(resolve(&[(Setting::Audit, now)], &[], "").deprecated().is_empty());
        }
    }

    #[test]
    fn a_flag_beats_the_environment_which_beats_the_file_which_beats_the_default() {
        let toml = "user = 'from-file'";
        let env = [("SKILLMOUNT_USER", "from-env")];
        assert_eq!(resolve(&[(Setting::User, "from-flag")], &env, toml).get(Setting::User), Some("from-flag"));
        assert_eq!(resolve(&[], &env, toml).get(Setting::User), Some("from-env"));
        assert_eq!(resolve(&[], &[("SKILLMOUNT_USER", "")], toml).get(Setting::User), Some("from-file"));
        assert_eq!(resolve(&[], &[], "").get(Setting::User), Some("me"));
    }

    #[test]
    fn of_store_and_server_the_stronger_one_is_meant_and_a_tie_is_refused() {
        let server = [("SKILLMOUNT_SERVER", "http://s")];
        assert_eq!(resolve(&[], &server, "").server().unwrap(), Some("http://s"));
        assert_eq!(resolve(&[(Setting::Store, "memory:")], &server, "").server().unwrap(), None);
        assert_eq!(resolve(&[], &server, "store = 'memory:'").server().unwrap(), Some("http://s"));
        let tie = resolve(&[], &[server[0], ("SKILLMOUNT_STORE", "memory:")], "");
        assert_eq!(tie.server().unwrap_err().code(), Code::InvalidRequest);
    }

    #[test]
    fn a_variable_that_is_nearly_a_setting_is_remarked_on() {
        let remarks = |name: &str| misspelt_variables([&name.into()].into_iter());
        for (name, meant) in [("STOER", "STORE"), ("SESION", "SESSION"), ("API_KEYS", "API_KEY"), ("USR", "USER")] {
            let said = remarks(&format!("SKILLMOUNT_{name}")).concat();
            assert!(said.ends_with(&format!("did you mean SKILLMOUNT_{meant}?")), "{name}: {said}");
        }
        for name in [
            "SKILLMOUNT_STORE",
            "SKILLMOUNT_CONFIG",
            "SKILLMOUNT_SEED",
            "SKILLMOUNT_INDEX",
            "SKILLMOUNT_PORT",
            "SKILLMOUNT_SPOOL",
            "USR",
        ] {
            assert!(remarks(name).is_empty(), "{name}");
        }
    }

    #[test]
    fn secrets_are_never_shown() {
        let given = [
            resolve(&[(Setting::ApiKey, "hunter2")], &[], ""),
            resolve(&[], &[("SKILLMOUNT_API_KEY", "hunter2")], ""),
            resolve(&[], &[], "api_key = 'hunter2'"),
        ];
        for settings in given {
            assert_eq!(settings.get(Setting::ApiKey), Some("hunter2"));
            let text: String = settings.shown().into_iter().flat_map(SettingLine::cells).collect();
            assert!(text.contains("[redacted]") && !text.contains("hunter2"));
            assert!(!format!("{settings:?}").contains("hunter2"));
        }
        let mut process = Process::current();
        process.variables.insert("SKILLMOUNT_API_KEY".into(), "hunter2".into());
        let flags = vec![("api_key", "hunter2".to_owned()), ("user", "u1".to_owned())];
        let sources = Sources::new(flags, None, None, Arc::new(process));
        let text = format!("{sources:?}");
        assert!(!text.contains("hunter2") && text.contains("u1"), "{text}");
    }

    #[test]
    fn a_bad_value_is_reported_with_its_origin() {
        let error = resolve(&[], &[], "user = '../u2'").id(Setting::User).unwrap_err();
        assert!(error.message().contains("user (file skillmount.toml)"), "{error}");
    }
}
