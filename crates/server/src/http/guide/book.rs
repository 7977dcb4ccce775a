//! The book: its files, and its pages in the order of the summary. The documents beside it follow as pages of their own.

use std::path::Path;

use super::summary::{SummaryLine, lines};

/// The files of the documentation with their names, as the build script lists them.
const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/docs.rs"));
/// The folder of the book in the documentation.
const BOOK: &str = "book/";
/// The file that names the pages of the book.
pub(super) const SUMMARY: &str = "book/SUMMARY.md";
/// The part with the documents beside the book, such as the contract.
const BESIDE: &str = "For contributors";

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
    /// The place of its file in the documentation.
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

    /// The book of these files, with the documents beside it. A page without a file is a plan, as mdBook has it, and is left out.
    pub(super) fn from_files(files: &'static [(&'static str, &'static str)]) -> Self {
        let mut book = Self { pages: Vec::new(), files };
        let mut part = None;
        for line in lines(book.file(SUMMARY).unwrap_or_default()) {
            match line {
                SummaryLine::Part(title) => part = Some(title),
                SummaryLine::Page { title, file, is_below } => {
                    let file = format!("{BOOK}{file}");
                    let Some(source) = book.file(&file) else { continue };
                    let address = if book.pages.is_empty() { String::new() } else { address_of(&file) };
                    book.pages.push(Page { title, part: part.take(), is_below, file, address, source });
                }
            }
        }
        let mut part = Some(BESIDE.to_owned());
        for (name, source) in files.iter().filter(|(name, _)| !name.starts_with(BOOK) && has_ending(name, "md")) {
            let (file, address, title) = ((*name).to_owned(), address_of(name), title_of(source));
            book.pages.push(Page { title, part: part.take(), is_below: false, file, address, source });
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

    /// The page that a file of the documentation is; `None` if it is in the book and the summary does not name it.
    pub(super) fn page_of_file(&self, file: &str) -> Option<&Page> {
        self.pages.iter().find(|page| page.file == file)
    }

    /// The text of the picture at an address behind `/guide/`.
    pub(super) fn picture(&self, address: &str) -> Option<&'static str> {
        self.file(&format!("{BOOK}{address}")).filter(|_| has_ending(address, "svg"))
    }

    /// The text of a file of the documentation.
    fn file(&self, name: &str) -> Option<&'static str> {
        let at = self.files.binary_search_by_key(&name, |(name, _)| *name).ok()?;
        self.files.get(at).map(|(_, text)| *text)
    }
}

impl Page {
    /// Whether it belongs to the book, and not to the documents beside it.
    pub(super) fn is_in_book(&self) -> bool {
        self.file.starts_with(BOOK)
    }
}

/// The address of a page or a picture of the book, or of a document beside it: its file without the ending `.md`. A README has the
/// address of its folder.
pub(super) fn address_of(file: &str) -> String {
    let address = file.strip_prefix(BOOK).unwrap_or(file);
    let address = address.strip_suffix(".md").unwrap_or(address);
    address.strip_suffix("/README").unwrap_or(address).to_owned()
}

fn has_ending(name: &str, ending: &str) -> bool {
    Path::new(name).extension().is_some_and(|extension| extension == ending)
}

/// The first heading of a document.
fn title_of(source: &str) -> String {
    source.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_found_by_its_address() {
        let book = Book::from_files(&[
            ("TERMS.md", "Before.\n# The terms\n"),
            (
                "book/SUMMARY.md",
                "# Summary\n[A](a.md)\n[Plan]()\n# Part\n- [B](b/README.md)\n- [C](b/c.md)\n- [None](none.md)\n",
            ),
            ("book/a.md", "# A"),
            ("book/b/README.md", "# B"),
            ("book/b/c.md", "# C"),
            ("book/x.svg", ""),
            ("renames.md", "# Renames"),
        ]);
        let addresses: Vec<_> = book.pages().iter().map(|page| page.address.as_str()).collect();
        assert_eq!(addresses, ["", "b", "b/c", "TERMS", "renames"]);
        let parts: Vec<_> = book.pages().iter().map(|page| page.part.as_deref()).collect();
        assert_eq!(parts, [None, Some("Part"), None, Some(BESIDE), None]);
        assert_eq!((book.pages()[3].title.as_str(), book.pages()[3].is_in_book()), ("The terms", false));
        assert_eq!((book.find("b/c"), book.find("b/c.md"), book.find("SUMMARY")), (Some(2), None, None));
        assert_eq!((book.picture("x.svg"), book.picture("a.md")), (Some(""), None));
    }
}
