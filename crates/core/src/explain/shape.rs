//! Explains a refused document: walks its tree beside the form of its schema and tells everything that does not fit.
//!
//! The typed read decides; this only finds words and places for its no. Leaves are looked up by the schema's `title`
//! and judged by the very function that reads them.

use serde_json::Value as Json;
use svc_json::{
    fault::Span,
    pointer::{Pointer, Way},
    tree::{Member, Node, Value},
};

use crate::{
    closed::False,
    explain::form::{Expected, Form, List, Object},
    finding::Finding,
    manifest::{
        license,
        scalars::{License, ManifestVersion, Purpose},
        vocabulary::{DataCollection, ExceptedRule, Isolation},
    },
    mend::Mend,
    rules::{artifacts, files, manifest as manifest_rules, permissions, ruleset},
    words::{
        exit_code::Exit,
        rule::{Needs, Rule},
        suggest,
        wire::{ScalarSpec, WireScalar},
    },
};

/// The rules that speak of shape, which differ between manifests and artifacts.
#[derive(Debug)]
pub struct Profile {
    missing: &'static Rule,
    /// Rules of their own for the members that hold these scalars.
    missing_scalar: &'static [(ScalarSpec, &'static Rule)],
    unknown: &'static Rule,
    wrong_type: &'static Rule,
    over_limit: &'static Rule,
}

/// For manifests.
pub static MANIFEST: Profile = Profile {
    missing: &manifest_rules::M001,
    missing_scalar: &[
        (DataCollection::SCALAR, &permissions::P010),
        (Isolation::SCALAR, &permissions::P009),
        (Purpose::SCALAR, &permissions::P002),
    ],
    unknown: &manifest_rules::M002,
    wrong_type: &manifest_rules::M003,
    over_limit: &files::F005,
};

/// For artifacts.
pub static ARTIFACT: Profile = Profile {
    missing: &artifacts::B014,
    missing_scalar: &[],
    unknown: &artifacts::B012,
    wrong_type: &artifacts::B015,
    over_limit: &artifacts::B016,
};

/// Everything about the document that its form refuses.
#[must_use]
pub fn explain(root: &Node<'_>, form: &Form, profile: &'static Profile) -> Vec<Finding> {
    let mut walk = Walk { profile, findings: Vec::new(), claims: 0 };
    walk.visit(root, form, &Way::Root, None);
    walk.findings
}

/// The flags that every artifact has.
const FLAGS: [&str; 3] = ["accepted", "installable", "signed"];

/// More findings than this help nobody. Open claims are counted apart, so that no flood of others can hide one.
const MOST_FINDINGS: usize = 200;

struct Walk {
    profile: &'static Profile,
    findings: Vec<Finding>,
    /// How many of them are open claims.
    claims: usize,
}

impl Walk {
    /// `ruled` is the rule that a group such as the gate statuses puts on everything inside it.
    fn visit(&mut self, node: &Node<'_>, form: &Form, way: &Way<'_>, ruled: Option<&'static Rule>) {
        let ruled = form.rule.or(ruled);
        match (&form.expected, &node.value) {
            (Expected::Scalar(scalar), _) => self.visit_scalar(node, scalar, way),
            (Expected::Constant(constant), value) => {
                if !equals(value, constant) {
                    let rule = ruled.unwrap_or(self.profile.wrong_type);
                    self.report(rule, way, node.span, || format!("expected `{}`", plain(constant)));
                }
            }
            (Expected::Object(object), Value::Object(_)) => self.visit_object(node, object, way, ruled),
            (Expected::List(list), Value::Array(_)) => self.visit_list(node, list, way, ruled),
            (Expected::Integer { least }, Value::Integer(number)) => {
                if least.is_some_and(|least| *number < least) {
                    let message = || "the number is too small".to_owned();
                    self.report(self.profile.wrong_type, way, node.span, message);
                }
            }
            (Expected::Boolean, Value::Bool(_)) | (Expected::Text, Value::String(_)) | (Expected::Anything, _) => {}
            (expected, _) => {
                let message = || format!("expected {}, found {}", expected.in_words(), node.type_name());
                self.report(ruled.unwrap_or(self.profile.wrong_type), way, node.span, message);
            }
        }
    }

    fn visit_scalar(&mut self, node: &Node<'_>, scalar: &ScalarSpec, way: &Way<'_>) {
        if (scalar.accepts)(&node.value) {
            return;
        }
        let rule = ruleset::row((scalar.rule)(&node.value));
        let text = node.as_str();
        // Artifact rules say what a value claims, whatever its type; the others speak of the form of a text.
        let typed = text.is_some() || rule.needs == Needs::Artifact || scalar.name == ManifestVersion::SCALAR.name;
        let rule = if typed { rule } else { self.profile.wrong_type };
        if !self.has_room(rule) {
            return;
        }
        let message = format!("{}: expected {}", rule.title, scalar.expectation());
        let mut finding = Finding::new(rule, message).at(way.pointer()).marked(node.span);
        if let Some(text) = text {
            finding = with_meant(finding, scalar, text);
        }
        self.push(finding);
    }

    fn visit_object(&mut self, node: &Node<'_>, object: &Object, way: &Way<'_>, ruled: Option<&'static Rule>) {
        let mut unused: Option<Vec<&str>> = None;
        let mut misspelt = Vec::new();
        for member in node.members() {
            let place = Way::Member(way, &member.key);
            match object.members.get(member.key.as_ref()) {
                Some(inner) => self.visit(&member.value, inner, &place, ruled),
                // What would not be told is not worked out either: a document may have a million such names.
                None if self.has_room(ruled.unwrap_or(self.profile.unknown)) => {
                    let unused = unused.get_or_insert_with(|| object.unused_names(node));
                    let meant = suggest::closest(&member.key, unused);
                    misspelt.extend(meant);
                    self.report_unknown(member, meant, &place, ruled);
                }
                None => {}
            }
        }
        // What stands there under a misspelt name is told once, at that name.
        let is_missing = |name: &&String| node.get(name).is_none() && !misspelt.contains(&name.as_str());
        for name in object.required.iter().filter(is_missing) {
            self.report_missing(node, name, object.scalar_at(name), way, ruled);
        }
    }

    fn report_missing(
        &mut self,
        parent: &Node<'_>,
        name: &str,
        scalar: Option<&'static ScalarSpec>,
        way: &Way<'_>,
        ruled: Option<&'static Rule>,
    ) {
        let is_held = |(row, _): &&(ScalarSpec, &'static Rule)| scalar.is_some_and(|scalar| scalar.name == row.name);
        let own = self.profile.missing_scalar.iter().find(is_held).map(|(_, rule)| *rule);
        let rule = ruled.or(own).unwrap_or(self.profile.missing);
        if !self.has_room(rule) {
            return;
        }
        let finding = Finding::new(rule, format!("the member `{name}` is missing"));
        let finding = finding.at(Way::Member(way, name).pointer()).marked(parent.span);
        self.push(match (own, scalar.map(|scalar| scalar.words)) {
            // Where one word may stand, it can be written for the author.
            (Some(_), Some([word])) => finding.mended(Mend::AddMember(format!("\"{name}\": \"{word}\""))),
            _ => finding,
        });
    }

    fn report_unknown(
        &mut self,
        member: &Member<'_>,
        meant: Option<&str>,
        way: &Way<'_>,
        ruled: Option<&'static Rule>,
    ) {
        let rule = ruled.unwrap_or(self.profile.unknown);
        if !self.has_room(rule) {
            return;
        }
        let shown: String = member.key.chars().take(64).collect();
        let finding =
            Finding::new(rule, format!("unknown member `{shown}`")).at(way.pointer()).on_name().marked(member.key_span);
        self.push(match meant {
            Some(name) => finding.meant(name),
            None => finding,
        });
    }

    fn visit_list(&mut self, node: &Node<'_>, list: &List, way: &Way<'_>, ruled: Option<&'static Rule>) {
        let elements = node.elements();
        if elements.len() > list.most {
            let rule = ruled.unwrap_or(self.profile.over_limit);
            return self.report(rule, way, node.span, || "the list is too long".to_owned());
        }
        if elements.len() < list.least {
            let rule = ruled.unwrap_or(self.profile.wrong_type);
            self.report(rule, way, node.span, || "the list is too short".to_owned());
        }
        if let Some(form) = &list.element {
            for (index, element) in elements.iter().enumerate() {
                self.visit(element, form, &Way::Element(way, index), ruled);
            }
        }
    }

    fn report(&mut self, rule: &'static Rule, way: &Way<'_>, span: Span, message: impl FnOnce() -> String) {
        if self.has_room(rule) {
            self.push(Finding::new(rule, message()).at(way.pointer()).marked(span));
        }
    }

    /// Whether one more finding of this rule is still told. Looked up before its words are made, so that a document
    /// with a hundred thousand faults costs no more than reading it.
    fn has_room(&self, rule: &Rule) -> bool {
        let alike = if rule.exit == Exit::OpenClaim { self.claims } else { self.findings.len() - self.claims };
        alike < MOST_FINDINGS
    }

    fn push(&mut self, finding: Finding) {
        self.claims += usize::from(is_open_claim(&finding));
        self.findings.push(finding);
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

/// The open claims of a document by the names of its flags alone, for one that is not of the kind it should be: at the
/// root, and in the submissions of what may be an index.
#[must_use]
pub fn open_flags(root: &Node<'_>) -> Vec<Finding> {
    let entries = root.get("entries").map(Node::elements).unwrap_or_default();
    let place = |index: usize| Pointer::root().join("entries").join(index).join("submission");
    let nested = entries.iter().enumerate().filter_map(|(index, entry)| Some((place(index), entry.get("submission")?)));
    let mut findings = Vec::new();
    for (place, node) in std::iter::once((Pointer::root(), root)).chain(nested) {
        let flags = node.members().iter().filter(|member| FLAGS.contains(&member.key.as_ref()));
        for flag in flags.filter(|flag| !(False::SCALAR.accepts)(&flag.value.value)).take(FLAGS.len()) {
            let message = format!("{}: expected {}", artifacts::B006.title, False::SCALAR.expectation());
            findings.push(Finding::new(&artifacts::B006, message).at(place.join(&flag.key)).marked(flag.value.span));
        }
    }
    findings
}

/// Whether a finding is about a claim to be open.
#[must_use]
pub fn is_open_claim(finding: &Finding) -> bool {
    finding.rule.exit == Exit::OpenClaim
}

fn equals(value: &Value<'_>, expected: &Json) -> bool {
    match (value, expected) {
        (Value::Bool(value), Json::Bool(expected)) => value == expected,
        (Value::Integer(value), Json::Number(expected)) => expected.as_i64() == Some(*value),
        (Value::String(value), Json::String(expected)) => value == expected,
        (Value::Array(values), Json::Array(expected)) => {
            values.len() == expected.len()
                && values.iter().zip(expected).all(|(value, expected)| equals(&value.value, expected))
        }
        (
            Value::Null
            | Value::Bool(_)
            | Value::Integer(_)
            | Value::RefusedNumber
            | Value::String(_)
            | Value::Array(_)
            | Value::Object(_),
            _,
        ) => false,
    }
}

fn plain(expected: &Json) -> String {
    expected.as_str().map_or_else(|| expected.to_string(), str::to_owned)
}
