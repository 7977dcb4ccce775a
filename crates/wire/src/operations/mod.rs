//! The operations of an agent: one table, and one module for each operation with request and reply.
//!
//! From the table come the trait, the routes, the remote client, the tools of a model, the order in which the calls of
//! a turn may run, and the names a policy knows. Every route and every tool that acts is an operation of the table. So
//! no other way to the same end evades a rule of a policy. `Skill` is an alias of `load_skill`. A rule for `write` also
//! holds for `edit`, `move`, `create_skill` and uploads.

mod create_skill;
mod delete;
mod discover_skills;
mod edit;
mod explained;
mod glob;
mod grep;
mod lines;
mod load_skill;
mod ls;
mod move_path;
mod outline;
mod read;
mod unload_skill;
mod write;

use std::fmt;

use serde::{Deserialize as _, Deserializer, Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use utoipa::ToSchema;

use skillmount_base::{error::Result, path::VirtualPath};

pub use self::{
    create_skill::*, delete::*, discover_skills::*, edit::*, explained::*, glob::*, grep::*, lines::TextPage,
    load_skill::*, ls::*, move_path::*, outline::*, read::*, unload_skill::*, write::*,
};

/// THE table. Passes its rows to the macro `$then`, in the order in which operations are offered:
///
/// `Variant method(Request) -> Reply { name, [other names], the operation whose rules hold too, effect, module, memory, status }`
///
/// The module of the engine has the function, by the name of the method. It is the tag of the route too.
///
/// The rows behind the semicolon are operations that a policy has rules for and that carry bytes in place of JSON documents, each
/// with routes of its own.
#[doc(hidden)]
#[macro_export]
macro_rules! with_operations {
    ($then:ident) => {
        $then! {
            /// Find skills for a task; finding one does not load it.
            DiscoverSkills discover_skills(DiscoverRequest) -> DiscoverReply { "discover_skills", [], None, Reads, skills, Listing, 200 }
            /// Load a skill: mount its files below `/skills` and make it the current one.
            LoadSkill load_skill(LoadSkillRequest) -> LoadSkillReply { "load_skill", ["Skill"], None, Loads, skills, Listing, 200 }
            /// Hide a loaded skill again.
            UnloadSkill unload_skill(UnloadSkillRequest) -> UnloadSkillReply { "unload_skill", [], None, Loads, skills, Small, 200 }
            /// Write a skill as a draft: this session sees it, and others once a person has published it.
            CreateSkill create_skill(CreateSkillRequest) -> CreateSkillReply { "create_skill", [], Some(Self::Write), Writes, skills, Text, 201 }
            /// List a folder.
            Ls ls(LsRequest) -> LsReply { "ls", [], None, Reads, files, Listing, 200 }
            /// Read lines of a text file.
            Read read(ReadRequest) -> ReadReply { "read", [], None, Reads, files, Page, 200 }
            /// Search the contents of everything the session sees.
            Grep grep(GrepRequest) -> GrepReply { "grep", [], None, Reads, files, Search, 200 }
            /// Find files by name.
            Glob glob(GlobRequest) -> GlobReply { "glob", [], None, Reads, files, Listing, 200 }
            /// Make a file, or replace it with `overwrite`.
            Write write(WriteRequest) -> WriteReply { "write", [], None, Writes, files, Text, 200 }
            /// Replace text in a file.
            Edit edit(EditRequest) -> EditReply { "edit", [], Some(Self::Write), Writes, files, Text, 200 }
            /// Move or rename a file, or a folder and everything below it; nothing at the new path is replaced.
            Move move_path(MoveRequest) -> MoveReply { "move", [], Some(Self::Write), Writes, files, Files, 200 }
            /// Delete a file, or a folder and everything below it.
            Delete delete(DeleteRequest) -> DeleteReply { "delete", [], Some(Self::Write), Writes, files, Small, 200 }
            ;
            /// Fetch the bytes of files, or what is known of them: `GET` and `HEAD` of a file, and many at once.
            Download { "download", Some(Self::Read), Reads }
            /// Store many files at once.
            Upload { "upload", Some(Self::Write), Writes }
        }
    };
}

fn is_zero<N: Default + PartialEq>(number: &N) -> bool {
    *number == N::default()
}

/// The place of an omitted text in an account: its length.
fn left_out(text: &str) -> Value {
    json!({ "bytes": text.len() })
}

/// The kind of change that an operation makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// Nothing that a caller could lose: a lost reply is asked for again.
    Reads,
    /// Which skills the session has loaded.
    Loads,
    /// Files.
    Writes,
}

/// The memory that a call takes at worst, beside its body and the parsed request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryClass {
    /// A change or a look at one thing.
    Small,
    /// Listings and documents: names, descriptions, the instructions of a skill.
    Listing,
    /// A page of a file, out of a piece of it.
    Page,
    /// A search, with its one window.
    Search,
    /// The text of a file in the body.
    Text,
    /// The bytes of files that pass through.
    Files,
}

/// The paths that a call touches, for the order in which the calls of a turn may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access<'request> {
    /// Reads at or below a path.
    Reads(&'request str),
    /// Writes at or below a path.
    Writes(&'request str),
    /// Changes which skills are loaded, which every path below `/skills` depends on.
    Session,
}

/// The request of an operation: one JSON document, answered by another.
pub trait Request: Serialize + DeserializeOwned + ToSchema + Send {
    /// Which operation.
    const OPERATION: Operation;
    /// The purpose and the use, for a model.
    const FOR_MODELS: &'static str;
    /// Members that are not a model's to say.
    const NOT_FOR_MODELS: &'static [&'static str] = &[];
    /// The answer.
    type Reply: Reply;

    /// The paths it touches as the caller wrote them, whether they can be parsed or not.
    fn touches(&self) -> Vec<Access<'_>>;

    /// Its virtual paths, for [`normal_form`]. An absent path that has a default gets it.
    fn paths_mut(&mut self) -> Vec<&mut String> {
        Vec::new()
    }

    /// The input as an account of the call may hold it, by the kinds of its members. Texts that are contents or
    /// questions are replaced by their lengths. Members that name a skill are hidden from watchers who may not see the
    /// skill, so each member has its kind.
    fn outline(&self) -> CallOutline;

    /// The subject of the call, for a log: its paths, or the skill or the question. Never the content of a file.
    fn subject(&self) -> String {
        let paths = self.touches().into_iter().filter_map(|touch| match touch {
            Access::Reads(path) | Access::Writes(path) => Some(path),
            Access::Session => None,
        });
        paths.collect::<Vec<_>>().join(" ")
    }
}

/// The normal form of a call: each virtual path as [`VirtualPath`] writes it, and each absent member at its default. Calls of one
/// form are one call.
///
/// # Errors
/// `invalid_path` for the first path that is malformed.
pub fn normal_form<R: Request>(mut request: R) -> Result<R> {
    for path in request.paths_mut() {
        *path = VirtualPath::parse(path)?.to_string();
    }
    Ok(request)
}

/// Reads an optional text. An empty one counts as absent: a strict schema makes a model fill in each member, and models send `""`
/// for a member that they do not need.
fn absent_if_empty<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Option<String>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    Ok(text.filter(|text| !text.is_empty()))
}

/// The reply of an operation: a document that goes over the wire and has a schema, and that can be put into words.
pub trait Reply: Serialize + DeserializeOwned + ToSchema + Send {
    /// The reply as a model reads it, and a person at a terminal. The text reports what was omitted, and how to get it.
    /// Contents of files come as they are. Texts that skills have about themselves are cleaned and fenced.
    ///
    /// # Errors
    /// If the reply reports that part of the call failed. The message says how to go on.
    fn text(&self, form: TextFormat) -> Result<String> {
        Ok(self.page(form)?.text())
    }

    /// The text, with the number of lines of the reply that it shows.
    ///
    /// # Errors
    /// Those of [`text`](Self::text).
    fn page(&self, form: TextFormat) -> Result<TextPage>;

    /// Shortens the reply to the lines of `page`, and sets the members that report it.
    fn cut(&mut self, _page: &TextPage) {}

    /// The text, and the reply with the same window.
    ///
    /// # Errors
    /// Those of [`text`](Self::text).
    fn window(mut self, form: TextFormat) -> Result<(String, Self)> {
        let page = self.page(form)?;
        if page.is_cut() {
            self.cut(&page);
        }
        Ok((page.text(), self))
    }
}

/// How a reply is put into words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextFormat {
    /// Bytes at most, with the lines that say what is shown.
    pub room: usize,
    /// The place of the instructions of a skill that was loaded.
    pub instructions: Instructions,
}

/// The place of the instructions of a loaded skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instructions {
    /// The text of the reply.
    InReply,
    /// The system prompt.
    InPrompt,
}

macro_rules! enumerate {
    ($(
        $(#[doc = $doc:literal])*
        $variant:ident $method:ident($request:ident) -> $reply:ident
        { $name:literal, [$($alias:literal)*], $under:expr, $effect:ident, $module:ident, $memory:ident, $status:literal }
    )* ; $(
        $(#[doc = $other_doc:literal])*
        $other:ident { $other_name:literal, $other_under:expr, $other_effect:ident }
    )*) => {
        /// An operation, which a policy has rules for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Operation {
            $($(#[doc = $doc])* $variant,)*
            $($(#[doc = $other_doc])* $other,)*
        }

        impl Operation {
            /// Every operation, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)* $(Self::$other,)*];
            /// The operations with a single request and a single reply: the tools of a model.
            pub const CALLS: &'static [Self] = &[$(Self::$variant,)*];

            /// The name in policies, routes and tools.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* $(Self::$other => $other_name,)* }
            }

            /// Its other names.
            #[must_use]
            pub const fn aliases(self) -> &'static [&'static str] {
                match self { $(Self::$variant => &[$($alias)*],)* $(Self::$other => &[],)* }
            }

            /// The operation whose rules hold too: the stricter rule of the two applies.
            #[must_use]
            pub const fn under(self) -> Option<Self> {
                match self { $(Self::$variant => $under,)* $(Self::$other => $other_under,)* }
            }

            /// The memory that a call takes; `None` for operations on bytes outside JSON documents.
            #[must_use]
            pub const fn memory(self) -> Option<MemoryClass> {
                match self { $(Self::$variant => Some(MemoryClass::$memory),)* $(Self::$other => None,)* }
            }

            /// The kind of change.
            #[must_use]
            pub const fn effect(self) -> Effect {
                match self { $(Self::$variant => Effect::$effect,)* $(Self::$other => Effect::$other_effect,)* }
            }
        }
    };
}

with_operations!(enumerate);

impl Operation {
    /// Whether it changes files, and so is nothing for a session that plans.
    #[must_use]
    pub const fn changes_files(self) -> bool {
        matches!(self.effect(), Effect::Writes)
    }

    /// Whether it may replace or take away what is there. An operation that only adds something new is not destructive.
    #[must_use]
    pub const fn is_destructive(self) -> bool {
        matches!(self, Self::Write | Self::Edit | Self::Move | Self::Delete | Self::Upload)
    }

    /// Whether the same call a second time changes nothing more.
    #[must_use]
    pub const fn is_idempotent(self) -> bool {
        !matches!(self, Self::CreateSkill | Self::Edit)
    }

    /// Whether a person is asked unless a rule of a policy names it: `*` does not stand for it.
    #[must_use]
    pub const fn asks_unless_named(self) -> bool {
        matches!(self, Self::CreateSkill)
    }

    /// Every name of every operation.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Self::ALL.iter().flat_map(|operation| operation.own_names())
    }

    /// Its name and its aliases.
    pub fn own_names(self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name()).chain(self.aliases().iter().copied())
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The outline of `request` has every member of it, and none of `texts`.
    fn check<R: Request>(request: &str, texts: &[&str]) {
        let request: R = serde_json::from_str(request).unwrap();
        let (outline, input) = (request.outline().input(), serde_json::to_value(&request).unwrap());
        let shown = outline.as_object().unwrap();
        for (name, value) in input.as_object().unwrap() {
            let expected =
                if texts.contains(&name.as_str()) { left_out(value.as_str().unwrap()) } else { value.clone() };
            assert_eq!(shown.get(name), Some(&expected), "{name} of {}", R::OPERATION);
        }
    }

    #[test]
    fn an_outline_has_every_member_and_of_contents_and_questions_their_length() {
        check::<WriteRequest>(r#"{"file_path": "/a", "content": "secret", "overwrite": true}"#, &["content"]);
        let edit = r#"{"file_path": "/a", "old_string": "one", "new_string": "secret"}"#;
        check::<EditRequest>(edit, &["old_string", "new_string"]);
        let create = r#"{"name": "a", "description": "secret", "body": "secret", "template": "code"}"#;
        check::<CreateSkillRequest>(create, &["description", "body"]);
        check::<DiscoverRequest>(r#"{"query": "secret", "category": "a"}"#, &["query"]);
        check::<LoadSkillRequest>(r#"{"skill": "a", "arguments": "secret"}"#, &["arguments"]);
        check::<GrepRequest>(r#"{"pattern": "secret", "path": "/a", "context": 2}"#, &["pattern"]);
        check::<LsRequest>(r#"{"path": "/a"}"#, &[]);
        check::<GlobRequest>(r#"{"pattern": "*", "path": "/a"}"#, &[]);
        check::<ReadRequest>(r#"{"file_path": "/a", "offset": 2}"#, &[]);
        check::<MoveRequest>(r#"{"from": "/a", "to": "/b"}"#, &[]);
        check::<DeleteRequest>(r#"{"path": "/a"}"#, &[]);
        check::<UnloadSkillRequest>(r#"{"skill": "a"}"#, &[]);
    }

    /// The members of each operation's input: paths, names of skills, and globs.
    #[test]
    fn an_outline_says_which_members_are_names() {
        fn names<R: Request>(request: &str) -> [String; 3] {
            let InputNames { paths, skills, globs } = serde_json::from_str::<R>(request).unwrap().outline().names();
            [paths, skills, globs].map(|names| names.join(" "))
        }
        for (found, known) in [
            (names::<DiscoverRequest>(r#"{"query": "q"}"#), ["", "why", ""]),
            (names::<LoadSkillRequest>(r#"{"skill": "a"}"#), ["", "skill mount_as", ""]),
            (names::<UnloadSkillRequest>(r#"{"skill": "a"}"#), ["", "skill", ""]),
            (names::<CreateSkillRequest>(r#"{"name": "a", "description": "d", "body": "b"}"#), ["", "name", ""]),
            (names::<LsRequest>(r#"{"path": "/"}"#), ["path", "", ""]),
            (names::<ReadRequest>(r#"{"file_path": "/a"}"#), ["file_path", "", ""]),
            (names::<GrepRequest>(r#"{"pattern": "a"}"#), ["path", "", "glob"]),
            (names::<GlobRequest>(r#"{"pattern": "*"}"#), ["path", "", "pattern"]),
            (names::<WriteRequest>(r#"{"file_path": "/a", "content": "c"}"#), ["file_path", "", ""]),
            (
                names::<EditRequest>(r#"{"file_path": "/a", "old_string": "o", "new_string": "n"}"#),
                ["file_path", "", ""],
            ),
            (names::<MoveRequest>(r#"{"from": "/a", "to": "/b"}"#), ["from to", "", ""]),
            (names::<DeleteRequest>(r#"{"path": "/a"}"#), ["path", "", ""]),
        ] {
            assert_eq!(found, known);
        }
    }
}
