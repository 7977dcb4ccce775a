//! The shape of a body: headings, links and code fences, each with its place in the text.
//!
//! The parser makes a tree of all it is given, which may take thirty times the text. So a long text is parsed in windows that
//! end between two blocks of the top level, and of headings and links only so many are kept.

mod html;

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, OffsetIter, Options, Parser, Tag, TagEnd};

use crate::limits::{OUTLINE_HEADINGS, OUTLINE_LINKS, OUTLINE_TEXT_BYTES, OUTLINE_WINDOW_BYTES};

/// The shape of a Markdown text. All ranges are bytes of that text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// Headings in order, up to [`OUTLINE_HEADINGS`].
    pub headings: Vec<Heading>,
    /// Links and images in order, those in HTML among them, up to [`OUTLINE_LINKS`].
    pub links: Vec<Link>,
    /// Code blocks, fenced and indented, in order.
    pub code: Vec<CodeBlock>,
    /// Code inside a line, in order.
    pub inline_code: Vec<Range<usize>>,
    /// Whether there are more headings or links, or more text in them, than is kept: [`OUTLINE_TEXT_BYTES`] in all.
    pub is_cut: bool,
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
