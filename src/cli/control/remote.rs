//! The same over HTTP: JSON out of the control routes of a server.

use std::time::Duration;

use reqwest::{Client, Method, Response, Url};
use serde_json::{Value, json};

use crate::{
    error::{Code, Error, Result},
    limits::REQUEST_TIMEOUT,
    path::Id,
};

/// How long to wait for a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// One user's session on a server.
pub(in super::super) struct Remote {
    http: Client,
    base: Url,
    user: Id,
    session: Id,
    key: Option<String>,
}

impl Remote {
    /// The session `session` of `user` on the server at `url`.
    pub(super) fn new(url: &str, user: Id, session: Id, key: Option<&str>) -> Result<Self> {
        let bad = || Error::new(Code::InvalidRequest, format!("{url:?} is not the address of a server; one looks like http://127.0.0.1:8787"));
        let base = Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
        let http = Client::builder().connect_timeout(CONNECT_TIMEOUT).timeout(REQUEST_TIMEOUT).build();
        Ok(Self {
            http: http.map_err(Error::internal)?,
            base: base.ok_or_else(bad)?,
            user,
            session,
            key: key.map(str::to_owned),
        })
    }

    /// The address of something of the user's; each segment is encoded on its own.
    pub(super) fn of_user(&self, segments: &[&str]) -> Url {
        let mut url = self.base.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(["v1", "users", self.user.as_str()]).extend(segments);
        }
        url
    }

    /// The address of something of the session's.
    pub(super) fn in_session(&self, segments: &[&str]) -> Url {
        self.of_user(&[&["sessions", self.session.as_str()], segments].concat())
    }

    /// What is at `url`.
    pub(super) async fn get(&self, url: &Url, query: &[(&str, String)]) -> Result<Value> {
        let mut url = url.clone();
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        let reply = self.send(Method::GET, url).await?;
        reply.json().await.map_err(|error| self.unreachable(error))
    }

    /// Takes away what is at `url`.
    pub(super) async fn delete(&self, url: &Url) -> Result<()> {
        self.send(Method::DELETE, url.clone()).await.map(drop)
    }

    /// Every page of the list of skills, as one document.
    pub(super) async fn skills(&self, category: Option<&str>, fresh: bool) -> Result<Value> {
        let mut all: Option<Value> = None;
        let mut cursor: Option<String> = None;
        loop {
            let mut query = vec![("fresh", (fresh && cursor.is_none()).to_string())];
            query.extend(category.map(|category| ("category", category.to_owned())));
            query.extend(cursor.clone().map(|cursor| ("cursor", cursor)));
            let mut page = self.get(&self.of_user(&["skills"]), &query).await?;
            let next = page.get_mut("next_cursor").and_then(|next| next.take().as_str().map(str::to_owned));
            match all.as_mut().and_then(|all| all.get_mut("skills")).and_then(Value::as_array_mut) {
                None => all = Some(page),
                Some(skills) => {
                    let more = page.get_mut("skills").map(Value::take);
                    skills.extend(more.and_then(|more| more.as_array().cloned()).unwrap_or_default());
                }
            }
            match next {
                next @ Some(_) if next == cursor => return Err(super::repeating()),
                Some(_) => cursor = next,
                None => return Ok(all.unwrap_or_else(|| json!({}))),
            }
        }
    }

    async fn send(&self, method: Method, url: Url) -> Result<Response> {
        let mut request = self.http.request(method, url);
        if let Some(key) = &self.key {
            request = request.bearer_auth(key);
        }
        let reply = request.send().await.map_err(|error| self.unreachable(error))?;
        if reply.status().is_success() {
            return Ok(reply);
        }
        let status = reply.status();
        let problem: Value = reply.json().await.unwrap_or_default();
        Err(problem_error(&problem).unwrap_or_else(|| {
            Error::new(Code::InvalidRequest, format!("{} answered {status}; is it a skillmount server?", self.base))
        }))
    }

    fn unreachable(&self, error: reqwest::Error) -> Error {
        let message = format!("the server {} did not answer; is it running, and is that its address?", self.base);
        Error::new(Code::StoreUnavailable, message).with_source(error.without_url())
    }
}

/// The error a problem document tells of.
fn problem_error(problem: &Value) -> Option<Error> {
    const OWN: &[&str] = &["type", "title", "status", "detail", "code", "request_id", "retryable", "outcome"];
    let code = Code::parse(problem.get("code")?.as_str()?)?;
    let mut error = Error::new(code, problem.get("detail")?.as_str()?);
    for (name, value) in problem.as_object()?.iter().filter(|(name, _)| !OWN.contains(&name.as_str())) {
        error = error.with_detail(name, value.clone());
    }
    Some(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_encode_each_segment_on_its_own() {
        let id = |text| Id::parse(text).unwrap();
        let remote = Remote::new("http://h:1/base/", id("u@x"), id("s"), None).unwrap();
        assert_eq!(remote.of_user(&["skills", "a b", "c?d"]).as_str(), "http://h:1/base/v1/users/u@x/skills/a%20b/c%3Fd");
        assert_eq!(remote.in_session(&["prompt"]).path(), "/base/v1/users/u@x/sessions/s/prompt");
        assert!(Remote::new("file:/x", id("u"), id("s"), None).is_err());
    }

    #[test]
    fn a_problem_becomes_the_error_it_tells_of() {
        let problem = json!({ "code": "ambiguous_skill", "detail": "two answer", "status": 409, "candidates": ["a"] });
        let error = problem_error(&problem).unwrap();
        assert_eq!((error.code(), error.message()), (Code::AmbiguousSkill, "two answer"));
        assert_eq!(error.details()["candidates"], json!(["a"]));
        assert!(problem_error(&json!({ "error": "x" })).is_none());
    }
}
