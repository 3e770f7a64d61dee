//! The image's root file system at work, in a changed root and as its user: names by DNS, TLS in both directions, and a
//! PostgreSQL that takes nothing else.
//!
//! An engine would add `/proc`, `/dev` and limits. Here there is less, so what runs here runs there.

use std::{
    fs::{self, File},
    os::unix::fs::{PermissionsExt, chown},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;
use svc_testkit::cluster::Cluster;

use super::{
    name_server::{self, NameServer},
    nodes::free_port,
};
use crate::{
    image::{Image, root::USER},
    process::{Running, ends, run},
    service::{HOLDS_BUILD, make_bundle},
};

/// The registry's name. The database's is `localhost`, which no file in the image knows either.
const REGISTRY: &str = "registry.svc.test";
const NAMES: &[&str] = &[REGISTRY, "localhost"];

/// A name that the file has and DNS has not.
const IN_HOSTS: &str = "hosts.svc.test";

const PATIENCE: Duration = Duration::from_secs(30);

/// Runs the image, and gives what was seen.
pub(crate) fn runs(svc: &Path, image: &Image, folder: &Path) -> Result<String> {
    let root = Root::unpack(image, folder)?;
    let names = NameServer::start(NAMES)?;
    let certificates = certificates(folder)?;
    fs::write(root.path("etc/resolv.conf"), format!("nameserver {}\n", name_server::ADDRESS))?;
    fs::write(root.path("etc/hosts"), format!("127.0.0.1 {IN_HOSTS}\n"))?;
    for file in ["tls.crt", "tls.key"] {
        root.give(&certificates.join(file), &format!("etc/svc-registry/{file}"))?;
    }
    let database = Cluster::start();
    database.database("journal");
    let (port, authority) = database.encrypt();
    root.give(&authority, "etc/svc-registry/database-ca.pem")?;
    make_bundle(svc, &root.path("tmp/bundle"))?;
    let service = Deployed { root, journal: format!("postgres://svc@localhost:{port}/journal"), port: free_port()? };
    let _running = service.start()?;
    service.answers_curl(&certificates.join("ca.pem"))?;
    service.is_verified(&certificates.join("ca.pem"))?;
    let asked = names.asked();
    ensure!(asked > 0, "nobody asked the name server");
    let size = image.layer_size / 1024;
    Ok(format!(
        "{size} KiB, level build holds over TLS, by system certificates, on an encrypted PostgreSQL; {asked} names asked"
    ))
}

/// The unpacked layer.
struct Root(PathBuf);

impl Root {
    /// Unpacked by tar, as root, with owners and modes.
    fn unpack(image: &Image, folder: &Path) -> Result<Self> {
        let root = folder.join("root");
        fs::create_dir_all(&root)?;
        let blob = |digest: &str| image.layout.join("blobs/sha256").join(digest.trim_start_matches("sha256:"));
        let manifest: Value = serde_json::from_slice(&fs::read(blob(&image.digest))?)?;
        let layer = manifest.pointer("/layers/0/digest").and_then(Value::as_str).context("no layer")?;
        let mut tar = Command::new("tar");
        tar.args(["--extract", "--gzip", "--preserve-permissions", "--numeric-owner", "--directory"]);
        run({
            tar.arg(&root).arg("--file").arg(blob(layer));
            tar
        })?;
        Ok(Self(root))
    }

    fn path(&self, below: &str) -> PathBuf {
        self.0.join(below)
    }

    /// Puts a file where only the image's user reads it, as an engine does with secrets.
    fn give(&self, file: &Path, below: &str) -> Result<()> {
        let path = self.path(below);
        fs::copy(file, &path).with_context(|| file.display().to_string())?;
        fs::set_permissions(&path, PermissionsExt::from_mode(0o400))?;
        Ok(chown(&path, Some(USER), Some(USER))?)
    }

    /// The program of the image, with nothing of this machine's environment.
    fn svc(&self, arguments: &[&str]) -> Command {
        let mut chroot = Command::new("/usr/sbin/chroot");
        chroot.arg(format!("--userspec={USER}:{USER}")).arg(&self.0).arg("/usr/local/bin/svc").args(arguments);
        chroot
            .env_clear()
            .env("SVC_DATA_DIR", "/var/lib/svc-registry")
            .env("SVC_TOKENS", "/etc/svc-registry/tokens.json");
        chroot
    }
}

/// The registry of the image.
struct Deployed {
    root: Root,
    journal: String,
    port: u16,
}

impl Deployed {
    fn start(&self) -> Result<Running> {
        let mut token = self.root.svc(&["token", "create", "gate", "--file", "/tmp/tokens.json"]);
        token.args(["--scope", "preflight", "--scope", "read", "--scope", "probe"]);
        let token = token.output()?;
        ensure!(token.status.success(), "svc token create: {}", String::from_utf8_lossy(&token.stderr));
        fs::write(self.root.path("tmp/token"), &token.stdout)?;
        self.root.give(&self.root.path("tmp/tokens.json"), "etc/svc-registry/tokens.json")?;
        let mut init = self.svc(&["journal", "init", "--first-node"]);
        init.stdout(Stdio::null());
        run(init)?;
        let bind = format!("127.0.0.1:{}", self.port);
        let mut serve = self.svc(&["serve", "--bind", &bind, "--tls-certificate", "/etc/svc-registry/tls.crt"]);
        serve.args(["--tls-key", "/etc/svc-registry/tls.key", "--rate", "off"]);
        let log = self.root.0.with_extension("log");
        let mut running = Running(serve.stdout(Stdio::null()).stderr(File::create(&log)?).spawn()?);
        let start = Instant::now();
        while std::net::TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            let ended = running.0.try_wait()?;
            ensure!(ended.is_none() && start.elapsed() < PATIENCE, "it does not start ({ended:?}): {}", log.display());
            thread::sleep(Duration::from_millis(20));
        }
        Ok(running)
    }

    fn svc(&self, arguments: &[&str]) -> Command {
        let mut svc = self.root.svc(arguments);
        svc.env("SVC_JOURNAL", &self.journal).env("SVC_JOURNAL_AUTHORITY", "/etc/svc-registry/database-ca.pem");
        svc
    }

    fn url(&self) -> String {
        format!("https://{REGISTRY}:{}", self.port)
    }

    /// Somebody outside, with a program and a resolver of this machine.
    fn answers_curl(&self, authority: &Path) -> Result<()> {
        let mut curl = Command::new("curl");
        curl.args(["--silent", "--show-error", "--include", "--retry", "20", "--retry-delay", "1", "--cacert"]);
        curl.arg(authority).arg("--resolve").arg(format!("{REGISTRY}:{}:127.0.0.1", self.port));
        ends(
            {
                curl.arg(format!("{}/readyz", self.url()));
                curl
            },
            0,
            "\"ready\": true",
        )
    }

    /// Somebody inside, who finds the registry by DNS and believes the certificates of the system, with those of the image
    /// alone and with an authority more.
    fn is_verified(&self, authority: &Path) -> Result<()> {
        let verify = |url: &str| {
            let mut verify = self.svc(&["verify", "hosted", url, "--level", "build"]);
            verify.args(["--artifact-dir", "/tmp/bundle", "--token-file", "/tmp/token"]);
            verify
        };
        ends(verify(&self.url()), 6, "UnknownIssuer")
            .context("the image's own certificates know nothing of this registry")?;
        let store = self.root.path("etc/ssl/certs/ca-certificates.crt");
        let shipped = fs::read_to_string(&store)?;
        fs::write(&store, shipped + &fs::read_to_string(authority)?)?;
        let by_file = format!("https://{IN_HOSTS}:{}", self.port);
        ends(verify(&by_file), 6, "certificate not valid for name")
            .context("a name of /etc/hosts, which the certificate lacks")?;
        ends(verify(&self.url()), 0, HOLDS_BUILD)
    }
}

/// An authority, and a certificate of it for the registry.
fn certificates(folder: &Path) -> Result<PathBuf> {
    let folder = folder.join("certificates");
    fs::create_dir_all(&folder)?;
    let openssl = |arguments: &[&str]| {
        let mut openssl = Command::new("openssl");
        openssl.args(arguments).current_dir(&folder).stderr(Stdio::null());
        run(openssl)
    };
    let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
    openssl(&[&["req", "-x509", "-subj", "/CN=authority", "-keyout", "ca.key", "-out", "ca.pem"][..], &key].concat())?;
    let name = format!("subjectAltName=DNS:{REGISTRY}");
    let own = ["req", "-x509", "-CA", "ca.pem", "-CAkey", "ca.key", "-subj", "/CN=registry", "-addext", &name];
    let leaf = ["-addext", "basicConstraints=critical,CA:FALSE", "-keyout", "tls.key", "-out", "tls.crt"];
    openssl(&[&own[..], &leaf, &key].concat())?;
    Ok(folder)
}
