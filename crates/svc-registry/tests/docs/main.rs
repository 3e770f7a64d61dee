//! The pages that start a registry, and the front page, run as they say: each page in one shell, from the root of a copy of the repository.
//!
//! `page.rs` reads a page into commands and what it shows below each; `shell.rs` runs them. A command that the page shows
//! must end well (one that is meant to fail says so itself, by `|| echo`), and where the page shows what it prints, it
//! must print that. Digests and ids differ from run to run or from rule set to rule set, so of those only the place
//! counts. Pages that start nothing are run by the test `preflight`, which leaves out those that do; here none is forgotten.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod deploy;
mod page;
mod shell;

use std::{fs, path::Path};
use svc_testkit::{cluster::Cluster, run, standby::Replication};

use crate::{
    page::{Page, same_but_for_ids},
    run::repository,
    shell::Ran,
};

/// What builds or tests svc itself, and so is not run by a test of svc.
const EXEMPT: &[&str] = &[
    "cargo build --locked -p svc",
    "cargo build -p svc",
    "cargo build -p svc-registry",
    "cargo xtask gates",
    "cargo xtask test",
];

#[test]
fn the_api_guide_shows_what_the_service_answers() {
    holds("docs/guides/api.md");
}

#[test]
fn the_guide_for_auditors_shows_what_a_watch_finds() {
    holds("docs/guides/auditors.md");
}

#[test]
fn the_guide_to_the_console_shows_what_its_pages_answer() {
    holds("docs/guides/console.md");
}

#[test]
fn the_guide_to_webhooks_shows_what_is_delivered() {
    holds("docs/guides/events.md");
}

#[test]
fn the_operator_guide_shows_what_the_service_does() {
    holds("docs/guides/operators.md");
}

#[test]
fn the_guide_to_verifying_shows_what_the_verifier_does() {
    holds("docs/guides/verifying.md");
}

#[test]
fn the_guide_to_submitting_shows_what_is_kept() {
    holds("docs/guides/submitting.md");
}

#[test]
fn the_first_session_goes_as_its_page_says() {
    holds("docs/guides/first-session.md");
    let page = fs::read_to_string(repository("docs/guides/first-session.md")).unwrap();
    let shown = page.split_once("```diff\n").unwrap().1.split_once("```").unwrap().0;
    assert_eq!(
        shown,
        fs::read_to_string(repository("examples/reading-list.diff")).unwrap(),
        "the edits that are shown"
    );
}

#[test]
fn the_runbook_brings_a_lost_log_back() {
    holds("docs/guides/runbook.md");
}

#[test]
#[ignore = "needs PostgreSQL; `cargo xtask gates` runs it"]
fn the_runbook_for_nodes_brings_a_lost_log_back() {
    let clusters = [Cluster::start(), Cluster::nowhere()];
    let roles = fs::read_to_string(repository("deploy/postgresql.sql")).unwrap();
    let restored = roles.split_once("CREATE DATABASE svc ").unwrap().1.replace("DATABASE svc", "DATABASE restored");
    let restored = format!("CREATE DATABASE restored {restored}").replace("\\connect svc", "\\connect restored");
    clusters[0].script("svc", "postgres", &roles);
    clusters[0].script("svc", "postgres", &restored);
    clusters[1].follow(&clusters[0], Replication::Synchronous);
    let both = [&clusters[0], &clusters[1]];
    let at = |role: &str, name: &str| Cluster::address(&both, name).replace("://svc@", &format!("://{role}@"));
    let mut variables = vec![
        ("DATABASE", at("svc_registry", "svc")),
        ("DATABASE_OWNER", at("svc_registry_owner", "svc")),
        ("RESTORED", at("svc_registry", "restored")),
        ("RESTORED_OWNER", at("svc_registry_owner", "restored")),
        ("OLD_ADMIN", Cluster::address(&both[..1], "postgres")),
        ("NEW_ADMIN", Cluster::address(&both[1..], "postgres")),
    ];
    variables.extend(clusters[0].operator_commands(&clusters[1]));
    holds_with("docs/guides/runbook-postgresql.md", &variables);
}

#[test]
#[ignore = "needs PostgreSQL and nginx; `cargo xtask gates deploy` runs it"]
fn the_guide_to_deploying_leads_to_two_nodes_behind_nginx() {
    let cluster = Cluster::start();
    let database = Cluster::address(&[&cluster], "postgres");
    let host = database.split_once('@').unwrap().1.trim_end_matches("/postgres").to_owned();
    holds_with("docs/guides/deploying.md", &[("ADMIN_DATABASE", database), ("DATABASE_HOST", host)]);
}

#[test]
fn the_front_page_shows_what_svc_does() {
    holds("README.md");
}

#[test]
fn what_is_shown_is_compared() {
    let page = Page::parse("```console\n$ echo one; echo two\none\nthree\n$ false\n$ true\n```\n");
    let faults = faults(&page, &shell::run(&page, &[]));
    assert_eq!(faults.len(), 2, "{faults:?}");
    assert!(faults[0].contains("three") && faults[1].contains("$ false"), "{faults:?}");
}

#[test]
fn every_page_that_starts_a_registry_is_run_here() {
    let run_here = [
        "docs/guides/api.md",
        "docs/guides/auditors.md",
        "docs/guides/console.md",
        "docs/guides/deploying.md",
        "docs/guides/events.md",
        "docs/guides/first-session.md",
        "docs/guides/operators.md",
        "docs/guides/runbook-postgresql.md",
        "docs/guides/runbook.md",
        "docs/guides/submitting.md",
        "docs/guides/verifying.md",
    ];
    let mut found = Vec::new();
    for folder in ["", "conformance", "docs", "docs/guides", "docs/reference"] {
        for entry in fs::read_dir(repository(folder)).unwrap() {
            let path = Path::new(folder).join(entry.unwrap().file_name());
            if path.extension().is_some_and(|end| end == "md") {
                let text = fs::read_to_string(repository(path.to_str().unwrap())).unwrap();
                found.extend(text.contains("\n$ svc-registry serve").then(|| path.to_str().unwrap().to_owned()));
            }
        }
    }
    found.sort();
    assert_eq!(found, run_here);
}

/// A page that nothing leads to is not found.
#[test]
fn every_page_of_the_documentation_is_in_its_list() {
    let list = fs::read_to_string(repository("docs/README.md")).unwrap();
    for folder in ["", "guides/", "reference/"] {
        for entry in fs::read_dir(repository(&format!("docs/{folder}"))).unwrap() {
            let name = format!("{folder}{}", entry.unwrap().file_name().to_str().unwrap());
            let is_page = name.ends_with(".md") && name != "README.md";
            assert!(!is_page || list.contains(&format!("({name})")), "docs/README.md leads nobody to {name}");
        }
    }
}

fn holds(name: &str) {
    holds_with(name, &[]);
}

/// The same for a page that needs more from its surroundings, which it finds in these variables.
fn holds_with(name: &str, variables: &[(&str, String)]) {
    let page = Page::parse(&fs::read_to_string(repository(name)).unwrap());
    let faults = faults(&page, &shell::run(&page, variables));
    assert!(faults.is_empty(), "{name}\n{}", faults.join("\n"));
}

/// What did not end well or printed something else than the page shows.
fn faults(page: &Page, ran: &[Ran]) -> Vec<String> {
    assert_eq!(page.commands.len(), ran.len(), "the shell ended early: {:?}", ran.last());
    let pairs = page.commands.iter().zip(ran);
    let faulty = pairs.filter(|(command, ran)| {
        let differs = !command.shown.is_empty() && !same_but_for_ids(&command.shown, &ran.printed);
        !EXEMPT.contains(&command.line.as_str()) && (ran.code != 0 || differs)
    });
    faulty
        .map(|(command, ran)| {
            let shown = command.shown.join("\n");
            format!("$ {}\nended with {}\nis to print:\n{shown}\nprinted:\n{}", command.line, ran.code, ran.printed)
        })
        .collect()
}
