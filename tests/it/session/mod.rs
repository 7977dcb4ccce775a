//! Sessions: their objects, forks and counts, through restarts and damage.

mod damaged;
mod forks;
mod objects;
mod sessions;
mod uses;
