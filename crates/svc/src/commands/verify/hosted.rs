//! `svc verify hosted`: posts a bundle's payloads, and attacks on them, to a running registry.

use std::path::Path;

use clap::{Arg, ArgMatches, Command};
use svc_cli::{
    arguments,
    failure::Failure,
    files::{
        document::read_document,
        read::{Input, ReadError},
    },
    output::{escape::Safe, stream},
    policy_file, public_keys, registry_client,
};
use svc_client::address::Address;
use svc_core::words::rule_code::RuleCode;
use svc_core::{
    bundle::{self, Files},
    findings::Findings,
    verification::{Level, Mode},
    words::{exit_code::ExitCode, kind},
};
use svc_proof::policy::Policy;
use svc_verify::{
    hosted::{GroupProgress, Plan, RetryPolicy},
    order::Order,
};

use super::criteria;
use crate::{
    output::show::CommandOutput,
    report::{ReportedDocument, RunReport},
};
use svc_cli::rules::rules;

pub(super) fn command() -> Command {
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
        .arg(
            Arg::new("level")
                .long("level")
                .value_name("LEVEL")
                .value_parser(Level::WORDS.to_vec())
                .default_value(Level::Closed.as_str())
                .help("How much must hold: closed (any registry), contract (another one of this contract), build (this svc)"),
        )
        .arg(arguments::flag(
            "unmarked",
            "Do not mark the requests as probes: they look like curl's, in a random order and under random names, and the registry counts and lists them like anybody's",
        ))
        .arg(public_keys::argument())
        .arg(policy_file::argument())
        .args(registry_client::arguments("preflight and read, and probe to be left out of counts"))
        .after_help(
            "Examples\n  svc verify hosted https://registry.example --artifact-dir svc-registry\n  \
             svc verify hosted https://registry.example --artifact-dir svc-registry --level build --public-key journal.pub",
        )
}

pub(super) fn run(arguments: &ArgMatches, tell: bool) -> Result<CommandOutput, Failure> {
    let given = arguments::text(arguments, "address").unwrap_or_default();
    let address = Address::parse(given).map_err(|error| Failure::usage(error.message, error.help))?;
    let folder = arguments::given_path(arguments, "artifact-dir").unwrap_or_default();
    if tell {
        criteria::print(Mode::Hosted);
    }
    let files = read_payloads(&folder)?;
    let faults = faults_of(&files);
    if !faults.is_empty() {
        return Ok(CommandOutput::Report(refused(&folder, &files, faults)));
    }
    let level = arguments::text(arguments, "level").and_then(Level::parse).unwrap_or(Level::Closed);
    let policy = policy_file::given(arguments)?;
    let keys = match arguments::given_path(arguments, "public-key") {
        Some(_) => Some(public_keys::given(arguments, None)?),
        None => policy.as_ref().and_then(Policy::only_log_keys),
    };
    let is_unmarked = arguments::is_set(arguments, "unmarked");
    let plan = if is_unmarked {
        Order::any().and_then(|order| Plan::make_unmarked(files, level, order))
    } else {
        Plan::make(files, level)
    };
    let plan = plan.map_err(|error| criteria::bug(&error))?.with_policy(policy);
    let shown = address.shown();
    let client = registry_client::connect(address, arguments)?;
    let client = if is_unmarked { client.as_ordinary() } else { client.as_probe() };
    let client = client.map_err(|error| criteria::bug(&error))?;
    let mut told = |progress: GroupProgress<'_>| {
        if tell {
            stream::status(&progress_line(progress));
        }
    };
    let verified = plan.verify(&client, &shown, RetryPolicy::default(), keys.as_ref(), &mut told);
    Ok(CommandOutput::Verification(Box::new(verified)))
}

/// The payloads that are there, and the submission behind them when it is.
fn read_payloads(folder: &Path) -> Result<Files, Failure> {
    if !folder.is_dir() {
        let message = format!("{}: no such folder", folder.to_string_lossy());
        let help = Some("give the folder that `svc app preflight` wrote".to_owned());
        return Err(Failure { exit: ExitCode::InputOutput, message, help });
    }
    let mut files = Files::new();
    for spec in kind::ALL {
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

type Faults = Vec<(&'static kind::ArtifactSpec, Findings)>;

/// What is wrong with the payloads by themselves; with the submission beside them, also along the chain.
fn faults_of(files: &Files) -> Faults {
    let mut faults = Faults::new();
    for spec in kind::ALL.iter().filter(|spec| spec.endpoint.is_some()) {
        let missing = || Findings::from(rules().finding(RuleCode::B011, format!("`{}` is missing", spec.file)));
        let found = files
            .get(spec.file)
            .map_or_else(|| Err(missing()), |bytes| svc_core::read::verify(rules(), spec.artifact, bytes).map(|_| ()));
        faults.extend(found.err().map(|findings| (*spec, findings)));
    }
    if faults.is_empty() && files.contains_key(kind::SUBMISSION.file) {
        faults.extend(bundle::verify(rules(), files).err().map(|broken| broken.findings).unwrap_or_default());
    }
    faults
}

fn refused(folder: &Path, files: &Files, faults: Faults) -> RunReport {
    let mut report = RunReport::default();
    for (spec, findings) in faults {
        let label = folder.join(spec.file).to_string_lossy().into_owned();
        report.documents.push(ReportedDocument::new(
            label,
            files.get(spec.file).cloned().unwrap_or_default(),
            findings,
        ));
    }
    report
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
