//! `svc app submit`: hands a bundle over to a registry, checks what it answers, and keeps it. The answer is no.

use std::{fmt::Write as _, path::PathBuf};

use clap::{Arg, ArgMatches, Command};
use serde::{Deserialize, Serialize};
use svc_core::{
    bundle::Files,
    closed::False,
    diagnostics::{RunScope, ScopePart},
    gates::{Evidenced, GateStatuses},
    verification::FaultCode,
    words::{
        exit_code::ExitCode,
        gate::Gate,
        kind::{self, ArtifactSpec},
        review_depth::ReviewDepth,
    },
};
use svc_journal::key::PublicKeys;
use svc_json::printable;
use svc_verify::{
    check::Verification,
    client::Address,
    hand_over::{Answered, Fate, HandOver, Stop},
    hosted::RetryPolicy,
};

use super::bundle_folder;
use crate::{
    arguments,
    failure::Failure,
    files::read::Input,
    kept_answers::{CheckedAnswer, KeptAnswers},
    named::Named,
    output::{
        escape::{Safe, shell_word},
        format::Format,
        show::CommandOutput,
        stream,
    },
    public_keys, registry_client,
    report::{ArtifactLine, RunReport},
};

pub(crate) fn command() -> Command {
    Command::new("submit")
        .about("Hand a bundle over to a registry, check its answers, and keep them beside the bundle")
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
    let folder = Named::of(Input::from_argument(given))?.bundle()?;
    let checked = bundle_folder::look_at(&folder)?;
    if !checked.report.is_valid() {
        return Ok(CommandOutput::Report(checked.report));
    }
    let address = arguments::text(matches, "registry").unwrap_or_default();
    let address = Address::parse(address).map_err(|error| Failure::usage(error.message, error.help))?;
    let kept = KeptAnswers::of(&folder, &address).ok_or_else(no_name)?;
    let submission = Submitting { files: &checked.files, target: address.shown(), kept: &kept };
    // Whoever gives a key wants it held to, also by what was answered before.
    let given = match arguments::given_path(matches, "public-key") {
        Some(_) => Some(public_keys::given(matches, None)?),
        None => None,
    };
    let known = if arguments::is_set(matches, "again") { Vec::new() } else { submission.known(given.as_ref())? };
    let is_known = |spec: &ArtifactSpec| known.iter().any(|answer| answer.spec.kind == spec.kind);
    let hand_over = HandOver::of(submission.files, |spec| !is_known(spec)).map_err(|error| bug(&error))?;
    let mut answers: Vec<KeptLine> = known.iter().map(KeptLine::known).collect();
    let mut note = None;
    if hand_over.kinds().next().is_some() {
        let keys = match given {
            Some(keys) => Some(keys),
            None => kept.keys()?,
        };
        let client = registry_client::connect(address, matches)?;
        let mut tell = |answered: &Answered| {
            if format == Format::Human && !arguments::is_set(matches, "quiet") {
                stream::status(&told(answered));
            }
        };
        let handed = hand_over.send(&client, &submission.target, RetryPolicy::default(), keys.as_ref(), &mut tell);
        let exit = handed.verification.exit_code();
        // What a registry answered before it became unreachable stays true. One that lies has answered nothing.
        let is_lost = handed.stop.is_some() && handed.verification.counting().all(|(_, fault)| is_silence(fault.code));
        if !is_lost && !matches!(exit, ExitCode::Valid | ExitCode::Registry) {
            return Ok(CommandOutput::Verification(Box::new(handed.verification)));
        }
        let holds = |answered: &&Answered| !answered.check.breaks(handed.verification.demanded);
        for answered in handed.answers.iter().filter(holds) {
            if let Some((200, body)) = &answered.reply {
                handed.keys.as_ref().map_or(Ok(()), |keys| kept.keep_keys(keys))?;
                kept.keep(answered.spec, body)?;
                answers.push(KeptLine::of(answered.spec, body, false));
            }
        }
        if let Some(stop) = handed.stop.filter(|_| is_lost) {
            return Err(stopped(&stop, &submission.target, answers.len(), hand_over.kinds().count() + known.len()));
        }
        if exit != ExitCode::Valid {
            return Ok(CommandOutput::Verification(Box::new(handed.verification)));
        }
        note = Some(log_note(&handed.verification));
    }
    answers.sort_by_key(|line| line.order);
    let mut scope = checked.report.scope.clone();
    scope.check(ScopePart::KeptAnswers);
    let handed = HandedOverReport {
        accepted: False,
        answers,
        installable: False,
        kept: kept.folder().to_string_lossy().into_owned(),
        note,
        registry: submission.target,
        reviewed: checked.report.reviewed().unwrap_or(ReviewDepth::WithoutFacts),
        scope: scope.to_report(),
        signed: False,
    };
    let answered = kind::ALL.iter().filter(|spec| handed.answers.iter().any(|line| line.order == spec.make.order));
    let lines = answered.map(|spec| ArtifactLine::answer(kept.file(spec).to_string_lossy().into_owned()));
    let report = RunReport { artifacts: lines.collect(), scope, ..checked.report };
    match format {
        Format::Json => {
            Ok(CommandOutput::Told(report, String::from_utf8_lossy(&printable::pretty(&handed)).into_owned()))
        }
        Format::Human => Ok(CommandOutput::Told(report, in_words(&handed, &folder.to_string_lossy()))),
        Format::Concise | Format::Sarif | Format::Junit | Format::Github => Ok(CommandOutput::Report(report)),
    }
}

/// Whether a fault says only that no answer came, or that none is given without a token.
fn is_silence(code: FaultCode) -> bool {
    matches!(code, FaultCode::Unreachable | FaultCode::NoAnswer | FaultCode::NoEntry)
}

/// What became of one artifact, as it happened.
fn told(answered: &Answered) -> String {
    let file = answered.spec.file;
    match answered.fate {
        Fate::Answered(200) => format!("answered  {file}\n"),
        Fate::Answered(status) => format!("refused   {file}  status {status}\n"),
        Fate::Unanswered => format!("no answer {file}\n"),
        // Why is said once, at the end.
        Fate::NotSent => String::new(),
    }
}

/// Why a submission ended early: one line, and what to do.
fn stopped(stop: &Stop, registry: &str, answered: usize, all: usize) -> Failure {
    let (exit, why, help) = match stop {
        Stop::Unreachable(why) => {
            (ExitCode::Registry, format!("cannot be reached: {why}"), "check the address, and that the registry runs")
        }
        Stop::Untrusted(why) => (
            ExitCode::Registry,
            format!("has a certificate that this machine does not trust: {why}"),
            "give --ca-certificate FILE with the certificate of its issuer, in PEM",
        ),
        Stop::Handshake(why) => (
            ExitCode::Registry,
            format!("does not complete a TLS handshake: {why}"),
            "check the address and the port: is it https there?",
        ),
        Stop::NoAnswer(why) => (
            ExitCode::Registry,
            format!("does not answer: {why}"),
            "try again later; what was answered is kept, and only the rest is sent",
        ),
        Stop::TokenMissing => (
            ExitCode::Usage,
            "requires a token, and none was given".to_owned(),
            "give --token-file FILE, or set SVC_TOKEN; its operator makes one with `svc token create`",
        ),
        Stop::TokenRefused(status) => (
            ExitCode::Usage,
            format!("does not take the token (status {status})"),
            "ask its operator for a token with the scopes preflight and read that has not expired",
        ),
    };
    let kept = match answered {
        0 => "no artifact was answered".to_owned(),
        _ => format!("{answered} of {all} artifacts are answered and kept"),
    };
    Failure { exit, message: format!("{registry} {why}; {kept}"), help: Some(help.to_owned()) }
}

/// A bundle on its way to a registry.
struct Submitting<'a> {
    files: &'a Files,
    target: String,
    kept: &'a KeptAnswers,
}

impl Submitting<'_> {
    /// What this registry has answered to these very payloads. An answer to an older bundle counts as none.
    fn known(&self, given: Option<&PublicKeys>) -> Result<Vec<CheckedAnswer>, Failure> {
        let mut known = self.kept.checked(self.files, given)?;
        known.retain(|answer| answer.faults.is_empty());
        Ok(known)
    }
}

/// What came of it, for people and machines.
#[derive(Serialize)]
struct HandedOverReport {
    accepted: False,
    answers: Vec<KeptLine>,
    installable: False,
    kept: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    registry: String,
    /// What was stated about the package before it was sent. A registry states no more.
    reviewed: ReviewDepth,
    scope: RunScope<'static>,
    signed: False,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct KeptLine {
    artifact: &'static str,
    /// Whether it was answered in an earlier run.
    before: bool,
    decision_id: String,
    #[serde(skip)]
    order: u8,
    outcome: &'static str,
    /// The number of its record, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<u64>,
}

impl KeptLine {
    fn known(answer: &CheckedAnswer) -> Self {
        Self::of(answer.spec, &answer.answer, true)
    }

    fn of(spec: &'static ArtifactSpec, body: &[u8], before: bool) -> Self {
        #[derive(Default, Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Told {
            decision_id: String,
            receipt: Option<Place>,
        }
        #[derive(Deserialize)]
        struct Place {
            index: u64,
        }

        // It was checked; only what is shown of it is read.
        let told: Told = serde_json::from_slice(body).unwrap_or_default();
        let (decision_id, record) = (told.decision_id, told.receipt.map(|receipt| receipt.index));
        Self { artifact: spec.name, before, decision_id, order: spec.make.order, outcome: "denied", record }
    }
}

fn log_note(verification: &Verification) -> String {
    let Some(log) = &verification.log else { return String::new() };
    format!("{} receipts; {}", log.receipts, log.note)
}

fn in_words(handed: &HandedOverReport, bundle: &str) -> String {
    let mut text = format!("Registry  {}\n", Safe(&handed.registry));
    for line in &handed.answers {
        let record = line.record.map_or_else(|| "not on record".to_owned(), |record| format!("record {record}"));
        let before = if line.before { ", answered before" } else { "" };
        let _ = writeln!(text, "{:<9} {:<23} {record}{before}", line.outcome, line.artifact);
    }
    let _ = writeln!(text, "Reviewed  {}: {}", handed.reviewed, handed.reviewed.meaning());
    text.push_str("Outcome   accepted no, signed no, installable no\n");
    for gate in Gate::ALL.iter().filter(|gate| !gate.can_be_evidenced()) {
        let word = GateStatuses::<Evidenced>::now().word(*gate);
        let _ = writeln!(text, "Missing   {:<23} {word}, cleared by the {}", gate.as_str(), gate.spec().cleared_by);
    }
    text.push_str(
        "Why       no is the right answer: nothing here can verify a publisher, store a review, sign or isolate\n",
    );
    if let Some(note) = &handed.note {
        let _ = writeln!(text, "Log       {}", Safe(note));
    }
    let _ = writeln!(text, "Kept      {}", Safe(&handed.kept));
    let _ = writeln!(text, "Next      svc app verify {}", Safe(&shell_word(bundle)));
    text
}

fn no_name() -> Failure {
    Failure::usage("the bundle must lie in a folder with a name, to keep the answers beside it", "give its path")
}

fn bug(message: &str) -> Failure {
    Failure { exit: ExitCode::Bug, message: message.to_owned(), help: Some("report this as a bug of svc".to_owned()) }
}
