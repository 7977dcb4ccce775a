//! Text that was percent-encoded for a URL.

use std::borrow::Cow;

/// The bytes that `text` stands for, each `%XX` decoded once. `None` if a `%` is not followed by two hex digits: a
/// broken text must not pass for a name.
#[must_use]
pub fn percent_decoded(text: &str) -> Option<Cow<'_, [u8]>> {
    let digits = |at: usize| text.as_bytes().get(at + 1..at + 3);
    let is_whole = |(at, _)| digits(at).is_some_and(|two| two.iter().all(u8::is_ascii_hexdigit));
    text.match_indices('%').all(is_whole).then(|| percent_encoding::percent_decode_str(text).into())
}

#[cfg(test)]
mod tests {
    use super::percent_decoded;

    #[test]
    fn text_is_decoded_once_and_broken_text_not_at_all() {
        for (text, bytes) in
            [("", &b""[..]), ("a%2Fb%2f", b"a/b/"), ("%2541", b"%41"), ("é%C3%A9+%ff", b"\xc3\xa9\xc3\xa9+\xff")]
        {
            assert_eq!(percent_decoded(text).as_deref(), Some(bytes), "{text}");
        }
        for broken in ["%", "a%", "%4", "%zz", "%%41", "%2%41", "%é", "%+1", "% 1"] {
            assert_eq!(percent_decoded(broken), None, "{broken}");
        }
    }
}
