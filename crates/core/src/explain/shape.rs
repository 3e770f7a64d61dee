//! Explains a refused document: walks its text beside the form of its schema and tells everything that does not fit.
//!
//! The typed read decides; this only finds words and places for its no. Leaves are looked up by the schema's `title`
//! and judged by the very function that reads them. No value is kept, so that a refusal takes memory for what it tells
//! and not for what it was handed.

use std::sync::Arc;

use serde_json::Value as Json;
use svc_json::{
    cursor::{Cursor, Item, Leaf, Name},
    fault::{Fault, Span},
    pointer::NodePath,
    tree::{self, Value},
};

use crate::{
    explain::form::{Expected, Form, List, Object},
    finding::Finding,
    findings::Findings,
    fix::SuggestedFix,
    manifest::{
        license,
        scalars::{License, ManifestVersion, Purpose},
        vocabulary::{DataCollection, ExceptedRule, Isolation},
    },
    rules::ruleset::Rules,
    words::{
        exit_code::Exit,
        limits,
        rule::{Needs, Rule},
        rule_code::RuleCode,
        suggest,
        wire::{ScalarSpec, WireScalar},
    },
};

/// The rules that speak of shape, which differ between manifests and artifacts.
#[derive(Debug)]
pub struct Profile {
    missing: RuleCode,
    /// Rules of their own for the members that hold these scalars.
    missing_scalar: &'static [(ScalarSpec, RuleCode)],
    unknown: RuleCode,
    wrong_type: RuleCode,
    over_limit: RuleCode,
}

/// For manifests.
pub static MANIFEST: Profile = Profile {
    missing: RuleCode::M001,
    missing_scalar: &[
        (DataCollection::SCALAR, RuleCode::P010),
        (Isolation::SCALAR, RuleCode::P009),
        (Purpose::SCALAR, RuleCode::P002),
    ],
    unknown: RuleCode::M002,
    wrong_type: RuleCode::M003,
    over_limit: RuleCode::F005,
};

/// For artifacts.
pub static ARTIFACT: Profile = Profile {
    missing: RuleCode::B014,
    missing_scalar: &[],
    unknown: RuleCode::B012,
    wrong_type: RuleCode::B015,
    over_limit: RuleCode::B016,
};

/// Everything that its form refuses about a document, by the text of it that a strict reader has read to its end.
#[must_use]
pub fn explain(rules: &Rules, text: &str, form: &Form, profile: &'static Profile) -> Findings {
    walk(rules, text, form, profile, |_| true)
}

/// The open claims alone among what its form refuses about a document.
pub(crate) fn open_claims(rules: &Rules, text: &str, form: &Form, profile: &'static Profile) -> Findings {
    walk(rules, text, form, profile, |rule| rule.exit == Exit::OpenClaim)
}

fn walk(rules: &Rules, text: &str, form: &Form, profile: &'static Profile, is_asked: fn(&Rule) -> bool) -> Findings {
    let mut walk = Walk { rules, cursor: Cursor::unnoted(text), profile, is_asked, findings: Findings::default() };
    // A text that cannot be followed has faults, which stand before whatever is told of its form.
    let _ = walk.visit(form, &NodePath::Root, None);
    walk.findings
}

/// A scalar that is no leaf is a list of gates or the strings of `_meta`, each of a byte at least: what holds more values
/// than this is none of them.
const MOST_VALUES: usize = limits::META_BYTES + 1;

struct Walk<'a> {
    rules: &'a Rules,
    cursor: Cursor<'a>,
    profile: &'static Profile,
    /// Whether findings of a rule are asked for.
    is_asked: fn(&Rule) -> bool,
    findings: Findings,
}

impl<'a> Walk<'a> {
    /// Passes the next value. `ruled` is the rule that a group such as the gate statuses puts on everything inside it.
    fn visit(&mut self, form: &Form, path: &NodePath<'_>, ruled: Option<RuleCode>) -> Result<(), Box<Fault>> {
        let ruled = form.rule.or(ruled);
        let (item, start) = self.cursor.value()?;
        match (&form.expected, item) {
            (Expected::Scalar(scalar), item) => self.visit_scalar(item, start, scalar, path)?,
            (Expected::Constant(constant), item) => {
                if !equals(&mut self.cursor, item, constant)? {
                    let code = ruled.unwrap_or(self.profile.wrong_type);
                    self.report(code, path, self.since(start), || format!("expected `{}`", plain(constant)));
                }
            }
            (Expected::Object(object), Item::Object) => self.visit_object(start, object, path, ruled)?,
            (Expected::List(list), Item::Array) => self.visit_list(start, list, path, ruled)?,
            (Expected::Integer { least }, Item::Leaf(Leaf::Integer(number))) => {
                if least.is_some_and(|least| number < least) {
                    let message = || "the number is too small".to_owned();
                    self.report(self.profile.wrong_type, path, self.since(start), message);
                }
            }
            (Expected::Boolean, Item::Leaf(Leaf::Bool(_))) | (Expected::Text, Item::Leaf(Leaf::String(_))) => {}
            (Expected::Anything, item) => self.cursor.skip_rest(&item)?,
            (expected, item) => {
                self.cursor.skip_rest(&item)?;
                let message = || format!("expected {}, found {}", expected.in_words(), item.type_name());
                self.report(ruled.unwrap_or(self.profile.wrong_type), path, self.since(start), message);
            }
        }
        Ok(())
    }

    fn visit_scalar(
        &mut self,
        item: Item<'a>,
        start: usize,
        scalar: &ScalarSpec,
        path: &NodePath<'_>,
    ) -> Result<(), Box<Fault>> {
        let (value, is_whole) = value_of(&mut self.cursor, item, start)?;
        if is_whole && (scalar.accepts)(&value) {
            return Ok(());
        }
        let rule = self.rules.row((scalar.rule)(&value));
        let text = value.as_str();
        // Artifact rules say what a value claims, whatever its type; the others speak of the form of a text.
        let typed = text.is_some() || rule.needs == Needs::Artifact || scalar.name == ManifestVersion::SCALAR.name;
        let rule = if typed { rule } else { self.rules.row(self.profile.wrong_type) };
        let span = self.since(start);
        self.push(rule, || {
            let message = format!("{}: expected {}", rule.title, scalar.expectation());
            let finding = Finding::new(rule, message).at(path.pointer()).marked(span);
            match text {
                Some(text) => with_meant(finding, scalar, text),
                None => finding,
            }
        });
        Ok(())
    }

    fn visit_object(
        &mut self,
        start: usize,
        object: &Object,
        path: &NodePath<'_>,
        ruled: Option<RuleCode>,
    ) -> Result<(), Box<Fault>> {
        let inside = self.cursor.ahead();
        let mut unused: Option<Vec<&str>> = None;
        let mut is_there = vec![false; object.members.len()];
        let mut misspelt = Vec::new();
        while let Some(name) = self.cursor.next_member()? {
            let place = NodePath::Member(path, &name.text);
            if let Some((number, inner)) = object.member(&name.text) {
                if let Some(is_there) = is_there.get_mut(number) {
                    *is_there = true;
                }
                self.visit(inner, &place, ruled)?;
                continue;
            }
            if object.is_shared {
                self.cursor.skip()?;
                continue;
            }
            // What is not listed is not worked out either: a document may have a million such names.
            let rule = self.rules.row(ruled.unwrap_or(self.profile.unknown));
            if self.would_list(rule) {
                let unused = match &mut unused {
                    Some(unused) => unused,
                    None => unused.insert(object.unused_names(inside.ahead())?),
                };
                let meant = suggest::closest(&name.text, unused);
                misspelt.extend(meant);
                self.report_unknown(&name, meant, &place, rule);
            } else {
                self.push(rule, || Finding::new(rule, rule.title.as_ref()));
            }
            self.cursor.skip()?;
        }
        let span = self.since(start);
        let required =
            object.required.iter().filter(|number| !is_there.get(**number).is_some_and(|is_there| *is_there));
        for (name, form) in required.filter_map(|number| object.members.get(*number)) {
            // What stands there under a misspelt name is told once, at that name.
            if !misspelt.contains(&name.as_str()) {
                self.report_missing(span, name, form.scalar(), path, ruled);
            }
        }
        Ok(())
    }

    fn report_missing(
        &mut self,
        parent: Span,
        name: &str,
        scalar: Option<&'static ScalarSpec>,
        path: &NodePath<'_>,
        ruled: Option<RuleCode>,
    ) {
        let is_held = |(row, _): &&(ScalarSpec, RuleCode)| scalar.is_some_and(|scalar| scalar.name == row.name);
        let own = self.profile.missing_scalar.iter().find(is_held).map(|(_, rule)| *rule);
        let rule = self.rules.row(ruled.or(own).unwrap_or(self.profile.missing));
        self.push(rule, || {
            let finding = Finding::new(rule, format!("the member `{name}` is missing"));
            let finding = finding.at(NodePath::Member(path, name).pointer()).marked(parent);
            match (own, scalar.map(|scalar| scalar.words)) {
                // Where one word may stand, it can be written for the author.
                (Some(_), Some([word])) => finding.with_fix(SuggestedFix::AddMember(format!("\"{name}\": \"{word}\""))),
                _ => finding,
            }
        });
    }

    fn report_unknown(&mut self, name: &Name<'_>, meant: Option<&str>, path: &NodePath<'_>, rule: &Arc<Rule>) {
        self.push(rule, || {
            let shown: String = name.text.chars().take(64).collect();
            let finding =
                Finding::new(rule, format!("unknown member `{shown}`")).at(path.pointer()).on_name().marked(name.span);
            match meant {
                Some(name) => finding.meant(name),
                None => finding,
            }
        });
    }

    fn visit_list(
        &mut self,
        start: usize,
        list: &List,
        path: &NodePath<'_>,
        ruled: Option<RuleCode>,
    ) -> Result<(), Box<Fault>> {
        if is_longer(self.cursor.ahead(), list.most)? {
            // What its elements are does not matter then.
            self.cursor.skip_rest(&Item::Array)?;
            let code = ruled.unwrap_or(self.profile.over_limit);
            self.report(code, path, self.since(start), || "the list is too long".to_owned());
            return Ok(());
        }
        if let Some(end) = end_of_short(self.cursor.ahead(), list.least)? {
            let code = ruled.unwrap_or(self.profile.wrong_type);
            self.report(code, path, Span { start, end }, || "the list is too short".to_owned());
        }
        let mut count = 0;
        while self.cursor.next_element()? {
            match &list.element {
                Some(form) => self.visit(form, &NodePath::Element(path, count), ruled)?,
                None => drop(self.cursor.skip()?),
            }
            count += 1;
        }
        Ok(())
    }

    /// From there to where the cursor is.
    fn since(&self, start: usize) -> Span {
        Span { start, end: self.cursor.offset() }
    }

    fn report(&mut self, code: RuleCode, path: &NodePath<'_>, span: Span, message: impl FnOnce() -> String) {
        let rule = self.rules.row(code);
        self.push(rule, || Finding::new(rule, message()).at(path.pointer()).marked(span));
    }

    fn would_list(&self, rule: &Arc<Rule>) -> bool {
        (self.is_asked)(rule) && self.findings.would_list(rule)
    }

    fn push(&mut self, rule: &Arc<Rule>, finding: impl FnOnce() -> Finding) {
        if (self.is_asked)(rule) {
            self.findings.report(rule, finding);
        }
    }
}

/// The finding with what was probably meant, should that be known.
fn with_meant(finding: Finding, scalar: &ScalarSpec, text: &str) -> Finding {
    if scalar.name == License::SCALAR.name {
        return match license::meant(text) {
            Some(license::Meant::One(expression)) => finding.meant(&expression),
            Some(license::Meant::Either(only, later)) => finding.help(format!("write `{only}` or `{later}`")),
            None => finding,
        };
    }
    // The code of one rule is a letter away from that of another, which the author did not mean.
    if scalar.name == ExceptedRule::SCALAR.name {
        return finding.help(format!("Only these rules can be excepted: {}.", scalar.words.join(", ")));
    }
    match suggest::closest(text, scalar.words) {
        Some(word) => finding.meant(word),
        None => finding,
    }
}

/// Whether a finding is about a claim to be open.
#[must_use]
pub fn is_open_claim(finding: &Finding) -> bool {
    finding.rule.exit == Exit::OpenClaim
}

/// A value that was passed or entered, and whether that is all of it: of a list or an object that is too large for any
/// scalar only its type is kept.
fn value_of<'a>(cursor: &mut Cursor<'a>, item: Item<'a>, start: usize) -> Result<(Value<'a>, bool), Box<Fault>> {
    let mut left = MOST_VALUES;
    if has_at_most(&mut cursor.ahead(), &item, &mut left)? {
        return tree::build(cursor, item, start).map(|node| (node.value, true));
    }
    cursor.skip_rest(&item)?;
    let value = if item == Item::Array { Value::Array(Vec::new()) } else { Value::Object(Vec::new()) };
    Ok((value, false))
}

/// Whether there are no more values inside one than are left. The cursor is somewhere inside it otherwise.
fn has_at_most(cursor: &mut Cursor<'_>, item: &Item<'_>, left: &mut usize) -> Result<bool, Box<Fault>> {
    loop {
        let is_followed = match item {
            Item::Leaf(_) => false,
            Item::Object => cursor.next_member()?.is_some(),
            Item::Array => cursor.next_element()?,
        };
        if !is_followed {
            return Ok(true);
        }
        let Some(fewer) = left.checked_sub(1) else { return Ok(false) };
        *left = fewer;
        let (inner, _) = cursor.value()?;
        if !has_at_most(cursor, &inner, left)? {
            return Ok(false);
        }
    }
}

/// Whether a list that was entered has more elements than this.
fn is_longer(mut inside: Cursor<'_>, most: usize) -> Result<bool, Box<Fault>> {
    if most == usize::MAX {
        return Ok(false);
    }
    for _ in 0..=most {
        if !inside.next_element()? {
            return Ok(false);
        }
        inside.skip()?;
    }
    Ok(true)
}

/// Where a list ends that was entered, when it has fewer elements than this.
fn end_of_short(mut inside: Cursor<'_>, least: usize) -> Result<Option<usize>, Box<Fault>> {
    for _ in 0..least {
        if !inside.next_element()? {
            return Ok(Some(inside.offset()));
        }
        inside.skip()?;
    }
    Ok(None)
}

/// Whether a value that was passed or entered is the expected one. It is passed either way.
fn equals(cursor: &mut Cursor<'_>, item: Item<'_>, expected: &Json) -> Result<bool, Box<Fault>> {
    Ok(match (item, expected) {
        (Item::Leaf(Leaf::Bool(value)), Json::Bool(expected)) => value == *expected,
        (Item::Leaf(Leaf::Integer(value)), Json::Number(expected)) => expected.as_i64() == Some(value),
        (Item::Leaf(Leaf::String(value)), Json::String(expected)) => value == *expected,
        (Item::Array, Json::Array(expected)) => {
            let mut rest = expected.iter();
            let mut is_equal = true;
            while cursor.next_element()? {
                let (element, _) = cursor.value()?;
                is_equal &= match rest.next() {
                    Some(expected) => equals(cursor, element, expected)?,
                    None => cursor.skip_rest(&element).map(|()| false)?,
                };
            }
            is_equal && rest.next().is_none()
        }
        (item, _) => {
            cursor.skip_rest(&item)?;
            false
        }
    })
}

fn plain(expected: &Json) -> String {
    expected.as_str().map_or_else(|| expected.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Each finding as its pointer, its message and the text that it marks.
    fn reported(text: &str, schema: &Json) -> Vec<[String; 3]> {
        let tell = |finding: Finding| {
            let marked = finding.span.and_then(|span| text.get(span.start..span.end)).unwrap_or_default();
            [finding.pointer.to_string(), finding.message, marked.to_owned()]
        };
        explain(&Rules::svc_default(), text, &Form::from_schema(schema), &ARTIFACT).into_iter().map(tell).collect()
    }

    fn list(least: usize, most: usize) -> Json {
        json!({ "type": "array", "items": { "type": "integer" }, "minItems": least, "maxItems": most })
    }

    #[test]
    fn a_list_that_is_too_long_is_told_instead_of_its_elements() {
        let lists = json!({ "type": "array", "items": list(0, 2), "maxItems": 2 });
        let too_long = |place: &str, text: &str| [place.to_owned(), "the list is too long".to_owned(), text.to_owned()];
        assert_eq!(reported(r#"["a",2,"c"]"#, &list(0, 2)), [too_long("", r#"["a",2,"c"]"#)]);
        assert_eq!(reported(r#"[[1],["a","b",3]]"#, &lists), [too_long("/1", r#"["a","b",3]"#)]);
        assert_eq!(reported("[[1,2,3],[],7]", &lists), [too_long("", "[[1,2,3],[],7]")]);
        // What is not told takes no room from what is.
        let flood = format!("{{\"a\":[{0}\"x\"],\"b\":[{0}\"x\"]}}", "\"x\",".repeat(300));
        let both = json!({ "type": "object", "properties": { "a": list(0, 300), "b": list(0, 301) } });
        let findings = reported(&flood, &both);
        assert_eq!(findings.len(), limits::REPORT_FINDINGS);
        assert_eq!(findings[0][..2], ["/a".to_owned(), "the list is too long".to_owned()]);
        assert_eq!(findings[199][0], "/b/198");
    }

    #[test]
    fn a_list_that_is_too_short_is_told_before_its_elements() {
        let short = |text: &str| [String::new(), "the list is too short".to_owned(), text.to_owned()];
        let wrong = ["/0".to_owned(), "expected an integer, found a list".to_owned(), "[{}]".to_owned()];
        assert_eq!(reported("[ [{}] , 2 ]", &list(3, 9)), [short("[ [{}] , 2 ]"), wrong]);
        assert_eq!(reported("[ ]", &list(1, 9)), [short("[ ]")]);
        assert_eq!(reported("[1,2,3]", &list(3, 3)), [[""; 3]; 0]);
    }

    #[test]
    fn a_constant_list_is_equal_element_by_element() {
        let constant = json!({ "const": ["a", 1, [true]] });
        assert_eq!(reported(r#"["\u0061", 1, [true]]"#, &constant), [[""; 3]; 0]);
        for text in ["[]", r#"["a",1]"#, r#"["a",1,[true],2]"#, r#"["a",1,[true,{}]]"#, r#"{"a":["a"]}"#, "null"] {
            assert_eq!(reported(text, &constant), [["", "expected `[\"a\",1,[true]]`", text]], "{text}");
        }
    }

    #[test]
    fn a_misspelt_name_is_told_by_what_the_whole_object_lacks() {
        let schema = json!({
            "type": "object", "required": ["name", "names"],
            "properties": { "name": { "type": "string" }, "names": { "type": "string" } },
        });
        // `name` is there, behind: only `names` can have been meant.
        let findings = reported(r#"{"nmaes":{"a":[1]},"name":""}"#, &schema);
        assert_eq!(findings, [["/nmaes", "unknown member `nmaes`", "\"nmaes\""]]);
        let findings = reported(r#"{"other":1,"name":""}"#, &schema);
        assert_eq!(findings[1], ["/names", "the member `names` is missing", r#"{"other":1,"name":""}"#]);
    }

    #[test]
    fn what_is_too_large_for_any_scalar_is_none() {
        let meta = json!({ "title": "meta" });
        let object = |count: usize| {
            let members: Vec<String> = (0..count).map(|_| "\"a\":\"\"".to_owned()).collect();
            format!("{{{}}}", members.join(","))
        };
        assert_eq!(reported(&object(limits::META_BYTES), &meta), [[""; 3]; 0]);
        for count in [limits::META_BYTES + 1, limits::META_BYTES + 2, 3 * limits::META_BYTES] {
            assert_eq!(reported(&object(count), &meta).len(), 1, "{count}");
        }
        assert_eq!(reported(&"[".repeat(9).chars().chain("]".repeat(9).chars()).collect::<String>(), &meta).len(), 1);
    }
}
