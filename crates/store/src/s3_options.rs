//! How to reach a bucket. A build without S3 has this type too, so that one function opens every address.

/// How to reach a bucket. Missing options come from the standard chain: `AWS_*` variables, the shared config and
/// credentials files, SSO, container and instance roles. Checksums follow `AWS_REQUEST_CHECKSUM_CALCULATION`, which
/// older S3-compatible servers need set to `when_required`.
///
/// ```
/// use skillmount_store::S3Options;
///
/// let mut options = S3Options::default();
/// options.endpoint_url = Some("http://127.0.0.1:4566".to_owned());
/// assert_eq!(options.path_style, None);
/// ```
#[derive(Clone, Debug, Default)]
pub struct S3Options {
    /// The bucket's region.
    pub region: Option<String>,
    /// An S3-compatible server, as `http://127.0.0.1:4566`; before `AWS_ENDPOINT_URL_S3` and `AWS_ENDPOINT_URL`.
    pub endpoint_url: Option<String>,
    /// The profile of the shared files to use.
    pub profile: Option<String>,
    /// Whether the bucket is part of the path rather than of the host name; if `None`: exactly if an endpoint is named,
    /// because few custom endpoints have a host name for each bucket.
    pub path_style: Option<bool>,
    /// The KMS key that new objects are encrypted with; the bucket's own default if `None`.
    pub sse_kms_key_id: Option<String>,
    /// Whether the server is known to honour `If-Match` on DELETE. Amazon's endpoints are. Several S3-compatible servers ignore it, or
    /// reply 501.
    pub conditional_delete: bool,
}
