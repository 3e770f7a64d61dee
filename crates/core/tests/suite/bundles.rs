//! Bundles: files of two of them never make a third, and no file can be changed alone.

use serde_json::json;
use svc_core::samples::rules;
use svc_core::{
    attacks::{self, SeenIn},
    bundle::{self, Files},
    words::kind,
};

use crate::{
    documents::{KINDS, Kind, codes, parsed, seal, with, written},
    leaves::{alternatives, leaves},
    packages::{Source, variants},
};

/// Child and parent of every edge, in the order in which they are walked, by hand.
const EDGES: &[(&str, &str)] = &[
    ("index", "submission"),
    ("acceptance-request", "submission"),
    ("publisher-verification", "submission"),
    ("review-evidence", "submission"),
    ("signing-request", "acceptance-request"),
    ("install-policy", "signing-request"),
];

fn file_of(name: &str) -> &'static str {
    kind::ALL.iter().find(|spec| spec.name == name).unwrap().file
}

/// The first bundle with the files of these names taken from the second.
fn mixed(one: &Files, other: &Files, taken: &[&str]) -> Files {
    let mut files = one.clone();
    for name in taken {
        files.insert(file_of(name), other[file_of(name)].clone());
    }
    files
}

/// The first edge whose ends come from different bundles.
fn first_broken(taken: &[&str]) -> Option<(&'static str, &'static str)> {
    EDGES.iter().copied().find(|(child, parent)| taken.contains(child) != taken.contains(parent))
}

fn assert_broken(files: &Files, expected: (&str, &str), what: &str) {
    let broken = bundle::verify(rules(), files).expect_err(what);
    let edge = broken.edge.unwrap_or_else(|| panic!("{what}: {:?}", broken.findings));
    assert_eq!((edge.child.name, edge.parent.name), expected, "{what}");
    let [(spec, findings)] = broken.findings.as_slice() else { panic!("{what}: {:?}", broken.findings) };
    assert_eq!(spec.name, expected.0, "{what}");
    assert_eq!(findings.exit_code().code(), 4, "{what}");
    let codes = codes(findings);
    assert!(codes == ["SVC-B005"] || codes == ["SVC-B010"], "{what}: {codes:?}");
}

#[test]
fn one_file_of_another_bundle_breaks_the_chain_at_its_edge() {
    let bundles: Vec<(&str, Files)> = variants().into_iter().map(|(name, source)| (name, source.bundle())).collect();
    let (base_name, base) = &bundles[0];
    for (name, other) in &bundles[1..] {
        for spec in kind::ALL {
            assert_ne!(base[spec.file], other[spec.file], "{name} does not show in {}", spec.file);
        }
    }
    for (name, other) in &bundles[1..6] {
        for spec in kind::ALL {
            let expected = first_broken(&[spec.name]).unwrap();
            assert_broken(
                &mixed(base, other, &[spec.name]),
                expected,
                &format!("{} of {name} in {base_name}", spec.file),
            );
        }
    }
}

#[test]
fn every_mixture_of_two_bundles_is_refused_at_its_first_edge() {
    let variants = variants();
    let (one, other) = (variants[0].1.bundle(), variants[3].1.bundle());
    let names: Vec<&str> = kind::ALL.iter().map(|spec| spec.name).collect();
    let mut mixtures = 0;
    for chosen in 1..(1_u32 << names.len()) - 1 {
        let taken: Vec<&str> = (0..names.len()).filter(|at| chosen & (1 << at) != 0).map(|at| names[at]).collect();
        let expected = first_broken(&taken).expect("some edge has two ends");
        assert_broken(&mixed(&one, &other, &taken), expected, &format!("{taken:?}"));
        mixtures += 1;
    }
    assert_eq!(mixtures, 126);
}

#[test]
fn an_old_bundle_around_a_new_submission_is_refused() {
    let old = Source::weather_board().bundle();
    let new = Source::weather_board().with("/version", json!("1.2.1")).bundle();
    let rest: Vec<&str> = kind::ALL.iter().map(|spec| spec.name).filter(|name| *name != "submission").collect();
    assert_broken(&mixed(&new, &old, &rest), ("index", "submission"), "rolled back");
}

#[test]
fn a_missing_file_is_told_by_its_name() {
    let whole = Source::weather_board().bundle();
    for spec in kind::ALL {
        let mut files = whole.clone();
        files.remove(spec.file);
        let broken = bundle::verify(rules(), &files).expect_err(spec.file);
        let told: Vec<_> = broken.findings.iter().map(|(spec, findings)| (spec.file, codes(findings))).collect();
        assert_eq!(told, [(spec.file, vec!["SVC-B011"])]);
        assert!(broken.edge.is_none());
    }
    let broken = bundle::verify(rules(), &Files::new()).expect_err("nothing");
    assert_eq!(broken.findings.len(), 7);
}

#[test]
fn a_forgery_that_makes_every_digest_inside_its_file_fit_is_refused() {
    let bundle = Source::weather_board().bundle();
    let (mut in_file, mut at_edge) = (0, 0);
    for kind in KINDS {
        let document = parsed(&bundle[kind.spec.file]);
        for place in leaves(&kind.schema(), &document).iter().filter(|place| !place.is_constant).step_by(5) {
            let known = alternatives(&place.title, document.pointer(&place.pointer).unwrap());
            let mut forged = with(&document, &place.pointer, known[0].clone());
            seal(&mut forged);
            if forged == document {
                continue;
            }
            let mut files = bundle.clone();
            files.insert(kind.spec.file, written(&forged));
            let what = format!("{} {place:?}", kind.spec.name);
            let broken = bundle::verify(rules(), &files).expect_err(&what);
            assert!(broken.findings.iter().any(|(_, findings)| findings.has_errors()), "{what}");
            if broken.edge.is_some() {
                at_edge += 1
            } else {
                in_file += 1
            };
        }
    }
    assert!(in_file > 50 && at_edge > 30, "{in_file} in the file, {at_edge} at an edge");
}

#[test]
fn every_attack_that_only_the_chain_shows_names_its_edge() {
    let bundle = Source::weather_board().bundle();
    let mut tried = 0;
    for kind in KINDS {
        let chained =
            attacks::ALL.iter().filter(|attack| attack.seen_in == SeenIn::Chain && attack.applies_to(kind.spec));
        for attack in chained {
            let good = &bundle[kind.spec.file];
            let mut files = bundle.clone();
            files.insert(kind.spec.file, attack.forge(kind.spec, good, good).unwrap());
            assert!((kind.findings)(&files[kind.spec.file]).is_empty(), "{} shows in the file", attack.name);
            let expected = EDGES.iter().copied().find(|(child, _)| *child == kind.spec.name).unwrap();
            assert_broken(&files, expected, attack.name);
            tried += 1;
        }
    }
    assert!(tried >= 11, "{tried}");
}

#[test]
fn a_derived_file_that_names_another_parent_is_told_as_such() {
    let (base, other) =
        (Source::weather_board().bundle(), Source::weather_board().with("/version", json!("1.2.1")).bundle());
    for (child, parent) in &EDGES[1..] {
        let spec = kind::ALL.iter().find(|spec| spec.name == *child).unwrap();
        let parent = kind::ALL.iter().find(|spec| spec.name == *parent).unwrap();
        let of = |files: &Files, spec: &svc_core::words::kind::ArtifactSpec| {
            svc_core::read::any(rules(), spec.artifact, &files[spec.file]).unwrap()
        };
        let document = of(&base, spec);
        let fault = bundle::edge_fault(&document, &of(&other, parent)).unwrap();
        assert_eq!((fault.rule.code.as_ref(), fault.pointer.as_str()), ("SVC-B005", "/derivedFrom"), "{child}");
        assert!(bundle::edge_fault(&document, &of(&base, parent)).is_none(), "{child}");
        assert!(bundle::edge_fault(&document, &document).is_some(), "{child}");
    }
}

#[test]
fn whole_bundles_hold_in_any_layout() {
    for (name, source) in variants() {
        let files = source.bundle();
        let verified = bundle::verify(rules(), &files).unwrap_or_else(|broken| panic!("{name}: {:?}", broken.findings));
        assert_eq!(verified.bundle.to_files().len(), 7);
        assert_eq!(verified.bundle.submission.to_file(), files[file_of("submission")]);
    }
    let compact: Files =
        Source::weather_board().bundle().into_iter().map(|(name, bytes)| (name, written(&parsed(&bytes)))).collect();
    let verified = bundle::verify(rules(), &compact).unwrap();
    assert_eq!(verified.warnings.len(), 7);
    assert!(verified.warnings.iter().all(|(_, warnings)| codes(warnings) == ["SVC-B009"]));
}

/// Every kind is sent to the check of every other: only its own takes it.
#[test]
fn a_file_is_taken_by_the_check_of_its_own_kind_only() {
    let bundle = Source::weather_board().bundle();
    let takes = |kind: &Kind, file: &str| (kind.findings)(&bundle[file]);
    let mut refused = 0;
    for kind in KINDS {
        for spec in kind::ALL {
            let findings = takes(kind, spec.file);
            if kind.spec.name == spec.name {
                assert!(findings.is_empty());
            } else {
                assert_eq!(codes(&findings), ["SVC-B001"], "{} as {}", spec.name, kind.spec.name);
                refused += 1;
            }
        }
    }
    assert_eq!(refused, 42);
}
