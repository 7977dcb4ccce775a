//! The program on a folder of its own, with a skill for each user of the tests.

use std::{
    env, fs,
    io::{BufRead as _, BufReader},
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::Arc,
};

use serde_json::Value;
use skillmount_base::{clock::SystemClock, path::Id};
use skillmount_client::RemoteBackend;
use skillmount_engine::handle::{Service, ServiceOptions};
use skillmount_rig::SkillSession;
use skillmount_store::MemoryStore;
use tempfile::TempDir;

/// The skill of each user: its name is the user's.
const USERS: [&str; 2] = ["anna", "otto"];

/// A running program. It ends with this value.
pub(crate) struct Program {
    pub(crate) url: String,
    process: Child,
    _folder: TempDir,
}

impl Program {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (key, text) in skills() {
            let path = folder.path().join(key);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let mut command = Command::new(program());
        for (name, _) in env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("SKILLMOUNT_")) {
            command.env_remove(name);
        }
        command.arg("serve").arg("--store").arg(format!("file:{}", folder.path().display()));
        command.args(["--listen", "127.0.0.1:0", "--json", "--drain", "0", "--audit", "sync"]).args(arguments);
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let told: Value = serde_json::from_str(&line).unwrap();
        Self { url: told["listening"].as_str().unwrap().to_owned(), process, _folder: folder }
    }

    pub(crate) fn session(&self, user: &str, session: &str) -> SkillSession {
        SkillSession::remote(remote(&self.url, user, session, None))
    }

    /// Sets the policy of a user.
    pub(crate) async fn policy(&self, user: &str, policy: &Value) {
        self.policy_with("", user, policy).await;
    }

    /// Sets the policy of a user with a key.
    pub(crate) async fn policy_with(&self, key: &str, user: &str, policy: &Value) {
        let address = format!("{}/v1/users/{user}/policy", self.url);
        let reply = reqwest::Client::new().put(address).bearer_auth(key).json(policy).send().await.unwrap();
        assert!(reply.status().is_success(), "{}", reply.text().await.unwrap());
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

/// Keys of these scopes for `anna`, and the file that a service reads them from.
pub(crate) struct Keys {
    pub(crate) keys: Vec<String>,
    pub(crate) file: String,
}

pub(crate) fn keys(scopes: &[&str]) -> Keys {
    let (mut keys, mut file) = (Vec::new(), String::new());
    for scope in scopes {
        let made = Command::new(program()).args(["--user", "anna", "keys", "new", "--scope", scope, "--json"]).output();
        let made: Value = serde_json::from_slice(&made.unwrap().stdout).unwrap();
        keys.push(made["key"].as_str().unwrap().to_owned());
        file += made["entry"].as_str().unwrap();
        file += "\n";
    }
    Keys { keys, file }
}

/// A session of a service in this process.
pub(crate) fn in_process(user: &str, session: &str) -> SkillSession {
    let store = Arc::new(MemoryStore::new());
    for (key, text) in skills() {
        store.put_raw(&key, text);
    }
    let service = Service::new(store, ServiceOptions::default(), Arc::new(SystemClock::new()));
    SkillSession::in_process(service.session(id(user), id(session)))
}

pub(crate) fn remote(url: &str, user: &str, session: &str, key: Option<&str>) -> RemoteBackend {
    RemoteBackend::new(url, id(user), id(session), key.map(str::to_owned)).unwrap()
}

pub(crate) fn id(text: &str) -> Id {
    Id::parse(text).unwrap()
}

fn skills() -> impl Iterator<Item = (String, String)> {
    USERS.into_iter().map(|user| {
        let text = format!(
            "---\nname: lease-{user}\ndescription: Drafts a lease for {user}.\n---\nBegin the lease of {user} with the parties.\n"
        );
        (format!("{user}/skills/law/lease-{user}/SKILL.md"), text)
    })
}

fn program() -> PathBuf {
    let built = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/debug/skillmount");
    env::var_os("SKILLMOUNT_PROGRAM").map_or_else(|| PathBuf::from(built), PathBuf::from)
}
