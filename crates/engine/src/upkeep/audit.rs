//! Batches of audit records: whether they can be read. Nothing of them is ever deleted here.

use super::survey::OwnerObjects;
use crate::{
    context::Core,
    error::Result,
    json,
    limits::{AUDIT_LINE_BYTES, AUDIT_PIECE_BYTES},
    store::{CachePolicy, GetOptions, StoreError},
    wire::FindingCode,
};

/// The name of a batch: its time, to the microsecond, and the process that wrote the batch.
const NAME: &str = "00000000T000000.000000Z-xxxxxxxx";

/// Checks the names of all batches of one user, and the lines of each.
pub(super) async fn check(core: &Core, survey: &mut OwnerObjects) -> Result<()> {
    for (name, entry) in survey.of_area("audit/") {
        if !is_batch_name(&name) {
            survey.find(FindingCode::UnknownObject, entry.key, "its name is not that of a batch of audit records");
            continue;
        }
        let key = survey.space.audit_batch(&name)?;
        let (mut at, mut lines) = (0, Lines::default());
        while at < entry.size {
            let end = (at + AUDIT_PIECE_BYTES).min(entry.size);
            match core.store().get(&key, GetOptions::range(at..end).with_keep(CachePolicy::Not)).await {
                Ok(object) if object.range.end > at => {
                    lines.take(&object.bytes);
                    at = object.range.end;
                }
                // It is older than records are kept, or shorter by now.
                Ok(_) | Err(StoreError::NotFound | StoreError::RangeNotSatisfiable) => break,
                Err(error) => return Err(error.into()),
            }
        }
        if at >= entry.size
            && let Some(why) = lines.damage()
        {
            survey.find(FindingCode::DamagedAudit, entry.key, why);
        }
    }
    Ok(())
}

fn is_batch_name(name: &str) -> bool {
    let fits = |(byte, like): (u8, u8)| match like {
        b'0' => byte.is_ascii_digit(),
        b'x' => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
        other => byte == other,
    };
    name.len() == NAME.len() && name.bytes().zip(NAME.bytes()).all(fits)
}

/// The lines of a batch, which come in pieces.
#[derive(Debug, Default)]
struct Lines {
    rest: Vec<u8>,
    count: u64,
    damaged: u64,
    has_header: bool,
}

impl Lines {
    fn take(&mut self, piece: &[u8]) {
        for part in piece.split_inclusive(|byte| *byte == b'\n') {
            // A line that is longer is none of ours, whatever follows.
            if self.rest.len() <= AUDIT_LINE_BYTES {
                self.rest.extend_from_slice(part);
            }
            if part.ends_with(b"\n") {
                self.end_line();
            }
        }
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.rest);
        let read: Option<serde_json::Map<String, serde_json::Value>> = json::from_slice(&line).ok();
        match read {
            Some(header) if self.count == 0 => self.has_header = header.contains_key("format"),
            Some(record) if record.contains_key("time") && record.contains_key("operation") => {}
            _ => self.damaged += 1,
        }
        self.count += 1;
    }

    /// The damage of a batch that has been read to its end, if any.
    fn damage(mut self) -> Option<String> {
        if !self.rest.is_empty() {
            self.end_line();
        }
        match (self.has_header, self.damaged) {
            (true, 0) => None,
            (true, damaged) => Some(format!("{damaged} of its records cannot be read")),
            (false, _) => Some("it does not begin with the line that says its format".to_owned()),
        }
    }
}
