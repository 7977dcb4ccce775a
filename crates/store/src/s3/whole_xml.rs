//! Whether the XML of a listing came whole.
//!
//! The SDK reads XML that ends in the middle as a shorter listing, without an error. A proxy or a server can cut a body and
//! state the length that is left, so no length shows it. Then files are missing from the listing, and a caller could take
//! them for deleted.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use aws_sdk_s3::{
    config::{ConfigBag, Intercept, RuntimeComponents, interceptors::AfterDeserializationInterceptorContextRef},
    error::BoxError,
};

/// Looks at the body of the answer to one request.
#[derive(Clone, Debug, Default)]
pub(super) struct XmlWitness {
    saw_whole: Arc<AtomicBool>,
}

impl XmlWitness {
    /// Whether the body of the last answer was whole.
    pub(super) fn saw_whole(&self) -> bool {
        self.saw_whole.load(Ordering::Relaxed)
    }
}

impl Intercept for XmlWitness {
    fn name(&self) -> &'static str {
        "XmlWitness"
    }

    fn read_after_deserialization(
        &self,
        context: &AfterDeserializationInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let text = context.response().body().bytes().and_then(|bytes| std::str::from_utf8(bytes).ok());
        self.saw_whole.store(text.is_some_and(is_whole), Ordering::Relaxed);
        Ok(())
    }
}

/// Whether each element of `text` is closed in its order, and there is at least one.
fn is_whole(text: &str) -> bool {
    let (mut rest, mut open, mut elements) = (text, Vec::new(), 0);
    while let Some((_, after)) = rest.split_once('<') {
        let end = match after {
            _ if after.starts_with("![CDATA[") => "]]>",
            _ if after.starts_with("!--") => "-->",
            _ => ">",
        };
        let Some((tag, after)) = after.split_once(end) else { return false };
        rest = after;
        if tag.starts_with(['?', '!']) {
            continue;
        }
        elements += 1;
        match tag.strip_prefix('/') {
            Some(name) if open.pop() != Some(name.trim_end()) => return false,
            None if !tag.ends_with('/') => open.push(tag.split_ascii_whitespace().next().unwrap_or_default()),
            _ => {}
        }
    }
    elements > 0 && open.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTING: &str = "<?xml version=\"1.0\"?>\n<!-- by <hand> --><List xmlns=\"http://s3/\"><Name>b</Name ><Empty/>\
        <Contents><ETag><![CDATA[\"<1>\"]]></ETag><Key>a&lt;b</Key></Contents></List>\n";

    #[test]
    fn only_xml_with_every_element_closed_is_whole() {
        assert!(is_whole(LISTING) && is_whole("<a/>"));
        let whole = LISTING.trim_end().len();
        for end in (0..whole).filter(|end| LISTING.is_char_boundary(*end)) {
            assert!(!is_whole(&LISTING[..end]), "{}", &LISTING[..end]);
        }
        for lost in ["<Contents>", "</ETag>", "</Contents>", "</Name >"] {
            assert!(!is_whole(&LISTING.replace(lost, "")), "{lost}");
        }
    }
}
