//! The proxy that requests to a server go through, as the environment says.

use std::{env, fmt};

use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use reqwest::{Client, ClientBuilder, Url};

use crate::path::is_loopback;

/// The variables that may name a proxy, in the order in which they count.
const OF_HTTP: [&str; 2] = ["HTTP_PROXY", "http_proxy"];
const OF_HTTPS: [&str; 2] = ["HTTPS_PROXY", "https_proxy"];
const OF_ALL: [&str; 2] = ["ALL_PROXY", "all_proxy"];

/// A proxy between this program and a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ProxyInUse {
    /// The variable that names it; none if the system's settings do.
    variable: Option<&'static str>,
    /// Its address, without user and password.
    address: String,
}

/// A builder of the client for `server`. A server on this machine is never asked through a proxy.
pub(super) fn client_for(server: &Url) -> ClientBuilder {
    let client = Client::builder();
    if is_local(server) { client.no_proxy() } else { client }
}

impl ProxyInUse {
    /// The proxy on the way to `server`; `None` if [`client_for`] makes a client without one.
    pub(super) fn of(server: &Url) -> Option<Self> {
        Self::among(server, &Matcher::from_system(), |variable| env::var(variable).ok())
    }

    fn among(server: &Url, matcher: &Matcher, value: impl Fn(&str) -> Option<String>) -> Option<Self> {
        if is_local(server) {
            return None;
        }
        let taken = matcher.intercept(&server.as_str().parse().ok()?)?;
        let own = if server.scheme() == "https" { OF_HTTPS } else { OF_HTTP };
        // Of a pair the first that is set counts, even if it names no proxy.
        let mut set = [own, OF_ALL].into_iter().filter_map(|pair| {
            let variable = pair.into_iter().find(|variable| value(variable).is_some())?;
            Some((variable, Matcher::builder().all(value(variable)?).build()))
        });
        let names_it = |alone: &Matcher| alone.intercept(&server.as_str().parse().ok()?).map(|proxy| address(&proxy));
        let variable = set.find_map(|(variable, alone)| Some((variable, names_it(&alone)?)));
        let variable = variable.filter(|(_, named)| *named == address(&taken)).map(|(variable, _)| variable);
        Some(Self { variable, address: address(&taken) })
    }
}

impl fmt::Display for ProxyInUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { variable, address } = self;
        match variable {
            Some(variable) => write!(f, "the proxy {address}, which the variable {variable} names"),
            None => write!(f, "the proxy {address}, which the system's settings name"),
        }
    }
}

fn is_local(server: &Url) -> bool {
    server.host_str().is_some_and(is_loopback)
}

fn address(proxy: &Intercept) -> String {
    let uri = proxy.uri();
    let port = uri.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}://{}{port}", uri.scheme_str().unwrap_or("http"), uri.host().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proxy(server: &str, set: &[(&str, &str)]) -> Option<String> {
        let value =
            |name: &str| set.iter().find(|(variable, _)| *variable == name).map(|(_, value)| (*value).to_owned());
        let first = |pair: [&str; 2]| pair.into_iter().find_map(value).unwrap_or_default();
        let matcher = Matcher::builder().http(first(OF_HTTP)).https(first(OF_HTTPS)).all(first(OF_ALL));
        let matcher = matcher.no(first(["NO_PROXY", "no_proxy"])).build();
        ProxyInUse::among(&Url::parse(server).unwrap(), &matcher, value).map(|proxy| proxy.to_string())
    }

    #[test]
    fn a_proxy_is_named_with_its_variable_and_without_user_and_password() {
        let named = |variable, address| Some(format!("the proxy {address}, which the variable {variable} names"));
        for variable in ["http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"] {
            for given in ["http://bob:geheim@p.example:3128", "http://bob:ge@heim@p.example:3128", "p.example:3128"] {
                let found = proxy("http://service.example", &[(variable, given)]);
                assert_eq!(found, named(variable, "http://p.example:3128"), "{variable}={given}");
            }
        }
        let both = [("HTTPS_PROXY", "http://a.example"), ("ALL_PROXY", "socks5://u:p@b.example:1080")];
        assert_eq!(proxy("https://service.example", &both), named("HTTPS_PROXY", "http://a.example"));
        assert_eq!(proxy("http://service.example", &both), named("ALL_PROXY", "socks5://b.example:1080"));
        let no_proxy = [("http_proxy", "no address"), ("ALL_PROXY", "http://b.example:1")];
        assert_eq!(proxy("http://service.example", &no_proxy), named("ALL_PROXY", "http://b.example:1"));
    }

    #[test]
    fn loopback_addresses_and_excepted_hosts_have_no_proxy() {
        let set = [("http_proxy", "http://p.example:3128"), ("ALL_PROXY", "http://p.example:3128")];
        for server in
            ["http://127.0.0.1:8787", "http://localhost", "http://LOCALHOST.:1/x", "http://[::1]:8787", "http://127.1"]
        {
            assert_eq!(proxy(server, &set), None, "{server}");
        }
        let excepted = [("http_proxy", "http://p.example:3128"), ("no_proxy", "service.example")];
        assert_eq!(proxy("http://service.example", &excepted), None);
        assert_eq!(proxy("http://service.example", &[]), None);
    }
}
