//! Skills from elsewhere: another skillmount, a git repository, a folder, and whoever means harm.

use std::{
    fs,
    io::{Read as _, Write as _},
    net::TcpListener,
    os::unix::{
        ffi::OsStrExt as _,
        fs::{PermissionsExt as _, symlink},
    },
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use bytes::Bytes;
use serde_json::{Value, json};
use skillmount::skill::{VersionFile, plain_zip};
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

use super::{Home, server::Server, skill};

const SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";

/// What became of each skill, by `--json`.
fn statuses(answer: &Value) -> Vec<(String, String)> {
    let sources = answer["sources"].as_array().unwrap().iter();
    let rows = sources.flat_map(|source| source["skills"].as_array().unwrap());
    rows.map(|row| (row["skill"].as_str().unwrap().to_owned(), row["status"].as_str().unwrap().to_owned())).collect()
}

fn as_pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(skill, status)| ((*skill).to_owned(), (*status).to_owned())).collect()
}

fn git(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("HOME", folder);
    command.args(["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main"]);
    let output = command.current_dir(folder).args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// A repository in the home with two skills, and its address.
fn repository(home: &Home) -> (PathBuf, String) {
    home.file("repo/skills/minutes/SKILL.md", &skill("minutes", "Takes the minutes."));
    home.file("repo/skills/minutes/form.md", "one\n");
    home.file("repo/notes/SKILL.md", &skill("notes", "Takes notes."));
    let repo = home.path().join("repo");
    git(&repo, &["init", "--quiet"]);
    commit(&repo);
    (repo.clone(), format!("file://{}", repo.display()))
}

fn commit(repo: &Path) {
    git(repo, &["add", "--all"]);
    git(repo, &["commit", "--quiet", "--message", "x"]);
}

/// The lock file of the one store that a test uses.
fn lock(home: &Home) -> Value {
    let folder = fs::read_dir(home.path().join("data/skillmount-sources")).unwrap().next().unwrap().unwrap().path();
    assert_eq!(fs::metadata(folder.join("skillmount.lock")).unwrap().permissions().mode() & 0o777, 0o600);
    serde_json::from_slice(&fs::read(folder.join("skillmount.lock")).unwrap()).unwrap()
}

// S-ADD-1: `add` takes skills from a host, another skillmount, a git repository or a folder, and the same command changes nothing
// the second time.
#[test]
fn what_another_skillmount_shows_is_added_once_to_a_store_and_through_a_server() {
    let other = Home::new();
    other.file("mine/writing/minutes/SKILL.md", &skill("minutes", "Takes the minutes."));
    other.file("mine/writing/minutes/form.md", "one\n");
    other.file("mine/notes/SKILL.md", &skill("notes", "Takes notes."));
    let shows = Server::start(&other, &["mine", "--public", "127.0.0.1=me"]);
    let home = Home::new();
    let here = Server::start(&home, &["--store", "memory:"]);
    for through in [vec![], vec!["--server", here.url.as_str()]] {
        let run = |arguments: &[&str]| home.json(&[&through[..], arguments].concat());
        let add = ["add", shows.url.as_str(), "--into", "from-elsewhere"];
        let dry = run(&[&add[..], &["--dry-run"]].concat());
        let new = as_pairs(&[("from-elsewhere/minutes", "new"), ("from-elsewhere/notes", "new")]);
        assert_eq!(statuses(&dry), new);
        assert_eq!(statuses(&run(&add)), new, "a dry run changes nothing");
        let same = as_pairs(&[("from-elsewhere/minutes", "unchanged"), ("from-elsewhere/notes", "unchanged")]);
        assert_eq!(statuses(&run(&add)), same);
        let history = run(&["skills", "history", "minutes"]);
        assert_eq!(history["versions"].as_array().unwrap().len(), 1, "{history}");
        assert!(history["versions"][0]["source"].as_str().unwrap().starts_with(&format!("{} at sha256:", shows.url)));
        home.ok(&[&through[..], &["skills", "rm", "from-elsewhere/notes"]].concat());
        let back = as_pairs(&[("from-elsewhere/minutes", "unchanged"), ("from-elsewhere/notes", "new")]);
        assert_eq!(statuses(&run(&add)), back, "whoever adds it again wants it back");
        let out = format!("out{}", through.len());
        home.ok(&[&through[..], &["pull", "minutes", &out]].concat());
        assert_eq!(home.read(&format!("{out}/from-elsewhere/minutes/form.md")), "one\n");
    }
}

// S-ADD-1: `add` takes skills from a host, another skillmount, a git repository or a folder, and the same command changes nothing
// the second time.
#[test]
fn what_a_git_repository_has_is_added_once_and_updated_when_it_changes() {
    let home = Home::new();
    let (repo, url) = repository(&home);
    let first = git(&repo, &["rev-parse", "HEAD"]);
    assert_eq!(home.refused(&["add", &url]).1, "invalid_request", "--allow-local is missing");
    let add = ["add", &url, "--allow-local"];
    let added = home.json(&add);
    assert_eq!(statuses(&added), as_pairs(&[("minutes", "new"), ("notes", "new")]));
    assert_eq!(added["sources"][0]["revision"], json!(first));
    let locked = lock(&home);
    assert_eq!(locked["skills"]["minutes"]["revision"], json!(first));
    assert_eq!(statuses(&home.json(&add)), as_pairs(&[("minutes", "unchanged"), ("notes", "unchanged")]));
    assert_eq!(lock(&home), locked);
    let history = home.json(&["skills", "history", "minutes"]);
    assert_eq!(history["versions"].as_array().unwrap().len(), 1);
    assert!(history["versions"][0]["source"].as_str().unwrap().ends_with(&format!(" at {first}")), "{history}");

    // S-ADD-2: `update` shows newer skills in the sources of the lock file, and asks before it takes them over.
    home.file("repo/skills/minutes/form.md", "two\n");
    home.file("repo/more/SKILL.md", &skill("more", "Does more."));
    fs::remove_dir_all(repo.join("notes")).unwrap();
    commit(&repo);
    let update = ["update", "--allow-local"];
    let planned = as_pairs(&[("minutes", "changed"), ("notes", "gone")]);
    assert_eq!(statuses(&home.json(&[&update[..], &["--dry-run"]].concat())), planned);
    let unasked = home.run(&update);
    let said = String::from_utf8_lossy(&unasked.stdout).into_owned();
    assert_eq!(unasked.status.code(), Some(2), "nobody is there to be asked");
    assert!(said.contains("minutes: changed, 1 file"), "{said}");
    assert_eq!(lock(&home), locked, "nothing changed so far");
    assert_eq!(statuses(&home.json(&[&update[..], &["--yes"]].concat())), planned);
    home.ok(&["pull", "minutes", "out"]);
    assert_eq!(home.read("out/minutes/form.md"), "two\n");
    assert_eq!(
        statuses(&home.json(&[&update[..], &["--yes"]].concat())),
        as_pairs(&[("minutes", "unchanged"), ("notes", "gone")])
    );

    // What somebody changed here stays.
    home.file("out/minutes/form.md", "mine\n");
    home.ok(&["push", "out"]);
    home.file("repo/skills/minutes/form.md", "three\n");
    commit(&repo);
    for command in [&[&update[..], &["--yes"]].concat()[..], &add] {
        assert_eq!(home.run(command).status.code(), Some(6), "{command:?}");
    }
    home.ok(&["pull", "minutes", "again"]);
    assert_eq!(home.read("again/minutes/form.md"), "mine\n");
}

// S-ADD-2: `update` shows newer skills in the sources of the lock file, and asks before it takes them over.
#[test]
fn a_source_that_is_away_costs_itself_and_is_named() {
    let home = Home::new();
    let (repo, url) = repository(&home);
    home.file("mine/letters/SKILL.md", &skill("letters", "Writes letters."));
    home.ok(&["add", "mine"]);
    home.ok(&["add", &url, "--allow-local", "--into", "theirs"]);
    home.file("mine/letters/SKILL.md", &skill("letters", "Writes better letters."));
    fs::rename(&repo, home.path().join("moved")).unwrap();
    let updated = home.run(&["update", "--allow-local", "--yes", "--json"]);
    assert_eq!(updated.status.code(), Some(2), "the status of the source that is away");
    let document: Value = serde_json::from_slice(&updated.stdout).unwrap();
    assert_eq!(statuses(&document), as_pairs(&[("letters", "changed")]));
    assert_eq!(document["failed"][0]["source"], json!(format!("git+{url}")), "{document}");
    assert!(document["failed"][0]["detail"].as_str().unwrap().contains("git cannot fetch that"), "{document}");
    assert!(home.ok(&["skills", "show", "letters"]).contains("better letters"));
    let told = home.run(&["update", "--dry-run"]);
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(told.contains(&format!("{url}: nothing was looked at")) && told.contains("letters"), "{told}");
}

// S-ADD-6: `add` skips files in Git LFS and files whose names are no text, and says so.
#[test]
fn files_in_lfs_and_names_that_are_no_text_are_passed_over_aloud() {
    let home = Home::new();
    let (repo, url) = repository(&home);
    let pointer =
        "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1\nsize 12\n";
    home.file("repo/notes/model.bin", pointer);
    let strange = std::ffi::OsStr::from_bytes(b"notes-\xff.md");
    fs::write(repo.join("notes").join(strange), "x").unwrap();
    commit(&repo);
    let added = home.json(&["add", &url, "--allow-local"]);
    assert_eq!(statuses(&added), as_pairs(&[("minutes", "new"), ("notes", "new")]));
    let passed_over = added["sources"][0]["passed_over"].to_string();
    assert!(passed_over.contains("notes/model.bin lies in Git LFS"), "{passed_over}");
    assert!(passed_over.contains("has a name that is no text"), "{passed_over}");
    home.ok(&["pull", "notes", "out"]);
    assert_eq!(
        fs::read_dir(home.path().join("out/notes"))
            .unwrap()
            .filter(|one| {
                let name = one.as_ref().unwrap().file_name();
                name == "model.bin" || name.as_bytes().contains(&0xff)
            })
            .count(),
        0
    );
}

#[test]
fn a_folder_is_added_and_a_revision_is_named_by_its_branch_or_tag() {
    let home = Home::new();
    let (repo, url) = repository(&home);
    git(&repo, &["tag", "v1"]);
    home.file("repo/notes/SKILL.md", &skill("notes", "Takes better notes."));
    commit(&repo);
    home.ok(&["add", &format!("{url}#v1"), "--allow-local"]);
    assert!(home.ok(&["skills", "show", "notes"]).contains("Takes notes."));
    let other = ["add", &url, "--allow-local"];
    assert_eq!(home.run(&other).status.code(), Some(6), "it comes from another source");
    assert_eq!(statuses(&home.json(&["add", "repo", "--into", "mine"]))[0].1, "new");
    assert_eq!(statuses(&home.json(&["add", "./repo", "--into", "mine"]))[0].1, "unchanged");
    assert_eq!(home.refused(&["add", "nowhere"]), (2, "invalid_request".to_owned()));
    home.file("bad/SKILL.md", "no frontmatter");
    assert_eq!(home.run(&["add", "bad"]).status.code(), Some(2));
}

// S-ADD-3: `add` runs and follows nothing of a source: no hook, filter, link or submodule of a repository, and no
// option in place of an address.
#[test]
fn nothing_that_a_source_brings_is_run_or_followed() {
    let home = Home::new();
    let (repo, url) = repository(&home);
    let bait = home.path().join("pwned");
    let program = format!("#!/bin/sh\ntouch {}\ncat\n", bait.display());
    for name in ["hooks/post-checkout", "hooks/reference-transaction", "hooks/post-index-change", "filter"] {
        home.file(name, &program);
        fs::set_permissions(home.path().join(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let (hooks, filter) = (home.path().join("hooks"), home.path().join("filter"));
    let (hooks, filter) = (hooks.display(), filter.display());
    let filters = format!("[filter \"evil\"]\n\tsmudge = {filter}\n\trequired = true\n");
    home.file(".gitconfig", &format!("[core]\n\thooksPath = {hooks}\n{filters}"));
    home.file("repo/.gitattributes", "*.md filter=evil\n");
    home.file("repo/.gitmodules", &format!("[submodule \"sub\"]\n\tpath = sub\n\turl = ext::{filter}\n"));
    home.file("secret", "hunter2");
    symlink(home.path().join("secret"), repo.join("notes/link.md")).unwrap();
    git(&repo, &["add", "--all"]);
    let head = git(&repo, &["rev-parse", "HEAD"]);
    git(&repo, &["update-index", "--add", "--cacheinfo", &format!("160000,{head},notes/sub")]);
    git(&repo, &["commit", "--quiet", "--message", "x"]);
    // The bait works: whoever clones the repository in this home takes it.
    git(home.path(), &["clone", "--quiet", &url, "clone"]);
    fs::remove_file(&bait).unwrap();

    let added = home.json(&["add", &url, "--allow-local"]);
    assert_eq!(statuses(&added), as_pairs(&[("minutes", "new"), ("notes", "new")]));
    let passed_over = added["sources"][0]["passed_over"].to_string();
    assert!(
        passed_over.contains("notes/link.md is a link") && passed_over.contains("notes/sub is a submodule"),
        "{passed_over}"
    );
    home.ok(&["pull", "out"]);
    let names: Vec<_> =
        fs::read_dir(home.path().join("out/notes")).unwrap().map(|one| one.unwrap().file_name()).collect();
    assert!(!names.iter().any(|name| name == "link.md" || name == "sub"), "{names:?}");

    let touch = format!("touch {}", bait.display());
    for source in [
        format!("--upload-pack={touch}"),
        format!("ext::sh -c {}", touch.replace(' ', "% ")),
        format!("git+ext::sh -c {}", touch.replace(' ', "% ")),
        "https://ana:hunter2@127.0.0.1:1/a.git".to_owned(),
        "ssh://-oProxyCommand=hunter2/a".to_owned(),
        "http://ana:hunter2@127.0.0.1:1/".to_owned(),
        format!("{url}#--upload-pack={touch}"),
        format!("git+file://{}", repo.display()),
    ] {
        let output = home.run(&["add", "--json", "--", &source]);
        let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(2), "{source}: {said}");
        assert!(!said.contains("hunter2"), "{said}");
    }
    let unreachable = home.run(&["add", "https://127.0.0.1:1/a.git"]);
    assert!(String::from_utf8_lossy(&unreachable.stderr).contains("git cannot fetch that"));
    assert!(!lock(&home).to_string().contains("hunter2"));
    assert!(!bait.exists(), "something was run");
}

/// A host that answers with these bodies, by the path of the request.
fn host(answers: Vec<(&'static str, Vec<u8>)>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let (mut request, mut part) = (Vec::new(), [0; 4096]);
            while !request.windows(4).any(|end| end == b"\r\n\r\n") {
                match stream.read(&mut part) {
                    Ok(length) if length > 0 => request.extend_from_slice(&part[..length]),
                    _ => break,
                }
            }
            let head = String::from_utf8_lossy(&request).into_owned();
            let path = head.split(' ').nth(1).unwrap_or_default();
            let found = answers.iter().find(|(one, _)| path == *one);
            let (status, body) = found.map_or(("404 Not Found", Vec::new()), |(_, body)| ("200 OK", body.clone()));
            let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
            // A client that has had enough is no trouble of the host's.
            let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body));
        }
    });
    base
}

fn index(skills: &Value) -> (&'static str, Vec<u8>) {
    ("/.well-known/agent-skills/index.json", json!({"$schema": SCHEMA, "skills": skills}).to_string().into_bytes())
}

fn digest(bytes: &[u8]) -> String {
    format!("sha256:{}", VersionFile::from_bytes("", bytes).sha256)
}

/// A skill as `tar czf` packs it in its folder, with a link in it if asked for.
fn tarball(name: &str, has_link: bool) -> Vec<u8> {
    let home = Home::new();
    home.file("it/SKILL.md", &skill(name, "Comes packed."));
    home.file("it/forms/a.md", "one\n");
    if has_link {
        symlink("/etc/passwd", home.path().join("it/forms/b.md")).unwrap();
    }
    let tar = ["-C", "it", "-czf", "it.tar.gz", "."];
    assert!(Command::new("tar").current_dir(home.path()).args(tar).status().unwrap().success());
    fs::read(home.path().join("it.tar.gz")).unwrap()
}

// S-ADD-4: `add` takes a skill of a host only if it has the digest of the index and passes the checks of a publish.
// S-CLI-1: The exit status is that of the error's kind, and 1 if `grep` finds nothing, `fsck` finds an error, or `test`
// misses a skill. It is 3 if `push`, `add` or `update` publishes some skills and rejects others.
#[test]
fn what_a_host_sends_is_checked_and_one_bad_skill_costs_itself() {
    let home = Home::new();
    let good = skill("good", "Does good.");
    let main = ("SKILL.md".to_owned(), Bytes::from(skill("climbs", "Climbs out.")));
    let climbs = plain_zip(&[main, ("../../climbed".to_owned(), Bytes::from("x"))]).unwrap();
    let mut bomb = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    bomb.start_file("SKILL.md", options).unwrap();
    bomb.write_all(skill("bomb", "Grows.").as_bytes()).unwrap();
    bomb.start_file("zeros", options).unwrap();
    bomb.write_all(&vec![0; 40 << 20]).unwrap();
    let bomb = bomb.finish().unwrap().into_inner();
    let (tarred, linked) = (tarball("tarred", false), tarball("linked", true));
    let entry = |name: &str, kind: &str, url: &str, bytes: &[u8]| json!({"name": name, "description": "x", "type": kind, "url": url, "digest": digest(bytes)});
    let skills = json!([
        entry("good", "skill-md", "good/SKILL.md", good.as_bytes()),
        entry("climbs", "archive", "climbs.zip", &climbs),
        entry("bomb", "archive", "/bomb.zip", &bomb),
        entry("later", "wasm", "later.wasm", b""),
        entry("Bad Name", "skill-md", "good/SKILL.md", good.as_bytes()),
        {"name": "none", "description": "x", "type": "skill-md", "url": "x", "digest": "md5:1"},
        entry("tarred", "archive", "tarred.tar.gz", &tarred),
        entry("linked", "archive", "linked.tar.gz", &linked),
        entry("broken", "archive", "broken.tar.gz", b"\x1f\x8bx"),
        entry("packed", "archive", "packed.7z", b"7z\xbc\xaf"),
    ]);
    let base = host(vec![
        index(&skills),
        ("/.well-known/agent-skills/good/SKILL.md", good.clone().into_bytes()),
        ("/.well-known/agent-skills/climbs.zip", climbs.to_vec()),
        ("/bomb.zip", bomb),
        ("/.well-known/agent-skills/tarred.tar.gz", tarred.clone()),
        ("/.well-known/agent-skills/linked.tar.gz", linked.clone()),
        ("/.well-known/agent-skills/broken.tar.gz", b"\x1f\x8bx".to_vec()),
        ("/.well-known/agent-skills/packed.7z", b"7z\xbc\xaf".to_vec()),
    ]);
    let output = home.run(&["add", &base, "--json"]);
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(3), "two came, and four stayed behind");
    let expected = [
        ("bomb", "refused"),
        ("broken", "refused"),
        ("climbs", "refused"),
        ("good", "new"),
        ("linked", "refused"),
        ("tarred", "new"),
    ];
    assert_eq!(statuses(&answer), as_pairs(&expected));
    let passed_over = answer["sources"][0]["passed_over"].to_string();
    for said in [
        "later: its type",
        "Bad Name: that is no name",
        "none: it has no digest",
        "packed: its archive is neither a zip nor a tar.gz",
    ] {
        assert!(passed_over.contains(said), "{said} in {passed_over}");
    }
    assert!(home.ok(&["skills", "list"]).contains("good"));
    home.ok(&["pull", "tarred", "out"]);
    assert_eq!(home.read("out/tarred/forms/a.md"), "one\n");

    let lies = host(vec![
        index(&json!([entry("lies", "skill-md", "lies", b"what it says")])),
        ("/.well-known/agent-skills/lies", b"what it sends".to_vec()),
    ]);
    let wrong = |schema: &Value| ("/.well-known/agent-skills/index.json", schema.to_string().into_bytes());
    let newer = host(vec![wrong(&json!({"$schema": SCHEMA.replace("0.2.0", "0.3.0"), "skills": skills}))]);
    let none = host(vec![wrong(&json!({"skills": skills}))]);
    let page = host(vec![("/.well-known/agent-skills/index.json", b"<html>".to_vec())]);
    let empty = host(vec![]);
    for (base, said) in [
        (lies, "not what its index has the digest of"),
        (newer, "another form than discovery 0.2.0"),
        (none, "another form than discovery 0.2.0"),
        (page, "is no index of skills"),
        (empty, "answers 404"),
    ] {
        let output = home.run(&["add", &base]);
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains(said), "{text}");
    }
    let closed = Command::new(env!("CARGO_BIN_EXE_skillmount"))
        .args(["add", "http://127.0.0.1:1"])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(closed.status.code(), Some(7));
}

// S-ADD-5: No version has a signed link or a password, and `add` refuses an address with a password.
#[test]
fn a_link_is_shown_without_its_secret() {
    let other = Home::new();
    other.file("mine/notes/SKILL.md", &skill("notes", "Takes notes."));
    let secret = "0123456789abcdef0123456789abcdef";
    let mut command = other.program(&["serve", "mine", "--listen", "127.0.0.1:0", "--json"]);
    let service = Server::spawn(command.env("SKILLMOUNT_SHARE_SIGNING_KEY", secret).stderr(Stdio::piped()));
    let link = other.typed(&["share", "--base", &service.url]).env("SKILLMOUNT_SHARE_SIGNING_KEY", secret).run();
    let link = String::from_utf8(link.stdout).unwrap().trim().to_owned();
    let hash = link.split('.').nth_back(1).unwrap().to_owned();
    let home = Home::new();
    let said = home.ok(&["add", &link]);
    assert!(said.contains("/links/…") && !said.contains(&hash), "{said}");
    let history = home.json(&["skills", "history", "notes"]);
    assert!(!history.to_string().contains(&hash), "{history}");
    assert_eq!(statuses(&home.json(&["update", "--yes"])), as_pairs(&[("notes", "unchanged")]));
}
