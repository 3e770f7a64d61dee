//! The image's root file system at work, in a changed root and as its user: names by DNS, TLS in both directions, and a
//! PostgreSQL that takes nothing else.
//!
//! An engine would add `/proc`, `/dev` and limits. Here there is less, so what runs here runs there.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, ensure};
use svc_testkit::cluster::Cluster;

use super::{
    nodes::free_port,
    unpacked::{REGISTRY, Root, certificates},
};
use svc_gates::{
    debian,
    process::{Running, ends, run},
    programs::Program,
    service::{HOLDS_BUILD, make_bundle},
};

/// The database's name is `localhost`, which no file in the image knows either.
const NAMES: &[&str] = &[REGISTRY, "localhost"];

/// Nobody else is expected at this address of loopback, and a resolver asks at port 53 only.
const NAME_SERVER: &str = "127.0.0.77";

/// A name that the file has and DNS has not.
const IN_HOSTS: &str = "hosts.svc.test";

const PATIENCE: Duration = Duration::from_secs(30);

/// Runs the image, and gives what was seen.
pub(crate) fn runs(svc: &Path, image: &Path, folder: &Path) -> Result<String> {
    let root = Root::unpack(image, &folder.join("root"))?;
    let names = folder.join("names.log");
    let _name_server = name_server(&names)?;
    let certificates = certificates(folder, &[REGISTRY])?;
    fs::write(root.path("etc/resolv.conf"), format!("nameserver {}\n", NAME_SERVER))?;
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
    let asked = fs::read_to_string(&names)?.matches("query[A]").count();
    ensure!(asked > 0, "nobody asked the name server");
    Ok(format!("level build holds over TLS, by system certificates, on an encrypted PostgreSQL; {asked} names asked"))
}

/// Every one of these names stands for `127.0.0.1`, and no other exists. It writes what it is asked.
fn name_server(log: &Path) -> Result<Running> {
    let program =
        debian::require("dnsmasq-base", || Some(PathBuf::from("/usr/sbin/dnsmasq")).filter(|path| path.is_file()))?;
    let mut dnsmasq = Command::new(program);
    dnsmasq.args(["--keep-in-foreground", "--conf-file=/dev/null", "--no-hosts", "--no-resolv", "--bind-interfaces"]);
    dnsmasq.args(["--pid-file=", "--user=root", "--log-queries"]).arg(format!("--log-facility={}", log.display()));
    dnsmasq.arg(format!("--listen-address={NAME_SERVER}"));
    dnsmasq.args(NAMES.iter().map(|name| format!("--host-record={name},127.0.0.1")));
    let running = Running(dnsmasq.spawn().context("dnsmasq")?);
    let start = Instant::now();
    while !fs::read_to_string(log).is_ok_and(|log| log.contains("started")) {
        ensure!(
            start.elapsed() < PATIENCE,
            "dnsmasq does not start; it listens at {NAME_SERVER} port 53, which takes root"
        );
        thread::sleep(Duration::from_millis(20));
    }
    Ok(running)
}

/// The registry of the image.
struct Deployed {
    root: Root,
    journal: String,
    port: u16,
}

impl Deployed {
    fn start(&self) -> Result<Running> {
        let mut token =
            self.root.program(Program::Registry, &["token", "create", "gate", "--file", "/tmp/tokens.json"]);
        token.args(["--scope", "preflight", "--scope", "read", "--scope", "probe"]);
        let token = token.output()?;
        ensure!(token.status.success(), "svc-registry token create: {}", String::from_utf8_lossy(&token.stderr));
        fs::write(self.root.path("tmp/token"), &token.stdout)?;
        self.root.give(&self.root.path("tmp/tokens.json"), "etc/svc-registry/tokens.json")?;
        let mut init = self.program(Program::Registry, &["journal", "init", "--first-node"]);
        init.stdout(Stdio::null());
        run(init)?;
        let bind = format!("127.0.0.1:{}", self.port);
        let mut serve = self
            .program(Program::Registry, &["serve", "--bind", &bind, "--tls-certificate", "/etc/svc-registry/tls.crt"]);
        serve.args(["--tls-key", "/etc/svc-registry/tls.key", "--rate", "off", "--hosts", REGISTRY]);
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

    fn program(&self, program: Program, arguments: &[&str]) -> Command {
        let mut command = self.root.program(program, arguments);
        command.env("SVC_JOURNAL", &self.journal).env("SVC_JOURNAL_AUTHORITY", "/etc/svc-registry/database-ca.pem");
        command
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
            let mut verify = self.program(Program::Svc, &["verify", "hosted", url, "--level", "build"]);
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
