//! Whether a session made a draft before, and repeats the call that made it.

use super::{Publisher, check_upload::check_upload, drafting::DraftAsked, upload::UploadedSkill};
use crate::{
    content::draft_at,
    error::Result,
    path::{Id, LayerOwner},
    skill::Provenance,
};

impl Publisher {
    /// Whether the draft that `asked` would make is there already, made by the same session. Then a repeated call changes nothing.
    ///
    /// # Errors
    /// As [`create_draft`](Self::create_draft), if the session made a draft at this path.
    pub(crate) async fn is_made(&self, user: &Id, asked: &DraftAsked) -> Result<bool> {
        let DraftAsked { session, skill, by, text } = asked;
        let draft = draft_at(self.core.content(), user, skill).await?;
        let Some(draft) = draft.filter(|draft| draft.session.as_ref() == Some(session)) else { return Ok(false) };
        let owner = LayerOwner::from(user);
        let uploaded = UploadedSkill::from_text(skill, text.clone())?;
        let _room = self.core.content().place(&owner, skill)?.reserve(uploaded.window()).await?;
        let from = Provenance { at: self.core.clock().now(), by: by.clone(), source: None };
        let checked = check_upload(&self.core, &owner, skill, uploaded, &from).await?;
        Ok(checked.package.version.digest() == draft.digest)
    }
}
