//! Loads of a user that followed a question raise their skills a little for the like questions of the same user.

use crate::{
    context::Context,
    limits::NOTE_FLUSH,
    path::SkillPath,
    session::FollowedLoad,
    words::{PastLoad, QuestionPrint, Raises},
};

/// The seconds of a day.
const DAY: i64 = 24 * 60 * 60;

/// The skills that past loads of the user raise for a question; none if the service does not learn from loads.
pub(crate) async fn raises(context: &Context, question: &str) -> Raises {
    if !context.core.feedback() {
        return Raises::default();
    }
    let (loads, is_old) = context.core.sessions().load_history().loads(context.user()).await;
    if is_old {
        let this = context.clone();
        tokio::spawn(async move {
            if let Err(error) = this.core.sessions().load_history().refresh(this.user()).await {
                tracing::debug!(user = %this.user(), error = %error.chain(), "loads of other replicas are not known");
            }
        });
    }
    let today = today(context);
    Raises::from_loads(question, loads.iter().map(|load| past(load, today)))
}

/// Notes that `skill` was loaded after `question`. The caller does not wait for the write.
pub(crate) fn train(context: &Context, skill: &SkillPath, question: &str) {
    let QuestionPrint { words, told } = QuestionPrint::from_question(question);
    if !context.core.feedback() || words.is_empty() {
        return;
    }
    let load = FollowedLoad { skill: skill.clone(), words, told, day: today(context) };
    if context.core.sessions().load_history().record(context.user(), load) {
        let this = context.clone();
        tokio::spawn(async move {
            tokio::time::sleep(NOTE_FLUSH).await;
            if let Err(error) = this.core.sessions().load_history().flush(this.user()).await {
                tracing::warn!(user = %this.user(), error = %error.chain(), "a load after a question was not noted");
            }
        });
    }
}

/// The day, counted from 1970.
fn today(context: &Context) -> i64 {
    context.core.clock().now().as_second().div_euclid(DAY)
}

/// A load as searches see it on the day `today`.
fn past(load: &FollowedLoad, today: i64) -> PastLoad<'_> {
    let FollowedLoad { skill, words, told, day } = load;
    PastLoad { skill, words, told: *told, days: u32::try_from(today.saturating_sub(*day)).unwrap_or(0) }
}
