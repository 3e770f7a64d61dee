//! The gate `readiness`: the two package scripts, word for word, as somebody with a checkout runs them.
//!
//! pnpm is put beside the other tools where it is missing, by its name and version, never for the whole machine.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use anyhow::{Context as _, Result, ensure};

use crate::process::{built_svc, command, root, run, target};

const PNPM: &str = "pnpm@10.34.9";

const CLOSED: &str = "CLOSED as declared";

/// Our own registry holds the highest level.
const BUILD: &str = "CLOSED as declared: level build holds";

/// Runs both scripts: as they should end, and as they should not.
pub(crate) fn check() -> Result<()> {
    let svc = built_svc()?;
    let pnpm = installed()?;
    let folder = target().join("xtask/readiness");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)?;
    let bundle = folder.join("svc-registry");
    let mut preflight = command(&text(&svc), &["app", "preflight", "examples/weather-board", "--quiet", "--out-dir"]);
    preflight.arg(&bundle);
    run(preflight)?;
    run(command(&pnpm, &["install", "--frozen-lockfile"]))?;

    ends(command(&pnpm, &["verify:registry:local"]), 0, CLOSED)?;
    loosened_ledger(&pnpm, &folder)?;
    let service = Service::start(&svc)?;
    let hosted = |arguments: &[&str]| {
        let mut hosted = command(&pnpm, &["verify:registry:hosted"]);
        hosted.args(arguments);
        hosted
    };
    let bundle = text(&bundle);
    ends(hosted(&[&service.url, "--artifact-dir", &bundle, "--level", "build"]), 0, BUILD)?;
    ends(hosted(&["--", &service.url, "--artifact-dir", &bundle, "--level", "build"]), 0, BUILD)?;
    let mut from_there = Command::new(&pnpm);
    from_there.args(["--dir", &text(&root()), "verify:registry:hosted"]);
    from_there.args([&service.url, "--artifact-dir", "svc-registry", "--level", "build"]);
    from_there.current_dir(&folder).env("INIT_CWD", &folder);
    ends(from_there, 0, BUILD)?;
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

/// Runs a command that is to end with a code and to say something.
fn ends(mut command: Command, code: i32, told: &str) -> Result<()> {
    let shown = format!("{command:?}");
    let output = command.output().with_context(|| format!("cannot start {shown}"))?;
    let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    ensure!(output.status.code() == Some(code) && said.contains(told), "{shown} ended with {}:\n{said}", output.status);
    Ok(())
}

/// A registry on this machine, stopped at the end.
struct Service {
    process: Child,
    url: String,
}

impl Service {
    fn start(svc: &Path) -> Result<Self> {
        let mut serve = Command::new(svc);
        // Of its own: the folder of this machine may hold a journal.
        let data = target().join("xtask/readiness-journal");
        let _ = fs::remove_dir_all(&data);
        serve.args(["serve", "--bind", "127.0.0.1:0", "--data-dir"]).arg(data);
        serve.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = serve.spawn()?;
        let stdout = process.stdout.take().context("the service has no output")?;
        let mut service = Self { process, url: String::new() };
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line)?;
        let address = line.split_whitespace().find_map(|word| word.strip_suffix("/api/sdk/registry"));
        service.url = address.with_context(|| format!("the service said: {line}"))?.to_owned();
        Ok(service)
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The package manager: from the search path, from an earlier run, or fetched now.
fn installed() -> Result<String> {
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
