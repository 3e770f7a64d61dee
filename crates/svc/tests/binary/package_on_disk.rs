//! `svc app verify DIR --package DIR`: the files behind a bundle, byte by byte.

use std::{fs, os::unix::fs::symlink};

use serde_json::json;

use crate::{
    bundle::{Bundle, Package},
    folder::untouched,
    svc::Run,
};

fn verify(package: &Package) -> Run {
    let root = package.root();
    untouched(&root, || Bundle::new().verify(&["--package", root.to_str().unwrap()]))
}

#[test]
fn an_untouched_package_holds() {
    verify(&Package::new("weather-board")).exits(0).prints(&["Valid     yes"]);
}

#[test]
fn a_changed_byte_in_any_file_is_named() {
    let files = [
        "dist/app.js",
        "dist/style.css",
        "dist/index.html",
        "assets/icon.png",
        "assets/screenshots/board.png",
        "locales/en.json",
        "README.md",
        "LICENSE",
    ];
    for file in files {
        let package = Package::new("weather-board");
        let mut bytes = fs::read(package.root().join(file)).unwrap();
        // The last byte: it ends no word and no header.
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        package.write(file, &bytes);
        verify(&package).exits(4).reports(&["error[SVC-B003]", file, "help:"]);
    }
}

#[test]
fn an_added_file_is_named() {
    let package = Package::new("weather-board");
    package.write("dist/added.js", b"export {};\n");
    verify(&package).exits(4).reports(&["error[SVC-B010]", "dist/added.js", "help:"]);
}

#[test]
fn a_removed_file_is_named() {
    let package = Package::new("weather-board");
    fs::remove_file(package.root().join("dist/style.css")).unwrap();
    verify(&package).exits(4).reports(&["error[SVC-B010]", "dist/style.css", "help:"]);
}

#[test]
fn a_changed_manifest_is_named() {
    let package = Package::new("weather-board");
    package.change_manifest(|manifest| manifest["summary"] = json!("Shows something else for your team."));
    verify(&package).exits(4).reports(&["error[SVC-B010]", "manifest", "help:"]);
}

#[test]
fn a_file_replaced_by_a_link_is_named() {
    let package = Package::new("weather-board");
    fs::rename(package.root().join("dist/app.js"), package.root().join("../app.js")).unwrap();
    symlink("../../app.js", package.root().join("dist/app.js")).unwrap();
    verify(&package).exits(4).reports(&["error[SVC-F014]", "error[SVC-B010]", "dist/app.js", "help:"]);
}

#[test]
fn a_package_that_is_not_there_stops() {
    let bundle = Bundle::new();
    bundle.verify(&["--package", "/nowhere"]).exits(3).reports(&["/nowhere", "no such file", "help:"]);
}

#[test]
fn another_package_is_told_apart() {
    verify(&Package::new("minimal")).exits(4).reports(&["error[SVC-B010]"]);
}
