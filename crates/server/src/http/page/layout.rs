//! The frame around each page: its head, the way into the guide, and the search.

/// A whole page with a title in plain text. `path` is its path, `nav` and `body` are HTML: the links beside the page, and its
/// contents. Links that begin with `/` become relative to the page, because a proxy may serve the service below another path.
pub(in crate::http) fn page(path: &str, title: &str, nav: &str, body: &str) -> String {
    let title = escape(title);
    let whole = format!(
        r##"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title} · skillmount</title>
<link rel="icon" type="image/svg+xml" href="/docs/icon.svg">
<link rel="stylesheet" href="/style.css">
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<header>
<a class="brand" href="/guide/">skillmount</a>
<a class="to-contents" href="#contents">Contents</a>
<a href="/docs">Try calls</a>
<form action="/guide/search" role="search">
<input name="q" type="search" aria-label="Search the guide" placeholder="Search the guide" required maxlength="200">
<button>Search</button>
</form>
</header>
<div class="columns">
<main id="content" tabindex="-1">
{body}
</main>
<nav id="contents" aria-label="Contents">
{nav}
</nav>
</div>
</body>
</html>
"##
    );
    let root = "../".repeat(path.matches('/').count().saturating_sub(1));
    let root = if root.is_empty() { "./" } else { &root };
    // In text each quotation mark is escaped, so this is an attribute.
    ["href", "src", "action"]
        .iter()
        .fold(whole, |text, name| text.replace(&format!("{name}=\"/"), &format!("{name}=\"{root}")))
}

/// `text` as HTML shows it, in an element or a quoted attribute.
pub(in crate::http) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            _ => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_text_and_never_markup() {
        let whole = page("/guide/", "a </title><script> & \"b\"", "<ul></ul>", "<p>{nav}</p>");
        assert!(whole.contains("<title>a &lt;/title&gt;&lt;script&gt; &amp; &quot;b&quot; · skillmount</title>"));
        assert!(whole.contains("<ul></ul>") && whole.contains("<p>{nav}</p>"));
    }

    #[test]
    fn links_are_relative_to_the_page() {
        let body = "<a href=\"/guide/a#b\">a</a> <code>href=&quot;/x</code>";
        for (path, root) in
            [("/", "./"), ("/guide/", "../"), ("/guide/search", "../"), ("/guide/how-to/hooks", "../../")]
        {
            let whole = page(path, "t", "", body);
            assert!(whole.contains(&format!("<a href=\"{root}guide/a#b\">")), "{path}: {whole}");
            assert!(whole.contains(&format!("href=\"{root}style.css\"")) && whole.contains("href=&quot;/x"), "{path}");
        }
    }
}
