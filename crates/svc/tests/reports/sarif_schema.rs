//! The published JSON Schema of SARIF 2.1.0.
//!
//! It is no part of this repository: the crate `serde-sarif` carries it, and stands in `Cargo.toml` under a condition
//! that never holds. So it is locked by its checksum and fetched, but neither built nor linked into anything.

use std::{fs, path::PathBuf, process::Command};

use serde_json::Value;
use svc_testkit::jsonschema;

use crate::run::repository;

/// Every place where a log does not fit the schema.
pub(crate) fn faults(log: &Value) -> Vec<String> {
    let validator = jsonschema::options().should_validate_formats(true).build(&schema()).unwrap();
    validator.iter_errors(log).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

fn schema() -> Value {
    let mut schema: Value = serde_json::from_slice(&fs::read(path()).unwrap()).unwrap();
    let title = "Static Analysis Results Format (SARIF) Version 2.1.0 JSON Schema";
    assert_eq!(schema["title"], title, "this is another schema");
    // One published pattern has a closing bracket too many. Browsers read it as a character, this validator refuses.
    for definition in ["run", "toolComponent"] {
        let pattern = &mut schema["definitions"][definition]["properties"]["language"]["pattern"];
        *pattern = pattern.as_str().unwrap().replace("{2}]?$", "{2}\\]?$").into();
    }
    schema
}

/// Where cargo keeps the crate.
fn path() -> PathBuf {
    let mut command = Command::new(env!("CARGO"));
    command.args(["metadata", "--format-version", "1", "--locked"]).current_dir(repository(""));
    let output = command.output().unwrap();
    assert!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let carrier = packages.iter().find(|package| package["name"] == "serde-sarif").expect("serde-sarif is not locked");
    PathBuf::from(carrier["manifest_path"].as_str().unwrap()).with_file_name("src").join("schema.json")
}
