//! The OpenAPI document.

use std::collections::BTreeSet;

use serde_json::Value;
use skillmount::limits::SEARCH_RESULTS_MOST;

use super::Server;

/// Any change of the interface shows in a diff of this snapshot.
#[test]
fn the_document_is_the_snapshot() {
    insta::assert_snapshot!("openapi", serde_json::to_string_pretty(&skillmount::http::openapi()).unwrap());
}

#[tokio::test]
async fn the_service_serves_the_same_document() {
    let server = Server::start().await;
    let document = server.get(&format!("{}/openapi.json", server.base)).await;
    assert_eq!(*document.is(200), serde_json::to_value(skillmount::http::openapi()).unwrap());
    assert_eq!(document.json["openapi"], "3.1.0");
}

#[test]
fn every_operation_is_described_tagged_and_says_how_it_fails() {
    let document = serde_json::to_value(skillmount::http::openapi()).unwrap();
    let mut ids = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        assert!(!path.contains('*'), "{path}");
        let declared = item["parameters"].as_array().map_or(0, Vec::len);
        assert_eq!(path.matches('{').count(), declared, "{path}");
        for (method, operation) in item.as_object().unwrap().iter().filter(|(name, _)| *name != "parameters") {
            assert!(operation["summary"].is_string() && operation["tags"][0].is_string(), "{method} {path}");
            assert!(ids.insert(operation["operationId"].to_string()), "{method} {path}");
            if path.starts_with("/v1/") {
                for status in ["400", "401", "403", "404", "409", "413", "429", "500", "503"] {
                    let problem = &operation["responses"][status]["content"]["application/problem+json"];
                    assert!(problem.is_object(), "{method} {path} {status}");
                }
            }
        }
    }
}

#[test]
fn the_limit_of_a_search_is_described_as_it_is_kept() {
    let document = serde_json::to_value(skillmount::http::openapi()).unwrap();
    let limit = &document["components"]["schemas"]["DiscoverRequest"]["properties"]["limit"];
    assert_eq!((limit["minimum"].as_u64(), limit["maximum"].as_u64()), (Some(1), Some(SEARCH_RESULTS_MOST as u64)));
}

#[test]
fn every_reference_leads_somewhere() {
    let document = serde_json::to_value(skillmount::http::openapi()).unwrap();
    let mut open = vec![&document];
    while let Some(value) = open.pop() {
        match value {
            Value::Object(members) => {
                if let Some(Value::String(reference)) = members.get("$ref") {
                    assert!(document.pointer(reference.trim_start_matches('#')).is_some(), "{reference}");
                }
                open.extend(members.values());
            }
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
}
