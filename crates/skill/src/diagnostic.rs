//! The findings on a SKILL.md, with their places. One table has their codes, each with its severity for a load and for
//! lint.

use serde::{Deserialize, Serialize};

use skillmount_base::limits::SKILL_FINDINGS;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = DiagnosticSeverity)]
pub enum Severity {
    /// The skill works; the author should know.
    Warning,
    /// The skill is left out of the catalog, or refused by lint and publishing.
    Error,
}

impl std::fmt::Display for Severity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
        })
    }
}

macro_rules! findings {
    ($($variant:ident $name:literal $on_load:ident $in_lint:ident $doc:literal;)*) => {
        /// The kind of a finding. Its name is stable: clients see it in `code`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum FindingCode { $(#[doc = $doc] $variant,)* }

        impl FindingCode {
            /// Every code, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The name on the wire.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The meaning, in a few words.
            #[must_use]
            pub const fn summary(self) -> &'static str {
                match self { $(Self::$variant => $doc,)* }
            }

            /// How bad it is for a load: an error leaves the skill out of the catalog.
            #[must_use]
            pub const fn severity(self) -> Severity {
                match self { $(Self::$variant => Severity::$on_load,)* }
            }

            /// How bad it is for lint: an error prevents publishing.
            #[must_use]
            pub const fn lint_severity(self) -> Severity {
                match self { $(Self::$variant => Severity::$in_lint,)* }
            }
        }
    };
}

// Name, severity for a load, severity for lint. Findings of lint alone have the same severity twice.
findings! {
    FrontmatterMissing "frontmatter_missing" Error Error "The file does not begin with a `---` line.";
    FrontmatterAbsent "frontmatter_absent" Warning Error "No frontmatter: the folder and the first paragraph stand in.";
    FrontmatterGlued "frontmatter_glued" Warning Error "A heading on the line that ends the frontmatter.";
    FrontmatterUnclosed "frontmatter_unclosed" Error Error "No `---` line ends the frontmatter.";
    FrontmatterTooLarge "frontmatter_too_large" Error Error "Frontmatter over the limit.";
    FrontmatterTooDeep "frontmatter_too_deep" Error Error "Frontmatter nested over the limit.";
    FrontmatterNotAMap "frontmatter_not_a_map" Error Error "Frontmatter that is no list of fields.";
    YamlInvalid "yaml_invalid" Error Error "YAML that cannot be parsed, even after repair.";
    DescriptionMissing "description_missing" Error Error "No description.";
    YamlRepaired "yaml_repaired" Warning Error "YAML that could be parsed only after repair.";
    InvalidUtf8 "invalid_utf8" Warning Error "Bytes that are not UTF-8.";
    DuplicateKey "duplicate_key" Warning Error "A field that is there more than once.";
    NameMissing "name_missing" Warning Error "No name.";
    NameDiffers "name_differs" Warning Error "A name that differs from the folder's.";
    FieldNotText "field_not_text" Warning Error "A list or map in place of text.";
    FieldNotBoolean "field_not_boolean" Warning Error "Another value in place of `true` or `false`.";
    MetadataNotAMap "metadata_not_a_map" Warning Error "Another value in place of a map.";
    ParameterDuplicate "parameter_duplicate" Warning Error "Two parameters of one name.";
    ParameterUnnamed "parameter_unnamed" Warning Error "A parameter without a name.";
    TooManyParameters "too_many_parameters" Warning Warning "Parameters over the limit.";
    MoreFindings "more_findings" Warning Warning "Findings that are not shown.";

    FileMisnamed "file_misnamed" Error Error "Another spelling of `SKILL.md`.";
    Unreadable "unreadable" Error Error "A SKILL.md that the store does not return.";
    SkillWithoutFolder "skill_without_folder" Error Error "A SKILL.md directly below `skills/`.";
    SkillTooDeep "skill_too_deep" Error Error "A skill too many folders below `skills/`.";
    TooManySkills "too_many_skills" Error Error "Skills over the limit of a catalog.";
    TooManyFiles "too_many_files" Error Error "Files over the limit of one listing.";
    DuplicateName "duplicate_name" Warning Warning "Several skills of one name.";
    DuplicateMountName "duplicate_mount_name" Warning Warning "Several skills of one mount name.";

    FileTooLarge "file_too_large" Error Error "A SKILL.md over the limit of a load.";
    ByteOrderMark "byte_order_mark" Error Error "A byte order mark.";
    FrontmatterNotFirst "frontmatter_not_first" Error Error "Blank space before the frontmatter.";
    CarriageReturn "carriage_return" Warning Warning "Windows line ends.";
    LoneCarriageReturn "lone_carriage_return" Warning Warning "A carriage return without a line feed.";
    NameInvalid "name_invalid" Error Error "A name that the specification does not allow.";
    NameTooLong "name_too_long" Error Error "A name over the limit of the specification.";
    DescriptionTooLong "description_too_long" Error Error "A description over the limit of the specification.";
    CompatibilityTooLong "compatibility_too_long" Error Error "A compatibility note over the specified limit.";
    CompatibilityEmpty "compatibility_empty" Error Error "An empty compatibility note.";
    AllowedToolsForm "allowed_tools_form" Warning Warning "Allowed tools in a form that not every reader takes.";
    MetadataNotText "metadata_not_text" Warning Warning "A value of `metadata` that is no text.";
    UnknownField "unknown_field" Warning Warning "A field that the specification does not have.";
    BodyEmpty "body_empty" Warning Warning "No instructions.";
    BodyTooLong "body_too_long" Warning Warning "A body longer than advised.";
    HiddenCharacters "hidden_characters" Warning Warning "Characters that a person does not see and a model does.";
    LinkMissingFile "link_missing_file" Warning Warning "A link to a file that the skill does not have.";
    LinkOutsideSkill "link_outside_skill" Warning Warning "A link that leads out of the skill.";
    LinkTooDeep "link_too_deep" Warning Warning "A link to a file deeper than advised.";
    ParameterUndeclared "parameter_undeclared" Warning Warning "A placeholder without a parameter.";
    NestedSkill "nested_skill" Warning Warning "A SKILL.md inside another skill.";
    DescriptionPlaceholder "description_placeholder" Error Error "A description that only stands for one.";
    BodyPlaceholder "body_placeholder" Warning Warning "Instructions that only stand for some.";
    Secret "secret" Error Error "Text that has the form of a key or token.";
    SecretFile "secret_file" Error Error "A file whose name is that of files with secrets.";
    MergeMarks "merge_marks" Error Error "Marks of a merge that nobody finished.";
    LinkNotFollowed "link_not_followed" Warning Warning "A link on disk to a skill or to a folder.";
    ArchiveInvalid "archive_invalid" Error Error "An archive that cannot be taken in.";
    SkillFileMissing "skill_file_missing" Error Error "A published folder without a SKILL.md.";
    PathInvalid "path_invalid" Error Error "A path that leads out of the skill, that no path can name, or that belongs to a tool.";
    PathTwins "path_twins" Error Error "Two paths that many disks take for one.";
    NotAFile "not_a_file" Error Error "A link or a device in an archive.";
    VersionTooLarge "version_too_large" Error Error "A version over the limits of one.";
}

impl FindingCode {
    /// The code with this name on the wire, if this version knows it.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.as_str() == name)
    }

    /// Whether the finding compares several skills, and its message names another skill than its own.
    #[must_use]
    pub const fn compares_skills(self) -> bool {
        matches!(self, Self::DuplicateName | Self::DuplicateMountName)
    }
}

/// One finding, with its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = SkillFileDiagnostic)]
#[must_use]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// The name of a [`FindingCode`]: `description_missing`, `yaml_repaired`. A catalog that another version wrote can
    /// contain names that this version does not know.
    pub code: String,
    /// What is wrong and how to fix it.
    pub message: String,
    /// 1-based line of SKILL.md, if it has one.
    pub line: Option<u32>,
    /// 1-based column in characters, if it has one.
    pub column: Option<u32>,
}

impl Diagnostic {
    /// A finding without a place, as severe as it is for a load.
    pub fn new(code: FindingCode, message: impl Into<String>) -> Self {
        Self {
            severity: code.severity(),
            code: code.as_str().to_owned(),
            message: message.into(),
            line: None,
            column: None,
        }
    }

    /// Its code, if this version knows it.
    #[must_use]
    pub fn finding(&self) -> Option<FindingCode> {
        FindingCode::parse(&self.code)
    }

    /// Whether it is about a secret, or a file for secrets.
    #[must_use]
    pub fn is_of_secret(&self) -> bool {
        matches!(self.finding(), Some(FindingCode::Secret | FindingCode::SecretFile))
    }

    /// The same finding, with its severity for lint. The message differs if it only explains the behaviour of a load.
    pub(super) fn for_lint(self) -> Self {
        let message = match self.finding() {
            Some(FindingCode::FrontmatterAbsent) => {
                "SKILL.md has no frontmatter, which publishing and other readers demand: begin it with a `---` line, \
                 `name:`, `description:` and a `---` line"
                    .to_owned()
            }
            _ => self.message.clone(),
        };
        Self { message, severity: self.finding().map_or(self.severity, FindingCode::lint_severity), ..self }
    }

    /// The same finding in the file at `path`, another than SKILL.md: its message says where it is.
    pub fn in_file(self, path: &str) -> Self {
        let place = self.line.map(|line| format!(", line {line}")).unwrap_or_default();
        Self { message: format!("{path}{place}: {}", self.message), line: None, column: None, ..self }
    }

    /// The same finding with its place: 1-based line of SKILL.md and 1-based column in characters.
    pub(crate) fn at(self, line: u32, column: u32) -> Self {
        Self { line: Some(line), column: Some(column), ..self }
    }

    /// Places it where the text `before` of its file ends.
    pub(crate) fn after(self, before: &str) -> Self {
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        self.at(saturating(before.matches('\n').count() + 1), saturating(column))
    }
}

/// A line or column number as `u32`, which is always large enough.
pub(crate) fn saturating(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Reports a file whose `name` is another spelling of `SKILL.md`, because it makes no skill.
#[must_use]
pub fn misnamed(name: &str) -> Option<Diagnostic> {
    if name == "SKILL.md" || !name.eq_ignore_ascii_case("SKILL.md") {
        return None;
    }
    let message = format!("{name} makes no skill: rename it to SKILL.md, in capitals");
    Some(Diagnostic::new(FindingCode::FileMisnamed, message))
}

/// Returns all errors and the first [`SKILL_FINDINGS`] warnings, with a note of how many are left out.
pub(super) fn first_few(mut found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let (mut kept, all) = (0, found.len());
    found.retain(|one| {
        kept += usize::from(one.severity == Severity::Warning);
        one.severity == Severity::Error || kept <= SKILL_FINDINGS
    });
    let left_out = all - found.len();
    if left_out > 0 {
        let message = format!("at least {left_out} more findings are not shown: fix these first");
        found.push(Diagnostic::new(FindingCode::MoreFindings, message));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lint_is_never_laxer_than_a_load_and_each_name_is_used_once() {
        for code in FindingCode::ALL {
            assert!(code.lint_severity() >= code.severity(), "{code:?}");
            assert_eq!(FindingCode::parse(code.as_str()), Some(*code));
        }
    }
}
