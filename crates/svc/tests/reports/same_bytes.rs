//! The same tree gives the same bytes, whoever looks at it and wherever.

use std::{fs, os::unix::fs::symlink, path::Path};

use crate::{
    packages::Package,
    run::{Run, program},
};

const FORMATS: [&str; 6] = ["human", "concise", "json", "sarif", "junit", "github"];

const SURROUNDINGS: [&[(&str, &str)]; 4] = [
    &[],
    &[("TZ", "Pacific/Kiritimati"), ("LC_ALL", "tr_TR.UTF-8"), ("LANG", "tr_TR.UTF-8")],
    &[("TZ", "UTC"), ("LC_ALL", "C"), ("HOME", "/nonexistent"), ("USER", "somebody")],
    &[("RAYON_NUM_THREADS", "1"), ("SOURCE_DATE_EPOCH", "0"), ("CI", "true"), ("GITHUB_ACTIONS", "true")],
];

#[test]
fn every_format_is_the_same_in_every_surrounding_and_under_every_name_of_the_folder() {
    for package in [Package::complete(), with_warnings(), Package::with_thirteen_errors()] {
        let other_name = tempfile::tempdir().unwrap();
        let link = other_name.path().join("link");
        symlink(package.folder(), &link).unwrap();
        let folders = [package.folder(), &link, &package.folder().join("app/.."), package.folder()];
        let mut reports =
            folders.iter().zip(SURROUNDINGS).map(|(folder, around)| all_formats(&package, folder, around));
        let first = reports.next().unwrap();
        for (number, other) in reports.enumerate() {
            for (format, (first, other)) in FORMATS.iter().zip(first.iter().zip(&other)) {
                assert_eq!(first, other, "{format} with {:?}", SURROUNDINGS[number + 1]);
            }
        }
    }
}

#[test]
fn a_copy_of_the_tree_made_in_another_order_gives_the_same_reports() {
    let first = with_warnings();
    let second = Package::copy_of("examples/minimal");
    fs::remove_dir_all(second.path("app")).unwrap();
    copy_backwards(&first.path("app"), &second.path("app"));
    assert_eq!(all_formats(&first, first.folder(), &[]), all_formats(&second, second.folder(), &[]));
}

fn with_warnings() -> Package {
    let package = Package::complete();
    for name in ["z", "a", "ä", "M", "m-2"] {
        package.write(&format!("dist/{name}.js.orig"), "");
    }
    package
}

/// The reports of one run from a clean start, one for each format.
fn all_formats(package: &Package, folder: &Path, surrounding: &[(&str, &str)]) -> Vec<String> {
    let _ = fs::remove_dir_all(package.path("svc-registry"));
    let targets = FORMATS.map(|format| format!("--format={format}={format}.out"));
    let mut command = program(folder, &["app", "preflight", "app"]);
    Run::of(command.args(targets).envs(surrounding.iter().copied()));
    FORMATS.iter().map(|format| fs::read_to_string(package.path(&format!("{format}.out"))).unwrap()).collect()
}

fn copy_backwards(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    let mut entries: Vec<_> = fs::read_dir(from).unwrap().map(|entry| entry.unwrap()).collect();
    entries.sort_by_key(|entry| std::cmp::Reverse(entry.file_name()));
    for entry in entries {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_backwards(&entry.path(), &target);
        } else {
            fs::write(&target, fs::read(entry.path()).unwrap()).unwrap();
        }
    }
}
