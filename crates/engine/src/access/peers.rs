//! Which Hosts and Origins are answered.
//!
//! Without keys the only protection is that the service listens on a loopback address, and a web page could get around
//! it. Its own name may resolve to 127.0.0.1 (DNS rebinding, seen in `Host`), or it may post across origins (seen in
//! `Origin`). So both are checked on every request. With keys any Host is taken unless a list is configured, because a
//! page that lacks the key gains nothing; an Origin must be on the list, or be the service's own.
//!
//! Only pages of listed origins may read an answer. If there are no keys, a page that another port of this machine serves is
//! answered too, but it cannot read the answer: the service does not know whose script that page runs.

use std::net::Ipv6Addr;

use crate::{
    error::{Code, Error, Result},
    path::is_loopback,
};

/// The configured lists; both may be empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PeerRules {
    /// Names the service is reached by, without port. With keys, empty means any.
    pub hosts: Vec<String>,
    /// Origins of web pages that may call the service and read its answers, such as `https://app.example.com`. An
    /// origin is scheme, host and port, without a slash at the end.
    pub origins: Vec<String>,
}

/// The headers that name the host of a request and the page that sent it. A header that is not text is given as empty.
/// that is not text is given as empty.
#[derive(Clone, Debug, Default)]
pub struct PeerHeaders<'request> {
    /// The host and port of an absolute request line.
    pub target: Option<&'request str>,
    /// Every `Host` header.
    pub hosts: Vec<&'request str>,
    /// Every `Origin` header.
    pub origins: Vec<&'request str>,
}

/// A host and its port, as they stand in a URL.
#[derive(Clone, Copy, Debug)]
struct Authority<'text> {
    host: &'text str,
    port: &'text str,
}

impl PeerRules {
    /// Checks the Host and Origin of one request. `has_keys` says whether callers must bring a key.
    ///
    /// # Errors
    /// `invalid_request` if there is no readable Host, `denied` if one of them is not allowed.
    pub fn check(&self, request: &PeerHeaders<'_>, has_keys: bool) -> Result<()> {
        let named = request.named()?;
        if !self.allows_host(named.host, has_keys) {
            let message = format!(
                "this service does not answer to the Host {:?}; use the address it listens on, or have its operator add the name to the setting hosts",
                named.host
            );
            return Err(Error::new(Code::Denied, message));
        }
        for origin in &request.origins {
            if !self.allows_origin(origin, named, has_keys) {
                let message = format!(
                    "pages of the origin {origin:?} may not call this service; its operator can allow the origin in the setting origins"
                );
                return Err(Error::new(Code::Denied, message));
            }
        }
        Ok(())
    }

    /// Whether the request comes from a page whose origin is listed, which may read the answer.
    #[must_use]
    pub fn lists_origin(&self, request: &PeerHeaders<'_>) -> bool {
        matches!(request.origins.as_slice(), [origin] if self.is_listed(origin))
    }

    fn allows_host(&self, host: &str, has_keys: bool) -> bool {
        let listed = self.hosts.iter().any(|allowed| allowed.eq_ignore_ascii_case(host));
        listed || if has_keys { self.hosts.is_empty() } else { is_loopback(host) }
    }

    fn allows_origin(&self, origin: &str, named: Authority<'_>, has_keys: bool) -> bool {
        if self.is_listed(origin) {
            return true;
        }
        let Some((scheme, page)) = origin.split_once("://") else { return false };
        let is_web = ["http", "https"].iter().any(|web| scheme.eq_ignore_ascii_case(web));
        let allows = |page: Authority<'_>| if has_keys { page.is(named) } else { is_loopback(page.host) };
        is_web && Authority::parse(page).is_some_and(allows)
    }

    /// An origin without a host is never listed: `null` is the origin of every page that hides its own.
    fn is_listed(&self, origin: &str) -> bool {
        origin.contains("://") && self.origins.iter().any(|allowed| allowed.eq_ignore_ascii_case(origin))
    }
}

impl<'request> PeerHeaders<'request> {
    /// The host of the request, without its port; `None` unless the request names exactly one.
    #[must_use]
    pub fn host(&self) -> Option<&'request str> {
        self.named().ok().map(|named| named.host)
    }

    /// The one host the request names; `Host` and an absolute request line must not disagree.
    fn named(&self) -> Result<Authority<'request>> {
        let refused = |why| Error::new(Code::InvalidRequest, format!("the request {why}"));
        let host = match self.hosts.as_slice() {
            [] => return Err(refused("has no Host header")),
            [host] => Authority::parse(host).ok_or_else(|| refused("has a Host header that is not a host"))?,
            _ => return Err(refused("has more than one Host header")),
        };
        match self.target {
            Some(target) if !Authority::parse(target).is_some_and(|target| target.is(host)) => {
                Err(refused("names two different hosts"))
            }
            _ => Ok(host),
        }
    }
}

impl<'text> Authority<'text> {
    /// Reads a name or an address, and a port if there is one. A user before the host has no place in these headers.
    fn parse(text: &'text str) -> Option<Self> {
        let end = match text.strip_prefix('[') {
            Some(inside) => inside.find(']')? + 2,
            None => text.find(':').unwrap_or(text.len()),
        };
        let (host, rest) = text.split_at_checked(end)?;
        let port = if rest.is_empty() { "" } else { rest.strip_prefix(':')? };
        let is_host = match host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
            Some(address) => address.parse::<Ipv6Addr>().is_ok(),
            None => !host.is_empty() && host.bytes().all(is_of_a_name),
        };
        let is_port = port.is_empty() || port.parse::<u16>().is_ok();
        (is_host && is_port).then_some(Self { host, port })
    }

    fn is(self, other: Authority<'_>) -> bool {
        self.host.eq_ignore_ascii_case(other.host) && self.port == other.port
    }
}

/// Whether RFC 3986 has this byte in the name of a host.
fn is_of_a_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=%".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(peers: &PeerRules, host: &str, origin: Option<&str>, has_keys: bool) -> Result<()> {
        let origins = origin.into_iter().collect();
        peers.check(&PeerHeaders { target: None, hosts: vec![host], origins }, has_keys)
    }

    #[test]
    fn without_keys_only_this_machine_is_answered() {
        let peers = PeerRules::default();
        for good in ["localhost", "LOCALHOST:8787", "127.0.0.1:1", "127.8.8.8", "[::1]:8787"] {
            assert!(check(&peers, good, None, false).is_ok(), "{good}");
        }
        for bad in ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "10.0.0.1", "0.0.0.0", "[::2]"]
        {
            assert_eq!(check(&peers, bad, None, false).unwrap_err().code(), Code::Denied, "{bad}");
        }
    }

    #[test]
    fn without_keys_only_pages_of_this_machine_may_call() {
        let peers = PeerRules::default();
        for good in ["http://localhost:3000", "https://127.0.0.1", "http://[::1]:1", "HTTP://LocalHost"] {
            assert!(check(&peers, "localhost", Some(good), false).is_ok(), "{good}");
        }
        for bad in [
            "null",
            "",
            "https://evil.example",
            "http://localhost.evil.example",
            "file:///x",
            "localhost",
            "ws://localhost",
            "http://localhost@evil.example",
            "http://localhost:1@evil.example",
            "http://evil.example/localhost",
            "http://localhost/../x",
        ] {
            assert!(check(&peers, "localhost", Some(bad), false).is_err(), "{bad}");
        }
    }

    #[test]
    fn with_keys_a_list_of_hosts_narrows_and_origins_must_be_listed_or_our_own() {
        let open = PeerRules::default();
        assert!(check(&open, "api.example.com", None, true).is_ok());
        assert!(check(&open, "api.example.com", Some("https://api.example.com"), true).is_ok());
        assert!(check(&open, "api.example.com:1", Some("https://API.example.com:1"), true).is_ok());
        assert!(check(&open, "api.example.com:1", Some("https://api.example.com:2"), true).is_err());
        assert!(check(&open, "api.example.com", Some("https://evil.example"), true).is_err());
        assert!(check(&open, "api.example.com", Some("http://localhost"), true).is_err());
        let listed = PeerRules {
            hosts: vec!["api.example.com".to_owned()],
            origins: vec!["https://app.example.com".to_owned()],
        };
        assert!(check(&listed, "API.example.com:443", Some("https://app.example.com"), true).is_ok());
        assert!(check(&listed, "other.example.com", None, true).is_err());
    }

    #[test]
    fn only_a_page_of_one_listed_origin_reads_answers() {
        let origins = ["https://app.example.com", "null", "*"].map(str::to_owned).to_vec();
        let peers = PeerRules { hosts: Vec::new(), origins };
        let lists = |origins: &[&str]| {
            peers.lists_origin(&PeerHeaders { target: None, hosts: vec!["localhost"], origins: origins.to_vec() })
        };
        assert!(lists(&["https://app.example.com"]) && lists(&["HTTPS://App.example.com"]));
        for other in [
            &[][..],
            &["null"],
            &["*"],
            &["http://localhost"],
            &["https://app.example.com:444"],
            &["https://app.example.com/"],
            &["http://app.example.com"],
            &["https://app.example.com", "https://app.example.com"],
        ] {
            assert!(!lists(other), "{other:?}");
        }
        for no_origin in ["null", "*"] {
            assert!(check(&peers, "localhost", Some(no_origin), true).is_err(), "{no_origin}");
        }
    }

    #[test]
    fn a_request_names_one_host() {
        let code = |target, hosts: &[&str]| {
            let request = PeerHeaders { target, hosts: hosts.to_vec(), origins: Vec::new() };
            PeerRules::default().check(&request, false).err().map(|error| error.code())
        };
        assert_eq!(code(None, &["localhost"]), None);
        assert_eq!(code(Some("LOCALHOST:1"), &["localhost:1"]), None);
        for (target, hosts) in [
            (None, &[][..]),
            (None, &["localhost", "localhost"]),
            (Some("evil.example"), &["localhost"]),
            (Some("localhost:2"), &["localhost:1"]),
            (None, &[""]),
            (None, &["a b"]),
            (None, &["u@localhost"]),
            (None, &["localhost/"]),
            (None, &["localhost:x"]),
            (None, &["localhost:1:2"]),
            (None, &["localhost:65536"]),
            (None, &["[::1"]),
            (None, &["[::1]x"]),
            (None, &["[localhost]"]),
            (None, &[":80"]),
        ] {
            assert_eq!(code(target, hosts), Some(Code::InvalidRequest), "{target:?} {hosts:?}");
        }
    }
}
