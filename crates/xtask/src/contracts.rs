//! `contracts/`: the contracts, catalogs and schemas as the core renders them.

use std::path::Path;

use svc_core::contract::contracts;
use svc_core::samples::rules;
use svc_registry_api::{openapi, routes};

use crate::tree::Tree;

/// Adds the files.
pub(crate) fn generate(files: &mut Tree) {
    let folder = Path::new("contracts");
    for contract in contracts::CONTRACTS {
        files.insert(folder.join(contract.file), (contract.render)(rules()));
    }
    files.insert(folder.join("openapi.json"), openapi::render(&routes::all()));
    for (name, _) in contracts::schema_sources() {
        let schema = contracts::schema(name).unwrap_or_default();
        files.insert(folder.join("schemas").join(format!("{name}.schema.json")), schema);
    }
}
