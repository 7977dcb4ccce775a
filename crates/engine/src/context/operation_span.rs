//! An operation of an agent under way.

use super::{account::Account, call::Context};
use crate::{
    error::Result,
    wire::{CallOutline, Operation},
};

/// An operation of an agent under way: call and account, which began together.
pub(crate) struct OperationSpan {
    context: Context,
    operation: Operation,
    account: Account,
}

impl Context {
    /// Begins an operation. `subject` describes its subject, and `input` is the input without contents.
    pub(crate) fn begin(
        &self,
        operation: Operation,
        subject: impl Fn() -> String,
        input: impl FnOnce() -> CallOutline,
    ) -> OperationSpan {
        let who = (&*self.caller, &self.session);
        let account = Account::of_operation(&self.core, who, operation, self.options.id.as_deref(), subject, input);
        let context = Self { effects: account.effects(), ..self.clone() };
        OperationSpan { context, operation, account }
    }
}

impl OperationSpan {
    /// The call.
    pub(crate) fn context(&self) -> &Context {
        &self.context
    }

    /// Which operation.
    pub(crate) fn operation(&self) -> Operation {
        self.operation
    }

    /// Ends the account with the operation's outcome, and returns the outcome once a change has its record.
    ///
    /// # Errors
    /// The operation's; `store_unavailable` with `parts` if it made a change that has no record.
    pub(crate) async fn ended<T>(self, outcome: Result<T>) -> Result<T> {
        self.account.ended(outcome).await
    }
}
