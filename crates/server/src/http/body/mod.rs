//! Bodies of requests and replies: parsing, receiving, spooling, conditions and compression.

mod accept;
mod attachment;
mod compression;
mod conditions;
mod form_heads;
mod json;
mod part_name;
mod receive;
mod skill_parts;
mod spool;

pub(super) use accept::prefers;
pub(super) use attachment::{archive, attach, percent_encoded};
pub(super) use compression::{FixedText, compress_short, compressed, prefers_gzip};
pub(super) use conditions::{ByteRange, EntityTags, quoted, unless_known};
pub(super) use json::{JsonBody, OptionalJsonBody, Parameters, is_json, parse_for, parse_value_for};
pub(super) use part_name::{part_file_name, part_name};
pub(super) use receive::{broken, check_announced, over, parts_of, read_whole};
pub(super) use skill_parts::SkillParts;
pub(super) use spool::{PARSED_COPIES, Spool, SpoolPermit, Upload, Uploads};
