//! Troubles between the SDK and the server, one request at a time, by script.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
    time::Duration,
};

use aws_sdk_s3::{
    config::{HttpClient, RuntimeComponents},
    primitives::{ByteStream, SdkBody},
};
use aws_smithy_runtime_api::{
    client::{
        http::{HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector},
        orchestrator::{HttpRequest, HttpResponse},
        result::ConnectorError,
    },
    http::StatusCode,
};
use bytes::Bytes;
use futures_util::{StreamExt, stream};

/// What happens to one request.
#[derive(Clone, Debug)]
pub(crate) enum Fault {
    /// Nothing.
    None,
    /// The connection breaks before the server sees the request.
    ResetBefore,
    /// The server does what was asked; the connection breaks before the reply.
    ReplyLost,
    /// Neither answer nor end.
    NoAnswer,
    /// The server does what was asked; the reply never comes.
    ReplyHangs,
    /// This status with an S3 error body of this code.
    Refused(u16, &'static str),
    /// This status with a page of HTML, as proxies send it.
    Html(u16),
    /// The reply has this header instead of its own; none where it is empty.
    Header(&'static str, &'static str),
    /// The server ignores the range of the request, and answers with an object of so many bytes.
    IgnoredRange(usize),
    /// The reply has these headers instead of its own.
    Headers(&'static [(&'static str, &'static str)]),
    /// The body ends after so many bytes; the headers state its whole length.
    Truncated(usize),
    /// The body ends after so many bytes, and the headers state the length that is left.
    Cut(usize),
    /// The first of these texts in the body is replaced by the second, and the headers state the new length.
    Replaced(&'static str, &'static str),
    /// The reply is this XML; the server does not see the request.
    Xml(String),
    /// The reply to the request before comes again; the server does not see this one.
    Repeated,
    /// The body stops after so many bytes and never ends.
    Stalled(usize),
    /// The body comes byte by byte, with this pause before each.
    Trickling(Duration),
}

/// What happens to the coming requests, in order; nothing where it is empty. And what came.
#[derive(Debug, Default)]
pub(crate) struct Script {
    faults: Mutex<VecDeque<Fault>>,
    /// What happens to every GET of an object whose key ends so; it takes nothing from the script.
    standing: Mutex<Vec<(String, Fault)>>,
    requests: Mutex<Vec<Seen>>,
    /// The body of the last reply that came whole.
    last_body: Mutex<Bytes>,
}

/// A request as it left the SDK.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) method: String,
    pub(crate) headers: Vec<(String, String)>,
}

impl Seen {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

impl Script {
    /// Adds `fault` for the next `times` requests that have none yet.
    pub(crate) fn add(&self, fault: &Fault, times: usize) {
        self.faults.lock().unwrap().extend(std::iter::repeat_n(fault.clone(), times));
    }

    /// From now on `fault` happens to every GET of an object whose key ends in `ending`.
    pub(crate) fn stand(&self, ending: &str, fault: Fault) {
        self.standing.lock().unwrap().push((ending.to_owned(), fault));
    }

    /// What came since this was last asked.
    pub(crate) fn take_requests(&self) -> Vec<Seen> {
        std::mem::take(&mut *self.requests.lock().unwrap())
    }

    /// The methods of what came since this was last asked.
    pub(crate) fn take_methods(&self) -> Vec<String> {
        self.take_requests().into_iter().map(|seen| seen.method).collect()
    }

    /// The length of the body of the last reply that came whole.
    pub(crate) fn last_body_length(&self) -> usize {
        self.last_body.lock().unwrap().len()
    }

    fn next(&self, request: &HttpRequest) -> Fault {
        let headers = request.headers().iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let seen = Seen { method: request.method().to_owned(), headers };
        let path = request.uri().split('?').next().unwrap_or_default();
        let standing = self.standing.lock().unwrap().iter().find(|(ending, _)| path.ends_with(ending)).cloned();
        let standing = standing.filter(|_| seen.method == "GET");
        self.requests.lock().unwrap().push(seen);
        if let Some((_, fault)) = standing {
            return fault;
        }
        self.faults.lock().unwrap().pop_front().unwrap_or(Fault::None)
    }
}

/// The SDK's HTTP client: a connector with the script in front.
#[derive(Clone, Debug)]
pub(crate) struct ScriptedClient {
    server: s3s_aws::Connector,
    script: Arc<Script>,
}

impl ScriptedClient {
    pub(crate) fn new(server: s3s_aws::Connector, script: Arc<Script>) -> Self {
        Self { server, script }
    }
}

impl HttpClient for ScriptedClient {
    fn http_connector(&self, _: &HttpConnectorSettings, _: &RuntimeComponents) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}

impl HttpConnector for ScriptedClient {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let fault = self.script.next(&request);
        let (server, script) = (self.server.clone(), self.script.clone());
        HttpConnectorFuture::new(async move {
            match fault {
                Fault::None => keep_body(server.call(request).await?, &script).await,
                Fault::IgnoredRange(size) => {
                    let mut reply = rewrite(server.call(request).await?, |_| SdkBody::from(vec![b'x'; size])).await?;
                    reply.headers_mut().remove("content-range");
                    reply.headers_mut().insert("content-length", size.to_string());
                    Ok(reply)
                }
                Fault::ResetBefore => Err(reset()),
                Fault::ReplyLost => {
                    server.call(request).await?;
                    Err(reset())
                }
                Fault::NoAnswer => std::future::pending().await,
                Fault::ReplyHangs => {
                    server.call(request).await?;
                    std::future::pending().await
                }
                Fault::Refused(status, code) => Ok(refused(status, code)),
                Fault::Html(status) => Ok(response(status, "text/html", "<html><body>not here</body></html>".into())),
                Fault::Header(name, value) => {
                    let mut response = server.call(request).await?;
                    response.headers_mut().remove(name);
                    if !value.is_empty() {
                        response.headers_mut().insert(name, value);
                    }
                    Ok(response)
                }
                Fault::Headers(headers) => {
                    let mut response = server.call(request).await?;
                    for (name, value) in headers {
                        response.headers_mut().insert(*name, *value);
                    }
                    Ok(response)
                }
                Fault::Truncated(most) => rewrite(server.call(request).await?, |bytes| truncated(&bytes, most)).await,
                Fault::Cut(most) => {
                    restate(server.call(request).await?, |bytes| bytes.slice(..most.min(bytes.len()))).await
                }
                Fault::Replaced(from, to) => {
                    restate(server.call(request).await?, |bytes| replaced(&bytes, from, to)).await
                }
                Fault::Xml(text) => Ok(response(200, "application/xml", text)),
                Fault::Repeated => {
                    let body = String::from_utf8(script.last_body.lock().unwrap().to_vec()).unwrap();
                    Ok(response(200, "application/xml", body))
                }
                Fault::Stalled(most) => rewrite(server.call(request).await?, |bytes| stalled(&bytes, most)).await,
                Fault::Trickling(pause) => rewrite(server.call(request).await?, |bytes| trickling(bytes, pause)).await,
            }
        })
    }
}

fn reset() -> ConnectorError {
    ConnectorError::io(Box::new(std::io::Error::from(std::io::ErrorKind::ConnectionReset)))
}

fn refused(status: u16, code: &str) -> HttpResponse {
    let body = format!("<?xml version=\"1.0\"?><Error><Code>{code}</Code><Message>as scripted</Message></Error>");
    response(status, "application/xml", body)
}

fn response(status: u16, kind: &'static str, body: String) -> HttpResponse {
    let mut response = HttpResponse::new(StatusCode::try_from(status).unwrap(), SdkBody::from(body));
    response.headers_mut().insert("content-type", kind);
    response
}

/// The response with its status and headers kept and its body replaced.
async fn rewrite(
    mut response: HttpResponse,
    body: impl FnOnce(Bytes) -> SdkBody,
) -> Result<HttpResponse, ConnectorError> {
    let bytes = ByteStream::new(response.take_body()).collect().await.unwrap().into_bytes();
    *response.body_mut() = body(bytes);
    Ok(response)
}

/// The response with its body replaced, and the length of the new body.
async fn restate(response: HttpResponse, body: impl FnOnce(Bytes) -> Bytes) -> Result<HttpResponse, ConnectorError> {
    let mut length = 0;
    let mut response = rewrite(response, |bytes| {
        let bytes = body(bytes);
        length = bytes.len();
        SdkBody::from(bytes)
    })
    .await?;
    response.headers_mut().insert("content-length", length.to_string());
    Ok(response)
}

/// The response as it is; the script keeps its body.
async fn keep_body(response: HttpResponse, script: &Script) -> Result<HttpResponse, ConnectorError> {
    rewrite(response, |bytes| {
        script.last_body.lock().unwrap().clone_from(&bytes);
        SdkBody::from(bytes)
    })
    .await
}

fn replaced(bytes: &Bytes, from: &str, to: &str) -> Bytes {
    let text = std::str::from_utf8(bytes).unwrap();
    assert!(text.contains(from), "{from:?} is not in {text}");
    Bytes::from(text.replacen(from, to, 1))
}

fn truncated(bytes: &Bytes, most: usize) -> SdkBody {
    SdkBody::from(bytes.slice(..most.min(bytes.len())))
}

fn stalled(bytes: &Bytes, most: usize) -> SdkBody {
    let beginning = bytes.slice(..most.min(bytes.len()));
    streaming(stream::iter([Ok(beginning)]).chain(stream::pending()))
}

fn trickling(bytes: Bytes, pause: Duration) -> SdkBody {
    streaming(stream::unfold(bytes, move |mut rest| async move {
        if rest.is_empty() {
            return None;
        }
        tokio::time::sleep(pause).await;
        Some((Ok(rest.split_to(1)), rest))
    }))
}

fn streaming(bytes: impl futures_util::Stream<Item = std::io::Result<Bytes>> + Send + Sync + 'static) -> SdkBody {
    SdkBody::from_body_1_x(s3s::Body::from(s3s::dto::StreamingBlob::wrap(bytes)))
}
