//! Skills near the limit of a version, sent to a server of their own: they are published, and the server stays small.

use std::fmt::Write as _;

use reqwest::{
    Body, Client,
    multipart::{Form, Part},
};
use serde_json::Value;

use super::{Home, server::Server};

const MAIN: &str = "---\nname: large\ndescription: Shows how.\n---\nBody\n";
const MIB: usize = 1 << 20;

/// Lines of text, none like another, of so many bytes.
fn lines(bytes: usize) -> String {
    let mut text = String::new();
    let mut number = 0_u64;
    while text.len() < bytes {
        number += 1;
        writeln!(text, "line {number} of a long text that says the same again").unwrap();
    }
    text.truncate(bytes);
    text
}

/// The most memory that the server took, in MiB.
fn most_memory(server: &Server) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.id())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() / 1024
}

// S-PUBLISH-10: A skill is published as JSON, as a zip archive of its folder or as a part for each file, with a key of scope
// `control`.
#[tokio::test]
async fn a_large_skill_is_published_in_parts_and_as_json_and_the_server_stays_small() {
    let home = Home::new();
    let server = Server::start(&home, &[]);
    let url = format!("{}/v1/users/me/skills", server.url);
    let text = lines(40 * MIB);
    let form = (0..4).fold(Form::new().text("SKILL.md", MAIN), |form, number| {
        form.part(format!("{number}.txt"), Part::text(text.clone()))
    });
    let sent = Client::new().put(format!("{url}/large")).multipart(form).send().await.unwrap();
    let (status, reply) = (sent.status(), sent.text().await.unwrap());
    assert_eq!(status, 201, "{reply}");
    let in_parts = most_memory(&server);
    assert!(in_parts < 200, "{in_parts} MiB for a skill of 160");

    let text = Value::from(text).to_string();
    let begin = "{\"files\":{\"e\":\"\"".to_owned();
    let end = "},\"description\":\"Shows how.\",\"body\":\"Body\"}".to_owned();
    let pieces = (0..3).map(move |number| format!(",\"{number}.txt\":{text}"));
    let pieces = [begin].into_iter().chain(pieces).chain([end]).map(Ok::<_, std::io::Error>);
    let put = Client::new().put(format!("{url}/as-json")).header("content-type", "application/json");
    let body = Body::wrap_stream(futures_util::stream::iter(pieces));
    let sent = put.body(body).send().await.unwrap();
    let (status, reply) = (sent.status(), sent.text().await.unwrap());
    assert_eq!(status, 201, "{reply}");
    let as_json = most_memory(&server);
    assert!(as_json < 200, "{as_json} MiB for a body of 120");
}
