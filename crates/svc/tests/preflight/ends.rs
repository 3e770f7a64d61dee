//! How a run ends: what is left for the author, what each artifact is for, and colour where it was asked for.

use std::fs;

use serde_json::{Value, json};

use crate::{
    run::{Run, program},
    workplace::Workplace,
};

fn change(here: &Workplace, change: impl FnOnce(&mut Value)) {
    let path = here.path("app/svc-app.json");
    let mut manifest: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    change(&mut manifest);
    fs::write(path, serde_json::to_vec_pretty(&manifest).unwrap()).unwrap();
}

#[test]
fn a_preflight_ends_with_what_is_left_for_the_author() {
    let here = Workplace::new();
    let clean = here.svc(&["preflight", "app"]).exits(0).stdout;
    assert!(clean.contains("Yours     nothing is left to do"), "{clean}");
    let plan = here.svc(&["plan", "svc-registry"]).exits(0).stdout;
    assert!(plan.contains("Nothing is left for the author to do."), "{plan}");
    change(&here, |manifest| drop(manifest.as_object_mut().unwrap().remove("support")));
    let warned = here.svc(&["check", "app"]).exits(0).stdout;
    assert!(warned.contains("Yours     nothing must be done; worth correcting: SVC-M026\n"), "{warned}");
    change(&here, |manifest| manifest["categories"] = json!(["weather"]));
    let blocked = here.svc(&["preflight", "app"]).exits(0).stdout;
    assert!(
        blocked.contains("Yours     to be cleared before the next stage: SVC-M022; worth correcting: SVC-M026\n"),
        "{blocked}"
    );
    // The author's own comes first in the plan too, and the gates after it.
    let plan = here.svc(&["plan", "svc-registry"]).exits(0).stdout;
    let places = ["SVC-M022  cleared by the author", "SVC-M026  worth correcting", "publisher-verification unverified"];
    let places = places.map(|text| plan.find(text).unwrap_or_else(|| panic!("{text} in {plan}")));
    assert!(places.is_sorted(), "{plan}");
}

#[test]
fn an_artifact_is_shown_with_what_it_is_for_and_what_only_it_has() {
    let here = Workplace::new();
    here.svc(&["preflight", "app"]).exits(0);
    for (artifact, lines) in [
        (
            "install-policy",
            &[
                "For       Install-policy preflight",
                "Asks for  network.fetch          medium risk",
                "Reaches   https://api.acme.dev",
                "Isolation sandboxed-frame",
            ][..],
        ),
        (
            "publisher-verification",
            &[
                "Publisher acme  https://acme.dev",
                "Proof     dns-txt          unchecked  _svc-publisher.acme.dev  sha256:",
            ],
        ),
        (
            "signing-request",
            &["Statement https://in-toto.io/Statement/v1", "Subject   package-artifact sha256:", "Signed by nobody"],
        ),
        ("review-evidence", &["Storage   reviews/sha256/"]),
    ] {
        let shown = here.svc(&["inspect", &format!("svc-registry/svc-registry-{artifact}.json")]).exits(0).stdout;
        for line in lines {
            assert!(shown.lines().any(|found| found.starts_with(line)), "{line} in {shown}");
        }
    }
}

#[test]
fn colour_is_forced_and_forbidden_by_the_variables_that_others_use() {
    let here = Workplace::new();
    fs::write(here.path("app/svc-app.json"), "{}").unwrap();
    let colored = |variables: &[(&str, &str)], arguments: &[&str]| {
        let mut command = program(here.folder(), &[&["check", "app"][..], arguments].concat());
        command.envs(variables.iter().copied());
        Run::of(&mut command).exits(1).stderr.contains('\u{1b}')
    };
    assert!(!colored(&[], &[]));
    assert!(colored(&[("FORCE_COLOR", "1")], &[]));
    assert!(colored(&[("CLICOLOR_FORCE", "1")], &[]));
    assert!(colored(&[], &["--color", "always"]));
    for off in [&[("FORCE_COLOR", "0")][..], &[("CLICOLOR_FORCE", "")], &[("FORCE_COLOR", "1"), ("NO_COLOR", "1")]] {
        assert!(!colored(off, &[]), "{off:?}");
    }
    assert!(!colored(&[("FORCE_COLOR", "1")], &["--color", "never"]));
}

#[test]
fn a_quiet_run_prints_errors_alone() {
    let here = Workplace::new();
    here.svc(&["init", "fresh", "-q"]).exits(0);
    here.svc(&["preflight", "app", "-q"]).exits(0);
    for quiet in [
        &["init", "other", "-q"][..],
        &["check", "app", "-q"],
        &["preflight", "app", "-q"],
        &["diff", "svc-registry", "svc-registry", "-q"],
        &["export", "svc-registry", "--as", "oci", "-q"],
    ] {
        let run = here.svc(quiet).exits(0);
        assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""), "{quiet:?}");
    }
    assert!(!here.svc(&["init", "--dry-run", "-q", "another"]).exits(0).stdout.is_empty());
}
