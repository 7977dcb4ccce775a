//! Which Hosts and Origins are answered.
//!
//! Without keys the only wall is that the service listens on a loopback address, and a web page could climb it: by
//! letting its own name resolve to 127.0.0.1 (DNS rebinding, seen in `Host`) or by posting across origins (seen in
//! `Origin`). So both are checked on every route. With keys any Host is taken unless a list is configured, because a
//! page that lacks the key gains nothing; an Origin must be on the list, or be the service's own.

use std::net::IpAddr;

use axum::http::{HeaderMap, Uri, header, uri::Authority};

use crate::error::{Code, Error, Result};

/// The configured lists; both may be empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllowedPeers {
    /// Names the service is reached by, without port. With keys, empty means any.
    pub hosts: Vec<String>,
    /// Origins of web pages that may call it, such as `https://app.example.com`.
    pub origins: Vec<String>,
}

impl AllowedPeers {
    /// Checks the Host and Origin of one request.
    ///
    /// # Errors
    /// `invalid_request` where there is no readable Host, `denied` where one of them is not allowed.
    pub(super) fn check(&self, uri: &Uri, headers: &HeaderMap, has_keys: bool) -> Result<()> {
        let host = host(uri, headers)?;
        if !self.host_allowed(host.host(), has_keys) {
            return Err(Error::new(
                Code::Denied,
                format!("this service does not answer to the Host {:?}; use the address it listens on", host.host()),
            ));
        }
        for origin in headers.get_all(header::ORIGIN) {
            let origin = origin.to_str().unwrap_or_default();
            if !self.origin_allowed(origin, &host, has_keys) {
                return Err(Error::new(
                    Code::Denied,
                    format!(
                        "pages of the origin {origin:?} may not call this service; allow the origin in its configuration"
                    ),
                ));
            }
        }
        Ok(())
    }

    fn host_allowed(&self, host: &str, has_keys: bool) -> bool {
        let listed = self.hosts.iter().any(|allowed| allowed.eq_ignore_ascii_case(host));
        listed || if has_keys { self.hosts.is_empty() } else { is_loopback(host) }
    }

    fn origin_allowed(&self, origin: &str, host: &Authority, has_keys: bool) -> bool {
        if self.origins.iter().any(|allowed| allowed.eq_ignore_ascii_case(origin)) {
            return true;
        }
        let Ok(origin) = origin.parse::<Uri>() else { return false };
        let web = matches!(origin.scheme_str(), Some("http" | "https"));
        let page = origin.authority();
        web && page.is_some_and(|page| if has_keys { page == host } else { is_loopback(page.host()) })
    }
}

/// The one authority the request names; `Host` and an absolute request line must not disagree.
fn host(uri: &Uri, headers: &HeaderMap) -> Result<Authority> {
    let refused = |why| Error::new(Code::InvalidRequest, format!("the request {why}"));
    let mut named = headers.get_all(header::HOST).iter();
    let (first, second) = (named.next(), named.next());
    let Some(first) = first else { return Err(refused("has no Host header")) };
    if second.is_some() {
        return Err(refused("has more than one Host header"));
    }
    let host: Authority = std::str::from_utf8(first.as_bytes())
        .ok()
        .and_then(|text| text.parse().ok())
        .ok_or_else(|| refused("has a Host header that is not a host"))?;
    match uri.authority() {
        Some(line) if *line != host => Err(refused("names two different hosts")),
        _ => Ok(host),
    }
}

/// Whether a host, as it stands in a URL, can only be this machine.
fn is_loopback(host: &str) -> bool {
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    host.eq_ignore_ascii_case("localhost") || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(peers: &AllowedPeers, host: &str, origin: Option<&str>, has_keys: bool) -> Result<()> {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, host.parse().unwrap());
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, origin.parse().unwrap());
        }
        peers.check(&Uri::from_static("/v1/x"), &headers, has_keys)
    }

    #[test]
    fn without_keys_only_this_machine_is_answered() {
        let peers = AllowedPeers::default();
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
        let peers = AllowedPeers::default();
        for good in ["http://localhost:3000", "https://127.0.0.1", "http://[::1]:1"] {
            assert!(check(&peers, "localhost", Some(good), false).is_ok(), "{good}");
        }
        for bad in ["null", "", "https://evil.example", "http://localhost.evil.example", "file:///x", "localhost"] {
            assert!(check(&peers, "localhost", Some(bad), false).is_err(), "{bad}");
        }
    }

    #[test]
    fn with_keys_a_list_of_hosts_narrows_and_origins_must_be_listed_or_our_own() {
        let open = AllowedPeers::default();
        assert!(check(&open, "api.example.com", None, true).is_ok());
        assert!(check(&open, "api.example.com", Some("https://api.example.com"), true).is_ok());
        assert!(check(&open, "api.example.com", Some("https://evil.example"), true).is_err());
        assert!(check(&open, "api.example.com", Some("http://localhost"), true).is_err());
        let listed = AllowedPeers {
            hosts: vec!["api.example.com".to_owned()],
            origins: vec!["https://app.example.com".to_owned()],
        };
        assert!(check(&listed, "API.example.com:443", Some("https://app.example.com"), true).is_ok());
        assert!(check(&listed, "other.example.com", None, true).is_err());
    }

    #[test]
    fn a_request_names_one_host() {
        let peers = AllowedPeers::default();
        let mut headers = HeaderMap::new();
        assert!(peers.check(&Uri::from_static("/"), &headers, false).is_err());
        headers.insert(header::HOST, "localhost".parse().unwrap());
        assert!(peers.check(&Uri::from_static("http://evil.example/"), &headers, false).is_err());
        headers.append(header::HOST, "localhost".parse().unwrap());
        assert!(peers.check(&Uri::from_static("/"), &headers, false).is_err());
    }
}
