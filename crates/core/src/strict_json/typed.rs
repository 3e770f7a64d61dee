//! The deciding reader: serde straight from the tokens, strict in the same pass.
//!
//! A struct comes only from an object (serde's own derive would take an array too), `null` is never "absent", maps
//! refuse duplicate keys (derived structs do that themselves), and no float is ever offered.

use std::{borrow::Cow, collections::BTreeSet, fmt};

use serde::de::{self, DeserializeOwned, DeserializeSeed, MapAccess, SeqAccess, Visitor};

use super::{
    fault::Fault,
    reader::{Reader, Text, Token},
};
use crate::limits;

/// Reads a document into a type, or tells that it cannot. Why is the explaining reader's business.
///
/// # Errors
/// At the first fault or the first value that the type refuses.
pub fn from_slice<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Refused> {
    let mut reader = Reader::new(bytes)?;
    if reader.value()? != Token::Object {
        return Err(Refused("the root is not an object".into()));
    }
    let value = T::deserialize(Typed { reader: &mut reader })?;
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
}

impl<'de> Typed<'_, 'de> {
    fn text(text: Text<'de>) -> Result<Cow<'de, str>, Refused> {
        match text.fault {
            Some(fault) => Err(fault.into()),
            None => Ok(text.value),
        }
    }

    fn object<V: Visitor<'de>>(self, visitor: V, keys: Option<BTreeSet<String>>) -> Result<V::Value, Refused> {
        if self.reader.value()? != Token::Object {
            return Err(de::Error::custom("expected an object"));
        }
        self.reader.descend()?;
        let mut members = Nested { reader: self.reader, first: true, close: b'}', closed: false, keys };
        let value = visitor.visit_map(&mut members)?;
        members.require_closed()?;
        Ok(value)
    }

    fn list<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        if self.reader.value()? != Token::Array {
            return Err(de::Error::custom("expected a list"));
        }
        self.reader.descend()?;
        let mut elements = Nested { reader: self.reader, first: true, close: b']', closed: false, keys: None };
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
            Token::Object => self.object(visitor, Some(BTreeSet::new())),
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

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _members: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refused> {
        self.object(visitor, None)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        self.object(visitor, Some(BTreeSet::new()))
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
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        unit unit_struct tuple tuple_struct enum identifier ignored_any
    }
}

/// The inside of an object or a list.
struct Nested<'r, 'de> {
    reader: &'r mut Reader<'de>,
    first: bool,
    close: u8,
    closed: bool,
    keys: Option<BTreeSet<String>>,
}

impl Nested<'_, '_> {
    fn at_end(&mut self) -> Result<bool, Refused> {
        self.closed = self.closed || self.reader.ascend(self.close);
        if !self.closed && !std::mem::take(&mut self.first) {
            self.reader.comma(self.close)?;
        }
        Ok(self.closed)
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
        let key = match self.reader.simple_key() {
            Some(key) => Cow::Borrowed(key),
            None => Typed::text(self.reader.key()?)?,
        };
        if self.keys.as_mut().is_some_and(|keys| !keys.insert(key.clone().into_owned())) {
            return Err(de::Error::custom("the same member appears twice"));
        }
        match key {
            Cow::Borrowed(key) => seed.deserialize(de::value::BorrowedStrDeserializer::new(key)).map(Some),
            Cow::Owned(key) => seed.deserialize(de::value::StringDeserializer::new(key)).map(Some),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Refused> {
        seed.deserialize(Typed { reader: self.reader })
    }
}

impl<'de> SeqAccess<'de> for &mut Nested<'_, 'de> {
    type Error = Refused;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Refused> {
        if self.at_end()? {
            return Ok(None);
        }
        seed.deserialize(Typed { reader: self.reader }).map(Some)
    }
}
