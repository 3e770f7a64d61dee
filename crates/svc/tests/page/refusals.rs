//! What does not hold is not shown, and nothing is overwritten by mistake.

use std::fs;

use svc_core::words::kind;

use crate::{desk::Desk, run::copy_folder};

#[test]
fn a_bundle_that_does_not_hold_writes_nothing_and_ends_as_verify_does() {
    for spec in kind::ALL {
        for (from, to) in [("\"accepted\": false", "\"accepted\": true"), ("Weather Board", "Weather Bored")] {
            let desk = Desk::new();
            fs::write(desk.path("report.html"), "mine").unwrap();
            let file = desk.path("bundle").join(spec.file);
            let text = fs::read_to_string(&file).unwrap();
            fs::write(&file, text.replace(from, to)).unwrap();
            let expected = desk.svc(&["app", "verify", "bundle"]);
            let told = desk.report(&[]).exits(expected.code.unwrap());
            assert_ne!(told.code, Some(0), "{}", spec.file);
            assert_eq!(
                told.stderr,
                expected.stderr.trim_end().to_owned() + ". Nothing was written.\n",
                "{}",
                spec.file
            );
            assert_eq!(fs::read_to_string(desk.path("report.html")).unwrap(), "mine");
            let printed = desk.report(&["--out", "-"]);
            assert_eq!(printed.stdout, "", "{}", spec.file);
        }
    }
}

#[test]
fn an_older_bundle_that_does_not_hold_writes_nothing() {
    let desk = Desk::new();
    copy_folder(&desk.path("bundle"), &desk.path("older"));
    fs::remove_file(desk.path("older").join(kind::INDEX.file)).unwrap();
    desk.report(&["--against", "older"]).exits(desk.svc(&["app", "verify", "older"]).code.unwrap());
    desk.report(&["--against", "nowhere"]).exits(3);
    assert!(!desk.path("report.html").exists());
}

#[test]
fn what_is_read_is_never_written_over() {
    let desk = Desk::new();
    let before = fs::read(desk.path("app/dist/index.html")).unwrap();
    for out in ["bundle/svc-registry-index.json", "app/dist/index.html", "app/svc-app.json"] {
        let told = desk.report(&["--package", "app", "--out", out]).exits(2).stderr;
        assert!(told.contains("`--out` must not be the file that is read"), "{told}");
    }
    assert_eq!(fs::read(desk.path("app/dist/index.html")).unwrap(), before);
    desk.report(&["--package", "nowhere"]).exits(3);
    desk.svc(&["app", "report", "nowhere"]).exits(3);
    assert!(!desk.path("report.html").exists());
}
