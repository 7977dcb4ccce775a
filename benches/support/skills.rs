//! Skills to measure with: real ones where they are at hand, and as many generated ones as one likes.

use std::{
    fs,
    path::{Path, PathBuf},
};

use skillmount::{
    path::SkillPath,
    skill::{Frontmatter, Head, read_head},
};

/// A skill as it lies on the disk.
pub(crate) struct Skill {
    pub(crate) path: SkillPath,
    pub(crate) frontmatter: Frontmatter,
    pub(crate) opening: String,
    pub(crate) headings: String,
}

/// Skills whose texts are cut together from `real` ones (or from a few sentences where there are none), each with a
/// word of its own.
pub(crate) fn generated(real: &[Skill], many: usize) -> Vec<Skill> {
    let sentences: Vec<&str> = real.iter().flat_map(|skill| skill.frontmatter.description.split(". ")).collect();
    let spare =
        ["Write the report of a month", "Review code before it is merged", "Redacta la escritura de compraventa"];
    let sentences = if sentences.is_empty() { spare.to_vec() } else { sentences };
    let bodies: Vec<_> = real.iter().map(|skill| (skill.opening.clone(), skill.headings.clone())).collect();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % below as u64).unwrap()
    };
    let skill = |number: usize| {
        let own = format!("skill{number}");
        let description = (0..3).map(|_| sentences[next(sentences.len())]).collect::<Vec<_>>().join(". ");
        let (opening, headings) =
            if bodies.is_empty() { (description.clone(), own.clone()) } else { bodies[next(bodies.len())].clone() };
        Skill {
            path: SkillPath::parse(&format!("generated{}/{own}", number % 50)).unwrap(),
            frontmatter: Frontmatter { description: format!("{description} {own}"), ..Frontmatter::default() },
            opening,
            headings,
        }
    };
    (0..many).map(skill).collect()
}

/// The real skills, from the folder `SKILLMOUNT_REAL_SKILLS` or `../shared/real-skills`; none where neither is there.
pub(crate) fn real_skills() -> Vec<Skill> {
    let folder = std::env::var_os("SKILLMOUNT_REAL_SKILLS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/real-skills"), PathBuf::from);
    let (mut skills, mut folders) = (Vec::new(), vec![folder.clone()]);
    while let Some(current) = folders.pop() {
        if let Ok(text) = fs::read_to_string(current.join("SKILL.md")) {
            let path = current.strip_prefix(&folder).unwrap().to_string_lossy().replace('\\', "/");
            skills.extend(skill(&path, &text));
            continue;
        }
        let Ok(entries) = fs::read_dir(&current) else { continue };
        folders.extend(entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()));
    }
    skills.sort_by(|one, two| one.path.cmp(&two.path));
    skills
}

fn skill(path: &str, text: &str) -> Option<Skill> {
    let path = SkillPath::parse(path).unwrap();
    let head = read_head(text.as_bytes(), path.folder()).0?;
    let Head { frontmatter, opening, headings } = head;
    Some(Skill { path, frontmatter, opening, headings })
}
