//! The check of a folder of skills. The service serves such a folder unchanged, and follows no link in it.

use super::{check::failed_check, open::OpenStore};
use crate::{
    error::Error,
    skill::shown::one_line,
    store::StoreAddress,
    wire::{CheckStatus, StoreCheck},
};

const NAME: &str = "folder";
/// How many links are named one by one.
const LINKS_NAMED: usize = 5;

impl OpenStore {
    /// The visible part of a served folder of skills, and each link that is not followed, with a fix. It is empty for any
    /// other store.
    pub async fn check_folder(&self) -> Vec<StoreCheck> {
        let StoreAddress::Skills(skills) = self.address.clone() else { return Vec::new() };
        let (folder, writes) = (skills.folder.display().to_string(), skills.writes);
        let user = skills.user.clone();
        let surveyed = tokio::task::spawn_blocking(move || skills.survey()).await;
        let survey = match surveyed.map_err(Error::internal).and_then(|survey| survey.map_err(Error::from)) {
            Ok(survey) => survey,
            Err(error) => return vec![failed_check(NAME, &error, "look at the folder: ls -laR")],
        };
        let first = if survey.skills == 0 {
            let fix = "a skill is a folder in it with a SKILL.md: `skillmount new NAME` begins one";
            warned(&format!("{folder} holds no skill yet"), fix.to_owned())
        } else {
            let changes =
                if writes { "changes are written there" } else { "nothing is written there without --writable" };
            let skills = if survey.skills == 1 { "1 skill".to_owned() } else { format!("{} skills", survey.skills) };
            StoreCheck::passed(NAME, format!("{skills} of {folder} for user {user}; {changes}"))
        };
        let links = survey.left_out.iter().take(LINKS_NAMED).map(|left_out| {
            let fix = format!("put what it points to into {folder}, or serve the folder that has both");
            warned(&format!("the link {} is not followed: it {}", left_out.link, left_out.why), fix)
        });
        let more = survey.left_out.len().saturating_sub(LINKS_NAMED);
        let rest = (more > 0).then(|| {
            warned(&format!("{more} more links are not followed"), "find the folder's links: find -type l".to_owned())
        });
        [first].into_iter().chain(links).chain(rest).collect()
    }
}

fn warned(detail: &str, fix: String) -> StoreCheck {
    let detail = one_line(detail).plain().to_owned();
    StoreCheck { name: NAME.to_owned(), status: CheckStatus::Warn, detail, fix: Some(fix) }
}
