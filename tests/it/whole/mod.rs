//! All rooms together: the complete example, buckets of earlier versions, races, crashes, and everything that goes wrong.

#[cfg(feature = "cli")]
mod crashes;
mod earlier_bucket;
pub(crate) mod example;
#[cfg(feature = "s3")]
mod on_s3;
pub(crate) mod races;
mod worst_cases;
#[cfg(all(feature = "server", feature = "client"))]
mod written_buckets;
