//! `skillmount push`: one folder, once or for as long as its author works on it.

mod command;
mod conflict;
mod local;
mod report;
mod watch;

pub(crate) use command::Push;
