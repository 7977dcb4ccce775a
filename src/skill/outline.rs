//! The shape of a body: headings, links and code fences, each with its place in the text.

mod html;

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// The shape of a Markdown text. All ranges are bytes of that text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// Headings in order.
    pub headings: Vec<Heading>,
    /// Links and images in order, those in HTML among them.
    pub links: Vec<Link>,
    /// Code blocks, fenced and indented, in order.
    pub code: Vec<CodeBlock>,
    /// Code inside a line, in order.
    pub inline_code: Vec<Range<usize>>,
}

/// A heading and the text it stands over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// 1 to 6.
    pub level: u8,
    /// Its text without markup.
    pub text: String,
    /// The heading itself.
    pub range: Range<usize>,
    /// From the heading to the next one of the same level or above: its section.
    pub section: Range<usize>,
}

/// A link or an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Where it leads, as written.
    pub target: String,
    /// Its text without markup; empty for one in HTML.
    pub text: String,
    /// The whole link; of one in HTML, its opening tag.
    pub range: Range<usize>,
}

/// A block of code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeBlock {
    /// The words after the opening fence; empty for an indented block.
    pub info: String,
    /// The whole block, fences included.
    pub range: Range<usize>,
}

impl Outline {
    /// The first heading of the highest level in use, which is what a text is called.
    #[must_use]
    pub fn title(&self) -> Option<&str> {
        let level = self.headings.iter().map(|heading| heading.level).min()?;
        self.headings.iter().find(|heading| heading.level == level).map(|heading| heading.text.as_str())
    }

    /// Whether the byte `at` is inside code, in a block or in a line.
    #[must_use]
    pub fn is_code(&self, at: usize) -> bool {
        let block = self.code.partition_point(|block| block.range.start <= at).checked_sub(1);
        let inline = self.inline_code.partition_point(|range| range.start <= at).checked_sub(1);
        block.and_then(|nth| self.code.get(nth)).is_some_and(|block| block.range.contains(&at))
            || inline.and_then(|nth| self.inline_code.get(nth)).is_some_and(|range| range.contains(&at))
    }
}

/// Reads the shape of `body`, in time linear in its length.
#[must_use]
pub fn outline(body: &str) -> Outline {
    let mut reader = Reader { body, ..Reader::default() };
    for (event, range) in Parser::new_ext(body, Options::ENABLE_TABLES).into_offset_iter() {
        reader.event(event, range);
    }
    close_sections(&mut reader.outline.headings, body.len());
    reader.outline
}

/// Reads events. The text of an open heading or link is gathered until it closes; links may stand inside headings.
#[derive(Default)]
struct Reader<'a> {
    body: &'a str,
    outline: Outline,
    in_heading: bool,
    open_links: Vec<usize>,
}

impl Reader<'_> {
    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.open(tag, range),
            Event::End(TagEnd::Heading(_)) => self.in_heading = false,
            Event::End(TagEnd::Link | TagEnd::Image) => {
                self.open_links.pop();
            }
            Event::Text(text) => self.text(&text),
            Event::Code(text) => {
                self.text(&text);
                self.outline.inline_code.push(range);
            }
            Event::SoftBreak | Event::HardBreak => self.text(" "),
            Event::InlineHtml(_) => self.html(range),
            _ => {}
        }
    }

    fn open(&mut self, tag: Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Heading { level, .. } => {
                self.in_heading = true;
                let section = range.clone();
                self.outline.headings.push(Heading { level: number(level), text: String::new(), range, section });
            }
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.open_links.push(self.outline.links.len());
                self.outline.links.push(Link { target: dest_url.into_string(), text: String::new(), range });
            }
            Tag::CodeBlock(kind) => {
                let info = match kind {
                    CodeBlockKind::Fenced(info) => info.into_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                self.outline.code.push(CodeBlock { info, range });
            }
            Tag::HtmlBlock => self.html(range),
            _ => {}
        }
    }

    fn html(&mut self, range: Range<usize>) {
        let (start, html) = (range.start, self.body.get(range).unwrap_or_default());
        let shift = |(target, range): (&str, Range<usize>)| Link {
            target: target.to_owned(),
            text: String::new(),
            range: start + range.start..start + range.end,
        };
        self.outline.links.extend(html::links(html).into_iter().map(shift));
    }

    fn text(&mut self, text: &str) {
        if self.in_heading
            && let Some(heading) = self.outline.headings.last_mut()
        {
            heading.text.push_str(text);
        }
        // An image inside a link lends its text to the image alone: nested links would make this quadratic.
        if let Some(link) = self.open_links.last().and_then(|at| self.outline.links.get_mut(*at)) {
            link.text.push_str(text);
        }
    }
}

fn number(level: HeadingLevel) -> u8 {
    level as u8
}

/// Ends each section where the next heading of its level or above begins.
fn close_sections(headings: &mut [Heading], end: usize) {
    // The starts of the sections seen so far from the back, by level: the nearest one at or above a level ends it.
    let mut starts = [end; 7];
    for heading in headings.iter_mut().rev() {
        let level = usize::from(heading.level);
        heading.section.end = starts.iter().take(level + 1).copied().min().unwrap_or(end);
        if let Some(start) = starts.get_mut(level) {
            *start = heading.range.start;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &str = "intro\n\n## One *b*\n\ntext [a `b`](x/y.md) ![i](p.png)\n\n### Deep\n\n# Top\n\n```rust\ncode\n```\n\nSet\n---\n\n    indented\n";

    #[test]
    fn headings_carry_their_text_and_section() {
        let outline = outline(BODY);
        let sections: Vec<_> =
            outline.headings.iter().map(|one| (one.level, one.text.as_str(), &BODY[one.section.clone()])).collect();
        assert_eq!(sections[0].0, 2);
        assert_eq!(sections[0].1, "One b");
        assert!(sections[0].2.starts_with("## One") && sections[0].2.ends_with("### Deep\n\n"));
        assert_eq!(sections[1].2, "### Deep\n\n");
        assert!(sections[2].2.starts_with("# Top") && sections[2].2.ends_with("indented\n"));
        assert_eq!((sections[3].0, sections[3].1), (2, "Set"));
        assert_eq!(outline.title(), Some("Top"));
    }

    #[test]
    fn links_in_html_are_links() {
        let body = "a <IMG alt=x\n src=\"p.png\"> [t <img src=q.png>](r.md)\n\n<div>\n<a id='>' href='d.md'>d</a>\n</div>\n\n`<img src=no>`\n";
        let outline = outline(body);
        let links: Vec<_> = outline.links.iter().map(|one| (one.target.as_str(), &body[one.range.clone()])).collect();
        let expected = [
            ("p.png", "<IMG alt=x\n src=\"p.png\">"),
            ("r.md", "[t <img src=q.png>](r.md)"),
            ("q.png", "<img src=q.png>"),
            ("d.md", "<a id='>' href='d.md'>"),
        ];
        assert_eq!(links, expected);
    }

    #[test]
    fn links_and_code_carry_their_place() {
        let outline = outline(BODY);
        let links: Vec<_> = outline.links.iter().map(|one| (one.target.as_str(), one.text.as_str())).collect();
        assert_eq!(links, [("x/y.md", "a b"), ("p.png", "i")]);
        assert_eq!(&BODY[outline.links[0].range.clone()], "[a `b`](x/y.md)");
        assert_eq!(&BODY[outline.code[0].range.clone()], "```rust\ncode\n```");
        assert_eq!((outline.code[0].info.as_str(), outline.code[1].info.as_str()), ("rust", ""));
        let is_code = |text| outline.is_code(BODY.find(text).unwrap());
        assert!(is_code("`b`") && is_code("code\n") && is_code("indented"));
        assert!(!is_code("](x") && !is_code("Set") && !is_code("intro"));
    }
}
