//! The operations on files, clause by clause.

use skillmount::{
    Code, Outcome,
    limits::{READ_BYTES, TEXT_FILE_BYTES, TRANSFER_FILES, UPLOAD_FILE_BYTES},
    store::{Verb, testing::Fault},
    wire::{BackendProtocol, EditRequest, GlobRequest, GrepOutput, GrepRequest, Newlines, ReadRequest, UploadFile},
};

use crate::support::world::{BackendExt, World, code, grep};

const ODD: [&str; 12] = [
    "[...slug].ts",
    "foo..bar",
    "...",
    " a  b ",
    "🙂.md",
    "caf\u{e9}",
    "cafe\u{301}",
    "%2e%2e",
    "a\\b",
    "{a,b}.md",
    "*.md",
    "~",
];

// S-PATH-3: The service keeps every other name byte for byte: it decodes, normalises and folds nothing.
#[tokio::test]
async fn odd_names_round_trip_through_every_operation() {
    let world = World::new();
    let agent = world.agent();
    for name in ODD {
        let path = format!("/workspace/{name}/{name}");
        agent.create(&path, name).await.unwrap();
        assert_eq!(agent.text(&path).await.unwrap(), name);
        assert_eq!(world.bytes(&format!("demo/threads/s/{name}/{name}")).await.unwrap(), name.as_bytes());
        agent.replace(&path, name, "edited").await.unwrap();
        assert_eq!(agent.hits("edited", Some(&path)).await.unwrap(), [format!("{path}:1:edited")]);
        assert_eq!(agent.names(&format!("/workspace/{name}")).await.unwrap(), [path.as_str()]);
        assert_eq!(agent.remove(&path).await.unwrap(), 1);
    }
}

// S-PATH-4: Names match on whole segments.
#[tokio::test]
async fn neighbours_by_prefix_never_meet() {
    let world = World::new();
    for user in ["u1", "u10"] {
        world.agent_of(user, "s").create("/workspace/a", user).await.unwrap();
        world.put_skill(user, "venta", "Sells.", user).await;
        world.put_skill(user, "compraventa", "Buys.", user).await;
    }
    let agent = world.agent_of("u1", "s");
    agent.create("/workspace/venta/a", "x").await.unwrap();
    agent.create("/workspace/ventanas/a", "x").await.unwrap();
    agent.load("venta").await.unwrap();
    assert_eq!(agent.hits("u1", None).await.unwrap().len(), 2, "its own file and its own skill");
    assert_eq!(agent.remove("/workspace/venta").await.unwrap(), 1);
    assert_eq!(agent.names("/workspace").await.unwrap(), ["/workspace/a", "/workspace/ventanas"]);
    assert_eq!(code(agent.names("/skillsX").await), Code::FileNotFound);
    assert_eq!(world.agent_of("u10", "s").text("/workspace/a").await.unwrap(), "u10");
}

// S-PATH-7: Every answer skips a key that no virtual path can name, and no other name reaches it.
#[tokio::test]
async fn keys_that_no_path_can_name_are_out_of_reach() {
    let store = std::sync::Arc::new(skillmount::store::MemoryStore::new());
    let world = World::over(store.clone());
    for key in ["a//b.md", "../x.md", "./y.md", "sub/../z.md", "a/", "ctl\u{1}.md"] {
        store.put_raw(&format!("demo/threads/s/{key}"), "hidden");
        store.put_raw(&format!("demo/skills/venta/{key}"), "hidden");
    }
    world.put("demo/threads/s/a/ok.md", "seen").await;
    world.put_skill("demo", "venta", "Sells.", "seen").await;
    let agent = world.agent();
    agent.load("venta").await.unwrap();
    assert_eq!(agent.names("/workspace").await.unwrap(), ["/workspace/a", "/workspace/sub"]);
    assert_eq!(agent.find("**/*").await.unwrap(), ["/skills/venta/SKILL.md", "/workspace/a/ok.md"]);
    assert!(agent.hits("hidden", None).await.unwrap().is_empty());
    assert!(agent.catalog(true).await.unwrap().unnameable_keys >= 5);
}

// S-LS-1: `ls` lists one level, in byte order of paths.
// S-LS-2: `ls` of a missing folder is `file_not_found`, and of a file `not_a_directory`.
#[tokio::test]
async fn a_folder_lists_its_own_level() {
    let world = World::new();
    for key in ["b/c/d", "a", "a-b", "b.txt", "é"] {
        world.put(&format!("demo/threads/s/{key}"), "12345").await;
    }
    let agent = world.agent();
    let entries = agent.entries("/workspace/").await.unwrap();
    let seen: Vec<_> = entries.iter().map(|entry| (entry.path.as_str(), entry.is_dir, entry.size)).collect();
    let expected = [
        ("/workspace/a", false, 5),
        ("/workspace/a-b", false, 5),
        ("/workspace/b", true, 0),
        ("/workspace/b.txt", false, 5),
        ("/workspace/é", false, 5),
    ];
    assert_eq!(seen, expected);
    assert!(entries.iter().all(|entry| entry.is_dir == entry.modified_at.is_none()));
    assert_eq!(code(agent.names("/workspace/none").await), Code::FileNotFound);
    assert_eq!(code(agent.names("/workspace/a").await), Code::NotADirectory);
    assert_eq!(code(agent.text("/workspace").await), Code::IsADirectory);
}

// S-READ-1: `read` skips `offset` lines and returns `limit` lines, 2,000 by default.
#[tokio::test]
async fn a_window_says_where_it_is_and_where_to_go_on() {
    let world = World::new();
    world.put("demo/threads/s/a", "1\n2\n3\n4\n5").await;
    let agent = world.agent();
    let window = |read: skillmount::wire::ReadReply| {
        (read.content, read.start_line, read.end_line, read.next_offset, read.total_lines)
    };
    let read = async |offset, limit| window(agent.lines("/workspace/a", offset, limit).await.unwrap());
    assert_eq!(read(0, 2000).await, ("1\n2\n3\n4\n5".into(), Some(1), Some(5), None, Some(5)));
    assert_eq!(read(1, 2).await, ("2\n3\n".into(), Some(2), Some(3), Some(3), Some(5)));
    assert_eq!(read(3, 2).await, ("4\n5".into(), Some(4), Some(5), None, Some(5)));
    assert_eq!(read(0, 0).await, (String::new(), None, None, None, None));
    for blank in ["", " \n\t\n"] {
        world.put("demo/threads/s/blank", blank).await;
        let read = agent.lines("/workspace/blank", 0, 2000).await.unwrap();
        assert_eq!(window(read), (blank.into(), None, None, None, None));
    }
    let parsed: ReadRequest = serde_json::from_str(r#"{"file_path": "/workspace/a"}"#).unwrap();
    assert_eq!((parsed.offset, parsed.limit), (0, 2000));
}

// S-READ-2: Lines end at `\n` and their text is verbatim.
// S-READ-5: The text shown replaces bytes that are not UTF-8, and the answer then says `lossy`.
#[tokio::test]
async fn text_is_served_as_it_is() {
    let world = World::new();
    let odd = "\u{feff}one\r\ntwo\u{b}\u{2028}three\rfour\n\nfive";
    world.put("demo/threads/s/odd", odd).await;
    world.put("demo/threads/s/latin", &b"caf\xe9\n"[..]).await;
    let agent = world.agent();
    let read = agent.lines("/workspace/odd", 0, 10).await.unwrap();
    assert_eq!((read.content.as_str(), read.total_lines, read.lossy), (odd, Some(4), false));
    let read = agent.lines("/workspace/latin", 0, 10).await.unwrap();
    assert_eq!((read.content.as_str(), read.lossy), ("caf\u{fffd}\n", true));
}

// S-READ-3: An offset after the last line is `offset_out_of_range`.
#[tokio::test]
async fn an_offset_beyond_the_end_is_an_error_that_tells_the_length() {
    let world = World::new();
    world.put("demo/threads/s/a", "1\n2\n").await;
    let agent = world.agent();
    assert!(agent.lines("/workspace/a", 1, 9).await.is_ok());
    for offset in [2, 3, u64::MAX] {
        let error = agent.lines("/workspace/a", offset, u64::MAX).await.unwrap_err();
        assert_eq!((error.code(), &error.details()["total_lines"]), (Code::OffsetOutOfRange, &serde_json::json!(2)));
    }
}

// S-READ-4: A file with a NUL in its first 8 KiB, or with the first bytes of a known binary format, is `binary_file`.
#[tokio::test]
async fn a_binary_file_is_named_and_not_read() {
    let world = World::new();
    world.put("demo/threads/s/nul", "a\0b").await;
    world.put("demo/threads/s/pdf", "%PDF-1.4\nplain").await;
    let agent = world.agent();
    for (path, kind) in [("/workspace/nul", "application/octet-stream"), ("/workspace/pdf", "application/pdf")] {
        let error = agent.text(path).await.unwrap_err();
        assert_eq!((error.code(), &error.details()["media_type"]), (Code::BinaryFile, &serde_json::json!(kind)));
        assert!(error.details()["size"].as_u64().unwrap() > 0 && error.message().contains("download"));
        assert_eq!(code(agent.replace(path, "a", "b").await), Code::BinaryFile);
    }
}

// S-LIMIT-2: Every limited answer says so and how to get the rest.
#[tokio::test]
async fn limited_answers_say_so() {
    let world = World::new();
    let line = format!("{}\n", "x".repeat(1023));
    world.put("demo/threads/s/long", line.repeat(READ_BYTES / 1024 + 1)).await;
    let agent = world.agent();
    let first = agent.lines("/workspace/long", 0, 5000).await.unwrap();
    assert!(first.truncated && first.content.len() == READ_BYTES);
    let rest = agent.lines("/workspace/long", first.next_offset.unwrap(), 5000).await.unwrap();
    assert_eq!((rest.content, rest.next_offset, rest.truncated), (line, None, false));

    let capped = |max_count| GrepRequest { max_count: Some(max_count), ..grep("x", None) };
    let all = READ_BYTES / 1024 + 1;
    let exact = agent.grep(capped(all)).await.unwrap();
    assert_eq!((exact.matches.unwrap().len(), exact.truncated), (all, false));
    let cut = agent.grep(capped(all - 1)).await.unwrap();
    assert_eq!((cut.matches.unwrap().len(), cut.truncated), (all - 1, true));
    assert!(cut.truncation_reason.unwrap().contains("max_count"));
}

// S-GREP-1: The pattern of `grep` is a Rust regular expression, matched in time linear in the text, or plain text with
// `literal`.
// S-GREP-3: `grep` skips binary files, and a missing path has no hits.
// S-GREP-4: An expression that is malformed or grows too large is `invalid_pattern`, at once.
#[tokio::test]
async fn grep_takes_an_expression_or_plain_text() {
    let world = World::new();
    world.put("demo/threads/s/a.md", "foo(bar)\nFOO\nfoobar\n").await;
    world.put("demo/threads/s/b.bin", "foo\0").await;
    let agent = world.agent();
    let lines = async |request: GrepRequest| {
        let found = agent.grep(request).await.unwrap().matches.unwrap();
        found.iter().map(|hit| hit.line).collect::<Vec<_>>()
    };
    assert_eq!(lines(grep("fo+b?", None)).await, [1, 3]);
    assert_eq!(lines(GrepRequest { literal: true, ..grep("foo(bar)", None) }).await, [1]);
    assert_eq!(lines(GrepRequest { ignore_case: true, ..grep("^foo$", None) }).await, [2]);
    assert_eq!(lines(GrepRequest { glob: Some("*.txt".into()), ..grep("foo", None) }).await, [0; 0]);
    assert_eq!(lines(grep("foo", Some("/workspace/a.md"))).await, [1, 3]);
    for missing in ["/workspace/none", "/nowhere", "/skills/none"] {
        assert_eq!(lines(grep("foo", Some(missing))).await, [0; 0]);
    }
    for bad in ["(", "(a{1000}){1000}", "(?=x)"] {
        assert_eq!(code(agent.grep(grep(bad, None)).await), Code::InvalidPattern);
    }
    let mode = |output_mode| GrepRequest { output_mode, ..grep("foo", None) };
    assert_eq!(agent.grep(mode(GrepOutput::Files)).await.unwrap().files.unwrap(), ["/workspace/a.md"]);
    assert_eq!(agent.grep(mode(GrepOutput::Count)).await.unwrap().counts.unwrap()[0].count, 2);
}

// S-GREP-2: The hits returned are the first in (path, line) order, however many files the service searches at once.
#[tokio::test(start_paused = true)]
async fn the_first_hits_are_the_first_whatever_the_timing() {
    let world = World::new();
    for number in 0..200 {
        world.put(&format!("demo/threads/s/{number:03}"), "x\nx\n").await;
    }
    let agent = world.agent();
    for seed in 0..5 {
        let late = std::time::Duration::from_millis(50 + seed);
        world.faults.randomly(Verb::Get, seed, 50, Fault::SlowReply(late));
        let request = GrepRequest { max_count: Some(31), ..grep("x", None) };
        let found = world.replica().agent().grep(request).await.unwrap().matches.unwrap();
        let seen: Vec<_> = found.iter().map(|hit| (hit.path.clone(), hit.line)).collect();
        let expected: Vec<_> = (0..31).map(|at| (format!("/workspace/{:03}", at / 2), at % 2 + 1)).collect();
        assert_eq!(seen, expected);
        assert_eq!(agent.hits("x", None).await.unwrap().len(), 400);
    }
}

// S-GLOB-1: A pattern without `/` matches the base name at any depth, and a pattern with `/` matches the path below the
// searched folder.
// S-GLOB-2: A pattern with a `..` segment, or with over 1,000 alternatives, is `invalid_pattern`.
#[tokio::test]
async fn glob_finds_by_name_and_by_path() {
    let world = World::new();
    for key in ["a.md", "sub/b.md", "sub/deep/c.md", ".hidden/d.md", "sub/.e.md", "f.txt"] {
        world.put(&format!("demo/threads/s/{key}"), "x").await;
    }
    let agent = world.agent();
    let find = async |pattern: &str| {
        let request = GlobRequest { pattern: pattern.into(), path: Some("/workspace".into()) };
        let found = agent.glob(request).await.unwrap().matches;
        found.iter().map(|found| found.path.replace("/workspace/", "")).collect::<Vec<_>>()
    };
    assert_eq!(find("*.md").await, [".hidden/d.md", "a.md", "sub/b.md", "sub/deep/c.md"]);
    assert_eq!(find("/*.md").await, ["a.md"]);
    assert_eq!(find("sub/*.md").await, ["sub/b.md"]);
    assert_eq!(find("**/*.md").await, ["a.md", "sub/b.md", "sub/deep/c.md"]);
    assert_eq!(find("{a,f}.*").await, ["a.md", "f.txt"]);
    assert_eq!(find(".*.md").await, ["sub/.e.md"]);
    assert_eq!(agent.find("/workspace/sub/**").await.unwrap(), ["/workspace/sub/b.md", "/workspace/sub/deep/c.md"]);
    for (pattern, count) in [("*.md", 1), ("a.md", 1), ("/a.*", 1), ("*.txt", 0), ("b.md", 0)] {
        let in_a_file = GlobRequest { pattern: pattern.into(), path: Some("/workspace/a.md".into()) };
        assert_eq!(agent.glob(in_a_file).await.unwrap().matches.len(), count, "{pattern}");
    }
    for bad in ["../*", "a/../b", &"{a,b}".repeat(10), "{1..1001}"] {
        assert_eq!(code(agent.find(bad).await), Code::InvalidPattern, "{bad:.20}");
    }
}

// S-WRITE-2: `write` with `overwrite` replaces whatever is there.
#[tokio::test]
async fn writing_makes_a_file_once_and_replaces_it_when_told() {
    let world = World::new();
    let agent = world.agent();
    let made = agent.create("/workspace/a/b.md", "one").await.unwrap();
    assert!(made.created && made.bytes == 3 && made.etag.is_some());
    let refused = agent.create("/workspace/a/b.md", "two").await.unwrap_err();
    assert_eq!((refused.code(), refused.outcome()), (Code::AlreadyExists, Some(Outcome::NotApplied)));
    assert!(!agent.overwrite("/workspace/a/b.md", "two").await.unwrap().created);
    assert_eq!(agent.text("/workspace/a/b.md").await.unwrap(), "two");
    for (path, expected) in
        [("/workspace", Code::IsADirectory), ("/", Code::IsADirectory), ("/elsewhere/a", Code::ReadOnly)]
    {
        assert_eq!(code(agent.create(path, "x").await), expected, "{path}");
    }
}

// S-LIMIT-1: Every limit stands in `crates/base/src/limits/`; the service takes n and refuses n + 1.
#[tokio::test]
async fn file_sizes_and_counts_are_taken_at_their_limit_and_refused_beyond_it() {
    let world = World::new();
    let agent = world.agent();
    let full = "x".repeat(TEXT_FILE_BYTES);
    agent.create("/workspace/full", &full).await.unwrap();
    assert_eq!(code(agent.create("/workspace/over", &format!("{full}x")).await), Code::FileTooLarge);
    let file = |size| UploadFile { path: "/workspace/up".into(), bytes: vec![b'x'; size].into() };
    let outcomes = agent.upload(vec![file(UPLOAD_FILE_BYTES), file(UPLOAD_FILE_BYTES + 1)]).await.unwrap();
    assert!(outcomes[0].result.is_ok());
    assert_eq!(outcomes[1].result.as_ref().unwrap_err().code(), Code::FileTooLarge);
    let paths = |count: usize| vec!["/workspace/none".to_owned(); count];
    assert_eq!(agent.download(paths(TRANSFER_FILES)).await.unwrap().len(), TRANSFER_FILES);
    assert_eq!(code(agent.download(paths(TRANSFER_FILES + 1)).await), Code::InvalidRequest);
}

// S-WRITE-4: A failed change says `not_applied`, `partial` or `unknown`, and never plain failure for a change that
// landed.
#[tokio::test(start_paused = true)]
async fn a_failed_change_says_what_became_of_it() {
    let world = World::new();
    let agent = world.agent();
    agent.create("/workspace/a", "one").await.unwrap();
    world.faults.set_down(true);
    for error in [
        agent.create("/workspace/b", "x").await.unwrap_err(),
        agent.overwrite("/workspace/a", "x").await.unwrap_err(),
        agent.replace("/workspace/a", "one", "x").await.unwrap_err(),
    ] {
        assert_eq!((error.code(), error.outcome()), (Code::StoreUnavailable, Some(Outcome::NotApplied)), "{error:?}");
        assert!(error.retryable());
    }
    world.faults.set_down(false);
    // The reply is lost, and then nobody can be asked what became of it.
    world.faults.script(Verb::Put, [Fault::LoseReply]);
    world.faults.every(Verb::Head, 1, Fault::Refuse);
    let error = agent.overwrite("/workspace/a", "two").await.unwrap_err();
    assert_eq!(error.outcome(), Some(Outcome::Unknown));
    assert_eq!(world.bytes("demo/threads/s/a").await.unwrap(), b"two");
}

// S-EDIT-1: `edit` replaces exact text and leaves every other byte as it was, line ends, byte order mark and invalid
// UTF-8 included.
// S-EDIT-2: An empty, a missing and an ambiguous `old_string` are three distinct errors.
#[tokio::test]
async fn an_edit_changes_what_it_names_and_looks_before_it_refuses() {
    let world = World::new();
    world.put("demo/threads/s/a", &b"\xef\xbb\xbfone\r\ntwo\xff\r\none"[..]).await;
    let agent = world.agent();
    agent.replace("/workspace/a", "two", "2").await.unwrap();
    assert_eq!(world.bytes("demo/threads/s/a").await.unwrap(), b"\xef\xbb\xbfone\r\n2\xff\r\none");
    assert_eq!(code(agent.replace("/workspace/a", "", "x").await), Code::OldStringEmpty);
    assert_eq!(code(agent.replace("/workspace/a", "three", "x").await), Code::OldStringNotFound);
    let ambiguous = agent.replace("/workspace/a", "one", "x").await.unwrap_err();
    assert_eq!(
        (ambiguous.code(), &ambiguous.details()["occurrences"]),
        (Code::OldStringNotUnique, &serde_json::json!(2))
    );
    let all = EditRequest { replace_all: true, ..EditRequest::new("/workspace/a", "one", "1") };
    assert_eq!(agent.edit(all).await.unwrap().occurrences, 2);
    assert_eq!(code(agent.replace("/workspace/none", "a", "b").await), Code::FileNotFound);

    world.put("demo/threads/s/a", "changed elsewhere").await;
    agent.replace("/workspace/a", "elsewhere", "here").await.unwrap();
    assert_eq!(agent.text("/workspace/a").await.unwrap(), "changed here");
}

// S-EDIT-5: With `newlines: "file"`, a line end of the call matches either line end of the file.
#[tokio::test]
async fn an_edit_in_the_line_ends_of_the_file_is_one_edit() {
    let world = World::new();
    world.put("demo/threads/s/a", "one\r\ntwo\r\n").await;
    let agent = world.agent();
    assert_eq!(code(agent.replace("/workspace/a", "one\ntwo", "x").await), Code::OldStringNotFound);
    let edit = EditRequest { newlines: Newlines::File, ..EditRequest::new("/workspace/a", "one\ntwo", "1\n2\n3") };
    let (edited, requests) = world.cost(agent.edit(edit)).await;
    assert_eq!(edited.unwrap().occurrences, 1);
    assert_eq!(requests.total(), 1, "the file was read a moment ago, so the put is all");
    assert_eq!(world.bytes("demo/threads/s/a").await.unwrap(), b"1\r\n2\r\n3\r\n");
}

// S-EDIT-3: After a conflict the service applies the edit again to the newest version, and after 64 conflicts the
// answer is `edit_conflict`.
#[tokio::test]
async fn an_edit_survives_conflicts_until_there_are_too_many() {
    let world = World::new();
    let other = world.replica();
    let (one, two) = (world.agent(), other.agent());
    one.create("/workspace/a", "a b").await.unwrap();
    two.replace("/workspace/a", "b", "B").await.unwrap();
    one.replace("/workspace/a", "a", "A").await.unwrap();
    assert_eq!(two.text("/workspace/a").await.unwrap(), "A B");
}

// S-PIN-3: Below `/workspace` and `/ticket`, a read sees the newest acknowledged write of any process.
#[tokio::test]
async fn a_read_sees_the_newest_write_of_any_replica() {
    let world = World::new();
    let other = world.replica();
    for round in 0..20 {
        let text = format!("round {round}");
        world.agent().overwrite("/workspace/a", &text).await.unwrap();
        assert_eq!(other.agent().text("/workspace/a").await.unwrap(), text);
        other.agent().replace("/workspace/a", "round", "seen").await.unwrap();
        assert_eq!(world.agent().text("/workspace/a").await.unwrap(), format!("seen {round}"));
    }
}

// S-DELETE-1: `delete` removes the object and everything below it, and reports the number of files.
// S-DELETE-3: A caller cannot delete mounts, `/skills` or the folders of loaded skills.
#[tokio::test]
async fn deleting_takes_a_file_or_a_whole_folder() {
    let world = World::new();
    for key in ["a/b", "a/c/d", "a.txt", "ab/x", "a*"] {
        world.put(&format!("demo/threads/s/{key}"), "x").await;
    }
    let agent = world.agent();
    assert_eq!(agent.remove("/workspace/a*").await.unwrap(), 1, "a star is a name like any other");
    assert_eq!(agent.remove("/workspace/a").await.unwrap(), 2);
    assert_eq!(agent.names("/workspace").await.unwrap(), ["/workspace/a.txt", "/workspace/ab"]);
    assert_eq!(code(agent.remove("/workspace/a").await), Code::FileNotFound);
    for root in ["/workspace", "/ticket"] {
        assert_eq!(code(agent.remove(root).await), Code::ReadOnly, "{root}");
    }
    assert_eq!(code(agent.remove("/").await), Code::ReadOnly);
}

// S-TRANSFER-1: `upload` and `download` carry any bytes and report on each file, in the given order.
#[tokio::test]
async fn transfers_carry_bytes_and_report_in_order() {
    let world = World::new();
    let agent = world.agent();
    let bytes: Vec<u8> = (0..=255).collect();
    let files = ["/workspace/a.bin", "relative", "/skills/x", "/workspace/b.bin"]
        .map(|path| UploadFile { path: path.into(), bytes: bytes.clone().into() });
    let up = agent.upload(files.to_vec()).await.unwrap();
    let codes: Vec<_> = up.iter().map(|one| one.result.as_ref().err().map(skillmount::Error::code)).collect();
    assert_eq!(codes, [None, Some(Code::InvalidPath), Some(Code::ReadOnly), None]);
    let paths = ["/workspace/b.bin", "/workspace/none", "/workspace", "/workspace/a.bin"].map(str::to_owned);
    let down = agent.download(paths.to_vec()).await.unwrap();
    let codes: Vec<_> = down.iter().map(|one| one.result.as_ref().err().map(skillmount::Error::code)).collect();
    assert_eq!(codes, [None, Some(Code::FileNotFound), Some(Code::IsADirectory), None]);
    assert_eq!(down[0].result.as_ref().unwrap(), &bytes);
}
