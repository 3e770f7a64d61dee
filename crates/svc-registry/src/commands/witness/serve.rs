//! `svc-registry witness serve`: takes states of logs and cosigns them (C2SP tlog-witness).

use std::{io, net::SocketAddr, time::Duration};

use clap::{Arg, ArgMatches, Command, value_parser};
use svc_cli::{
    arguments::{self, given_path},
    failure::Failure,
    output::{escape::Safe, stream},
    policy_file,
};
use svc_core::words::exit_code::ExitCode;
use svc_journal::witness::Witness;
use svc_server::{
    http::{descriptors, serve, witness},
    log,
};

use super::witness_folder::{refused, state_argument};
use crate::commands::shutdown::shutdown_signal;

const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);

pub(super) fn command() -> Command {
    Command::new("serve")
        .about("Take the states of logs at /add-checkpoint, and cosign those that have grown from what was seen before")
        .arg(state_argument())
        .arg(
            arguments::path("key", "FILE")
                .long("key")
                .help("The secret key of the witness [default: witness.key in the folder]"),
        )
        .arg(arguments::path("logs", "FILE").long("logs").required(true).help(
            "A C2SP tlog-policy whose `log` lines are the logs to witness; `quorum none` where it is for nothing else",
        ))
        .arg(
            Arg::new("listen")
                .long("listen")
                .value_name("ADDRESS:PORT")
                .default_value("127.0.0.1:8791")
                .value_parser(value_parser!(SocketAddr))
                .help("The IP address and port to listen on; TLS is spoken by a proxy in front"),
        )
        .after_help(
            "Example\n  svc-registry witness serve --state ./witness --logs logs.policy --listen 127.0.0.1:8791",
        )
}

pub(super) fn run(arguments: &ArgMatches) -> Result<String, Failure> {
    let folder = given_path(arguments, "state").unwrap_or_default();
    let logs = policy_file::read(&given_path(arguments, "logs").unwrap_or_default())?;
    if logs.logs().is_empty() {
        return Err(Failure::usage(
            "the file of --logs must have at least one `log` line, and has none",
            "add a line `log KEY` with the public key that the log's operator publishes",
        ));
    }
    let elsewhere = given_path(arguments, "key");
    let key = Witness::key(&folder, elsewhere.as_deref()).map_err(|fault| refused(&fault))?;
    let witness = Witness::open(key, logs.logs(), &folder).map_err(|fault| refused(&fault))?;
    let mut told = format!("witness {}\n", witness.public_key());
    for (origin, size) in witness.sizes().map_err(|fault| refused(&fault))? {
        told += &format!("log {} seen up to {size} records\n", Safe(&origin));
    }
    let address: SocketAddr = arguments.get_one("listen").copied().unwrap_or(([127, 0, 0, 1], 8791).into());
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| cannot("start threads", &error))?;
    descriptors::raise();
    log::start().map_err(|error| cannot("start threads", &error))?;
    runtime.block_on(async {
        let listener = serve::listen(address).map_err(|error| cannot(&format!("listen on {address}"), &error))?;
        let bound = listener.local_addr().map_err(|error| cannot("listen", &error))?;
        let stop = shutdown_signal().map_err(|error| cannot("listen for signals", &error))?;
        outlive_hangups().map_err(|error| cannot("listen for signals", &error))?;
        stream::result(format!("{told}listening on http://{bound}/add-checkpoint\n").as_bytes())?;
        witness::run(witness, listener, stop).await;
        Ok::<(), Failure>(())
    })?;
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
    log::flush(SHUTDOWN_TIMEOUT);
    Ok("stopped\n".to_owned())
}

/// A witness has no settings to read again, and does not end because somebody asks it to.
#[cfg(unix)]
fn outlive_hangups() -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};

    signal(SignalKind::hangup()).map(drop)
}

#[cfg(not(unix))]
fn outlive_hangups() -> io::Result<()> {
    Ok(())
}

fn cannot(what: &str, error: &io::Error) -> Failure {
    let help =
        "give an address of this machine and a free port, and raise the limits of the process where it names them";
    Failure { exit: ExitCode::InputOutput, message: format!("cannot {what}: {error}"), help: Some(help.to_owned()) }
}
