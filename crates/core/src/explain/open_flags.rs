//! The open claims of a document by the names of its flags alone, wherever they stand: for a document that is not of the
//! kind it should be, and for flags where its kind has none.

use std::sync::Arc;

use svc_json::{
    cursor::{Cursor, Item, Name},
    fault::{Fault, Span},
    pointer::NodePath,
    tree::Value,
};

use crate::{
    closed::False,
    finding::Finding,
    findings::Findings,
    rules::ruleset::Rules,
    words::{rule::Rule, rule_code::RuleCode, wire::WireScalar},
};

/// The flags that every artifact has.
const FLAGS: [&str; 3] = ["accepted", "installable", "signed"];

/// The one member whose names are the author's own.
const AUTHORS_NAMES: &str = "_meta";

/// The flags that claim to be open, by the text of a document that a strict reader has read to its end: those of the
/// document first.
#[must_use]
pub fn open_flags(rules: &Rules, text: &str) -> Findings {
    let mut flags =
        Flags { rule: rules.row(RuleCode::B006), of_root: Findings::default(), beneath: Findings::default() };
    // A text that cannot be followed has faults, which stand before whatever is told of its form.
    let _ = flags.visit(&mut Cursor::unnoted(text), &NodePath::Root);
    flags.of_root.append(flags.beneath);
    flags.of_root
}

struct Flags<'r> {
    rule: &'r Arc<Rule>,
    of_root: Findings,
    beneath: Findings,
}

impl Flags<'_> {
    /// Passes the next value and everything in it.
    fn visit<'a>(&mut self, cursor: &mut Cursor<'a>, path: &NodePath<'_>) -> Result<(Item<'a>, usize), Box<Fault>> {
        let (item, start) = cursor.value()?;
        match item {
            Item::Leaf(_) => {}
            Item::Array => {
                let mut index = 0;
                while cursor.next_element()? {
                    self.visit(cursor, &NodePath::Element(path, index))?;
                    index += 1;
                }
            }
            Item::Object => {
                while let Some(name) = cursor.next_member()? {
                    self.visit_member(cursor, &name, path)?;
                }
            }
        }
        Ok((item, start))
    }

    fn visit_member(&mut self, cursor: &mut Cursor<'_>, name: &Name<'_>, of: &NodePath<'_>) -> Result<(), Box<Fault>> {
        if name.text == AUTHORS_NAMES {
            return cursor.skip().map(drop);
        }
        let path = NodePath::Member(of, &name.text);
        let (item, start) = self.visit(cursor, &path)?;
        if FLAGS.contains(&name.text.as_ref()) && !is_closed(item) {
            let findings = if matches!(of, NodePath::Root) { &mut self.of_root } else { &mut self.beneath };
            let rule = self.rule;
            findings.report(rule, || {
                let message = format!("{}: expected {}", rule.title, False::SCALAR.expectation());
                let span = Span { start, end: cursor.offset() };
                Finding::new(rule, message).at(path.pointer()).marked(span)
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
        open_flags(&Rules::svc_default(), text).iter().map(|finding| finding.pointer.to_string()).collect()
    }

    #[test]
    fn flags_are_seen_wherever_they_stand_those_of_the_document_first() {
        let text = r#"{
            "entries": [{ "submission": { "signed": 1 }, "submission": { "signed": 2 } }, 7,
                { "accepted": true, "submission": { "accepted": false, "installable": null, "other": [{ "signed": true }] } }],
            "_meta": { "signed": "yes" },
            "accepted": true, "signed": [], "signed": { "installable": 1 }, "installable": "false"
        }"#;
        let expected = [
            "/accepted",
            "/signed",
            "/signed",
            "/installable",
            "/entries/0/submission/signed",
            "/entries/0/submission/signed",
            "/entries/2/accepted",
            "/entries/2/submission/installable",
            "/entries/2/submission/other/0/signed",
            "/signed/installable",
        ];
        assert_eq!(places(text), expected);
        assert_eq!(places(r#"{"accepted":false,"a":[{"signed":false}]}"#), [""; 0]);
    }

    #[test]
    fn more_flags_than_anybody_reads_are_counted() {
        let entries = vec![r#"{"signed":1}"#; 2_000].join(",");
        let text = format!(r#"{{"entries":[{entries}],"signed":true}}"#);
        let found = places(&text);
        assert_eq!((found.len(), found[0].as_str()), (REPORT_FINDINGS, "/signed"));
        assert_eq!(found[REPORT_FINDINGS - 1], "/entries/198/signed");
        assert_eq!(open_flags(&Rules::svc_default(), &text).total(), 2_001);
    }
}
