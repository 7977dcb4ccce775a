//! `skillmount keys`

use std::{collections::BTreeMap, fs, path::PathBuf};

use clap::{Args, Subcommand, ValueEnum};
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::{
    access::{self, KeyEntry, KeysText, Scope, read_keys_text},
    app::App,
    counts::counted,
    error::Result,
    expiry::expiry,
    keys_file,
    limits::KEYS_LOOK,
    local_path::LocalPath,
    path::Id,
    screen::{Cell, LastColumn, Terminal, plain},
    settings::Setting,
    shell::quoted_path,
};

/// Earlier keys that a note names.
const KEYS_NAMED: usize = 5;
const HEADINGS: [&str; 8] = ["HASH", "NAME", "USER", "SCOPES", "TEAM", "CREATED", "EXPIRES", "BOUND TO"];

#[derive(Debug, Subcommand)]
pub(crate) enum KeysArgs {
    /// Make a key: the key for the client, and its entry for the keys file of `serve --keys`
    #[command(after_help = "\
Examples:
  skillmount --user ana keys new --name desk >> keys.toml    the key itself is printed once, on stderr
  skillmount keys new --all-users --scope control --json
  skillmount --user ana keys new --name desk --expires-in 90d --only-var ticket_id=T-7

A key without --only-session and --only-var reaches every session and every ticket
of its user. It ends no earlier key of its user, not even one of the same name.
The entry holds only a hash, so a reader of the keys file learns no key.
A service that runs takes the key within 2 seconds of the entry being in its file.")]
    New(NewKey),
    /// List the keys of a keys file: what they are for, until when, and what they are bound to
    #[command(after_help = "\
Examples:
  skillmount keys list --keys keys.toml
  skillmount keys list --keys keys.toml --json

Shows the first digits of each hash, by which logs name the key; never the key, which
the file does not hold.")]
    #[command(alias = "ls")]
    List(List),
    /// Revoke a key: take its entry out of a keys file
    #[command(after_help = "\
Examples:
  skillmount keys revoke desk --keys keys.toml        by its name
  skillmount keys revoke 3f9a12c4 --keys keys.toml    by the first digits of its hash

The rest of the file stays as it is, comments included. A service that runs refuses the
key within 2 seconds; calls under way go on. The only key of a file cannot be revoked:
a service does not take a file without keys.")]
    #[command(aliases = ["rm", "delete"])]
    Revoke(Revoke),
}

#[derive(Debug, Args)]
pub(crate) struct NewKey {
    /// For every user, not only the one named by --user
    #[arg(long)]
    all_users: bool,
    /// What it may be used for
    #[arg(long, value_enum, default_value_t = KeyScope::Agent)]
    scope: KeyScope,
    /// What it is called in the file, for people
    #[arg(long, value_name = "TEXT")]
    name: Option<String>,
    /// When it stops working: a time like 2027-01-31T00:00:00Z, or from now on like 90d or 12h
    #[arg(long, visible_alias = "expires-in", value_name = "WHEN")]
    expires: Option<String>,
    /// The team whose skills its user sees, where layers are on
    #[arg(long, value_name = "ID")]
    team: Option<String>,
    /// Bind it to this session and its forks; chat-* to all that begin so. Can be given several times
    #[arg(long, value_name = "ID")]
    only_session: Vec<String>,
    /// Bind it to sessions with this value, which those it makes are given. Can be given several times
    #[arg(long, value_name = "NAME=VALUE")]
    only_var: Vec<String>,
    /// The keys file to look for earlier keys of the user in; it is only read [default: the setting keys, as for serve]
    #[arg(long, value_name = "FILE")]
    keys: Option<PathBuf>,
}

/// The scope of a key, as it is typed.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum KeyScope {
    /// An agent's operations
    Agent,
    /// Also publishing skills, deciding approvals, setting policy and variables, reading audit records, forgetting sessions,
    /// and exporting and deleting users
    Control,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// The keys file [default: the setting keys, as for serve]
    #[arg(long, value_name = "FILE")]
    keys: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Revoke {
    /// Its name, or the first digits of its hash, four at least
    #[arg(value_name = "NAME|HASH")]
    key: String,
    /// The keys file [default: the setting keys, as for serve]
    #[arg(long, value_name = "FILE")]
    keys: Option<PathBuf>,
}

impl KeysArgs {
    /// The settings that were given as flags.
    pub(crate) fn settings(&self) -> Option<(Setting, String)> {
        let file = match self {
            Self::New(NewKey { keys, .. }) | Self::List(List { keys }) | Self::Revoke(Revoke { keys, .. }) => {
                keys.as_ref()
            }
        };
        file.map(|path| (Setting::Keys, path.display().to_string()))
    }

    pub(crate) fn run(self, app: &App) -> Result<()> {
        match self {
            Self::New(new) => new.run(app),
            Self::List(_) => list(app),
            Self::Revoke(revoke) => revoke.run(app),
        }
    }
}

impl NewKey {
    fn run(self, app: &App) -> Result<()> {
        let (key, entry) = self.generate(app)?;
        // The command refuses a key that a service would refuse.
        access::Keys::new(std::slice::from_ref(&entry))?;
        let text = entry.to_toml()?;
        if app.out.is_json() {
            return app.out.document(&json!({ "key": key, "entry": text }));
        }
        app.out.line(text.trim_end())?;
        // Not a remark: without this line the key is lost.
        app.out.fault(format_args!("the key, which is kept nowhere: {key}"));
        say_earlier_keys(app, &entry);
        Ok(())
    }

    fn generate(self, app: &App) -> Result<(String, KeyEntry)> {
        let user = if self.all_users { None } else { Some(app.settings.id(Setting::User)?) };
        let scope = match self.scope {
            KeyScope::Agent => Scope::Agent,
            KeyScope::Control => Scope::Control,
        };
        let vars = self.only_var.iter().map(|text| variable(text)).collect::<Result<BTreeMap<_, _>>>()?;
        let (key, entry) = KeyEntry::generate(&*app.clock, user.as_ref(), vec![scope]);
        let entry = KeyEntry {
            name: self.name,
            expires: self.expires.map(|text| expiry(&text, app.clock.now())).transpose()?,
            team: self.team.map(|text| Id::parse(&text)).transpose()?,
            sessions: Some(self.only_session).filter(|sessions| !sessions.is_empty()),
            vars: Some(vars).filter(|vars| !vars.is_empty()),
            ..entry
        };
        Ok((key, entry))
    }
}

/// Notes that earlier keys stay valid, and names the keys that the same user has in the keys file of the settings.
fn say_earlier_keys(app: &App, new: &KeyEntry) {
    if app.settings.get(Setting::Keys).is_none() {
        let list = "`skillmount keys list --keys FILE` lists them, and `skillmount keys revoke` ends one";
        return app.out.note(format_args!("earlier keys stay valid: {list}"));
    }
    match earlier_keys(app, new) {
        Ok(None) => {}
        Ok(Some(said)) => app.out.note(said),
        Err(why) => app.out.note(format_args!("the earlier keys are not known: {}", why.message())),
    }
}

/// The keys of the user of `new` in the keys file of the settings, and how to revoke them; `None` if there is none.
///
/// # Errors
/// As for a service that reads the file. A file that is missing or empty has no key.
fn earlier_keys(app: &App, new: &KeyEntry) -> Result<Option<String>> {
    let path = path(app)?;
    if !fs::metadata(&path).is_ok_and(|file| file.len() > 0) {
        return Ok(None);
    }
    let text = KeysText::parse(read_keys_text(&path, path.display())?)?;
    // The shell may have appended the new entry already.
    let is_earlier = |entry: &&KeyEntry| entry.user == new.user && entry.short_hash() != new.short_hash();
    let earlier: Vec<_> = text.entries().iter().filter(is_earlier).collect();
    let named = earlier.iter().take(KEYS_NAMED).filter_map(|entry| {
        let name = entry.name.as_deref().map(|name| format!(" ({})", plain(name))).unwrap_or_default();
        Some(format!("{}{name}", entry.short_hash()?))
    });
    let named = named.collect::<Vec<_>>().join(", ");
    let whose = if new.user == "*" { "all users have".to_owned() } else { format!("user {} has", plain(&new.user)) };
    let file = quoted_path(path.typed());
    Ok((!earlier.is_empty()).then(|| {
        format!(
            "{whose} {} in {file} already, and a new key ends none: {named}; `skillmount keys revoke HASH --keys {file}` \
             ends one, and `skillmount keys list --keys {file}` shows them",
            counted(earlier.len(), "key")
        )
    }))
}

impl Revoke {
    fn run(self, app: &App) -> Result<()> {
        let path = path(app)?;
        let old = read_keys_text(&path, path.display())?;
        let (entry, new) = KeysText::parse(old.clone())?.without(&self.key)?;
        keys_file::replace(&path, &old, &new)?;
        let seconds = KEYS_LOOK.as_secs();
        let shown = json!({ "revoked": document(&entry, app.clock.now()), "refused_within_seconds": seconds });
        app.out.reply(&shown, |out, _| {
            let name = entry.name.as_deref().map(|name| format!(" ({})", plain(name))).unwrap_or_default();
            out.line(format_args!("revoked {}{name}", entry.short_hash().unwrap_or_default()))?;
            out.line(format_args!(
                "a service that runs with {} refuses it within {seconds} seconds; calls under way go on",
                path.display()
            ))
        })
    }
}

fn list(app: &App) -> Result<()> {
    let (path, now) = (path(app)?, app.clock.now());
    let text = KeysText::parse(read_keys_text(&path, path.display())?)?;
    let shown: Vec<_> = text.entries().iter().map(|entry| document(entry, now)).collect();
    app.out.reply(&json!({ "keys": shown }), |out, _| {
        let rows = text.entries().iter().map(|entry| row(entry, out.screen(), now).map(Cell::from));
        out.headed(HEADINGS, LastColumn::Wrapped, rows)
    })
}

fn path(app: &App) -> Result<LocalPath> {
    app.settings.required(Setting::Keys, |text| Ok(app.process.local(text)))
}

/// The parts of a key for people: everything but the whole hash.
fn document(entry: &KeyEntry, now: Timestamp) -> Value {
    json!({
        "hash": entry.short_hash(),
        "name": entry.name,
        "user": entry.user,
        "scopes": entry.scopes,
        "team": entry.team,
        "created": entry.created,
        "expires": entry.expires,
        "expired": entry.is_expired(now),
        "sessions": entry.sessions,
        "vars": entry.vars,
    })
}

/// The same as the cells of a table.
fn row(entry: &KeyEntry, screen: Terminal, now: Timestamp) -> [String; 8] {
    let or_none = |text: Option<String>| text.filter(|text| !text.is_empty()).unwrap_or_else(|| "-".to_owned());
    let scope = |scope: &Scope| match scope {
        Scope::Agent => "agent",
        Scope::Control => "control",
    };
    let expired = if entry.is_expired(now) { "expired " } else { "" };
    let vars = entry.vars.iter().flatten().map(|(name, value)| format!("{name}={value}"));
    let bounds: Vec<_> = entry.sessions.iter().flatten().cloned().chain(vars).collect();
    [
        or_none(entry.short_hash().map(|hash| hash.to_string())),
        or_none(entry.name.as_deref().map(plain)),
        entry.user.clone(),
        entry.scopes.iter().map(scope).collect::<Vec<_>>().join(" "),
        or_none(entry.team.as_ref().map(ToString::to_string)),
        or_none(entry.created.map(|time| screen.time(time, now))),
        or_none(entry.expires.map(|time| format!("{expired}{}", screen.time(time, now)))),
        or_none(Some(bounds.join(" "))),
    ]
}

fn variable(text: &str) -> Result<(String, Id)> {
    let (name, value) = text
        .split_once('=')
        .ok_or_else(|| invalid!("{text:?} is no variable: write its name and value, like ticket_id=T-7"))?;
    Ok((name.to_owned(), Id::parse(value)?))
}
