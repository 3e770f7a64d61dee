//! The manifests for Kubernetes: valid by its published schemas, and their containers' commands run in the image's files, in
//! order, with volumes and secrets owned as a kubelet leaves them; on the first day of a log, and in its second year.
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
use svc_testkit::{cluster::Cluster, lived_log::LivedLog};

use super::{
    nodes::free_port,
    unpacked::{REGISTRY, Root, USER, certificates},
};
use svc_gates::{
    process::{Running, command, ends, run, said},
    programs::Program,
    tools,
};

/// Carries the schemas of Kubernetes by version.
const PYTHON: &str = "kubernetes-validate==1.37.0";

/// The Service of the pods that are ready, as a new pod asks it.
const SERVICE: &str = "svc-registry.svc-registry.svc";

/// What a pod runs.
#[derive(Deserialize)]
struct Manifests {
    /// By container, in order of their names: key, join, svc.
    commands: BTreeMap<String, Vec<String>>,
    settings: BTreeMap<String, String>,
    user: u32,
}

/// Checks the manifests and runs pods.
pub(crate) fn check(registry: &Path, image: &Path, folder: &Path) -> Result<String> {
    let told = said(&mut command(
        &tools::python("kubernetes", &[PYTHON])?.join("python").to_string_lossy(),
        &["tests/deploy/manifests.py", "deploy/kubernetes"],
    ))?;
    let manifests: Manifests = serde_json::from_str(&told)?;
    ensure!(manifests.user == USER, "the pod's user is not the image's");
    let log = Log::begin(registry, &folder.join("pod"))?;
    let [one, two] = ["one", "two"].map(|name| Pod::prepare(&manifests, &log, image, name));
    let (one, two) = (one?, two?);
    // The first day: nobody is ready yet, and a pod that was moved runs its first containers again.
    for pod in [&one, &two, &one] {
        pod.joins(None)?;
        pod.serves()?.ends()?;
    }
    let lived = log.ages()?;
    for pod in [&one, &two] {
        pod.gets(&lived.data.join("journal.key"), "run/journal/journal.key")?;
        // All of them start anew, and nobody is ready.
        pod.joins(None)?;
        pod.serves()?.ends()?;
    }
    let serving = one.serves()?;
    two.loses_volume()?;
    two.joins(Some(&one)).context("a new replica, or a volume that was lost")?;
    two.serves()?.ends()?;
    serving.ends()?;
    two.loses_volume()?;
    two.is_refused(2, "journal-unremembered").context("nobody to ask, on a log with records")?;
    let newest = two.root.path("run/journal/journal.checkpoint");
    let first = fs::read(&newest)?;
    two.gets(&lived.data.with_extension("exported").join("checkpoint"), "run/journal/journal.checkpoint")?;
    two.joins(None).context("what the manifest says of a loss of all volumes")?;
    two.root.give_group(&first, "run/journal/journal.checkpoint")?;
    log.sets_back()?;
    one.is_refused(4, "journal-rewound").context("a volume that remembers, on a log that was set back")?;
    two.loses_volume()?;
    two.is_refused(2, "journal-unremembered").context("an empty volume, on a log that was set back")?;
    Ok("valid for Kubernetes 1.29 and 1.37, a wrong member refused; pods started on the first day, after records, a prune and a \
        new key, with an empty volume, and with nobody to ask; none on a log that was set back"
        .to_owned())
}

/// The log in a database that takes nothing but TLS, and the files that are secrets.
struct Log {
    folder: PathBuf,
    certificates: PathBuf,
    authority: PathBuf,
    address: String,
    database: Cluster,
}

impl Log {
    fn begin(registry: &Path, folder: &Path) -> Result<Self> {
        let certificates = certificates(folder, &[REGISTRY, SERVICE])?;
        let database = Cluster::start();
        let socket = database.database("svc");
        let mut init = Command::new(registry);
        init.args(["journal", "init", "--first-node", "--journal", &socket, "--data-dir"]).arg(folder.join("first"));
        init.stdout(Stdio::null());
        run(init)?;
        fs::copy(folder.join("first/journal.checkpoint"), folder.join("empty.checkpoint"))?;
        for (name, scopes) in [("gate", ["preflight", "read"]), ("join", ["read", "read"])] {
            let mut token = Command::new(registry);
            token.args(["token", "create", name, "--scope", scopes[0], "--scope", scopes[1]]);
            let token = said(token.arg("--file").arg(folder.join("tokens.json")))?;
            fs::write(folder.join(name).with_extension("token"), token)?;
        }
        let (port, authority) = database.encrypt();
        let address = format!("postgres://svc@localhost:{port}/svc");
        Ok(Self { folder: folder.to_owned(), certificates, authority, address, database })
    }

    /// A year of work, by the folder in which it began.
    fn ages(&self) -> Result<LivedLog> {
        let authority = self.authority.to_string_lossy();
        let lived =
            LivedLog::age(&self.folder.join("first"), &["--journal", &self.address, "--journal-authority", &authority]);
        self.sql("CREATE TABLE public.head AS SELECT * FROM svc_journal.head");
        lived.journal("export", &[&lived.data.with_extension("exported").to_string_lossy()]);
        lived.ask();
        Ok(lived)
    }

    /// What the restore of an older backup leaves.
    fn sets_back(&self) -> Result<()> {
        self.sql(
            "DELETE FROM svc_journal.entry WHERE place >= (SELECT size FROM public.head); DELETE FROM svc_journal.head; \
             INSERT INTO svc_journal.head SELECT * FROM public.head",
        );
        Ok(())
    }

    fn sql(&self, statements: &str) {
        self.database.sql(&format!("{}?sslmode=require", self.address), statements);
    }
}

/// What a kubelet prepares for one pod.
struct Pod<'m> {
    manifests: &'m Manifests,
    root: Root,
    settings: BTreeMap<String, String>,
    ports: [u16; 2],
    authority: PathBuf,
}

impl<'m> Pod<'m> {
    fn prepare(manifests: &'m Manifests, log: &Log, image: &Path, name: &str) -> Result<Self> {
        let root = Root::unpack(image, &log.folder.join(name))?;
        let ports = [free_port()?, free_port()?];
        let mut settings = manifests.settings.clone();
        // What is told of addresses is told of a cluster's; here there is loopback alone.
        for (name, value) in [
            ("SVC_BIND", format!("127.0.0.1:{}", ports[0])),
            ("SVC_ADMIN_BIND", format!("127.0.0.1:{}", ports[1])),
            ("SVC_JOURNAL", log.address.clone()),
            ("SVC_DRAIN_PAUSE", "0".to_owned()),
        ] {
            ensure!(settings.insert(name.to_owned(), value).is_some(), "the manifests do not set {name}");
        }
        let pod = Self { manifests, root, settings, ports, authority: log.certificates.join("ca.pem") };
        for (file, below) in [
            (log.folder.join("first/journal.key"), "run/journal/journal.key"),
            (log.folder.join("empty.checkpoint"), "run/journal/journal.checkpoint"),
            (log.folder.join("join.token"), "run/journal/join.token"),
            (log.folder.join("tokens.json"), "etc/svc-registry/tokens/tokens.json"),
            (log.certificates.join("ca.pem"), "etc/svc-registry/tls/ca.crt"),
            (log.certificates.join("tls.crt"), "etc/svc-registry/tls/tls.crt"),
            (log.certificates.join("tls.key"), "etc/svc-registry/tls/tls.key"),
            (log.authority.clone(), "etc/svc-registry/database/ca.pem"),
        ] {
            pod.gets(&file, below)?;
        }
        pod.root.give_group(b"not asked for here\n", "etc/svc-registry/database/password")?;
        fs::write(pod.root.path("etc/hosts"), format!("127.0.0.1 localhost {SERVICE}\n"))?;
        pod.loses_volume()?;
        Ok(pod)
    }

    /// A file of a secret.
    fn gets(&self, file: &Path, below: &str) -> Result<()> {
        self.root.give_group(&fs::read(file).with_context(|| file.display().to_string())?, below)
    }

    /// A new volume belongs to root, and to the group that `fsGroup` names.
    fn loses_volume(&self) -> Result<()> {
        let volume = self.root.path("var/lib/svc-registry");
        fs::remove_dir_all(&volume)?;
        fs::create_dir(&volume)?;
        chown(&volume, Some(0), Some(USER))?;
        Ok(fs::set_permissions(&volume, fs::Permissions::from_mode(0o2775))?)
    }

    fn command(&self, name: &str) -> Result<&[String]> {
        Ok(self.manifests.commands.get(name).with_context(|| format!("no container `{name}`"))?)
    }

    /// Runs the first containers. The Service leads to a pod that is ready, or to nobody.
    fn joins(&self, ready: Option<&Self>) -> Result<()> {
        self.copies_key()?;
        ends(self.join(ready)?, 0, "")
    }

    fn is_refused(&self, code: i32, told: &str) -> Result<()> {
        self.copies_key()?;
        ends(self.join(None)?, code, told)
    }

    fn join(&self, ready: Option<&Self>) -> Result<Command> {
        let port = ready.map_or_else(free_port, |ready| Ok(ready.ports[0]))?;
        let lead = |argument: &String| argument.replace(SERVICE, &format!("{SERVICE}:{port}"));
        let arguments: Vec<String> = self.command("join")?.iter().map(lead).collect();
        ensure!(arguments.iter().any(|argument| argument.contains(SERVICE)), "a new pod does not ask {SERVICE}");
        Ok(self.registry(&arguments))
    }

    fn registry(&self, arguments: &[String]) -> Command {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let mut registry = self.root.program(Program::Registry, &arguments);
        registry.env_remove("SVC_DATA_DIR").env_remove("SVC_TOKENS").envs(&self.settings).stdout(Stdio::null());
        registry
    }

    /// The tool of another image, with its paths led into this one.
    fn copies_key(&self) -> Result<()> {
        let user = format!("{USER}");
        let mut tool = Command::new("setpriv");
        tool.args(["--reuid", &user, "--regid", &user, "--clear-groups"]);
        for argument in self.command("key")? {
            match argument.strip_prefix('/') {
                Some(below) => tool.arg(self.root.path(below)),
                None => tool.arg(argument),
            };
        }
        run(tool)
    }

    /// The container's probes find it alive and ready.
    fn serves(&self) -> Result<Serving> {
        let log = self.root.0.with_extension("log");
        let serving = Serving(Running(self.registry(self.command("svc")?).stderr(File::create(&log)?).spawn()?));
        for path in ["livez", "readyz"] {
            let mut curl = Command::new("curl");
            curl.args(["--silent", "--show-error", "--include", "--retry", "30", "--retry-delay", "1"]);
            curl.args(["--retry-connrefused", "--cacert"]).arg(&self.authority);
            curl.arg("--resolve").arg(format!("{REGISTRY}:{}:127.0.0.1", self.ports[1]));
            curl.arg(format!("https://{REGISTRY}:{}/{path}", self.ports[1]));
            ends(curl, 0, "HTTP/1.1 200 OK").with_context(|| log.display().to_string())?;
        }
        Ok(serving)
    }
}

struct Serving(Running);

impl Serving {
    /// It ends when it is told to.
    fn ends(mut self) -> Result<()> {
        run(command("kill", &["-TERM", &self.0.0.id().to_string()]))?;
        let status = self.0.0.wait()?;
        ensure!(status.success(), "a pod that was told to stop ended with {status}");
        Ok(())
    }
}
