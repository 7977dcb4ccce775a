//! `skillmount share`

use clap::Args;
use serde_json::json;

use crate::{access::LinkSecret, app::App, error::Result, expiry::expiry, settings::Setting};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  skillmount --user anna share --base https://skills.example.com
  skillmount share --expires 12h

Prints an address below which installers find the user's skills, without a key:
  npx skills add ADDRESS
  skillmount add ADDRESS
Anyone with the link may fetch these skills until it expires, and nothing else. It is signed with
the setting share_signing_key (SKILLMOUNT_SHARE_SIGNING_KEY), which the service must have too;
with another key, all links end.")]
pub(crate) struct ShareArgs {
    /// When it stops working: a time like 2027-01-31T00:00:00Z, or from now on like 90d or 12h
    #[arg(long, visible_alias = "expires-in", value_name = "WHEN", default_value = "7d")]
    expires: String,
    /// Where the service is reached [default: http:// and the address of the setting listen]
    #[arg(long, value_name = "URL")]
    base: Option<String>,
}

impl ShareArgs {
    pub(crate) fn run(self, app: &App) -> Result<()> {
        let none = || {
            let message = "no key to sign links with is set; set SKILLMOUNT_SHARE_SIGNING_KEY, here and for the service: `openssl rand -hex 32` makes one";
            invalid!("{message}")
        };
        let secret = app.settings.parsed(Setting::ShareSigningKey, LinkSecret::parse)?.ok_or_else(none)?;
        let base = match self.base {
            Some(base) if base.starts_with("http://") || base.starts_with("https://") => base,
            Some(base) => {
                return Err(invalid!(
                    "{base:?} is not where a service is reached; that looks like https://skills.example.com"
                ));
            }
            None => format!("http://{}", app.settings.get(Setting::Listen).unwrap_or_default()),
        };
        let (user, expires) = (app.user()?, expiry(&self.expires, app.clock.now())?);
        let url = format!("{}/links/{}", base.trim_end_matches('/'), secret.sign(&user, expires));
        app.out.reply(&json!({ "url": url, "user": user, "expires": expires }), |out, _| out.line(&url))
    }
}
