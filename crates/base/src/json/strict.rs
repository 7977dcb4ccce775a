//! The watch over serde's conversation.
//!
//! A wrapper stands around each part of it: deserializer, visitor, seed, and the access to lists, maps and variants. Each hands
//! its wrapper on, so that no type below can speak to the bare deserializer.

use std::{
    collections::HashSet,
    fmt,
    hash::{BuildHasher as _, RandomState},
};

use serde::de::{
    self, DeserializeSeed, Deserializer, EnumAccess, Error as _, IgnoredAny, IntoDeserializer as _, MapAccess,
    SeqAccess, Unexpected, VariantAccess, Visitor,
};

use super::bounds::NestingDepth;

/// One part of serde's conversation, watched.
pub(super) struct Strict<'b, T> {
    inner: T,
    place: NestingDepth<'b>,
    /// The kind of value that the type asked for, so that an array is no object.
    wanted: ExpectedShape,
    /// The number of the member that this is the value of, if it is read into a field.
    member: Option<usize>,
    /// The names of the members of this object so far, by their hash. A type refuses a repeated field by itself.
    names: Option<Box<MemberNames>>,
}

/// The names of the members of one object. Two names count as one by chance alone, because a caller does not know the seed.
#[derive(Default)]
struct MemberNames {
    seed: RandomState,
    hashes: HashSet<u64>,
}

impl MemberNames {
    /// Adds a name. Returns false if the object has it already.
    fn insert(&mut self, name: &str) -> bool {
        self.hashes.insert(self.seed.hash_one(name))
    }
}

/// The kind of value that a visitor waits for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ExpectedShape {
    /// Whatever comes.
    Any,
    /// An object with members of any name.
    Map,
    /// An object of a type's fields.
    Fields,
}

impl<'b, T> Strict<'b, T> {
    /// `inner`, watched from here on.
    pub(super) fn new(inner: T, place: NestingDepth<'b>) -> Self {
        Self { inner, place, wanted: ExpectedShape::Any, member: None, names: None }
    }

    fn map(inner: T, place: NestingDepth<'b>) -> Self {
        Self { wanted: ExpectedShape::Map, ..Self::new(inner, place) }
    }

    fn fields(inner: T, place: NestingDepth<'b>) -> Self {
        Self { wanted: ExpectedShape::Fields, ..Self::new(inner, place) }
    }
}

/// Methods of a deserializer that differ only in their arguments and in the next visitor.
macro_rules! pass_on {
    ($($method:ident($($argument:ident: $kind:ty),*) as $how:ident;)*) => {$(
        fn $method<V: Visitor<'de>>(self, $($argument: $kind,)* visitor: V) -> Result<V::Value, D::Error> {
            let visitor = Strict { member: self.member, ..Strict::$how(visitor, self.place) };
            self.inner.$method($($argument,)* visitor)
        }
    )*};
}

/// The same for types that do not take `null`. For the value of a member they first ask whether it is one.
macro_rules! refuse_null {
    ($($method:ident($($argument:ident: $kind:ty),*) as $how:ident;)*) => {$(
        fn $method<V: Visitor<'de>>(self, $($argument: $kind,)* visitor: V) -> Result<V::Value, D::Error> {
            /// Goes on with a value that is there.
            struct Present<'b, V> {
                visitor: V,
                place: NestingDepth<'b>,
                member: usize,
                $($argument: $kind,)*
            }

            impl<'de, V: Visitor<'de>> Visitor<'de> for Present<'_, V> {
                type Value = V::Value;

                fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    self.visitor.expecting(f)
                }

                fn visit_none<E: de::Error>(self) -> Result<V::Value, E> {
                    self.place.nulls().refuse(self.member);
                    Err(E::invalid_type(Unexpected::Other("null"), &self))
                }

                fn visit_some<D: Deserializer<'de>>(self, value: D) -> Result<V::Value, D::Error> {
                    value.$method($(self.$argument,)* Strict::$how(self.visitor, self.place))
                }
            }

            let Self { inner, place, member, .. } = self;
            match member {
                None => inner.$method($($argument,)* Strict::$how(visitor, place)),
                Some(member) => inner.deserialize_option(Present { visitor, place, member, $($argument,)* }),
            }
        }
    )*};
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Strict<'_, D> {
    type Error = D::Error;

    pass_on! {
        deserialize_any() as new;
        deserialize_option() as new;
        deserialize_unit() as new;
        deserialize_unit_struct(name: &'static str) as new;
        deserialize_newtype_struct(name: &'static str) as new;
        deserialize_identifier() as new;
        deserialize_ignored_any() as new;
    }

    refuse_null! {
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
        deserialize_seq() as new;
        deserialize_tuple(len: usize) as new;
        deserialize_tuple_struct(name: &'static str, len: usize) as new;
        deserialize_map() as map;
        deserialize_struct(name: &'static str, fields: &'static [&'static str]) as fields;
        deserialize_enum(name: &'static str, variants: &'static [&'static str]) as new;
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
        // The one value inside is that of the member.
        self.inner.visit_newtype_struct(Strict { member: self.member, ..Strict::new(deserializer, self.place) })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<V::Value, A::Error> {
        if self.wanted != ExpectedShape::Any {
            return Err(A::Error::invalid_type(Unexpected::Seq, &self));
        }
        self.inner.visit_seq(Strict::new(list, self.place.deeper()?))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        let place = self.place.deeper()?;
        self.inner.visit_map(Strict { wanted: self.wanted, ..Strict::new(map, place) })
    }

    fn visit_enum<A: EnumAccess<'de>>(self, variant: A) -> Result<V::Value, A::Error> {
        self.inner.visit_enum(Strict::new(variant, self.place.deeper()?))
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Strict<'_, S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<S::Value, D::Error> {
        self.place.count()?;
        self.inner.deserialize(Strict { member: self.member, ..Strict::new(deserializer, self.place) })
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
        while self.wanted == ExpectedShape::Fields {
            let (member, is_absent) = self.place.nulls().next();
            self.member = Some(member);
            if !is_absent {
                break;
            }
            // Its name is a field's: otherwise the type had refused the name, before it came to the value.
            self.inner.next_entry::<IgnoredAny, IgnoredAny>()?;
        }
        if self.wanted == ExpectedShape::Fields || !self.place.is_of_request() {
            return self.inner.next_key_seed(seed);
        }
        let Some(name) = self.inner.next_key::<String>()? else { return Ok(None) };
        if !self.names.get_or_insert_default().insert(&name) {
            return Err(A::Error::custom(format_args!("the member {name:?} stands twice in one object")));
        }
        seed.deserialize(name.into_deserializer()).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        self.inner.next_value_seed(Strict { member: self.member, ..Strict::new(seed, self.place) })
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
        self.inner.struct_variant(fields, Strict::fields(visitor, self.place))
    }
}
