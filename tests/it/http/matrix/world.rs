//! A server with keys of every kind, and what came of each call.

use std::collections::BTreeMap;

use reqwest::Method;
use serde_json::{Value, json};
use skillmount::{
    access::{Callers, Keys, LinkSecret, PublicSkills},
    error::Code,
    handle::ServiceOptions,
    http::HttpConfig,
    path::Id,
    wire::{Operation, Policy},
};

use super::{
    calls::{Call, Does, Draft, MAKER, calls, new_skill},
    expected::expected,
    held::Held,
    kind::Kind,
};
use crate::http::{Server, mcp};

/// The id of a call that waits in every session.
const WAITING: &str = "0123456789abcdef0123456789abcdef";

fn secret() -> LinkSecret {
    LinkSecret::parse(&"s".repeat(32)).unwrap()
}

/// The skills of `u1`, for whoever asks this Host or has a link.
fn public() -> PublicSkills {
    PublicSkills { hosts: BTreeMap::from([("127.0.0.1".to_owned(), Id::parse("u1").unwrap())]), links: Some(secret()) }
}

fn link() -> String {
    secret().sign(&Id::parse("u1").unwrap(), "2999-01-01T00:00:00Z".parse().unwrap())
}

pub(super) struct World {
    server: Server,
    keys: BTreeMap<Kind, String>,
    /// The version of the skill `a`.
    digest: String,
    calls: Vec<Call>,
}

impl World {
    /// A server of its own for each policy, so that no listing is of more sessions than one policy's.
    pub(super) async fn start() -> Self {
        let (mut file, mut keys) = (String::new(), BTreeMap::new());
        for kind in Kind::ALL {
            match kind.entry() {
                None if kind == Kind::Unknown => drop(keys.insert(kind, "smk_unknown".to_owned())),
                None => {}
                Some((key, entry)) => {
                    file += &entry.to_toml().unwrap();
                    keys.insert(kind, key);
                }
            }
        }
        let config = HttpConfig {
            callers: Callers { keys: Keys::from_toml(&file).unwrap(), public: public(), ..Callers::default() },
            ..mcp::config()
        };
        let server = Server::serving(config, ServiceOptions { layers: true, ..ServiceOptions::default() }).await;
        for skill in ["a", "b", "c", "d", "e"] {
            let text = format!("---\nname: {skill}\ndescription: About {skill}\n---\n# {skill}\n");
            server.memory.put_raw(&format!("u1/skills/{skill}/SKILL.md"), text);
        }
        let mut digests = Vec::new();
        for (kind, skill) in [
            (Kind::Control, "/skills/a"),
            (Kind::ControlOfTeam, "/skills/a?layer=team"),
            (Kind::ControlOfTeam, "/skills/e?layer=team"),
            (Kind::OfAll, "/skills/a?layer=org"),
            (Kind::OfAll, "/skills/d?layer=org"),
        ] {
            let publish = json!({"description": "About a", "body": "# a\n"});
            let publish = server.client.put(server.user(skill)).bearer_auth(&keys[&kind]).json(&publish);
            let published: Value = publish.send().await.unwrap().json().await.unwrap();
            digests.push(published["digest"].as_str().unwrap_or_else(|| panic!("{published}")).to_owned());
        }
        // The skill `a` is the same in each layer, and so has one digest.
        let digest = digests.swap_remove(0);
        let world = Self { server, keys, digest, calls: calls() };
        world.make_drafts().await;
        world
    }

    /// Makes the drafts, and a skill that is called as the download is.
    async fn make_drafts(&self) {
        let text = json!({"description": "About drafts", "body": "# Draft\n"});
        let maker = format!("/sessions/{MAKER}");
        let with_ticket = json!({"vars": {"ticket_id": "t1"}, "policy": {"tools": {"create_skill": "auto"}}});
        self.manage(Method::PUT, "/skills/draft?state=draft", &text).await;
        self.manage(Method::PUT, "/skills/download", &text).await;
        self.manage(Method::PUT, &maker, &with_ticket).await;
        self.manage(Method::POST, &format!("{maker}/create_skill"), &new_skill("own")).await;
    }

    /// A call of a key of scope `control`, which succeeds.
    async fn manage(&self, method: Method, path: &str, body: &Value) {
        let request =
            self.server.client.request(method, self.server.user(path)).bearer_auth(&self.keys[&Kind::Control]);
        let response = request.json(body).send().await.unwrap();
        assert!(response.status().is_success(), "{path}: {}", response.text().await.unwrap());
    }

    /// Has these policies hold for the user, and in the session that made a draft.
    pub(super) async fn hold(&self, held: &Held) {
        self.manage(Method::PUT, "/policy", &json!(held.user)).await;
        self.manage(Method::PATCH, &format!("/sessions/{MAKER}"), &json!({"policy": held.session})).await;
    }

    /// Stores a session of this policy that has loaded the skill `b`, and a file for each call that is about one.
    fn prepare(&self, id: &str, policy: &Policy) {
        let time = "2999-01-01T00:00:00Z";
        let file = json!({"path": "SKILL.md", "size": 1, "etag": "e", "modified_at": time});
        let loaded = json!({
            "skill": "b", "mount": "b", "name": "b", "description": "About b", "digest": "sha256:0",
            "loaded_at": time, "snapshot": {"digest": "sha256:0", "files": [file]},
        });
        let waiting = json!({
            "id": WAITING, "digest": "0", "subject": {"tool": "ls", "tool_asks": true, "skill_asks": false},
            "input": "{}", "expires_at": time,
        });
        let session = json!({
            "session_id": id, "user_id": "u1", "vars": {"ticket_id": "t1"}, "policy": policy, "version": 1,
            "created_at": time, "updated_at": time, "loaded_skills": [loaded], "approvals": {"calls": [waiting]},
        });
        self.server.memory.put_raw(&format!("u1/.skillmount/sessions/{id}.json"), session.to_string());
        let has_file = |call: &Call| call.path.contains("{path}") || call.body.to_string().contains("{file}");
        for (at, _) in self.calls.iter().enumerate().filter(|(_, call)| has_file(call)) {
            self.server.memory.put_raw(&format!("u1/threads/{id}/f{at}"), "text\n");
        }
    }

    /// What came of the call at `at`, in the words of [`expected`].
    async fn observed(&self, kind: Kind, at: usize, session: &str, held: &Held) -> String {
        let Call { method, path, does, body, .. } = &self.calls[at];
        let id = match does {
            Does::Makes | Does::EndsMade => session.replacen("in-", "made-", 1),
            Does::Forks | Does::RulesFork | Does::LoadsInFork => session.replacen("in-", "fork-", 1),
            Does::LoadsDraft(Draft::OfSession) => MAKER.to_owned(),
            _ => session.to_owned(),
        };
        let path = path.replace("{user}", "u1").replace("{session}", &id);
        let path = path.replace("{link}", &link()).replace("{artifact}", "a/SKILL.md");
        let path = path.replace("{approval_id}", WAITING).replace("{digest}", &self.digest);
        let deleted = match kind {
            Kind::OfAll => "d",
            Kind::ControlOfTeam => "e",
            _ => "c",
        };
        let skill = match does {
            Does::ShowsDraft(draft) => draft.skill(),
            Does::RulesDraft => Draft::OfPerson.skill(),
            _ if *method == "delete" => deleted,
            _ => "a",
        };
        let path = path.replace("{skill}", skill);
        // Each of the three deletes a version of its own, and the skill that it may delete.
        let version = match kind {
            Kind::Control if *method == "delete" => "1",
            Kind::ControlOfTeam if *method == "delete" => "3",
            _ => "2",
        };
        let is_whole = *method == "delete" && path.ends_with("{skill_id}");
        let path = path.replace("{version}", version);
        let path = path.replace("{skill_id}", &format!("skill_{}", if is_whole { deleted } else { "a" }));
        let url = format!("{}{}", self.server.base, path.replace("{path}", &format!("workspace/f{at}")));
        let method = Method::from_bytes(method.to_uppercase().as_bytes()).unwrap();
        let mut request = self.server.client.request(method.clone(), &url);
        if url.ends_with("/events") {
            // A stream would not end.
            request = request.header("accept", "application/json");
        }
        if let Some(key) = self.keys.get(&kind) {
            request = request.bearer_auth(key);
        }
        if matches!(does, Does::CallsByMcp(_)) {
            request = request.header("accept", "application/json, text/event-stream");
        }
        if path == "/hooks/claude" || path == "/mcp" {
            request = request.header("x-skillmount-user", "u1").header("x-skillmount-session", &id);
        }
        if path.starts_with("/v1/skills") {
            request = request.header("x-skillmount-user", "u1");
        }
        request = match body {
            Value::Null if path.starts_with("/v1/skills") && method == Method::POST => {
                let name = if path == "/v1/skills" { format!("n{at}-{}", session.to_lowercase()) } else { "a".into() };
                let main = format!("---\nname: {name}\ndescription: About {name}\n---\n# {name} again\n");
                let part = reqwest::multipart::Part::text(main).file_name(format!("{name}/SKILL.md"));
                request.multipart(reqwest::multipart::Form::new().part("files[]", part))
            }
            Value::Null if *does == Does::Carries(Operation::Upload) => {
                let form = reqwest::multipart::Form::new().percent_encode_noop();
                request.multipart(form.text(format!("/workspace/f{at}"), "x"))
            }
            Value::Null => request,
            Value::String(what) if what == "policy" => request.json(&held.sent),
            Value::String(_) => request.json(&json!({"parent": session})),
            body if body["policy"] == "policy" => request.json(&json!({"policy": held.session})),
            body => {
                let text = body.to_string().replace("{file}", &format!("/workspace/f{at}"));
                let text = text.replace("{digest}", &self.digest);
                let text = text.replace("{name}", &format!("n{at}-{}", session.to_lowercase()));
                request.header("content-type", "application/json").body(text)
            }
        };
        let response = request.send().await.unwrap();
        let status = response.status().as_u16();
        if *does == Does::Service {
            return status.to_string();
        }
        let text = response.text().await.unwrap();
        let json: Value = serde_json::from_str(&text).unwrap_or_default();
        let code = match does {
            Does::Carries(Operation::Upload) if status == 200 => json["files"][0]["error"].as_str().map(str::to_owned),
            Does::Carries(_) | Does::DownloadsSkill | Does::DownloadsDraft(_) if status == 200 => {
                text.lines().find_map(|line| line.strip_prefix("x-error: ")).map(str::to_owned)
            }
            Does::Calls(_) if status == 200 => {
                (json["content"][0]["is_error"] == true).then(|| "tool error".to_owned())
            }
            Does::CallsByMcp(_) if status == 200 => {
                // The answer is JSON, or the last of the events of a call with something beside it.
                let last = text.lines().filter_map(|line| line.strip_prefix("data: ")).next_back().unwrap_or(&text);
                let answer: Value = serde_json::from_str(last).unwrap();
                let is_error = answer["error"].is_object() || answer["result"]["isError"] == true;
                is_error.then(|| "tool error".to_owned())
            }
            _ => json["code"].as_str().or(json["error"]["code"].as_str()).map(str::to_owned),
        };
        code.unwrap_or_else(|| status.to_string())
    }

    /// Every call of one kind of key under one policy; those that went otherwise than expected.
    pub(super) async fn row(&self, kind: Kind, setting: &str, held: &Held) -> Vec<String> {
        let session = format!("in-{kind:?}");
        self.prepare(&session, &held.session);
        let mut wrong = Vec::new();
        for (at, call) in self.calls.iter().enumerate() {
            let expected = expected(kind, call, held);
            let observed = self.observed(kind, at, &session, held).await;
            // A reply to HEAD has no body to hold a code.
            let of_head = || Code::parse(&expected).map(|code| code.http_status().to_string());
            if observed != expected && (call.method != "head" || of_head().as_ref() != Some(&observed)) {
                let Call { method, path, does, .. } = call;
                wrong.push(format!("{method} {path} ({does:?}), {kind:?}, {setting}: {observed}, expected {expected}"));
            }
        }
        wrong
    }
}
