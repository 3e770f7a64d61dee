//! Help, version and what a mistyped command gets.

use svc_core::samples::rules;

use crate::{
    commands::thirteen,
    folder::{self, untouched},
    svc::svc,
    terminal::assert_plain,
};

/// What stands beside the thirteen.
const OTHERS: [&str; 14] = [
    "check",
    "diff",
    "export",
    "files",
    "help",
    "init",
    "inspect",
    "plan",
    "preflight",
    "publisher",
    "report",
    "submit",
    "validate",
    "verify",
];

#[test]
fn help_is_a_result_and_no_error() {
    let cases: [&[&str]; 9] = [
        &[],
        &["--help"],
        &["-h"],
        &["help"],
        &["help", "--help"],
        &["app", "--help"],
        &["app", "help"],
        &["app", "help", "-h"],
        &["log", "help", "--help"],
    ];
    for arguments in cases {
        let folder = folder::empty();
        let run = untouched(folder.path(), || svc(arguments).in_folder(folder.path()).run());
        let list = if run.out().contains("Packages:\n") { "Registries:" } else { "Commands:" };
        run.exits(0).prints(&["Usage: svc", list]);
        assert!(run.stderr.is_empty(), "{}", run.err());
        assert_plain(&run);
    }
    for command in thirteen() {
        let run = svc(["app", command.name, "--help"]).run();
        run.exits(0).prints(&[&format!("Usage: svc app {}", command.name)]);
        if let Some(spec) = command.makes {
            run.prints(&["--out", spec.file]);
        }
    }
}

#[test]
fn the_help_of_app_lists_the_thirteen_in_order_and_the_known_others() {
    let help = svc(["app", "--help"]).run().out();
    let (_, list) = help.split_once("Commands:\n").unwrap();
    let (list, _) = list.split_once("\n\n").unwrap();
    let names: Vec<&str> =
        list.lines().filter_map(|line| line.strip_prefix("  ")).filter(|line| !line.starts_with(' ')).collect();
    let names: Vec<&str> = names.iter().map(|line| line.split(' ').next().unwrap()).collect();
    let expected: Vec<&str> = thirteen().iter().map(|command| command.name).collect();
    let (steps, others): (Vec<&str>, Vec<&str>) = names.iter().partition(|name| expected.contains(name));
    assert_eq!(steps, expected);
    for other in others {
        assert!(OTHERS.contains(&other), "nobody knows `svc app {other}`");
    }
}

#[test]
fn a_mistyped_command_is_a_usage_error_with_a_suggestion() {
    for command in thirteen() {
        let mut mistyped = command.name.to_owned();
        mistyped.pop();
        if thirteen().iter().any(|other| other.name == mistyped) {
            continue;
        }
        let folder = folder::empty();
        let run = untouched(folder.path(), || svc(["app", &mistyped]).in_folder(folder.path()).run());
        run.exits(2).prints_nothing().reports(&[&mistyped, command.name]);
    }
    for (mistyped, meant) in
        [("ap", "app"), ("lifecycl", "lifecycle"), ("contracts", "contract"), ("explan", "explain")]
    {
        svc([mistyped]).run().exits(2).prints_nothing().reports(&[mistyped, &format!("'{meant}'")]);
    }
    for (arguments, meant) in [
        (["contract", "limit"], "limits"),
        (["schema", "indexx"], "index"),
        (["explain", "artifact-has"], "artifact-hash"),
        (["explain", "SVC-B06"], "SVC-B006"),
    ] {
        svc(arguments).run().stops(2, arguments[1], &format!("did you mean `{meant}`"));
    }
    svc(["quite-another-thing"]).run().exits(2).prints_nothing().reports(&["quite-another-thing", "--help"]);
    svc(["app"]).run().exits(2).prints_nothing().reports(&["Usage: svc app"]);
}

#[test]
fn the_version_names_the_schema_and_the_rules() {
    let own = rules().ruleset();
    let run = svc(["--version"]).run();
    let digest = own.digest.to_string();
    run.exits(0).prints(&[env!("CARGO_PKG_VERSION"), "schema 1.0", &own.version.to_string(), &digest]);
    assert!(run.stderr.is_empty());
    svc(["-V"]).run().exits(0).prints(&["svc ", env!("CARGO_PKG_VERSION")]);
}

#[test]
fn no_word_of_help_promises_what_svc_never_does() {
    for arguments in [&["--help"][..], &["app", "--help"], &["app", "pack", "--help"]] {
        let help = svc(arguments).run().out().to_lowercase();
        for word in ["marketplace", "approved", "trusted", "safe "] {
            assert!(!help.contains(word), "{word} in {help}");
        }
    }
}

#[test]
fn a_command_of_the_other_program_names_the_one_to_run() {
    for (old, new) in [
        (&["serve", "--bind", "127.0.0.1:0"][..], "svc-registry serve --bind"),
        (&["token", "list", "--file", "t.json"], "svc-registry token list --file t.json"),
        (&["journal", "prune", "--before", "5"], "svc-registry journal prune --before 5"),
        (&["journal", "verify", "--data-dir", "data"], "svc-registry journal verify --data-dir data"),
        (&["journal", "verify", "exported"], "svc log verify exported"),
        (&["journal", "watch", "--once"], "svc log watch --once"),
        (&["events", "list"], "svc-registry events list"),
        (&["witness", "serve", "--help"], "svc-registry witness serve --help"),
    ] {
        let folder = folder::empty();
        let run = untouched(folder.path(), || svc(old).in_folder(folder.path()).run());
        run.exits(2).prints_nothing().reports(&[new]);
    }
}
