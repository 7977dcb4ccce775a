//! The commands, one file each: its arguments, its work, its way of printing.

pub(super) mod cat;
pub(super) mod catalog;
pub(super) mod completions;
pub(super) mod config;
pub(super) mod demo;
pub(super) mod doctor;
pub(super) mod edit;
pub(super) mod glob;
pub(super) mod grep;
pub(super) mod hook;
pub(super) mod keys;
pub(super) mod lint;
pub(super) mod ls;
pub(super) mod man;
pub(super) mod new;
pub(super) mod openapi;
pub(super) mod prompt;
pub(super) mod pull;
pub(super) mod push;
pub(super) mod rm;
pub(super) mod serve;
pub(super) mod session;
pub(super) mod skills;
pub(super) mod write;
