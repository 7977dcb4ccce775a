//! `skillmount pull`: skills of the store into a folder.

mod command;
mod gone;
mod report;

pub(crate) use command::Pull;
