//! `skillmount skills discover` and `skillmount search`

use clap::Args;
use serde_json::{Value, json};

use crate::{
    app::App,
    error::Result,
    limits::SEARCH_RESULTS,
    output::Output,
    screen::{Cell, LastColumn, plain},
    wire::{DiscoverReply, DiscoverRequest, ExplainedSkill, SearchRanking, SkillStanding},
};

/// Finding skills, which is a command of its own too.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  skillmount skills discover 'sale of a flat with a mortgage'
  skillmount skills discover contract --category escrituras --limit 3
  skillmount skills discover contract --json | jq -r '.skills[].skill'
  skillmount skills discover contract --explain        which words in which fields made each score
  skillmount skills discover contract --why compraventa  where a skill stands, or why it is not found
  skillmount search contract                          the same, in fewer words

With --explain or --why the session does not remember the search.")]
pub(crate) struct Discover {
    /// What the skills should be for: a few words, a sentence or a whole message (16 KiB and 2,500 words at most)
    query: String,
    /// Only this category and those below it
    #[arg(long)]
    category: Option<String>,
    /// Only skills whose frontmatter names this level
    #[arg(long)]
    level: Option<String>,
    /// How many to show at most
    #[arg(long, value_name = "COUNT", default_value_t = SEARCH_RESULTS)]
    limit: usize,
    /// Say which words in which fields made each score
    #[arg(long)]
    explain: bool,
    /// Say where this skill stands, or why it is not found
    #[arg(long, value_name = "SKILL")]
    why: Option<String>,
}

impl Discover {
    pub(crate) async fn run(self, app: &App) -> Result<()> {
        let Self { query, category, level, limit, explain, why } = self;
        let request = DiscoverRequest { query, category, level, limit, explain, why };
        let reply = app.finder().await?.discover_skills(request).await?;
        app.out.reply(&reply, |out, reply| if explain { explained(out, reply) } else { discovered(out, reply) })
    }
}

fn discovered(out: &Output, reply: &DiscoverReply) -> Result<()> {
    let rows = reply.skills.iter().map(|found| {
        let score = Cell::number(format!("{:.2}", found.score));
        [score, found.confidence.as_str().into(), plain(&found.skill).into(), plain(&found.description).into()]
    });
    out.list(["SCORE", "FIT", "SKILL", "DESCRIPTION"], LastColumn::Cut, rows)?;
    if out.screen().is_terminal && !reply.skills.is_empty() {
        out.note(meaning_of_scores(reply.ranking));
    }
    say_how_sure(out, reply);
    if let Some(why) = &reply.why {
        return standing(out, why);
    }
    match (reply.skills.len(), reply.total) {
        (0, _) => {
            out.note(format_args!("{} `skillmount skills list` shows them all.", plain(&reply.message)));
        }
        (shown, total) if shown < total => {
            out.note(format_args!("the best {shown} of {total}; --limit shows more, and a narrower question fewer"));
        }
        _ => out.note("`skillmount skills load SKILL` makes one visible to the session"),
    }
    Ok(())
}

/// The meaning of a score and of the word beside it, in lines that fit a narrow terminal.
const fn meaning_of_scores(ranking: SearchRanking) -> &'static str {
    match ranking {
        SearchRanking::Lexical => {
            "score: how much of the question the skill answers, 0 to 1\nfit: low if the words in common may be chance"
        }
        SearchRanking::Fused => {
            "score: how good the skill is beside the best, 0 to 1\nfit: low if neither words nor meaning are near"
        }
    }
}

/// Each skill with the words that made its score.
fn explained(out: &Output, reply: &DiscoverReply) -> Result<()> {
    let nowhere: Vec<_> = reply.words.iter().filter(|word| !word.known).map(|word| plain(&word.word)).collect();
    if !nowhere.is_empty() {
        out.note(format_args!("no skill contains: {}", nowhere.join(", ")));
    }
    out.line(match reply.ranking {
        SearchRanking::Lexical => "ranking: lexical, by words",
        SearchRanking::Fused => "ranking: fused, by words and by meaning",
    })?;
    for found in &reply.skills {
        let confidence = found.confidence.as_str();
        out.line(format_args!("{:.2}  {confidence}  {}", found.score, plain(&found.skill)))?;
        found.explain.iter().try_for_each(|explained| matches(out, explained))?;
    }
    say_how_sure(out, reply);
    reply.why.iter().try_for_each(|why| standing(out, why))
}

/// Notes if meaning helped to rank the skills, and if perhaps no skill fits.
fn say_how_sure(out: &Output, reply: &DiscoverReply) {
    if reply.ranking == SearchRanking::Fused && !reply.skills.is_empty() {
        out.note("ranked by words and by meaning");
    }
    if let Some(doubt) = &reply.doubt {
        out.note(plain(doubt));
    }
}

/// Where one skill stands.
fn standing(out: &Output, why: &SkillStanding) -> Result<()> {
    out.line(format_args!("{:.2}  {}: {}", why.score, plain(&why.skill), plain(&why.message)))?;
    why.explain.iter().try_for_each(|explained| matches(out, explained))
}

/// The words of a skill, with the share of each in the score.
fn matches(out: &Output, explained: &ExplainedSkill) -> Result<()> {
    let row = |share: f32, field: Value, matched: String, how: String| {
        let field = field.as_str().unwrap_or_default();
        [Cell::number(format!("      {share:.3}")), field.into(), matched.into(), how.into()]
    };
    let words = explained.matches.iter().map(|one| {
        let how = format!("for {}: {}", plain(&one.word), one.by.in_words());
        row(one.weight, json!(one.field), plain(&one.matched), how)
    });
    let near = explained.nearness.map(|near| {
        let how = format!("for the question: a cosine of {:.3}", near.cosine);
        row(near.weight, "meaning".into(), String::new(), how)
    });
    let raised = explained.raised.map(|raised| {
        let how = format!("raised by your own loads: {} after like questions", raised.loads);
        row(raised.weight, "feedback".into(), String::new(), how)
    });
    out.table(LastColumn::Wrapped, words.chain(near).chain(raised))?;
    if explained.more > 0 {
        out.line(format_args!("      and {} words more, each of which adds less", explained.more))?;
    }
    Ok(())
}
