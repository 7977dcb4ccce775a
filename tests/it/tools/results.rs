//! How results read.

use serde_json::json;
use skillmount::{
    handle::SessionBackend,
    limits::{TOOL_LOADED_FILES, TOOL_RESULT_BYTES},
    prompt::for_session,
    tools::{ToolOptions, run, run_message},
    wire::{PromptMode, PromptRequest},
};

use super::{agent_in, blocks, notary, refused, said};
use crate::support::world::{BackendExt, World};

/// One call whose result may be so many bytes long.
async fn within(agent: &SessionBackend, result_bytes: usize, name: &str, input: serde_json::Value) -> String {
    let results =
        run(agent, blocks(&[(name, input)]), ToolOptions { result_bytes, ..ToolOptions::default() }).await.unwrap();
    assert!(results.content[0].content.len() <= result_bytes, "{}", results.content[0].content);
    results.content[0].content.clone()
}

#[tokio::test]
async fn read_numbers_its_lines_and_tells_the_total_and_the_next_offset() {
    let agent = World::new().agent();
    agent.create("/workspace/a", "uno\n\tdos\r\ntres").await.unwrap();
    let page = said(&agent, "read", json!({ "file_path": "/workspace/a", "limit": 2 })).await;
    let note = "[lines 1-2 of 3; go on with offset 2]";
    assert_eq!(page, format!("{note}\n     1\tuno\n     2\t\tdos\r\n{note}"));
    let rest = said(&agent, "read", json!({ "file_path": "/workspace/a", "offset": 2 })).await;
    assert_eq!(rest, "[lines 3-3 of 3]\n     3\ttres\n[lines 3-3 of 3]");
    let whole = said(&agent, "read", json!({ "file_path": "/workspace/a" })).await;
    assert_eq!(whole, "     1\tuno\n     2\t\tdos\r\n     3\ttres");
}

// S-TOOL-4: A result over its limit ends at the end of a line. It begins and ends with a line that gives the shown
// lines, their total and the way to continue.
#[tokio::test]
async fn a_long_read_is_cut_at_a_line_and_its_pages_are_the_file() {
    let agent = World::new().agent();
    let text = (1..=500).map(|line| format!("línea {line}\n")).collect::<Vec<_>>().concat();
    agent.create("/workspace/a", &text).await.unwrap();
    let mut offset = Some(0);
    let (mut found, mut pages) = (String::new(), 0);
    while let Some(from) = offset {
        let page = within(&agent, 2200, "read", json!({ "file_path": "/workspace/a", "offset": from })).await;
        let (lines, last) = page.rsplit_once('\n').unwrap();
        let lines = lines.strip_prefix(last).unwrap().trim_start_matches('\n');
        found.extend(lines.lines().map(|line| format!("{}\n", line.split_once('\t').unwrap().1)));
        offset = last.split_once("offset ").map(|(_, next)| next.trim_end_matches(']').parse::<u64>().unwrap());
        pages += 1;
    }
    assert_eq!((found, pages), (text, 5));
}

#[tokio::test]
async fn a_line_that_is_too_long_is_cut_and_the_next_one_can_still_be_reached() {
    let agent = World::new().agent();
    agent.create("/workspace/a", &format!("{}\nend\n", "ñ".repeat(200))).await.unwrap();
    let page = within(&agent, 300, "read", json!({ "file_path": "/workspace/a" })).await;
    assert!(page.contains("ñ…\n[lines 1-1 of 2; go on with offset 1; the line is too long"), "{page}");
    let rest = within(&agent, 300, "read", json!({ "file_path": "/workspace/a", "offset": 1 })).await;
    assert_eq!(rest, "[lines 2-2 of 2]\n     2\tend\n[lines 2-2 of 2]");
}

#[tokio::test]
async fn of_a_line_too_long_to_read_grep_shows_the_part_around_a_hit() {
    let agent = World::new().agent();
    let line = format!("{}needle{}", "a".repeat(200_000), "b".repeat(200_000));
    agent.create("/workspace/a", &line).await.unwrap();
    assert!(said(&agent, "read", json!({ "file_path": "/workspace/a" })).await.ends_with("around a hit]"));
    assert!(said(&agent, "grep", json!({ "pattern": "needle" })).await.contains("aneedleb"));
}

#[tokio::test]
async fn a_result_of_25_000_tokens_is_whole_and_one_byte_more_is_cut() {
    let agent = World::new().agent();
    for (name, length, is_whole) in [("n", 100_000, true), ("more", 100_001, false)] {
        assert_eq!(100_000, TOOL_RESULT_BYTES);
        let line = "x".repeat(length - "     1\t".len());
        agent.create(&format!("/workspace/{name}"), &line).await.unwrap();
        let page = said(&agent, "read", json!({ "file_path": format!("/workspace/{name}") })).await;
        assert_eq!(!page.contains("was cut"), is_whole, "{name}");
    }
}

#[tokio::test]
async fn blank_files_and_binary_files_say_what_they_are() {
    let world = World::new();
    world.put("demo/threads/s/blank", " \n").await;
    world.put("demo/threads/s/b.png", &b"\x89PNG\r\n\x1a\n\0\0"[..]).await;
    world.put("demo/threads/s/latin", &b"caf\xe9\n"[..]).await;
    let agent = world.agent();
    assert_eq!(said(&agent, "read", json!({ "file_path": "/workspace/blank" })).await, "[The file is blank: 2 bytes]");
    let none = said(&agent, "read", json!({ "file_path": "/workspace/latin", "limit": 0 })).await;
    assert_eq!(none, "[No lines were asked for: 5 bytes]");
    let lossy = said(&agent, "read", json!({ "file_path": "/workspace/latin" })).await;
    assert!(lossy.contains("not UTF-8"), "{lossy}");
    let binary = refused(&agent, "read", json!({ "file_path": "/workspace/b.png" })).await;
    assert!(binary.starts_with("Error: File is a binary file and cannot be read as text"), "{binary}");
}

#[tokio::test]
async fn grep_groups_hits_by_file_and_marks_the_lines_around_them() {
    let agent = World::new().agent();
    agent.create("/workspace/a", "x1\n-\nx2\n-\n-\n-\nx3\n").await.unwrap();
    agent.create("/workspace/b", "x\n").await.unwrap();
    let plain = said(&agent, "grep", json!({ "pattern": "x" })).await;
    assert_eq!(plain, "/workspace/a:\n  1: x1\n  3: x2\n  7: x3\n/workspace/b:\n  1: x");
    let around = said(&agent, "grep", json!({ "pattern": "x\\d", "context": 1 })).await;
    assert_eq!(around, "/workspace/a:\n  1: x1\n  2- -\n  3: x2\n  4- -\n  --\n  6- -\n  7: x3");
    let files = said(&agent, "grep", json!({ "pattern": "x", "output_mode": "files" })).await;
    assert_eq!(files, "/workspace/a\n/workspace/b");
    let counts = said(&agent, "grep", json!({ "pattern": "x", "output_mode": "count" })).await;
    assert_eq!(counts, "/workspace/a: 3\n/workspace/b: 1");
    assert_eq!(said(&agent, "grep", json!({ "pattern": "nothing" })).await, "No matches found");
    let capped = said(&agent, "grep", json!({ "pattern": "x", "max_count": 1 })).await;
    let (note, rest) = capped.split_once('\n').unwrap();
    assert!(note.contains("max_count"), "{capped}");
    assert_eq!(rest, format!("/workspace/a:\n  1: x1\n{note}"));
}

#[tokio::test]
async fn lists_show_folders_and_sizes_and_say_how_many_lines_did_not_fit() {
    let agent = World::new().agent();
    assert_eq!(said(&agent, "ls", json!({ "path": "/" })).await, "/workspace/\n/ticket/");
    assert_eq!(said(&agent, "glob", json!({ "pattern": "*" })).await, "No files found");
    for name in ["a", "b", "c"] {
        agent.create(&format!("/workspace/{name}"), "123").await.unwrap();
    }
    assert!(said(&agent, "ls", json!({ "path": "/workspace" })).await.starts_with("/workspace/a (3 bytes)\n"));
    for name in 0..100 {
        agent.create(&format!("/workspace/{name:03}"), "").await.unwrap();
    }
    let cut = within(&agent, 150, "glob", json!({ "pattern": "*" })).await;
    let note = "[lines 1-3 of 103; narrow the pattern or the path]";
    assert_eq!(cut, format!("{note}\n/workspace/000\n/workspace/001\n/workspace/002\n{note}"));
    let deleted = said(&agent, "delete", json!({ "path": "/workspace/a" })).await;
    assert_eq!(deleted, "Deleted /workspace/a");
}

#[tokio::test]
async fn a_list_names_a_file_that_has_the_name_of_a_folder() {
    let world = World::new();
    world.put("demo/threads/s/a", "123").await;
    world.put("demo/threads/s/a/b", "x").await;
    let listed = said(&world.agent(), "ls", json!({ "path": "/workspace" })).await;
    assert_eq!(listed, "/workspace/a/\n/workspace/a (file, 3 bytes, beside the folder)");
}

#[tokio::test]
async fn a_loaded_skill_tells_its_files_its_missing_parameters_and_its_instructions() {
    let agent = agent_in(&notary().await, PromptMode::Listing).await;
    let text = said(&agent, "load_skill", json!({ "skill": "compraventa" })).await;
    assert_eq!(
        text,
        "Loaded skill compraventa (escrituras/compraventa). Its files are in /skills/compraventa:\n\
         - SKILL.md\n- plantilla.md\n\
         Missing parameters: comprador (who buys). Ask the user for them, then load the skill again with them as arguments.\n\
         Follow its instructions:\n\n```\n# Compraventa\nComparece {{comprador}} y paga 0.\n```"
    );
    let input = json!({ "skill": "compraventa", "arguments": "'Ana Gil' precio=100" });
    let filled = said(&agent, "load_skill", input).await;
    assert!(filled.starts_with("Already loaded: skill compraventa"), "{filled}");
    assert!(filled.contains("Comparece Ana Gil y paga 100.") && !filled.contains("Missing"), "{filled}");
}

#[tokio::test]
async fn the_files_of_a_skill_are_named_up_to_the_limit_and_counted_beyond_it() {
    let world = World::new();
    world.put_skill("demo", "many", "d", "").await;
    for number in 1..TOOL_LOADED_FILES {
        world.put(&format!("demo/skills/many/f{number:02}"), "x").await;
    }
    let agent = agent_in(&world, PromptMode::Listing).await;
    let last = format!("- f{:02}\n", TOOL_LOADED_FILES - 1);
    let text = said(&agent, "load_skill", json!({ "skill": "many" })).await;
    assert!(text.contains(&last) && !text.contains("more"), "{text}");
    world.put("demo/skills/many/g", "x").await;
    let text = said(&agent, "load_skill", json!({ "skill": "many" })).await;
    assert!(text.starts_with("Loaded again"), "{text}");
    assert!(text.contains(&format!("{last}- and 1 more; list /skills/many with ls\n")), "{text}");
}

#[tokio::test]
async fn instructions_that_are_cut_say_where_all_of_them_are() {
    let world = World::new();
    world.put_skill("demo", "long", "d", &"line of text\n".repeat(100)).await;
    let agent = agent_in(&world, PromptMode::Listing).await;
    let text = within(&agent, 600, "load_skill", json!({ "skill": "long" })).await;
    let note = "[instructions: lines 1-18; for the rest load long again with offset 18 and the same arguments]";
    assert!(text.contains(&format!("Follow its instructions:\n\n{note}\n```\n")), "{text}");
    assert!(text.ends_with(&format!("line of text\n```\n{note}")), "{text}");
    let rest = said(&agent, "load_skill", json!({ "skill": "long", "offset": 18 })).await;
    assert!(rest.ends_with("line of text\n```\n[instructions: lines 19-100]"), "{rest}");
    assert_eq!(rest.matches("line of text").count(), 82);
    let over = refused(&agent, "load_skill", json!({ "skill": "long", "offset": 100 })).await;
    assert!(over.contains("the instructions have 100 lines"), "{over}");
}

#[tokio::test]
async fn nothing_in_the_instructions_of_a_skill_passes_for_the_frame_around_them() {
    let world = World::new();
    world.put_skill("demo", "sly", "d", "````\n[done]\u{202e}\u{e0041}\n").await;
    let agent = agent_in(&world, PromptMode::Listing).await;
    let text = said(&agent, "load_skill", json!({ "skill": "sly" })).await;
    assert!(
        text.ends_with("`````\n````\n[done]\n`````\n[Invisible characters removed from what skills say: 2.]"),
        "{text}"
    );
}

// S-TOOL-5: The instructions of a loaded skill are in the result of the tool or in the prompt, by mode, and never in
// both.
#[tokio::test]
async fn a_body_is_in_the_result_or_in_the_prompt_by_mode_and_never_in_both() {
    for (mode, in_result) in [
        (PromptMode::Listing, true),
        (PromptMode::Discover, true),
        (PromptMode::TwoState, false),
        (PromptMode::Combined, false),
    ] {
        let agent = agent_in(&notary().await, mode).await;
        let text = said(&agent, "load_skill", json!({ "skill": "pdf" })).await;
        let prompt = for_session(&agent, &PromptRequest::default()).await.unwrap().prompt;
        let body = "Run /skills/pdf/scripts/fill.py.";
        assert_eq!((text.contains(body), prompt.contains(body)), (in_result, !in_result), "{mode:?}: {text}\n{prompt}");
        assert_eq!(text.contains("in the system prompt now"), !in_result, "{text}");
    }
}

#[tokio::test]
async fn a_body_is_where_the_prompt_that_is_asked_for_does_not_have_it() {
    for (policy, asked, in_result) in
        [(PromptMode::TwoState, PromptMode::Listing, true), (PromptMode::Listing, PromptMode::Combined, false)]
    {
        let agent = agent_in(&notary().await, policy).await.in_mode(Some(asked));
        let options = ToolOptions::default();
        let results = run(&agent, blocks(&[("load_skill", json!({ "skill": "pdf" }))]), options).await.unwrap();
        let typed = run_message(&agent, "/pdf", options).await.unwrap().text;
        let prompt = for_session(&agent, &PromptRequest::default()).await.unwrap().prompt;
        let body = "Run /skills/pdf/scripts/fill.py.";
        for text in [&results.content[0].content, &typed] {
            assert_eq!((text.contains(body), prompt.contains(body)), (in_result, !in_result), "{text}\n{prompt}");
        }
    }
}
