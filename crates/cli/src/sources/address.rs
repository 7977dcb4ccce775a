//! The address of a source of skills, as a person types it.

use std::path::PathBuf;

use crate::{
    error::{Error, Result},
    limits::SOURCE_BYTES,
    process::Process,
};

/// Where skills come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SourceAddress {
    /// A host with an index of skills.
    Host(String),
    /// A git repository.
    Git(Repository),
    /// A folder on this machine.
    Folder(PathBuf),
}

/// A git repository at one of its revisions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Repository {
    /// Its address, for git.
    pub(super) url: String,
    /// The branch or tag; `None` takes the default branch of the repository.
    pub(super) reference: Option<String>,
    /// Whether it lies on this machine.
    pub(super) is_local: bool,
}

impl SourceAddress {
    /// Reads a source: `https://host` for an index of skills, `https://….git`, `git+https://…`, `ssh://…` or `user@host:path` for a
    /// repository, with `#branch` behind it, and anything else for a folder. Repositories on this machine, `file://…`, need
    /// `allows_local`.
    ///
    /// # Errors
    /// `invalid_request` for any other text, such as an option, and for an address with a password in it.
    pub(crate) fn parse(text: &str, allows_local: bool) -> Result<Self> {
        if text.starts_with('-') || text.chars().any(char::is_control) {
            return Err(refused("a source is an address or a folder, and does not begin with -"));
        }
        // Each version names its source with this text and the revision.
        if text.len() > SOURCE_BYTES / 2 {
            return Err(refused("a source has half a kilobyte at most"));
        }
        let (address, reference) = match text.split_once('#') {
            Some((address, reference)) => (address, Some(reference)),
            None => (text, None),
        };
        let is_forced = address.starts_with("git+");
        let address = address.strip_prefix("git+").unwrap_or(address);
        let Some((scheme, rest)) = address.split_once("://") else {
            return Self::without_scheme(text, (address, reference), is_forced);
        };
        let is_git = is_forced || address.trim_end_matches('/').strip_suffix(".git").is_some() || reference.is_some();
        match scheme {
            "http" if is_git => Err(refused("repositories are fetched by https and ssh alone")),
            "http" | "https" if !is_git => Ok(Self::Host(address.to_owned())),
            "https" | "ssh" => {
                check_authority(scheme, rest)?;
                Self::git(address, reference, false)
            }
            "file" if allows_local => Self::git(address, reference, true),
            "file" => Err(refused(
                "a repository on this machine is read with --allow-local alone, because its owner may be another",
            )),
            _ => Err(refused(
                "skills come from https://host, https://host/repository.git, ssh://…, file://… or a folder",
            )),
        }
    }

    /// The same, by the whole path of a folder: the lock file is read from anywhere.
    ///
    /// # Errors
    /// `invalid_request` if there is no such folder.
    pub(crate) fn made_absolute(self, process: &Process) -> Result<Self> {
        match self {
            Self::Folder(folder) => process.local(&*folder).canonicalize().map(Self::Folder).map_err(|error| {
                invalid!("there is no folder {}; a repository is named by its address", folder.display())
                    .with_source(error)
            }),
            source => Ok(source),
        }
    }

    fn without_scheme(text: &str, (address, reference): (&str, Option<&str>), is_forced: bool) -> Result<Self> {
        // `ext::command` and the like run what they name.
        if address.contains("::") {
            return Err(refused("no program is run to fetch skills but git itself, by https and ssh"));
        }
        // `user@host:path`, which no folder is called by accident.
        let of_ssh = address.split_once(':').and_then(|(host, _)| host.split_once('@'));
        match of_ssh.filter(|(user, _)| !user.contains('/')) {
            Some((_, host)) if host.starts_with('-') => Err(refused("that names no host")),
            Some(_) => Self::git(address, reference, false),
            None if is_forced => Err(refused("git+ stands before https://, ssh:// or file://")),
            None => Ok(Self::Folder(PathBuf::from(text))),
        }
    }

    fn git(url: &str, reference: Option<&str>, is_local: bool) -> Result<Self> {
        let is_plain = |name: &str| {
            !name.is_empty()
                && !name.starts_with(['-', '+'])
                && name.chars().all(|letter| letter.is_alphanumeric() || "-._/".contains(letter))
        };
        if !reference.is_none_or(is_plain) {
            return Err(refused("what follows # is a branch or a tag"));
        }
        Ok(Self::Git(Repository { url: url.to_owned(), reference: reference.map(str::to_owned), is_local }))
    }

    /// The source as it is kept and shown: as [`parse`](Self::parse) reads it.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Host(address) => address.trim_end_matches('/').to_owned(),
            Self::Git(Repository { url, reference, .. }) => {
                let reference = reference.as_ref().map(|name| format!("#{name}")).unwrap_or_default();
                let forced = if url.contains("://") { "git+" } else { "" };
                format!("{forced}{url}{reference}")
            }
            Self::Folder(folder) => folder.display().to_string(),
        }
    }

    /// The source for people and in versions. The end of a link is as good as a key, so it is left out.
    pub(crate) fn shown(&self) -> String {
        let text = self.text();
        match (self, text.split_once("/links/")) {
            (Self::Host(_), Some((host, _))) => format!("{host}/links/…"),
            _ => text,
        }
    }
}

/// Refuses a password, and over https a user too: tokens are given as either.
fn check_authority(scheme: &str, rest: &str) -> Result<()> {
    let authority = rest.split('/').next().unwrap_or_default();
    let (user, host) = authority.rsplit_once('@').map_or((None, authority), |(user, host)| (Some(user), host));
    if user.is_some_and(|user| scheme == "https" || user.contains(':')) {
        return Err(refused(
            "an address with a user or a password in it would be kept and shown; let git ask its credential helper",
        ));
    }
    if host.is_empty() || host.starts_with('-') || user.is_some_and(|user| user.starts_with('-')) {
        return Err(refused("that names no host"));
    }
    Ok(())
}

/// The source itself is left out of every refusal, because there may be a password in it.
fn refused(why: &str) -> Error {
    invalid!("{why}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Code;

    #[test]
    fn a_source_is_a_host_a_repository_or_a_folder() {
        let git = |url: &str, reference: Option<&str>, is_local| {
            SourceAddress::Git(Repository { url: url.to_owned(), reference: reference.map(str::to_owned), is_local })
        };
        for (text, source) in [
            ("https://skills.example.com", SourceAddress::Host("https://skills.example.com".to_owned())),
            ("http://127.0.0.1:8787/links/x", SourceAddress::Host("http://127.0.0.1:8787/links/x".to_owned())),
            ("https://example.com/a/b.git", git("https://example.com/a/b.git", None, false)),
            ("git+https://example.com/a/b#v1.2", git("https://example.com/a/b", Some("v1.2"), false)),
            ("ssh://git@example.com/a/b", git("ssh://git@example.com/a/b", None, false)),
            ("git@example.com:a/b.git#main", git("git@example.com:a/b.git", Some("main"), false)),
            ("file:///srv/a", git("file:///srv/a", None, true)),
            ("my-skills", SourceAddress::Folder("my-skills".into())),
            ("./a@b:c", SourceAddress::Folder("./a@b:c".into())),
        ] {
            let read = SourceAddress::parse(text, true).unwrap();
            assert_eq!(read, source, "{text}");
            assert_eq!(SourceAddress::parse(&read.text(), true).unwrap(), read, "what is kept is read again");
        }
        assert_eq!(SourceAddress::parse("http://h/links/1.secret.anna", false).unwrap().shown(), "http://h/links/…");
    }

    #[test]
    fn what_would_run_a_program_or_keep_a_password_is_refused_without_being_repeated() {
        for text in [
            "--upload-pack=touch x",
            "-u",
            "ext::sh -c touch% x",
            "git+ext::sh",
            "fd::7",
            "https://ana:hunter2@example.com/a.git",
            "https://hunter2@example.com/a.git",
            "ssh://git:hunter2@example.com/a",
            "ssh://-oProxyCommand=hunter2/a",
            "ssh://-ohunter2@example.com/a",
            "git@-oProxyCommand=hunter2:a",
            "http://example.com/a.git",
            "git://example.com/a.git",
            "file:///srv/a",
            "https://example.com/a.git#--upload-pack=x",
            "https://example.com/a.git#+a:b",
            "ftp://example.com/a",
            "git+a",
            "a\nb",
        ] {
            let error = SourceAddress::parse(text, false).unwrap_err();
            assert_eq!(error.code(), Code::InvalidRequest, "{text}");
            assert!(!error.message().contains("hunter2"), "{error}");
        }
    }
}
