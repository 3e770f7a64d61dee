//! The image as others read it: the same bytes whenever it is made, and a layout that skopeo takes, until a byte is changed.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context as _, Result, ensure};

use crate::{
    debian,
    dist::{Commit, Profile},
    image::{self, Image},
    process::ends,
    programs::Programs,
};

/// The image of both programs, made twice and compared byte for byte.
pub(crate) fn made_twice(programs: &Programs, folder: &Path) -> Result<Image> {
    let commit = Commit::current()?;
    let image = image::of(programs, Profile::Debug, &commit, &folder.join("image"))?;
    let again = image::of(programs, Profile::Debug, &commit, &folder.join("image-again"))?;
    ensure!(files(&image.layout)? == files(&again.layout)?, "two images of the same programs differ");
    Ok(image)
}

/// skopeo reads it, and copies every blob by its digest.
pub(crate) fn inspected(image: &Image, folder: &Path) -> Result<String> {
    let skopeo = debian::require("skopeo", || debian::on_path("skopeo"))?;
    let layout = format!("oci:{}", image.layout.display());
    let mut inspect = Command::new(&skopeo);
    ends(
        {
            inspect.args(["inspect", &layout]);
            inspect
        },
        0,
        &image.digest,
    )?;
    let copy = |to: &str| {
        let mut copy = Command::new(&skopeo);
        copy.args(["copy", "--quiet", "--insecure-policy", &layout]).arg(format!("dir:{}", folder.join(to).display()));
        copy.stdout(Stdio::null()).stderr(Stdio::null()).status().context("skopeo")
    };
    ensure!(copy("copied")?.success(), "skopeo does not copy the image");
    let victim = fs::read_dir(image.layout.join("blobs/sha256"))?.flatten().map(|entry| entry.path());
    let victim = victim.max_by_key(|path| path.metadata().map_or(0, |data| data.len())).context("no blobs")?;
    let good = fs::read(&victim)?;
    fs::write(&victim, [good.as_slice(), b" "].concat())?;
    let taken = copy("changed")?.success();
    fs::write(&victim, good)?;
    ensure!(!taken, "skopeo copies a layer that was changed");
    let libraries: Vec<String> = image.libraries.iter().map(|library| library.path.display().to_string()).collect();
    Ok(format!("the same bytes twice, read by skopeo, with {}", libraries.join(" ")))
}

fn files(folder: &Path) -> Result<BTreeMap<PathBuf, Vec<u8>>> {
    let mut found = BTreeMap::new();
    let mut left = vec![folder.to_owned()];
    while let Some(next) = left.pop() {
        for entry in fs::read_dir(next)? {
            let path = entry?.path();
            if path.is_dir() {
                left.push(path);
            } else {
                found.insert(path.strip_prefix(folder)?.to_owned(), fs::read(&path)?);
            }
        }
    }
    Ok(found)
}
