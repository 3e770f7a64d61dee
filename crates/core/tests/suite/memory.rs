//! How much memory the values of a document take, beside its bytes.

use serde_json::{Value, json};
use svc_core::samples::rules;
use svc_core::{
    artifact::{checked::IsArtifact, index::Index, submission::Submission},
    read, samples,
    words::kind::ArtifactKind,
};
use svc_json::{canonical, typed};

/// Without the blanks of the layout: as small as the document can be.
fn compact(file: &[u8]) -> Value {
    serde_json::from_slice(file).unwrap()
}

fn small() -> Value {
    compact(&samples::submission("{}", 0).unwrap().to_file())
}

#[test]
fn real_documents_take_less_than_they_may() {
    let many_files = compact(&samples::submission("{}", 5000).unwrap().to_file());
    let mut many_facts = small();
    let contact = many_facts["reviewReport"]["facts"][0].clone();
    many_facts["reviewReport"]["facts"] = Value::Array(vec![contact; 2000]);
    for document in [small(), many_files, many_facts] {
        assert!(is_read_within_bounds::<Submission>(&document));
    }
    assert!(is_read_within_bounds::<Index>(&compact(&samples::index(100).unwrap().to_file())));
}

/// Whether the values of a document take no more than what the registry gives them: `most_memory` of `read.rs`.
fn is_read_within_bounds<A: IsArtifact>(document: &Value) -> bool {
    let bytes = canonical::to_bytes(document);
    typed::from_slice_within::<A>(&bytes, 2 * bytes.len() + 256 * 1024).is_ok()
}

#[test]
fn documents_of_nothing_but_small_values_are_refused_by_the_registry_alone() {
    let lists = ["keywords", "categories", "files"];
    let settings = json!({ "key": "a", "title": "b", "type": "text" });
    let dense = lists.map(|list| (list, json!("a"))).into_iter().chain([("configuration", settings)]);
    for (list, element) in dense {
        let mut document = small();
        document["packageArtifact"]["manifest"][list] = Value::Array(vec![element; 20_000]);
        let bytes = canonical::to_bytes(&document);
        assert!(typed::from_slice::<Submission>(&bytes).is_ok(), "{list}");
        let codes = |findings: svc_core::findings::Findings| -> Vec<String> {
            findings.iter().map(|finding| finding.rule.code.to_string()).collect()
        };
        assert!(
            codes(read::decide(rules(), ArtifactKind::Submission, &bytes).unwrap_err())
                .contains(&"SVC-B016".to_owned()),
            "{list}"
        );
        assert!(
            !codes(read::artifact::<Submission>(rules(), &bytes).unwrap_err()).contains(&"SVC-B016".to_owned()),
            "{list}"
        );
        // An open claim in it is still told, and names the whole.
        document["accepted"] = true.into();
        let findings = read::decide(rules(), ArtifactKind::Submission, &canonical::to_bytes(&document)).unwrap_err();
        let problem = findings.problem_code().unwrap();
        assert_eq!(problem.to_string(), "posture-violation", "{list}");
    }
}
