//! The RFC 8785 form of a document that came in RFC 8785 order: its own text, without the space between its tokens.
//!
//! Every file that svc writes is such a document, so that what was read need not be written again to be hashed. A document
//! out of order, or one that spells a character by an escape, has no such text; it is written anew from what was read.

/// How deep members are remembered: those of the root, and those of its parts.
pub(super) const REMEMBERED_DEPTH: usize = 2;

/// The text, and where in it some members are.
#[derive(Debug, Default)]
pub(crate) struct Written {
    text: Vec<u8>,
    members: Vec<Member>,
}

#[derive(Debug)]
struct Member {
    depth: usize,
    name: &'static str,
    start: usize,
    value: usize,
    end: usize,
}

impl Written {
    /// The text of a member of the root.
    pub(crate) fn member(&self, name: &str) -> Option<&[u8]> {
        let member = self.find(1, name, 0, self.text.len())?;
        self.text.get(member.value..member.end)
    }

    /// The text of a member of a member of the root.
    pub(crate) fn inner(&self, outer: &str, name: &str) -> Option<&[u8]> {
        let outer = self.find(1, outer, 0, self.text.len())?;
        let member = self.find(2, name, outer.value, outer.end)?;
        self.text.get(member.value..member.end)
    }

    /// The text without some members of the root, in pieces. The last member cannot be left out: no comma follows it.
    pub(crate) fn without(&self, names: &[&str]) -> Option<Vec<&[u8]>> {
        let (mut pieces, mut from) = (Vec::with_capacity(names.len() + 1), 0);
        for member in self.members.iter().filter(|member| member.depth == 1 && names.contains(&member.name)) {
            pieces.push(self.text.get(from..member.start)?);
            if self.text.get(member.end) != Some(&b',') {
                return None;
            }
            from = member.end + 1;
        }
        pieces.push(self.text.get(from..)?);
        Some(pieces)
    }

    fn find(&self, depth: usize, name: &str, from: usize, to: usize) -> Option<&Member> {
        let within = |member: &Member| from <= member.start && member.end <= to;
        self.members.iter().find(|member| member.depth == depth && member.name == name && within(member))
    }
}

/// Writes the text down while a document is read.
#[derive(Debug)]
pub(super) struct Keeper {
    written: Written,
    /// Up to where the document was copied or left out.
    done: usize,
}

impl Keeper {
    pub(super) fn new(document: &str) -> Self {
        // Half of a file in our own layout is space.
        let text = Vec::with_capacity(document.len() / 2 + 512);
        Self { written: Written { text, members: Vec::with_capacity(48) }, done: 0 }
    }

    /// Leaves out the space from one place to another.
    pub(super) fn leave_out(&mut self, document: &str, from: usize, to: usize) {
        let tokens = document.as_bytes().get(self.done..from).unwrap_or_default();
        self.written.text.extend_from_slice(tokens);
        self.done = to;
    }

    /// A member starts whose name and colon were just passed.
    pub(super) fn begin(&mut self, depth: usize, name: &'static str, at: usize) -> usize {
        let value = self.place(at);
        let start = value.saturating_sub(name.len() + 3);
        self.written.members.push(Member { depth, name, start, value, end: value });
        self.written.members.len() - 1
    }

    /// The value of a member was just passed.
    pub(super) fn end(&mut self, member: usize, at: usize) {
        let end = self.place(at);
        if let Some(member) = self.written.members.get_mut(member) {
            member.end = end;
        }
    }

    pub(super) fn finish(mut self, document: &str) -> Written {
        self.leave_out(document, document.len(), document.len());
        self.written
    }

    fn place(&self, at: usize) -> usize {
        self.written.text.len() + (at - self.done)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::Written;
    use crate::strict_json::typed;

    fn written(text: &str) -> Option<Written> {
        typed::with_text::<Value>(text.as_bytes()).unwrap().1
    }

    #[test]
    fn a_document_in_order_has_its_form_in_its_own_text() {
        for (text, form) in [
            (" {\n}\n", "{}"),
            (r#"{"a":"é 漢"}"#, r#"{"a":"é 漢"}"#),
            (
                "{ \"a\" : 1,\r\n\t\"b\": { \"c\": [ 1 , 2 ] ,\n\n \"d\" : \" e \" } }",
                r#"{"a":1,"b":{"c":[1,2],"d":" e "}}"#,
            ),
        ] {
            assert_eq!(written(text).unwrap().without(&[]).unwrap().concat(), form.as_bytes(), "{text}");
        }
    }

    #[test]
    fn a_document_out_of_order_or_with_escapes_has_none() {
        for text in [
            r#"{"b":1,"a":2}"#,
            r#"{"a":{"z":1,"y":2}}"#,
            r#"{"\u0061":1}"#,
            r#"{"a":"\n"}"#,
            r#"{"a":"\u00e9"}"#,
            r#"{"é":1}"#,
        ] {
            assert!(written(text).is_none(), "{text}");
        }
    }
}
