//! An encoder on a server: any that answers `POST /v1/embeddings` as OpenAI's does.

use std::{fmt, time::Duration};

use async_trait::async_trait;
use reqwest::{Client, StatusCode, Url};
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
    /// The name of the model for skills.
    skill_model: String,
    key: Option<SecretString>,
    /// What goes before a question, and before a skill.
    prompts: [String; 2],
    /// The address without a password.
    shown: String,
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
        let mut shown = parsed.clone();
        // It fails for an address that cannot have one.
        let _ = shown.set_password(None);
        Ok(Self {
            client,
            identity: format!("{model} at {shown}"),
            shown: shown.into(),
            url: parsed,
            model: model.to_owned(),
            skill_model: model.to_owned(),
            key: key.map(SecretString::from),
            prompts: Default::default(),
        })
    }

    /// The same encoder with texts that go before each question and each skill, as the models of the family e5 want them.
    #[must_use]
    pub fn with_prompts(mut self, question: &str, skill: &str) -> Self {
        self.prompts = [question, skill].map(str::to_owned);
        if !(question.is_empty() && skill.is_empty()) {
            self.identity = format!("{} with {question:?} and {skill:?}", self.identity);
        }
        self
    }

    /// The same encoder that calls its model by another name for skills, as some servers want it.
    #[must_use]
    pub fn with_skill_model(mut self, model: &str) -> Self {
        if model != self.model {
            self.identity = format!("{model} and {}", self.identity);
        }
        model.clone_into(&mut self.skill_model);
        self
    }

    async fn reply(&self, model: &str, texts: &[String]) -> Result<Vec<u8>, EncoderError> {
        let asked = Asked { model, input: texts, encoding_format: "float" };
        let request = self.client.post(self.url.clone()).json(&asked);
        let request = match &self.key {
            Some(key) => request.bearer_auth(key.expose_secret()),
            None => request,
        };
        let mut response = request.send().await.map_err(|fault| self.unreached(fault))?;
        if !response.status().is_success() {
            return Err(self.refused(model, response.status()));
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
        EncoderError::new(match status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                format!("the encoder at {url} refused the key ({status}): set encoder_key")
            }
            StatusCode::NOT_FOUND => {
                format!(
                    "there is no encoder at {url}, or it has no model {model:?} ({status}): correct encoder or encoder_model"
                )
            }
            other => format!("the encoder at {url} with the model {model:?} answered {other}"),
        })
    }
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
        let texts: Vec<_> = texts.into_iter().map(|text| format!("{prompt}{text}")).collect();
        let body = self.reply(model, &texts).await?;
        let reply: Reply = serde_json::from_slice(&body).map_err(|fault| {
            let message =
                format!("what answers at {} is no endpoint for embeddings, or its answer is too long", self.shown);
            EncoderError::caused(message, fault)
        })?;
        let mut embeddings = reply.data;
        embeddings.sort_by_key(|one| one.index);
        Ok(embeddings.into_iter().map(|one| one.embedding).collect())
    }
}
