//! Folders on disks that are full, read-only or closed to the process: the real binary on a real disk, in a mount
//! namespace of its own where the system allows one.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    process::{Command, Output, Stdio},
};

use serde_json::Value;

use super::{Home, server::Server, skill};

/// A shell in which `setup` has been done on a small disk of its own, mounted at `folder`, and that then becomes the
/// binary with `arguments`.
fn on_small_disk(home: &Home, setup: &str, arguments: &str) -> Command {
    let folder = home.path().join("disk");
    fs::create_dir_all(&folder).unwrap();
    let script = format!(
        "mount -t tmpfs -o size=256k none {folder} && cd {folder} && {{ {setup}; }} && exec {binary} --store file:{folder} {arguments}",
        folder = folder.display(),
        binary = env!("CARGO_BIN_EXE_skillmount"),
    );
    let mut command = Command::new("unshare");
    command.args(["-rm", "sh", "-c", &script]).env("HOME", home.path()).current_dir(home.path());
    command
}

fn disks_can_be_mounted(test: &str) -> bool {
    let can = Command::new("unshare").args(["-rm", "true"]).stderr(Stdio::null()).status().is_ok_and(|it| it.success());
    if !can {
        println!("SKIPPED {test}: the system allows no mount namespaces");
    }
    can
}

fn checks(output: &Output) -> Value {
    let shown: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", text(output)));
    shown["checks"].clone()
}

/// All that was printed.
fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn is_about_folders(text: &str) {
    for word in ["skillmount doctor", "s3:", "AWS_", "--endpoint-url", "credentials"] {
        assert!(!text.contains(word), "{word:?} in {text}");
    }
}

const FULL: &str = "mkdir -p me; head -c 1M /dev/zero > filler 2>/dev/null || true";
const READ_ONLY: &str = "mkdir -p me/skills/notas; cp ../SKILL.md me/skills/notas; mount -o remount,ro .";

#[test]
fn doctor_says_that_a_disk_is_full_or_read_only_and_gives_no_advice_for_s3() {
    if !disks_can_be_mounted("doctor on full and read-only disks") {
        return;
    }
    let home = Home::new();
    home.file("SKILL.md", &skill("notas", "Toma notas."));
    for (setup, words, cure) in
        [(FULL, "disk of the store is full", "free space"), (READ_ONLY, "can only be read", "mount -o remount,rw")]
    {
        let output = on_small_disk(&home, setup, "doctor --json").output().unwrap();
        assert_eq!(output.status.code(), Some(7), "{}", text(&output));
        is_about_folders(&text(&output));
        let checks = checks(&output);
        let failed = checks.as_array().unwrap().iter().find(|check| check["status"] == "fail").unwrap();
        assert_eq!(failed["name"], "conditional writes", "{checks}");
        assert!(failed["detail"].as_str().unwrap().contains(words), "{checks}");
        assert!(failed["fix"].as_str().unwrap().contains(cure), "{checks}");
    }
}

#[test]
fn a_write_on_a_full_disk_says_that_the_store_is_full() {
    if !disks_can_be_mounted("a write on a full disk") {
        return;
    }
    let home = Home::new();
    let output = on_small_disk(&home, FULL, "--json write /workspace/a.md x").output().unwrap();
    assert_eq!(output.status.code(), Some(7), "{}", text(&output));
    let problem: Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!((&problem["code"], &problem["outcome"]), (&"store_unavailable".into(), &"not_applied".into()));
    assert!(problem["detail"].as_str().unwrap().contains("the store is full"), "{problem}");
}

#[test]
fn a_read_only_disk_serves_reading() {
    if !disks_can_be_mounted("serving a read-only disk") {
        return;
    }
    let home = Home::new();
    home.file("SKILL.md", &skill("notas", "Toma notas."));
    let mut command = on_small_disk(&home, READ_ONLY, "serve --listen 127.0.0.1:0 --json");
    let server = Server::spawn(command.stderr(Stdio::null()));
    assert_eq!(home.json(&["--server", &server.url, "skills", "list"])["skills"][0]["skill"], "notas");
    let refused = home.refused(&["--server", &server.url, "write", "/workspace/a.md", "x"]);
    assert_eq!(refused, (4, "read_only".to_owned()));
}

#[test]
fn a_file_over_the_limit_of_the_process_is_too_large_for_the_store() {
    let home = Home::new();
    home.file("big.txt", &"x".repeat(1 << 20));
    // Blocks of 512 or 1,024 bytes, by the shell; the signal is ignored, as a server does.
    let script = format!(
        "trap '' XFSZ; ulimit -f 64; exec {} --store file:{} --json write /workspace/a.md < big.txt",
        env!("CARGO_BIN_EXE_skillmount"),
        home.path().join("store").display()
    );
    let output = Command::new("sh").args(["-c", &script]).current_dir(home.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(7), "{}", text(&output));
    let problem: Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!((&problem["code"], &problem["outcome"]), (&"store_unavailable".into(), &"not_applied".into()));
    assert!(problem["detail"].as_str().unwrap().contains("no file of this size"), "{problem}");
    assert_eq!(fs::read_dir(home.path().join("store/.skillmount-store/tmp")).unwrap().count(), 0);
}

/// The binary without the right to read what nobody may read, which root has.
fn without_privilege(home: &Home, arguments: &[&str]) -> Output {
    let binary = env!("CARGO_BIN_EXE_skillmount");
    let is_root = fs::metadata("/proc/self").is_ok_and(|found| std::os::unix::fs::MetadataExt::uid(&found) == 0);
    let mut command = if is_root {
        let mut command = Command::new("setpriv");
        let less = "-dac_override,-dac_read_search";
        command.args(["--bounding-set", less, "--inh-caps", less, binary]);
        command
    } else {
        Command::new(binary)
    };
    command.args(["--store", "file:store"]).args(arguments).env("HOME", home.path()).current_dir(home.path());
    command.output().unwrap()
}

fn close(path: &Path) {
    fs::set_permissions(path, fs::Permissions::from_mode(0o000)).unwrap();
}

#[test]
fn output_that_cannot_be_written_is_said_with_the_reason_and_is_no_bug() {
    let home = Home::new();
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = home.program(&["config", "show"]).stdout(full).output().unwrap();
    let told = text(&output);
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("standard output cannot be written") && told.contains("No space left"), "{told}");
    assert!(!told.contains("report"), "{told}");
}

#[test]
fn what_may_not_be_read_of_one_skill_keeps_no_other_from_the_store() {
    let home = Home::new();
    for name in ["file", "folder", "good", "main"] {
        home.file(&format!("skills/{name}/SKILL.md"), &skill(name, "Toma notas."));
    }
    for closed in ["skills/file/a.md", "skills/folder/sub/a.md", "skills/apart/sub/a.md"] {
        home.file(closed, "x");
    }
    let folders = ["skills/folder/sub", "skills/apart"].map(|path| home.path().join(path));
    for path in ["skills/file/a.md", "skills/main/SKILL.md"].map(|path| home.path().join(path)).iter().chain(&folders) {
        close(path);
    }
    for (command, ends) in [("lint", 2), ("push", 3)] {
        let output = without_privilege(&home, &[command, "skills", "--json"]);
        assert_eq!(output.status.code(), Some(ends), "{}", text(&output));
        let shown: Value = serde_json::from_slice(&output.stdout).unwrap();
        let names: Vec<_> =
            shown["skills"].as_array().unwrap().iter().map(|row| row["skill"].as_str().unwrap()).collect();
        assert_eq!(names, ["apart", "file", "folder", "good", "main"], "{command}");
        assert_eq!(text(&output).matches("\"unreadable\"").count(), 4, "{}", text(&output));
    }
    assert!(home.path().join("store/me/skills/good/SKILL.md").exists());
    assert_eq!(fs::read_dir(home.path().join("store/me/skills")).unwrap().count(), 1);
    // So that the home can be removed.
    for folder in folders {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
    }
}

#[test]
fn doctor_names_a_skill_that_may_not_be_read() {
    let home = Home::new();
    for name in ["good", "bad"] {
        home.file(&format!("store/me/skills/{name}/SKILL.md"), &skill(name, "Toma notas."));
    }
    let bad = home.path().join("store/me/skills/bad/SKILL.md");
    close(&bad);
    let output = without_privilege(&home, &["doctor", "--json"]);
    is_about_folders(&text(&output));
    let checks = checks(&output);
    let told = checks.as_array().unwrap().iter().find(|check| check["name"] == "skills").unwrap();
    assert_eq!(told["status"], "warn", "{checks}");
    let detail = told["detail"].as_str().unwrap();
    assert!(detail.contains("me/skills/bad/SKILL.md") && detail.contains("does not let this process at"), "{detail}");
    assert!(told["fix"].as_str().unwrap().contains("chmod"), "{checks}");

    close(&home.path().join("store/me/skills"));
    let output = without_privilege(&home, &["doctor", "--json"]);
    assert_eq!(output.status.code(), Some(7), "{}", text(&output));
    assert!(text(&output).contains("/store/me/skills"), "the folder is named: {}", text(&output));
    // So that the home can be removed.
    fs::set_permissions(home.path().join("store/me/skills"), fs::Permissions::from_mode(0o755)).unwrap();
}
