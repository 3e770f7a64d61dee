//! `svc app submit`: hands a bundle over to a registry, checks what it answers, and keeps it. The answer is no.

mod failed;
mod submission_report;

use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Command};
use svc_cli::{
    arguments,
    failure::Failure,
    files::read::Input,
    output::{escape::Safe, format::Format, stream},
    public_keys, registry_client,
    scope::Why,
};
use svc_client::address::Address;
use svc_core::{
    closed::False,
    diagnostics::{ReportedGates, ScopePart},
    words::{exit_code::ExitCode, kind::ArtifactSpec, review_depth::ReviewDepth},
};
use svc_proof::public_key::PublicKeys;
use svc_verify::{
    hand_over::{Answered, Fate, HandOver, HandedOver, LogKeys},
    hosted::RetryPolicy,
};

use self::{
    failed::Submission,
    submission_report::{KeptLine, SubmissionReport},
};
use super::bundle_folder::{self, LookedAt};
use crate::{
    kept_answers::{CheckedAnswer, KeptAnswers},
    kept_claims,
    named::Named,
    output::show::CommandOutput,
};

pub(crate) fn command() -> Command {
    Command::new("submit")
        .about("Hand a bundle over to a registry, check its answers and keep them")
        .arg(arguments::path("bundle", "BUNDLE|DIR").help("The bundle, or a package with one [default: the current folder]"))
        .arg(
            Arg::new("registry")
                .long("registry")
                .value_name("URL")
                .required(true)
                .help("Where the registry is: https, or http on this machine"),
        )
        .arg(arguments::flag("again", "Send also what this registry has answered already"))
        .arg(public_keys::argument())
        .args(registry_client::arguments("preflight and read"))
        .after_help(
            "Nothing is published: a registry of this kind says no, and which gates are missing. Running it again sends only \
             what was not answered yet.\n\n\
             Example\n  svc app submit svc-registry --registry https://registry.example --token-file token.txt",
        )
}

pub(crate) fn run(matches: &ArgMatches, format: Format) -> Result<CommandOutput, Failure> {
    let given = arguments::given_path(matches, "bundle").unwrap_or_else(|| PathBuf::from("."));
    let folder = Named::resolve(Input::from_argument(given))?.bundle()?;
    if let Some(report) = kept_claims::stop(std::slice::from_ref(&folder))? {
        return Ok(CommandOutput::Report(report));
    }
    let bundle = bundle_folder::look_at(&folder)?;
    if !bundle.report.is_valid() {
        return Ok(CommandOutput::Report(bundle.report));
    }
    let address = arguments::text(matches, "registry").unwrap_or_default();
    let address = Address::parse(address).map_err(|error| Failure::usage(error.message, error.help))?;
    let kept = KeptAnswers::for_registry(&folder, &address).ok_or_else(no_name)?;
    let registry = address.shown();
    // Keys that are given count also for what was answered before.
    let given = match arguments::given_path(matches, "public-key") {
        Some(_) => Some(public_keys::given(matches, None)?),
        None => None,
    };
    let earlier = if given.is_none() { kept.keys()? } else { None };
    let keys = match (&given, &earlier) {
        (Some(keys), _) => LogKeys::Given(keys),
        (None, Some(keys)) => LogKeys::Earlier(keys),
        (None, None) => LogKeys::Served,
    };
    let is_again = arguments::is_set(matches, "again");
    let known = if is_again { Vec::new() } else { known(&kept, &bundle, given.as_ref())? };
    let is_known = |spec: &ArtifactSpec| known.iter().any(|answer| answer.spec.kind == spec.kind);
    let hand_over = HandOver::of(&bundle.files, |spec| !is_known(spec)).map_err(|error| bug(&error))?;
    let mut answers: Vec<KeptLine> = known.iter().map(KeptLine::known).collect();
    let mut checked_with = if known.is_empty() { keys.note() } else { kept_note(keys) };
    if hand_over.kinds().next().is_some() {
        kept.require_writable()?;
        let client = registry_client::connect(address, matches)?;
        let is_shown = format == Format::Human && !arguments::is_set(matches, "quiet");
        let mut tell = |answered: &Answered| {
            if is_shown {
                stream::status(&progress(answered));
            }
        };
        let handed = hand_over.send(&client, &registry, RetryPolicy::default(), keys, &mut tell);
        let (lines, failed) = keep(&kept, &handed);
        if let Some(failure) = failed {
            return Err(not_kept(failure, &registry, lines.len(), &handed));
        }
        answers.extend(lines);
        let submission = Submission {
            registry: &registry,
            bundle: &folder,
            keys,
            has_authority: arguments::given_path(matches, "ca-certificate").is_some(),
            kept: answers.len(),
            of: hand_over.kinds().count() + known.len(),
        };
        if let Some(failure) = submission.failure(&handed) {
            return Err(failure);
        }
        checked_with = handed.verification.log.map_or(checked_with, |log| log.note);
    }
    answers.sort_by_key(|line| line.order);
    let receipts = answers.iter().filter(|line| line.record.is_some()).count();
    let note = format!("{receipts} receipts; {checked_with}");
    Ok(result(bundle, &folder, (&kept, registry), (answers, note), given.is_some()))
}

/// What this registry has answered to these very payloads. An answer to an older bundle counts as none.
fn known(kept: &KeptAnswers, bundle: &LookedAt, given: Option<&PublicKeys>) -> Result<Vec<CheckedAnswer>, Failure> {
    let mut known = kept.checked(&bundle.files, given.map_or(&[], std::slice::from_ref))?;
    for answer in known.iter().filter(|answer| !answer.faults.is_empty()) {
        let file = kept.file(answer.spec);
        stream::status(&format!("asked again, as what was kept does not hold: {}\n", Safe(&file.to_string_lossy())));
    }
    known.retain(|answer| answer.faults.is_empty());
    Ok(known)
}

/// Keeps what was answered. What came before a registry became unreachable stays true; one that lies has answered nothing.
fn keep(kept: &KeptAnswers, handed: &HandedOver) -> (Vec<KeptLine>, Option<Failure>) {
    let exit = handed.verification.exit_code();
    if !handed.is_only_cut_short() && !matches!(exit, ExitCode::Valid | ExitCode::Registry) {
        return (Vec::new(), None);
    }
    let mut lines = Vec::new();
    for answered in handed.answers.iter().filter(|answered| is_valid(answered)) {
        if let Some((200, body)) = &answered.reply {
            let keys = handed.keys.as_ref().map_or(Ok(()), |keys| kept.keep_keys(keys, &handed.notes));
            if let Err(failure) = keys.and_then(|()| kept.keep(answered.spec, body)) {
                return (lines, Some(failure));
            }
            lines.push(KeptLine::new(answered.spec, body, false));
        }
    }
    (lines, None)
}

/// What was answered and could not be kept: it is on record there, and nothing shows it here.
fn not_kept(failure: Failure, registry: &str, kept: usize, handed: &HandedOver) -> Failure {
    let answered = handed.answers.iter().filter(|answered| is_valid(answered) && answered.reply.is_some()).count();
    let message =
        format!("{}; {registry} answered {answered} artifacts, and {kept} of the answers are kept", failure.message);
    let help = "make room for the answers, then run the command again: what is not kept is sent again";
    Failure { message, help: Some(help.to_owned()), ..failure }
}

/// Of answers that were kept before: the registry was not asked about them now.
fn kept_note(keys: LogKeys<'_>) -> String {
    match keys {
        LogKeys::Served => "kept without a key of the log: whether one is served was not asked".to_owned(),
        LogKeys::Given(_) | LogKeys::Earlier(_) => keys.note(),
    }
}

fn is_valid(answered: &Answered) -> bool {
    !answered.check.breaks(svc_core::verification::Level::Contract)
}

fn result(
    bundle: LookedAt,
    folder: &Path,
    (kept, registry): (&KeptAnswers, String),
    (answers, note): (Vec<KeptLine>, String),
    are_keys_given: bool,
) -> CommandOutput {
    let mut scope = bundle.report.scope.clone();
    let all = KeptAnswers::all(folder).unwrap_or_default();
    let has_foreign = all.iter().any(|one| one.foreign().map_or(true, |foreign| !foreign.is_empty()));
    if has_foreign {
        scope.skip(ScopePart::KeptAnswers, Why::OtherAnswers);
    } else if all.len() <= 1 {
        scope.check(ScopePart::KeptAnswers);
    } else {
        scope.skip(ScopePart::KeptAnswers, Why::JustThis);
    }
    if answers.iter().all(|line| line.before) {
        scope.skip(ScopePart::Answer, Why::AnsweredBefore);
    }
    if answers.iter().all(|line| line.record.is_some()) {
        scope.check(ScopePart::Receipt);
    } else {
        scope.skip(ScopePart::Receipt, Why::NoReceipt);
    }
    if are_keys_given {
        scope.check(ScopePart::LogKey);
    } else if answers.iter().any(|line| line.record.is_some()) {
        scope.skip(ScopePart::LogKey, Why::KeysOfTheRegistry);
    }
    let handed = SubmissionReport {
        accepted: False,
        answers,
        installable: False,
        kept: kept.folder().to_string_lossy().into_owned(),
        missing_gates: ReportedGates::Evidenced.missing(),
        note,
        registry,
        reviewed: bundle.report.reviewed().unwrap_or(ReviewDepth::WithoutFacts),
        scope: scope.to_report(),
        signed: False,
    };
    let human = handed.in_words(&folder.to_string_lossy()) + &scope.in_lines();
    CommandOutput::InFull { human, json: handed.to_json() }
}

/// What became of one artifact, as it happened.
fn progress(answered: &Answered) -> String {
    let file = answered.spec.file;
    match answered.fate {
        Fate::Answered(_) if is_valid(answered) => format!("answered  {file}\n"),
        Fate::Unanswered => format!("no answer {file}\n"),
        // What is wrong with an answer, or why nothing was sent, is said once, at the end.
        Fate::Answered(_) | Fate::NotSent => String::new(),
    }
}

fn no_name() -> Failure {
    Failure::usage("the bundle must lie in a folder with a name, to keep the answers next to it", "give its path")
}

fn bug(message: &str) -> Failure {
    Failure { exit: ExitCode::Bug, message: message.to_owned(), help: Some("report this as a bug of svc".to_owned()) }
}
