//! `skillmount user`

use std::{
    io::Write as _,
    path::{Path, PathBuf},
    time::Duration,
};

use clap::Subcommand;
use serde_json::json;
use tempfile::NamedTempFile;
use tokio::time::sleep;

use crate::{
    app::App,
    control::{Control, UserArchive},
    error::{Code, Error, Result},
    input::typed,
    output::Output,
    path::Id,
    screen::plain,
    wire::{Amount, Deletion, DeletionState},
};

/// How often a deletion that is waited for is looked at.
const LOOK: Duration = Duration::from_secs(2);

#[derive(Debug, Subcommand)]
pub(crate) enum UserArgs {
    /// List the users who have objects in the store
    #[command(after_help = "\
Examples:
  skillmount user list
  skillmount --store s3://bucket/prefix user list --json | jq -r '.users[].user_id'")]
    #[command(alias = "ls")]
    List,
    /// Write everything of a user into one tar archive
    #[command(after_help = "\
Examples:
  skillmount user export ana ana.tar
  skillmount user export ana - | gzip > ana.tar.gz

Entries are named as the keys of the store: ana/skills/…, ana/threads/…,
ana/.skillmount/…. The last one, _manifest.json, counts them and names what
is left out; an archive without it is not whole.")]
    Export {
        /// Whose
        #[arg(value_name = "USER")]
        id: String,
        /// Where to; `-` is standard output
        file: PathBuf,
    },
    /// Delete a user with everything that it has, earlier versions included
    #[command(after_help = "\
Examples:
  skillmount user delete ana
  skillmount user delete ana --yes --wait

A first sweep removes what is there, and a second one a minute later what was
written meanwhile. Running services do the second by themselves; without one,
`skillmount user deletion` does it.")]
    #[command(alias = "rm")]
    Delete {
        /// Whom
        #[arg(value_name = "USER")]
        id: String,
        /// Do not ask
        #[arg(long)]
        yes: bool,
        /// Wait until both sweeps are done
        #[arg(long)]
        wait: bool,
    },
    /// Show how far the deletion of a user is, and what it removed
    #[command(after_help = "\
Examples:
  skillmount user deletion ana
  skillmount user deletion ana --json | jq .finished_at

On a store, it first does what is due of the deletion.")]
    Deletion {
        /// Whose
        #[arg(value_name = "USER")]
        id: String,
    },
}

impl UserArgs {
    pub(crate) async fn run(self, app: &App) -> Result<()> {
        let control = app.control().await?;
        match self {
            Self::List => app.out.reply(&control.users().await?, |out, list| {
                list.users.iter().try_for_each(|user| out.line(&user.user_id))?;
                if list.users.is_empty() {
                    out.note("there are no users yet; `skillmount push DIR` gives the user `me` its first skills");
                }
                Ok(())
            }),
            Self::Export { id, file } => {
                let user = Id::parse(&id)?;
                if has_nothing(&control, &user).await {
                    let message = format!("user {user} has nothing in the store; `skillmount user list` shows who has");
                    return Err(Error::new(Code::FileNotFound, message));
                }
                export(app, control.export(&user).await?, &user, file).await
            }
            Self::Delete { id, yes, wait } => {
                let user = Id::parse(&id)?;
                check_means_it(app, &user, yes, has_nothing(&control, &user).await)?;
                let mut deletion = control.delete_user(&user).await?;
                while wait && deletion.state == DeletionState::Deleting {
                    sleep(LOOK).await;
                    deletion = control.deletion(&user).await?;
                }
                show(app, &control, &deletion)
            }
            Self::Deletion { id } => show(app, &control, &control.deletion(&Id::parse(&id)?).await?),
        }
    }
}

/// Whether the user has nothing in the store. If that is unknown, as with a server and a key of one user, the answer is
/// no.
async fn has_nothing(control: &Control, user: &Id) -> bool {
    control.has_user(user).await.is_ok_and(|has_user| !has_user)
}

/// Goes on only if the caller means this user. A user who has nothing may be a slip of the pen, and the deletion locks
/// the id.
fn check_means_it(app: &App, user: &Id, yes: bool, has_nothing: bool) -> Result<()> {
    match (yes, has_nothing) {
        (false, false) => confirm(app, user),
        (false, true) => {
            let message = format!(
                "user {user} has nothing in the store, and a deletion locks the id: check it with `skillmount user list`, or \
                 give --yes"
            );
            Err(Error::new(Code::FileNotFound, message))
        }
        (true, true) => {
            app.out.note(format_args!(
                "user {user} has nothing in the store; the id is locked until the deletion is done"
            ));
            Ok(())
        }
        (true, false) => Ok(()),
    }
}

/// Goes on only if the person types the id.
fn confirm(app: &App, user: &Id) -> Result<()> {
    let question = format!("This deletes every skill, file, session and record of user {user}. Type the id to go on: ");
    match typed(app, &question)? {
        Some(answer) if answer.trim() == user.as_str() => Ok(()),
        Some(_) => Err(invalid!("that is not {user}; nothing was deleted")),
        None => Err(invalid!("nobody is there to ask; give --yes to delete without asking")),
    }
}

async fn export(app: &App, archive: UserArchive, user: &Id, file: PathBuf) -> Result<()> {
    if file == Path::new("-") {
        return copy(archive, |piece| app.out.bytes(piece)).await.map(drop);
    }
    let file = app.process.local(file);
    let failed = |error: std::io::Error| invalid!("{} cannot be written", file.display()).with_source(error);
    if file.exists() {
        let message = format!("{} exists already; name another file, or remove it", file.display());
        return Err(Error::new(Code::AlreadyExists, message));
    }
    let folder = file.parent().unwrap_or_else(|| file.clone()).or_here();
    // Nothing has the name of an archive before it is whole.
    let mut growing = NamedTempFile::new_in(folder).map_err(failed)?;
    let bytes = copy(archive, |piece| growing.write_all(piece).map_err(failed)).await?;
    growing.as_file().sync_all().map_err(failed)?;
    growing.persist_noclobber(&file).map_err(|error| failed(error.error))?;
    let shown = plain(&file.display().to_string());
    app.out.reply(&json!({ "user_id": user, "file": shown, "bytes": bytes }), |out, _| {
        out.line(format_args!("exported {user} to {shown} ({bytes} bytes)"))
    })
}

/// Hands on every piece of the archive; returns how many bytes they are.
async fn copy(mut archive: UserArchive, mut take: impl FnMut(&[u8]) -> Result<()>) -> Result<u64> {
    let mut bytes = 0;
    while let Some(piece) = archive.next().await? {
        take(&piece)?;
        bytes += piece.len() as u64;
    }
    Ok(bytes)
}

fn show(app: &App, control: &Control, deletion: &Deletion) -> Result<()> {
    app.out.reply(deletion, print)?;
    if deletion.state == DeletionState::Deleting && !app.out.is_json() {
        let user = &deletion.user_id;
        let who = match control {
            Control::Local { .. } => "a running service does it then, or else",
            Control::Remote(_) => "the service does it, and",
        };
        app.out.note(format_args!(
            "the second sweep is due at {}: {who} `skillmount user deletion {user}`",
            deletion.second_sweep_at
        ));
    }
    Ok(())
}

fn print(out: &Output, deletion: &Deletion) -> Result<()> {
    let state = match deletion.state {
        DeletionState::Deleting => "is being deleted",
        DeletionState::Deleted => "is deleted, and the id may be used again",
    };
    out.line(format_args!("user {} {state}", deletion.user_id))?;
    match deletion.found_now {
        Some(true) => out.line("something of it is in the store now: the id is in use again, or a write came late")?,
        Some(false) => out.line("nothing of it is in the store now")?,
        None => {}
    }
    for (at, sweep) in deletion.sweeps.iter().enumerate() {
        let Amount { objects, bytes } = sweep.total;
        let ended = sweep.ended_at.map_or_else(|| "going on".to_owned(), |ended| ended.to_string());
        out.line(format_args!("sweep {}  {objects} object(s), {bytes} bytes, {ended}", at + 1))?;
        for (area, Amount { objects, bytes }) in &sweep.areas {
            out.line(format_args!("  {area:<12} {objects} object(s), {bytes} bytes"))?;
        }
        if sweep.versions.objects > 0 {
            out.line(format_args!("  {:<12} {}", "versions", sweep.versions.objects))?;
        }
        if let Some(why) = &sweep.versions_left {
            out.line(format_args!("  earlier versions may be left: {}", plain(why)))?;
        }
        if sweep.left > 0 {
            out.line(format_args!("  {} object(s) stay: no path can name their keys", sweep.left))?;
        }
    }
    Ok(())
}
