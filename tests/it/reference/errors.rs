//! The page on error codes, from the table of codes.

use std::fmt::Write as _;

use skillmount::error::{Code, Kind};

use super::page::{check, code, table};

const BEGINNING: &str = "# Error codes

Each error has a code, and a code keeps its meaning. Over HTTP the code is the member `code` of a problem document (RFC 9457). The
command line prints the same document with `--json`. An MCP host gets the number of the third column, and the code in its data.

Codes of one kind ask the caller for the same reaction, and the kind decides the statuses.
";

/// The reaction that a kind asks for.
fn reaction(kind: Kind) -> &'static str {
    match kind {
        Kind::InvalidInput => "Correct the request. A repeated request gets the same answer.",
        Kind::Unauthenticated => "Send a valid key.",
        Kind::Denied => "Use another key, or ask a person to change the policy.",
        Kind::NotFound => "Look for the right name.",
        Kind::Conflict => "Read the present state, then decide again.",
        Kind::TooLarge => "Send less.",
        Kind::TooMany => "Wait as long as `retry-after` says, then repeat the request.",
        Kind::Unavailable => "Repeat the request later. `outcome` says whether a change may be in the store.",
        Kind::Internal => "Report it with the request id, which the log has too.",
    }
}

#[test]
fn the_page_on_errors_is_generated() {
    let mut kinds: Vec<Kind> = Vec::new();
    for code in Code::ALL {
        if !kinds.contains(&code.kind()) {
            kinds.push(code.kind());
        }
    }
    let mut text = BEGINNING.to_owned();
    for kind in kinds {
        write!(text, "\n## {}\n\n{}\n\n", kind.title(), reaction(kind)).unwrap();
        let codes = Code::ALL.iter().filter(|code| code.kind() == kind);
        let row = |one: &Code| {
            let statuses = [one.http_status().to_string(), one.kind().exit_code().to_string()];
            let [http, exit] = statuses;
            [code(one), http, one.kind().mcp_code().to_string(), exit, one.meaning().to_owned()]
        };
        text.push_str(&table(["code", "HTTP", "MCP", "exit", "meaning"], codes.map(row)));
    }
    check("errors.md", &text);
}
