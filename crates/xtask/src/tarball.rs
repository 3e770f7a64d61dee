//! Files as one compressed archive. The same files and the same time give the same bytes.

use std::{collections::BTreeMap, io::Write as _};

use anyhow::Result;
use sha2::{Digest as _, Sha256};

/// The files of an archive by path below its folder.
pub(crate) type Contents = BTreeMap<String, Vec<u8>>;

/// The archive: sorted, one time and one owner for all, and only `programs` may be run.
pub(crate) fn pack(folder: &str, files: &Contents, programs: &[&str], seconds: u64) -> Result<Vec<u8>> {
    let mut archive = tar::Builder::new(Vec::new());
    for (path, bytes) in files {
        let mut header = tar::Header::new_ustar();
        header.set_entry_type(tar::EntryType::Regular);
        header.set_size(bytes.len() as u64);
        header.set_mode(if programs.contains(&path.as_str()) { 0o755 } else { 0o644 });
        header.set_mtime(seconds);
        header.set_uid(0);
        header.set_gid(0);
        archive.append_data(&mut header, format!("{folder}/{path}"), bytes.as_slice())?;
    }
    // The header of the compressed file holds no time and no name.
    let mut gzip = flate2::GzBuilder::new().mtime(0).write(Vec::new(), flate2::Compression::best());
    gzip.write_all(&archive.into_inner()?)?;
    Ok(gzip.finish()?)
}

/// The SHA-256 digest as `sha256sum` writes it.
pub(crate) fn hex_digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    #[test]
    fn the_same_files_give_the_same_archive_and_only_the_program_may_be_run() {
        let files = Contents::from([("svc".into(), vec![1, 2, 3]), ("README.md".into(), b"read me".to_vec())]);
        let archive = pack("svc-0.1.0-test", &files, &["svc"], 1_700_000_000).unwrap();
        assert_eq!(archive, pack("svc-0.1.0-test", &files, &["svc"], 1_700_000_000).unwrap());
        let mut plain = Vec::new();
        flate2::read::GzDecoder::new(archive.as_slice()).read_to_end(&mut plain).unwrap();
        let mut archive = tar::Archive::new(plain.as_slice());
        let found: Vec<(String, u32, u64, Vec<u8>)> = archive
            .entries()
            .unwrap()
            .map(|entry| {
                let mut entry = entry.unwrap();
                let (path, header) = (entry.path().unwrap().display().to_string(), entry.header().clone());
                assert_eq!((header.uid().unwrap(), header.gid().unwrap()), (0, 0));
                let mut bytes = Vec::new();
                entry.read_to_end(&mut bytes).unwrap();
                (path, header.mode().unwrap(), header.mtime().unwrap(), bytes)
            })
            .collect();
        let expected = [
            ("svc-0.1.0-test/README.md".to_owned(), 0o644, 1_700_000_000, b"read me".to_vec()),
            ("svc-0.1.0-test/svc".to_owned(), 0o755, 1_700_000_000, vec![1, 2, 3]),
        ];
        assert_eq!(found, expected);
    }
}
