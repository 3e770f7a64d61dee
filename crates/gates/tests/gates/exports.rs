//! The gate `exports`: what `svc app export` writes, read by tools that know nothing of svc. Each is also given something
//! that was changed, which it must refuse.

use std::{
    fs,
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use svc_gates::{
    debian,
    process::{Running, command, run, target},
    programs::Programs,
    service::make_bundle,
    tools,
};

/// The libraries of the projects whose forms are written.
const PYTHON: &[&str] = &["cyclonedx-python-lib[json-validation]==11.12.0", "in-toto-attestation==0.9.3"];

pub(crate) fn check() -> Result<()> {
    let svc = Programs::build()?.svc;
    let folder = target().join("xtask/exports");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)?;
    let bundle = folder.join("bundle");
    make_bundle(&svc, &bundle)?;
    let place = |name: &str| folder.join(name);
    for (form, out) in [("oci", "layout"), ("in-toto", "statement"), ("cyclonedx", "bom.json")] {
        let mut export = command(&text(&svc), &["app", "export", "--quiet", "--as", form, "--out"]);
        export.arg(place(out)).arg(&bundle).stdout(Stdio::null());
        run(export)?;
    }
    read_sums(&place("statement"))?;
    read_by_libraries(&bundle, &place("statement"), &place("bom.json"))?;
    copy_layout(&folder, &bundle)
}

/// `sha256sum` finds the subjects as the list says, and one that was changed as changed.
fn read_sums(folder: &Path) -> Result<()> {
    let check = || {
        let mut sums = Command::new("sha256sum");
        sums.args(["--check", "--strict", "--quiet", "SHA256SUMS"]).current_dir(folder);
        sums.stdout(Stdio::null()).stderr(Stdio::null());
        sums.status().context("sha256sum is needed")
    };
    ensure!(check()?.success(), "sha256sum does not find the subjects as the list says");
    let subject = folder.join("subjects/manifest.json");
    let good = fs::read(&subject)?;
    fs::write(&subject, [&good[..], b" "].concat())?;
    let changed = check()?;
    fs::write(&subject, good)?;
    ensure!(!changed.success(), "sha256sum takes a subject that was changed");
    Ok(())
}

fn read_by_libraries(bundle: &Path, statement: &Path, sbom: &Path) -> Result<()> {
    let mut read = command(&text(&python()?), &["tests/exports/read.py"]);
    read.arg(bundle).arg(statement).arg(sbom);
    run(read)
}

/// A Python with the libraries.
pub(crate) fn python() -> Result<PathBuf> {
    Ok(tools::python("exports", PYTHON)?.join("python"))
}

/// The layout goes through skopeo into a registry of images and back, digest by digest.
fn copy_layout(folder: &Path, bundle: &Path) -> Result<()> {
    let skopeo = debian::require("skopeo", || debian::on_path("skopeo"))?;
    let registry = debian::require("docker-registry", || debian::on_path("docker-registry"))?;
    let (layout, version) = (folder.join("layout"), version_of(bundle)?);
    let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    let config = folder.join("registry.yml");
    let store = text(&folder.join("store"));
    fs::write(
        &config,
        format!(
            "version: 0.1\nstorage: {{filesystem: {{rootdirectory: {store}}}}}\nhttp: {{addr: \"127.0.0.1:{port}\"}}\n"
        ),
    )?;
    let mut serve = Command::new(registry);
    serve.arg("serve").arg(&config).stdout(Stdio::null()).stderr(Stdio::null());
    let _registry = Running(serve.spawn()?);
    let there = format!("docker://127.0.0.1:{port}/acme/package:{version}");
    let copy = |from: &str, to: &str| {
        let mut copy = Command::new(&skopeo);
        copy.args(["copy", "--quiet", "--insecure-policy", "--preserve-digests", "--src-tls-verify=false"]);
        copy.args(["--dest-tls-verify=false", from, to]).stdout(Stdio::null()).stderr(Stdio::null());
        copy.status().is_ok_and(|status| status.success())
    };
    let source = format!("oci:{}:{version}", text(&layout));
    // The registry needs a moment before it listens.
    let sent = (0..50).any(|attempt| {
        thread::sleep(Duration::from_millis(if attempt == 0 { 0 } else { 200 }));
        copy(&source, &there)
    });
    ensure!(sent, "skopeo does not copy the layout into a registry of images");
    let back = folder.join("back");
    ensure!(copy(&there, &format!("oci:{}:{version}", text(&back))), "skopeo does not copy it back");
    let (blobs, returned) = (names(&layout.join("blobs/sha256"))?, names(&back.join("blobs/sha256"))?);
    ensure!(blobs == returned, "the blobs that came back are others: {blobs:?} and {returned:?}");
    let subjects = subject_digests(bundle)?;
    for digest in &subjects {
        ensure!(blobs.contains(digest), "no blob has the digest {digest} of the bundle");
    }
    let victim = layout.join("blobs/sha256").join(subjects.first().context("no subjects")?);
    let good = fs::read(&victim)?;
    fs::write(&victim, [&good[..], b" "].concat())?;
    ensure!(
        !copy(&source, &format!("dir:{}", text(&folder.join("tampered")))),
        "skopeo copies a blob that was changed"
    );
    Ok(())
}

fn version_of(bundle: &Path) -> Result<String> {
    let version = submission(bundle)?.pointer("/package/version").and_then(Value::as_str).map(str::to_owned);
    version.context("no version")
}

fn subject_digests(bundle: &Path) -> Result<Vec<String>> {
    let submission = submission(bundle)?;
    let rows = submission.get("artifactDigests").and_then(Value::as_array).context("no digests")?;
    let named = rows.iter().filter(|row| row.get("name").and_then(Value::as_str) != Some("review-report"));
    let digests = named.filter_map(|row| row.get("digest")?.as_str()?.strip_prefix("sha256:").map(str::to_owned));
    Ok(digests.collect())
}

fn submission(bundle: &Path) -> Result<Value> {
    Ok(serde_json::from_slice(&fs::read(bundle.join("svc-registry-submission.json"))?)?)
}

fn names(folder: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

fn text(path: &Path) -> String {
    PathBuf::from(path).to_string_lossy().into_owned()
}
