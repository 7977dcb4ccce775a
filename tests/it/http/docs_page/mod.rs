//! The page `/docs`: what it is made of, and every call sent from it in a real browser.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use serde_json::Value;
use skillmount::{
    access::{Callers, Keys},
    http::HttpConfig,
};

use super::Server;
use crate::support::{
    browser,
    packages::{done, ready, run},
};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/crates/server/src/http/docs");
const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/http/docs_page");
/// Where the pictures of the page are.
const HOME: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/docs_page");

/// The files of the page by name.
fn files() -> BTreeMap<String, String> {
    let files = fs::read_dir(PAGE).unwrap().map(|file| file.unwrap().path());
    let files = files.filter(|path| path.extension().is_some_and(|of| of != "rs"));
    files
        .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read_to_string(path).unwrap()))
        .collect()
}

#[tokio::test]
async fn the_page_is_served_whole_and_allows_nothing_but_itself() {
    let server = Server::start().await;
    for (name, text) in files() {
        let path = if name == "page.html" { "/docs".to_owned() } else { format!("/docs/{name}") };
        let response = server.client.get(format!("{}{path}", server.base)).send().await.unwrap();
        assert_eq!(response.status(), 200, "{path}");
        let headers = response.headers();
        let policy = headers["content-security-policy"].to_str().unwrap();
        assert!(policy.starts_with("default-src 'none';") && !policy.contains("unsafe"), "{policy}");
        assert_eq!(headers["x-content-type-options"], "nosniff");
        assert_eq!(headers["referrer-policy"], "no-referrer");
        let kind = headers["content-type"].to_str().unwrap();
        let ending = name.rsplit('.').next().unwrap().replace("js", "javascript");
        assert!(kind.contains(&ending), "{name} is {kind}");
        for outside in
            ["http://", "https://", "innerHTML", "eval(", "localStorage", "sessionStorage", "document.cookie"]
        {
            assert!(!text.replace("http://www.w3.org/2000/svg", "").contains(outside), "{name}: {outside}");
        }
        // A proxy may serve the service below another path.
        assert!(["href=\"/", "src=\"/", "fetch(\"/"].iter().all(|root| !text.contains(root)), "{name}");
        assert!(text.lines().count() <= 400, "{name}");
    }
    let page = server.client.get(format!("{}/docs", server.base)).send().await.unwrap().text().await.unwrap();
    assert!(
        page.contains("id=\"user\" value=\"me\"")
            && page.contains("id=\"session\" value=\"cli\"")
            && !page.contains("{{")
    );
    for inline in ["<style", " style=", " onclick=", "<script>"] {
        assert!(!page.contains(inline), "{inline}");
    }
    let missing = server.get(&format!("{}/docs/none.js", server.base)).await;
    missing.is_problem(404, "route_not_found");
}

#[test]
fn everything_that_the_page_names_is_there_and_used() {
    let files = files();
    let named: BTreeSet<_> = files
        .values()
        .flat_map(|text| text.split('"').filter_map(|word| word.strip_prefix("docs/").or(word.strip_prefix("./"))))
        .chain(["page.html"])
        .map(str::to_owned)
        .collect();
    assert_eq!(named, files.into_keys().collect());
}

#[test]
fn the_example_of_a_policy_is_whole() {
    let document = serde_json::to_value(skillmount::http::openapi()).unwrap();
    let body = &document["paths"]["/v1/users/{user}/policy"]["put"]["requestBody"]["content"]["application/json"];
    let members = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<BTreeSet<_>>();
    let all = members(&document["components"]["schemas"]["Policy"]["properties"]);
    // The page fills in the members of the example, and a policy is replaced whole.
    assert_eq!(members(&body["example"]), all);
}

// S-API-4: `/docs` is a page on which a person tries every call of the OpenAPI document.
#[tokio::test(flavor = "multi_thread")]
async fn every_call_is_sent_from_the_page_in_a_browser() {
    let tools = tokio::task::spawn_blocking(|| Ok((browser::driver()?, browser::chromium()?))).await.unwrap();
    let Some((node, chromium)) = ready("no browser opened the page /docs", tools, browser::HELP) else { return };
    let folder = Path::new(HOME);
    fs::create_dir_all(folder).unwrap();
    for script in ["calls.mjs", "page.mjs", "looks.mjs"] {
        fs::copy(Path::new(SCRIPTS).join(script), folder.join(script)).unwrap();
    }
    let (empty, full) = (Server::start().await, Server::with_skills().await);
    let policy = serde_json::json!({"skills_access": "write", "tools": {"*": "auto", "create_skill": "auto"}});
    full.memory.put_raw("u1/.skillmount/policy.json", policy.to_string());
    let keys = Keys::single("k").unwrap();
    let guarded =
        Server::with(HttpConfig { callers: Callers { keys, ..Callers::default() }, ..HttpConfig::default() }).await;
    let mut session = node.link(folder);
    session.arg("calls.mjs").arg(chromium).args([&empty.base, &full.base, &guarded.base]);
    done(tokio::task::spawn_blocking(move || run(&mut session)).await.unwrap());
}
