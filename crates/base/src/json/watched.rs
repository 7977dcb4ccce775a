//! The watch over the bytes of a long body.
//!
//! serde hands a text on once all of it is in memory. A body that waits on disk, because it may be longer than memory should hold,
//! is therefore watched byte by byte before serde sees it. No text in it is longer than one may be, and what stands beside the
//! one member whose texts are taken away one by one stays short.

use std::{
    cell::Cell,
    io::{self, Read},
};

use crate::error::{Code, Error};

/// What a long body may hold.
#[derive(Clone, Copy, Debug)]
pub struct LongBody {
    /// The member of the outermost object whose texts are taken away while they are read.
    pub member: &'static str,
    /// The most bytes of one text.
    pub text: usize,
    /// The most bytes of JSON outside that member.
    pub rest: usize,
}

/// Why a body is read no further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    NoObject,
    LongText,
    LongRest,
}

/// The bytes of one reading.
pub(super) struct Watched<'w, R> {
    inner: R,
    long: LongBody,
    fault: &'w Cell<Option<Fault>>,
    /// The text that is under way.
    text: Option<Text>,
    depth: usize,
    has_begun: bool,
    /// The last text in the outermost object as it is written, as much of it as tells it from the name of the member.
    name: Vec<u8>,
    is_in_member: bool,
    rest: usize,
}

/// A text that is under way.
#[derive(Default)]
struct Text {
    /// How long it is in UTF-8.
    bytes: usize,
    escape: Escape,
}

#[derive(Default)]
enum Escape {
    #[default]
    None,
    /// A backslash was read.
    Begun,
    /// The number of a character: digits to come, and the number so far.
    Number(u8, u32),
}

impl<'w, R: Read> Watched<'w, R> {
    /// `inner`, watched. Why it is read no further is put into `fault`.
    pub(super) fn new(inner: R, long: LongBody, fault: &'w Cell<Option<Fault>>) -> Self {
        let name = Vec::with_capacity(long.member.len() + 1);
        Self { inner, long, fault, text: None, depth: 0, has_begun: false, name, is_in_member: false, rest: 0 }
    }

    fn see(&mut self, byte: u8) -> Result<(), Fault> {
        if !self.is_in_member {
            self.rest += 1;
            if self.rest > self.long.rest {
                return Err(Fault::LongRest);
            }
        }
        let Some(text) = &mut self.text else { return self.see_outside(byte) };
        if text.ends_with(byte) {
            self.text = None;
            return Ok(());
        }
        if text.bytes > self.long.text {
            return Err(Fault::LongText);
        }
        if self.depth == 1 && self.name.len() <= self.long.member.len() {
            self.name.push(byte);
        }
        Ok(())
    }

    /// Sees a byte that stands in no text.
    fn see_outside(&mut self, byte: u8) -> Result<(), Fault> {
        if !self.has_begun && !byte.is_ascii_whitespace() {
            self.has_begun = true;
            if byte != b'{' {
                return Err(Fault::NoObject);
            }
        }
        match byte {
            b'"' => {
                self.text = Some(Text::default());
                if self.depth == 1 {
                    self.name.clear();
                }
            }
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                self.is_in_member &= self.depth > 0;
            }
            b':' if self.depth == 1 => self.is_in_member = self.name == self.long.member.as_bytes(),
            b',' if self.depth == 1 => self.is_in_member = false,
            _ => {}
        }
        Ok(())
    }
}

impl<R: Read> Read for Watched<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        let seen = match buffer.get(..read).unwrap_or_default() {
            [] if !self.has_begun => Err(Fault::NoObject),
            bytes => bytes.iter().try_for_each(|byte| self.see(*byte)),
        };
        seen.map_err(|fault| {
            self.fault.set(Some(fault));
            io::Error::other("the body is read no further")
        })?;
        Ok(read)
    }
}

impl Text {
    /// Takes a byte in; true if it ends the text.
    fn ends_with(&mut self, byte: u8) -> bool {
        match self.escape {
            Escape::None if byte == b'"' => return true,
            Escape::None if byte == b'\\' => self.escape = Escape::Begun,
            Escape::None => self.bytes += 1,
            Escape::Begun if byte == b'u' => self.escape = Escape::Number(4, 0),
            Escape::Begun => (self.bytes, self.escape) = (self.bytes + 1, Escape::None),
            Escape::Number(left, number) => {
                let digit = char::from(byte).to_digit(16).unwrap_or_default();
                let number = number << 4 | digit;
                self.escape = Escape::Number(left - 1, number);
                if left == 1 {
                    (self.bytes, self.escape) = (self.bytes + utf8_bytes(number), Escape::None);
                }
            }
        }
        false
    }
}

/// How many bytes the character of this number takes. One over four digits is written as two numbers, each half of its bytes.
fn utf8_bytes(number: u32) -> usize {
    match number {
        0..0x80 => 1,
        0x80..0x800 | 0xd800..0xe000 => 2,
        _ => 3,
    }
}

impl Fault {
    pub(super) fn error(self, long: LongBody) -> Error {
        let LongBody { member, text, rest } = long;
        let (message, limit) = match self {
            Self::NoObject => return no_object(),
            Self::LongText => (format!("a text in the JSON body is over {} MiB: keep it elsewhere", text >> 20), text),
            Self::LongRest => {
                (format!("the JSON body has over {} MiB beside `{member}`: move text into files", rest >> 20), rest)
            }
        };
        Error::new(Code::FileTooLarge, message).with_detail("limit", limit as u64)
    }
}

/// The error of a body that is another value than an object, or none.
pub fn no_object() -> Error {
    Error::new(Code::InvalidRequest, "the body of this call is a JSON object: {…}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What becomes of `body`, where a text has up to 8 bytes and what is beside `files` up to 40.
    fn fault(body: &str) -> Option<Fault> {
        let fault = Cell::new(None);
        let long = LongBody { member: "files", text: 8, rest: 40 };
        let read = Watched::new(body.as_bytes(), long, &fault).read_to_end(&mut Vec::new());
        assert_eq!(read.is_err(), fault.get().is_some());
        fault.get()
    }

    // S-LIMIT-1: Every limit stands in `crates/base/src/limits/`, is taken at n and refused at n + 1.
    #[test]
    fn texts_and_what_stands_beside_the_member_are_taken_up_to_their_limits() {
        let long = " ".repeat(200);
        for (body, found) in [
            (r#"{"a": "12345678"}"#, None),
            (r#"{"a": "123456789"}"#, Some(Fault::LongText)),
            (r#"{"a": "\n\n\n\n\n\n\n\\"}"#, None),
            (r#"{"a": "\"\"\"\"\"\"\"\"\""}"#, Some(Fault::LongText)),
            (r#"{"a": "\u4e2d\u4e2d\u00e9"}"#, None),
            (r#"{"a": "\ud83d\ude00\ud83d\ude00"}"#, None),
            (r#"{"a": "\ud83d\ude00\ud83d\ude00a"}"#, Some(Fault::LongText)),
            (&format!("{{\"files\": {{{long}}}}}"), None),
            (&format!("{{\"files\" : {{\"a\": [{long}\"x\", {{}}]{long}}}, \"b\": 1}}"), None),
            (&format!("{{\"file\": {{{long}}}}}"), Some(Fault::LongRest)),
            (&format!("{{\"filess\": {{{long}}}}}"), Some(Fault::LongRest)),
            (&format!("{{\"a\": {{\"files\": {{{long}}}}}}}"), Some(Fault::LongRest)),
            (&format!("{{\"files\": {{}}, \"b\": 1{long}}}"), Some(Fault::LongRest)),
            (&format!("{{\"files\": {{}}}}{long}"), Some(Fault::LongRest)),
            (&format!("{{\"a\": \"files\"{long}}}"), Some(Fault::LongRest)),
            ("", Some(Fault::NoObject)),
            (" ", Some(Fault::NoObject)),
            ("[1]", Some(Fault::NoObject)),
            ("\n{}", None),
            ("}}{{", Some(Fault::NoObject)),
        ] {
            assert_eq!(fault(body), found, "{body}");
        }
    }

    proptest! {
        #[test]
        fn a_text_is_as_long_as_the_parser_finds_it(text in "\\PC{0,6}|[\\x00-\\u{ffff}]{0,4}", is_ascii: bool) {
            let plain = serde_json::to_string(&text).unwrap();
            let escaped: Vec<_> = text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
            let written = if is_ascii { format!("\"{}\"", escaped.concat()) } else { plain };
            let mut found = Text::default();
            let ends = written.bytes().skip(1).position(|byte| found.ends_with(byte));
            prop_assert_eq!((found.bytes, ends), (text.len(), Some(written.len() - 2)));
        }
    }
}
