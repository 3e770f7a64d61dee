//! The explaining reader: every value with its place, and as many faults as can be told in one pass.

use std::borrow::Cow;

use serde::Serialize;

use crate::{
    cursor::{Cursor, Item, Leaf, Name},
    fault::{Fault, Span},
    pointer::{self, Pointer},
};

/// A document that was read to its end, with the faults that did not stop the reading.
#[derive(Debug)]
pub struct Document<'a> {
    /// The source text.
    pub text: &'a str,
    /// The root value.
    pub root: Node<'a>,
    /// Faults that were passed over; empty for a document that may be used.
    pub faults: Vec<Fault>,
}

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node<'a> {
    /// The value.
    pub value: Value<'a>,
    /// Its place.
    pub span: Span,
}

/// A JSON value as the strict reader knows it: numbers are integers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// `null`, which no document of ours may hold.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An integer within ±(2^53−1).
    Integer(i64),
    /// A number that was refused.
    RefusedNumber,
    /// A string.
    String(Cow<'a, str>),
    /// A list.
    Array(Vec<Node<'a>>),
    /// An object; duplicate members are kept, all of them.
    Object(Vec<Member<'a>>),
}

impl<'a> From<Leaf<'a>> for Value<'a> {
    fn from(leaf: Leaf<'a>) -> Self {
        match leaf {
            Leaf::Null => Self::Null,
            Leaf::Bool(flag) => Self::Bool(flag),
            Leaf::Integer(number) => Self::Integer(number),
            Leaf::RefusedNumber => Self::RefusedNumber,
            Leaf::String(text) => Self::String(text),
        }
    }
}

impl Value<'_> {
    /// The text of a string.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        if let Self::String(text) = self { Some(text) } else { None }
    }
}

/// One member of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member<'a> {
    /// The decoded name.
    pub key: Cow<'a, str>,
    /// Where the name stands, with its quotes.
    pub key_span: Span,
    /// The value.
    pub value: Node<'a>,
}

/// Reads a document. `Err` holds every fault up to the one that stopped the reading.
///
/// # Errors
/// When the text cannot be followed to its end as JSON.
pub fn read(bytes: &[u8]) -> Result<Document<'_>, Vec<Fault>> {
    let cursor = Cursor::new(bytes).map_err(|fault| vec![*fault])?;
    let text = cursor.text();
    let (root, faults) = cursor.document(build)?;
    Ok(Document { text, root, faults })
}

/// The tree of a value that is no text: nothing in it has a place.
///
/// # Errors
/// For a value that JSON cannot hold.
pub fn from_value<T: Serialize>(value: &T) -> Result<Node<'static>, serde_json::Error> {
    serde_json::to_value(value).map(Node::from)
}

impl From<serde_json::Value> for Node<'static> {
    fn from(value: serde_json::Value) -> Self {
        let span = Span::new(0, 0);
        let member = |(key, value): (String, _)| Member { key: key.into(), key_span: span, value: Node::from(value) };
        let value = match value {
            serde_json::Value::Null => Value::Null,
            serde_json::Value::Bool(flag) => Value::Bool(flag),
            serde_json::Value::Number(number) => number.as_i64().map_or(Value::RefusedNumber, Value::Integer),
            serde_json::Value::String(text) => Value::String(text.into()),
            serde_json::Value::Array(elements) => Value::Array(elements.into_iter().map(Node::from).collect()),
            serde_json::Value::Object(members) => Value::Object(members.into_iter().map(member).collect()),
        };
        Self { value, span }
    }
}

impl<'a> Node<'a> {
    /// The member of this name, when this is an object that has one (the first, should there be two).
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Node<'a>> {
        self.members().iter().find(|member| member.key == name).map(|member| &member.value)
    }

    /// The member of this name, to be replaced.
    pub fn member_mut(&mut self, name: &str) -> Option<&mut Node<'a>> {
        let Value::Object(members) = &mut self.value else { return None };
        members.iter_mut().find(|member| member.key == name).map(|member| &mut member.value)
    }

    /// The members of an object, none for any other value.
    #[must_use]
    pub fn members(&self) -> &[Member<'a>] {
        if let Value::Object(members) = &self.value { members } else { &[] }
    }

    /// The elements of a list, none for any other value.
    #[must_use]
    pub fn elements(&self) -> &[Node<'a>] {
        if let Value::Array(elements) = &self.value { elements } else { &[] }
    }

    /// The text of a string.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        self.value.as_str()
    }

    /// The value a JSON pointer leads to.
    #[must_use]
    pub fn at(&self, pointer: &Pointer) -> Option<&Node<'a>> {
        self.at_text(pointer.as_str())
    }

    /// The value that a pointer given as text leads to.
    pub fn at_text(&self, pointer: &str) -> Option<&Node<'a>> {
        pointer::parts(pointer).try_fold(self, |node, part| match &node.value {
            Value::Object(_) => node.get(&part),
            Value::Array(elements) => elements.get(part.parse::<usize>().ok()?),
            Value::Null | Value::Bool(_) | Value::Integer(_) | Value::RefusedNumber | Value::String(_) => None,
        })
    }

    /// Where the name of the member stands that a pointer leads to.
    #[must_use]
    pub fn key_span(&self, pointer: &Pointer) -> Option<Span> {
        let (parent, name) = pointer.split_last()?;
        let members = self.at(&parent)?.members();
        members.iter().find(|member| member.key == name).map(|member| member.key_span)
    }

    /// What kind of value this is, in the words of error messages.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        let item = match self.value {
            Value::Null => Item::Leaf(Leaf::Null),
            Value::Bool(flag) => Item::Leaf(Leaf::Bool(flag)),
            Value::Integer(_) | Value::RefusedNumber => Item::Leaf(Leaf::RefusedNumber),
            Value::String(_) => Item::Leaf(Leaf::String(Cow::Borrowed(""))),
            Value::Array(_) => Item::Array,
            Value::Object(_) => Item::Object,
        };
        item.type_name()
    }
}

/// The tree of a value that a cursor has passed or entered.
///
/// # Errors
/// When the value cannot be followed to its end.
pub fn build<'a>(cursor: &mut Cursor<'a>, item: Item<'a>, start: usize) -> Result<Node<'a>, Box<Fault>> {
    let value = match item {
        Item::Leaf(leaf) => leaf.into(),
        Item::Object => {
            let mut members = Vec::new();
            while let Some(Name { text, span }) = cursor.next_member()? {
                members.push(Member { key: text, key_span: span, value: build_next(cursor)? });
            }
            Value::Object(members)
        }
        Item::Array => {
            let mut elements = Vec::new();
            while cursor.next_element()? {
                elements.push(build_next(cursor)?);
            }
            Value::Array(elements)
        }
    };
    Ok(Node { value, span: Span::new(start, cursor.offset()) })
}

fn build_next<'a>(cursor: &mut Cursor<'a>) -> Result<Node<'a>, Box<Fault>> {
    let (item, start) = cursor.value()?;
    build(cursor, item, start)
}
