//! The deciding reader: serde straight from the tokens, strict in the same pass.
//!
//! A struct comes only from an object (serde's own derive would take an array too), `null` is never "absent", maps
//! refuse duplicate keys (derived structs do that themselves), and no float is ever offered.

use std::{borrow::Cow, collections::BTreeSet, fmt, mem::needs_drop};

use serde::de::{self, DeserializeOwned, DeserializeSeed, MapAccess, SeqAccess, Visitor};

use crate::{
    fault::Fault,
    tokenizer::{RefusedText, Token, Tokenizer},
};

/// Reads a document into a type, or tells that it cannot. Why is the explaining reader's business.
///
/// # Errors
/// At the first fault or the first value that the type refuses.
pub fn from_slice<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Refused> {
    from_slice_within(bytes, usize::MAX)
}

/// [`from_slice`], of a document whose lists and texts take no more than so many bytes of memory. A few bytes can stand for
/// many: `"a",` is four, and a text in a list takes forty.
///
/// # Errors
/// As [`from_slice`], and as soon as the values would take more.
pub fn from_slice_within<T: DeserializeOwned>(bytes: &[u8], most_memory: usize) -> Result<T, Refused> {
    let mut source = Source { tokens: Tokenizer::new(bytes)?, memory_left: most_memory };
    if source.tokens.value()? != Token::Object {
        return Err(Refused::because("the root is not an object"));
    }
    let value = T::deserialize(Typed { source: &mut source })?;
    source.tokens.end()?;
    Ok(value)
}

/// The first thing that stopped a typed read.
#[derive(Debug)]
pub struct Refused {
    because: String,
    /// Whether it was the memory that the values would take.
    pub is_over_memory: bool,
}

impl Refused {
    fn because(reason: impl Into<String>) -> Self {
        Self { because: reason.into(), is_over_memory: false }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.because)
    }
}

impl std::error::Error for Refused {}

impl de::Error for Refused {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::because(message.to_string())
    }
}

impl From<Box<Fault>> for Refused {
    fn from(fault: Box<Fault>) -> Self {
        Self::because(fault.detail)
    }
}

impl From<Box<RefusedText<'_>>> for Refused {
    fn from(text: Box<RefusedText<'_>>) -> Self {
        text.fault.into()
    }
}

/// What is read, and how much memory its values may still take.
struct Source<'de> {
    tokens: Tokenizer<'de>,
    memory_left: usize,
}

/// What an allocation takes besides what is put into it, at most: the least size that allocators give.
const ALLOCATION: usize = 16;

/// How often an element is counted: a list that grows takes twice the room while its elements are moved.
const GROWTH: usize = 2;

/// A list begins with room for so many.
const FIRST_ROOM: usize = 4;

/// What a member of a map takes besides its name and its value.
const MAP_MEMBER: usize = ALLOCATION + 2 * size_of::<String>();

impl Source<'_> {
    fn take(&mut self, bytes: usize) -> Result<(), Refused> {
        match self.memory_left.checked_sub(bytes) {
            Some(left) => {
                self.memory_left = left;
                Ok(())
            }
            None => Err(Refused { because: "its values take too much memory".into(), is_over_memory: true }),
        }
    }
}

struct Typed<'t, 'de> {
    source: &'t mut Source<'de>,
}

impl<'de> Typed<'_, 'de> {
    fn object<V: Visitor<'de>>(self, visitor: V, names: Names) -> Result<V::Value, Refused> {
        if self.source.tokens.value()? != Token::Object {
            return Err(de::Error::custom("expected an object"));
        }
        self.source.tokens.descend()?;
        let mut members = Nested { source: self.source, state: State::Opened, close: b'}', names, elements: 0 };
        let value = visitor.visit_map(&mut members)?;
        members.require_closed()?;
        Ok(value)
    }

    fn list<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        if self.source.tokens.value()? != Token::Array {
            return Err(de::Error::custom("expected a list"));
        }
        self.source.tokens.descend()?;
        let mut elements =
            Nested { source: self.source, state: State::Opened, close: b']', names: Names::None, elements: 0 };
        let value = visitor.visit_seq(&mut elements)?;
        elements.require_closed()?;
        Ok(value)
    }
}

impl<'de> de::Deserializer<'de> for Typed<'_, 'de> {
    type Error = Refused;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        let token = self.source.tokens.value()?;
        match token {
            Token::Object => self.object(visitor, Names::Seen(BTreeSet::new())),
            Token::Array => self.list(visitor),
            Token::String => {
                let text = self.source.tokens.string()?;
                // A word of a list or a digest is kept in place; only what has to be dropped keeps the text.
                if needs_drop::<V::Value>() {
                    self.source.take(ALLOCATION + text.len())?;
                }
                match text {
                    Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
                    Cow::Owned(text) => visitor.visit_string(text),
                }
            }
            Token::Number => visitor.visit_i64(self.source.tokens.number()?),
            Token::True | Token::False => {
                self.source.tokens.pass_word(token);
                visitor.visit_bool(token == Token::True)
            }
            Token::Null => {
                self.source.tokens.pass_word(token);
                visitor.visit_unit()
            }
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _members: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refused> {
        self.object(visitor, Names::SeenByStruct)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        self.object(visitor, Names::Seen(BTreeSet::new()))
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        self.list(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        if self.source.tokens.value()? == Token::Null {
            return Err(de::Error::custom("null is not a value here: leave the member out"));
        }
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _name: &'static str, visitor: V) -> Result<V::Value, Refused> {
        visitor.visit_newtype_struct(self)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        unit unit_struct tuple tuple_struct enum identifier ignored_any
    }
}

/// The inside of an object or a list.
struct Nested<'t, 'de> {
    source: &'t mut Source<'de>,
    state: State,
    close: u8,
    names: Names,
    elements: usize,
}

/// How far the inside was read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Opened,
    Begun,
    Closed,
}

/// Who sees to it that no name comes twice.
enum Names {
    /// There are none.
    None,
    /// The derived code of the struct refuses a second one.
    SeenByStruct,
    /// The names so far.
    Seen(BTreeSet<String>),
}

impl Nested<'_, '_> {
    fn at_end(&mut self) -> Result<bool, Refused> {
        match self.state {
            State::Closed => return Ok(true),
            State::Opened | State::Begun if self.source.tokens.ascend(self.close) => {
                self.state = State::Closed;
                return Ok(true);
            }
            State::Begun => self.source.tokens.comma(self.close)?,
            State::Opened => self.state = State::Begun,
        }
        Ok(false)
    }

    fn require_closed(&mut self) -> Result<(), Refused> {
        if self.at_end()? { Ok(()) } else { Err(de::Error::custom("more elements than the type takes")) }
    }
}

impl<'de> MapAccess<'de> for &mut Nested<'_, 'de> {
    type Error = Refused;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Refused> {
        if self.at_end()? {
            return Ok(None);
        }
        let name = self.source.tokens.key()?;
        self.source.tokens.colon()?;
        if let Names::Seen(seen) = &mut self.names {
            // A map keeps each name and a place for its value; whoever looks for a second one keeps the name again.
            self.source.take(2 * (MAP_MEMBER + name.len()))?;
            if !seen.insert(name.clone().into_owned()) {
                return Err(de::Error::custom("the same member appears twice"));
            }
        }
        match name {
            Cow::Borrowed(name) => seed.deserialize(de::value::BorrowedStrDeserializer::new(name)).map(Some),
            Cow::Owned(name) => seed.deserialize(de::value::StringDeserializer::new(name)).map(Some),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Refused> {
        seed.deserialize(Typed { source: self.source })
    }
}

impl<'de> SeqAccess<'de> for &mut Nested<'_, 'de> {
    type Error = Refused;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Refused> {
        if self.at_end()? {
            return Ok(None);
        }
        let counted = match self.elements {
            0 => FIRST_ROOM,
            1..FIRST_ROOM => 0,
            _ => GROWTH,
        };
        self.elements += 1;
        self.source.take(counted * size_of::<T::Value>())?;
        seed.deserialize(Typed { source: self.source }).map(Some)
    }
}
