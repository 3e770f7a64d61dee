//! The gate `journal-readers`: a public log, read and proven by a program that knows nothing of svc.
//!
//! The program is `tests/readers/main.go`, on Go's own packages for transparency logs (`golang.org/x/mod/sumdb`). Go and the
//! packages are Debian's; where they are missing they are put in. It reads the log twice, with records added between, and must
//! refuse what was forged: a record, a hash, and a state that the log did not grow from.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context as _, Result, ensure};
use svc_testkit::lived_log::LivedLog;

use svc_gates::{
    debian,
    process::{Running, command, run, target},
    programs::Programs,
    service::make_bundle,
};

const ORIGIN: &str = "registry.example/api/sdk/registry/journal";
const GO_PATH: &str = "/usr/share/gocode";

pub(crate) fn check() -> Result<()> {
    let programs = Programs::build()?;
    let folder = target().join("xtask/journal-readers");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)?;
    let reader = build(&folder)?;
    let bundle = folder.join("bundle");
    make_bundle(&programs.svc, &bundle)?;
    let document = bundle.join("svc-registry-acceptance-request.json");
    let data = folder.join("data");
    let (service, base) = serve(&programs.registry, &data)?;
    let prefix = format!("{base}/journal");
    let keys = data.join("journal.pub");
    post(&base, &document, 3)?;
    let earlier = folder.join("earlier");
    let state = read(&reader, &prefix, &keys, None)?.context("the reader refuses the log")?;
    fs::write(&earlier, &state)?;
    ensure!(state.starts_with(&format!("{ORIGIN}\n3\n")), "the reader proves another state: {state}");
    // Past one full tile, so that there are two levels.
    post(&base, &document, 297)?;
    let later = read(&reader, &prefix, &keys, Some(&earlier))?.context("the reader sees no growth")?;
    ensure!(later.starts_with(&format!("{ORIGIN}\n300\n")), "the reader proves another state: {later}");
    reads_a_copy(&programs.svc, &reader, &base, &folder, &earlier)?;
    drop(service);
    refuses_forgeries(&programs.registry, &reader, &folder, &earlier)?;
    reads_a_lived_log(&programs.registry, &reader, &folder)
}

/// A log in its second year: the state that its first key signed, of records that are pruned now, leads to the newest.
fn reads_a_lived_log(registry: &Path, reader: &Path, folder: &Path) -> Result<()> {
    let log = LivedLog::in_sqlite(&folder.join("lived"), Some(ORIGIN));
    let (_service, base) = serve(registry, &log.data)?;
    let (keys, earlier) = (log.data.join("journal.pub"), folder.join("lived-earlier"));
    fs::write(&earlier, &log.earlier)?;
    let state = read(reader, &format!("{base}/journal"), &keys, Some(&earlier))?;
    ensure!(state.is_some(), "the reader refuses a log that was pruned and has a second key");
    let copy = folder.join("lived-copy");
    log.journal("export", &[&text(&copy)]);
    let (_files, prefix) = web_server(&copy)?;
    ensure!(read(reader, &prefix, &keys, Some(&earlier))?.is_some(), "the reader refuses the lived log as plain files");
    let minimum = copy.join("minimum-index");
    let further = fs::read_to_string(&minimum)?.replacen("\n256\n", "\n512\n", 1);
    fs::write(&minimum, further)?;
    ensure!(read(reader, &prefix, &keys, None)?.is_none(), "the reader takes a beginning that nobody signed");
    fs::remove_file(&minimum)?;
    ensure!(read(reader, &prefix, &keys, None)?.is_none(), "the reader takes records that are missing for pruned ones");
    Ok(())
}

/// A copy that `svc log mirror` made, behind a web server of Python: the reader cannot tell it from the registry.
fn reads_a_copy(svc: &Path, reader: &Path, base: &str, folder: &Path, earlier: &Path) -> Result<()> {
    let (copy, keys) = (folder.join("copy"), folder.join("data/journal.pub"));
    let mut mirror = command(&text(svc), &["log", "mirror", base]);
    mirror.arg(&copy).arg("--public-key").arg(&keys).stdout(Stdio::null());
    run(mirror)?;
    let (_files, prefix) = web_server(&copy)?;
    let state = read(reader, &prefix, &keys, Some(earlier))?.context("the reader refuses the copy")?;
    ensure!(state.starts_with(&format!("{ORIGIN}\n300\n")), "the reader proves another state of the copy: {state}");
    Ok(())
}

fn web_server(folder: &Path) -> Result<(Running, String)> {
    let mut files = Command::new("python3");
    files.args(["-u", "-m", "http.server", "--bind", "127.0.0.1", "0"]).current_dir(folder);
    let mut files = Running(files.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().context("python3 is needed")?);
    let prefix = address(&mut files.0, "(http://")?.trim_end_matches("/)").trim_end_matches('/').to_owned();
    Ok((files, prefix))
}

/// The exported log is the served one as files: a web server that anybody could run serves them forged.
fn refuses_forgeries(registry: &Path, reader: &Path, folder: &Path, earlier: &Path) -> Result<()> {
    let exported = folder.join("exported");
    let mut export = command(&text(registry), &["journal", "export", "--journal", "sqlite", "--data-dir"]);
    export.arg(folder.join("data")).arg(&exported).stdout(Stdio::null());
    run(export)?;
    let (_files, prefix) = web_server(&exported)?;
    let keys = exported.join("journal.pub");
    ensure!(read(reader, &prefix, &keys, Some(earlier))?.is_some(), "the reader refuses the log as plain files");
    for (file, at) in [
        ("tile/0/000", 40),
        ("tile/0/001.p/44", 1400),
        ("tile/1/000.p/1", 0),
        ("tile/entries/000", 30),
        ("checkpoint", 50),
    ] {
        let path = exported.join(file);
        let good = fs::read(&path)?;
        let mut forged = good.clone();
        *forged.get_mut(at).with_context(|| format!("{file} is shorter"))? ^= 1;
        fs::write(&path, forged)?;
        ensure!(read(reader, &prefix, &keys, None)?.is_none(), "the reader takes a forged {file}");
        fs::write(&path, good)?;
    }
    let other = folder.join("other");
    let (_service, base) = serve(registry, &other)?;
    post(&base, &folder.join("bundle/svc-registry-acceptance-request.json"), 4)?;
    let foreign = format!("{base}/journal");
    ensure!(read(reader, &foreign, &keys, None)?.is_none(), "the reader takes a log that another key signed");
    let state =
        read(reader, &foreign, &other.join("journal.pub"), None)?.context("the reader refuses the other log")?;
    fs::write(folder.join("foreign"), state)?;
    let both = [fs::read_to_string(&keys)?, fs::read_to_string(other.join("journal.pub"))?].concat();
    fs::write(folder.join("both.pub"), both)?;
    let grown = read(reader, &prefix, &folder.join("both.pub"), Some(&folder.join("foreign")))?;
    ensure!(grown.is_none(), "the reader sees growth from a state of another history");
    Ok(())
}

fn build(folder: &Path) -> Result<PathBuf> {
    let go = debian::require("golang-go", || debian::on_path("go"))?;
    let package = || Some(Path::new(GO_PATH).join("src/golang.org/x/mod/sumdb/tlog")).filter(|path| path.is_dir());
    debian::require("golang-golang-x-mod-dev", package)?;
    let reader = folder.join("reader");
    let mut build = command(&text(&go), &["build", "-o"]);
    build.arg(&reader).arg("tests/readers/main.go");
    build.env("GO111MODULE", "off").env("GOPATH", GO_PATH).env("GOFLAGS", "").env("GOPROXY", "off");
    build.env("GOCACHE", target().join("tools/go-cache"));
    run(build)?;
    Ok(reader)
}

/// What the reader proved; nothing when it refuses.
fn read(reader: &Path, prefix: &str, keys: &Path, earlier: Option<&Path>) -> Result<Option<String>> {
    let mut reading = Command::new(reader);
    reading.arg(prefix).arg(keys).args(earlier).env_clear();
    let read = reading.output()?;
    let refused = String::from_utf8_lossy(&read.stderr);
    ensure!(!refused.contains("panic"), "the reader broke down: {refused}");
    Ok(read.status.success().then(|| String::from_utf8_lossy(&read.stdout).into_owned()))
}

fn serve(registry: &Path, data: &Path) -> Result<(Running, String)> {
    let mut serve = Command::new(registry);
    serve.args(["serve", "--bind", "127.0.0.1:0", "--journal", "sqlite", "--journal-public", "yes"]);
    serve.args(["--journal-origin", ORIGIN, "--data-dir"]).arg(data);
    let mut service = Running(serve.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?);
    let base = address(&mut service.0, "on http://")?;
    Ok((service, base))
}

/// The address in the first line that a program prints.
fn address(child: &mut std::process::Child, before: &str) -> Result<String> {
    let mut line = String::new();
    BufReader::new(child.stdout.take().context("no output")?).read_line(&mut line)?;
    let rest = line.split_once(before).with_context(|| format!("no address in {line:?}"))?.1;
    Ok(format!("http://{}", rest.split_whitespace().next().unwrap_or_default()))
}

fn post(base: &str, document: &Path, count: usize) -> Result<()> {
    let mut posts = Command::new("curl");
    posts.args([
        "--silent",
        "--show-error",
        "--fail",
        "--output",
        "/dev/null",
        "--header",
        "content-type: application/json",
    ]);
    posts.arg("--data-binary").arg(format!("@{}", text(document)));
    posts.arg(format!("{base}/acceptance-requests#[1-{count}]"));
    run(posts)
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
