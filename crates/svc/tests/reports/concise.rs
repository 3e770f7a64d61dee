//! One line a finding.

use crate::packages::Package;

#[test]
fn each_finding_is_one_line_that_editors_can_follow() {
    let report = Package::with_thirteen_errors().report("concise");
    let lines: Vec<&str> = report.lines().collect();
    assert_eq!(lines.len(), 15, "{report}");
    assert_eq!(lines[0], "app/svc-app.json:1:1: error[SVC-M001] the member `manifestVersion` is missing");
    assert_eq!(lines[7], "app/svc-app.json:10:3: error[SVC-M002] unknown member `licence`");
    assert_eq!(lines[13], "valid: no");
    assert!(lines[14].starts_with("checked: "), "{report}");
}

#[test]
fn errors_come_first_then_findings_are_sorted_by_file_and_line() {
    let package = Package::complete();
    package.write("dist/b.js", "let a = 1;\neval(a);\nimport('https://elsewhere.dev/x.js');\n");
    package.write("dist/a.js.orig", "{}");
    let secret = format!("eval(key);\n\nconst key = \"{}{}\";\n", "svcr_", "3f9a1c7be2d04586a1b9c8d7e6f50312");
    package.write("dist/c.js", secret);
    let report = package.report("concise");
    let places: Vec<&str> = report.lines().filter_map(|line| line.split_once(": ")).map(|(place, _)| place).collect();
    let (error, rest) = places.split_first().unwrap();
    assert_eq!(*error, "app/dist/c.js:3:14", "{report}");
    let severities: Vec<&str> =
        report.lines().filter_map(|line| line.split_once(": ")?.1.split_once('[')).map(|(word, _)| word).collect();
    let rank = |word: &&str| ["error", "blocker", "warning", "note"].iter().position(|one| one == word).unwrap();
    assert!(severities.iter().is_sorted_by_key(rank), "{report}");
    let warnings =
        report.lines().filter(|line| line.contains(": warning[")).map(|line| line.split_once(": ").unwrap().0);
    assert!(warnings.is_sorted_by(|left, right| left.split(':').next() <= right.split(':').next()), "{report}");
    assert_eq!(rest.last(), Some(&"checked"));
}

#[test]
fn a_package_without_findings_is_one_word_and_its_scope() {
    let report = Package::complete().report("concise");
    let expected = "valid: yes\nchecked: manifest, package-files, artifact-shape, artifact-digests, chain, review (read); not checked: maker; by svc ";
    assert!(report.starts_with(expected) && report.lines().count() == 2, "{report}");
}

#[test]
fn a_line_of_the_ignore_file_is_a_place_too() {
    let package = Package::complete();
    package.write(".svcignore", "*.map\n[z-a]\n");
    let report = package.report("concise");
    assert!(report.starts_with("app/.svcignore:2:1: error[SVC-M003] the pattern cannot be used"), "{report}");
}
