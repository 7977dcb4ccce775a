//! Whose skills may be fetched without a key.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::LinkSecret;
use crate::{
    error::{Code, Error, Result},
    path::Id,
};

/// Whose skills may be fetched without a key: one user for each Host that the operator names, and by signed links.
#[derive(Clone, Debug, Default)]
pub struct PublicSkills {
    /// The user of each Host, by its name in lower case and without a port.
    pub hosts: BTreeMap<String, Id>,
    /// The secret of links, if there are any.
    pub links: Option<LinkSecret>,
}

impl PublicSkills {
    /// Reads `HOST=USER, …`.
    ///
    /// # Errors
    /// `invalid_request` for a part that is not so, and for a Host that is named twice; `invalid_request` for a user that is no id.
    pub fn parse_hosts(text: &str) -> Result<BTreeMap<String, Id>> {
        let mut hosts = BTreeMap::new();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let Some((host, user)) = part.split_once('=').filter(|(host, _)| !host.trim().is_empty()) else {
                let message =
                    format!("{part:?} does not say whose skills which host shows; write skills.example.com=anna");
                return Err(Error::new(Code::InvalidRequest, message));
            };
            let host = host.trim().to_ascii_lowercase();
            if hosts.insert(host.clone(), Id::parse(user.trim())?).is_some() {
                return Err(Error::new(
                    Code::InvalidRequest,
                    format!("{host} shows the skills of one user; it is named twice"),
                ));
            }
        }
        Ok(hosts)
    }

    /// Whose skills a request for `host` may fetch.
    ///
    /// # Errors
    /// `route_not_found` if the host shows the skills of no user.
    pub fn of_host(&self, host: Option<&str>) -> Result<Id> {
        let named = host.and_then(|host| self.hosts.get(&host.to_ascii_lowercase()));
        named.cloned().ok_or_else(|| {
            Error::new(Code::RouteNotFound, "this host shows nobody's skills; its operator can name a user for it")
        })
    }

    /// Whose skills `link` gives at the time `now`.
    ///
    /// # Errors
    /// As [`LinkSecret::user_of`].
    pub fn of_link(&self, link: &str, now: Timestamp) -> Result<Id> {
        let none = || Error::new(Code::RouteNotFound, "there are no links here");
        self.links.as_ref().ok_or_else(none)?.user_of(link, now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_host_shows_the_skills_of_one_user() {
        let hosts = PublicSkills::parse_hosts("Skills.Example.com=anna, 127.0.0.1 = otto,").unwrap();
        let public = PublicSkills { hosts, links: None };
        assert_eq!(public.of_host(Some("skills.example.COM")).unwrap().as_str(), "anna");
        assert_eq!(public.of_host(Some("127.0.0.1")).unwrap().as_str(), "otto");
        for none in [Some("example.com"), Some(""), None] {
            assert_eq!(public.of_host(none).unwrap_err().code(), Code::RouteNotFound, "{none:?}");
        }
        for bad in ["anna", "=anna", "a=", "a=b,a=c", "a=../b"] {
            assert_eq!(PublicSkills::parse_hosts(bad).unwrap_err().code(), Code::InvalidRequest, "{bad}");
        }
    }
}
