//! A real nginx in front of a registry, with the file that is shipped: `deploy/nginx.conf`.
//!
//! Of that file only what belongs to a machine is put in: addresses, certificate and key. Around it stands what a machine
//! has besides, with compression on, as Debian's nginx has it.

use std::{
    fs::{self, File},
    net::{Ipv4Addr, TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail, ensure};

use crate::{
    certificate, debian,
    process::{Running, ends, root},
};

const SHIPPED: &str = "deploy/nginx.conf";

/// One process, so that nothing is left when it is ended.
const AROUND: &str = "\
daemon off;
master_process off;
pid nginx.pid;
events { worker_connections 256; }
http {
    access_log off;
    client_body_temp_path temporary-body;
    proxy_temp_path temporary-proxy;
    fastcgi_temp_path temporary-fastcgi;
    uwsgi_temp_path temporary-uwsgi;
    scgi_temp_path temporary-scgi;
    gzip on;
    gzip_types *;
    gzip_proxied any;
    gzip_min_length 1;
    include site.conf;
}
";

const PATIENCE: Duration = Duration::from_secs(10);

/// The text of a server block.
pub struct Site(String);

impl Site {
    /// As it is shipped: at the root of a host.
    pub fn shipped() -> Result<Self> {
        Ok(Self(fs::read_to_string(root().join(SHIPPED)).context(SHIPPED)?))
    }

    /// Inside the site of others, which keeps its own pages for refusals.
    pub fn inside(&self, location: &str) -> Result<Self> {
        let statuses = "    include /etc/svc-registry/nginx/statuses.conf;\n";
        let begins = format!("    location {location} {{");
        self.with(statuses, "")?.at(location)?.with(&begins, &format!("{begins}\n    {statuses}       "))
    }

    /// With one of the locations that are shipped as comments, in the place of the root.
    pub fn at(&self, location: &str) -> Result<Self> {
        self.with("    location / ", "    # location / ")?
            .with(&format!("    # location {location} "), &format!("    location {location} "))
    }

    /// With another text in the place of one that stands there once.
    pub fn with(&self, text: &str, other: &str) -> Result<Self> {
        ensure!(self.0.matches(text).count() == 1, "{SHIPPED} is to have `{text}` once");
        Ok(Self(self.0.replacen(text, other, 1)))
    }

    /// Without TLS, for a client that speaks none.
    pub fn plain(&self) -> Result<Self> {
        self.with("listen 443 ssl;", "listen 443;")
    }

    /// Before these nodes; the file is shipped with as many as it takes to replace one.
    fn on_this_machine(&self, port: u16, nodes: &[&str]) -> Result<Self> {
        let listen = if self.0.contains("listen 443 ssl;") { "listen 443 ssl;" } else { "listen 443;" };
        let here = listen.replacen("443", &format!("127.0.0.1:{port}"), 1);
        let servers: String = nodes.iter().map(|node| format!("    server {node} max_fails=0;\n")).collect();
        // Some machines have no IPv6.
        self.with("    listen [::]:443 ssl;\n", "")?
            .with(listen, &here)?
            .with("    server 127.0.0.1:8787 max_fails=0;\n", &servers)?
            .with("    server 127.0.0.1:8797 max_fails=0;\n", "")?
            .with("/etc/svc-registry/nginx/problems.conf", "problems.conf")?
            .with("/etc/svc-registry/tls.crt", "tls.crt")?
            .with("/etc/svc-registry/tls.key", "tls.key")
            // A site may have pages of its own instead.
            .map(|site| Self(site.0.replace("/etc/svc-registry/nginx/statuses.conf", "statuses.conf")))
    }
}

/// A folder with a certificate for this machine, and the program.
pub struct Nginx {
    program: PathBuf,
    folder: PathBuf,
}

impl Nginx {
    /// Finds the program, or puts it in, and makes a certificate.
    pub fn provide(folder: &Path) -> Result<Self> {
        let administrators = PathBuf::from("/usr/sbin/nginx");
        let find = || debian::on_path("nginx").or_else(|| administrators.is_file().then(|| administrators.clone()));
        let program = debian::require("nginx", find)?;
        fs::create_dir_all(folder)?;
        let folder = folder.canonicalize()?;
        certificate::make(&folder)?;
        Ok(Self { program, folder })
    }

    /// The certificate that clients are to believe.
    pub fn certificate(&self) -> PathBuf {
        self.folder.join("tls.crt")
    }

    /// Starts it with a site before nodes at addresses such as `127.0.0.1:8787`, and waits until it listens.
    pub fn start(&self, site: &Site, nodes: &[&str]) -> Result<Proxy> {
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
        fs::write(self.folder.join("nginx.conf"), AROUND)?;
        fs::write(self.folder.join("site.conf"), site.on_this_machine(port, nodes)?.0)?;
        for file in ["problems.conf", "statuses.conf"] {
            fs::copy(root().join("deploy/nginx").join(file), self.folder.join(file)).context(file)?;
        }
        let mut test = self.command();
        test.arg("-t");
        ends(test, 0, "test is successful")?;
        let log = self.folder.join("nginx.log");
        let running = Running(self.command().stderr(File::create(&log)?).spawn().context("nginx")?);
        let scheme = if site.0.contains("listen 443 ssl;") { "https" } else { "http" };
        let mut proxy = Proxy { running, url: format!("{scheme}://127.0.0.1:{port}") };
        proxy.wait(port).with_context(|| log.display().to_string())?;
        Ok(proxy)
    }

    fn command(&self) -> Command {
        let mut nginx = Command::new(&self.program);
        nginx.arg("-p").arg(&self.folder).args(["-c", "nginx.conf", "-e", "stderr"]);
        nginx
    }
}

/// An nginx that runs until it goes out of scope.
pub struct Proxy {
    running: Running,
    /// Where it listens: scheme, address and port.
    pub url: String,
}

impl Proxy {
    fn wait(&mut self, port: u16) -> Result<()> {
        let start = Instant::now();
        while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
            if let Some(status) = self.running.0.try_wait()? {
                bail!("nginx ended with {status}");
            }
            ensure!(start.elapsed() < PATIENCE, "nginx does not listen");
            thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }
}
