//! The image as others read it: a layout that skopeo takes, until a byte is changed.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

use anyhow::{Context as _, Result, ensure};

use svc_gates::{debian, process::ends};

/// skopeo reads it, and copies every blob by its digest.
pub(crate) fn inspected(image: &Path, folder: &Path) -> Result<String> {
    let skopeo = debian::require("skopeo", || debian::on_path("skopeo"))?;
    let layout = format!("oci:{}", image.display());
    let mut inspect = Command::new(&skopeo);
    ends(
        {
            inspect.args(["inspect", &layout]);
            inspect
        },
        0,
        "\"Architecture\"",
    )?;
    let copy = |to: &str| {
        let mut copy = Command::new(&skopeo);
        copy.args(["copy", "--quiet", "--insecure-policy", &layout]).arg(format!("dir:{}", folder.join(to).display()));
        copy.stdout(Stdio::null()).stderr(Stdio::null()).status().context("skopeo")
    };
    ensure!(copy("copied")?.success(), "skopeo does not copy the image");
    let victim = fs::read_dir(image.join("blobs/sha256"))?.flatten().map(|entry| entry.path());
    let victim = victim.max_by_key(|path| path.metadata().map_or(0, |data| data.len())).context("no blobs")?;
    let good = fs::read(&victim)?;
    fs::write(&victim, [good.as_slice(), b" "].concat())?;
    let taken = copy("changed")?.success();
    fs::write(&victim, good)?;
    ensure!(!taken, "skopeo copies a layer that was changed");
    Ok("the same bytes twice, read by skopeo".to_owned())
}
