//! The page on the configuration: names, variables, flags and defaults are the program's, the meanings stand here.

use std::{collections::BTreeMap, fmt::Write as _};

use super::page::{check, code, table};
use crate::cli::Home;

const BEGINNING: &str = "# Configuration

A flag wins over an environment variable. A variable wins over `skillmount.toml`, and the file wins over the default. The file is that
of `--config`, then `./skillmount.toml`, then `skillmount/skillmount.toml` in your configuration folder. `skillmount config show` prints
each value with its origin.

The file is TOML with one line for each setting, such as `user = \"ana\"`. The program refuses an unknown name, with its line. Secrets are
never printed.

Earlier names of settings, flags and variables still work in this version. The changelog lists them. Both names in one place are an
error.

";

/// The settings by groups, each with its meaning.
const GROUPS: &[(&str, &[(&str, &str)])] = &[
    (
        "Where and who",
        &[
            (
                "store",
                "The store: `file:DIR`, `skills:DIR`, `s3://bucket/prefix` or `memory:`. The default is `file:` in your data folder.",
            ),
            ("server", "The address of a running service, which commands call in place of a store."),
            ("user", "The user."),
            ("session", "The session."),
            ("api_key", "The key for the server. For `serve` it is the key that clients must send."),
            ("layers", "`true` shows sessions the skills of their team and of the organisation too."),
            ("writable", "`true` writes changes of skills into the folder of `skills:DIR`."),
            ("workspace", "The folder of `/workspace`. `{user}/workspace` shares one between all sessions of a user."),
            ("ticket", "The folder of `/ticket`. `{ticket_id:agent}` lets agents set the variable."),
        ],
    ),
    (
        "S3",
        &[
            ("endpoint_url", "The endpoint of a store that is not AWS."),
            ("region", "The region. The default is that of the AWS tools."),
            ("profile", "The profile of the AWS configuration files."),
            (
                "path_style",
                "`true` puts the bucket into the path. The default is `true` with an endpoint and `false` without one.",
            ),
            ("sse_kms_key_id", "The KMS key for new objects. The default is that of the bucket."),
        ],
    ),
    (
        "The service",
        &[
            ("listen", "The address to listen on. Port 0 takes a free port."),
            ("keys", "The file of keys for clients."),
            ("hosts", "Names of the service beside the address it listens on."),
            ("origins", "Origins of web pages that may call the service and read its answers."),
            ("public", "Users whose skills installers find without a key, as `skills.example.com=anna`."),
            ("share_signing_key", "The secret for links of `skillmount share`: 32 characters at least."),
            ("memory_limit", "MiB for cached contents, sessions and requests: 200 at least."),
            ("catalog_memory", "MiB for catalogs and search indexes: 16 at least."),
            ("connections", "Connections that are open at once: 512 at least. Half of them are for streams of events."),
            (
                "upload_dir",
                "The folder for uploads under way, up to 4 GiB. The default is the system's for temporary files.",
            ),
            (
                "drain",
                "Seconds in which the service still accepts connections after SIGTERM, for a load balancer to notice: 600 at most.",
            ),
        ],
    ),
    (
        "Records and logs",
        &[
            (
                "audit",
                "`async` writes audit records in the background, `sync` before it acknowledges a change, `off` none.",
            ),
            ("audit_days", "Days for which the service keeps audit records: 1 to 36,500."),
            ("log", "The filter of the log, such as `info` or `skillmount=debug`. `-v` and `-vv` set it too."),
            ("log_format", "`text` or `json`. The default is `text` on a terminal, otherwise `json`."),
        ],
    ),
    (
        "Search",
        &[
            ("feedback", "`true` raises skills that a user's sessions loaded after a similar question."),
            (
                "embedding_url",
                "Semantic search: `dir:FOLDER` of an embedding model, or the URL of an endpoint for embeddings.",
            ),
            ("embedding_model", "The name of the model at the endpoint."),
            ("embedding_document_model", "The name of the model for skills, if it differs."),
            ("embedding_api_key", "The key for the endpoint."),
            ("embedding_query_prefix", "Text that the model wants before a question, as `query: `."),
            ("embedding_document_prefix", "Text that the model wants before a skill, as `passage: `."),
        ],
    ),
    (
        "Hosts",
        &[
            ("hook_timeout", "Seconds until a hook gives up: 1 to 600."),
            (
                "digest_pace",
                "Milliseconds between two requests for digests that no MCP host waits for: 3,600,000 at most.",
            ),
            (
                "mcp_instruction_chars",
                "Characters of the instructions for an MCP host: 512 at least. The default is 2,048.",
            ),
            (
                "mcp_result_bytes",
                "Bytes of one result over MCP: 1,000 at least. The default is 36,000, and 8,000 for VS Code.",
            ),
            (
                "mcp_structured",
                "`true` declares the schemas of replies over MCP, and results have the reply as a document too.",
            ),
        ],
    ),
];
/// The commands whose help lists flags for settings. The first line is that of every command.
const COMMANDS: [&[&str]; 4] = [&[], &["serve"], &["mcp"], &["hook"]];

#[test]
fn the_page_on_the_configuration_is_generated() {
    let home = Home::new();
    let settings = home.json(&["config", "show"]);
    let settings: BTreeMap<_, _> = settings["settings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["name"].as_str().unwrap().to_owned(), one.clone()))
        .collect();
    let flags = flags(&home);
    let mut text = BEGINNING.to_owned();
    let mut written = Vec::new();
    for (group, meanings) in GROUPS {
        let row = |(name, meaning): &(&str, &str)| {
            let setting = settings.get(*name).unwrap_or_else(|| panic!("there is no setting {name}"));
            let default = setting["value"].as_str().filter(|value| is_fixed(name, value)).map_or(String::new(), code);
            [
                code(name),
                code(format!("SKILLMOUNT_{}", name.to_uppercase())),
                flags.get(*name).cloned().unwrap_or_default(),
                default,
                (*meaning).to_owned(),
            ]
        };
        let rows: Vec<_> = meanings.iter().map(row).collect();
        write!(text, "## {group}\n\n{}\n", table(["setting", "variable", "flag", "default", "meaning"], rows)).unwrap();
        written.extend(meanings.iter().map(|(name, _)| (*name).to_owned()));
    }
    written.sort();
    assert_eq!(written, settings.into_keys().collect::<Vec<_>>(), "each setting has one row");
    check("configuration.md", text.trim_end_matches('\n').to_owned().as_str());
}

/// Whether a default is the same on every machine.
fn is_fixed(name: &str, value: &str) -> bool {
    !value.is_empty() && name != "store"
}

/// The flags of settings, each behind the command it belongs to.
fn flags(home: &Home) -> BTreeMap<String, String> {
    let flag = regex::Regex::new(r"(?m)^ {2,}(?:-\w, )?--([a-z0-9-]+)").unwrap();
    let mut found = BTreeMap::<String, String>::new();
    for command in COMMANDS {
        let help = home.ok(&[command, &["--help"]].concat());
        for name in flag.captures_iter(&help).map(|found| found[1].to_owned()) {
            // `hook` has its own word for its time limit.
            let setting = if command == ["hook"] && name == "timeout" {
                "hook_timeout".to_owned()
            } else {
                name.replace('-', "_")
            };
            let is_of_all = found.get(&setting).is_some_and(|known| known.starts_with("`--"));
            if !is_of_all {
                let shown = code([command.join(" "), format!("--{name}")].join(" ").trim());
                let known = found.entry(setting).or_default();
                let comma = if known.is_empty() { "" } else { ", " };
                write!(known, "{comma}{shown}").unwrap();
            }
        }
    }
    found
}
