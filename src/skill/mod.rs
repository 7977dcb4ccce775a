//! What a skill is, apart from where it is stored: pure functions over the text of a SKILL.md and its list of files.
//!
//! Reading is lenient and returns findings beside the value, so that one bad file never takes a catalog down. `lint`
//! judges. Only `frontmatter` parses YAML.

mod body;
mod diagnostic;
mod document;
mod frontmatter;
mod lint;
mod outline;
pub mod shown;
mod snapshot;

pub use body::{FilledParameter, Rendered, render};
pub use diagnostic::{Diagnostic, FindingCode, Severity, misnamed};
pub use document::{Document, Head, read_document, read_head};
pub use frontmatter::{Frontmatter, Parameter};
pub use lint::{Fixed, fix, lint, secret_file, secrets, template};
pub use outline::{CodeBlock, Heading, Link, Outline, outline};
pub use snapshot::{Snapshot, SnapshotFile};
