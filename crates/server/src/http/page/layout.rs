//! The frame around each page: its head, the way into the guide, and the search.

/// A whole page with a title in plain text. `nav` and `body` are HTML: the links beside the page, and its contents.
pub(in crate::http) fn page(title: &str, nav: &str, body: &str) -> String {
    let title = escape(title);
    format!(
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
    )
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
        let whole = page("a </title><script> & \"b\"", "<ul></ul>", "<p>{nav}</p>");
        assert!(whole.contains("<title>a &lt;/title&gt;&lt;script&gt; &amp; &quot;b&quot; · skillmount</title>"));
        assert!(whole.contains("<ul></ul>") && whole.contains("<p>{nav}</p>"));
    }
}
