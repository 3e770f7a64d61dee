//! Annotations of a CI service, within its limits and its escapes, and the summary of the step.

use std::{collections::BTreeMap, fs};

use serde_json::json;

use crate::{
    packages::{Package, pictures_of},
    run::{Run, program},
};

/// The service shows this many of each level in one step and drops the rest.
const MOST: usize = 10;

/// One workflow command, with the escapes of its properties undone.
struct Annotation {
    level: String,
    properties: BTreeMap<String, String>,
    text: String,
}

impl Annotation {
    /// Reads a line the way the service does.
    fn parse(line: &str) -> Self {
        let (head, text) = line.strip_prefix("::").unwrap().split_once("::").unwrap();
        let (level, properties) = head.split_once(' ').unwrap_or((head, ""));
        let pairs = properties.split(',').filter(|pair| !pair.is_empty()).map(|pair| pair.split_once('=').unwrap());
        let plain = |text: &str| text.replace("%3A", ":").replace("%2C", ",").replace("%25", "%");
        Self {
            level: level.to_owned(),
            properties: pairs.map(|(name, value)| (name.to_owned(), plain(value))).collect(),
            text: text.replace("%25", "%"),
        }
    }

    fn file(&self) -> Option<&str> {
        self.properties.get("file").map(String::as_str)
    }
}

#[test]
fn at_most_ten_of_a_level_are_told_and_the_rest_is_counted() {
    let package = Package::with_thirteen_errors();
    package.write("dist/index.html", pictures_of(12));
    let annotations = annotations(&package.report("github"));
    let of = |level: &str| annotations.iter().filter(|annotation| annotation.level == level).count();
    assert_eq!((of("error"), of("warning")), (MOST, MOST));
    let notices: Vec<&str> =
        annotations.iter().filter(|one| one.level == "notice").map(|one| one.text.as_str()).collect();
    assert!(notices.len() <= MOST);
    assert!(notices.iter().any(|text| text.starts_with("and 3 more of level error")), "{notices:?}");
    assert!(notices.iter().any(|text| text.starts_with("and 2 more of level warning (SVC-P013 ×2)")), "{notices:?}");
}

#[test]
fn what_would_end_a_property_or_a_line_is_escaped() {
    let package = Package::complete().with_manifest(|manifest| {
        manifest["50%,a:b\n::error::forged"] = json!(1);
    });
    package.write("dist/100%, x.js.orig", "{}");
    fs::rename(package.path("app"), package.path("a%b, c:d")).unwrap();
    let run = Run::of(&mut program(package.folder(), &["app", "preflight", "a%b, c:d", "--format", "github"])).exits(1);
    let annotations = annotations(&run.stdout);
    let files: Vec<&str> = annotations.iter().filter_map(Annotation::file).collect();
    assert_eq!(files, ["a%b, c:d/svc-app.json", "a%b, c:d/dist/100%, x.js.orig"], "{}", run.stdout);
    assert!(annotations[0].text.contains("50%,a:b\\u{a}::error::forged"), "{}", annotations[0].text);
    assert!(run.stdout.contains("::unknown member `50%25,a:b\\u{a}"), "{}", run.stdout);
}

#[test]
fn places_have_lines_and_columns_and_no_path_of_this_machine() {
    let package = Package::with_thirteen_errors();
    let typed = package.path("app").into_os_string().into_string().unwrap();
    let run = Run::of(&mut program(package.folder(), &["app", "preflight", &typed, "--format", "github"])).exits(1);
    assert!(!run.stdout.contains(package.folder().to_str().unwrap()), "{}", run.stdout);
    let id = annotations(&run.stdout).into_iter().find(|one| one.properties["title"] == "SVC-M010").unwrap();
    assert_eq!(id.file(), Some("app/svc-app.json"));
    let numbers = ["line", "col", "endLine", "endColumn"].map(|name| id.properties[name].as_str());
    assert_eq!(numbers, ["4", "9", "4", "24"]);
}

#[test]
fn a_stop_is_one_escaped_annotation() {
    let package = Package::complete();
    let run = Run::of(&mut program(package.folder(), &["app", "preflight", "no 100%\n/x.json", "--format", "github"]));
    let run = run.exits(3);
    let annotations = annotations(&run.stdout);
    assert_eq!(annotations.len(), 1, "{}", run.stdout);
    assert!(run.stdout.starts_with("::error::no 100%25\\u{a}/x.json: "), "{}", run.stdout);
}

#[test]
fn the_summary_is_appended_to_the_file_that_the_service_names() {
    let package = Package::with_thirteen_errors();
    let summary = package.path("summary.md");
    fs::write(&summary, "written before\n").unwrap();
    let arguments = ["app", "preflight", "app", "--format", "github"];
    Run::of(program(package.folder(), &arguments).env("GITHUB_STEP_SUMMARY", &summary)).exits(1);
    let text = fs::read_to_string(&summary).unwrap();
    assert!(text.starts_with("written before\n### svc: valid no\n"), "{text}");
    assert_eq!(text.matches("| `app/svc-app.json:").count(), 13, "{text}");
    assert!(text.contains("Outcome: accepted no, signed no, installable no."), "{text}");
    assert!(text.contains("- publisher-verification: unverified\n"), "{text}");
}

#[test]
fn without_the_format_no_summary_is_written() {
    let package = Package::complete();
    let summary = package.path("summary.md");
    Run::of(program(package.folder(), &["app", "preflight", "app"]).env("GITHUB_STEP_SUMMARY", &summary)).exits(0);
    assert!(!summary.exists());
}

#[test]
fn text_of_strangers_cannot_make_cells_links_or_pictures_in_the_summary() {
    let package = Package::complete().with_manifest(|manifest| {
        manifest["a|b<img>![x](y)`z`\n## forged"] = json!(1);
    });
    let summary = package.path("summary.md");
    let arguments = ["app", "preflight", "app", "--format", "github"];
    Run::of(program(package.folder(), &arguments).env("GITHUB_STEP_SUMMARY", &summary)).exits(1);
    let text = fs::read_to_string(&summary).unwrap();
    let rows: Vec<&str> = text.lines().filter(|line| line.contains("SVC-M002")).collect();
    // A code span: no renderer looks for anything in it.
    let expected = "| `` unknown member `a\\u{7c}b<img>![x](y)`z`\\u{a}## forged` `` |";
    assert!(rows.len() == 1 && rows[0].ends_with(expected), "{text}");
    let package = Package::complete();
    package.write("dist/www.evil.example @team __x__.js.orig", "{}");
    let summary = package.path("summary.md");
    Run::of(program(package.folder(), &arguments).env("GITHUB_STEP_SUMMARY", &summary)).exits(0);
    let text = fs::read_to_string(&summary).unwrap();
    assert!(text.contains("| `app/dist/www.evil.example @team __x__.js.orig` |"), "{text}");
}

fn annotations(report: &str) -> Vec<Annotation> {
    report.lines().map(Annotation::parse).collect()
}
