//! The image's root file system on this machine, and certificates for what runs in it.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, chown},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context as _, Result};

use svc_gates::{process::run, programs::Program};

/// Whom the programs of the image run as.
pub(crate) const USER: u32 = 65532;

/// The name that the certificate is for.
pub(crate) const REGISTRY: &str = "registry.svc.test";

/// The unpacked layer.
pub(crate) struct Root(pub(crate) PathBuf);

impl Root {
    /// Unpacked as root, with owners and modes.
    pub(crate) fn unpack(image: &Path, folder: &Path) -> Result<Self> {
        let bundle = folder.with_extension("bundle");
        let mut umoci = Command::new("umoci");
        umoci.args(["unpack", "--image"]).arg(format!("{}:{}", image.display(), env!("CARGO_PKG_VERSION")));
        run({
            umoci.arg(&bundle);
            umoci
        })?;
        fs::rename(bundle.join("rootfs"), folder)?;
        Ok(Self(folder.to_owned()))
    }

    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.0.join(below)
    }

    /// Puts a file where only the image's user reads it, as an engine does with secrets.
    pub(crate) fn give(&self, file: &Path, below: &str) -> Result<()> {
        let path = self.path(below);
        fs::copy(file, &path).with_context(|| file.display().to_string())?;
        fs::set_permissions(&path, PermissionsExt::from_mode(0o400))?;
        Ok(chown(&path, Some(USER), Some(USER))?)
    }

    /// The same for a file that its group reads, as Kubernetes gives secrets.
    pub(crate) fn give_group(&self, bytes: &[u8], below: &str) -> Result<()> {
        let path = self.path(below);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(&path, bytes)?;
        fs::set_permissions(&path, PermissionsExt::from_mode(0o440))?;
        Ok(chown(&path, Some(0), Some(USER))?)
    }

    /// A program of the image, with nothing of this machine's environment.
    pub(crate) fn program(&self, program: Program, arguments: &[&str]) -> Command {
        let mut chroot = Command::new("/usr/sbin/chroot");
        chroot
            .arg(format!("--userspec={USER}:{USER}"))
            .arg(&self.0)
            .arg(format!("/usr/local/bin/{}", program.name()))
            .args(arguments);
        chroot
            .env_clear()
            .env("SVC_DATA_DIR", "/var/lib/svc-registry")
            .env("SVC_TOKENS", "/etc/svc-registry/tokens.json");
        chroot
    }
}

/// An authority, and a certificate of it for the registry by its names.
pub(crate) fn certificates(folder: &Path, names: &[&str]) -> Result<PathBuf> {
    let folder = folder.join("certificates");
    fs::create_dir_all(&folder)?;
    let openssl = |arguments: &[&str]| {
        let mut openssl = Command::new("openssl");
        openssl.args(arguments).current_dir(&folder).stderr(Stdio::null());
        run(openssl)
    };
    let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
    openssl(&[&["req", "-x509", "-subj", "/CN=authority", "-keyout", "ca.key", "-out", "ca.pem"][..], &key].concat())?;
    let names: Vec<String> = names.iter().map(|name| format!("DNS:{name}")).collect();
    let names = format!("subjectAltName={}", names.join(","));
    let own = ["req", "-x509", "-CA", "ca.pem", "-CAkey", "ca.key", "-subj", "/CN=registry", "-addext", &names];
    let leaf = ["-addext", "basicConstraints=critical,CA:FALSE", "-keyout", "tls.key", "-out", "tls.crt"];
    openssl(&[&own[..], &leaf, &key].concat())?;
    Ok(folder)
}
