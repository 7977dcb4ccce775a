//! `push --watch`: a change in a folder is pushed once the folder has been quiet for a moment.

use std::{collections::BTreeMap, path::Path, time::Duration};

use notify::{Event, EventKind, RecursiveMode, Watcher as _};
use tokio::{sync::mpsc, time::timeout};

use super::{
    command::Push,
    report::{PushRow, PushRowStatus},
};
use crate::{
    app::App,
    counts::counted,
    error::{Error, Result},
    failure::for_people,
    output::{OfSkills, Output},
    screen::plain,
    wire::SkillRepository,
};

/// An editor writes a file in several steps: this much later it is done.
const QUIET: Duration = Duration::from_millis(300);
/// A folder that never gets quiet is pushed after this time.
const LONGEST: Duration = Duration::from_secs(5);
/// The pauses after a pass that failed, for each failure in a row; the last pause repeats.
const PAUSES: [Duration; 4] =
    [Duration::from_secs(1), Duration::from_secs(2), Duration::from_secs(5), Duration::from_secs(30)];

impl Push {
    /// Pushes the differences of now, and then each change, until a signal stops the process.
    pub(super) async fn watch(&self, app: &App, author: &dyn SkillRepository) -> Result<()> {
        // One waiting change is as good as many.
        let (sender, mut changes) = mpsc::channel(1);
        let heard = move |event: notify::Result<Event>| {
            // An event that the watcher could not follow may be a change.
            if event.map_or(true, |event| is_of_author(&event)) {
                // Full means that a change is known already.
                let _ = sender.try_send(());
            }
        };
        let unwatched = |cause: notify::Error| invalid!("{} cannot be watched", self.dir.display()).with_source(cause);
        let mut watcher = notify::recommended_watcher(heard).map_err(unwatched)?;
        watcher.watch(&app.process.local(&self.dir), RecursiveMode::Recursive).map_err(unwatched)?;
        let (mut told, mut failures) = (BTreeMap::new(), Failures::default());
        failures.count(self.pass(app, author, &mut told).await?);
        app.out.note(format_args!("watching {}; Ctrl-C ends it", self.dir.display()));
        while due(&mut changes, failures.pause()).await {
            match self.pass(app, author, &mut told).await {
                Ok(ended) => failures.count(ended),
                Err(error) => failures.fail(&app.out, &error),
            }
        }
        Ok(())
    }

    /// Pushes what differs, and prints a line for each skill with which something happened. `told` is what was said of each.
    async fn pass(&self, app: &App, author: &dyn SkillRepository, told: &mut BTreeMap<String, String>) -> Result<Pass> {
        let report = self.once(app, author).await?;
        for row in &report.rows {
            let line = line(row);
            let is_news = told.insert(row.skill.clone(), line.clone()).as_ref() != Some(&line);
            let is_reported = match row.status {
                PushRowStatus::New | PushRowStatus::Changed => true,
                // A skill that stays behind is reported once, and not again at each change of another skill.
                PushRowStatus::Refused | PushRowStatus::Conflict => is_news,
                PushRowStatus::Unchanged => false,
            };
            if is_reported {
                app.out.reply(&OfSkills { skills: &[row] }, |out, _| out.line(&line))?;
            }
        }
        let pass = if report.is_passing() { Pass::Partial } else { Pass::Whole };
        report.stopped().map_or(Ok(pass), Err)
    }
}

/// How a pass ended that was not stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pass {
    /// A skill that stayed behind waits for a change of its author.
    Whole,
    /// The same pass may do more a while later.
    Partial,
}

/// Passes that failed one after the other.
#[derive(Debug, Default)]
struct Failures {
    count: usize,
    /// The last message that was said.
    said: Option<String>,
}

impl Failures {
    /// A pass ended.
    fn count(&mut self, pass: Pass) {
        match pass {
            Pass::Whole => *self = Self::default(),
            Pass::Partial => self.count += 1,
        }
    }

    /// A pass failed: a server is away for a while, or a file is half written. The reason is said once.
    fn fail(&mut self, out: &Output, error: &Error) {
        self.count += 1;
        let message = for_people(error.message());
        if self.said.as_ref() != Some(&message) {
            out.note(format_args!("not pushed, and tried again until it is: {message}"));
            self.said = Some(message);
        }
    }

    /// How long to wait before the next pass; `None` if it waits for a change.
    fn pause(&self) -> Option<Duration> {
        let at = self.count.checked_sub(1)?;
        PAUSES.get(at).or(PAUSES.last()).copied()
    }
}

/// Waits for a change that has settled, or until the pause is over. Returns whether there is a next pass.
async fn due(changes: &mut mpsc::Receiver<()>, pause: Option<Duration>) -> bool {
    let change = changes.recv();
    let change = match pause {
        None => change.await,
        Some(pause) => match timeout(pause, change).await {
            Ok(change) => change,
            Err(_) => return true,
        },
    };
    let settle = async { while timeout(QUIET, changes.recv()).await.is_ok_and(|change| change.is_some()) {} };
    if change.is_some() {
        // The time is up for a folder that never settles.
        let _ = timeout(LONGEST, settle).await;
    }
    change.is_some()
}

fn line(row: &PushRow) -> String {
    let skill = plain(&row.skill);
    match row.status {
        PushRowStatus::Unchanged => format!("{skill}: unchanged"),
        PushRowStatus::New => format!("{skill}: new"),
        PushRowStatus::Changed => format!("{skill}: {} pushed", counted(row.changed(), "changed file")),
        PushRowStatus::Refused if row.refusal.is_some() => format!("{skill}: refused, {}", row.why_refused()),
        PushRowStatus::Refused => format!("{skill}: refused, {}; `skillmount lint` lists them", row.why_refused()),
        PushRowStatus::Conflict => {
            format!("{skill}: another author published it; `skillmount push` shows how to join both")
        }
    }
}

/// Whether a change is the author's, and not a write of this program for itself. A change without a path counts as the
/// author's: the system lost some of its changes.
fn is_of_author(event: &Event) -> bool {
    let is_own = |path: &Path| {
        path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(".skillmount"))
    };
    let may_be = event.paths.is_empty() || !event.paths.iter().all(|path| is_own(path));
    event.need_rescan() || may_be && !matches!(event.kind, EventKind::Access(_))
}

#[cfg(test)]
mod tests {
    use std::io;

    use notify::event::{AccessKind, CreateKind, Flag};

    use super::*;
    use crate::error::Code;
    use crate::streams::Stream;

    #[test]
    fn pauses_grow_until_a_pass_is_whole() {
        let nowhere = Stream::to(io::sink());
        let out = Output::new(false, nowhere.clone(), nowhere);
        let mut failures = Failures::default();
        assert_eq!(failures.pause(), None);
        let seconds: Vec<_> = (0..6)
            .map(|_| {
                failures.fail(&out, &Error::new(Code::StoreUnavailable, "away"));
                failures.pause().unwrap().as_secs()
            })
            .collect();
        assert_eq!(seconds, [1, 2, 5, 30, 30, 30]);
        failures.count(Pass::Partial);
        assert_eq!(failures.pause(), Some(Duration::from_secs(30)));
        failures.count(Pass::Whole);
        assert_eq!((failures.pause(), failures.said), (None, None), "what fails later is said again");
    }

    #[test]
    fn only_changes_of_the_author_count() {
        let event = |kind, path: &str| Event::new(kind).add_path(path.into());
        let create = EventKind::Create(CreateKind::File);
        assert!(is_of_author(&event(create, "a/SKILL.md")));
        assert!(!is_of_author(&event(create, "a/.skillmount.json")));
        assert!(!is_of_author(&event(create, "a/.skillmount-0f")));
        assert!(!is_of_author(&event(EventKind::Access(AccessKind::Any), "a/SKILL.md")));
        assert!(is_of_author(&Event::new(EventKind::Other)), "more changes than the system could tell");
        assert!(is_of_author(&event(EventKind::Other, "a/.skillmount-0f").set_flag(Flag::Rescan)));
    }
}
