//! The variables of a session, which mount templates use.

use std::collections::BTreeMap;

use crate::{
    error::{Code, Error, Result},
    limits::VARS,
    path::{Id, MountTemplates, check_variable_name},
};

/// Checks that every variable has a use in the mount templates.
///
/// # Errors
/// `invalid_request`, with the variable and those in use.
pub(super) fn check_vars(templates: &MountTemplates, vars: &BTreeMap<String, Id>) -> Result<()> {
    if vars.len() > VARS {
        return Err(Error::new(Code::InvalidRequest, format!("a session holds at most {VARS} variables")));
    }
    let known = templates.variables();
    for name in vars.keys() {
        check_variable_name(name)?;
        if !known.contains(name.as_str()) {
            let known = known.iter().copied().collect::<Vec<_>>().join(", ");
            let message = format!("no mount uses a variable {name:?}; those in use: {known}");
            return Err(Error::new(Code::InvalidRequest, message));
        }
    }
    Ok(())
}
