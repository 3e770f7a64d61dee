//! `svc app validate --fix`: one answer, written in the layout of the file.

use std::fs;

use crate::workplace::Workplace;

/// What is changed in the manifest, and the diff that mends it.
const MENDS: &[(&str, &str, &str)] = &[
    (
        "\"renderer\": \"dist/index.html\",\n    \"isolation\": \"sandboxed-frame\",",
        "\"renderer\": \"dist/index.html\",",
        "+    \"isolation\": \"sandboxed-frame\"\n",
    ),
    ("\"license\": \"MIT\"", "\"license\": \"mit\"", "-  \"license\": \"mit\",\n+  \"license\": \"MIT\",\n"),
    ("\"productivity\",", "\"productivity\",\n    \"productivity\",", "-    \"productivity\",\n"),
];

#[test]
fn a_member_is_added_a_word_put_right_and_a_double_taken_out() {
    for (good, wrong, expected) in MENDS {
        let here = Workplace::new();
        let manifest = here.path("app/svc-app.json");
        let text = fs::read_to_string(&manifest).unwrap();
        assert!(text.contains(good), "{good} is not in\n{text}");
        let broken = text.replace(good, wrong);
        fs::write(&manifest, &broken).unwrap();
        let shown = here.svc(&["app", "validate", "app/svc-app.json", "--fix", "--dry-run"]).stdout;
        assert!(shown.contains(expected), "no {expected} in\n{shown}");
        assert_eq!(fs::read_to_string(&manifest).unwrap(), broken, "a dry run writes nothing");
        here.svc(&["app", "validate", "app/svc-app.json", "--fix"]).exits(0);
        let mended: serde_json::Value = serde_json::from_slice(&fs::read(&manifest).unwrap()).unwrap();
        assert_eq!(mended, serde_json::from_str::<serde_json::Value>(&text).unwrap());
    }
}
