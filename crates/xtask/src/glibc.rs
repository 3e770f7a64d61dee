//! The least glibc that a program runs with, read from its own file: the highest `GLIBC_x.y` among the versions of symbols
//! that it asks for.
//!
//! Reads what this project builds: 64-bit ELF files of little-endian machines. Anything else is refused, never guessed.

use std::fmt;

use anyhow::{Context as _, Result, ensure};

/// A version of glibc; versions are ordered number by number.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Glibc(Vec<u32>);

impl fmt::Display for Glibc {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<String> = self.0.iter().map(u32::to_string).collect();
        formatter.write_str(&numbers.join("."))
    }
}

impl Glibc {
    /// The least that the program needs.
    pub(crate) fn needed_by(program: &[u8]) -> Result<Self> {
        let names = version_needs(&Elf::of(program)?)?;
        let versions = names.iter().filter_map(|name| Self::of(name.strip_prefix("GLIBC_")?));
        versions.max().context("the program asks for no version of glibc")
    }

    fn of(text: &str) -> Option<Self> {
        text.split('.').map(|number| number.parse().ok()).collect::<Option<_>>().map(Self)
    }
}

/// `SHT_GNU_verneed`: which versions of which libraries a file needs.
const VERSION_NEEDS: u32 = 0x6fff_fffe;

/// A file with its table of sections.
struct Elf<'a> {
    bytes: &'a [u8],
    sections: Vec<Section>,
}

struct Section {
    kind: u32,
    offset: usize,
    link: usize,
    entries: usize,
}

impl<'a> Elf<'a> {
    fn of(bytes: &'a [u8]) -> Result<Self> {
        ensure!(bytes.starts_with(b"\x7fELF\x02\x01"), "the program is no 64-bit little-endian ELF file");
        let (start, size, count) = (long(bytes, 0x28)?, half(bytes, 0x3a)?, half(bytes, 0x3c)?);
        let section = |number: usize| {
            let at = start + number * size;
            Ok(Section {
                kind: word(bytes, at + 4)?,
                offset: long(bytes, at + 0x18)?,
                link: word(bytes, at + 0x28)? as usize,
                entries: word(bytes, at + 0x2c)? as usize,
            })
        };
        Ok(Self { bytes, sections: (0..count).map(section).collect::<Result<_>>()? })
    }
}

/// The names of all versions that the file needs, of all libraries.
fn version_needs(elf: &Elf<'_>) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for section in elf.sections.iter().filter(|section| section.kind == VERSION_NEEDS) {
        let strings = elf.sections.get(section.link).context("the section of names is missing")?.offset;
        let mut library = section.offset;
        for _ in 0..section.entries {
            let mut version = library + word(elf.bytes, library + 8)? as usize;
            for _ in 0..half(elf.bytes, library + 2)? {
                names.push(string(elf.bytes, strings + word(elf.bytes, version + 8)? as usize)?);
                version += word(elf.bytes, version + 12)? as usize;
            }
            library += word(elf.bytes, library + 12)? as usize;
        }
    }
    Ok(names)
}

fn string(bytes: &[u8], at: usize) -> Result<String> {
    let rest = bytes.get(at..).context("the file ends early")?;
    let text = rest.split(|byte| *byte == 0).next().unwrap_or_default();
    Ok(std::str::from_utf8(text)?.to_owned())
}

fn half(bytes: &[u8], at: usize) -> Result<usize> {
    Ok(u16::from_le_bytes(field(bytes, at)?).into())
}

fn word(bytes: &[u8], at: usize) -> Result<u32> {
    Ok(u32::from_le_bytes(field(bytes, at)?))
}

fn long(bytes: &[u8], at: usize) -> Result<usize> {
    Ok(u64::from_le_bytes(field(bytes, at)?).try_into()?)
}

fn field<const LENGTH: usize>(bytes: &[u8], at: usize) -> Result<[u8; LENGTH]> {
    let found = bytes.get(at..).and_then(|rest| rest.first_chunk());
    found.copied().context("the file ends early")
}

#[cfg(test)]
mod tests {
    use std::{fs, process::Command};

    use super::*;

    #[test]
    fn what_is_no_such_program_is_refused() {
        for bytes in [&b""[..], b"#!/bin/sh\n", b"\x7fELF\x01\x01", b"\x7fELF\x02\x01\x01"] {
            assert!(Glibc::needed_by(bytes).is_err(), "{bytes:?}");
        }
        let own = fs::read(std::env::current_exe().unwrap()).unwrap();
        assert!(Glibc::needed_by(&own[..own.len() / 2]).is_err(), "its sections stand at the end");
    }

    #[test]
    fn versions_are_compared_as_numbers() {
        let [old, new] = ["2.4", "2.34"].map(|text| Glibc::of(text).unwrap());
        assert!(old < new && new < Glibc::of("2.34.1").unwrap());
        assert_eq!(Glibc::of("PRIVATE"), None);
        assert_eq!(new.to_string(), "2.34");
    }

    /// The same file, read by the tool of another project.
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[test]
    fn readelf_finds_the_same() {
        let own = std::env::current_exe().unwrap();
        let output = Command::new("readelf").args(["--version-info", "--wide"]).arg(&own).output().unwrap();
        let told = String::from_utf8(output.stdout).unwrap();
        let names = told.split_whitespace().filter_map(|word| Glibc::of(word.strip_prefix("GLIBC_")?));
        assert_eq!(Some(Glibc::needed_by(&fs::read(own).unwrap()).unwrap()), names.max());
    }
}
