//! Every word of a name or a description finds its skill, if it is asked for alone.
//!
//! The skills are short ones in five languages, those of `fixtures`, and real ones that lie outside the project. A part of the words
//! is asked for in each run, by the seed, and `SKILLMOUNT_SOAK` asks for all.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet, hash_map::DefaultHasher},
    fs,
    hash::{Hash as _, Hasher as _},
    path::{Path, PathBuf},
};

use serde_json::Value;
use skillmount::{
    limits::SEARCH_WORD_BYTES,
    path::SkillPath,
    skill::read_head,
    words::{SearchDocument, SearchIndex},
};

use crate::support::world::{seed, soak};

/// What English contracts to, behind an apostrophe: no words of their own.
const TAILS: [&str; 7] = ["s", "t", "d", "m", "ll", "re", "ve"];

struct Skill {
    language: String,
    path: SkillPath,
    name: String,
    description: String,
}

impl Skill {
    fn document(&self) -> SearchDocument<'_> {
        SearchDocument {
            skill: &self.path,
            name: &self.name,
            description: &self.description,
            when_to_use: "",
            triggers: &[],
            tags: &[],
            keywords: &[],
            headings: "",
            body: "",
        }
    }
}

/// The short skills of five languages, forty of each.
fn short_skills() -> Vec<Skill> {
    let rows = include_str!("every_word.tsv").lines().map(|line| {
        let [language, path, description] = line.split('\t').collect::<Vec<_>>().try_into().unwrap();
        let path = SkillPath::parse(path).unwrap();
        let (name, description) = (path.folder().to_owned(), description.to_owned());
        Skill { language: language.to_owned(), path, name, description }
    });
    let skills: Vec<_> = rows.collect();
    for language in ["de", "en", "es", "fr", "it"] {
        assert_eq!(skills.iter().filter(|skill| skill.language == language).count(), 40, "{language}");
    }
    skills
}

fn read_skill(language: &str, path: &str, text: &[u8]) -> Option<Skill> {
    let path = SkillPath::parse(path).ok()?;
    let frontmatter = read_head(text, path.folder()).0?.frontmatter;
    let (name, description) = (frontmatter.name.unwrap_or_default(), frontmatter.description);
    Some(Skill { language: language.to_owned(), path, name, description })
}

/// The skills below a folder, each at a path of its own.
fn skills_below(folder: &Path, language: &str) -> Vec<Skill> {
    let (mut skills, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(current) = folders.pop() {
        if let Ok(text) = fs::read(current.join("SKILL.md")) {
            let own = current.file_name().unwrap().to_string_lossy().into_owned();
            skills.extend(read_skill(language, &format!("{language}{}/{own}", skills.len()), &text));
        }
        let Ok(entries) = fs::read_dir(&current) else { continue };
        folders.extend(entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()));
    }
    skills
}

fn outside(variable: &str, folder: &str) -> PathBuf {
    std::env::var_os(variable).map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), PathBuf::from)
}

/// The public skills, which lie outside the project.
fn public_skills() -> Vec<Skill> {
    let lines = fs::read_to_string(outside("SKILLMOUNT_SEARCH_SET", "../shared/search").join("skills.jsonl"));
    let lines = lines.unwrap_or_default();
    let skills = lines.lines().enumerate().filter_map(|(number, line)| {
        let row: Value = serde_json::from_str(line).unwrap();
        let named = row["folder"].as_str().unwrap().chars();
        let folder: String = named.map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        read_skill("public", &format!("k{number}/{folder}"), row["text"].as_str().unwrap().as_bytes())
    });
    skills.collect()
}

/// The words of a text: what lies between spaces, and the words that punctuation parts in it.
fn words_of(text: &str) -> BTreeSet<String> {
    // Marks of other scripts and the signs that join letters are part of words.
    let is_inner = |c: char| {
        c.is_alphanumeric() || !c.is_ascii_punctuation() && !c.is_whitespace() && c > '\u{2ff}' && !is_punctuation(c)
    };
    let mut words = BTreeSet::new();
    for token in text.split_whitespace() {
        words.insert(token.to_owned());
        words.extend(token.split(|c| !is_inner(c)).filter(|piece| !TAILS.contains(piece)).map(str::to_owned));
    }
    words.retain(|word| word.chars().any(char::is_alphanumeric) && word.len() <= SEARCH_WORD_BYTES);
    words
}

/// The punctuation and the signs beyond those of Latin-1.
fn is_punctuation(c: char) -> bool {
    matches!(c, '\u{2010}'..='\u{2bff}' | '\u{3000}'..='\u{303f}' | '\u{964}' | '\u{60c}' | '\u{61b}' | '\u{61f}' | '\u{ff00}'..='\u{ff0f}' | '\u{1f000}'..)
}

/// The questions that do not find a skill that contains them, of a sample, and the number of questions.
fn missed(skills: &[Skill], sample: usize) -> (Vec<String>, usize) {
    let index = SearchIndex::build(skills.iter().map(Skill::document));
    let mut holders = BTreeMap::<String, BTreeMap<&SkillPath, &str>>::new();
    for skill in skills {
        let whole = [skill.name.as_str(), skill.path.folder()].map(str::to_owned);
        let texts = [&skill.name, skill.path.folder(), &skill.description].map(words_of);
        for word in texts.into_iter().flatten().chain(whole.into_iter().filter(|name| !words_of(name).is_empty())) {
            holders.entry(word).or_default().insert(&skill.path, &skill.language);
        }
    }
    let mut asked: Vec<_> = holders.into_iter().filter(|(_, holders)| holders.len() * 4 <= skills.len()).collect();
    if soak() == 1 {
        let seed = seed();
        asked.sort_by_key(|(word, _)| {
            let mut hasher = DefaultHasher::new();
            (word, seed).hash(&mut hasher);
            hasher.finish()
        });
        asked.truncate(sample);
    }
    let mut missed = Vec::new();
    for (word, holders) in &asked {
        let hits = index.search(word, |_| true, usize::MAX).unwrap().hits;
        let found: HashSet<_> = hits.iter().map(|hit| &hit.skill).collect();
        let lost = holders.iter().filter(|(path, _)| !found.contains(**path));
        missed.extend(lost.map(|(path, language)| format!("{path} is not found by {word:?} ({language})")));
    }
    (missed, asked.len())
}

// S-SEARCH-20: A question that is one word of a skill's name or description finds the skill, in any language and script.
#[test]
fn every_word_of_a_name_and_a_description_finds_the_skill() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let real = outside("SKILLMOUNT_REAL_SKILLS", "../shared/real-skills");
    for (name, skills, sample) in [
        ("short", short_skills(), 800),
        ("fixture", skills_below(&fixtures, "fixture"), 200),
        ("real", skills_below(&real, "real"), 500),
        ("public", public_skills(), 500),
    ] {
        if skills.is_empty() {
            println!("SKIPPED: no {name} skills: set SKILLMOUNT_REAL_SKILLS and SKILLMOUNT_SEARCH_SET");
            assert!(!matches!(name, "short" | "fixture"), "{name} skills are part of the project");
            continue;
        }
        let (missed, asked) = missed(&skills, sample);
        println!("{name}: {} skills, {asked} questions", skills.len());
        assert!(missed.is_empty(), "{} of {asked}: {missed:#?}", missed.len());
    }
}

/// Skills whose descriptions have words of a kind, and questions that each finds.
const KINDS: [(&str, &str, &[&str]); 17] = [
    (
        "kinds/leases",
        "Prüft Mietverträge und Kündigungen. Verwenden, wenn Häuser vermietet werden.",
        &["Kündigungen", "Kündigung", "HÄUSER", "wenn"],
    ),
    (
        "kinds/baux",
        "Relit les résiliations de bail pour l'UE et l’IA.",
        &["résiliations", "résiliation", "UE", "IA", "pour"],
    ),
    (
        "kinds/rescisões",
        "Revê as rescisões e os contratos de arrendamento do inquilino, quando não há acordo.",
        &["rescisões", "arrendamento", "arrendamentos"],
    ),
    (
        "kinds/router",
        "Upgrades RouterOS to 7.23 and later",
        &["7.23", "v7.23", "RouterOS 7.23", "RouterOS7.23", "routeros7"],
    ),
    ("kinds/tags", "Tags v1.2.3 and 10.0.0.1", &["v1.2.3", "1.2.3", "10.0.0.1"]),
    ("kinds/phone", "Moves apps to iOS17.", &["iOS17", "iOS 17", "ios", "iOS-17"]),
    (
        "kinds/tablet",
        "Moves apps to iPadOS 18, Python-3 and 5 GHz.",
        &["iPadOS18", "ipados 18", "python3", "5ghz", "18"],
    ),
    (
        "kinds/code",
        "Calls snake_case, camelCase, foo::bar and `a.b()`.",
        &["snake_case", "camelCase", "foo::bar", "a.b()", "snake"],
    ),
    ("kinds/the-who", "Songs of a band.", &["the who", "The Who", "who"]),
    ("kinds/it-support", "Repairs printers.", &["IT", "it", "it-support"]),
    ("kinds/договоры", "Составляет договор купли-продажи.", &["договоры", "ДОГОВОР", "купли-продажи"]),
    ("kinds/τιμολόγια", "Εκδίδει τιμολόγια για πελάτες.", &["τιμολόγια", "ΠΕΛΆΤΕΣ", "για"]),
    ("kinds/合同", "起草房屋买卖合同并检查条款。", &["合同", "买卖", "起草房屋买卖合同并检查条款"]),
    ("kinds/عقود", "صياغة العقود السنوية للشركة", &["العقود", "عقود", "للشركة"]),
    ("kinds/חוזים", "עריכת חוזים ובדיקת תנאים", &["חוזים", "תנאים"]),
    ("kinds/अनुवाद", "दस्तावेज़ का अनुवाद करता है।", &["दस्तावेज़", "अनुवाद", "का"]),
    ("kinds/สัญญา", "ร่างสัญญาเช่าบ้าน", &["สัญญา", "เช่าบ้าน"]),
];

// S-SEARCH-27: Versions and identifiers are words: `v7.23` finds `7.23`, and in names and descriptions `iOS 17` and
// `iOS17` find each other.
#[test]
fn numbers_versions_identifiers_names_and_words_of_every_script_find_a_skill() {
    let skill = |(path, description, _): &(&str, &str, _)| Skill {
        language: "kinds".to_owned(),
        path: SkillPath::parse(path).unwrap(),
        name: String::new(),
        description: (*description).to_owned(),
    };
    let mut skills = short_skills();
    skills.extend(KINDS.iter().map(skill));
    let index = SearchIndex::build(skills.iter().map(Skill::document));
    for (path, _, questions) in KINDS {
        for question in questions {
            let found = index.search(question, |_| true, usize::MAX).unwrap();
            assert!(found.hits.iter().any(|hit| hit.skill.as_str() == path), "{path} by {question:?}: {found:?}");
        }
    }
}
