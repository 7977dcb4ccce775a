//! An operation of an agent under way.

use super::{account::Account, call::Context};
use crate::{
    error::Result,
    wire::{CallOutline, Operation},
};

/// An operation of an agent under way: its call, and the account of it, which began with it.
pub(crate) struct OperationSpan {
    context: Context,
    operation: Operation,
    account: Account,
}

impl Context {
    /// Begins an operation. `subject` says what it is about, and `input` is its input without contents.
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

    /// Ends the account with what came of the operation, and returns that once a change has its record.
    ///
    /// # Errors
    /// The operation's; `store_unavailable` with `parts` if it made a change that has no record.
    pub(crate) async fn ended<T>(self, outcome: Result<T>) -> Result<T> {
        self.account.ended(outcome).await
    }
}
