//! `cargo xtask image`: an image of the registry for container engines, made from nothing but the two programs and
//! what they need. It starts `svc-registry`; `svc` is in it to verify what runs.
//!
//! Absent on purpose: an engine. The image is made by this program, looked at by skopeo, and its root file system is run by
//! the gate `deploy` in a changed root.

pub(crate) mod layout;
pub(crate) mod root;

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::Result;

use self::{
    layout::About,
    root::{Library, Packed},
};
use crate::{
    dist::{self, Commit, Profile},
    process::{run, target},
    programs::Programs,
    sbom::{self, Subject},
};

/// An image that was made.
pub(crate) struct Image {
    pub(crate) layout: PathBuf,
    pub(crate) digest: String,
    pub(crate) layer_size: usize,
    pub(crate) libraries: Vec<Library>,
}

/// Builds the programs and writes the image to `target/image`.
#[expect(clippy::print_stdout, reason = "a task talks to its developer")]
pub(crate) fn make(profile: Profile) -> Result<()> {
    let commit = Commit::current()?;
    let programs = dist::build(profile, &commit)?;
    let image = of(&programs, profile, &commit, &target().join("image"))?;
    println!("{}  {}  {} bytes, commit {}", image.layout.display(), image.digest, image.layer_size, commit.name);
    for library in &image.libraries {
        println!("  {}  {} {}", library.path.display(), library.package.name, library.package.version);
    }
    Ok(())
}

/// The image of the programs, in a folder that it replaces. Symbols for debuggers stay out.
pub(crate) fn of(programs: &Programs, profile: Profile, commit: &Commit, folder: &Path) -> Result<Image> {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder)?;
    let (mut packed, mut all_libraries) = (Vec::new(), BTreeSet::new());
    for (program, path) in programs.all() {
        let stripped = folder.join(program.file());
        let mut strip = Command::new("strip");
        strip.arg("--strip-all").arg("-o").arg(&stripped).arg(path);
        run(strip)?;
        let libraries = root::libraries(&stripped)?;
        let bytes = fs::read(&stripped)?;
        fs::remove_file(stripped)?;
        let (features, seconds) = (profile.features(program), commit.seconds);
        let sbom = sbom::of(Subject { program, features, bytes: Some(&bytes), libraries: &libraries, seconds })?;
        packed.push(Packed { program, bytes, sbom: sbom.bytes()? });
        all_libraries.extend(libraries);
    }
    let libraries = Vec::from_iter(all_libraries);
    let entries = root::entries(packed, &libraries)?;
    let about = About { version: env!("CARGO_PKG_VERSION"), commit: &commit.name, seconds: commit.seconds };
    let (digest, layer_size) = layout::write(folder, &entries, &about)?;
    Ok(Image { layout: folder.to_owned(), digest, layer_size, libraries })
}
