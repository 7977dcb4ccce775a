//! How hosts start this program, with the settings that are in effect now.

use std::{env, path::absolute};

use crate::{
    cli::{app::App, folder::address_of, settings::Setting},
    error::{Error, Result},
    store::StoreAddress,
};

/// Settings that the host gives back to the program that it starts, if they were chosen.
const PASSED_ON: &[(Setting, &str)] = &[
    (Setting::User, "--user"),
    (Setting::EndpointUrl, "--endpoint-url"),
    (Setting::Region, "--region"),
    (Setting::Profile, "--profile"),
];

/// The program that a host starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli) struct Launch {
    /// Its path.
    pub(in crate::cli) command: String,
    /// Its arguments.
    pub(in crate::cli) args: Vec<String>,
}

/// How a host starts the command `command` of this program on the store of the settings.
///
/// # Errors
/// `invalid_request` if the settings do not parse.
pub(in crate::cli) fn launch(app: &App, command: &str) -> Result<Launch> {
    let program = env::current_exe().map_err(Error::internal)?;
    let mut args = vec![command.to_owned()];
    if !app.settings.is_default(Setting::Store) {
        // The host starts the program in a folder of its own.
        let address = match app.settings.required(Setting::Store, StoreAddress::parse)? {
            StoreAddress::Directory(folder) => format!("file:{}", absolute(folder).map_err(Error::internal)?.display()),
            StoreAddress::Skills(skills) => address_of(&absolute(skills.folder).map_err(Error::internal)?),
            _ => app.settings.get(Setting::Store).unwrap_or_default().to_owned(),
        };
        args.extend(["--store".to_owned(), address]);
    }
    if app.settings.switch(Setting::Write)?.unwrap_or_default() {
        args.push("--write".to_owned());
    }
    for (setting, flag) in PASSED_ON {
        if let Some(value) = app.settings.get(*setting).filter(|_| !app.settings.is_default(*setting)) {
            args.extend([(*flag).to_owned(), value.to_owned()]);
        }
    }
    Ok(Launch { command: program.display().to_string(), args })
}
