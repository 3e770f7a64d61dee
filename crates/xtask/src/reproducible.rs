//! The campaign `reproducible`: the release, built twice from clones of the commit in folders of other names and depths, is
//! the same bytes: programs, archive and image.
//!
//! Absent on purpose: another machine, and another version of the compiler or of the C compiler. The archive says nothing of
//! those, and the same bytes are promised for the same ones only.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use crate::{
    dist::{self, Commit, Profile},
    image,
    process::{command, root, run, target},
    tarball::hex_digest,
};

/// Two folders below that of built things.
const PLACES: [&str; 2] = ["xtask/reproducible/one", "xtask/reproducible/two/that-lies-deeper/and-is-called-otherwise"];

/// What a build gives, by digest.
struct Built {
    programs: [String; 2],
    archive: String,
    image: String,
}

/// Builds twice and compares.
pub(crate) fn campaign() -> Result<Value> {
    let commit = Commit::current()?;
    ensure!(!commit.name.contains("modified"), "clones have what is committed, and something is not");
    let mut built = Vec::new();
    for place in PLACES {
        built.push(build(&target().join(place), &commit)?);
    }
    let mut found = Vec::new();
    if let [one, two] = built.as_slice() {
        let [svc, registry] = &one.programs;
        let [other_svc, other_registry] = &two.programs;
        for (what, one, two) in [
            ("svc", svc, other_svc),
            ("svc-registry", registry, other_registry),
            ("the archive", &one.archive, &two.archive),
            ("the image", &one.image, &two.image),
        ] {
            if one != two {
                found.push(format!("{what} differs: {one} and {two}"));
            }
        }
    }
    Ok(json!({
        "counts": [["release builds, each from nothing in a folder of its own", built.len()], ["files compared: two programs, archive, image", 4]],
        "found": found,
        "name": "reproducible",
        "seed": "none",
        "tried": "The commit is cloned into two folders of other names and depths, and the release is built in each from \
                  nothing, by the same compilers: programs, archive and image are the same bytes.",
    }))
}

fn build(folder: &Path, commit: &Commit) -> Result<Built> {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder)?;
    let sources = clone(&folder.canonicalize()?, commit)?;
    let target = sources.join("target");
    let programs = dist::build_at(&sources, &target, Profile::Release, commit)?;
    let (_, archive) = dist::archive(&programs, &sources, Profile::Release, commit)?;
    let image = image::of(&programs, Profile::Release, commit, &folder.join("image"))?;
    let programs = [hex_digest(&fs::read(&programs.svc)?), hex_digest(&fs::read(&programs.registry)?)];
    let built = Built { programs, archive: hex_digest(&archive), image: image.digest };
    // Some gigabytes.
    fs::remove_dir_all(target)?;
    Ok(built)
}

fn clone(folder: &Path, commit: &Commit) -> Result<PathBuf> {
    let sources = folder.join("sources");
    let mut git = command("git", &["clone", "--quiet", "--shared"]);
    git.arg(root().canonicalize()?).arg(&sources);
    run(git)?;
    let mut checkout = command("git", &["checkout", "--quiet", "--detach", &commit.name]);
    checkout.current_dir(&sources);
    run(checkout)?;
    Ok(sources)
}
