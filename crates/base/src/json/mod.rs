//! JSON from outside, read without the liberties that serde takes.
//!
//! serde's derived types take an array for an object, member by member in the order of their declaration, so that `[]` is
//! a whole policy with every default. Here an object is an object, at every depth. Values are counted and their nesting is
//! measured while they are read, because a body of some megabytes can hold values that take a gigabyte.
//!
//! In a request `null` stands for an absent member, as models write it. The one exception is a member whose type takes `null`
//! itself. serde decides by the type of a member, after its name was read, whether it is there at all. So a member that
//! refuses a `null` ends the reading. The document is then read again without this member.

mod bounds;
mod strict;
mod unknown_members;

use serde::de::DeserializeOwned;
use serde_json::Value;

pub use self::unknown_members::UnknownMembers;
use self::{bounds::Bounds, strict::Strict};
use crate::{
    error::{Code, Error, Result},
    limits::{JSON_NULLS, JSON_VALUES},
};

/// Reads an object of the service's own, however many values it holds. `null` is a value here: an object that holds one in
/// a wrong place is damaged.
///
/// # Errors
/// The parser's, also where an array stands in place of an object.
pub fn from_slice<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, serde_json::Error> {
    from_bytes(bytes, &Bounds::new(usize::MAX, 0))
}

/// Reads what a value of a request holds, whose values were counted before.
///
/// # Errors
/// The parser's, also where an array stands in place of an object.
pub fn from_value<T: DeserializeOwned>(value: Value) -> Result<T, serde_json::Error> {
    let bounds = Bounds::new(usize::MAX, JSON_NULLS);
    if holds_null(&value) {
        return bounds.read(|place| T::deserialize(Strict::new(&value, place)));
    }
    T::deserialize(Strict::new(value, bounds.outermost()))
}

/// Reads the body of a request.
///
/// # Errors
/// As [`Allowance::read`].
pub fn from_request<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    Allowance::default().read("the JSON body", bytes)
}

/// The allowance for all documents of one request together: [`JSON_VALUES`] values, nested up to
/// [`JSON_DEPTH`](crate::limits::JSON_DEPTH) deep.
pub struct Allowance(Bounds);

impl Default for Allowance {
    fn default() -> Self {
        Self(Bounds::new(JSON_VALUES, JSON_NULLS))
    }
}

impl Allowance {
    /// Reads one document, which errors call `what`.
    ///
    /// # Errors
    /// `invalid_request` with the place of the fault; `too_expensive` as soon as a value too many or too deep is met.
    pub fn read<T: DeserializeOwned>(&self, what: &str, bytes: &[u8]) -> Result<T> {
        from_bytes(bytes, &self.0).map_err(|fault| match self.0.broken() {
            None => Error::new(Code::InvalidRequest, format!("{what} is not valid: {fault}")),
            Some(bound) => bound.error(what),
        })
    }
}

/// The error of a body that is another value than an object, or none.
#[must_use]
pub fn no_object() -> Error {
    Error::new(Code::InvalidRequest, "the body of this call is a JSON object: {…}")
}

fn from_bytes<T: DeserializeOwned>(bytes: &[u8], bounds: &Bounds) -> Result<T, serde_json::Error> {
    bounds.read(|place| {
        let mut json = serde_json::Deserializer::from_slice(bytes);
        let value = T::deserialize(Strict::new(&mut json, place))?;
        json.end()?;
        Ok(value)
    })
}

/// Whether a value, or one in it, is `null`. It is no deeper than a body may be.
fn holds_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(values) => values.iter().any(holds_null),
        Value::Object(members) => members.values().any(holds_null),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
