//! The page of a skill.

use crate::{
    content::SkillFiles,
    skill::{outline, read_document},
    wire::{OutlineHeading, SkillDocument, SkillFile, SkillPage},
};

/// The page of a skill that has these files.
pub(crate) fn page_of(mut skill: SkillDocument, files: &SkillFiles) -> SkillPage {
    let folder = skill.skill.rsplit('/').next().unwrap_or_default().to_owned();
    let (document, diagnostics) = read_document(&files.text, &folder);
    let body = document.map(|read| {
        skill.name = read.frontmatter.name.unwrap_or(folder);
        skill.description = read.frontmatter.description;
        skill.frontmatter = read.frontmatter.fields;
        read.body
    });
    let body = body.unwrap_or_default();
    let outline = outline(&body);
    let headings = outline.headings.into_iter().map(|heading| OutlineHeading {
        level: heading.level,
        text: heading.text,
        start: heading.section.start,
        end: heading.section.end,
    });
    let listed = files.snapshot.files();
    SkillPage {
        skill: SkillDocument { files: listed.len(), size: listed.iter().map(|file| file.size).sum(), ..skill },
        outline: headings.collect(),
        outline_truncated: outline.is_cut,
        body,
        file_list: listed.iter().map(|file| SkillFile { path: file.path.clone(), size: file.size }).collect(),
        diagnostics,
    }
}
