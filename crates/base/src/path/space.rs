//! The layout of a bucket: [`Namespace`] is the configured prefix, and [`UserSpace`] is one user's part of it.

use super::{Id, KeyPrefix, ObjectKey, SkillPath};
use crate::error::Result;

/// The configured prefix of a bucket. All keys of the service lie below it.
///
/// ```
/// use skillmount_base::path::{Id, Namespace, SkillPath};
///
/// let anna = Namespace::parse("team/agents")?.user(&Id::parse("anna")?)?;
/// let skill = anna.skill(&SkillPath::parse("writing/minutes")?)?;
/// assert_eq!(skill.as_str(), "team/agents/anna/skills/writing/minutes/");
/// # Ok::<(), skillmount_base::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Namespace(KeyPrefix);

impl Default for Namespace {
    /// The whole bucket.
    fn default() -> Self {
        Self(KeyPrefix::all())
    }
}

impl Namespace {
    /// The whole bucket, or the folder `prefix` in it (`team/agents`; slashes at the ends are ignored).
    ///
    /// # Errors
    /// `invalid_path` if a segment is not allowed.
    pub fn parse(prefix: &str) -> Result<Self> {
        KeyPrefix::all().folder(prefix.trim_matches('/')).map(Self)
    }

    /// One user's part.
    ///
    /// # Errors
    /// `invalid_path` if prefix and id together are too long for a key.
    pub fn user(&self, user: &Id) -> Result<UserSpace> {
        self.0.folder(user.as_str()).map(|root| UserSpace { root })
    }

    /// The organisation's part, whose skills all users see. No id begins with `_`, so it is no user's part.
    ///
    /// # Errors
    /// `invalid_path` if the configured prefix is too long.
    pub fn org(&self) -> Result<UserSpace> {
        self.0.folder("_org").map(|root| UserSpace { root })
    }

    /// One team's part, whose skills its members see.
    ///
    /// # Errors
    /// As [`user`](Self::user).
    pub fn team(&self, team: &Id) -> Result<UserSpace> {
        self.0.folder(&format!("_teams/{team}")).map(|root| UserSpace { root })
    }

    /// The service's own part for objects of no user, such as the trial objects of `doctor`.
    ///
    /// # Errors
    /// `invalid_path` if the configured prefix is too long.
    pub fn service_key(&self, name: &str) -> Result<ObjectKey> {
        self.0.key(&format!(".skillmount/{name}"))
    }

    /// `_probe/{name}`: an object of the probe of conditional writes. No id begins with `_`, so it is in no user's part.
    ///
    /// # Errors
    /// `invalid_path` if the configured prefix is too long.
    pub fn probe_key(&self, name: &str) -> Result<ObjectKey> {
        self.0.key(&format!("_probe/{name}"))
    }

    /// The configured prefix itself.
    #[must_use]
    pub fn prefix(&self) -> &KeyPrefix {
        &self.0
    }
}

/// One user's part of the bucket. The parts of a team and of the organisation have the same layout. `u1` and `u10`
/// never meet, because a prefix ends with `/`.
///
/// ```
/// use skillmount_base::path::{Id, Namespace};
///
/// let anna = Namespace::default().user(&Id::parse("anna")?)?;
/// assert_eq!(anna.session(&Id::parse("chat-7")?)?.as_str(), "anna/.skillmount/sessions/chat-7.json");
/// # Ok::<(), skillmount_base::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserSpace {
    root: KeyPrefix,
}

impl UserSpace {
    /// `{user}/`.
    #[must_use]
    pub fn root(&self) -> &KeyPrefix {
        &self.root
    }

    /// `{user}/skills/`: the tree of skills.
    ///
    /// # Errors
    /// `invalid_path` if the key would be too long, here and below.
    pub fn skills(&self) -> Result<KeyPrefix> {
        self.root.folder("skills")
    }

    /// `{user}/skills/{skill path}/`: one skill.
    ///
    /// # Errors
    /// See [`skills`](Self::skills).
    pub fn skill(&self, skill: &SkillPath) -> Result<KeyPrefix> {
        self.root.folder(&format!("skills/{skill}"))
    }

    /// `{user}/.skillmount/sessions/`.
    ///
    /// # Errors
    /// See [`skills`](Self::skills).
    pub fn sessions(&self) -> Result<KeyPrefix> {
        self.root.folder(".skillmount/sessions")
    }

    /// `{user}/.skillmount/sessions/{session}.json`.
    ///
    /// # Errors
    /// See [`skills`](Self::skills).
    pub fn session(&self, session: &Id) -> Result<ObjectKey> {
        self.root.key(&format!(".skillmount/sessions/{session}.json"))
    }

    /// `{user}/.skillmount/snapshots/{digest}.json`: a snapshot too large for its session object.
    ///
    /// # Errors
    /// See [`skills`](Self::skills).
    pub fn snapshot(&self, digest: &str) -> Result<ObjectKey> {
        self.root.key(&format!(".skillmount/snapshots/{digest}.json"))
    }

    /// `{user}/.skillmount/bundles/{digest}.zip`: the files of a snapshot in one archive, with the digest's hex digits alone.
    ///
    /// # Errors
    /// See [`skills`](Self::skills).
    pub fn bundle(&self, digest: &str) -> Result<ObjectKey> {
        let name = digest.strip_prefix("sha256:").unwrap_or(digest);
        self.root.key(&format!(".skillmount/bundles/{name}.zip"))
    }

    /// `{user}/.skillmount/heads/`.
    ///
    /// # Errors
    /// See [`skills`](Self::skills).
    pub fn heads(&self) -> Result<KeyPrefix> {
        self.root.folder(".skillmount/heads")
    }

    /// `{user}/.skillmount/heads/{skill path}.json`: which version of a skill is published.
    ///
    /// # Errors
    /// See [`skills`](Self::skills).
    pub fn head(&self, skill: &SkillPath) -> Result<ObjectKey> {
        self.root.key(&format!(".skillmount/heads/{skill}.json"))
    }

    /// `{user}/.skillmount/versions/{skill path}/`: the published versions of a skill.
    ///
    /// # Errors
    /// See [`skills`](Self::skills).
    pub fn versions(&self, skill: &SkillPath) -> Result<KeyPrefix> {
        self.root.folder(&format!(".skillmount/versions/{skill}"))
    }

    /// `{user}/.skillmount/versions/{skill path}/{digest}.zip`, with the digest's hex digits alone.
    ///
    /// # Errors
    /// See [`skills`](Self::skills).
    pub fn version(&self, skill: &SkillPath, digest: &str) -> Result<ObjectKey> {
        let name = digest.strip_prefix("sha256:").unwrap_or(digest);
        self.versions(skill)?.key(&format!("{name}.zip"))
    }

    /// `{user}/.skillmount/drafts/`: the drafts of skills.
    ///
    /// # Errors
    /// See [`skills`](Self::skills).
    pub fn drafts(&self) -> Result<KeyPrefix> {
        self.root.folder(".skillmount/drafts")
    }

    /// `{user}/.skillmount/drafts/{skill path}.json`: the object of one draft.
    ///
    /// # Errors
    /// See [`skills`](Self::skills).
    pub fn draft(&self, skill: &SkillPath) -> Result<ObjectKey> {
        self.root.key(&format!(".skillmount/drafts/{skill}.json"))
    }

    /// `{user}/.skillmount/draft-versions/{skill path}/{digest}.zip`: the files of a draft, apart from the versions that were
    /// published.
    ///
    /// # Errors
    /// See [`skills`](Self::skills).
    pub fn draft_version(&self, skill: &SkillPath, digest: &str) -> Result<ObjectKey> {
        let name = digest.strip_prefix("sha256:").unwrap_or(digest);
        self.root.key(&format!(".skillmount/draft-versions/{skill}/{name}.zip"))
    }

    /// `{user}/.skillmount/policy.json`.
    ///
    /// # Errors
    /// See [`skills`](Self::skills).
    pub fn policy(&self) -> Result<ObjectKey> {
        self.root.key(".skillmount/policy.json")
    }

    /// `{user}/.skillmount/audit/`: batches of audit records.
    ///
    /// # Errors
    /// See [`skills`](Self::skills).
    pub fn audit(&self) -> Result<KeyPrefix> {
        self.root.folder(".skillmount/audit")
    }

    /// `{user}/.skillmount/audit/{time}-{replica}`: one batch, by its name.
    ///
    /// # Errors
    /// See [`skills`](Self::skills).
    pub fn audit_batch(&self, name: &str) -> Result<ObjectKey> {
        self.audit()?.key(name)
    }

    /// `{user}/.skillmount/uses.json`: hints, disposable.
    ///
    /// # Errors
    /// See [`skills`](Self::skills).
    pub fn uses(&self) -> Result<ObjectKey> {
        self.root.key(".skillmount/uses.json")
    }

    /// `{user}/.skillmount/feedback.json`: which skills were loaded after which questions.
    ///
    /// # Errors
    /// See [`skills`](Self::skills).
    pub fn feedback(&self) -> Result<ObjectKey> {
        self.root.key(".skillmount/feedback.json")
    }

    /// `{user}/.skillmount/catalog.json`: derived, disposable.
    ///
    /// # Errors
    /// See [`skills`](Self::skills).
    pub fn catalog(&self) -> Result<ObjectKey> {
        self.root.key(".skillmount/catalog.json")
    }

    /// `{user}/.skillmount/vectors`: derived, disposable.
    ///
    /// # Errors
    /// See [`skills`](Self::skills).
    pub fn vectors(&self) -> Result<ObjectKey> {
        self.root.key(".skillmount/vectors")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{super::segment, *};

    fn user(id: &str) -> UserSpace {
        Namespace::parse("p").unwrap().user(&Id::parse(id).unwrap()).unwrap()
    }

    // S-PATH-7: Every answer skips a key that no virtual path can name, and no other name reaches it.
    #[test]
    fn a_listed_key_is_admitted_only_below_the_prefix_and_only_if_a_path_could_name_it() {
        let skills = user("u1").skills().unwrap();
        assert!(skills.admit("p/u1/skills/a/SKILL.md").is_some());
        for foreign in [
            "p/u10/skills/a",
            "p/u1/skillsX/a",
            "p/u1/skills/a//b",
            "p/u1/skills/../x",
            "p/u1/skills/",
            "p/u1/skills/a/",
        ] {
            assert!(skills.admit(foreign).is_none(), "{foreign}");
        }
    }

    proptest! {
        // S-PATH-6: For a session the service asks the store only for keys below the prefix of its user, or of its
        // caller's team and organisation.
        #[test]
        fn every_key_lies_below_its_user(id in "(u1|u10|alice|alice2)", relative in "[a/.]{0,8}") {
            let space = user(&id);
            if let Ok(key) = space.root().key(&relative) {
                let own = format!("p/{id}/");
                prop_assert!(key.as_str().starts_with(&own));
                prop_assert!(key.as_str().split('/').all(|part| segment::fault(part).is_none()));
            }
        }
    }
}
