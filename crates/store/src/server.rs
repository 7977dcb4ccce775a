//! The server behind a store.

use serde::{Deserialize, Serialize};

/// The server behind a bucket, as far as the probe of conditional writes and `doctor` need it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoreServer {
    /// The URL of its endpoint.
    pub endpoint: String,
    /// The bucket.
    pub bucket: String,
    /// The name that the server gives itself in the header `Server`.
    pub software: Option<String>,
    /// The versioning of the bucket.
    pub versioning: Versioning,
}

/// The versioning of a bucket. Some servers evaluate conditions differently in each state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Versioning {
    /// It was never enabled.
    Off,
    /// The bucket has versions of each object.
    Enabled,
    /// It was enabled before.
    Suspended,
    /// The server did not say.
    #[default]
    Unknown,
}

impl StoreServer {
    /// Whether the endpoint is Amazon's own. A host outside `amazonaws.com` never is, whatever it calls itself.
    #[must_use]
    pub fn is_amazon(&self) -> bool {
        self.has_host("amazonaws.com") || self.has_host("amazonaws.com.cn")
    }

    /// Whether the host of the endpoint is `domain` or lies below it.
    pub(super) fn has_host(&self, domain: &str) -> bool {
        let host = host_of(&self.endpoint).to_ascii_lowercase();
        host.strip_suffix(domain).is_some_and(|below| below.is_empty() || below.ends_with('.'))
    }
}

/// The host in a URL, without user, port, path and the final dot of a domain.
fn host_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let has_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    let host = host.rsplit_once(':').filter(|(_, port)| has_port(port)).map_or(host, |(host, _)| host);
    host.trim_end_matches('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(endpoint: &str) -> StoreServer {
        StoreServer { endpoint: endpoint.to_owned(), ..StoreServer::default() }
    }

    // S-STORE-13: The service never takes a host outside `amazonaws.com` for Amazon's.
    #[test]
    fn only_a_host_of_amazon_is_amazons() {
        for own in [
            "https://s3.eu-west-1.amazonaws.com",
            "https://bucket.s3.amazonaws.com/",
            "https://S3.CN-NORTH-1.AMAZONAWS.COM.CN:443/x",
        ] {
            assert!(at(own).is_amazon(), "{own}");
        }
        for foreign in [
            "https://amazonaws.com.evil.example",
            "https://notamazonaws.com",
            "http://10.0.0.1/s3.amazonaws.com",
            "http://s3.amazonaws.com@10.0.0.1:9000",
            "http://localhost:4566",
            "http://[::1]:9000",
        ] {
            assert!(!at(foreign).is_amazon(), "{foreign}");
        }
    }
}
