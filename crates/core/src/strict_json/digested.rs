//! Digests of a document and its parts, taken while it is read.
//!
//! The RFC 8785 form of a document that came in RFC 8785 order is its own text without the space between its tokens. Every
//! file that svc writes is such a document, so that what was read need not be written again to be hashed. A document out
//! of order, or one that spells a character by an escape, has no such text: its digests are taken from what was read.

use crate::digest::{COLLECTED, Digest, Hasher};

/// The length of pieces that are copied at once.
const SHORT: usize = 32;

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
    collected: Vec<u8>,
    /// Up to where the document was collected or left out.
    done: usize,
    document: Option<Hasher>,
    /// Whether a part has just ended, and with it goes the comma behind it.
    after_part: bool,
    open: Vec<Open>,
    closed: Vec<DigestedPart>,
}

#[derive(Debug)]
struct Open {
    part: &'static Part,
    hasher: Hasher,
    text: Vec<u8>,
}

impl Keeper {
    pub(super) fn new(parts: &'static [Part]) -> Self {
        Self {
            parts,
            collected: Vec::with_capacity(2 * COLLECTED),
            done: 0,
            document: Some(Hasher::default()),
            after_part: false,
            open: Vec::new(),
            closed: Vec::with_capacity(parts.len()),
        }
    }

    /// Leaves out the space from one place to another.
    #[inline]
    pub(super) fn leave_out(&mut self, document: &str, from: usize, to: usize) {
        self.collect(document, from);
        self.done = to;
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
        self.open.push(Open { part, hasher: Hasher::default(), text: Vec::new() });
        true
    }

    /// The value of the innermost part ends here.
    pub(super) fn end(&mut self, document: &str, at: usize) {
        self.collect(document, at);
        self.flush();
        if let Some(Open { part, hasher, text }) = self.open.pop() {
            let (digest, size) = hasher.finish();
            self.closed.push(DigestedPart { part, digest, size, text });
            self.after_part = self.open.is_empty();
        }
    }

    pub(super) fn finish(mut self, document: &str) -> Digested {
        self.collect(document, document.len());
        self.flush();
        Digested { document: self.document.map(|hasher| hasher.finish().0), parts: self.closed }
    }

    fn find(&self, depth: usize, name: &str) -> Option<&'static Part> {
        if depth > 2 {
            return None;
        }
        let outer = if depth == 1 { None } else { Some(self.open.last()?.part.name) };
        self.parts.iter().find(|part| part.name == name && part.outer == outer)
    }

    fn collect(&mut self, document: &str, to: usize) {
        let left = document.as_bytes().get(self.done..).unwrap_or_default();
        let length = to - self.done;
        match left.first_chunk::<SHORT>() {
            // Nearly all pieces are short. One of a fixed size is copied in a few steps, and what is too much goes again.
            Some(chunk) if length <= SHORT => {
                let end = self.collected.len() + length;
                self.collected.extend_from_slice(chunk);
                self.collected.truncate(end);
            }
            _ => self.collected.extend_from_slice(left.get(..length).unwrap_or_default()),
        }
        self.done = to;
        if self.collected.len() >= COLLECTED {
            self.flush();
        }
    }

    fn flush(&mut self) {
        for open in &mut self.open {
            open.hasher.update(&self.collected);
            if open.part.with_text {
                open.text.extend_from_slice(&self.collected);
            }
        }
        if self.open.is_empty() && !self.collected.is_empty() {
            self.flush_document();
        }
        self.collected.clear();
    }

    fn flush_document(&mut self) {
        let text = if std::mem::take(&mut self.after_part) {
            self.collected.strip_prefix(b",")
        } else {
            Some(self.collected.as_slice())
        };
        match (&mut self.document, text) {
            (Some(hasher), Some(text)) => hasher.update(text),
            _ => self.document = None,
        }
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
