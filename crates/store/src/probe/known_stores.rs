//! The servers whose conditional writes are known to differ from S3's. `docs/book/reference/stores.md` has the same table.
//!
//! A known quirk is a hint for the operator. The race decides, except for stores that no race from one place can judge.

use crate::StoreServer;

/// A server that is known by name.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KnownStore {
    /// Its name.
    pub name: &'static str,
    /// The difference from S3.
    pub quirk: &'static str,
    /// Whether the service only reads from it, whatever a race shows.
    pub is_read_only: bool,
    /// The domains of its endpoints.
    domains: &'static [&'static str],
    /// How the name in its header `Server` begins, in lower case.
    software: &'static [&'static str],
}

const MULTI_REGION: KnownStore = KnownStore {
    name: "S3 Multi-Region Access Point",
    quirk: "writes go to the nearest bucket and are replicated later, so conditions do not hold between regions",
    is_read_only: true,
    domains: &["accesspoint.s3-global.amazonaws.com"],
    software: &[],
};

/// The known servers, each once.
pub const KNOWN_STORES: &[KnownStore] = &[
    MULTI_REGION,
    KnownStore {
        name: "Google Cloud Storage",
        quirk: "conditions go by generation and not by etag; about one write a second to one key",
        is_read_only: true,
        domains: &["storage.googleapis.com"],
        software: &[],
    },
    KnownStore {
        name: "Tigris",
        quirk: "conditions do not hold between regions in a \"global\" bucket, which is the default",
        is_read_only: true,
        domains: &["t3.storage.dev", "fly.storage.tigris.dev"],
        software: &["tigris"],
    },
    KnownStore {
        name: "Cloudflare R2",
        quirk: "one write a second to one key; more get 429",
        is_read_only: false,
        domains: &["r2.cloudflarestorage.com"],
        software: &[],
    },
    KnownStore {
        name: "DigitalOcean Spaces",
        quirk: "accepts If-Match on a write and ignores it",
        is_read_only: false,
        domains: &["digitaloceanspaces.com"],
        software: &[],
    },
    KnownStore {
        name: "Backblaze B2",
        quirk: "is reported to have no conditional writes",
        is_read_only: false,
        domains: &["backblazeb2.com"],
        software: &[],
    },
    KnownStore {
        name: "Hetzner Object Storage",
        quirk: "is reported to have no conditional writes",
        is_read_only: false,
        domains: &["your-objectstorage.com"],
        software: &[],
    },
    KnownStore {
        name: "RustFS",
        quirk: "before August 2026, concurrent creates through several endpoints of one cluster could all succeed",
        is_read_only: false,
        domains: &[],
        software: &["rustfs"],
    },
    KnownStore {
        name: "SeaweedFS",
        quirk: "before version 4.41, concurrent creates could all succeed",
        is_read_only: false,
        domains: &[],
        software: &["seaweedfs"],
    },
    KnownStore {
        name: "Versity S3 Gateway",
        quirk: "before August 2026, concurrent writes with If-Match could all succeed",
        is_read_only: false,
        domains: &[],
        software: &["versitygw"],
    },
    KnownStore {
        name: "MinIO",
        quirk: "before October 2025, If-Match was ignored on a missing object; with several pools, conditions see one pool",
        is_read_only: false,
        domains: &[],
        software: &["minio"],
    },
    KnownStore {
        name: "Ceph Object Gateway",
        quirk: "conditions are wrong in buckets whose versioning is suspended",
        is_read_only: false,
        domains: &[],
        software: &["ceph"],
    },
    KnownStore {
        name: "Garage",
        quirk: "has no conditional writes",
        is_read_only: false,
        domains: &[],
        software: &["garage"],
    },
];

impl KnownStore {
    /// Finds `server` in the table, by bucket, host or the header `Server`; `None` for an unknown one.
    ///
    /// ```
    /// use skillmount_store::{KnownStore, StoreServer};
    ///
    /// let endpoint = "https://account.r2.cloudflarestorage.com".to_owned();
    /// let server = StoreServer { endpoint, ..StoreServer::default() };
    /// assert_eq!(KnownStore::find(&server).map(|known| known.name), Some("Cloudflare R2"));
    /// ```
    #[must_use]
    pub fn find(server: &StoreServer) -> Option<&'static Self> {
        if is_multi_region(&server.bucket) {
            return Some(&MULTI_REGION);
        }
        let software = server.software.as_deref().unwrap_or_default().to_ascii_lowercase();
        KNOWN_STORES.iter().find(|known| {
            known.domains.iter().any(|domain| server.has_host(domain))
                || known.software.iter().any(|name| software.starts_with(name))
        })
    }
}

/// Whether a bucket is the ARN of an access point without a region, which leads to several regions.
fn is_multi_region(bucket: &str) -> bool {
    let mut parts = bucket.split(':');
    let is_arn = parts.next() == Some("arn") && parts.nth(1) == Some("s3");
    is_arn && parts.next() == Some("") && parts.nth(1).is_some_and(|resource| resource.starts_with("accesspoint"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Versioning;

    fn name(endpoint: &str, bucket: &str, software: &str) -> Option<&'static str> {
        let server = StoreServer {
            endpoint: endpoint.to_owned(),
            bucket: bucket.to_owned(),
            software: Some(software.to_owned()),
            versioning: Versioning::Off,
        };
        KnownStore::find(&server).map(|known| known.name)
    }

    #[test]
    fn a_known_store_is_found_by_bucket_host_or_name() {
        let own = "http://10.0.0.1:9000";
        for (endpoint, bucket, software, found) in [
            ("https://s3.eu-west-1.amazonaws.com", "b", "AmazonS3", None),
            (own, "b", "", None),
            (own, "arn:aws:s3::1:accesspoint/a.mrap", "", Some("S3 Multi-Region Access Point")),
            (own, "arn:aws:s3:eu-west-1:1:accesspoint/a", "", None),
            ("https://a.accesspoint.s3-global.amazonaws.com", "b", "", Some("S3 Multi-Region Access Point")),
            ("https://storage.googleapis.com", "b", "UploadServer", Some("Google Cloud Storage")),
            ("https://t3.storage.dev", "b", "", Some("Tigris")),
            ("https://x.r2.cloudflarestorage.com", "b", "cloudflare", Some("Cloudflare R2")),
            ("https://fra1.digitaloceanspaces.com", "b", "", Some("DigitalOcean Spaces")),
            ("https://s3.eu-central-003.backblazeb2.com", "b", "", Some("Backblaze B2")),
            ("https://fsn1.your-objectstorage.com", "b", "", Some("Hetzner Object Storage")),
            (own, "b", "RustFS", Some("RustFS")),
            (own, "b", "SeaweedFS 4.16", Some("SeaweedFS")),
            (own, "b", "VERSITYGW", Some("Versity S3 Gateway")),
            (own, "b", "MinIO", Some("MinIO")),
            (own, "b", "Ceph Object Gateway (tentacle)", Some("Ceph Object Gateway")),
            (own, "b", "Garage", Some("Garage")),
        ] {
            assert_eq!(name(endpoint, bucket, software), found, "{endpoint} {bucket} {software}");
        }
    }
}
