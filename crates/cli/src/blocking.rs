//! Long work on this machine's disk, off the threads that hear signals.

use crate::error::{Error, Result};

/// Runs `work` on a thread that may block. If the caller no longer waits, the work goes on until the process ends, so it must
/// not write.
///
/// # Errors
/// Those of `work`; `internal` if it panics.
pub(super) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(Error::internal)?
}
