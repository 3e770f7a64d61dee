//! Texts that would like to be more than text.

use std::fs;

use serde_json::json;

use crate::desk::Desk;

/// Each fits into a name.
pub(crate) const NAUGHTY: [&str; 11] = [
    "</script><img src=x onerror=alert(1)>",
    "</pre></noscript><script>alert(1)</script>",
    "<!-- <script> --!>",
    "\"><svg onload=alert(1)>",
    "javascript:alert(1)",
    "${alert(1)} {{7*7}} #{7}",
    "__proto__",
    "&lt;b&gt; &amp; &#x3c;b&#x3e; \\u003cb\\u003e",
    "]]> <![CDATA[ <?php ?>",
    "`x` ``y`` |a|b| [z](//evil.example)",
    "@team #1 www.evil.example \\",
];

#[test]
fn a_naughty_text_in_every_field_stays_a_text() {
    let desk = Desk::new();
    let plain = desk.page(&["--package", "app"]);
    for text in NAUGHTY {
        fill(&desk, text);
        let page = desk.page(&["--package", "app"]);
        assert_eq!(page.head, plain.head, "{text}");
        assert_eq!(page.tail, plain.tail, "{text}");
        assert!(!page.data.contains(['<', '>', '&']), "{text}");
        let model = page.model();
        assert_eq!(model["listing"]["name"], text);
        assert_eq!(model["listing"]["summary"], text);
        assert_eq!(model["uses"]["permissions"][0]["purpose"], text);
        assert_eq!(model["uses"]["networkPurpose"], text);
        assert_eq!(model["listing"]["screenshots"][0]["alt"], text);
        assert!(model["listing"]["owner"].as_str().unwrap().starts_with(text));
        let quoted = model["findings"]["rows"]
            .as_array()
            .unwrap()
            .iter()
            .any(|row| row["message"].to_string().contains("categor"));
        assert!(quoted, "no finding about the category in {}", model["findings"]);
    }
}

/// The same text in name, summary, purposes, publisher, owner, a category and the alternative text of a picture.
pub(crate) fn fill(desk: &Desk, text: &str) {
    desk.edit(|manifest| {
        for member in ["name", "summary"] {
            manifest[member] = json!(text);
        }
        manifest["publisher"]["name"] = json!(text);
        manifest["permissions"][0]["purpose"] = json!(text);
        manifest["network"]["purpose"] = json!(text);
        manifest["screenshots"][0]["alt"] = json!(text);
        manifest["categories"] = json!([text]);
    });
    desk.svc(&["app", "preflight", "app", "--out-dir", "bundle", "--owner-id", "acme", "--owner-name", text]).exits(0);
}

#[test]
fn a_file_name_is_text_too() {
    let desk = Desk::new();
    let name = "dist/&amp;${x}'`__proto__.js";
    fs::write(desk.path("app").join(name), "eval(location.hash);\n").unwrap();
    desk.preflight();
    let page = desk.page(&["--package", "app"]);
    assert!(!page.data.contains(['<', '>', '&']));
    let files = page.model()["files"]["rows"].as_array().unwrap().clone();
    assert!(files.iter().any(|row| row["path"] == name), "{files:?}");
}

#[test]
fn what_hides_or_is_endless_makes_no_bundle_to_report_on() {
    let long = "x".repeat(64 * 1024);
    for text in ["a\u{202e}b", "a\u{200b}b", "a\u{7}b", &long] {
        let desk = Desk::new();
        desk.edit(|manifest| manifest["name"] = json!(text));
        desk.svc(&["app", "preflight", "app", "--out-dir", "other"]).exits(1);
        desk.svc(&["app", "report", "other"]).exits(3);
        assert!(!desk.path("report.html").exists());
    }
}

#[test]
fn the_policy_allows_what_stands_in_the_file_and_nothing_else() {
    let desk = Desk::new();
    let page = desk.page(&[]);
    let (_, policy) = page.head.split_once("http-equiv=\"Content-Security-Policy\" content=\"").unwrap();
    let (policy, _) = policy.split_once('"').unwrap();
    assert!(policy.starts_with("default-src 'none'; script-src 'sha256-"), "{policy}");
    for part in [
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ] {
        assert!(policy.contains(part), "{part} in {policy}");
    }
    for word in ["unsafe", "http", "*", "strict-dynamic", "nonce"] {
        assert!(!policy.contains(word), "{word} in {policy}");
    }
    let whole = page.head + &page.tail;
    for word in [
        "<script src",
        "<iframe",
        "<object",
        "<embed",
        "<form",
        "<a ",
        " style=",
        " onload",
        "http://",
        "https://",
        "@import",
        "url(",
    ] {
        // The one address in the script is the name of a namespace.
        let found = whole.replace("http://www.w3.org/2000/svg", "").contains(word);
        assert!(!found, "{word}");
    }
    assert!(whole.contains("<noscript>") && whole.contains("accepted no, signed no, installable no"));
}

/// Whoever floods a page would like what matters to be cut.
#[test]
fn no_flood_of_declared_hosts_or_changed_files_hides_what_matters() {
    let desk = Desk::new();
    crate::run::copy_folder(&desk.path("bundle"), &desk.path("older"));
    let allowed: Vec<String> = (0..300).map(|number| format!("https://host-{number}.example")).collect();
    desk.edit(|manifest| {
        manifest["network"]["allow"] = json!(allowed);
        manifest["entry"].as_object_mut().unwrap().remove("csp");
    });
    for number in 0..300 {
        desk.append(&format!("app/dist/added-{number}.css"), "a { color: red }\n");
    }
    desk.append("app/dist/app.js", "fetch('https://collect.example/'); navigator.clipboard.readText();\n");
    desk.preflight();
    let model = desk.page(&["--against", "older"]).model();
    let origins = model["uses"]["origins"].as_array().unwrap();
    let undeclared: Vec<&str> = origins
        .iter()
        .take_while(|row| row["standing"] == "used-not-declared")
        .map(|row| row["name"].as_str().unwrap())
        .collect();
    // The host of the example is not declared any more.
    assert_eq!(undeclared, ["https://api.acme.dev", "https://collect.example"]);
    assert_eq!(model["uses"]["leftOut"], "0 more permissions and 202 more hosts: `svc app inspect` lists all");
    let changes = model["difference"]["changes"].as_array().unwrap();
    assert!(changes.iter().any(|change| change["what"] == "blocker" && change["name"] == "SVC-P014"), "{changes:?}");
    assert!(model["difference"]["leftOut"].as_str().unwrap().ends_with("more changes: `svc app diff` lists all"));
    let markdown = desk.markdown(&["--against", "older"]);
    for line in ["| host | `https://collect.example` |  | **used, not declared** |", "- added blocker `SVC-P014`"] {
        assert!(markdown.contains(line), "{line} in\n{markdown}");
    }
    let bytes = fs::metadata(desk.path("report.html")).unwrap().len();
    assert!(bytes < 100 * 1024, "{bytes} bytes without pictures");
}
