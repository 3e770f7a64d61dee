//! What is handed on, made quickly and twice: the archive, the npm package and the image are the same bytes both times.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use anyhow::{Context as _, Result, ensure};
use svc_gates::{
    debian,
    process::{command, run, target},
    programs::Programs,
};

/// Where everything is.
#[derive(Clone)]
pub(crate) struct Shipped {
    /// The files of the archive.
    pub(crate) archive: PathBuf,
    pub(crate) npm_package: PathBuf,
    /// A layout of one image.
    pub(crate) image: PathBuf,
}

/// Made once in a run.
pub(crate) fn shipped() -> Result<Shipped> {
    static MADE: Mutex<Option<Shipped>> = Mutex::new(None);
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    if made.is_none() {
        debian::require("umoci", || debian::on_path("umoci"))?;
        let [one, two] = [(); 2].map(|()| {
            run(command("scripts/image.sh", &["--debug"]))?;
            files(&[target().join("dist"), target().join("image")])
        });
        let (one, two) = (one?, two?);
        let differs = one.iter().find(|(path, bytes)| two.get(*path) != Some(bytes));
        ensure!(differs.is_none() && one.len() == two.len(), "made twice, {:?} differs", differs.map(|(path, _)| path));
        // As all other gates start them.
        Programs::build()?;
        let dist = target().canonicalize()?.join("dist");
        let named = |begin: &str, end: &str| {
            let all = fs::read_dir(&dist).into_iter().flatten().flatten().map(|entry| entry.path());
            let is_named = |path: &PathBuf| {
                path.file_name()
                    .and_then(|name| name.to_str())
                    .is_some_and(|name| name.starts_with(begin) && name.ends_with(end))
            };
            all.into_iter().find(is_named).with_context(|| format!("{begin}…{end}"))
        };
        let archive = named("svc-0", ".tar.gz")?.with_extension("").with_extension("");
        let image = target().canonicalize()?.join("image");
        *made = Some(Shipped { archive, npm_package: named("svc-preflight-", ".tgz")?, image });
    }
    made.clone().context("nothing was made")
}

fn files(folders: &[PathBuf]) -> Result<BTreeMap<PathBuf, Vec<u8>>> {
    let mut found = BTreeMap::new();
    let mut left = folders.to_vec();
    while let Some(next) = left.pop() {
        for entry in fs::read_dir(&next).with_context(|| next.display().to_string())? {
            let path = entry?.path();
            if path.is_dir() {
                left.push(path);
            } else {
                found.insert(path.clone(), fs::read(&path)?);
            }
        }
    }
    Ok(found)
}

/// The archive has programs, pages, completions, licences and the checksum of each.
pub(crate) fn archive_is_whole(archive: &Path) -> Result<()> {
    let mut sums = command("sha256sum", &["--check", "--quiet", "--strict", "SHA256SUMS"]);
    sums.current_dir(archive);
    run(sums)?;
    for file in [
        "CHANGELOG.md",
        "LICENSE-APACHE",
        "LICENSE-MIT",
        "THIRD-PARTY.md",
        "completions/_svc",
        "completions/_svc-registry.ps1",
        "completions/svc.bash",
        "completions/svc.elv",
        "completions/svc.fish",
        "man/man1/svc-app-registry-install-policy-validate.1",
        "man/man1/svc-log-verify.1",
        "man/man1/svc-registry-journal-verify.1",
        "svc",
        "svc-registry",
        "svc-registry.cdx.json",
        "svc.cdx.json",
    ] {
        ensure!(archive.join(file).is_file(), "the archive has no {file}");
    }
    let sums = fs::read_to_string(archive.join("SHA256SUMS"))?;
    ensure!(sums.lines().count() + 1 == files(&[archive.to_owned()])?.len(), "a file has no checksum");
    Ok(())
}
