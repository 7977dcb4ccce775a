//! Commands that write many files, as one meets them at a terminal: the bar, and what a signal leaves.

use std::{
    fs,
    os::unix::process::ExitStatusExt as _,
    path::Path,
    process::{Child, Command, Stdio},
};

use super::{Home, skill};

const MAIN: &str = "---\nname: big\ndescription: d\n---\nBody\n";

/// The files below `folder` that a command makes while it writes, by their name.
fn growing(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .flat_map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => growing(&entry.path()),
                _ if name.starts_with(".skillmount-") => vec![name],
                _ => Vec::new(),
            }
        })
        .collect()
}

fn start(home: &Home, arguments: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_skillmount"));
    command.env_clear().current_dir(home.path()).args(arguments).stdout(Stdio::null()).stderr(Stdio::piped());
    command.env("XDG_DATA_HOME", home.path().join("data")).env("XDG_CONFIG_HOME", home.path().join("config"));
    command.spawn().unwrap()
}

/// Sends `signal` while the command writes below `folder`. Returns its exit status and what it said; nothing if it ended
/// before.
fn interrupt(mut child: Child, signal: &str, folder: &Path) -> Option<(i32, String)> {
    while growing(folder).is_empty() {
        if child.try_wait().unwrap().is_some() {
            return None;
        }
    }
    Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.signal(), None, "the command ends itself");
    Some((output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())).filter(|(status, _)| *status != 0)
}

/// Plays `attempt` until the signal came in time, which a quick disk may need several times for.
fn in_time(attempt: impl Fn(usize) -> Option<(i32, String)>) -> (i32, String) {
    (0..20).find_map(attempt).expect("the command is never slow enough to be met while it writes")
}

/// A file that a pull wrote is one of the skill, or the note of what was pulled, which comes last.
fn assert_whole(file: &Path) {
    let bytes = fs::read(file).unwrap();
    if file.ends_with(".skillmount.json") {
        serde_json::from_slice::<serde_json::Value>(&bytes).expect("the note is whole");
    } else {
        assert!([1 << 20, MAIN.len()].contains(&bytes.len()), "half of a file: {}", bytes.len());
    }
}

// S-AUTHOR-3: A signal that ends `push`, `pull` or `lint --fix` leaves no file half written and none of another name.
#[test]
fn a_signal_leaves_no_temporary_file_and_the_usual_status() {
    let home = Home::new();
    let text = vec![b'x'; 1 << 20];
    for number in 0..60 {
        let file = home.path().join(format!("data/skillmount/me/skills/big/{number:02}.bin"));
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, &text).unwrap();
    }
    home.file("data/skillmount/me/skills/big/SKILL.md", MAIN);
    for (signal, status) in [("INT", 130), ("TERM", 143)] {
        let ended = in_time(|attempt| {
            let out = format!("out-{signal}-{attempt}");
            let ended = interrupt(start(&home, &["pull", &out]), signal, &home.path().join(&out));
            assert_eq!(growing(&home.path().join(&out)), [""; 0], "{signal}");
            for file in fs::read_dir(home.path().join(&out).join("big")).unwrap() {
                assert_whole(&file.unwrap().path());
            }
            ended
        });
        assert_eq!(
            (ended.0, ended.1.as_str()),
            (status, "stopped; what was done stays, and the same command does the rest\n")
        );
    }
}

#[test]
fn a_signal_during_a_fix_leaves_each_file_as_it_was_or_mended() {
    let home = Home::new();
    let ended = in_time(|attempt| {
        let folder = format!("skills-{attempt}");
        for number in 0..300 {
            home.file(&format!("{folder}/s{number}/SKILL.md"), "---\r\nname: x\r\ndescription: d\r\n---\r\nBody\r\n");
        }
        let ended = interrupt(start(&home, &["lint", &folder, "--fix"]), "INT", &home.path().join(&folder));
        assert_eq!(growing(&home.path().join(&folder)), [""; 0]);
        let text = |number| home.read(&format!("{folder}/s{number}/SKILL.md"));
        assert!(
            (0..300).all(|number| text(number).ends_with("---\r\nBody\r\n") || text(number).ends_with("---\nBody\n"))
        );
        ended.filter(|(status, _)| *status != 2)
    });
    assert_eq!(ended.0, 130);
}

#[test]
fn a_signal_during_a_push_leaves_whole_objects_and_the_same_command_does_the_rest() {
    let home = Home::new();
    home.file("big/SKILL.md", MAIN);
    for number in 0..60 {
        home.file(&format!("big/{number:02}.txt"), &"x".repeat(1 << 20));
    }
    let stored = home.path().join("data/skillmount/me/skills/big");
    let ended = in_time(|_| {
        let _ = fs::remove_dir_all(&stored);
        let mut child = start(&home, &["push", "big"]);
        while !stored.join("05.txt").exists() {
            if child.try_wait().unwrap().is_some() {
                return None;
            }
        }
        Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        let output = child.wait_with_output().unwrap();
        let temporary = home.path().join("data/skillmount/.skillmount-store/tmp");
        assert_eq!(fs::read_dir(temporary).unwrap().count(), 0);
        output.status.code().filter(|status| *status != 0).map(|status| (status, String::new()))
    });
    assert_eq!(ended.0, 130);
    home.ok(&["push", "big"]);
    assert_eq!(home.json(&["push", "big"])["skills"][0]["unchanged"], 61);
    assert_eq!(fs::read_dir(&stored).unwrap().count(), 61);
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_shows_one_bar_for_all_skills() {
    let home = Home::new();
    for number in 0..4 {
        home.file(&format!("skills/s{number}/SKILL.md"), &skill(&format!("s{number}"), "Does it."));
        home.file(&format!("skills/s{number}/a.md"), "a");
    }
    for command in ["push skills", "pull out"] {
        let line = format!("{} {command}", env!("CARGO_BIN_EXE_skillmount"));
        let mut script = Command::new("script");
        script.args(["-qec", &line, "/dev/null"]).current_dir(home.path()).stdin(Stdio::null());
        script
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("TERM", "xterm")
            .env("XDG_DATA_HOME", home.path().join("data"));
        let Ok(output) = script.output() else {
            println!("SKIPPED: `script` of util-linux is not installed, so there is no terminal to show the bar on");
            return;
        };
        let shown = String::from_utf8(output.stdout).unwrap();
        let totals: Vec<_> =
            shown.split(" skills, ").filter_map(|before| before.rsplit_once('/')).map(|(_, total)| total).collect();
        assert!(
            totals.contains(&"4") && totals.iter().all(|total| *total == "4" || total.len() > 3),
            "{command}: {shown:?}"
        );
    }
}
