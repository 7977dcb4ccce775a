//! Text in files: whether a file is text, where its lines begin, and which of them match.
//!
//! As in git and ripgrep, a file with a NUL in its first 8 KiB is binary. So is a file of a few formats that no model
//! can read, though their first bytes may hold no NUL. A PDF is not text, even if its first page looks like text.

mod expression;
mod lines;
mod matcher;

use infer::MatcherType;

pub use lines::{LineIndex, LineStart, Window};
pub use matcher::{FileSearch, Hit, HitLimit, Pattern};

use crate::limits::BINARY_PROBE_BYTES;

/// First bytes of formats that are not text, though a file of them may hold no NUL.
///
/// A crate for such bytes knows many more. But many formats begin with two or four letters that a text may begin with
/// (`BM`, `MAC `, `SQLi`). So the crate names the format of a binary file, and does not decide whether a file is
/// binary.
const MAGIC: &[&[u8]] = &[
    b"%PDF-",
    b"\x89PNG\r\n\x1a\n",
    b"\xff\xd8\xff",
    b"GIF87a",
    b"GIF89a",
    b"PK\x03\x04",
    b"PK\x05\x06",
    b"\x1f\x8b",
    b"BZh",
    b"\xfd7zXZ\0",
    b"7z\xbc\xaf\x27\x1c",
    b"\x28\xb5\x2f\xfd",
    b"\x7fELF",
    b"OggS",
    b"ID3",
    b"fLaC",
    b"wOFF",
    b"wOF2",
    b"SQLite format 3\0",
    b"\0asm",
];

/// The media type of a file that begins with `head`, if it is not text.
#[must_use]
pub fn binary_type(head: &[u8]) -> Option<&'static str> {
    let probe = head.get(..BINARY_PROBE_BYTES).unwrap_or(head);
    let is_binary = MAGIC.iter().any(|magic| head.starts_with(magic)) || memchr::memchr(0, probe).is_some();
    is_binary.then(|| {
        // A text in UTF-16 has NULs, and is named as no text.
        let known = infer::get(probe).filter(|known| known.matcher_type() != MatcherType::Text);
        known.map_or("application/octet-stream", |known| known.mime_type())
    })
}

/// Whether a file that begins with `head` is text. Lint and publishing look only into text.
#[must_use]
pub fn is_text(head: &[u8]) -> bool {
    binary_type(head).is_none()
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*, sample::select};

    use super::*;

    #[test]
    fn a_nul_counts_within_the_probe_and_not_beyond_it() {
        let mut text = vec![b'a'; BINARY_PROBE_BYTES + 1];
        assert_eq!(binary_type(&text), None);
        text[BINARY_PROBE_BYTES] = 0;
        assert_eq!(binary_type(&text), None);
        text[BINARY_PROBE_BYTES - 1] = 0;
        assert_eq!(binary_type(&text), Some("application/octet-stream"));
    }

    #[test]
    fn known_formats_are_named() {
        let zip = |entries: &[&str]| -> Vec<u8> {
            let header = |name: &str| {
                [b"PK\x03\x04", &[0; 22][..], &[u8::try_from(name.len()).unwrap(), 0, 0, 0], name.as_bytes(), &[1; 64]]
                    .concat()
            };
            entries.iter().flat_map(|name| header(name)).collect()
        };
        let office = |folder: &str| {
            zip(&["[Content_Types].xml", "_rels/.rels", &format!("{folder}/x.xml"), &format!("{folder}/y.xml")])
        };
        for (head, kind) in [
            (b"%PDF-1.7\n".to_vec(), "application/pdf"),
            (b"\x89PNG\r\n\x1a\n".to_vec(), "image/png"),
            (b"\x1f\x8b\x08".to_vec(), "application/gzip"),
            (b"BZh9".to_vec(), "application/x-bzip2"),
            (b"SQLite format 3\0".to_vec(), "application/vnd.sqlite3"),
            (b"RIFF\0\0\0\0WEBPVP8 ".to_vec(), "image/webp"),
            (b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom".to_vec(), "video/mp4"),
            (zip(&["a.txt"]), "application/zip"),
            (office("word"), "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
            (office("xl"), "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
            (b"no one knows\0this".to_vec(), "application/octet-stream"),
            (b"<html >\0".to_vec(), "application/octet-stream"),
            (b"%PDF-".to_vec(), "application/pdf"),
            (b"\x7fELF".to_vec(), "application/octet-stream"),
        ] {
            assert_eq!(binary_type(&head), Some(kind), "{}", head.escape_ascii());
        }
    }

    #[test]
    fn text_is_text_whatever_letters_it_begins_with() {
        for text in [
            "BMW",
            "MZ",
            "BC, Canada",
            "GIFs",
            "MAC addresses",
            "SQLi",
            "-----BEGIN CERTIFICATE-----",
            "%!PS",
            "{\\rtf1",
            "#!/bin/sh",
            "<html >",
            "CWS",
            "see %PDF-1.4",
            "012345678WEBP",
            "070701",
            "",
        ] {
            assert_eq!(binary_type(text.as_bytes()), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_stop_the_process(magic in select(MAGIC), rest in vec(select(b"\0\x01\x10PK\x03\x04ftypmif1xlword/".as_slice()), 0..200)) {
            for at in [0, 26, 30] {
                let bytes = [magic, &vec![0; at], &rest].concat();
                prop_assert!(binary_type(&bytes).is_some());
            }
        }
    }
}
