//! The tag that every session object carries.

use crate::store::Tags;

/// The tag of every session object: `skillmount=session`.
#[must_use]
pub fn session_tags() -> Tags {
    Tags::from([("skillmount".to_owned(), "session".to_owned())])
}
