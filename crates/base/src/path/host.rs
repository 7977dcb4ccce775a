//! Names of hosts.

use std::net::IpAddr;

/// Whether `host`, as it stands in a URL or a `Host` header, can only be this machine: `localhost`, also with a dot at its end, and
/// the addresses of the loopback network. Brackets around an address are passed over.
///
/// ```
/// use skillmount_base::path::is_loopback;
///
/// assert!(is_loopback("localhost") && is_loopback("127.0.0.1") && is_loopback("[::1]"));
/// assert!(!is_loopback("localhost.example.com") && !is_loopback("10.0.0.1"));
/// ```
#[must_use]
pub fn is_loopback(host: &str) -> bool {
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    let is_address = |address: IpAddr| address.to_canonical().is_loopback();
    host.strip_suffix('.').unwrap_or(host).eq_ignore_ascii_case("localhost") || bare.parse().is_ok_and(is_address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_addresses_of_this_machine_are_loopback_and_others_are_not() {
        for host in ["localhost", "LocalHost.", "127.0.0.1", "127.8.8.8", "::1", "[::1]", "[::ffff:127.0.0.1]"] {
            assert!(is_loopback(host), "{host}");
        }
        for host in [
            "",
            ".",
            "localhost.example",
            "localhost..",
            "[localhost]",
            "127.0.0.1.example",
            "10.0.0.1",
            "0.0.0.0",
            "[::2]",
        ] {
            assert!(!is_loopback(host), "{host}");
        }
    }
}
