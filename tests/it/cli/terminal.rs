//! What a person sees on a terminal, and what is the same where there is none.

use std::{
    ffi::OsStr,
    fs::File,
    io::{BufRead as _, BufReader, Read as _},
    os::{
        fd::OwnedFd,
        unix::{ffi::OsStrExt as _, fs::OpenOptionsExt as _},
    },
    process::{Command, Stdio},
};

use rustix::{
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    termios::{Winsize, tcsetwinsize},
};
use unicode_width::UnicodeWidthStr as _;

use super::{Home, skill};

/// A terminal: the side that a person sees.
struct Terminal {
    seen: File,
    name: Vec<u8>,
}

impl Terminal {
    fn new(columns: u16) -> Self {
        let seen: OwnedFd = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&seen).unwrap();
        unlockpt(&seen).unwrap();
        tcsetwinsize(&seen, Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
        let name = ptsname(&seen, Vec::new()).unwrap().into_bytes();
        Self { seen: seen.into(), name }
    }

    /// The side that a program writes to.
    fn side(&self) -> Stdio {
        let mut options = File::options();
        options.read(true).write(true).custom_flags(libc::O_NOCTTY);
        options.open(OsStr::from_bytes(&self.name)).unwrap().into()
    }

    /// All that is written until no program has the terminal open.
    fn read(mut self) -> String {
        let (mut text, mut piece) = (Vec::new(), [0; 4096]);
        // The end is an error on Linux.
        while let Ok(count @ 1..) = self.seen.read(&mut piece) {
            text.extend_from_slice(&piece[..count]);
        }
        String::from_utf8(text).unwrap().replace("\r\n", "\n")
    }
}

/// What a person sees of a command on a terminal of this width.
pub(super) fn seen(mut command: Command, columns: u16) -> String {
    let terminal = Terminal::new(columns);
    let mut child = command.stdout(terminal.side()).stderr(terminal.side()).env("TERM", "xterm").spawn().unwrap();
    // It holds the program's side open.
    drop(command);
    let text = terminal.read();
    child.wait().unwrap();
    text
}

pub(super) fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

// S-CLI-3: Only on a terminal do lists fit the width, have rounded sizes and times, and have colours.
#[test]
fn lists_fit_the_width_of_a_terminal_and_are_whole_elsewhere() {
    let home = Home::with_skills();
    let long =
        "Revisa contratos de compraventa, arrendamiento y obra, y señala cláusulas que faltan, plazos y riesgos.";
    home.file("data/skillmount/me/skills/中文/合同审查/SKILL.md", &skill("合同审查", long));
    home.ok(&["skills", "load", "notas"]);
    home.file("data/skillmount/me/threads/cli/big", &"x".repeat(3 << 19));
    for arguments in [
        &["skills", "list"][..],
        &["skills", "discover", "contratos de compraventa"],
        &["skills", "show", "合同审查"],
        &["session", "list"],
        &["ls", "-l", "/workspace"],
        &["doctor"],
    ] {
        let text = plain(&seen(home.program(arguments), 70));
        assert!(text.lines().count() > 0 && text.lines().all(|line| line.width() <= 70), "{arguments:?}: {text}");
    }
    let listed = plain(&seen(home.program(&["skills", "list"]), 70));
    let row = format!("中文/合同审查{}Revisa contratos", " ".repeat("escrituras/compraventa".len() - 13 + 2));
    assert!(listed.contains(&row) && listed.contains('…'), "{listed}");
    assert!(home.ok(&["skills", "list"]).contains(long), "a pipe is given everything");
    assert!(plain(&seen(home.program(&["doctor"]), 70)).contains("conditional writes  honoured"));

    let person = plain(&seen(home.program(&["ls", "-l", "/workspace"]), 70));
    assert!(person.contains("1.50 MiB  ") && person.contains(" ago  /workspace/big"), "{person}");
    let script = home.ok(&["ls", "-l", "/workspace"]);
    assert!(script.starts_with("1572864  20") && script.ends_with("Z  /workspace/big\n"), "{script}");
    let sessions = plain(&seen(home.program(&["session", "list"]), 70));
    assert!(sessions.contains("cli      1 loaded, changed ") && sessions.contains(" ago"), "{sessions}");
}

#[test]
fn colours_are_for_terminals_and_for_those_who_ask() {
    const RED: &str = "\u{1b}[31m";
    let home = Home::new();
    let failing = |env: &[(&str, &str)]| {
        let mut command = home.program(&["cat", "/workspace/none"]);
        command.envs(env.iter().copied());
        command
    };
    assert!(seen(failing(&[]), 80).contains(RED));
    assert!(!seen(failing(&[("NO_COLOR", "1")]), 80).contains('\u{1b}'));
    let mut dumb = assert_cmd::Command::from_std(failing(&[("CLICOLOR_FORCE", "1")]));
    assert!(String::from_utf8(dumb.output().unwrap().stderr).unwrap().contains(RED), "who asks gets colours");
    let mut piped = assert_cmd::Command::from_std(failing(&[]));
    assert!(!String::from_utf8(piped.output().unwrap().stderr).unwrap().contains('\u{1b}'));
    let terminal = Terminal::new(80);
    let mut command = failing(&[("TERM", "dumb")]);
    let mut child = command.stdout(terminal.side()).stderr(terminal.side()).spawn().unwrap();
    drop(command);
    assert!(!terminal.read().contains('\u{1b}'));
    child.wait().unwrap();
    assert!(seen(home.program(&["doctor"]), 80).contains("\u{1b}[32mok"));
}

#[test]
fn a_service_greets_who_watches_it_and_says_one_line_to_who_called_it() {
    let home = Home::new();
    home.file("mine/notes/SKILL.md", "---\ndescription: Notes\n---\n");
    greets(&home, &[], &["file:"]);
    greets(
        &home,
        &["mine"],
        &["skills:mine", "1 skill of mine for user me; nothing is written there without --writable"],
    );
}

/// That `serve` with these arguments says these words to who watches it.
fn greets(home: &Home, arguments: &[&str], about: &[&str]) {
    let terminal = Terminal::new(200);
    let mut command = home.program(&[&["serve", "--listen", "127.0.0.1:0"], arguments].concat());
    let mut child = command.stdout(Stdio::piped()).stderr(terminal.side()).env("TERM", "xterm").spawn().unwrap();
    drop(command);
    let mut line = String::new();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdout.read_line(&mut line).unwrap();
    let url = line.strip_prefix("listening on ").unwrap().trim_end().to_owned();
    let mut said = Vec::new();
    let mut screen = BufReader::new(&terminal.seen);
    while !String::from_utf8_lossy(&said).contains("Ctrl-C stops it") {
        assert!(screen.read_until(b'\n', &mut said).unwrap() > 0, "{}", String::from_utf8_lossy(&said));
    }
    let said = String::from_utf8(said).unwrap();
    for words in
        [&[env!("CARGO_PKG_VERSION"), "there are no keys", &format!("{url}/docs"), &format!("{url}/guide/")], about]
            .concat()
    {
        assert!(said.contains(words), "{words}: {said}");
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "", "stdout holds the one line");
}

#[test]
fn a_person_who_deletes_a_user_types_its_id() {
    let home = Home::with_skills();
    for (answer, status, left) in [("mee\n", Some(2), "me\n"), ("\n", Some(2), "me\n"), ("me\n", Some(0), "")] {
        let terminal = Terminal::new(200);
        let mut command = home.program(&["user", "delete", "me"]);
        command.stdin(terminal.side()).stdout(terminal.side()).stderr(terminal.side()).env("TERM", "xterm");
        let mut child = command.spawn().unwrap();
        drop(command);
        std::io::Write::write_all(&mut &terminal.seen, answer.as_bytes()).unwrap();
        let said = terminal.read();
        assert_eq!(child.wait().unwrap().code(), status, "{said}");
        assert!(said.contains("This deletes every skill, file, session and record of user me."), "{said}");
        assert_eq!(said.contains("nothing was deleted"), status == Some(2), "{said}");
        assert_eq!(home.ok(&["user", "list"]), left);
    }
}

#[test]
fn a_person_who_watches_is_asked_about_each_call_and_what_was_typed_before_is_no_answer() {
    let home = Home::new();
    let policy = r#"{"skills_access": "write", "tools": {"*": "auto", "write": "ask"}}"#;
    home.file("data/skillmount/me/.skillmount/policy.json", policy);
    let terminal = Terminal::new(200);
    let mut command = home.program(&["approvals", "--watch"]);
    command.stdin(terminal.side()).stdout(terminal.side()).stderr(terminal.side()).env("TERM", "xterm");
    let mut child = command.spawn().unwrap();
    drop(command);
    let (mut screen, mut said) = (BufReader::new(&terminal.seen), String::new());
    let mut until = |words: &str| {
        while !said.contains(words) {
            assert!(screen.read_line(&mut said).unwrap() > 0, "{said}");
        }
        said.clear();
    };
    let typed = |text: &str| std::io::Write::write_all(&mut &terminal.seen, text.as_bytes()).unwrap();
    let write = |path: &str| home.run(&["write", path, "x"]).status.code();
    until("waiting for calls in session cli");
    typed("y\n");
    for (path, answer, done, status) in
        [("/workspace/a", "y\n", "allowed", Some(0)), ("/workspace/b", "n\n", "denied", Some(4))]
    {
        assert_eq!(write(path), Some(4));
        until(path);
        until("allow it?");
        typed(answer);
        until(done);
        assert_eq!(write(path), status, "{path}");
    }
    assert_eq!(write("/workspace/c"), Some(4));
    until("allow it?");
    typed("a\n");
    until("allowed");
    assert_eq!((write("/workspace/c"), write("/workspace/d")), (Some(0), Some(0)));
    child.kill().unwrap();
    child.wait().unwrap();
}
