//! The object that holds the vectors of a layer.
//!
//! The first line is JSON and says whose vectors they are; its checksum covers the rest of that line too. The second line is
//! JSON and names the skills, and behind it come the vectors, a byte for each number.

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::layer::{EncodedSkill, LayerVectors};
use crate::{
    limits::{CATALOG_SKILLS, VECTOR_DIMENSIONS},
    words::length,
};

/// Change this when the meaning of the content changes, or the text that is made of a skill.
const SCHEMA: u32 = 1;
/// The first line is shorter than this.
const HEADER_BYTES: usize = 4 << 10;

#[derive(Debug, Serialize, Deserialize)]
struct Header {
    schema: u32,
    encoder: String,
    background: i32,
    dimensions: usize,
    sha256: String,
}

/// The reason why an object of vectors is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum VectorsRejection {
    #[error("it has no readable first line")]
    Header,
    #[error("it is of schema {0}")]
    Schema(u32),
    #[error("another encoder made it")]
    OtherEncoder,
    #[error("it does not match its checksum")]
    Checksum,
    #[error("what it says of itself is not what it has")]
    Content,
}

pub(super) fn encode(vectors: &LayerVectors) -> Result<Bytes, serde_json::Error> {
    let mut body = serde_json::to_vec(&vectors.skills)?;
    body.push(b'\n');
    body.extend(vectors.numbers.iter().map(|number| number.cast_unsigned()));
    let LayerVectors { encoder, background, dimensions, .. } = vectors;
    let mut header = Header {
        schema: SCHEMA,
        encoder: encoder.clone(),
        background: *background,
        dimensions: *dimensions,
        sha256: String::new(),
    };
    header.sha256 = checksum(&header, &body);
    let mut object = serde_json::to_vec(&header)?;
    object.push(b'\n');
    object.extend_from_slice(&body);
    Ok(object.into())
}

/// Decodes vectors that are whole and made by `encoder`.
pub(super) fn decode(object: &[u8], encoder: &str) -> Result<LayerVectors, VectorsRejection> {
    let vectors = decode_any(object)?;
    if vectors.encoder == encoder { Ok(vectors) } else { Err(VectorsRejection::OtherEncoder) }
}

/// Decodes vectors that are whole, whichever encoder made them.
pub(super) fn decode_any(object: &[u8]) -> Result<LayerVectors, VectorsRejection> {
    let (header, body) = line(object, HEADER_BYTES).ok_or(VectorsRejection::Header)?;
    let header: Header = serde_json::from_slice(header).map_err(|_| VectorsRejection::Header)?;
    if header.schema != SCHEMA {
        return Err(VectorsRejection::Schema(header.schema));
    }
    if header.sha256 != checksum(&header, body) {
        return Err(VectorsRejection::Checksum);
    }
    let (names, numbers) = line(body, body.len()).ok_or(VectorsRejection::Content)?;
    let skills: Vec<EncodedSkill> = serde_json::from_slice(names).map_err(|_| VectorsRejection::Content)?;
    let Header { encoder, background, dimensions, .. } = header;
    // Lookups bisect, so order is part of the format.
    let ordered = skills.is_sorted_by(|one, two| one.skill < two.skill);
    if !ordered
        || skills.len() > CATALOG_SKILLS
        || !(1..=VECTOR_DIMENSIONS).contains(&dimensions)
        || numbers.len() != skills.len() * dimensions
    {
        return Err(VectorsRejection::Content);
    }
    let numbers: Vec<i8> = numbers.iter().map(|number| number.cast_signed()).collect();
    let lengths = numbers.chunks(dimensions).map(length).collect();
    Ok(LayerVectors { encoder, background, dimensions, skills, numbers, lengths })
}

/// The first line of `bytes`, if shorter than `most`, and the bytes after the line.
fn line(bytes: &[u8], most: usize) -> Option<(&[u8], &[u8])> {
    let end = bytes.iter().take(most).position(|byte| *byte == b'\n')?;
    let (line, rest) = bytes.split_at(end);
    Some((line, rest.get(1..)?))
}

fn checksum(header: &Header, body: &[u8]) -> String {
    let Header { encoder, background, dimensions, .. } = header;
    let named = format!("{background}\n{dimensions}\n{encoder}\n");
    hex::encode(Sha256::new().chain_update(named).chain_update(body).finalize())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::path::{ETag, SkillPath};

    fn vectors() -> LayerVectors {
        let one = |name: &str, numbers: [i8; 3]| {
            (SkillPath::parse(name).unwrap(), (ETag::new(&format!("\"{name}\"")), Box::from(numbers)))
        };
        let all = BTreeMap::from([one("a/b", [1, -127, 3]), one("a/c", [10, 13, 0])]);
        LayerVectors::new("an encoder", 123, 3, all)
    }

    #[test]
    fn vectors_are_read_as_they_were_written() {
        assert_eq!(decode(&encode(&vectors()).unwrap(), "an encoder"), Ok(vectors()));
        assert_eq!(decode(&encode(&vectors()).unwrap(), "another"), Err(VectorsRejection::OtherEncoder));
    }

    #[test]
    fn an_object_that_is_cut_short_or_has_any_bit_turned_is_not_used() {
        let object = encode(&vectors()).unwrap();
        for length in 0..object.len() {
            assert!(decode(&object[..length], "an encoder").is_err(), "{length}");
        }
        for bit in 0..object.len() * 8 {
            let mut turned = object.to_vec();
            turned[bit / 8] ^= 1 << (bit % 8);
            let read = decode(&turned, "an encoder");
            // The case of some letters of the first line has no meaning.
            assert!(read.is_err() || read == Ok(vectors()), "bit {bit}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_are_taken_for_vectors_by_accident(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            prop_assert!(decode(&bytes, "an encoder").is_err());
        }
    }
}
