//! Whether every SKILL.md of the user can be read. One that cannot costs its own skill only, so it is a warning.

use super::{Check, Status, fail, ok};
use crate::{
    catalog::{CatalogView, discover},
    cli::{app::App, output::plain},
    error::Result,
    path::{Namespace, SkillPath, UserSpace},
    store::SharedStore,
};

/// Skills that are named; of more only the number is told.
const NAMED: usize = 10;

pub(super) async fn check(app: &App, store: &SharedStore, namespace: &Namespace) -> Check {
    let looked = async {
        let space = namespace.user(&app.user()?)?;
        let found = discover(&**store, &space, &*app.clock, None).await?;
        report(found.view(), &space)
    };
    looked.await.unwrap_or_else(|error| fail("skills", &error, "allow s3:GetObject below skills/ of every user"))
}

fn report(view: &CatalogView, space: &UserSpace) -> Result<Check> {
    let mut unreadable = Vec::new();
    for found in view.diagnostics.iter().filter(|found| found.diagnostic.code == "unreadable") {
        let key = space.skill(&SkillPath::parse(&found.skill)?)?.key("SKILL.md")?;
        unreadable.push(format!("{} ({key}): {}", found.skill, found.diagnostic.message));
    }
    if unreadable.is_empty() {
        return Ok(ok("skills", format!("{} found, every SKILL.md can be read", view.entries.len())));
    }
    let more = match unreadable.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    let count = unreadable.len();
    unreadable.truncate(NAMED);
    Ok(Check {
        name: "skills",
        status: Status::Warn,
        detail: plain(&format!("{count} cannot be read: {}{more}", unreadable.join("; "))),
        fix: Some("restore what is archived, and allow the service to read these objects or files".to_owned()),
    })
}
