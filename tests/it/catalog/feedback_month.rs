//! A simulated month of one user, who asks again and again for the same tasks in other words, and loads what was found: how often
//! the right skill comes first with what is learnt from loads, and without. Loads reach as far as in the service.

use std::collections::BTreeMap;

use skillmount::{
    limits::{FEEDBACK_REACH, SEARCH_RESULTS},
    path::SkillPath,
    words::{PastLoad, QuestionPrint, Raises, SearchHit, SearchIndex},
};

use super::languages::{public_requests, public_skills};

/// A load of the month.
struct Load {
    skill: SkillPath,
    print: QuestionPrint,
    day: u32,
}

/// The first ten for a question on a day, and by how much loads raised them.
fn asked(index: &SearchIndex, month: &[Load], question: &str, day: u32) -> Vec<SearchHit> {
    let mut found = index.search(question, |_| true, FEEDBACK_REACH).unwrap();
    let past = month.iter().map(|load| PastLoad {
        skill: &load.skill,
        words: &load.print.words,
        told: load.print.told,
        days: day.saturating_sub(load.day),
    });
    Raises::from_loads(question, past).apply(&mut found, SEARCH_RESULTS.max(FEEDBACK_REACH));
    found.hits.truncate(SEARCH_RESULTS);
    found.hits
}

#[test]
fn a_month_of_loads_brings_right_skills_first_and_leaves_other_questions_alone() {
    let Some(index) = public_skills() else { return };
    let tasks: Vec<Vec<&str>> =
        include_str!("paraphrases.tsv").lines().map(|line| line.split('\t').collect()).collect();
    let (mut month, mut first) = (Vec::new(), BTreeMap::<&str, usize>::new());
    let last = tasks[0].len() - 1;
    for round in 1..=last {
        for (number, task) in tasks.iter().enumerate() {
            let (right, question) = (task[0], task[round]);
            let day = u32::try_from((round - 1) * 10 + number % 10).unwrap();
            let is_first =
                |hits: &[SearchHit]| usize::from(hits.first().is_some_and(|hit| hit.skill.folder() == right));
            let hits = asked(&index, &month, question, day);
            if round > 1 {
                *first.entry("without").or_default() += is_first(&asked(&index, &[], question, day));
                *first.entry("with").or_default() += is_first(&hits);
            }
            // The user recognises the right skill, and tries the first one if it is not there.
            let loaded = hits.iter().find(|hit| hit.skill.folder() == right).or(hits.first());
            if let Some(hit) = loaded {
                month.push(Load { skill: hit.skill.clone(), print: QuestionPrint::from_question(question), day });
            }
        }
    }
    let all = tasks.len() * (last - 1);
    let (with, without) = (first["with"], first["without"]);
    println!(
        "right skill first, of {all} questions asked again in other words: {without} without loads, {with} with them"
    );
    let unlike = public_requests();
    let changed = unlike.iter().filter(|question| {
        let (before, after) = (asked(&index, &[], question, 40), asked(&index, &month, question, 40));
        before.iter().zip(&after).any(|(one, other)| one.skill != other.skill)
    });
    let changed = changed.count();
    println!("other questions whose first ten changed: {changed} of {}", unlike.len());
    assert!(with > without, "{with} {without}");
    assert!(changed * 50 <= unlike.len(), "{changed} of {}", unlike.len());
}
