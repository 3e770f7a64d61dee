//! A private PostgreSQL for tests: its own folder, a Unix socket and no port, flushing for real.
//!
//! It does not run as root, so that root starts it as another user. Whoever includes this file gets a cluster that ends
//! with its value.

use std::{
    fs,
    os::unix::{fs::chown, process::CommandExt as _},
    path::{Path, PathBuf},
    process::{Command, Output},
};

pub struct Cluster {
    pub(super) bin: PathBuf,
    folder: tempfile::TempDir,
    pub(super) user: Option<(u32, u32)>,
}

impl Cluster {
    /// Makes a cluster and starts it.
    pub fn start() -> Self {
        let cluster = Self::nowhere();
        cluster.tool("initdb", &["-A", "trust", "-U", "svc", "-E", "UTF8", "--no-locale"]);
        let settings = format!(
            "listen_addresses = ''\nunix_socket_directories = '{}'\nfsync = on\nmax_connections = 60\n\
             shared_buffers = 32MB\nlogging_collector = off\n",
            cluster.folder.path().display()
        );
        let file = cluster.data().join("postgresql.conf");
        fs::write(&file, fs::read_to_string(&file).unwrap() + &settings).unwrap();
        cluster.up();
        cluster
    }

    /// The place of a cluster, without one.
    pub fn nowhere() -> Self {
        let bin = binaries().expect("PostgreSQL's initdb and pg_ctl are needed: Debian's package `postgresql`");
        let folder = tempfile::Builder::new().prefix("svc-pg").tempdir_in("/tmp").unwrap();
        let user = other_user();
        if let Some((uid, gid)) = user {
            chown(folder.path(), Some(uid), Some(gid)).unwrap();
        }
        Self { bin, folder, user }
    }

    /// A new database, by its address.
    pub fn database(&self, name: &str) -> String {
        let mut psql = self.command("psql");
        psql.args(["-X", "-q", "-h"]).arg(self.folder.path()).args(["-U", "svc", "postgres"]);
        let created = psql.args(["-c", &format!("CREATE DATABASE {name}")]).output().unwrap();
        assert!(created.status.success(), "{}", String::from_utf8_lossy(&created.stderr));
        Self::address(&[self], name)
    }

    /// The address of a database that is on one of several clusters.
    pub fn address(clusters: &[&Self], name: &str) -> String {
        let socket = |cluster: &&Self| cluster.folder.path().display().to_string().replace('/', "%2F");
        let sockets: Vec<String> = clusters.iter().map(socket).collect();
        format!("postgres://svc@{}/{name}", sockets.join(","))
    }

    /// Runs statements in a database, and gives what they print.
    pub fn sql(&self, url: &str, statements: &str) -> String {
        let output = self
            .command("psql")
            .args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", url, "-c", statements])
            .output();
        let output = output.unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Why a statement is refused, by its SQLSTATE; nothing when it is not.
    pub fn refusal(&self, url: &str, statement: &str) -> Option<String> {
        let mut psql = self.command("psql");
        psql.args(["-X", "-q", "-v", "ON_ERROR_STOP=1", "-v", "VERBOSITY=sqlstate", url, "-c", statement]);
        let output = psql.output().unwrap();
        if output.status.success() {
            return None;
        }
        let told = String::from_utf8(output.stderr).unwrap();
        Some(told.lines().find_map(|line| line.strip_prefix("ERROR:  ")).unwrap_or(&told).to_owned())
    }

    /// Runs a file of statements as a role.
    pub fn script(&self, role: &str, database: &str, text: &str) {
        let file = self.folder.path().join("script.sql");
        fs::write(&file, text).unwrap();
        let mut psql = self.command("psql");
        psql.args(["-X", "-q", "-v", "ON_ERROR_STOP=1", "-U", role, "-h"]).arg(self.folder.path());
        let ran = psql.arg("-f").arg(&file).arg(database).output().unwrap();
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    }

    /// Backs a database up with `pg_dump`.
    pub fn dump(&self, url: &str) {
        let dumped = self.command("pg_dump").args(["-n", "svc_journal", url]).output().unwrap();
        assert!(dumped.status.success(), "{}", String::from_utf8_lossy(&dumped.stderr));
        assert!(String::from_utf8_lossy(&dumped.stdout).contains("COPY svc_journal.entry"));
    }

    /// Starts it.
    pub fn up(&self) {
        let log = self.folder.path().join("log");
        self.tool("pg_ctl", &["start", "-w", "-t", "60", "-l", &log.display().to_string()]);
    }

    /// Starts it again on a port of loopback that takes nothing but TLS, with a certificate for `localhost` of an authority
    /// made for it. Gives the port, and the file of the authority.
    pub fn encrypt(&self) -> (u16, PathBuf) {
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
        let authority = ["req", "-x509", "-days", "2", "-subj", "/CN=authority", "-keyout", "ca.key", "-out", "ca.pem"];
        self.openssl(&[&authority[..], &curve].concat());
        self.openssl(
            &[&["req", "-subj", "/CN=localhost", "-keyout", "tls.key", "-out", "tls.csr"][..], &curve].concat(),
        );
        fs::write(self.folder.path().join("san"), "subjectAltName=DNS:localhost\n").unwrap();
        let sign = ["x509", "-req", "-days", "2", "-in", "tls.csr", "-CA", "ca.pem", "-CAkey", "ca.key"];
        self.openssl(&[&sign[..], &["-CAcreateserial", "-extfile", "san", "-out", "tls.pem"]].concat());
        let folder = self.folder.path().display();
        let settings = format!(
            "listen_addresses = '127.0.0.1'\nport = {port}\nssl = on\nssl_cert_file = '{folder}/tls.pem'\n\
             ssl_key_file = '{folder}/tls.key'\n"
        );
        let file = self.data().join("postgresql.conf");
        fs::write(&file, fs::read_to_string(&file).unwrap() + &settings).unwrap();
        fs::write(self.data().join("pg_hba.conf"), "hostssl all all 127.0.0.1/32 trust\n").unwrap();
        self.stop();
        self.up();
        (port, self.folder.path().join("ca.pem"))
    }

    fn openssl(&self, arguments: &[&str]) {
        let mut openssl = Command::new("openssl");
        openssl.current_dir(self.folder.path());
        if let Some((uid, gid)) = self.user {
            openssl.uid(uid).gid(gid);
        }
        let made = openssl.args(arguments).output().expect("openssl makes the certificates");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    }

    /// Shuts it down as a service manager does: clients are sent away, and what they did is kept.
    pub fn stop(&self) {
        self.tool("pg_ctl", &["stop", "-w", "-m", "fast"]);
    }

    /// Ends it without a shutdown: what clients wait for is dropped, and the next start recovers.
    pub fn stop_at_once(&self) {
        self.tool("pg_ctl", &["stop", "-w", "-m", "immediate"]);
    }

    /// Kills every process of it, as a loss of power would, but for the page cache.
    pub fn kill(&self) {
        let victims = self.signal("-KILL");
        while victims.iter().any(|victim| is_running(victim)) {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        // A process that nobody has waited for yet still has its number, which the next start would ask after.
        let _ = fs::remove_file(self.data().join("postmaster.pid"));
        let _ = fs::remove_file(self.folder.path().join(".s.PGSQL.5432.lock"));
    }

    /// Stops every process of it where it is: whoever asks waits.
    pub fn hang(&self) {
        self.signal("-STOP");
    }

    /// Lets them go on.
    pub fn go_on(&self) {
        self.signal("-CONT");
    }

    /// Sends a signal to every process of it, and gives their numbers.
    fn signal(&self, signal: &str) -> Vec<String> {
        let file = fs::read_to_string(self.data().join("postmaster.pid")).unwrap();
        let leader: u32 = file.lines().next().unwrap().trim().parse().unwrap();
        let group = leader.to_string();
        let children = Command::new("ps").args(["-o", "pid=", "--ppid", &group]).output().unwrap();
        let children = String::from_utf8(children.stdout).unwrap();
        let mut processes = vec![group];
        processes.extend(children.split_whitespace().map(str::to_owned));
        Command::new("kill").arg(signal).args(&processes).output().unwrap();
        processes
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn command(&self, name: &str) -> Command {
        let mut command = Command::new(self.bin.join(name));
        command.current_dir(self.folder.path()).env("LC_ALL", "C").env_remove("PGOPTIONS");
        // The caller's own home has certificates that the other user may not even look for.
        command.env("HOME", self.folder.path());
        if let Some((uid, gid)) = self.user {
            command.uid(uid).gid(gid);
        }
        command
    }

    pub(super) fn tool(&self, name: &str, arguments: &[&str]) {
        let mut command = self.command(name);
        command.arg("-D").arg(self.data()).args(arguments);
        // pg_ctl leaves a server behind that would hold a pipe open.
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        let status = command.status().unwrap();
        let log = fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
        assert!(status.success(), "{name} failed: {log}");
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let stop: Result<Output, _> =
            self.command("pg_ctl").arg("-D").arg(self.data()).args(["stop", "-m", "immediate"]).output();
        drop(stop);
    }
}

fn is_running(pid: &str) -> bool {
    let state = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !state.is_empty() && !state.contains(") Z ")
}

/// The newest binaries: Debian keeps them beside the versions' names, others on the search path.
fn binaries() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = versions.map(|version| version.path().join("bin")).collect();
    folders.sort();
    let path = std::env::var_os("PATH").unwrap_or_default();
    folders.reverse();
    folders.extend(std::env::split_paths(&path));
    folders.into_iter().find(|folder| folder.join("initdb").is_file() && folder.join("pg_ctl").is_file())
}

/// Whom root starts it as.
fn other_user() -> Option<(u32, u32)> {
    let owner = std::os::unix::fs::MetadataExt::uid(&fs::metadata("/proc/self").unwrap());
    if owner != 0 {
        return None;
    }
    let users = fs::read_to_string("/etc/passwd").unwrap();
    let find = |name: &str| {
        let line = users.lines().find(|line| line.starts_with(&format!("{name}:")))?;
        let mut parts = line.split(':').skip(2);
        Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
    };
    find("postgres").or_else(|| find("nobody"))
}
