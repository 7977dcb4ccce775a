//! A session on standard input and output, whose user may be deleted while it goes on.
//!
//! Over HTTP the server looks at each request before it comes here. A host that started this process sends all of its requests to
//! the session itself.

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

impl Service<RoleServer> for LiveSession {
    async fn handle_request(&self, request: ClientRequest, context: McpContext) -> McpResult<ServerResult> {
        match (self.0.check_not_deleted().await, &request) {
            (Ok(()), _) | (Err(_), ClientRequest::PingRequest(_)) => {
                Box::pin(self.0.handle_request(request, context)).await
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
