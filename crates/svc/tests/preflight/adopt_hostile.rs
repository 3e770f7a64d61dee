//! `svc app init` in a folder that somebody else filled: a refusal writes nothing, and nothing foreign reaches a terminal.

use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
    path::Path,
    time::{Duration, Instant},
};

use serde_json::Value;
use tempfile::TempDir;

use crate::run::{Run, program};

/// A folder with these files.
fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, bytes) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    folder
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Refused with this code and these words, and the folder is as it was.
fn refused(folder: &Path, arguments: &[&str], code: i32, words: &str) {
    let before = names_in(folder);
    let run = Run::of(&mut program(folder, arguments)).exits(code);
    assert!(run.stderr.contains(words), "{arguments:?}: {}", run.stderr);
    assert!(run.stdout.is_empty(), "{}", run.stdout);
    assert_eq!(names_in(folder), before);
}

#[test]
fn a_source_that_is_no_plain_json_is_refused_with_its_place() {
    let deep = format!("{}{}", "{\"a\":".repeat(100), "1");
    let long = format!("{{\"name\":\"{}\"}}", "a".repeat(2 * 1024 * 1024));
    let cases: &[(&[u8], i32, &str)] = &[
        (b"{\n  // a comment\n  \"name\": \"x\"\n}", 1, "package.json:2:3: must be plain JSON"),
        (b"{ \"name\": \"a\", \"name\": \"b\" }", 1, "the same member twice"),
        (b"{ \"name\": \"\xff\xfe\" }", 1, "not UTF-8"),
        (b"\xef\xbb\xbf{ \"name\": \"a\" }", 1, "not UTF-8"),
        (b"[]", 1, "the root is not an object"),
        (b"", 1, "must be plain JSON"),
        (b"{} {}", 1, "data after the end"),
        (deep.as_bytes(), 1, "nested too deeply"),
        (long.as_bytes(), 3, "is larger than"),
    ];
    for (bytes, code, words) in cases {
        let folder = folder(&[("package.json", bytes), ("index.html", b"<!doctype html>")]);
        refused(folder.path(), &["init"], *code, words);
        refused(folder.path(), &["init", "--dry-run"], *code, words);
        refused(folder.path(), &["init", "--from", "package.json"], *code, words);
    }
}

#[test]
fn no_source_is_read_through_a_link_and_none_that_waits() {
    let outside = folder(&[("secret.json", b"{ \"name\": \"very-secret\", \"version\": \"1.0.0\" }")]);
    for name in ["package.json", "manifest.json", "server.json"] {
        let folder = folder(&[("index.html", b"<!doctype html>")]);
        symlink(outside.path().join("secret.json"), folder.path().join(name)).unwrap();
        refused(folder.path(), &["init"], 3, "symbolic link");
        refused(folder.path(), &["init", "--from", name], 3, "symbolic link");
    }
    for name in ["package.json", "manifest.json"] {
        let folder = folder(&[("index.html", b"<!doctype html>")]);
        let status = std::process::Command::new("mkfifo").arg(folder.path().join(name)).status().unwrap();
        assert!(status.success());
        let start = Instant::now();
        refused(folder.path(), &["init"], 3, "not a regular file");
        assert!(start.elapsed() < Duration::from_secs(20));
    }
    let folder = folder(&[("a", b"")]);
    let elsewhere = outside.path().join("secret.json");
    refused(folder.path(), &["init", "--from", elsewhere.to_str().unwrap()], 2, "must be a file in the folder");
    refused(folder.path(), &["init", "--from", "none.json"], 3, "no such file");
    refused(folder.path(), &["init", "--from", "a"], 1, "must be plain JSON");
}

#[test]
fn a_source_of_no_known_kind_is_refused_where_it_was_named() {
    let folder = folder(&[
        ("manifest.json", b"{ \"index.html\": { \"file\": \"a.js\" } }"),
        ("mcpb.json", b"{ \"manifest_version\": \"0.2\" }"),
    ]);
    refused(folder.path(), &["init", "--from", "manifest.json"], 2, "must be a manifest that svc knows");
    refused(folder.path(), &["init", "--from", "mcpb.json"], 2, "must be a manifest that svc knows");
}

#[test]
fn nothing_is_written_through_a_link_and_nothing_is_left_when_one_file_cannot_be_written() {
    let outside = folder(&[("kept", b"kept")]);
    let page: &[(&str, &[u8])] = &[("index.html", b"<!doctype html>")];
    for name in ["svc-app.json", ".svc", ".svcignore"] {
        for target in [outside.path().join("kept"), outside.path().join("none"), outside.path().to_path_buf()] {
            let folder = folder(page);
            symlink(target, folder.path().join(name)).unwrap();
            let before = names_in(folder.path());
            let run = Run::of(&mut program(folder.path(), &["init"]));
            assert!(matches!(run.code, Some(2 | 3)), "{name}: {:?} {}", run.code, run.stderr);
            assert_eq!(names_in(folder.path()), before, "{name}");
            assert_eq!(names_in(outside.path()), ["kept"], "{name}");
        }
    }
    let folder = folder(&[("index.html", b"<!doctype html>"), (".svc", b"a file")]);
    refused(folder.path(), &["init"], 3, ".svc");
}

#[test]
fn a_folder_that_may_not_be_written_to_is_left_as_it_is() {
    let folder = folder(&[("index.html", b"<!doctype html>")]);
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o555)).unwrap();
    // The superuser may write everywhere: there is nothing to see then.
    if fs::write(folder.path().join("probe"), "").is_err() {
        refused(folder.path(), &["init"], 3, "permission");
        Run::of(&mut program(folder.path(), &["init", "--dry-run"])).exits(0);
    }
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn texts_that_move_or_hide_are_not_taken_and_never_reach_the_terminal() {
    let manifest = "{ \"manifest_version\": 3, \"name\": \"a\\u202eb\\u001b[31m\", \"version\": \"1\\u0000\", \
        \"description\": \"x\\u200by\", \"permissions\": [\"ta\\u001b]0;hi\\u0007bs\"], \"\\u202ekey\": 1, \
        \"author\": \"\\u2066me\", \"host_permissions\": [\"https://\\u202e.dev/*\"], \
        \"icons\": { \"1\": \"\\u001b.png\" }, \"action\": { \"default_popup\": \"\\u202epopup.html\" } }";
    let folder = folder(&[("manifest.json", manifest.as_bytes()), ("\u{1b}\u{202e}.html", b"<!doctype html>")]);
    let run = Run::of(&mut program(folder.path(), &["init"])).exits(0);
    let written = fs::read_to_string(folder.path().join("svc-app.json")).unwrap();
    for text in [&run.stdout, &run.stderr, &written] {
        let is_bad = |character: char| {
            (character.is_control() && character != '\n') || "\u{202e}\u{2066}\u{200b}".contains(character)
        };
        assert!(!text.contains(is_bad), "{text:?}");
    }
    assert!(!written.contains("\\u"), "{written}");
    let draft: Value = serde_json::from_str(&written).unwrap();
    assert_eq!(draft["version"], "0.1.0");
    assert_eq!(draft["summary"], "TODO: say in one sentence what it does.");
}

#[test]
fn paths_that_lead_out_of_the_folder_are_not_taken() {
    let manifest = "{ \"manifest_version\": 3, \"name\": \"Board\", \"version\": \"1.0\", \
        \"icons\": { \"1\": \"../icon.png\", \"2\": \"/etc/icon.png\", \"3\": \"a/../../icon.png\", \"4\": \"link.png\" }, \
        \"default_locale\": \"../../up\", \"description\": \"__MSG_secret__\", \
        \"action\": { \"default_popup\": \"../popup.html\" } }";
    let outer = folder(&[
        ("app/manifest.json", manifest.as_bytes()),
        ("app/index.html", b"<!doctype html>"),
        ("icon.png", b"\x89PNG\r\n\x1a\n"),
        ("popup.html", b"<!doctype html>"),
        ("up/messages.json", b"{ \"secret\": { \"message\": \"out of the folder\" } }"),
    ]);
    symlink("../icon.png", outer.path().join("app/link.png")).unwrap();
    let run = Run::of(&mut program(outer.path(), &["init", "app"])).exits(0);
    let written = fs::read_to_string(outer.path().join("app/svc-app.json")).unwrap();
    assert!(!written.contains("..") && !written.contains("out of the folder"), "{written}");
    let draft: Value = serde_json::from_str(&written).unwrap();
    assert_eq!(draft["icons"].as_array().unwrap().len(), 0);
    assert_eq!(draft["entry"]["renderer"], "index.html");
    assert!(run.stdout.contains("not taken manifest.json icons: ../icon.png\n"), "{}", run.stdout);
    assert_eq!(names_in(outer.path()), ["app", "icon.png", "popup.html", "up"]);
}

#[test]
fn what_is_there_is_never_changed() {
    let folder = folder(&[
        ("index.html", b"<!doctype html>"),
        (".svcignore", b"mine\n"),
        (".svc/app-manifest.schema.json", b"mine too"),
        ("README.md", b"# Mine"),
    ]);
    let run = Run::of(&mut program(folder.path(), &["init"])).exits(0);
    assert_eq!(run.stdout.matches("created ").count(), 1, "{}", run.stdout);
    assert_eq!(fs::read(folder.path().join(".svcignore")).unwrap(), b"mine\n");
    assert_eq!(fs::read(folder.path().join(".svc/app-manifest.schema.json")).unwrap(), b"mine too");
    assert_eq!(fs::read(folder.path().join("README.md")).unwrap(), b"# Mine");
    let template = Run::of(&mut program(folder.path(), &["init", "--template", "basic"]));
    assert_eq!(template.code, Some(2), "{}", template.stderr);
}

#[test]
fn no_page_is_looked_for_behind_a_link_or_without_end() {
    let elsewhere = folder(&[("page/index.html", b"<!doctype html>")]);
    let folder = folder(&[("package.json", b"{ \"name\": \"a\", \"version\": \"1.0.0\" }")]);
    symlink(elsewhere.path().join("page"), folder.path().join("demo")).unwrap();
    symlink(elsewhere.path().join("page/index.html"), folder.path().join("app.html")).unwrap();
    for number in 0..400 {
        fs::create_dir_all(folder.path().join(format!("part-{number:03}/deeper/still"))).unwrap();
    }
    let started = Instant::now();
    let run = Run::of(&mut program(folder.path(), &["init"])).exits(0);
    assert!(started.elapsed() < Duration::from_secs(20));
    assert!(!run.stdout.contains("from the pages"), "{}", run.stdout);
    let draft: Value = serde_json::from_slice(&fs::read(folder.path().join("svc-app.json")).unwrap()).unwrap();
    assert_eq!(draft["entry"]["renderer"], "dist/index.html");
}

#[test]
fn a_page_loads_nothing_into_the_draft_that_is_a_link_or_means_more_than_itself() {
    let page = b"<!doctype html><script src=\"../secret.js\"></script><script src=\"../lib/*.js\"></script>\
        <script src=\"../../outside.js\"></script><script src=\"../lib/a.js\"></script>";
    let folder = folder(&[
        ("package.json", b"{ \"name\": \"a\", \"version\": \"1.0.0\" }"),
        ("demo/index.html", page),
        ("lib/*.js", b"x()"),
        ("lib/a.js", b"x()"),
        ("lib/b.js", b"x()"),
    ]);
    symlink("/etc/hostname", folder.path().join("secret.js")).unwrap();
    Run::of(&mut program(folder.path(), &["init"])).exits(0);
    let draft: Value = serde_json::from_slice(&fs::read(folder.path().join("svc-app.json")).unwrap()).unwrap();
    assert_eq!(draft["files"], serde_json::json!(["demo/**", "lib/a.js"]));
}
