//! `push --watch`: what changes in a folder is pushed once it has been quiet for a moment.

use std::{collections::BTreeMap, path::Path, time::Duration};

use notify::{Event, EventKind, RecursiveMode, Watcher as _};
use tokio::{
    sync::mpsc,
    time::{sleep, timeout},
};

use super::{
    command::Push,
    report::{Row, Status},
};
use crate::{
    backend::AuthorProtocol,
    cli::{
        app::App,
        counts::counted,
        failure::for_people,
        output::{OfSkills, note},
    },
    error::{Code, Error, Result},
    skill::shown::one_line,
};

/// An editor writes a file in several steps: this much later it is done.
const QUIET: Duration = Duration::from_millis(300);
/// What keeps changing is pushed all the same.
const LONGEST: Duration = Duration::from_secs(5);

impl Push {
    /// Pushes what differs now, and then what changes, until the process is told to stop.
    pub(super) async fn watch(&self, app: &App, author: &dyn AuthorProtocol) -> Result<()> {
        // One that waits is as good as many.
        let (sender, mut changes) = mpsc::channel(1);
        let heard = move |event: notify::Result<Event>| {
            if event.is_ok_and(|event| is_of_author(&event)) {
                // Full means that a change is known already.
                let _ = sender.try_send(());
            }
        };
        let unwatched = |cause: notify::Error| {
            let message = format!("{} cannot be watched", self.dir.display());
            Error::new(Code::InvalidRequest, message).with_source(cause)
        };
        let mut watcher = notify::recommended_watcher(heard).map_err(unwatched)?;
        watcher.watch(&self.dir, RecursiveMode::Recursive).map_err(unwatched)?;
        let mut told = BTreeMap::new();
        self.pass(app, author, &mut told).await?;
        note(format_args!("watching {}; Ctrl-C ends it", self.dir.display()));
        while changes.recv().await.is_some() {
            let settle = async { while timeout(QUIET, changes.recv()).await.is_ok_and(|change| change.is_some()) {} };
            // Time is up for what never settles.
            let _ = timeout(LONGEST, settle).await;
            if let Err(error) = self.pass(app, author, &mut told).await {
                // A server that is away for a while, or a file that is half written, is no reason to end.
                note(format_args!("not pushed: {}", for_people(error.message())));
                sleep(QUIET).await;
            }
        }
        Ok(())
    }

    /// Pushes what differs, and prints a line for each skill with which something happened. `told` is what was said of each.
    async fn pass(&self, app: &App, author: &dyn AuthorProtocol, told: &mut BTreeMap<String, String>) -> Result<()> {
        let report = self.once(app, author).await?;
        for row in &report.rows {
            let line = line(row);
            let is_news = told.insert(row.skill.clone(), line.clone()).as_ref() != Some(&line);
            match row.status {
                Status::New | Status::Changed => {
                    app.out.reply(&OfSkills { skills: &[row] }, |out, _| out.line(&line))?;
                }
                // What stays behind is told once, and not at each change of something else.
                Status::Refused | Status::Conflict if is_news => {
                    app.out.reply(&OfSkills { skills: &[row] }, |out, _| out.line(&line))?;
                }
                Status::Unchanged | Status::Refused | Status::Conflict => {}
            }
        }
        Ok(())
    }
}

fn line(row: &Row) -> String {
    let skill = one_line(&row.skill).plain().to_owned();
    match row.status {
        Status::Unchanged => format!("{skill}: unchanged"),
        Status::New => format!("{skill}: new"),
        Status::Changed => format!("{skill}: {} pushed", counted(row.changed(), "changed file")),
        Status::Refused => {
            format!("{skill}: refused, {}; `skillmount lint` tells them", counted(row.errors(), "error"))
        }
        Status::Conflict => format!("{skill}: another author published it; `skillmount push` shows how to join both"),
    }
}

/// Whether a change is the author's, and not one of what this program writes for itself.
fn is_of_author(event: &Event) -> bool {
    let is_own = |path: &Path| {
        path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(".skillmount"))
    };
    !matches!(event.kind, EventKind::Access(_)) && !event.paths.iter().all(|path| is_own(path))
}

#[cfg(test)]
mod tests {
    use notify::event::{AccessKind, CreateKind};

    use super::*;

    #[test]
    fn only_changes_of_the_author_count() {
        let event = |kind, path: &str| Event::new(kind).add_path(path.into());
        let create = EventKind::Create(CreateKind::File);
        assert!(is_of_author(&event(create, "a/SKILL.md")));
        assert!(!is_of_author(&event(create, "a/.skillmount.json")));
        assert!(!is_of_author(&event(create, "a/.skillmount-0f")));
        assert!(!is_of_author(&event(EventKind::Access(AccessKind::Any), "a/SKILL.md")));
    }
}
