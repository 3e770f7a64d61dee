//! Seed 4.2 and 7: a digest that does not fit and a claim of yes are refused, by every judge and every reader.

use serde_json::{Value, json};

use crate::bundle::Bundle;
use crate::forgery::{Forgery, in_each_file, in_the_index, other_last_character, seal};
use crate::words::{FLAGS, LEDGER};

#[test]
fn a_digest_mismatch_is_refused() {
    let bundle = Bundle::of_the_example();
    for member in
        ["/packageArtifact/manifest/summary", "/packageArtifact/files/0/path", "/packageArtifact/files/0/digest"]
    {
        let forgeries = in_each_file(&bundle, member, |document, package| {
            other_last_character(at(document, package, member));
        });
        forgeries.iter().for_each(|forgery| forgery.is_refused_with(4));
    }
    let member = "/packageArtifact/files/0/size";
    let forgeries = in_each_file(&bundle, member, |document, package| {
        let size = at(document, package, member);
        *size = json!(size.as_u64().unwrap() + 1);
    });
    forgeries.iter().for_each(|forgery| forgery.is_refused_with(4));
}

#[test]
fn a_declared_digest_that_does_not_recompute_is_refused_even_when_sealed() {
    let bundle = Bundle::of_the_example();
    for member in ["/artifactDigests/0/digest", "/artifactDigests/1/digest"] {
        let forgeries = in_each_file(&bundle, member, |document, package| {
            other_last_character(at(document, package, member));
        });
        seal(&forgeries);
        forgeries.iter().for_each(|forgery| forgery.is_refused_with(4));
    }
}

#[test]
fn a_changed_document_digest_is_refused() {
    let forgeries = in_each_file(&Bundle::of_the_example(), "documentDigest", |document, _| {
        other_last_character(&mut document["documentDigest"]);
    });
    forgeries.iter().for_each(|forgery| forgery.is_refused_with(4));
}

#[test]
fn no_claim_of_yes_is_ever_valid() {
    let bundle = Bundle::of_the_example();
    for flag in FLAGS {
        for claim in [json!(true), json!("yes"), json!(1), Value::Null] {
            let what = format!("{flag}: {claim}");
            refused_open_and_sealed(&in_each_file(&bundle, &what, |document, _| {
                document[flag] = claim.clone();
            }));
        }
        let what = format!("{flag}: true in the submission of an entry");
        refused_open_and_sealed(&[in_the_index(&bundle, &what, |document| {
            document["entries"][0]["submission"][flag] = json!(true);
        })]);
    }
}

#[test]
fn no_loosened_word_is_ever_valid() {
    let bundle = Bundle::of_the_example();
    for word in ["verified", "stored", "signed", "applied", "accepted"] {
        let what = format!("status: {word}");
        refused_open_and_sealed(&in_each_file(&bundle, &what, |document, _| {
            document["status"] = json!(word);
        }));
    }
    for (gate, _, _) in LEDGER.iter().skip(1) {
        let what = format!("{gate}: evidenced");
        refused_open_and_sealed(&in_each_file(&bundle, &what, |document, _| {
            document["gateStatuses"][gate] = json!("evidenced");
        }));
        let what = format!("{gate} left out");
        refused_open_and_sealed(&in_each_file(&bundle, &what, |document, _| {
            document["gateStatuses"].as_object_mut().unwrap().remove(*gate);
        }));
    }
}

/// A claim is a claim whether or not the forger also made the document digest fit.
fn refused_open_and_sealed(forgeries: &[Forgery]) {
    forgeries.iter().for_each(|forgery| forgery.is_refused_with(7));
    seal(forgeries);
    forgeries.iter().for_each(|forgery| forgery.is_refused_with(7));
}

fn at<'a>(document: &'a mut Value, package: &str, member: &str) -> &'a mut Value {
    let pointer = format!("{package}{member}");
    document.pointer_mut(&pointer).unwrap_or_else(|| panic!("nothing at {pointer}"))
}
