//! The bytes of skills without loading them, for frameworks that hold skills themselves. The rules are those of every other
//! look at the catalog.

use axum::{
    http::{HeaderMap, header},
    response::{IntoResponse as _, Response},
};
use futures_util::{FutureExt as _, StreamExt as _, stream};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use super::{
    super::{
        body::{JsonBody, Parameters, archive, prefers},
        door::{Failure, HandlerResult, UserCall},
        openapi::Binary,
    },
    download::{DownloadReply, WantedFile, download_reply},
    files::{RangeHeaders, RangedRead, ReadConditions, ReadRefusal, file_reply},
    skills::readable_catalog,
};
use crate::{
    context::Action,
    error::Result,
    limits::{DOWNLOAD_SKILLS, TRANSFER_FILES},
    path::SkillPath,
    skills::{CatalogFile, packed},
    wire::Policy,
};

/// Skills of one download that are looked up at once.
const AT_ONCE: usize = 4;

/// Which file of a skill.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct SkillFileParameters {
    /// Its path below the skill's folder; `SKILL.md` unless given.
    path: Option<String>,
}

/// Read the bytes of one file of a skill, without loading it; of a draft too, for who sees it in the list. Takes `range`, `if-range`, `if-match` and `if-none-match`. What the
/// user's policy hides is not there, and a skill whose each use is approved is read in a session.
#[utoipa::path(
    get,
    path = "/skill_files/{*skill}",
    operation_id = "get_skill_file",
    tag = "skills",
    params(SkillFileParameters, ReadConditions, RangeHeaders),
    responses(RangedRead, ReadRefusal, Failure)
)]
pub(crate) async fn get_skill_file(
    call: UserCall,
    wanted: Parameters<SkillFileParameters>,
    headers: HeaderMap,
) -> HandlerResult<Response> {
    let skill = SkillPath::parse(&call.rest)?;
    let subject = format!("{skill}/{}", wanted.path.as_deref().unwrap_or("SKILL.md"));
    let looking = async {
        let policy = readable_catalog(&call).await?;
        let files = call.app.service.library().catalog_skill(call.audience(), &policy, &skill, call.drafts()).await?;
        wanted.path.as_deref().map_or_else(|| files.main(), |path| files.file(path))
    };
    let file = call.author().perform((Action::GetSkillFile, &subject), Box::pin(looking)).await?;
    let stat = file.stat().clone();
    file_reply(&headers, &stat, |range| file.open(range)).await
}

/// Files of which skills.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DownloadSkillsRequest {
    /// Up to 100 skills.
    skills: Vec<SkillFilesRequest>,
}

/// Which files of one skill.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct SkillFilesRequest {
    /// Where the skill lies, such as `escrituras/compraventa`.
    skill: String,
    /// Paths below its folder; all of its files unless given.
    paths: Option<Vec<String>>,
}

/// Download files of several skills without loading them, in the order of the request and up to 1,000 in all.
/// `multipart/mixed` has a part for each file, with its place below `skills/` as `content-location`. The part of a failed file has
/// the code as `x-error` and the reason as text. A skill that failed as a whole has one such part, with its path. With
/// `accept: application/json` the files are in one JSON document, as base64. With `accept: application/zip` they are an archive, and
/// the first of them that fails is the answer.
#[utoipa::path(post, path = "/skills/download", operation_id = "download_skills", tag = "skills",
    request_body = DownloadSkillsRequest, responses((status = 200, description = "The files, in order.",
        content((DownloadReply = "application/json"), (inline(Binary) = "multipart/mixed"),
            (inline(Binary) = "application/zip"))), Failure))]
pub(crate) async fn download_skills(
    call: UserCall,
    headers: HeaderMap,
    JsonBody(request): JsonBody<DownloadSkillsRequest>,
) -> HandlerResult<Response> {
    let subject = request.skills.iter().map(|one| one.skill.as_str()).collect::<Vec<_>>().join(" ");
    let files = call.author().perform((Action::DownloadSkills, &subject), Box::pin(found(&call, request))).await?;
    if prefers(&headers, "application/zip", "multipart/mixed") {
        let files = files.into_iter().map(|(path, file)| Ok((path, file?))).collect::<Result<Vec<_>>>()?;
        let response = archive(packed(files), "application/zip", "skills.zip");
        return Ok(([(header::VARY, "accept")], response).into_response());
    }
    let wanted = files.into_iter().map(|(path, file)| {
        let open = async move { file?.open(None).await };
        WantedFile { path, open: open.boxed() }
    });
    Ok(download_reply(&headers, call.app.clock.random(), wanted.collect()))
}

/// The files that a request wants, each with the name that the reply has for it.
async fn found(call: &UserCall, request: DownloadSkillsRequest) -> Result<Vec<(String, Result<CatalogFile>)>> {
    let policy = readable_catalog(call).await?;
    if request.skills.len() > DOWNLOAD_SKILLS {
        return Err(invalid!("a download takes {DOWNLOAD_SKILLS} skills; ask for the rest in another"));
    }
    let named = request.skills.iter().map(|one| one.paths.as_ref().map_or(1, Vec::len)).sum();
    check_count(named)?;
    let mut found = stream::iter(request.skills).map(|wanted| files_of(call, &policy, wanted)).buffered(AT_ONCE);
    let mut files = Vec::new();
    while let Some(of_skill) = found.next().await {
        files.extend(of_skill);
        check_count(files.len())?;
    }
    Ok(files)
}

/// The files that a request wants from a skill, each with its name in the reply.
async fn files_of(
    call: &UserCall,
    policy: &Policy,
    SkillFilesRequest { skill, paths }: SkillFilesRequest,
) -> Vec<(String, Result<CatalogFile>)> {
    let found = async {
        let path = SkillPath::parse(&skill)?;
        call.app.service.library().catalog_skill(call.audience(), policy, &path, call.drafts()).await
    };
    match (found.await, paths) {
        (Ok(found), Some(paths)) => {
            paths.into_iter().map(|path| (format!("{skill}/{path}"), found.file(&path))).collect()
        }
        // One file more than the limit is enough: the caller then refuses the download.
        (Ok(found), None) => {
            let all = found.paths().take(TRANSFER_FILES + 1);
            all.map(|path| (format!("{skill}/{path}"), found.file(path))).collect()
        }
        (Err(error), _) => vec![(skill, Err(error))],
    }
}

fn check_count(files: usize) -> Result<()> {
    if files <= TRANSFER_FILES {
        return Ok(());
    }
    Err(invalid!("a download takes {TRANSFER_FILES} files; ask for fewer skills, or name the files by `paths`"))
}
