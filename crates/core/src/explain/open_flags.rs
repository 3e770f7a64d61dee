//! The open claims of a document by the names of its flags alone, for one that is not of the kind it should be: at the
//! root, and in the submissions of what may be an index.

use svc_json::{
    cursor::{Cursor, Item, Name},
    fault::{Fault, Span},
    pointer::Way,
    tree::Value,
};

use crate::{closed::False, finding::Finding, findings::Findings, rules::artifacts, words::wire::WireScalar};

/// The flags that every artifact has.
const FLAGS: [&str; 3] = ["accepted", "installable", "signed"];

/// The flags that claim to be open, by the text of a document that a strict reader has read to its end.
#[must_use]
pub fn open_flags(text: &str) -> Findings {
    let (mut of_root, mut of_entries) = (Flags::default(), Flags::default());
    // A text that cannot be followed has faults, which stand before whatever is told of its form.
    let _ = visit_root(&mut Cursor::unnoted(text), &mut of_root, &mut of_entries);
    of_root.findings.append(of_entries.findings);
    of_root.findings
}

fn visit_root(cursor: &mut Cursor<'_>, of_root: &mut Flags, of_entries: &mut Flags) -> Result<(), Box<Fault>> {
    let mut has_entries = false;
    visit_members(cursor, |cursor, name| {
        if name.text != "entries" || has_entries {
            return of_root.visit(cursor, name, &Way::Root);
        }
        has_entries = true;
        visit_entries(cursor, of_entries)
    })
}

fn visit_entries(cursor: &mut Cursor<'_>, flags: &mut Flags) -> Result<(), Box<Fault>> {
    let (item, _) = cursor.value()?;
    if item != Item::Array {
        return cursor.skip_rest(&item);
    }
    let entries = Way::Member(&Way::Root, "entries");
    let mut index = 0;
    while cursor.next_element()? {
        let entry = Way::Element(&entries, index);
        let submission = Way::Member(&entry, "submission");
        let mut has_submission = false;
        visit_members(cursor, |cursor, name| {
            if name.text != "submission" || has_submission {
                return cursor.skip().map(drop);
            }
            has_submission = true;
            flags.told = 0;
            visit_members(cursor, |cursor, name| flags.visit(cursor, name, &submission))
        })?;
        index += 1;
    }
    Ok(())
}

/// Passes the next value, with the members of it where it is an object.
fn visit_members<'a>(
    cursor: &mut Cursor<'a>,
    mut visit: impl FnMut(&mut Cursor<'a>, &Name<'a>) -> Result<(), Box<Fault>>,
) -> Result<(), Box<Fault>> {
    let (item, _) = cursor.value()?;
    if item != Item::Object {
        return cursor.skip_rest(&item);
    }
    while let Some(name) = cursor.next_member()? {
        visit(cursor, &name)?;
    }
    Ok(())
}

#[derive(Default)]
struct Flags {
    findings: Findings,
    /// How many of them are of the object at hand.
    told: usize,
}

impl Flags {
    /// Passes a member, and tells it when it is a flag that claims to be open.
    fn visit(&mut self, cursor: &mut Cursor<'_>, name: &Name<'_>, way: &Way<'_>) -> Result<(), Box<Fault>> {
        let (item, start) = cursor.value()?;
        cursor.skip_rest(&item)?;
        let is_wanted = FLAGS.contains(&name.text.as_ref()) && self.told < FLAGS.len();
        if is_wanted && !is_closed(item) {
            self.told += 1;
            self.findings.report(&artifacts::B006, || {
                let message = format!("{}: expected {}", artifacts::B006.title, False::SCALAR.expectation());
                let span = Span { start, end: cursor.offset() };
                Finding::new(&artifacts::B006, message).at(Way::Member(way, &name.text).pointer()).marked(span)
            });
        }
        Ok(())
    }
}

fn is_closed(item: Item<'_>) -> bool {
    if let Item::Leaf(leaf) = item { (False::SCALAR.accepts)(&Value::from(leaf)) } else { false }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::limits::REPORT_FINDINGS;

    fn places(text: &str) -> Vec<String> {
        open_flags(text).iter().map(|finding| finding.pointer.to_string()).collect()
    }

    #[test]
    fn flags_are_seen_at_the_root_first_and_in_the_first_submission_of_each_entry() {
        let text = r#"{
            "entries": [{ "submission": { "signed": 1 }, "submission": { "signed": 2 } }, 7,
                { "submission": { "accepted": false, "installable": null, "other": { "signed": true } } }],
            "entries": [{ "submission": { "signed": 1 } }],
            "accepted": true, "signed": [], "signed": {}, "installable": "false"
        }"#;
        let expected =
            ["/accepted", "/signed", "/signed", "/entries/0/submission/signed", "/entries/2/submission/installable"];
        assert_eq!(places(text), expected);
        assert_eq!(places(r#"{"entries":{"submission":{"signed":1}},"accepted":false}"#), [""; 0]);
    }

    #[test]
    fn more_flags_than_anybody_reads_are_counted() {
        let entries = vec![r#"{"submission":{"signed":1}}"#; 1_000].join(",");
        let text = format!(r#"{{"entries":[{entries}],"signed":true}}"#);
        let found = places(&text);
        assert_eq!((found.len(), found[0].as_str()), (REPORT_FINDINGS, "/signed"));
        assert_eq!(found[REPORT_FINDINGS - 1], "/entries/198/submission/signed");
        assert_eq!(open_flags(&text).total(), 1_001);
    }
}
