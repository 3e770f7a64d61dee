//! The answers of registries that `svc app submit` kept next to a bundle.

use std::path::PathBuf;

use clap::{Arg, ArgMatches};
use svc_core::{
    bundle::Files, diagnostics::ScopePart, finding::Finding, findings::Findings, rules::artifacts,
    verification::FaultCode, words::kind,
};
use svc_journal::key::PublicKeys;
use svc_verify::check::CheckFault;

use crate::{
    arguments,
    failure::Failure,
    files::{document::read_document, read::Input},
    kept_answers::{ANSWER_BYTES, CheckedAnswer, KeptAnswers},
    public_keys,
    report::{ArtifactLine, ReportedDocument, RunReport},
    scope::Why,
};

/// The artifacts that a registry answers.
const ENDPOINTS: usize = kind::ALL.len() - 1;

pub(super) fn arguments() -> [Arg; 1] {
    [public_keys::argument().help("The public keys to check kept answers with [default: those kept with the answers]")]
}

/// What kept answers are checked with.
pub(super) struct AnswerCheck {
    keys: Option<PublicKeys>,
}

impl AnswerCheck {
    pub(super) fn given(matches: &ArgMatches) -> Result<Self, Failure> {
        let keys = match arguments::given_path(matches, "public-key") {
            Some(_) => Some(public_keys::given(matches, None)?),
            None => None,
        };
        Ok(Self { keys })
    }

    /// Checks every answer that is kept for the bundles. Open claims among them have stopped the run before.
    pub(super) fn check(&self, report: &mut RunReport, bundles: &[(PathBuf, Files)]) -> Result<(), Failure> {
        let (mut kept_any, mut kept_all) = (false, true);
        let (mut receipts, mut bare) = (0, 0);
        for (folder, files) in bundles {
            let registries = KeptAnswers::all(folder)?;
            let mut of_bundle = 0;
            for kept in &registries {
                report_foreign(report, kept)?;
                let answers = kept.checked(files, self.keys.as_ref())?;
                of_bundle += answers.len();
                kept_all &= answers.len() == ENDPOINTS;
                let proven = answers.iter().filter(|one| one.has_receipt()).count();
                receipts += proven;
                bare += answers.len() - proven;
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
        if bare > 0 {
            report.scope.skip(ScopePart::Receipt, Why::NoReceipt);
        } else if receipts > 0 {
            report.scope.check(ScopePart::Receipt);
        }
        match (&self.keys, receipts) {
            (_, 0) => {}
            (Some(_), _) => report.scope.check(ScopePart::LogKey),
            (None, _) => report.scope.skip(ScopePart::LogKey, Why::KeysOfTheRegistry),
        }
        Ok(())
    }
}

fn report_foreign(report: &mut RunReport, kept: &KeptAnswers) -> Result<(), Failure> {
    for path in kept.foreign()? {
        let finding =
            Finding::new(&artifacts::B012, "the file is no answer that svc kept").help("Move the file elsewhere.");
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
    let rule = if fault.code == FaultCode::OpenClaim { &artifacts::B006 } else { &artifacts::B010 };
    let message = format!("the kept answer does not hold: {}", fault.message);
    // Sending it again gives another receipt by the same key.
    let is_other_key = fault.code == FaultCode::KeyDiffers;
    let help =
        if is_other_key { fault.code.help() } else { "Hand the bundle over again with `svc app submit --again`." };
    Finding::new(rule, message).help(help)
}
