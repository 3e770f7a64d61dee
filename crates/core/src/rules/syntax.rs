//! J: the text of any document, as the strict reader sees it.

use svc_json::{
    characters,
    fault::{Fault, FaultKind},
};

use crate::{
    finding::Finding,
    findings::Findings,
    rules::{family::rules, ruleset::Rules},
    words::{limits, rule_code::RuleCode},
};

/// A refusal of the strict reader.
#[must_use]
pub fn finding(rules: &Rules, fault: &Fault) -> Finding {
    let rule = rules.row(rule_of(fault.kind));
    let mut finding = Finding::new(rule, format!("{}: {}", rule.title, fault.detail));
    finding.span = Some(fault.span);
    finding.related = fault.first;
    finding
}

/// Refusals of the strict reader.
#[must_use]
pub fn findings(rules: &Rules, faults: &[Fault]) -> Findings {
    faults.iter().map(|fault| finding(rules, fault)).collect()
}

/// The rule that a kind of refusal breaks.
#[must_use]
pub fn rule_of(kind: FaultKind) -> RuleCode {
    match kind {
        FaultKind::Syntax => RuleCode::J001,
        FaultKind::NotUtf8 => RuleCode::J002,
        FaultKind::RootNotObject => RuleCode::J003,
        FaultKind::DuplicateMember => RuleCode::J004,
        FaultKind::TooLarge => RuleCode::J005,
        FaultKind::Number => RuleCode::J006,
        FaultKind::Character => RuleCode::J007,
        FaultKind::TrailingData => RuleCode::J008,
    }
}

rules! {
    J001 Error, Text, "not valid JSON" {
        why: "Two readers must see the same document; comments, trailing commas and other extensions are read differently by different readers.",
        fix: "Write plain JSON (RFC 8259) at the marked place.",
        fires: Text(r#"{ "name": "Weather Board", }"#),
        passes: Text(r#"{ "name": "Weather Board" }"#),
        problem: MalformedJson,
    }
    J002 Error, Text, "not UTF-8" {
        why: "A byte order mark, bytes that are not UTF-8 or half of a surrogate pair have no one meaning, and no digest.",
        fix: "Save the file as UTF-8 without a byte order mark; write whole characters.",
        fires: Text(r#"{ "name": "\ud83c" }"#),
        passes: Text(r#"{ "name": "\ud83c\udf26" }"#),
        problem: NotUtf8,
    }
    J003 Error, Text, "the root is not an object" {
        why: "Manifests and artifacts are objects.",
        fix: "Put the members inside one pair of braces.",
        fires: Text(r#"["Weather Board"]"#),
        passes: Text(r#"{ "name": "Weather Board" }"#),
        problem: MalformedJson,
    }
    J004 Error, Text, "the same member twice" {
        why: "One reader keeps the first, another the last: they would see two different packages under one digest.",
        fix: "Keep one of the two.",
        fires: Text(r#"{ "id": "dev.acme.one", "id": "dev.acme.two" }"#),
        passes: Text(r#"{ "id": "dev.acme.one", "ID": "dev.acme.two" }"#),
        problem: DuplicateMember,
    }
    J005 Error, Text, "too large or nested too deeply" {
        why: "Bounds keep every reader's work small and predictable.",
        fix: "Shorten the document; `svc contract limits` lists the bounds.",
        fires: Text(r#"{ "a": [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]] }"#),
        passes: Text(r#"{ "a": [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]] }"#),
        problem: MalformedJson,
        parameters: {
            "depth": Number(limits::JSON_DEPTH as u64),
            "member-name-bytes": Number(limits::JSON_KEY_BYTES as u64),
            "manifest-bytes": Number(limits::MANIFEST_BYTES as u64),
            "string-bytes": Number(limits::JSON_STRING_BYTES as u64),
        },
    }
    J006 Error, Text, "a number that is not a plain integer" {
        why: "Fractions, exponents and integers beyond ±(2^53−1) are rounded by some readers, so their digest would not be stable.",
        fix: "Write an integer within ±(2^53−1), or a string.",
        fires: Text(r#"{ "size": 1.0 }"#),
        passes: Text(r#"{ "size": 1 }"#),
        problem: MalformedJson,
        parameters: { "maximum": Number(limits::JSON_INTEGER as u64) },
    }
    J007 Error, Text, "a refused character" {
        why: "Control, bidirectional and invisible characters make people read something other than what is there.",
        fix: "Remove the character. Tab and line breaks are fine, and so are a variation selector behind a picture or an ideograph, and a joiner behind a picture or a letter of a script that is written joined.",
        fires: Text(r#"{ "name": "Weather\u202eBoard" }"#),
        passes: Text(r#"{ "name": "Weather\tBoard" }"#),
        problem: MalformedJson,
        parameters: {
            "characters": Characters(characters::REFUSED),
            "joined": Characters(characters::JOINED),
            "varied": Characters(characters::VARIED),
        },
    }
    J008 Error, Text, "data after the end of the document" {
        why: "A second document behind the first would be seen by some readers only.",
        fix: "Remove what follows the closing brace.",
        fires: Text(r#"{ "name": "Weather Board" } {}"#),
        passes: Text(r#"{ "name": "Weather Board" }"#),
        problem: MalformedJson,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_fault_has_its_rule() {
        for (kind, code) in [
            (FaultKind::Syntax, "SVC-J001"),
            (FaultKind::NotUtf8, "SVC-J002"),
            (FaultKind::RootNotObject, "SVC-J003"),
            (FaultKind::DuplicateMember, "SVC-J004"),
            (FaultKind::TooLarge, "SVC-J005"),
            (FaultKind::Number, "SVC-J006"),
            (FaultKind::Character, "SVC-J007"),
            (FaultKind::TrailingData, "SVC-J008"),
        ] {
            assert_eq!(rule_of(kind).as_str(), code);
        }
    }
}
