//! Markdown of the book as HTML and as plain text.
//!
//! The text is the project's own, yet nothing in it becomes markup of a page except `<a id="…"></a>`. Comments are left out, and
//! other HTML is shown as it is written.

use std::collections::BTreeMap;

use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, html::push_html};

use super::{
    book::{Book, Page},
    links::address_of_link,
};
use crate::http::page::escape;

/// Code of so many characters fits a line of a narrow screen.
const WHOLE_CODE_CHARS: usize = 24;

/// The text below one heading of a page.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Section {
    /// The id of its heading, and the heading itself. Both are empty before the first heading.
    pub(super) id: String,
    pub(super) heading: String,
    pub(super) text: String,
}

/// Ids of headings as code hosts make them, each once in a page.
#[derive(Debug, Default)]
struct HeadingIds(BTreeMap<String, usize>);

impl HeadingIds {
    fn next(&mut self, heading: &str) -> String {
        let kept = heading.trim().chars().filter(|char| char.is_alphanumeric() || matches!(char, ' ' | '-' | '_'));
        let slug = kept.collect::<String>().to_lowercase().replace(' ', "-");
        let before = self.0.entry(slug.clone()).or_default();
        *before += 1;
        if *before == 1 { slug } else { format!("{slug}-{}", *before - 1) }
    }
}

fn events(source: &str) -> Vec<Event<'_>> {
    Parser::new_ext(source, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH).collect()
}

/// The sections of a page, for the search.
pub(super) fn sections(source: &str) -> Vec<Section> {
    let mut ids = HeadingIds::default();
    let mut found = vec![Section::default()];
    let mut is_heading = false;
    for event in events(source) {
        match event {
            Event::Start(Tag::Heading { .. }) => {
                is_heading = true;
                found.push(Section::default());
            }
            Event::End(TagEnd::Heading(_)) => {
                is_heading = false;
                if let Some(section) = found.last_mut() {
                    section.id = ids.next(&section.heading);
                }
            }
            Event::Text(piece) | Event::Code(piece) => {
                if let Some(section) = found.last_mut() {
                    if is_heading { &mut section.heading } else { &mut section.text }.push_str(&piece);
                }
            }
            Event::SoftBreak | Event::HardBreak | Event::End(_) => {
                // The end of a word in bold ends no word.
                let is_inline = matches!(event, Event::End(TagEnd::Strong | TagEnd::Emphasis | TagEnd::Link));
                if let Some(section) = found.last_mut().filter(|section| !is_inline && !section.text.is_empty()) {
                    section.text.push(' ');
                }
            }
            _ => {}
        }
    }
    found.retain(|section| !section.heading.is_empty() || !section.text.trim().is_empty());
    found
}

/// The text of a page as HTML.
pub(super) fn html(book: &Book, page: &Page) -> String {
    let events = events(page.source);
    let mut rendered = Vec::with_capacity(events.len());
    let mut ids = HeadingIds::default();
    let mut heading = None;
    let mut is_outside = false;
    let mut block = String::new();
    for event in events {
        let shown = match event {
            Event::Html(line) => {
                block.push_str(&line);
                continue;
            }
            Event::End(TagEnd::HtmlBlock) => of_markup(std::mem::take(&mut block).into()),
            Event::Start(Tag::Heading { level, .. }) => {
                heading = Some((rendered.len(), String::new()));
                Event::Html(format!("<{level}>").into())
            }
            Event::End(TagEnd::Heading(level)) => {
                let (at, text) = heading.take().unwrap_or_default();
                let id = ids.next(&text);
                if let Some(begin) = rendered.get_mut(at) {
                    *begin = Event::Html(format!("<{level} id=\"{id}\">").into());
                }
                let label = escape(&format!("Link to: {text}"));
                Event::Html(
                    format!(" <a class=\"anchor\" href=\"#{id}\" aria-label=\"{label}\">#</a></{level}>\n").into(),
                )
            }
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                if let Some(address) = address_of_link(book, &page.file, &dest_url) {
                    Event::Start(Tag::Link { link_type, dest_url: address.into(), title, id })
                } else {
                    is_outside = true;
                    Event::Html("<span>".into())
                }
            }
            Event::End(TagEnd::Link) if std::mem::take(&mut is_outside) => Event::Html("</span>".into()),
            Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
                // A picture from elsewhere would not be shown.
                let address = address_of_link(book, &page.file, &dest_url).unwrap_or_default();
                Event::Start(Tag::Image { link_type, dest_url: address.into(), title, id })
            }
            Event::Start(Tag::Table(columns)) => {
                rendered.push(Event::Html(
                    "<div class=\"table\" role=\"region\" aria-label=\"Table\" tabindex=\"0\">".into(),
                ));
                Event::Start(Tag::Table(columns))
            }
            Event::End(TagEnd::Table) => {
                rendered.push(Event::End(TagEnd::Table));
                Event::Html("</div>\n".into())
            }
            Event::Start(Tag::CodeBlock(_)) => Event::Html("<pre tabindex=\"0\"><code>".into()),
            Event::End(TagEnd::CodeBlock) => Event::Html("</code></pre>\n".into()),
            Event::InlineHtml(markup) => of_markup(markup),
            Event::Text(text) => {
                if let Some((_, heading)) = &mut heading {
                    heading.push_str(&text);
                }
                Event::Text(text)
            }
            Event::Code(text) => {
                if let Some((_, heading)) = &mut heading {
                    heading.push_str(&text);
                }
                of_code(text)
            }
            other => other,
        };
        rendered.push(shown);
    }
    let mut html = String::new();
    push_html(&mut html, rendered.into_iter());
    html
}

/// Code in a sentence. A browser ends a line at any hyphen, and short code such as `--json` is to stay whole.
fn of_code(code: CowStr<'_>) -> Event<'_> {
    if code.contains('-') && code.chars().count() <= WHOLE_CODE_CHARS {
        return Event::Html(format!("<code class=\"whole\">{}</code>", escape(&code)).into());
    }
    Event::Code(code)
}

/// HTML in Markdown: an anchor, nothing, or text.
fn of_markup(markup: CowStr<'_>) -> Event<'_> {
    let markup_text = markup.trim();
    let id = markup_text.strip_prefix("<a id=\"").and_then(|rest| rest.split_once("\">"));
    let is_name = |id: &str| id.chars().all(|char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_'));
    match id {
        Some((id, "" | "</a>")) if is_name(id) => Event::Html(format!("<a id=\"{id}\"></a>").into()),
        _ if markup_text == "</a>" || markup_text.starts_with("<!--") => Event::Html("".into()),
        _ => Event::Text(markup),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(source: &'static str) -> String {
        let files: &'static [(&str, &str)] = Box::leak(Box::new([
            ("book/SUMMARY.md", "# Summary\n[A](a.md)\n[B](b.md)\n"),
            ("book/a.md", source),
            ("book/b.md", ""),
        ]));
        let book = Book::from_files(files);
        html(&book, &book.pages()[0])
    }

    #[test]
    fn markup_is_shown_as_text_except_anchors() {
        let html = rendered(
            "<script>alert(1)</script>\n\na <b onclick=\"x\">b</b> <a id=\"S-A-1\"></a>c <a id=\"x\" onclick=\"y\">d</a>\n\n<!-- no\nno -->\n",
        );
        assert!(html.contains("&lt;script&gt;alert(1)&lt;/script&gt;") && !html.contains("<script"), "{html}");
        assert!(!html.contains("<b ") && html.contains("<a id=\"S-A-1\"></a>c"), "{html}");
        assert!(!html.contains("<a id=\"x\"") && !html.contains("<!--"), "{html}");
    }

    #[test]
    fn headings_have_ids_and_links_to_themselves() {
        let html = rendered("# One `two`\n## Again\n## Again\n");
        assert!(
            html.contains("<h1 id=\"one-two\">One <code>two</code> <a class=\"anchor\" href=\"#one-two\""),
            "{html}"
        );
        assert!(html.contains("<h2 id=\"again-1\">"), "{html}");
    }

    #[test]
    fn links_stay_in_the_book() {
        let html =
            rendered("[b](b.md#x) [out](../../README.md) [evil](javascript:alert(1)) [web](https://example.com)");
        assert!(html.contains("<a href=\"/guide/b#x\">b</a> <span>out</span> <span>evil</span>"), "{html}");
        assert!(html.contains("<a href=\"https://example.com\">web</a>"), "{html}");
    }

    #[test]
    fn short_code_with_a_hyphen_stays_on_one_line() {
        let html = rendered("`--a<b` and `a long-command with --many --flags` and `short`");
        assert!(html.contains("<code class=\"whole\">--a&lt;b</code> and <code>a long-command"), "{html}");
        assert!(html.contains("<code>short</code>"), "{html}");
    }

    #[test]
    fn tables_and_code_can_be_scrolled() {
        let html = rendered("| a |\n|---|\n| `b` |\n\n```sh\n<x> & y\n```\n");
        assert!(html.contains("<div class=\"table\"") && html.contains("<td><code>b</code></td>"), "{html}");
        assert!(html.contains("<pre tabindex=\"0\"><code>&lt;x&gt; &amp; y\n</code></pre>"), "{html}");
    }

    #[test]
    fn sections_have_the_ids_of_their_headings() {
        let found = sections("Before.\n# One\nSome **bo**ld\ntext.\n\n- item\n## Two\n```\ncode\n```\n# One\n");
        let shown: Vec<_> = found.iter().map(|one| (one.id.as_str(), one.text.trim())).collect();
        assert_eq!(shown, [("", "Before."), ("one", "Some bold text. item"), ("two", "code"), ("one-1", "")]);
    }
}
