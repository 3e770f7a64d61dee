//! Archives of the npm registry: fetched by exact version, and held to a digest.

use std::{fs, path::Path};

use anyhow::{Context as _, Result, ensure};
use data_encoding::BASE64;
use sha2::{Digest as _, Sha512};

use super::project::Published;
use svc_gates::process::{command, run};

/// Fetches the archives that are not in the folder yet, all in one run of npm. What it writes is still to be checked.
pub(super) fn fetch(folder: &Path, packages: &[&Published]) -> Result<()> {
    fs::create_dir_all(folder)?;
    let is_missing = |package: &&&Published| read_checked(folder, package).is_err();
    let missing: Vec<String> = packages.iter().filter(is_missing).map(|package| package.spec()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let mut pack = command("npm", &["pack", "--ignore-scripts", "--silent"]);
    pack.args(&missing).current_dir(folder).stdout(std::process::Stdio::null());
    run(pack).context("npm, which comes with Node 20 or later, fetches the packages")
}

/// The bytes of an archive, when they are those of the committed digest.
pub(super) fn read_checked(folder: &Path, package: &Published) -> Result<Vec<u8>> {
    let path = folder.join(package.archive());
    let bytes = fs::read(&path).with_context(|| format!("{}: no archive was fetched", package.spec()))?;
    let found = integrity(&bytes);
    ensure!(found == package.integrity, "{}: the archive is {found}, not {}", package.spec(), package.integrity);
    Ok(bytes)
}

fn integrity(bytes: &[u8]) -> String {
    format!("sha512-{}", BASE64.encode(&Sha512::digest(bytes)))
}

/// Unpacks an archive whose digest is the committed one, without the one folder that all of its files lie in.
pub(super) fn unpack(archive: &Path, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    let mut tar = command("tar", &["--extract", "--gzip", "--strip-components=1", "--file"]);
    tar.arg(archive).arg("--directory").arg(folder);
    run(tar)
}

#[test]
fn an_archive_with_another_byte_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut bytes = b"an archive".to_vec();
    let package =
        Published { name: "@acme/board".to_owned(), version: "1.0.0".to_owned(), integrity: integrity(&bytes) };
    let refusal = |words: &str| {
        let refusal = read_checked(folder.path(), &package).unwrap_err().to_string();
        assert!(refusal.contains(words), "{refusal}");
    };
    refusal("no archive was fetched");
    fs::write(folder.path().join("acme-board-1.0.0.tgz"), &bytes).unwrap();
    assert_eq!(read_checked(folder.path(), &package).unwrap(), bytes);
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(folder.path().join("acme-board-1.0.0.tgz"), &bytes).unwrap();
    refusal("the archive is sha512-");
}
