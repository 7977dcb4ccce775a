//! Archives of a skill: how they are written, and how those from elsewhere are read within bounds.

mod bounds;
mod package;
mod read;
pub(super) mod tar;
mod write;

pub(super) use self::{
    bounds::{Member, grows_too_much, longer_than},
    package::too_large_unpacked,
};
pub use self::{
    package::{MAIN, Package, Packer, Provenance, VersionRecord, described},
    read::{RECORD_TAIL_BYTES, VersionArchive, record_in},
    write::{ZipPieces, parcel, plain_zip},
};
