//! `svc serve`: the hosted registry.

mod witnesses;

use std::{
    collections::BTreeSet,
    fs,
    io::{self, Write},
    path::Path,
    sync::Arc,
    time::Duration,
};

use clap::{Arg, ArgMatches, Command};
use svc_core::words::exit_code::ExitCode;
use svc_journal::{joining::Joining, open::Location, writer::Journal};
use svc_server::{
    auth::token_store::TokenStore,
    config::{Config, ConfigError, Given, SETTINGS, SettingOrigin, journal::default_folder, misspelt_variable},
    http::{
        descriptors,
        serve::{self, ServeOptions},
        tls::CertificateStore,
    },
    log::{self, LineQueue},
    registry::{Registry, Setup},
    self_test,
};

use self::witnesses::WitnessPlan;
use super::shutdown::shutdown_signal;
use crate::{
    arguments::{self, flag, is_set, text},
    failure::Failure,
    files::{read::Input, user_file::read_bounded},
    output::escape::Safe,
};

const FREE_ADDRESS: &str = "give an address of this machine and a free port, or stop the process that uses it";

const MAX_SETTINGS_BYTES: u64 = 1024 * 1024;

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
        .arg(flag("check-config", "Check the settings, run the self-test, and stop"))
        .arg(flag("print-config", "Print every setting with where its value came from, and stop"))
        .after_help("Example\n  svc serve --bind 127.0.0.1:8787")
}

/// Runs the command until it is told to stop.
pub(crate) fn run(matches: &ArgMatches) -> Result<String, Failure> {
    let config = read_config(matches)?;
    if is_set(matches, "print-config") {
        return Ok(config.print());
    }
    let certificate = config.tls.clone().map(|(certificate, key)| CertificateStore::open(certificate, key)).transpose();
    let tls = certificate.and_then(|store| store.map(|store| store.acceptor()).transpose());
    let tls = tls.map_err(|error| {
        cannot("use the certificate and key", &error, "give a certificate chain and its private key, both in PEM")
    })?;
    let registry = Registry::new(setup(&config)?);
    let passed = self_test::run(&registry).map_err(|open| Failure {
        exit: ExitCode::OpenClaim,
        message: format!("the self-test failed, so no socket was opened: {open}"),
        help: Some("do not run this build; report it".to_owned()),
    })?;
    let plan = config.witnesses.as_ref().map(WitnessPlan::read).transpose()?;
    if is_set(matches, "check-config") {
        return Ok(format!("settings read; self-test: {} denied, {} refused\n", passed.denied, passed.refused));
    }
    let journal = open_journal(&config)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| cannot("start threads", &error, "raise the limits of the process"))?;
    descriptors::raise();
    let stdout_lines =
        start_output_queues().map_err(|error| cannot("start threads", &error, "raise the limits of the process"))?;
    let witnesses = match (plan, &journal) {
        (Some(plan), Some(journal)) => Some(plan.start(journal)?),
        (Some(_) | None, _) => None,
    };
    let (witnessing, threads) = witnesses.unzip();
    let wire = ServeOptions { tls, journal, witnessing, admin: None, behind_proxy: config.behind_proxy };
    let stopped = runtime.block_on(listen(&config, registry, wire, &stdout_lines));
    drop(threads);
    // What still waits for the journal has had the time of the drain.
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
    log::flush(SHUTDOWN_TIMEOUT);
    stdout_lines.push(stopped?.as_bytes());
    stdout_lines.flush(SHUTDOWN_TIMEOUT);
    Ok(String::new())
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
    config: &Config,
    registry: Registry,
    mut wire: ServeOptions,
    stdout_lines: &LineQueue,
) -> Result<String, Failure> {
    let listener = serve::listen(config.bind);
    let listener = listener.map_err(|error| cannot(&format!("listen on {}", config.bind), &error, FREE_ADDRESS))?;
    let admin = config.admin_bind.map(serve::listen).transpose();
    let admin = admin.map_err(|error| cannot("listen on `admin-bind`", &error, FREE_ADDRESS))?;
    let address = listener.local_addr().map_err(|error| cannot("listen on `bind`", &error, FREE_ADDRESS))?;
    let scheme = if wire.tls.is_some() { "https" } else { "http" };
    let base = svc_core::contract::contracts::BASE_PATH;
    let mut told = format!("listening on {scheme}://{address}{base}  every answer is no\n");
    if let Some(admin) = &admin {
        let address = admin.local_addr().map_err(|error| cannot("listen on `admin-bind`", &error, FREE_ADDRESS))?;
        told += &format!("metrics on {scheme}://{address}/metrics\n");
    }
    if let Some(journal) = &wire.journal {
        let records = journal.checkpoint().size();
        told += &format!("journal of {records} records in {}\n", Safe(&journal.store().name()));
    }
    let stop =
        shutdown_signal().map_err(|error| cannot("listen for signals", &error, "raise the limits of the process"))?;
    stdout_lines.push(told.as_bytes());
    wire.admin = admin;
    let answered = serve::run(registry, listener, wire, stop).await;
    let answered = answered.map_err(|error| cannot("listen on `bind`", &error, FREE_ADDRESS))?;
    Ok(format!("stopped after {answered} answers, every one of them no or a document\n"))
}

fn read_config(matches: &ArgMatches) -> Result<Config, Failure> {
    let mut given = Given::default();
    if let Some(folder) = default_folder(|name| std::env::var_os(name)) {
        given.set("data-dir", folder.to_string_lossy().into_owned(), SettingOrigin::Default);
    }
    for setting in SETTINGS {
        if let Some(value) = text(matches, setting.name) {
            given.set(setting.name, value.to_owned(), SettingOrigin::Flag);
        }
        if let Some(value) = std::env::var_os(setting.variable) {
            let wrong = || {
                Failure::usage(
                    format!("{} must be text in UTF-8", setting.variable),
                    "correct the variable, or unset it",
                )
            };
            given.set(setting.name, value.into_string().map_err(|_| wrong())?, SettingOrigin::Environment);
        }
    }
    if let Some(path) = arguments::given_path(matches, "config") {
        let file = read_settings(&path)?;
        let label = Safe(&path.to_string_lossy()).to_string();
        given.add_file(&label, &file).map_err(|errors| unusable(&errors))?;
    }
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy();
        if let Some(close) = misspelt_variable(&name) {
            log::note("an environment variable that svc does not know", &format!("{name}: did you mean {close}?"));
        }
    }
    Config::read(given).map_err(|errors| unusable(&errors))
}

fn read_settings(path: &Path) -> Result<String, Failure> {
    let bytes = read_bounded(&Input::Path(path.to_owned()), MAX_SETTINGS_BYTES);
    let bytes = bytes.map_err(|error| Failure::reading(&path.to_string_lossy(), &error))?;
    let wrong = |_| Failure::usage(format!("{} must be text in UTF-8", path.display()), "save it as UTF-8");
    String::from_utf8(bytes).map_err(wrong)
}

/// Opens the journal before the socket: a service that cannot put its answers on record does not begin.
fn open_journal(config: &Config) -> Result<Option<Arc<Journal>>, Failure> {
    let origin = config.journal.origin();
    let open = |place: Location| place.write_named(&Joining::Remembering, origin);
    let opened = config.journal.location().and_then(|location| location.map(open).transpose());
    Ok(opened.map_err(|fault| Failure::journal(&fault))?.map(Arc::new))
}

fn setup(config: &Config) -> Result<Setup, Failure> {
    let tokens = match &config.tokens {
        Some(path) => {
            let what = format!("read the token file {}", path.display());
            let opened = TokenStore::open(path.clone());
            Some(opened.map_err(|error| cannot(&what, &error, "`svc token create` writes a token file"))?)
        }
        None => None,
    };
    if tokens.as_ref().is_some_and(|tokens| tokens.count() == 0) {
        return Err(Failure::usage(
            "the token file must hold at least one token, and holds none",
            "make one with `svc token create NAME --file FILE`",
        ));
    }
    Ok(Setup {
        tokens,
        live: config.live.clone(),
        commit: option_env!("SVC_COMMIT"),
        is_behind_proxy: config.behind_proxy,
        has_public_journal: config.journal.is_public(),
    })
}

/// All that cannot be used, in one line, and every way out.
fn unusable(errors: &[ConfigError]) -> Failure {
    let lines: Vec<&str> = errors.iter().map(|error| error.message.as_str()).collect();
    let helps: BTreeSet<&str> = errors.iter().map(|error| error.help.as_str()).collect();
    Failure::usage(lines.join("; "), helps.into_iter().collect::<Vec<_>>().join("; "))
}

fn cannot(what: &str, error: &io::Error, help: &str) -> Failure {
    let message = format!("cannot {what}: {error}");
    Failure { exit: ExitCode::InputOutput, message, help: Some(help.to_owned()) }
}
