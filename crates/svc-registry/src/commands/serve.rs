//! `svc-registry serve`: the hosted registry.

mod check;
mod deliveries;
mod manager;
mod parts;
pub(super) mod settings;
mod sockets;
mod upkeep;
mod witnesses;

use std::{
    fs,
    io::{self, Write},
    net::SocketAddr,
    sync::Arc,
    time::Duration,
};

use clap::{Arg, ArgMatches, Command};
use svc_cli::{
    arguments::{self, flag, is_set},
    failure::Failure,
    output::escape::Safe,
};
use svc_journal::{joining::Joining, writer::Journal};
use svc_server::{
    config::{Config, SETTINGS, misspelt_variable},
    door::Door,
    http::{
        descriptors,
        serve::{self, ServeOptions},
        tls::CertificateStore,
    },
    log::{self, LineQueue},
};
use tokio::{net::TcpListener, runtime::Runtime};

use self::{
    manager::{ServiceManager, watchdog_interval},
    parts::cannot,
    sockets::Sockets,
    upkeep::{Hangups, Upkeep},
    witnesses::WitnessPlan,
};
use super::shutdown::shutdown_signal;

/// How long a service that has stopped waits for those who read what it says.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);

/// The command's part of the command line, made from the table of settings.
pub(crate) fn command() -> Command {
    let settings = SETTINGS.iter().map(|setting| {
        let default =
            if setting.default.is_empty() { String::new() } else { format!(" [default: {}]", setting.default) };
        let help = format!("{}{default} [env: {}]", setting.help, setting.variable);
        Arg::new(setting.name).long(setting.name).value_name("VALUE").help(help)
    });
    Command::new("serve")
        .about("Serve the hosted registry API; every answer is no")
        .args(settings)
        .arg(
            arguments::path("config", "FILE")
                .long("config")
                .help("A TOML file with these settings; flags and the environment win over it"),
        )
        .arg(flag("check-config", "Try everything that a start would do, also beside a running service, and stop"))
        .arg(flag("print-config", "Print every setting with where its value came from, and stop"))
        .after_help("Example\n  svc-registry serve --bind 127.0.0.1:8787")
}

/// Runs the command until it is told to stop.
pub(crate) fn run(matches: &ArgMatches) -> Result<String, Failure> {
    let sockets = Sockets::from_environment()?;
    let is_check = is_set(matches, "check-config");
    // From here on SIGHUP does not end the process: it is looked at once the service runs.
    let running = (!is_check && !is_set(matches, "print-config")).then(Running::new).transpose()?;
    let config = settings::read(matches, sockets.addresses())?;
    log::set_level(config.live.log_level);
    warn_of_misspelt_variables();
    let Some(running) = running else {
        return if is_check { check::run(&config, &sockets) } else { Ok(config.print()) };
    };
    let certificate = parts::certificate(&config)?;
    let tokens = parts::tokens(&config)?;
    let door = Door::new(parts::setup(&config, tokens.clone()));
    parts::self_test(&door)?;
    let plan = config.witnesses.as_ref().map(WitnessPlan::read).transpose()?;
    let journal = open_journal(&config)?;
    descriptors::raise();
    let stdout_lines =
        start_output_queues().map_err(|error| cannot("start threads", &error, "raise the limits of the process"))?;
    let witnesses = match (plan, &journal) {
        (Some(plan), Some(journal)) => Some(plan.start(journal)?),
        (Some(_) | None, _) => None,
    };
    let (witnessing, threads) = witnesses.unzip();
    let (deliveries, delivery_threads) = deliveries::start(&config, journal.as_ref())?.unzip();
    let tls = certificate.as_ref().map(CertificateStore::acceptor).transpose();
    let tls = tls.map_err(|error| cannot("speak TLS", &error, "do not run this build; report it"))?;
    let (behind_proxy, events) = (config.behind_proxy, config.events);
    let wire = ServeOptions { tls, journal, witnessing, deliveries, admin: None, behind_proxy, events };
    let upkeep = Upkeep {
        arguments: matches.clone(),
        addresses: sockets.addresses(),
        live: door.live.clone(),
        config,
        tokens,
        certificate,
        certificate_end: door.metrics.certificate_end.clone(),
        manager: Arc::new(ServiceManager::from_environment()),
        status: String::new(),
    };
    let Running { runtime, hangups } = running;
    let stopped = runtime.block_on(listen(sockets, door, wire, &stdout_lines, (upkeep, hangups)));
    drop(delivery_threads);
    drop(threads);
    // What still waits for the journal has had the time of the drain.
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
    log::flush(SHUTDOWN_TIMEOUT);
    stdout_lines.push(stopped?.as_bytes());
    stdout_lines.flush(SHUTDOWN_TIMEOUT);
    Ok(String::new())
}

/// The threads of a service, and the signal that it lives through.
struct Running {
    runtime: Runtime,
    hangups: Hangups,
}

impl Running {
    fn new() -> Result<Self, Failure> {
        let failed = |error: io::Error| cannot("start threads", &error, "raise the limits of the process");
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(failed)?;
        let hangups = {
            let _inside = runtime.enter();
            Hangups::watch().map_err(failed)?
        };
        Ok(Self { runtime, hangups })
    }
}

fn warn_of_misspelt_variables() {
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy();
        if let Some(close) = misspelt_variable(&name) {
            log::warn("an environment variable that svc does not know", &format!("{name}: did you mean {close}?"));
        }
    }
}

/// Opens the log, and a queue for standard output: from here on nobody waits for whoever reads them.
fn start_output_queues() -> io::Result<Arc<LineQueue>> {
    log::start()?;
    LineQueue::start("svc-stdout", stdout()?, |_| Vec::new())
}

/// Standard output past the lock of the library, which would be held for as long as the reader stalls.
#[cfg(unix)]
fn stdout() -> io::Result<impl Write + Send + 'static> {
    use std::os::fd::AsFd as _;

    Ok(fs::File::from(io::stdout().as_fd().try_clone_to_owned()?))
}

#[cfg(not(unix))]
fn stdout() -> io::Result<impl Write + Send + 'static> {
    Ok(io::stdout())
}

async fn listen(
    sockets: Sockets,
    door: Door,
    mut wire: ServeOptions,
    stdout_lines: &LineQueue,
    (mut upkeep, hangups): (Upkeep, Hangups),
) -> Result<String, Failure> {
    let (bind, admin_bind) = (upkeep.config.bind, upkeep.config.admin_bind);
    let (listener, address) = open_socket("bind", bind, sockets.public)?;
    let admin = admin_bind.map(|address| open_socket("admin-bind", address, sockets.admin)).transpose()?;
    let scheme = if wire.tls.is_some() { "https" } else { "http" };
    let base = svc_core::contract::contracts::BASE_PATH;
    upkeep.status = format!("listening on {scheme}://{address}{base}");
    let mut told = format!("{}  every answer is no\n", upkeep.status);
    if let Some((_, address)) = &admin {
        told += &format!("metrics on {scheme}://{address}/metrics\n");
    }
    if let Some(journal) = &wire.journal {
        let records = journal.checkpoint().size();
        told += &format!("journal of {records} records in {}\n", Safe(&journal.store().name()));
    }
    if upkeep.config.has_console {
        told += &format!("console on {scheme}://{address}/console/\n");
        if let Some((_, address)) = &admin {
            told += &format!("console on {scheme}://{address}/console/service\n");
        }
    }
    let stop =
        shutdown_signal().map_err(|error| cannot("listen for signals", &error, "raise the limits of the process"))?;
    stdout_lines.push(told.as_bytes());
    wire.admin = admin.map(|(listener, _)| listener);
    let manager = Arc::clone(&upkeep.manager);
    manager.ready(&upkeep.status);
    tokio::spawn(upkeep.run(hangups));
    if let Some(interval) = watchdog_interval(|name| std::env::var(name).ok()) {
        tokio::spawn(notify_alive(Arc::clone(&manager), interval));
    }
    let stop = async move {
        stop.await;
        manager.stopping();
    };
    let answered = serve::run(door, listener, wire, stop).await;
    let answered = answered.map_err(|error| parts::cannot_listen("bind", address, &error))?;
    Ok(format!("stopped after {answered} answers, every one of them no or a document\n"))
}

/// Sent by the threads that answer requests: when none of them gets to run, the manager hears nothing.
async fn notify_alive(manager: Arc<ServiceManager>, interval: Duration) {
    let mut times = tokio::time::interval(interval);
    loop {
        times.tick().await;
        manager.alive();
    }
}

/// The socket that the service manager opened, else one at the address; and the address that it has.
fn open_socket(
    setting: &str,
    address: SocketAddr,
    given: Option<(std::net::TcpListener, SocketAddr)>,
) -> Result<(TcpListener, SocketAddr), Failure> {
    let opened = match given {
        #[cfg(unix)]
        Some((listener, _)) => serve::adopt(listener),
        #[cfg(not(unix))]
        Some(_) => serve::listen(address),
        None => serve::listen(address),
    };
    let opened = opened.and_then(|listener| listener.local_addr().map(|address| (listener, address)));
    opened.map_err(|error| parts::cannot_listen(setting, address, &error))
}

/// Opens the journal before the socket: a service that cannot put its answers on record does not begin.
fn open_journal(config: &Config) -> Result<Option<Arc<Journal>>, Failure> {
    let origin = config.journal.origin();
    let opened = parts::with_journal(config, |place| place.write_named(&Joining::Remembering, origin));
    opened.map(|journal| journal.map(Arc::new))
}
