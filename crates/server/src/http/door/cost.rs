//! The most memory that a call may take, in a table by route.
//!
//! A call reserves once, when its body has come, and gives back the rest when its answer is known. The worst case is
//! `fixed + 3 × body`: the body as it came, the parsed copy, and the part that comes back in the answer.
//!
//! `fixed` is the memory of the call without its body, the answer included. It leaves out cached contents, because the
//! cache has a part of its own. It also leaves out the bytes of a large file that `edit` changes, and the compressed copy
//! of an answer beside the plain one: the number of workers bounds both. Archives of versions have a window of their own
//! (`VERSION_WINDOW_KIB`).

use axum::http::Method;
use serde::Deserialize;

use super::address::{ARTIFACT, INDEX, MCP};
use crate::limits::{
    AUDIT_PAGE_BYTES, AUDIT_PIECE_BYTES, DOWNLOAD_WINDOW_BYTES, EVENTS_PAGE_BYTES, EVENTS_PIECE_BYTES,
    GREP_REPLY_BYTES, JSON_BODY_BYTES, MOVE_FILE_BYTES, READ_BYTES, SCAN_BYTES, SEARCH_WINDOW_KIB, TEXT_BODY_BYTES,
    USAGE_TALLY_BYTES,
};
use crate::{
    http::body::PARSED_COPIES,
    wire::{MemoryClass, Operation},
};

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const SEARCH_WINDOW_BYTES: u64 = SEARCH_WINDOW_KIB as u64 * KIB;

/// The classes of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cost {
    /// An operation of the table.
    Operation(MemoryClass),
    /// A turn of tool calls: the text of files, and searches, which share one window.
    Turn,
    /// A file on its way out: the piece being fetched, and the piece that the client has not taken yet.
    Download,
    /// Pages of records: a piece of a batch, the records in it, and the page.
    Records,
    /// Figures of use: the counts, and a piece of a batch.
    Figures,
    /// Events: a piece of a replayed batch, and its events. A stream holds them until it has replayed all.
    Events,
    /// A file on its way in, which goes to disk and reserves memory for itself once it is there.
    Upload,
}

/// Routes on a user's data that are not small, by the end of their template, beside those of the operations.
const ROUTES: &[(&str, &str, Cost)] = &[
    ("POST", "/tool_calls", Cost::Turn),
    ("POST", "/messages", Cost::Operation(MemoryClass::Listing)),
    ("POST", "/hooks", Cost::Operation(MemoryClass::Listing)),
    ("POST", "/hooks/claude", Cost::Operation(MemoryClass::Listing)),
    ("GET", "/tools", Cost::Operation(MemoryClass::Listing)),
    ("GET", "/prompt", Cost::Operation(MemoryClass::Listing)),
    ("GET", "/skills", Cost::Operation(MemoryClass::Listing)),
    ("GET", "/skills/{*skill}", Cost::Operation(MemoryClass::Listing)),
    ("GET", "/versions/{*skill}", Cost::Operation(MemoryClass::Listing)),
    ("GET", "/audit", Cost::Records),
    ("GET", "/usage", Cost::Figures),
    ("GET", "/events", Cost::Events),
    ("GET", "/diff/{*skill}", Cost::Operation(MemoryClass::Listing)),
    ("GET", "/sessions", Cost::Operation(MemoryClass::Listing)),
    ("GET", "/lint", Cost::Operation(MemoryClass::Listing)),
    ("GET", "/files/{*path}", Cost::Download),
    ("POST", "/download", Cost::Download),
    ("GET", "/skill_files/{*skill}", Cost::Download),
    ("GET", "/export", Cost::Download),
    ("GET", "/v1/users", Cost::Operation(MemoryClass::Listing)),
    ("PUT", "/files/{*path}", Cost::Upload),
    ("POST", "/upload", Cost::Upload),
    ("PUT", "/skills/{*skill}", Cost::Upload),
    ("PATCH", "/skills/{*skill}", Cost::Operation(MemoryClass::Text)),
    ("POST", "/v1/skills", Cost::Upload),
    ("POST", "/v1/skills/{skill_id}/versions", Cost::Upload),
    ("GET", "/v1/skills/{skill_id}/versions", Cost::Operation(MemoryClass::Listing)),
    ("GET", "/v1/skills/{skill_id}/content", Cost::Operation(MemoryClass::Listing)),
    ("GET", "/v1/skills/{skill_id}/versions/{version}/content", Cost::Operation(MemoryClass::Listing)),
];

impl Cost {
    /// The class of a call, by its method and the template of its route.
    pub(crate) fn for_route(method: &Method, template: &str) -> Self {
        if template.ends_with(MCP) {
            return Self::Turn;
        }
        if template.ends_with(ARTIFACT) {
            return Self::Download;
        }
        if template.ends_with(INDEX) {
            return Self::Operation(MemoryClass::Listing);
        }
        let known = ROUTES.iter().find(|(of, end, _)| method == of && template.ends_with(end));
        let named =
            |operation: &Operation| template.strip_suffix(operation.name()).is_some_and(|rest| rest.ends_with('/'));
        let operation = Operation::ALL.iter().find(|operation| method == Method::POST && named(operation));
        let class = || operation.and_then(|operation| operation.memory()).unwrap_or(MemoryClass::Small);
        known.map_or_else(|| Self::Operation(class()), |(_, _, cost)| *cost)
    }

    /// The longest JSON body it takes.
    pub(crate) const fn json_bytes(self) -> usize {
        match self {
            Self::Operation(MemoryClass::Text) | Self::Turn => TEXT_BODY_BYTES,
            _ => JSON_BODY_BYTES,
        }
    }

    const fn fixed(self) -> u64 {
        match self {
            Self::Operation(MemoryClass::Small) => 256 * KIB,
            Self::Operation(MemoryClass::Listing) => 2 * MIB,
            Self::Operation(MemoryClass::Page) => SCAN_BYTES + 2 * READ_BYTES as u64,
            // The answer is encoded once the search has ended, in the room of its window.
            Self::Operation(MemoryClass::Search) | Self::Turn => SEARCH_WINDOW_BYTES + GREP_REPLY_BYTES as u64,
            Self::Operation(MemoryClass::Text) => MIB,
            Self::Operation(MemoryClass::Files) => MOVE_FILE_BYTES,
            Self::Download => 2 * DOWNLOAD_WINDOW_BYTES + 256 * KIB,
            Self::Records => 3 * AUDIT_PIECE_BYTES + 3 * AUDIT_PAGE_BYTES as u64,
            Self::Figures => 3 * AUDIT_PIECE_BYTES + USAGE_TALLY_BYTES,
            Self::Events => 4 * EVENTS_PIECE_BYTES + 2 * EVENTS_PAGE_BYTES as u64,
            Self::Upload => 0,
        }
    }

    /// The bytes that a call of this class reserves once its body of `length` bytes has come. 0 if the call reserves later. A turn
    /// with a `short` body reserves for the tools that it names, because several calls of a user run at once.
    pub(crate) fn bytes(self, length: u64, short: Option<&[u8]>) -> u64 {
        let fixed = match self {
            Self::Upload => return 0,
            Self::Turn => short.and_then(turn_bytes).map_or(self.fixed(), |bytes| bytes.min(self.fixed())),
            _ => self.fixed(),
        };
        fixed + PARSED_COPIES * length
    }

    /// The class of a tool of a turn; `None` for a name that only the session knows.
    fn of_tool(name: &str) -> Option<Self> {
        let operation = Operation::ALL.iter().find(|operation| operation.name() == name)?;
        Some(Self::Operation(operation.memory().unwrap_or(MemoryClass::Small)))
    }
}

/// The tools of a turn, or of a message of the Model Context Protocol.
#[derive(Deserialize)]
struct TurnOutline {
    #[serde(default)]
    method: String,
    params: Option<ToolName>,
    #[serde(default)]
    content: Vec<ToolName>,
}

/// The name of a tool; `None` for a text beside calls.
#[derive(Deserialize)]
struct ToolName {
    name: Option<String>,
}

/// The bytes of the tools that a body names; `None` if the body does not say it.
fn turn_bytes(body: &[u8]) -> Option<u64> {
    let TurnOutline { method, params, content } = serde_json::from_slice(body).ok()?;
    match method.as_str() {
        "" => content.into_iter().filter_map(|block| block.name).map(|name| Some(Cost::of_tool(&name)?.fixed())).sum(),
        "tools/call" => Some(Cost::of_tool(&params?.name?)?.fixed()),
        "ping" => Some(Cost::Operation(MemoryClass::Small).fixed()),
        notice if notice.starts_with("notifications/") => Some(Cost::Operation(MemoryClass::Small).fixed()),
        "initialize" | "server/discover" => Some(Cost::Operation(MemoryClass::Listing).fixed()),
        list if list.ends_with("/list") => Some(Cost::Operation(MemoryClass::Listing).fixed()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        budget::Memory,
        http::door::admission::{FairShares, ShareKey, ShareOwner},
        limits::{MEMORY_BYTES, MEMORY_CACHES_BYTES, MEMORY_LEAST_BYTES, MEMORY_PATIENCE, PUBLISH_JSON_BYTES},
    };

    // S-LIMIT-1: Every limit stands in `crates/base/src/limits/`; the service takes n and refuses n + 1.
    #[test]
    fn every_call_within_its_limits_fits_what_a_caller_can_have() {
        let shares =
            FairShares::over(Memory::new(MEMORY_LEAST_BYTES - MEMORY_CACHES_BYTES, MEMORY_PATIENCE).shares().clone());
        let operations = Operation::CALLS.iter().map(|one| Cost::for_route(&Method::POST, &format!("/{one}")));
        for cost in ROUTES.iter().map(|(_, _, cost)| *cost).chain(operations) {
            let worst = cost.bytes(cost.json_bytes() as u64, None).max(PARSED_COPIES * PUBLISH_JSON_BYTES as u64);
            for is_of_one_user in [None, Some(true), Some(false)] {
                let key = is_of_one_user.map(|is_of_one_user| ShareKey { name: "k".into(), is_of_one_user });
                let caller = ShareOwner { user: "u".into(), key };
                assert!(shares.try_acquire(&caller, worst).is_some(), "{cost:?}: {worst} for {caller:?}");
            }
        }
    }

    // S-FAIR-9: A key of several users has seven eighths of all, and an eighth stays for users who hold nothing. For each single user
    // such a key has the part of a key of this user. Of memory at least 21 MiB stay, so a user who holds nothing can search.
    #[test]
    fn a_search_fits_beside_a_key_of_several_users_that_holds_its_whole_part() {
        for memory in [222 * MIB, MEMORY_BYTES, 4 * MEMORY_BYTES] {
            let shares = FairShares::over(Memory::new(memory - MEMORY_CACHES_BYTES, MEMORY_PATIENCE).shares().clone());
            let key = |name: &str, is_of_one_user| Some(ShareKey { name: name.into(), is_of_one_user });
            let hold = |n: usize| {
                shares.try_acquire(
                    &ShareOwner { user: format!("u{n}").as_str().into(), key: key("wide", false) },
                    200 * KIB,
                )
            };
            let all: Vec<_> = (0..30_000).map_while(hold).collect();
            assert!(all.len() > 300, "{}", all.len());
            let other = ShareOwner { user: "other".into(), key: key("own", true) };
            let search = Cost::Operation(MemoryClass::Search).bytes(40 * KIB, None);
            assert!(shares.try_acquire(&other, search).is_some(), "{search} with {memory}");
        }
    }

    #[test]
    fn a_body_counts_three_times_and_an_upload_later() {
        let small = Cost::for_route(&Method::POST, "/v1/users/{user}/sessions/{session}/unload_skill");
        assert_eq!(small, Cost::Operation(MemoryClass::Small));
        assert_eq!(small.bytes(0, None), 256 * KIB);
        assert_eq!(small.bytes(10, None), 256 * KIB + 30);
        assert_eq!(small.bytes(MIB, None), 256 * KIB + 3 * MIB);
        assert_eq!(Cost::for_route(&Method::GET, "/v1/users/{user}/sessions/{session}/files/{*path}"), Cost::Download);
        assert_eq!(
            Cost::for_route(&Method::PUT, "/v1/users/{user}/sessions/{session}/files/{*path}").bytes(9, None),
            0
        );
        for template in [MCP, "/v1/users/{user}/sessions/{session}/mcp"] {
            assert_eq!(Cost::for_route(&Method::POST, template), Cost::Turn, "{template}");
        }
    }

    #[test]
    fn a_turn_reserves_for_the_tools_that_it_names() {
        let bytes = |body: &str| Cost::Turn.bytes(0, Some(body.as_bytes()));
        let of = |class| Cost::Operation(class).fixed();
        let call = |name: &str| format!(r#"{{"method":"tools/call","params":{{"name":"{name}","arguments":{{}}}}}}"#);
        assert_eq!(bytes(&call("ls")), Cost::of_tool("ls").unwrap().fixed());
        assert_eq!(bytes(&call("grep")), Cost::Turn.fixed());
        assert_eq!(bytes(&call("Skill")), Cost::Turn.fixed(), "a name of the session");
        assert_eq!(bytes(r#"{"method":"notifications/cancelled"}"#), of(MemoryClass::Small));
        assert_eq!(bytes(r#"{"method":"tools/list"}"#), of(MemoryClass::Listing));
        assert_eq!(bytes(r#"[{"method":"ping"}]"#), Cost::Turn.fixed(), "a batch");
        let two = r#"{"content":[{"type":"text"},{"name":"write"},{"name":"write"}]}"#;
        assert_eq!(bytes(two), 2 * of(MemoryClass::Text));
        let many = format!(r#"{{"content":[{}]}}"#, vec![r#"{"name":"read"}"#; 100].join(","));
        assert_eq!(bytes(&many), Cost::Turn.fixed());
    }

    #[test]
    fn every_row_of_the_table_is_a_route() {
        let mut paths = crate::http::openapi().paths.paths;
        paths.extend(crate::http::skills_api_openapi().paths.paths);
        let routes: Vec<(String, &'static str)> = paths
            .iter()
            .flat_map(|(path, item)| {
                let has = [
                    ("GET", item.get.is_some()),
                    ("POST", item.post.is_some()),
                    ("PUT", item.put.is_some()),
                    ("PATCH", item.patch.is_some()),
                ];
                has.into_iter().filter(|(_, has)| *has).map(|(method, _)| (path.clone(), method))
            })
            .collect();
        for (method, end, _) in ROUTES {
            let plain = end.replace("{*", "{");
            let found = routes.iter().any(|(path, of)| of == method && path.replace("{*", "{").ends_with(&plain));
            assert!(found, "{method} {end} is no route: {routes:?}");
        }
    }
}
