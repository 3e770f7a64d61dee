//! Digests of a document and its parts, taken while it is read.
//!
//! The RFC 8785 form of a document that came in RFC 8785 order is its own text without the space between its tokens. Every
//! file that svc writes is such a document, so that what was read need not be written again to be hashed. A document out
//! of order, or one that spells a character by an escape, has no such text: its digests are taken from what was read.

use super::row::{Layout, Row};
use crate::digest::{COLLECTED, Digest, Hasher};

/// The length of pieces that are copied in one step. Nearly all are shorter.
const SHORT: usize = 32;

/// The room that is made before a row is read. A longer one is no row.
pub(super) const ROW: usize = 1024;

/// A member with a digest of its own: one of the root, which the document's digest leaves out, or one inside such a member.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// The member around it, when it is not one of the root.
    pub(crate) outer: Option<&'static str>,
    /// Its name.
    pub(crate) name: &'static str,
    /// Whether its text is wanted too.
    pub(crate) with_text: bool,
}

/// The digests.
#[derive(Debug)]
pub(crate) struct Digested {
    document: Option<Digest>,
    parts: Vec<DigestedPart>,
}

/// The digest, the length and, where it is wanted, the text of a part.
#[derive(Debug)]
pub(crate) struct DigestedPart {
    part: &'static Part,
    pub(crate) digest: Digest,
    pub(crate) size: u64,
    pub(crate) text: Vec<u8>,
}

impl Digested {
    /// The digest of the document without its parts. None when the last member is one: the text then has a comma too many.
    pub(crate) fn document(&self) -> Option<Digest> {
        self.document
    }

    /// What is known of a part.
    pub(crate) fn part(&self, part: &Part) -> Option<&DigestedPart> {
        self.parts.iter().find(|digested| digested.part == part)
    }
}

/// Takes the digests while a document is read.
#[derive(Debug)]
pub(super) struct Keeper {
    parts: &'static [Part],
    /// Up to where the document was collected or left out.
    done: usize,
    collected: Collected,
    hashers: Hashers,
    closed: Vec<DigestedPart>,
}

impl Keeper {
    pub(super) fn new(parts: &'static [Part]) -> Self {
        Self {
            parts,
            done: 0,
            collected: Collected::new(),
            hashers: Hashers { document: Some(Hasher::default()), after_part: false, open: Vec::new() },
            closed: Vec::with_capacity(parts.len()),
        }
    }

    /// Leaves out the space from one place to another.
    #[inline]
    pub(super) fn leave_out(&mut self, document: &str, from: usize, to: usize) {
        self.collect(document, from);
        self.done = to;
    }

    /// Passes a row that starts here, when it is one. What a row adds is collected while it is read.
    #[inline]
    pub(super) fn pass_row<'d>(
        &mut self,
        document: &'d str,
        start: usize,
        layout: &Layout,
        row: &mut Row<'d>,
    ) -> Option<usize> {
        self.collect(document, start);
        if self.collected.length > COLLECTED - ROW {
            self.flush();
        }
        let before = self.collected.length;
        let end = layout.read(document, start, row, Some(&mut self.collected));
        match end {
            Some(end) => self.done = end,
            None => self.collected.length = before,
        }
        end
    }

    /// Whether a member has a digest of its own.
    pub(super) fn is_part(&self, depth: usize, name: &str) -> bool {
        self.find(depth, name).is_some()
    }

    /// A member starts whose name and colon end here, without space between them. Tells whether it is a part.
    pub(super) fn begin(&mut self, document: &str, depth: usize, name: &str, at: usize) -> bool {
        let Some(part) = self.find(depth, name) else { return false };
        let start = at.saturating_sub(name.len() + 3);
        self.collect(document, start);
        self.flush();
        if part.outer.is_some() {
            self.collect(document, at);
            self.flush();
        }
        self.done = at;
        self.hashers.open.push(Open { part, hasher: Hasher::default(), text: Vec::new() });
        true
    }

    /// The value of the innermost part ends here.
    pub(super) fn end(&mut self, document: &str, at: usize) {
        self.collect(document, at);
        self.flush();
        self.closed.extend(self.hashers.close());
    }

    pub(super) fn finish(mut self, document: &str) -> Digested {
        self.collect(document, document.len());
        self.flush();
        Digested { document: self.hashers.document.map(|hasher| hasher.finish().0), parts: self.closed }
    }

    fn find(&self, depth: usize, name: &str) -> Option<&'static Part> {
        if depth > 2 {
            return None;
        }
        let outer = if depth == 1 { None } else { Some(self.hashers.open.last()?.part.name) };
        self.parts.iter().find(|part| part.name == name && part.outer == outer)
    }

    #[inline]
    fn collect(&mut self, document: &str, to: usize) {
        if !self.collected.add_from(document, self.done, to) {
            self.flush();
            self.hashers.update(document.as_bytes().get(self.done..to).unwrap_or_default());
        }
        self.done = to;
    }

    fn flush(&mut self) {
        self.hashers.update(self.collected.text());
        self.collected.length = 0;
    }
}

/// A short text that is often collected.
#[derive(Debug, Default)]
pub(super) struct Piece {
    bytes: [u8; SHORT],
    length: usize,
}

impl Piece {
    /// The piece of these parts, when it is short enough.
    pub(super) fn of<const PARTS: usize>(parts: [&[u8]; PARTS]) -> Option<Self> {
        let mut piece = Self::default();
        for part in parts {
            let end = piece.length + part.len();
            piece.bytes.get_mut(piece.length..end)?.copy_from_slice(part);
            piece.length = end;
        }
        Some(piece)
    }

    #[inline]
    pub(super) fn text(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}

/// Pieces of text that are hashed together.
#[derive(Debug)]
pub(super) struct Collected {
    bytes: Box<[u8]>,
    length: usize,
}

impl Collected {
    fn new() -> Self {
        Self { bytes: vec![0; COLLECTED].into(), length: 0 }
    }

    fn text(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }

    /// Adds a piece, when there is room.
    #[inline]
    pub(super) fn add_piece(&mut self, piece: &Piece) -> bool {
        self.add_short(&piece.bytes, piece.length)
    }

    /// Adds what a document has from one place to another, when there is room.
    #[inline]
    pub(super) fn add_from(&mut self, document: &str, from: usize, to: usize) -> bool {
        let left = document.as_bytes().get(from..).unwrap_or_default();
        let length = to - from;
        self.add_short(left, length) || self.add(left.get(..length).unwrap_or_default())
    }

    /// Adds the first bytes of a text, when they are few and there is room. A piece of a fixed size is copied in a few
    /// steps; what is too much of it is overwritten by the next.
    #[inline]
    fn add_short(&mut self, left: &[u8], length: usize) -> bool {
        let room = self.bytes.get_mut(self.length..).and_then(<[u8]>::first_chunk_mut::<SHORT>);
        match (left.first_chunk::<SHORT>(), room) {
            (Some(chunk), Some(room)) if length <= SHORT => {
                *room = *chunk;
                self.length += length;
                true
            }
            _ => false,
        }
    }

    fn add(&mut self, piece: &[u8]) -> bool {
        let room = self.bytes.get_mut(self.length..).and_then(|room| room.get_mut(..piece.len()));
        let Some(room) = room else { return false };
        room.copy_from_slice(piece);
        self.length += piece.len();
        true
    }
}

/// What is hashed of the document and of the parts that are being read.
#[derive(Debug)]
struct Hashers {
    document: Option<Hasher>,
    /// Whether a part has just ended, and with it goes the comma behind it.
    after_part: bool,
    open: Vec<Open>,
}

#[derive(Debug)]
struct Open {
    part: &'static Part,
    hasher: Hasher,
    text: Vec<u8>,
}

impl Hashers {
    fn update(&mut self, text: &[u8]) {
        for open in &mut self.open {
            open.hasher.update(text);
            if open.part.with_text {
                open.text.extend_from_slice(text);
            }
        }
        if self.open.is_empty() && !text.is_empty() {
            self.update_document(text);
        }
    }

    fn update_document(&mut self, text: &[u8]) {
        let text = if std::mem::take(&mut self.after_part) { text.strip_prefix(b",") } else { Some(text) };
        match (&mut self.document, text) {
            (Some(hasher), Some(text)) => hasher.update(text),
            _ => self.document = None,
        }
    }

    fn close(&mut self) -> Option<DigestedPart> {
        let Open { part, hasher, text } = self.open.pop()?;
        self.after_part = self.open.is_empty();
        let (digest, size) = hasher.finish();
        Some(DigestedPart { part, digest, size, text })
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::Value;

    use super::*;
    use crate::strict_json::typed;

    static PARTS: [Part; 3] = [
        Part { outer: None, name: "left", with_text: false },
        Part { outer: Some("left"), name: "inner", with_text: true },
        Part { outer: None, name: "right", with_text: true },
    ];

    /// Names are known, as in every type of ours.
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Whole {
        #[serde(rename = "first")]
        _first: Option<u64>,
        #[serde(rename = "left")]
        _left: Option<Left>,
        #[serde(rename = "middle")]
        _middle: Option<Value>,
        #[serde(rename = "right")]
        _right: Option<Vec<String>>,
        #[serde(rename = "zero")]
        _zero: Option<u64>,
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Left {
        #[serde(rename = "inner")]
        _inner: Option<Value>,
        #[serde(rename = "right")]
        _right: Option<u64>,
    }

    fn digested(text: &str) -> Option<Digested> {
        typed::with_digests::<Whole>(text.as_bytes(), &PARTS).unwrap().1
    }

    #[test]
    fn parts_are_hashed_by_themselves_and_left_out_of_the_document() {
        let text = "{ \"first\": 1,\n\t\"left\":{\"inner\" :[ 1, \"a b\" ], \"right\":7 },\r\n \"middle\": { \"left\": { } },\
                    \"right\":[\"é\" ] , \"zero\" : 0}";
        // A space before the colon of a part: its text is not looked for.
        assert!(digested(text).is_none());
        let digested = digested(&text.replace("\"inner\" :", "\"inner\":")).unwrap();
        let of = |text: &str| Digest::of(text.as_bytes());
        assert_eq!(digested.document(), Some(of(r#"{"first":1,"middle":{"left":{}},"zero":0}"#)));
        for (part, text) in PARTS.iter().zip([r#"{"inner":[1,"a b"],"right":7}"#, r#"[1,"a b"]"#, r#"["é"]"#]) {
            let found = digested.part(part).unwrap();
            assert_eq!((found.digest, found.size), (of(text), text.len() as u64), "{text}");
            assert_eq!(found.text, if part.with_text { text.as_bytes() } else { b"" });
        }
    }

    #[test]
    fn a_part_at_the_end_leaves_no_digest_of_the_document() {
        let last = digested(r#"{"first":1,"right":[]}"#).unwrap();
        assert!(last.document().is_none() && last.part(&PARTS[2]).is_some() && last.part(&PARTS[0]).is_none());
        assert!(digested(r#"{"right":[],"zero":1}"#).unwrap().document() == Some(Digest::of(br#"{"zero":1}"#)));
    }

    #[test]
    fn more_than_is_collected_at_once_is_hashed_whole() {
        for length in [COLLECTED - 30, COLLECTED, 3 * COLLECTED + 5] {
            let long = "x".repeat(length);
            let found = digested(&format!(r#"{{"first": 1, "right": ["{long}", "{long}"], "zero": 0}}"#)).unwrap();
            assert_eq!(found.document(), Some(Digest::of(br#"{"first":1,"zero":0}"#)));
            let text = format!(r#"["{long}","{long}"]"#);
            assert_eq!(found.part(&PARTS[2]).map(|part| part.digest), Some(Digest::of(text.as_bytes())));
        }
    }

    #[test]
    fn a_document_out_of_order_or_with_escapes_has_none() {
        for text in [
            r#"{"zero":1,"first":2}"#,
            r#"{"middle":{"z":1,"y":2}}"#,
            r#"{"\u006diddle":{}}"#,
            r#"{"middle":"\n"}"#,
            r#"{"middle":"\u00e9"}"#,
            r#"{"middle":{"é":1}}"#,
        ] {
            assert!(digested(text).is_none(), "{text}");
        }
        assert!(digested(r#"{"middle":{"a":"é","b":[]}}"#).is_some());
    }
}
