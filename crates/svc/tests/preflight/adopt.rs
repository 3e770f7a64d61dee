//! `svc app init` in a folder that is there: a draft from each kind of manifest, and nothing left to find that was not told.

use std::{collections::BTreeSet, fs, path::Path};

use serde_json::Value;
use tempfile::TempDir;

use crate::run::{Run, program};

/// A folder with these files, and a square picture wherever a path ends with `.png`.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let target = folder.path().join(path);
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        let picture = || fs::copy(crate::run::repository("examples/minimal/icon.png"), &target).map(|_| ());
        if path.ends_with(".png") { picture().unwrap() } else { fs::write(&target, text).unwrap() }
    }
    folder
}

/// Drafts, holds every finding of the check against what was told, and gives back the draft, what was told and the codes.
fn adopted(folder: &Path, arguments: &[&str]) -> (Value, String, BTreeSet<String>) {
    let dry = Run::of(program(folder, &["init", "--dry-run"]).args(arguments)).exits(0);
    assert!(!folder.join("svc-app.json").exists() && !folder.join(".svc").exists());
    let run = Run::of(program(folder, &["init"]).args(arguments)).exits(0);
    let text = fs::read_to_string(folder.join("svc-app.json")).unwrap();
    assert_eq!(dry.stdout, text);
    assert!(run.stdout.ends_with("\nNext      svc check\n"), "{}", run.stdout);
    let check = Run::of(&mut program(folder, &["check", "--format", "json"]));
    let report: Value = serde_json::from_str(&check.stdout).unwrap();
    let mut codes = BTreeSet::new();
    for finding in report["findings"].as_array().unwrap() {
        let code = finding["code"].as_str().unwrap();
        codes.insert(code.to_owned());
        let pointer = finding["pointer"].as_str().unwrap_or_default();
        let is_told = run.stdout.contains(&format!("\n  {pointer}  ")) || run.stdout.contains(&format!("\n  {code}  "));
        assert!(is_told, "{code} at {pointer} was not told:\n{}", run.stdout);
    }
    // Whatever is drafted has its form, but for what is marked.
    for code in [
        "SVC-J", "SVC-M00", "SVC-M010", "SVC-M011", "SVC-M014", "SVC-M016", "SVC-P001", "SVC-P004", "SVC-P005",
        "SVC-P006",
    ] {
        assert!(!codes.iter().any(|found| found.starts_with(code)), "{codes:?}\n{text}");
    }
    (serde_json::from_str(&text).unwrap(), run.stdout, codes)
}

const PACKAGE: &str = r#"{
  "name": "@acme/weather-board", "version": "1.4.0-beta.2", "description": "Shows the weather for the places your team works in.",
  "license": "MIT", "author": "Acme Ltd <mail@acme.dev> (https://acme.dev)", "main": "dist/main.js",
  "repository": { "type": "git", "url": "git+https://github.com/acme/weather-board.git", "directory": "app" },
  "bugs": { "url": "https://github.com/acme/weather-board/issues" }, "homepage": "https://acme.dev/board",
  "keywords": ["weather", "forecast"], "scripts": { "build": "vite build" }, "weight": 1.5
}"#;

#[test]
fn a_package_json_fills_what_it_says_and_the_code_says_the_rest() {
    let folder = folder(&[
        ("package.json", PACKAGE),
        ("dist/index.html", "<!doctype html><script src=\"main.js\"></script>"),
        ("dist/main.js", "fetch('https://api.acme.dev/v1'); localStorage.setItem('a', 'b');"),
        ("src/other.js", "navigator.clipboard.readText(); fetch('https://elsewhere.dev/');"),
        ("assets/icon.png", ""),
        ("README.md", "# Weather Board\n\nShows the weather."),
        ("LICENSE", "MIT"),
    ]);
    let (draft, told, codes) = adopted(folder.path(), &[]);
    assert_eq!(draft["id"], "dev.acme.weather-board");
    assert_eq!(draft["name"], "Weather Board");
    assert_eq!(draft["version"], "1.4.0-beta.2");
    assert_eq!(draft["publisher"]["id"], "acme");
    assert_eq!(draft["publisher"]["name"], "Acme Ltd");
    assert_eq!(draft["publisher"]["url"], "https://acme.dev");
    assert_eq!(draft["repository"]["url"], "https://github.com/acme/weather-board");
    assert_eq!(draft["repository"]["subfolder"], "app");
    assert_eq!(draft["support"]["url"], "https://github.com/acme/weather-board/issues");
    assert_eq!(draft["entry"]["renderer"], "dist/index.html");
    assert_eq!(draft["network"]["allow"], serde_json::json!(["https://api.acme.dev"]));
    assert_eq!(draft["files"], serde_json::json!(["dist/**", "assets/icon.png", "LICENSE", "README.md"]));
    let asked: Vec<&str> =
        draft["permissions"].as_array().unwrap().iter().map(|row| row["permission"].as_str().unwrap()).collect();
    assert_eq!(asked, ["storage.local", "network.fetch"], "only what the packed code was seen to use");
    assert_eq!(codes.into_iter().collect::<Vec<_>>(), ["SVC-L006", "SVC-P003", "SVC-P010"]);
    assert!(!told.contains("not taken"), "{told}");
    assert!(told.contains("/dataCollection  ") && told.contains("such as [\"none\"]"), "{told}");
}

const EXTENSION: &str = r#"{
  "manifest_version": 3, "name": "__MSG_extName__", "default_locale": "en", "version": "2.1", "short_name": "Reader",
  "description": "Keeps a list of the pages you mean to read.", "homepage_url": "https://reader.acme.dev",
  "action": { "default_popup": "popup/popup.html" }, "icons": { "512": "icons/512.png" },
  "permissions": ["storage", "tabs", "notifications"], "host_permissions": ["https://api.acme.dev/*", "*://*/*", "http://old.acme.dev/*"],
  "background": { "service_worker": "worker.js" },
  "browser_specific_settings": { "gecko": { "id": "x@acme.dev", "data_collection_permissions": { "required": ["websiteActivity"] } } }
}"#;

#[test]
fn a_browser_extension_keeps_what_has_a_true_equivalent() {
    let folder = folder(&[
        ("manifest.json", EXTENSION),
        ("package.json", r#"{ "name": "reader", "version": "9.9.9", "license": "Apache-2.0", "private": true }"#),
        ("_locales/en/messages.json", r#"{ "extname": { "message": "Reading List" } }"#),
        ("popup/popup.html", "<!doctype html><script src=\"popup.js\"></script>"),
        ("popup/popup.js", "fetch('https://api.acme.dev/list'); new Notification('read');"),
        ("worker.js", "localStorage.getItem('list');"),
        ("webpack.config.js", "module.exports = {};"),
        ("test/test.js", "navigator.geolocation.getCurrentPosition(f);"),
        ("icons/512.png", ""),
    ]);
    let (draft, told, codes) = adopted(folder.path(), &[]);
    assert_eq!(draft["name"], "Reading List");
    assert_eq!(draft["version"], "2.1.0");
    assert_eq!(draft["license"], "Apache-2.0");
    assert_eq!(draft["id"], "dev.acme.reader.reading-list");
    assert_eq!(draft["entry"]["renderer"], "popup/popup.html");
    assert_eq!(draft["dataCollection"], serde_json::json!(["usage"]));
    assert_eq!(draft["network"]["allow"], serde_json::json!(["https://api.acme.dev"]));
    let asked: Vec<&str> =
        draft["permissions"].as_array().unwrap().iter().map(|row| row["permission"].as_str().unwrap()).collect();
    assert_eq!(asked, ["storage.local", "notifications.show", "network.fetch"]);
    for text in
        ["permissions: tabs", "host_permissions: *://*/*", "host_permissions: http://old.acme.dev/*", "background"]
    {
        assert!(told.contains(text), "{text}: {told}");
    }
    let expected = ["SVC-F011", "SVC-L006", "SVC-M017", "SVC-M025", "SVC-M026", "SVC-P003", "SVC-P011"];
    assert_eq!(codes.into_iter().collect::<Vec<_>>(), expected);
}

const WEB_APP: &str = r##"{
  "name": "Weather Board for teams that work in many places", "short_name": "Weather", "start_url": "/?from=home", "display": "standalone",
  "description": "Shows the weather.", "categories": ["Productivity", "weather"], "theme_color": "#fff",
  "icons": [{ "src": "icon.png", "sizes": "any" }, { "src": "icon.svg", "sizes": "any" }],
  "screenshots": [{ "src": "board.png", "label": "The board." }]
}"##;

#[test]
fn a_web_app_manifest_is_found_by_any_of_its_names() {
    for name in ["manifest.json", "manifest.webmanifest", "site.webmanifest", "public/manifest.webmanifest"] {
        let place = |path: &str| if name.starts_with("public/") { format!("public/{path}") } else { path.to_owned() };
        let folder = folder(&[
            (name, WEB_APP),
            (&place("index.html"), "<!doctype html><img src=\"https://pictures.acme.dev/a.png\">"),
            (&place("icon.png"), ""),
            (&place("board.png"), ""),
        ]);
        let (draft, told, codes) = adopted(folder.path(), &[]);
        assert_eq!(draft["name"], "Weather Board for teams that work in many");
        assert_eq!(draft["shortName"], "Weather");
        assert_eq!(draft["categories"], serde_json::json!(["productivity"]));
        assert_eq!(draft["entry"]["renderer"], place("index.html"));
        assert_eq!(draft["icons"][0]["src"], place("icon.png"));
        assert_eq!(draft["screenshots"][0]["alt"], "The board.");
        assert_eq!(draft["network"]["allow"], serde_json::json!(["https://pictures.acme.dev"]));
        assert!(told.contains("icon.svg is no square PNG") && told.contains("/version  "), "{told}");
        let expected = ["SVC-F011", "SVC-M017", "SVC-M018", "SVC-M025", "SVC-M026", "SVC-M029", "SVC-P003", "SVC-P010"];
        let known: BTreeSet<String> = expected.map(str::to_owned).into();
        assert!(codes.is_subset(&known), "{codes:?}");
    }
}

const SERVER: &str = r#"{
  "$schema": "https://static.modelcontextprotocol.io/schemas/2025-09-29/server.schema.json",
  "name": "io.github.acme/weather", "title": "Weather", "description": "Forecasts for the places you name.", "version": "1.0.2",
  "repository": { "url": "https://github.com/acme/weather", "source": "github", "subfolder": "server" },
  "packages": [{ "registryType": "npm", "identifier": "@acme/weather", "version": "1.0.2", "transport": { "type": "stdio" } }]
}"#;

#[test]
fn a_server_gives_its_names_and_is_told_that_it_has_no_page() {
    let folder = folder(&[
        ("server.json", SERVER),
        ("src/index.js", "process.exit()"),
        ("README.md", "# Weather\n\nForecasts."),
    ]);
    let (draft, told, codes) = adopted(folder.path(), &[]);
    assert_eq!(draft["id"], "io.github.acme.weather");
    assert_eq!(draft["version"], "1.0.2");
    assert_eq!(draft["publisher"]["id"], "acme");
    assert_eq!(draft["repository"]["subfolder"], "server");
    assert!(told.contains("\n  /entry/renderer  ") && told.contains("not taken server.json: packages"), "{told}");
    let expected = ["SVC-F001", "SVC-L001", "SVC-L006", "SVC-M018", "SVC-M026", "SVC-M029", "SVC-P010"];
    assert_eq!(codes.into_iter().collect::<Vec<_>>(), expected);
}

#[test]
fn what_one_row_took_is_not_told_as_left() {
    let package = r#"{ "name": "board", "version": "1.0.0", "author": "Acme Ltd", "license": "SEE LICENSE IN TERMS", "main": "main.js" }"#;
    let folder = folder(&[("package.json", package), ("main.js", "x()")]);
    let (draft, told, _) = adopted(folder.path(), &[]);
    assert_eq!(draft["publisher"]["name"], "Acme Ltd");
    let left: Vec<&str> = told.lines().filter(|line| line.starts_with("not taken")).collect();
    assert_eq!(left, ["not taken package.json license: SEE LICENSE IN TERMS"]);
    let taken = told.lines().find(|line| line.starts_with("taken")).unwrap();
    assert!(!taken.contains("entry.renderer"), "a script is no page: {taken}");
}

#[test]
fn a_page_in_a_list_of_many_gives_no_domain() {
    let homepages = [
        ("https://list.acme.dev/package/board", "dev.example.board"),
        ("https://github.com/acme/board#readme", "io.github.acme.board"),
        ("https://board.acme.dev/package-tour", "dev.acme.board"),
        ("http://acme.dev", "dev.example.board"),
    ];
    for (homepage, id) in homepages {
        let package = format!(r#"{{ "name": "board", "version": "1.0.0", "homepage": "{homepage}" }}"#);
        let folder = folder(&[("package.json", &package), ("index.html", "<!doctype html>")]);
        assert_eq!(adopted(folder.path(), &[]).0["id"], id, "{homepage}");
    }
}

#[test]
fn the_manifest_that_is_named_is_the_one_that_is_taken() {
    let folder = folder(&[("manifest.json", EXTENSION), ("package.json", PACKAGE), ("index.html", "<!doctype html>")]);
    let (draft, told, _) = adopted(folder.path(), &["--from", "package.json"]);
    assert_eq!(draft["version"], "1.4.0-beta.2");
    assert!(!told.contains("manifest.json:"), "{told}");
}

#[test]
fn a_folder_without_any_manifest_gets_a_draft_that_says_so() {
    let folder = folder(&[("notes.txt", "mine")]);
    let (draft, told, codes) = adopted(folder.path(), &[]);
    assert!(told.contains("taken     nothing"), "{told}");
    assert_eq!(draft["license"], "TODO");
    assert!(codes.contains("SVC-F001") && codes.contains("SVC-M018"), "{codes:?}");
}

fn texts(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect()
}

#[test]
fn a_page_that_nothing_names_is_found_with_all_that_it_loads() {
    let folder = folder(&[
        ("package.json", PACKAGE),
        ("demo/index.html", "<!doctype html><script type=module src=\"../lib/board.js\"></script>"),
        ("demo/style.css", ""),
        ("lib/board.js", "import './part.js';"),
        ("lib/part.js", "localStorage.getItem('a');"),
        ("lib/other.js", "navigator.clipboard.readText();"),
        ("test/index.html", "<!doctype html>"),
        ("README.md", "# Weather Board"),
    ]);
    let (draft, told, codes) = adopted(folder.path(), &[]);
    assert_eq!(draft["entry"]["renderer"], "demo/index.html");
    assert_eq!(texts(&draft["files"]), ["demo/**", "README.md", "lib/board.js", "lib/part.js"]);
    assert_eq!(draft["permissions"][0]["permission"], "storage.local", "what is loaded is read");
    assert_eq!(draft["permissions"].as_array().unwrap().len(), 1, "what is not loaded is not packed");
    assert!(!codes.contains("SVC-F001") && !codes.contains("SVC-F017"), "{codes:?}");
    for line in [
        "taken     demo/index.html  from the pages that are there\n",
        "taken     lib/board.js, lib/part.js  from what the page loads\n",
        "  /entry/renderer  `demo/index.html` is drafted: is it the page that is shown first?\n",
    ] {
        assert!(told.contains(line), "{line}: {told}");
    }
}

#[test]
fn a_page_that_only_tests_show_is_none() {
    let pages = ["test/index.html", "spec/only.html", "404.html", "SpecRunner.html", "a/b/c/d/index.html"];
    for page in pages {
        let folder = folder(&[("package.json", PACKAGE), (page, "<!doctype html>")]);
        let (draft, told, codes) = adopted(folder.path(), &[]);
        assert_eq!(draft["entry"]["renderer"], "dist/index.html", "{page}");
        assert!(codes.contains("SVC-F001") && !told.contains("from the pages"), "{page}: {told}");
    }
}

#[test]
fn a_pattern_that_no_file_goes_by_is_not_drafted() {
    let folder = folder(&[
        ("package.json", PACKAGE),
        ("demo.html", "<!doctype html><script src=\"src/used.js\"></script>"),
        ("gulpfile.js", "x()"),
        ("dist/board.js", "x()"),
        ("src/board.ts", "x()"),
        ("src/used.js", "x()"),
    ]);
    let (draft, _, codes) = adopted(folder.path(), &[]);
    assert_eq!(texts(&draft["files"]), ["*.html", "dist/**", "src/used.js"], "nor what is built of");
    assert!(!codes.contains("SVC-F012"), "{codes:?}");
}

#[test]
fn an_extension_is_found_in_any_folder_with_the_page_of_its_tools() {
    let manifest = r#"{ "manifest_version": 3, "name": "Panel", "version": "1.0", "devtools_page": "tools.html" }"#;
    let folder = folder(&[
        ("package.json", PACKAGE),
        ("test/manifest.json", EXTENSION),
        ("webext/manifest.json", manifest),
        ("webext/tools.html", "<!doctype html>"),
        ("webext/img/icon128.png", ""),
    ]);
    let (draft, told, codes) = adopted(folder.path(), &[]);
    assert_eq!(draft["name"], "Panel");
    assert_eq!(draft["entry"]["renderer"], "webext/tools.html");
    assert_eq!(draft["icons"][0]["src"], "webext/img/icon128.png", "an icon of a usual name beside the page");
    assert!(told.contains("entry.renderer") && told.contains("from webext/manifest.json"), "{told}");
    assert!(!codes.contains("SVC-F001") && !codes.contains("SVC-L001"), "{codes:?}");
}

#[test]
fn a_text_that_was_to_be_filled_or_says_nothing_is_not_taken() {
    let package = r#"{ "name": "board", "version": "1.0.0", "description": "https://acme.dev/board" }"#;
    let manifest =
        r#"{ "manifest_version": 3, "name": "{{ title }}", "version": "1.0", "description": "{{ about }}" }"#;
    let folder = folder(&[("package.json", package), ("manifest.json", manifest), ("index.html", "<!doctype html>")]);
    let (draft, told, codes) = adopted(folder.path(), &[]);
    assert_eq!(draft["name"], "Board", "the next manifest has one");
    assert_eq!(draft["id"], "dev.example.board");
    assert!(draft["summary"].as_str().unwrap().starts_with("TODO") && codes.contains("SVC-M017"), "{codes:?}");
    for line in [
        "not taken manifest.json description: {{ about }}\n",
        "not taken package.json description: https://acme.dev/board\n",
    ] {
        assert!(told.contains(line), "{line}: {told}");
    }
}
