//! The tables of the rules, and for each rule more than one way to break it.
//!
//! The rows' own examples are run in [`super::example`]; here stand the spellings that somebody would try.

use std::collections::{BTreeMap, BTreeSet};

use svc_json::digest::Digest;

use crate::{
    finding::Finding,
    pack::{self, Walked},
    package::{artifact::FileEntry, folder::Folder, scan::Scanner},
    rules::{
        artifacts, example_package::ExamplePackage, files, listing, manifest, permissions, ruleset, run::package_rules,
        syntax,
    },
    scalar::{ident::Version, path::PackagePath, size::Size},
    words::{
        example::Example,
        exit_code::{Exit, ExitCode},
        rule::{Needs, Rule},
        rule_code::RuleCode,
        severity::Severity,
    },
};

const FAMILIES: &[(char, &[&Rule])] = &[
    ('B', artifacts::ALL),
    ('F', files::ALL),
    ('J', syntax::ALL),
    ('L', listing::ALL),
    ('M', manifest::ALL),
    ('P', permissions::ALL),
];

#[test]
fn codes_are_unique_and_sorted_and_carry_the_letter_of_their_family() {
    let mut codes = BTreeSet::new();
    for (letter, family) in FAMILIES {
        assert!(family.is_sorted_by(|left, right| left.code < right.code), "{letter}");
        for rule in *family {
            assert!(codes.insert(rule.code), "{} stands twice", rule.code);
            let digits = rule.code.strip_prefix(&format!("SVC-{letter}")).expect(rule.code);
            assert!(digits.len() == 3 && digits.bytes().all(|byte| byte.is_ascii_digit()), "{}", rule.code);
        }
    }
    assert_eq!(ruleset::all().map(|rule| rule.code).collect::<Vec<_>>(), codes.into_iter().collect::<Vec<_>>());
}

#[test]
fn every_rule_is_explained_in_sentences() {
    for rule in ruleset::all() {
        for sentence in [rule.why, rule.fix] {
            assert!(sentence.ends_with('.'), "{}: {sentence}", rule.code);
            assert!(
                sentence.starts_with(|first: char| first.is_uppercase() || first == '`'),
                "{}: {sentence}",
                rule.code
            );
            assert!(!sentence.contains("  ") && sentence.len() > 5, "{}: {sentence}", rule.code);
        }
        assert!(!rule.title.ends_with('.') && !rule.title.is_empty(), "{}: {}", rule.code, rule.title);
        assert!(!rule.title.starts_with("The "), "{}: {}", rule.code, rule.title);
    }
}

#[test]
fn a_rule_is_found_with_and_without_its_prefix_and_nothing_else_is() {
    for rule in ruleset::all() {
        let short = rule.code.strip_prefix("SVC-").unwrap();
        for spelling in [rule.code.to_owned(), short.to_owned(), rule.code.to_lowercase(), short.to_lowercase()] {
            assert_eq!(ruleset::find(&spelling).map(|rule| rule.code), Some(rule.code), "{spelling}");
        }
    }
    for unknown in ["", "SVC-", "M", "M01", "M0100", "SVC-Z001", "SVC-SVC-M010", "M010 ", " M010", "-M010", "SVC_M010"]
    {
        assert!(ruleset::find(unknown).is_none(), "{unknown:?}");
    }
}

#[test]
fn what_a_finding_does_follows_from_its_severity() {
    for rule in ruleset::all() {
        let fails = rule.exit != Exit::None;
        assert_eq!(fails, rule.severity == Severity::Error, "{}", rule.code);
        assert_eq!(ExitCode::of(rule.exit).code() == 0, !fails, "{}", rule.code);
    }
    let with =
        |exit: Exit| ruleset::all().filter(move |rule| rule.exit == exit).map(|rule| rule.code).collect::<Vec<_>>();
    assert_eq!(with(Exit::OpenClaim), ["SVC-B006", "SVC-B007"]);
    assert_eq!(with(Exit::Digest), ["SVC-B003", "SVC-B005", "SVC-B010"]);
}

#[test]
fn refusals_of_the_reader_are_400_and_all_others_422() {
    for rule in ruleset::all() {
        let status = if rule.needs == Needs::Text { 400 } else { 422 };
        assert_eq!(rule.problem.spec().status, status, "{}", rule.code);
        assert_eq!(rule.needs == Needs::Text, rule.code.starts_with("SVC-J"), "{}", rule.code);
        assert_eq!(rule.needs == Needs::Artifact, rule.code.starts_with("SVC-B"), "{}", rule.code);
    }
}

#[test]
fn the_rule_set_has_one_version_and_one_digest() {
    assert!(Version::parse(ruleset::VERSION).is_some());
    let own = ruleset::own();
    assert_eq!(own, ruleset::own());
    assert_eq!(own.version.as_str(), ruleset::VERSION);
    for rule in ruleset::all() {
        let names: BTreeSet<&str> = rule.parameters.iter().map(|(name, _)| *name).collect();
        assert_eq!(names.len(), rule.parameters.len(), "{}", rule.code);
        assert!(rule.revision >= 1, "{}", rule.code);
    }
}

#[test]
fn a_report_lists_every_rule_about_packages_once_in_order() {
    let listed: Vec<&str> = package_rules().map(|rule| rule.code).collect();
    assert!(listed.is_sorted_by(|left, right| left < right));
    let expected: Vec<&str> =
        ruleset::all().filter(|rule| rule.needs != Needs::Artifact).map(|rule| rule.code).collect();
    assert_eq!(listed, expected);
}

/// A rule, the pointer or file where it must fire, and a change to the base package on which it does.
type Row = (&'static str, &'static str, Example);

const fn manifest(code: &'static str, place: &'static str, patch: &'static str) -> Row {
    (code, place, Example::Manifest(patch))
}

const fn file(code: &'static str, place: &'static str, lines: &'static str) -> Row {
    (code, place, Example::Files(lines))
}

static MANIFEST_ROWS: &[Row] = &[
    manifest("M001", "/manifestVersion", r#"{ "manifestVersion": null }"#),
    manifest("M001", "/entry/isolation", r#"{ "entry": { "isolation": null } }"#),
    manifest("M001", "/network/allow", r#"{ "network": { "allow": null } }"#),
    manifest("M001", "/publisher/id", r#"{ "publisher": { "id": null, "name": "Acme" } }"#),
    manifest("M001", "/icons/0/sizes", r#"{ "icons": [{ "src": "assets/icon.png" }] }"#),
    manifest("M001", "/permissions/0/purpose", r#"{ "permissions": [{ "permission": "network.fetch" }] }"#),
    manifest("M002", "/Id", r#"{ "Id": "dev.acme.weather-board" }"#),
    manifest("M002", "/dependencies", r#"{ "dependencies": {} }"#),
    manifest("M002", "/installable", r#"{ "installable": false }"#),
    manifest("M002", "/entry/main", r#"{ "entry": { "main": "index.html" } }"#),
    manifest("M002", "/entry/csp/scripts-src", r#"{ "entry": { "csp": { "scripts-src": ["'self'"] } } }"#),
    manifest("M002", "/publisher/verified", r#"{ "publisher": { "verified": true } }"#),
    manifest("M003", "/name", r#"{ "name": 1 }"#),
    manifest("M003", "/files", r#"{ "files": "**" }"#),
    manifest("M003", "/entry", r#"{ "entry": ["index.html"] }"#),
    manifest("M003", "/keywords/0", r#"{ "keywords": [1] }"#),
    manifest("M003", "/keywords/0", r#"{ "keywords": [" weather"] }"#),
    manifest("M003", "/description", r#"{ "description": "" }"#),
    manifest("M003", "/_meta", r#"{ "_meta": { "__proto__": "x" } }"#),
    manifest("M003", "/_meta", r#"{ "_meta": { "constructor": "x" } }"#),
    manifest("M003", "/_meta", r#"{ "_meta": { "a": 1 } }"#),
    manifest("M003", "/locales/default", r#"{ "locales": { "default": "EN", "dir": "locales" } }"#),
    manifest("M003", "/icons/0/sizes", r#"{ "icons": [{ "src": "assets/icon.png", "sizes": "any" }] }"#),
    manifest(
        "M003",
        "/configuration/0/type",
        r#"{ "configuration": [{ "key": "a", "type": "number", "title": "A" }] }"#,
    ),
    manifest(
        "M003",
        "/configuration/0/required",
        r#"{ "configuration": [{ "key": "a", "type": "text", "title": "A", "required": "no" }] }"#,
    ),
    manifest(
        "M003",
        "/contributes/views/0/id",
        r#"{ "contributes": { "views": [{ "id": "1x", "slot": "a", "title": "A" }] } }"#,
    ),
    manifest("M004", "/manifestVersion", r#"{ "manifestVersion": 0 }"#),
    manifest("M004", "/manifestVersion", r#"{ "manifestVersion": "1" }"#),
    manifest("M004", "/manifestVersion", r#"{ "manifestVersion": [1] }"#),
    manifest("M005", "/$schema", r#"{ "$schema": null }"#),
    manifest("M010", "/id", r#"{ "id": "weather-board" }"#),
    manifest("M010", "/id", r#"{ "id": "dev.acme" }"#),
    manifest("M010", "/id", r#"{ "id": "Dev.acme.board" }"#),
    manifest("M010", "/id", r#"{ "id": "dev..acme.board" }"#),
    manifest("M010", "/id", r#"{ "id": "dev.acme.-board" }"#),
    manifest("M010", "/id", r#"{ "id": "dev.acme.board_2" }"#),
    manifest("M010", "/id", r#"{ "id": "1dev.acme.board" }"#),
    manifest("M010", "/id", r#"{ "id": "dev.аcme.board" }"#),
    manifest("M010", "/id", r#"{ "id": "a.b.c.d.e.f.g.h.i.j.k" }"#),
    manifest("M011", "/version", r#"{ "version": "1.2" }"#),
    manifest("M011", "/version", r#"{ "version": "1.2.3.4" }"#),
    manifest("M011", "/version", r#"{ "version": "01.2.3" }"#),
    manifest("M011", "/version", r#"{ "version": "1.2.3-" }"#),
    manifest("M011", "/version", r#"{ "version": "" }"#),
    manifest("M011", "/version", r#"{ "version": "v1.2.3" }"#),
    manifest("M011", "/version", r#"{ "version": "1000000000000000.0.0" }"#),
    manifest("M012", "/version", r#"{ "version": "latest" }"#),
    manifest("M012", "/version", r#"{ "version": "^1.2.0" }"#),
    manifest("M012", "/version", r#"{ "version": "~1" }"#),
    manifest("M012", "/version", r#"{ "version": "1.x" }"#),
    manifest("M012", "/version", r#"{ "version": "*" }"#),
    manifest("M012", "/version", r#"{ "version": "1.0.0 || 2.0.0" }"#),
    manifest("M013", "/id", r#"{ "id": "svc.acme.board" }"#),
    manifest("M013", "/id", r#"{ "id": "system.acme.board" }"#),
    manifest("M013", "/id", r#"{ "id": "registry.acme.board" }"#),
    manifest("M013", "/id", r#"{ "id": "internal.acme.board" }"#),
    manifest("M013", "/id", r#"{ "id": "h0st.acme.board" }"#),
    manifest("M013", "/id", r#"{ "id": "suc.acme.board" }"#),
    manifest("M013", "/id", r#"{ "id": "systern.acme.board" }"#),
    manifest("M013", "/id", r#"{ "id": "in-ternal.acme.board" }"#),
    manifest("M014", "/name", r#"{ "name": "" }"#),
    manifest("M014", "/name", r#"{ "name": " Board" }"#),
    manifest("M014", "/name", r#"{ "name": "Two\nlines" }"#),
    manifest("M014", "/name", r#"{ "name": "A name of forty-six characters, one too many.." }"#),
    manifest("M014", "/shortName", r#"{ "shortName": "" }"#),
    manifest("M014", "/publisher/name", r#"{ "publisher": { "name": "a\tb" } }"#),
    manifest("M016", "/summary", r#"{ "summary": "" }"#),
    manifest("M016", "/summary", r#"{ "summary": "Ends with a blank " }"#),
    manifest("M017", "/name", r#"{ "name": "My app" }"#),
    manifest("M017", "/shortName", r#"{ "shortName": "TBD" }"#),
    manifest("M017", "/summary", r#"{ "summary": "Lorem ipsum dolor." }"#),
    manifest("M017", "/description", r#"{ "description": "Fixme!" }"#),
    manifest("M018", "/license", r#"{ "license": "" }"#),
    manifest("M018", "/license", r#"{ "license": "proprietary" }"#),
    manifest("M018", "/license", r#"{ "license": "MIT/Apache-2.0" }"#),
    manifest("M018", "/license", r#"{ "license": "MIT OR" }"#),
    manifest("M020", "/engines/host", r#"{ "engines": { "host": "" } }"#),
    manifest("M020", "/engines/host", r#"{ "engines": { "host": ">=x" } }"#),
    manifest("M020", "/engines/host", r#"{ "engines": { "host": ">=3 || <2" } }"#),
    manifest("M021", "/engines/host", r#"{ "engines": { "host": ">3" } }"#),
    manifest("M021", "/engines/host", r#"{ "engines": { "host": "*" } }"#),
    manifest("M021", "/engines/host", r#"{ "engines": { "host": ">=3.2.0 >2.0.0" } }"#),
    manifest("M022", "/categories/0", r#"{ "categories": ["Productivity"] }"#),
    manifest("M022", "/categories/1", r#"{ "categories": ["data", "weather"] }"#),
    manifest("M022", "/categories/3", r#"{ "categories": ["data", "design", "games", "other"] }"#),
    manifest("M024", "/publisher/url", r#"{ "publisher": { "url": "http://acme.dev" } }"#),
    manifest("M024", "/privacyPolicy", r#"{ "privacyPolicy": "https://127.0.0.1/privacy" }"#),
    manifest("M024", "/repository/url", r#"{ "repository": { "url": "https://user:pw@acme.dev/x" } }"#),
    manifest("M024", "/support/url", r#"{ "support": { "url": "javascript:alert(1)" } }"#),
    manifest("M024", "/support/url", r#"{ "support": { "url": "https://localhost/" } }"#),
    manifest("M025", "/repository", r#"{ "repository": null }"#),
    manifest("M026", "/support", r#"{ "support": null }"#),
    manifest("M027", "/publisher/id", r#"{ "publisher": { "id": "" } }"#),
    manifest("M027", "/publisher/id", r#"{ "publisher": { "id": "a--b" } }"#),
    manifest("M027", "/publisher/id", r#"{ "publisher": { "id": "-acme" } }"#),
    manifest("M027", "/publisher/id", r#"{ "publisher": { "id": "аcme" } }"#),
    manifest("M029", "/publisher/url", r#"{ "publisher": { "url": null } }"#),
    manifest("M029", "/publisher/url", r#"{ "publisher": { "url": "https://acme.co.uk" } }"#),
    manifest("M029", "/publisher/url", r#"{ "publisher": { "url": "https://weather-board.acme.dev" } }"#),
];

static PERMISSION_ROWS: &[Row] = &[
    manifest(
        "P001",
        "/permissions/0/permission",
        r#"{ "permissions": [{ "permission": "everything", "purpose": "Does all things." }] }"#,
    ),
    manifest(
        "P001",
        "/permissions/0/permission",
        r#"{ "permissions": [{ "permission": "Network.Fetch", "purpose": "Reads forecasts." }] }"#,
    ),
    manifest(
        "P002",
        "/permissions/0/purpose",
        r#"{ "permissions": [{ "permission": "network.fetch", "purpose": "" }] }"#,
    ),
    manifest("P002", "/network/purpose", r#"{ "network": { "purpose": "two\nlines of it" } }"#),
    manifest("P002", "/network/purpose", r#"{ "network": { "purpose": null } }"#),
    manifest(
        "P003",
        "/permissions/0/purpose",
        r#"{ "permissions": [{ "permission": "network.fetch", "purpose": "x" }] }"#,
    ),
    manifest("P003", "/network/purpose", r#"{ "network": { "purpose": "Reads forecasts for the places you pin." } }"#),
    manifest(
        "P004",
        "/permissions/1/permission",
        r#"{ "permissions": [{ "permission": "network.fetch", "purpose": "Reads forecasts." }, { "permission": "network.fetch", "purpose": "Reads warnings." }] }"#,
    ),
    manifest("P005", "/network/allow/0", r#"{ "network": { "allow": ["*"] } }"#),
    manifest("P005", "/network/allow/0", r#"{ "network": { "allow": ["https://*"] } }"#),
    manifest("P005", "/network/allow/0", r#"{ "network": { "allow": ["http://api.acme.dev"] } }"#),
    manifest("P005", "/network/allow/0", r#"{ "network": { "allow": ["https://10.0.0.1"] } }"#),
    manifest("P005", "/network/allow/0", r#"{ "network": { "allow": ["https://localhost"] } }"#),
    manifest("P005", "/network/allow/0", r#"{ "network": { "allow": ["https://api.acme.dev/path"] } }"#),
    manifest("P006", "/network/allow", r#"{ "permissions": [] }"#),
    manifest("P006", "/network/allow", r#"{ "network": { "allow": [] } }"#),
    manifest("P006", "/entry/csp/connect-src/0", r#"{ "entry": { "csp": { "connect-src": ["cdn.acme.dev"] } } }"#),
    manifest("P006", "/entry/csp/img-src/0", r#"{ "entry": { "csp": { "img-src": ["https://img.acme.dev"] } } }"#),
    manifest("P007", "/network/allow/0", r#"{ "network": { "allow": ["https://*.acme.dev"] } }"#),
    manifest("P008", "/entry/csp/script-src/0", r#"{ "entry": { "csp": { "script-src": ["'unsafe-eval'"] } } }"#),
    manifest("P008", "/entry/csp/script-src/0", r#"{ "entry": { "csp": { "script-src": ["'UNSAFE-INLINE'"] } } }"#),
    manifest("P008", "/entry/csp/default-src/1", r#"{ "entry": { "csp": { "default-src": ["'self'", "*"] } } }"#),
    manifest("P008", "/entry/csp/script-src/0", r#"{ "entry": { "csp": { "script-src": ["data:"] } } }"#),
    manifest(
        "P008",
        "/entry/csp/worker-src/0",
        r#"{ "entry": { "csp": { "worker-src": ["https://api.acme.dev"] } } }"#,
    ),
    manifest("P008", "/entry/csp/connect-src/0", r#"{ "entry": { "csp": { "connect-src": ["https:"] } } }"#),
    manifest("P009", "/entry/isolation", r#"{ "entry": { "isolation": "none" } }"#),
    manifest("P009", "/entry/isolation", r#"{ "entry": { "isolation": "Sandboxed-Frame" } }"#),
    manifest("P010", "/dataCollection", r#"{ "dataCollection": [] }"#),
    manifest("P010", "/dataCollection", r#"{ "dataCollection": ["usage", "none"] }"#),
    manifest("P010", "/dataCollection/0", r#"{ "dataCollection": ["nothing"] }"#),
    manifest("P011", "/privacyPolicy", r#"{ "privacyPolicy": null }"#),
    file("P012", "app.js", "app.js: eval(answer);"),
    file("P012", "app.js", "app.js: new Function(answer)();"),
    file("P012", "page.html", "page.html: <script src=\"https://cdn.acme.dev/x.js\"></script>"),
    file("P012", "app.mjs", "app.mjs: import x from \"https://cdn.acme.dev/x.js\";"),
];

static LISTING_ROWS: &[Row] = &[
    manifest("L001", "/icons/0/src", r#"{ "icons": [{ "src": "README.md", "sizes": "512x512" }] }"#),
    manifest("L001", "/icons/0/sizes", r#"{ "icons": [{ "src": "assets/icon.png", "sizes": "1024x1024" }] }"#),
    manifest(
        "L001",
        "/icons/1/sizes",
        r#"{ "icons": [{ "src": "assets/icon.png", "sizes": "512x512" }, { "src": "assets/icon.png", "sizes": "256x256" }] }"#,
    ),
    file("L001", "/icons/0/src", "assets/icon.png: hex:89504e470d0a1a0a"),
    manifest("L003", "/icons/0/src", r#"{ "icons": [{ "src": "assets/icon-256.png", "sizes": "256x256" }] }"#),
    manifest("L004", "/icons/0/src", r#"{ "icons": [{ "src": "assets/icon.svg", "sizes": "512x512" }] }"#),
    manifest("L004", "/icons/0/src", r#"{ "icons": [{ "src": "assets/ICON.SVG", "sizes": "512x512" }] }"#),
    manifest("L006", "/screenshots", r#"{ "screenshots": null }"#),
    manifest("L006", "/screenshots", r#"{ "screenshots": [] }"#),
    manifest("L006", "/screenshots/0/alt", r#"{ "screenshots": [{ "src": "assets/board.png" }] }"#),
    manifest("L008", "/locales/default", r#"{ "locales": { "default": "fr", "dir": "locales" } }"#),
    manifest("L008", "/locales/default", r#"{ "locales": { "default": "en", "dir": "i18n" } }"#),
    manifest("L009", "/name", r#"{ "name": "Verified Board" }"#),
    manifest("L009", "/shortName", r#"{ "shortName": "TRUSTED" }"#),
    manifest("L009", "/summary", r#"{ "summary": "An approved, certified board." }"#),
    manifest("L009", "/description", r#"{ "description": "This board is installable." }"#),
    manifest("L009", "/publisher/name", r#"{ "publisher": { "name": "Acme (official)" } }"#),
    file("L010", "README.md", "README.md: Replace this line with what your package does."),
];

static FILE_ROWS: &[Row] = &[
    manifest("F001", "/entry/renderer", r#"{ "entry": { "renderer": "dist/index.html" } }"#),
    manifest("F001", "/icons/0/src", r#"{ "icons": [{ "src": "assets/none.png", "sizes": "512x512" }] }"#),
    manifest(
        "F001",
        "/screenshots/0/src",
        r#"{ "screenshots": [{ "src": "assets/Board.png", "alt": "The board." }] }"#,
    ),
    manifest("F002", "/entry/renderer", r#"{ "entry": { "renderer": "../index.html" } }"#),
    manifest("F002", "/entry/renderer", r#"{ "entry": { "renderer": "/index.html" } }"#),
    manifest("F002", "/icons/0/src", r#"{ "icons": [{ "src": "assets\\icon.png", "sizes": "512x512" }] }"#),
    manifest("F002", "/icons/0/src", r#"{ "icons": [{ "src": "con.png", "sizes": "512x512" }] }"#),
    manifest("F002", "/locales/dir", r#"{ "locales": { "default": "en", "dir": ".." } }"#),
    manifest("F002", "/repository/subfolder", r#"{ "repository": { "subfolder": "app/." } }"#),
    manifest("F002", "/files/1", r#"{ "files": ["**", "../shared/**"] }"#),
    manifest("F002", "/files/1", r#"{ "files": ["**", "/etc/**"] }"#),
    manifest("F002", "/files/1", r#"{ "files": ["**", ""] }"#),
    file("F003", "assets/icon.png", "assets/ICON.png"),
    file("F003", "locales/en.json", "Locales/de.json"),
    file("F003", "index.html/x", "index.html/x"),
    file("F003", "stra\u{df}e.txt", "STRASSE.txt\nstra\u{df}e.txt"),
    file("F003", "/files", "SVC-App.json"),
    file("F006", "tool", "tool: hex:7f454c4602010100"),
    file("F006", "tool", "tool: hex:4d5a900003000000"),
    file("F006", "tool", "tool: hex:cffaedfe07000001"),
    file("F006", "run", "run: #!/bin/sh"),
    file("F006", "setup.EXE", "setup.EXE: x"),
    file("F006", "lib/native.node", "lib/native.node: x"),
    file("F007", "Thumbs.db", "Thumbs.db"),
    file("F007", "app.js.bak", "app.js.bak"),
    file("F007", "._app.js", "._app.js"),
    file("F007", "__MACOSX/app.js", "__MACOSX/app.js"),
    file("F007", "app.js~", "app.js~"),
    file("F008", ".env", ".env: A=1"),
    file("F008", ".env.production", ".env.production: A=1"),
    file("F008", "keys/ID_RSA", "keys/ID_RSA: x"),
    file("F008", "server.pem", "server.pem: x"),
    file("F008", "app.js", "app.js: const key = \"AKIA0000000000000000\";"),
    file("F008", "notes.md", "notes.md: -----BEGIN EC PRIVATE KEY-----"),
    file("F009", "node_modules/x/index.js", "node_modules/x/index.js"),
    file("F009", ".git/config", ".git/config"),
    file("F009", "src/__tests__/a.js", "src/__tests__/a.js"),
    file("F009", "yarn.lock", "yarn.lock"),
    file("F009", "app.js.map", "app.js.map: {}"),
    file("F010", "svc-registry-submission.json", "svc-registry-submission.json: {}"),
    file("F010", "svc-registry-install-policy.json", "svc-registry-install-policy.json: {}"),
    file("F010", "out/svc-registry-index.json", "out/svc-registry-index.json: {}"),
    file("F010", "SVC-Registry-Index.json", "SVC-Registry-Index.json: {}"),
    file("F011", "/files", "- README.md"),
    file("F011", "/files", "- README.md\ndocs/README.md: # Docs"),
    manifest("F012", "/files/1", r#"{ "files": ["**", "asets/**"] }"#),
    file("F013", "index.html.sig", "index.html.sig"),
    file("F013", "META-INF/MANIFEST.MF", "META-INF/MANIFEST.MF"),
    file("F013", "bundle.sigstore", "bundle.sigstore"),
    file("F013", "app.js.asc", "app.js.asc"),
];

/// Rules that need sizes or a disk: their tests stand with their examples and with the walk.
const ELSEWHERE: &[&str] = &["SVC-F004", "SVC-F005", "SVC-F014", "SVC-F015", "SVC-F016"];

#[test]
fn every_way_to_break_a_rule_is_found_where_it_is_and_no_secret_is_repeated() {
    for (code, place, example) in rows() {
        let package = example.package().unwrap_or_else(|| panic!("{code}: {example:?} is no package"));
        let findings = findings_of(&package);
        let fired = findings.iter().any(|finding| {
            let at_place = finding.pointer.as_str() == *place || finding.file.as_deref() == Some(*place);
            finding.rule.code.ends_with(code) && at_place
        });
        let told: Vec<_> =
            findings.iter().map(|finding| (finding.rule.code, finding.pointer.as_str(), &finding.file)).collect();
        assert!(fired, "{code} at {place} on {example:?}: {told:?}");
        for Finding { message, help, .. } in &findings {
            assert!(!message.is_empty() && !help.is_empty(), "{code} at {place}");
            assert!(!message.contains("AKIA") && !help.contains("AKIA"), "{message} {help}");
        }
    }
}

#[test]
fn every_rule_about_packages_is_broken_by_some_row() {
    let broken: BTreeSet<String> = rows().map(|(code, ..)| format!("SVC-{code}")).collect();
    for rule in package_rules().filter(|rule| rule.needs != Needs::Text) {
        assert_ne!(broken.contains(rule.code), ELSEWHERE.contains(&rule.code), "{}", rule.code);
    }
}

#[test]
fn the_rules_need_what_they_say_they_need() {
    for (code, _, example) in rows() {
        let package = example.package().unwrap();
        let rule = ruleset::find(code).unwrap();
        let draft = pack::read_manifest(&package.manifest).unwrap();
        // Without a walk there is neither a table nor bytes, and a rule that needs one of them stays silent.
        let blind = draft.review(Walked::default()).findings;
        let fired = blind.iter().any(|finding| finding.rule == rule);
        let has_check = [files::CHECKS, listing::CHECKS, manifest::CHECKS, permissions::CHECKS]
            .into_iter()
            .flatten()
            .any(|(checked, _)| *checked == rule);
        let by_shape = !has_check || (code == &"F002");
        let can_fire = rule.needs == Needs::Manifest || by_shape;
        assert_eq!(fired, can_fire, "{code} {example:?}");
    }
}

#[test]
fn the_example_package_breaks_no_rule() {
    let mut package = ExamplePackage {
        manifest: include_bytes!("../../../../examples/weather-board/svc-app.json").to_vec(),
        files: BTreeMap::new(),
    };
    let files: [(&str, &[u8]); 10] = [
        ("CHANGELOG.md", include_bytes!("../../../../examples/weather-board/CHANGELOG.md")),
        ("LICENSE", include_bytes!("../../../../examples/weather-board/LICENSE")),
        ("README.md", include_bytes!("../../../../examples/weather-board/README.md")),
        ("assets/icon.png", include_bytes!("../../../../examples/weather-board/assets/icon.png")),
        (
            "assets/screenshots/board.png",
            include_bytes!("../../../../examples/weather-board/assets/screenshots/board.png"),
        ),
        ("dist/app.js", include_bytes!("../../../../examples/weather-board/dist/app.js")),
        ("dist/index.html", include_bytes!("../../../../examples/weather-board/dist/index.html")),
        ("dist/style.css", include_bytes!("../../../../examples/weather-board/dist/style.css")),
        ("locales/de.json", include_bytes!("../../../../examples/weather-board/locales/de.json")),
        ("locales/en.json", include_bytes!("../../../../examples/weather-board/locales/en.json")),
    ];
    package.files.extend(files.map(|(path, bytes)| (path.to_owned(), bytes.to_vec())));
    let told: Vec<_> = findings_of(&package).into_iter().map(|finding| (finding.rule.code, finding.message)).collect();
    assert_eq!(told, []);
}

fn rows() -> impl Iterator<Item = &'static Row> {
    [MANIFEST_ROWS, PERMISSION_ROWS, LISTING_ROWS, FILE_ROWS].into_iter().flatten()
}

/// Everything that is found about a package whose bytes are all known, submitted by the base's owner.
fn findings_of(package: &ExamplePackage) -> Vec<Finding> {
    let draft = pack::read_manifest(&package.manifest).unwrap();
    let mut matched = Vec::new();
    for (place, pattern) in draft.patterns() {
        matched.resize(place, true);
        let start = pattern.split('*').next().unwrap();
        matched.push(package.files.keys().any(|path| path.starts_with(start)));
    }
    let mut walked = Walked { folder: Folder { matched, ..Folder::default() }, ..Walked::default() };
    let mut table = Vec::new();
    for (path, bytes) in &package.files {
        let mut scanner = Scanner::new(path);
        scanner.chunk(bytes);
        walked.folder.seen.insert(path.clone(), scanner.finish());
        let size = Size::new(bytes.len() as u64).unwrap();
        table.push(FileEntry::new(PackagePath::parse(path).unwrap(), size, Digest::of(bytes)));
    }
    walked.files = Some(table);
    draft.review(walked).findings
}

#[test]
fn every_code_has_one_row_and_every_row_its_code() {
    let rows: Vec<&str> = ruleset::all().map(|rule| rule.code).collect();
    let codes: Vec<&str> = RuleCode::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(rows, codes);
    assert!(RuleCode::ALL.iter().all(|code| ruleset::row(*code).code == code.as_str()));
}
