//! `svc log check-evidence`: what a folder of evidence against a log proves, offline, to somebody who was not there.

use clap::{ArgMatches, Command};
use serde::Serialize;
use svc_cli::{
    arguments::{self, given_path, is_set},
    failure::Failure,
    output::{escape::Safe, format::Format, stream},
    public_keys,
    scope::{Scope, Why},
};
use svc_core::{
    diagnostics::{RunScope, ScopePart},
    words::exit_code::ExitCode,
};
use svc_json::printable;
use svc_proof::evidence::{EvidenceKind, EvidenceWeight};

use super::evidence_folder;
use crate::output::show::CommandOutput;

pub(super) fn command() -> Command {
    Command::new("check-evidence")
        .about("Check, offline, what a folder of evidence against a log proves")
        .arg(
            arguments::path("folder", "FOLDER")
                .required(true)
                .help("A folder that `svc log watch` or `svc log mirror` wrote below `evidence`"),
        )
        .arg(public_keys::argument().required(true))
        .after_help(
            "Exit code 0: the log's own signatures prove it. Exit code 1: what is signed is signed, and the rest is the word of whoever \
             wrote it down. Exit code 4: it proves nothing, or was changed.\n\n\
             Example\n  svc log check-evidence watched/evidence/0001-log-forked-states --public-key journal.pub",
        )
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct EvidenceVerdict<'a> {
    claimed: &'a str,
    finding: EvidenceKind,
    origin: &'a str,
    proven: &'a str,
    scope: RunScope<'static>,
    weight: EvidenceWeight,
}

pub(super) fn run(arguments: &ArgMatches, format: Format) -> Result<CommandOutput, Failure> {
    let keys = public_keys::given(arguments, None)?;
    let folder = given_path(arguments, "folder").unwrap_or_default();
    let (evidence, about) = evidence_folder::read(&folder)?;
    let weight = evidence.weigh(&keys).map_err(|fault| Failure {
        exit: ExitCode::Digest,
        message: format!("{}: {fault}", folder.display()),
        help: Some("check that the key is the log's; the folder may have been changed, or be made up".to_owned()),
    })?;
    let kind = evidence.kind;
    let scope = Scope::of_log([
        (ScopePart::Evidence, None),
        (ScopePart::LogKey, None),
        (ScopePart::Records, Some(Why::LeftToLogVerify)),
        (ScopePart::OtherFiles, Some(Why::NoPartOfIt)),
    ]);
    let verdict = EvidenceVerdict {
        claimed: kind.claimed(),
        finding: kind,
        origin: keys.origin(),
        proven: kind.proven(),
        scope: scope.to_report(),
        weight,
    };
    let text = match format {
        Format::Json => printable::pretty(&verdict),
        Format::Human | Format::Concise | Format::Sarif | Format::Junit | Format::Github => {
            let (word, rest) = match weight {
                EvidenceWeight::Proven => ("genuine", "the log's own signatures show it"),
                EvidenceWeight::Claimed => ("signed, not proven", "the rest is the word of whoever wrote it down"),
            };
            format!(
                "{word}: {} ({}), {rest}\nproven: {}\nclaimed: {}\ntold: {} at {}\n{}",
                kind.what(),
                kind.code(),
                kind.proven(),
                kind.claimed(),
                Safe(&about.fault),
                Safe(&about.time),
                scope.in_lines(),
            )
            .into_bytes()
        }
    };
    if format == Format::Json || !is_set(arguments, "quiet") {
        stream::result(&text)?;
    }
    Ok(CommandOutput::Ended(match weight {
        EvidenceWeight::Proven => ExitCode::Valid,
        EvidenceWeight::Claimed => ExitCode::Findings,
    }))
}
