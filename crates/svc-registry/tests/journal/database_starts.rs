//! A start, and the check of its settings, with a database that cannot be used: both name it and say why.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

use svc_journal::{
    joining::Joining,
    open::{Backend, Location},
    postgres::Settings,
};

use crate::{
    cluster::Cluster,
    run::{Run, program, repository},
    running::{Running, document, post},
};

/// A start and a check with a journal in a database, which end with the same words.
fn refused(folder: &Path, url: &str, authority: &Path, code: i32, said: &[&str]) {
    let arguments = ["serve", "--bind", "127.0.0.1:0", "--data-dir", "data", "--journal", url, "--journal-authority"];
    let run = |more: &[&str]| {
        Run::of(program(folder, &arguments).arg(authority).args(["--journal-password-file", "password"]).args(more))
            .exits(code)
    };
    let (checked, started) = (run(&["--check-config"]), run(&[]));
    for part in said {
        assert!(started.stderr.contains(part), "`{part}` in {}", started.stderr);
    }
    assert!(!started.stderr.contains("\\u{a}") && !started.stderr.contains("hunter2"), "{}", started.stderr);
    assert_eq!(checked.stderr, started.stderr);
    assert_eq!(
        checked.stdout.lines().filter(|line| line.starts_with("failed  journal: ")).count(),
        1,
        "{}",
        checked.stdout
    );
}

#[test]
#[ignore = "needs PostgreSQL; `cargo xtask gates` runs it"]
fn a_database_that_cannot_be_used_is_named_with_the_reason() {
    let cluster = Cluster::start();
    drop(cluster.database("journal"));
    let (port, authority) = cluster.encrypt();
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("password"), "hunter2\n").unwrap();
    // A warning of a file that everybody may read has a time in it.
    fs::set_permissions(folder.path().join("password"), fs::Permissions::from_mode(0o600)).unwrap();
    let url = |role: &str, host: &str, name: &str| format!("postgres://{role}@{host}:{port}/{name}");
    let refused = |url: &str, authority: &Path, code: i32, said: &[&str]| {
        self::refused(folder.path(), url, authority, code, said);
    };
    let at = |host: &str, name: &str| format!("postgres://{host}:{port}/{name}");
    refused(&url("svc", "localhost", "absent"), &authority, 6, &[&at("localhost", "absent"), "does not exist"]);
    refused(&url("svc", "127.0.0.1", "journal"), &authority, 6, &[&at("127.0.0.1", "journal"), "certificate"]);
    let other = repository("crates/journal/tests/suite/other-authority.pem");
    refused(&url("svc", "localhost", "journal"), &other, 6, &[&at("localhost", "journal"), "certificate"]);
    // A log that holds, and a role that may read it and no more.
    let owner = url("svc", "localhost", "journal");
    let settings = Settings::parse(&owner, Some(&authority), None).unwrap();
    let place = Location { backend: Backend::Shared(Box::new(settings)), folder: folder.path().join("data") };
    drop(place.write_joining(&Joining::First).unwrap());
    // Good settings, alone and beside the service that has them.
    let given = ["--data-dir", "data", "--journal", &owner, "--journal-authority", authority.to_str().unwrap()];
    let check = || Run::of(program(folder.path(), &["serve", "--check-config"]).args(given)).exits(0).stdout;
    let name = at("localhost", "journal");
    assert!(check().contains(&format!("ok      journal: 0 records in {name}\n")), "{}", check());
    let running = Running::start(folder.path(), &given);
    assert_eq!(running.status(&post("", &document())), 200);
    assert!(check().contains(&format!("note    journal: 1 records in {name}, in use")), "{}", check());
    running.terminate();
    assert!(running.ended().0.success());
    let superuser = format!("{owner}?sslmode=require&sslcert=/nonexistent&sslkey=/nonexistent");
    cluster.sql(
        &superuser,
        "CREATE ROLE reader LOGIN; GRANT USAGE ON SCHEMA svc_journal TO reader; \
         GRANT SELECT ON ALL TABLES IN SCHEMA svc_journal TO reader",
    );
    let said =
        ["journal-unusable", "INSERT on svc_journal.entry", &at("localhost", "journal"), "postgresql-rights.sql"];
    refused(&url("reader", "localhost", "journal"), &authority, 2, &said);
    cluster.sql(&superuser, "GRANT INSERT ON svc_journal.entry, svc_journal.attribution TO reader");
    refused(&url("reader", "localhost", "journal"), &authority, 2, &["UPDATE on svc_journal.head"]);
    // Another password than the one in the file.
    let rules = cluster.sql(&superuser, "SHOW hba_file").trim().to_owned();
    cluster.sql(
        &superuser,
        &format!("ALTER ROLE reader PASSWORD 'other'; COPY (SELECT 'hostssl all all 127.0.0.1/32 scram-sha-256') TO '{rules}'; SELECT pg_reload_conf()"),
    );
    refused(
        &url("reader", "localhost", "journal"),
        &authority,
        6,
        &["password authentication failed", &at("localhost", "journal")],
    );
}
