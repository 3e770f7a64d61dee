//! The documents that the tests start from, and ways to change them.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use serde_json::{Map, Value, json};
use svc_core::samples::rules;
use svc_core::{
    artifact::{
        acceptance_request::AcceptanceRequest, checked::IsArtifact, index::Index, install_policy::InstallPolicy,
        publisher_verification::PublisherVerification, review_evidence::ReviewEvidence,
        signing_request::SigningRequest, submission::Submission,
    },
    decision::Decision,
    finding::Finding,
    findings::Findings,
    words::kind::ArtifactSpec,
};
use svc_json::{canonical, digest::Digest, typed};
use svc_testkit::kit;

/// A kind of artifact with what can be done to its bytes, the type forgotten.
pub(crate) struct Kind {
    pub(crate) spec: &'static ArtifactSpec,
    /// Whether the typed read takes the bytes.
    pub(crate) reads: fn(&[u8]) -> bool,
    /// The canonical bytes of what the typed read gives.
    pub(crate) canonical: fn(&[u8]) -> Option<Vec<u8>>,
    /// Every finding of the check, none when it holds.
    pub(crate) findings: fn(&[u8]) -> Findings,
    /// The answer of the registry, when the check holds and the kind has an endpoint.
    pub(crate) deny: fn(&[u8]) -> Option<Value>,
}

/// The seven kinds, in the order of the commands.
pub(crate) static KINDS: &[Kind] = &[
    kind::<Submission>(),
    kind::<Index>(),
    kind::<AcceptanceRequest>(),
    kind::<PublisherVerification>(),
    kind::<ReviewEvidence>(),
    kind::<SigningRequest>(),
    kind::<InstallPolicy>(),
];

const fn kind<A: IsArtifact>() -> Kind {
    Kind {
        spec: A::SPEC,
        reads: |bytes| typed::from_slice::<A>(bytes).is_ok(),
        canonical: |bytes| typed::from_slice::<A>(bytes).ok().map(|artifact| canonical::to_bytes(&artifact)),
        findings: |bytes| svc_core::read::artifact::<A>(rules(), bytes).err().unwrap_or_default(),
        deny: |bytes| {
            let decision = Decision::deny(svc_core::read::artifact::<A>(rules(), bytes).ok()?.into_evaluation())?;
            Some(serde_json::to_value(decision.for_request("request-1")).unwrap())
        },
    }
}

impl Kind {
    /// The good document of the conformance kit that was made with the rules of this build.
    pub(crate) fn base(&self) -> Vec<u8> {
        self.case("own-rules-valid")
    }

    /// The document of a case of the conformance kit.
    pub(crate) fn case(&self, name: &str) -> Vec<u8> {
        kit::case(self.spec.name, name)
    }

    /// The same, parsed.
    pub(crate) fn base_json(&self) -> Value {
        parsed(&self.base())
    }

    /// The committed schema.
    pub(crate) fn schema(&self) -> Value {
        schema(self.spec.name)
    }
}

/// The pointers to what speaks of one package: the root, or the submissions of an index.
pub(crate) fn subjects(document: &Value) -> Vec<String> {
    match document.get("entries").and_then(Value::as_array) {
        Some(entries) => (0..entries.len()).map(|at| format!("/entries/{at}/submission")).collect(),
        None => vec![String::new()],
    }
}

/// Whether a place is the kind's own, or the submission's, where every embedded part is looked at in full.
pub(crate) fn is_own(kind: &Kind, pointer: &str) -> bool {
    let embedded = ["/packageArtifact/", "/reviewReport/", "/entries/1/submission/"];
    kind.spec.name == "submission" || !embedded.iter().any(|embedded| pointer.contains(embedded))
}

/// The kind of this short name.
pub(crate) fn kind_of(name: &str) -> &'static Kind {
    KINDS.iter().find(|kind| kind.spec.name == name).unwrap()
}

/// The root of the repository.
pub(crate) fn root() -> &'static Path {
    static ROOT: LazyLock<PathBuf> =
        LazyLock::new(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap());
    &ROOT
}

/// A file of the repository.
pub(crate) fn read(path: &str) -> Vec<u8> {
    fs::read(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The names of the folders and files in a folder of the repository, sorted.
pub(crate) fn names_in(folder: &str) -> Vec<String> {
    let entries = fs::read_dir(root().join(folder)).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// A committed schema.
pub(crate) fn schema(name: &str) -> Value {
    parsed(&read(&format!("contracts/schemas/{name}.schema.json")))
}

pub(crate) fn parsed(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap()
}

pub(crate) fn written(document: &Value) -> Vec<u8> {
    serde_json::to_vec(document).unwrap()
}

/// Codes of rules, each once, in order.
pub(crate) fn codes(findings: &[Finding]) -> Vec<&'static str> {
    let mut codes: Vec<&str> = findings
        .iter()
        .map(|finding| svc_core::words::rule_code::RuleCode::parse(&finding.rule.code).unwrap().as_str())
        .collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

/// The RFC 8785 form by an implementation that is not ours.
pub(crate) fn reference_canonical(value: &Value) -> Vec<u8> {
    serde_json_canonicalizer::to_vec(value).unwrap()
}

/// The digest over the RFC 8785 form by an implementation that is not ours.
pub(crate) fn reference_digest(value: &Value) -> String {
    Digest::of(&reference_canonical(value)).to_string()
}

/// Puts a value at a pointer whose parent exists.
pub(crate) fn set(document: &mut Value, pointer: &str, value: Value) {
    let (parent, name) = pointer.rsplit_once('/').expect("not the root");
    match document.pointer_mut(parent) {
        Some(Value::Object(members)) => {
            members.insert(unescaped(name), value);
        }
        Some(Value::Array(elements)) => elements[name.parse::<usize>().unwrap()] = value,
        other => panic!("{pointer} has no parent but {other:?}"),
    }
}

/// Takes a member out of its object.
pub(crate) fn remove(document: &mut Value, pointer: &str) {
    let (parent, name) = pointer.rsplit_once('/').expect("not the root");
    let members = document.pointer_mut(parent).and_then(Value::as_object_mut).expect("an object");
    members.remove(&unescaped(name)).expect("a member");
}

/// The document with one value put in.
pub(crate) fn with(document: &Value, pointer: &str, value: Value) -> Value {
    let mut changed = document.clone();
    set(&mut changed, pointer, value);
    changed
}

fn unescaped(part: &str) -> String {
    part.replace("~1", "/").replace("~0", "~")
}

pub(crate) fn escaped(part: &str) -> String {
    part.replace('~', "~0").replace('/', "~1")
}

/// Makes every digest and size inside a document fit again: of its parts, its entries and itself.
pub(crate) fn seal(document: &mut Value) {
    if let Some(entries) = document.get_mut("entries").and_then(Value::as_array_mut) {
        let mut parents = Vec::new();
        for entry in entries {
            let Some(submission) = entry.get_mut("submission") else { continue };
            seal(submission);
            let digest = submission["documentDigest"].clone();
            parents.push(json!({ "digest": digest, "kind": "svc-registry-submission" }));
            set(entry, "/submissionDigest", digest);
        }
        set(document, "/derivedFrom", Value::Array(parents));
    }
    seal_parts(document);
    seal_document(document);
}

fn seal_parts(document: &mut Value) {
    for (name, pointer) in [
        ("manifest", "/packageArtifact/manifest"),
        ("package-artifact", "/packageArtifact"),
        ("review-report", "/reviewReport"),
    ] {
        let Some(part) = document.pointer(pointer).cloned() else { continue };
        let Some(descriptors) = document.get_mut("artifactDigests").and_then(Value::as_array_mut) else { continue };
        for descriptor in descriptors.iter_mut().filter(|descriptor| descriptor["name"] == name) {
            set(descriptor, "/digest", json!(reference_digest(&part)));
            set(descriptor, "/size", json!(reference_canonical(&part).len()));
        }
    }
}

/// Makes the digest of the document itself fit again.
pub(crate) fn seal_document(document: &mut Value) {
    let mut view = document.clone();
    let members: &mut Map<String, Value> = view.as_object_mut().unwrap();
    for covered in ["documentDigest", "packageArtifact", "reviewReport"] {
        members.remove(covered);
    }
    if let Some(entries) = members.get_mut("entries").and_then(Value::as_array_mut) {
        entries.iter_mut().filter_map(Value::as_object_mut).for_each(|entry| {
            entry.remove("submission");
        });
    }
    set(document, "/documentDigest", json!(reference_digest(&view)));
}

/// Says of every check of a report that it passed.
pub(crate) fn pass_all(report: &mut Value) {
    for check in report["checks"].as_array_mut().unwrap() {
        check["result"] = serde_json::json!("passed");
        check.as_object_mut().unwrap().remove("count");
    }
}
