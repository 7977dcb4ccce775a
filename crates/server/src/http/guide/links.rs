//! The links of a page: from files of the documentation to addresses of this service.

use super::book::{Book, SUMMARY, address_of};

/// The list of all pages, which each page has in place of the summary.
const CONTENTS: &str = "#contents";

/// The address that a link in `file` has on this service. `None` for a link out of the documentation, whose target the
/// program does not carry.
pub(super) fn address_of_link(book: &Book, file: &str, link: &str) -> Option<String> {
    if link.starts_with(['#', '/']) || link.starts_with("https://") || link.starts_with("http://") {
        return Some(link.to_owned());
    }
    let (path, fragment) = link.find('#').map_or((link, ""), |at| link.split_at(at));
    let target = joined(file, path)?;
    if target == SUMMARY {
        return Some(CONTENTS.to_owned());
    }
    if let Some(page) = book.page_of_file(&target) {
        return Some(format!("/guide/{}{fragment}", page.address));
    }
    let address = address_of(&target);
    book.picture(&address).map(|_| format!("/guide/{address}"))
}

/// The file at a path relative to `file`. `None` if the path leaves the documentation.
fn joined(file: &str, path: &str) -> Option<String> {
    let mut segments: Vec<_> = file.split('/').collect();
    segments.pop();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop()?;
            }
            _ => segments.push(segment),
        }
    }
    Some(segments.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_leads_to_a_page_or_a_picture_or_out_of_the_documentation() {
        let book = Book::from_files(&[
            ("TERMS.md", ""),
            ("book/SUMMARY.md", "# Summary\n[A](a.md)\n- [B](b/b.md)\n"),
            ("book/a.md", ""),
            ("book/b/b.md", ""),
            ("book/b/hidden.md", ""),
            ("book/b/x.svg", ""),
        ]);
        let from_b = |link| address_of_link(&book, "book/b/b.md", link);
        assert_eq!(address_of_link(&book, "TERMS.md", "book/b/b.md#x").as_deref(), Some("/guide/b/b#x"));
        for (link, address) in [
            ("../a.md", "/guide/"),
            ("../a.md#part", "/guide/#part"),
            ("b.md", "/guide/b/b"),
            ("./x.svg", "/guide/b/x.svg"),
            ("../../TERMS.md#part", "/guide/TERMS#part"),
            ("#part", "#part"),
            ("../SUMMARY.md", CONTENTS),
            ("/docs", "/docs"),
            ("https://example.com/x.md", "https://example.com/x.md"),
        ] {
            assert_eq!(from_b(link).as_deref(), Some(address), "{link}");
        }
        for outside in
            ["../../../README.md", "../../../../x.md", "hidden.md", "none.svg", "javascript:alert(1)", "mailto:a@b.c"]
        {
            assert_eq!(from_b(outside), None, "{outside}");
        }
    }
}
