//! The bytes of skills without loading them.

use std::io::{Cursor, Read as _};

use reqwest::{Method, header};
use serde_json::{Value, json};
use skillmount::limits::{DOWNLOAD_SKILLS, TRANSFER_FILES};

use super::{Answer, Server};

const FILE: &str = "/skill_files/escrituras/compraventa?path=resources/ejemplo.md";

async fn download(server: &Server, skills: Value) -> Answer {
    let call = server.client.post(server.user("/skills/download")).header("accept", "application/json");
    Answer::of(call.json(&json!({"skills": skills})).send().await.unwrap()).await
}

// S-CATALOG-8: A caller reads the files of a skill without loading it, by the rules of every other view of the catalog.
#[tokio::test]
async fn a_file_of_a_skill_is_read_whole_in_part_and_on_condition_without_loading_it() {
    let server = Server::with_skills().await;
    let get = async |name: header::HeaderName, value: &str| {
        server.client.get(server.user(FILE)).header(name, value).send().await.unwrap()
    };
    let whole = server.client.get(server.user(FILE)).send().await.unwrap();
    assert_eq!(
        (whole.status(), &whole.headers()["content-disposition"]),
        (reqwest::StatusCode::OK, &"attachment; filename*=UTF-8''ejemplo.md".parse().unwrap())
    );
    let tag = whole.headers()["etag"].to_str().unwrap().to_owned();
    assert_eq!(whole.text().await.unwrap(), "un ejemplo\n");
    let main = server.client.get(server.user("/skill_files/escrituras/compraventa")).send().await.unwrap();
    assert!(main.text().await.unwrap().contains("autor: Ana"), "SKILL.md if no file is named, with its frontmatter");

    let part = get(header::RANGE, "bytes=3-9").await;
    assert_eq!((part.status().as_u16(), part.text().await.unwrap().as_str()), (206, "ejemplo"));
    assert_eq!(get(header::RANGE, "bytes=11-").await.status(), 416);
    assert_eq!(get(header::IF_NONE_MATCH, &tag).await.status(), 304);
    assert_eq!(get(header::IF_MATCH, "\"other\"").await.status(), 412);
    let head = server.client.head(server.user(FILE)).send().await.unwrap();
    assert_eq!((head.status().as_u16(), &head.headers()["content-length"]), (200, &"11".parse().unwrap()));
    assert_eq!(server.get(&server.session("")).await.is(200)["loaded_skills"], json!([]));

    for (path, status, code) in [
        ("escrituras/compraventa?path=nada.md", 404, "file_not_found"),
        ("escrituras/compraventa?path=resources", 404, "file_not_found"),
        ("escrituras/compraventa?path=../../contratos/arrendamiento/SKILL.md", 400, "invalid_path"),
        ("escrituras/compraventa?path=", 400, "invalid_path"),
        ("escrituras/nada", 404, "skill_not_found"),
        ("roto", 404, "skill_not_found"),
    ] {
        server.get(&server.user(&format!("/skill_files/{path}"))).await.is_problem(status, code);
    }
}

// S-CATALOG-13: One download takes up to 100 skills and 1,000 files; each file comes or fails on its own.
#[tokio::test]
async fn files_of_skills_are_downloaded_in_three_forms_and_each_fails_on_its_own() {
    let server = Server::with_skills().await;
    let skills = json!([
        {"skill": "escrituras/compraventa"},
        {"skill": "nada"},
        {"skill": "contratos/arrendamiento", "paths": ["SKILL.md", "nada.md", "../x"]},
    ]);
    let answer = download(&server, skills.clone()).await;
    let files: Vec<_> = answer.is(200)["files"].as_array().unwrap().iter().collect();
    let outcome = |file: &Value| (file["path"].clone(), file["error"].as_str().unwrap_or("ok").to_owned());
    let outcomes: Vec<_> = files.iter().map(|file| outcome(file)).collect();
    let expected = [
        ("escrituras/compraventa/SKILL.md", "ok"),
        ("escrituras/compraventa/resources/ejemplo.md", "ok"),
        ("nada", "skill_not_found"),
        ("contratos/arrendamiento/SKILL.md", "ok"),
        ("contratos/arrendamiento/nada.md", "file_not_found"),
        ("contratos/arrendamiento/../x", "invalid_path"),
    ];
    assert_eq!(outcomes, expected.map(|(path, code)| (json!(path), code.to_owned())));
    assert_eq!(files[1]["content"], "dW4gZWplbXBsbwo=");

    let call = |accept: &str, skills: &Value| {
        let call = server.client.post(server.user("/skills/download")).header("accept", accept);
        call.json(&json!({"skills": skills})).send()
    };
    let parts = call("*/*", &skills).await.unwrap();
    assert!(parts.headers()["content-type"].to_str().unwrap().starts_with("multipart/mixed"));
    let parts = parts.text().await.unwrap();
    assert!(parts.contains("content-location: escrituras/compraventa/resources/ejemplo.md"), "{parts}");
    assert_eq!(parts.matches("x-error: ").count(), 3);

    let refused = Answer::of(call("application/zip", &skills).await.unwrap()).await;
    refused.is_problem(404, "skill_not_found");
    let whole = json!([{"skill": "escrituras/compraventa"}, {"skill": "contratos/arrendamiento"}]);
    let archive = call("application/zip", &whole).await.unwrap().bytes().await.unwrap();
    let mut archive = zip::ZipArchive::new(Cursor::new(archive)).unwrap();
    assert_eq!(archive.len(), 3);
    let mut text = String::new();
    archive.by_name("escrituras/compraventa/resources/ejemplo.md").unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(text, "un ejemplo\n");
    assert_eq!(server.get(&server.session("")).await.is(200)["loaded_skills"], json!([]));
}

// S-LIMIT-1: Every limit stands in `crates/base/src/limits/`; the service takes n and refuses n + 1.
// S-CATALOG-13: One download takes up to 100 skills and 1,000 files; each file comes or fails on its own.
#[tokio::test]
async fn a_download_takes_so_many_skills_and_files_and_no_more() {
    let server = Server::with_skills().await;
    let missing = |count: usize| Value::from(vec![json!({"skill": "nada"}); count]);
    assert_eq!(download(&server, missing(DOWNLOAD_SKILLS)).await.is(200)["files"].as_array().unwrap().len(), 100);
    download(&server, missing(DOWNLOAD_SKILLS + 1)).await.is_problem(400, "invalid_request");
    let paths = |count: usize| json!([{"skill": "escrituras/compraventa", "paths": vec!["nada"; count]}]);
    assert_eq!(
        download(&server, paths(TRANSFER_FILES)).await.is(200)["files"].as_array().unwrap().len(),
        TRANSFER_FILES
    );
    download(&server, paths(TRANSFER_FILES + 1)).await.is_problem(400, "invalid_request");
    for at in 0..=TRANSFER_FILES {
        server.memory.put_raw(&format!("u1/skills/contratos/arrendamiento/{at}"), "x");
    }
    let refused = download(&server, json!([{"skill": "contratos/arrendamiento"}])).await;
    refused.is_problem(400, "invalid_request");
}

#[tokio::test]
async fn a_skill_may_be_called_as_the_download_is() {
    let server = Server::start().await;
    let url = server.user("/skills/download");
    let long = "x".repeat(3 << 20);
    let published = json!({"description": "Downloads", "body": "# Download\n", "files": {"long.md": long}});
    server.send(Method::PUT, &url, &published).await.is(201);
    assert_eq!(server.get(&url).await.is(200)["description"], "Downloads");
    server.send(Method::PATCH, &url, &json!({"description": "Downloads more"})).await.is(200);
    assert_eq!(
        download(&server, json!([{"skill": "download"}])).await.is(200)["files"][0]["path"],
        "download/SKILL.md"
    );
    assert_eq!(server.client.delete(&url).send().await.unwrap().status(), 204);
    server.get(&url).await.is_problem(404, "skill_not_found");
}
