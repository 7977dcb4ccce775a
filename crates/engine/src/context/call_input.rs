//! The input of a call that a person approves.

use std::future::Future;

use futures_util::future::lazy;
use serde_json::Value;

use crate::{
    error::{Error, Result},
    wire::{CallOutline, Request},
};

/// The input of a call that a person approves.
#[derive(Clone, Debug)]
pub(crate) struct CallInput {
    /// The whole input. Its digest identifies the call when a model repeats it.
    pub(crate) input: Value,
    /// The input without contents, which the person and listeners see.
    pub(crate) outline: CallOutline,
}

impl CallInput {
    /// The input of a call with this request. It is made once it is awaited.
    ///
    /// # Errors
    /// `internal` if the request is no JSON.
    pub(crate) fn from_request<R: Request + Sync>(request: &R) -> impl Future<Output = Result<Self>> + Send {
        let input = move || serde_json::to_value(request).map_err(Error::internal);
        lazy(move |_| Ok(Self { input: input()?, outline: request.outline() }))
    }
}
