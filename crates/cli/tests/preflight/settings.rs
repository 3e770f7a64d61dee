//! `svc.toml`: what the one who runs svc wants, and where it may not lead.

use std::fs;

use crate::{run::copy_folder, workplace::Workplace};

fn with(text: &str) -> Workplace {
    let here = Workplace::new();
    fs::write(here.path("app/svc.toml"), text).unwrap();
    here
}

#[test]
fn the_wishes_of_the_file_are_followed_and_told() {
    let here = with(
        "out-dir = \"bundle\"\nformat = \"human\"\nreports = [\"sarif\", \"junit\", \"json\"]\n\
         owner-id = \"acme-web\"\nowner-name = \"Acme Web\"\nvisibility = \"unlisted\"\n",
    );
    let run = here.svc(&["preflight", "app"]).exits(0).stdout;
    assert!(run.contains("Settings  app/svc.toml\n"), "{run}");
    let submission = fs::read_to_string(here.path("app/bundle/svc-registry-submission.json")).unwrap();
    for part in ["acme-web", "Acme Web", "unlisted"] {
        assert!(submission.contains(part), "{part}");
    }
    assert!(!submission.contains("svc.toml"), "the file is for the one who runs svc, and no part of the package");
    for file in ["svc.sarif", "svc.junit.xml", "svc.json"] {
        assert!(here.path(&format!("app/svc-reports/{file}")).is_file(), "{file}");
    }
    // What it wrote is no part of the package either.
    here.svc(&["app", "verify", "app/bundle", "--package", "app"]).exits(0);
    let again = here.svc(&["preflight", "app"]).exits(0).stdout;
    assert!(again.contains("unchanged app/bundle/"), "{again}");
}

#[test]
fn the_command_line_stands_before_the_file_and_what_is_denied_adds_up() {
    let here = with("out-dir = \"bundle\"\nformat = \"json\"\nreports = [\"sarif\"]\ndeny = [\"SVC-M026\"]\n");
    let run = here.svc(&["preflight", "app", "--out-dir", "given", "--format", "concise"]).exits(0);
    assert!(run.stdout.contains("valid: yes"), "{}", run.stdout);
    assert!(here.path("given").is_dir() && !here.path("app/bundle").exists() && !here.path("app/svc-reports").exists());
    let manifest = fs::read_to_string(here.path("app/svc-app.json")).unwrap();
    let mut manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    manifest.as_object_mut().unwrap().remove("support");
    fs::write(here.path("app/svc-app.json"), manifest.to_string()).unwrap();
    here.svc(&["check", "app", "--deny", "SVC-F010", "--format", "concise"]).exits(1);
    fs::remove_file(here.path("app/svc.toml")).unwrap();
    here.svc(&["check", "app", "--deny", "SVC-F010"]).exits(0);
}

#[test]
fn a_folder_stands_for_the_packages_that_its_file_names() {
    let here = Workplace::new();
    fs::create_dir(here.path("apps")).unwrap();
    for (folder, id) in [("apps/one", "dev.acme.one"), ("apps/two", "dev.acme.two")] {
        copy_folder(&here.path("app"), &here.path(folder));
        let path = here.path(&format!("{folder}/svc-app.json"));
        fs::write(&path, fs::read_to_string(&path).unwrap().replace("dev.acme.weather-board", id)).unwrap();
    }
    fs::create_dir(here.path("apps/notes")).unwrap();
    fs::write(here.path("svc.toml"), "packages = [\"app\", \"apps/*\"]\n").unwrap();
    here.svc(&["preflight"]).exits(0);
    for id in ["dev.acme.one", "dev.acme.two", "dev.acme.weather-board"] {
        assert!(here.path(&format!("svc-registry/{id}")).is_dir(), "{id}");
    }
    // What the file of a package denies holds also when it is one of several.
    fs::write(here.path("apps/two/svc.toml"), "deny-warnings = true\n").unwrap();
    let path = here.path("apps/one/svc-app.json");
    let mut manifest: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    manifest.as_object_mut().unwrap().remove("support");
    fs::write(&path, manifest.to_string()).unwrap();
    here.svc(&["check"]).exits(1);
}

#[test]
fn a_file_that_cannot_be_followed_is_refused_by_line_and_nothing_is_written() {
    let cases = [
        ("out-dir = 3\n", "svc.toml:1:11: "),
        ("\nallow = [\"SVC-M026\"]\n", "svc.toml:2:1: unknown field `allow`"),
        ("deny = [\"SVC-M026\", \"SVC-X999\"]\n", "svc.toml:1:21: only the code of a rule can be denied"),
        ("format = \"yaml\"\n", "svc.toml:1:10: there is no format `yaml`"),
        ("visibility = \"world\"\n", "svc.toml:1:14: there is no visibility `world`"),
        ("packages = [\"nowhere\"]\n", "svc.toml:1:13: `nowhere` names no package"),
        ("packages = [\"assets/*\"]\n", "names no package"),
        ("out-dir = \"../elsewhere\"\n", "must be a relative path without `..`"),
        ("out-dir = \"/tmp/elsewhere\"\n", "must be a relative path without `..`"),
        ("out-dir = \"build/bundle\"\n", "must be one name beside the file"),
        ("out-dir = \"\"\n", "must be a relative path without `..`"),
        ("packages = [\"..\"]\n", "must be a relative path without `..`"),
        ("reports = [\"sarif=x\"]\n", "there is no format `sarif=x`"),
        ("a = \u{1b}[31m\n", "svc.toml:1:6: "),
    ];
    for (text, expected) in cases {
        let here = with(text);
        for command in ["preflight", "check"] {
            let run = here.svc(&[command, "app"]).exits(2);
            assert!(run.stderr.contains(expected), "{text}: {}", run.stderr);
            assert!(!run.stderr.contains('\u{1b}'), "{text}: {}", run.stderr);
        }
        assert!(!here.path("svc-registry").exists(), "{text}");
    }
}

/// In a format without a place for it, a line beside the report names the file; the JSON report has it.
#[test]
fn no_file_does_anything_unseen() {
    let here = with("format = \"concise\"\nvisibility = \"public\"\n");
    let run = here.svc(&["preflight", "app"]).exits(0);
    assert!(run.stderr.contains("settings: app/svc.toml\n"), "{}", run.stderr);
    let json = here.svc(&["check", "app", "--format", "json"]).exits(0).stdout;
    assert!(json.contains("\"settings\": [\n    \"app/svc.toml\"\n  ]"), "{json}");
    copy_folder(&here.path("app"), &here.path("other"));
    let path = here.path("other/svc-app.json");
    fs::write(&path, fs::read_to_string(&path).unwrap().replace("weather-board", "other")).unwrap();
    fs::write(here.path("other/svc.toml"), "deny = [\"SVC-M026\"]\n").unwrap();
    let several = here.svc(&["check", "app", "other"]).exits(0).stdout;
    assert!(several.contains("Settings  other/svc.toml\n"), "{several}");
}

/// A repository whose packages leave one by one stays a repository.
#[test]
fn a_folder_that_stands_for_its_packages_does_so_also_for_one() {
    let here = Workplace::new();
    copy_folder(&here.path("app"), &here.path("apps/one"));
    copy_folder(&here.path("app"), &here.path("apps/two"));
    let path = here.path("apps/two/svc-app.json");
    fs::write(&path, fs::read_to_string(&path).unwrap().replace("weather-board", "other")).unwrap();
    fs::write(here.path("svc.toml"), "packages = [\"apps/*\"]\n").unwrap();
    here.svc(&["preflight"]).exits(0);
    fs::remove_dir_all(here.path("apps/two")).unwrap();
    let check = here.svc(&["preflight", "--check"]).exits(5).stdout;
    assert!(check.contains("stale     svc-registry/dev.acme.other\n"), "{check}");
    here.svc(&["preflight"]).exits(0);
    here.svc(&["app", "verify", "svc-registry"]).exits(0);
}

#[cfg(unix)]
#[test]
fn the_file_of_somebody_elses_package_leads_nowhere() {
    use std::os::unix::fs::symlink;

    let here = with("out-dir = \"away\"\nreports = [\"json\"]\n");
    fs::create_dir(here.path("private")).unwrap();
    symlink(here.path("private"), here.path("app/away")).unwrap();
    let run = here.svc(&["preflight", "app"]).exits(2);
    assert!(run.stderr.contains("must not lead through a link"), "{}", run.stderr);
    fs::write(here.path("app/svc.toml"), "reports = [\"json\"]\n").unwrap();
    symlink(here.path("private"), here.path("app/svc-reports")).unwrap();
    let run = here.svc(&["check", "app"]).exits(3);
    assert!(run.stderr.contains("must be a folder, and is none"), "{}", run.stderr);
    assert_eq!(fs::read_dir(here.path("private")).unwrap().count(), 0);
    fs::remove_file(here.path("app/svc.toml")).unwrap();
    symlink("/proc/self/environ", here.path("app/svc.toml")).unwrap();
    let run = here.svc(&["check", "app"]).exits(3);
    assert!(!run.stderr.contains("PATH="), "{}", run.stderr);
}
