//! What reaches a terminal: no character of a foreign text that moves, hides or colours anything.

use std::{fs, path::Path, process};

use serde_json::{Value, json};
use svc_core::words::kind;

use crate::{
    bundle::{self, Bundle, Package, example},
    commands::judge,
    folder,
    svc::{Run, SVC, Svc, app, svc},
};

/// Text that a terminal, a log or a reader would fall for.
fn hostile() -> Vec<String> {
    let mut texts: Vec<String> = (0..0x20).chain(0x7f..0xa0).filter_map(char::from_u32).map(String::from).collect();
    texts.extend(
        [0x061c, 0x200b, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202e, 0x2066, 0x2069, 0xfeff, 0xfffb, 0xe0041]
            .into_iter()
            .filter_map(char::from_u32)
            .map(String::from),
    );
    for text in [
        "\u{1b}[31mred",
        "\u{1b}]52;c;aGk=\u{7}",
        "\u{1b}]8;;https://evil.example\u{1b}\\",
        "\u{9b}2J",
        "a\r\nb",
        "\u{1b}c",
    ] {
        texts.push(text.to_owned());
    }
    texts
}

/// Both streams hold text, line feeds, and nothing else that is not seen as itself.
#[track_caller]
pub(crate) fn assert_plain(run: &Run) {
    for (name, bytes) in [("standard output", &run.stdout), ("standard error", &run.stderr)] {
        let text = std::str::from_utf8(bytes).unwrap_or_else(|error| panic!("{name} is not UTF-8: {error}"));
        for character in text.chars().filter(|character| *character != '\n') {
            assert!(!moves_or_hides(character), "{character:?} on {name}: {text:?}");
        }
    }
}

/// Written by hand, not taken from the tables of the project.
fn moves_or_hides(character: char) -> bool {
    matches!(u32::from(character),
        0..0x20 | 0x7f..0xa0 | 0x61c | 0x200b | 0x200e | 0x200f | 0x2028..=0x202e | 0x2060..=0x206f
        | 0xfeff | 0xfff9..=0xfffb | 0xe0000..=0xe007f)
}

#[test]
fn a_hostile_text_anywhere_in_a_manifest_reaches_no_terminal() {
    let pointers = [
        "/name",
        "/id",
        "/version",
        "/summary",
        "/license",
        "/publisher/id",
        "/publisher/name",
        "/publisher/url",
        "/entry/renderer",
        "/entry/isolation",
        "/icons/0/src",
        "/files/0",
        "/permissions/0/permission",
        "/permissions/0/purpose",
        "/network/allow/0",
        "/dataCollection/0",
        "/categories/0",
        "/engines/host",
    ];
    let manifest = bundle::json(&fs::read(example("weather-board").join("svc-app.json")).unwrap());
    let package = Package::new("weather-board");
    for (number, text) in hostile().into_iter().enumerate() {
        let mut changed = manifest.clone();
        for pointer in pointers {
            *changed.pointer_mut(pointer).unwrap() = json!(format!("a{text}b"));
        }
        let members = changed.as_object_mut().unwrap();
        members.insert(format!("member{text}"), json!(text));
        // Every second one raw instead of escaped, where JSON allows it or not.
        let mut document = changed.to_string();
        if number % 2 == 1 {
            let escaped = serde_json::to_string(&text).unwrap();
            document = document.replace(escaped.trim_matches('"'), &text);
        }
        fs::write(package.manifest(), &document).unwrap();
        for command in ["pack", "validate"] {
            let out = folder::empty();
            let run = app([command]).args([package.manifest()]).in_folder(out.path()).run();
            assert_eq!(run.code(), Some(1), "{text:?}: {}", run.err());
            assert!(folder::contents(out.path()).is_empty());
            assert_plain(&run);
        }
    }
}

#[test]
fn a_hostile_text_anywhere_in_an_artifact_reaches_no_terminal() {
    let bundle = Bundle::new();
    let texts = hostile();
    for (number, spec) in kind::ALL.iter().enumerate() {
        // Each kind with a part of the texts: together all of them, in every string at once.
        for text in texts.iter().skip(number).step_by(kind::ALL.len()) {
            let mut document = bundle::json(&bundle::weather_board()[spec.file]);
            let kind = document["kind"].clone();
            poison(&mut document, text);
            document["kind"] = kind;
            document[format!("member{text}")] = json!(text);
            bundle.write(spec, document.to_string().as_bytes());
            for command in ["validate", judge(spec)] {
                let run = app([command]).args([bundle.path(spec)]).run();
                assert!(matches!(run.code(), Some(1 | 4 | 7)), "{:?}", run.code());
                assert_plain(&run);
            }
        }
        bundle.write(spec, &bundle::weather_board()[spec.file]);
    }
}

fn poison(value: &mut Value, text: &str) {
    match value {
        Value::Object(members) => members.values_mut().for_each(|member| poison(member, text)),
        Value::Array(elements) => elements.iter_mut().for_each(|element| poison(element, text)),
        Value::String(old) => old.insert_str(old.len() / 2, text),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[test]
fn a_hostile_kind_reaches_no_terminal() {
    let folder = folder::empty();
    for text in hostile() {
        fs::write(folder.path().join("input.json"), json!({ "kind": text, "accepted": text }).to_string()).unwrap();
        for command in ["validate", "registry-validate"] {
            assert_plain(&app([command, "input.json"]).in_folder(folder.path()).run());
        }
        assert_plain(&svc(["lifecycle", "input.json"]).in_folder(folder.path()).run());
    }
}

#[test]
fn a_hostile_name_of_a_file_or_argument_reaches_no_terminal() {
    let folder = folder::empty();
    let bundle = Bundle::new();
    for text in hostile().into_iter().filter(|text| !text.contains(['\0', '/'])) {
        let name = format!("x{text}.json");
        let run = |arguments: &[&str]| {
            let run = svc(arguments).in_folder(folder.path()).run();
            assert_ne!(run.code(), Some(0));
            assert_plain(&run);
        };
        run(&["app", "validate", &name]);
        run(&["app", "registry-validate", &name]);
        run(&["app", "registry", &name, "--out", &name]);
        run(&["app", "verify", &name]);
        run(&["app", "registry-validate", "a.json", &name]);
        run(&["app", &name]);
        run(&[&name]);
        run(&["explain", &name]);
        run(&["contract", &name]);
        run(&["schema", &name]);
        run(&["app", "pack", "svc-app.json", "--visibility", &name]);
        run(&["app", "pack", "svc-app.json", &format!("--{name}")]);
        fs::write(folder.path().join(&name), "{\n").unwrap();
        run(&["app", "validate", &name]);
        fs::write(folder.path().join(&name), &bundle::weather_board()["svc-registry-index.json"]).unwrap();
        let run = app(["validate", &name]).in_folder(folder.path()).run();
        run.exits(0);
        assert_plain(&run);
        let run = app(["registry-acceptance", "--out", &name]).args([bundle.path(kind::ALL[0])]);
        let run = run.in_folder(folder.path()).run();
        run.exits(0).prints(&["replaced"]);
        assert_plain(&run);
        fs::remove_file(folder.path().join(&name)).unwrap();
    }
}

#[test]
fn a_pipe_and_no_color_get_no_escape_sequences_and_always_gets_them() {
    let folder = folder::empty();
    fs::write(folder.path().join("bad.json"), "{\"a\": tru}").unwrap();
    let run = |options: &[&str], environment: &[(&str, &str)]| {
        let mut run = app(["validate", "bad.json"]).args(options).in_folder(folder.path());
        for (name, value) in environment {
            run = run.env(name, *value);
        }
        let run = run.run();
        run.exits(1);
        run
    };
    for environment in [&[][..], &[("NO_COLOR", "1")], &[("TERM", "xterm-256color")], &[("TERM", "dumb")]] {
        assert_plain(&run(&[], environment));
        assert_plain(&run(&["--color", "auto"], environment));
        assert_plain(&run(&["--color", "never"], environment));
    }
    assert_plain(&run(&["--color", "never"], &[("CLICOLOR_FORCE", "1")]));
    for environment in [&[][..], &[("NO_COLOR", "1")]] {
        let colored = run(&["--color", "always"], environment);
        let plain = without_colors(&colored.err());
        assert!(colored.err().contains("\u{1b}["), "{}", colored.err());
        assert_eq!(plain, run(&[], &[]).err(), "colours are all that is added");
    }
}

/// Runs the binary with a terminal of its own for both streams, and gives what a person would have got.
fn on_a_terminal(arguments: &[&str], environment: &[(&str, &str)], folder: &Path) -> String {
    const SPAWN: &str = "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))";
    let mut python = process::Command::new("python3");
    python.args(["-I", "-B", "-c", SPAWN, SVC]).env("TERM", "xterm-256color");
    let mut run = Svc::from_command(python, "svc on a terminal").args(arguments).in_folder(folder);
    for (name, value) in environment {
        run = run.env(name, *value);
    }
    run.run().out().replace("\r\n", "\n")
}

#[test]
fn a_terminal_gets_colours_unless_somebody_asked_for_none() {
    let folder = folder::empty();
    fs::write(folder.path().join("bad.json"), "{\"a\": tru}").unwrap();
    let validate = ["app", "validate", "bad.json"];
    let colored = on_a_terminal(&validate, &[], folder.path());
    assert!(colored.contains("error[SVC-J001]") && colored.contains("\u{1b}["), "{colored:?}");
    for (options, environment) in
        [(&["--color", "never"][..], &[][..]), (&[], &[("NO_COLOR", "1")]), (&[], &[("TERM", "dumb")])]
    {
        let arguments: Vec<&str> = validate.iter().chain(options).copied().collect();
        let plain = on_a_terminal(&arguments, environment, folder.path());
        assert!(plain.contains("error[SVC-J001]") && !plain.contains('\u{1b}'), "{plain:?}");
    }
}

#[test]
fn a_terminal_never_gets_a_foreign_sequence() {
    let folder = folder::empty();
    let text = "\u{1b}]52;c;aGk=\u{7}\u{9b}31m\u{202e}";
    let name = format!("x{text}.json");
    fs::write(folder.path().join(&name), json!({ format!("member{text}"): text }).to_string()).unwrap();
    let cases: [&[&str]; 6] = [
        &["app", "validate", &name],
        &["app", "registry-validate", "a.json", &name],
        &["app", &name],
        &["app", "pack", "a.json", "--visibility", &name],
        &["explain", &name],
        &["app", "validate", "missing.json", &name],
    ];
    for arguments in cases {
        let shown = without_colors(&on_a_terminal(arguments, &[], folder.path()));
        assert!(!shown.is_empty());
        assert!(shown.chars().all(|character| character == '\n' || !moves_or_hides(character)), "{shown:?}");
    }
}

#[test]
fn colours_do_not_let_foreign_sequences_through() {
    let folder = folder::empty();
    for text in hostile() {
        fs::write(folder.path().join("bad.json"), json!({ format!("member{text}"): text }).to_string()).unwrap();
        let run = app(["validate", "bad.json", "--color", "always"]).in_folder(folder.path()).run();
        run.exits(1);
        let plain = without_colors(&run.err());
        assert!(plain.chars().all(|character| character == '\n' || !moves_or_hides(character)), "{plain:?}");
    }
}

/// Without the sequences that only set colours: `ESC [ digits ; … m`.
fn without_colors(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("\u{1b}[") {
        let (before, sequence) = rest.split_at(at);
        plain.push_str(before);
        let length = sequence[2..].find(|character: char| !character.is_ascii_digit() && character != ';').unwrap();
        if sequence[2 + length..].starts_with('m') {
            rest = &sequence[2 + length + 1..];
        } else {
            plain.push('\u{1b}');
            rest = &sequence[1..];
        }
    }
    plain + rest
}

#[test]
fn a_package_with_a_hostile_folder_above_it_reaches_no_terminal() {
    let folder = folder::empty();
    let parent = folder.path().join("esc\u{1b}[31m\u{202e}");
    folder::copy(&example("minimal"), &parent);
    let manifest = parent.join("svc-app.json");
    let run = app(["pack"]).args([&manifest]).args(["--out", "-"]).run();
    run.exits(0);
    assert_plain(&run);
    fs::remove_file(Path::new(&parent).join("icon.png")).unwrap();
    let run = app(["pack"]).args([&manifest]).args(["--out", "-"]).run();
    run.exits(1);
    assert_plain(&run);
}
