//! The line of a place, also in the files of a package, and never a secret.

use serde_json::{Value, json};

use crate::packages::Package;

const FORMATS: [&str; 6] = ["human", "concise", "json", "sarif", "junit", "github"];

/// `eval` in column 5001 of one long line.
fn minified() -> Package {
    let package = Package::complete();
    package.write("dist/min.js", format!("{}eval(name);{}", "a();".repeat(1_250), "b();".repeat(1_250)));
    package
}

#[test]
fn a_minified_line_is_shown_around_its_place_with_a_caret() {
    let run = minified().preflight(&[]).exits(0);
    assert!(run.stderr.contains("--> app/dist/min.js:1:5001\n"), "{}", run.stderr);
    let shown = run.stderr.lines().find(|line| line.contains("eval(name)")).unwrap();
    assert!(shown.chars().count() < 100 && shown.contains("…") && shown.contains("a();eval(name);b();"), "{shown}");
    let caret = run.stderr.lines().skip_while(|line| !line.contains("eval(name)")).nth(1).unwrap();
    let column = |line: &str, part: &str| line.chars().count() - line[line.find(part).unwrap()..].chars().count();
    assert_eq!(column(caret, "^^^^"), column(shown, "eval"), "{shown}\n{caret}");
}

#[test]
fn a_region_has_its_snippet_and_what_stands_around_it() {
    let log = minified().json_report("sarif");
    let results = log["runs"][0]["results"].as_array().unwrap();
    let place = |result: &Value| result["locations"][0]["physicalLocation"].clone();
    let found = results.iter().map(place).find(|place| place["region"]["startColumn"] == 5001).unwrap();
    assert_eq!(found["artifactLocation"]["uri"], "app/dist/min.js");
    assert_eq!(found["region"]["snippet"]["text"], "eval");
    assert_eq!(found["region"]["endColumn"], 5005);
    let around = &found["contextRegion"];
    assert_eq!((around["startColumn"].as_u64(), around["endColumn"].as_u64()), (Some(4971), Some(5051)));
    assert_eq!(around["snippet"]["text"].as_str().unwrap().chars().count(), 80);
}

#[test]
fn rules_have_help_tags_and_a_weight_for_security() {
    let log = Package::complete().json_report("sarif");
    let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
    for rule in rules {
        assert!(rule["help"]["markdown"].as_str().unwrap().contains("**What to do:**"), "{rule}");
        let tags = rule["properties"]["tags"].as_array().unwrap();
        let is_security = tags.iter().any(|tag| tag == "security");
        assert_eq!(rule["properties"].get("security-severity").is_some(), is_security, "{rule}");
        assert_eq!(tags.len(), 1 + usize::from(is_security), "{rule}");
    }
    let secret = rules.iter().find(|rule| rule["id"] == "SVC-F008").unwrap();
    assert_eq!(secret["properties"]["security-severity"], "8.0");
}

#[test]
fn a_secret_in_the_manifest_is_found_wherever_it_stands_and_shown_nowhere() {
    let secret = format!("{}{}", "svcr_", "3f9a1c7be2d04586a1b9c8d7e6f50312");
    let places: [fn(&mut Value, &str); 5] = [
        |manifest, secret| manifest["summary"] = json!(format!("Shows {secret} to all")),
        |manifest, secret| manifest["_meta"] = json!({ "dev.acme/key": secret }),
        |manifest, secret| manifest["$schema"] = json!(secret),
        |manifest, secret| manifest[secret] = json!(1),
        |manifest, secret| {
            manifest["exceptions"] = json!([{ "rule": "SVC-P012", "path": secret, "reason": "None at all." }]);
        },
    ];
    for (number, place) in places.iter().enumerate() {
        let package = Package::complete().with_manifest(|manifest| place(manifest, &secret));
        for format in FORMATS {
            let run = package.preflight(&["--format", format]).exits(1);
            let told = run.stdout + &run.stderr;
            assert!(told.contains("F008") && !told.contains(&secret), "{number} {format}: {told}");
        }
    }
}

#[test]
fn no_line_of_a_file_with_a_secret_is_shown() {
    let package = Package::complete();
    let secret = format!("{}{}", "svcr_", "3f9a1c7be2d04586a1b9c8d7e6f50312");
    package.write("dist/keys.js", format!("const key = \"{secret}\"; eval(key);\neval(other);\n"));
    for format in FORMATS {
        let run = package.preflight(&["--format", format]).exits(1);
        let told = run.stdout + &run.stderr;
        assert!(told.contains("SVC-F008") && told.contains("SVC-P012"), "{format}: {told}");
        assert!(!told.contains(&secret) && !told.contains("eval(other)"), "{format}: {told}");
    }
}

#[test]
fn control_characters_of_a_package_file_stay_out_of_the_terminal() {
    let package = Package::complete();
    package.write("dist/odd.js", "/* \u{1b}[2J\u{202e} */ eval(name);\n");
    let run = package.preflight(&[]).exits(0);
    assert!(run.stderr.contains("app/dist/odd.js:1:13\n"), "{}", run.stderr);
    assert!(run.stderr.contains("\\u{1b}[2J\\u{202e} */ eval(name);"), "{}", run.stderr);
    assert!(!run.stderr.contains(['\u{1b}', '\u{202e}']));
}

#[test]
fn a_file_that_became_a_link_is_not_read_for_its_line() {
    // What is shown is read beneath the package: a link has a finding, and no line of what it leads to.
    let package = Package::complete();
    package.write("dist/more.js", "eval(name);\n");
    std::fs::write(package.path("secret.txt"), "outside of the package").unwrap();
    std::os::unix::fs::symlink("../../secret.txt", package.path("app/dist/link.js")).unwrap();
    let run = package.preflight(&[]).exits(1);
    assert!(run.stderr.contains("[SVC-F014]") && !run.stderr.contains("outside of"), "{}", run.stderr);
}
