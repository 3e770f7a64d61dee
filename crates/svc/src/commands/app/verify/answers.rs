//! The answers of registries that `svc app submit` kept next to a bundle.

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches};
use svc_cli::{
    failure::Failure,
    files::{document::read_document, read::Input},
    public_keys,
    scope::Why,
};
use svc_core::words::rule_code::RuleCode;
use svc_core::{
    bundle::Files, diagnostics::ScopePart, finding::Finding, findings::Findings, verification::FaultCode, words::kind,
};
use svc_proof::public_key::PublicKeys;
use svc_verify::check::CheckFault;

use crate::{
    kept_answers::{ANSWER_BYTES, CheckedAnswer, KeptAnswers},
    report::{ArtifactLine, ReportedDocument, RunReport},
};
use svc_cli::rules::rules;

/// The artifacts that a registry answers.
const ENDPOINTS: usize = kind::ALL.len() - 1;

pub(super) fn arguments() -> [Arg; 2] {
    let help = "The public keys of a registry's log, to check its kept answers with; once for each registry [default: \
                those kept with the answers]";
    [
        public_keys::argument().action(ArgAction::Append).help(help),
        public_keys::hand_overs_argument().requires("public-key"),
    ]
}

const OTHER_KEY: &str = "If this registry's log has a key of its own, give that too: `--public-key FILE` once for each \
                         registry. If the log has changed its key, give its notes: `--hand-overs FILE`. Else compare both key ids with those that the operator publishes: if yours is \
                         published, keep the answer as evidence.";

/// What kept answers are checked with.
pub(super) struct AnswerCheck {
    /// Those that the user believes, of each registry.
    keys: Vec<PublicKeys>,
}

impl AnswerCheck {
    pub(super) fn given(matches: &ArgMatches) -> Result<Self, Failure> {
        let given = public_keys::all_given(matches)?.into_iter();
        Ok(Self { keys: given.map(|keys| public_keys::followed(matches, keys)).collect::<Result<_, _>>()? })
    }

    /// Checks every answer that is kept for the bundles. Open claims among them have stopped the run before.
    pub(super) fn check(&self, report: &mut RunReport, bundles: &[(PathBuf, Files)]) -> Result<(), Failure> {
        let (mut kept_any, mut kept_all) = (false, true);
        let (mut receipts, mut bare, mut unkeyed) = (0, 0, 0);
        for (folder, files) in bundles {
            let registries = KeptAnswers::all(folder)?;
            let mut of_bundle = 0;
            for kept in &registries {
                report_foreign(report, kept)?;
                let answers = kept.checked(files, &self.keys)?;
                of_bundle += answers.len();
                kept_all &= answers.len() == ENDPOINTS;
                let proven = answers.iter().filter(|one| one.has_receipt()).count();
                receipts += proven;
                bare += answers.len() - proven;
                unkeyed += answers.iter().filter(|one| one.has_receipt() && !one.has_key).count();
                answers.into_iter().for_each(|answer| report_answer(report, kept, answer));
            }
            kept_any |= of_bundle > 0;
            kept_all &= of_bundle > 0;
        }
        match (kept_any, kept_all) {
            (true, true) => report.scope.check(ScopePart::KeptAnswers),
            (true, false) => report.scope.skip(ScopePart::KeptAnswers, Why::SomeKept),
            (false, _) => report.scope.skip(ScopePart::KeptAnswers, Why::NoneKept),
        }
        if unkeyed > 0 {
            report.scope.skip(ScopePart::Receipt, Why::NoKey);
        } else if bare > 0 {
            report.scope.skip(ScopePart::Receipt, Why::NoReceipt);
        } else if receipts > 0 {
            report.scope.check(ScopePart::Receipt);
        }
        match (self.keys.is_empty(), receipts) {
            (_, 0) => {}
            (true, _) if unkeyed > 0 => report.scope.skip(ScopePart::LogKey, Why::NoKey),
            (false, _) => report.scope.check(ScopePart::LogKey),
            (true, _) => report.scope.skip(ScopePart::LogKey, Why::KeysOfTheRegistry),
        }
        Ok(())
    }
}

fn report_foreign(report: &mut RunReport, kept: &KeptAnswers) -> Result<(), Failure> {
    for path in kept.foreign()? {
        let finding =
            rules().finding(RuleCode::B012, "the file is no answer that svc kept").help("Move the file elsewhere.");
        let label = path.to_string_lossy().into_owned();
        let bytes = read_document(&Input::Path(path), ANSWER_BYTES).unwrap_or_default();
        report.documents.push(ReportedDocument::new(label, bytes, finding));
    }
    Ok(())
}

fn report_answer(report: &mut RunReport, kept: &KeptAnswers, checked: CheckedAnswer) {
    let label = kept.file(checked.spec).to_string_lossy().into_owned();
    let findings: Findings = checked.faults.iter().map(finding).collect();
    if findings.is_empty() {
        report.artifacts.push(ArtifactLine::answer(label.clone()));
    }
    report.documents.push(ReportedDocument::new(label, checked.answer, findings));
}

fn finding(fault: &CheckFault) -> Finding {
    let code = if fault.code == FaultCode::OpenClaim { RuleCode::B006 } else { RuleCode::B010 };
    let message = format!("the kept answer does not hold: {}", fault.message);
    // Sending it again gives another receipt by the same key.
    let is_other_key = fault.code == FaultCode::KeyDiffers;
    let help = if is_other_key { OTHER_KEY } else { "Hand the bundle over again with `svc app submit --again`." };
    rules().finding(code, message).help(help)
}
