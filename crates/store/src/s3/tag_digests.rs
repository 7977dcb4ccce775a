//! Whether the `ETag`s of a bucket are digests of bytes, as far as the answers show.
//!
//! A whole body without a known size can be cut, with the length that is left in its header. On most buckets the `ETag` of
//! an object is its MD5, if one request put the object. Then the MD5 shows the cut. But some servers, and all buckets behind a key of a KMS,
//! give tags that only look like one. So a body whose MD5 is not its tag is compared with the size in a HEAD, until a bucket
//! has shown that its tags are no digests.

use std::sync::atomic::{AtomicBool, Ordering};

use aws_sdk_s3::{operation::get_object::GetObjectOutput, types::ServerSideEncryption};

use crate::Object;
use skillmount_base::path::ETag;

/// The findings from the answers of a bucket.
#[derive(Debug, Default)]
pub(super) struct TagDigests {
    /// Some tag was the MD5 of its body.
    seen_digest: AtomicBool,
    /// Some tag looked like an MD5, and its body was whole and had another.
    seen_other: AtomicBool,
}

impl TagDigests {
    /// Whether only the size of the object can show that `object` is whole, though its tag looks like a digest.
    pub(super) fn leave_doubt(&self, object: &Object) -> bool {
        if !object.meta.etag.has_form_of_md5() {
            return false;
        }
        if ETag::md5_of(&object.bytes) == object.meta.etag {
            self.seen_digest.store(true, Ordering::Relaxed);
            return false;
        }
        self.seen_digest.load(Ordering::Relaxed) || !self.seen_other.load(Ordering::Relaxed)
    }

    /// Records a whole body whose tag was not its MD5.
    pub(super) fn record_other(&self) {
        self.seen_other.store(true, Ordering::Relaxed);
    }
}

/// Whether a key encrypts the object with which the tag is never its MD5.
pub(super) fn is_encrypted_by_key(answer: &GetObjectOutput) -> bool {
    let by_kms = |kind: &ServerSideEncryption| *kind != ServerSideEncryption::Aes256;
    answer.server_side_encryption.as_ref().is_some_and(by_kms) || answer.sse_customer_algorithm.is_some()
}
