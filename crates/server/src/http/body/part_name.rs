//! The name of a part of an upload, which is a virtual path.
//!
//! Clients disagree on how a quote and a backslash stand in a quoted name. Browsers, curl and requests write a quote as
//! `%22` and leave a backslash alone. Mail libraries and older HTTP clients put a backslash before both, and httpx does
//! the one for quotes and the other for backslashes. All of these are read here. No client escapes other characters, so
//! `%41` or `\n` stand for themselves.

use axum::http::{HeaderMap, header};

use crate::http::door::decode;

/// The name in a part's `content-disposition`. `None` if there is no name, or if the name is not UTF-8.
pub(crate) fn part_name(headers: &HeaderMap) -> Option<String> {
    parameter(headers, "name", "name*")
}

/// The filename in it, read as the name is; `None` for a part that is no file.
pub(crate) fn part_file_name(headers: &HeaderMap) -> Option<String> {
    parameter(headers, "filename", "filename*")
}

fn parameter(headers: &HeaderMap, wanted: &str, wanted_extended: &str) -> Option<String> {
    let disposition = std::str::from_utf8(headers.get(header::CONTENT_DISPOSITION)?.as_bytes()).ok()?;
    let (mut plain, mut extended) = (None, None);
    let mut rest = disposition.split_once(';')?.1;
    while let Some((name, value)) = rest.split_once('=') {
        let (value, after) = read_value(value.trim_start());
        match name.trim().to_ascii_lowercase() {
            name if name == wanted => plain = Some(value),
            name if name == wanted_extended => extended = Some(decode_extended(&value)?),
            _ => {}
        }
        rest = after.split_once(';').map_or("", |(_, next)| next);
    }
    extended.or(plain)
}

/// A value and what follows it.
fn read_value(text: &str) -> (String, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find(';').unwrap_or(text.len());
        let (value, after) = text.split_at(end);
        return (value.trim_end().to_owned(), after);
    };
    let mut value = String::new();
    let mut rest = quoted.chars();
    while let Some(letter) = rest.next() {
        let escaped = || rest.as_str().chars().next().filter(|next| ['"', '\\'].contains(next));
        match letter {
            '"' => break,
            '\\' if let Some(escaped) = escaped() => {
                value.push(escaped);
                rest.next();
            }
            letter => value.push(letter),
        }
    }
    (value.replace("%22", "\"").replace("%0D", "\r").replace("%0A", "\n"), rest.as_str())
}

/// A value with its character set and language, by RFC 8187: `utf-8''caf%C3%A9`.
fn decode_extended(value: &str) -> Option<String> {
    let (set, rest) = value.split_once('\'')?;
    let (_, encoded) = rest.split_once('\'')?;
    set.eq_ignore_ascii_case("utf-8").then(|| decode(encoded).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn name(disposition: &[u8]) -> Option<String> {
        let value = HeaderValue::from_bytes(disposition).unwrap();
        part_name(&HeaderMap::from_iter([(header::CONTENT_DISPOSITION, value)]))
    }

    #[test]
    fn a_name_is_read_as_any_client_writes_it() {
        for (written, meant) in [
            (r#"form-data; name="/w/a b.md"; filename="x""#, "/w/a b.md"),
            (r#"form-data; filename="name=y"; name="/w/a""#, "/w/a"),
            (r#"form-data; name="/w/q%22x.md""#, "/w/q\"x.md"),
            (r#"form-data; name="/w/q\"x.md"; filename="f""#, "/w/q\"x.md"),
            (r#"form-data; name="/w/a\\b""#, "/w/a\\b"),
            (r#"form-data; name="/w/a\b\n""#, "/w/a\\b\\n"),
            (r#"form-data; name="/w/100%41;b""#, "/w/100%41;b"),
            (r#"form-data; name="/w/a%0D%0Ab""#, "/w/a\r\nb"),
            (r"form-data; name=/w/a; filename=b", "/w/a"),
            (r#"form-data; NAME = "/w/a""#, "/w/a"),
            ("form-data; name=\"/w/ñ 审\"", "/w/ñ 审"),
            ("form-data; name=\"wrong\"; name*=UTF-8'es'%2Fw%2Fa%22%C3%B1%25", "/w/a\"ñ%"),
        ] {
            assert_eq!(name(written.as_bytes()).as_deref(), Some(meant), "{written}");
        }
    }

    #[test]
    fn what_is_no_name_is_none() {
        for bad in
            [&b"form-data"[..], b"form-data; filename=\"a\"", b"form-data; name=\"/w/\xff\"", b"x; name*=latin1''a"]
        {
            assert_eq!(name(bad), None);
        }
        assert_eq!(part_name(&HeaderMap::new()), None);
        assert_eq!(name(b"form-data; name=\"/w/unclosed").as_deref(), Some("/w/unclosed"));
    }
}
