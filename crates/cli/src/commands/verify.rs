//! `svc verify`: whether the project and a registry are closed as declared.

use std::{fs, io, path::Path};

use clap::{Arg, ArgMatches, Command};
use svc_core::{
    artifact::{submission, table},
    bundle::{self, Files},
    exit_code::ExitCode,
    finding::Finding,
    rules::artifacts,
    verification::Mode,
};
use svc_verify::{
    check::{self, Verification},
    client::{Address, BearerToken, Client, Timeouts},
    hosted::{GroupProgress, Plan, RetryPolicy},
    local::{self, Contracts},
};

use crate::{
    arguments,
    failure::Failure,
    files::{
        document::read_document,
        read::{Input, ReadError, read_bounded},
    },
    output::{
        escape::Safe,
        format::{self, Format, Target},
        show::{self, Done, Manner},
        stream,
    },
    report::{Document, Report},
};

/// Where a token may be given.
const TOKEN: &str = "SVC_TOKEN";

/// The most that is read of a token or certificate file, and of a committed contract.
const SECRET_BYTES: u64 = 4 * 1024;
const CERTIFICATE_BYTES: u64 = 1024 * 1024;
const CONTRACT_BYTES: u64 = 16 * 1024 * 1024;

/// The command's part of the command line.
pub(crate) fn command() -> Command {
    Command::new("verify")
        .about("Verify that the contracts, the routes or a running registry are closed as declared")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            Command::new("local")
                .about("Before a deployment: the committed contracts, and the six routes of this build in-process")
                .arg(
                    arguments::path("contracts", "DIR")
                        .long("contracts")
                        .help("The folder of the committed contracts [default: contracts]"),
                ),
        )
        .subcommand(
            Command::new("hosted")
                .about("After a deployment: post the payloads of a bundle, and attacks on them, to a running registry")
                .arg(
                    Arg::new("address")
                        .value_name("BASE_URL")
                        .required(true)
                        .help("Where the registry is: https, or http on this machine"),
                )
                .arg(
                    arguments::path("artifact-dir", "DIR")
                        .long("artifact-dir")
                        .required(true)
                        .help("The folder with the payloads that svc wrote"),
                )
                .args(client_arguments("preflight and read"))
                .after_help("Example\n  svc verify hosted https://registry.example --artifact-dir svc-registry"),
        )
}

/// Runs the command.
pub(crate) fn run(matches: &ArgMatches, targets: &[Target], manner: Manner) -> Result<Done, Failure> {
    if targets.iter().any(|target| target.format == Format::Sarif) {
        return Err(Failure::usage(show::NO_SARIF, "use human, concise, json, junit or github"));
    }
    let tell = format::of_terminal(targets) == Format::Human && !manner.quiet;
    match matches.subcommand() {
        Some(("hosted", arguments)) => run_hosted(arguments, tell),
        Some((_, arguments)) => {
            run_local(arguments, tell).map(|verification| Done::Verification(Box::new(verification)))
        }
        None => Err(Failure::usage("verify what?", "svc verify local, or svc verify hosted")),
    }
}

fn run_local(arguments: &ArgMatches, tell: bool) -> Result<Verification, Failure> {
    let folder = arguments::given_path(arguments, "contracts").unwrap_or_else(|| "contracts".into());
    let mut contracts = Contracts::new();
    read_contracts(&folder, "", &mut contracts)?;
    if tell {
        tell_criteria(Mode::Local);
    }
    local::verify(&contracts, &folder.to_string_lossy()).map_err(|error| bug(&error))
}

/// Everything in the folder but its README, and in the folder of the schemas.
fn read_contracts(folder: &Path, below: &str, contracts: &mut Contracts) -> Result<(), Failure> {
    let failed = |error: &io::Error| Failure {
        exit: ExitCode::InputOutput,
        message: format!("{}: {error}", folder.to_string_lossy()),
        help: Some("run it at the root of a checkout, or give --contracts DIR".to_owned()),
    };
    for entry in fs::read_dir(folder).map_err(|error| failed(&error))? {
        let entry = entry.map_err(|error| failed(&error))?;
        let name = format!("{below}{}", entry.file_name().to_string_lossy());
        let path = entry.path();
        if path.is_dir() && name == "schemas" {
            read_contracts(&path, "schemas/", contracts)?;
        } else if path.is_dir() {
            contracts.insert(name + "/", Vec::new());
        } else if name != "README.md" {
            let bytes = read_document(&Input::Path(path.clone()), CONTRACT_BYTES);
            contracts.insert(name, bytes.map_err(|error| Failure::reading(&path.to_string_lossy(), &error))?);
        }
    }
    Ok(())
}

fn run_hosted(arguments: &ArgMatches, tell: bool) -> Result<Done, Failure> {
    let given = arguments::text(arguments, "address").unwrap_or_default();
    let address = Address::parse(given).map_err(|error| Failure::usage(error.message, error.help))?;
    let folder = arguments::given_path(arguments, "artifact-dir").unwrap_or_default();
    if tell {
        tell_criteria(Mode::Hosted);
    }
    let files = read_payloads(&folder)?;
    let faults = faults_of(&files);
    if !faults.is_empty() {
        return Ok(Done::Report(refused(&folder, &files, faults)));
    }
    let plan = Plan::make(files).map_err(|error| bug(&error))?;
    let shown = address.shown();
    let client = client(address, arguments)?;
    let mut told = |progress: GroupProgress<'_>| {
        if tell {
            stream::status(&progress_line(progress));
        }
    };
    Ok(Done::Verification(Box::new(plan.verify(&client, &shown, RetryPolicy::default(), &mut told))))
}

/// How a registry is reached: the token, and whom to believe.
pub(crate) fn client_arguments(scopes: &str) -> [Arg; 2] {
    let token = format!("A file with the token, which needs the scope {scopes} [env: SVC_TOKEN]");
    [
        arguments::path("token-file", "FILE").long("token-file").help(token),
        arguments::path("ca-certificate", "FILE")
            .long("ca-certificate")
            .help("Certificates in PEM to believe beside those of the system"),
    ]
}

/// A client of the registry at an address.
pub(crate) fn client(address: Address, arguments: &ArgMatches) -> Result<Client, Failure> {
    let token = given_token(arguments)?;
    let authority = match arguments::given_path(arguments, "ca-certificate") {
        Some(path) => Some(read(&path, CERTIFICATE_BYTES)?),
        None => None,
    };
    Client::new(address, token, authority.as_deref(), Timeouts::default())
        .map_err(|error| Failure::usage(error, "give the certificates of the registry by --ca-certificate"))
}

fn given_token(arguments: &ArgMatches) -> Result<Option<BearerToken>, Failure> {
    let text = match arguments::given_path(arguments, "token-file") {
        Some(path) => String::from_utf8_lossy(&read(&path, SECRET_BYTES)?).into_owned(),
        None => match std::env::var_os(TOKEN) {
            Some(text) if !text.is_empty() => text.to_string_lossy().into_owned(),
            Some(_) | None => return Ok(None),
        },
    };
    let wrong = || Failure::usage("the token cannot be used", "give one line, as `svc token create` prints it");
    BearerToken::parse(&text).map(Some).ok_or_else(wrong)
}

fn read(path: &Path, most: u64) -> Result<Vec<u8>, Failure> {
    let bytes = read_bounded(&Input::Path(path.to_owned()), most);
    bytes.map_err(|error| Failure::reading(&path.to_string_lossy(), &error))
}

/// The payloads that are there, and the submission behind them when it is.
fn read_payloads(folder: &Path) -> Result<Files, Failure> {
    if !folder.is_dir() {
        let message = format!("{}: no such folder", folder.to_string_lossy());
        let help = Some("give the folder that `svc app preflight` wrote".to_owned());
        return Err(Failure { exit: ExitCode::InputOutput, message, help });
    }
    let mut files = Files::new();
    for spec in table::ALL {
        let path = folder.join(spec.file);
        match read_document(&Input::Path(path.clone()), spec.most_bytes as u64) {
            Ok(bytes) => {
                files.insert(spec.file, bytes);
            }
            Err(ReadError::NotFound) => {}
            Err(error) => return Err(Failure::reading(&path.to_string_lossy(), &error)),
        }
    }
    Ok(files)
}

type Faults = Vec<(&'static table::ArtifactSpec, Vec<Finding>)>;

/// What is wrong with the payloads by themselves; with the submission beside them, also along the chain.
fn faults_of(files: &Files) -> Faults {
    let mut faults = Faults::new();
    for spec in table::ALL.iter().filter(|spec| spec.endpoint.is_some()) {
        let missing = || vec![Finding::new(&artifacts::B011, format!("`{}` is missing", spec.file))];
        let found = files.get(spec.file).map_or_else(|| Err(missing()), |bytes| (spec.verify)(bytes).map(|_| ()));
        faults.extend(found.err().map(|findings| (*spec, findings)));
    }
    if faults.is_empty() && files.contains_key(submission::SPEC.file) {
        faults.extend(bundle::verify(files).err().map(|broken| broken.findings).unwrap_or_default());
    }
    faults
}

fn refused(folder: &Path, files: &Files, faults: Faults) -> Report {
    let mut report = Report::default();
    for (spec, findings) in faults {
        let label = folder.join(spec.file).to_string_lossy().into_owned();
        report.documents.push(Document::new(label, files.get(spec.file).cloned().unwrap_or_default(), findings));
    }
    report
}

fn tell_criteria(mode: Mode) {
    let lines: String = check::criteria(mode).iter().map(|line| format!("  - {line}\n")).collect();
    stream::status(&format!("What must hold\n{lines}\n"));
}

fn progress_line(progress: GroupProgress<'_>) -> String {
    let GroupProgress { number, of, area, checks, failed, not_run } = progress;
    let end = match (failed, not_run) {
        (0, 0) => "as declared".to_owned(),
        (failed, 0) => format!("{failed} NOT as declared"),
        (0, not_run) => format!("{not_run} not run"),
        (failed, not_run) => format!("{failed} NOT as declared, {not_run} not run"),
    };
    format!("{number}/{of}  {}  {checks} checks, {end}\n", Safe(area))
}

fn bug(message: &str) -> Failure {
    let help = Some("do not rely on this build; report it".to_owned());
    Failure { exit: ExitCode::Bug, message: message.to_owned(), help }
}
