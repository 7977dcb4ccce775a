//! A program between client and service, which counts requests and connections and plays the troubles of a network.

use std::{
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

/// What becomes of a request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Trouble {
    /// It gets no answer, and the connection stays open.
    Silence,
    /// A status of a proxy, without the request reaching the service.
    Status(u16),
    /// The service does what it asks, and a status of a proxy is the answer.
    StatusAfter(u16),
}

/// The service behind it, its troubles and its counts.
#[derive(Default)]
struct State {
    upstream: String,
    /// The trouble of each request whose head has the text, so many times.
    troubles: Mutex<Vec<(&'static str, Trouble, usize)>>,
    requests: Mutex<Vec<String>>,
    open: AtomicUsize,
    silent: AtomicUsize,
}

#[derive(Clone)]
pub(crate) struct Between {
    pub(crate) url: String,
    state: Arc<State>,
    accepting: Arc<JoinHandle<()>>,
}

impl Between {
    pub(crate) async fn start(upstream: &str) -> Self {
        Self::listen(upstream, TcpListener::bind("127.0.0.1:0").await.unwrap())
    }

    /// Listens at `address`, which was refused before.
    pub(crate) async fn start_at(upstream: &str, address: SocketAddr) -> Self {
        Self::listen(upstream, TcpListener::bind(address).await.unwrap())
    }

    fn listen(upstream: &str, listener: TcpListener) -> Self {
        let url = format!("http://{}", listener.local_addr().unwrap());
        let upstream = upstream.strip_prefix("http://").unwrap().trim_end_matches('/').to_owned();
        let state = Arc::new(State { upstream, ..State::default() });
        let accepting = tokio::spawn(accept(Arc::clone(&state), listener));
        Self { url, state, accepting: Arc::new(accepting) }
    }

    /// The next `times` requests with `text` in the first line have this trouble.
    pub(crate) fn trouble(&self, text: &'static str, trouble: Trouble, times: usize) {
        self.state.troubles.lock().unwrap().push((text, trouble, times));
    }

    /// Accepts no connection any more; those that are open get no answer but an end.
    pub(crate) fn go_away(&self) {
        self.accepting.abort();
        self.trouble("", Trouble::Status(503), usize::MAX);
    }

    /// How many requests had `text` in their first line.
    pub(crate) fn count(&self, text: &str) -> usize {
        self.state.requests.lock().unwrap().iter().filter(|line| line.contains(text)).count()
    }

    /// Requests that get no answer and whose client still waits.
    pub(crate) fn silent_requests(&self) -> usize {
        self.state.silent.load(Ordering::SeqCst)
    }

    pub(crate) fn open_connections(&self) -> usize {
        self.state.open.load(Ordering::SeqCst)
    }
}

async fn accept(state: Arc<State>, listener: TcpListener) {
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        let state = Arc::clone(&state);
        tokio::spawn(async move {
            state.open.fetch_add(1, Ordering::SeqCst);
            // A client that goes away ends the connection, which is no failure of the test.
            let _ = serve(&state, stream).await;
            state.open.fetch_sub(1, Ordering::SeqCst);
        });
    }
}

async fn serve(state: &State, mut client: TcpStream) -> std::io::Result<()> {
    while let Some(request) = read_request(&mut client).await? {
        let line = String::from_utf8_lossy(&request).lines().next().unwrap_or_default().to_owned();
        state.requests.lock().unwrap().push(line.clone());
        match next_trouble(state, &line) {
            Some(Trouble::Silence) => {
                state.silent.fetch_add(1, Ordering::SeqCst);
                let ended = client.read(&mut [0]).await;
                state.silent.fetch_sub(1, Ordering::SeqCst);
                return ended.map(drop);
            }
            Some(Trouble::Status(status)) => client.write_all(proxy_reply(status).as_bytes()).await?,
            Some(Trouble::StatusAfter(status)) => {
                ask(state, &request).await?;
                client.write_all(proxy_reply(status).as_bytes()).await?;
            }
            None => client.write_all(&ask(state, &request).await?).await?,
        }
    }
    Ok(())
}

fn next_trouble(state: &State, line: &str) -> Option<Trouble> {
    let mut troubles = state.troubles.lock().unwrap();
    let found = troubles.iter_mut().find(|(text, _, times)| line.contains(text) && *times > 0)?;
    found.2 -= 1;
    Some(found.1.clone())
}

fn proxy_reply(status: u16) -> String {
    format!("HTTP/1.1 {status} Trouble\r\ncontent-type: text/html\r\ncontent-length: 4\r\n\r\n<p/>")
}

/// One request with its body, or none at the end of the connection.
async fn read_request(client: &mut TcpStream) -> std::io::Result<Option<Vec<u8>>> {
    let mut request = Vec::new();
    loop {
        if let Some(end) = request.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&request[..end]).to_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
            if request.len() >= end + 4 + length.unwrap_or(0) {
                return Ok(Some(request));
            }
        }
        if client.read_buf(&mut request).await? == 0 {
            return Ok(None);
        }
    }
}

/// The answer of the service, on a connection of its own that ends with the answer.
async fn ask(state: &State, request: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut service = TcpStream::connect(&state.upstream).await?;
    let end = request.windows(2).position(|two| two == b"\r\n").unwrap();
    let head = [&request[..end], b"\r\nconnection: close", &request[end..]].concat();
    service.write_all(&head).await?;
    let mut answer = Vec::new();
    service.read_to_end(&mut answer).await?;
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap_or(answer.len());
    let head = String::from_utf8_lossy(&answer[..end]);
    let kept: Vec<_> = head.split("\r\n").filter(|line| !line.to_lowercase().starts_with("connection:")).collect();
    Ok([kept.join("\r\n").as_bytes(), &answer[end..]].concat())
}
