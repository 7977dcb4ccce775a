//! Where settings come from.

use super::Home;

fn origin(home: &Home, arguments: &[&str], env: &[(&str, &str)], name: &str) -> (String, String) {
    let typed = home.typed(&[arguments, &["config", "show", "--json"]].concat());
    let output = env.iter().fold(typed, |typed, (name, value)| typed.env(name, value)).run();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let shown: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let line = shown["settings"].as_array().unwrap().iter().find(|line| line["name"] == name).unwrap();
    (line["value"].as_str().unwrap_or_default().to_owned(), line["origin"].as_str().unwrap().to_owned())
}

#[test]
fn flags_beat_the_environment_which_beats_the_file_which_beats_the_default() {
    let home = Home::new();
    let env = [("SKILLMOUNT_USER", "env")];
    assert_eq!(origin(&home, &[], &[], "user"), ("me".into(), "default".into()));
    home.file("skillmount.toml", "user = \"file\"\n");
    assert_eq!(origin(&home, &[], &[], "user"), ("file".into(), "file skillmount.toml".into()));
    assert_eq!(origin(&home, &[], &env, "user"), ("env".into(), "env SKILLMOUNT_USER".into()));
    assert_eq!(origin(&home, &["--user", "flag"], &env, "user"), ("flag".into(), "flag".into()));
}

#[test]
fn the_file_is_looked_for_in_three_places() {
    let home = Home::new();
    home.file("config/skillmount/skillmount.toml", "session = \"own\"\n");
    assert_eq!(origin(&home, &[], &[], "session").0, "own");
    home.file("skillmount.toml", "session = \"here\"\n");
    assert_eq!(origin(&home, &[], &[], "session").0, "here");
    home.file("other.toml", "session = \"named\"\n");
    assert_eq!(origin(&home, &["--config", "other.toml"], &[], "session").0, "named");
    assert_eq!(origin(&home, &[], &[("SKILLMOUNT_CONFIG", "other.toml")], "session").0, "named");
    assert_eq!(home.refused(&["--config", "none.toml", "ls"]), (2, "invalid_request".into()));
}

#[test]
fn a_switch_is_off_until_it_is_turned_on_anywhere() {
    let home = Home::new();
    let env = [("SKILLMOUNT_LAYERS", "on")];
    assert_eq!(origin(&home, &[], &[], "layers"), ("false".into(), "default".into()));
    assert_eq!(origin(&home, &[], &env, "layers"), ("on".into(), "env SKILLMOUNT_LAYERS".into()));
    assert_eq!(origin(&home, &["--layers"], &[], "layers"), ("true".into(), "flag".into()));
}

#[test]
fn secrets_are_redacted() {
    let home = Home::new();
    let shown = origin(&home, &["--api-key", "hunter2"], &[], "api_key");
    assert_eq!(shown, ("[redacted]".into(), "flag".into()));
    assert!(!home.ok(&["--api-key", "hunter2", "config", "show"]).contains("hunter2"));
}

#[test]
fn an_unknown_key_is_refused_with_file_line_and_the_nearest_name() {
    let home = Home::new();
    home.file("skillmount.toml", "# mine\nregoin = \"eu-west-1\"\n");
    let output = home.run(&["ls"]);
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("skillmount.toml, line 2") && text.contains("did you mean region?"), "{text}");
}

#[test]
fn the_store_lies_in_the_users_data_folder_unless_said_otherwise() {
    let home = Home::new();
    home.ok(&["write", "/workspace/a", "x"]);
    assert_eq!(home.read("data/skillmount/me/threads/cli/a"), "x");
    home.ok(&["--store", "file:other", "--user", "ana", "--session", "s1", "write", "/workspace/a", "y"]);
    assert_eq!(home.read("other/ana/threads/s1/a"), "y");
}
