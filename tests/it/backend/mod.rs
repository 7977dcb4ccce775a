//! The operations on files and skills: what they do, what they cost, and what is said of those that fail in part.

mod authoring;
mod costs;
mod files;
mod moves;
mod one_tree;
mod outcomes;
mod parts;
mod publishing;
mod ripgrep;
mod tree;
