//! Archives of the npm registry: fetched by exact version, held to a digest, and unpacked without trust.

use std::{
    fs::{self, File},
    io::Read,
    path::{Component, Path, PathBuf},
};

use anyhow::{Context as _, Result, ensure};
use data_encoding::BASE64;
use flate2::read::GzDecoder;
use sha2::{Digest as _, Sha512};
use tar::{Archive, EntryType};

use super::project::Published;
use crate::process::{command, run};

/// The most that one package may unpack to.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

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

/// Unpacks the files of an archive, without the one folder that all of them lie in. Anything but a file is refused.
pub(super) fn unpack(bytes: &[u8], folder: &Path) -> Result<()> {
    let mut archive = Archive::new(GzDecoder::new(bytes).take(MOST_BYTES + 1));
    let mut left = MOST_BYTES;
    for entry in archive.entries()? {
        let mut entry = entry?;
        let path = entry.path()?.into_owned();
        let kind = entry.header().entry_type();
        if matches!(kind, EntryType::Directory | EntryType::XGlobalHeader) {
            continue;
        }
        ensure!(kind == EntryType::Regular, "{} is a {kind:?} in the archive", path.display());
        left = left.checked_sub(entry.size()).context("the archive unpacks to more than 64 MiB")?;
        let target = folder.join(beneath(&path)?);
        fs::create_dir_all(target.parent().context("a file lies in a folder")?)?;
        let mut file = File::create_new(&target).with_context(|| format!("{} is there twice", path.display()))?;
        std::io::copy(&mut entry, &mut file)?;
    }
    Ok(())
}

/// The path below the first folder.
fn beneath(path: &Path) -> Result<PathBuf> {
    let is_plain = path.components().all(|part| matches!(part, Component::Normal(_)));
    let rest: PathBuf = path.components().skip(1).collect();
    ensure!(is_plain && !rest.as_os_str().is_empty(), "{} is no path of a package", path.display());
    Ok(rest)
}

#[cfg(test)]
mod tests {
    use flate2::{Compression, write::GzEncoder};
    use tar::{Builder, Header};

    use super::*;

    fn archive(entries: &[(&str, EntryType)]) -> Vec<u8> {
        let mut builder = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        for (path, kind) in entries {
            let mut header = Header::new_gnu();
            header.as_gnu_mut().unwrap().name[..path.len()].copy_from_slice(path.as_bytes());
            header.set_entry_type(*kind);
            header.set_size(2);
            header.set_cksum();
            builder.append(&header, &b"hi"[..]).unwrap();
        }
        builder.into_inner().unwrap().finish().unwrap()
    }

    #[test]
    fn an_archive_with_another_byte_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let mut bytes = archive(&[("package/index.html", EntryType::Regular)]);
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

    #[test]
    fn only_files_are_unpacked_and_only_into_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let inside = folder.path().join("inside");
        for (path, kind) in [
            ("package/../../out.txt", EntryType::Regular),
            ("/out.txt", EntryType::Regular),
            ("out.txt", EntryType::Regular),
            ("package/link", EntryType::Symlink),
            ("package/link", EntryType::Link),
            ("package/pipe", EntryType::Fifo),
        ] {
            assert!(unpack(&archive(&[(path, kind)]), &inside).is_err(), "{path} {kind:?}");
            assert!(!folder.path().join("out.txt").exists() && !inside.join("link").exists());
        }
        let twice = [("package/a.txt", EntryType::Regular), ("other/a.txt", EntryType::Regular)];
        assert!(unpack(&archive(&twice), &inside).is_err());
        let cut = archive(&[("package/b.txt", EntryType::Regular)]);
        assert!(unpack(&cut[..cut.len() / 2], &inside).is_err());
        unpack(&archive(&[("any/b/c.txt", EntryType::Regular)]), &inside).unwrap();
        assert_eq!(fs::read(inside.join("b/c.txt")).unwrap(), b"hi");
    }
}
