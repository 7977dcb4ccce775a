//! The text of keys files: accepted texts, refused texts, and the removal of an entry.

use super::*;

fn hash(digit: char) -> String {
    format!("sha256:{}", String::from(digit).repeat(64))
}

fn table(name: &str, digit: char) -> String {
    format!("[[key]]\nhash = \"{}\"\nuser = \"*\"\nscopes = [\"agent\"]\nname = \"{name}\"\n", hash(digit))
}

fn without(text: &str, wanted: &str) -> Result<String> {
    KeysText::parse(text.to_owned()).and_then(|text| text.without(wanted)).map(|(_, left)| left)
}

#[test]
fn a_keys_file_with_a_fault_is_refused_whole() {
    let hash = hash('a');
    assert!(Keys::from_toml(&format!("[[key]]\nhash = {hash:?}\nuser = \"*\"\nscopes = [\"agent\"]")).is_ok());
    for bad in [
        String::new(),
        format!("[[key]]\nhash = {hash:?}\nuser = \"*\"\nscopes = []"),
        format!("[[key]]\nhash = {hash:?}\nuser = \"../u2\"\nscopes = [\"agent\"]"),
        format!("[[key]]\nhash = {hash:?}\nuser = \"*\"\nscopes = [\"root\"]"),
        format!("[[key]]\nhash = {hash:?}\nuser = \"*\"\nscopes = [\"agent\"]\nexpire = \"x\""),
        format!("[[key]]\nhash = {hash:?}\nuser = \"*\"\nscopes = [\"agent\"]\nsessions = []"),
        format!("[[key]]\nhash = {hash:?}\nuser = \"*\"\nscopes = [\"agent\"]\nsessions = [\"*\"]"),
        format!("[[key]]\nhash = {hash:?}\nuser = \"*\"\nscopes = [\"agent\"]\nvars = {{}}"),
        format!("[[key]]\nhash = {hash:?}\nuser = \"*\"\nscopes = [\"agent\"]\nvars = {{ Ticket = \"t1\" }}"),
        "[[key]]\nhash = \"plain\"\nuser = \"*\"\nscopes = [\"agent\"]".to_owned(),
    ] {
        assert!(Keys::from_toml(&bad).is_err(), "{bad}");
        assert!(KeysText::parse(bad.clone()).is_err(), "{bad}");
    }
}

#[test]
fn an_entry_is_read_back_as_it_was_written_and_one_of_an_earlier_version_has_no_date() {
    let old = format!("[[key]]\nhash = {:?}\nuser = \"u1\"\nscopes = [\"agent\", \"control\"]\n", hash('a'));
    let [entry] = KeysText::parse(old).unwrap().entries().to_vec().try_into().unwrap();
    assert_eq!(entry.created, None);
    let entry =
        KeyEntry { created: Some("2026-11-22T10:00:00Z".parse().unwrap()), name: Some("a \"b\"".into()), ..entry };
    let text = entry.to_toml().unwrap();
    assert_eq!(KeysText::parse(text).unwrap().entries(), [entry]);
}

#[test]
fn an_entry_is_taken_out_with_its_comments_and_all_else_stays_as_it_was() {
    let (a, b, c) = (table("a", 'a'), table("b", 'b'), table("c", 'c'));
    let vars = "# values of b\n[key.vars]\nticket_id = \"t1\"\n";
    let text = format!(
        "# of the service\n\n# a, for ana\n{a}# end of a\n\n# b, for bea\n{b}{vars}\n# c, for cruz\n{c}\n# the end\n"
    );
    let left = without(&text, "b").unwrap();
    assert_eq!(left, format!("# of the service\n\n# a, for ana\n{a}# end of a\n\n# c, for cruz\n{c}\n# the end\n"));
    let left = without(&text, "a").unwrap();
    assert_eq!(left, format!("# of the service\n\n# b, for bea\n{b}{vars}\n# c, for cruz\n{c}\n# the end\n"));
    let left = without(&text, "c").unwrap();
    assert_eq!(
        left,
        format!("# of the service\n\n# a, for ana\n{a}# end of a\n\n# b, for bea\n{b}{vars}\n# the end\n")
    );
    assert_eq!(
        without(&format!("{a}# of b\n{b}"), "a").unwrap(),
        format!("# of b\n{b}"),
        "a comment above is the next one's"
    );
    assert_eq!(without(&format!("{a}{b}"), "b").unwrap(), a);
    assert_eq!(without(&format!(" [[ key ]] # a\r\n{}{b}", &a[8..]), "a").unwrap(), b);
}

#[test]
fn a_key_is_named_by_its_name_or_its_hash_and_never_by_a_guess() {
    let text = format!("{}\n{}\n{}", table("desk", 'a'), table("desk", 'b'), table("aaaa", 'c'));
    assert_eq!(without(&text, "bbbb").unwrap(), without(&text, &hash('b')).unwrap());
    assert_eq!(without(&text, "CCCCCC").unwrap(), format!("{}\n{}\n", table("desk", 'a'), table("desk", 'b')));
    let short = |digit: char| String::from(digit).repeat(16);
    for (wanted, said) in [
        ("desk", format!("{}, {}", short('a'), short('b'))),
        ("aaaa", format!("{}, {}", short('a'), short('c'))),
        ("ccc", "keys list".to_owned()),
        ("", "keys list".to_owned()),
        ("sha256:", "keys list".to_owned()),
        ("nobody", "keys list".to_owned()),
    ] {
        let refused = without(&text, wanted).unwrap_err();
        assert!(refused.message().contains(&said), "{wanted}: {refused}");
    }
}

// S-KEY-12: A keys file with two entries of one hash has a fault, whatever they say.
#[test]
fn one_hash_in_two_entries_is_a_fault_of_the_file() {
    let upper = table("y", 'a').replace(&"a".repeat(64), &"A".repeat(64));
    for second in [table("x", 'a'), table("y", 'a'), upper, table("y", 'a').replace("agent", "control")] {
        let text = format!("{}\n{}\n{second}", table("x", 'a'), table("z", 'b'));
        for refused in [Keys::from_toml(&text).unwrap_err(), KeysText::parse(text.clone()).unwrap_err()] {
            assert_eq!(refused.code(), Code::InvalidRequest);
            let said = refused.message();
            assert!(
                said.contains("[[key]] 3") && said.contains("[[key]] 1") && said.contains("aaaaaaaaaaaaaaaa"),
                "{said}"
            );
        }
    }
}

#[test]
fn the_only_key_stays_because_a_service_would_keep_it() {
    let refused = without(&table("a", 'a'), "a").unwrap_err();
    assert!(refused.message().contains("the only key"), "{refused}");
}

#[test]
fn what_is_written_in_another_way_is_left_to_people() {
    let inline = |digit| format!("{{ hash = {:?}, user = \"*\", scopes = [\"agent\"] }}", hash(digit));
    let text = format!("key = [{}, {}]\n", inline('a'), inline('b'));
    assert!(without(&text, "aaaa").unwrap_err().message().contains("by hand"));
    let hidden = table("a", 'a').replace("name = \"a\"", "name = \"\"\"a\n[[key]]\n\"\"\"");
    let text = format!("{hidden}\n{}", table("b", 'b'));
    assert!(without(&text, "bbbb").unwrap_err().message().contains("by hand"));
}
