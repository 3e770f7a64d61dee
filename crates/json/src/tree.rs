//! The explaining reader: every value with its place, and as many faults as can be told in one pass.

use std::borrow::Cow;

use serde::Serialize;

use crate::{
    fault::{Fault, FaultKind, Span},
    pointer::{self, Pointer},
    tokenizer::{RefusedText, Token, Tokenizer},
};

/// More faults than this are counted by nobody and read by nobody.
const MOST_FAULTS: usize = 200;

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
    let tokens = Tokenizer::new(bytes).map_err(|fault| vec![*fault])?;
    let mut builder = Builder { tokens, faults: Vec::new() };
    match builder.document() {
        Ok(root) => Ok(Document { text: builder.tokens.text(), root, faults: builder.faults }),
        Err(fault) => {
            builder.note(*fault);
            Err(builder.faults)
        }
    }
}

/// The tree of a value that is no text: nothing in it has a place.
///
/// # Errors
/// For a value that JSON cannot hold.
pub fn of<T: Serialize>(value: &T) -> Result<Node<'static>, serde_json::Error> {
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
        match self.value {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Integer(_) | Value::RefusedNumber => "a number",
            Value::String(_) => "a string",
            Value::Array(_) => "a list",
            Value::Object(_) => "an object",
        }
    }
}

struct Builder<'a> {
    tokens: Tokenizer<'a>,
    faults: Vec<Fault>,
}

impl<'a> Builder<'a> {
    fn document(&mut self) -> Result<Node<'a>, Box<Fault>> {
        let root = self.node()?;
        // The document was read whole: what follows it must not hide what it says.
        if let Err(fault) = self.tokens.end() {
            self.note(*fault);
        }
        if !matches!(root.value, Value::Object(_)) {
            let detail = format!("the root is {}, not an object", root.type_name());
            return Err(Fault::new(FaultKind::RootNotObject, root.span, detail));
        }
        Ok(root)
    }

    fn node(&mut self) -> Result<Node<'a>, Box<Fault>> {
        let token = self.tokens.value()?;
        let start = self.tokens.offset();
        let value = match token {
            Token::Object => self.object()?,
            Token::Array => self.array()?,
            Token::String => {
                let text = self.tokens.string();
                Value::String(self.kept(text)?)
            }
            Token::Number => self.number()?,
            Token::True | Token::False => {
                self.tokens.pass_word(token);
                Value::Bool(token == Token::True)
            }
            Token::Null => {
                self.tokens.pass_word(token);
                Value::Null
            }
        };
        Ok(Node { value, span: Span::new(start, self.tokens.offset()) })
    }

    fn object(&mut self) -> Result<Value<'a>, Box<Fault>> {
        self.tokens.descend()?;
        let mut members = Vec::new();
        while !self.tokens.ascend(b'}') {
            if !members.is_empty() {
                self.tokens.comma(b'}')?;
            }
            let start = self.tokens.next_offset();
            let key = self.tokens.key();
            let key_span = Span::new(start, self.tokens.offset());
            let key = self.kept(key)?;
            self.tokens.colon()?;
            members.push(Member { key, key_span, value: self.node()? });
        }
        self.note_duplicates(&members);
        Ok(Value::Object(members))
    }

    fn array(&mut self) -> Result<Value<'a>, Box<Fault>> {
        self.tokens.descend()?;
        let mut elements = Vec::new();
        while !self.tokens.ascend(b']') {
            if !elements.is_empty() {
                self.tokens.comma(b']')?;
            }
            elements.push(self.node()?);
        }
        Ok(Value::Array(elements))
    }

    fn number(&mut self) -> Result<Value<'a>, Box<Fault>> {
        match self.tokens.number() {
            Ok(number) => Ok(Value::Integer(number)),
            Err(fault) if fault.kind == FaultKind::Number => {
                self.note(*fault);
                Ok(Value::RefusedNumber)
            }
            Err(fault) => Err(fault),
        }
    }

    /// Notes what is wrong with a text, and goes on with what it says.
    fn kept(&mut self, text: Result<Cow<'a, str>, Box<RefusedText<'a>>>) -> Result<Cow<'a, str>, Box<Fault>> {
        text.or_else(|refused| match refused.value {
            Some(value) => {
                self.note(*refused.fault);
                Ok(value)
            }
            None => Err(refused.fault),
        })
    }

    fn note(&mut self, fault: Fault) {
        if self.faults.len() < MOST_FAULTS {
            self.faults.push(fault);
        }
    }

    fn note_duplicates(&mut self, members: &[Member<'a>]) {
        let mut by_key: Vec<&Member<'a>> = members.iter().collect();
        by_key.sort_by(|left, right| left.key.cmp(&right.key).then(left.key_span.cmp(&right.key_span)));
        for same in by_key.chunk_by(|left, right| left.key == right.key) {
            let Some((first, again)) = same.split_first() else { continue };
            for member in again {
                let name: String = member.key.chars().take(64).collect();
                let mut fault = Fault::new(FaultKind::DuplicateMember, member.key_span, format!("`{name}`"));
                fault.first = Some(first.key_span);
                self.note(*fault);
            }
        }
    }
}
