//! A real Prometheus with the settings that are shipped. Only what belongs to a machine is put in, and it reads often.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    path::Path,
    process::Command,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail, ensure};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use super::{
    shipped::{RULES, SETTINGS, shipped},
    watched::{WatchedRegistry, free_port},
};
use svc_gates::process::Running;

const START_TIMEOUT: Duration = Duration::from_secs(60);

/// What belongs to a machine in the shipped settings, and what is put in its place.
const INTERVALS: [(&str, &str); 2] =
    [("scrape_interval: 15s", "scrape_interval: 1s"), ("evaluation_interval: 15s", "evaluation_interval: 1s")];
const TARGET: &str = "127.0.0.1:8788";

/// What is shipped as a comment, for a registry with tokens and TLS.
const COMMENTS: [&str; 5] = ["authorization:", "  credentials_file: ", "scheme: https", "tls_config:", "  ca_file: "];
const TOKEN: &str = "/etc/prometheus/svc.token";
const AUTHORITY: &str = "/etc/prometheus/svc-authority.pem";

pub(super) struct Prometheus {
    _running: Running,
    url: String,
}

/// An alert as Prometheus has read it.
#[derive(Deserialize)]
pub(super) struct Rule {
    pub(super) name: String,
    pub(super) query: String,
    pub(super) health: String,
    pub(super) annotations: Annotations,
}

#[derive(Deserialize)]
pub(super) struct Annotations {
    pub(super) summary: String,
    pub(super) runbook: String,
}

#[derive(Deserialize)]
struct RuleGroups {
    groups: Vec<RuleGroup>,
}

#[derive(Deserialize)]
struct RuleGroup {
    rules: Vec<Rule>,
}

#[derive(Deserialize)]
struct QueryResult {
    result: Vec<Value>,
}

#[derive(Deserialize)]
struct Reply {
    status: String,
    #[serde(default)]
    data: Value,
    #[serde(default)]
    error: String,
}

impl Prometheus {
    /// Starts it, and waits until it has read the registry twice and evaluated every rule.
    pub(super) fn start(program: &Path, registry: &WatchedRegistry, folder: &Path) -> Result<Self> {
        let folder = folder.join("prometheus");
        fs::create_dir_all(&folder)?;
        fs::write(folder.join("alerts.yml"), shipped(RULES)?)?;
        fs::write(folder.join("prometheus.yml"), settings(registry)?)?;
        let address = format!("127.0.0.1:{}", free_port()?);
        let log = File::create(folder.join("log"))?;
        let mut command = Command::new(program);
        command.arg("--config.file").arg(folder.join("prometheus.yml"));
        command.arg("--storage.tsdb.path").arg(folder.join("data"));
        command.args(["--web.listen-address", &address]).stdout(log.try_clone()?).stderr(log);
        let running = Running(command.spawn().with_context(|| format!("{command:?}"))?);
        let prometheus = Self { _running: running, url: format!("http://{address}") };
        let started = Instant::now();
        while let Err(error) = prometheus.is_settled() {
            ensure!(started.elapsed() < START_TIMEOUT, "{error:#}; its log is in {}", folder.display());
            thread::sleep(Duration::from_millis(500));
        }
        Ok(prometheus)
    }

    /// Whether rates can be told: they need more than one reading.
    fn is_settled(&self) -> Result<()> {
        for query in ["up{job=\"svc\"} == 1", "count_over_time(svc_ready[1m]) > 3"] {
            ensure!(self.query(query)? > 0, "Prometheus does not read the registry: nothing for `{query}`");
        }
        let waiting = self.rules()?.into_iter().find(|rule| rule.health == "unknown");
        ensure!(waiting.is_none(), "a rule was not evaluated yet");
        Ok(())
    }

    /// How many series an expression gives.
    pub(super) fn query(&self, expression: &str) -> Result<usize> {
        let found: QueryResult = self.get("query", &format!("query={expression}"))?;
        Ok(found.result.len())
    }

    pub(super) fn metric_names(&self) -> Result<BTreeSet<String>> {
        let names: Vec<String> = self.get("label/__name__/values", "match[]={job=\"svc\"}")?;
        Ok(names.into_iter().filter(|name| name.starts_with("svc_")).collect())
    }

    pub(super) fn rules(&self) -> Result<Vec<Rule>> {
        let read: RuleGroups = self.get("rules", "type=alert")?;
        let rules: Vec<Rule> = read.groups.into_iter().flat_map(|group| group.rules).collect();
        ensure!(!rules.is_empty(), "Prometheus has no rules");
        Ok(rules)
    }

    fn get<T: DeserializeOwned>(&self, path: &str, parameter: &str) -> Result<T> {
        let url = format!("{}/api/v1/{path}", self.url);
        let arguments = ["--silent", "--show-error", "--get", "--data-urlencode", parameter, &url];
        let output = Command::new("curl").args(arguments).output().context("curl")?;
        ensure!(output.status.success(), "{url}: {}", String::from_utf8_lossy(&output.stderr));
        let reply: Reply = serde_json::from_slice(&output.stdout).with_context(|| url.clone())?;
        if reply.status != "success" {
            bail!("{parameter}: {}", reply.error);
        }
        Ok(serde_json::from_value(reply.data)?)
    }
}

/// The shipped settings, for this registry.
fn settings(registry: &WatchedRegistry) -> Result<String> {
    let mut text = shipped(SETTINGS)?;
    let commented = COMMENTS.iter().map(|line| (format!("    # {line}"), format!("    {line}")));
    let own = INTERVALS.iter().map(|(old, new)| ((*old).to_owned(), (*new).to_owned()));
    let machine = [
        (TARGET.to_owned(), registry.admin.clone()),
        (TOKEN.to_owned(), registry.token.to_string_lossy().into_owned()),
        (AUTHORITY.to_owned(), registry.certificate.to_string_lossy().into_owned()),
    ];
    for (old, new) in commented.chain(own).chain(machine) {
        ensure!(text.contains(&old), "{SETTINGS} has no `{old}`");
        text = text.replace(&old, &new);
    }
    Ok(text)
}
