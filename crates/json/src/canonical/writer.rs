//! A serde serializer for exactly what our types hold: strings, integers, booleans, lists, and objects whose members come
//! in order. Compact, and nothing else.

use std::fmt;

use serde::{
    Serialize,
    ser::{self, Impossible, SerializeMap, SerializeSeq, SerializeStruct},
};

use crate::scan;

/// Takes the bytes.
pub(super) trait Sink {
    fn put(&mut self, bytes: &[u8]);

    /// The same between quotes.
    fn put_quoted(&mut self, bytes: &[u8]) {
        self.put(b"\"");
        self.put(bytes);
        self.put(b"\"");
    }
}

impl Sink for Vec<u8> {
    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }

    fn put_quoted(&mut self, bytes: &[u8]) {
        self.reserve(bytes.len() + 2);
        self.push(b'"');
        self.extend_from_slice(bytes);
        self.push(b'"');
    }
}

/// Writes a value to a sink, but for those of its own members that are left out.
pub(super) fn write<T: Serialize + ?Sized>(
    value: &T,
    left_out: &[&str],
    sink: &mut impl Sink,
) -> Result<(), Unwritable> {
    value.serialize(Writer { sink, left_out })
}

/// A value that has no canonical form here, such as a float.
#[derive(Debug)]
pub(super) struct Unwritable(String);

impl fmt::Display for Unwritable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Unwritable {}

impl ser::Error for Unwritable {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

fn none_of_ours<T>(what: &str) -> Result<T, Unwritable> {
    Err(Unwritable(format!("{what}: no type of ours holds one")))
}

struct Writer<'s, S> {
    sink: &'s mut S,
    /// The members of this value that are not written.
    left_out: &'s [&'s str],
}

impl<'s, S: Sink> Writer<'s, S> {
    fn integer(self, number: u64, negative: bool) -> Result<(), Unwritable> {
        let mut digits = [0_u8; 21];
        let mut at = digits.len();
        let mut left = number;
        loop {
            at -= 1;
            if let Some(digit) = digits.get_mut(at) {
                *digit = b'0' + (left % 10) as u8;
            }
            left /= 10;
            if left == 0 {
                break;
            }
        }
        if negative {
            self.sink.put(b"-");
        }
        self.sink.put(digits.get(at..).unwrap_or_default());
        Ok(())
    }

    fn inside(self, open: &[u8], close: &'static [u8]) -> Inside<'s, S> {
        self.sink.put(open);
        Inside { sink: self.sink, left_out: self.left_out, first: true, close }
    }
}

/// Writes a string with its quotes; what must be escaped is, in the one way of RFC 8785.
fn string(sink: &mut impl Sink, text: &str) {
    let mut rest = text.as_bytes();
    let mut run = scan::plain_run(rest);
    if run == rest.len() {
        return sink.put_quoted(rest);
    }
    sink.put(b"\"");
    loop {
        let (plain, special) = rest.split_at_checked(run).unwrap_or((rest, &[]));
        sink.put(plain);
        let Some((byte, after)) = special.split_first() else { break };
        escape(sink, *byte);
        rest = after;
        run = scan::plain_run(rest);
    }
    sink.put(b"\"");
}

fn escape(sink: &mut impl Sink, byte: u8) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    match byte {
        b'"' => sink.put(b"\\\""),
        b'\\' => sink.put(b"\\\\"),
        0x08 => sink.put(b"\\b"),
        0x09 => sink.put(b"\\t"),
        0x0A => sink.put(b"\\n"),
        0x0C => sink.put(b"\\f"),
        0x0D => sink.put(b"\\r"),
        _ => {
            let digit = |value: u8| DIGITS.get(usize::from(value)).copied().unwrap_or(b'0');
            sink.put(&[b'\\', b'u', b'0', b'0', digit(byte >> 4), digit(byte & 15)]);
        }
    }
}

/// The inside of a list or an object.
struct Inside<'s, S> {
    sink: &'s mut S,
    left_out: &'s [&'s str],
    first: bool,
    close: &'static [u8],
}

impl<S: Sink> Inside<'_, S> {
    fn next(&mut self) {
        if !std::mem::take(&mut self.first) {
            self.sink.put(b",");
        }
    }

    fn value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Unwritable> {
        value.serialize(Writer { sink: self.sink, left_out: &[] })
    }

    fn close(self) -> Result<(), Unwritable> {
        self.sink.put(self.close);
        Ok(())
    }
}

impl<S: Sink> SerializeSeq for Inside<'_, S> {
    type Ok = ();
    type Error = Unwritable;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Unwritable> {
        self.next();
        self.value(value)
    }

    fn end(self) -> Result<(), Unwritable> {
        self.close()
    }
}

impl<S: Sink> SerializeStruct for Inside<'_, S> {
    type Ok = ();
    type Error = Unwritable;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Unwritable> {
        if self.left_out.contains(&name) {
            return Ok(());
        }
        self.next();
        // Names of our own members need no escape: a test writes every type.
        self.sink.put_quoted(name.as_bytes());
        self.sink.put(b":");
        self.value(value)
    }

    fn end(self) -> Result<(), Unwritable> {
        self.close()
    }
}

impl<S: Sink> SerializeMap for Inside<'_, S> {
    type Ok = ();
    type Error = Unwritable;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Unwritable> {
        self.next();
        self.value(key)?;
        self.sink.put(b":");
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Unwritable> {
        self.value(value)
    }

    fn end(self) -> Result<(), Unwritable> {
        self.close()
    }
}

macro_rules! integers {
    ($($method:ident($type:ty);)+) => {
        $(fn $method(self, number: $type) -> Result<(), Unwritable> {
            self.integer(u64::from(number.unsigned_abs()), number < 0)
        })+
    };
}

impl<'s, S: Sink> ser::Serializer for Writer<'s, S> {
    type Ok = ();
    type Error = Unwritable;
    type SerializeSeq = Inside<'s, S>;
    type SerializeTuple = Impossible<(), Unwritable>;
    type SerializeTupleStruct = Impossible<(), Unwritable>;
    type SerializeTupleVariant = Impossible<(), Unwritable>;
    type SerializeMap = Inside<'s, S>;
    type SerializeStruct = Inside<'s, S>;
    type SerializeStructVariant = Impossible<(), Unwritable>;

    integers! {
        serialize_i8(i8);
        serialize_i16(i16);
        serialize_i32(i32);
        serialize_i64(i64);
    }

    fn serialize_u8(self, number: u8) -> Result<(), Unwritable> {
        self.integer(number.into(), false)
    }

    fn serialize_u16(self, number: u16) -> Result<(), Unwritable> {
        self.integer(number.into(), false)
    }

    fn serialize_u32(self, number: u32) -> Result<(), Unwritable> {
        self.integer(number.into(), false)
    }

    fn serialize_u64(self, number: u64) -> Result<(), Unwritable> {
        self.integer(number, false)
    }

    fn serialize_bool(self, value: bool) -> Result<(), Unwritable> {
        self.sink.put(if value { b"true" } else { b"false" });
        Ok(())
    }

    fn serialize_str(self, text: &str) -> Result<(), Unwritable> {
        string(self.sink, text);
        Ok(())
    }

    fn serialize_char(self, character: char) -> Result<(), Unwritable> {
        self.serialize_str(character.encode_utf8(&mut [0; 4]))
    }

    fn serialize_none(self) -> Result<(), Unwritable> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Unwritable> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Unwritable> {
        self.sink.put(b"null");
        Ok(())
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, word: &'static str) -> Result<(), Unwritable> {
        self.serialize_str(word)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<(), Unwritable> {
        value.serialize(self)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Inside<'s, S>, Unwritable> {
        Ok(self.inside(b"[", b"]"))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Inside<'s, S>, Unwritable> {
        Ok(self.inside(b"{", b"}"))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Inside<'s, S>, Unwritable> {
        Ok(self.inside(b"{", b"}"))
    }

    fn serialize_f32(self, _: f32) -> Result<(), Unwritable> {
        none_of_ours("a float")
    }

    fn serialize_f64(self, _: f64) -> Result<(), Unwritable> {
        none_of_ours("a float")
    }

    fn serialize_bytes(self, _: &[u8]) -> Result<(), Unwritable> {
        none_of_ours("bytes")
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Unwritable> {
        none_of_ours("a unit struct")
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<(), Unwritable> {
        none_of_ours("a variant with a value")
    }

    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple, Unwritable> {
        none_of_ours("a tuple")
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeTupleStruct, Unwritable> {
        none_of_ours("a tuple struct")
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, Unwritable> {
        none_of_ours("a variant with values")
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, Unwritable> {
        none_of_ours("a variant with members")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn written<T: Serialize + ?Sized>(value: &T) -> Vec<u8> {
        let mut bytes = Vec::new();
        write(value, &[], &mut bytes).unwrap();
        bytes
    }

    #[test]
    fn every_character_is_written_as_serde_json_writes_it() {
        let characters: Vec<char> = (0..0x300).filter_map(char::from_u32).chain(['漢', '\u{2028}', '😀']).collect();
        for character in &characters {
            for text in [character.to_string(), format!("seven67{character}x"), format!("{character}{character}\"")] {
                assert_eq!(written(&text), serde_json::to_vec(&text).unwrap(), "{text:?}");
            }
        }
    }

    #[test]
    fn integers_lists_and_maps_are_written_as_serde_json_writes_them() {
        for number in [0, 1, -1, 9, 10, i64::MAX, i64::MIN, (1 << 53) - 1] {
            assert_eq!(written(&number), serde_json::to_vec(&number).unwrap());
        }
        assert_eq!(written(&u64::MAX), serde_json::to_vec(&u64::MAX).unwrap());
        let map = BTreeMap::from([("a", vec![Some(1), None]), ("b", vec![])]);
        assert_eq!(written(&map), serde_json::to_vec(&map).unwrap());
        assert_eq!(written(&Vec::<bool>::new()), b"[]");
        assert_eq!(written(&[true, false][..]), b"[true,false]");
    }

    #[test]
    fn members_are_left_out_of_the_value_itself_and_not_of_what_is_inside() {
        #[derive(Serialize)]
        struct Own {
            a: u8,
            b: Option<Box<Own>>,
            c: u8,
        }

        let value = Own { a: 1, b: Some(Box::new(Own { a: 2, b: None, c: 3 })), c: 4 };
        let without = |left_out: &[&str]| {
            let mut bytes = Vec::new();
            write(&value, left_out, &mut bytes).unwrap();
            String::from_utf8(bytes).unwrap()
        };
        assert_eq!(without(&["a", "d"]), r#"{"b":{"a":2,"b":null,"c":3},"c":4}"#);
        assert_eq!(without(&["b"]), r#"{"a":1,"c":4}"#);
        assert_eq!(without(&["a", "b", "c"]), "{}");
    }

    #[test]
    fn what_no_type_of_ours_holds_is_not_written() {
        assert!(write(&1.5, &[], &mut Vec::new()).is_err());
        assert!(write(&(1, 2), &[], &mut Vec::new()).is_err());
    }
}
