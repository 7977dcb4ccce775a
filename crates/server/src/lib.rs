//! The surfaces over the network: HTTP and the Model Context Protocol.
//!
//! `http::serve` (feature `http`) serves a `Service` on a listener until it is told to stop, with the OpenAPI document, a page that
//! tries calls, and the guide. [`mcp`] speaks to one host on standard input and output.
//!
//! An application depends on the crate `skillmount`, which re-exports these modules.

// Each module has one name in all crates, so a path says what is imported and not where that is built.
#[cfg(feature = "http")]
use skillmount_base::{budget, clock, json};
use skillmount_base::{error, limits, path};
#[cfg(feature = "http")]
use skillmount_engine::{access, audit, hooks, observer, publish};
use skillmount_engine::{catalog, content, context, files, handle, prompt, session, skills, tools};
use skillmount_skill as skill;
use skillmount_wire as wire;

/// The error of wrong input, with a message as in `format!`.
macro_rules! invalid {
    ($($message:tt)+) => {
        $crate::error::Error::new($crate::error::Code::InvalidRequest, std::fmt::format(format_args!($($message)+)))
    };
}

#[cfg(feature = "http")]
pub mod http;
pub mod mcp;
