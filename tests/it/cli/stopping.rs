//! What a running service makes of signals.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    os::unix::process::CommandExt as _,
    process::Command,
};

use super::{Home, server::Server};

/// The answer to one request on `stream`, its connection left open.
fn exchange(stream: &mut TcpStream, method: &str, path: &str, key: &str, body: &[u8]) -> String {
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {key}\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body).unwrap();
    let mut answer = Vec::new();
    let mut byte = [0];
    while !answer.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).unwrap();
        answer.push(byte[0]);
    }
    let head = String::from_utf8(answer).unwrap();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap_or("0").parse().unwrap();
    let mut rest = vec![0; length];
    stream.read_exact(&mut rest).unwrap();
    head + &String::from_utf8_lossy(&rest)
}

fn connect(server: &Server) -> TcpStream {
    TcpStream::connect(server.url.strip_prefix("http://").unwrap()).unwrap()
}

fn get(server: &Server, path: &str) -> String {
    exchange(&mut connect(server), "GET", path, "", b"")
}

/// A key for every user: itself, and its entry.
fn key(home: &Home) -> (String, String) {
    let made = home.json(&["keys", "new", "--all-users"]);
    (made["key"].as_str().unwrap().to_owned(), made["entry"].as_str().unwrap().to_owned())
}

// S-STOP-1: A service that gets SIGTERM stops being ready, closes its port at once and finishes the calls under way.
#[test]
fn after_sigterm_another_service_takes_the_port_while_the_first_finishes_its_calls() {
    let home = Home::new();
    let first = Server::start(&home, &[]);
    let address = first.url.strip_prefix("http://").unwrap().to_owned();
    let mut running = connect(&first);
    let idle = connect(&first);
    let path = "/v1/users/u/sessions/s/files/workspace/a";
    let head = format!("PUT {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 8\r\n\r\nhalf");
    running.write_all(head.as_bytes()).unwrap();
    // The call runs once a later one has been answered.
    assert!(get(&first, "/healthz").starts_with("HTTP/1.1 200"));
    first.signal("TERM");
    while TcpStream::connect(&address).is_ok() {
        std::thread::yield_now();
    }
    let mut second = home.program(&["serve", "--json", "--listen", &address]);
    let second = Server::spawn(second.stderr(std::process::Stdio::piped()));
    assert_eq!(second.url, first.url);
    assert!(get(&second, "/readyz").starts_with("HTTP/1.1 200"));
    running.write_all(b"half").unwrap();
    let mut answer = Vec::new();
    running.read_to_end(&mut answer).unwrap();
    assert!(answer.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&answer));
    let (status, log) = first.end();
    assert_eq!(status, Some(0), "{log}");
    drop(idle);
    assert_eq!(exchange(&mut connect(&second), "GET", path, "", b"").split("\r\n\r\n").nth(1), Some("halfhalf"));
}

// S-STOP-1: A service that gets SIGTERM stops being ready, closes its port at once and finishes the calls under way.
// With `drain` it first accepts calls for so many seconds, so that a load balancer notices, but not after SIGINT.
#[test]
fn a_port_that_a_service_still_has_is_refused_with_the_reason() {
    let home = Home::new();
    let first = Server::start(&home, &["--drain", "600"]);
    first.signal("TERM");
    while get(&first, "/readyz").starts_with("HTTP/1.1 200") {}
    let address = first.url.strip_prefix("http://").unwrap();
    let refused = home.command(&["serve", "--listen", address]).output().unwrap();
    let said = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains("another program listens there, perhaps a service that still drains"), "{said}");
}

// S-STOP-1: A service that gets SIGTERM stops being ready, closes its port at once and finishes the calls under way.
// With `drain` it first accepts calls for so many seconds, so that a load balancer notices, but not after SIGINT.
#[test]
fn sigterm_turns_readiness_off_first_and_a_second_signal_ends_the_process() {
    let home = Home::new();
    let server = Server::start(&home, &["--drain", "600"]);
    assert!(get(&server, "/readyz").starts_with("HTTP/1.1 200"));
    server.signal("TERM");
    while get(&server, "/readyz").starts_with("HTTP/1.1 200") {}
    assert!(get(&server, "/readyz").starts_with("HTTP/1.1 503"));
    assert!(get(&server, "/v1/users/u/sessions/s").starts_with("HTTP/1.1 200"));
    server.signal("TERM");
    assert_eq!(server.end().0, Some(143));
}

#[test]
fn after_its_drain_a_service_ends_well_and_an_interrupt_needs_none() {
    let home = Home::new();
    let server = Server::start(&home, &["--drain", "1"]);
    let idle = connect(&server);
    server.signal("TERM");
    let (status, log) = server.end();
    assert_eq!(status, Some(0), "{log}");
    drop(idle);
    let server = Server::start(&home, &["--drain", "600"]);
    server.signal("INT");
    assert_eq!(server.end().0, Some(0));
    assert_eq!(home.refused(&["serve", "--drain", "601"]), (2, "invalid_request".into()));
}

// S-STOP-2: After SIGHUP the service reads the keys, hosts and origins again, and keeps the old ones if the new have a
// fault.
#[test]
fn keys_come_and_go_without_a_connection_being_dropped() {
    let home = Home::new();
    let ((first, first_entry), (second, second_entry)) = (key(&home), key(&home));
    home.file("keys.toml", &first_entry);
    let server = Server::start(&home, &["--keys", "keys.toml"]);
    let mut stream = connect(&server);
    let path = "/v1/users/u/sessions/s";
    let mut allows = |key: &str| exchange(&mut stream, "GET", path, key, b"").starts_with("HTTP/1.1 200");
    assert!(allows(&first) && !allows(&second));

    home.file("keys.toml", &format!("{first_entry}\n{second_entry}"));
    server.signal("HUP");
    while !allows(&second) {}
    assert!(allows(&first));

    // A fault keeps what there was. That it was met shows in the log, and in that the next change still comes.
    home.file("keys.toml", "[[key]]\nhash = 7\n");
    server.signal("HUP");
    while !server.has_logged("the keys stay as they were") {}
    assert!(allows(&first) && allows(&second));

    home.file("keys.toml", &second_entry);
    server.signal("HUP");
    while allows(&first) {}
    assert!(allows(&second));

    // The keys file alone is looked at without a signal; hosts are not.
    home.file("skillmount.toml", "hosts = 'api.example.com'");
    server.signal("HUP");
    while allows(&second) {}
}

// S-STOP-3: A file that outgrows the limit of the process fails the request that wrote it, and nothing else.
#[test]
fn a_file_over_the_limit_of_the_process_is_an_error_of_one_request() {
    let home = Home::new();
    let mut command = Command::new("sh");
    command.stderr(std::process::Stdio::piped());
    command.arg0("sh").args(["-c", "ulimit -f 512; exec \"$0\" serve --listen 127.0.0.1:0 --json"]);
    command.arg(env!("CARGO_BIN_EXE_skillmount"));
    command.env("XDG_DATA_HOME", home.path().join("data")).current_dir(home.path());
    let server = Server::spawn(&mut command);
    let mut stream = connect(&server);
    let path = "/v1/users/u/sessions/s/files/workspace/a";
    let refused = exchange(&mut stream, "PUT", path, "", &vec![b'x'; 3 << 20]);
    assert!(refused.starts_with("HTTP/1.1 5"), "{refused}");
    assert!(exchange(&mut stream, "PUT", path, "", b"small").starts_with("HTTP/1.1 200"));
}
