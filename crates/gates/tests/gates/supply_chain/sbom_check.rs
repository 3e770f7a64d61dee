//! The SBOMs, checked by the library of their own format and compared with the built programs.

use std::{collections::BTreeSet, fs, path::Path};

use anyhow::{Context as _, Result, ensure};

use crate::{exports, shipped::shipped};
use serde_json::Value;
use svc_gates::{
    process::{command, output, run, target},
    programs::Program,
};

/// What stands in a program before the name and version of a crate.
const SOURCES: &[u8] = b"registry/src/";

/// Checks the SBOMs of a release by the library, and those of a quick build by what the built programs tell of themselves.
pub(crate) fn check() -> Result<String> {
    let archive = shipped()?.archive;
    let found = Program::ALL.into_iter().map(|program| of_program(program, &archive));
    Ok(found.collect::<Result<Vec<String>>>()?.join("; "))
}

fn of_program(program: Program, archive: &Path) -> Result<String> {
    let (name, features) = (program.name(), program.release_features().join(","));
    let release = output(&mut command("python3", &["scripts/sbom.py", name, "--features", &features]))?;
    let file = target().join(format!("xtask/{name}.cdx.json"));
    fs::write(&file, &release)?;
    let mut read = command(&exports::python()?.to_string_lossy(), &["tests/exports/sbom.py"]);
    read.arg(&file);
    run(read)?;
    let components = components(&release)?;
    ensure!(!components.iter().any(|(name, _)| name == "serde_derive"), "a macro is not linked");
    if program == Program::Registry {
        for (library, begin) in [("sqlite", "3."), ("jemalloc", "5."), ("boringssl-parts-of-ring", "")] {
            let is_named = components.iter().any(|(name, version)| name == library && version.starts_with(begin));
            ensure!(is_named, "{name} links {library}, and its SBOM does not name it");
        }
    }
    let built = self::components(&fs::read(archive.join(format!("{name}.cdx.json")))?)?;
    let carried = carried(&fs::read(archive.join(name))?);
    ensure!(carried.len() > 30, "{name} tells of {} crates, which is too few to compare", carried.len());
    for krate in &carried {
        let named = krate.match_indices('-').any(|(at, _)| {
            let (name, version) = krate.split_at(at);
            built.contains(&(name.to_owned(), version.trim_start_matches('-').to_owned()))
        });
        ensure!(named, "{name} tells of {krate}, and its SBOM does not name it");
    }
    Ok(format!(
        "{name}: {} components in the SBOM of a release, {} crates found in it",
        components.len(),
        carried.len()
    ))
}

/// Names and versions.
fn components(sbom: &[u8]) -> Result<BTreeSet<(String, String)>> {
    let sbom: Value = serde_json::from_slice(sbom)?;
    let parts = sbom.get("components").and_then(Value::as_array).context("no components")?;
    let text = |part: &Value, member: &str| part.get(member).and_then(Value::as_str).unwrap_or_default().to_owned();
    Ok(parts.iter().map(|part| (text(part, "name"), text(part, "version"))).collect())
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
