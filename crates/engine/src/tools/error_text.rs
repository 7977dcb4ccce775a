//! A failed call as a model reads it.

use crate::error::{Error, Kind};

/// The text for a model of an internal error: the error's own message is for operators of the service.
const INTERNAL: &str =
    "something went wrong inside the service; make the call again, and if it fails again go on without it";

pub(super) fn error(error: &Error) -> String {
    let message = if error.kind() == Kind::Internal { INTERNAL } else { error.message() };
    format!("Error: {message}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Code;

    // S-TOOL-10: A model reads only text that it can use.
    #[test]
    fn an_error_of_ours_is_read_without_what_is_for_those_who_run_the_service() {
        for text in [
            error(&Error::internal("disk on fire")),
            error(&Error::new(Code::ObjectDamaged, "set a policy with a key")),
        ] {
            assert_eq!(text, format!("Error: {INTERNAL}"));
        }
        assert_eq!(error(&Error::new(Code::FileNotFound, "no file")), "Error: no file");
    }
}
