//! The causes of store failures, in words for operators. Each cause has one cure.
//!
//! Clients receive an [`Error`](skillmount_base::error::Error), with advice for clients. A cause goes to `doctor`, to
//! the terminal and to the log. It is a value and not a text, because retries, the read-only mode and the breaker
//! decide by it.

use std::fmt;

/// The cause of a failed request to a store.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// The bucket does not exist.
    NoBucket {
        /// Its name.
        bucket: String,
    },
    /// The bucket is in another region than the one in the request.
    WrongRegion {
        /// The region in the answer.
        region: Option<String>,
    },
    /// The temporary credentials have expired.
    ExpiredToken,
    /// No credentials were found.
    NoCredentials,
    /// There are credentials, but they could not be loaded.
    CredentialsNotLoaded,
    /// A setting of the credentials has white space inside.
    MalformedCredentials {
        /// The setting, as `AWS_SECRET_ACCESS_KEY`.
        setting: &'static str,
    },
    /// The server does not know the access key id or the session token.
    WrongKeyId,
    /// The secret does not belong to the access key id.
    WrongSecret,
    /// A policy forbids it.
    AccessDenied {
        /// The forbidden action, as policies write it: `s3:GetObject`.
        action: String,
    },
    /// The object lies in a storage class that must be restored before it can be read.
    Archived,
    /// This machine's clock is too far from the server's.
    ClockSkew {
        /// How many minutes it is ahead; negative if it is behind.
        minutes_ahead: Option<i64>,
    },
    /// The server asks for fewer requests.
    Throttled,
    /// The server failed.
    ServerFault {
        /// The status of the answer.
        status: u16,
    },
    /// The server does not speak the protocol of S3.
    NotS3 {
        /// The status of the answer.
        status: u16,
    },
    /// A refusal that S3 does not give to such a request: from a proxy, or from a server that differs from S3.
    Rejected {
        /// The status of the answer.
        status: u16,
        /// The error code in the answer, if any.
        code: String,
    },
    /// There was no connection, or it broke.
    Unreachable,
    /// No answer came in time.
    Timeout,
    /// The disk, or this user's quota on it, is full.
    DiskFull,
    /// The disk can only be read.
    ReadOnlyDisk,
    /// The system denies this process access to a file or folder.
    NotPermitted {
        /// The file or folder, if it is known.
        path: Option<String>,
    },
    /// The file is larger than the disk, or the limit of this process, allows.
    FileTooLarge,
    /// Another process has held a lock of the folder for too long.
    LockHeld {
        /// The lock file.
        path: String,
    },
    /// The folder of the store, or a part of it, is gone.
    FolderGone,
    /// The folder of skills is served as it is, and the operator has not asked for changes.
    ServedAsItIs {
        /// The folder.
        folder: String,
    },
    /// The file is reached through a symbolic link, and nothing is written through one.
    ThroughLink {
        /// The file or folder.
        path: String,
    },
    /// The service itself refuses it: the user whose object it is is being deleted.
    UserLeaves,
    /// The answer contradicts the request or itself.
    Misbehaving,
    /// The request was not sent: the store failed for several users a moment ago, and rests.
    Resting,
    /// Another cause, which the source describes.
    Other,
}

impl Cause {
    /// The one cure, as an instruction to the operator; `None` if only the source can help.
    #[must_use]
    pub fn cure(&self) -> Option<String> {
        let text = match self {
            Self::NoBucket { bucket } => {
                return Some(format!("aws s3api create-bucket --bucket {bucket}, or correct the name in --store"));
            }
            Self::WrongRegion { region: Some(region) } => {
                return Some(format!("give --region {region}, or set AWS_REGION={region}"));
            }
            Self::NotPermitted { path: Some(path) } => return Some(format!("chmod u+rwX {path:?}, as its owner")),
            Self::AccessDenied { action } => {
                return Some(format!("allow {action} on the bucket and the prefix in the policy of these credentials"));
            }
            Self::MalformedCredentials { setting } => {
                return Some(format!("set {setting} again, or correct it in the profile: no spaces, no line feeds"));
            }
            Self::LockHeld { path } => {
                return Some(format!(
                    "fuser {path:?} names the process; wait for it, end it, or speak to it with --server"
                ));
            }
            Self::WrongRegion { region: None } => "aws s3api get-bucket-location says the region; give it as --region",
            Self::ExpiredToken => {
                "aws sso login, or set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN again"
            }
            Self::NoCredentials => {
                "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, give --profile, or run aws configure"
            }
            Self::CredentialsNotLoaded => {
                "aws sts get-caller-identity says why; aws sso login where the profile uses SSO"
            }
            Self::WrongKeyId => "correct AWS_ACCESS_KEY_ID and AWS_SESSION_TOKEN, or give another --profile",
            Self::WrongSecret => "correct AWS_SECRET_ACCESS_KEY, or give another --profile",
            Self::Archived => "aws s3api restore-object on that key, or copy it to the class STANDARD",
            Self::ClockSkew { .. } => "set this machine's clock: timedatectl set-ntp true",
            Self::Throttled => "wait; if it stays, spread the load or ask the provider for a higher rate",
            Self::ServerFault { .. } => "wait; if it stays, ask the operator of the server",
            Self::NotS3 { .. } => {
                "correct --endpoint-url: it must be the address of an S3 interface, not of a web page or console"
            }
            Self::Rejected { .. } => {
                "look for a proxy between here and the bucket (HTTPS_PROXY, a gateway) and let S3 requests through"
            }
            Self::Unreachable => "check that the server of --endpoint-url runs and that no firewall is in between",
            Self::Timeout => "check the network to the server, and its load",
            Self::DiskFull => "free space on that disk (df shows it), or give another folder as --store",
            Self::ReadOnlyDisk => "mount -o remount,rw the disk, or give another folder as --store",
            Self::NotPermitted { path: None } => "chmod -R u+rwX the folder of the store, as its owner",
            Self::FileTooLarge => "ulimit -f unlimited before starting the service, or a disk that takes larger files",
            Self::ServedAsItIs { .. } => "--writable, and changes of skills are written into that folder",
            Self::ThroughLink { path } => {
                return Some(format!("change what {path:?} points to, or put a copy in its place"));
            }
            Self::FolderGone => "mount or restore the folder of the store, or correct --store",
            Self::Misbehaving => "update the server, or use one that follows S3",
            Self::UserLeaves | Self::Resting | Self::Other => return None,
        };
        Some(text.to_owned())
    }

    /// Whether a retry in a moment may succeed, so that it is worth the wait.
    pub(super) fn may_pass(&self) -> bool {
        match self {
            Self::Rejected { .. }
            | Self::LockHeld { .. }
            | Self::Resting
            | Self::UserLeaves
            | Self::ServedAsItIs { .. }
            | Self::ThroughLink { .. } => false,
            // A good answer that was garbled on the way also looks foreign.
            Self::NotS3 { status } => (200..300).contains(status),
            _ => true,
        }
    }

    /// Whether the store as a whole did not answer.
    pub(super) fn is_outage(&self) -> bool {
        matches!(self, Self::Unreachable | Self::Timeout)
    }

    /// Whether it prevents changes but not reads, so that the service can go on serving reads.
    #[must_use]
    pub fn leaves_reading(&self) -> bool {
        matches!(self, Self::AccessDenied { .. } | Self::ReadOnlyDisk | Self::NotPermitted { .. })
    }
}

impl fmt::Display for Cause {
    /// One sentence without its full stop.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoBucket { bucket } => write!(f, "the bucket {bucket:?} does not exist"),
            Self::WrongRegion { region: Some(region) } => {
                write!(f, "the bucket is in the region {region}, and the request was for another")
            }
            Self::WrongRegion { region: None } => f.write_str("the bucket is in another region"),
            Self::ExpiredToken => f.write_str("the credentials have expired"),
            Self::NoCredentials => f.write_str(
                "no credentials were found: neither in the environment, nor in the profile, nor from the container's or instance's role",
            ),
            Self::CredentialsNotLoaded => f.write_str("the credentials could not be loaded"),
            Self::MalformedCredentials { setting } => {
                write!(f, "{setting} has a space, a line feed or another such character in it")
            }
            Self::WrongKeyId => f.write_str("the store does not know this access key id or session token"),
            Self::WrongSecret => f.write_str("the secret access key is not that of the access key id"),
            Self::AccessDenied { action } => write!(f, "the store denies {action} to these credentials"),
            Self::Archived => f.write_str("the object is archived and must be restored before it can be read"),
            Self::ClockSkew { minutes_ahead: Some(minutes) } => write!(
                f,
                "this machine's clock is {} minutes {} the store's",
                minutes.unsigned_abs(),
                if *minutes < 0 { "behind" } else { "ahead of" }
            ),
            Self::ClockSkew { minutes_ahead: None } => f.write_str("this machine's clock is too far from the store's"),
            Self::Throttled => f.write_str("the store asks for fewer requests"),
            Self::ServerFault { status } => write!(f, "the store failed with status {status}"),
            Self::NotS3 { status } => write!(f, "what answers at the endpoint is not S3 (status {status})"),
            Self::Rejected { status, code } if code.is_empty() => {
                write!(f, "something before the store refused the request with status {status}")
            }
            Self::Rejected { status, code } => {
                write!(f, "the store, or something before it, refused the request with {code} (status {status})")
            }
            Self::Unreachable => f.write_str("there was no connection to the store, or it broke"),
            Self::Timeout => f.write_str("the store did not answer in time"),
            Self::DiskFull => f.write_str("the disk of the store is full, or the quota on it"),
            Self::ReadOnlyDisk => f.write_str("the disk of the store can only be read"),
            Self::NotPermitted { path: Some(path) } => write!(f, "the system does not let this process at {path:?}"),
            Self::NotPermitted { path: None } => {
                f.write_str("the system does not let this process at a file of the store")
            }
            Self::FileTooLarge => f.write_str("the file is larger than the disk or the limit of this process allows"),
            Self::LockHeld { path } => write!(f, "another process has held the lock {path:?} for too long"),
            Self::FolderGone => f.write_str("the folder of the store, or a part of it, is gone"),
            Self::ServedAsItIs { folder } => write!(f, "the folder {folder:?} is served as it is and not written to"),
            Self::ThroughLink { path } => {
                write!(f, "{path:?} is reached through a symbolic link, and nothing is written through one")
            }
            Self::UserLeaves => f.write_str("the service writes nothing for a user who is being deleted"),
            Self::Misbehaving => f.write_str("the store gave an answer that contradicts the request"),
            Self::Resting => f.write_str("the store did not answer several users a moment ago and is left alone until it does"),
            Self::Other => f.write_str("the store failed"),
        }
    }
}
