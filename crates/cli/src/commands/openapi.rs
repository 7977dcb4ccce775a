//! `skillmount openapi`

use clap::Args;

use crate::{
    app::App,
    error::{Error, Result},
    http,
};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  skillmount openapi > openapi.json

A running service gives the same at /openapi.json, and a page to try it at /docs.")]
pub(crate) struct Openapi {}

impl Openapi {
    pub(crate) fn run(self, app: &App) -> Result<()> {
        let Self {} = self;
        let document = http::openapi().to_pretty_json().map_err(Error::internal)?;
        app.out.line(document.trim_end())
    }
}
