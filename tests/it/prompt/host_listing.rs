//! Listings for hosts that cut what they show.

use skillmount::{
    limits::UNKNOWN_HOST,
    path::SkillPath,
    prompt::{HostListing, PromptInput, TextRoom, render_host_listing},
    wire::{SkillRule, ToolRule},
};

use super::stage::Stage;

const ROOM: TextRoom = TextRoom { characters: UNKNOWN_HOST.instruction_chars, bytes: usize::MAX };

fn listing(stage: &Stage, room: TextRoom) -> HostListing {
    let policy = stage.session.policy.under(&stage.user_policy);
    render_host_listing(
        &PromptInput { view: &stage.view, session: &stage.session, policy: &policy, current: None },
        room,
    )
}

/// So many skills in ten folders, with descriptions of `chars` characters. The last three were used.
fn stage(many: usize, chars: usize) -> Stage {
    let paths: Vec<_> = (0..many).map(|number| format!("folder{}/skill-{number:04}", number % 10)).collect();
    let about = "Prüft Verträge. ".repeat(chars / 16 + 1).chars().take(chars).collect::<String>();
    let skills: Vec<_> = paths.iter().map(|path| (path.as_str(), about.as_str())).collect();
    let mut stage = Stage::new(&skills);
    for (uses, path) in paths.iter().rev().take(3).enumerate() {
        stage.session.ranks.insert(SkillPath::parse(path).unwrap(), 9 - uses as u64);
    }
    stage
}

// S-MCP-17: The instructions have 2,048 characters at most, as many as Claude Code shows its model. The first 512 say
// how to find and load a skill, with the tools that the session has. The skills used most come next, with their
// descriptions. Names of the others follow only if all fit; otherwise categories with counts end the text. It says how
// many skills it shows and how many there are.
#[test]
fn the_beginning_that_a_host_shows_says_how_to_find_every_skill() {
    for (many, chars) in [(1, 40), (19, 60), (30, 290), (46, 290), (200, 290), (2000, 900)] {
        let stage = stage(many, chars);
        let HostListing { text, shown, described, total } = listing(&stage, ROOM);
        assert!(text.chars().count() <= UNKNOWN_HOST.instruction_chars, "{many}: {}", text.chars().count());
        let first: String = text.chars().take(512).collect();
        assert!(first.contains("call discover_skills") && first.contains("call load_skill"), "{first}");
        assert_eq!(total, many);
        let used = format!("skill-{:04}: ", many - 1);
        assert!(described > 0 && text.lines().find(|line| line.starts_with("- ")).unwrap().contains(&used), "{text}");
        let lines = text.lines().filter(|line| line.starts_with("- "));
        let full = lines.clone().filter(|line| line.contains(": ")).count();
        assert_eq!((lines.count(), full), (shown, described), "{text}");
        if described < total {
            assert!(text.contains(&format!("{shown} of {total} skills shown")), "{text}");
        }
        assert_eq!(text.contains("Categories: "), shown < total, "{text}");
        assert_eq!(text.contains(&format!("{} by name only", total - described)), shown == total && described < total);
    }
    let text = listing(&stage(200, 290), ROOM).text;
    assert!(text.contains("folder0 (20)") && text.contains("discover_skills"), "{text}");
    assert!(text.find("skill-0199").unwrap() < text.find("skill-0198").unwrap(), "the most used first: {text}");
}

#[test]
fn a_listing_names_only_tools_and_skills_that_the_session_has() {
    let mut stage = stage(200, 290);
    stage.user_policy.tools.insert("discover_skills".to_owned(), ToolRule::Blocked);
    stage.user_policy.skills.insert("folder9/*".to_owned(), SkillRule::Blocked);
    let HostListing { text, total, .. } = listing(&stage, ROOM);
    assert!(!text.contains("discover_skills") && !text.contains("folder9") && total == 180, "{text}");
    stage.user_policy.tools.insert("load_skill".to_owned(), ToolRule::Blocked);
    assert_eq!(listing(&stage, ROOM).text, "Skills cannot be loaded in this session.");
    assert_eq!(listing(&Stage::new(&[]), ROOM).text, "No skills are available.");
}

#[test]
fn every_room_is_kept_in_characters_and_in_bytes() {
    let stage = stage(60, 120);
    for room in (0..6000).step_by(97) {
        let HostListing { text, .. } = listing(&stage, TextRoom { characters: room, bytes: room });
        assert!(text.len() <= room, "{room}: {}", text.len());
    }
    let loaded = {
        let mut stage = stage;
        stage.load("folder0/skill-0000", "Body.");
        listing(&stage, ROOM).text
    };
    assert!(loaded.contains("Already loaded: folder0/skill-0000 in /skills/skill-0000."), "{loaded}");
}
