//! Counts the values and the nesting of a document during the reading, and finds the members that are absent because they
//! are `null`.

use std::cell::{Cell, RefCell};

use serde::de;

use crate::{
    error::{Code, Error},
    limits::{JSON_DEPTH, JSON_VALUES},
};

/// The bounds of a document, and whether the document broke one.
pub(super) struct Bounds {
    values: Cell<usize>,
    broken: Cell<Option<BrokenBound>>,
    nulls: Nulls,
}

/// The members of one document with a `null` that the type of the member does not take. Each is known by its number among all
/// members that are read into fields.
pub(super) struct Nulls {
    /// How many may be passed over.
    most: usize,
    /// The skipped ones.
    absent: RefCell<Vec<usize>>,
    /// The member that ended the reading.
    refused: Cell<Option<usize>>,
    /// How many members were met in this reading.
    members: Cell<usize>,
}

/// A bound that a document broke.
#[derive(Clone, Copy)]
pub(super) enum BrokenBound {
    Values,
    Depth,
}

impl BrokenBound {
    pub(super) fn error(self, what: &str) -> Error {
        let (message, limit) = match self {
            Self::Values => {
                (format!("{what} holds more than {JSON_VALUES} values; split the call into smaller ones"), JSON_VALUES)
            }
            Self::Depth => (format!("{what} is nested more than {JSON_DEPTH} deep; send it flatter"), JSON_DEPTH),
        };
        Error::new(Code::TooExpensive, message).with_detail("limit", limit)
    }
}

impl Bounds {
    /// `values` values, and `nulls` members that may be passed over.
    pub(super) fn new(values: usize, nulls: usize) -> Self {
        let nulls = Nulls { most: nulls, absent: RefCell::default(), refused: Cell::new(None), members: Cell::new(0) };
        Self { values: Cell::new(values), broken: Cell::new(None), nulls }
    }

    /// Reads one document by `reading`: again without a member whose `null` its type refused.
    pub(super) fn read<T, E>(&self, reading: impl Fn(NestingDepth<'_>) -> Result<T, E>) -> Result<T, E> {
        let values = self.values.get();
        self.nulls.absent.borrow_mut().clear();
        loop {
            self.nulls.members.set(0);
            let read = reading(self.outermost());
            match self.nulls.refused.take() {
                Some(member) if self.nulls.absent.borrow().len() < self.nulls.most => {
                    self.nulls.absent.borrow_mut().push(member);
                    self.values.set(values);
                }
                _ => return read,
            }
        }
    }

    /// The place where a document begins.
    pub(super) fn outermost(&self) -> NestingDepth<'_> {
        NestingDepth { bounds: self, depth: 0 }
    }

    /// The bound that the last document broke, if any.
    pub(super) fn broken(&self) -> Option<BrokenBound> {
        self.broken.take()
    }

    fn refuse<E: de::Error>(&self, bound: BrokenBound) -> E {
        self.broken.set(Some(bound));
        E::custom("over the bounds of a document")
    }
}

impl Nulls {
    /// Notes the member whose type refused its `null`.
    pub(super) fn refuse(&self, member: usize) {
        self.refused.set(Some(member));
    }

    /// The number of the next member, and whether it is passed over.
    pub(super) fn next(&self) -> (usize, bool) {
        let member = self.members.get();
        self.members.set(member + 1);
        (member, self.absent.borrow().contains(&member))
    }
}

/// How deep in a document one is.
#[derive(Clone, Copy)]
pub(super) struct NestingDepth<'b> {
    bounds: &'b Bounds,
    depth: usize,
}

impl<'b> NestingDepth<'b> {
    /// Whether the document is a request. The service wrote any other document itself.
    pub(super) fn is_of_request(self) -> bool {
        self.bounds.nulls.most > 0
    }

    /// The members that hold `null`.
    pub(super) fn nulls(self) -> &'b Nulls {
        &self.bounds.nulls
    }

    /// One value more.
    pub(super) fn count<E: de::Error>(self) -> Result<(), E> {
        match self.bounds.values.get().checked_sub(1) {
            None => Err(self.bounds.refuse(BrokenBound::Values)),
            Some(left) => {
                self.bounds.values.set(left);
                Ok(())
            }
        }
    }

    /// Inside a list or an object.
    pub(super) fn deeper<E: de::Error>(self) -> Result<Self, E> {
        if self.depth == JSON_DEPTH {
            return Err(self.bounds.refuse(BrokenBound::Depth));
        }
        Ok(Self { depth: self.depth + 1, ..self })
    }
}
