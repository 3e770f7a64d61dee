//! The page says what the other commands say.

use std::fs;

use serde_json::{Value, json};

use crate::{desk::Desk, run::copy_folder};

#[test]
fn stage_gates_findings_and_uses_are_those_of_verify_and_inspect() {
    let desk = Desk::new();
    desk.append(
        "app/dist/app.js",
        "eval(location.hash); fetch('https://collect.example/'); navigator.clipboard.readText();\n",
    );
    desk.preflight();
    let model = desk.page(&["--package", "app"]).model();
    let verified = desk.svc(&["app", "verify", "bundle"]).exits(0).stdout;
    let stage = format!("Stage     {}  (next: {})\n", text(&model, "/standing/stage"), text(&model, "/standing/next"));
    assert!(verified.contains(&stage), "{stage} in {verified}");
    for link in model["chain"].as_array().unwrap() {
        assert!(verified.contains(&format!("{}  {}\n", text(link, "/file"), text(link, "/digest"))), "{link}");
    }
    let inspected = desk.svc(&["app", "inspect", "bundle/svc-registry-submission.json"]).exits(0).stdout;
    let says = |line: &str| assert!(inspected.contains(line), "{line} in\n{inspected}");
    says(&format!("Review    {}\n", text(&model, "/standing/review")));
    says(&format!("Policy    {}\n", text(&model, "/uses/policy")));
    for gate in model["standing"]["gates"].as_array().unwrap() {
        // The page looked at the folder, so that what is shown of the hash is more than what `inspect` shows.
        let whole = text(gate, "/word");
        let word = whole.split(" (").next().unwrap();
        says(&format!("Gate      {:<24} {word}", text(gate, "/gate")));
    }
    for blocker in model["standing"]["blockers"].as_array().unwrap() {
        says(&format!(
            "Blocker   {} ({}): {}\n",
            text(blocker, "/code"),
            text(blocker, "/owner"),
            text(blocker, "/what")
        ));
    }
    let rows = model["findings"]["rows"].as_array().unwrap();
    assert_eq!(rows.len(), inspected.matches("Finding   ").count());
    for row in rows {
        says(&format!("Finding   {} {} ", text(row, "/severity"), text(row, "/code")));
        says(&format!(": {}\n", text(row, "/message")));
    }
    let uses =
        model["uses"]["permissions"].as_array().unwrap().iter().chain(model["uses"]["origins"].as_array().unwrap());
    for row in uses {
        let mark = if row["standing"] == "used-not-declared" { '!' } else { ' ' };
        let line = inspected.lines().find(|line| line.starts_with(&format!("{mark} {}  ", text(row, "/name"))));
        assert!(line.is_some_and(|line| line.ends_with(&text(row, "/usedBy"))), "{row}");
    }
}

#[test]
fn the_difference_is_that_of_diff() {
    let desk = Desk::new();
    copy_folder(&desk.path("bundle"), &desk.path("older"));
    desk.edit(|manifest| {
        manifest["version"] = json!("1.3.0");
        manifest["permissions"][1]["purpose"] = json!("Keeps other things between visits.");
        manifest["network"]["allow"] = json!(["https://api.acme.dev", "https://maps.acme.dev"]);
        manifest["dataCollection"] = json!(["usage"]);
    });
    fs::remove_file(desk.path("app/CHANGELOG.md")).unwrap();
    desk.preflight();
    let planned = desk.svc(&["app", "diff", "older", "bundle"]).exits(0).stdout;
    let model = desk.page(&["--against", "older"]).model();
    assert_eq!(model["difference"]["since"], "dev.acme.weather-board 1.2.0");
    let changes = model["difference"]["changes"].as_array().unwrap();
    assert_eq!(changes.len(), planned.lines().filter(|line| line.starts_with(['+', '-', '~'])).count());
    for change in changes {
        let sign = match change["how"].as_str().unwrap() {
            "added" => '+',
            "changed" => '~',
            _ => '-',
        };
        let line = format!("{sign} {} {}", text(change, "/what"), text(change, "/name"));
        assert!(planned.contains(&line), "{line} in\n{planned}");
    }
    assert!(desk.markdown(&["--against", "older"]).contains("- added origin `https://maps.acme.dev`\n"));
}

#[test]
fn a_page_is_small_and_every_flag_is_closed() {
    let desk = Desk::new();
    let page = desk.page(&[]);
    let model = page.model();
    for flag in ["accepted", "signed", "installable"] {
        assert_eq!(model[flag], Value::Bool(false));
    }
    assert!(!model["notLookedAt"].as_array().unwrap().is_empty());
    let bytes = fs::metadata(desk.path("report.html")).unwrap().len();
    assert!(bytes < 60 * 1024, "{bytes} bytes without pictures");
}

#[test]
fn a_packages_own_folder_and_standard_output_do_too() {
    let desk = Desk::new();
    fs::rename(desk.path("bundle"), desk.path("app/svc-registry")).unwrap();
    let page = desk.svc(&["app", "report", "app", "--out", "-"]).exits(0);
    assert!(page.stdout.starts_with("<!doctype html>"), "{}", page.stdout);
    let markdown = desk.svc(&["app", "report", "app", "--out", "-", "--markdown"]).exits(0);
    assert!(markdown.stdout.starts_with("## `Weather Board` `1.2.0`\n"), "{}", markdown.stdout);
    desk.svc(&["app", "report", "app", "--out", "pull-request.md"]).exits(0);
    assert_eq!(fs::read_to_string(desk.path("pull-request.md")).unwrap(), markdown.stdout);
}

fn text(value: &Value, pointer: &str) -> String {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_else(|| panic!("no {pointer} in {value}")).to_owned()
}
