//! A bucket in trouble: the real program, S3 on a socket, and a proxy between them that injects a fault. No file is deleted,
//! shortened or loaded in part because of it, and the error names the cause.

use std::{
    collections::BTreeMap,
    process::{Command, Output},
    time::Duration,
};

use hyper::Method;
use skillmount::limits::READ_ATTEMPTS;
use tokio::time::Instant;

use super::{Home, server::Server, skill};
use crate::support::{
    s3_in_process::BUCKET,
    s3_proxy::{Proxy, ProxyFault},
    world::files_below,
};

/// The words for an answer of the store that cannot be right.
const CONTRADICTS: &str = "gave an answer that contradicts";

/// A bucket of user `ana` behind the proxy, and a home whose commands use it.
struct Scene {
    proxy: Proxy,
    home: Home,
}

impl Scene {
    async fn new() -> Self {
        let proxy = Proxy::open().await;
        for name in ["actas", "notas"] {
            proxy.memory.put_raw(&format!("ana/skills/{name}/SKILL.md"), skill(name, "Toma notas."));
            proxy.memory.put_raw(&format!("ana/skills/{name}/plantilla.md"), "Uno.\nDos.\nTres.\nCuatro.\n");
        }
        Self { proxy, home: Home::new() }
    }

    /// The output of a command with these variables beside the usual ones.
    fn run_with(&self, variables: &[(&str, &str)], arguments: &[&str]) -> Output {
        let of_bucket = ["--store", &format!("s3://{BUCKET}"), "--endpoint-url", &self.proxy.url, "--user", "ana"];
        let mut command = self.home.command(&[&of_bucket, arguments].concat());
        command.env("AWS_ACCESS_KEY_ID", "key").env("AWS_SECRET_ACCESS_KEY", "secret");
        command.env("AWS_EC2_METADATA_DISABLED", "true").envs(variables.iter().copied()).output().unwrap()
    }

    #[track_caller]
    fn ok(&self, arguments: &[&str]) -> String {
        let output = self.run_with(&[], arguments);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// The error of a command that the store's trouble ends.
    #[track_caller]
    fn fails(&self, arguments: &[&str]) -> String {
        let output = self.run_with(&[], arguments);
        assert_eq!(output.status.code(), Some(7), "{arguments:?}: {}", String::from_utf8_lossy(&output.stdout));
        String::from_utf8(output.stderr).unwrap()
    }

    fn exported(&self) -> BTreeMap<String, Vec<u8>> {
        files_below(&self.home.path().join("plugin")).into_iter().collect()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_file_goes_because_a_listing_was_cut() {
    let scene = Scene::new().await;
    scene.ok(&["plugin", "export", "plugin"]);
    let before = scene.exported();
    assert_eq!(before.keys().filter(|name| name.ends_with("plantilla.md")).count(), 2, "{:?}", before.keys());
    scene.proxy.set(ProxyFault::CutListings);
    assert!(scene.fails(&["plugin", "export", "plugin"]).contains(CONTRADICTS));
    assert_eq!(scene.exported(), before);
    assert!(scene.fails(&["--session", "s", "skills", "load", "notas"]).contains(CONTRADICTS));
    let doctor = scene.run_with(&[], &["doctor"]);
    assert!(!doctor.status.success());
    assert!(String::from_utf8_lossy(&doctor.stdout).contains(CONTRADICTS), "{doctor:?}");

    scene.proxy.set(ProxyFault::Nothing);
    scene.ok(&["--session", "s", "skills", "load", "notas"]);
    assert_eq!(scene.ok(&["--session", "s", "ls", "/skills/notas"]).lines().count(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_file_is_shortened_because_a_body_was_cut() {
    let scene = Scene::new().await;
    scene.ok(&["--session", "s", "skills", "load", "notas"]);
    scene.ok(&["--session", "s", "write", "/workspace/a.md", "uno dos tres cuatro"]);
    scene.proxy.set(ProxyFault::HalfBodies(".md"));
    assert!(scene.fails(&["--session", "s", "cat", "/skills/notas/plantilla.md"]).contains(CONTRADICTS));
    assert!(scene.fails(&["--session", "s", "edit", "/workspace/a.md", "uno", "UNO"]).contains(CONTRADICTS));
    assert!(scene.fails(&["--session", "s", "mv", "/workspace/a.md", "/workspace/b.md"]).contains(CONTRADICTS));
    scene.proxy.set(ProxyFault::Nothing);
    assert_eq!(scene.ok(&["--session", "s", "cat", "/workspace/a.md"]), "uno dos tres cuatro");
    assert_eq!(scene.ok(&["--session", "s", "ls", "/workspace"]).lines().count(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_ignores_the_token_of_a_page_is_not_listed_for_ever() {
    let scene = Scene::new().await;
    for number in 0..1100 {
        scene.proxy.memory.put_raw(&format!("ana/threads/s/{number:04}"), "x");
    }
    scene.proxy.set(ProxyFault::FirstPages);
    assert!(scene.fails(&["--session", "s", "glob", "/workspace/**"]).contains(CONTRADICTS));
    // The first page, the attempts at the second, and listings of other prefixes.
    assert!(scene.proxy.listings() <= 2 * READ_ATTEMPTS, "{}", scene.proxy.listings());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_move_whose_delete_is_denied_says_that_both_files_are_there() {
    let scene = Scene::new().await;
    scene.ok(&["--session", "s", "write", "/workspace/a.md", "uno"]);
    scene.proxy.set(ProxyFault::Denied(Method::DELETE));
    let error = scene.fails(&["--session", "s", "mv", "/workspace/a.md", "/workspace/b.md"]);
    assert!(error.contains("/workspace/a.md was copied to /workspace/b.md, and the old file stays"), "{error}");
    assert!(!error.contains("nothing was changed") && error.contains("s3:DeleteObject"), "{error}");
    scene.proxy.set(ProxyFault::Nothing);
    assert_eq!(scene.ok(&["--session", "s", "ls", "/workspace"]).lines().count(), 2);
}

// S-STORE-18: The service drops white space at the ends of endpoint, region and credentials, and names the setting that has
// white space inside.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn white_space_around_a_setting_is_dropped_and_inside_it_is_named() {
    let scene = Scene::new().await;
    for variables in [
        [("AWS_ACCESS_KEY_ID", "key\n"), ("AWS_SECRET_ACCESS_KEY", " secret\r\n")],
        [("AWS_REGION", " us-east-1\n"), ("AWS_SESSION_TOKEN", "")],
        [("AWS_ENDPOINT_URL", ""), ("AWS_ENDPOINT_URL_S3", "")],
    ] {
        let output = scene.run_with(&variables, &["skills", "list"]);
        assert!(output.status.success(), "{variables:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    for (name, value) in [
        ("AWS_ACCESS_KEY_ID", "k\ney"),
        ("AWS_SECRET_ACCESS_KEY", "sec\nret"),
        ("AWS_SESSION_TOKEN", "to ken"),
        ("AWS_REGION", "us east"),
    ] {
        let output = scene.run_with(&[(name, value)], &["skills", "list"]);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!([Some(2), Some(7)].contains(&output.status.code()), "{name}: {:?} {error}", output.status);
        assert!(error.contains(name) && error.contains("has a space, a line feed"), "{name}: {error}");
        assert!(!error.contains(value) && !error.contains("panicked"), "{name}: {error}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_goes_on_after_its_credentials_were_rotated() {
    let scene = Scene::new().await;
    let profile = |key: &str| format!("[default]\naws_access_key_id = {key}\naws_secret_access_key = secret\n");
    scene.home.file("credentials", &profile("key"));
    let mut serve = Command::new(env!("CARGO_BIN_EXE_skillmount"));
    serve.args(["serve", "--listen", "127.0.0.1:0", "--json", "--store", &format!("s3://{BUCKET}")]);
    serve.args(["--endpoint-url", &scene.proxy.url]).env_clear().current_dir(scene.home.path());
    serve.env("AWS_SHARED_CREDENTIALS_FILE", "credentials").env("AWS_EC2_METADATA_DISABLED", "true");
    serve.env("HOME", scene.home.path()).env("XDG_DATA_HOME", scene.home.path().join("data"));
    let server = Server::spawn(&mut serve);
    let read = async || {
        let url = format!("{}/v1/users/ana/sessions/s/ls", server.url);
        let body = serde_json::json!({ "path": "/workspace" });
        reqwest::Client::new().post(url).json(&body).send().await.unwrap().status().as_u16()
    };
    assert_eq!(read().await, 200);
    scene.proxy.set(ProxyFault::Expired("key"));
    assert_eq!(read().await, 503);
    scene.home.file("credentials", &profile("second-key"));
    let began = Instant::now();
    while read().await != 200 {
        assert!(began.elapsed() < Duration::from_secs(20), "the service keeps the old credentials");
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_directory_bucket_is_refused_by_its_name() {
    let scene = Scene::new().await;
    let store = ["--store", "s3://agents--use1-az4--x-s3", "--endpoint-url", &scene.proxy.url, "skills", "list"];
    let (status, code): (i32, String) = scene.home.refused(&store);
    assert_eq!((status, code.as_str()), (2, "invalid_request"));
    assert_eq!(scene.proxy.listings(), 0);
}
