//! `SUMMARY.md` in the form of mdBook: parts, and in each the pages in reading order.

use pulldown_cmark::{Event, HeadingLevel, Parser, Tag, TagEnd};

/// A line of the summary.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum SummaryLine {
    /// The title of a part.
    Part(String),
    /// A page with its title and its file in the book. It may lie below the page before.
    Page { title: String, file: String, is_below: bool },
}

/// The lines of the summary. The heading of the summary itself is no part.
pub(super) fn lines(summary: &str) -> Vec<SummaryLine> {
    let mut found = Vec::new();
    let mut lists = 0_usize;
    let mut text = String::new();
    let mut file = None;
    let mut is_first = true;
    for event in Parser::new(summary) {
        match event {
            Event::Start(Tag::List(_)) => lists += 1,
            Event::End(TagEnd::List(_)) => lists -= 1,
            Event::Start(Tag::Heading { .. }) => text.clear(),
            Event::End(TagEnd::Heading(HeadingLevel::H1)) if !std::mem::take(&mut is_first) => {
                found.push(SummaryLine::Part(std::mem::take(&mut text)));
            }
            Event::Start(Tag::Link { dest_url, .. }) => {
                text.clear();
                file = Some(dest_url.into_string());
            }
            Event::End(TagEnd::Link) => {
                let file = file.take().unwrap_or_default();
                let file = file.strip_prefix("./").unwrap_or(&file).to_owned();
                found.push(SummaryLine::Page { title: std::mem::take(&mut text), file, is_below: lists > 1 });
            }
            Event::Text(piece) | Event::Code(piece) => text.push_str(&piece),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_and_pages_stand_in_their_order() {
        let summary = "# Summary\n\n[Start](start.md)\n\n# How to\n\n- [Push `x`](./how-to/push.md)\n  - [More](how-to/more.md)\n";
        let page = |title: &str, file: &str, is_below| SummaryLine::Page {
            title: title.to_owned(),
            file: file.to_owned(),
            is_below,
        };
        let expected = [
            page("Start", "start.md", false),
            SummaryLine::Part("How to".to_owned()),
            page("Push x", "how-to/push.md", false),
            page("More", "how-to/more.md", true),
        ];
        assert_eq!(lines(summary), expected);
    }
}
