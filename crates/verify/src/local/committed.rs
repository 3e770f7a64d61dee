//! The committed contracts, file by file, against those of this build.

use std::collections::BTreeMap;

use serde_json::Value;
use svc_client::exchange::Reply;
use svc_core::samples::rules;
use svc_core::{contract::contracts, verification::FaultCode};
use svc_registry_api::{openapi, routes};

use crate::{
    check::{CheckFault, VerifierCheck, cut},
    claims::{self, Reading},
    compare::differences,
};

/// The contracts by their names below `contracts/`.
pub type Contracts = BTreeMap<String, Vec<u8>>;

pub const LEDGER: &str = "hosted-registry-readiness-contract.json";

pub const API_CONTRACT: &str = "hosted-registry-api-contract.json";

pub(super) const OPENAPI: &str = "openapi.json";

/// What this build would generate.
#[must_use]
pub fn own_files() -> Contracts {
    let contracts = contracts::CONTRACTS.iter().map(|contract| (contract.file.to_owned(), (contract.render)(rules())));
    let schemas = contracts::schema_sources().into_iter().filter_map(|(name, _)| {
        let bytes = contracts::schema(name)?;
        Some((format!("schemas/{name}.schema.json"), bytes))
    });
    let openapi = (OPENAPI.to_owned(), openapi::render(&routes::all()));
    contracts.chain(schemas).chain([openapi]).collect()
}

pub(super) fn checks(committed: &Contracts, own: &Contracts) -> Vec<VerifierCheck> {
    let area = "committed contracts";
    let mut checks: Vec<VerifierCheck> = own
        .iter()
        .map(|(name, bytes)| VerifierCheck::ran(area, name, compare(name, committed.get(name), bytes)))
        .collect();
    let extra = committed.keys().filter(|name| !own.contains_key(*name));
    let faults = extra.map(|name| CheckFault::new(FaultCode::FileExtra, format!("nothing generates `{}`", cut(name))));
    checks.push(VerifierCheck::ran(area, "no other files", faults.collect()));
    checks
}

fn compare(name: &str, committed: Option<&Vec<u8>>, own: &[u8]) -> Vec<CheckFault> {
    let Some(committed) = committed else {
        return vec![CheckFault::new(FaultCode::FileMissing, format!("`{name}` is missing"))];
    };
    if committed == own {
        return Vec::new();
    }
    let statement = matches!(name, LEDGER | API_CONTRACT);
    let reading = if statement { Reading::Statement } else { Reading::Description };
    let body = Reply { body: committed.clone(), ..Reply::default() };
    let mut faults = claims::open_claims(&body, reading);
    let parsed = (serde_json::from_slice::<Value>(own), serde_json::from_slice::<Value>(committed));
    let (Ok(own), Ok(found)) = parsed else {
        faults.push(CheckFault::new(FaultCode::ContractDrift, format!("`{name}` is not JSON")));
        return faults;
    };
    let differing = differences(&own, &found);
    faults.extend(differing.iter().map(|difference| {
        let place = if difference.pointer.is_empty() { "the whole" } else { &difference.pointer };
        let (own, found) = (&difference.expected, &difference.found);
        CheckFault::new(FaultCode::ContractDrift, format!("{name} {place}: this build has {own}, the file {found}"))
    }));
    if differing.is_empty() {
        let message = format!("`{name}` has the values of this build in other bytes, or names a member twice");
        faults.push(CheckFault::new(FaultCode::ContractDrift, message));
    }
    faults
}
