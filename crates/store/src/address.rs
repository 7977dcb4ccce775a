//! The address of a store as one line of text, and how to open it.

use std::{fmt, path::PathBuf, sync::Arc};

use super::{DirectoryStore, MemoryStore, S3Options, SharedStore, SkillsAt};
use skillmount_base::{
    clock::Clock,
    error::{Code, Error, Result},
    path::{DEFAULT_USER, Id, Namespace},
};

/// The place of the objects, written in one of the [`FORMS`](Self::FORMS).
///
/// An address has no secret in it, so it can be logged. [`S3Options`] has what else is needed to reach a bucket.
///
/// ```
/// use skillmount_store::StoreAddress;
///
/// let address = StoreAddress::parse("s3://agents/team/a/")?;
/// assert_eq!(address.to_string(), "s3://agents/team/a");
/// assert_eq!(StoreAddress::parse("file:///srv/agents")?, StoreAddress::Directory("/srv/agents".into()));
///
/// let refused = StoreAddress::parse("/srv/agents").unwrap_err();
/// assert!(refused.message().ends_with(StoreAddress::FORMS));
/// # Ok::<(), skillmount_base::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreAddress {
    /// A bucket, on S3 or a server that speaks its protocol.
    S3 {
        /// Its name.
        bucket: String,
        /// The folder in it that contains everything: the prefix of the address.
        namespace: Namespace,
    },
    /// A folder of plain files on this machine.
    Directory(PathBuf),
    /// A folder of skills, served as it is.
    Skills(SkillsAt),
    /// The memory of this process. Its content ends with the process.
    Memory,
}

impl StoreAddress {
    /// The forms of an address, for help and error messages.
    pub const FORMS: &str = "s3://bucket/prefix, file:DIR, skills:DIR or memory:";

    /// Reads an address in one of the [`FORMS`](Self::FORMS). The folder of `file:` may be relative, and may be written
    /// as in a URL (`file:///srv/agents`). That of `skills:` is for the default user, [to be read](SkillsAt::new).
    ///
    /// # Errors
    /// `invalid_request` for anything else, with the forms; `invalid_path` for a prefix that has a segment no key may
    /// have, such as `..`.
    pub fn parse(text: &str) -> Result<Self> {
        if let Some(rest) = text.strip_prefix("s3://") {
            let (bucket, prefix) = split_bucket(rest);
            if !bucket.is_empty() {
                return Ok(Self::S3 { bucket: bucket.to_owned(), namespace: Namespace::parse(prefix)? });
            }
        }
        if let Some(folder) = text.strip_prefix("skills:").filter(|folder| !folder.is_empty()) {
            return Ok(Self::Skills(SkillsAt::new(PathBuf::from(folder), Id::parse(DEFAULT_USER)?)));
        }
        match text.strip_prefix("file:") {
            // URLs have `file:///srv/x`, people write `file:x`.
            Some(folder) if !folder.is_empty() => {
                Ok(Self::Directory(PathBuf::from(folder.strip_prefix("//").unwrap_or(folder))))
            }
            _ if text == "memory:" => Ok(Self::Memory),
            _ => Err(Error::new(Code::InvalidRequest, format!("{text:?} is not a store; give {}", Self::FORMS))),
        }
    }

    /// Opens the store at this address. Also returns the folder in it that contains everything, for
    /// `ServiceOptions::namespace`. `s3` is used for a bucket only. Makes no request to a bucket, so the first verb
    /// finds out whether it exists.
    ///
    /// # Errors
    /// `invalid_request` if no region is known, an option does not hold or this build lacks the feature `s3`.
    /// `invalid_path` or `store_unavailable` if the folder cannot be used as a store, with the reason. For a folder of
    /// skills also `invalid_request` if there are none to serve.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use skillmount_base::{clock::SystemClock, path::Namespace};
    /// use skillmount_store::{S3Options, StoreAddress};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> skillmount_base::Result<()> {
    /// let address = StoreAddress::parse("memory:")?;
    /// let (store, namespace) = address.open(S3Options::default(), Arc::new(SystemClock::new())).await?;
    /// assert_eq!(namespace, Namespace::default());
    /// # drop(store);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn open(&self, s3: S3Options, clock: Arc<dyn Clock>) -> Result<(SharedStore, Namespace)> {
        Ok(match self {
            Self::S3 { bucket, namespace } => (connect(bucket, s3, clock).await?, namespace.clone()),
            Self::Directory(folder) => (Arc::new(DirectoryStore::open(folder, clock)?), Namespace::default()),
            Self::Skills(skills) => (skills.open(clock)?, Namespace::default()),
            Self::Memory => (Arc::new(MemoryStore::new()), Namespace::default()),
        })
    }
}

/// The bucket and the prefix. The ARN of an access point has a `/` of its own.
fn split_bucket(text: &str) -> (&str, &str) {
    let own = usize::from(text.starts_with("arn:") && text.contains(":accesspoint/"));
    let Some((at, _)) = text.match_indices('/').nth(own) else { return (text, "") };
    let (bucket, rest) = text.split_at(at);
    (bucket, rest.trim_start_matches('/'))
}

#[cfg(feature = "s3")]
async fn connect(bucket: &str, options: S3Options, clock: Arc<dyn Clock>) -> Result<SharedStore> {
    Ok(Arc::new(super::S3Store::connect(bucket, options, clock).await?))
}

#[cfg(not(feature = "s3"))]
#[expect(clippy::unused_async, reason = "with S3 there is something to wait for")]
async fn connect(_bucket: &str, _options: S3Options, _clock: Arc<dyn Clock>) -> Result<SharedStore> {
    Err(Error::new(Code::InvalidRequest, "this build has no S3; build it with the feature s3, or use file:DIR"))
}

impl fmt::Display for StoreAddress {
    /// The address as [`parse`](StoreAddress::parse) reads it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::S3 { bucket, namespace } => {
                let prefix = namespace.prefix().as_str().trim_end_matches('/');
                write!(f, "s3://{bucket}{}{prefix}", if prefix.is_empty() { "" } else { "/" })
            }
            Self::Directory(folder) => write!(f, "file:{}", folder.display()),
            Self::Skills(skills) => write!(f, "skills:{}", skills.folder.display()),
            Self::Memory => f.write_str("memory:"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use skillmount_base::clock::SystemClock;

    #[test]
    fn store_addresses_are_read_and_everything_else_is_refused() {
        let s3 = |bucket: &str, prefix: &str| StoreAddress::S3 {
            bucket: bucket.into(),
            namespace: Namespace::parse(prefix).unwrap(),
        };
        for (text, address, written) in [
            ("s3://b", s3("b", ""), "s3://b"),
            ("s3://b/p/q/", s3("b", "p/q"), "s3://b/p/q"),
            (
                "s3://arn:aws:s3::1:accesspoint/a.mrap/p",
                s3("arn:aws:s3::1:accesspoint/a.mrap", "p"),
                "s3://arn:aws:s3::1:accesspoint/a.mrap/p",
            ),
            ("file:data", StoreAddress::Directory("data".into()), "file:data"),
            ("file:///srv/data", StoreAddress::Directory("/srv/data".into()), "file:/srv/data"),
            ("skills:a", StoreAddress::Skills(SkillsAt::new("a".into(), Id::parse("me").unwrap())), "skills:a"),
            ("memory:", StoreAddress::Memory, "memory:"),
        ] {
            assert_eq!(StoreAddress::parse(text).unwrap(), address, "{text}");
            assert_eq!(address.to_string(), written);
            assert_eq!(StoreAddress::parse(written).unwrap(), address, "what is written is read again");
        }
        for bad in ["", "s3://", "s3:b", "file:", "skills:", "memory:x", "/srv/data", "gs://b"] {
            assert_eq!(StoreAddress::parse(bad).unwrap_err().code(), Code::InvalidRequest, "{bad}");
        }
        assert_eq!(StoreAddress::parse("s3://b/p/../q").unwrap_err().code(), Code::InvalidPath);
    }

    #[tokio::test]
    async fn an_address_opens_the_store_it_names() {
        let folder = tempfile::TempDir::new().unwrap();
        let (of_folder, of_file) = (folder.path().join("new"), folder.path().join("file"));
        std::fs::write(&of_file, "x").unwrap();
        let open = async |address: StoreAddress| {
            let s3 = S3Options { endpoint_url: Some("http://127.0.0.1:1".to_owned()), ..S3Options::default() };
            address.open(s3, Arc::new(SystemClock::new())).await
        };
        let (store, namespace) = open(StoreAddress::Directory(of_folder.clone())).await.unwrap();
        assert!(of_folder.is_dir() && store.capabilities().file_and_folder == crate::FileAndFolder::Refused);
        assert_eq!(namespace, Namespace::default());
        assert!(open(StoreAddress::Directory(of_file)).await.is_err());
        let bucket = open(StoreAddress::parse("s3://b/p").unwrap()).await;
        if cfg!(feature = "s3") {
            assert_eq!(bucket.unwrap().1, Namespace::parse("p").unwrap());
        } else {
            assert!(bucket.unwrap_err().message().contains("the feature s3"));
        }
    }
}
