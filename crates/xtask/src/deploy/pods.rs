//! The manifests for Kubernetes: valid by its published schemas, and their containers' commands run in the image's files, in
//! order, with volumes and secrets owned as a kubelet leaves them.
//!
//! Absent on purpose: a cluster. None was ever given these manifests by this project.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    os::unix::fs::{PermissionsExt as _, chown},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;
use svc_testkit::cluster::Cluster;

use super::{
    nodes::free_port,
    unpacked::{REGISTRY, Root, certificates},
};
use crate::{
    image::{Image, root::USER},
    process::{Running, command, ends, run, said, target},
};

/// Carries the schemas of Kubernetes by version.
const PYTHON: &str = "kubernetes-validate==1.37.0";

/// What a pod runs.
#[derive(Deserialize)]
struct Pod {
    /// By container, in order of their names: key, join, svc.
    commands: BTreeMap<String, Vec<String>>,
    settings: BTreeMap<String, String>,
    user: u32,
}

/// Checks the manifests and runs a pod.
pub(crate) fn check(svc: &Path, image: &Image, folder: &Path) -> Result<String> {
    let told = said(&mut command(&python()?.to_string_lossy(), &["tests/deploy/manifests.py", "deploy/kubernetes"]))?;
    let pod: Pod = serde_json::from_str(&told)?;
    ensure!(pod.user == USER, "the pod's user is not the image's");
    let machine = Machine::prepare(svc, image, &folder.join("pod"), pod.settings)?;
    let command = |name: &str| pod.commands.get(name).with_context(|| format!("no container `{name}`"));
    // A pod that was moved runs its first containers again, on a volume that has everything.
    for _ in 0..2 {
        machine.copies_key(command("key")?)?;
        run(machine.svc(command("join")?))?;
        machine.serves(command("svc")?)?;
    }
    Ok("valid for Kubernetes 1.29 and 1.37, a wrong member refused, and the commands of a pod run twice".to_owned())
}

fn python() -> Result<PathBuf> {
    let tools = target().join("tools/kubernetes");
    let stamp = tools.join("packages.txt");
    if !fs::read_to_string(&stamp).is_ok_and(|there| there == PYTHON) {
        run(command("python3", &["-m", "venv", "--clear", &tools.to_string_lossy()]))?;
        let pip = tools.join("bin/pip").to_string_lossy().into_owned();
        run(command(&pip, &["install", "--quiet", "--disable-pip-version-check", PYTHON]))?;
        fs::write(&stamp, PYTHON)?;
    }
    Ok(tools.join("bin/python"))
}

/// What a kubelet prepares, with a database.
struct Machine {
    root: Root,
    settings: BTreeMap<String, String>,
    ports: [u16; 2],
    authority: PathBuf,
    _database: Cluster,
}

impl Machine {
    fn prepare(svc: &Path, image: &Image, folder: &Path, mut settings: BTreeMap<String, String>) -> Result<Self> {
        let root = Root::unpack(image, &folder.join("root"))?;
        let certificates = certificates(folder)?;
        let database = Cluster::start();
        let socket = database.database("svc");
        let first = folder.join("first");
        let mut init = Command::new(svc);
        init.args(["journal", "init", "--first-node", "--journal", &socket, "--data-dir"]).arg(&first);
        init.stdout(Stdio::null());
        run(init)?;
        let mut token = Command::new(svc);
        token.args(["token", "create", "gate", "--file"]).arg(folder.join("tokens.json"));
        said(&mut token)?;
        let (port, authority) = database.encrypt();
        for (file, below) in [
            (first.join("journal.key"), "run/journal/journal.key"),
            (first.join("journal.checkpoint"), "run/journal/journal.checkpoint"),
            (folder.join("tokens.json"), "etc/svc-registry/tokens/tokens.json"),
            (certificates.join("tls.crt"), "etc/svc-registry/tls/tls.crt"),
            (certificates.join("tls.key"), "etc/svc-registry/tls/tls.key"),
            (authority, "etc/svc-registry/database/ca.pem"),
        ] {
            root.give_group(&fs::read(&file).with_context(|| file.display().to_string())?, below)?;
        }
        root.give_group(b"not asked for here\n", "etc/svc-registry/database/password")?;
        fs::write(root.path("etc/hosts"), "127.0.0.1 localhost\n")?;
        // A volume belongs to root, and to the group that `fsGroup` names.
        let volume = root.path("var/lib/svc-registry");
        chown(&volume, Some(0), Some(USER))?;
        fs::set_permissions(&volume, fs::Permissions::from_mode(0o2775))?;
        let ports = [free_port()?, free_port()?];
        // What is told of addresses is told of a cluster's; here there is loopback alone.
        for (name, value) in [
            ("SVC_BIND", format!("127.0.0.1:{}", ports[0])),
            ("SVC_ADMIN_BIND", format!("127.0.0.1:{}", ports[1])),
            ("SVC_JOURNAL", format!("postgres://svc@localhost:{port}/svc")),
            ("SVC_DRAIN_PAUSE", "0".to_owned()),
        ] {
            ensure!(settings.insert(name.to_owned(), value).is_some(), "the manifests do not set {name}");
        }
        Ok(Self { root, settings, ports, authority: certificates.join("ca.pem"), _database: database })
    }

    fn svc(&self, arguments: &[String]) -> Command {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let mut svc = self.root.svc(&arguments);
        svc.env_remove("SVC_DATA_DIR").env_remove("SVC_TOKENS").envs(&self.settings).stdout(Stdio::null());
        svc
    }

    /// The tool of another image, with its paths led into this one.
    fn copies_key(&self, arguments: &[String]) -> Result<()> {
        let user = format!("{USER}");
        let mut tool = Command::new("setpriv");
        tool.args(["--reuid", &user, "--regid", &user, "--clear-groups"]);
        for argument in arguments {
            match argument.strip_prefix('/') {
                Some(below) => tool.arg(self.root.path(below)),
                None => tool.arg(argument),
            };
        }
        run(tool)
    }

    /// The container's probes find it alive and ready, and it ends when it is told to.
    fn serves(&self, arguments: &[String]) -> Result<()> {
        let log = self.root.0.with_extension("log");
        let mut running = Running(self.svc(arguments).stderr(File::create(&log)?).spawn()?);
        for path in ["livez", "readyz"] {
            let mut curl = Command::new("curl");
            curl.args(["--silent", "--show-error", "--include", "--retry", "30", "--retry-delay", "1"]);
            curl.args(["--retry-connrefused", "--cacert"]).arg(&self.authority);
            curl.arg("--resolve").arg(format!("{REGISTRY}:{}:127.0.0.1", self.ports[1]));
            curl.arg(format!("https://{REGISTRY}:{}/{path}", self.ports[1]));
            ends(curl, 0, "HTTP/1.1 200 OK").with_context(|| log.display().to_string())?;
        }
        run(command("kill", &["-TERM", &running.0.id().to_string()]))?;
        let status = running.0.wait()?;
        ensure!(status.success(), "a node that was told to stop ended with {status}: {}", log.display());
        Ok(())
    }
}
