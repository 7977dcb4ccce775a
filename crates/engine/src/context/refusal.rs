//! Why a call is not admitted.

use crate::{
    access::out_of_reach,
    error::{Code, Error},
    session::SessionError,
    skill::shown::quoted,
    wire::Operation,
};

/// Why a call is not admitted.
#[derive(Clone, Debug)]
pub(crate) enum Refusal {
    /// A policy blocks the operation.
    Blocked(Operation),
    /// The operation changes something, and the session plans.
    PlanMode(Operation),
    /// A policy has a member of a newer version, which may limit any change.
    NotUnderstood(Operation),
    /// The caller's key does not reach the session.
    OutOfScope,
    /// A person has to approve the call, which `what` names, and was asked.
    NeedsApproval { what: String, approval_id: String },
    /// A person denied the call, which `what` names, and may have sent a text for the model.
    Denied { what: String, message: Option<String> },
    /// The session or a policy cannot be read, nothing can be written, or the approval cannot be stored.
    Failed(Error),
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<SessionError> for Refusal {
    fn from(error: SessionError) -> Self {
        Self::Failed(error.into())
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Blocked(operation) => {
                Self::new(Code::ToolBlocked, format!("the tool {operation} is blocked by policy; go on without it"))
            }
            Refusal::PlanMode(operation) => {
                let message =
                    format!("{operation} is not possible in plan mode: read and plan; changes come after approval");
                Self::new(Code::PlanMode, message)
            }
            Refusal::NotUnderstood(operation) => {
                let message = format!(
                    "{operation} is not possible: a policy has rules of a newer version of skillmount, and this service \
                     changes nothing under them until it is updated"
                );
                Self::new(Code::PlanMode, message)
            }
            Refusal::OutOfScope => out_of_reach(),
            Refusal::NeedsApproval { what, approval_id } => {
                let message = format!(
                    "{what} needs a person's approval, which was asked for; wait, then make the identical call again"
                );
                Self::new(Code::ApprovalRequired, message).with_detail("approval_id", approval_id)
            }
            Refusal::Denied { what, message } => {
                let own = format!("a person denied {what}; do not make this call again, go on without it");
                let text = message.map(|message| format!(". The person says: {}", quoted(&message)));
                Self::new(Code::ToolBlocked, own + &text.unwrap_or_default())
            }
            Refusal::Failed(error) => error,
        }
    }
}
