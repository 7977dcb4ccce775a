//! `skillmount doctor`

use anstyle::AnsiColor;
use clap::{Args, ValueEnum as _};
use serde_json::json;

use super::host_view;
use crate::{
    app::App,
    connect::{Host, is_connected},
    encoder::try_encoder,
    encoding::encoder,
    error::{Code, Error, Result},
    failure::for_people,
    handle::failed_check,
    output::Output,
    screen::{Cell, LastColumn, plain},
    settings::Setting,
    status::CHECKS_FAILED,
    wire::{CheckStatus, StoreCheck},
};

/// Rules of a policy that the report names.
const RULES_NAMED: usize = 5;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  skillmount doctor
  skillmount --store s3://bucket/prefix --profile work doctor
  skillmount --server http://127.0.0.1:8787 doctor
  skillmount doctor --json
  skillmount doctor --mcp-host claude-code          what this host shows its model
  skillmount --store skills:DIR doctor --mcp-host all   a table of all hosts, for a folder

Reads, writes and deletes small objects below .skillmount/ and _probe/ of the store, and
stores the result of its race of writes in a bucket. An encoder encodes two sentences.
The exit status is 7 if a check fails.")]
pub(crate) struct Doctor {
    /// Print how much of your skills and tools reaches the model behind this host: claude-code, codex, vscode, … or all
    #[arg(long, value_name = "NAME")]
    mcp_host: Option<String>,
}

impl Doctor {
    pub(crate) async fn run(self, app: &App) -> Result<()> {
        if let Some(host) = &self.mcp_host {
            return host_view::run(app, host).await;
        }
        let checks = match app.settings.server()? {
            Some(server) => server_checks(app, server).await,
            None => store_checks(app).await,
        };
        app.out.reply(&json!({ "checks": checks }), |out, _| print(out, &checks))?;
        let failed = checks.iter().filter(|check| check.status == CheckStatus::Fail).count();
        if failed > 0 {
            return Err(Error::new(Code::StoreUnavailable, "a check failed; the report says how to fix it")
                .with_detail(CHECKS_FAILED, failed));
        }
        Ok(())
    }
}

async fn server_checks(app: &App, server: &str) -> Vec<StoreCheck> {
    let asked = async { app.control().await?.session().await };
    if let Err(error) = asked.await {
        let fix = "start it with `skillmount serve`, or correct --server and --api-key";
        return vec![failed_check("server", &error, fix)];
    }
    let answers = StoreCheck::passed("server", format!("{server} answers"));
    std::iter::once(answers).chain(policy_check(app).await).collect()
}

/// Whether each rule of the user's policy matches a skill; `None` if each does.
async fn policy_check(app: &App) -> Option<StoreCheck> {
    const NAME: &str = "policy";
    let unmatched = async { app.control().await?.unmatched_rules().await };
    match unmatched.await {
        Ok(rules) if rules.is_empty() => None,
        Ok(rules) => {
            let named: Vec<_> = rules.iter().take(RULES_NAMED).map(String::as_str).collect();
            let more = rules.len() - named.len();
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            Some(StoreCheck {
                name: NAME.to_owned(),
                status: CheckStatus::Warn,
                detail: format!("no skill matches the rules {}{more}", plain(&named.join(", "))),
                fix: Some(
                    "correct the patterns in the user's policy; letters of another case are other names".to_owned(),
                ),
            })
        }
        Err(error) => Some(failed_check(NAME, &error, "set the policy of the user again")),
    }
}

/// Which hosts on this machine start skillmount.
fn hosts_check(app: &App) -> StoreCheck {
    let is_connected = |host: &&Host| is_connected(&app.process, **host);
    let connected = Host::value_variants().iter().filter(is_connected).map(|host| host.name());
    let detail = match connected.collect::<Vec<_>>().as_slice() {
        [] => "no agent's host starts skillmount; `skillmount connect HOST` has one do it".to_owned(),
        [host] => format!("{host} starts skillmount"),
        hosts => format!("{} start skillmount", hosts.join(", ")),
    };
    StoreCheck::passed("hosts", detail)
}

/// Whether the encoder that the settings name encodes; `None` if they name none.
async fn encoder_check(app: &App) -> Option<StoreCheck> {
    const NAME: &str = "encoder";
    let fix = "correct embedding_url, embedding_model and embedding_api_key; `skillmount encoder add` puts one together on this machine. \
               Searches use words alone until it works";
    let encoder = match encoder(&app.process, &app.settings) {
        Ok(encoder) => encoder?,
        Err(error) => return Some(failed_check(NAME, &error, fix)),
    };
    let named = app.settings.get(Setting::EmbeddingUrl).unwrap_or_default();
    Some(match try_encoder(&*encoder).await {
        Ok(dimensions) => StoreCheck::passed(NAME, format!("{named} makes vectors of {dimensions} numbers")),
        Err(error) => failed_check(NAME, &invalid!("{}", error.chain()), fix),
    })
}

async fn store_checks(app: &App) -> Vec<StoreCheck> {
    let named = app.settings.get(Setting::Store).unwrap_or("no store");
    let store = match app.store().await {
        Ok(store) => store,
        Err(error) => {
            let fix = "correct the value, as a flag or in skillmount.toml; `skillmount config show` shows where each value comes from";
            return vec![failed_check("configuration", &error, fix)];
        }
    };
    let mut checks = vec![StoreCheck::passed("configuration", named), hosts_check(app)];
    checks.extend(encoder_check(app).await);
    checks.extend(store.check_folder().await);
    let reached = store.check_reachable().await;
    let goes_on = reached.iter().all(|check| check.status != CheckStatus::Fail);
    checks.extend(reached);
    if goes_on {
        checks.extend(store.check_writing().await);
        checks.extend(match app.user() {
            Ok(user) => store.check_skills(&user).await,
            Err(error) => vec![failed_check("skills", &error, "look at what the store says of that object")],
        });
        checks.extend(policy_check(app).await);
    }
    checks
}

fn print(out: &Output, checks: &[StoreCheck]) -> Result<()> {
    let rows = checks.iter().flat_map(|StoreCheck { name, status, detail, fix }| {
        let (word, colour) = match status {
            CheckStatus::Ok => ("ok", AnsiColor::Green),
            CheckStatus::Warn => ("warn", AnsiColor::Yellow),
            CheckStatus::Fail => ("fail", AnsiColor::Red),
        };
        let check = [Cell::from(word).styled(colour.on_default()), name.into(), for_people(detail).into()];
        let fix = fix.iter().map(|fix| ["".into(), "".into(), format!("to fix it: {fix}").into()]);
        std::iter::once(check).chain(fix)
    });
    out.table(LastColumn::Wrapped, rows)
}
