//! The events of a user or of a session as they happen, as server-sent events, or the present ones as JSON.

use axum::{
    Extension, Json,
    http::{HeaderMap, HeaderName, HeaderValue},
    response::{
        IntoResponse as _, Response,
        sse::{self, KeepAlive, Sse},
    },
};
use futures_util::{
    Stream, StreamExt as _,
    future::{self, ready},
    stream,
};
use serde::Serialize;
use tokio::time::sleep;
use utoipa::ToSchema;

use crate::{
    access::Scope,
    audit::{EventGap, Listener, Resume, Watcher},
    error::{Error, Result},
    http::{EVENT_STREAM, Failure, HandlerResult, LAST_EVENT_ID, ReplayMemory, SessionCall, UserCall, prefers},
    limits::{EVENTS_ALIVE, EVENTS_CHECKED, EVENTS_PAGE, EVENTS_PAGE_BYTES},
    path::Id,
    wire::Event,
};

/// The events after a known event.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = EventList)]
struct EventPage {
    /// In the order in which the service has their records, 1,000 and 128 KiB at most.
    events: Vec<Event>,
    /// Send this back as `Last-Event-ID` to get the rest; null if there is no more. The answer to a request without the header has
    /// no event and the present position; null if events have no ids.
    next: Option<String>,
}

/// Watch what happens in a session: tool calls, skills, files, permission requests, and changes of the catalog. The answer is a
/// stream of each event as it happens. A client that accepts `application/json` and no stream gets those since `Last-Event-ID`.
/// An event may come twice with the same id. The service omits none without a word: `gap` says that it no longer keeps the events
/// since an id, and `dropped` that the client was too slow and must connect again.
#[utoipa::path(get, path = "/events", operation_id = "watch_session", tag = "sessions",
    params(("Last-Event-ID" = Option<String>, Header, description = "The id of the last event that the client knows.")),
    responses((status = 200, description = "The events.", content((EventPage = "application/json"), (String = "text/event-stream")),
        headers(("x-accel-buffering" = String, description = "`no`, with a stream: a proxy sends events on as they come."),
            ("Cache-Control" = String, description = "`no-cache`, with a stream."))), Failure))]
pub(crate) async fn session_events(
    call: SessionCall,
    headers: HeaderMap,
    memory: Option<Extension<ReplayMemory>>,
) -> HandlerResult<Response> {
    Ok(events(&call.user, Some(&call.session), Scope::Agent, (&headers, memory)).await?)
}

/// Watch what happens in all sessions of a user, as in one of them. Needs a key of scope `control`.
#[utoipa::path(get, path = "/events", operation_id = "watch_user", tag = "sessions",
    params(("Last-Event-ID" = Option<String>, Header, description = "The id of the last event that the client knows.")),
    responses((status = 200, description = "The events.", content((EventPage = "application/json"), (String = "text/event-stream")),
        headers(("x-accel-buffering" = String, description = "`no`, with a stream: a proxy sends events on as they come."),
            ("Cache-Control" = String, description = "`no-cache`, with a stream."))), Failure))]
pub(crate) async fn user_events(
    call: UserCall,
    headers: HeaderMap,
    memory: Option<Extension<ReplayMemory>>,
) -> HandlerResult<Response> {
    call.needs_control()?;
    Ok(events(&call, None, Scope::Control, (&headers, memory)).await?)
}

/// Answers a caller that may watch with a key of `scope`. A stream has the memory of its replay.
async fn events(
    call: &UserCall,
    session: Option<&Id>,
    scope: Scope,
    (headers, memory): (&HeaderMap, Option<Extension<ReplayMemory>>),
) -> Result<Response> {
    let last = headers.get(LAST_EVENT_ID).and_then(|value| value.to_str().ok()).filter(|id| !id.is_empty());
    let after = last.map(Resume::parse).transpose()?;
    let events = &call.app.events;
    let watcher = Watcher { audience: call.audience(), is_agent: call.needs_control().is_err() };
    if prefers(headers, "application/json", EVENT_STREAM) {
        let EventGap { events, next } = match after {
            None => EventGap { next: events.position(), ..EventGap::default() },
            Some(after) => events.since(watcher, session, after, (EVENTS_PAGE, EVENTS_PAGE_BYTES)).await?,
        };
        return Ok(Json(EventPage { events, next: next.map(|next| next.to_string()) }).into_response());
    }
    let listener = events.listen(watcher, session, after).await?;
    let listener = listener.holding_for_replay(memory.and_then(|memory| memory.take()));
    let end = future::select(Box::pin(call.app.stopping()), Box::pin(shut_out(call.clone(), scope)));
    let watching = call.clone();
    let told =
        told(listener, call.clone()).take_while(move |_| ready(watching.is_still_allowed(scope))).take_until(end);
    let mut response = Sse::new(told).keep_alive(KeepAlive::new().interval(EVENTS_ALIVE)).into_response();
    // Proxies that gather answers would hold events back.
    response.headers_mut().insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    Ok(response)
}

/// Done once the caller may no longer watch. A stream on which nothing happens would not learn of it otherwise.
async fn shut_out(call: UserCall, scope: Scope) {
    while call.is_still_allowed(scope) && call.is_still_served().await.is_ok() {
        sleep(EVENTS_CHECKED).await;
    }
}

/// The events in their form on the wire. The stream is cut if the store fails while it is read: the client then comes back.
fn told(listener: Listener, call: UserCall) -> impl Stream<Item = Result<sse::Event>> {
    stream::try_unfold((listener, call), |(mut listener, call)| async move {
        let next = listener.next_of_key(|| !call.is_still_allowed(Scope::Control)).await.inspect_err(|error| {
            tracing::warn!(cause = %error.chain(), "a stream of events was cut");
        })?;
        let Some(Event { id, event, session, mut data }) = next else { return Ok(None) };
        if let (Some(session), Some(members)) = (session, data.as_object_mut()) {
            members.insert("session".to_owned(), session.into());
        }
        let told = sse::Event::default().event(event).json_data(data).map_err(Error::internal)?;
        let told = match id {
            Some(id) => told.id(id),
            None => told,
        };
        Ok(Some((told, (listener, call))))
    })
}
