//! The npm package that carries the program: what `cargo xtask dist` writes beside the archive, and the gate `getting` tries.
//!
//! One tarball: `packaging/npm/` with the program in `bin/` and what it needs in `package.json`. It is put in on every
//! machine, and its launcher says no on those that it is not for: with npm's own members `os` and `cpu`, a project whose
//! people have several kinds of machines could not be put in at all on the others. Absent on purpose: dependencies, also
//! optional ones (a name that nobody has published yet is anybody's), and scripts that run while it is put in.

use std::fs;

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Value, json};

use crate::{
    glibc::Glibc,
    process::root,
    tarball::{Contents, pack},
};

/// The name that projects see.
pub(crate) const NAME: &str = "svc-preflight";

/// More than the package with the released program takes. It took 8.7 MB when this was written.
pub(crate) const MOST_BYTES: usize = 12_000_000;

const SOURCES: [&str; 3] = ["README.md", "bin/svc.mjs", "lib/host.mjs"];

const DOCUMENTS: [&str; 3] = ["LICENSE-APACHE", "LICENSE-MIT", "THIRD-PARTY.md"];

/// What the tarball is called, for a machine by rustc's name of it.
pub(crate) fn file_name(host: &str) -> String {
    format!("{NAME}-{}-{host}.tgz", env!("CARGO_PKG_VERSION"))
}

/// The tarball with this program, every file of it from this time.
pub(crate) fn tarball(program: Vec<u8>, seconds: u64) -> Result<Vec<u8>> {
    pack("package", &contents(program)?, &["bin/svc", "bin/svc.mjs"], seconds)
}

fn contents(program: Vec<u8>) -> Result<Contents> {
    let mut files = Contents::new();
    files.insert("package.json".to_owned(), manifest(&needs(&program)?)?);
    files.insert("bin/svc".to_owned(), program);
    let sources = SOURCES.map(|name| (name, format!("packaging/npm/{name}")));
    for (name, path) in sources.into_iter().chain(DOCUMENTS.map(|name| (name, name.to_owned()))) {
        let bytes = fs::read(root().join(&path)).with_context(|| format!("cannot read {path}"))?;
        files.insert(name.to_owned(), bytes);
    }
    Ok(files)
}

/// What the program needs, in Node's words.
fn needs(program: &[u8]) -> Result<Value> {
    ensure!(std::env::consts::OS == "linux", "the npm package is made on Linux alone: its launcher asks for a glibc");
    let cpu = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => bail!("Node's name for the processor {other} is not known here"),
    };
    let glibc = Glibc::needed_by(program)?.to_string();
    Ok(json!({ "os": "linux", "cpu": cpu, "libc": "glibc", "glibc": glibc }))
}

fn manifest(needs: &Value) -> Result<Vec<u8>> {
    let template = fs::read(root().join("packaging/npm/package.json"))?;
    let mut manifest: Value = serde_json::from_slice(&template)?;
    let members = manifest.as_object_mut().context("packaging/npm/package.json is no object")?;
    ensure!(members.get("name") == Some(&json!(NAME)), "packaging/npm/package.json has another name than {NAME}");
    members.insert("version".to_owned(), json!(env!("CARGO_PKG_VERSION")));
    members.insert("svc".to_owned(), needs.clone());
    let mut bytes = serde_json::to_vec_pretty(&manifest)?;
    bytes.push(b'\n');
    Ok(bytes)
}

#[cfg(all(test, target_os = "linux", target_env = "gnu"))]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_program_makes_no_package() {
        assert!(tarball(b"#!/bin/sh\n".to_vec(), 0).is_err());
    }

    #[test]
    fn the_package_holds_the_program_as_it_is_and_nothing_that_npm_would_run() {
        let program = fs::read(std::env::current_exe().unwrap()).unwrap();
        let files = contents(program.clone()).unwrap();
        let names: Vec<&str> = files.keys().map(String::as_str).collect();
        let expected = [
            "LICENSE-APACHE",
            "LICENSE-MIT",
            "README.md",
            "THIRD-PARTY.md",
            "bin/svc",
            "bin/svc.mjs",
            "lib/host.mjs",
            "package.json",
        ];
        assert_eq!(names, expected);
        assert!(files["bin/svc"] == program);
        let manifest: Value = serde_json::from_slice(&files["package.json"]).unwrap();
        let members: Vec<&str> = manifest.as_object().unwrap().keys().map(String::as_str).collect();
        let expected = ["bin", "description", "engines", "exports", "license", "name", "svc", "type", "version"];
        assert_eq!(members, expected, "no scripts, no dependencies");
        assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
        assert_eq!(manifest["svc"]["glibc"], Glibc::needed_by(&program).unwrap().to_string());
    }
}
