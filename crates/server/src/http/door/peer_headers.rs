//! The parts of a request's head by which `access` decides.

use axum::http::{HeaderMap, HeaderValue, Uri, header, uri::Authority};

use crate::access::PeerHeaders;

/// The host and the page that the headers of a request name.
pub(crate) fn peer_headers<'request>(uri: &'request Uri, headers: &'request HeaderMap) -> PeerHeaders<'request> {
    let all = |name| headers.get_all(name).iter().map(text).collect();
    PeerHeaders {
        target: uri.authority().map(Authority::as_str),
        hosts: all(header::HOST),
        origins: all(header::ORIGIN),
    }
}

/// The authorization that the request brings.
pub(crate) fn authorization(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::AUTHORIZATION)?.to_str().ok()
}

/// A header as text; empty if it is none.
fn text(value: &HeaderValue) -> &str {
    std::str::from_utf8(value.as_bytes()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::PeerRules;

    #[test]
    fn a_request_names_one_host() {
        let peers = PeerRules::default();
        let check = |uri, headers: &HeaderMap| {
            let uri = Uri::from_static(uri);
            peers.check(&peer_headers(&uri, headers), false)
        };
        let mut headers = HeaderMap::new();
        assert!(check("/", &headers).is_err());
        headers.insert(header::HOST, "localhost".parse().unwrap());
        assert!(check("/", &headers).is_ok() && check("http://localhost/", &headers).is_ok());
        assert!(check("http://evil.example/", &headers).is_err());
        headers.append(header::HOST, "localhost".parse().unwrap());
        assert!(check("/", &headers).is_err());
    }

    #[test]
    fn every_origin_counts_and_one_that_is_no_text_is_none() {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, "localhost".parse().unwrap());
        headers.append(header::ORIGIN, "http://localhost".parse().unwrap());
        let uri = Uri::from_static("/");
        assert!(PeerRules::default().check(&peer_headers(&uri, &headers), false).is_ok());
        headers.append(header::ORIGIN, HeaderValue::from_bytes(b"http://\xff").unwrap());
        assert_eq!(peer_headers(&uri, &headers).origins, ["http://localhost", ""]);
        assert!(PeerRules::default().check(&peer_headers(&uri, &headers), false).is_err());
    }

    #[test]
    fn an_authorization_that_is_no_text_is_none() {
        let headers =
            |value: &[u8]| HeaderMap::from_iter([(header::AUTHORIZATION, HeaderValue::from_bytes(value).unwrap())]);
        assert_eq!(authorization(&headers(b"Bearer k")), Some("Bearer k"));
        assert_eq!(authorization(&headers(b"Bearer \xff")), None);
        assert_eq!(authorization(&HeaderMap::new()), None);
    }
}
