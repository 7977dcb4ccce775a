//! The reference of the book: each page is generated from the program, and the file in `docs/book/reference` equals it.
//!
//! `make reference` writes the files. The words that no code has, such as introductions, stand in the generators.

mod cli;
mod configuration;
mod errors;
mod events;
mod file_formats;
mod http;
mod limits;
mod metrics;
mod page;
