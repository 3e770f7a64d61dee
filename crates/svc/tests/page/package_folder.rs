//! Pictures and source lines: only of files that are the bundle's.

use std::fs;

use serde_json::{Value, json};
use svc_core::samples::rules;
use svc_core::{artifact::submission::Submission, attacks, bundle::Bundle, read, words::kind};
use svc_json::digest::Digest;

use crate::desk::Desk;

#[test]
fn a_picture_whose_digest_does_not_fit_is_not_shown() {
    let desk = Desk::new();
    let icon = |model: &Value| model["listing"]["icon"].clone();
    let shown = icon(&desk.page(&["--package", "app"]).model());
    assert!(shown["data"].as_str().unwrap().starts_with("data:image/png;base64,iVBORw0KGgo"), "{shown}");
    // A picture still, and of the same length: nothing but its digest tells.
    let file = desk.path("app/assets/icon.png");
    let mut bytes = fs::read(&file).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&file, bytes).unwrap();
    let run = desk.report(&["--package", "app", "--out", "other.html"]).exits(0);
    assert!(run.stdout.contains("Next      svc app verify bundle --package app\n"), "{}", run.stdout);
    let model = desk.page(&["--package", "app"]).model();
    assert_eq!(icon(&model)["data"], Value::Null);
    assert_eq!(icon(&model)["whyNot"], "the file in the folder is not that of the bundle");
    assert!(model["listing"]["screenshots"][0]["data"].is_string(), "the other picture fits");
    let row = model["files"]["rows"].as_array().unwrap().iter().find(|row| row["path"] == "assets/icon.png").unwrap();
    assert_eq!(row["onDisk"], "differs");
    assert!(model["files"]["onDisk"].as_str().unwrap().starts_with("Of 10 files of the table, 9 have the same bytes"));
}

#[test]
#[cfg(unix)]
fn a_link_is_no_file_of_the_package() {
    let desk = Desk::new();
    fs::rename(desk.path("app/assets/icon.png"), desk.path("icon.png")).unwrap();
    std::os::unix::fs::symlink(desk.path("icon.png"), desk.path("app/assets/icon.png")).unwrap();
    let model = desk.page(&["--package", "app"]).model();
    assert_eq!(model["listing"]["icon"]["data"], Value::Null);
}

#[test]
fn without_the_folder_no_picture_and_no_line_is_shown_and_the_page_says_so() {
    let desk = Desk::new();
    desk.append("app/dist/app.js", "eval(location.hash);\n");
    desk.preflight();
    let model = desk.page(&[]).model();
    assert_eq!(model["listing"]["icon"]["whyNot"], "files were not looked at");
    assert_eq!(model["findings"]["rows"][0]["code"], "SVC-P012");
    assert_eq!(model["findings"]["rows"][0]["excerpt"], Value::Null);
    assert_eq!(model["findings"]["lines"], "Files were not looked at, so no source line is shown.");
    assert!(model["files"]["onDisk"].as_str().unwrap().starts_with("Files were not looked at"));
    assert!(model["notLookedAt"][0].as_str().unwrap().starts_with("The files of the package."));
    assert!(desk.markdown(&[]).contains("Files were not looked at"));
}

#[test]
fn a_line_is_shown_of_a_file_that_fits_and_of_no_other() {
    let desk = Desk::new();
    desk.append("app/dist/app.js", "  eval(location.hash);\n");
    desk.preflight();
    let line = |desk: &Desk| desk.page(&["--package", "app"]).model()["findings"]["rows"][0]["excerpt"].clone();
    let shown = line(&desk);
    assert_eq!((shown["before"].as_str(), shown["marked"].as_str()), (Some("  "), Some("eval")), "{shown}");
    desk.append("app/dist/app.js", "// one more line\n");
    assert_eq!(line(&desk), Value::Null);
}

#[test]
fn a_line_of_the_manifest_is_shown_where_a_member_stands_and_not_where_it_is_missing() {
    let desk = Desk::new();
    desk.edit(|manifest| {
        manifest["categories"] = json!(["nonsense"]);
        manifest.as_object_mut().unwrap().remove("repository");
    });
    desk.preflight();
    let model = desk.page(&["--package", "app"]).model();
    let row = |code: &str| {
        let rows = model["findings"]["rows"].as_array().unwrap().iter();
        rows.clone().find(|row| row["code"] == code).unwrap_or_else(|| panic!("{model}")).clone()
    };
    assert_eq!(row("SVC-M022")["excerpt"]["marked"], "\"nonsense\"");
    assert_eq!(row("SVC-M025")["excerpt"], Value::Null);
    assert_eq!(row("SVC-M025")["place"], "svc-app.json /repository");
    desk.edit(|manifest| manifest["version"] = json!("9.9.9"));
    let other = desk.page(&["--package", "app"]).model();
    assert!(other["findings"]["rows"].as_array().unwrap().iter().all(|row| row["excerpt"].is_null()), "{other}");
}

/// No preflight makes such a bundle. Somebody can: facts are the author's word.
#[test]
fn no_line_of_a_file_that_holds_a_secret_is_shown_whatever_the_bundle_says() {
    let desk = Desk::new();
    let key = format!("AKIA{}", "Q3EGRVWZ7HTMNXKD");
    desk.append("app/dist/app.js", &format!("eval(location.hash); // {}\n", "x".repeat(key.len())));
    desk.preflight();
    let with_line = desk.page(&["--package", "app"]).model();
    assert!(with_line["findings"]["rows"][0]["excerpt"].is_object(), "{with_line}");
    let script = desk.path("app/dist/app.js");
    let text = fs::read_to_string(&script).unwrap().replace(&"x".repeat(key.len()), &key);
    fs::write(&script, &text).unwrap();
    forge(&desk, |submission| {
        let files = submission["packageArtifact"]["files"].as_array_mut().unwrap();
        let row = files.iter_mut().find(|row| row["path"] == "dist/app.js").unwrap();
        row["digest"] = json!(Digest::of(text.as_bytes()).to_string());
    });
    let page = desk.page(&["--package", "app"]);
    let model = page.model();
    assert!(model["files"]["rows"].as_array().unwrap().iter().all(|row| row["onDisk"] == "same"), "{model}");
    assert_eq!(model["findings"]["rows"][0]["excerpt"], Value::Null);
    assert!(!page.data.contains(&key) && !desk.markdown(&["--package", "app"]).contains(&key));
}

#[test]
fn a_secret_in_a_text_of_the_manifest_is_held_back() {
    let desk = Desk::new();
    let key = format!("AKIA{}", "Q3EGRVWZ7HTMNXKD");
    forge(&desk, |submission| submission["packageArtifact"]["manifest"]["summary"] = json!(format!("Uses {key}.")));
    let page = desk.page(&[]);
    assert_eq!(page.model()["listing"]["summary"], "(not shown: it looks like a secret)");
    assert!(!page.data.contains(&key) && !desk.markdown(&[]).contains(&key));
}

/// The bundle again, of a submission that was changed and whose digests were made to fit.
fn forge(desk: &Desk, change: impl FnOnce(&mut Value)) {
    let bytes = fs::read(desk.path("bundle").join(kind::SUBMISSION.file)).unwrap();
    let mut document: Value = serde_json::from_slice(&bytes).unwrap();
    change(&mut document);
    attacks::reseal(&mut document);
    let submission = read::artifact::<Submission>(rules(), &serde_json::to_vec(&document).unwrap()).unwrap();
    for (name, bytes) in Bundle::from_submission(submission).unwrap().to_files() {
        fs::write(desk.path("bundle").join(name), bytes).unwrap();
    }
}

#[test]
fn no_path_of_the_machine_and_no_time_reaches_the_page() {
    let desk = Desk::new();
    let here = desk.folder().to_str().unwrap();
    let (bundle, package) = (desk.path("bundle"), desk.path("app"));
    let [bundle, package] = [&bundle, &package].map(|path| path.to_str().unwrap());
    for out in ["one.html", "two.html"] {
        desk.svc(&["app", "report", bundle, "--package", package, "--out", out]).exits(0);
    }
    let [one, two] = ["one.html", "two.html"].map(|name| fs::read_to_string(desk.path(name)).unwrap());
    assert_eq!(one, two);
    assert!(!one.contains(here));
    desk.report(&["--package", "app", "--out", "three.html"]).exits(0);
    assert_eq!(fs::read_to_string(desk.path("three.html")).unwrap(), one);
    let again = desk.report(&["--package", "app", "--out", "three.html"]).exits(0);
    assert!(again.stdout.contains("unchanged three.html"), "{}", again.stdout);
}
