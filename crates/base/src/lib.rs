//! What all of skillmount stands on: names and paths, limits, time, budgets, bounded JSON, and the one error type.

pub mod budget;
pub mod clock;
pub mod error;
pub mod json;
pub mod limits;
pub mod operation_note;
pub mod path;
pub mod text;

pub use error::{Code, Error, Kind, Outcome, Parts, Result};
