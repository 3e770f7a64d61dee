//! `svc app diff`: what changed between two versions, and what may not be gained.

use std::fs;

use serde_json::{Value, json};

use crate::workplace::Workplace;

#[test]
fn two_submissions_show_what_changed() {
    let here = Workplace::new();
    here.svc(&["app", "preflight", "app", "--out-dir", "before"]).exits(0);
    change(&here, |manifest| {
        manifest["version"] = json!("2.0.0");
        manifest["permissions"][1] =
            json!({ "permission": "clipboard.read", "purpose": "Pastes the name of a place." });
        manifest["permissions"][2]["purpose"] = json!("Offers two commands for the board.");
        manifest["network"]["allow"] = json!(["https://api.acme.dev", "https://tiles.acme.dev"]);
        manifest["dataCollection"] = json!(["location-approximate", "usage"]);
        manifest["categories"] = json!(["weather"]);
    });
    fs::remove_file(here.path("app/CHANGELOG.md")).unwrap();
    fs::write(here.path("app/dist/more.js"), "export const more = 1;\n").unwrap();
    fs::write(here.path("app/dist/style.css"), "body { margin: 0 }\n").unwrap();
    here.svc(&["app", "preflight", "app", "--out-dir", "after"]).exits(0);
    let text = here.svc(&["app", "diff", "before", "after"]).exits(0).stdout;
    for line in [
        "dev.acme.weather-board 1.2.0 -> dev.acme.weather-board 2.0.0",
        "+ permission clipboard.read (high risk)  Pastes the name of a place.",
        "- permission storage.local (low risk)  Keeps your pinned places between visits.",
        "~ permission commands.register",
        "+ origin https://tiles.acme.dev",
        "+ data usage",
        "~ file dist/style.css",
    ] {
        assert!(text.lines().any(|found| found == line), "{line} in\n{text}");
    }
    for start in
        ["+ file dist/more.js  sha256:", "- file CHANGELOG.md  sha256:", "+ blocker SVC-M022  ", "gates unchanged: "]
    {
        assert!(text.lines().any(|found| found.starts_with(start)), "{start} in\n{text}");
    }
}

#[test]
fn the_same_submission_twice_shows_no_change() {
    let here = Workplace::new();
    here.svc(&["app", "preflight", "app"]).exits(0);
    let file = "svc-registry/svc-registry-submission.json";
    let text = here.svc(&["app", "diff", file, file]).exits(0).stdout;
    assert_eq!(text.lines().nth(1), Some("nothing changed"), "{text}");
}

fn change(here: &Workplace, change: impl FnOnce(&mut Value)) {
    let path = here.path("app/svc-app.json");
    let mut manifest: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    change(&mut manifest);
    fs::write(path, serde_json::to_vec_pretty(&manifest).unwrap()).unwrap();
}

/// A package, and one that asks for more.
fn with_more(here: &Workplace) {
    here.svc(&["app", "preflight", "app", "--out-dir", "old"]).exits(0);
    change(here, |manifest| {
        manifest["version"] = json!("1.3.0");
        let asked = manifest["permissions"].as_array_mut().unwrap();
        asked.push(json!({ "permission": "files.save", "purpose": "Saves the board as a picture." }));
    });
    here.svc(&["app", "preflight", "app", "--out-dir", "new"]).exits(0);
}

#[test]
fn what_is_denied_fails_and_says_which_change_it_was() {
    let here = Workplace::new();
    with_more(&here);
    here.svc(&["diff", "old", "new"]).exits(0);
    here.svc(&["app", "diff", "new", "old", "--deny", "any"]).exits(0);
    for denied in ["gained-permission", "gained-permission:low", "gained-permission:medium", "any"] {
        let run = here.svc(&["app", "diff", "old", "new", "--deny", denied]).exits(1);
        assert!(run.stderr.contains("SVC-D001") && run.stderr.contains("`files.save` (medium risk)"), "{}", run.stderr);
        assert!(run.stdout.contains("+ permission files.save"), "{}", run.stdout);
    }
    for denied in
        ["gained-permission:high", "gained-origin", "gained-data", "gained-use", "gained-blocker", "changed-owner"]
    {
        here.svc(&["app", "diff", "old", "new", "--deny", denied]).exits(0);
    }
    here.svc(&["app", "diff", "old", "new", "--deny", "gained-origin", "--deny", "gained-permission"]).exits(1);
}

#[test]
fn a_word_that_denies_nothing_is_a_mistake_and_not_passed_over() {
    let here = Workplace::new();
    with_more(&here);
    for wrong in ["gained-permissions", "gained-permission:", "gained-permission:much", "gained-origin:high", "", "Any"]
    {
        let run = here.svc(&["app", "diff", "old", "new", "--deny", wrong]).exits(2);
        assert!(run.stderr.contains("`--deny` must be a change"), "{}", run.stderr);
    }
    here.svc(&["app", "diff", "old"]).exits(2);
    here.svc(&["app", "diff", "old", "no-such"]).exits(3);
}

#[test]
fn every_format_has_every_gain() {
    let here = Workplace::new();
    with_more(&here);
    for format in ["json", "sarif", "junit", "github"] {
        let run = here.svc(&["app", "diff", "old", "new", "--format", format]).exits(0);
        assert!(run.stdout.contains("SVC-D001"), "{format}: {}", run.stdout);
    }
    let report = here.svc(&["app", "diff", "old", "new", "--deny", "any", "--format", "json"]).exits(1).stdout;
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["exitCode"], 1, "{report}");
}

#[test]
fn new_code_shows_also_when_the_manifest_stays() {
    let here = Workplace::new();
    here.svc(&["app", "preflight", "app", "--out-dir", "old"]).exits(0);
    let script = here.path("app/dist/app.js");
    let code = fs::read_to_string(&script).unwrap();
    fs::write(
        &script,
        format!("{code}\nnavigator.clipboard.readText();\nfetch(\"https://collect.example.org/v1\");\n"),
    )
    .unwrap();
    here.svc(&["app", "preflight", "app", "--out-dir", "new"]).exits(0);
    let run = here.svc(&["app", "diff", "old", "new", "--deny", "gained-use"]).exits(1);
    assert!(run.stdout.contains("+ use power clipboard-read"), "{}", run.stdout);
    assert!(run.stdout.contains("+ use https://collect.example.org\n"), "{}", run.stdout);
    assert_eq!(run.stderr.matches("SVC-D004").count(), 2, "{}", run.stderr);
    here.svc(&["app", "diff", "old", "new", "--deny", "gained-blocker"]).exits(1);
}

#[test]
fn new_origins_and_new_data_are_denied_by_their_words() {
    let here = Workplace::new();
    here.svc(&["app", "preflight", "app", "--out-dir", "old"]).exits(0);
    change(&here, |manifest| {
        manifest["network"]["allow"] = json!(["https://api.acme.dev", "https://collect.example.org"]);
        manifest["dataCollection"] = json!(["location-approximate", "contact"]);
    });
    here.svc(&["app", "preflight", "app", "--out-dir", "new"]).exits(0);
    for (denied, code) in [("gained-origin", "SVC-D002"), ("gained-data", "SVC-D003")] {
        let run = here.svc(&["diff", "old", "new", "--deny", denied]).exits(1);
        assert!(run.stderr.contains(code), "{}", run.stderr);
        here.svc(&["diff", "new", "old", "--deny", denied]).exits(0);
        here.svc(&["diff", "new", "new", "--deny", denied]).exits(0);
    }
}

#[test]
fn a_tampered_side_is_no_side() {
    let here = Workplace::new();
    with_more(&here);
    let path = here.path("old/svc-registry-submission.json");
    let text = fs::read_to_string(&path).unwrap().replacen("network.fetch", "files.save", 1);
    fs::write(&path, text).unwrap();
    let run = here.svc(&["app", "diff", "old", "new"]);
    assert!(run.code != Some(0) && !run.stdout.contains("permission"), "{}", run.stdout);
}

#[test]
fn another_owner_is_told() {
    let here = Workplace::new();
    here.svc(&["app", "preflight", "app", "--out-dir", "old", "--owner-id", "acme", "--owner-name", "Acme"]).exits(0);
    here.svc(&["app", "preflight", "app", "--out-dir", "new", "--owner-id", "mallory", "--owner-name", "M"]).exits(0);
    let run = here.svc(&["app", "diff", "old", "new", "--deny", "changed-owner"]).exits(1);
    assert!(run.stdout.contains("~ owner owner\n    was  acme\n    now  mallory"), "{}", run.stdout);
}

/// The new version with another script, compared by every word.
fn denied_with(script: &str) -> i32 {
    let here = Workplace::new();
    here.svc(&["app", "preflight", "app", "--out-dir", "old"]).exits(0);
    let path = here.path("app/dist/app.js");
    let code = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{code}\n{script}\n")).unwrap();
    here.svc(&["app", "preflight", "app", "--out-dir", "new"]).exits(0);
    here.svc(&["diff", "old", "new", "--deny", "gained-use"]).code.unwrap()
}

#[test]
fn code_from_text_unread_code_and_a_flood_are_uses_too() {
    assert_eq!(denied_with("const more = 1;"), 0);
    assert_eq!(denied_with("eval(localStorage.x);"), 1);
    assert_eq!(denied_with("const broken = ;"), 1);
    let flood: String = (0..2_600).map(|number| format!("fetch(\"https://h{number}.example.org/\");\n")).collect();
    assert_eq!(denied_with(&flood), 1);
}

#[test]
fn a_flood_before_hides_no_change_after_it() {
    let here = Workplace::new();
    let path = here.path("app/dist/app.js");
    let flood: String = (0..2_600).map(|number| format!("fetch(\"https://h{number}.example.org/\");\n")).collect();
    fs::write(&path, &flood).unwrap();
    here.svc(&["app", "preflight", "app", "--out-dir", "old"]).exits(0);
    fs::write(&path, format!("{flood}fetch(\"https://zzz.evil.example/\");\n")).unwrap();
    here.svc(&["app", "preflight", "app", "--out-dir", "new"]).exits(0);
    here.svc(&["diff", "old", "new", "--deny", "any"]).exits(1);
    here.svc(&["diff", "old", "old", "--deny", "any"]).exits(0);
}

#[test]
fn other_names_other_members_and_another_package_are_changes() {
    let here = Workplace::new();
    here.svc(&["app", "preflight", "app", "--out-dir", "old"]).exits(0);
    change(&here, |manifest| {
        manifest["publisher"]["name"] = json!("Somebody Else");
        manifest["network"]["purpose"] = json!("Something else altogether.");
    });
    here.svc(&["app", "preflight", "app", "--out-dir", "new"]).exits(0);
    let run = here.svc(&["diff", "old", "new", "--deny", "changed-owner"]).exits(1);
    assert!(
        run.stdout.contains("~ owner publisher's name") && run.stdout.contains("~ manifest network"),
        "{}",
        run.stdout
    );
    here.svc(&["app", "preflight", "app", "--out-dir", "same"]).exits(0);
    assert!(here.svc(&["diff", "new", "same"]).exits(0).stdout.contains("nothing changed"));
    here.svc(&["init", "other"]).exits(0);
    here.svc(&["app", "preflight", "other", "--out-dir", "another"]).exits(0);
    let run = here.svc(&["diff", "old", "another", "--deny", "changed-owner"]).exits(1);
    assert!(run.stdout.contains("~ owner package"), "{}", run.stdout);
}

#[test]
fn a_bundle_with_the_submission_of_another_is_no_bundle() {
    let here = Workplace::new();
    with_more(&here);
    fs::copy(here.path("old/svc-registry-submission.json"), here.path("new/svc-registry-submission.json")).unwrap();
    here.svc(&["diff", "old", "new", "--deny", "any"]).exits(4);
}
