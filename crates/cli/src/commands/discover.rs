//! `skillmount skills discover` and `skillmount search`

use clap::Args;

use super::super::{
    app::App,
    output::Output,
    screen::{Cell, LastColumn, Table},
};
use crate::{
    error::Result,
    limits::SEARCH_RESULTS,
    skill::shown::{SafeText, one_line},
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
pub(in super::super) struct Discover {
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
    pub(in super::super) async fn run(self, app: &App) -> Result<()> {
        let Self { query, category, level, limit, explain, why } = self;
        let request = DiscoverRequest { query, category, level, limit, explain, why };
        let reply = app.finder().await?.discover_skills(request).await?;
        app.out.reply(&reply, |out, reply| if explain { explained(out, reply) } else { discovered(out, reply) })
    }
}

fn discovered(out: &Output, reply: &DiscoverReply) -> Result<()> {
    let mut table = Table::new(LastColumn::Cut);
    for found in &reply.skills {
        let (skill, description) = (one_line(&found.skill), one_line(&found.description));
        let (score, confidence) = (Cell::number(format!("{:.2}", found.score)), found.confidence.as_str());
        table.row([score, confidence.into(), skill.plain().into(), description.plain().into()]);
    }
    out.table(&table)?;
    say_how_sure(out, reply);
    if let Some(why) = &reply.why {
        return standing(out, why);
    }
    match (reply.skills.len(), reply.total) {
        (0, _) => {
            out.note(format_args!("{} `skillmount skills list` shows them all.", one_line(&reply.message).plain()));
        }
        (shown, total) if shown < total => {
            out.note(format_args!("the best {shown} of {total}; --limit shows more, and a narrower question fewer"));
        }
        _ => out.note("`skillmount skills load SKILL` makes one visible to the session"),
    }
    Ok(())
}

/// Each skill with the words that made its score.
fn explained(out: &Output, reply: &DiscoverReply) -> Result<()> {
    let nowhere: Vec<_> = reply.words.iter().filter(|word| !word.known).map(|word| one_line(&word.word)).collect();
    if !nowhere.is_empty() {
        let words: Vec<_> = nowhere.iter().map(SafeText::plain).collect();
        out.note(format_args!("no skill contains: {}", words.join(", ")));
    }
    out.line(match reply.ranking {
        SearchRanking::Lexical => "ranking: lexical, by words",
        SearchRanking::Fused => "ranking: fused, by words and by meaning",
    })?;
    for found in &reply.skills {
        let confidence = found.confidence.as_str();
        out.line(format_args!("{:.2}  {confidence}  {}", found.score, one_line(&found.skill).plain()))?;
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
    if let Some(doubt) = reply.doubt() {
        out.note(doubt);
    }
}

/// Where one skill stands.
fn standing(out: &Output, why: &SkillStanding) -> Result<()> {
    let (skill, message) = (one_line(&why.skill), one_line(&why.message));
    out.line(format_args!("{:.2}  {}: {}", why.score, skill.plain(), message.plain()))?;
    why.explain.iter().try_for_each(|explained| matches(out, explained))
}

/// The words of a skill, with the share of each in the score.
fn matches(out: &Output, explained: &ExplainedSkill) -> Result<()> {
    let weight = |weight: f32| Cell::number(format!("      {weight:.3}"));
    let mut table = Table::new(LastColumn::Wrapped);
    for one in &explained.matches {
        let (matched, word) = (one_line(&one.matched), one_line(&one.word));
        let how = format!("for {}: {}", word.plain(), one.by.in_words());
        table.row([weight(one.weight), one.field.as_str().into(), matched.plain().into(), how.into()]);
    }
    if let Some(near) = explained.nearness {
        let how = format!("for the question: a cosine of {:.3}", near.cosine);
        table.row([weight(near.weight), "meaning".into(), "".into(), how.into()]);
    }
    if let Some(raised) = explained.raised {
        let how = format!("raised by your own loads: {} after like questions", raised.loads);
        table.row([weight(raised.weight), "feedback".into(), "".into(), how.into()]);
    }
    out.table(&table)?;
    if explained.more > 0 {
        out.line(format_args!("      and {} words more, each of which adds less", explained.more))?;
    }
    Ok(())
}
