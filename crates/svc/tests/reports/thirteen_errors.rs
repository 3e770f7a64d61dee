//! A manifest with thirteen errors: all of them in one run, each where it stands.

use serde_json::json;

use crate::packages::Package;

/// Code, line, column and pointer, counted by hand in `thirteen-errors/svc-app.json`.
const EXPECTED: [(&str, u64, u64, &str); 13] = [
    ("SVC-M001", 1, 1, "/manifestVersion"),
    ("SVC-M010", 4, 9, "/id"),
    ("SVC-J004", 6, 3, ""),
    ("SVC-M011", 7, 14, "/version"),
    ("SVC-M016", 8, 14, "/summary"),
    ("SVC-M027", 9, 24, "/publisher/id"),
    ("SVC-M024", 9, 43, "/publisher/url"),
    ("SVC-M002", 10, 3, "/licence"),
    ("SVC-M020", 13, 24, "/engines/host"),
    ("SVC-P009", 14, 58, "/entry/isolation"),
    ("SVC-P001", 17, 21, "/permissions/1/permission"),
    ("SVC-P005", 19, 26, "/network/allow/0"),
    ("SVC-F001", 21, 22, "/icons/0/src"),
];

#[test]
fn all_thirteen_come_in_one_run_with_their_places_and_nothing_is_written() {
    let package = Package::with_thirteen_errors();
    let run = package.preflight(&["--format", "json"]).exits(1);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let expected = EXPECTED.iter().map(|(code, line, column, pointer)| json!([code, line, column, pointer]));
    let found = report["findings"].as_array().unwrap().iter().map(|finding| {
        let start = &finding["range"]["start"];
        json!([finding["code"], start["line"], start["column"], finding["pointer"]])
    });
    assert_eq!(found.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    assert!(package.written().is_empty(), "{:?}", package.written());
}

#[test]
fn people_see_all_thirteen_with_a_caret_and_a_count() {
    let run = Package::with_thirteen_errors().preflight(&[]).exits(1);
    for (code, line, column, _) in EXPECTED {
        assert!(run.stderr.contains(&format!("error[{code}]: ")), "{code}");
        assert!(run.stderr.contains(&format!("--> app/svc-app.json:{line}:{column}\n")), "{code} at {line}:{column}");
    }
    assert_eq!(run.stderr.matches("^").count(), carets(), "{}", run.stderr);
    assert!(run.stderr.contains("first here"), "the other place of the member that is there twice");
    assert!(run.stderr.ends_with("13 errors. Nothing was written.\n"), "{}", run.stderr);
}

/// The lengths of the marked texts, each cut at the end of its line.
fn carets() -> usize {
    let marked = [
        "{",
        "\"Weather_Board\"",
        "\"name\"",
        "\"1.2\"",
        "\"\"",
        "\"Acme Ltd\"",
        "\"http://acme.dev\"",
        "\"licence\"",
        "\"three\"",
        "\"none\"",
        "\"storage.locl\"",
        "\"http://api.acme.dev\"",
        "\"assets/icon.png\"",
    ];
    marked.iter().map(|text| text.len()).sum()
}
