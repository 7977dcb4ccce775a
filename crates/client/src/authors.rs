//! Reads and writes the skills of a user for an author, over HTTP: the calls of
//! [`StoreRepository`](crate::handle::StoreRepository), answered by a server.

use async_trait::async_trait;
use bytes::Bytes;
use reqwest::{Method, RequestBuilder, header};
use serde_json::json;

use crate::{
    RemoteBackend,
    error::{Code, Error, Result},
    path::{Layer, SkillPath},
    skill::{Severity, parcel},
    wire::{
        CatalogStatus, Condition, DiffRequest, Effect, LintList, LintListRequest, ListedState, PublishReply,
        SkillDigest, SkillDigests, SkillDocument, SkillListRequest, SkillRepository, SkillZip, VersionDiff,
        VersionList, VersionListRequest,
    },
};

#[async_trait]
impl SkillRepository for RemoteBackend {
    async fn skill_digests(&self, only: Option<&SkillPath>) -> Result<SkillDigests> {
        let skills = match only {
            None => all_digests(self).await?,
            Some(only) => one_digest(self, only).await?.into_iter().collect(),
        };
        Ok(SkillDigests { skills, is_cut: false })
    }

    async fn skill_zip(&self, skill: &SkillPath, digest: Option<&str>) -> Result<SkillZip> {
        let request = self.of_skill(Method::GET, "skills", skill)?.header(header::ACCEPT, "application/zip");
        let request = digest.into_iter().fold(request, |request, digest| request.query(&[("digest", digest)]));
        let response = self.connection.send(request, Effect::Reads).await?;
        let tag = response.headers().get(header::ETAG).and_then(|tag| tag.to_str().ok());
        let digest = tag.map(|tag| tag.trim_matches('"').to_owned());
        let bytes = response.bytes().await.map_err(|cause| self.connection.unreachable(cause, Effect::Reads))?;
        Ok(SkillZip { digest, bytes })
    }

    async fn publish_skill(
        &self,
        skill: &SkillPath,
        files: Vec<(String, Bytes)>,
        source: Option<String>,
        condition: Condition,
    ) -> Result<PublishReply> {
        let zip = parcel(&files).map_err(Error::internal)?;
        let request = self.of_skill(Method::PUT, "skills", skill)?;
        let request = request.header(header::CONTENT_TYPE, "application/zip").body(zip);
        let request = source.iter().fold(request, |request, source| request.query(&[("source", source)]));
        self.connection.change(only_if(request, &condition)).await
    }

    async fn list_versions(&self, skill: &SkillPath, wanted: &VersionListRequest) -> Result<VersionList> {
        self.connection.read(self.of_skill(Method::GET, "versions", skill)?.query(wanted)).await
    }

    async fn diff_versions(&self, skill: &SkillPath, wanted: &DiffRequest) -> Result<VersionDiff> {
        self.connection.read(self.of_skill(Method::GET, "diff", skill)?.query(wanted)).await
    }

    async fn roll_back_skill(&self, skill: &SkillPath, digest: &str) -> Result<PublishReply> {
        self.connection.change(self.of_skill(Method::POST, "rollback", skill)?.json(&json!({ "digest": digest }))).await
    }

    async fn delete_skill(&self, skill: &SkillPath, only: Option<String>) -> Result<()> {
        let request = only_if(self.of_skill(Method::DELETE, "skills", skill)?, &Condition::from(only));
        self.connection.send(request, Effect::Writes).await.map(drop)
    }

    async fn lint_skills(&self, wanted: &LintListRequest) -> Result<LintList> {
        self.connection.read(self.of_user(Method::GET, ["lint"])?.query(wanted)).await
    }

    async fn catalog_status(&self) -> Result<CatalogStatus> {
        self.connection.read(self.of_user(Method::GET, ["catalog"])?).await
    }

    async fn rebuild_catalog(&self) -> Result<CatalogStatus> {
        self.connection.change(self.of_user(Method::POST, ["catalog", "rebuild"])?).await
    }
}

async fn all_digests(remote: &RemoteBackend) -> Result<Vec<SkillDigest>> {
    let mut wanted = SkillListRequest { fresh: true, ..SkillListRequest::default() };
    let mut known = Vec::new();
    loop {
        let page = remote.list_skills(&wanted).await?;
        let own = page.skills.into_iter().filter(is_own);
        known.extend(own.map(|skill| (skill.skill, skill.digest)));
        // A skill that is left out of the catalog is there all the same.
        let broken = page.diagnostics.into_iter().filter(|found| found.diagnostic.severity == Severity::Error);
        known.extend(broken.map(|found| (found.skill, None)));
        if page.next_cursor.is_none() || page.next_cursor == wanted.cursor {
            break;
        }
        wanted = SkillListRequest { cursor: page.next_cursor, ..SkillListRequest::default() };
    }
    let parsed = known.into_iter().filter_map(|(skill, digest)| Some((SkillPath::parse(&skill).ok()?, digest)));
    let mut skills: Vec<_> = parsed.map(|(skill, digest)| SkillDigest { skill, digest }).collect();
    skills.sort_by(|one, two| one.skill.cmp(&two.skill));
    skills.dedup_by(|one, two| one.skill == two.skill);
    Ok(skills)
}

async fn one_digest(remote: &RemoteBackend, skill: &SkillPath) -> Result<Option<SkillDigest>> {
    let digest = match remote.show_skill(skill).await {
        Ok(page) if !is_own(&page.skill) => return Ok(None),
        Ok(page) => page.skill.digest,
        // A skill with a broken SKILL.md is not found here, although it exists. Only a read of its files shows that.
        Err(error) if error.code() == Code::SkillNotFound => None,
        Err(error) => return Err(error),
    };
    Ok(Some(SkillDigest { skill: skill.clone(), digest }))
}

/// Whether a skill lies among the user's own. A draft does not: it is nothing that a folder could come from.
fn is_own(skill: &SkillDocument) -> bool {
    skill.layer == Layer::User && skill.state != ListedState::Draft
}

/// The request, if what is there is as the condition says.
fn only_if(request: RequestBuilder, condition: &Condition) -> RequestBuilder {
    match condition {
        Condition::Any => request,
        Condition::Nothing => request.header(header::IF_NONE_MATCH, "*"),
        Condition::Version(digest) => request.header(header::IF_MATCH, format!("\"{digest}\"")),
    }
}
