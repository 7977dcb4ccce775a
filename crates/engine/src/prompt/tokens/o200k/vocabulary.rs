//! The tokens that there are, read from the table as it lies in the program.

/// The table that `make.py` writes: the start of each bucket, the end of the last bucket, and the buckets.
///
/// A bucket is a list of tokens: the length of the token, its rank in three bytes, the token.
static TABLE: &[u8] = include_bytes!("o200k.bin");

/// The rank of a token, which is the lower the earlier it is merged; `None` if `bytes` are no token.
pub(super) fn rank(bytes: &[u8]) -> Option<u32> {
    // No token is longer than a byte can say.
    let length = u8::try_from(bytes.len()).ok()?;
    let bucket = bucket_of(bytes);
    let mut rest = TABLE.get(start(bucket)?..start(bucket + 1)?)?;
    while let [size, low, middle, high, after @ ..] = rest {
        let (token, others) = after.split_at_checked(usize::from(*size))?;
        if *size == length && token == bytes {
            return Some(u32::from_le_bytes([*low, *middle, *high, 0]));
        }
        rest = others;
    }
    None
}

/// The first fifteen bits of the FNV-1a hash of 32 bits.
fn bucket_of(bytes: &[u8]) -> usize {
    let hash = bytes.iter().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193));
    usize::from((hash >> 17) as u16)
}

/// Where a bucket starts in the table, and the one before it ends.
fn start(bucket: usize) -> Option<usize> {
    let start = TABLE.get(4 * bucket..)?.first_chunk()?;
    usize::try_from(u32::from_le_bytes(*start)).ok()
}
