//! Encoders in folders, of kinds that the pinned one is not: with a tokenizer of pieces of words in many languages, with texts that
//! go before, and with other ways from tokens to one vector. Their models are made here, of a table with a vector for each token.

use std::{
    fs,
    path::Path,
    sync::{Arc, Mutex},
};

use axum::{Json, Router, extract::State, routing::post};
use serde_json::{Value, json};
use skillmount::encoder::{Encoder as _, LocalEncoder, RemoteEncoder, TextRole};
use tempfile::TempDir;

use crate::support::wheels::Wheels;

/// Pieces of words, as `SentencePiece` has them, with the vector of each.
const PIECES: [(&str, [f32; 3]); 8] = [
    ("<s>", [0.0, 0.0, 1.0]),
    ("</s>", [0.0, 0.0, 2.0]),
    ("<unk>", [0.0, 0.0, 0.0]),
    ("▁query:", [0.0, 0.0, 8.0]),
    ("▁gato", [5.0, 0.0, 0.0]),
    ("▁кошка", [5.0, 0.0, 0.0]),
    ("▁fact", [0.0, 3.0, 0.0]),
    ("ura", [0.0, 4.0, 0.0]),
];

/// A tokenizer of the kind that multilingual models have.
fn tokenizer() -> Value {
    let special = |id: usize| {
        json!({
            "id": id, "content": PIECES[id].0, "single_word": false, "lstrip": false, "rstrip": false,
            "normalized": false, "special": true
        })
    };
    let token = |id: usize| json!({ "SpecialToken": { "id": PIECES[id].0, "type_id": 0 } });
    let named = |id: usize| json!({ "id": PIECES[id].0, "ids": [id], "tokens": [PIECES[id].0] });
    let text = json!({ "Sequence": { "id": "A", "type_id": 0 } });
    let vocabulary: Vec<Value> = PIECES.iter().map(|(piece, _)| json!([piece, -1.0])).collect();
    json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [special(0), special(1), special(2)],
        "normalizer": { "type": "NFKC" },
        "pre_tokenizer": { "type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true },
        "post_processor": {
            "type": "TemplateProcessing", "single": [token(0), text, token(1)], "pair": [token(0), text, token(1)],
            "special_tokens": { "<s>": named(0), "</s>": named(1) }
        },
        "decoder": null, "model": { "type": "Unigram", "unk_id": 2, "vocab": vocabulary, "byte_fallback": false }
    })
}

/// A message of protocol buffers, field by field.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(u8::try_from(number & 0x7f).unwrap() | 0x80);
            number >>= 7;
        }
        self.0.push(u8::try_from(number).unwrap());
    }

    fn number(mut self, field: u64, number: u64) -> Self {
        self.varint(field << 3);
        self.varint(number);
        self
    }

    fn bytes(mut self, field: u64, bytes: impl AsRef<[u8]>) -> Self {
        self.varint(field << 3 | 2);
        self.varint(bytes.as_ref().len() as u64);
        self.0.extend_from_slice(bytes.as_ref());
        self
    }

    fn message(self, field: u64, message: Self) -> Self {
        self.bytes(field, message.0)
    }
}

/// An input or an output: its name, the number of its type, and its dimensions.
fn value(name: &str, kind: u64, dimensions: &[&str]) -> Message {
    let shape =
        dimensions.iter().fold(Message::default(), |shape, name| shape.message(1, Message::default().bytes(2, name)));
    let tensor = Message::default().number(1, kind).message(2, shape);
    Message::default().bytes(1, name).message(2, Message::default().message(1, tensor))
}

fn node(kind: &str, inputs: &[&str], output: &str) -> Message {
    let node = inputs.iter().fold(Message::default(), |node, input| node.bytes(1, input));
    node.bytes(2, output).bytes(4, kind)
}

const FLOAT: u64 = 1;
const INT64: u64 = 7;

/// A model in ONNX that looks each token up in the table. `inputs` are those beside the tokens, `outputs` what it gives, each with
/// the operation that makes it of the looked-up vectors.
fn model(inputs: &[&str], outputs: &[(&str, &str)]) -> Vec<u8> {
    let numbers: Vec<u8> =
        PIECES.iter().flat_map(|(_, vector)| vector).flat_map(|number| number.to_le_bytes()).collect();
    let table = Message::default().number(1, PIECES.len() as u64).number(1, 3).number(2, FLOAT);
    let table = table.bytes(8, "table").bytes(9, numbers);
    let mut graph = Message::default().message(1, node("Gather", &["table", "input_ids"], "found"));
    for (name, operation) in outputs {
        graph = graph.message(1, node(operation, &["found"], name));
    }
    graph = graph.bytes(2, "g").message(5, table).message(11, value("input_ids", INT64, &["b", "n"]));
    for name in inputs {
        graph = graph.message(11, value(name, INT64, &["b", "n"]));
    }
    for (name, operation) in outputs {
        let dimensions: &[&str] = if *operation == "Shape" { &["r"] } else { &["b", "m", "d"] };
        let kind = if *operation == "Shape" { INT64 } else { FLOAT };
        graph = graph.message(12, value(name, kind, dimensions));
    }
    let opset = Message::default().bytes(1, "").number(2, 13);
    Message::default().number(1, 8).message(7, graph).message(8, opset).0
}

fn folder(wheels: &Wheels, model: &[u8]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("model.onnx"), model).unwrap();
    fs::write(folder.path().join("tokenizer.json"), tokenizer().to_string()).unwrap();
    wheels.unpack_library(folder.path());
    folder
}

async fn encoded(folder: &Path, text: &str, role: TextRole) -> Result<Vec<f32>, String> {
    let encoder = LocalEncoder::open(folder).map_err(|error| error.chain())?;
    let vectors = encoder.encode(vec![text.to_owned()], role).await.map_err(|error| error.chain())?;
    Ok(vectors.into_iter().next().unwrap())
}

#[tokio::test]
async fn a_multilingual_encoder_is_used_as_its_folder_says() {
    let Some(wheels) = Wheels::get() else { return };
    let whole = model(&["attention_mask", "token_type_ids", "position_ids"], &[("last_hidden_state", "Identity")]);
    let folder = folder(&wheels, &whole);
    let ask = async |text| encoded(folder.path(), text, TextRole::Question).await.unwrap();
    let skill = async |text| encoded(folder.path(), text, TextRole::Skill).await.unwrap();
    // The beginning, the pieces and the end, in any script; words are cut into pieces.
    assert_eq!(ask("gato").await, [5.0, 0.0, 3.0]);
    assert_eq!(ask("кошка").await, ask("gato").await);
    assert_eq!(ask("factura gato").await, [5.0, 7.0, 3.0]);

    let prompts = json!({ "prompts": { "query": "query: ", "passage": "" } }).to_string();
    fs::write(folder.path().join("config_sentence_transformers.json"), prompts).unwrap();
    assert_eq!((ask("gato").await, skill("gato").await), (vec![5.0, 0.0, 11.0], vec![5.0, 0.0, 3.0]));

    fs::create_dir(folder.path().join("1_Pooling")).unwrap();
    for (switch, vector) in
        [("cls_token", [0.0, 0.0, 1.0]), ("lasttoken", [0.0, 0.0, 2.0]), ("max_tokens", [5.0, 0.0, 2.0])]
    {
        let pooling = format!(r#"{{"word_embedding_dimension": 3, "pooling_mode_{switch}": true}}"#);
        fs::write(folder.path().join("1_Pooling/config.json"), pooling).unwrap();
        assert_eq!(skill("gato").await, vector, "{switch}");
    }
    // A model that pools by itself is believed.
    let own = model(&["attention_mask"], &[("token_embeddings", "Identity"), ("sentence_embedding", "Neg")]);
    fs::write(folder.path().join("model.onnx"), own).unwrap();
    fs::remove_dir_all(folder.path().join("1_Pooling")).unwrap();
    assert_eq!(skill("gato").await, [-5.0, 0.0, -3.0]);
}

#[tokio::test]
async fn a_model_that_is_no_sentence_encoder_is_refused_with_what_it_wants_or_gives() {
    let Some(wheels) = Wheels::get() else { return };
    for (model, said) in [
        (model(&["pixel_values"], &[("last_hidden_state", "Identity")]), "the model wants \"pixel_values\""),
        (model(&[], &[("shape", "Shape")]), "the encoder failed"),
    ] {
        let folder = folder(&wheels, &model);
        let why = encoded(folder.path(), "gato", TextRole::Skill).await.unwrap_err();
        assert!(why.contains(said), "{why}");
    }
}

/// What a server was asked.
type Asked = Arc<Mutex<Vec<Value>>>;

#[tokio::test]
async fn a_server_is_asked_with_the_names_and_the_texts_that_its_model_wants() {
    async fn answer(State(asked): State<Asked>, Json(request): Json<Value>) -> Json<Value> {
        asked.lock().unwrap().push(request);
        Json(json!({ "data": [{ "index": 0, "embedding": [1.0, 0.5] }] }))
    }
    let asked = Asked::default();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1/embeddings", listener.local_addr().unwrap());
    let routes = Router::new().route("/v1/embeddings", post(answer)).with_state(asked.clone());
    tokio::spawn(async move { axum::serve(listener, routes).await });
    let plain = || RemoteEncoder::new(&url, "m", None).unwrap();
    let encoders = [plain(), plain().with_skill_model("m-passage"), plain().with_prompts("query: ", "passage: ")];
    for encoder in &encoders {
        for role in [TextRole::Question, TextRole::Skill] {
            encoder.encode(vec!["gato".to_owned()], role).await.unwrap();
        }
    }
    let asked: Vec<_> = asked.lock().unwrap().iter().map(|one| (one["model"].clone(), one["input"].clone())).collect();
    let expected = [
        ("m", "gato"),
        ("m", "gato"),
        ("m", "gato"),
        ("m-passage", "gato"),
        ("m", "query: gato"),
        ("m", "passage: gato"),
    ];
    assert_eq!(asked, expected.map(|(model, text)| (json!(model), json!([text]))));
    // Vectors of one are never compared with those of another.
    let [plain, named, prompted] = &encoders;
    assert!(plain.identity() != named.identity() && plain.identity() != prompted.identity());
    assert!(named.identity() != prompted.identity());
}
