//! `svc.toml`: your settings, what a package's own file may set, and where no file may lead.

use std::{fs, path::Path};

use serde_json::Value;

use crate::{
    run::{Run, copy_folder, program},
    workplace::Workplace,
};

fn with(text: &str) -> Workplace {
    let here = Workplace::new();
    fs::write(here.path("app/svc.toml"), text).unwrap();
    here
}

/// Runs `svc` in the folder of the package.
fn inside(here: &Workplace, arguments: &[&str]) -> Run {
    Run::of(&mut program(&here.path("app"), arguments))
}

/// Takes a recommended member away, so that there is a warning.
fn warned(manifest: &Path) {
    let mut value: Value = serde_json::from_slice(&fs::read(manifest).unwrap()).unwrap();
    value.as_object_mut().unwrap().remove("support");
    fs::write(manifest, value.to_string()).unwrap();
}

/// The package under review is broken and brings a sound one, which its settings name.
fn decoy() -> Workplace {
    let here = Workplace::new();
    copy_folder(&here.path("app"), &here.path("evil"));
    copy_folder(&here.path("app"), &here.path("evil/decoy"));
    let manifest = here.path("evil/svc-app.json");
    fs::write(&manifest, fs::read_to_string(&manifest).unwrap().replace("\"1.2.0\"", "\"1.2\"")).unwrap();
    fs::write(here.path("evil/svc.toml"), "packages = [\"decoy\"]\n").unwrap();
    here
}

#[test]
fn a_package_does_not_choose_what_its_reviewer_checks() {
    let here = decoy();
    for arguments in [
        &["check", "evil"][..],
        &["check", "evil", "--deny-blockers"],
        &["check", "evil/"],
        &["check", "./evil"],
        &["check", "evil/svc-app.json"],
        &["preflight", "evil"],
        &["preflight", "evil", "--check"],
        &["app", "check", "evil"],
        &["check", "evil", "app"],
    ] {
        for format in ["human", "json"] {
            let run = Run::of(&mut program(here.folder(), &[arguments, &["--format", format]].concat())).exits(1);
            let shown = run.stdout + &run.stderr;
            assert!(shown.contains("evil/svc-app.json"), "{arguments:?}: {shown}");
            assert!(!shown.contains("decoy"), "{arguments:?}: {shown}");
        }
    }
    // In the folder itself the same is checked, by any name.
    for arguments in [&["check"][..], &["check", "."], &["check", "svc-app.json"], &["check", "../evil"]] {
        let run = Run::of(&mut program(&here.path("evil"), arguments)).exits(1);
        assert!(!run.stderr.contains("decoy") && run.stdout.contains("(ignored: packages; "), "{}", run.stdout);
    }
    // A folder inside the package has no say either.
    fs::write(here.path("evil/decoy/svc.toml"), "packages = [\".\"]\nformat = \"json\"\n").unwrap();
    let run = Run::of(&mut program(&here.path("evil/decoy"), &["check", ".."])).exits(1);
    assert!(run.stdout.contains("Settings  svc.toml (ignored: packages, format; "), "{}", run.stdout);
    // A folder that is no package cannot say which ones are checked in its place.
    fs::remove_file(here.path("evil/svc-app.json")).unwrap();
    here.svc(&["check", "evil"]).exits(3);
    Run::of(&mut program(&here.path("evil"), &["check"])).exits(0);
}

/// Every member with a value that would show, and where it takes effect: in a package's own file, in the current folder
/// that is a package, in the current folder that is none.
const TABLE: [(&str, &str, [bool; 3]); 10] = [
    ("packages", "packages = [\"app\"]", [false, false, true]),
    ("out-dir", "out-dir = \"elsewhere\"", [false, true, true]),
    ("format", "format = \"json\"", [false, true, true]),
    ("reports", "reports = [\"junit\"]", [false, true, true]),
    ("deny", "deny = [\"SVC-M026\"]", [true, true, true]),
    ("deny-warnings", "deny-warnings = true", [true, true, true]),
    ("deny-blockers", "deny-blockers = true", [true, true, true]),
    ("owner-id", "owner-id = \"someone\"", [false, true, true]),
    ("owner-name", "owner-name = \"Someone\"", [false, true, true]),
    ("visibility", "visibility = \"public\"", [false, true, true]),
];

#[test]
fn every_member_is_in_the_table() {
    let explained = Workplace::new().svc(&["explain", "settings"]).exits(0).stdout;
    let rows = explained.lines().filter_map(|line| line.strip_prefix("  ")?.split_once(" = ")).map(|(name, _)| name);
    assert_eq!(rows.collect::<Vec<_>>(), TABLE.map(|(name, _, _)| name));
}

#[test]
fn every_member_takes_effect_where_it_may_and_is_named_where_it_may_not() {
    for (name, line, takes_effect) in TABLE {
        for (place, expected) in ["package", "current package", "current folder"].into_iter().zip(takes_effect) {
            let here = Workplace::new();
            warned(&here.path("app/svc-app.json"));
            if name == "deny-blockers" {
                let path = here.path("app/svc-app.json");
                let mut value: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
                value["categories"] = serde_json::json!(["no-such-category"]);
                fs::write(path, value.to_string()).unwrap();
            }
            let file = if place == "current folder" { "svc.toml" } else { "app/svc.toml" };
            let plain = effect(&here, name, place);
            fs::write(here.path(file), format!("{line}\n")).unwrap();
            let set = effect(&here, name, place);
            assert_eq!(plain.what != set.what, expected, "{name} in {place}: {} / {}", plain.what, set.what);
            let is_named = set.shown.contains(&format!("ignored: {name};")) || set.shown.contains(&ignored_json(name));
            assert_eq!(is_named, !expected, "{name} in {place}: {}", set.shown);
        }
    }
}

fn ignored_json(name: &str) -> String {
    format!("\"ignored\": [\n        \"{name}\"\n      ]")
}

struct Effect {
    /// What the member decides.
    what: String,
    shown: String,
}

fn effect(here: &Workplace, name: &str, place: &str) -> Effect {
    for left in ["svc-registry", "elsewhere", "svc-reports"] {
        let _ = fs::remove_dir_all(here.path(left));
        let _ = fs::remove_dir_all(here.path("app").join(left));
    }
    let run = match (place, name) {
        ("current package", _) => inside(here, &["preflight"]),
        ("current folder", "packages") => Run::of(&mut program(here.folder(), &["preflight"])),
        _ => Run::of(&mut program(here.folder(), &["preflight", "app"])),
    };
    let root = if place == "current package" { here.path("app") } else { here.path(".") };
    let submission = |folder: &str| -> Value {
        let bytes = fs::read(root.join(folder).join("svc-registry-submission.json")).unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    };
    let what = match name {
        "packages" => format!("{:?} {}", run.code, root.join("svc-registry/dev.acme.weather-board").is_dir()),
        "out-dir" => root.join("elsewhere").is_dir().to_string(),
        "format" => run.stdout.starts_with('{').to_string(),
        "reports" => root.join("svc-reports").is_dir().to_string(),
        "owner-id" | "owner-name" => submission("svc-registry")["owner"].to_string(),
        "visibility" => submission("svc-registry")["visibility"].to_string(),
        _ => format!("{:?}", run.code),
    };
    Effect { what, shown: run.stdout + &run.stderr }
}

/// Whatever `out-dir` leaves out of the package is a bundle and nothing else.
#[test]
fn a_folder_with_other_files_is_not_left_out_as_a_bundle() {
    let here = with("out-dir = \"assets\"\n");
    fs::create_dir_all(here.path("app/assets")).unwrap();
    fs::write(here.path("app/assets/extra.js"), "1\n").unwrap();
    for command in [&["check"][..], &["preflight"], &["preflight", "--check"]] {
        let run = inside(&here, command).exits(3);
        assert!(run.stderr.contains("assets: holds `"), "{}", run.stderr);
    }
    here.svc(&["check", "app", "--out-dir", "app/assets"]).exits(3);
    here.svc(&["check", "app"]).exits(0);
}

#[test]
fn the_wishes_of_the_file_are_followed_and_told() {
    let here = with(
        "out-dir = \"bundle\"\nformat = \"human\"\nreports = [\"sarif\", \"junit\", \"json\"]\n\
         owner-id = \"acme-web\"\nowner-name = \"Acme Web\"\nvisibility = \"unlisted\"\n",
    );
    let run = inside(&here, &["preflight"]).exits(0).stdout;
    assert!(run.contains("Settings  svc.toml\n"), "{run}");
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
    let again = inside(&here, &["preflight"]).exits(0).stdout;
    assert!(again.contains("unchanged bundle/"), "{again}");
}

#[test]
fn the_command_line_takes_precedence_over_the_file_and_what_is_denied_adds_up() {
    let here = with("out-dir = \"bundle\"\nformat = \"json\"\nreports = [\"sarif\"]\ndeny = [\"SVC-M026\"]\n");
    let run = inside(&here, &["preflight", "--out-dir", "given", "--format", "concise"]).exits(0);
    assert!(run.stdout.contains("valid: yes"), "{}", run.stdout);
    assert!(here.path("app/given").is_dir());
    assert!(!here.path("app/bundle").exists() && !here.path("app/svc-reports").exists());
    fs::remove_dir_all(here.path("app/given")).unwrap();
    warned(&here.path("app/svc-app.json"));
    here.svc(&["check", "app", "--deny", "SVC-F010", "--format", "concise"]).exits(1);
    fs::remove_file(here.path("app/svc.toml")).unwrap();
    here.svc(&["check", "app", "--deny", "SVC-F010"]).exits(0);
    fs::write(here.path("svc.toml"), "deny = [\"SVC-M026\"]\n").unwrap();
    here.svc(&["check", "app"]).exits(1);
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
        let here = Workplace::new();
        fs::write(here.path("svc.toml"), text).unwrap();
        fs::create_dir(here.path("assets")).unwrap();
        for command in [&["preflight"][..], &["check", "app"]] {
            let run = here.svc(command).exits(2);
            assert!(run.stderr.contains(expected), "{text}: {}", run.stderr);
            assert!(!run.stderr.contains('\u{1b}'), "{text}: {}", run.stderr);
        }
        assert!(!here.path("svc-registry").exists(), "{text}");
    }
}

/// In a format without a place for it, a line on standard error names the file; the JSON report has it.
#[test]
fn no_file_does_anything_unseen() {
    let here = with("format = \"concise\"\nvisibility = \"public\"\n");
    let run = inside(&here, &["preflight"]).exits(0);
    assert!(run.stderr.contains("settings: svc.toml\n"), "{}", run.stderr);
    let run = here.svc(&["check", "app", "--format", "concise"]).exits(0);
    assert!(run.stderr.contains("settings: app/svc.toml (ignored: format, visibility; see"), "{}", run.stderr);
    let json: Value = serde_json::from_str(&here.svc(&["check", "app", "--format", "json"]).exits(0).stdout).unwrap();
    assert_eq!(json["settings"][0]["file"], "app/svc.toml");
    assert_eq!(json["settings"][0]["ignored"], serde_json::json!(["format", "visibility"]));
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
    let run = inside(&here, &["preflight"]).exits(2);
    assert!(run.stderr.contains("must not lead through a link"), "{}", run.stderr);
    fs::write(here.path("app/svc.toml"), "reports = [\"json\"]\n").unwrap();
    symlink(here.path("private"), here.path("app/svc-reports")).unwrap();
    let run = inside(&here, &["check"]).exits(3);
    assert!(run.stderr.contains("must be a folder, and is none"), "{}", run.stderr);
    assert_eq!(fs::read_dir(here.path("private")).unwrap().count(), 0);
    fs::remove_file(here.path("app/svc.toml")).unwrap();
    symlink("/proc/self/environ", here.path("app/svc.toml")).unwrap();
    for run in [here.svc(&["check", "app"]), inside(&here, &["check"])] {
        assert!(!run.exits(3).stderr.contains("PATH="));
    }
}
