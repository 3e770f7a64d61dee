//! The gate `alerts`: the rules, the dashboard and the settings of `deploy/`, held against a registry that runs.
//!
//! Each alert fires in `alerts.test.yml`, and stays quiet there: an alert that cannot fire any more fails the tests, which is
//! tried with each of them. A real Prometheus, with the shipped settings, then reads a registry that has everything there
//! is to have; every rule must evaluate, and every metric that a rule or a panel names must have come.

mod dashboard;
mod prometheus;
mod shipped;
mod watched;

use std::{collections::BTreeSet, fs, path::Path, process::Command};

use anyhow::{Context as _, Result, ensure};

use self::{
    prometheus::{Prometheus, Rule},
    shipped::{RULE_TESTS, RULES, SETTINGS, metrics_in, shipped},
    watched::WatchedRegistry,
};
use svc_gates::{
    debian,
    process::{command, root, run, say, target},
};

/// An expression that is never true.
const NEVER: &str = "vector(0) > 1";

/// Checks what is shipped for those who watch a registry.
pub(crate) fn check() -> Result<()> {
    // The package would start a service; its programs need none.
    let programs = debian::unpack("prometheus", "usr/bin")?;
    let promtool = programs.join("promtool");
    let folder = target().join("xtask/alerts");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)?;
    let folder = folder.canonicalize()?;
    run(promtool_with(&promtool, &["check", "rules", RULES]))?;
    run(promtool_with(&promtool, &["check", "config", "--syntax-only", SETTINGS]))?;
    run(promtool_with(&promtool, &["test", "rules", RULE_TESTS]))?;
    let registry = WatchedRegistry::start(&folder)?;
    let prometheus = Prometheus::start(&programs.join("prometheus"), &registry, &folder)?;
    let (exposed, rules) = (prometheus.metric_names()?, prometheus.rules()?);
    check_rules(&rules, &exposed)?;
    check_tests(&promtool, &rules, &folder)?;
    let panels = dashboard::check(&prometheus, &exposed)?;
    say(&format!("  {} alerts and {panels} panels on {} metrics", rules.len(), exposed.len()));
    Ok(())
}

fn promtool_with(promtool: &Path, arguments: &[&str]) -> Command {
    command(&promtool.to_string_lossy(), arguments)
}

/// Each rule evaluates, names what there is, and leads to a page.
fn check_rules(rules: &[Rule], exposed: &BTreeSet<String>) -> Result<()> {
    for Rule { name, query, health, annotations } in rules {
        ensure!(health == "ok", "{name} cannot be evaluated: its health is {health}");
        ensure!(!annotations.summary.is_empty(), "{name} has no summary");
        let named = metrics_in(query);
        ensure!(!named.is_empty() || query.starts_with("up{"), "{name} looks at no metric of ours: {query}");
        let missing: Vec<&String> = named.difference(exposed).collect();
        ensure!(missing.is_empty(), "{name} names what no registry exposes: {missing:?}");
        check_runbook(&annotations.runbook).with_context(|| format!("the runbook of {name}"))?;
    }
    Ok(())
}

/// The heading that a runbook leads to is there.
fn check_runbook(runbook: &str) -> Result<()> {
    let (page, anchor) = runbook.split_once('#').with_context(|| format!("`{runbook}` is no heading of a page"))?;
    let text = fs::read_to_string(root().join(page)).context(page.to_owned())?;
    let slug = |heading: &str| heading.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
    let found = text.lines().any(|line| line.starts_with('#') && slug(line) == anchor);
    ensure!(found, "{page} has no heading `{anchor}`");
    Ok(())
}

/// The tests see it when an alert does not fire any more, and they say for each when it must not.
fn check_tests(promtool: &Path, rules: &[Rule], folder: &Path) -> Result<()> {
    let (text, tests) = (shipped(RULES)?, shipped(RULE_TESTS)?);
    fs::write(folder.join("alerts.test.yml"), &tests)?;
    for Rule { name, .. } in rules {
        let quiet = format!("alertname: {name}\n        exp_alerts: []");
        ensure!(tests.contains(&quiet), "no test in {RULE_TESTS} says when {name} must not fire");
        fs::write(folder.join("alerts.yml"), never_firing(&text, name)?)?;
        let mut mutant = promtool_with(promtool, &["test", "rules", "alerts.test.yml"]);
        let output = mutant.current_dir(folder).output()?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let is_seen = !output.status.success() && said.contains(&format!("alertname: {name}"));
        ensure!(is_seen, "{name} was made to never fire, and {RULE_TESTS} does not see it:\n{said}");
    }
    Ok(())
}

/// The rules with one alert that is never true.
fn never_firing(rules: &str, name: &str) -> Result<String> {
    let head = format!("- alert: {name}\n");
    let (before, rest) = rules.split_once(&head).with_context(|| format!("{RULES} has no `{name}`"))?;
    let (old, after) = rest.split_once("\n        labels:").with_context(|| format!("`{name}` has no labels"))?;
    ensure!(old.trim_start().starts_with("expr:"), "`{name}` does not begin with its expression");
    Ok(format!("{before}{head}        expr: {NEVER}\n        labels:{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alert_is_taken_out_and_the_others_stay() {
        let rules = shipped(RULES).unwrap();
        let changed = never_firing(&rules, "SvcCheckpointStale").unwrap();
        assert_eq!(changed.matches(NEVER).count(), 1);
        assert!(!changed.contains("svc_journal_checkpoint_age_seconds") && changed.contains("svc_witness_alarm == 1"));
        assert_eq!(changed.matches("- alert: ").count(), rules.matches("- alert: ").count());
        assert!(never_firing(&rules, "SvcNothing").is_err());
    }

    #[test]
    fn a_runbook_without_its_page_or_heading_is_told() {
        assert!(check_runbook("docs/guides/operators.md#svcnotready").is_ok());
        assert!(check_runbook("docs/guides/operators.md#svcnothing").is_err());
        assert!(check_runbook("docs/guides/nothing.md#svcnotready").is_err());
        assert!(check_runbook("docs/guides/operators.md").is_err());
    }
}
