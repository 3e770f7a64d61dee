//! A certificate for one run on loopback.

use std::{
    fs::File,
    path::{Path, PathBuf},
};

use anyhow::Result;

use crate::process::{command, run};

/// The certificate and its key, made in a folder that is there.
pub fn make(folder: &Path) -> Result<(PathBuf, PathBuf)> {
    let mut make = command("openssl", &["req", "-x509", "-newkey", "ec", "-nodes", "-days", "1"]);
    make.args(["-pkeyopt", "ec_paramgen_curve:prime256v1", "-subj", "/CN=localhost"]);
    make.args(["-addext", "subjectAltName=IP:127.0.0.1", "-addext", "basicConstraints=critical,CA:FALSE"]);
    make.args(["-keyout", "tls.key", "-out", "tls.crt"]).current_dir(folder);
    make.stderr(File::create(folder.join("openssl.log"))?);
    run(make)?;
    Ok((folder.join("tls.crt"), folder.join("tls.key")))
}
