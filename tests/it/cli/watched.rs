//! `push --watch`: what is saved is pushed, also after a server was away.

use std::{
    io::{BufRead as _, BufReader},
    process::{Command, Stdio},
};

use super::{Home, server::Server, skill};

/// A server at this address, which another one had.
fn again(home: &Home, address: &str) -> Server {
    let mut command = Command::new(env!("CARGO_BIN_EXE_skillmount"));
    command.args(["serve", "--listen", address, "--json"]);
    command.env("XDG_DATA_HOME", home.path().join("data")).current_dir(home.path());
    Server::spawn(command.stderr(Stdio::null()))
}

// S-AUTHOR-12: `push --watch` tries failed skills again for a while, after 1, 2, 5 and then each 30 seconds.
#[test]
fn what_could_not_be_pushed_is_pushed_later_though_nothing_changes_again() {
    let home = Home::with_skills();
    let mut server = Server::start(&home, &[]);
    let address = server.url.strip_prefix("http://").unwrap().to_owned();
    let mut program = home.program(&["--server", &server.url, "push", "skills", "--watch"]);
    let mut child = program.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut errors = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert!(errors.next().unwrap().starts_with("watching skills"));
    server.kill();
    home.file("skills/notas/SKILL.md", &skill("notas", "Toma buenas notas."));
    let told = errors.next().unwrap();
    assert!(told.starts_with("not pushed, and tried again until it is: "), "{told}");
    let _server = again(&home, &address);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "notas: 1 changed file pushed");
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(errors.filter(|line| line.starts_with("not pushed")).count(), 0, "it is said once");
}
