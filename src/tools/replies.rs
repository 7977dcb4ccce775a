//! The replies of the operations as texts.

use super::text;
use crate::{
    error::Result,
    wire::{
        DeleteReply, DiscoverReply, EditReply, GlobReply, GrepReply, LoadSkillReply, LsReply, ReadReply, Reply,
        TextForm, UnloadSkillReply, WriteReply,
    },
};

impl Reply for LsReply {
    fn text(&self, form: TextForm) -> Result<String> {
        Ok(text::ls(self, form.room))
    }
}

impl Reply for ReadReply {
    fn text(&self, form: TextForm) -> Result<String> {
        Ok(text::read(self, form.room))
    }
}

impl Reply for GrepReply {
    fn text(&self, form: TextForm) -> Result<String> {
        Ok(text::grep(self, form.room))
    }
}

impl Reply for GlobReply {
    fn text(&self, form: TextForm) -> Result<String> {
        Ok(text::glob(self, form.room))
    }
}

impl Reply for WriteReply {
    fn text(&self, _: TextForm) -> Result<String> {
        Ok(text::write(self))
    }
}

impl Reply for EditReply {
    fn text(&self, _: TextForm) -> Result<String> {
        Ok(text::edit(self))
    }
}

impl Reply for DeleteReply {
    fn text(&self, _: TextForm) -> Result<String> {
        text::delete(self)
    }
}

impl Reply for LoadSkillReply {
    fn text(&self, form: TextForm) -> Result<String> {
        Ok(text::load(self, form.instructions, form.room))
    }
}

impl Reply for UnloadSkillReply {
    fn text(&self, _: TextForm) -> Result<String> {
        Ok(text::unload(self))
    }
}

impl Reply for DiscoverReply {
    fn text(&self, form: TextForm) -> Result<String> {
        Ok(text::discover(self, form.room))
    }
}
