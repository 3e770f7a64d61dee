//! Seed 2.1, 2.3 and 4.2: the committed contracts, and that the artifacts mirror them.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::bundle::{Bundle, read_json, repository};
use crate::words::{
    ACCEPTANCE_REQUEST, BASE_PATH, CATALOG_NAME, FIVE_STAGES, INSTALL_POLICY, LEDGER, PUBLISHER_VERIFICATION,
    REVIEW_EVIDENCE, SEVEN_FILES, SIGNING_REQUEST, SIX_POSTS,
};

#[test]
fn the_api_contract_defines_exactly_the_six_posts() {
    let contract = contract("hosted-registry-api-contract.json");
    assert_eq!(contract["basePath"], BASE_PATH);
    let operations = rows(&contract["operations"], ["method", "path", "payload"]);
    assert_eq!(operations.len(), 6, "{operations:?}");
    let found: BTreeSet<_> = operations.into_iter().collect();
    assert_eq!(found, SIX_POSTS.map(owned).into_iter().collect());
}

#[test]
fn the_ledger_records_the_seed_rows() {
    let ledger = contract("hosted-registry-readiness-contract.json");
    let found = rows(&ledger["gates"], ["gate", "localStatus", "status"]);
    assert_eq!(found, LEDGER.map(owned));
}

#[test]
fn the_catalog_names_the_five_stages_and_their_meanings() {
    let catalog = contract("lifecycle-catalog.json");
    assert_eq!(catalog["name"], CATALOG_NAME);
    let found = rows(&catalog["stages"], ["id", "label", "meaning"]);
    assert_eq!(found, FIVE_STAGES.map(owned));
}

#[test]
fn gate_statuses_mirror_the_ledger() {
    let ledger = contract("hosted-registry-readiness-contract.json");
    let rows = rows(&ledger["gates"], ["gate", "localStatus", "status"]);
    let words: Value = rows.iter().map(|[gate, _, word]| (gate.clone(), json!(word))).collect();
    let gates: Value = rows.iter().map(|[gate, _, _]| json!(gate)).collect();

    let bundle = Bundle::of_the_example();
    for file in &SEVEN_FILES {
        assert_eq!(bundle.json(file.name)["gateStatuses"], words, "{}", file.name);
    }
    assert_eq!(bundle.json(ACCEPTANCE_REQUEST)["requiredGates"], gates);
    assert_eq!(bundle.json(INSTALL_POLICY)["requires"], gates);
    for (file, gate) in [
        (PUBLISHER_VERIFICATION, "publisher-verification"),
        (REVIEW_EVIDENCE, "review-storage"),
        (SIGNING_REQUEST, "artifact-signing"),
        (INSTALL_POLICY, "host-install-policy"),
    ] {
        assert_eq!(bundle.json(file)["status"], words[gate], "{file} stands for {gate}");
    }
}

fn contract(name: &str) -> Value {
    read_json(&repository().join("contracts").join(name))
}

/// Three members of every object in a list, in the list's order.
fn rows(list: &Value, members: [&str; 3]) -> Vec<[String; 3]> {
    let items = list.as_array().unwrap_or_else(|| panic!("no list: {list}"));
    let text = |item: &Value, member: &str| match item[member].as_str() {
        Some(text) => text.to_owned(),
        None => panic!("no text under {member} in {item}"),
    };
    items.iter().map(|item| members.map(|member| text(item, member))).collect()
}

fn owned((first, second, third): (&str, &str, &str)) -> [String; 3] {
    [first, second, third].map(str::to_owned)
}
