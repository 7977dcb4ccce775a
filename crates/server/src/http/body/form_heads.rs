//! The heads of a form's parts, which must be short. The parser of forms holds in memory all bytes before the first part, and the
//! whole head of each part. No share bounds that memory, so the body fails before it grows.

use std::fmt;

use axum::body::Body;
use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _};
use memchr::memmem;

use crate::limits::PART_HEAD_BYTES;

/// The end of a part's head.
const HEAD_END: &[u8] = b"\r\n\r\n";

/// The error of a form with more than [`PART_HEAD_BYTES`] before a part or in the head of a part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LongPartHead;

/// The place of a byte in a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    BeforeParts,
    Head,
    Content,
}

/// The place that a form has come to.
#[derive(Debug)]
struct FormHeads {
    /// The separator of two parts: line end, dashes and boundary.
    separator: Vec<u8>,
    place: Place,
    /// The bytes of this place so far, unless it is content.
    length: usize,
    /// The last bytes, in which a pattern may have begun.
    tail: Vec<u8>,
}

/// `body`, a form with this boundary, which fails with [`LongPartHead`].
pub(super) fn with_short_heads(body: Body, boundary: &str) -> Body {
    let mut heads = FormHeads::new(boundary);
    Body::from_stream(
        body.into_data_stream()
            .map(move |piece| {
                let piece = piece?;
                heads.take(&piece).map_err(axum::Error::new)?;
                Ok::<Bytes, axum::Error>(piece)
            })
            .into_stream(),
    )
}

impl FormHeads {
    fn new(boundary: &str) -> Self {
        let separator = format!("\r\n--{boundary}").into_bytes();
        Self { separator, place: Place::BeforeParts, length: 0, tail: Vec::new() }
    }

    /// The end of the present place. The first part needs no line end before it.
    fn end(&self) -> &[u8] {
        match self.place {
            Place::BeforeParts => self.separator.get(2..).unwrap_or_default(),
            Place::Head => HEAD_END,
            Place::Content => &self.separator,
        }
    }

    /// Follows the form through `piece`.
    fn take(&mut self, piece: &[u8]) -> Result<(), LongPartHead> {
        let mut text = std::mem::take(&mut self.tail);
        text.extend_from_slice(piece);
        let mut rest = text.as_slice();
        while let Some(found) = memmem::find(rest, self.end()) {
            let (passed, later) = rest.split_at(found + self.end().len());
            self.pass(passed.len())?;
            rest = later;
            self.length = 0;
            self.place = if self.place == Place::Head { Place::Content } else { Place::Head };
        }
        let (passed, tail) = rest.split_at(rest.len().saturating_sub(self.end().len() - 1));
        self.pass(passed.len())?;
        self.tail = tail.to_vec();
        Ok(())
    }

    fn pass(&mut self, bytes: usize) -> Result<(), LongPartHead> {
        if self.place != Place::Content {
            self.length += bytes;
        }
        if self.length > PART_HEAD_BYTES { Err(LongPartHead) } else { Ok(()) }
    }
}

impl fmt::Display for LongPartHead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "more than {PART_HEAD_BYTES} bytes come before a part of the form, or are its head")
    }
}

impl std::error::Error for LongPartHead {}

impl LongPartHead {
    /// Whether this is why `error` happened.
    pub(crate) fn caused(error: &(dyn std::error::Error + 'static)) -> bool {
        std::iter::successors(Some(error), |error| error.source()).any(<dyn std::error::Error>::is::<Self>)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Whether a form that comes in pieces of `size` bytes is taken.
    fn is_taken(form: &[u8], size: usize) -> bool {
        let mut heads = FormHeads::new("b");
        form.chunks(size).all(|piece| heads.take(piece).is_ok())
    }

    fn form(before: usize, head: usize, content: usize) -> Vec<u8> {
        let part = |head: usize, content: usize| {
            let name = b"content-disposition: form-data; name=\"a\"; x=".as_slice();
            let fill = head.saturating_sub(name.len() + 2 + HEAD_END.len());
            [b"\r\n", name, &vec![b'x'; fill], HEAD_END, &vec![b'c'; content], b"\r\n--b"].concat()
        };
        [vec![b' '; before], b"--b".to_vec(), part(60, 0), part(head, content), b"--\r\n".to_vec()].concat()
    }

    // S-LIMIT-1: Every limit stands in `crates/base/src/limits/`; the service takes n and refuses n + 1.
    #[test]
    fn heads_are_taken_up_to_their_limit_however_they_come() {
        for size in [1, 7, 4096, 1 << 20] {
            assert!(is_taken(&form(PART_HEAD_BYTES - 3, PART_HEAD_BYTES, 1 << 20), size), "{size}");
            assert!(!is_taken(&form(PART_HEAD_BYTES - 2, 100, 10), size), "{size}");
            assert!(!is_taken(&form(0, PART_HEAD_BYTES + 1, 10), size), "{size}");
        }
    }

    #[test]
    fn a_form_that_never_begins_or_whose_head_never_ends_fails_early() {
        for begin in ["", "--b\r\nfoo: ", "--c\r\n\r\n", "\r\n--", "--b\r\na: b\r\n\r\ncontent\r\n--b\r\nfoo: "] {
            let mut heads = FormHeads::new("b");
            heads.take(begin.as_bytes()).unwrap();
            let passed = (0..64).take_while(|_| heads.take(&[b' '; 1024]).is_ok()).count();
            assert!((15..=16).contains(&passed), "{begin:?}: {passed} KiB");
        }
    }

    proptest! {
        #[test]
        fn content_has_no_limit_and_pieces_change_nothing(content in "[\r\nb-]{0,40}", size in 1usize..50) {
            let form = [b"--b\r\na: b\r\n\r\n", content.as_bytes(), b"\r\n--b--\r\n"].concat();
            let mut whole = FormHeads::new("b");
            let mut pieces = FormHeads::new("b");
            whole.take(&form).unwrap();
            for piece in form.chunks(size) {
                pieces.take(piece).unwrap();
            }
            prop_assert_eq!((whole.place, whole.length + whole.tail.len()), (pieces.place, pieces.length + pieces.tail.len()));
        }
    }
}
