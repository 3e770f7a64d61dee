//! `conformance/vectors/`: small inputs with what a conforming reader makes of them.
//!
//! What is expected is written here by hand where a person can know it; the task stops when the core says otherwise. Canonical
//! forms and digests of well-known messages are written by hand in their files.

use std::collections::BTreeSet;

use anyhow::{Result, ensure};
use data_encoding::BASE64;
use serde_json::{Value, json};
use svc_core::samples::rules;
use svc_core::{
    explain::scalars,
    rules::syntax,
    words::{rule::Rule, severity::Severity},
};
use svc_json::tree::{self, Value as Leaf};
use svc_testkit::kit::Kit;

use crate::{conformance::insert_json, refused_characters::RefusedCharacters, tree::Tree, vector_texts};

/// Name, bytes, and the rules that the strict reader finds broken, in order, each once.
const STRICT_JSON: &[(&str, &[u8], &[&str])] = &[
    ("empty-object", b"{}", &[]),
    ("white-space-around", b" \t\r\n{ } \n", &[]),
    ("every-kind-of-value", br#"{"a":[1,-1,0,true,false,null,"",{}]}"#, &[]),
    ("largest-integer", br#"{"a":9007199254740991,"b":-9007199254740991}"#, &[]),
    ("escapes", br#"{"a":"\"\\\/\n\r\t\u00e9\ud83c\udf26"}"#, &[]),
    ("joiner-in-a-joined-script", "{\"a\":\"\u{645}\u{6cc}\u{200c}\u{62e}\"}".as_bytes(), &[]),
    ("joiner-of-pictures", "{\"a\":\"\u{1f469}\u{200d}\u{1f4bb}\"}".as_bytes(), &[]),
    ("joiner-behind-a-selected-picture", "{\"a\":\"\u{2764}\u{fe0f}\u{200d}\u{1f525}\"}".as_bytes(), &[]),
    ("joiner-in-a-latin-word", "{\"a\":\"Ac\u{200d}me\"}".as_bytes(), &["SVC-J007"]),
    ("joiner-alone", "{\"a\":\"\u{200c}\"}".as_bytes(), &["SVC-J007"]),
    ("joiner-by-number", br#"{"a":"Ac\u200dme"}"#, &["SVC-J007"]),
    ("hieroglyph-format-control", "{\"a\":\"a\u{13430}b\"}".as_bytes(), &["SVC-J007"]),
    ("nothing", b"", &["SVC-J001"]),
    ("blank", b"  ", &["SVC-J001"]),
    ("trailing-comma", br#"{"a":1,}"#, &["SVC-J001"]),
    ("trailing-comma-in-list", br#"{"a":[1,]}"#, &["SVC-J001"]),
    ("comment", b"{/* */}", &["SVC-J001"]),
    ("single-quotes", b"{'a':1}", &["SVC-J001"]),
    ("bare-name", b"{a:1}", &["SVC-J001"]),
    ("leading-zero", br#"{"a":01}"#, &["SVC-J001"]),
    ("plus-sign", br#"{"a":+1}"#, &["SVC-J001"]),
    ("minus-alone", br#"{"a":-}"#, &["SVC-J001"]),
    ("leading-point", br#"{"a":.5}"#, &["SVC-J001"]),
    ("not-a-number", br#"{"a":NaN}"#, &["SVC-J001"]),
    ("upper-case-word", br#"{"a":True}"#, &["SVC-J001"]),
    ("half-a-word", br#"{"a":nul}"#, &["SVC-J001"]),
    ("open-string", br#"{"a":"b"#, &["SVC-J001"]),
    ("open-object", br#"{"a":1"#, &["SVC-J001"]),
    ("bad-escape", br#"{"a":"\x41"}"#, &["SVC-J001"]),
    ("short-escape", br#"{"a":"\u12"}"#, &["SVC-J001"]),
    ("line-break-in-string", b"{\"a\":\"\n\"}", &["SVC-J001"]),
    ("vertical-tab-as-space", b"{\x0b}", &["SVC-J001"]),
    ("no-break-space-as-space", "{\u{a0}}".as_bytes(), &["SVC-J001"]),
    ("byte-order-mark", b"\xEF\xBB\xBF{}", &["SVC-J002"]),
    ("not-utf-8", b"{\"a\":\"\xFF\"}", &["SVC-J002"]),
    ("overlong", b"{\"a\":\"\xC0\xAF\"}", &["SVC-J002"]),
    ("surrogate-in-utf-8", b"{\"a\":\"\xED\xA0\x80\"}", &["SVC-J002"]),
    ("utf-16", b"{\0}\0", &["SVC-J001"]),
    ("high-surrogate-alone", br#"{"a":"\ud800"}"#, &["SVC-J002"]),
    ("low-surrogate-alone", br#"{"a":"\udc00"}"#, &["SVC-J002"]),
    ("surrogates-turned-round", br#"{"a":"\udf26\ud83c"}"#, &["SVC-J002"]),
    ("surrogate-before-a-letter", br#"{"a":"\ud800\u0041"}"#, &["SVC-J002"]),
    ("surrogate-in-a-name", br#"{"\ud800":1}"#, &["SVC-J002"]),
    ("list-as-root", b"[]", &["SVC-J003"]),
    ("text-as-root", br#""{}""#, &["SVC-J003"]),
    ("number-as-root", b"1", &["SVC-J003"]),
    ("null-as-root", b"null", &["SVC-J003"]),
    ("member-twice", br#"{"a":1,"a":1}"#, &["SVC-J004"]),
    ("member-twice-by-escape", br#"{"accepted":false,"accepte\u0064":true}"#, &["SVC-J004"]),
    ("member-twice-deep-inside", br#"{"a":[{"b":{"c":1,"d":2,"c":3}}]}"#, &["SVC-J004"]),
    ("prototype-twice", br#"{"__proto__":1,"__proto__":2}"#, &["SVC-J004"]),
    ("prototype-once-is-a-member", br#"{"__proto__":{"accepted":true},"constructor":1}"#, &[]),
    ("same-letters-other-case", br#"{"a":1,"A":1}"#, &[]),
    ("fraction", br#"{"a":1.0}"#, &["SVC-J006"]),
    ("exponent", br#"{"a":1e2}"#, &["SVC-J006"]),
    ("minus-zero", br#"{"a":-0}"#, &["SVC-J006"]),
    ("beyond-the-largest", br#"{"a":9007199254740992}"#, &["SVC-J006"]),
    ("beyond-the-smallest", br#"{"a":-9007199254740992}"#, &["SVC-J006"]),
    ("beyond-every-float", br#"{"a":1e400}"#, &["SVC-J006"]),
    ("digits-without-end", br#"{"a":99999999999999999999999999999999}"#, &["SVC-J006"]),
    ("half-an-exponent", br#"{"a":1e}"#, &["SVC-J006"]),
    ("nul", br#"{"a":"\u0000"}"#, &["SVC-J007"]),
    ("delete", b"{\"a\":\"\x7f\"}", &["SVC-J007"]),
    ("next-line", "{\"a\":\"\u{85}\"}".as_bytes(), &["SVC-J007"]),
    ("right-to-left-override", "{\"a\":\"\u{202e}\"}".as_bytes(), &["SVC-J007"]),
    ("zero-width-space", br#"{"a":"\u200b"}"#, &["SVC-J007"]),
    ("line-separator", "{\"a\":\"\u{2028}\"}".as_bytes(), &["SVC-J007"]),
    ("mark-inside", "{\"a\":\"b\u{feff}\"}".as_bytes(), &["SVC-J007"]),
    ("noncharacter", br#"{"a":"\ufffe"}"#, &["SVC-J007"]),
    ("noncharacter-of-a-later-plane", br#"{"a":"\ud83f\udfff"}"#, &["SVC-J007"]),
    ("tag-character", "{\"a\":\"\u{e0041}\"}".as_bytes(), &["SVC-J007"]),
    ("filler", "{\"a\":\"\u{3164}\"}".as_bytes(), &["SVC-J007"]),
    ("soft-hyphen", "{\"a\":\"a\u{ad}b\"}".as_bytes(), &["SVC-J007"]),
    ("braille-blank", "{\"a\":\"\u{2800}\"}".as_bytes(), &["SVC-J007"]),
    ("selector-behind-a-picture", "{\"a\":\"\u{2600}\u{fe0f}\"}".as_bytes(), &[]),
    ("selector-behind-a-picture-by-number", br#"{"a":"\u2600\ufe0f"}"#, &[]),
    ("selector-behind-an-escape", "{\"a\":\"\\u2600\u{fe0f}\"}".as_bytes(), &[]),
    ("selector-behind-a-letter", "{\"a\":\"b\u{fe0f}\"}".as_bytes(), &["SVC-J007"]),
    ("selector-alone", "{\"a\":\"\u{fe0f}\"}".as_bytes(), &["SVC-J007"]),
    ("selector-twice", "{\"a\":\"\u{2600}\u{fe0f}\u{fe0f}\"}".as_bytes(), &["SVC-J007"]),
    ("selector-behind-an-ideograph", "{\"a\":\"\u{845b}\u{e0100}\"}".as_bytes(), &[]),
    ("data-in-selectors", "{\"a\":\"b\u{e0158}\u{e0159}\"}".as_bytes(), &["SVC-J007"]),
    ("refused-character-in-a-name-without-colon", "{\"a\u{200b}\" 1}".as_bytes(), &["SVC-J001", "SVC-J007"]),
    ("refused-character-in-a-name", "{\"a\u{200b}\":1}".as_bytes(), &["SVC-J007"]),
    ("second-document", b"{} {}", &["SVC-J008"]),
    ("letter-behind", b"{}x", &["SVC-J008"]),
    ("nul-behind", b"{}\0", &["SVC-J008"]),
    ("several-at-once", br#"{"a":1.5,"a":"\u202e"}{"#, &["SVC-J004", "SVC-J006", "SVC-J007", "SVC-J008"]),
];

type Bound = (&'static str, fn() -> String, &'static [&'static str]);

/// Documents around a bound, too long to write down: name, how to build it, and the rules found.
const BOUNDS: &[Bound] = &[
    ("depth-32", || nested(32), &[]),
    ("depth-33", || nested(33), &["SVC-J005"]),
    ("string-of-64-kibibytes", || format!("{{\"a\":\"{}\"}}", "b".repeat(65_536)), &[]),
    ("string-of-64-kibibytes-and-one", || format!("{{\"a\":\"{}\"}}", "b".repeat(65_537)), &["SVC-J005"]),
    ("string-of-64-kibibytes-in-two-byte-letters", || format!("{{\"a\":\"{}\"}}", "é".repeat(32_768)), &[]),
    ("name-of-128-bytes", || format!("{{\"{}\":1}}", "a".repeat(128)), &[]),
    ("name-of-129-bytes", || format!("{{\"{}\":1}}", "a".repeat(129)), &["SVC-J005"]),
];

/// Adds the files.
pub(crate) fn generate(kit: &Kit, files: &mut Tree) -> Result<()> {
    let characters = RefusedCharacters::compute();
    let mut insert = |name: &str, value: Value| insert_json(files, &format!("conformance/vectors/{name}.json"), &value);
    insert("refused-characters", characters.json());
    insert("strict-json", strict_json(&characters)?.into());
    insert("forms", forms());
    insert("rules", rule_rows(&named_rules(kit)).into());
    Ok(())
}

fn strict_json(characters: &RefusedCharacters) -> Result<Vec<Value>> {
    let fixed = STRICT_JSON.iter().map(|(name, bytes, rules)| (*name, bytes.to_vec(), *rules));
    let built = BOUNDS.iter().map(|(name, build, rules)| (*name, build().into_bytes(), *rules));
    let mut rows: Vec<Value> =
        fixed.chain(built).map(|(name, bytes, rules)| strict_row(name, &bytes, rules)).collect::<Result<_>>()?;
    for row in characters.rows() {
        let rules: &[&str] = if row.is_refused { &["SVC-J007"] } else { &[] };
        rows.push(strict_row(&row.name, row.document.as_bytes(), rules)?);
    }
    Ok(rows)
}

fn strict_row(name: &str, bytes: &[u8], codes: &[&str]) -> Result<Value> {
    let faults = match tree::read(bytes) {
        Ok(document) => document.faults,
        Err(faults) => faults,
    };
    let mut found: Vec<&str> = faults.iter().map(|fault| syntax::rule_of(fault.kind).as_str()).collect();
    found.sort_unstable();
    found.dedup();
    ensure!(found == codes, "strict JSON vector `{name}`: {found:?} instead of {codes:?}");
    Ok(json!({ "document": BASE64.encode(bytes), "name": name, "rules": codes }))
}

/// The codes of rules that a case expects.
fn named_rules(kit: &Kit) -> BTreeSet<String> {
    let expected = kit.tables.values().flatten().filter_map(|row| row.get("expect")).map(Value::to_string);
    let is_code = |word: &&str| word.starts_with("SVC-");
    expected.flat_map(|text| text.split('"').filter(is_code).map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// The rules that readers of documents keep, and those that a case names. An error has the problem that it comes to.
fn rule_rows(named: &BTreeSet<String>) -> Vec<Value> {
    let row = |rule: &Rule| {
        let mut row = json!({ "rule": rule.code, "severity": rule.severity, "title": rule.title, "why": rule.why });
        if let Some(members) = row.as_object_mut().filter(|_| rule.severity == Severity::Error) {
            members.insert("problem".to_owned(), json!(rule.problem));
        }
        row
    };
    let texts = vector_texts::all();
    let of_forms: BTreeSet<&str> = scalars::all()
        .flat_map(|leaf| texts.iter().map(|text| (leaf.rule)(&Leaf::String(text.as_str().into())).as_str()))
        .collect();
    let of_documents = rules().families().filter(|family| matches!(family.name, "syntax" | "artifacts"));
    let of_documents: BTreeSet<&str> =
        of_documents.flat_map(|family| family.rules).map(|rule| rule.code.as_ref()).collect();
    let is_kept = |rule: &Rule| {
        rule.severity == Severity::Error
            && (of_documents.contains(rule.code.as_ref()) || of_forms.contains(rule.code.as_ref()))
    };
    rules().all().filter(|rule| is_kept(rule) || named.contains(rule.code.as_ref())).map(|rule| row(rule)).collect()
}

/// One list of texts, and for each form the positions of those that have it.
fn forms() -> Value {
    let texts = vector_texts::all();
    let accepted: serde_json::Map<String, Value> = scalars::all()
        .map(|leaf| {
            let has_form = |text: &String| (leaf.accepts)(&Leaf::String(text.as_str().into()));
            let positions: Vec<usize> =
                texts.iter().enumerate().filter(|(_, text)| has_form(text)).map(|(at, _)| at).collect();
            (leaf.name.to_owned(), json!(positions))
        })
        .collect();
    json!({ "accepted": accepted, "texts": texts })
}

fn nested(depth: usize) -> String {
    format!("{{\"a\":{}{}}}", "[".repeat(depth - 1), "]".repeat(depth - 1))
}
