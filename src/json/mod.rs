//! JSON from outside, read without the liberties that serde takes.
//!
//! serde's derived types take an array for an object, member by member in the order of their declaration, so that `[]` is
//! a whole policy with every default. Here an object is an object, at every depth. Values are counted and their nesting is
//! measured while they are read, because a body of some megabytes can hold values that take a gigabyte.
//!
//! A wrapper stands around each part of serde's conversation: deserializer, visitor, seed, and the access to lists, maps and
//! variants. Each hands its wrapper on, so that no type below can speak to the bare deserializer.

use std::{cell::Cell, fmt};

use serde::de::{
    self, DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error as _, MapAccess, SeqAccess, Unexpected,
    VariantAccess, Visitor,
};
use serde_json::Value;

use crate::{
    error::{Code, Error, Result},
    limits::{JSON_DEPTH, JSON_VALUES},
};

/// Reads an object of the service's own, however many values it holds.
///
/// # Errors
/// The parser's, also where an array stands in place of an object.
pub fn from_slice<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, serde_json::Error> {
    read(bytes, &Bounds::new(usize::MAX))
}

/// Reads what a value holds, as [`from_slice`] reads bytes.
///
/// # Errors
/// As [`from_slice`].
pub fn from_value<T: DeserializeOwned>(value: Value) -> Result<T, serde_json::Error> {
    let bounds = Bounds::new(usize::MAX);
    T::deserialize(Strict::new(value, Place { bounds: &bounds, depth: 0 }))
}

/// Reads the body of a request.
///
/// # Errors
/// `invalid_request` with the place of the fault; `too_expensive` for more than [`JSON_VALUES`] values, or values nested
/// deeper than [`JSON_DEPTH`], as soon as one too many is met.
pub fn from_request<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    let bounds = Bounds::new(JSON_VALUES);
    read(bytes, &bounds).map_err(|fault| match bounds.broken.get() {
        None => Error::new(Code::InvalidRequest, format!("the JSON body is not valid: {fault}")),
        Some(bound) => bound.error(),
    })
}

fn read<T: DeserializeOwned>(bytes: &[u8], bounds: &Bounds) -> Result<T, serde_json::Error> {
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let value = T::deserialize(Strict::new(&mut json, Place { bounds, depth: 0 }))?;
    json.end()?;
    Ok(value)
}

/// What a document may hold, and whether it held more.
struct Bounds {
    values: Cell<usize>,
    broken: Cell<Option<Bound>>,
}

#[derive(Clone, Copy)]
enum Bound {
    Values,
    Depth,
}

impl Bound {
    fn error(self) -> Error {
        let (message, limit) = match self {
            Self::Values => (
                format!("the JSON body holds more than {JSON_VALUES} values; split the call into smaller ones"),
                JSON_VALUES,
            ),
            Self::Depth => {
                (format!("the JSON body is nested more than {JSON_DEPTH} deep; send it flatter"), JSON_DEPTH)
            }
        };
        Error::new(Code::TooExpensive, message).with_detail("limit", limit)
    }
}

impl Bounds {
    fn new(values: usize) -> Self {
        Self { values: Cell::new(values), broken: Cell::new(None) }
    }

    fn refuse<E: de::Error>(&self, bound: Bound) -> E {
        self.broken.set(Some(bound));
        E::custom("over the bounds of a document")
    }
}

/// How deep in a document one is.
#[derive(Clone, Copy)]
struct Place<'b> {
    bounds: &'b Bounds,
    depth: usize,
}

impl Place<'_> {
    /// One value more.
    fn count<E: de::Error>(self) -> Result<(), E> {
        match self.bounds.values.get().checked_sub(1) {
            None => Err(self.bounds.refuse(Bound::Values)),
            Some(left) => {
                self.bounds.values.set(left);
                Ok(())
            }
        }
    }

    /// Inside a list or an object.
    fn deeper<E: de::Error>(self) -> Result<Self, E> {
        if self.depth == JSON_DEPTH {
            return Err(self.bounds.refuse(Bound::Depth));
        }
        Ok(Self { depth: self.depth + 1, ..self })
    }
}

/// One part of serde's conversation, watched.
struct Strict<'b, T> {
    inner: T,
    place: Place<'b>,
    /// Whether an object was asked for, so that an array is none.
    wants_object: bool,
}

impl<'b, T> Strict<'b, T> {
    fn new(inner: T, place: Place<'b>) -> Self {
        Self { inner, place, wants_object: false }
    }

    fn object(inner: T, place: Place<'b>) -> Self {
        Self { inner, place, wants_object: true }
    }
}

/// Methods of a deserializer that differ only in what they pass on.
macro_rules! pass_on {
    ($($method:ident($($argument:ident: $kind:ty),*) as $how:ident;)*) => {$(
        fn $method<V: Visitor<'de>>(self, $($argument: $kind,)* visitor: V) -> Result<V::Value, D::Error> {
            self.inner.$method($($argument,)* Strict::$how(visitor, self.place))
        }
    )*};
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Strict<'_, D> {
    type Error = D::Error;

    pass_on! {
        deserialize_any() as new;
        deserialize_bool() as new;
        deserialize_i8() as new;
        deserialize_i16() as new;
        deserialize_i32() as new;
        deserialize_i64() as new;
        deserialize_i128() as new;
        deserialize_u8() as new;
        deserialize_u16() as new;
        deserialize_u32() as new;
        deserialize_u64() as new;
        deserialize_u128() as new;
        deserialize_f32() as new;
        deserialize_f64() as new;
        deserialize_char() as new;
        deserialize_str() as new;
        deserialize_string() as new;
        deserialize_bytes() as new;
        deserialize_byte_buf() as new;
        deserialize_option() as new;
        deserialize_unit() as new;
        deserialize_unit_struct(name: &'static str) as new;
        deserialize_newtype_struct(name: &'static str) as new;
        deserialize_seq() as new;
        deserialize_tuple(len: usize) as new;
        deserialize_tuple_struct(name: &'static str, len: usize) as new;
        deserialize_map() as object;
        deserialize_struct(name: &'static str, fields: &'static [&'static str]) as object;
        deserialize_enum(name: &'static str, variants: &'static [&'static str]) as new;
        deserialize_identifier() as new;
        deserialize_ignored_any() as new;
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

/// Methods of a visitor that receive a value without parts.
macro_rules! told {
    ($($method:ident($kind:ty);)*) => {$(
        fn $method<E: de::Error>(self, value: $kind) -> Result<V::Value, E> {
            self.inner.$method(value)
        }
    )*};
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Strict<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    told! {
        visit_bool(bool);
        visit_i64(i64);
        visit_i128(i128);
        visit_u64(u64);
        visit_u128(u128);
        visit_f64(f64);
        visit_char(char);
        visit_str(&str);
        visit_borrowed_str(&'de str);
        visit_string(String);
        visit_bytes(&[u8]);
        visit_borrowed_bytes(&'de [u8]);
        visit_byte_buf(Vec<u8>);
    }

    fn visit_none<E: de::Error>(self) -> Result<V::Value, E> {
        self.inner.visit_none()
    }

    fn visit_unit<E: de::Error>(self) -> Result<V::Value, E> {
        self.inner.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        self.inner.visit_some(Strict::new(deserializer, self.place))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        self.inner.visit_newtype_struct(Strict::new(deserializer, self.place))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<V::Value, A::Error> {
        if self.wants_object {
            return Err(A::Error::invalid_type(Unexpected::Seq, &self));
        }
        self.inner.visit_seq(Strict::new(list, self.place.deeper()?))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        self.inner.visit_map(Strict::new(map, self.place.deeper()?))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, variant: A) -> Result<V::Value, A::Error> {
        self.inner.visit_enum(Strict::new(variant, self.place.deeper()?))
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Strict<'_, S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<S::Value, D::Error> {
        self.place.count()?;
        self.inner.deserialize(Strict::new(deserializer, self.place))
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Strict<'_, A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        self.inner.next_element_seed(Strict::new(seed, self.place))
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Strict<'_, A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        self.inner.next_key_seed(seed)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        self.inner.next_value_seed(Strict::new(seed, self.place))
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

impl<'de, 'b, A: EnumAccess<'de>> EnumAccess<'de> for Strict<'b, A> {
    type Error = A::Error;
    type Variant = Strict<'b, A::Variant>;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self::Variant), A::Error> {
        let (value, variant) = self.inner.variant_seed(seed)?;
        Ok((value, Strict::new(variant, self.place)))
    }
}

impl<'de, A: VariantAccess<'de>> VariantAccess<'de> for Strict<'_, A> {
    type Error = A::Error;

    fn unit_variant(self) -> Result<(), A::Error> {
        self.inner.unit_variant()
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, A::Error> {
        self.inner.newtype_variant_seed(Strict::new(seed, self.place))
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, A::Error> {
        self.inner.tuple_variant(len, Strict::new(visitor, self.place))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        self.inner.struct_variant(fields, Strict::object(visitor, self.place))
    }
}

#[cfg(test)]
mod tests;
