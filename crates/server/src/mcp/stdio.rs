//! A host that starts this process, and speaks with it on standard input and output.

use rmcp::{
    ServiceExt as _,
    model::{CallToolRequestParams, ClientRequest, GetExtensions as _, JsonObject, JsonRpcMessage, JsonRpcRequest},
    service::{QuitReason, ServerInitializeError},
    transport::stdio_pipes,
};

use super::{
    conversation::HostConversation,
    lines::{Arrive, Lines},
    live_session::LiveSession,
    options::McpOptions,
    server::SessionServer,
};
use crate::{
    error::{Error, Result},
    handle::SessionBackend,
    limits::TEXT_BODY_BYTES,
    tools::CallQueue,
};

/// Serves the session behind `backend` to the host on standard input and output, until the input ends.
///
/// # Errors
/// `invalid_request` if what comes in is not the protocol; the store's, if the listing of skills cannot be read.
pub async fn serve_stdio(backend: SessionBackend, options: McpOptions) -> Result<()> {
    let queue = CallQueue::default();
    let arrive = places_in(queue.clone(), backend.clone());
    let server = SessionServer::new(backend, options, HostConversation::default()).await?;
    let server = LiveSession(server.with_person().in_queue(queue));
    let (reader, writer) = stdio_pipes();
    let running = match Box::pin(server.serve(Lines::new(reader, writer, TEXT_BODY_BYTES, arrive))).await {
        Ok(running) => running,
        // A host that leaves without a word wanted nothing.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => {
            let message =
                "what came on standard input is not the Model Context Protocol: let an agent's host start this command";
            return Err(invalid!("{message}").with_source(error));
        }
    };
    match running.waiting().await {
        Ok(QuitReason::JoinError(error)) | Err(error) => Err(Error::internal(error)),
        Ok(_) => Ok(()),
    }
}

/// Gives each call its place in the queue, in the order of the lines. Other messages wait for nothing.
fn places_in(queue: CallQueue, backend: SessionBackend) -> Arrive {
    Box::new(move |message| {
        let JsonRpcMessage::Request(JsonRpcRequest { request, .. }) = message else { return };
        let place = match request {
            ClientRequest::CallToolRequest(call) => {
                let none = JsonObject::new();
                let CallToolRequestParams { name, arguments, .. } = &call.params;
                queue.arrive(&backend, name, arguments.as_ref().unwrap_or(&none))
            }
            ClientRequest::GetPromptRequest(_) => queue.arrive_load(&backend),
            _ => return,
        };
        request.extensions_mut().insert(place);
    })
}
