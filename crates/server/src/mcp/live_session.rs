//! A session on standard input and output. Meanwhile its user may be deleted, and its policy may change.
//!
//! Over HTTP the server looks at each request before it comes here, and each beginning has a server of its own. A host that
//! started this process sends all of its requests to the session itself.

use std::borrow::Cow;

use rmcp::{
    RoleServer, Service,
    model::{
        CallToolResult, ClientNotification, ClientRequest, ContentBlock, ProtocolVersion, ServerConfig, ServerResult,
    },
    service::NotificationContext,
};

use super::{
    refusal::{McpContext, McpResult, refusal},
    server::SessionServer,
};
use crate::tools::CallOutcome;

/// A session that answers no request once its user is being deleted.
pub(super) struct LiveSession(pub(super) SessionServer);

impl LiveSession {
    /// The answer to a beginning, with the listing of skills as it is now. Any other answer stays as it is.
    async fn with_listing(&self, answer: ServerResult) -> McpResult<ServerResult> {
        let listing = async || self.0.listing().await.map_err(|error| refusal(&error));
        Ok(match answer {
            ServerResult::InitializeResult(begun) => {
                ServerResult::InitializeResult(begun.with_instructions(listing().await?))
            }
            ServerResult::DiscoverResult(mut begun) => {
                begun.instructions = Some(listing().await?);
                ServerResult::DiscoverResult(begun)
            }
            answer => answer,
        })
    }
}

impl Service<RoleServer> for LiveSession {
    async fn handle_request(&self, request: ClientRequest, context: McpContext) -> McpResult<ServerResult> {
        match (self.0.check_not_deleted().await, &request) {
            (Ok(()), _) | (Err(_), ClientRequest::PingRequest(_)) => {
                let answer = Box::pin(self.0.handle_request(request, context)).await?;
                self.with_listing(answer).await
            }
            // A model reads why its call failed.
            (Err(error), ClientRequest::CallToolRequest(_)) => {
                let text = CallOutcome::failed(error).text;
                Ok(ServerResult::CallToolResult(CallToolResult::error(vec![ContentBlock::text(text)])))
            }
            (Err(error), _) => Err(refusal(&error)),
        }
    }

    async fn handle_notification(
        &self,
        notification: ClientNotification,
        context: NotificationContext<RoleServer>,
    ) -> McpResult<()> {
        self.0.handle_notification(notification, context).await
    }

    fn get_info(&self) -> ServerConfig {
        Service::get_info(&self.0)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Service::supported_protocol_versions(&self.0)
    }
}
