//! `cargo xtask image`: an image of the registry for container engines, made from nothing but the program and what it needs.
//!
//! Absent on purpose: an engine. The image is made by this program, looked at by skopeo, and its root file system is run by
//! the gate `deploy` in a changed root.

pub(crate) mod layout;
pub(crate) mod root;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::Result;

use self::{layout::About, root::Library};
use crate::{
    dist::{self, Commit, Profile},
    process::{run, target},
    sbom::{self, Subject},
};

/// An image that was made.
pub(crate) struct Image {
    pub(crate) layout: PathBuf,
    pub(crate) digest: String,
    pub(crate) layer_size: usize,
    pub(crate) libraries: Vec<Library>,
}

/// Builds the program and writes the image to `target/image`.
#[expect(clippy::print_stdout, reason = "a task talks to its developer")]
pub(crate) fn make(profile: Profile) -> Result<()> {
    let commit = Commit::current()?;
    let program = dist::build(profile, &commit)?;
    let image = of(&program, profile, &commit, &target().join("image"))?;
    println!("{}  {}  {} bytes, commit {}", image.layout.display(), image.digest, image.layer_size, commit.name);
    for library in &image.libraries {
        println!("  {}  {} {}", library.path.display(), library.package.name, library.package.version);
    }
    Ok(())
}

/// The image of a program, in a folder that it replaces. Symbols for debuggers stay out.
pub(crate) fn of(program: &Path, profile: Profile, commit: &Commit, folder: &Path) -> Result<Image> {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder)?;
    let stripped = folder.join("svc");
    let mut strip = Command::new("strip");
    strip.arg("--strip-all").arg("-o").arg(&stripped).arg(program);
    run(strip)?;
    let libraries = root::libraries(&stripped)?;
    let bytes = fs::read(&stripped)?;
    fs::remove_file(stripped)?;
    let (features, seconds) = (profile.features(), commit.seconds);
    let sbom = sbom::of(Subject { features, program: Some(&bytes), libraries: &libraries, seconds })?;
    let entries = root::entries(bytes, sbom.bytes()?, &libraries)?;
    let about = About { version: env!("CARGO_PKG_VERSION"), commit: &commit.name, seconds: commit.seconds };
    let (digest, layer_size) = layout::write(folder, &entries, &about)?;
    Ok(Image { layout: folder.to_owned(), digest, layer_size, libraries })
}
