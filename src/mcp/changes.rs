//! How a host learns that its tools and resources changed.
//!
//! Before 2026-07-28 it is told by a notification. Since then a host is told what it listens to, by `subscriptions/listen`, which
//! stays open: on standard input and output as long as the process lives. Over HTTP no replica could keep it from memory, so there
//! it is neither promised nor answered.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use rmcp::{
    Peer, RoleServer,
    model::{ProtocolVersion, SubscriptionFilter},
    service::{RequestContext, SubscriptionContext, SubscriptionSink},
};
use tokio::time::timeout;

/// How long a notification may take. It is shorter than what the protocol's crate gives the last answers.
const TELL_PATIENCE: Duration = Duration::from_secs(1);

/// Whom to tell of changes. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct ChangeNotifier {
    /// The streams that are open.
    listening: Arc<Mutex<Vec<SubscriptionSink>>>,
    /// Whether the host is told at all.
    are_told: bool,
    /// Whether streams may be opened.
    may_listen: bool,
}

impl ChangeNotifier {
    /// A host that is told, and may open no stream.
    pub(super) fn by_notification() -> Self {
        Self { listening: Arc::default(), are_told: true, may_listen: false }
    }

    /// A host that is told, and may listen by a stream.
    pub(super) fn with_streams() -> Self {
        Self { may_listen: true, ..Self::by_notification() }
    }

    /// A host that is told nothing.
    pub(super) fn none() -> Self {
        Self { are_told: false, ..Self::by_notification() }
    }

    /// Whether the host is promised that it will be told.
    pub(super) fn are_promised(&self) -> bool {
        self.are_told
    }

    /// What a stream may be about; `None` if there are no streams.
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

    /// Tells the host of the call that its tools and resources changed.
    pub(super) async fn tell(&self, context: &RequestContext<RoleServer>) {
        if !self.are_told {
            return;
        }
        let has_streams = context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
        let telling = async { if has_streams { self.tell_streams().await } else { tell_peer(&context.peer).await } };
        // A host that has closed its side takes no notification any more, and its last answers wait for this.
        let is_told = timeout(TELL_PATIENCE, telling).await.unwrap_or_default();
        if !is_told {
            tracing::debug!("the notification that tools and resources changed did not reach the host");
        }
    }

    async fn tell_streams(&self) -> bool {
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

async fn tell_peer(peer: &Peer<RoleServer>) -> bool {
    peer.notify_tool_list_changed().await.is_ok() && peer.notify_resource_list_changed().await.is_ok()
}
