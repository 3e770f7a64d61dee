//! The SBOM, held against the library of its own format and against a built program.

use std::{collections::BTreeSet, fs};

use anyhow::{Result, ensure};

use crate::{
    dist::Profile,
    exports,
    process::{command, packaged_svc, run, target},
    sbom::{self, Subject},
};

/// What stands in a program before the name and version of a crate.
const SOURCES: &[u8] = b"registry/src/";

/// Checks the SBOM of a release by the library, and that of a quick build by what the built program tells of itself.
pub(crate) fn check() -> Result<String> {
    let release = Subject { features: Profile::Release.features(), program: None, libraries: &[], seconds: 0 };
    let release = sbom::of(release)?;
    let file = target().join("xtask/svc.cdx.json");
    fs::write(&file, release.bytes()?)?;
    let mut read = command(&exports::python()?.to_string_lossy(), &["tests/exports/sbom.py"]);
    read.arg(&file);
    run(read)?;
    let program = fs::read(packaged_svc()?)?;
    let features = Profile::Debug.features();
    let built = sbom::of(Subject { features, program: Some(&program), libraries: &[], seconds: 0 })?;
    let carried = carried(&program);
    ensure!(carried.len() > 50, "the program tells of {} crates, which is too few to compare", carried.len());
    for krate in &carried {
        let named = krate.match_indices('-').any(|(at, _)| {
            let (name, version) = krate.split_at(at);
            built.names(name, version.trim_start_matches('-'))
        });
        ensure!(named, "the program tells of {krate}, and its SBOM does not name it");
    }
    Ok(format!("{} components in the SBOM of a release, {} crates found in a program", release.len(), carried.len()))
}

/// The crates whose paths a program carries, for the messages of panics.
fn carried(program: &[u8]) -> BTreeSet<String> {
    let starts = program.windows(SOURCES.len()).enumerate().filter(|(_, window)| *window == SOURCES);
    let folders = starts.filter_map(|(at, _)| {
        let rest = program.get(at + SOURCES.len()..at + SOURCES.len() + 200)?;
        let mut parts = rest.split(|byte| *byte == b'/');
        let _index = parts.next()?;
        let is_of_a_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"-_.+".contains(byte);
        let name: Vec<u8> = parts.next()?.iter().take_while(is_of_a_name).copied().collect();
        String::from_utf8(name).ok()
    });
    folders.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_crates_are_found_in_a_program() {
        let program = [b"\x7fELF /home/registry/src/index-1/serde-1.0.1\0\xff\xff/".as_slice(), &[0; 300]].concat();
        assert_eq!(carried(&program).into_iter().collect::<Vec<_>>(), ["serde-1.0.1"]);
    }
}
