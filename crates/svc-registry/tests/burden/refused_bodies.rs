//! Bodies that are refused, of the shapes that could make a reader take much more memory than they have bytes.

use svc_core::samples;
use svc_json::canonical;

use crate::running::{ENDPOINT, INDEX_ENDPOINT};

/// A body, what it is made of, and where it is sent.
pub(crate) struct RefusedBody {
    pub(crate) name: &'static str,
    pub(crate) endpoint: &'static str,
    pub(crate) bytes: Vec<u8>,
}

/// Every shape: as an index of about so many bytes, and as another artifact of about so many.
pub(crate) fn all(index_bytes: usize, artifact_bytes: usize, entries: usize) -> Vec<RefusedBody> {
    let of_text = |endpoint, size| {
        let made = SHAPES.iter().map(move |(name, shape)| (*name, shape(size)));
        made.map(move |(name, text)| RefusedBody { name, endpoint, bytes: text.into_bytes() })
    };
    let of_index =
        tampered(entries).map(|(name, text)| RefusedBody { name, endpoint: INDEX_ENDPOINT, bytes: text.into_bytes() });
    let of_manifest =
        dense(artifact_bytes).map(|(name, text)| RefusedBody { name, endpoint: ENDPOINT, bytes: text.into_bytes() });
    of_text(INDEX_ENDPOINT, index_bytes)
        .chain(of_text(ENDPOINT, artifact_bytes))
        .chain(of_index)
        .chain(of_manifest)
        .chain([dense_index(index_bytes, entries)])
        .collect()
}

/// An artifact that has its form, with a manifest that is almost nothing but one long list.
fn dense(size: usize) -> impl Iterator<Item = (&'static str, String)> {
    let right = &samples::bundle("{}", 0).unwrap()["svc-registry-acceptance-request.json"];
    let right = String::from_utf8(right.clone()).unwrap();
    let room = size - right.len();
    LISTS.iter().map(move |(name, member, element)| (*name, with_list(&right, member, &list_of(element, room))))
}

/// The same in every entry of an index.
fn dense_index(size: usize, entries: usize) -> RefusedBody {
    let right = String::from_utf8(canonical::to_bytes(&*samples::index(entries).unwrap())).unwrap();
    let room = size.saturating_sub(right.len()) / entries;
    let bytes = with_list(&right, "keywords", &list_of("\"a\"", room.saturating_sub(32))).into_bytes();
    RefusedBody { name: "keywords of one letter in every entry", endpoint: INDEX_ENDPOINT, bytes }
}

/// The name of a shape, the member of the manifest, and what its list is made of.
const LISTS: &[(&str, &str, &str)] = &[
    ("keywords of one letter", "keywords", "\"a\""),
    ("small settings", "configuration", r#"{"key":"a","title":"b","type":"text"}"#),
];

/// A document with a list more in each of its manifests.
fn with_list(document: &str, member: &str, list: &str) -> String {
    let manifests = [r#""manifest": {"#, r#""manifest":{"#];
    manifests.iter().fold(document.to_owned(), |document, manifest| {
        document.replace(manifest, &format!(r#""manifest":  {{"{member}":{list},"#))
    })
}

/// The name of a shape, and a text of it that has about so many bytes.
type Shape = (&'static str, fn(usize) -> String);

const SHAPES: &[Shape] = &[
    ("ones", |size| list("1", size)),
    ("empty objects", |size| list("{}", size)),
    ("lists, 31 deep", |size| list(&format!("{}{}", "[".repeat(30), "]".repeat(30)), size)),
    ("short strings", |size| list("\"a\"", size)),
    ("escapes", |size| list(&format!("\"{}\"", "\\n".repeat(30 * 1024)), size)),
    ("one string of escapes", |size| format!(r#"{{"kind":"{}"}}"#, "\\n".repeat(size / 2))),
    ("distinct names", |size| object((0..).map(|number| format!("\"{number:x}\":0")), size)),
    ("names with escapes", |size| object((0..).map(|number| format!("\"\\u0061{number:x}\":0")), size)),
    ("one name", |size| object(std::iter::repeat_with(|| "\"\":0".to_owned()), size)),
    ("one long name", |size| format!(r#"{{"{}":0}}"#, "~".repeat(size))),
    ("objects inside objects", |size| list(&format!("{}0{}", "{\"\":".repeat(29), "}".repeat(29)), size)),
    ("open claims", |size| list(r#"{"submission":{"signed":true}}"#, size)),
    ("large unknown members", |size| {
        object((0..).map(|number| format!("\"{number}\":{}", list_of("1", size / 8))), size)
    }),
    ("refused numbers", |size| list("1.5", size)),
    ("a text without an end", |size| list("[0]", size).trim_end_matches(']').to_owned()),
    ("meta", |size| {
        let meta = object((0..).map(|number| format!("\"a{number:x}\":\"\"")), size);
        format!(r#"{{"packageArtifact":{{"manifest":{{"_meta":{meta}}}}}}}"#)
    }),
    ("missing gates", |size| format!(r#"{{"missingGates":{}}}"#, list_of("\"artifact-hash\"", size))),
    ("parents", |size| format!(r#"{{"derivedFrom":{}}}"#, list_of("{}", size))),
];

/// An index that is right but for one place, or for one place of every entry.
fn tampered(entries: usize) -> impl Iterator<Item = (&'static str, String)> {
    let right = String::from_utf8(canonical::to_pretty(&*samples::index(entries).unwrap())).unwrap();
    let digest = "\"documentDigest\": \"sha256:";
    let (middle, _) = right.match_indices(digest).nth(entries / 2).unwrap();
    let at = middle + digest.len();
    let other = if right[at..].starts_with('0') { "1" } else { "0" };
    let mut one_digest = right.clone();
    one_digest.replace_range(at..=at, other);
    let claims = right.replace("\"signed\": false", "\"signed\": true");
    let digests = right.replace(digest, "\"documentDigest\": \"sha256:zz");
    let rows = right.replace("\"mediaType\": \"image/png\"", "\"mediaType\": \"text/html\"");
    let rows = rows.replace("\"mediaType\": \"text/javascript\"", "\"mediaType\": \"text/html\"");
    let sizes = right.replace("\"size\": ", "\"size\": 9");
    [
        ("one digest", one_digest),
        ("a claim in every entry", claims),
        ("no digest in any entry", digests),
        ("a wrong media type in every row", rows),
        ("a wrong size in every row", sizes),
    ]
    .into_iter()
}

fn list(element: &str, size: usize) -> String {
    format!(r#"{{"entries":{}}}"#, list_of(element, size))
}

fn list_of(element: &str, size: usize) -> String {
    let mut text = format!("[{element}");
    while text.len() + element.len() < size {
        text.push(',');
        text.push_str(element);
    }
    text.push(']');
    text
}

fn object(members: impl Iterator<Item = String>, size: usize) -> String {
    let mut text = "{".to_owned();
    for member in members {
        text.push_str(&member);
        if text.len() >= size {
            break;
        }
        text.push(',');
    }
    text.push('}');
    text
}
