//! The person who decides about calls that wait for an approval.

use async_trait::async_trait;

use crate::wire::{DecideApproval, WaitingCall};

/// A person, or what asks one. A closure that returns a future is one too.
///
/// ```
/// use skillmount_rig::Approver;
/// use skillmount_wire::{DecideApproval, Decision, WaitingCall};
///
/// /// Allows loads and denies everything else.
/// struct OnlyLoads;
///
/// #[async_trait::async_trait]
/// impl Approver for OnlyLoads {
///     async fn decide(&self, call: &WaitingCall) -> DecideApproval {
///         match &call.skill {
///             Some(_) => DecideApproval::new(Decision::Allow),
///             None => DecideApproval { message: Some("archive it instead".to_owned()), ..DecideApproval::new(Decision::Deny) },
///         }
///     }
/// }
/// ```
#[async_trait]
pub trait Approver: Send + Sync {
    /// Decides about `call`. The call shows its tool, up to 4 KiB of input and the seconds left, and a load also the skill and the digest
    /// of its files. The text of a denial reaches the model. The future is dropped when the call stops waiting.
    async fn decide(&self, call: &WaitingCall) -> DecideApproval;
}

#[async_trait]
impl<F, Decided> Approver for F
where
    F: Fn(WaitingCall) -> Decided + Send + Sync,
    Decided: Future<Output = DecideApproval> + Send,
{
    async fn decide(&self, call: &WaitingCall) -> DecideApproval {
        self(call.clone()).await
    }
}
