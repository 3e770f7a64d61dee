//! `svc app export`: the forms of other tools, whole or not at all, and never more than the bundle says.

use std::fs;

use serde_json::Value;

use crate::{run::Run, workplace::Workplace};

fn export(here: &Workplace, form: &str, out: &str) -> Run {
    here.svc(&["app", "export", "svc-registry", "--as", form, "--out", out])
}

/// What it reads is not what it writes.
#[test]
fn a_file_of_the_bundle_is_not_replaced_by_its_export() {
    let here = crate::workplace::Workplace::new();
    here.svc(&["preflight", "app"]).exits(0);
    let before = crate::workplace::files_in(&here.path("svc-registry"));
    here.svc(&["export", "svc-registry", "--as", "cyclonedx", "--out", "svc-registry/svc-registry-submission.json"])
        .exits(2);
    assert_eq!(crate::workplace::files_in(&here.path("svc-registry")), before);
}

#[test]
fn the_same_bundle_gives_the_same_bytes_and_every_export_says_no() {
    let here = Workplace::new();
    here.svc(&["preflight", "app"]).exits(0);
    for (form, file) in [("oci", "index.json"), ("in-toto", "statement.json"), ("cyclonedx", "")] {
        let [one, two] = ["one", "two"].map(|out| format!("{out}-{form}"));
        for out in [&one, &two] {
            let run = export(&here, form, out).exits(0);
            assert!(
                run.stdout.contains("\nOutcome   accepted no, signed no, installable no\nChecked   "),
                "{}",
                run.stdout
            );
        }
        let [one, two] =
            [one, two].map(|out| fs::read(here.path(&out).join(file)).or_else(|_| fs::read(here.path(&out))));
        assert_eq!(one.unwrap(), two.unwrap(), "{form}");
    }
    let statement: Value = serde_json::from_slice(&fs::read(here.path("one-in-toto/statement.json")).unwrap()).unwrap();
    assert_eq!(statement["predicate"]["gateStatuses"]["artifact-signing"], "unsigned");
    let printed = here.svc(&["export", "svc-registry", "--as", "cyclonedx", "--out", "-"]).exits(0).stdout;
    assert_eq!(printed.as_bytes(), fs::read(here.path("one-cyclonedx")).unwrap());
}

#[test]
fn nothing_is_replaced_and_nothing_half_written() {
    let here = Workplace::new();
    here.svc(&["preflight", "app"]).exits(0);
    fs::create_dir(here.path("taken")).unwrap();
    fs::write(here.path("taken/work.txt"), "mine").unwrap();
    fs::write(here.path("file"), "mine").unwrap();
    let before = here.listing();
    for out in ["taken", "file", "no/such/folder"] {
        export(&here, "oci", out).exits(3);
        assert_eq!(here.listing(), before, "{out}");
    }
    export(&here, "in-toto", "-").exits(2);
    here.svc(&["export", "svc-registry"]).exits(2);
    here.svc(&["export", "app", "--as", "zip"]).exits(2);
    fs::create_dir(here.path("empty")).unwrap();
    export(&here, "oci", "empty").exits(0);
}

#[test]
fn a_bundle_that_does_not_hold_has_no_other_form() {
    let here = Workplace::new();
    here.svc(&["preflight", "app"]).exits(0);
    let path = here.path("svc-registry/svc-registry-install-policy.json");
    let text = fs::read_to_string(&path).unwrap().replacen("\"installable\": false", "\"installable\": true", 1);
    fs::write(&path, text).unwrap();
    let before = here.listing();
    for form in ["oci", "in-toto", "cyclonedx"] {
        export(&here, form, "out").exits(7);
    }
    assert_eq!(here.listing(), before);
}
