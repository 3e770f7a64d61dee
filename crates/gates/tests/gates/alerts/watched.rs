//! A registry that has all that can be watched: a journal, TLS, tokens, and a witness and a receiver of webhooks, which do not
//! answer.

use std::{
    fs,
    net::{Ipv4Addr, TcpListener},
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result, ensure};

use svc_gates::{certificate, process::root, programs::Programs, service::Service};

/// A document that is answered 200, and one that is refused.
const GOOD: &str = "conformance/documents/acceptance-request.json";
const ROUTE: &str = "/api/sdk/registry/acceptance-requests";

pub(super) struct WatchedRegistry {
    _service: Service,
    /// Where the metrics are: an address and a port.
    pub(super) admin: String,
    pub(super) certificate: PathBuf,
    /// A file with a token for the metrics.
    pub(super) token: PathBuf,
}

impl WatchedRegistry {
    pub(super) fn start(folder: &Path) -> Result<Self> {
        let registry = Programs::build()?.registry;
        let (certificate, key) = certificate::make(folder)?;
        let (data, tokens, policy) = (folder.join("data"), folder.join("tokens.json"), folder.join("policy"));
        let create = |name: &str, scope: &str| {
            said(&registry, &["token", "create", name, "--scope", scope, "--file", &tokens.to_string_lossy()])
        };
        let (author, token) = (create("author", "preflight")?, folder.join("token"));
        fs::write(&token, create("prometheus", "metrics")?)?;
        fs::write(&policy, witness_policy(&registry, &data, folder)?)?;
        let receiver = format!("http://127.0.0.1:{}", free_port()?);
        let allowed = ["--data-dir", &data.to_string_lossy(), "--events-allow", "127.0.0.1"];
        said(&registry, &[&["events", "add", "audit", &receiver, "--from", "0"], &allowed[..]].concat())?;
        let admin = format!("127.0.0.1:{}", free_port()?);
        let service = Service::start(
            &registry,
            &[
                &["--admin-bind", &admin, "--tokens", &tokens.to_string_lossy(), "--data-dir", &data.to_string_lossy()]
                    [..],
                &["--tls-certificate", &certificate.to_string_lossy(), "--tls-key", &key.to_string_lossy()],
                &["--witness-policy", &policy.to_string_lossy(), "--rate", "off", "--events-allow", "127.0.0.1"],
            ]
            .concat(),
        )?;
        let watched = Self { _service: service, admin, certificate, token };
        let url = format!("{}{ROUTE}", watched._service.url);
        watched.post(&url, author.trim(), &format!("@{}", root().join(GOOD).display()), "200")?;
        watched.post(&url, author.trim(), "{}", "422")?;
        Ok(watched)
    }

    fn post(&self, url: &str, token: &str, body: &str, status: &str) -> Result<()> {
        let mut curl = Command::new("curl");
        curl.args(["--silent", "--show-error", "--output", "-", "--write-out", "\n%{http_code}", "--cacert"]);
        curl.arg(&self.certificate).args(["--header", "Content-Type: application/json", "--header"]);
        curl.arg(format!("Authorization: Bearer {token}")).args(["--data-binary", body, url]);
        let output = curl.output().context("curl")?;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        ensure!(said.ends_with(status), "{url} is to answer {status}: {said}");
        Ok(())
    }
}

/// A policy with one witness, at a port where nobody listens.
fn witness_policy(registry: &Path, data: &Path, folder: &Path) -> Result<String> {
    let key_in = |text: String| {
        let key = text.lines().find_map(|line| line.strip_prefix("public key ")).map(str::to_owned);
        key.with_context(|| format!("no public key in: {text}"))
    };
    let log = said(
        registry,
        &["journal", "init", "--data-dir", &data.to_string_lossy(), "--origin", "registry.example/journal"],
    )?;
    let state = folder.join("witness");
    let witness =
        said(registry, &["witness", "init", "--state", &state.to_string_lossy(), "--name", "witness.example/w1"])?;
    let (log, witness, port) = (key_in(log)?, key_in(witness)?, free_port()?);
    Ok(format!("log {log}\nwitness w1 {witness} http://127.0.0.1:{port}\nquorum w1\n"))
}

fn said(registry: &Path, arguments: &[&str]) -> Result<String> {
    let output = Command::new(registry).args(arguments).output()?;
    ensure!(output.status.success(), "svc-registry {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?)
}

pub(super) fn free_port() -> Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}
