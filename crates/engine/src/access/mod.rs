//! Who may call the service, and what a caller may do: the same for every surface.
//!
//! A surface hands over the text of the headers it was sent, the Host and Origin to [`PeerRules::check`] and the
//! authorization to [`Keys::authenticate`]. It gets a [`Grant`], and asks the grant before each action for the caller.
//! Nothing here speaks HTTP, so a surface that is not `http` needs only this room.

mod callers;
mod digest;
mod grant;
mod key_entry;
mod keys;
#[cfg(feature = "keys-file")]
mod keys_file;
#[cfg(feature = "keys-file")]
mod keys_text;
mod links;
mod peers;
mod public;
mod reach;
mod taken;

pub use callers::Callers;
pub use grant::{Grant, Scope};
pub use key_entry::KeyEntry;
pub use keys::{KeyChanges, Keys};
#[cfg(feature = "keys-file")]
pub use keys_file::{KeysFile, read_keys_text};
#[cfg(feature = "keys-file")]
pub use keys_text::KeysText;
pub use links::LinkSecret;
pub use peers::{PeerHeaders, PeerRules};
pub use public::PublicSkills;
pub use reach::{SessionPattern, SessionScope, out_of_reach};
