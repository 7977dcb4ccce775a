//! What the answers should be, said as plainly as possible: the bucket is a map, a loaded skill a copy of a part of it,
//! and the tree is worked out anew for each answer.

use std::collections::{BTreeMap, BTreeSet};

use skillmount::{Code, path::Glob};

use super::step::SKILLS;

pub(super) type Answer = Result<String, Code>;
type Files = BTreeMap<String, Vec<u8>>;

/// User `demo`, session `s`.
const MOUNTS: [(&str, &str); 2] = [("/workspace", "demo/threads/s/"), ("/ticket", "demo/tickets/s/")];

#[derive(Debug)]
struct Loaded {
    skill: String,
    mount: String,
    files: Files,
}

#[derive(Debug, Default)]
pub(super) struct Model {
    bucket: Files,
    loaded: Vec<Loaded>,
}

/// The key of a file in a writable mount.
pub(super) fn key(path: &str) -> Option<String> {
    MOUNTS.iter().find_map(|(at, prefix)| Some(format!("{prefix}{}", path.strip_prefix(&format!("{at}/"))?)))
}

fn skill_prefix(skill: &str) -> String {
    format!("demo/skills/{skill}/")
}

fn below(files: &Files, prefix: &str) -> Files {
    files.iter().filter_map(|(name, bytes)| Some((name.strip_prefix(prefix)?.to_owned(), bytes.clone()))).collect()
}

/// Whether `path` is `folder` or below it.
fn within(path: &str, folder: &str) -> bool {
    folder == "/" || path == folder || path.starts_with(&format!("{folder}/"))
}

fn checked(path: &str) -> Result<(), Code> {
    if path.contains("..") { Err(Code::InvalidPath) } else { Ok(()) }
}

fn is_binary(bytes: &[u8]) -> bool {
    bytes.contains(&0)
}

fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n').collect()
}

impl Model {
    // ---- other clients of the bucket

    pub(super) fn put(&mut self, key: String, bytes: Vec<u8>) {
        self.bucket.insert(key, bytes);
    }

    pub(super) fn drop_key(&mut self, key: &str) {
        self.bucket.remove(key);
    }

    pub(super) fn objects(&self) -> &Files {
        &self.bucket
    }

    // ---- the tree

    /// Every file the session sees.
    fn files(&self) -> Files {
        let mut files = Files::new();
        for (at, prefix) in MOUNTS {
            files.extend(below(&self.bucket, prefix).into_iter().map(|(name, bytes)| (format!("{at}/{name}"), bytes)));
        }
        for loaded in &self.loaded {
            let at = &loaded.mount;
            files.extend(loaded.files.iter().map(|(name, bytes)| (format!("/skills/{at}/{name}"), bytes.clone())));
        }
        files
    }

    /// Whether `path` is there without any file below it, or is a folder of skills: what is known without asking.
    fn is_fixed_folder(&self, path: &str) -> bool {
        let in_skills = within(path, "/skills") && self.files().keys().any(|file| file != path && within(file, path));
        path == "/" || MOUNTS.iter().any(|(at, _)| *at == path) || in_skills
    }

    /// Whether a loaded file at or below `path` is no longer in the bucket as it was: its old bytes may be gone.
    pub(super) fn is_stale(&self, path: &str) -> bool {
        self.loaded.iter().any(|loaded| {
            let now = below(&self.bucket, &skill_prefix(&loaded.skill));
            loaded.files.iter().any(|(name, bytes)| {
                within(&format!("/skills/{}/{name}", loaded.mount), path) && now.get(name) != Some(bytes)
            })
        })
    }

    // ---- looking

    pub(super) fn ls(&self, path: &str) -> Answer {
        checked(path)?;
        let files = self.files();
        if path == "/" {
            let skills = if self.loaded.is_empty() { "" } else { "/skills/ 0\n" };
            return Ok(format!("/workspace/ 0\n/ticket/ 0\n{skills}"));
        }
        if files.contains_key(path) {
            return Err(Code::NotADirectory);
        }
        let mut children = BTreeSet::new();
        for (name, bytes) in below(&files, &format!("{path}/")) {
            children.insert(match name.split_once('/') {
                Some((folder, _)) => (format!("{path}/{folder}"), "/", 0),
                None => (format!("{path}/{name}"), "", bytes.len()),
            });
        }
        if children.is_empty() && !self.is_fixed_folder(path) {
            return Err(Code::FileNotFound);
        }
        let lines = children.into_iter().map(|(path, slash, size)| format!("{path}{slash} {size}\n"));
        Ok(lines.collect::<Vec<_>>().concat())
    }

    fn file(&self, path: &str) -> Result<Vec<u8>, Code> {
        checked(path)?;
        let absent = if self.is_fixed_folder(path) { Code::IsADirectory } else { Code::FileNotFound };
        self.files().remove(path).ok_or(absent)
    }

    pub(super) fn read(&self, path: &str, offset: u64, limit: u64) -> Answer {
        let bytes = self.file(path)?;
        if is_binary(&bytes) {
            return Err(Code::BinaryFile);
        }
        if bytes.trim_ascii().is_empty() {
            return Ok(format!("{:?} None None", String::from_utf8_lossy(&bytes)));
        }
        let lines = lines(&bytes);
        let (skip, take) = (usize::try_from(offset).unwrap(), usize::try_from(limit).unwrap());
        if skip >= lines.len() {
            return Err(Code::OffsetOutOfRange);
        }
        let window: Vec<&[u8]> = lines.into_iter().skip(skip).take(take).collect();
        let shown = window.concat();
        let ends = (take > 0).then(|| (offset + 1, offset + window.len() as u64));
        Ok(format!("{:?} {:?} {:?}", String::from_utf8_lossy(&shown), ends.map(|at| at.0), ends.map(|at| at.1)))
    }

    pub(super) fn grep(&self, pattern: &str, literal: bool, path: Option<&str>, most: Option<usize>) -> Answer {
        let path = path.unwrap_or("/");
        checked(path)?;
        let pattern = if literal { regex::escape(pattern) } else { pattern.to_owned() };
        let pattern = regex::bytes::Regex::new(&pattern).map_err(|_| Code::InvalidPattern)?;
        let mut hits = Vec::new();
        for (file, bytes) in self.files().into_iter().filter(|(file, bytes)| within(file, path) && !is_binary(bytes)) {
            for (number, line) in lines(&bytes).into_iter().enumerate() {
                let line = line.strip_suffix(b"\n").unwrap_or(line);
                if pattern.is_match(line) {
                    hits.push(format!("{file}:{}:{:?}\n", number + 1, String::from_utf8_lossy(line)));
                }
            }
        }
        let most = most.unwrap_or(usize::MAX);
        let cut = hits.len() > most;
        Ok(format!("{}cut: {cut}", hits.into_iter().take(most).collect::<String>()))
    }

    /// What a pattern matches is the business of its own tests; which files are asked is that of this model.
    pub(super) fn glob(&self, pattern: &str, path: Option<&str>) -> Answer {
        let path = path.unwrap_or("/");
        checked(path)?;
        let glob = Glob::parse(pattern).map_err(|error| error.code())?;
        let relative = |file: &str| {
            let name = if file == path { file.rsplit('/').next()? } else { file.strip_prefix(path)? };
            Some(name.trim_start_matches('/').to_owned())
        };
        let found = self.files().into_iter().filter(|(file, _)| within(file, path));
        let found = found.filter(|(file, _)| relative(file).is_some_and(|name| glob.matches(&name)));
        let lines = found.map(|(file, bytes)| format!("{file} {}\n", bytes.len()));
        Ok(lines.collect::<Vec<_>>().concat())
    }

    // ---- changing

    fn writable(path: &str) -> Result<String, Code> {
        checked(path)?;
        let folder = path == "/" || MOUNTS.iter().any(|(at, _)| *at == path);
        key(path).ok_or(if folder { Code::IsADirectory } else { Code::ReadOnly })
    }

    pub(super) fn write(&mut self, path: &str, bytes: &[u8], overwrite: bool) -> Answer {
        let key = Self::writable(path)?;
        if !overwrite && self.bucket.contains_key(&key) {
            return Err(Code::AlreadyExists);
        }
        self.bucket.insert(key, bytes.to_vec());
        Ok(format!("{path} {} {}", bytes.len(), !overwrite))
    }

    pub(super) fn edit(&mut self, path: &str, old: &str, new: &str, all: bool) -> Answer {
        checked(path)?;
        if old.is_empty() {
            return Err(Code::OldStringEmpty);
        }
        let key = Self::writable(path)?;
        let bytes = self.bucket.get(&key).ok_or(Code::FileNotFound)?;
        if is_binary(bytes) {
            return Err(Code::BinaryFile);
        }
        // Latin-1 keeps every byte a character of its own, so that plain text replacement is enough.
        let wide = |bytes: &[u8]| bytes.iter().copied().map(char::from).collect::<String>();
        let (text, old, new) = (wide(bytes), wide(old.as_bytes()), wide(new.as_bytes()));
        let count = text.matches(&old).count();
        match count {
            0 => return Err(Code::OldStringNotFound),
            2.. if !all => return Err(Code::OldStringNotUnique),
            _ => {}
        }
        let edited = text.replace(&old, &new).chars().map(|c| u8::try_from(c).unwrap()).collect();
        self.bucket.insert(key, edited);
        Ok(format!("{path} {count}"))
    }

    pub(super) fn delete(&mut self, path: &str) -> Answer {
        let key =
            Self::writable(path).map_err(|code| if code == Code::IsADirectory { Code::ReadOnly } else { code })?;
        let before = self.bucket.len();
        self.bucket.retain(|other, _| !within(other, &key));
        match before - self.bucket.len() {
            0 => Err(Code::FileNotFound),
            deleted => Ok(format!("{path} {deleted}")),
        }
    }

    pub(super) fn download(&self, path: &str) -> Answer {
        self.file(path).map(|bytes| format!("{bytes:?}"))
    }

    // ---- skills

    /// The skill that answers to `name`: by its path, by its mount, by its folder.
    fn find(&self, name: &str) -> Option<String> {
        let mounted = self.loaded.iter().filter(|loaded| loaded.mount == name).map(|loaded| loaded.skill.clone());
        let by_folder = SKILLS.into_iter().filter(|skill| skill.ends_with(&format!("/{name}"))).map(str::to_owned);
        let mut candidates = [name.to_owned()].into_iter().chain(mounted).chain(by_folder);
        candidates.find(|skill| self.bucket.contains_key(&format!("{}SKILL.md", skill_prefix(skill))))
    }

    pub(super) fn load(&mut self, name: &str, mount_as: Option<&str>) -> Answer {
        let skill = self.find(name).ok_or(Code::SkillNotFound)?;
        let files = below(&self.bucket, &skill_prefix(&skill));
        let before = self.loaded.iter().position(|loaded| loaded.skill == skill);
        let known = before.map(|at| self.loaded[at].mount.clone());
        let mount = mount_as.map(str::to_owned).or(known);
        let mount = mount.unwrap_or_else(|| skill.rsplit('/').next().unwrap().to_owned());
        if self.loaded.iter().any(|other| other.mount == mount && other.skill != skill) {
            return Err(Code::MountConflict);
        }
        let status = match before.map(|at| self.loaded.remove(at)) {
            None => "Loaded",
            Some(before) if before.files == files => "AlreadyLoaded",
            Some(_) => "Reloaded",
        };
        let names: Vec<_> = files.keys().map(|name| format!("/skills/{mount}/{name}")).collect();
        let text = String::from_utf8(files["SKILL.md"].clone()).unwrap();
        let body = text.rsplit("---\n").next().unwrap().to_owned();
        let answer = format!("{status} {skill} /skills/{mount} {names:?} {body:?}");
        self.loaded.push(Loaded { skill, mount, files });
        Ok(answer)
    }

    pub(super) fn unload(&mut self, name: &str) -> String {
        let folder = |loaded: &Loaded| loaded.skill.rsplit('/').next().unwrap().to_owned();
        let position = |answers: &dyn Fn(&Loaded) -> bool| self.loaded.iter().position(answers);
        let found = position(&|loaded| loaded.skill == name)
            .or_else(|| position(&|loaded| loaded.mount == name))
            .or_else(|| position(&|loaded| folder(loaded) == name));
        match found {
            Some(at) => format!("Unloaded {}", self.loaded.remove(at).skill),
            None => format!("NotLoaded {name}"),
        }
    }
}
