//! S3 in this process: the real SDK, signing, XML and paging included, against an exact S3 over a memory store.
//!
//! No socket is involved, so tests with paused time work. The memory store behind it decides every condition under one
//! lock, which makes this the S3 that concurrency is judged by.

use std::{sync::Arc, time::SystemTime};

use aws_sdk_s3::config::{BehaviorVersion, Credentials, Region};
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;
use s3s::{
    S3, S3Error, S3ErrorCode, S3Request, S3Response, S3Result,
    auth::SimpleAuth,
    dto, s3_error,
    service::{S3Service, S3ServiceBuilder},
};
use skillmount::{
    clock::{Clock, SystemClock},
    path::{ETag, KeyPrefix, ObjectKey},
    store::{
        DeleteOptions, GetOptions, ListOptions, MemoryStore, ObjectMeta, PageToken, PutCondition, PutOptions,
        S3Options, S3Store, SharedStore, StoreError, Tags,
    },
};

use super::s3_script::{Script, ScriptedClient};

/// The only bucket there is.
pub(crate) const BUCKET: &str = "bucket";

const ENDPOINT: &str = "http://s3.in-process.test";

/// The SDK over a memory store, with all that S3 can do; the second is what lies behind it.
pub(crate) fn s3_in_process() -> (S3Store, Arc<MemoryStore>) {
    let (store, memory, _) = s3_with_options(&conditional_deletes());
    (store, memory)
}

/// The options of a server that honours conditions of deletes.
pub(crate) fn conditional_deletes() -> S3Options {
    S3Options { conditional_delete: true, ..unknown_server() }
}

/// The options of a server that may ignore conditions of deletes.
fn unknown_server() -> S3Options {
    S3Options { endpoint_url: Some(ENDPOINT.to_owned()), ..S3Options::default() }
}

/// The same with troubles that a test writes into the script, and without conditional deletes.
pub(crate) fn s3_with_script() -> (S3Store, Arc<MemoryStore>, Arc<Script>) {
    s3_with_options(&unknown_server())
}

/// The same, with these options of the store.
pub(crate) fn s3_with_options(options: &S3Options) -> (S3Store, Arc<MemoryStore>, Arc<Script>) {
    s3_over(MemoryStore::like_s3(), options)
}

/// The same, whose tags are the MD5 of the bytes, as on most buckets.
pub(crate) fn s3_tagged_by_content() -> (S3Store, Arc<MemoryStore>, Arc<Script>) {
    s3_over(MemoryStore::tagged_by_content(), &unknown_server())
}

fn s3_over(memory: MemoryStore, options: &S3Options) -> (S3Store, Arc<MemoryStore>, Arc<Script>) {
    let memory = Arc::new(memory);
    let script = Arc::new(Script::default());
    let client = client_over(memory.clone(), script.clone());
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    (S3Store::with_client(&client, BUCKET, options, clock), memory, script)
}

/// The SDK alone, and an S3 that keeps its objects in `backend`.
pub(crate) fn client_over(backend: SharedStore, script: Arc<Script>) -> aws_sdk_s3::Client {
    let server = s3s_aws::Connector::from(service_over(backend));
    let config = aws_sdk_s3::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .credentials_provider(Credentials::new("key", "secret", None, None, "tests"))
        .region(Region::new("us-east-1"))
        .endpoint_url(ENDPOINT)
        .force_path_style(true)
        .http_client(ScriptedClient::new(server, script))
        .build();
    aws_sdk_s3::Client::from_conf(config)
}

/// The S3 alone, which knows the keys `key` and `second-key` with the secret `secret`.
pub(crate) fn service_over(backend: SharedStore) -> S3Service {
    let mut builder = S3ServiceBuilder::new(Service { backend });
    let mut keys = SimpleAuth::from_single("key", "secret");
    keys.register("second-key".to_owned(), "secret".into());
    builder.set_auth(keys);
    builder.build()
}

struct Service {
    backend: SharedStore,
}

#[async_trait::async_trait]
impl S3 for Service {
    async fn get_object(&self, req: S3Request<dto::GetObjectInput>) -> S3Result<S3Response<dto::GetObjectOutput>> {
        let input = req.input;
        let (if_match, if_none_match) =
            (input.if_match.as_ref().and_then(tag), input.if_none_match.as_ref().and_then(tag));
        let options = GetOptions { if_match, if_none_match, ..GetOptions::default() };
        let whole = self.backend.get(&key(&input.key)?, options).await.map_err(|error| refusal(&error))?;
        let size = whole.meta.size;
        let span = match input.range {
            Some(range) => range.check(size).map_err(|_| s3_error!(InvalidRange))?,
            None => 0..size,
        };
        let bytes = whole.bytes.slice(usize::try_from(span.start).unwrap()..usize::try_from(span.end).unwrap());
        Ok(S3Response::new(dto::GetObjectOutput {
            content_length: i64::try_from(bytes.len()).ok(),
            content_range: input.range.map(|_| format!("bytes {}-{}/{size}", span.start, span.end - 1)),
            e_tag: Some(dto::ETag::Strong(whole.meta.etag.as_str().to_owned())),
            last_modified: Some(time(&whole.meta)),
            metadata: Some(whole.meta.metadata.into_iter().collect()),
            body: Some(s3s::Body::from(bytes).into()),
            ..dto::GetObjectOutput::default()
        }))
    }

    async fn head_object(&self, req: S3Request<dto::HeadObjectInput>) -> S3Result<S3Response<dto::HeadObjectOutput>> {
        let meta = self.backend.head(&key(&req.input.key)?).await.map_err(|error| refusal(&error))?;
        if req.input.if_match.as_ref().and_then(tag).is_some_and(|wanted| wanted != meta.etag) {
            return Err(s3_error!(PreconditionFailed));
        }
        Ok(S3Response::new(dto::HeadObjectOutput {
            content_length: Some(i64::try_from(meta.size).unwrap()),
            e_tag: Some(dto::ETag::Strong(meta.etag.as_str().to_owned())),
            last_modified: Some(time(&meta)),
            metadata: Some(meta.metadata.into_iter().collect()),
            ..dto::HeadObjectOutput::default()
        }))
    }

    async fn put_object(&self, req: S3Request<dto::PutObjectInput>) -> S3Result<S3Response<dto::PutObjectOutput>> {
        let input = req.input;
        let condition = match (input.if_match, input.if_none_match) {
            (None, None) => PutCondition::Always,
            (None, Some(dto::ETagCondition::Any)) => PutCondition::IfAbsent,
            (Some(dto::ETagCondition::ETag(etag)), None) => PutCondition::IfMatch(ETag::new(etag.value())),
            _ => return Err(s3_error!(NotImplemented)),
        };
        let metadata = input.metadata.unwrap_or_default().into_iter().collect();
        let tags = input.tagging.as_deref().map(tags_of_header).transpose()?.unwrap_or_default();
        let options = PutOptions::default().with_condition(condition).with_metadata(metadata).with_tags(tags);
        let bytes = collect(input.body).await?;
        let put = self.backend.put(&key(&input.key)?, bytes, options).await;
        let output = dto::PutObjectOutput {
            e_tag: Some(dto::ETag::Strong(put.map_err(|error| refusal(&error))?.etag.as_str().to_owned())),
            server_side_encryption: input.server_side_encryption,
            ssekms_key_id: input.ssekms_key_id,
            ..dto::PutObjectOutput::default()
        };
        Ok(S3Response::new(output))
    }

    async fn delete_object(
        &self,
        req: S3Request<dto::DeleteObjectInput>,
    ) -> S3Result<S3Response<dto::DeleteObjectOutput>> {
        // Its buckets have no versioning, so the only version of an object is `null`.
        if req.input.version_id.as_ref().is_some_and(|version| version != "null") {
            return Err(s3_error!(InvalidArgument));
        }
        let options = DeleteOptions { if_match: req.input.if_match.as_ref().and_then(tag) };
        self.backend.delete(&key(&req.input.key)?, options).await.map_err(|error| refusal(&error))?;
        Ok(S3Response::new(dto::DeleteObjectOutput::default()))
    }

    async fn list_objects_v2(
        &self,
        req: S3Request<dto::ListObjectsV2Input>,
    ) -> S3Result<S3Response<dto::ListObjectsV2Output>> {
        let input = req.input;
        let prefix = prefix(input.prefix.as_deref().unwrap_or_default())?;
        let options = ListOptions {
            delimiter: input.delimiter.is_some(),
            start_after: input.start_after.clone(),
            page: input.continuation_token.as_deref().map(parse_token).transpose()?,
            max_entries: input.max_keys.and_then(|most| usize::try_from(most).ok()),
        };
        let page = self.backend.list(&prefix, options).await.map_err(|error| refusal(&error))?;
        let url = input.encoding_type.as_ref().is_some_and(|kind| kind.as_str() == dto::EncodingType::URL);
        let written = |key: &str| if url { encode(key) } else { key.to_owned() };
        let key_count = i32::try_from(page.objects.len() + page.folders.len()).ok();
        let contents = page.objects.into_iter().map(|entry| dto::Object {
            key: Some(written(&entry.key)),
            size: i64::try_from(entry.size).ok(),
            e_tag: Some(dto::ETag::Strong(entry.etag.as_str().to_owned())),
            last_modified: Some(SystemTime::from(entry.modified_at).into()),
            ..dto::Object::default()
        });
        let folders = page.folders.iter().map(|folder| dto::CommonPrefix { prefix: Some(written(folder)) });
        Ok(S3Response::new(dto::ListObjectsV2Output {
            contents: Some(contents.collect()),
            common_prefixes: Some(folders.collect()),
            key_count,
            is_truncated: Some(page.next.is_some()),
            next_continuation_token: page.next.map(|token| token_text(&token)),
            encoding_type: input.encoding_type,
            ..dto::ListObjectsV2Output::default()
        }))
    }

    async fn put_object_tagging(
        &self,
        req: S3Request<dto::PutObjectTaggingInput>,
    ) -> S3Result<S3Response<dto::PutObjectTaggingOutput>> {
        let set = req.input.tagging.tag_set.into_iter();
        let tags = set.map(|tag| (tag.key.unwrap_or_default(), tag.value.unwrap_or_default())).collect();
        self.backend.tag(&key(&req.input.key)?, tags).await.map_err(|error| refusal(&error))?;
        Ok(S3Response::new(dto::PutObjectTaggingOutput::default()))
    }

    async fn list_object_versions(
        &self,
        req: S3Request<dto::ListObjectVersionsInput>,
    ) -> S3Result<S3Response<dto::ListObjectVersionsOutput>> {
        let prefix = prefix(req.input.prefix.as_deref().unwrap_or_default())?;
        let page = self.backend.list(&prefix, ListOptions::default()).await.map_err(|error| refusal(&error))?;
        let versions = page.objects.into_iter().map(|entry| dto::ObjectVersion {
            key: Some(entry.key),
            size: i64::try_from(entry.size).ok(),
            version_id: Some("null".to_owned()),
            is_latest: Some(true),
            ..dto::ObjectVersion::default()
        });
        Ok(S3Response::new(dto::ListObjectVersionsOutput {
            versions: Some(versions.collect()),
            is_truncated: Some(page.next.is_some()),
            ..dto::ListObjectVersionsOutput::default()
        }))
    }

    async fn head_bucket(&self, req: S3Request<dto::HeadBucketInput>) -> S3Result<S3Response<dto::HeadBucketOutput>> {
        if req.input.bucket != BUCKET {
            return Err(s3_error!(NoSuchBucket));
        }
        Ok(S3Response::new(dto::HeadBucketOutput::default()))
    }
}

/// Tags as a header has them: `name=value`, joined by `&`, percent-encoded.
fn tags_of_header(text: &str) -> S3Result<Tags> {
    let decoded = |text: &str| percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned();
    let pair = |pair: &str| pair.split_once('=').map(|(name, value)| (decoded(name), decoded(value)));
    text.split('&').map(pair).collect::<Option<Tags>>().ok_or_else(|| s3_error!(InvalidArgument))
}

fn refusal(error: &StoreError) -> S3Error {
    S3Error::new(match error {
        StoreError::NotFound => S3ErrorCode::NoSuchKey,
        StoreError::NotModified => S3ErrorCode::NotModified,
        StoreError::PreconditionFailed => S3ErrorCode::PreconditionFailed,
        StoreError::RangeNotSatisfiable => S3ErrorCode::InvalidRange,
        _ => S3ErrorCode::InternalError,
    })
}

fn key(text: &str) -> S3Result<ObjectKey> {
    KeyPrefix::all().key(text).map_err(|_| s3_error!(InvalidURI))
}

fn prefix(text: &str) -> S3Result<KeyPrefix> {
    let all = KeyPrefix::all();
    match text.strip_suffix('/') {
        Some(folder) => all.folder(folder).map_err(|_| s3_error!(InvalidArgument)),
        None if text.is_empty() => Ok(all),
        None => Err(s3_error!(InvalidArgument)),
    }
}

fn tag(condition: &dto::ETagCondition) -> Option<ETag> {
    condition.as_etag().map(|etag| ETag::new(etag.value()))
}

fn time(meta: &ObjectMeta) -> dto::Timestamp {
    SystemTime::from(meta.modified_at).into()
}

async fn collect(body: Option<dto::StreamingBlob>) -> S3Result<Bytes> {
    let mut bytes = BytesMut::new();
    let mut body = body.unwrap_or_else(|| s3s::Body::empty().into());
    while let Some(piece) = body.next().await {
        bytes.extend_from_slice(&piece.map_err(|_| s3_error!(IncompleteBody))?);
    }
    Ok(bytes.freeze())
}

/// As S3 does it: a space as `+`, everything but unreserved characters and `/` as `%XX`.
fn encode(key: &str) -> String {
    key.bytes()
        .map(|byte| match byte {
            b' ' => "+".to_owned(),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'*' | b'/' => char::from(byte).to_string(),
            other => format!("%{other:02X}"),
        })
        .collect()
}

/// A token is opaque and survives XML: the key it stands for in hexadecimal.
fn token_text(PageToken(token): &PageToken) -> String {
    let digits = token.bytes().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.filter_map(|digit| char::from_digit(digit.into(), 16)).collect()
}

fn parse_token(text: &str) -> S3Result<PageToken> {
    let byte = |at: usize| text.get(at..at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
    let bytes: Option<Vec<u8>> = (0..text.len()).step_by(2).map(byte).collect();
    bytes.and_then(|bytes| String::from_utf8(bytes).ok()).map(PageToken).ok_or_else(|| s3_error!(InvalidArgument))
}
