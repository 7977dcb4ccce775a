//! Questions that nobody asks: any bytes, any length, any script. Each is answered or refused, and none breaks anything.

use std::{fmt::Write as _, sync::Arc, time::Duration};

use reqwest::header::CONTENT_TYPE;
use serde_json::json;
use skillmount::{
    handle::ServiceOptions,
    http::HttpConfig,
    limits::{SEARCH_QUERY_BYTES, SEARCH_QUERY_WORDS, TOOL_CALLS},
};

use super::Server;
use crate::{
    catalog::meaning,
    support::world::{seed, soak},
};

/// Questions; a soak of 50 asks ten thousand.
const QUESTIONS: u32 = 200;

/// Questions that are asked in turns of as many calls as a turn may have.
const IN_TURNS: usize = 10_000;

/// Where each script lies, and characters that are no letters.
const SCRIPTS: [(u32, u32); 14] = [
    (0x20, 0x7e),
    (0x00, 0x1f),
    (0xa0, 0x24f),
    (0x300, 0x36f),
    (0x370, 0x52f),
    (0x590, 0x6ff),
    (0x900, 0xdff),
    (0xe00, 0xfff),
    (0x1100, 0x11ff),
    (0x2000, 0x2bff),
    (0x3040, 0x9fff),
    (0xac00, 0xd7a3),
    (0xe000, 0xfffd),
    (0x1f000, 0x10_ffff),
];

/// Numbers that look random and are the same in each run of a seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    fn text(&mut self, characters: u64) -> String {
        let (mut text, mut script) = (String::new(), SCRIPTS[0]);
        for _ in 0..characters {
            if self.below(12) == 0 {
                script = SCRIPTS[usize::try_from(self.below(SCRIPTS.len() as u64)).unwrap()];
            }
            let one = script.0 + u32::try_from(self.below(u64::from(script.1 - script.0 + 1))).unwrap();
            text.extend(char::from_u32(one));
        }
        text
    }

    /// A question, short or over a limit.
    fn question(&mut self) -> String {
        match self.below(6) {
            0 => self.text(20_000),
            1 => (0..self.below(3000)).fold(String::new(), |mut text, number| {
                let _ = write!(text, "compra{number} ");
                text
            }),
            2 => "escritura de compraventa ".repeat(usize::try_from(self.below(800)).unwrap()),
            3 => self.text(2000),
            _ => self.text(60),
        }
    }
}

/// Asks a server what nobody asks. Returns how many answers counted what skills mean.
async fn ask_anything(server: &Server) -> u32 {
    let (url, mut dice) = (server.session("/discover_skills"), Dice(seed().wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1));
    let (mut answered, mut refused, mut fused) = (0, 0, 0);
    for _ in 0..QUESTIONS * soak() {
        let question = dice.question();
        let body = json!({ "query": question, "explain": dice.below(4) == 0 });
        let answer = server.op("discover_skills", body).await;
        let is_too_long = question.len() > SEARCH_QUERY_BYTES || question.split(' ').count() > SEARCH_QUERY_WORDS;
        match answer.status {
            200 => {
                answered += 1;
                fused += u32::from(answer.json["ranking"] == "fused");
            }
            400 | 413 if is_too_long => refused += 1,
            status => panic!("{status} {} for {question:?}", answer.json),
        }
        // Bytes that are no text, or no JSON.
        let bytes: Vec<u8> = (0..dice.below(80)).map(|_| u8::try_from(dice.below(256)).unwrap()).collect();
        let quoted = [b"{\"query\":\"".as_slice(), &bytes, b"\"}"].concat();
        for body in [bytes, quoted] {
            let post = server.client.post(&url).header(CONTENT_TYPE, "application/json").body(body.clone());
            let status = post.send().await.unwrap().status().as_u16();
            assert!(matches!(status, 200 | 400), "{status} for {body:?}");
        }
    }
    assert!(answered > refused && refused > 0, "{answered} answered, {refused} refused");
    println!("{answered} questions were answered, {fused} of them by meaning, and {refused} refused");
    server.op("discover_skills", json!({ "query": "compraventa" })).await.is(200);
    fused
}

#[tokio::test(flavor = "multi_thread")]
async fn no_question_however_hostile_breaks_the_service() {
    assert_eq!(ask_anything(&Server::with_skills().await).await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_question_however_hostile_breaks_the_search_by_meaning() {
    let encoder = Some(meaning::server(Arc::default()).await);
    let options = ServiceOptions { encoder, ..ServiceOptions::default() };
    let server = Server::serving(HttpConfig::default(), options).await;
    server.put_skills();
    let asked = || server.op("discover_skills", json!({ "query": "compraventa" }));
    while asked().await.is(200)["ranking"] != "fused" {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(ask_anything(&server).await > QUESTIONS / 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_thousand_hostile_questions_are_answered_in_turns_within_their_steps() {
    let server = Server::with_skills().await;
    let mut dice = Dice(seed().wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut answered = 0;
    while answered < IN_TURNS {
        let question = |dice: &mut Dice| match dice.below(50) {
            0 => dice.text(2000),
            1 => "escritura de compraventa ".repeat(40),
            _ => {
                let most = dice.below(90);
                dice.text(most)
            }
        };
        let calls = (0..TOOL_CALLS.min(IN_TURNS - answered)).map(|number| {
            let input = json!({ "query": question(&mut dice) });
            json!({"type": "tool_use", "id": number.to_string(), "name": "discover_skills", "input": input})
        });
        let content: Vec<_> = calls.collect();
        let turn = server.op("tool_calls", json!({ "content": content })).await;
        let results = turn.is(200)["content"].as_array().unwrap();
        assert_eq!(results.len(), content.len());
        for (call, result) in content.iter().zip(results) {
            assert!(result["is_error"] != true, "{result} for {call}");
        }
        answered += results.len();
    }
    server.op("discover_skills", json!({ "query": "compraventa" })).await.is(200);
}

#[tokio::test]
async fn a_question_has_so_many_bytes_and_words_and_no_more() {
    let server = Server::with_skills().await;
    let words = |many: usize| (0..many).map(|number| format!("w{number}")).collect::<Vec<_>>().join(" ");
    for (within, beyond) in [
        (words(SEARCH_QUERY_WORDS), words(SEARCH_QUERY_WORDS + 1)),
        (" ".repeat(SEARCH_QUERY_BYTES - 1) + "x", " ".repeat(SEARCH_QUERY_BYTES) + "x"),
    ] {
        server.op("discover_skills", json!({ "query": within })).await.is(200);
        let refused = server.op("discover_skills", json!({ "query": beyond })).await;
        assert_eq!(
            (refused.is(400)["code"].as_str(), refused.is(400)["status"].as_i64()),
            (Some("invalid_request"), Some(400))
        );
    }
}
