//! An encoder on a server: any that answers `POST /v1/embeddings` as OpenAI's does.

use std::{fmt, time::Duration};

use async_trait::async_trait;
use reqwest::{Client, Url};
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};

use crate::{
    catalog::{Encoder, EncoderError, TextRole},
    error::{Code, Error, Result},
    limits::ENCODER_REPLY_BYTES,
};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// A batch of skills may take a while. A question is waited for less long by whoever asks.
const REPLY_TIMEOUT: Duration = Duration::from_mins(1);

/// An encoder on a server.
pub struct RemoteEncoder {
    client: Client,
    url: Url,
    model: String,
    key: Option<SecretString>,
    identity: String,
}

impl fmt::Debug for RemoteEncoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteEncoder").field("identity", &self.identity).finish_non_exhaustive()
    }
}

#[derive(Serialize)]
struct Asked<'a> {
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
    /// `invalid_request` for an address that is none.
    pub fn new(url: &str, model: &str, key: Option<String>) -> Result<Self> {
        let parsed = Url::parse(url).map_err(|fault| {
            Error::new(Code::InvalidRequest, format!("{url:?} is no URL of an encoder")).with_source(fault)
        })?;
        let client = Client::builder().connect_timeout(CONNECT_TIMEOUT).timeout(REPLY_TIMEOUT).build();
        let client = client.map_err(Error::internal)?;
        Ok(Self {
            client,
            identity: format!("{model} at {parsed}"),
            url: parsed,
            model: model.to_owned(),
            key: key.map(SecretString::from),
        })
    }

    async fn reply(&self, texts: &[String]) -> Result<Vec<u8>, reqwest::Error> {
        let asked = Asked { model: &self.model, input: texts, encoding_format: "float" };
        let request = self.client.post(self.url.clone()).json(&asked);
        let request = match &self.key {
            Some(key) => request.bearer_auth(key.expose_secret()),
            None => request,
        };
        let mut response = request.send().await?.error_for_status()?;
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await? {
            body.extend_from_slice(&piece);
            if body.len() > ENCODER_REPLY_BYTES {
                break;
            }
        }
        Ok(body)
    }
}

#[async_trait]
impl Encoder for RemoteEncoder {
    fn identity(&self) -> &str {
        &self.identity
    }

    async fn encode(&self, texts: Vec<String>, _: TextRole) -> Result<Vec<Vec<f32>>, EncoderError> {
        let body =
            self.reply(&texts).await.map_err(|fault| EncoderError::caused("the encoder did not answer", fault))?;
        let reply: Reply = serde_json::from_slice(&body)
            .map_err(|fault| EncoderError::caused("the answer of the encoder is none, or too long", fault))?;
        let mut embeddings = reply.data;
        embeddings.sort_by_key(|one| one.index);
        Ok(embeddings.into_iter().map(|one| one.embedding).collect())
    }
}
