//! Telling text from binary, and naming what is binary.
//!
//! The rule is that of git and ripgrep, a NUL in the first 8 KiB, plus the few formats whose first bytes may hold none
//! but which no model can read: a PDF is not text because its first page happens to be.

use super::tree::FileRef;
use crate::{
    error::{Code, Error},
    limits::BINARY_PROBE_BYTES,
};

/// First bytes of formats that are not text, and their media types.
const MAGIC: &[(&[u8], &str)] = &[
    (b"%PDF-", "application/pdf"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"PK\x03\x04", "application/zip"),
    (b"PK\x05\x06", "application/zip"),
    (b"\x1f\x8b", "application/gzip"),
    (b"BZh", "application/x-bzip2"),
    (b"\xfd7zXZ\0", "application/x-xz"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"\x28\xb5\x2f\xfd", "application/zstd"),
    (b"\x7fELF", "application/x-executable"),
    (b"OggS", "application/ogg"),
    (b"ID3", "audio/mpeg"),
    (b"fLaC", "audio/flac"),
    (b"wOFF", "font/woff"),
    (b"wOF2", "font/woff2"),
    (b"SQLite format 3\0", "application/vnd.sqlite3"),
    (b"\0asm", "application/wasm"),
];

/// What a file that begins with `head` is, if it is not text.
pub(super) fn binary_type(head: &[u8]) -> Option<&'static str> {
    if let Some((_, kind)) = MAGIC.iter().find(|(magic, _)| head.starts_with(magic)) {
        return Some(kind);
    }
    let probe = head.get(..BINARY_PROBE_BYTES).unwrap_or(head);
    memchr::memchr(0, probe).map(|_| "application/octet-stream")
}

/// The media type of a file by its bytes and the ending of its name.
#[must_use]
pub fn media_type(name: &str, head: &[u8]) -> &'static str {
    if let Some(kind) = binary_type(head) {
        return kind;
    }
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("md" | "markdown") => "text/markdown; charset=utf-8",
        Some("json") => "application/json",
        Some("yaml" | "yml") => "application/yaml",
        Some("csv") => "text/csv; charset=utf-8",
        _ => "text/plain; charset=utf-8",
    }
}

/// The answer to reading a binary file as text.
pub(super) fn is_binary(file: &FileRef, kind: &str, size: u64) -> Error {
    let message = format!(
        "File is a binary file and cannot be read as text: {} is {kind}, {size} bytes. It exists at that path; fetch its bytes with download.",
        file.path
    );
    Error::new(Code::BinaryFile, message).with_detail("size", size).with_detail("media_type", kind)
}

#[cfg(test)]
mod tests {
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
        assert_eq!(binary_type(b"%PDF-1.7\n"), Some("application/pdf"));
        assert_eq!(media_type("a.md", b"# hi"), "text/markdown; charset=utf-8");
        assert_eq!(media_type("a", b"hi"), "text/plain; charset=utf-8");
    }
}
