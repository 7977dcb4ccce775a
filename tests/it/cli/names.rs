//! Names of flags, settings, values and commands: those of today, and those of the version before.

use super::terminal::{plain, seen};
use super::{Home, server::Server};

/// The value and the origin of a setting, with these flags and variables.
fn origin(home: &Home, flags: &[&str], env: &[(&str, &str)], name: &str) -> (String, String) {
    let typed = home.typed(&[flags, &["config", "show", "--json"]].concat());
    let output = env.iter().fold(typed, |typed, (name, value)| typed.env(name, value)).run();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty(), "a script is told nothing");
    let shown: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let line = shown["settings"].as_array().unwrap().iter().find(|line| line["name"] == name).unwrap();
    (line["value"].as_str().unwrap_or_default().to_owned(), line["origin"].as_str().unwrap().to_owned())
}

/// What a command that is refused says.
fn refusal(home: &Home, arguments: &[&str], env: &[(&str, &str)]) -> String {
    let output = env.iter().fold(home.typed(arguments), |typed, (name, value)| typed.env(name, value)).run();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    String::from_utf8(output.stderr).unwrap()
}

/// The settings that had another name: the name, the earlier name and a value.
const RENAMED: &[(&str, &str, &str)] = &[
    ("writable", "write", "true"),
    ("memory_limit", "memory", "300"),
    ("upload_dir", "spool", "uploads"),
    ("embedding_url", "encoder", "dir:model"),
    ("embedding_model", "encoder_model", "small"),
    ("embedding_document_model", "encoder_skill_model", "small"),
    ("embedding_query_prefix", "encoder_question_prefix", "query: "),
    ("embedding_document_prefix", "encoder_skill_prefix", "passage: "),
];

/// The settings whose values are secrets, with their earlier names.
const RENAMED_SECRETS: &[(&str, &str)] = &[("share_signing_key", "link_secret"), ("embedding_api_key", "encoder_key")];

fn variable(name: &str) -> String {
    format!("SKILLMOUNT_{}", name.to_uppercase())
}

#[test]
fn a_setting_has_its_name_and_for_one_version_its_earlier_name() {
    let home = Home::new();
    let secrets = RENAMED_SECRETS.iter().map(|(now, earlier)| (*now, *earlier, "hush", "[redacted]"));
    let plain = RENAMED.iter().map(|(now, earlier, value)| (*now, *earlier, *value, *value));
    for (now, earlier, value, shown) in plain.chain(secrets) {
        for name in [now, earlier] {
            let from = variable(name);
            let expected = (shown.to_owned(), format!("env {from}"));
            assert_eq!(origin(&home, &[], &[(&from, value)], now), expected);
            home.file("skillmount.toml", &format!("{name} = {value:?}\n"));
            assert_eq!(origin(&home, &[], &[], now), (shown.to_owned(), "file skillmount.toml".to_owned()));
        }
        home.file("skillmount.toml", "");
    }
}

#[test]
fn both_names_in_one_place_are_an_error_and_across_places_the_stronger_place_wins() {
    let home = Home::new();
    for (now, earlier, value) in RENAMED {
        let said = refusal(&home, &["ls"], &[(&variable(now), value), (&variable(earlier), value)]);
        assert!(said.contains(&format!("keep {}", variable(now))), "{said}");
        home.file("skillmount.toml", &format!("{now} = {value:?}\n{earlier} = {value:?}\n"));
        let said = refusal(&home, &["ls"], &[]);
        assert!(said.contains(&format!("{now} and {earlier} are two names of one setting; keep {now}")), "{said}");
        home.file("skillmount.toml", "");
    }
    for flags in [["--write", "--writable"], ["--writable", "--write"]] {
        let said = refusal(&home, &[&flags[..], &["ls"]].concat(), &[]);
        assert!(said.contains("keep --writable"), "{said}");
    }
    let said = refusal(&home, &["serve", "--memory", "300", "--memory-limit", "300"], &[]);
    assert!(said.contains("keep --memory-limit"), "{said}");

    let off = [("SKILLMOUNT_WRITABLE", "false")];
    assert_eq!(origin(&home, &["--write"], &off, "writable"), ("true".into(), "flag".into()));
    assert_eq!(origin(&home, &["config", "show", "--write"][2..], &off, "writable").1, "flag");
    home.file("skillmount.toml", "upload_dir = 'from-file'\n");
    let env = [("SKILLMOUNT_SPOOL", "from-env")];
    assert_eq!(origin(&home, &[], &env, "upload_dir"), ("from-env".into(), "env SKILLMOUNT_SPOOL".into()));
}

#[test]
fn an_earlier_flag_of_serve_sets_the_setting() {
    let home = Home::new();
    for flag in ["--memory", "--memory-limit"] {
        let said = refusal(&home, &["serve", flag, "1"], &[]);
        assert!(said.contains("the setting memory_limit (flag)"), "{said}");
    }
    for flag in ["--encoder", "--embedding-url"] {
        for command in ["serve", "mcp"] {
            let said = refusal(&home, &[command, flag, "nonsense"], &[]);
            assert!(said.contains("the setting embedding_url (flag)"), "{said}");
        }
    }
    for flag in ["--spool", "--upload-dir"] {
        let said = refusal(&home, &["serve", flag, "none", "--audit", "on"], &[]);
        assert!(said.contains("there are off, async and sync"), "{said}");
    }
}

#[test]
fn an_audit_mode_has_its_name_and_for_one_version_its_earlier_name() {
    let home = Home::new();
    for (given, mode) in
        [("async", "async"), ("relaxed", "async"), ("sync", "sync"), ("strict", "sync"), ("off", "off")]
    {
        assert_eq!(origin(&home, &[], &[("SKILLMOUNT_AUDIT", given)], "audit").0, mode);
    }
}

#[test]
fn an_earlier_name_is_remarked_on_once_and_only_at_a_terminal() {
    let home = Home::new();
    home.file("skillmount.toml", "spool = 'uploads'\n");
    let told = |arguments: &[&str], env: &[(&str, &str)]| {
        let mut command = home.program(arguments);
        command.envs(env.iter().copied());
        plain(&seen(command, 200))
    };
    let remarks = [
        (told(&["ls"], &[]), "spool is deprecated and goes with the next version; use upload_dir"),
        (told(&["--write", "ls"], &[]), "--write is deprecated and goes with the next version; use --writable"),
        (told(&["ls"], &[("SKILLMOUNT_MEMORY", "300")]), "use SKILLMOUNT_MEMORY_LIMIT"),
        (
            told(&["ls"], &[("SKILLMOUNT_AUDIT", "strict")]),
            "audit = strict is deprecated and goes with the next version; use audit = sync",
        ),
        (
            told(&["session", "gc"], &[]),
            "`skillmount session gc` is deprecated and goes with the next version; use `skillmount session prune`",
        ),
    ];
    for (text, remark) in remarks {
        assert_eq!(text.matches(remark).count(), 1, "{remark}: {text}");
    }
    for arguments in [["ls", "--json"].as_slice(), &["ls", "--quiet"]] {
        assert!(!told(arguments, &[]).contains("deprecated"), "{arguments:?}");
    }
    assert!(home.run(&["--write", "ls"]).stderr.is_empty());
    home.file("skillmount.toml", "upload_dir = 'uploads'\n");
    assert!(!told(&["--writable", "session", "prune"], &[]).contains("deprecated"));
}

#[test]
fn a_renamed_command_has_both_names_and_its_help_shows_one() {
    let home = Home::new();
    for name in ["prune", "gc"] {
        assert_eq!(home.json(&["session", name])["removed"], 0);
    }
    let secret = "0123456789abcdef0123456789abcdef";
    for name in ["share", "link"] {
        let output = home.typed(&[name, "--json"]).env("SKILLMOUNT_SHARE_SIGNING_KEY", secret).run();
        let made: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(made["url"].as_str().unwrap().starts_with("http://127.0.0.1:8787/links/"), "{made}");
    }
    let help = home.ok(&["session", "--help"]);
    assert!(help.contains("\n  prune") && !help.contains("\n  gc"), "{help}");
    let help = home.ok(&["serve", "--help"]);
    for earlier in ["--memory ", "--spool", "--encoder", "--write ", "relaxed", "strict"] {
        assert!(!help.contains(earlier), "{earlier}: {help}");
    }
}

#[test]
fn add_and_update_have_a_second_name() {
    let home = Home::new();
    home.file("theirs/SKILL.md", &super::skill("theirs", "Does theirs."));
    let added = home.json(&["install", "theirs"]);
    assert_eq!(added["sources"][0]["skills"].as_array().unwrap().len(), 1, "{added}");
    assert_eq!(home.json(&["upgrade", "--yes"])["failed"], serde_json::json!([]));
    for (second, first) in [("install", "add"), ("upgrade", "update")] {
        assert_eq!(home.ok(&[second, "--help"]), home.ok(&[first, "--help"]));
    }
}

#[test]
fn find_is_no_command_and_the_two_that_may_be_meant_are_named() {
    let said = refusal(&Home::new(), &["find", "*.md"], &[]);
    assert!(said.contains("'search', 'glob'"), "{said}");
}

#[test]
fn serve_listens_at_a_host_and_a_port() {
    let home = Home::new();
    let serve = |arguments: &[&str]| {
        let mut command = home.program(&[&["serve", "--json"], arguments].concat());
        Server::spawn(command.stderr(std::process::Stdio::piped())).url.clone()
    };
    for arguments in [&["--port", "0"][..], &["--host", "localhost", "--port", "0"]] {
        let url = serve(arguments);
        assert!(url.starts_with("http://127.0.0.1:") && !url.ends_with(":8787"), "{url}");
    }
    let said = refusal(&home, &["serve", "--host", "0.0.0.0", "--port", "0"], &[]);
    assert!(said.contains("refusing to listen on 0.0.0.0:"), "{said}");
    let said = refusal(&home, &["serve", "--port", "0", "--listen", "127.0.0.1:0"], &[]);
    assert!(said.contains("cannot be used with"), "{said}");
    let said = refusal(&home, &["serve", "--host", "nowhere"], &[]);
    assert!(said.contains("give an IP address of this machine such as 0.0.0.0, or localhost"), "{said}");
    // A service of Kubernetes with the name skillmount sets it.
    let env = [("SKILLMOUNT_PORT", "tcp://10.0.0.1:8787")];
    assert_eq!(origin(&home, &[], &env, "listen"), ("127.0.0.1:8787".into(), "default".into()));
}
