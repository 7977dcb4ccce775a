//! One caller: everything that changes files, skills, drafts and its session, in one order, until its server is gone.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use reqwest::{Client, Method, RequestBuilder};
use serde_json::{Value, json};

use super::{
    END, LOG,
    account::{Before, Said},
};
use crate::audit::digest;

/// Operations of one round of files. Half of them read, as agents do.
pub(super) const STEPS: usize = 16;
/// One caller of so many works on skills in a round, in turn.
const SKILLS_IN_TURN: usize = 8;
/// What leaves records of changes.
pub(super) const CHANGES: [&str; 12] = [
    "create_session",
    "write",
    "edit",
    "move",
    "delete",
    "publish_skill",
    "roll_back_skill",
    "change_skill",
    "delete_skill",
    "create_skill",
    "load_skill",
    "unload_skill",
];

pub(super) struct Caller {
    client: Client,
    /// The address of the user.
    user: String,
    number: usize,
    life: usize,
    session: String,
    done: Arc<AtomicUsize>,
    said: Vec<Said>,
}

impl Caller {
    pub(super) fn new(url: &str, number: usize, life: usize, done: Arc<AtomicUsize>) -> Self {
        let (user, session) = (format!("{url}/v1/users/u1"), format!("s{life}-{number}"));
        Self { client: Client::new(), user, number, life, session, done, said: Vec::new() }
    }

    /// Makes the file that all callers edit, if it is not there yet.
    pub(super) async fn begin_log(mut self, is_new: bool) -> Option<Vec<Said>> {
        self.begin().await?;
        if is_new {
            self.write("write", LOG, END, json!({"file_path": LOG, "content": END}), Before::Nothing).await?;
        }
        Some(self.said)
    }

    /// Works until it is done or its server is gone, and returns what was acknowledged.
    pub(super) async fn work(mut self, rounds: usize) -> Vec<Said> {
        // Nothing means that the server is gone, and with it the rest of the work.
        let _gone = self.all(rounds).await;
        self.said
    }

    async fn all(&mut self, rounds: usize) -> Option<()> {
        self.begin().await?;
        for round in 0..rounds {
            self.files(round).await?;
            if (self.number + round).is_multiple_of(SKILLS_IN_TURN) {
                self.skills(round).await?;
                self.drafts(round).await?;
            }
        }
        Some(())
    }

    /// Makes the session, whose ticket is that of all callers.
    async fn begin(&mut self) -> Option<()> {
        let wanted = json!({"vars": {"ticket_id": "T"}, "policy": {"tools": {"create_skill": "auto"}}});
        let url = format!("{}/sessions/{}", self.user, self.session);
        self.send(self.client.put(url).json(&wanted)).await?;
        self.say(Some(&self.session.clone()), "create_session", "", None);
        Some(())
    }

    async fn files(&mut self, round: usize) -> Option<()> {
        let path = format!("/workspace/{round}");
        let text = |which: &str| format!("{which} {} {round}", self.session);
        let [one, two, three, four] = ["one", "two", "three", "four"].map(text);
        let create = json!({"file_path": path, "content": one});
        let tag = self.write("write", &path, &one, create, Before::Nothing).await?;
        let edit = json!({"file_path": path, "old_string": "one", "new_string": "two"});
        let tag = self.write("edit", &path, &two, edit, Before::Seen(tag)).await?;
        assert_eq!(self.read(&path).await?["etag"], tag);

        let put = self.client.put(format!("{}/sessions/{}/files{path}", self.user, self.session));
        let put = put.header("if-match", format!("\"{tag}\"")).body(three.clone());
        let reply = self.send(put).await?;
        let tag = self.say_file("write", &path, Before::Seen(tag), Some(&three), &reply["etag"]);
        let over = json!({"file_path": path, "content": four, "overwrite": true});
        let tag = self.write("write", &path, &four, over, Before::Perhaps(tag)).await?;
        self.look(&path).await?;
        self.append(round).await?;

        let to = format!("{path}-moved");
        self.operation("move", json!({"from": path, "to": to})).await?;
        self.say_file("move", &path, Before::Seen(tag), None, &Value::Null);
        let tag = self.read(&to).await?["etag"].as_str().unwrap().to_owned();
        self.say_file("move", &to, Before::Nothing, Some(&four), &json!(tag));
        self.operation("delete", json!({"path": to})).await?;
        self.say_file("delete", &to, Before::Perhaps(tag), None, &Value::Null);
        Some(())
    }

    /// What changes nothing, and whose record nobody waits for.
    async fn look(&mut self, path: &str) -> Option<()> {
        for (operation, wanted) in [
            ("ls", json!({"path": "/workspace"})),
            ("ls", json!({"path": "/"})),
            ("glob", json!({"pattern": "*", "path": "/workspace"})),
            ("grep", json!({"pattern": "four", "path": path})),
            ("read", json!({"file_path": path})),
            ("read", json!({"file_path": path, "limit": 1})),
            ("discover_skills", json!({"query": "minutes"})),
        ] {
            self.operation(operation, wanted).await?;
        }
        Some(())
    }

    /// Adds a line to the file that all callers edit at once.
    async fn append(&mut self, round: usize) -> Option<()> {
        let line = format!("{} {round}\n{END}", self.session);
        let reply = self.operation("edit", json!({"file_path": LOG, "old_string": END, "new_string": line})).await?;
        let file = (Before::Another, None, reply["etag"].as_str().map(str::to_owned));
        self.say(Some(&self.session.clone()), "edit", LOG, Some(file));
        Some(())
    }

    async fn skills(&mut self, round: usize) -> Option<()> {
        let skill = format!("made/k{}-{}-{round}", self.life, self.number);
        let one = self.publish("publish_skill", Method::PUT, &skill, &text("one", "# One"), Before::Nothing).await?;
        let load = self.operation("load_skill", json!({"skill": skill})).await?;
        assert_eq!(load["version"], one);
        self.say(Some(&self.session.clone()), "load_skill", &skill, None);
        let two = text("two", "# Two");
        let two = self.publish("publish_skill", Method::PUT, &skill, &two, Before::Seen(one.clone())).await?;
        let back = self.client.post(format!("{}/rollback/{skill}", self.user)).json(&json!({"digest": one}));
        let back = self.send(back).await?;
        assert_eq!((&back["digest"], &back["status"]), (&json!(one), &json!("updated")));
        self.say_version("roll_back_skill", &skill, Before::Seen(two), Some(one.clone()));
        self.operation("unload_skill", json!({"skill": skill})).await?;
        self.say(Some(&self.session.clone()), "unload_skill", &skill, None);
        self.remove(&skill, one).await
    }

    async fn drafts(&mut self, round: usize) -> Option<()> {
        let skill = format!("drafts/d{}-{}-{round}", self.life, self.number);
        let draft =
            self.publish("publish_skill", Method::PUT, &skill, &text("a draft", "# One"), Before::Nothing).await?;
        let body = json!({"body": "# Another\n\nBegin at the end.\n"});
        let changed = self.publish("change_skill", Method::PATCH, &skill, &body, Before::Seen(draft)).await?;
        self.remove(&skill, changed).await?;

        let skill = format!("c{}-{}-{round}", self.life, self.number);
        let body = "Say who was there, what was decided, and who does what until when.";
        let wanted = json!({"name": skill, "description": "Writes minutes. Use it after one.", "body": body});
        let made = self.operation("create_skill", wanted).await?;
        let draft = made["digest"].as_str().unwrap().to_owned();
        self.say(
            Some(&self.session.clone()),
            "create_skill",
            &skill,
            Some((Before::Nothing, Some(draft.clone()), None)),
        );
        let publish = json!({"state": "published"});
        let now = self.publish("change_skill", Method::PATCH, &skill, &publish, Before::Seen(draft)).await?;
        self.remove(&skill, now).await
    }

    /// Publishes a version over the one that is known, or changes it, and returns its digest.
    async fn publish(
        &mut self,
        operation: &'static str,
        method: Method,
        skill: &str,
        wanted: &Value,
        before: Before,
    ) -> Option<String> {
        let state = if skill.starts_with("drafts/") && method == Method::PUT { "?state=draft" } else { "" };
        let request = self.client.request(method, format!("{}/skills/{skill}{state}", self.user)).json(wanted);
        let request = match &before {
            Before::Seen(digest) => request.header("if-match", format!("\"{digest}\"")),
            _ => request,
        };
        let reply = self.send(request).await?;
        let digest = reply["digest"].as_str().unwrap().to_owned();
        self.say_version(operation, skill, before, Some(digest.clone()));
        Some(digest)
    }

    async fn remove(&mut self, skill: &str, digest: String) -> Option<()> {
        let delete = self.client.delete(format!("{}/skills/{skill}", self.user));
        self.send(delete.header("if-match", format!("\"{digest}\""))).await?;
        self.say_version("delete_skill", skill, Before::Seen(digest), None);
        Some(())
    }

    pub(super) async fn read(&self, path: &str) -> Option<Value> {
        self.operation("read", json!({"file_path": path, "limit": 10_000})).await
    }

    /// A change of a file that returns the version after, which is returned.
    async fn write(
        &mut self,
        operation: &'static str,
        path: &str,
        after: &str,
        wanted: Value,
        before: Before,
    ) -> Option<String> {
        let reply = self.operation(operation, wanted).await?;
        Some(self.say_file(operation, path, before, Some(after), &reply["etag"]))
    }

    async fn operation(&self, operation: &str, wanted: Value) -> Option<Value> {
        let url = format!("{}/sessions/{}/{operation}", self.user, self.session);
        self.send(self.client.post(url).json(&wanted)).await
    }

    /// What was answered; nothing if the server is gone.
    async fn send(&self, request: RequestBuilder) -> Option<Value> {
        let answer = request.send().await.ok()?;
        let (status, url) = (answer.status(), answer.url().to_string());
        let bytes = answer.bytes().await.ok()?;
        assert!(status.is_success(), "{url}: {status} {}", String::from_utf8_lossy(&bytes));
        self.done.fetch_add(1, Ordering::Relaxed);
        Some(serde_json::from_slice(&bytes).unwrap_or_default())
    }

    fn say_file(
        &mut self,
        operation: &'static str,
        path: &str,
        before: Before,
        after: Option<&str>,
        tag: &Value,
    ) -> String {
        let tag = tag.as_str().map(str::to_owned);
        let file = (before, after.map(digest), tag.clone());
        self.say(Some(&self.session.clone()), operation, path, Some(file));
        tag.unwrap_or_default()
    }

    fn say_version(&mut self, operation: &'static str, skill: &str, before: Before, after: Option<String>) {
        self.say(None, operation, skill, Some((before, after, None)));
    }

    fn say(
        &mut self,
        session: Option<&str>,
        operation: &'static str,
        name: &str,
        file: Option<(Before, Option<String>, Option<String>)>,
    ) {
        let session = session.map(str::to_owned);
        self.said.push(Said { session, operation, name: name.to_owned(), file });
    }
}

fn text(which: &str, body: &str) -> Value {
    let description = format!("Shows version {which}. Use it whenever a test asks for it.");
    json!({"description": description, "body": format!("{body}\n\nBegin at the beginning.\n"), "files": {"a.md": which}})
}
