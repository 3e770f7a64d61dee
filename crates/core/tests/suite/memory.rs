//! How much memory the values of a document take, beside its bytes.

use serde_json::{Value, json};
use svc_core::{
    artifact::{checked::IsArtifact, index::Index, submission::Submission},
    read,
    words::kind::ArtifactKind,
};
use svc_json::{canonical, typed};
use svc_testkit::samples;

/// What svc makes takes no more of its bytes, in percent; 250 is what the registry gives.
const MOST_OF_REAL_DOCUMENTS: usize = 200;

/// The least memory within which a document is read, in percent of its bytes.
fn percent<A: IsArtifact>(bytes: &[u8]) -> usize {
    let reads = |most| typed::from_slice_within::<A>(bytes, most).is_ok();
    let (mut least, mut most) = (0, 64 * bytes.len());
    while least < most {
        let middle = usize::midpoint(least, most);
        if reads(middle) { most = middle } else { least = middle + 1 }
    }
    least * 100 / bytes.len()
}

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
        let percent = percent::<Submission>(&canonical::to_bytes(&document));
        assert!(percent < MOST_OF_REAL_DOCUMENTS, "{percent}");
    }
    let percent = percent::<Index>(&canonical::to_bytes(&compact(&samples::index(100).unwrap().to_file())));
    assert!(percent < MOST_OF_REAL_DOCUMENTS, "{percent}");
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
        let codes = |findings: Vec<svc_core::finding::Finding>| -> Vec<String> {
            findings.iter().map(|finding| finding.rule.code.to_string()).collect()
        };
        assert!(
            codes(read::decide(ArtifactKind::Submission, &bytes).unwrap_err()).contains(&"SVC-B016".to_owned()),
            "{list}"
        );
        assert!(!codes(read::artifact::<Submission>(&bytes).unwrap_err()).contains(&"SVC-B016".to_owned()), "{list}");
        // An open claim in it is still told, and names the whole.
        document["accepted"] = true.into();
        let findings = read::decide(ArtifactKind::Submission, &canonical::to_bytes(&document)).unwrap_err();
        let problem = svc_core::finding::problem_code(&findings).unwrap();
        assert_eq!(problem.to_string(), "posture-violation", "{list}");
    }
}
