//! The dashboard for Grafana: its form, and that every panel shows something of a registry that runs.

use std::collections::BTreeSet;

use anyhow::{Context as _, Result, bail, ensure};
use serde::Deserialize;

use super::{
    prometheus::Prometheus,
    shipped::{DASHBOARD, metrics_in, shipped},
};

/// The width that Grafana divides a page into.
const COLUMNS: u32 = 24;

/// What stands in expressions for what Grafana puts in.
const VARIABLES: [(&str, &str); 3] = [("$job", "svc"), ("$instance", ".+"), ("$__rate_interval", "1m")];

/// Panels of a registry that is well: nothing failed, and a new log has no records to check.
const EMPTY: [&str; 2] = ["Share of 5xx", "Check of the whole log"];

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Dashboard {
    panels: Vec<Panel>,
    schema_version: u32,
    templating: Templating,
    title: String,
    uid: String,
}

#[derive(Deserialize)]
struct Templating {
    list: Vec<Variable>,
}

#[derive(Deserialize)]
struct Variable {
    name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Panel {
    #[serde(default)]
    datasource: Option<DataSource>,
    grid_pos: Place,
    id: u32,
    #[serde(default)]
    targets: Vec<Target>,
    title: String,
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Deserialize)]
struct DataSource {
    uid: String,
}

#[derive(Clone, Copy, Deserialize)]
struct Place {
    h: u32,
    w: u32,
    x: u32,
    y: u32,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Target {
    expr: String,
    ref_id: String,
}

/// Checks it, and tells how many panels it has.
pub(super) fn check(prometheus: &Prometheus, exposed: &BTreeSet<String>) -> Result<usize> {
    let dashboard = read(&shipped(DASHBOARD)?)?;
    let mut shown = 0;
    for panel in dashboard.panels.iter().filter(|panel| panel.kind != "row") {
        let mut series = 0;
        for Target { expr, .. } in &panel.targets {
            let missing: Vec<String> = metrics_in(expr).difference(exposed).cloned().collect();
            ensure!(missing.is_empty(), "`{}` names what no registry exposes: {missing:?}", panel.title);
            series += prometheus.query(&filled_in(expr)?).with_context(|| format!("the panel `{}`", panel.title))?;
        }
        let is_empty = EMPTY.contains(&panel.title.as_str());
        ensure!((series == 0) == is_empty, "`{}` shows {series} series of a registry that is well", panel.title);
        shown += 1;
    }
    Ok(shown)
}

/// Reads the file, and refuses what Grafana would show wrongly or not at all.
fn read(text: &str) -> Result<Dashboard> {
    let dashboard: Dashboard = serde_json::from_str(text).context(DASHBOARD)?;
    ensure!(dashboard.schema_version >= 36, "Grafana 9 and later have schema version 36 and above");
    ensure!(!dashboard.title.is_empty() && !dashboard.uid.is_empty(), "a dashboard has a title and a uid");
    let variables: Vec<&str> = dashboard.templating.list.iter().map(|variable| variable.name.as_str()).collect();
    ensure!(variables == ["datasource", "job", "instance"], "its variables are {variables:?}");
    let mut ids = BTreeSet::new();
    for (number, panel) in dashboard.panels.iter().enumerate() {
        let title = &panel.title;
        ensure!(ids.insert(panel.id), "`{title}` has the id of another panel");
        ensure!(panel.grid_pos.x + panel.grid_pos.w <= COLUMNS, "`{title}` is wider than the page");
        let before = dashboard.panels.iter().take(number);
        if let Some(other) = before.into_iter().find(|other| overlap(other.grid_pos, panel.grid_pos)) {
            bail!("`{title}` lies on `{}`", other.title);
        }
        check_panel(panel)?;
    }
    Ok(dashboard)
}

fn check_panel(panel: &Panel) -> Result<()> {
    let Panel { title, kind, targets, .. } = panel;
    match kind.as_str() {
        "row" => ensure!(targets.is_empty(), "the row `{title}` shows nothing itself"),
        "stat" | "timeseries" => {
            ensure!(!targets.is_empty(), "`{title}` asks for nothing");
            let source = panel.datasource.as_ref().map(|source| source.uid.as_str());
            ensure!(source == Some("${datasource}"), "`{title}` has a data source of one machine");
        }
        _ => bail!("`{title}` is a {kind}, which this gate does not know"),
    }
    let refs: BTreeSet<&str> = targets.iter().map(|target| target.ref_id.as_str()).collect();
    ensure!(refs.len() == targets.len(), "two expressions of `{title}` have one refId");
    let without_name = targets.iter().find(|target| metrics_in(&target.expr).is_empty());
    ensure!(without_name.is_none(), "an expression of `{title}` names no metric of ours");
    Ok(())
}

fn overlap(one: Place, other: Place) -> bool {
    let apart = one.x + one.w <= other.x || other.x + other.w <= one.x;
    !apart && one.y < other.y + other.h && other.y < one.y + one.h
}

/// An expression as Grafana would send it.
fn filled_in(expression: &str) -> Result<String> {
    let text = VARIABLES.iter().fold(expression.to_owned(), |text, (name, value)| text.replace(name, value));
    ensure!(!text.contains('$'), "a variable that there is not: {text}");
    Ok(text)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn what_is_shipped_can_be_read_and_what_is_wrong_with_it_is_told() {
        let text = shipped(DASHBOARD).unwrap();
        assert!(read(&text).is_ok());
        let mut value: Value = serde_json::from_str(&text).unwrap();
        value["panels"][1]["gridPos"] = value["panels"][2]["gridPos"].clone();
        assert!(read(&value.to_string()).is_err_and(|error| error.to_string().contains("lies on")));
        let mut value: Value = serde_json::from_str(&text).unwrap();
        value["panels"][1]["targets"][0]["expr"] = "1".into();
        assert!(read(&value.to_string()).is_err_and(|error| error.to_string().contains("names no metric")));
        assert!(filled_in("rate(svc_x{job=\"$job\"}[$__rate_interval])").is_ok());
        assert!(filled_in("svc_x{job=\"$node\"}").is_err());
    }
}
