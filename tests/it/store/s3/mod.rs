//! The S3 store: against scripts, sockets that misbehave, and a real server.

mod faults;
mod listings;
mod localstack;
mod transport;
mod wire;
