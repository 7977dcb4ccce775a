//! How hosts start this program, with the settings that are in effect now.

use std::{
    collections::BTreeMap,
    path::{Path, absolute},
};

use crate::{
    app::App,
    error::{Error, Result},
    folder::address_of,
    settings::{Passage, Setting},
    store::StoreAddress,
};

/// The program that a host starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Launch {
    /// Its path.
    pub(crate) command: String,
    /// Its arguments.
    pub(crate) args: Vec<String>,
    /// Variables of its environment, for settings without a flag.
    pub(crate) variables: BTreeMap<String, String>,
}

/// How a host starts the command `command` of this program on the store of the settings.
///
/// # Errors
/// `invalid_request` if the settings do not parse.
pub(crate) fn launch(app: &App, command: &str) -> Result<Launch> {
    let unknown = || Error::internal("the path of this program is not known");
    let program = app.process.program.as_ref().ok_or_else(unknown)?;
    let mut launch =
        Launch { command: program.display().to_string(), args: vec![command.to_owned()], variables: BTreeMap::new() };
    for setting in Setting::ALL.iter().copied().filter(|setting| !app.settings.is_default(*setting)) {
        let Some(value) = app.settings.get(setting) else { continue };
        match setting.passage() {
            // Only a server searches.
            Passage::Flag if setting == Setting::EmbeddingUrl && command != "mcp" => {}
            Passage::Flag => {
                launch.args.extend([setting.flag(), absolute_value(app, setting, value)?]);
            }
            Passage::Switch if app.settings.switch(setting)?.unwrap_or_default() => {
                launch.args.push(setting.flag());
            }
            Passage::Switch | Passage::Variable => {
                launch.variables.insert(setting.env_name(), value.to_owned());
            }
            Passage::Secret | Passage::Unread => {}
        }
    }
    Ok(launch)
}

/// The value of a setting with its paths absolute, because the host starts the program in a folder of its own.
fn absolute_value(app: &App, setting: Setting, value: &str) -> Result<String> {
    let whole = |folder: &Path| absolute(app.process.local(folder)).map_err(Error::internal);
    if let (Setting::EmbeddingUrl, Some(folder)) = (setting, value.strip_prefix("dir:")) {
        return Ok(format!("dir:{}", whole(Path::new(folder))?.display()));
    }
    if setting != Setting::Store {
        return Ok(value.to_owned());
    }
    Ok(match app.settings.required(setting, StoreAddress::parse)? {
        StoreAddress::Directory(folder) => format!("file:{}", whole(&folder)?.display()),
        StoreAddress::Skills(skills) => address_of(&whole(&skills.folder)?),
        _ => value.to_owned(),
    })
}

/// Settings that were chosen and do not come to the program, because they are secrets, by their variables.
pub(crate) fn left_out(app: &App) -> Vec<String> {
    let is_left_out = |setting: &&Setting| setting.passage() == Passage::Secret && !app.settings.is_default(**setting);
    Setting::ALL.iter().filter(is_left_out).map(|setting| setting.env_name()).collect()
}
