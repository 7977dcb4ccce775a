//! `skillmount grep`

use std::collections::BTreeMap;

use clap::Args;

use crate::{
    app::App,
    error::Result,
    failure::for_people,
    output::Output,
    status::ExitStatus,
    wire::{GrepMatch, GrepOutput, GrepReply, GrepRequest},
};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  skillmount grep 'precio|plazo' /skills/compraventa
  skillmount grep -F 'a.b(c)' --glob '*.md'        plain text, only in Markdown
  skillmount grep -i -C 2 arras                    two lines around each hit
  skillmount grep -l TODO /workspace               only the names of the files

Lines print as path:line:text. The exit status is 1 if nothing is found, with --json too.")]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own on the command line")]
pub(crate) struct Grep {
    /// A regular expression (Rust's syntax, linear time)
    pattern: String,
    /// A folder or a file [default: everything the session sees]
    path: Option<String>,
    /// Only files this glob matches
    #[arg(short, long)]
    glob: Option<String>,
    /// Take the pattern as plain text
    #[arg(short = 'F', long)]
    literal: bool,
    /// Ignore case
    #[arg(short, long)]
    ignore_case: bool,
    /// Lines to show around each hit
    #[arg(short = 'C', long, default_value_t = 0, value_name = "LINES")]
    context: usize,
    /// Print the files that hold a hit
    #[arg(short = 'l', long, conflicts_with = "count")]
    files: bool,
    /// Print how many lines match in each file
    #[arg(short, long)]
    count: bool,
    /// Stop after so many hits
    #[arg(short, long, value_name = "HITS")]
    max_count: Option<usize>,
}

impl Grep {
    pub(crate) async fn run(self, app: &App) -> Result<ExitStatus> {
        let Self { pattern, path, glob, literal, ignore_case, context, files, count, max_count } = self;
        let output_mode = match (files, count) {
            (true, _) => GrepOutput::Files,
            (_, true) => GrepOutput::Count,
            _ => GrepOutput::Content,
        };
        let request = GrepRequest { pattern, path, glob, literal, ignore_case, context, output_mode, max_count };
        let reply = app.backend().await?.grep(request).await?;
        app.out.reply(&reply, |out, reply| print(out, reply, context > 0))?;
        let GrepReply { matches, files, counts, .. } = &reply;
        let found = [matches.as_ref().map(Vec::len), files.as_ref().map(Vec::len), counts.as_ref().map(Vec::len)];
        if found.into_iter().flatten().any(|found| found > 0) {
            return Ok(ExitStatus::Done);
        }
        if !app.out.is_json() {
            app.out.note("no line matches");
        }
        Ok(ExitStatus::NothingFound)
    }
}

fn print(out: &Output, reply: &GrepReply, grouped: bool) -> Result<()> {
    for path in reply.files.iter().flatten() {
        out.line(path)?;
    }
    for count in reply.counts.iter().flatten() {
        out.line(format_args!("{}:{}", count.path, count.count))?;
    }
    let matches = reply.matches.as_deref().unwrap_or_default();
    lines(matches, grouped).into_iter().try_for_each(|line| out.line(line))?;
    if let Some(reason) = &reply.truncation_reason {
        out.note(for_people(reason));
    }
    Ok(())
}

/// Hits as `path:line:text`; with context, the lines around them as `path-line-text`, each line once, and `--` where
/// lines are missing in between.
fn lines(matches: &[GrepMatch], grouped: bool) -> Vec<String> {
    let mut seen: BTreeMap<(&str, u64), (char, &str)> = BTreeMap::new();
    for hit in matches {
        for (back, text) in (1..).zip(hit.before.iter().rev()) {
            seen.entry((&hit.path, hit.line.saturating_sub(back))).or_insert(('-', text));
        }
        for (ahead, text) in (1..).zip(&hit.after) {
            seen.entry((&hit.path, hit.line.saturating_add(ahead))).or_insert(('-', text));
        }
        seen.insert((&hit.path, hit.line), (':', &hit.text));
    }
    let mut lines = Vec::with_capacity(seen.len());
    let mut previous = None;
    for ((path, line), (mark, text)) in seen {
        if grouped && previous.is_some_and(|previous| previous != (path, line.saturating_sub(1))) {
            lines.push("--".to_owned());
        }
        lines.push(format!("{path}{mark}{line}{mark}{text}"));
        previous = Some((path, line));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(path: &str, line: u64, around: usize) -> GrepMatch {
        let text = |at: u64| format!("t{at}");
        GrepMatch {
            path: path.into(),
            line,
            text: text(line),
            before: (0..around as u64).rev().map(|back| text(line - 1 - back)).collect(),
            after: (1..=around as u64).map(|ahead| text(line + ahead)).collect(),
        }
    }

    #[test]
    fn hits_print_as_path_line_text() {
        assert_eq!(lines(&[hit("/a", 3, 0), hit("/b", 1, 0)], false), ["/a:3:t3", "/b:1:t1"]);
    }

    #[test]
    fn lines_of_context_print_once_and_gaps_are_marked() {
        let printed = lines(&[hit("/a", 3, 1), hit("/a", 4, 1), hit("/a", 9, 1)], true);
        assert_eq!(printed, ["/a-2-t2", "/a:3:t3", "/a:4:t4", "/a-5-t5", "--", "/a-8-t8", "/a:9:t9", "/a-10-t10"]);
    }
}
