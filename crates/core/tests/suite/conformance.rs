//! The conformance kit: every case ends as its row says, and the kit holds what it must.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use svc_core::samples::rules;
use svc_core::{
    attacks::{self, Attack, SeenIn},
    bundle,
    explain::scalars,
    finding::Finding,
    findings::Findings,
    lifecycle::resolve_stage,
    pack,
    rules::{package::Package, run},
    words::{
        kind::Source,
        severity::Severity,
        stage::{Reached, StageEvidence},
    },
};
use svc_json::{canonical, digest::Digest, tree};
use svc_testkit::kit;

use crate::documents::{KINDS, Kind, codes, kind_of, parsed, read, written};

/// What the rows begin with whose documents name the rules of this build; all others name `kit-1`.
const OWN_RULES: &str = "own-rules-";

/// Indexes with several versions of a package: those that are good, and those that are out of order.
const GOOD_INDEXES: [&str; 3] = ["valid-prereleases", "valid-two-collections", "valid-two-versions"];
const UNSORTED_INDEXES: [&str; 4] =
    ["collections-out-of-order", "collections-twice", "prereleases-in-semver-order", "versions-in-semver-order"];

struct Case {
    kind: &'static Kind,
    name: String,
}

impl Case {
    fn all() -> Vec<Self> {
        let of_kind = |kind: &'static Kind| kit::names(kind.spec.name).into_iter().map(move |name| Self { kind, name });
        KINDS.iter().flat_map(of_kind).collect()
    }

    fn id(&self) -> String {
        format!("{}.json#{}", self.kind.spec.name, self.name)
    }

    fn document(&self) -> Vec<u8> {
        self.kind.case(&self.name)
    }

    /// The name without what says that the document names the rules of this build, and whether it does.
    fn recipe(&self) -> (&str, bool) {
        let own = self.name.strip_prefix(OWN_RULES);
        (own.unwrap_or(&self.name), own.is_some())
    }

    fn is_good(&self) -> bool {
        self.recipe().0 == "valid" || GOOD_INDEXES.contains(&self.name.as_str())
    }

    /// The good document that the case is made from.
    fn good(&self) -> Vec<u8> {
        if self.recipe().1 { self.kind.base() } else { self.kind.case("valid") }
    }

    fn expect(&self) -> &'static Value {
        kit::expected(self.kind.spec.name, &self.name)
    }

    /// The document that the row says is the parent.
    fn parent(&self) -> Vec<u8> {
        let kit = kit::committed();
        let parent = kit.row(self.kind.spec.name, &self.name)["parent"].as_str().unwrap();
        canonical::to_pretty(&kit.documents[parent])
    }

    /// What the checker says: of the document alone, or of the document beside its parent.
    fn findings(&self, expect: &Value) -> Findings {
        let spec = self.kind.spec;
        match expect["seenIn"].as_str() {
            Some("document") => {
                svc_core::read::verify(rules(), spec.artifact, &self.document()).err().unwrap_or_default()
            }
            Some("chain") => {
                assert!(
                    svc_core::read::verify(rules(), spec.artifact, &self.document()).is_ok(),
                    "{} shows in the document already",
                    self.id()
                );
                let child = svc_core::read::any(rules(), spec.artifact, &self.document()).unwrap();
                let Source::Artifact { parent } = spec.source else { panic!("{} has no parent", self.id()) };
                let parent = svc_core::read::any(rules(), parent.artifact, &self.parent()).unwrap();
                bundle::edge_fault(&child, &parent).into_iter().collect()
            }
            other => panic!("{}: seen in {other:?}", self.id()),
        }
    }
}

/// Rule and pointer of each finding, sorted, each once.
fn rows(findings: &[Finding]) -> Vec<Value> {
    let row = |finding: &Finding| json!({ "pointer": finding.pointer.as_str(), "rule": finding.rule.code });
    let mut rows: Vec<Value> = findings.iter().map(row).collect();
    rows.sort_by_key(ToString::to_string);
    rows.dedup();
    rows
}

#[test]
fn every_attack_is_refused_exactly_as_the_kit_says() {
    let mut attacks = 0;
    for case in Case::all().iter().filter(|case| !case.is_good()) {
        let expect = case.expect();
        let findings = case.findings(expect);
        let place = case.id();
        assert_eq!(expect["valid"], false, "{place}");
        assert!(findings.has_errors(), "{place} was let in");
        assert_eq!(Value::Array(rows(&findings)), expect["findings"], "{place}");
        assert_eq!(json!(findings.exit_code().code()), expect["exit"], "{place}");
        assert_eq!(json!(findings.problem_code()), expect["problem"], "{place}");
        assert_eq!(expect["kind"], case.kind.spec.kind, "{place}");
        assert!(findings.iter().any(|finding| expect["caughtBy"] == *finding.rule.code), "{place}");
        assert_ne!(expect["exit"], 0, "{place}");
        attacks += 1;
    }
    assert!(attacks >= 8 * KINDS.len(), "{attacks}");
}

#[test]
fn every_good_document_holds_and_has_the_digest_that_the_kit_says() {
    let good: Vec<Case> = Case::all().into_iter().filter(Case::is_good).collect();
    assert_eq!(good.len(), 2 * KINDS.len() + GOOD_INDEXES.len());
    for case in good {
        let place = case.id();
        let verified = svc_core::read::verify(rules(), case.kind.spec.artifact, &case.document()).unwrap();
        let expect = case.expect();
        assert_eq!(expect["digest"], verified.checked.digest().to_string(), "{place}");
        assert_eq!(verified.checked.to_file(), case.document(), "{place} is not in the canonical layout");
        // Other rules than ours are told, and nothing else is.
        let other_rules = json!([{ "pointer": "/ruleset", "rule": "SVC-B017" }]);
        assert_eq!(expect["warnings"], if case.recipe().1 { json!([]) } else { other_rules }, "{place}");
        assert_eq!(Value::Array(rows(&verified.warnings)), expect["warnings"], "{place}");
        assert_eq!(verified.checked.has_own_rules(), case.recipe().1, "{place}");
        assert_eq!(expect["valid"], true);
        assert_eq!(expect["exit"], 0);
        assert_eq!(expect["findings"], json!([]));
    }
}

#[test]
fn the_kit_names_rules_of_its_own_by_the_digest_over_their_name() {
    let ruleset = json!({ "digest": Digest::of(b"kit-1").to_string(), "version": "1.0.0-kit.1" });
    for kind in KINDS {
        let document = parsed(&kind.case("valid"));
        assert_eq!(document["ruleset"], ruleset, "{}", kind.spec.name);
        for entry in document["entries"].as_array().into_iter().flatten() {
            assert_eq!(entry["submission"]["ruleset"], ruleset);
        }
    }
}

#[test]
fn the_kit_holds_every_attack_that_applies_and_nothing_else() {
    let with_own_rules: Vec<Case> = Case::all().into_iter().filter(|case| case.recipe().1).collect();
    assert!(with_own_rules.len() <= 10, "{} rows change with every rule", with_own_rules.len());
    for kind in KINDS {
        let mut expected = vec!["valid".to_owned()];
        for attack in attacks::ALL.iter().filter(|attack| attack.applies_to(kind.spec)) {
            // Where only the comparison with our rules shows it, some kind has it under our rules.
            let is_tried_elsewhere = with_own_rules.iter().any(|case| case.recipe().0 == attack.name);
            if is_tried_elsewhere && caught(attack, kind, &Good::under_kit_rules(kind)).is_err() {
                continue;
            }
            expected.push(attack.name.to_owned());
        }
        assert!(expected.len() > 8, "{} has {} attacks", kind.spec.name, expected.len());
        let of_kind = with_own_rules.iter().filter(|case| case.kind.spec.name == kind.spec.name);
        expected.extend(of_kind.map(|case| case.name.clone()));
        if kind.spec.name == "index" {
            expected.extend(GOOD_INDEXES.iter().chain(&UNSORTED_INDEXES).map(|name| (*name).to_owned()));
        }
        expected.sort();
        assert_eq!(kit::names(kind.spec.name), expected);
    }
}

#[test]
fn the_kit_is_what_the_recipes_make_of_the_good_documents() {
    // The other package of the kit is not in it, so the recipes that borrow from it are left out.
    let borrowing = ["package-of-another", "report-of-another", "report-of-another-resealed"];
    for case in Case::all() {
        let recipe = attacks::ALL.iter().find(|attack| attack.name == case.recipe().0);
        let Some(attack) = recipe.filter(|attack| !borrowing.contains(&attack.name)) else { continue };
        let good = case.good();
        let forged = attack.forge(case.kind.spec, &good, &good).unwrap();
        assert_eq!(forged, case.document(), "{} is stale", case.id());
    }
}

/// What an attack is tried on: a document, its parent, and the same kind of document about another package.
struct Good {
    document: Vec<u8>,
    parent: Option<Vec<u8>>,
    other: Vec<u8>,
}

impl Good {
    fn under_kit_rules(kind: &Kind) -> Self {
        let document = kind.case("valid");
        Self { parent: parent_of(kind).map(|parent| parent.case("valid")), other: document.clone(), document }
    }

    /// The other package is the second of the index.
    fn under_own_rules(kind: &Kind) -> Self {
        let index = kind_of("index").base_json();
        let second = svc_core::read::artifact(rules(), &written(&index["entries"][1]["submission"])).unwrap();
        let other = bundle::Bundle::from_submission(second).unwrap().to_files();
        let parent = parent_of(kind).map(Kind::base);
        Self { document: kind.base(), parent, other: other[kind.spec.file].clone() }
    }
}

fn parent_of(kind: &Kind) -> Option<&'static Kind> {
    match kind.spec.source {
        Source::Artifact { parent } => Some(kind_of(parent.name)),
        Source::Package | Source::Submissions => None,
    }
}

/// Whether the rule that must catch an attack does; else the codes that were found.
fn caught(attack: &Attack, kind: &Kind, good: &Good) -> Result<(), Vec<&'static str>> {
    let forged = attack.forge(kind.spec, &good.document, &good.other).unwrap();
    let findings = match (attack.seen_in, &good.parent) {
        (SeenIn::Chain, Some(parent)) => {
            let child = svc_core::read::any(rules(), kind.spec.artifact, &forged).unwrap();
            let parent = svc_core::read::any(rules(), parent_of(kind).unwrap().spec.artifact, parent).unwrap();
            bundle::edge_fault(&child, &parent).into_iter().collect()
        }
        _ => (kind.findings)(&forged),
    };
    if findings.iter().any(|finding| finding.rule.is(attack.caught_by)) { Ok(()) } else { Err(codes(&findings)) }
}

#[test]
fn every_attack_on_every_kind_under_our_own_rules_is_caught_by_its_rule() {
    let mut tried = 0;
    for kind in KINDS {
        let good = Good::under_own_rules(kind);
        for attack in attacks::ALL.iter().filter(|attack| attack.applies_to(kind.spec)) {
            assert_eq!(caught(attack, kind, &good), Ok(()), "{} {}", kind.spec.name, attack.name);
            tried += 1;
        }
    }
    assert!(tried > 380, "{tried}");
}

#[test]
fn every_rule_about_artifacts_that_can_refuse_a_document_is_the_catcher_of_some_attack() {
    let catchers: Vec<&str> = attacks::ALL.iter().map(|attack| attack.caught_by.as_str()).collect();
    let family = |name| rules().families().find(|family| family.name == name).unwrap().rules;
    for rule in family("artifacts") {
        // B009 and B017 are warnings, B011 speaks of a missing file, B016 of sizes that the kit does not carry.
        let elsewhere = ["SVC-B009", "SVC-B011", "SVC-B016", "SVC-B017"].contains(&rule.code.as_ref());
        assert_eq!(catchers.contains(&rule.code.as_ref()), !elsewhere, "{}", rule.code);
    }
    for rule in family("syntax") {
        // Nothing but an object can be made from an object by a recipe.
        assert_eq!(catchers.contains(&rule.code.as_ref()), rule.code != "SVC-J003", "{}", rule.code);
    }
}

#[test]
fn every_lifecycle_case_resolves_to_its_stage_and_never_installable() {
    let mut reached: BTreeMap<String, usize> = BTreeMap::new();
    for name in kit::names("lifecycle") {
        let (entry, expect) = (kit::case("lifecycle", &name), kit::expected("lifecycle", &name));
        let resolution = serde_json::to_value(resolve_stage(rules(), &entry).resolution).unwrap();
        assert_eq!(resolution["stage"], expect["stage"], "{name}");
        assert_eq!(resolution["brokenRules"], expect["brokenRules"], "{name}");
        assert_eq!(resolution["missingGates"], expect["missingGates"], "{name}");
        assert_eq!(resolution["reviewed"], expect["reviewed"], "{name}");
        assert_eq!(resolution["installable"], false, "{name}");
        assert_eq!(expect["installable"], false, "{name}");
        assert_ne!(resolution["nextSteps"], json!([]), "{name} lacks nothing for {}", resolution["nextStage"]);
        *reached.entry(resolution["stage"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    let mut stages: Vec<&str> = Reached::WORDS.to_vec();
    stages.sort_unstable();
    assert_eq!(reached.keys().map(String::as_str).collect::<Vec<_>>(), stages);
    assert!(!reached.contains_key("signed-package"));
}

/// A lifecycle case that package rules decide says what they find in its manifest; in the others they find nothing that decides.
#[test]
fn what_package_rules_find_in_a_manifest_is_in_the_cases_that_they_decide() {
    let mut decided = 0;
    for name in kit::names("lifecycle") {
        let (entry, expect) = (parsed(&kit::case("lifecycle", &name)), kit::expected("lifecycle", &name));
        let manifest = written(entry.pointer("/submission/packageArtifact/manifest").unwrap_or(&entry));
        let document = tree::read(&manifest).unwrap();
        if pack::read_manifest(rules(), &manifest).is_ok_and(|draft| !draft.shape_findings().is_empty()) {
            continue;
        }
        let found = run::findings(&Package::of_manifest(rules(), &document.root)).into_iter();
        let found: Vec<Finding> =
            found.filter(|finding| matches!(finding.rule.severity, Severity::Error | Severity::Blocker)).collect();
        assert_eq!(json!(rows(&found)), *expect.get("needsPackageRules").unwrap_or(&json!([])), "{name}");
        decided += usize::from(!found.is_empty());
    }
    assert_eq!(decided, 4);
}

/// The rows of a list of vectors.
fn vectors(file: &str) -> Vec<Value> {
    let rows = parsed(&read(&format!("conformance/vectors/{file}")));
    rows.as_array().unwrap().clone()
}

fn decoded(text: &Value) -> Vec<u8> {
    data_encoding::BASE64.decode(text.as_str().unwrap().as_bytes()).unwrap()
}

#[test]
fn strict_json_is_refused_for_the_rules_that_the_vectors_name() {
    for vector in vectors("strict-json.json") {
        let document = decoded(&vector["document"]);
        let faults = tree::read(&document).map_or_else(|faults| faults, |document| document.faults);
        let mut rules: Vec<&str> =
            faults.iter().map(|fault| svc_core::rules::syntax::rule_of(fault.kind).as_str()).collect();
        rules.sort_unstable();
        rules.dedup();
        assert_eq!(json!(rules), vector["rules"], "{}", vector["name"]);
    }
}

#[test]
fn canonical_forms_and_digests_are_those_of_the_vectors() {
    for vector in vectors("canonical-form.json") {
        let value = parsed(vector["document"].as_str().unwrap().as_bytes());
        assert_eq!(canonical::to_bytes(&value), vector["canonical"].as_str().unwrap().as_bytes());
        let (digest, size) = canonical::digest(&value);
        assert_eq!((json!(digest.to_string()), json!(size)), (vector["digest"].clone(), vector["size"].clone()));
    }
    for vector in vectors("digests.json") {
        assert_eq!(json!(Digest::of(&decoded(&vector["bytes"])).to_string()), vector["digest"], "{}", vector["name"]);
    }
}

#[test]
fn every_form_takes_exactly_the_texts_that_the_vectors_say() {
    let vectors = parsed(&read("conformance/vectors/forms.json"));
    let texts: Vec<&str> = vectors["texts"].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect();
    for (form, positions) in vectors["accepted"].as_object().unwrap() {
        let leaf = scalars::scalar_of(form).unwrap();
        let accepted =
            texts.iter().enumerate().filter(|(_, text)| (leaf.accepts)(&tree::Value::String((**text).into())));
        assert_eq!(json!(accepted.map(|(at, _)| at).collect::<Vec<_>>()), *positions, "{form}");
    }
    assert_eq!(vectors["accepted"].as_object().unwrap().len(), scalars::all().count());
}

#[test]
fn every_bundle_breaks_where_the_kit_says() {
    for vector in vectors("bundles.json") {
        let mut files = bundle::Files::new();
        for kind in KINDS {
            if let Some(case) = vector["files"][kind.spec.file].as_str() {
                let (table, name) = case.split_once(".json#").unwrap();
                files.insert(kind.spec.file, kit::case(table, name));
            }
        }
        let (edge, findings) = match bundle::verify(rules(), &files) {
            Ok(_) => (None, Vec::new()),
            Err(broken) => (broken.edge, broken.findings),
        };
        let findings = findings.iter().flat_map(|(spec, found)| found.iter().map(|it| (spec.file, it)));
        let rows: BTreeSet<String> = findings
            .map(|(file, it)| json!({ "file": file, "pointer": it.pointer.as_str(), "rule": it.rule.code }).to_string())
            .collect();
        let expected = vector["findings"].as_array().unwrap().iter().map(Value::to_string).collect();
        assert_eq!(rows, expected, "{}", vector["name"]);
        assert_eq!(vector["valid"], rows.is_empty() && edge.is_none(), "{}", vector["name"]);
        let edge = edge.map(|edge| json!({ "child": edge.child.kind, "parent": edge.parent.kind }));
        assert_eq!(json!(edge), vector["brokenEdge"], "{}", vector["name"]);
    }
}

#[test]
fn a_stage_needs_the_evidence_of_every_stage_below_it() {
    let stage_of = |rows: [bool; 3]| Reached::ALL[rows.iter().take_while(|row| **row).count()];
    for bits in 0..8 {
        let rows = [bits & 1 == 1, bits & 2 == 2, bits & 4 == 4];
        let [listing, report, entry] = rows;
        assert_eq!(StageEvidence { listing, report, entry }.stage(), stage_of(rows), "{rows:?}");
    }
    let mut packages = 0;
    for case in Case::all().iter().filter(|case| case.is_good()) {
        let document = parsed(&case.document());
        let checked = svc_core::read::any(rules(), case.kind.spec.artifact, &case.document()).unwrap();
        let is_index = document.get("entries").is_some();
        for (at, package) in checked.packages().iter().enumerate() {
            let subject = if is_index { &document["entries"][at]["submission"] } else { &document };
            let evidence = package.evidence();
            assert_eq!(evidence.report, subject.get("reviewReport").is_some(), "{}", case.id());
            // What the manifest gives by itself is what it gives inside a document.
            let alone = resolve_stage(rules(), &written(&subject["packageArtifact"]["manifest"])).resolution.stage;
            assert_eq!(evidence.listing, alone == Reached::ShowcasePreview, "{}", case.id());
            assert_eq!(evidence.entry, is_index, "{}", case.id());
            assert_eq!(package.stage(), stage_of([evidence.listing, evidence.report, evidence.entry]));
            packages += 1;
        }
    }
    assert!(packages > 2 * KINDS.len());
}
