//! `svc app files`: what goes in, and why something does not.

use std::{fs, os::unix::fs::symlink};

use serde_json::Value;

use crate::workplace::Workplace;

/// A package that takes everything, beside all that never goes in.
fn crowded() -> Workplace {
    let here = Workplace::new();
    let manifest = here.path("app/svc-app.json");
    let mut changed: Value = serde_json::from_slice(&fs::read(&manifest).unwrap()).unwrap();
    changed["files"] = serde_json::json!(["**", "node_modules/a/kept.js"]);
    fs::write(&manifest, changed.to_string()).unwrap();
    for path in [
        ".git/config",
        "node_modules/a/kept.js",
        "node_modules/a/index.js",
        "dist/.DS_Store",
        "dist/Thumbs.db",
        "npm-debug.log",
        ".env",
        ".env.production",
        ".env.example",
        "notes/draft.txt",
    ] {
        fs::create_dir_all(here.path("app").join(path).parent().unwrap()).unwrap();
        fs::write(here.path("app").join(path), "export {};\n").unwrap();
    }
    fs::write(here.path("app/.svcignore"), "# notes\nnotes/\n").unwrap();
    here
}

#[test]
fn each_path_is_told_with_what_takes_it_in_or_leaves_it_out() {
    let here = crowded();
    symlink("index.html", here.path("app/dist/link.html")).unwrap();
    let text = here.svc(&["app", "files", "app"]).exits(0).stdout;
    let default = "goes in only if `files` has its whole path";
    for (mark, path, why) in [
        ("in ", "dist/index.html", "taken by `**`".to_owned()),
        ("in ", ".env.example", "taken by `**`".to_owned()),
        ("in ", "node_modules/a/kept.js", "taken by `**`".to_owned()),
        ("out", ".git/", format!("version control: {default}")),
        ("out", "node_modules/a/index.js", format!("fetched dependencies: {default}")),
        ("out", "dist/.DS_Store", format!("left over by a system: {default}")),
        ("out", "npm-debug.log", format!("a log: {default}")),
        ("out", ".env", format!("an environment file: {default}")),
        ("out", "notes/", "left out by .svcignore, line 2".to_owned()),
        ("out", "svc-app.json", "read by svc itself, and no file of the package".to_owned()),
        ("out", "dist/link.html", "refused: is a symbolic link, not a regular file".to_owned()),
    ] {
        let is_it = |line: &str| {
            let words: Vec<&str> = line.split_whitespace().collect();
            words.starts_with(&[mark.trim(), path]) && line.ends_with(&why)
        };
        assert!(text.lines().any(is_it), "{mark} {path} {why} in\n{text}");
    }
    assert!(text.contains(" do not\n"), "{text}");
}

#[test]
fn what_is_told_to_go_in_is_what_is_packed() {
    let here = crowded();
    let told = here.svc(&["app", "files", "app", "--format", "json"]).exits(0).stdout;
    let told: Value = serde_json::from_str(&told).unwrap();
    let rows = told["files"].as_array().unwrap();
    let told: Vec<&str> =
        rows.iter().filter(|row| row["packed"] == true).map(|row| row["path"].as_str().unwrap()).collect();
    here.svc(&["app", "preflight", "app"]).exits(0);
    let submission = fs::read(here.path("svc-registry/svc-registry-submission.json")).unwrap();
    let submission: Value = serde_json::from_slice(&submission).unwrap();
    let files = submission["packageArtifact"]["files"].as_array().unwrap();
    let packed: Vec<&str> = files.iter().map(|file| file["path"].as_str().unwrap()).collect();
    assert_eq!(told, packed);
    assert!(packed.contains(&"node_modules/a/kept.js") && !packed.contains(&".env"));
}

#[test]
fn a_path_that_no_pattern_reaches_is_told_once() {
    let here = Workplace::new();
    fs::create_dir_all(here.path("app/src/deep")).unwrap();
    fs::write(here.path("app/src/deep/a.ts"), "").unwrap();
    let text = here.svc(&["app", "files", "app"]).exits(0).stdout;
    let lines: Vec<&str> = text.lines().filter(|line| line.contains("src")).collect();
    assert!(
        lines.len() == 1 && lines[0].starts_with("out  src/") && lines[0].ends_with("no pattern takes it"),
        "{text}"
    );
}

#[test]
fn a_pattern_that_cannot_be_used_is_a_finding() {
    let here = Workplace::new();
    fs::write(here.path("app/.svcignore"), "[z-a]\n").unwrap();
    let run = here.svc(&["app", "files", "app"]).exits(1);
    assert!(run.stderr.contains("app/.svcignore:1:1"), "{}", run.stderr);
}

#[test]
fn what_never_goes_in_is_explained() {
    let here = Workplace::new();
    let text = here.svc(&["explain", "default-ignores"]).exits(0).stdout;
    for words in
        ["version control", ".git/, .hg/, .svn/", "node_modules/", "npm-debug.log*, *.log", "but not *.example"]
    {
        assert!(text.contains(words), "{words} in {text}");
    }
}

#[test]
fn a_manifest_is_not_called_checked_where_only_its_patterns_were_read() {
    let here = Workplace::new();
    let path = here.path("app/svc-app.json");
    let mut manifest: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    manifest["license"] = serde_json::json!(5);
    fs::write(&path, manifest.to_string()).unwrap();
    let text = here.svc(&["app", "files", "app"]).exits(0).stdout;
    assert!(
        text.contains("Checked   nothing\n") && text.contains("Not       manifest: only `files` was read"),
        "{text}"
    );
    let report = here.svc(&["app", "files", "app", "--format", "json"]).exits(0).stdout;
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["scope"]["checked"], serde_json::json!([]));
    for files in [serde_json::json!(3), serde_json::json!([]), serde_json::json!(["**", 3])] {
        manifest["files"] = files;
        fs::write(&path, manifest.to_string()).unwrap();
        let run = here.svc(&["app", "files", "app"]).exits(1);
        assert!(!run.stdout.contains("no pattern") && run.stderr.contains("error["), "{}{}", run.stdout, run.stderr);
    }
}
