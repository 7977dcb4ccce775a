//! The book: its files, and its pages in the order of the summary.

use std::path::Path;

use super::summary::{SummaryLine, lines};

/// The files of the book with their names, as the build script lists them.
const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/book.rs"));
const SUMMARY: &str = "SUMMARY.md";

/// The pages, and what lies beside them.
#[derive(Debug)]
pub(super) struct Book {
    pages: Vec<Page>,
    files: &'static [(&'static str, &'static str)],
}

/// A page of the book.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) title: String,
    /// The part that begins with this page.
    pub(super) part: Option<String>,
    /// Whether it lies below the page before it.
    pub(super) is_below: bool,
    /// The place of its file in the book.
    pub(super) file: String,
    /// The rest of its address behind `/guide/`. That of the first page is empty.
    pub(super) address: String,
    /// The Markdown.
    pub(super) source: &'static str,
}

impl Book {
    /// The book that the program carries.
    pub(super) fn carried() -> Self {
        Self::from_files(FILES)
    }

    /// The book of these files. A page without a file is a plan, as mdBook has it, and is left out.
    pub(super) fn from_files(files: &'static [(&'static str, &'static str)]) -> Self {
        let mut book = Self { pages: Vec::new(), files };
        let mut part = None;
        for line in lines(book.file(SUMMARY).unwrap_or_default()) {
            match line {
                SummaryLine::Part(title) => part = Some(title),
                SummaryLine::Page { title, file, is_below } => {
                    let Some(source) = book.file(&file) else { continue };
                    let address = if book.pages.is_empty() { String::new() } else { address_of(&file) };
                    book.pages.push(Page { title, part: part.take(), is_below, file, address, source });
                }
            }
        }
        book
    }

    /// The pages in reading order.
    pub(super) fn pages(&self) -> &[Page] {
        &self.pages
    }

    /// The number of the page at an address behind `/guide/`.
    pub(super) fn find(&self, address: &str) -> Option<usize> {
        self.pages.iter().position(|page| page.address == address)
    }

    /// The page that a file of the book is; `None` if the summary does not name it.
    pub(super) fn page_of_file(&self, file: &str) -> Option<&Page> {
        self.pages.iter().find(|page| page.file == file)
    }

    /// The text of a picture of the book.
    pub(super) fn picture(&self, name: &str) -> Option<&'static str> {
        let is_svg = Path::new(name).extension().is_some_and(|extension| extension == "svg");
        self.file(name).filter(|_| is_svg)
    }

    /// The text of a file of the book.
    pub(super) fn file(&self, name: &str) -> Option<&'static str> {
        let at = self.files.binary_search_by_key(&name, |(name, _)| *name).ok()?;
        self.files.get(at).map(|(_, text)| *text)
    }
}

/// The address of a page: the name of its file without the ending. A README has the address of its folder.
fn address_of(file: &str) -> String {
    let address = file.strip_suffix(".md").unwrap_or(file);
    address.strip_suffix("/README").unwrap_or(address).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_found_by_its_address() {
        let book = Book::from_files(&[
            (
                "SUMMARY.md",
                "# Summary\n[A](a.md)\n[Plan]()\n# Part\n- [B](b/README.md)\n- [C](b/c.md)\n- [None](none.md)\n",
            ),
            ("a.md", "# A"),
            ("b/README.md", "# B"),
            ("b/c.md", "# C"),
        ]);
        let addresses: Vec<_> = book.pages().iter().map(|page| page.address.as_str()).collect();
        assert_eq!(addresses, ["", "b", "b/c"]);
        assert_eq!(book.pages()[1].part.as_deref(), Some("Part"));
        assert_eq!((book.find("b/c"), book.find("b/c.md"), book.find("SUMMARY")), (Some(2), None, None));
    }
}
