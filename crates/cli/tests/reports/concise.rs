//! One line a finding.

use crate::packages::Package;

#[test]
fn each_finding_is_one_line_that_editors_can_follow() {
    let report = Package::with_thirteen_errors().report("concise");
    let lines: Vec<&str> = report.lines().collect();
    assert_eq!(lines.len(), 14, "{report}");
    assert_eq!(lines[0], "app/svc-app.json:1:1: error[SVC-M001] the member `license` is missing");
    assert_eq!(lines[7], "app/svc-app.json:10:3: error[SVC-M002] unknown member `licence`");
    assert_eq!(lines[13], "valid: no");
}

#[test]
fn findings_are_sorted_by_file_and_line() {
    let package = Package::complete();
    package.write("dist/b.js", "let a = 1;\neval(a);\nimport('https://elsewhere.dev/x.js');\n");
    package.write("dist/a.js.orig", "{}");
    let secret = format!("eval(key);\n\nconst key = \"{}{}\";\n", "AKIA", "IOSFODNN7EXAMPLE");
    package.write("dist/c.js", secret);
    let report = package.report("concise");
    let places: Vec<&str> = report.lines().filter_map(|line| line.split_once(": ")).map(|(place, _)| place).collect();
    let expected =
        ["app/dist/a.js.orig", "app/dist/b.js:2:1", "app/dist/b.js:3:1", "app/dist/c.js:1:1", "app/dist/c.js:3:14"];
    assert_eq!(places, [&expected[..], &["valid"]].concat(), "{report}");
}

#[test]
fn a_package_without_findings_is_one_word() {
    assert_eq!(Package::complete().report("concise"), "valid: yes\n");
}

#[test]
fn a_line_of_the_ignore_file_is_a_place_too() {
    let package = Package::complete();
    package.write(".svcignore", "*.map\n[z-a]\n");
    let report = package.report("concise");
    assert!(report.starts_with("app/.svcignore:2:1: error[SVC-M003] the pattern cannot be used"), "{report}");
}
