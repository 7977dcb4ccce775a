//! Messages as lines of standard input and output, each of which is answered.
//!
//! The crate of the protocol drops a line that is no JSON, or is too long. A host that made a mistake in a request would wait for its
//! answer for ever.

use std::io;

use rmcp::{
    ErrorData, RoleServer,
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use serde::{Deserialize as _, Serialize};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufRead, AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader},
    sync::{mpsc, oneshot},
    task::JoinHandle,
};

use super::batch_lines::Batches;
use crate::{error::Error, json::Allowance, limits::TOOL_CALLS};

/// Lines that wait to be written. A host that does not read is not read either.
const WAITING: usize = 16;

/// Some hosts begin with the mark of UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// A host behind two streams. Two tasks own the streams, so a message under way is not lost if its caller stops
/// waiting.
pub(super) struct Lines {
    incoming: mpsc::Receiver<RxJsonRpcMessage<RoleServer>>,
    outgoing: Option<Outgoing>,
    batches: Batches,
    reading: JoinHandle<()>,
    arrive: Arrive,
}

/// Sees each message in the order of the lines, before any of them runs.
pub(super) type Arrive = Box<dyn Fn(&mut RxJsonRpcMessage<RoleServer>) + Send + Sync>;

/// Where lines are written.
#[derive(Clone, Debug)]
struct Outgoing(mpsc::Sender<(Vec<u8>, oneshot::Sender<()>)>);

impl Outgoing {
    /// Writes a message. It is with the host then, even if this process ends at once.
    async fn write(self, message: &impl Serialize) -> io::Result<()> {
        let mut line = serde_json::to_vec(message)?;
        line.push(b'\n');
        let (done, is_done) = oneshot::channel();
        let gone = || io::Error::from(io::ErrorKind::BrokenPipe);
        self.0.send((line, done)).await.map_err(|_| gone())?;
        is_done.await.map_err(|_| gone())
    }
}

/// The kinds of lines.
#[derive(Debug, PartialEq, Eq)]
enum Line {
    /// All of it is in the buffer.
    Whole,
    /// It was longer than a line may be, and was passed over.
    TooLong,
    /// There are no more lines.
    End,
}

impl Lines {
    /// The host behind these streams, which sends lines of at most `most` bytes.
    pub(super) fn new(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
        most: usize,
        arrive: Arrive,
    ) -> Self {
        let (outgoing, to_write) = mpsc::channel(WAITING);
        let outgoing = Outgoing(outgoing);
        let (messages, incoming) = mpsc::channel(1);
        tokio::spawn(write_lines(writer, to_write));
        let batches = Batches::default();
        let host = Incoming { messages, outgoing: outgoing.clone(), batches: batches.clone() };
        let reading = tokio::spawn(read_lines(BufReader::new(reader), most, host));
        Self { incoming, outgoing: Some(outgoing), batches, reading, arrive }
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        self.reading.abort();
    }
}

impl Transport<RoleServer> for Lines {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let (outgoing, batches) = (self.outgoing.clone(), self.batches.clone());
        async move {
            let outgoing = outgoing.ok_or(io::ErrorKind::NotConnected)?;
            match batches.lines_for(serde_json::to_value(&message)?) {
                Some(line) => outgoing.write(&line).await,
                None => Ok(()),
            }
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let mut message = self.incoming.recv().await?;
        (self.arrive)(&mut message);
        Some(message)
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        // Each sender has waited until its message was written. A host that reads nothing is not waited for any longer.
        self.reading.abort();
        self.outgoing = None;
        Ok(())
    }
}

async fn write_lines(
    mut writer: impl AsyncWrite + Send + Unpin,
    mut lines: mpsc::Receiver<(Vec<u8>, oneshot::Sender<()>)>,
) {
    while let Some((line, done)) = lines.recv().await {
        let is_written = writer.write_all(&line).await.is_ok() && writer.flush().await.is_ok();
        if !is_written {
            return;
        }
        // The sender may be gone.
        let _ = done.send(());
    }
}

/// Where lines of the host go.
struct Incoming {
    messages: mpsc::Sender<RxJsonRpcMessage<RoleServer>>,
    outgoing: Outgoing,
    batches: Batches,
}

impl Incoming {
    /// Takes the text of one line. An error means that the host or the server is gone.
    async fn take(&self, text: &[u8]) -> Result<(), ()> {
        match Allowance::default().read("the line", text) {
            Ok(Value::Array(messages)) if self.batches.are_allowed() => self.take_batch(messages).await,
            Ok(value) => match RxJsonRpcMessage::<RoleServer>::deserialize(&value) {
                Ok(message) => self.messages.send(message).await.map_err(drop),
                Err(_) => self.answer(answer_to(&value)).await,
            },
            Err(error) => self.answer(answer_to_faulty(text, &error)).await,
        }
    }

    /// Takes the messages of one batch.
    async fn take_batch(&self, batch: Vec<Value>) -> Result<(), ()> {
        if batch.is_empty() || batch.len() > TOOL_CALLS {
            let error = ErrorData::invalid_request(format!("a batch has 1 to {TOOL_CALLS} messages"), None);
            return self.answer(Some(answer(&Value::Null, &error))).await;
        }
        let (mut messages, mut waiting, mut answers) = (Vec::new(), Vec::new(), Vec::new());
        for value in batch {
            match serde_json::from_value(value.clone()) {
                Ok(message) => {
                    messages.push(message);
                    waiting.extend(value.get("id").filter(|_| value.get("method").is_some()).cloned());
                }
                Err(_) => answers.extend(answer_to(&value)),
            }
        }
        self.answer(self.batches.begin(waiting, answers).map(Value::Array)).await?;
        for message in messages {
            self.messages.send(message).await.map_err(drop)?;
        }
        Ok(())
    }

    async fn answer(&self, answer: Option<Value>) -> Result<(), ()> {
        match answer {
            Some(answer) => self.outgoing.clone().write(&answer).await.map_err(drop),
            None => Ok(()),
        }
    }
}

async fn read_lines(mut reader: impl AsyncBufRead + Send + Unpin, most: usize, host: Incoming) {
    let mut line = Vec::new();
    loop {
        let taken = match next_line(&mut reader, &mut line, most).await {
            Ok(Line::End) => return,
            Ok(Line::TooLong) => host.answer(Some(answer(&Value::Null, &too_long(most)))).await,
            Ok(Line::Whole) => match line.strip_prefix(MARK).unwrap_or(&line).trim_ascii() {
                [] => continue,
                text => host.take(text).await,
            },
            Err(error) => return tracing::error!(%error, "standard input cannot be read"),
        };
        if taken.is_err() {
            return;
        }
    }
}

/// Reads the next line into `line`, which holds at most `most` bytes. The last one may have no line end.
async fn next_line(reader: &mut (impl AsyncBufRead + Unpin), line: &mut Vec<u8>, most: usize) -> io::Result<Line> {
    line.clear();
    // A long message is rare; its room is not kept.
    line.shrink_to(1 << 16);
    let (mut is_long, mut is_begun) = (false, false);
    loop {
        let read = reader.fill_buf().await?;
        if read.is_empty() && !is_begun {
            return Ok(Line::End);
        }
        let end = read.iter().position(|byte| *byte == b'\n');
        let piece = read.get(..end.unwrap_or(read.len())).unwrap_or(read);
        let (is_last, taken) = (end.is_some() || read.is_empty(), piece.len() + usize::from(end.is_some()));
        is_begun = true;
        is_long |= line.len() + piece.len() > most;
        if is_long {
            line.clear();
        } else {
            line.extend_from_slice(piece);
        }
        reader.consume(taken);
        if is_last {
            return Ok(if is_long { Line::TooLong } else { Line::Whole });
        }
    }
}

/// The answer to a line that is no JSON, or that `error` refuses, for example because an object has a member twice.
fn answer_to_faulty(line: &[u8], error: &Error) -> Option<Value> {
    match serde_json::from_slice::<Value>(line) {
        Ok(value) if is_unanswered(&value) => None,
        Ok(value) => Some(answer(&id_of(&value), &ErrorData::parse_error(error.message().to_owned(), None))),
        Err(error) => {
            let error = ErrorData::parse_error(format!("the line is no JSON: {error}"), None);
            Some(answer(&Value::Null, &error))
        }
    }
}

/// Whether it is a notification, or the answer of a host. An error with the id of such an answer would look like the answer to a
/// request of the host.
fn is_unanswered(value: &Value) -> bool {
    let has = |member: &str| value.get(member).is_some();
    !has("id") && has("method") || !has("method") && (has("result") || has("error"))
}

/// The id of a request; null if it has none that an answer may have.
fn id_of(value: &Value) -> Value {
    value.get("id").filter(|id| id.is_string() || id.is_number()).cloned().unwrap_or_default()
}

/// The answer to a line that is no message.
fn answer_to(value: &Value) -> Option<Value> {
    if is_unanswered(value) {
        return None;
    }
    let why = if value.is_array() {
        "is a batch, which version 2025-03-26 alone has"
    } else {
        "is no message of the protocol"
    };
    let error = ErrorData::invalid_request(format!("the line {why}: send one JSON-RPC message in each"), None);
    Some(answer(&id_of(value), &error))
}

fn answer(id: &Value, error: &ErrorData) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": error })
}

fn too_long(most: usize) -> ErrorData {
    ErrorData::parse_error(format!("the line has more than {most} bytes, and was passed over"), None)
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    use super::*;

    const MOST: usize = 100;

    /// The methods of the messages in this input, and the id and code of each error answer.
    async fn read(input: &[u8]) -> (Vec<String>, Vec<(Value, i64)>) {
        let (mut host, server) = duplex(7);
        let (reader, writer) = tokio::io::split(server);
        let mut lines = Lines::new(reader, writer, MOST, Box::new(|_| {}));
        let input = input.to_vec();
        let host = tokio::spawn(async move {
            let (mut answers, mut sending) = tokio::io::split(&mut host);
            let mut text = String::new();
            let send = async {
                sending.write_all(&input).await.unwrap();
                sending.shutdown().await.unwrap();
            };
            tokio::join!(send, async { answers.read_to_string(&mut text).await.unwrap() });
            text
        });
        let mut methods = Vec::new();
        while let Some(message) = lines.receive().await {
            methods.push(serde_json::to_value(message).unwrap()["method"].as_str().unwrap().to_owned());
        }
        lines.close().await.unwrap();
        drop(lines);
        let answers = host.await.unwrap();
        let answers = answers.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        (methods, answers.map(|answer| (answer["id"].clone(), answer["error"]["code"].as_i64().unwrap())).collect())
    }

    #[tokio::test]
    async fn each_line_is_a_message_or_is_answered() {
        let nothing = |input: &'static [u8]| async move {
            let (methods, answers) = read(input).await;
            assert!(methods.is_empty() && answers.is_empty(), "{methods:?} {answers:?}");
        };
        nothing(b"").await;
        nothing(b"\n \r\n").await;
        nothing(b"{\"jsonrpc\":\"1.0\",\"method\":\"x\"}\n{\"result\":3}\n").await;
        nothing(b"{\"id\":1,\"result\":{\"a\":1,\"a\":2}}\n{\"method\":\"x\",\"method\":\"y\"}\n").await;
        let refused = |input: Vec<u8>, id: Value, code: i64| async move {
            let text = String::from_utf8_lossy(&input).into_owned();
            let all = [&input, b"\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}".as_slice()].concat();
            assert_eq!(read(&all).await, (vec!["ping".to_owned()], vec![(id, code)]), "{text}");
        };
        refused(b"{oops".to_vec(), Value::Null, -32700).await;
        refused(b"\xff\xfe".to_vec(), Value::Null, -32700).await;
        refused(vec![b'['; MOST], Value::Null, -32700).await;
        refused(vec![b' '; MOST + 1], Value::Null, -32700).await;
        refused(vec![b'x'; 50 * MOST], Value::Null, -32700).await;
        refused(b"[]".to_vec(), Value::Null, -32600).await;
        refused(b"3".to_vec(), Value::Null, -32600).await;
        refused(b"{\"id\":\"a\",\"method\":3}".to_vec(), json!("a"), -32600).await;
        let twice = br#"{"jsonrpc":"2.0","id":2,"method":"ping","params":{"a":{"b":1,"b":2}}}"#;
        refused(twice.to_vec(), json!(2), -32700).await;
    }
}
