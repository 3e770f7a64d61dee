//! The gate `readiness`: the two package scripts, word for word, as somebody with a checkout runs them.
//!
//! pnpm is put beside the other tools where it is missing, by its name and version, never for the whole machine.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result, ensure};
use svc_testkit::lived_log::LivedLog;

use svc_gates::{
    process::{command, ends, root, run, target},
    programs::Programs,
    service::{HOLDS_BUILD, Service, make_bundle},
};

const PNPM: &str = "pnpm@10.34.9";

const CLOSED: &str = "CLOSED as declared";

/// Runs both scripts: as they should end, and as they should not.
pub(crate) fn check() -> Result<()> {
    let Programs { svc, registry } = Programs::build()?;
    let pnpm = pnpm()?;
    let folder = target().join("xtask/readiness");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)?;
    let bundle = folder.join("svc-registry");
    make_bundle(&svc, &bundle)?;
    run(command(&pnpm, &["install", "--frozen-lockfile"]))?;

    ends(command(&pnpm, &["verify:registry:local"]), 0, CLOSED)?;
    loosened_ledger(&pnpm, &folder)?;
    // A journal of its own, in its second year: the folder of this machine may hold one.
    let log = LivedLog::in_sqlite(&folder.join("journal"), None);
    let service = Service::start(&registry, &["--data-dir", &text(&log.data)])?;
    let hosted = |arguments: &[&str]| {
        let mut hosted = command(&pnpm, &["verify:registry:hosted"]);
        hosted.args(arguments);
        hosted
    };
    let bundle = text(&bundle);
    ends(hosted(&[&service.url, "--artifact-dir", &bundle, "--level", "build"]), 0, HOLDS_BUILD)?;
    ends(hosted(&["--", &service.url, "--artifact-dir", &bundle, "--level", "build"]), 0, HOLDS_BUILD)?;
    let mut from_there = Command::new(&pnpm);
    from_there.args(["--dir", &text(&root()), "verify:registry:hosted"]);
    from_there.args([&service.url, "--artifact-dir", "svc-registry", "--level", "build"]);
    from_there.current_dir(&folder).env("INIT_CWD", &folder);
    ends(from_there, 0, HOLDS_BUILD)?;
    let url = service.url.clone();
    drop(service);
    ends(hosted(&[&url, "--artifact-dir", &bundle]), 6, "NOT as declared: unreachable")?;
    ends(hosted(&[&url]), 2, "--artifact-dir")
}

/// A ledger with one word loosened: the script ends as the binary does.
fn loosened_ledger(pnpm: &str, folder: &Path) -> Result<()> {
    let copy = folder.join("contracts");
    fs::create_dir_all(copy.join("schemas"))?;
    for below in ["", "schemas"] {
        for entry in fs::read_dir(root().join("contracts").join(below))? {
            let entry = entry?;
            if entry.file_type()?.is_file() {
                fs::copy(entry.path(), copy.join(below).join(entry.file_name()))?;
            }
        }
    }
    let ledger = copy.join("hosted-registry-readiness-contract.json");
    let loosened = fs::read_to_string(&ledger)?.replace("\"unsigned\"", "\"signed\"");
    fs::write(&ledger, loosened)?;
    let mut local = command(pnpm, &["verify:registry:local", "--contracts"]);
    local.arg(&copy);
    ends(local, 7, "NOT as declared: open-claim, gate-differs")
}

/// The package manager: from the search path, from an earlier run, or fetched now.
pub(crate) fn pnpm() -> Result<String> {
    let folder = target().join("tools/pnpm");
    let own = folder.join("node_modules/.bin/pnpm");
    let candidates = [PathBuf::from("pnpm"), own.clone()];
    if let Some(tool) = candidates.iter().find(|tool| runs(tool)) {
        return Ok(text(tool));
    }
    let mut fetch = command("npm", &["install", "--no-audit", "--no-fund", "--no-save", "--prefix"]);
    fetch.arg(&folder).arg(PNPM);
    run(fetch).context("pnpm is missing, and npm, which comes with Node 20 or later, could not fetch it")?;
    ensure!(runs(&own), "{PNPM} was fetched and does not run");
    Ok(text(&own))
}

fn runs(tool: &Path) -> bool {
    Command::new(tool).arg("--version").output().is_ok_and(|output| output.status.success())
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
