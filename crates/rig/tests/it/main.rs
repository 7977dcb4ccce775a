//! Agents of rig with a scripted model, on the real program and on a service in process.

mod approvals;
mod between;
mod calls;
mod lifetimes;
mod network;
mod service;
mod turns;
