//! The pages of the guide as they are sent.

use std::{
    fmt::Write as _,
    sync::{LazyLock, OnceLock},
};

use super::{
    book::{Book, Page},
    markdown::html,
    search::SearchIndex,
};
use crate::{
    error::Result,
    http::{
        body::FixedText,
        page::{escape, page},
    },
};

/// The guide of the program.
pub(super) static GUIDE: LazyLock<Guide> = LazyLock::new(|| Guide::new(Book::carried()));

/// The book, with the pages and the index that somebody has asked for.
pub(super) struct Guide {
    rendered: Vec<OnceLock<Result<FixedText>>>,
    index: OnceLock<SearchIndex>,
    book: Book,
}

impl Guide {
    fn new(book: Book) -> Self {
        let rendered = book.pages().iter().map(|_| OnceLock::new()).collect();
        Self { rendered, index: OnceLock::new(), book }
    }

    /// The picture at an address behind `/guide/`.
    pub(super) fn picture(&self, address: &str) -> Option<&'static str> {
        self.book.picture(address)
    }

    /// The page at an address behind `/guide/`; `None` if there is none.
    pub(super) fn page(&self, address: &str) -> Option<&Result<FixedText>> {
        let number = self.book.find(address)?;
        let rendered = self.rendered.get(number)?;
        Some(rendered.get_or_init(|| FixedText::new(self.render(number))))
    }

    fn render(&self, number: usize) -> String {
        let Some(shown) = self.book.pages().get(number) else { return self.missing("") };
        let text = html(&self.book, shown);
        // A reader's voice and hyphens follow the language.
        let text = if shown.address.starts_with("es/") { format!("<div lang=\"es\">\n{text}</div>\n") } else { text };
        let body = format!("{text}{}", self.turn(number));
        page(&format!("/guide/{}", shown.address), &shown.title, &self.contents(Some(number)), &body)
    }

    /// The page for an unknown address behind `/guide/`.
    pub(super) fn missing(&self, address: &str) -> String {
        let body = "<h1>No such page</h1>\n<p>The guide has no page at this address. <a href=\"/guide/\">Begin with the first \
                    page</a>, or search.</p>";
        page(&format!("/guide/{address}"), "No such page", &self.contents(None), body)
    }

    /// The page with the answers to a question.
    pub(super) fn results(&self, question: &str) -> String {
        let found = self.index.get_or_init(|| SearchIndex::build(&self.book)).find(question);
        let mut body = format!("<h1>Search: {}</h1>\n", escape(question));
        if found.is_empty() {
            body.push_str("<p>No section has these words. Try fewer or other words.</p>\n");
        }
        body.push_str("<ul class=\"hits\">\n");
        for result in found {
            let Some(Page { address, title, .. }) = self.book.pages().get(result.page) else { continue };
            let (title, heading) = (escape(title), escape(&result.section.heading));
            let name = if heading.is_empty() || heading == title { title } else { format!("{title}: {heading}") };
            let id = Some(&result.section.id).filter(|id| !id.is_empty()).map_or(String::new(), |id| format!("#{id}"));
            let _ = writeln!(
                body,
                "<li><a href=\"/guide/{address}{id}\">{name}</a><p>{}</p></li>",
                escape(&result.excerpt)
            );
        }
        body.push_str("</ul>");
        page("/guide/search", "Search", &self.contents(None), &body)
    }

    /// The list of all pages, with a mark at the page with the number `shown`.
    fn contents(&self, shown: Option<usize>) -> String {
        let mut list = String::from("<ul>\n");
        for (number, page) in self.book.pages().iter().enumerate() {
            if let Some(part) = &page.part {
                let _ = writeln!(list, "</ul>\n<p class=\"part\">{}</p>\n<ul>", escape(part));
            }
            let place = if page.is_below { " class=\"below\"" } else { "" };
            let mark = if shown == Some(number) { " aria-current=\"page\"" } else { "" };
            let Page { address, title, .. } = page;
            let _ = writeln!(list, "<li{place}><a href=\"/guide/{address}\"{mark}>{}</a></li>", escape(title));
        }
        list.push_str("</ul>");
        list
    }

    /// The links to the pages before and after.
    fn turn(&self, number: usize) -> String {
        let link = |page: Option<&Page>, rel: &str, word: &str| {
            page.map_or(String::new(), |Page { address, title, .. }| {
                format!("<a rel=\"{rel}\" href=\"/guide/{address}\">{word}: {}</a>\n", escape(title))
            })
        };
        let pages = self.book.pages();
        let before = number.checked_sub(1).and_then(|before| pages.get(before));
        let (before, after) = (link(before, "prev", "Previous"), link(pages.get(number + 1), "next", "Next"));
        format!("<p class=\"turn\">\n{before}{after}</p>")
    }
}
