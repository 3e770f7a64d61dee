//! The documents that the tests start from, and what every answer is held to.

use std::{collections::BTreeMap, fs, path::PathBuf, sync::LazyLock};

use serde_json::{Value, json};
use svc_core::words::kind::{self, ArtifactSpec};
use svc_testkit::jsonschema::{self, Validator};

/// The gates, written here once more so that the table cannot only prove itself.
pub(crate) const GATES: [&str; 6] = [
    "artifact-hash",
    "publisher-verification",
    "review-storage",
    "artifact-signing",
    "host-install-policy",
    "renderer-isolation",
];

/// The six endpoints and the short name of the kind that each takes, written by hand from the seed.
pub(crate) const ENDPOINTS: [(&str, &str); 6] = [
    ("index", "/api/sdk/registry/indexes/validate"),
    ("acceptance-request", "/api/sdk/registry/acceptance-requests"),
    ("publisher-verification", "/api/sdk/registry/publisher-verification"),
    ("review-evidence", "/api/sdk/registry/review-evidence"),
    ("signing-request", "/api/sdk/registry/signing-requests"),
    ("install-policy", "/api/sdk/registry/install-policy"),
];

/// A file or folder of the repository.
pub(crate) fn repository(path: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(path)
}

pub(crate) fn read(path: &str) -> Vec<u8> {
    fs::read(repository(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

pub(crate) fn parsed(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(bytes)))
}

/// The folders in a folder, sorted.
pub(crate) fn names_in(folder: &str) -> Vec<String> {
    let entries = fs::read_dir(repository(folder)).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != "README.md")
        .collect();
    names.sort();
    names
}

/// The row of a kind.
pub(crate) fn spec(name: &str) -> &'static ArtifactSpec {
    kind::ALL.iter().find(|spec| spec.name == name).unwrap()
}

/// The kit's good document of a kind, made with the rules of this build.
pub(crate) fn valid(name: &str) -> Vec<u8> {
    read(&format!("conformance/documents/own-rules/{name}.json"))
}

/// What any answer to a POST, and any problem, must be: closed, complete and of its published form.
#[track_caller]
pub(crate) fn assert_closed(status: u16, body: &[u8], place: &str) -> Value {
    let value = parsed(body);
    for flag in ["accepted", "signed", "installable"] {
        assert_eq!(value[flag], false, "{place}: {flag} in {value}");
    }
    let decision = status == 200;
    let missing = if decision { &GATES[1..] } else { &GATES[..] };
    assert_eq!(value["missingGates"], json!(missing), "{place}");
    let words = ["unverified", "unstored", "unsigned", "not-applied", "not-isolated"];
    let first = if decision { "evidenced" } else { "unevidenced" };
    let words: BTreeMap<&str, &str> = GATES.into_iter().zip([first].into_iter().chain(words)).collect();
    assert_eq!(value["gateStatuses"], json!(words), "{place}");
    if decision {
        assert_eq!(value["outcome"], "denied", "{place}");
        assert_eq!(value["kind"], "svc-registry-decision", "{place}");
    } else {
        assert_eq!(value["status"], status, "{place}");
        assert_eq!(value["type"], format!("/api/sdk/registry/problems/{}", value["code"].as_str().unwrap()), "{place}");
    }
    let schema = if decision { &*DECISION } else { &*PROBLEM };
    let faults: Vec<String> = schema.iter_errors(&value).map(|error| error.to_string()).collect();
    assert!(faults.is_empty(), "{place}: {faults:?}");
    assert_no_other_true(&value, "", place);
    value
}

/// `true` stands in an answer only where it cannot be read as a yes.
fn assert_no_other_true(value: &Value, pointer: &str, place: &str) {
    match value {
        Value::Bool(true) => {
            let harmless = pointer.ends_with("/digestCheck/matches") || pointer == "/ruleset/equal";
            assert!(harmless, "{place}: {pointer} is true");
        }
        Value::Object(members) => {
            members.iter().for_each(|(name, member)| assert_no_other_true(member, &format!("{pointer}/{name}"), place));
        }
        Value::Array(elements) => {
            elements
                .iter()
                .enumerate()
                .for_each(|(at, one)| assert_no_other_true(one, &format!("{pointer}/{at}"), place));
        }
        Value::Null | Value::Bool(false) | Value::Number(_) | Value::String(_) => {}
    }
}

static DECISION: LazyLock<Validator> = LazyLock::new(|| schema("decision"));
static PROBLEM: LazyLock<Validator> = LazyLock::new(|| schema("problem"));

fn schema(name: &str) -> Validator {
    let schema = parsed(&read(&format!("contracts/schemas/{name}.schema.json")));
    jsonschema::draft202012::new(&schema).unwrap()
}
