//! The SBOMs, checked by the library of their own format and compared with the built programs.

use std::{collections::BTreeSet, fs, path::Path};

use anyhow::{Result, ensure};

use crate::{
    dist::Profile,
    exports,
    process::{command, run, target},
    programs::{Program, Programs},
    sbom::{self, Subject},
};

/// What stands in a program before the name and version of a crate.
const SOURCES: &[u8] = b"registry/src/";

/// Checks the SBOMs of a release by the library, and those of a quick build by what the built programs tell of themselves.
pub(crate) fn check() -> Result<String> {
    let programs = Programs::build_packaged()?;
    let found = programs.all().into_iter().map(|(program, path)| of_program(program, path));
    Ok(found.collect::<Result<Vec<String>>>()?.join("; "))
}

fn of_program(program: Program, path: &Path) -> Result<String> {
    let name = program.name();
    let subject = |profile: Profile, bytes| Subject {
        program,
        features: profile.features(program),
        bytes,
        libraries: &[],
        seconds: 0,
    };
    let release = sbom::of(subject(Profile::Release, None))?;
    let file = target().join(format!("xtask/{name}.cdx.json"));
    fs::write(&file, release.bytes()?)?;
    let mut read = command(&exports::python()?.to_string_lossy(), &["tests/exports/sbom.py"]);
    read.arg(&file);
    run(read)?;
    let bytes = fs::read(path)?;
    let built = sbom::of(subject(Profile::Debug, Some(&bytes)))?;
    let carried = carried(&bytes);
    ensure!(carried.len() > 30, "{name} tells of {} crates, which is too few to compare", carried.len());
    for krate in &carried {
        let named = krate.match_indices('-').any(|(at, _)| {
            let (name, version) = krate.split_at(at);
            built.names(name, version.trim_start_matches('-'))
        });
        ensure!(named, "{name} tells of {krate}, and its SBOM does not name it");
    }
    Ok(format!("{name}: {} components in the SBOM of a release, {} crates found in it", release.len(), carried.len()))
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
        // Our own `crates/registry/src` ends the same way; a folder of a crate ends with its version.
        let has_version = name.windows(2).any(|pair| matches!(pair, [b'-', digit] if digit.is_ascii_digit()));
        String::from_utf8(name).ok().filter(|_| has_version)
    });
    folders.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_crates_are_found_in_a_program() {
        let program = [
            b"\x7fELF /home/registry/src/index-1/serde-1.0.1\0\xff\xff/ crates/registry/src/documents/mod.rs"
                .as_slice(),
            &[0; 300],
        ]
        .concat();
        assert_eq!(carried(&program).into_iter().collect::<Vec<_>>(), ["serde-1.0.1"]);
    }
}
