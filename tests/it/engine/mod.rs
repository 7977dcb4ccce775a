//! The operations on files and skills: what they do, what they cost, and what is said of those that fail in part.

mod authoring;
mod bundle_sabotage;
mod bundles;
mod catalog_reads;
mod costs;
mod diffs;
mod drafts;
mod files;
mod fsck;
mod fsck_repair;
mod fsck_search;
mod hidden_drafts;
mod interrupted_changes;
mod leaving;
mod listed_versions;
mod moves;
mod one_tree;
mod outcomes;
mod parts;
mod places;
mod publishing;
mod publishing_reads;
mod replaced_folders;
mod ripgrep;
mod skill_bytes;
mod tree;
