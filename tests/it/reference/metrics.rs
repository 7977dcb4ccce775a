//! The page on metrics, from what a service answers at `/metrics`.

use std::collections::{BTreeMap, BTreeSet};

use super::page::{check, code, table};
use crate::cli::{Home, server::Server};

const BEGINNING: &str = "# Metrics

`GET /metrics` answers in the text format of OpenMetrics, and needs no key. Labels are routes, methods, statuses and verbs, so no user,
session or path is in them. A counter has `_total` behind its name, and an info has `_info`. A histogram has `_bucket`, `_sum` and
`_count`.

";

/// A family of metrics as the text declares it.
#[derive(Default)]
struct Family {
    kind: String,
    about: String,
    labels: BTreeSet<String>,
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_on_metrics_is_generated() {
    let home = Home::with_skills();
    let server = Server::start(&home, &[]);
    // A request of each sort, so that families with labels have a line.
    for path in ["/v1/users/me/skills", "/metrics", "/metrics"] {
        let answer = reqwest::get(format!("{}{path}", server.url)).await.unwrap();
        assert_eq!(answer.status(), 200, "{path}");
    }
    let metrics = reqwest::get(format!("{}/metrics", server.url)).await.unwrap().text().await.unwrap();
    let families = families(&metrics);
    assert!(families.len() > 15, "{metrics}");
    let row = |(name, Family { kind, about, labels }): (String, Family)| {
        let labels: Vec<_> = labels.iter().map(code).collect();
        [code(name), kind, labels.join(", "), about]
    };
    let rows = table(["metric", "kind", "labels", "meaning"], families.into_iter().map(row));
    check("metrics.md", &format!("{BEGINNING}{rows}"));
}

/// The families of a text by their names.
fn families(text: &str) -> BTreeMap<String, Family> {
    let mut found = BTreeMap::<String, Family>::new();
    let label = regex::Regex::new(r#"(\w+)=""#).unwrap();
    for line in text.lines() {
        let mut words = line.splitn(4, ' ');
        match (words.next(), words.next(), words.next(), words.next()) {
            (Some("#"), Some("HELP"), Some(name), Some(about)) => {
                about.clone_into(&mut found.entry(name.to_owned()).or_default().about);
            }
            (Some("#"), Some("TYPE"), Some(name), Some(kind)) => {
                kind.clone_into(&mut found.entry(name.to_owned()).or_default().kind);
            }
            _ => {
                let name = line.split(['{', ' ']).next().unwrap();
                let of_name = |(family, _): &(&String, &mut Family)| {
                    let rest = name.strip_prefix(family.as_str());
                    rest.is_some_and(|rest| ["", "_total", "_info", "_bucket", "_sum", "_count"].contains(&rest))
                };
                let Some((_, family)) = found.iter_mut().find(of_name) else { continue };
                let labels = label.captures_iter(line).map(|found| found[1].to_owned()).filter(|label| label != "le");
                family.labels.extend(labels);
            }
        }
    }
    found
}
