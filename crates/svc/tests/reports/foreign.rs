//! Manifests of other systems, fed as `svc-app.json`: findings in order, a refusal, never a panic.
//!
//! `../foreign/` holds look-alikes of what people really have lying around. Nobody tuned them to this project's rules.

use std::{collections::BTreeMap, fs};

use serde_json::Value;

use crate::run::{Run, program, repository};

/// A file, and some of the findings that a reader of it would expect: code, line, column.
type Foreign = (&'static str, &'static [(&'static str, u64, u64)]);

const FOREIGN: [Foreign; 9] = [
    (
        "browser-extension",
        &[
            ("SVC-M001", 1, 1),
            ("SVC-M002", 2, 3),
            ("SVC-M011", 5, 14),
            ("SVC-M003", 12, 12),
            ("SVC-M003", 33, 19),
            ("SVC-M002", 52, 3),
        ],
    ),
    ("cargo-manifest", &[("SVC-M001", 1, 1), ("SVC-M002", 2, 3), ("SVC-J006", 22, 69)]),
    ("chat-app", &[("SVC-M001", 1, 1), ("SVC-M002", 2, 3), ("SVC-M002", 26, 3)]),
    ("compiler-settings", &[("SVC-J001", 2, 3)]),
    ("design-plugin", &[("SVC-M010", 3, 9), ("SVC-M003", 11, 19), ("SVC-M002", 12, 3)]),
    (
        "editor-extension",
        &[
            ("SVC-M003", 6, 16),
            ("SVC-M018", 7, 14),
            ("SVC-M024", 12, 41),
            ("SVC-M001", 14, 14),
            ("SVC-M022", 15, 18),
            ("SVC-M003", 20, 35),
            ("SVC-J006", 29, 57),
        ],
    ),
    ("mcp-server", &[("SVC-M002", 4, 3), ("SVC-F002", 27, 22), ("SVC-L004", 27, 22), ("SVC-M003", 28, 12)]),
    ("payment-app", &[("SVC-M011", 3, 14), ("SVC-P001", 10, 21), ("SVC-P002", 11, 48), ("SVC-M002", 14, 3)]),
    ("web-app", &[("SVC-M010", 2, 9), ("SVC-M014", 3, 11), ("SVC-M022", 14, 18), ("SVC-F002", 16, 14)]),
];

#[test]
fn every_foreign_manifest_is_in_the_list() {
    let names = fs::read_dir(repository("crates/svc/tests/foreign")).unwrap();
    let mut names: Vec<String> = names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, FOREIGN.map(|(name, _)| format!("{name}.json")));
}

#[test]
fn a_foreign_manifest_gives_ordered_findings_where_a_reader_expects_them() {
    for (name, expected) in FOREIGN {
        let folder = as_manifest(name);
        for command in
            [["app", "preflight"].as_slice(), &["app", "pack", "svc-app.json"], &["app", "validate", "svc-app.json"]]
        {
            let run = Run::of(program(folder.path(), command).args(["--format", "json"])).exits(1);
            let report: Value = serde_json::from_str(&run.stdout).unwrap();
            let findings = report["findings"].as_array().unwrap();
            for of_one_weight in findings.chunk_by(|one, next| one["severity"] == next["severity"]) {
                let places: Vec<(u64, u64)> = of_one_weight.iter().map(place).collect();
                assert!(places.is_sorted(), "{name}: {places:?}");
            }
            for (code, line, column) in expected {
                let there = |finding: &Value| finding["code"] == *code && place(finding) == (*line, *column);
                assert!(findings.iter().any(there), "{name}: no {code} at {line}:{column} by {command:?}");
            }
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "{name}: {command:?} wrote something");
        }
    }
}

#[test]
fn every_format_and_every_command_survives_a_foreign_document() {
    for (name, _) in FOREIGN {
        let folder = as_manifest(name);
        for format in ["human", "concise", "json", "sarif", "junit", "github"] {
            Run::of(&mut program(folder.path(), &["app", "preflight", "--format", format])).exits(1);
        }
        for command in ["inspect", "plan", "registry", "registry-validate", "registry-signing-request"] {
            Run::of(&mut program(folder.path(), &["app", command, "svc-app.json"])).exits(1);
        }
        let lifecycle = Run::of(&mut program(folder.path(), &["lifecycle", "svc-app.json"]));
        assert!(matches!(lifecycle.code, Some(0 | 1)), "{name}: {:?}", lifecycle.code);
    }
}

#[test]
fn a_name_in_the_style_of_another_system_is_recognised() {
    let folder = as_manifest("browser-extension");
    let run = Run::of(&mut program(folder.path(), &["app", "validate", "svc-app.json", "--format", "json"])).exits(1);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    let findings = report["findings"].as_array().unwrap();
    let fixes: BTreeMap<&str, &str> =
        findings.iter().filter_map(|finding| Some((finding["pointer"].as_str()?, finding["fix"].as_str()?))).collect();
    assert_eq!(fixes["/manifest_version"], "\"manifestVersion\"");
    assert_eq!(fixes["/short_name"], "\"shortName\"");
}

fn as_manifest(name: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let source = repository("crates/svc/tests/foreign").join(format!("{name}.json"));
    fs::copy(source, folder.path().join("svc-app.json")).unwrap();
    folder
}

fn place(finding: &Value) -> (u64, u64) {
    let start = &finding["range"]["start"];
    (start["line"].as_u64().unwrap(), start["column"].as_u64().unwrap())
}
