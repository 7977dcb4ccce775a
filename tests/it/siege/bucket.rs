//! S3 on a socket, with the troubles of a real one: refusals, replies that are lost, and replies that are slow.

use std::{
    collections::BTreeMap,
    io,
    sync::{Arc, Mutex},
    time::Duration,
};

use hyper::{Request, Response, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use s3s::{Body, service::S3Service};
use skillmount::store::MemoryStore;
use tokio::net::{TcpListener, TcpStream};

use crate::support::{s3_in_process::service_over, world::seed};

/// What each request takes at least.
const LATENCY: Duration = Duration::from_millis(3);
/// Requests in ten thousand that meet each trouble. All three together spare 99 of 100 operations, so that a 99th
/// percentile is the service's own.
const ODDS: u32 = 20;
/// The longest a slow reply takes, in milliseconds.
const SLOWEST: u64 = 800;

/// What happens to one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Trouble {
    /// 503, and nothing was done.
    Refused,
    /// What was asked is done, and the connection ends before the reply.
    ReplyLost,
    /// What was asked is done, and the reply comes late.
    Slow,
}

/// The bucket, its address, and how often which trouble struck.
pub(super) struct Bucket {
    pub(super) memory: Arc<MemoryStore>,
    pub(super) url: String,
    dice: Arc<Dice>,
}

struct Dice {
    random: Mutex<StdRng>,
    thrown: Mutex<BTreeMap<Trouble, u64>>,
}

impl Bucket {
    /// Serves an empty bucket on a free port, as long as the runtime lives.
    pub(super) async fn open() -> Self {
        let memory = Arc::new(MemoryStore::like_s3());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let dice = Arc::new(Dice { random: Mutex::new(StdRng::seed_from_u64(seed())), thrown: Mutex::default() });
        tokio::spawn(accept(listener, service_over(memory.clone()), dice.clone()));
        Self { memory, url, dice }
    }

    /// How often which trouble struck.
    pub(super) fn troubles(&self) -> BTreeMap<Trouble, u64> {
        self.dice.thrown.lock().unwrap().clone()
    }
}

impl Dice {
    fn throw(&self) -> Option<(Trouble, Duration)> {
        let mut random = self.random.lock().unwrap();
        let trouble = match random.random_range(0..10_000) / ODDS {
            0 => Trouble::Refused,
            1 => Trouble::ReplyLost,
            2 => Trouble::Slow,
            _ => return None,
        };
        *self.thrown.lock().unwrap().entry(trouble).or_default() += 1;
        Some((trouble, Duration::from_millis(random.random_range(0..SLOWEST))))
    }
}

async fn accept(listener: TcpListener, service: S3Service, dice: Arc<Dice>) {
    loop {
        // Out of descriptors for a moment: the next one may fare better.
        let Ok((stream, _)) = listener.accept().await else { continue };
        tokio::spawn(serve(stream, service.clone(), dice.clone()));
    }
}

async fn serve(stream: TcpStream, service: S3Service, dice: Arc<Dice>) {
    let _ = stream.set_nodelay(true);
    let answer = service_fn(move |request| answer(request, service.clone(), dice.throw()));
    let connection = http1::Builder::new().timer(TokioTimer::new()).serve_connection(TokioIo::new(stream), answer);
    // Ends with an error for each lost reply, and when a client goes away.
    let _ = connection.await;
}

async fn answer(
    request: Request<Incoming>,
    service: S3Service,
    trouble: Option<(Trouble, Duration)>,
) -> io::Result<Response<Body>> {
    tokio::time::sleep(LATENCY).await;
    if matches!(trouble, Some((Trouble::Refused, _))) {
        return Ok(slow_down());
    }
    let reply = service.call(request.map(Body::from)).await.map_err(|_| io::Error::from(io::ErrorKind::Other))?;
    match trouble {
        Some((Trouble::ReplyLost, _)) => Err(io::ErrorKind::ConnectionReset.into()),
        Some((Trouble::Slow, pause)) => {
            tokio::time::sleep(pause).await;
            Ok(reply)
        }
        _ => Ok(reply),
    }
}

fn slow_down() -> Response<Body> {
    let text = "<?xml version=\"1.0\"?><Error><Code>SlowDown</Code><Message>by the dice</Message></Error>";
    let reply = Response::builder().status(503).header("content-type", "application/xml");
    reply.body(Body::from(text.to_owned())).unwrap()
}
