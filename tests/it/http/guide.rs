//! The guide: its pages, their links and headings, the search, and the way there.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use regex::Regex;
use reqwest::{Client, Method, StatusCode, header, redirect::Policy};

use super::{Answer, Server};
use crate::support::sources::root;

const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

/// A page as it was sent.
struct Page {
    /// The folder of its path.
    folder: String,
    status: StatusCode,
    kind: String,
    text: String,
}

impl Page {
    /// The values of an attribute, in order.
    fn values(&self, pattern: &str) -> Vec<String> {
        let pattern = Regex::new(pattern).unwrap();
        pattern.captures_iter(&self.text).map(|found| found[1].replace("&amp;", "&")).collect()
    }

    /// Its links, those within the service by their whole path.
    fn links(&self) -> Vec<String> {
        self.values(r#"(?:href|src)="([^"]*)""#).iter().map(|link| self.resolved(link)).collect()
    }

    fn resolved(&self, link: &str) -> String {
        assert!(!link.starts_with('/'), "a proxy may serve the service below another path: {link}");
        if link.starts_with('#') || link.contains(':') {
            return link.to_owned();
        }
        let (mut folder, mut rest) = (self.folder.as_str(), link.strip_prefix("./").unwrap_or(link));
        while let Some(above) = rest.strip_prefix("../") {
            (folder, rest) = (folder.rsplit_once('/').unwrap().0, above);
        }
        format!("{folder}/{rest}")
    }

    /// The part that the page has for itself.
    fn body(&self) -> &str {
        let begin = self.text.split_once("<main ").unwrap().1;
        begin.split_once("</main>").unwrap().0
    }
}

impl Server {
    async fn page(&self, path: &str) -> Page {
        let response = self.client.get(format!("{}{path}", self.base)).send().await.unwrap();
        let kind = response.headers()["content-type"].to_str().unwrap().to_owned();
        let folder = path.split('?').next().unwrap().rsplit_once('/').unwrap().0.to_owned();
        Page { folder, status: response.status(), kind, text: response.text().await.unwrap() }
    }

    /// Every page of the guide by its path, found from link to link.
    async fn guide(&self) -> BTreeMap<String, Page> {
        let mut found = BTreeMap::new();
        let mut open = vec!["/guide/".to_owned()];
        while let Some(path) = open.pop() {
            if found.contains_key(&path) {
                continue;
            }
            let page = self.page(&path).await;
            let below = page.links().into_iter().filter(|link| link.starts_with("/guide/") && !link.contains('?'));
            let below = below.map(|link| link.split('#').next().unwrap().to_owned());
            open.extend(below.filter(|link| link != "/guide/search" && !has_ending(link, "svg")));
            found.insert(path, page);
        }
        found
    }
}

fn has_ending(name: &str, ending: &str) -> bool {
    Path::new(name).extension().is_some_and(|extension| extension == ending)
}

/// The Markdown files of the documentation with their text, by their place in it.
fn files() -> BTreeMap<String, String> {
    let home = root().join("docs");
    let mut found = BTreeMap::new();
    let mut folders = vec![home.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(&home).unwrap().to_str().unwrap().to_owned();
            if path.is_dir() {
                folders.push(path);
            } else if has_ending(&name, "md") {
                found.insert(name, fs::read_to_string(path).unwrap());
            }
        }
    }
    found
}

#[tokio::test]
async fn the_guide_has_every_page_of_the_documentation() {
    let server = Server::start().await;
    let guide = server.guide().await;
    let files = files();
    let summary = &files["book/SUMMARY.md"];
    let (book, beside): (BTreeSet<_>, BTreeSet<_>) = files
        .keys()
        .map(String::as_str)
        .filter(|name| *name != "book/SUMMARY.md")
        .partition(|name| name.starts_with("book/"));
    let unnamed: Vec<_> =
        book.iter().filter(|name| !summary.contains(&format!("({})", name.trim_start_matches("book/")))).collect();
    assert!(unnamed.is_empty(), "SUMMARY.md names each page, but not {unnamed:?}");
    assert_eq!(guide.len(), book.len() + beside.len(), "{:?}", guide.keys());
    assert!(guide.contains_key("/guide/SEMANTICS") && guide.contains_key("/guide/DECISIONS"), "{:?}", guide.keys());
    for (path, page) in &guide {
        assert_eq!((page.status, page.kind.as_str()), (StatusCode::OK, "text/html; charset=utf-8"), "{path}");
    }
}

#[tokio::test]
async fn every_link_of_every_page_leads_somewhere() {
    let server = Server::start().await;
    let guide = server.guide().await;
    let mut others = BTreeMap::new();
    let mut links = 0;
    for (path, page) in &guide {
        for link in page.links() {
            links += 1;
            let (target, fragment) = link.split_once('#').map_or((link.as_str(), None), |(to, id)| (to, Some(id)));
            if target.starts_with("https://") || target.starts_with("http://") {
                continue;
            }
            let target = if target.is_empty() { path.as_str() } else { target };
            assert!(target.starts_with('/'), "{path}: {link:?}");
            if let Some(there) = guide.get(target) {
                let ids = there.values(r#" id="([^"]*)""#);
                assert!(fragment.is_none_or(|id| ids.iter().any(|known| known == id)), "{path}: {link}");
            } else if !others.contains_key(target) {
                let status = server.page(target).await.status;
                assert_eq!(status, StatusCode::OK, "{path}: {link}");
                others.insert(target.to_owned(), status);
            }
        }
    }
    assert!(links > 10 && others.contains_key("/style.css") && others.contains_key("/docs"), "{links} {others:?}");
}

#[tokio::test]
async fn every_page_has_one_title_and_headings_in_order() {
    let server = Server::start().await;
    for (path, page) in server.guide().await {
        let levels: Vec<u8> = page.values(r"<h([1-6])").iter().map(|level| level.parse().unwrap()).collect();
        assert_eq!(levels.first(), Some(&1), "{path}");
        assert_eq!(levels.iter().copied().filter(|level| *level == 1).collect::<Vec<_>>(), [1], "{path} {levels:?}");
        for pair in levels.windows(2) {
            assert!(pair[1] <= pair[0] + 1, "{path} skips a level: {levels:?}");
        }
        let ids = page.values(r#" id="([^"]*)""#);
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "{path} has an id twice: {ids:?}");
        let current = page.values(r#"href="([^"]*)" aria-current="page""#);
        assert_eq!(current.iter().map(|link| page.resolved(link)).collect::<Vec<_>>(), [path]);
    }
}

#[tokio::test]
async fn a_page_loads_nothing_from_elsewhere_and_runs_no_script() {
    let server = Server::start().await;
    for path in ["/guide/", "/guide/no-such-page", "/guide/search?q=skill", "/style.css"] {
        let response = server.client.get(format!("{}{path}", server.base)).send().await.unwrap();
        let headers = response.headers().clone();
        let policy = headers["content-security-policy"].to_str().unwrap();
        assert!(policy.starts_with("default-src 'none';") && !policy.contains("script"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(headers["x-content-type-options"], "nosniff");
        assert_eq!(headers["referrer-policy"], "no-referrer");
        let text = response.text().await.unwrap();
        for inline in ["<script", "<style", " style=", " onclick=", "@import", "url("] {
            assert!(!text.contains(inline), "{path}: {inline}");
        }
    }
}

// S-API-6: `/guide/` is the book of the documentation, with a search.
#[tokio::test]
async fn the_search_finds_sections_and_shows_the_question_as_text() {
    let server = Server::start().await;
    let page = server.page("/guide/search?q=skills").await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(page.body().contains("<ul class=\"hits\">\n<li><a href=\"../guide/"), "{}", page.body());
    let none = server.page("/guide/search?q=%3Czzzqqq%3E").await;
    assert!(none.body().contains("Search: &lt;zzzqqq&gt;"), "{}", none.body());
    assert!(none.body().contains("No section has these words") && !none.body().contains("<li>"), "{}", none.body());
    for path in ["/guide/search", "/guide/search?q="] {
        assert_eq!(server.page(path).await.status, StatusCode::OK);
    }
}

#[tokio::test]
async fn an_unknown_page_leads_back_to_the_guide() {
    let server = Server::start().await;
    for path in ["/guide/none", "/guide/introduction.md", "/guide/SUMMARY", "/guide/none.svg", "/guide/a/"] {
        let page = server.page(path).await;
        assert_eq!((page.status, page.kind.as_str()), (StatusCode::NOT_FOUND, "text/html; charset=utf-8"), "{path}");
        assert!(page.links().contains(&"/guide/".to_owned()), "{path}");
    }
}

// S-API-5: A browser that asks for `/` gets a redirect to the guide; for any other client `/` is no route.
#[tokio::test]
async fn the_root_redirects_browsers_to_the_guide_and_no_other_client() {
    let server = Server::start().await;
    let client = Client::builder().redirect(Policy::none()).build().unwrap();
    let ask = async |method: Method, path: &str, accept: &str| {
        let url = format!("{}{path}", server.base);
        client.request(method, url).header(header::ACCEPT, accept).send().await.unwrap()
    };
    for method in [Method::GET, Method::HEAD] {
        let redirected = ask(method, "/", BROWSER).await;
        assert_eq!(redirected.status(), StatusCode::SEE_OTHER);
        assert_eq!(redirected.headers()["location"], "guide/");
    }
    for (method, accept) in [(Method::GET, "*/*"), (Method::GET, "application/json"), (Method::POST, BROWSER)] {
        Answer::of(ask(method, "/", accept).await).await.is_problem(404, "route_not_found");
    }
    let redirected = ask(Method::GET, "/guide", "*/*").await;
    assert_eq!(
        (redirected.status(), &redirected.headers()["location"]),
        (StatusCode::PERMANENT_REDIRECT, &"guide/".parse().unwrap())
    );
}
