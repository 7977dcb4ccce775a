//! Contents that show by themselves whether they are whole.

use std::hash::{DefaultHasher, Hash, Hasher};

use rand::{RngExt, rngs::StdRng};
use skillmount::{Code, client::RemoteBackend, wire::BackendProtocol};

/// Text of random letters, mostly short, sometimes long enough that writing it takes a while.
pub(super) fn letters(random: &mut StdRng) -> String {
    let length = if random.random_ratio(1, 8) { random.random_range(0..200_000) } else { random.random_range(0..200) };
    (0..length).map(|_| char::from(random.random_range(b'a'..=b'z'))).collect()
}

/// `body` with its length and checksum at the end.
pub(super) fn sealed(body: &str) -> String {
    format!("{body}{}", seal(body))
}

/// What stands behind `body`.
pub(super) fn seal(body: &str) -> String {
    let mut checksum = DefaultHasher::new();
    body.hash(&mut checksum);
    format!("\n{} {:016x}", body.len(), checksum.finish())
}

/// What stands before the seal, if the seal is there and says the truth.
pub(super) fn body(text: &str) -> Option<&str> {
    text.rmatch_indices('\n').map(|(at, _)| &text[..at]).find(|body| text[body.len()..] == seal(body))
}

/// The key of a file of the session `session`.
pub(super) fn key(session: &str, path: &str) -> String {
    path.replace("/workspace", &format!("demo/threads/{session}"))
}

/// The whole file; `None` where there is none.
pub(super) async fn fetch(backend: &RemoteBackend, path: &str) -> Option<String> {
    match backend.download(vec![path.to_owned()]).await.unwrap().remove(0).result {
        Ok(bytes) => Some(String::from_utf8(bytes.to_vec()).unwrap()),
        Err(error) if error.code() == Code::FileNotFound => None,
        Err(error) => panic!("{path}: {error:?}"),
    }
}
