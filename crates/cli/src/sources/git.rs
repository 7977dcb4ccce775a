//! The skills of a git repository, through the program `git`.
//!
//! Nothing is checked out: the files are read as the objects that they are. So no hook, filter or attribute of the
//! repository runs, links are seen as links, and submodules are names without content. Git itself may use https and ssh
//! alone, and never asks for a password. It gets the address in a place where it cannot be an option.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    process::{Output, Stdio},
};

use bytes::Bytes;
use jiff::Timestamp;
use tokio::{io::AsyncWriteExt as _, process::Command, time::timeout};

use super::{
    address::Repository,
    found::{SourceContents, placed},
};
use crate::{
    error::{Code, Error, Result},
    limits::{DISCOVERY_PATIENCE, LIST_OBJECTS, SKILL_DEPTH, SKILL_FILES, UPLOAD_FILE_BYTES, VERSION_UNPACKED_BYTES},
    path::is_of_tools,
    process::Process,
    screen::plain,
    skill::{MAIN, SkillUpload},
};

/// The modes of a plain file and of an executable file.
const PLAIN: [&str; 2] = ["100644", "100755"];
const LINK: &str = "120000";
const SUBMODULE: &str = "160000";
/// How the file begins that Git LFS leaves in the place of another (git-lfs, docs/spec.md).
const LFS_POINTER: &[u8] = b"version https://git-lfs.github.com/spec/v1\n";
/// Variables by which the shell of the person would change what git does.
const UNSET: &[&str] = &[
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_TEMPLATE_DIR",
    "GIT_TRACE",
];

/// An object of a tree.
struct Blob {
    path: String,
    id: String,
    size: u64,
}

/// The contents of the repository at its revision.
pub(super) async fn fetch(
    process: &Process,
    repository: &Repository,
    shown: &str,
    into: Option<&str>,
    now: Timestamp,
) -> Result<SourceContents> {
    let folder = tempfile::tempdir_in(&process.folders.temporary).map_err(Error::internal)?;
    let git = Git { process, folder: folder.path(), is_local: repository.is_local };
    git.run(&["init", "--quiet", "--bare", "--template=", "."]).await?;
    let reference = repository.reference.as_deref().unwrap_or("HEAD");
    let fetch = ["fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", "--no-auto-maintenance"];
    git.run(&[&fetch[..], &["--", &repository.url, reference]].concat()).await?;
    let revision = text(&git.run(&["rev-parse", "--verify", "FETCH_HEAD^{commit}"]).await?.stdout)?.trim().to_owned();
    let listed = git.run(&["ls-tree", "-r", "-z", "-l", "--full-tree", &revision]).await?;
    let mut fetched =
        SourceContents { provenance: format!("{shown} at {revision}"), revision, ..SourceContents::default() };
    let blobs = blobs(&listed.stdout, &mut fetched.passed_over)?;
    for (folder, name) in folders(&blobs, repository) {
        let of_skill: Vec<&Blob> = blobs.iter().filter(|blob| below(&folder, &blob.path).is_some()).collect();
        let skill = placed(into, &name)?;
        if let Some(why) = too_much(&of_skill) {
            fetched.passed_over.push(format!("{skill}: {why}"));
            continue;
        }
        let mut upload = SkillUpload::default();
        for (blob, bytes) in of_skill.iter().zip(git.contents(&of_skill).await?) {
            if bytes.starts_with(LFS_POINTER) {
                fetched.passed_over.push(format!("{} lies in Git LFS, and nothing is fetched from there", blob.path));
                continue;
            }
            upload.add(below(&folder, &blob.path).unwrap_or_default(), &bytes);
        }
        fetched.take(skill, upload, now)?;
    }
    fetched.done(shown)
}

/// The path of a file below `folder`, which is empty for the whole tree.
fn below<'path>(folder: &str, path: &'path str) -> Option<&'path str> {
    if folder.is_empty() { Some(path) } else { path.strip_prefix(folder)?.strip_prefix('/') }
}

fn too_much(blobs: &[&Blob]) -> Option<String> {
    let size: u64 = blobs.iter().map(|blob| blob.size).sum();
    if blobs.len() > SKILL_FILES || size > VERSION_UNPACKED_BYTES {
        return Some(format!("{} files and {size} bytes are more than a skill has", blobs.len()));
    }
    let large = blobs.iter().find(|blob| blob.size > UPLOAD_FILE_BYTES as u64)?;
    Some(format!("{} is larger than a file may be", large.path))
}

/// The plain files of a tree. Links and submodules are passed over.
fn blobs(listed: &[u8], passed_over: &mut Vec<String>) -> Result<Vec<Blob>> {
    let mut blobs = Vec::new();
    for line in listed.split(|byte| *byte == 0).filter(|line| !line.is_empty()) {
        let Ok(line) = std::str::from_utf8(line) else {
            let name = line.splitn(2, |byte| *byte == b'\t').last().unwrap_or_default();
            passed_over.push(format!("{} has a name that is no text", String::from_utf8_lossy(name)));
            continue;
        };
        let (about, path) = line.split_once('\t').ok_or_else(|| strange("a listing"))?;
        let about: Vec<&str> = about.split_whitespace().collect();
        let [mode, _, id, size] = about.as_slice() else { return Err(strange("a listing")) };
        if is_of_tools(path) {
            continue;
        }
        match *mode {
            LINK => passed_over.push(format!("{path} is a link, and links are not followed")),
            SUBMODULE => passed_over.push(format!("{path} is a submodule, and nothing of it is fetched")),
            mode if PLAIN.contains(&mode) => {
                let size = size.parse().map_err(|_| strange("a listing"))?;
                blobs.push(Blob { path: path.to_owned(), id: (*id).to_owned(), size });
            }
            _ => {}
        }
        if blobs.len() > LIST_OBJECTS {
            return Err(Error::new(Code::TooExpensive, format!("the repository has more than {LIST_OBJECTS} files")));
        }
    }
    Ok(blobs)
}

/// The folders of skills, each with the name of its skill. The outermost SKILL.md decides. The name is the folder's
/// name, or its whole path if several folders have the same name.
fn folders(blobs: &[Blob], repository: &Repository) -> Vec<(String, String)> {
    let mains = blobs.iter().filter_map(|blob| match blob.path.strip_suffix(MAIN)? {
        "" => Some(String::new()),
        folder => folder.strip_suffix('/').map(str::to_owned),
    });
    let mains: BTreeSet<String> = mains.filter(|folder| folder.split('/').count() <= SKILL_DEPTH).collect();
    let above = |folder: &str| {
        let parents = folder.match_indices('/').map(|(at, _)| folder.get(..at).unwrap_or_default());
        [""].into_iter().filter(|_| !folder.is_empty()).chain(parents).any(|parent| mains.contains(parent))
    };
    let outermost: Vec<&String> = mains.iter().filter(|folder| !above(folder)).collect();
    let leaf = |folder: &str| match folder.rsplit('/').next() {
        Some("") | None => repository.name(),
        Some(leaf) => leaf.to_owned(),
    };
    let mut count = BTreeMap::<String, usize>::new();
    for folder in &outermost {
        *count.entry(leaf(folder)).or_default() += 1;
    }
    let name = |folder: &str| if count.get(&leaf(folder)) == Some(&1) { leaf(folder) } else { folder.to_owned() };
    outermost.into_iter().map(|folder| (folder.clone(), name(folder))).collect()
}

impl Repository {
    /// The name of a repository that is a skill itself.
    fn name(&self) -> String {
        let path = self.url.trim_end_matches('/');
        let name = path.rsplit(['/', ':']).next().unwrap_or_default();
        name.strip_suffix(".git").unwrap_or(name).to_owned()
    }
}

/// The program, in a repository of its own.
struct Git<'run> {
    process: &'run Process,
    folder: &'run Path,
    is_local: bool,
}

impl Git<'_> {
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("git");
        command.env_clear().envs(&self.process.variables);
        for name in UNSET {
            command.env_remove(name);
        }
        // The variable counts more than the configuration, so both are set.
        let allowed = if self.is_local { "file" } else { "https:ssh" };
        command.env("GIT_ALLOW_PROTOCOL", allowed).env("GIT_TERMINAL_PROMPT", "0").env("GIT_ASKPASS", "true");
        command.env("SSH_ASKPASS_REQUIRE", "never").env("LC_ALL", "C");
        command.args(["-c", "protocol.allow=never"]);
        for protocol in allowed.split(':') {
            command.args(["-c", &format!("protocol.{protocol}.allow=always")]);
        }
        command.args(["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "submodule.recurse=false"]);
        command.args(["-c", "fetch.recurseSubmodules=false", "-c", "gc.auto=0", "-c", "transfer.fsckObjects=true"]);
        command.args(arguments).current_dir(self.folder).kill_on_drop(true);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    async fn run(&self, arguments: &[&str]) -> Result<Output> {
        let running = self.command(arguments).spawn().map_err(missing)?;
        finished(running.wait_with_output()).await
    }

    /// The contents of blobs, in their order.
    async fn contents(&self, blobs: &[&Blob]) -> Result<Vec<Bytes>> {
        let mut command = self.command(&["cat-file", "--batch"]);
        let mut running = command.stdin(Stdio::piped()).spawn().map_err(missing)?;
        let mut input = running.stdin.take().ok_or_else(|| strange("its input"))?;
        let wanted: Vec<u8> = blobs.iter().flat_map(|blob| [blob.id.as_bytes(), b"\n"].concat()).collect();
        let ask = async move {
            // If git ends early, its status says why.
            let _ = input.write_all(&wanted).await;
        };
        let (output, ()) = tokio::join!(finished(running.wait_with_output()), ask);
        let mut rest = Bytes::from(output?.stdout);
        let mut contents = Vec::with_capacity(blobs.len());
        for blob in blobs {
            let head = rest.iter().position(|byte| *byte == b'\n').ok_or_else(|| strange("an object"))?;
            let head = rest.split_to(head + 1);
            let size = usize::try_from(blob.size).map_err(Error::internal)?;
            if text(&head)?.trim_end() != format!("{} blob {size}", blob.id) || rest.len() < size + 1 {
                return Err(strange("an object"));
            }
            contents.push(rest.split_to(size));
            drop(rest.split_to(1));
        }
        Ok(contents)
    }
}

/// The output of git, after a good exit status.
async fn finished(output: impl Future<Output = std::io::Result<Output>>) -> Result<Output> {
    let late = |_| Error::new(Code::StoreUnavailable, "git did not end in time; try again");
    let output = timeout(DISCOVERY_PATIENCE, output).await.map_err(late)?.map_err(Error::internal)?;
    if output.status.success() {
        return Ok(output);
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(invalid!("git cannot fetch that: {}", plain(said.trim())))
}

fn missing(error: std::io::Error) -> Error {
    invalid!("the program git cannot be started; it is needed for repositories").with_source(error)
}

fn strange(what: &str) -> Error {
    Error::internal(format!("git gives {what} that is not understood"))
}

fn text(bytes: &[u8]) -> Result<&str> {
    std::str::from_utf8(bytes).map_err(|_| invalid!("the repository has names that are no text"))
}
