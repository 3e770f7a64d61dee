//! The leaves of a document: found by walking it beside its schema, and changed to other values of their form.

use std::{collections::BTreeMap, sync::LazyLock};

use serde_json::{Value, json};
use svc_core::{
    explain::scalars,
    words::{kind, wire::ScalarSpec},
};
use svc_json::{digest::Digest, tree};

use crate::{
    documents::{escaped, names_in, parsed, read},
    explained_reads::each_subschema,
};

/// What stands for the title of a plain boolean, which has none.
const BOOLEAN: &str = "(boolean)";

/// A leaf of a document.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) pointer: String,
    /// The title of its schema, empty when it has none.
    pub(crate) title: String,
    /// Whether the schema allows one value only.
    pub(crate) is_constant: bool,
}

/// The leaves of a document. Of a long list the first two and the last element are looked at.
pub(crate) fn leaves(schema: &Value, document: &Value) -> Vec<Place> {
    let mut places = Vec::new();
    walk(schema, schema, document, String::new(), &mut places);
    places
}

/// The schema that a reference leads to.
pub(crate) fn resolved<'s>(root: &'s Value, schema: &'s Value) -> &'s Value {
    match schema.get("$ref").and_then(Value::as_str) {
        Some(reference) => {
            root.pointer(reference.strip_prefix('#').unwrap()).expect("a reference that leads somewhere")
        }
        None => schema,
    }
}

/// The leaf type of this title.
pub(crate) fn leaf(title: &str) -> Option<&'static ScalarSpec> {
    scalars::scalar_of(title)
}

/// Every leaf type that some schema of a document that is read names.
pub(crate) fn every_leaf() -> &'static BTreeMap<String, &'static ScalarSpec> {
    static LEAVES: LazyLock<BTreeMap<String, &'static ScalarSpec>> = LazyLock::new(|| {
        let mut leaves = BTreeMap::new();
        for file in names_in("contracts/schemas") {
            each_subschema(&parsed(&read(&format!("contracts/schemas/{file}"))), "", &mut |schema, _| {
                let title = schema.get("title").and_then(Value::as_str).unwrap_or_default();
                leaves.extend(leaf(title).map(|leaf| (title.to_owned(), leaf)));
            });
        }
        leaves
    });
    &LEAVES
}

fn walk(root: &Value, schema: &Value, value: &Value, pointer: String, places: &mut Vec<Place>) {
    let schema = resolved(root, schema);
    let title = schema.get("title").and_then(Value::as_str).unwrap_or_default();
    match (schema.get("properties"), schema.get("items"), value) {
        (Some(properties), _, Value::Object(members)) => {
            for (name, member) in members {
                let place = format!("{pointer}/{}", escaped(name));
                walk(root, &properties[name], member, place, places);
            }
        }
        (_, Some(items), Value::Array(elements)) => {
            for at in sampled(elements.len()) {
                walk(root, items, &elements[at], format!("{pointer}/{at}"), places);
            }
        }
        _ => {
            let is_constant = schema.get("const").is_some();
            let is_boolean = schema.get("type").is_some_and(|kind| kind == "boolean");
            let title = if is_boolean && title.is_empty() { BOOLEAN } else { title };
            places.push(Place { pointer, title: title.to_owned(), is_constant });
        }
    }
}

/// Which elements of a list are looked at.
pub(crate) fn sampled(length: usize) -> Vec<usize> {
    if length <= 3 { (0..length).collect() } else { vec![0, 1, length - 1] }
}

/// Whether a leaf reads a value.
pub(crate) fn accepts(leaf: &ScalarSpec, value: &Value) -> bool {
    let text = json!({ "x": value }).to_string();
    let document = tree::read(text.as_bytes()).unwrap();
    document.faults.is_empty() && (leaf.accepts)(&document.root.get("x").unwrap().value)
}

/// Values of the leaf's form other than this one.
pub(crate) fn alternatives(title: &str, current: &Value) -> Vec<&'static Value> {
    let known = ALTERNATIVES.get(title).map(Vec::as_slice).unwrap_or_default();
    known.iter().filter(|value| *value != current).collect()
}

/// For each leaf type the values of the corpus that it reads, and both booleans.
static ALTERNATIVES: LazyLock<BTreeMap<String, Vec<Value>>> = LazyLock::new(|| {
    let corpus = corpus();
    let of = |leaf: &ScalarSpec| corpus.iter().filter(|value| accepts(leaf, value)).cloned().collect();
    let mut known: BTreeMap<String, Vec<Value>> =
        every_leaf().iter().map(|(title, leaf)| (title.clone(), of(leaf))).collect();
    known.insert(BOOLEAN.to_owned(), vec![json!(true), json!(false)]);
    known
});

/// Values of every form, plain and as odd as the form allows.
pub(crate) fn corpus() -> Vec<Value> {
    let digest = Digest::of(b"another");
    let hex = digest.hex();
    let texts = [
        "x",
        "/other/0/name",
        "Other words",
        "Ünïcode \"quoted\" \\ / 漢字 😀 e\u{301} \u{fffd}",
        "\u{915}\u{94d}\u{200d}\u{937}",
        "other-owner",
        "0",
        "a-1-b",
        "dev.other.package",
        "a0.b-c.d1.e2.f3.g4.h5.i6.j7.k8",
        "9.8.7-rc.1+build.5",
        "0.0.0",
        "999999999999999.0.1",
        "other/päth/file.txt",
        "a b/~c",
        ".hidden",
        "https://other.example/page?q=1#top",
        "https://x.other.example:8443",
        "https://*.other.example",
        "text/x-other",
        "application/vnd.other+json",
        ">=1.0.0 <2.0.0",
        "^1.2, <1.9",
        "Apache-2.0 WITH LLVM-exception",
        "MIT OR (Apache-2.0 AND BSD-3-Clause)",
        "LicenseRef-other",
        "64x64",
        "99999x1",
        "pt-BR",
        "zh-Hant-TW",
        "aWQ=",
        "e30=",
        "/other/pointer~1x",
        "SVC-Z999",
        "public-listing",
        "key.in-code",
        "**/*.png",
        "a line\nand another",
        "  ",
    ];
    let mut values: Vec<Value> = texts.iter().map(|text| json!(text)).collect();
    values.push(json!(digest.to_string()));
    values.push(json!(hex));
    values.push(json!(format!("reviews/sha256/{}/{hex}", &hex[..2])));
    values.push(json!("é".repeat(45)));
    values.push(json!("w".repeat(132)));
    values.push(json!("漢".repeat(200)));
    let mut words: Vec<&str> = every_leaf().values().flat_map(|leaf| leaf.words.iter().copied()).collect();
    words.sort_unstable();
    words.dedup();
    values.extend(words.into_iter().map(|word| json!(word)));
    values.extend(kind::ALL.iter().map(|spec| json!(spec.kind)));
    values.extend([0, 1, 7, 9_007_199_254_740_991_i64].map(|number| json!(number)));
    values.push(json!({}));
    values.push(json!({ "b": "x", "B": "y", "a.b": "\"", "a-b": "", "ab": "漢 😀" }));
    values
}
