//! The mistakes that people make at a terminal, and what each is told: the tables here, the answers in snapshots.
//!
//! What a disk does that is full, or that may not be read or written, is in `troubled_disk`.

use std::{
    io::{Read as _, Write as _},
    net::TcpListener,
};

use super::{Home, server::Server, skill};

/// What is wrong, and the command: settings from the environment come first. `{…}` stands for what the test has made.
const MISTAKES: &[(&str, &str)] = &[
    ("a command that is none", "frob"),
    ("a subcommand that is none", "skills frob"),
    ("a flag that is none", "ls --frob"),
    ("a format that is none", "prompt --format html"),
    ("a user who is no id", "--user ../u2 ls"),
    ("a store that is none", "--store nonsense ls"),
    ("a store without a bucket", "--store s3:// ls"),
    ("a server and a store", "--store memory: --server http://127.0.0.1:9 ls"),
    ("a server that is down", "--server http://127.0.0.1:9 ls"),
    ("a server without http://", "--server 127.0.0.1:8787 ls"),
    ("a server that is another program", "--server {other} skills list"),
    ("a server that is a page", "--server {page} skills list"),
    ("a server's key that is missing", "--server {keyed} ls"),
    ("a key that the server does not know", "--server {keyed} --api-key wrong ls"),
    ("a configuration that is not there", "--config none.toml ls"),
    ("a configuration that is a folder", "--config empty ls"),
    ("a configuration that is not TOML", "--config broken.toml ls"),
    ("a setting with a typo", "--config typo.toml ls"),
    ("a variable with a typo", "SKILLMOUNT_STOER=memory: ls"),
    ("a log filter that is none", "SKILLMOUNT_LOG=a=b=c ls"),
    ("an address that is none", "serve --listen nonsense"),
    ("an address of others without keys", "serve --listen 0.0.0.0:8787"),
    ("an address in use", "serve --listen {taken}"),
    ("a format of the log that is none", "serve --log-format xml"),
    ("a drain that is no number", "serve --drain soon"),
    ("too little memory", "serve --memory-limit 1"),
    ("a keys file that is not there", "serve --keys none.toml"),
    ("a keys file that is not TOML", "serve --keys broken.toml"),
    ("a keys file with a hash that is none", "serve --keys hashless.toml"),
    ("push without a folder", "push"),
    ("push of what is not there", "push nosuch"),
    ("push of a file", "push file.txt"),
    ("push of a folder without a skill", "push empty"),
    ("pull of a skill with a typo", "pull compravneta out"),
    ("lint of what is not there", "lint nosuch"),
    ("show of a skill with a typo", "skills show compravneta"),
    ("load of a skill with a typo", "skills load comprventa"),
    ("a move of a skill to where it is", "skills mv notas notas"),
    ("a move of a skill to where another is", "skills mv notas escrituras/compraventa"),
    ("an operation that is none", "audit --operation nosuch"),
    ("an event that is none", "session tail --after x"),
    ("a deletion that nobody began", "user deletion never"),
    ("an export of a user with a typo", "user export mee me.tar"),
    ("an export to a file that is there", "user export me file.txt"),
    ("a path with ..", "cat /workspace/../x"),
    ("a relative path", "cat notes.md"),
    ("a skill's file before it is loaded", "cat /skills/notas/SKILL.md"),
    ("a pattern that does not parse", "grep ("),
    ("a file that exists", "write /workspace/a.md y"),
    ("a folder that is deleted as a file", "rm /workspace/d"),
];

/// A program that answers whatever it is asked with this, until the test ends.
fn answering(answer: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            // What asks here has no body, and its head comes at once.
            let _ = stream.read(&mut [0; 16 << 10]);
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    format!("http://{address}")
}

/// What a command prints, with everything out of it that differs from run to run.
fn told(home: &Home, what: &str, line: &str, made: &[(&str, String)]) -> String {
    let words: Vec<String> = line
        .split_whitespace()
        .map(|word| made.iter().fold(word.to_owned(), |word, (name, value)| word.replace(name, value)))
        .collect();
    let (variables, words): (Vec<_>, Vec<_>) = words.iter().partition(|word| word.starts_with("SKILLMOUNT_"));
    let typed = home.typed(&words.iter().map(|word| word.as_str()).collect::<Vec<_>>());
    let variables = variables.iter().filter_map(|variable| variable.split_once('='));
    let output = variables.fold(typed, |typed, (name, value)| typed.env(name, value)).run();
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let text = text.replace(home.path().canonicalize().unwrap().to_str().unwrap(), "[home]");
    format!("## {what}\n$ skillmount {line}\n{}\n[status {}]\n\n", text.trim_end(), output.status.code().unwrap())
}

#[test]
fn what_each_mistake_is_told_is_as_reviewed() {
    let mut home = Home::new();
    home.leave_indexes_alone();
    home.file("skills/escrituras/compraventa/SKILL.md", &skill("compraventa", "Prepara la escritura."));
    home.file("skills/notas/SKILL.md", &skill("notas", "Toma notas."));
    home.ok(&["push", "skills"]);
    home.ok(&["write", "/workspace/a.md", "x"]);
    home.ok(&["write", "/workspace/d/b.md", "x"]);
    home.file("file.txt", "x");
    home.file("empty/notes.txt", "x");
    home.file("broken.toml", "user = [\n");
    home.file("typo.toml", "# mine\nregoin = \"eu-west-1\"\n");
    home.file("hashless.toml", "[[key]]\nhash = 7\n");
    home.file("keys.toml", home.json(&["keys", "new"])["entry"].as_str().unwrap());
    let keyed = Server::start(&home, &["--keys", "keys.toml"]);
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let made = [
        ("{keyed}", keyed.url.clone()),
        ("{taken}", taken.local_addr().unwrap().to_string()),
        ("{other}", answering("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")),
        ("{page}", answering("HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\n<html>")),
    ];
    let text: String = MISTAKES.iter().map(|(what, line)| told(&home, what, line, &made)).collect();
    insta::with_settings!({ filters => [(r"127\.0\.0\.1:\d{5}", "127.0.0.1:[port]")] }, {
        insta::assert_snapshot!("mistakes", text);
    });
}

#[cfg(feature = "s3")]
mod with_s3 {
    use super::{Home, answering};
    use crate::cli::doctor::{on_s3, refused, serving};

    /// What is wrong, and how S3 answers it: status, code, what the error holds, and headers.
    const MISTAKES: &[(&str, u16, &str, &str, &str)] = &[
        ("a bucket that is not there", 404, "NoSuchBucket", "", ""),
        ("a bucket in another region", 301, "PermanentRedirect", "", "x-amz-bucket-region: eu-west-1\r\n"),
        ("another region in the signature", 400, "AuthorizationHeaderMalformed", "<Region>eu-west-1</Region>", ""),
        ("a token that has expired", 400, "ExpiredToken", "", ""),
        ("an access key that is unknown", 403, "InvalidAccessKeyId", "", ""),
        ("a secret key that is wrong", 403, "SignatureDoesNotMatch", "", ""),
        ("a right that is missing", 403, "AccessDenied", "", ""),
        ("more requests than the store takes", 503, "SlowDown", "", ""),
        ("a store that fails", 500, "InternalError", "", ""),
    ];

    fn told(what: &str, mut list: assert_cmd::Command, mut doctor: assert_cmd::Command) -> String {
        let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
        let list = list.args(["skills", "list"]).output().unwrap();
        let doctor = doctor.args(["doctor", "--json"]).output().unwrap();
        let checks: serde_json::Value = serde_json::from_slice(&doctor.stdout).unwrap();
        let failed = checks["checks"].as_array().unwrap().iter().find(|check| check["status"] == "fail").unwrap();
        format!(
            "## {what}\n{}\n[status {}]\ndoctor: {}: {}\nto fix it: {}\n\n",
            shown(&list.stderr),
            list.status.code().unwrap(),
            failed["name"].as_str().unwrap(),
            failed["detail"].as_str().unwrap(),
            failed["fix"].as_str().unwrap_or("-"),
        )
    }

    #[test]
    fn what_each_mistake_is_told_is_as_reviewed() {
        let home = Home::new();
        let mut text = String::new();
        let both = |endpoint: &str| [on_s3(&home, endpoint, &[]), on_s3(&home, endpoint, &[])];
        for (what, status, code, inside, headers) in MISTAKES {
            let answer = refused(*status, code, inside, headers);
            let endpoint = format!("http://{}", serving(move |_| answer.clone()));
            let [list, doctor] = both(&endpoint);
            text += &told(what, list, doctor);
        }
        let page = answering(
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\nConnection: close\r\n\r\n<html>",
        );
        let [list, doctor] = both(&page);
        text += &told("an endpoint that is another server", list, doctor);
        let [list, doctor] = both("127.0.0.1:4566");
        text += &told("an endpoint without http://", list, doctor);
        let [list, doctor] = both("http://127.0.0.1:9");
        text += &told("an endpoint that nobody listens on", list, doctor);
        let profile = || on_s3(&home, &page, &["--profile", "nosuch"]);
        text += &told("a profile that is not there", profile(), profile());
        let without_keys = || {
            let mut command = on_s3(&home, &page, &[]);
            command.env_remove("AWS_ACCESS_KEY_ID").env_remove("AWS_SECRET_ACCESS_KEY");
            command
        };
        text += &told("no credentials", without_keys(), without_keys());
        insta::with_settings!({ filters => [(r"127\.0\.0\.1:\d{5}", "127.0.0.1:[port]")] }, {
            insta::assert_snapshot!("mistakes_with_s3", text);
        });
    }
}
