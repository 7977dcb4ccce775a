//! How a host learns that its tools and resources changed.
//!
//! Before protocol version 2026-07-28 the server sends notifications. Since then a host subscribes with
//! `subscriptions/listen`. On standard input and output the stream stays open as long as the process lives. Over HTTP a
//! replica could not keep the stream from its own memory, so the server neither promises nor serves it.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use rmcp::{
    Peer, RoleServer,
    model::{ProtocolVersion, SubscriptionFilter},
    service::{SubscriptionContext, SubscriptionSink},
};
use tokio::time::timeout;

use super::refusal::McpContext;

/// How long a notification may take. The `rmcp` crate waits longer for the last answers.
const TELL_PATIENCE: Duration = Duration::from_secs(1);

/// The hosts that are notified of changes. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct ChangeNotifier {
    /// The streams that are open.
    listening: Arc<Mutex<Vec<SubscriptionSink>>>,
    /// Whether the host is notified at all.
    are_told: bool,
    /// Whether streams may be opened.
    may_listen: bool,
}

impl ChangeNotifier {
    /// A host that gets notifications, and may open no stream.
    pub(super) fn by_notification() -> Self {
        Self { listening: Arc::default(), are_told: true, may_listen: false }
    }

    /// A host that gets notifications, and may open streams.
    pub(super) fn with_streams() -> Self {
        Self { may_listen: true, ..Self::by_notification() }
    }

    /// A host that gets no notifications.
    pub(super) fn none() -> Self {
        Self { are_told: false, ..Self::by_notification() }
    }

    /// Whether the server promises notifications to the host.
    pub(super) fn are_promised(&self) -> bool {
        self.are_told
    }

    /// The changes that a stream may subscribe to; `None` if there are no streams.
    pub(super) fn filter(&self) -> Option<SubscriptionFilter> {
        self.may_listen.then(|| SubscriptionFilter::builder().tools_list_changed().resources_list_changed().build())
    }

    /// Keeps a stream until its host ends it.
    pub(super) async fn listen(&self, stream: &SubscriptionContext) {
        let sink = stream.sink();
        self.streams(|streams| streams.push(sink.clone()));
        stream.cancelled().await;
        self.streams(|streams| streams.retain(|one| one.id() != sink.id()));
    }

    /// Notifies the host of the call that its tools and resources changed.
    pub(super) async fn send(&self, context: &McpContext) {
        if !self.are_told {
            return;
        }
        let has_streams = context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
        let telling =
            async { if has_streams { self.send_to_streams().await } else { send_to_peer(&context.peer).await } };
        // A host that has closed its side reads no notification any more. Its last answers wait for this call, so the
        // time is limited.
        let is_told = timeout(TELL_PATIENCE, telling).await.unwrap_or_default();
        if !is_told {
            tracing::debug!("the notification that tools and resources changed did not reach the host");
        }
    }

    async fn send_to_streams(&self) -> bool {
        let mut are_told = true;
        for sink in self.streams(|streams| streams.clone()) {
            let accepted = sink.accepted().clone();
            if accepted.tools_list_changed == Some(true) {
                are_told &= sink.notify_tool_list_changed().await.is_ok();
            }
            if accepted.resources_list_changed == Some(true) {
                are_told &= sink.notify_resource_list_changed().await.is_ok();
            }
        }
        are_told
    }

    fn streams<T>(&self, work: impl FnOnce(&mut Vec<SubscriptionSink>) -> T) -> T {
        work(&mut self.listening.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

async fn send_to_peer(peer: &Peer<RoleServer>) -> bool {
    peer.notify_tool_list_changed().await.is_ok() && peer.notify_resource_list_changed().await.is_ok()
}
