//! `catalog.json`: a reading of a user's skills, kept in the bucket so that a new process reads one object.
//!
//! It is derived and disposable. If it is deleted, cut short, changed by hand or written by another version, it counts
//! as absent, and the next reading writes it again. The first line is JSON and gives the format and the time; the rest
//! is deflated JSON. The checksum in the first line covers both, because a catalog with a wrong time would be trusted
//! for too long.

use std::io::{self, BufWriter, Read as _, Write as _};

use bytes::Bytes;
use flate2::{Compression, read::DeflateDecoder, write::DeflateEncoder};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::discover::{Discovery, RawReading};
use crate::{
    budget::WorkBudget,
    limits::{CATALOG_INDEX_BYTES, CATALOG_SKILLS},
    path::Layer,
};

/// Change this when the meaning of the content changes. The checksum does not cover it, so no bit turned in it may give
/// [`EARLIER`].
const SCHEMA: u32 = 4;
/// The schema before, which this version reads too. There an opening was the first kilobyte of a body, and a file
/// without frontmatter was no skill.
const EARLIER: u32 = 2;
/// JSON is deflated in pieces of this size.
const PIECE_BYTES: usize = 64 << 10;

/// The first line.
#[derive(Debug, Serialize, Deserialize)]
struct Header {
    schema: u32,
    as_of: Timestamp,
    /// The checksum of `as_of` and of the deflated rest.
    sha256: String,
}

/// The reason why an index is not used.
#[derive(Debug, thiserror::Error)]
pub(super) enum CatalogRejection {
    #[error("it has no readable first line")]
    Header,
    #[error("it is of schema {0}")]
    Schema(u32),
    #[error("it does not match its checksum")]
    Checksum,
    #[error("it is too large")]
    TooLarge,
    #[error("it does not decode")]
    Decode(#[from] io::Error),
    #[error("it does not parse")]
    Parse(#[from] serde_json::Error),
    #[error("its skills are not in order")]
    Order,
}

/// Encodes `discovery`. Returns `TooLarge` if it could not be read back. Each byte of JSON is a step of `work`.
pub(super) fn encode(discovery: &Discovery, work: &WorkBudget) -> Result<Bytes, CatalogRejection> {
    // A first question waits for this work. The thorough way takes three times as long to make the index an eighth smaller.
    let deflate = DeflateEncoder::new(Vec::new(), Compression::fast());
    let mut plain =
        BufWriter::with_capacity(PIECE_BYTES, CountedBytes { inner: deflate, work, left: CATALOG_INDEX_BYTES });
    let written = serde_json::to_writer(&mut plain, &**discovery.readings());
    let written = written.map_err(CatalogRejection::from).and_then(|()| Ok(plain.flush()?));
    if plain.get_ref().left == 0 {
        return Err(CatalogRejection::TooLarge);
    }
    written?;
    let body = plain.into_inner().map_err(io::IntoInnerError::into_error)?.inner.finish()?;
    let as_of = discovery.view().as_of;
    let header = Header { schema: SCHEMA, as_of, sha256: checksum(as_of, &body) };
    let mut index = serde_json::to_vec(&header)?;
    index.push(b'\n');
    index.extend_from_slice(&body);
    Ok(index.into())
}

/// Decodes an index that is whole and belongs to this layer. Each byte of JSON is a step of `work`.
pub(super) fn decode(index: &[u8], layer: Layer, work: &WorkBudget) -> Result<Discovery, CatalogRejection> {
    let end = index.iter().take(1024).position(|byte| *byte == b'\n').ok_or(CatalogRejection::Header)?;
    let (header, body) = index.split_at(end);
    let body = body.get(1..).unwrap_or_default();
    let header: Header = serde_json::from_slice(header).map_err(|_| CatalogRejection::Header)?;
    if ![EARLIER, SCHEMA].contains(&header.schema) {
        return Err(CatalogRejection::Schema(header.schema));
    }
    if header.sha256 != checksum(header.as_of, body) {
        return Err(CatalogRejection::Checksum);
    }
    let most = u64::try_from(CATALOG_INDEX_BYTES).unwrap_or(u64::MAX);
    let mut plain = Vec::new();
    let inflated = CountedBytes { inner: DeflateDecoder::new(body), work, left: usize::MAX };
    inflated.take(most.saturating_add(1)).read_to_end(&mut plain)?;
    if plain.len() > CATALOG_INDEX_BYTES {
        return Err(CatalogRejection::TooLarge);
    }
    let mut readings: RawReading = serde_json::from_slice(&plain)?;
    readings.is_earlier = header.schema == EARLIER;
    let records = &readings.records;
    // Lookups bisect, so order is part of the format. An entry under another skill's name, or of another layer, would
    // pass for one of this catalog.
    let ordered = records.is_sorted_by(|one, two| one.skill < two.skill);
    let honest = records
        .iter()
        .all(|record| record.entry.as_ref().is_none_or(|entry| entry.skill == record.skill && entry.layer == layer));
    if !ordered || !honest || records.len() > CATALOG_SKILLS {
        return Err(CatalogRejection::Order);
    }
    Ok(Discovery::new(readings, Vec::new(), header.as_of))
}

/// A reader or writer that counts each byte as a step of work. A writer takes fewer than `left` bytes.
struct CountedBytes<'work, T> {
    inner: T,
    work: &'work WorkBudget,
    left: usize,
}

impl<T> CountedBytes<'_, T> {
    fn spend(&self, bytes: usize) -> io::Result<()> {
        let steps = u64::try_from(bytes).unwrap_or(u64::MAX);
        self.work.spend(steps).map_err(|stop| io::Error::other(format!("the work was stopped: {stop:?}")))
    }
}

impl<R: io::Read> io::Read for CountedBytes<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.spend(read)?;
        Ok(read)
    }
}

impl<W: io::Write> io::Write for CountedBytes<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.spend(bytes.len())?;
        self.left = self.left.saturating_sub(bytes.len());
        if self.left == 0 {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.inner.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

fn checksum(as_of: Timestamp, body: &[u8]) -> String {
    let sum = Sha256::new().chain_update(as_of.to_string()).chain_update([b'\n']).chain_update(body).finalize();
    hex::encode(sum)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::{
        catalog::discover,
        clock::SystemClock,
        path::{Id, Namespace},
        store::MemoryStore,
    };

    async fn discovery() -> Discovery {
        let store = MemoryStore::new();
        store.put_raw("u1/skills/a/b/SKILL.md", "---\nname: b\ndescription: Hace b.\ntags: [x, y]\n---\n# Título\n");
        store.put_raw("u1/skills/bad/SKILL.md", "nothing");
        store.put_raw("u1/skills/SKILL.md", "nothing");
        let space = Namespace::parse("").unwrap().user(&Id::parse("u1").unwrap()).unwrap();
        discover(&store, &space, &SystemClock::new(), None).await.unwrap()
    }

    fn work() -> WorkBudget {
        WorkBudget::of_steps(u64::MAX)
    }

    fn written(discovery: &Discovery) -> Result<Bytes, CatalogRejection> {
        encode(discovery, &work())
    }

    fn read(index: &[u8]) -> Result<Discovery, CatalogRejection> {
        decode(index, Layer::User, &work())
    }

    #[tokio::test]
    async fn work_that_is_stopped_neither_reads_nor_writes() {
        let discovery = discovery().await;
        let index = written(&discovery).unwrap();
        let cancelled = work();
        cancelled.cancel();
        for stopped in [cancelled, WorkBudget::of_steps(3)] {
            assert!(matches!(
                encode(&discovery, &stopped),
                Err(CatalogRejection::Parse(_) | CatalogRejection::Decode(_))
            ));
            assert!(matches!(decode(&index, Layer::User, &stopped), Err(CatalogRejection::Decode(_))));
        }
    }

    fn with_schema(index: &[u8], schema: u32) -> Vec<u8> {
        let begins = |schema: u32| format!("{{\"schema\":{schema},").into_bytes();
        [&begins(schema), index.strip_prefix(&*begins(SCHEMA)).unwrap()].concat()
    }

    #[tokio::test]
    async fn an_index_tells_exactly_what_was_read() {
        let discovery = discovery().await;
        assert!(!discovery.view().diagnostics.is_empty());
        assert_eq!(read(&written(&discovery).unwrap()).unwrap(), discovery);
    }

    #[tokio::test]
    async fn an_index_of_another_schema_is_not_used() {
        let index = written(&discovery().await).unwrap();
        assert!(read(&with_schema(&index, SCHEMA)).is_ok());
        for other in [EARLIER - 1, EARLIER + 1, SCHEMA + 1] {
            assert!(
                matches!(read(&with_schema(&index, other)), Err(CatalogRejection::Schema(found)) if found == other)
            );
        }
    }

    #[tokio::test]
    async fn an_index_of_an_earlier_schema_answers_until_every_file_is_read_again() {
        let store = MemoryStore::new();
        store.put_raw("u1/skills/a/SKILL.md", "---\nname: a\ndescription: d\n---\nBody\n");
        let space = Namespace::parse("").unwrap().user(&Id::parse("u1").unwrap()).unwrap();
        let now = discover(&store, &space, &SystemClock::new(), None).await.unwrap();
        let earlier = read(&with_schema(&written(&now).unwrap(), EARLIER)).unwrap();
        assert_eq!(earlier.view().entries, now.view().entries);
        assert!(!Arc::ptr_eq(&earlier.view().entries[0], &now.view().entries[0]));
        let again = discover(&store, &space, &SystemClock::new(), Some(&earlier)).await.unwrap();
        assert!(!Arc::ptr_eq(&earlier.view().entries[0], &again.view().entries[0]), "it was read again");
        let reused = discover(&store, &space, &SystemClock::new(), Some(&again)).await.unwrap();
        assert!(Arc::ptr_eq(&again.view().entries[0], &reused.view().entries[0]));
    }

    #[tokio::test]
    async fn an_index_that_is_cut_short_anywhere_is_not_used() {
        let index = written(&discovery().await).unwrap();
        for length in 0..index.len() {
            assert!(read(&index[..length]).is_err(), "{length}");
        }
    }

    #[tokio::test]
    async fn an_index_with_any_bit_turned_tells_nothing_else_and_of_no_other_time() {
        let discovery = discovery().await;
        let index = written(&discovery).unwrap();
        for bit in 0..index.len() * 8 {
            let mut turned = index.to_vec();
            turned[bit / 8] ^= 1 << (bit % 8);
            // The case of some letters of the first line has no meaning.
            let told = read(&turned);
            assert!(told.is_err() || told.unwrap() == discovery, "bit {bit}");
        }
    }

    #[test]
    fn what_inflates_beyond_the_limit_is_not_used() {
        let inflating = |bytes: usize| {
            let mut deflate = DeflateEncoder::new(Vec::new(), Compression::default());
            deflate.write_all(&vec![b' '; bytes]).unwrap();
            let body = deflate.finish().unwrap();
            let as_of = Timestamp::UNIX_EPOCH;
            let header = Header { schema: SCHEMA, as_of, sha256: checksum(as_of, &body) };
            read(&[serde_json::to_vec(&header).unwrap(), b"\n".to_vec(), body].concat())
        };
        assert!(matches!(inflating(CATALOG_INDEX_BYTES), Err(CatalogRejection::Parse(_))));
        assert!(matches!(inflating(CATALOG_INDEX_BYTES + 1), Err(CatalogRejection::TooLarge)));
    }

    proptest! {
        #[test]
        fn no_bytes_are_taken_for_an_index_by_accident(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            prop_assert!(read(&bytes).is_err());
        }
    }
}
