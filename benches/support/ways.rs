//! Ways to search that are compared: as substrings, as a plain BM25, as other builds of the program do, and the search itself.

use skillmount::words::{SearchDocument, SearchHit, SearchIndex};

use super::{plain_bm25::PlainBm25, public_skills::Set, skills::Skill};

/// From a request to the paths that a way finds, best first.
type Search<'a> = Box<dyn Fn(&str) -> Vec<String> + 'a>;

/// The bytes of a text that the plain BM25 reads of a body.
const BODY: usize = 4000;

/// A way to search: the paths of the best skills for a text, best first.
pub(crate) struct Way<'a> {
    pub(crate) name: &'a str,
    pub(crate) search: Search<'a>,
}

impl<'a> Way<'a> {
    pub(crate) fn new(name: &'a str, search: impl Fn(&str) -> Vec<String> + 'a) -> Self {
        Self { name, search: Box::new(search) }
    }

    /// The search by words with an index.
    pub(crate) fn of(name: &'a str, index: &'a SearchIndex, most: usize) -> Self {
        Self::new(name, move |text| paths(index.search(text, |_| true, most).expect("the texts are short").hits))
    }
}

pub(crate) fn paths(hits: Vec<SearchHit>) -> Vec<String> {
    hits.into_iter().map(|hit| hit.skill.to_string()).collect()
}

/// As in the registry this project was born from: every term must occur in name, description or keywords.
pub(crate) fn substring(skills: &[Skill], question: &str, most: usize) -> Vec<String> {
    let question = question.to_lowercase();
    let found = skills.iter().filter(|skill| {
        let head = &skill.frontmatter;
        let text = format!("{} {} {}", skill.path.folder(), head.description, head.keywords.join(" ")).to_lowercase();
        question.split_whitespace().all(|term| text.contains(term))
    });
    found.take(most).map(|skill| skill.path.to_string()).collect()
}

pub(crate) fn plain_bm25(set: &Set) -> PlainBm25 {
    let bodies = set.texts.iter().map(|(path, text)| {
        let body = text.splitn(3, "---").last().unwrap_or_default();
        (path, &body[..body.floor_char_boundary(BODY)])
    });
    // Those of SKILL.md files that cannot be read have no skill.
    let mut bodies = bodies.peekable();
    PlainBm25::new(set.skills.iter().map(|skill| {
        while bodies.next_if(|(path, _)| **path != skill.path).is_some() {}
        (skill.path.to_string(), searched(skill, bodies.next().map_or("", |(_, body)| body)))
    }))
}

/// All that the plain BM25 searches of a skill.
fn searched(skill: &Skill, body: &str) -> String {
    let head = &skill.frontmatter;
    let lists = [&head.triggers, &head.tags, &head.keywords].map(|list| list.join(" ")).join(" ");
    let texts = [
        skill.path.folder(),
        head.name.as_deref().unwrap_or_default(),
        &head.description,
        head.when_to_use.as_deref().unwrap_or_default(),
        &lists,
        body,
    ];
    texts.join(" ")
}

pub(crate) fn document(skill: &Skill) -> SearchDocument<'_> {
    SearchDocument {
        skill: &skill.path,
        name: skill.frontmatter.name.as_deref().unwrap_or_default(),
        description: &skill.frontmatter.description,
        when_to_use: skill.frontmatter.when_to_use.as_deref().unwrap_or_default(),
        triggers: &skill.frontmatter.triggers,
        tags: &skill.frontmatter.tags,
        keywords: &skill.frontmatter.keywords,
        headings: &skill.headings,
        body: &skill.opening,
    }
}
