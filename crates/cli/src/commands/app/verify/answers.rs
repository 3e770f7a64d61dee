//! The answers of registries that `svc app submit` kept next to a bundle.

use std::path::Path;

use clap::{Arg, ArgMatches};
use svc_core::{
    bundle::Files, diagnostics::ScopePart, explain::open_flags::open_flags, finding::Finding, findings::Findings,
    rules::artifacts, verification::FaultCode,
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

    /// Checks every answer that is kept for a bundle.
    pub(super) fn check(&self, report: &mut RunReport, folder: &Path, files: &Files) -> Result<(), Failure> {
        let all = KeptAnswers::all(folder)?;
        if all.is_empty() {
            report.scope.skip(ScopePart::KeptAnswers, Why::NoneKept);
            return Ok(());
        }
        report.scope.check(ScopePart::KeptAnswers);
        for kept in all {
            for path in kept.foreign()? {
                let message = "the file is no answer that svc kept";
                let finding = Finding::new(&artifacts::B012, message).help("Move the file elsewhere.");
                let label = path.to_string_lossy().into_owned();
                // Whatever it is, it may not claim to be open.
                let bytes = read_document(&Input::Path(path), ANSWER_BYTES).unwrap_or_default();
                let mut findings = Findings::from(finding);
                findings.append(open_claims(&bytes));
                report.documents.push(ReportedDocument::new(label, bytes, findings));
            }
            for CheckedAnswer { spec, answer, faults } in kept.checked(files, self.keys.as_ref())? {
                let label = kept.file(spec).to_string_lossy().into_owned();
                let mut findings: Findings = faults.iter().map(finding).collect();
                findings.append(open_claims(&answer));
                if findings.is_empty() {
                    report.artifacts.push(ArtifactLine::answer(label.clone()));
                }
                report.documents.push(ReportedDocument::new(label, answer, findings));
            }
        }
        Ok(())
    }
}

/// The claims that a file makes by its flags, whatever else is wrong with it.
fn open_claims(bytes: &[u8]) -> Findings {
    open_flags(&String::from_utf8_lossy(bytes))
}

fn finding(fault: &CheckFault) -> Finding {
    let rule = if fault.code == FaultCode::OpenClaim { &artifacts::B006 } else { &artifacts::B010 };
    let message = format!("the kept answer does not hold: {}", fault.message);
    Finding::new(rule, message).help("Hand the bundle over again with `svc app submit --again`.")
}
