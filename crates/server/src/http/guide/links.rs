//! The links of a page: from files of the book to addresses of this service.

use super::book::Book;

/// The address that a link in `file` has on this service. `None` for a link out of the book, whose target the program does not
/// carry.
pub(super) fn address_of_link(book: &Book, file: &str, link: &str) -> Option<String> {
    if link.starts_with(['#', '/']) || link.starts_with("https://") || link.starts_with("http://") {
        return Some(link.to_owned());
    }
    let (path, fragment) = link.find('#').map_or((link, ""), |at| link.split_at(at));
    let target = joined(file, path)?;
    match book.page_of_file(&target) {
        Some(page) => Some(format!("/guide/{}{fragment}", page.address)),
        None => book.picture(&target).map(|_| format!("/guide/{target}")),
    }
}

/// The file of the book at a path relative to `file`. `None` if the path leaves the book.
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
    fn a_link_leads_to_a_page_or_a_picture_or_out_of_the_book() {
        let book = Book::from_files(&[
            ("SUMMARY.md", "# Summary\n[A](a.md)\n- [B](b/b.md)\n"),
            ("a.md", ""),
            ("b/b.md", ""),
            ("b/hidden.md", ""),
            ("b/x.svg", ""),
        ]);
        let from_b = |link| address_of_link(&book, "b/b.md", link);
        for (link, address) in [
            ("../a.md", "/guide/"),
            ("../a.md#part", "/guide/#part"),
            ("b.md", "/guide/b/b"),
            ("./x.svg", "/guide/b/x.svg"),
            ("#part", "#part"),
            ("/docs", "/docs"),
            ("https://example.com/x.md", "https://example.com/x.md"),
        ] {
            assert_eq!(from_b(link).as_deref(), Some(address), "{link}");
        }
        for outside in
            ["../../SEMANTICS.md", "../../../x.md", "hidden.md", "none.svg", "javascript:alert(1)", "mailto:a@b.c"]
        {
            assert_eq!(from_b(outside), None, "{outside}");
        }
    }
}
