//! A scene to render, and ways to read what comes out.

use std::sync::Arc;

use jiff::Timestamp;
use skillmount::{
    catalog::{CatalogEntry, CatalogView},
    json::UnknownMembers,
    path::{ETag, Id, Layer, SkillPath},
    prompt::{CurrentSkill, PromptInput, render},
    session::{LoadedSkill, Session},
    skill::{Frontmatter, Snapshot},
    wire::{Format, Policy, PromptRequest, Rendering},
};

pub(super) const FORMATS: [Format; 4] = [Format::Xml, Format::Yaml, Format::Markdown, Format::Json];

/// A scene that a test can change before it is rendered.
pub(super) struct Stage {
    pub(super) view: CatalogView,
    pub(super) session: Session,
    pub(super) user_policy: Policy,
    pub(super) current: Option<CurrentSkill>,
}

impl Stage {
    pub(super) fn new(skills: &[(&str, &str)]) -> Self {
        let mut entries: Vec<_> = skills.iter().map(|(skill, description)| entry(skill, None, description)).collect();
        entries.sort_by(|one, two| one.skill.cmp(&two.skill));
        let view = CatalogView { entries, diagnostics: Vec::new(), unnameable_keys: 0, as_of: Timestamp::UNIX_EPOCH };
        let session = Session::fresh(Id::parse("u1").unwrap(), Id::parse("s1").unwrap(), Timestamp::UNIX_EPOCH);
        Self { view, session, user_policy: Policy::default(), current: None }
    }

    pub(super) fn render(&self, request: &PromptRequest) -> Rendering {
        let policy = self.session.policy.under(&self.user_policy);
        let Self { view, session, current, .. } = self;
        render(&PromptInput { view, session, policy: &policy, current: current.as_ref() }, request)
    }

    pub(super) fn prompt(&self, format: Format) -> String {
        self.render(&PromptRequest { format, ..roomy() }).prompt
    }

    pub(super) fn load(&mut self, skill: &str, body: &str) {
        let path = SkillPath::parse(skill).unwrap();
        self.session.current_skill = Some(path.clone());
        self.current = Some(CurrentSkill {
            name: path.folder().to_owned(),
            mount: path.mount_name(),
            body: body.to_owned(),
            skill: path.clone(),
        });
        self.session.loaded_skills.push(LoadedSkill {
            mount: path.mount_name(),
            name: path.folder().to_owned(),
            description: String::new(),
            loaded_at: Timestamp::UNIX_EPOCH,
            digest: "sha256:0".to_owned(),
            version: None,
            draft: None,
            arguments: None,
            layer: Layer::User,
            team: None,
            snapshot: Some(Arc::new(Snapshot::new(Vec::new()))),
            skill: path,
            unknown: UnknownMembers::default(),
        });
    }
}

pub(super) fn entry(skill: &str, name: Option<&str>, description: &str) -> Arc<CatalogEntry> {
    Arc::new(CatalogEntry {
        skill: SkillPath::parse(skill).unwrap(),
        layer: Layer::User,
        frontmatter: Frontmatter {
            name: name.map(str::to_owned),
            description: description.to_owned(),
            ..Frontmatter::default()
        },
        opening: String::new(),
        headings: String::new(),
        etag: ETag::new("e"),
        files: 1,
        fingerprint: None,
        size: 1,
        updated_at: Timestamp::UNIX_EPOCH,
        shadows: Vec::new(),
    })
}

/// A request whose budget is never the point.
pub(super) fn roomy() -> PromptRequest {
    PromptRequest { max_tokens: 1_000_000, ..PromptRequest::default() }
}

pub(super) fn notary() -> Stage {
    Stage::new(&[
        ("escrituras/compraventa", "Redacta escrituras de compraventa."),
        ("escrituras/hipoteca", "Redacta hipotecas."),
        ("contratos/arrendamiento", "Redacta contratos de arrendamiento."),
    ])
}

/// (name, category, location, description) of each skill of an XML listing, as a real parser reads them.
pub(super) fn parsed_xml(prompt: &str) -> Vec<(String, String, String, String)> {
    let from = prompt.find("<available_skills>").unwrap();
    let to = prompt.find("</available_skills>").unwrap() + "</available_skills>".len();
    let document = roxmltree::Document::parse(&prompt[from..to]).unwrap();
    let skills = document.descendants().filter(|node| node.has_tag_name("skill"));
    skills
        .map(|skill| {
            let text = |name| skill.attribute(name).unwrap_or_default().to_owned();
            let category = skill.parent().and_then(|parent| parent.attribute("name")).unwrap_or_default().to_owned();
            (text("name"), category, text("location"), skill.text().unwrap_or_default().to_owned())
        })
        .collect()
}
