//! Large skills, sent to a server of their own: they are published, and the server stays small.

use std::time::Duration;

use reqwest::{
    Body, Client, Response, StatusCode,
    multipart::{Form, Part},
};
use serde_json::Value;
use skillmount::limits::PUBLISH_TIMEOUT;
use tokio::time::Instant;

use super::{Home, server::Server};

const MAIN: &str = "---\nname: large\ndescription: Shows how.\n---\nBody\n";
const MIB: usize = 1 << 20;

/// The most memory that the server took, in MiB.
fn most_memory(server: &Server) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.id())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() / 1024
}

/// That the skill at `url` was published, or is soon: a machine with much else to do has no answer within a minute, and goes on.
async fn is_published(url: &str, sent: Response) {
    let (status, reply) = (sent.status(), sent.text().await.unwrap());
    if status == StatusCode::CREATED {
        return;
    }
    assert!(status == StatusCode::SERVICE_UNAVAILABLE && reply.contains("\"outcome\":\"unknown\""), "{reply}");
    let until = Instant::now() + PUBLISH_TIMEOUT;
    while reqwest::get(url).await.unwrap().status() != StatusCode::OK {
        assert!(Instant::now() < until, "{url} is not there after five minutes");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

// S-PUBLISH-19: A long archive or form waits on disk, and one file of it is in memory at a time.
#[tokio::test]
async fn a_large_skill_is_published_in_parts_and_as_json_and_the_server_stays_small() {
    let home = Home::new();
    let server = Server::start(&home, &[]);
    let url = format!("{}/v1/users/me/skills", server.url);
    let line = "The same line, which says the same again.\n";
    let text = line.repeat(40 * MIB / line.len());
    let form = (0..3).fold(Form::new().text("SKILL.md", MAIN), |form, number| {
        form.part(format!("{number}.txt"), Part::text(text.clone()))
    });
    let sent = Client::new().put(format!("{url}/large")).multipart(form).send().await.unwrap();
    is_published(&format!("{url}/large"), sent).await;
    let in_parts = most_memory(&server);
    assert!(in_parts < 180, "{in_parts} MiB for a skill of 120");

    let text = Value::from(line.repeat(7 * MIB / line.len())).to_string();
    let begin = "{\"files\":{\"e\":\"\"".to_owned();
    let end = "},\"description\":\"Shows how.\",\"body\":\"Body\"}".to_owned();
    let pieces = (0..2).map(move |number| format!(",\"{number}.txt\":{text}"));
    let pieces = [begin].into_iter().chain(pieces).chain([end]).map(Ok::<_, std::io::Error>);
    let put = Client::new().put(format!("{url}/as-json")).header("content-type", "application/json");
    let body = Body::wrap_stream(futures_util::stream::iter(pieces));
    let sent = put.body(body).send().await.unwrap();
    is_published(&format!("{url}/as-json"), sent).await;
    let as_json = most_memory(&server);
    assert!(as_json < 180, "{as_json} MiB for a body of 14");
}
