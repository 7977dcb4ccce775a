//! The kinds of requests to a bucket.

/// The kind of request, as far as it changes the meaning of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RequestKind {
    /// The bytes or description of one object: 404 means the object.
    Object,
    /// A listing: 404 means the bucket.
    Listing,
    /// A put on an existing object: 404 means the object.
    Replacement,
    /// A put of a new object: 404 means the bucket.
    Put,
    /// A delete of one version: 404 means the object.
    DeleteOfVersion,
    /// A delete of any version: 404 means the bucket.
    Delete,
    /// A put of tags on an existing object: 404 means the object.
    Tagging,
    /// A listing of versions: 404 means the bucket.
    Versions,
    /// A delete of one version for good: 404 means the version.
    Purge,
}

impl RequestKind {
    /// Whether it may change something.
    pub(super) fn is_change(self) -> bool {
        !matches!(self, Self::Object | Self::Listing | Self::Versions)
    }

    /// Whether 404 means its object and not the bucket.
    pub(super) fn is_of_object(self) -> bool {
        matches!(self, Self::Object | Self::Replacement | Self::DeleteOfVersion | Self::Tagging | Self::Purge)
    }

    /// The name of the action in policies.
    pub(super) fn action(self) -> &'static str {
        match self {
            Self::Object => "s3:GetObject",
            Self::Listing => "s3:ListBucket",
            Self::Replacement | Self::Put => "s3:PutObject",
            Self::DeleteOfVersion | Self::Delete => "s3:DeleteObject",
            Self::Tagging => "s3:PutObjectTagging",
            Self::Versions => "s3:ListBucketVersions",
            Self::Purge => "s3:DeleteObjectVersion",
        }
    }
}
