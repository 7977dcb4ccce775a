//! The shape of a body: headings, links and code fences, each with its place in the text.
//!
//! The parser makes a tree of its input, which may take thirty times the text. So a long text is parsed in windows that
//! end between two top-level blocks, and a limited number of headings and links is kept.

mod html;

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, OffsetIter, Options, Parser, Tag, TagEnd};

use skillmount_base::limits::{OUTLINE_HEADINGS, OUTLINE_LINKS, OUTLINE_TEXT_BYTES, OUTLINE_WINDOW_BYTES};

/// Levels of headings, and one more that no heading has.
const LEVELS: usize = 7;

/// The shape of a Markdown text. All ranges are bytes of that text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// Headings in order, up to [`OUTLINE_HEADINGS`].
    pub headings: Vec<Heading>,
    /// Links and images in order, including those in HTML, up to [`OUTLINE_LINKS`].
    pub links: Vec<Link>,
    /// Code blocks, fenced and indented, in order.
    pub code: Vec<CodeBlock>,
    /// Inline code, in order.
    pub inline_code: Vec<Range<usize>>,
    /// Whether some headings, links or text of them are left out: [`OUTLINE_TEXT_BYTES`] are kept in all.
    pub is_cut: bool,
}

/// A heading and its section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// 1 to 6.
    pub level: u8,
    /// Its text without markup.
    pub text: String,
    /// The range of the heading itself.
    pub range: Range<usize>,
    /// The range of its section, from the heading to the next one of the same level or above.
    pub section: Range<usize>,
}

/// A link or an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Its target, as written.
    pub target: String,
    /// Its text without markup; empty for a link in HTML.
    pub text: String,
    /// The range of the whole link; for a link in HTML, of its opening tag.
    pub range: Range<usize>,
}

/// A block of code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeBlock {
    /// The words after the opening fence; empty for an indented block.
    pub info: String,
    /// The range of the whole block, fences included.
    pub range: Range<usize>,
}

impl Outline {
    /// Whether the byte `at` is inside code, in a block or in a line.
    pub(crate) fn is_code(&self, at: usize) -> bool {
        let block = self.code.partition_point(|block| block.range.start <= at).checked_sub(1);
        let inline = self.inline_code.partition_point(|range| range.start <= at).checked_sub(1);
        block.and_then(|nth| self.code.get(nth)).is_some_and(|block| block.range.contains(&at))
            || inline.and_then(|nth| self.inline_code.get(nth)).is_some_and(|range| range.contains(&at))
    }
}

/// Reads the shape of `body` in time linear in its length.
#[must_use]
pub fn outline(body: &str) -> Outline {
    let mut reader =
        Reader { body, text_left: OUTLINE_TEXT_BYTES, left_out: [body.len(); LEVELS], ..Reader::default() };
    while let Some(rest) = body.get(reader.at..).filter(|rest| !rest.is_empty()) {
        let end = window(rest);
        let text = rest.get(..end).unwrap_or(rest);
        for (event, range) in parser(text) {
            reader.event(event, reader.at + range.start..reader.at + range.end);
        }
        reader.at += end;
    }
    close_sections(&mut reader.outline.headings, reader.left_out);
    reader.outline
}

fn parser(text: &str) -> OffsetIter<'_> {
    Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter()
}

/// The length of the next window of `text`: up to the last top-level block that begins within [`OUTLINE_WINDOW_BYTES`],
/// because that block may go on beyond them. A single longer block is read in pieces.
fn window(text: &str) -> usize {
    if text.len() <= OUTLINE_WINDOW_BYTES {
        return text.len();
    }
    let most = text.floor_char_boundary(OUTLINE_WINDOW_BYTES);
    let (mut depth, mut last) = (0_usize, 0);
    for (event, range) in parser(text.get(..most).unwrap_or(text)) {
        match event {
            Event::Start(_) => {
                if depth == 0 {
                    last = range.start;
                }
                depth += 1;
            }
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    if last == 0 { most } else { last }
}

/// Reads events. The text of an open heading or link is collected until it closes. Links may be inside headings.
#[derive(Default)]
struct Reader<'a> {
    body: &'a str,
    /// The start of the present window.
    at: usize,
    outline: Outline,
    /// The bytes of text that may still be kept.
    text_left: usize,
    /// For each level, the start of the first heading that is not kept, or the end of the body.
    left_out: [usize; LEVELS],
    /// Whether the open heading is kept.
    in_heading: bool,
    /// The open links, if they are kept.
    open_links: Vec<Option<usize>>,
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
            Tag::Heading { level, .. } => self.heading(level as u8, range),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                let place = self.outline.links.len();
                let is_kept = self.link(Link { target: dest_url.into_string(), text: String::new(), range });
                self.open_links.push(is_kept.then_some(place));
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
        for (target, range) in html::links(html) {
            let range = start + range.start..start + range.end;
            self.link(Link { target: target.to_owned(), text: String::new(), range });
        }
    }

    fn heading(&mut self, level: u8, range: Range<usize>) {
        self.in_heading = self.outline.headings.len() < OUTLINE_HEADINGS;
        if self.in_heading {
            let section = range.clone();
            self.outline.headings.push(Heading { level, text: String::new(), range, section });
        } else if let Some(first) = self.left_out.get_mut(usize::from(level)) {
            *first = range.start.min(*first);
        }
        self.outline.is_cut |= !self.in_heading;
    }

    /// Keeps a link, if there is room. Returns whether there was.
    fn link(&mut self, link: Link) -> bool {
        let has_room = self.outline.links.len() < OUTLINE_LINKS && self.has_room(link.target.len());
        if has_room {
            self.outline.links.push(link);
        }
        self.outline.is_cut |= !has_room;
        has_room
    }

    /// Takes room for so many bytes of text, if there is enough.
    fn has_room(&mut self, bytes: usize) -> bool {
        let left = self.text_left.checked_sub(bytes);
        self.outline.is_cut |= left.is_none();
        self.text_left = left.unwrap_or(self.text_left);
        left.is_some()
    }

    fn text(&mut self, text: &str) {
        if self.in_heading
            && self.has_room(text.len())
            && let Some(heading) = self.outline.headings.last_mut()
        {
            heading.text.push_str(text);
        }
        // The text of an image inside a link belongs to the image alone, because nested links would make this
        // quadratic.
        if let Some(Some(place)) = self.open_links.last().copied()
            && self.has_room(text.len())
            && let Some(link) = self.outline.links.get_mut(place)
        {
            link.text.push_str(text);
        }
    }
}

/// Ends each section at the next heading of its level or above. `starts` has, by level, the start of the first heading
/// behind these, or the end of the text.
fn close_sections(headings: &mut [Heading], mut starts: [usize; LEVELS]) {
    let end = starts.first().copied().unwrap_or_default();
    // From the back: a section ends at the nearest start of its level or above.
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

    #[test]
    fn only_so_many_headings_and_links_are_kept_and_their_sections_are_right() {
        let body = format!("{}## Last\n", "# h\n\n[l](t)\n".repeat(OUTLINE_HEADINGS + 2));
        let cut = outline(&body);
        assert_eq!((cut.headings.len(), cut.links.len(), cut.is_cut), (OUTLINE_HEADINGS, OUTLINE_LINKS, true));
        let sections = cut.headings.iter().map(|heading| &body[heading.section.clone()]);
        assert!(sections.eq(std::iter::repeat_n("# h\n\n[l](t)\n", OUTLINE_HEADINGS)));
        let whole = outline(&"# h\n\n[l](t)\n".repeat(OUTLINE_HEADINGS));
        assert_eq!((whole.headings.len(), whole.is_cut), (OUTLINE_HEADINGS, false));
    }

    #[test]
    fn only_so_much_text_is_kept() {
        let kept = |text: usize| outline(&format!("# {}", "x".repeat(text))).is_cut;
        assert_eq!((kept(OUTLINE_WINDOW_BYTES / 2), OUTLINE_TEXT_BYTES), (false, 2 * OUTLINE_WINDOW_BYTES));
        let many = format!("# {}\n", "x".repeat(1022)).repeat(OUTLINE_TEXT_BYTES / 1022 + 1);
        let cut = outline(&many);
        let text: usize = cut.headings.iter().map(|heading| heading.text.len()).sum();
        assert!(cut.is_cut && text <= OUTLINE_TEXT_BYTES && text > OUTLINE_TEXT_BYTES - 1022, "{text}");
    }

    #[test]
    fn a_long_text_is_parsed_in_windows_that_end_between_blocks() {
        let filler = "words ".repeat(1000);
        let block = format!(
            "{BODY}\n{filler}\n\n```sh\n# no heading\n\necho `x`\n```\n\n- item\n\n      deep code\n\n> quote\n\n***\n\n"
        );
        let times = 3 * OUTLINE_WINDOW_BYTES / block.len();
        let body = block.repeat(times);
        let mut rest = body.as_str();
        let mut windows = 0;
        while !rest.is_empty() {
            let end = window(rest);
            assert!((1..=OUTLINE_WINDOW_BYTES).contains(&end));
            rest = &rest[end..];
            windows += 1;
        }
        assert!((3..=5).contains(&windows), "{windows}");
        let (one, all) = (outline(&block), outline(&body));
        let counts = |of: &Outline| [of.headings.len(), of.links.len(), of.code.len(), of.inline_code.len()];
        assert_eq!(counts(&all), counts(&one).map(|count| count * times));
        let spans = all.code.iter().map(|code| &body[code.range.clone()]);
        assert!(spans.eq(one.code.iter().map(|code| &block[code.range.clone()]).cycle().take(all.code.len())));
        assert!(
            window(&"x".repeat(3 * OUTLINE_WINDOW_BYTES)) == OUTLINE_WINDOW_BYTES,
            "a single block is read in pieces"
        );
    }
}
