//! Signals of the operating system, for a service that runs until a signal stops it.
//!
//! A thread of its own hears them. The threads that serve requests may all be busy, and the service must stop then too.
//! So this thread also ends the process where the orderly end takes too long.

use std::time::Duration;

use tokio::sync::{mpsc, oneshot};

use crate::error::{Error, Result};

/// The signals for the service.
pub(super) struct Signals {
    /// Done at the first signal to stop, with how long to go on accepting.
    pub(super) stop: oneshot::Receiver<Duration>,
    /// Gives a value each time what can change at run time is to be read again.
    pub(super) reload: mpsc::Receiver<()>,
    /// The senders, kept open if no signal is heard.
    _unheard: Option<(oneshot::Sender<Duration>, mpsc::Sender<()>)>,
}

impl Signals {
    /// No signal is ever heard: the process belongs to something else.
    pub(super) fn unheard() -> Self {
        let (stop, stopped) = oneshot::channel();
        let (again, reload) = mpsc::channel(1);
        Self { stop: stopped, reload, _unheard: Some((stop, again)) }
    }
}

/// How a command ended.
pub(super) enum CommandEnd<T> {
    /// By itself, with this.
    Done(T),
    /// By a signal. This is the exit status of a process that the signal ended.
    Stopped(u8),
}

/// Runs `work` until it is done, or until SIGINT or SIGTERM. At a signal the work is dropped at its next await. A file
/// that is written without an await is written whole, so no file stays half written or under another name.
///
/// # Errors
/// `internal` where the system allows no handler.
#[cfg(unix)]
pub(super) async fn until_stopped<T>(work: impl Future<Output = T>) -> Result<CommandEnd<T>> {
    use tokio::signal::unix::{SignalKind, signal};

    let handler = |kind| signal(kind).map_err(Error::internal);
    let (mut interrupt, mut terminate) = (handler(SignalKind::interrupt())?, handler(SignalKind::terminate())?);
    Ok(tokio::select! {
        // The signal is looked at first: work that is never at a loss for something to do would else go on to its end.
        biased;
        _ = interrupt.recv() => CommandEnd::Stopped(unix::status(SignalKind::interrupt())),
        _ = terminate.recv() => CommandEnd::Stopped(unix::status(SignalKind::terminate())),
        done = work => CommandEnd::Done(done),
    })
}

/// Runs `work` until it is done, or until Ctrl-C. Then the work is dropped where it waits.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub(super) async fn until_stopped<T>(work: impl Future<Output = T>) -> Result<CommandEnd<T>> {
    Ok(tokio::select! {
        biased;
        Ok(()) = tokio::signal::ctrl_c() => CommandEnd::Stopped(130),
        done = work => CommandEnd::Done(done),
    })
}

/// Hears signals from now on: SIGTERM stops after `drain`, SIGINT at once, SIGHUP reads again, and a second signal to stop ends
/// the process. A file that grows over the limit of the process is an error of the request that wrote it.
///
/// # Errors
/// `internal` where the system allows no handler.
#[cfg(unix)]
pub(super) fn listen(drain: Duration) -> Result<Signals> {
    let (stop, stopped) = oneshot::channel();
    // One pending signal is as good as two.
    let (again, reload) = mpsc::channel(1);
    let (ready, is_ready) = std::sync::mpsc::channel();
    let hear = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Error::internal);
        let handlers = |runtime: &tokio::runtime::Runtime| {
            let _inside = runtime.enter();
            unix::Handlers::install()
        };
        match runtime.and_then(|runtime| handlers(&runtime).map(|handlers| (runtime, handlers))) {
            Ok((runtime, handlers)) => {
                let _ = ready.send(Ok(()));
                runtime.block_on(handlers.follow(drain, stop, again));
            }
            Err(error) => drop(ready.send(Err(error))),
        }
    };
    std::thread::Builder::new().name("signals".to_owned()).spawn(hear).map_err(Error::internal)?;
    is_ready.recv().map_err(Error::internal)??;
    Ok(Signals { stop: stopped, reload, _unheard: None })
}

#[cfg(unix)]
mod unix {
    use std::{process, time::Duration};

    use tokio::{
        signal::unix::{Signal, SignalKind, signal},
        sync::{mpsc, oneshot},
    };

    use crate::{
        error::{Error, Result},
        limits::{NOTE_FLUSH, SHUTDOWN_END, SHUTDOWN_GRACE},
    };

    /// The exit status of a process that a signal ended is this and the signal's number.
    const ENDED_BY: i32 = 128;
    /// A file over the limit of the process; the number is the same on Linux and on the BSDs.
    const FILE_TOO_LARGE: i32 = 25;

    /// The exit status of a process that this signal ended.
    pub(super) fn status(kind: SignalKind) -> u8 {
        u8::try_from(ENDED_BY + kind.as_raw_value()).unwrap_or(u8::MAX)
    }

    pub(super) struct Handlers {
        terminate: Signal,
        interrupt: Signal,
        hang_up: Signal,
    }

    impl Handlers {
        pub(super) fn install() -> Result<Self> {
            let handler = |kind| signal(kind).map_err(Error::internal);
            // A handler stays for as long as the process lives. With one the write fails, without one the process ends.
            drop(handler(SignalKind::from_raw(FILE_TOO_LARGE))?);
            Ok(Self {
                terminate: handler(SignalKind::terminate())?,
                interrupt: handler(SignalKind::interrupt())?,
                hang_up: handler(SignalKind::hangup())?,
            })
        }

        pub(super) async fn follow(
            mut self,
            drain: Duration,
            stop: oneshot::Sender<Duration>,
            again: mpsc::Sender<()>,
        ) {
            let (kind, drain) = loop {
                tokio::select! {
                    _ = self.terminate.recv() => break (SignalKind::terminate(), drain),
                    _ = self.interrupt.recv() => break (SignalKind::interrupt(), Duration::ZERO),
                    _ = self.hang_up.recv() => drop(again.try_send(())),
                }
            };
            tracing::info!(drain_seconds = drain.as_secs(), "stopping once the requests under way are done");
            // The server may have ended by itself meanwhile; then no receiver is left.
            let _ = stop.send(drain);
            let kind = tokio::select! {
                _ = self.terminate.recv() => SignalKind::terminate(),
                _ = self.interrupt.recv() => SignalKind::interrupt(),
                () = overdue(drain) => kind,
            };
            process::exit(ENDED_BY + kind.as_raw_value());
        }
    }

    /// Done when an orderly end would be over.
    fn overdue(drain: Duration) -> impl Future<Output = ()> {
        let most = drain + SHUTDOWN_GRACE + NOTE_FLUSH + 2 * SHUTDOWN_END;
        async move {
            tokio::time::sleep(most).await;
            tracing::error!("the process ends though something in it still runs");
        }
    }
}

/// Hears Ctrl-C from now on: the first stops, a second ends the process.
///
/// # Errors
/// `internal` where there can be no thread.
#[cfg(not(unix))]
pub(super) fn listen(_drain: Duration) -> Result<Signals> {
    let (stop, stopped) = oneshot::channel();
    let (again, reload) = mpsc::channel(1);
    let hear = move || {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
        runtime.block_on(async move {
            // It is kept open, for its end would be read as a wish.
            let _again = again;
            if tokio::signal::ctrl_c().await.is_ok() {
                let _ = stop.send(Duration::ZERO);
                let _ = tokio::signal::ctrl_c().await;
                std::process::exit(i32::from(crate::error::Kind::Unavailable.exit_code()));
            }
        });
    };
    std::thread::Builder::new().name("signals".to_owned()).spawn(hear).map_err(Error::internal)?;
    Ok(Signals { stop: stopped, reload, _unheard: None })
}
