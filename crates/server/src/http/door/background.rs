//! Work that goes on if its client leaves, for a bounded time.

use std::time::Duration;

use tokio::time::{sleep, timeout};

use crate::{
    error::{Code, Error, Outcome, Result},
    handle::Service,
    limits::PUBLISH_TIMEOUT,
    path::{LayerOwner, SkillPath},
};

/// The pauses before attempts to complete a change.
const COMPLETE_AFTER: [Duration; 4] =
    [Duration::from_secs(1), Duration::from_secs(10), Duration::from_mins(1), Duration::from_mins(5)];

/// Does `work` whether its client waits or not, for [`PUBLISH_TIMEOUT`] at most. Work that is cut off keeps its effects. A
/// publish is complete or has not happened at every moment.
///
/// # Errors
/// Those of `work`; `store_unavailable` with the outcome `unknown` if it takes longer.
pub(crate) async fn run_detached<T: Send + 'static>(
    work: impl Future<Output = Result<T>> + Send + 'static,
) -> Result<T> {
    let limited = async move { timeout(PUBLISH_TIMEOUT, work).await.unwrap_or_else(|_| Err(too_long())) };
    tokio::spawn(limited).await.map_err(Error::internal)?
}

/// Completes the plain files of a change that could not, in the background. The attempts end after the last of [`COMPLETE_AFTER`], and
/// a reader or the next change goes on from there.
pub(crate) fn complete_later(service: &Service, owner: LayerOwner, skill: SkillPath) {
    let publisher = service.publisher().clone();
    tokio::spawn(async move {
        for pause in COMPLETE_AFTER {
            sleep(pause).await;
            match publisher.complete_skill(&owner, &skill).await {
                Ok(()) => return,
                Err(error) => {
                    tracing::warn!(%skill, cause = %error.chain(), "the files of a published skill are still behind");
                }
            }
        }
    });
}

fn too_long() -> Error {
    let message = "the store takes too long for this change; look at the skill, which is as it was or as it is to be";
    Error::new(Code::StoreUnavailable, message).with_outcome(Outcome::Unknown)
}

#[cfg(test)]
mod tests {
    use std::{future::pending, sync::Arc};

    use tokio::{sync::Notify, time::Instant};

    use super::*;

    // S-PUBLISH-13: A publish continues if its client leaves, and ends within five minutes.
    #[tokio::test(start_paused = true)]
    async fn work_ends_in_its_time_and_goes_on_without_its_client() {
        let began = Instant::now();
        let error = run_detached(pending::<Result<()>>()).await.unwrap_err();
        assert_eq!((error.code(), error.outcome()), (Code::StoreUnavailable, Some(Outcome::Unknown)));
        assert_eq!(began.elapsed(), PUBLISH_TIMEOUT);

        let (go, done) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let (gone, told) = (Arc::clone(&go), Arc::clone(&done));
        let work = run_detached(async move {
            gone.notified().await;
            told.notify_one();
            Ok(())
        });
        timeout(PUBLISH_TIMEOUT / 2, work).await.unwrap_err();
        go.notify_one();
        done.notified().await;
    }
}
