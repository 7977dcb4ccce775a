//! An encoder on a server: any that answers `POST /v1/embeddings` as OpenAI's does.

use std::{fmt, time::Duration};

use async_trait::async_trait;
use reqwest::{Client, Response, StatusCode, Url, header::RETRY_AFTER};
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::encoder::{Encoder, EncoderError, TextRole};
use skillmount_base::{
    error::{Code, Error, Result},
    limits::{ENCODER_REPLY_BYTES, ENCODER_REST},
    path::is_loopback,
};

/// Shorter than a question's patience, so that a server that cannot be reached is known to be away.
const CONNECT_TIMEOUT: Duration = Duration::from_millis(1500);
/// A batch of skills may take a while. For a question, the search itself waits less long.
const REPLY_TIMEOUT: Duration = Duration::from_mins(1);
/// A text of so many bytes is too long for no model, so it is not cut if a server refuses it.
const SHORT: usize = 256;

/// An encoder on a server.
#[must_use]
pub struct RemoteEncoder {
    client: Client,
    url: Url,
    model: String,
    /// The name of the model for skills.
    skill_model: String,
    key: Option<SecretString>,
    /// The prompts before a question and before a skill.
    prompts: [String; 2],
    /// The address without its query, which may hold a key.
    shown: String,
    identity: String,
}

impl fmt::Debug for RemoteEncoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteEncoder").field("identity", &self.identity).finish_non_exhaustive()
    }
}

#[derive(Serialize)]
struct EmbeddingRequest<'a> {
    model: &'a str,
    input: &'a [String],
    encoding_format: &'a str,
}

#[derive(Deserialize)]
struct Reply {
    data: Vec<Embedding>,
}

#[derive(Deserialize)]
struct Embedding {
    index: usize,
    embedding: Vec<f32>,
}

impl RemoteEncoder {
    /// The encoder `model` at `url`, the whole address of the endpoint. `key` goes with each request.
    ///
    /// # Errors
    /// `invalid_request` for an address that is none, or that holds a user or a password.
    pub fn new(url: &str, model: &str, key: Option<String>) -> Result<Self> {
        // A refused URL may hold a password, so no message repeats it.
        let parsed = Url::parse(url).map_err(|fault| {
            Error::new(Code::InvalidRequest, "the setting `embedding_url` is no URL of an endpoint").with_source(fault)
        })?;
        if !parsed.username().is_empty() || parsed.password().is_some() {
            let message = "the URL of `embedding_url` holds a user or a password: leave them out, and put the endpoint's key \
                           into the setting `embedding_api_key`";
            return Err(Error::new(Code::InvalidRequest, message));
        }
        let client = Client::builder().connect_timeout(CONNECT_TIMEOUT).timeout(REPLY_TIMEOUT);
        // A server on this machine is never asked through a proxy.
        let client = if parsed.host_str().is_some_and(is_loopback) { client.no_proxy() } else { client };
        let client = client.build().map_err(Error::internal)?;
        let mut shown = parsed.clone();
        shown.set_query(None);
        Ok(Self {
            client,
            identity: identity(&parsed, model),
            shown: shown.into(),
            url: parsed,
            model: model.to_owned(),
            skill_model: model.to_owned(),
            key: key.map(SecretString::from),
            prompts: Default::default(),
        })
    }

    /// The same encoder with texts that go before each question and each skill, as the models of the family e5 want them.
    pub fn with_prompts(mut self, question: &str, skill: &str) -> Self {
        self.prompts = [question, skill].map(str::to_owned);
        if !(question.is_empty() && skill.is_empty()) {
            self.identity = format!("{} with {question:?} and {skill:?}", self.identity);
        }
        self
    }

    /// The same encoder that calls its model by another name for skills, as some servers want it.
    pub fn with_skill_model(mut self, model: &str) -> Self {
        if model != self.model {
            self.identity = format!("{model} and {}", self.identity);
        }
        model.clone_into(&mut self.skill_model);
        self
    }

    async fn reply(&self, model: &str, texts: &[String]) -> Result<Vec<u8>, EncoderError> {
        let asked = EmbeddingRequest { model, input: texts, encoding_format: "float" };
        let request = self.client.post(self.url.clone()).json(&asked);
        let request = match &self.key {
            Some(key) => request.bearer_auth(key.expose_secret()),
            None => request,
        };
        let mut response = request.send().await.map_err(|fault| self.unreached(fault))?;
        if !response.status().is_success() {
            let error = self.refused(model, response.status());
            return Err(match delay(&response) {
                Some(delay) if !error.is_refusal() => error.busy_for(delay),
                _ => error,
            });
        }
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(|fault| self.unreached(fault))? {
            body.extend_from_slice(&piece);
            if body.len() > ENCODER_REPLY_BYTES {
                break;
            }
        }
        Ok(body)
    }

    fn unreached(&self, fault: reqwest::Error) -> EncoderError {
        let what = if fault.is_timeout() { "does not answer in time" } else { "cannot be reached" };
        EncoderError::caused(format!("the encoder at {} {what}", self.shown), fault.without_url())
    }

    fn refused(&self, model: &str, status: StatusCode) -> EncoderError {
        let url = &self.shown;
        let message = match status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                format!("the encoder at {url} refused the key ({status}): set embedding_api_key")
            }
            StatusCode::NOT_FOUND => {
                format!(
                    "there is no encoder at {url}, or it has no model {model:?} ({status}): correct embedding_url or embedding_model"
                )
            }
            other => format!("the encoder at {url} with the model {model:?} answered {other}"),
        };
        // A server that answers with another error of the client than too many requests is there, and does not take these texts.
        let is_busy = [StatusCode::TOO_MANY_REQUESTS, StatusCode::REQUEST_TIMEOUT].contains(&status);
        let error = EncoderError::new(message);
        if status.is_client_error() && !is_busy { error.of_these_texts() } else { error }
    }

    /// The vectors of texts as they are.
    async fn vectors(&self, model: &str, texts: &[String]) -> Result<Vec<Vec<f32>>, EncoderError> {
        let body = self.reply(model, texts).await?;
        let reply: Reply = serde_json::from_slice(&body).map_err(|fault| {
            let message =
                format!("what answers at {} is no endpoint for embeddings, or its answer is too long", self.shown);
            EncoderError::caused(message, fault).of_these_texts()
        })?;
        let mut embeddings = reply.data;
        embeddings.sort_by_key(|one| one.index);
        Ok(embeddings.into_iter().map(|one| one.embedding).collect())
    }
}

/// After how long a server wants to be asked again, if it says so: in seconds, or after the usual rest if it has had too many
/// requests and says no more.
fn delay(response: &Response) -> Option<Duration> {
    let said = response.headers().get(RETRY_AFTER).and_then(|seconds| seconds.to_str().ok()?.trim().parse().ok());
    let usual = (response.status() == StatusCode::TOO_MANY_REQUESTS).then_some(ENCODER_REST);
    said.map(|seconds: u64| Duration::from_secs(seconds.max(1))).or(usual)
}

#[async_trait]
impl Encoder for RemoteEncoder {
    fn identity(&self) -> &str {
        &self.identity
    }

    async fn encode(&self, texts: Vec<String>, role: TextRole) -> Result<Vec<Vec<f32>>, EncoderError> {
        let [question, skill] = &self.prompts;
        let (model, prompt) = match role {
            TextRole::Question => (&self.model, question),
            TextRole::Skill => (&self.skill_model, skill),
        };
        let prompted = |text: &str| format!("{prompt}{text}");
        let encoded = self.vectors(model, &texts.iter().map(|text| prompted(text)).collect::<Vec<_>>()).await;
        // Servers do not say whether a text was too long. Several together may be too many, which the caller finds out.
        let ([text], Err(error)) = (texts.as_slice(), &encoded) else { return encoded };
        if !error.is_refusal() || text.len() <= SHORT {
            return encoded;
        }
        for part in [2, 4] {
            let begin = text.get(..text.floor_char_boundary(text.len() / part)).unwrap_or_default();
            let cut = self.vectors(model, &[prompted(begin)]).await;
            if !cut.as_ref().is_err_and(EncoderError::is_refusal) {
                return cut;
            }
        }
        encoded
    }
}

/// The identity of an encoder. The address may hold a secret, and the identity is stored and logged. So the identity
/// holds a hash of address and model.
fn identity(url: &Url, model: &str) -> String {
    let hash = Sha256::new().chain_update(url.as_str()).chain_update("\n").chain_update(model).finalize();
    format!("remote {}", hex::encode(hash))
}

#[cfg(test)]
mod tests {
    use tokio::{
        io::{AsyncReadExt as _, AsyncWriteExt as _},
        net::TcpListener,
    };

    use super::*;

    /// Encodes a text with a server that answers each request with `status` and `body`.
    async fn asked(status: &'static str, body: &'static str) -> Result<Vec<Vec<f32>>, EncoderError> {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1/embeddings?secret=hush", listener.local_addr().unwrap());
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = Vec::new();
            while !request.ends_with(b"}") {
                stream.read_buf(&mut request).await.unwrap();
            }
            let reply =
                format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}", body.len());
            stream.write_all(reply.as_bytes()).await.unwrap();
        });
        RemoteEncoder::new(&url, "m", None).unwrap().encode(vec!["text".to_owned()], TextRole::Question).await
    }

    #[tokio::test]
    async fn a_refusal_of_a_text_is_told_apart_from_an_encoder_that_is_away() {
        let vectors = asked("200 OK", r#"{"data":[{"index":0,"embedding":[1.0]}]}"#).await;
        assert_eq!(vectors.unwrap(), [[1.0]]);
        for (status, is_refusal) in [
            ("400 Bad Request", true),
            ("401 Unauthorized", true),
            ("413 Payload Too Large", true),
            ("408 Request Timeout", false),
            ("429 Too Many Requests", false),
            ("500 Internal Server Error", false),
            ("503 Service Unavailable", false),
            ("200 OK", true),
        ] {
            let error = asked(status, "").await.unwrap_err();
            assert_eq!(error.is_refusal(), is_refusal, "{status}: {}", error.chain());
            assert!(!error.chain().contains("hush"), "{}", error.chain());
        }
        let nobody = RemoteEncoder::new("http://127.0.0.1:1/", "m", None).unwrap();
        assert!(!nobody.encode(vec![String::new()], TextRole::Question).await.unwrap_err().is_refusal());
    }

    #[test]
    fn no_secret_of_an_address_is_kept_or_shown() {
        for (url, says) in [
            ("http://bob:hush@example.com/v1", "embedding_api_key"),
            ("http://bob@example.com/v1", "embedding_api_key"),
            ("http://:hush@example.com/v1", "embedding_api_key"),
            ("http://bob:hush@example.com:99999/v1", "no URL"),
        ] {
            let error = RemoteEncoder::new(url, "m", None).unwrap_err();
            assert_eq!(error.code(), Code::InvalidRequest);
            assert!(error.chain().contains(says) && !error.chain().contains("hush"), "{}", error.chain());
        }
        let identity = |url: &str, model: &str| RemoteEncoder::new(url, model, None).unwrap().identity().to_owned();
        let own = identity("http://example.com/v1?key=hush", "m");
        assert!(!own.contains("hush"), "{own}");
        assert_eq!(own, identity("http://example.com/v1?key=hush", "m"));
        assert_ne!(own, identity("http://example.com/v1?key=hush", "n"));
        assert_ne!(own, identity("http://example.com/v2?key=hush", "m"));
    }
}
