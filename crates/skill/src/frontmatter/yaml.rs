//! Parses YAML into a tree that keeps every scalar as written.
//!
//! The engine decides the type of a plain scalar and then forgets its text: `1.10` becomes the number 1.1. So a block
//! is read twice: once for its shape and once, guided by that shape, for the text of each scalar.

use std::{cell::Cell, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, EnumAccess, Error as _, IgnoredAny, MapAccess, SeqAccess, VariantAccess, Visitor},
};
use serde_json::{Map, Value};

use skillmount_base::limits::FRONTMATTER_BYTES;

/// The limit of nodes and text together. Without aliases no block of legal size comes near it, because a node costs a
/// byte or more.
const BUDGET: usize = 2 * FRONTMATTER_BYTES;

/// A parsed value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    /// Nothing, or `null`.
    Null,
    /// A scalar: its text as written, and its value in YAML.
    Scalar { text: String, value: Value },
    /// A list.
    Sequence(Vec<Node>),
    /// A map in its written order, with repeated keys.
    Map(Vec<(String, Node)>),
}

impl Node {
    /// Whether it can be a whole frontmatter: a map, or nothing at all.
    pub(super) fn is_fields(&self) -> bool {
        matches!(self, Self::Map(_) | Self::Null)
    }

    /// The value as JSON. The last of repeated keys counts, as in most readers.
    pub(super) fn to_json(&self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Scalar { value, .. } => value.clone(),
            Self::Sequence(items) => items.iter().map(Self::to_json).collect(),
            Self::Map(pairs) => {
                Value::Object(pairs.iter().map(|(key, node)| (key.clone(), node.to_json())).collect::<Map<_, _>>())
            }
        }
    }

    /// The value as text: a scalar as written, anything else as JSON; `None` for nothing.
    pub(super) fn to_text(&self) -> Option<String> {
        match self {
            Self::Null => None,
            Self::Scalar { text, .. } => Some(text.clone()),
            other => Some(other.to_json().to_string()),
        }
    }
}

/// The reason why a block does not parse. Lines and columns count from one, within the block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct YamlFault {
    pub message: String,
    pub place: Option<(usize, usize)>,
}

/// Parses a frontmatter block.
pub(super) fn parse(yaml: &str) -> Result<Node, YamlFault> {
    parse_within(yaml, BUDGET)
}

/// Parses one YAML document of at most so many nodes and bytes of text.
pub(super) fn parse_within(yaml: &str, budget: usize) -> Result<Node, YamlFault> {
    let budget = Cell::new(budget);
    let shape = ShapeSeed { budget: &budget, weight: 1, is_key: false }
        .deserialize(serde_yaml::Deserializer::from_str(yaml))
        .map_err(|e| fault(&e))?;
    shape.deserialize(serde_yaml::Deserializer::from_str(yaml)).map_err(|e| fault(&e))
}

fn fault(error: &serde_yaml::Error) -> YamlFault {
    let text = error.to_string();
    let message = text.split(" at line ").next().unwrap_or_default().to_owned();
    YamlFault { message, place: error.location().map(|place| (place.line(), place.column())) }
}

/// The kind of each node, from the first reading.
#[derive(Debug)]
enum Shape {
    Null,
    Bool(bool),
    Number,
    Text,
    Sequence(Vec<Shape>),
    Map(Vec<(Shape, Shape)>),
}

/// Reads a shape. Each node and its text cost budget, so that aliases cannot multiply without bound.
///
/// The same holds for keys: a key that is a list or a map becomes JSON text, which is escaped once more for each such
/// key around it. So the content of a key costs twice what it costs elsewhere.
#[derive(Clone, Copy)]
struct ShapeSeed<'a> {
    budget: &'a Cell<usize>,
    weight: usize,
    is_key: bool,
}

impl ShapeSeed<'_> {
    fn charge<E: serde::de::Error>(self, cost: usize) -> Result<(), E> {
        let left = self.budget.get().checked_sub(cost.saturating_mul(self.weight));
        self.budget.set(left.ok_or_else(|| E::custom("aliases or keys repeat too much"))?);
        Ok(())
    }

    /// The seed for the content of the list or map that this seed reads.
    fn inside(self) -> Self {
        let weight = if self.is_key { self.weight.saturating_mul(2) } else { self.weight };
        Self { weight, is_key: false, ..self }
    }

    fn scalar<E: serde::de::Error>(self, cost: usize, shape: Shape) -> Result<Shape, E> {
        self.charge(cost.saturating_add(1)).map(|()| shape)
    }
}

impl<'de> DeserializeSeed<'de> for ShapeSeed<'_> {
    type Value = Shape;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Shape, D::Error> {
        deserializer.deserialize_any(self)
    }
}

/// The methods for scalars: cost and shape.
macro_rules! scalars {
    ($($method:ident($($value:ident: $kind:ty)?) => $cost:expr, $shape:expr;)*) => {$(
        fn $method<E: serde::de::Error>(self, $($value: $kind)?) -> Result<Shape, E> {
            self.scalar($cost, $shape)
        }
    )*};
}

impl<'de> Visitor<'de> for ShapeSeed<'_> {
    type Value = Shape;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any YAML value")
    }

    scalars! {
        visit_unit() => 0, Shape::Null;
        visit_none() => 0, Shape::Null;
        visit_bool(value: bool) => 0, Shape::Bool(value);
        visit_i64(_number: i64) => 0, Shape::Number;
        visit_u64(_number: u64) => 0, Shape::Number;
        visit_i128(_number: i128) => 0, Shape::Number;
        visit_u128(_number: u128) => 0, Shape::Number;
        visit_f64(_number: f64) => 0, Shape::Number;
        visit_str(text: &str) => text.len(), Shape::Text;
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Shape, A::Error> {
        self.charge(1)?;
        let mut shapes = Vec::new();
        while let Some(shape) = items.next_element_seed(self.inside())? {
            shapes.push(shape);
        }
        Ok(Shape::Sequence(shapes))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<Shape, A::Error> {
        self.charge(1)?;
        let inside = self.inside();
        let mut shapes = Vec::new();
        while let Some(pair) = pairs.next_entry_seed(Self { is_key: true, ..inside }, inside)? {
            shapes.push(pair);
        }
        Ok(Shape::Map(shapes))
    }

    /// A `!tag`: only the tagged value counts.
    fn visit_enum<A: EnumAccess<'de>>(self, tagged: A) -> Result<Shape, A::Error> {
        let (_, value) = tagged.variant::<IgnoredAny>()?;
        value.newtype_variant_seed(self)
    }
}

impl<'de> DeserializeSeed<'de> for &Shape {
    type Value = Node;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        match self {
            Shape::Null => IgnoredAny::deserialize(deserializer).map(|_| Node::Null),
            Shape::Bool(value) => scalar(deserializer, |_| Value::Bool(*value)),
            Shape::Number => scalar(deserializer, faithful_number),
            Shape::Text => scalar(deserializer, |text| Value::from(text)),
            Shape::Sequence(_) => deserializer.deserialize_seq(ShapedReader(self)),
            Shape::Map(_) => deserializer.deserialize_map(ShapedReader(self)),
        }
    }
}

fn scalar<'de, D: Deserializer<'de>>(deserializer: D, value: impl FnOnce(&str) -> Value) -> Result<Node, D::Error> {
    let text = String::deserialize(deserializer)?;
    Ok(Node::Scalar { value: value(&text), text })
}

/// A number, if JSON writes the number in the same way; otherwise the text, so that version 1.10 never becomes 1.1.
fn faithful_number(text: &str) -> Value {
    let number = serde_json::from_str(text).ok().filter(Value::is_number);
    let written = number.as_ref().map(ToString::to_string);
    number.filter(|_| written.as_deref() == Some(text)).unwrap_or_else(|| Value::from(text))
}

/// The second reading of a collection.
struct ShapedReader<'a>(&'a Shape);

impl<'de> Visitor<'de> for ShapedReader<'_> {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the same value as in the first reading")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Node, A::Error> {
        let Shape::Sequence(shapes) = self.0 else { return Err(A::Error::custom("not a list")) };
        let mut nodes = Vec::with_capacity(shapes.len());
        for shape in shapes {
            nodes.extend(items.next_element_seed(shape)?);
        }
        Ok(Node::Sequence(nodes))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<Node, A::Error> {
        let Shape::Map(shapes) = self.0 else { return Err(A::Error::custom("not a map")) };
        let mut nodes = Vec::with_capacity(shapes.len());
        for (key, value) in shapes {
            if let Some((key, node)) = pairs.next_entry_seed(key, value)? {
                nodes.push((key.to_text().unwrap_or_else(|| "null".to_owned()), node));
            }
        }
        Ok(Node::Map(nodes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(yaml: &str) -> Value {
        parse(yaml).unwrap().to_json()
    }

    #[test]
    fn scalars_keep_what_was_written() {
        let value =
            json("a: 1.10\nb: 2026-01-02\nc: on\nd: 012\ne: 3\nf: 1.5\ng: true\nh: ~\ni: 0x1F\nj: '7'\nk: .inf\n");
        let expected = r#"{"a":"1.10","b":"2026-01-02","c":"on","d":"012","e":3,"f":1.5,"g":true,"h":null,
            "i":"0x1F","j":"7","k":".inf"}"#;
        assert_eq!(value, serde_json::from_str::<Value>(expected).unwrap());
    }

    #[test]
    fn tags_merges_aliases_and_odd_keys_are_read() {
        assert_eq!(json("a: !!str 1\nb: !x {c: 1}\nd: &z [1]\ne: *z\n<<: *z\n1: x\n~: y\n[p]: q\n").to_string(), {
            r#"{"a":"1","b":{"c":1},"d":[1],"e":[1],"<<":[1],"1":"x","null":"y","[\"p\"]":"q"}"#
        });
    }

    /// 45 of these once filled all memory: the text of each key was twice as long as the text of the key in it.
    #[test]
    fn keys_in_keys_are_read_while_their_text_is_bounded() {
        let nested = |levels: usize| format!("{}x", "? ".repeat(levels));
        let longest = (1..20).take_while(|levels| parse(&nested(*levels)).is_ok()).last().unwrap();
        assert_eq!(json(&nested(3)).to_string(), r#"{"{\"{\\\"x\\\":null}\":null}":null}"#);
        assert!(json(&nested(longest)).to_string().len() <= 4 * BUDGET, "{longest} levels");
        let fault = parse(&nested(longest + 1)).unwrap_err();
        assert!(fault.message.contains("keys repeat too much"), "{fault:?}");
        assert!(parse(&format!("? {}\n: 1\n", "[a, ".repeat(30) + &"]".repeat(30))).is_ok(), "deep, and one key");
    }

    #[test]
    fn bombs_loops_and_second_documents_are_refused() {
        let list = format!("a: &a [{}]\n", "x,".repeat(4000));
        let flat = format!("{list}b: [{}]\n", "*a,".repeat(2000));
        let nested = "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\n\
                      d: &d [*c,*c,*c,*c,*c,*c,*c,*c]\ne: [*d,*d,*d,*d,*d,*d,*d,*d]\n";
        for bad in
            [flat.as_str(), nested, "a: &a [*a]", "a: &a [*a, *a]", "a: 1\n---\nb: 2", "a: *missing", "a: \u{1b}[0m"]
        {
            assert!(parse(bad).is_err(), "{bad:.40}");
        }
    }
}
