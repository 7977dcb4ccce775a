//! Routes about the service itself. None of them holds anything of a user, so none needs a key.

use axum::{
    Extension, Json,
    http::header,
    response::{IntoResponse as _, Response},
    routing::get,
};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    audit::Recorder,
    error::{Code, Error},
    http::{Failure, Gauges, HandlerResult, JsonReply, Problem, SharedState, door::metrics, resident_memory},
};

/// The routes at the root. The OpenAPI document leaves out `/metrics`, because clients of the API do not call it.
pub(crate) fn routes() -> OpenApiRouter {
    OpenApiRouter::new().routes(routes!(healthz)).routes(routes!(readyz)).route("/metrics", get(metrics))
}

/// That the service is there.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = HealthReply)]
struct Health {
    status: &'static str,
}

/// Whether the process is alive.
#[utoipa::path(get, path = "/healthz", operation_id = "check_health", tag = "service", security(()),
    responses((status = 200, body = Health), Failure))]
async fn healthz() -> Json<Health> {
    Json(Health { status: "ok" })
}

/// Whether requests are welcome: the store can be reached and honours conditional writes, and the service is not stopping.
#[utoipa::path(get, path = "/readyz", operation_id = "check_readiness", tag = "service", security(()), responses((status = 200, body = Health), Failure))]
async fn readyz(Extension(app): Extension<SharedState>) -> JsonReply<Health> {
    let unready = |why: String| Problem::from(Error::new(Code::StoreUnavailable, why));
    if app.is_stopping() {
        return Err(unready("the service is stopping; use another replica".to_owned()));
    }
    // A store that passed before goes on serving reads. A new one is not welcome at all.
    let only_reads = app.service.read_only().is_some_and(|read_only| read_only.has_passed);
    if !only_reads {
        app.service.check_writable().map_err(|error| unready(error.message().to_owned()))?;
    }
    app.service.check_reachable().await?;
    Ok(Json(Health { status: if only_reads { "read_only" } else { "ready" } }))
}

/// Counts of requests and what calls hold now, for Prometheus.
async fn metrics(Extension(app): Extension<SharedState>) -> HandlerResult<Response> {
    let (memory, [engaged, streams, calls]) = (app.limits.admission.memory(), app.limits.admission.counts());
    let mut values = vec![
        ("skillmount_memory_reserved_bytes", "Memory that calls have reserved", memory.reserved()),
        ("skillmount_memory_reserved_bytes_peak", "The most that calls ever had reserved", memory.peak()),
        ("skillmount_memory_capacity_bytes", "Memory that calls share", memory.capacity()),
        ("skillmount_calls", "Calls on users' data under way", calls),
        ("skillmount_connections_engaged", "Connections with a call under way, or with its answer", engaged),
        ("skillmount_streams", "Streams of events that are open", streams),
        ("skillmount_connections", "Connections that are open", app.limits.connections.count() as u64),
    ];
    let resident = resident_memory();
    values.extend(resident.map(|bytes| ("process_resident_memory_bytes", "Memory of the process", bytes)));
    let contentions = app.limits.admission.contentions() + app.service.workers().contentions();
    let mut totals =
        vec![("skillmount_contentions", "How often a caller within its share had to wait or was refused", contentions)];
    let mut store = Vec::new();
    if let Some(ledger) = app.service.ledger() {
        let counts = ledger.counts();
        let (objects, sessions) = (counts.objects, counts.sessions);
        let (read, written) =
            (objects.bytes_read + sessions.bytes_read, objects.bytes_written + sessions.bytes_written);
        totals.extend([
            ("skillmount_store_read_bytes", "Bytes got from the store", read),
            ("skillmount_store_written_bytes", "Bytes put into the store", written),
        ]);
        store = ledger.endings().into_iter().map(|((verb, status), count)| (verb, status, count)).collect();
    }
    if let Some(counts) = app.audit.as_ref().map(Recorder::counts) {
        let waiting = ("skillmount_audit_waiting_bytes", "Audit records that are not written yet", counts.waiting);
        values.push(waiting);
        totals.extend([
            ("skillmount_audit_records", "Audit records that were written", counts.records),
            ("skillmount_audit_batches", "Objects with audit records that were written", counts.batches),
            ("skillmount_audit_records_dropped", "Audit records that were dropped", counts.dropped),
        ]);
    }
    let text = app.metrics.render(&Gauges { values, totals, store }).map_err(Error::internal)?;
    Ok(([(header::CONTENT_TYPE, metrics::TEXT)], text).into_response())
}

/// The answer to a path that is no route.
pub(crate) async fn unknown_route() -> Problem {
    Error::new(Code::RouteNotFound, "there is no such route; /openapi.json lists those there are").into()
}

/// The answer to a method that a route does not have.
pub(crate) async fn unknown_method() -> Problem {
    Error::new(Code::MethodNotAllowed, "this route does not take that method; the header `allow` lists those it does")
        .into()
}
