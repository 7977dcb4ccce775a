//! What `doctor` says of each mistake people make with S3: the real binary against a server that answers by script.

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
};

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::{Home, server::Server};

/// A server that answers each request with what `answer` makes of its first line, until the test ends.
pub(super) fn serving(answer: impl Fn(&str) -> String + Send + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            // A client that goes away is no trouble of the server's.
            let _ = answer_one(stream, &answer);
        }
    });
    address
}

fn answer_one(mut stream: TcpStream, answer: &impl Fn(&str) -> String) -> std::io::Result<()> {
    let mut request = Vec::new();
    let mut part = [0; 4096];
    let end_of_head = |request: &[u8]| request.windows(4).position(|window| window == b"\r\n\r\n");
    while end_of_head(&request).is_none() {
        let length = stream.read(&mut part)?;
        if length == 0 {
            return Ok(());
        }
        request.extend_from_slice(&part[..length]);
    }
    let text = String::from_utf8_lossy(&request).into_owned();
    stream.write_all(answer(text.lines().next().unwrap_or_default()).as_bytes())?;
    // What is left of a body is read, so that closing does not take the answer back.
    stream.shutdown(std::net::Shutdown::Write)?;
    while stream.read(&mut part)? > 0 {}
    Ok(())
}

fn http(status: u16, headers: &str, kind: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status} Scripted\r\n{headers}Content-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
}

/// An error as S3 writes it; `more` are further headers.
pub(super) fn refused(status: u16, code: &str, inside: &str, more: &str) -> String {
    let body = format!("<?xml version=\"1.0\"?><Error><Code>{code}</Code>{inside}</Error>");
    http(status, more, "application/xml", &body)
}

fn empty_listing() -> String {
    let body = "<?xml version=\"1.0\"?><ListBucketResult><Name>agents</Name><KeyCount>0</KeyCount><IsTruncated>false</IsTruncated></ListBucketResult>";
    http(200, "", "application/xml", body)
}

/// The binary on the bucket `agents` at `endpoint`, with keys in the environment.
pub(super) fn on_s3(home: &Home, endpoint: &str, arguments: &[&str]) -> assert_cmd::Command {
    on_aws(home, &[&["--endpoint-url", endpoint], arguments].concat())
}

/// The binary on the bucket `agents` at the endpoint that the configuration names, with keys in the environment.
fn on_aws(home: &Home, arguments: &[&str]) -> assert_cmd::Command {
    let mut command = home.command(&[&["--store", "s3://agents"], arguments].concat());
    command
        .env("AWS_ACCESS_KEY_ID", "key")
        .env("AWS_SECRET_ACCESS_KEY", "secret")
        .env("AWS_EC2_METADATA_DISABLED", "true");
    command
}

/// The first check that failed: its name, what it says, and how to fix it.
fn first_failure(mut command: assert_cmd::Command) -> (String, String, String) {
    let output = command.arg("doctor").arg("--json").output().unwrap();
    let (shown, advice) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(7), "{shown}{advice}");
    assert!(!shown.contains("skillmount doctor") && !advice.contains("skillmount doctor"), "{shown}{advice}");
    let checks: Value = serde_json::from_str(&shown).unwrap();
    let failed = checks["checks"].as_array().unwrap().iter().find(|check| check["status"] == "fail").unwrap();
    let text = |name: &str| failed[name].as_str().unwrap_or_default().to_owned();
    (text("name"), text("detail"), text("fix"))
}

/// Mistakes as S3 answers them: the answer, and the check, the words and the cure that doctor must give.
fn mistakes() -> Vec<(String, [&'static str; 3])> {
    let past = Timestamp::now() - SignedDuration::from_mins(20);
    let date = format!("Date: {}\r\n", past.strftime("%a, %d %b %Y %H:%M:%S GMT"));
    let html = "<html><body>Welcome to the console</body></html>";
    let not_allowed = "<Message>User: arn:aws:iam::1:user/ana is not authorized to perform: s3:ListBucket on resource: arn:aws:s3:::agents</Message>";
    let expecting = "<Message>the region 'us-east-1' is wrong; expecting 'eu-west-1'</Message>";
    vec![
        (
            refused(404, "NoSuchBucket", "", ""),
            ["bucket", "\"agents\" does not exist", "create-bucket --bucket agents"],
        ),
        (
            refused(301, "PermanentRedirect", "", "x-amz-bucket-region: eu-west-1\r\n"),
            ["bucket", "in the region eu-west-1", "--region eu-west-1"],
        ),
        (
            refused(400, "AuthorizationHeaderMalformed", "<Region>eu-west-1</Region>", ""),
            ["bucket", "in the region eu-west-1", "--region eu-west-1"],
        ),
        (
            refused(400, "AuthorizationHeaderMalformed", expecting, ""),
            ["bucket", "in the region eu-west-1", "--region eu-west-1"],
        ),
        (
            http(400, "x-amz-bucket-region: eu-west-1\r\n", "", ""),
            ["bucket", "in the region eu-west-1", "--region eu-west-1"],
        ),
        (
            refused(307, "TemporaryRedirect", "", "x-amz-bucket-region: eu-west-1\r\n"),
            ["bucket", "in the region eu-west-1", "--region eu-west-1"],
        ),
        (refused(400, "ExpiredToken", "", ""), ["credentials", "have expired", "aws sso login"]),
        (
            refused(403, "InvalidAccessKeyId", "", ""),
            ["credentials", "does not know this access key", "AWS_ACCESS_KEY_ID"],
        ),
        (refused(403, "SignatureDoesNotMatch", "", ""), ["credentials", "secret access key", "AWS_SECRET_ACCESS_KEY"]),
        (refused(403, "AccessDenied", not_allowed, ""), ["permissions", "denies s3:ListBucket", "allow s3:ListBucket"]),
        (refused(403, "AccessDenied", "", ""), ["permissions", "denies s3:ListBucket", "allow s3:ListBucket"]),
        (refused(403, "RequestTimeTooSkewed", "", &date), ["clock", "20 minutes ahead of the store's", "timedatectl"]),
        (refused(503, "SlowDown", "", ""), ["endpoint", "asks for fewer requests", "spread the load"]),
        (refused(500, "InternalError", "", ""), ["endpoint", "failed with status 500", "the operator of the server"]),
        (http(200, "", "text/html", html), ["endpoint", "is not S3", "correct --endpoint-url"]),
        (http(404, "", "text/html", html), ["endpoint", "is not S3", "correct --endpoint-url"]),
        (http(403, "", "text/html", html), ["endpoint", "is not S3", "correct --endpoint-url"]),
        (http(405, "", "text/html", html), ["endpoint", "status 405", "proxy"]),
    ]
}

#[test]
fn doctor_names_the_mistake_and_its_fix() {
    let home = Home::new();
    for (answer, [name, words, cure]) in mistakes() {
        let text = answer.clone();
        let address = serving(move |_| text.clone());
        let (check, detail, fix) = first_failure(on_s3(&home, &format!("http://{address}"), &[]));
        assert_eq!(check, name, "{answer}\n{detail}\n{fix}");
        assert!(detail.contains(words), "{detail}, for\n{answer}");
        assert!(fix.contains(cure), "{fix}, for\n{answer}");
    }
}

#[test]
fn doctor_names_mistakes_that_are_made_before_anything_is_asked() {
    let home = Home::new();
    let address = serving(|_| empty_listing());
    let endpoint = format!("http://{address}");

    let mut without_keys = on_s3(&home, &endpoint, &[]);
    without_keys.env_remove("AWS_ACCESS_KEY_ID").env_remove("AWS_SECRET_ACCESS_KEY");
    let (check, detail, fix) = first_failure(without_keys);
    assert_eq!(check, "credentials", "{detail}");
    assert!(detail.contains("no credentials were found") && fix.contains("AWS_ACCESS_KEY_ID"), "{detail}: {fix}");

    let (check, detail, _) = first_failure(on_s3(&home, &address.to_string(), &[]));
    assert_eq!(check, "configuration", "{detail}");
    assert!(detail.contains(&format!("did you mean \"{endpoint}\"")), "{detail}");

    home.file(".aws/config", "[profile work]\nregion = eu-west-1\naws_access_key_id = a\naws_secret_access_key = b\n");
    let (check, detail, _) = first_failure(on_s3(&home, &endpoint, &["--profile", "nosuch"]));
    assert_eq!(check, "configuration", "{detail}");
    assert!(detail.contains("\"nosuch\"") && detail.contains("work"), "{detail}");

    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (check, detail, fix) = first_failure(on_s3(&home, &format!("http://{nobody}"), &[]));
    assert_eq!(check, "endpoint", "{detail}");
    assert!(
        detail.contains("no connection") && detail.contains("refused") && fix.contains("--endpoint-url"),
        "{detail}"
    );
}

/// A server that lists nothing, and the requests it gets.
fn listening() -> (String, std::sync::mpsc::Receiver<String>) {
    let (seen, asked) = std::sync::mpsc::channel();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let mut head = vec![0; 16 * 1024];
            let length = stream.read(&mut head).unwrap_or(0);
            let _ = seen.send(String::from_utf8_lossy(&head[..length]).into_owned());
            let _ = stream.write_all(empty_listing().as_bytes());
        }
    });
    (endpoint, asked)
}

#[test]
fn a_profile_that_is_named_goes_before_keys_in_the_environment() {
    let home = Home::new();
    home.file(
        ".aws/config",
        "[profile work]\nregion = eu-west-1\naws_access_key_id = of-work\naws_secret_access_key = b\n",
    );
    let (endpoint, asked) = listening();
    on_s3(&home, &endpoint, &["--profile", "work", "skills", "list"]).output().unwrap();
    let request = asked.recv().unwrap();
    assert!(request.contains("Credential=of-work/") && request.contains("/eu-west-1/s3/"), "{request}");
}

#[test]
fn an_endpoint_in_a_profile_is_a_custom_endpoint() {
    let (endpoint, asked) = listening();
    for config in [
        format!("[profile work]\nendpoint_url = {endpoint}\n"),
        format!("[profile work]\nservices = local\n[services local]\ns3 =\n  endpoint_url = {endpoint}\n"),
    ] {
        let home = Home::new();
        home.file(".aws/config", &config);
        home.file(".aws/credentials", "[work]\naws_access_key_id = a\naws_secret_access_key = b\n");
        let output = on_aws(&home, &["--profile", "work", "skills", "list"]).output().unwrap();
        let request =
            asked.try_recv().unwrap_or_else(|_| panic!("{config}{}", String::from_utf8_lossy(&output.stderr)));
        assert!(request.starts_with("GET /agents/") && request.contains("/us-east-1/s3/"), "{request}");
        while asked.try_recv().is_ok() {}
    }

    let home = Home::new();
    home.file(".aws/config", "[profile work]\nregion = eu-west-1\nendpoint_url = ftp://127.0.0.1\n");
    let (check, detail, _) = first_failure(on_aws(&home, &["--profile", "work"]));
    assert_eq!(check, "configuration", "{detail}");
    assert!(detail.contains("\"ftp://127.0.0.1\" is not a URL of a server"), "{detail}");
}

#[test]
fn an_endpoint_in_the_environment_is_checked_only_if_it_is_used() {
    let home = Home::new();
    let (endpoint, asked) = listening();
    on_s3(&home, &endpoint, &["skills", "list"]).env("AWS_ENDPOINT_URL", "nonsense").output().unwrap();
    assert!(asked.try_recv().is_ok());
    let mut used = on_aws(&home, &["--region", "eu-west-1"]);
    used.env("AWS_ENDPOINT_URL", "nonsense");
    let (check, detail, _) = first_failure(used);
    assert_eq!(check, "configuration", "{detail}");
    assert!(detail.contains("\"nonsense\" is not a URL of a server"), "{detail}");
}

#[test]
fn a_profile_that_is_named_has_the_region_of_a_bucket_on_amazon() {
    let home = Home::new();
    // No server has a region of this name, so the SDK refuses it before it sends anything.
    home.file(".aws/config", "[default]\noutput = json\n[profile work]\nregion = no_such_region\n");
    let (check, detail, _) = first_failure(on_aws(&home, &[]));
    assert_eq!(check, "configuration", "{detail}");
    assert!(detail.contains("the region of bucket \"agents\" is not known"), "{detail}");
    assert!(detail.contains("AWS_REGION=eu-west-1"), "an example: {detail}");
    let mut empty = on_aws(&home, &[]);
    empty.env("AWS_REGION", "");
    let (check, detail, _) = first_failure(empty);
    assert!(check == "configuration" && detail.contains("is not known"), "an empty variable is none: {check} {detail}");
    home.file(".aws/credentials", "[work]\naws_access_key_id = a\naws_secret_access_key = b\n");
    let (check, detail, _) = first_failure(on_aws(&home, &["--profile", "work"]));
    assert_ne!(check, "configuration", "{detail}");
}

// S-STORE-9: A disk or bucket that can only be read serves reads: `serve` says so at start and refuses changes with
// that reason.
#[test]
fn a_bucket_that_can_only_be_read_serves_reading() {
    let home = Home::new();
    let address = serving(|request| {
        if request.starts_with("GET /agents/?") {
            empty_listing()
        } else if request.starts_with("GET") || request.starts_with("HEAD") {
            refused(404, "NoSuchKey", "", "")
        } else {
            refused(403, "AccessDenied", "", "")
        }
    });
    let endpoint = format!("http://{address}");
    let (check, detail, fix) = first_failure(on_s3(&home, &endpoint, &[]));
    assert_eq!(check, "conditional writes", "{detail}");
    assert!(detail.contains("denies s3:PutObject") && fix.contains("allow s3:PutObject"), "{detail}: {fix}");

    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_skillmount"));
    command.env_clear().env("HOME", home.path()).current_dir(home.path());
    command.env("AWS_ACCESS_KEY_ID", "key").env("AWS_SECRET_ACCESS_KEY", "secret");
    command.args(["--store", "s3://agents", "--endpoint-url", &endpoint, "serve", "--listen", "127.0.0.1:0", "--json"]);
    let server = Server::spawn(command.stderr(std::process::Stdio::null()));
    assert_eq!(home.ok(&["--server", &server.url, "ls"]), "/workspace/\n/ticket/\n");
    let refused = home.refused(&["--server", &server.url, "write", "/workspace/a.md", "x"]);
    assert_eq!(refused, (4, "read_only".to_owned()));
}

// S-STORE-10: At start, the service races 16 concurrent writes on one object below `_probe/`, in each of four rounds, and
// refuses changes if a round has a winner too many.
#[test]
fn doctor_names_the_server_that_ignores_a_condition_and_serve_only_reads_from_it() {
    let home = Home::new();
    let address = serving(|request| {
        if request.contains("versioning") {
            http(200, "Server: SeaweedFS 4.16\r\n", "application/xml", "<VersioningConfiguration/>")
        } else if request.starts_with("GET /agents/?") {
            empty_listing()
        } else if request.starts_with("GET") || request.starts_with("HEAD") {
            refused(404, "NoSuchKey", "", "")
        } else {
            http(200, "ETag: \"v1\"\r\n", "application/xml", "")
        }
    });
    let endpoint = format!("http://{address}");
    let output = on_s3(&home, &endpoint, &["doctor", "--json"]).output().unwrap();
    let checks: Value = serde_json::from_slice(&output.stdout).unwrap();
    let check = |name: &str| checks["checks"].as_array().unwrap().iter().find(|check| check["name"] == name).unwrap();
    assert_eq!(output.status.code(), Some(7), "{checks}");
    assert_eq!(check("server")["detail"], "SeaweedFS: before version 4.41, concurrent creates could all succeed");
    let conditions = check("conditional writes");
    assert_eq!(conditions["status"], "fail");
    assert!(conditions["detail"].as_str().unwrap().contains("16 of 16 concurrent creates succeeded"), "{checks}");

    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_skillmount"));
    command.env_clear().env("HOME", home.path()).current_dir(home.path());
    command.env("AWS_ACCESS_KEY_ID", "key").env("AWS_SECRET_ACCESS_KEY", "secret");
    command.args(["--store", "s3://agents", "--endpoint-url", &endpoint, "serve", "--listen", "127.0.0.1:0", "--json"]);
    let server = Server::spawn(command.stderr(std::process::Stdio::null()));
    let refused = home.refused(&["--server", &server.url, "write", "/workspace/a.md", "x"]);
    assert_eq!(refused, (4, "read_only".to_owned()));
}

// S-POLICY-6: The answer to a change of a policy names its rules that match no skill, in `unmatched_rules`.
#[test]
fn rules_of_a_policy_that_match_no_skill_are_named() {
    let home = Home::with_skills();
    let server = Server::start(&home, &[]);
    let check = |flags: &[&str]| {
        let report = home.json(&[flags, &["doctor"]].concat());
        let checks = report["checks"].as_array().unwrap().clone();
        checks.into_iter().find(|check| check["name"] == "policy")
    };
    let rules = |more: &str| {
        let policy = format!(r#"{{"skills": {{"escrituras/*": "enabled"{more}}}}}"#);
        home.file("data/skillmount/me/.skillmount/policy.json", &policy);
    };
    rules("");
    for flags in [&[][..], &["--server", &server.url]] {
        assert_eq!(check(flags), None, "{flags:?}");
    }
    rules(r#", "Escrituras/*": "blocked", "notes": "blocked""#);
    // A service that runs keeps a policy for a while.
    let other = Server::start(&home, &[]);
    for flags in [&[][..], &["--server", &other.url]] {
        let check = check(flags).unwrap();
        assert_eq!(check["status"], "warn", "{check}");
        assert_eq!(check["detail"], "no skill matches the rules Escrituras/*, notes", "{flags:?}");
    }
}

// S-MCP-24: `doctor --mcp-host NAME` prints how much reaches the model behind a host.
#[test]
fn doctor_shows_how_much_reaches_the_model_behind_a_host() {
    let home = Home::new();
    for number in 0..200 {
        let text =
            format!("---\nname: s{number:03}\ndescription: Does the task {number} of many, in some words.\n---\nB\n");
        home.file(&format!("skills/s{number:03}/SKILL.md"), &text);
    }
    let view = |host: &str| -> serde_json::Value {
        let store = format!("skills:{}", home.path().join("skills").display());
        serde_json::from_str(&home.ok(&["--store", &store, "--json", "doctor", "--mcp-host", host])).unwrap()
    };
    let claude = &view("claude-code")["hosts"][0];
    let instructions = &claude["instructions"];
    let described = instructions["with_description"].as_u64().unwrap();
    assert_eq!((claude["skills"].as_u64(), instructions["arrived"] == instructions["sent"]), (Some(200), true));
    assert!(instructions["arrived"].as_u64().unwrap() <= 2048 && (5..200).contains(&described), "{instructions}");
    let named = instructions["text"].as_str().unwrap().matches("\n- s").count() as u64;
    assert_eq!(named, described + instructions["by_name"].as_u64().unwrap());
    assert!(claude["hook"]["with_description"].as_u64().unwrap() > described);
    assert!(claude["tools"].as_array().unwrap().iter().all(|tool| tool["is_whole"] == true), "{}", claude["tools"]);

    let desktop = &view("claude-desktop")["hosts"][0];
    assert_eq!((desktop["instructions"]["arrived"].as_u64(), &desktop["instructions"]["text"]), (Some(0), &"".into()));
    assert_eq!(view("vscode")["hosts"][0]["result_bytes"], 8000);
    assert!(view("all")["hosts"].as_array().unwrap().len() > 10);
    let store = format!("skills:{}", home.path().join("skills").display());
    let page = home.ok(&["--store", &store, "doctor", "--mcp-host", "claude-desktop"]);
    assert!(page.contains("the rest       discover_skills; its description and the first result say when"), "{page}");
    assert!(home.ok(&["--store", &store, "doctor", "--mcp-host", "all"]).contains("| claude-code | "));
    let unknown = home.run(&["--store", &store, "doctor", "--mcp-host", "emacs"]);
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("the hosts are claude-code, "));
}
