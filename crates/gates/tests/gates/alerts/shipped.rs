//! What is shipped for those who watch a registry, and the metrics that it names.

use std::{collections::BTreeSet, fs};

use anyhow::{Context as _, Result};

use svc_gates::process::root;

pub(super) const RULES: &str = "deploy/prometheus/alerts.yml";
pub(super) const RULE_TESTS: &str = "deploy/prometheus/alerts.test.yml";
pub(super) const SETTINGS: &str = "deploy/prometheus/prometheus.yml";
pub(super) const DASHBOARD: &str = "deploy/grafana/dashboard.json";

pub(super) fn shipped(path: &str) -> Result<String> {
    fs::read_to_string(root().join(path)).context(path.to_owned())
}

/// The metrics of ours in an expression.
pub(super) fn metrics_in(expression: &str) -> BTreeSet<String> {
    let words = expression.split(|character: char| !character.is_ascii_alphanumeric() && character != '_');
    words.filter(|word| word.starts_with("svc_")).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_in_an_expression_are_found() {
        let names = metrics_in("sum by (le) (rate(svc_a_bucket{x=\"y\"}[5m])) / svc_b > 1");
        assert_eq!(names.into_iter().collect::<Vec<_>>(), ["svc_a_bucket", "svc_b"]);
    }
}
