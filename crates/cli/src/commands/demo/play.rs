//! The play: an agent's session from an empty `/skills` to a written file.
//!
//! Every expectation is computed from the fixtures, so that the play shows what the service really does and fails if it
//! does something else.

use serde::Serialize;
use serde_json::json;

use super::{
    fixtures::content,
    stage::{Stage, call, refusal},
};
use crate::{
    client::RemoteBackend,
    error::{Code, Error, Result},
    limits::READ_LINES,
    wire::{
        BackendProtocol, EditRequest, GrepRequest, LoadSkillRequest, LoadStatus, LsRequest, PromptRequest, ReadRequest,
        UnloadSkillRequest, UnloadStatus, WriteRequest,
    },
};

/// The skill that the agent loads, and the folder of its files in the fixtures.
const SKILL: &str = "escrituras/compraventa";
const HOME: &str = "demo/skills/escrituras/compraventa";
/// The file that the agent writes, and its texts before and after the edit.
const DRAFT: &str = "/workspace/borrador.md";
const DRAFTED: &str = "# Escritura de compraventa\n\nPrecio: [PENDIENTE]\n";
const EDITED: &str = "# Escritura de compraventa\n\nPrecio: 180.000 euros\n";

/// The actors: the agent's operations, and the framework's view of the session.
pub(super) struct Play<'play> {
    pub(super) agent: &'play dyn BackendProtocol,
    pub(super) framework: &'play RemoteBackend,
    pub(super) stage: Stage<'play>,
}

impl Play<'_> {
    /// Plays it to the end.
    ///
    /// # Errors
    /// If an answer cannot be shown; [`Stage::close`] reports wrong answers.
    pub(super) async fn perform(mut self) -> Result<()> {
        self.stage.scene("1. The agent starts: no skill is loaded, so there is no /skills.")?;
        self.ls("/", &["/workspace", "/ticket"]).await?;
        self.refused("/skills/compraventa/SKILL.md", Code::FileNotFound).await?;
        self.stage.scene("2. The framework asks what to tell the agent: every skill, by name and purpose.")?;
        self.prompt(&["escrituras/compraventa", "escrituras/hipoteca", "contratos/arrendamiento"]).await?;
        self.stage.scene("3. The agent loads the skill it needs; its instructions are now in the prompt.")?;
        self.load().await?;
        self.prompt(&["# Escritura de compraventa"]).await?;
        self.stage.scene("4. It sees that skill and no other.")?;
        self.ls("/", &["/workspace", "/ticket", "/skills"]).await?;
        self.ls("/skills", &["/skills/compraventa"]).await?;
        self.look_around().await?;
        self.stage.scene("7. It works: searches, writes, edits.")?;
        self.grep("arras").await?;
        self.write().await?;
        self.edit().await?;
        self.read(DRAFT, EDITED).await?;
        self.stage.scene("8. It is done with the skill, and /skills is gone.")?;
        self.unload().await?;
        self.ls("/", &["/workspace", "/ticket"]).await?;
        self.stage.close()
    }

    async fn look_around(&mut self) -> Result<()> {
        let below = |name: &str| format!("/skills/compraventa/{name}");
        let (main, clauses, resources) = (below("SKILL.md"), below("disclosure_clausulas.md"), below("resources"));
        self.ls("/skills/compraventa", &[&main, &clauses, &resources]).await?;
        let (example, template) = (below("resources/ejemplo.md"), below("resources/plantilla.pdf"));
        self.ls(&resources, &[&example, &template]).await?;
        self.stage.scene("5. It reads what it needs, as it needs it.")?;
        self.read(&clauses, &fixture("disclosure_clausulas.md")).await?;
        self.read(&example, &fixture("resources/ejemplo.md")).await?;
        self.stage.scene(
            "6. A PDF is no text: `read` says so, and the agent fetches the bytes. Other skills stay out of reach.",
        )?;
        self.refused(&template, Code::BinaryFile).await?;
        self.download(&template, content(&format!("{HOME}/resources/plantilla.pdf"))).await?;
        self.refused("/skills/hipoteca/SKILL.md", Code::FileNotFound).await
    }

    async fn ls(&mut self, path: &str, expected: &[&str]) -> Result<()> {
        let request = LsRequest { path: path.to_owned() };
        let shown = shown("ls", &request);
        let outcome = self.agent.ls(request).await.map(|reply| {
            let paths: Vec<_> = reply.entries.into_iter().map(|entry| entry.path).collect();
            (paths == expected, paths.join("\n"))
        });
        self.tell(shown, outcome)
    }

    async fn read(&mut self, path: &str, expected: &str) -> Result<()> {
        let request = reading(path);
        let shown = shown("read", &request);
        let outcome = self.agent.read(request).await.map(|reply| (reply.content == expected, reply.content));
        self.tell(shown, outcome)
    }

    /// A read that must fail with this code.
    async fn refused(&mut self, path: &str, expected: Code) -> Result<()> {
        let request = reading(path);
        let shown = shown("read", &request);
        let outcome = self.agent.read(request).await;
        self.refuse(shown, outcome.map(|reply| reply.content), expected)
    }

    async fn prompt(&mut self, expected: &[&str]) -> Result<()> {
        let outcome = self.framework.prompt(&PromptRequest::default()).await.map(|reply| {
            let prompt = reply.prompt;
            (expected.iter().all(|part| prompt.contains(part)), prompt)
        });
        self.tell("prompt".to_owned(), outcome)
    }

    async fn load(&mut self) -> Result<()> {
        let request = LoadSkillRequest::new(SKILL);
        let shown = shown("load_skill", &json!({ "skill": SKILL }));
        let loaded = self.agent.load_skill(request).await;
        let session = self.framework.session().await?;
        let is_current = session.current_skill.as_ref().is_some_and(|skill| skill.as_str() == SKILL);
        let outcome = loaded.map(|reply| {
            let right = reply.status == LoadStatus::Loaded && reply.mount == "/skills/compraventa" && is_current;
            (right, format!("loaded {} as {}, {} files, {}", reply.skill, reply.mount, reply.files.len(), reply.digest))
        });
        self.tell(shown, outcome)
    }

    async fn unload(&mut self) -> Result<()> {
        let request = UnloadSkillRequest { skill: "compraventa".to_owned() };
        let shown = shown("unload_skill", &request);
        let outcome = self.agent.unload_skill(request).await;
        self.tell(shown, outcome.map(|it| (it.status == UnloadStatus::Unloaded, format!("unloaded {}", it.skill))))
    }

    async fn download(&mut self, path: &str, expected: &[u8]) -> Result<()> {
        let shown = shown("download", &json!({ "paths": [path] }));
        let outcome = self.agent.download(vec![path.to_owned()]).await;
        let outcome = outcome.and_then(|files| {
            let bytes = files.into_iter().next().map(|file| file.result).transpose()?.unwrap_or_default();
            Ok((bytes == expected && !expected.is_empty(), format!("{} bytes", bytes.len())))
        });
        self.tell(shown, outcome)
    }

    async fn grep(&mut self, pattern: &str) -> Result<()> {
        let request = GrepRequest { path: Some("/skills".to_owned()), literal: true, ..GrepRequest::new(pattern) };
        let shown = shown("grep", &json!({ "pattern": pattern, "path": "/skills", "literal": true }));
        let expected = occurrences(pattern);
        let outcome = self.agent.grep(request).await.map(|reply| {
            let hits: Vec<_> = reply.matches.unwrap_or_default();
            let hits: Vec<_> = hits.iter().map(|hit| format!("{}:{}:{}", hit.path, hit.line, hit.text)).collect();
            (hits == expected && !hits.is_empty(), hits.join("\n"))
        });
        self.tell(shown, outcome)
    }

    async fn write(&mut self) -> Result<()> {
        let request = WriteRequest { file_path: DRAFT.to_owned(), content: DRAFTED.to_owned(), overwrite: false };
        let shown = shown("write", &json!({ "file_path": DRAFT, "content": DRAFTED }));
        let outcome = self.agent.write(request.clone()).await;
        let created = outcome.map(|reply| (reply.created, format!("created {}, {} bytes", reply.path, reply.bytes)));
        self.tell(shown.clone(), created)?;
        let outcome = self.agent.write(request).await;
        self.refuse(shown, outcome.map(|reply| format!("overwrote {}", reply.path)), Code::AlreadyExists)
    }

    async fn edit(&mut self) -> Result<()> {
        let request = EditRequest::new(DRAFT, "[PENDIENTE]", "180.000 euros");
        let shown = shown("edit", &request);
        let outcome = self.agent.edit(request).await;
        self.tell(shown, outcome.map(|it| (it.occurrences == 1, format!("{} occurrence replaced", it.occurrences))))
    }

    /// An answer that must be the error `expected`.
    fn refuse(&mut self, shown: String, outcome: Result<String>, expected: Code) -> Result<()> {
        match outcome {
            Ok(answer) => self.stage.played(shown, answer, false),
            Err(error) => self.stage.played(shown, refusal(&error), error.code() == expected),
        }
    }

    /// An answer that must not be an error.
    fn tell(&mut self, shown: String, outcome: Result<(bool, String), Error>) -> Result<()> {
        match outcome {
            Ok((right, answer)) => self.stage.played(shown, answer, right),
            Err(error) => self.stage.played(shown, refusal(&error), false),
        }
    }
}

fn shown(name: &str, request: &impl Serialize) -> String {
    call(name, &serde_json::to_value(request).unwrap_or_default())
}

fn reading(path: &str) -> ReadRequest {
    ReadRequest { file_path: path.to_owned(), offset: 0, limit: READ_LINES }
}

/// A text file of the skill.
fn fixture(relative: &str) -> String {
    String::from_utf8_lossy(content(&format!("{HOME}/{relative}"))).into_owned()
}

/// Where `pattern` is in the text files of the skill, as a grep reports it.
fn occurrences(pattern: &str) -> Vec<String> {
    ["SKILL.md", "disclosure_clausulas.md", "resources/ejemplo.md"]
        .into_iter()
        .flat_map(|name| {
            let text = fixture(name);
            let hits = (1..).zip(text.lines()).filter(|(_, line)| line.contains(pattern));
            hits.map(|(at, line)| format!("/skills/compraventa/{name}:{at}:{line}")).collect::<Vec<_>>()
        })
        .collect()
}
