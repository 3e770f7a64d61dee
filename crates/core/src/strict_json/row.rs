//! Rows: objects in our own layout whose members are all there, in order, each a plain text or a small number.
//!
//! A large document is a list of thousands of them, the files of a package. What stands between the values of a row is
//! known beforehand, so that it is compared as a whole. Whatever differs in the least is no row and is read as any other
//! object.

use serde::de::{self, DeserializeSeed, SeqAccess, Visitor};

use super::{
    digested::{Collected, Piece},
    plain,
    typed::Refused,
};
use crate::{limits, sixteen};

/// The blanks of each level in our own layout.
pub(super) const INDENTATION: usize = 2;

/// More blanks than stand before any row of ours.
const BLANKS: &[u8] = &[b' '; 16];

/// More members than any row of ours has.
const MOST: usize = 8;

/// What stands between the values of rows of a kind.
#[derive(Debug)]
pub(super) struct Layout {
    members: &'static [&'static str],
    depth: usize,
    before: [Between; MOST],
    end: Between,
}

/// What stands before a value, and what of it is not space.
#[derive(Debug, Default)]
struct Between {
    text: Piece,
    canonical: Piece,
}

impl Layout {
    /// The layout of rows inside so many objects and lists. None where they would be too deep or too long.
    pub(super) fn of(members: &'static [&'static str], depth: usize) -> Option<Self> {
        let (outer, inner) = (BLANKS.get(..INDENTATION * depth)?, BLANKS.get(..INDENTATION * (depth + 1))?);
        let mut before: [Between; MOST] = Default::default();
        for (place, name) in members.iter().enumerate() {
            let (mark, name): (&[u8], _) = (if place == 0 { b"{" } else { b"," }, name.as_bytes());
            *before.get_mut(place)? = Between {
                text: Piece::of([mark, b"\n", inner, b"\"", name, b"\": "])?,
                canonical: Piece::of([mark, b"\"", name, b"\":"])?,
            };
        }
        let end = Between { text: Piece::of([b"\n", outer, b"}"])?, canonical: Piece::of([b"}"])? };
        Some(Self { members, depth, before, end })
    }

    /// Whether it is this layout.
    #[inline]
    pub(super) fn is_of(&self, members: &'static [&'static str], depth: usize) -> bool {
        std::ptr::eq(self.members, members) && self.depth == depth
    }

    /// Reads the row that starts here, and collects its canonical form where there is room. Tells where it ends.
    #[inline]
    pub(super) fn read<'de>(
        &self,
        text: &'de str,
        start: usize,
        row: &mut Row<'de>,
        mut collected: Option<&mut Collected>,
    ) -> Option<usize> {
        let mut at = start;
        for (between, slot) in self.before.iter().zip(&mut row.values).take(self.members.len()) {
            at = between.pass(text, at)?;
            let (value, end) = Scalar::at(text, at)?;
            *slot = value;
            if let Some(collected) = &mut collected {
                let is_collected = collected.add_piece(&between.canonical) && collected.add_from(text, at, end);
                is_collected.then_some(())?;
            }
            at = end;
        }
        at = self.end.pass(text, at)?;
        if let Some(collected) = collected {
            collected.add_piece(&self.end.canonical).then_some(())?;
        }
        row.left = self.members.len();
        Some(at)
    }
}

impl Between {
    #[inline]
    fn pass(&self, text: &str, at: usize) -> Option<usize> {
        let expected = self.text.text();
        let end = at + expected.len();
        sixteen::same(text.as_bytes().get(at..end)?, expected).then_some(end)
    }
}

/// The values of a row in the order of its members.
#[derive(Default)]
pub(super) struct Row<'de> {
    values: [Scalar<'de>; MOST],
    next: usize,
    left: usize,
}

#[derive(Clone, Copy)]
enum Scalar<'de> {
    Text(&'de str),
    Number(u64),
}

impl Default for Scalar<'_> {
    fn default() -> Self {
        Self::Number(0)
    }
}

impl<'de> Scalar<'de> {
    /// The value that starts here, and where it ends.
    #[inline]
    fn at(text: &'de str, at: usize) -> Option<(Self, usize)> {
        match text.as_bytes().get(at..)? {
            [b'"', rest @ ..] => {
                let length = plain::printable_run(rest);
                let is_text = rest.get(length) == Some(&b'"') && length <= limits::JSON_STRING_BYTES;
                let value = text.get(at + 1..at + 1 + length).filter(|_| is_text)?;
                Some((Self::Text(value), at + length + 2))
            }
            rest => {
                let (number, length) = plain::small_number(rest)?;
                Some((Self::Number(number), at + length))
            }
        }
    }
}

impl<'de> SeqAccess<'de> for &mut Row<'de> {
    type Error = Refused;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Refused> {
        let value = self.values.get(self.next).filter(|_| self.left > 0);
        let Some(value) = value else { return Ok(None) };
        self.next += 1;
        self.left -= 1;
        seed.deserialize(*value).map(Some)
    }
}

impl<'de> de::Deserializer<'de> for Scalar<'de> {
    type Error = Refused;

    #[inline]
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        match self {
            Self::Text(text) => visitor.visit_borrowed_str(text),
            Self::Number(number) => visitor.visit_u64(number),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _name: &'static str, visitor: V) -> Result<V::Value, Refused> {
        visitor.visit_newtype_struct(self)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        unit unit_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};

    use crate::{canonical_json, digest::Digest, strict_json::typed};

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Table {
        rows: Vec<Entry>,
    }

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields, rename_all = "camelCase")]
    struct Entry {
        #[serde(skip_serializing_if = "Option::is_none")]
        colour: Option<String>,
        media_type: String,
        size: u64,
    }

    fn table(rows: usize) -> Table {
        let entry = |row: usize| Entry {
            colour: Some("cyan".repeat(row)),
            media_type: format!("text/{row}"),
            size: row as u64 * 1_000,
        };
        Table { rows: (0..rows).map(entry).collect() }
    }

    fn pretty(table: &Table) -> String {
        serde_json::to_string_pretty(table).unwrap()
    }

    /// What our reader makes of a text, which is what an independent one makes of it. The digest is that of the values.
    fn read(text: &str) -> Option<Table> {
        let ours = typed::with_digests::<Table>(text.as_bytes(), &[]).ok();
        let theirs = serde_json::from_str::<Table>(text).ok();
        assert_eq!(ours.as_ref().map(|(table, _)| table), theirs.as_ref(), "{text}");
        let (table, digested) = ours?;
        if let Some(document) = digested.and_then(|digested| digested.document()) {
            assert_eq!(document, canonical_json::digest(&table).0, "{text}");
        }
        Some(table)
    }

    #[test]
    fn rows_are_read_as_any_object_is() {
        for rows in 0..60 {
            let table = table(rows);
            assert_eq!(read(&pretty(&table)).as_ref(), Some(&table));
            let digested = typed::with_digests::<Table>(pretty(&table).as_bytes(), &[]).unwrap().1.unwrap();
            assert_eq!(digested.document(), Some(Digest::of(&serde_json::to_vec(&table).unwrap())));
        }
        let mut long = table(4);
        long.rows[2].media_type = "x".repeat(3 * super::super::digested::ROW);
        assert_eq!(read(&pretty(&long)), Some(long));
    }

    #[test]
    fn whatever_byte_is_changed_taken_out_or_put_in_is_seen() {
        let text = pretty(&table(4));
        let refused = (0..text.len()).flat_map(|at| {
            let (before, after) = text.split_at(at);
            let changed = " \n\t\"\\,:{}[]0-x".chars().map(move |byte| format!("{before}{byte}{}", &after[1..]));
            let put_in = " \n\",:{}[]0x".chars().map(move |byte| format!("{before}{byte}{after}"));
            changed.chain(put_in).chain([format!("{before}{}", &after[1..])])
        });
        let refused = refused.filter(|text| read(text).is_none()).count();
        assert!(refused > text.len() * 10, "{refused}");
    }

    #[test]
    fn members_left_out_twice_or_out_of_order_are_treated_as_ever() {
        let mut left_out = table(5);
        left_out.rows[3].colour = None;
        assert_eq!(read(&pretty(&left_out)), Some(left_out));
        let text = pretty(&table(4));
        let size = "      \"size\": 2000\n";
        for (other, is_read) in [
            ("      \"size\": 2000,\n      \"size\": 2000\n", false),
            ("      \"size\": 2000,\n      \"more\": 2000\n", false),
            ("      \"size\": \"2000\"\n", false),
            ("      \"size\": 02000\n", false),
            ("      \"size\": 2000.0\n", false),
            ("      \"size\": 2000000000000\n", true),
            ("      \"size\" : 2000\n", true),
            ("      \"s\\u0069ze\": 2000\n", true),
            ("      \"size\":2000\r\n", true),
        ] {
            assert!(text.contains(size));
            assert_eq!(read(&text.replace(size, other)).is_some(), is_read, "{other}");
        }
        let turned = text.replace(
            "      \"mediaType\": \"text/3\",\n      \"size\": 3000\n",
            "      \"size\": 3000,\n      \"mediaType\": \"text/3\"\n",
        );
        assert!(turned != text && read(&turned) == Some(table(4)));
    }
}
