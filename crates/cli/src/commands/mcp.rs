//! `skillmount mcp`
//!
//! Each process has a session of its own unless one is named: a host starts a process for each conversation.

use std::path::PathBuf;

use clap::Args;

use crate::{
    app::App, error::Result, folder::address_of, handle::ServiceOptions, mcp::serve_stdio, path::Id, settings::Setting,
};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  skillmount mcp                                    the skills of your own store
  skillmount mcp --user anna --store s3://bucket    those of a user of a bucket
  skillmount mcp --skills ~/.claude/skills          a folder of skills as it is
  claude mcp add skillmount -- skillmount mcp       makes Claude Code start it

Speaks the Model Context Protocol until its standard input ends; logs go to stderr.
Each process has a session of its own, unless --session names one.")]
pub(crate) struct Mcp {
    /// Serve this folder of skills as it is, instead of a store
    #[arg(long, value_name = "DIR", conflicts_with_all = ["store", "server"])]
    pub(crate) skills: Option<PathBuf>,
    /// Find skills by meaning too: dir:FOLDER of a model, or the URL of an endpoint for embeddings
    #[arg(long, value_name = "URL")]
    pub(crate) embedding_url: Option<String>,
}

impl Mcp {
    /// The settings that were given as flags.
    pub(crate) fn settings(&self) -> Vec<(Setting, String)> {
        let folder = self.skills.iter().map(|folder| (Setting::Store, address_of(folder)));
        folder.chain(self.embedding_url.iter().map(|url| (Setting::EmbeddingUrl, url.clone()))).collect()
    }

    pub(crate) async fn run(self, app: &App) -> Result<()> {
        let session = if app.settings.is_default(Setting::Session) {
            Id::parse(&format!("mcp-{:032x}", app.clock.random()))?
        } else {
            app.session()?
        };
        let (store, _) = app.served_store("mcp").await?;
        let access = store.write_access().await?;
        let audit = app.recorder(&store, &access)?;
        let options = ServiceOptions { access: access.clone(), ..app.options()? };
        let service = app.shared_service(&store, options, Some(audit))?;
        let user = app.user()?;
        // From here on nothing is written for a user who is being deleted.
        service.deletions().check_not_deleted(&user).await?;
        let serving = Box::pin(serve_stdio(service.session(user, session), app.mcp_options()?));
        tokio::select! {
            outcome = serving => outcome,
            () = store.follow_denial(&access) => Ok(()),
        }
    }
}
