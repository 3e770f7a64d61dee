//! The deciding reader: serde straight from the tokens, strict in the same pass.
//!
//! A struct comes only from an object (serde's own derive would take an array too), `null` is never "absent", maps
//! refuse duplicate keys (derived structs do that themselves), and no float is ever offered.

use std::{borrow::Cow, collections::BTreeSet, fmt};

use serde::de::{self, DeserializeOwned, DeserializeSeed, MapAccess, SeqAccess, Visitor};

use super::{
    digested::{Digested, Part},
    fault::Fault,
    reader::{Reader, Text, Token},
    row::Row,
};
use crate::limits;

/// Reads a document into a type, or tells that it cannot. Why is the explaining reader's business.
///
/// # Errors
/// At the first fault or the first value that the type refuses.
pub fn from_slice<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Refused> {
    read(&mut Reader::new(bytes)?)
}

/// The same, with the digests of the document and its parts where its own text gives them.
///
/// # Errors
/// As [`from_slice`].
pub(crate) fn with_digests<T: DeserializeOwned>(
    bytes: &[u8],
    parts: &'static [Part],
) -> Result<(T, Option<Digested>), Refused> {
    let mut reader = Reader::new(bytes)?.digesting(parts);
    let value = read(&mut reader)?;
    Ok((value, reader.digested()))
}

fn read<T: DeserializeOwned>(reader: &mut Reader<'_>) -> Result<T, Refused> {
    if reader.value()? != Token::Object {
        return Err(Refused("the root is not an object".into()));
    }
    let value = T::deserialize(Typed { reader, in_list: false })?;
    reader.end()?;
    Ok(value)
}

/// The first thing that stopped a typed read.
#[derive(Debug)]
pub struct Refused(String);

impl fmt::Display for Refused {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Refused {}

impl de::Error for Refused {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

impl From<Fault> for Refused {
    fn from(fault: Fault) -> Self {
        Self(fault.detail)
    }
}

struct Typed<'r, 'de> {
    reader: &'r mut Reader<'de>,
    /// Whether it is an element of a list, where objects are mostly rows.
    in_list: bool,
}

impl<'de> Typed<'_, 'de> {
    fn text(text: Text<'de>) -> Result<Cow<'de, str>, Refused> {
        match text.fault {
            Some(fault) => Err(fault.into()),
            None => Ok(text.value),
        }
    }

    fn object<V: Visitor<'de>>(self, visitor: V, names: Names) -> Result<V::Value, Refused> {
        if !self.reader.starts_with(b'{') {
            return Err(de::Error::custom("expected an object"));
        }
        self.reader.descend()?;
        let mut members = Nested { reader: self.reader, state: State::Opened, close: b'}', names, in_part: false };
        let value = visitor.visit_map(&mut members)?;
        members.require_closed()?;
        Ok(value)
    }

    fn list<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        if !self.reader.starts_with(b'[') {
            return Err(de::Error::custom("expected a list"));
        }
        self.reader.descend()?;
        let (state, names) = (State::Opened, Names::OfList);
        let mut elements = Nested { reader: self.reader, state, close: b']', names, in_part: false };
        let value = visitor.visit_seq(&mut elements)?;
        elements.require_closed()?;
        Ok(value)
    }
}

impl<'de> de::Deserializer<'de> for Typed<'_, 'de> {
    type Error = Refused;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        let token = self.reader.value()?;
        match token {
            Token::Object => self.object(visitor, Names::Free(BTreeSet::new())),
            Token::Array => self.list(visitor),
            Token::String => {
                if let Some(text) = self.reader.simple_string(limits::JSON_STRING_BYTES) {
                    return visitor.visit_borrowed_str(text);
                }
                match Self::text(self.reader.string()?)? {
                    Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
                    Cow::Owned(text) => visitor.visit_string(text),
                }
            }
            Token::Number => visitor.visit_i64(self.reader.number()?),
            Token::True | Token::False => {
                self.reader.pass_word(token);
                visitor.visit_bool(token == Token::True)
            }
            Token::Null => {
                self.reader.pass_word(token);
                visitor.visit_unit()
            }
        }
    }

    /// Nearly all values are texts, and nearly all of those are plain.
    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        self.reader.skip_space();
        match self.reader.simple_string(limits::JSON_STRING_BYTES) {
            Some(text) => visitor.visit_borrowed_str(text),
            None => self.deserialize_any(visitor),
        }
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        self.reader.skip_space();
        match self.reader.small_number() {
            Some(number) => visitor.visit_u64(number),
            None => self.deserialize_any(visitor),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        members: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refused> {
        let mut row = Row::default();
        if self.in_list && self.reader.row(members, &mut row) {
            return visitor.visit_seq(&mut row);
        }
        self.object(visitor, Names::Known { members, next: 0 })
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        self.object(visitor, Names::Free(BTreeSet::new()))
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        self.list(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        if self.reader.value()? == Token::Null {
            return Err(de::Error::custom("null is not a value here: leave the member out"));
        }
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _name: &'static str, visitor: V) -> Result<V::Value, Refused> {
        visitor.visit_newtype_struct(self)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u128 f32 f64 char string bytes byte_buf
        unit unit_struct tuple tuple_struct enum identifier ignored_any
    }
}

/// The inside of an object or a list.
struct Nested<'r, 'de> {
    reader: &'r mut Reader<'de>,
    state: State,
    close: u8,
    names: Names,
    /// Whether a part that is hashed by itself is being read.
    in_part: bool,
}

/// How far the inside was read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Opened,
    Begun,
    Closed,
}

/// What is known of the names inside.
enum Names {
    /// There are none.
    OfList,
    /// Any name, each once.
    Free(BTreeSet<String>),
    /// The members of a struct in order, and the one after the last that was read. The struct refuses a second one, and
    /// takes its members by their number in this list; a second name for a member would shift the numbers, and none has
    /// one.
    Known { members: &'static [&'static str], next: usize },
}

/// How many optional members a document may leave out in a row before names are read letter by letter.
const LEFT_OUT: usize = 3;

impl Nested<'_, '_> {
    /// Passes the next member's name where it is the one that the type has next: nearly every document is in order.
    #[inline]
    fn pass_expected(&mut self) -> Option<u64> {
        let Names::Known { members, next } = &mut self.names else { return None };
        let name = members.get(*next)?;
        let (place, name) = if self.reader.pass_member(name) {
            (*next, name)
        } else {
            let later = members.iter().enumerate().skip(*next + 1).take(LEFT_OUT);
            later.into_iter().find(|(_, name)| self.reader.pass_member(name))?
        };
        *next = place + 1;
        self.in_part = self.reader.begin_member(name);
        Some(place as u64)
    }

    /// Looks at a name that was read letter by letter. The canonical text is kept as long as names are in order.
    fn follow(&mut self, name: &str) -> Result<(), Refused> {
        let in_order = match &mut self.names {
            Names::OfList => false,
            Names::Free(seen) => {
                let in_order = name.is_ascii() && seen.last().is_none_or(|last| last.as_str() < name);
                if !seen.insert(name.to_owned()) {
                    return Err(de::Error::custom("the same member appears twice"));
                }
                in_order
            }
            Names::Known { members, next } => {
                let later = members.iter().enumerate().skip(*next).find(|(_, member)| **member == name);
                *next = later.map_or(members.len(), |(place, _)| place + 1);
                self.reader.begin_unsure(name);
                later.is_some()
            }
        };
        if !in_order {
            self.reader.forget();
        }
        Ok(())
    }

    #[inline(always)]
    fn at_end(&mut self) -> Result<bool, Refused> {
        if std::mem::take(&mut self.in_part) {
            self.reader.end_part();
        }
        if self.state != State::Closed && self.reader.pass_line(self.state == State::Opened) {
            self.state = State::Begun;
            return Ok(false);
        }
        if self.state == State::Begun && self.reader.pass_last_line(self.close) {
            self.state = State::Closed;
            return Ok(true);
        }
        self.look_for_end()
    }

    fn look_for_end(&mut self) -> Result<bool, Refused> {
        match self.state {
            State::Closed => return Ok(true),
            State::Opened | State::Begun if self.reader.ascend(self.close) => {
                self.state = State::Closed;
                return Ok(true);
            }
            State::Begun => self.reader.comma(self.close)?,
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
        if let Some(place) = self.pass_expected() {
            return seed.deserialize(de::value::U64Deserializer::new(place)).map(Some);
        }
        let key = match self.reader.simple_key() {
            Some(key) => Cow::Borrowed(key),
            None => Typed::text(self.reader.key()?)?,
        };
        self.follow(&key)?;
        match key {
            Cow::Borrowed(key) => seed.deserialize(de::value::BorrowedStrDeserializer::new(key)).map(Some),
            Cow::Owned(key) => seed.deserialize(de::value::StringDeserializer::new(key)).map(Some),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Refused> {
        seed.deserialize(Typed { reader: self.reader, in_list: false })
    }
}

impl<'de> SeqAccess<'de> for &mut Nested<'_, 'de> {
    type Error = Refused;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Refused> {
        if self.at_end()? {
            return Ok(None);
        }
        seed.deserialize(Typed { reader: self.reader, in_list: true }).map(Some)
    }
}
