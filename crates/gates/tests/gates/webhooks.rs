//! The gate `webhooks`: what `svc-registry serve` delivers, read by the libraries of Standard Webhooks, which know nothing of svc.

use std::{fs, path::Path, process::Command, time::Duration};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use svc_testkit::{
    lived_log::LivedLog,
    receiver::{Received, Receiver},
    running,
};

use svc_gates::{
    process::{command, run, said, target},
    programs::Programs,
    service::Service,
    tools,
};

const PYTHON: &str = "standardwebhooks==1.1.0";
const NODE: &str = "standardwebhooks@1.1.1";

/// How long a delivery may take on a machine that is busy with other things.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) fn check() -> Result<()> {
    let registry = Programs::build()?.registry;
    let folder = target().join("xtask/webhooks");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)?;
    let deliveries = folder.join("deliveries.json");
    fs::write(&deliveries, serde_json::to_vec(&collect(&registry, &folder)?)?)?;
    let mut python =
        command(&text(&tools::python("webhooks-python", &[PYTHON])?.join("python")), &["tests/webhooks/verify.py"]);
    python.arg(&deliveries);
    run(python)?;
    let mut node = command("node", &["tests/webhooks/verify.mjs"]);
    node.arg(tools::node_modules("webhooks-node", &[NODE])?).arg(&deliveries);
    run(node)
}

/// Deliveries with the secrets that they must hold by, and those that they must not: a trial, records, records while a secret
/// rotates, and records after that.
fn collect(registry: &Path, folder: &Path) -> Result<Vec<Value>> {
    let data = text(&LivedLog::in_sqlite(&folder.join("data"), None).data);
    let service = Service::start(registry, &["--data-dir", &data, "--events-allow", "127.0.0.1"])?;
    let receiver = Receiver::willing();
    let events = |arguments: &[&str]| -> Result<String> {
        let mut events = Command::new(registry);
        events.arg("events").args(arguments).args(["--data-dir", &data]);
        Ok(said(&mut events)?.trim().to_owned())
    };
    let allow = ["--events-allow", "127.0.0.1"];
    let address = service.url.strip_prefix("http://").context("no address")?;
    let submit = || -> Result<()> {
        let mut connection = running::connect(address).context("no connection")?;
        running::exchange(&mut connection, &running::post("", &running::document())).context("no answer").map(drop)
    };
    let mut collected = Vec::new();
    let first = events(&[&["add", "gate", &receiver.url()][..], &allow].concat())?;
    events(&[&["test", "gate"][..], &allow].concat())?;
    submit()?;
    take(&receiver, &mut collected, 2, &[&first], &[])?;
    let second = events(&["rotate-secret", "gate"])?;
    submit()?;
    take(&receiver, &mut collected, 1, &[&second, &first], &[])?;
    let third = events(&["rotate-secret", "gate", "--at-once"])?;
    submit()?;
    take(&receiver, &mut collected, 1, &[&third], &[&first, &second])?;
    Ok(collected)
}

/// Waits until the endpoint has everything, and adds what is new.
fn take(receiver: &Receiver, to: &mut Vec<Value>, least: usize, secrets: &[&str], not: &[&str]) -> Result<()> {
    let before = to.len();
    receiver.wait_until(PATIENCE, |all| all.len() >= before + least);
    // What was submitted together may come in several deliveries.
    let mut count = 0;
    while count != receiver.received().len() {
        count = receiver.received().len();
        std::thread::sleep(Duration::from_secs(2));
    }
    for Received { id, timestamp, signature, body, .. } in receiver.received().into_iter().skip(before) {
        let body = String::from_utf8(body).context("a delivery is no text")?;
        to.push(json!({
            "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature,
            "body": body, "secrets": secrets, "not": not,
        }));
    }
    ensure!(to.len() >= before + least, "too few deliveries came");
    Ok(())
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
