//! `skillmount openapi`

use clap::Args;

use super::super::app::App;
use crate::{
    error::{Error, Result},
    http,
};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  skillmount openapi > openapi.json

A running service gives the same at /openapi.json, and a page to try it at /docs.")]
pub(in super::super) struct Openapi {}

impl Openapi {
    pub(in super::super) fn run(self, app: &App) -> Result<()> {
        let Self {} = self;
        let document = http::openapi().to_pretty_json().map_err(Error::internal)?;
        app.out.line(document.trim_end())
    }
}
