//! The campaign `reproducible`: the release, built twice from clones of the commit in folders of other names and depths, is
//! the same bytes: programs, archive and image.
//!
//! Absent on purpose: another machine, and another version of the compiler or of the C compiler. The archive says nothing of
//! those, and the same bytes are promised for the same ones only.

use std::{fs, path::Path, process::Command};

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use svc_gates::process::{command, root, run, said, target};

/// Two folders below that of built things.
const PLACES: [&str; 2] = ["xtask/reproducible/one", "xtask/reproducible/two/that-lies-deeper/and-is-called-otherwise"];

/// Builds twice and compares.
pub(crate) fn campaign() -> Result<Value> {
    let changed = said(&mut command("git", &["status", "--porcelain", "--untracked-files=no"]))?;
    ensure!(changed.is_empty(), "clones have what is committed, and something is not");
    let [one, two] = PLACES.map(|place| build(&target().join(place)));
    let (one, two) = (one?, two?);
    let found: Vec<String> =
        one.iter().zip(&two).filter(|(one, two)| one != two).map(|(one, two)| format!("{one} and {two}")).collect();
    Ok(json!({
        "counts": [["release builds, each from nothing in a folder of its own", PLACES.len()], ["files compared: archive, npm package, image", one.len()]],
        "found": found,
        "name": "reproducible",
        "seed": "none",
        "tried": "The commit is cloned into two folders of other names and depths, and the release is built in each from \
                  nothing, by the same compilers: programs, archive and image are the same bytes.",
    }))
}

/// What a build gives, by digest.
fn build(folder: &Path) -> Result<Vec<String>> {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder)?;
    let sources = folder.canonicalize()?.join("sources");
    let mut clone = command("git", &["clone", "--quiet", "--shared"]);
    run({
        clone.arg(root().canonicalize()?).arg(&sources);
        clone
    })?;
    let mut image = Command::new(sources.join("scripts/image.sh"));
    run({
        image.env_remove("CARGO_TARGET_DIR");
        image
    })?;
    let target = sources.join("target");
    let mut digests = command("sh", &["-c", "sha256sum dist/*.tar.gz dist/*.tgz image/index.json"]);
    let digests = said(digests.current_dir(&target))?;
    // Some gigabytes.
    fs::remove_dir_all(target)?;
    Ok(digests.lines().map(str::to_owned).collect())
}
