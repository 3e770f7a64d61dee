//! A check, what can be wrong in it, and all of them together.

use svc_core::{
    closed::ClosedOutcome,
    verification::{
        CheckEnd, CheckLine, FaultCode, FaultLine, GateLine, Mode, Posture, VerificationReport, VerificationSchema,
    },
    words::exit_code::ExitCode,
};
use svc_json::characters;

/// Foreign text longer than this helps nobody.
const MAX_SHOWN_CHARS: usize = 160;

/// Something that is wrong. Foreign text in the message is escaped: it may go to a terminal or into a report as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckFault {
    pub code: FaultCode,
    pub message: String,
}

impl CheckFault {
    pub(crate) fn new(code: FaultCode, message: impl Into<String>) -> Self {
        Self { code, message: escaped(&message.into()) }
    }
}

/// The text with control, bidirectional and invisible characters spelled out.
fn escaped(text: &str) -> String {
    let shown = |character: char| {
        let moves = character.is_control() || characters::refused(character).is_some();
        if moves { format!("\\u{{{:x}}}", u32::from(character)) } else { character.to_string() }
    };
    text.chars().map(shown).collect()
}

/// A foreign text, escaped and cut to what can be read.
pub(crate) fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_SHOWN_CHARS) {
        Some((at, _)) => format!("{}…", escaped(text.get(..at).unwrap_or_default())),
        None => escaped(text),
    }
}

#[derive(Clone, Debug)]
pub struct VerifierCheck {
    /// Where it belongs.
    pub area: String,
    /// What was tried.
    pub name: String,
    pub end: CheckEnd,
    pub faults: Vec<CheckFault>,
}

impl VerifierCheck {
    pub(crate) fn ran(area: impl Into<String>, name: impl Into<String>, faults: Vec<CheckFault>) -> Self {
        let end = if faults.is_empty() { CheckEnd::Passed } else { CheckEnd::Failed };
        Self { area: area.into(), name: name.into(), end, faults }
    }

    /// A check that did not run.
    pub(crate) fn not_run(area: impl Into<String>, name: impl Into<String>) -> Self {
        Self { area: area.into(), name: name.into(), end: CheckEnd::NotRun, faults: Vec::new() }
    }
}

/// A whole verification.
#[derive(Clone, Debug)]
pub struct Verification {
    /// Which of the two verifications.
    pub mode: Mode,
    /// What was looked at. May hold foreign text.
    pub target: String,
    /// Every check, in order.
    pub checks: Vec<VerifierCheck>,
    /// Every gate, as each side tells it.
    pub gates: Vec<GateLine>,
    /// How many checks this build has.
    pub expected: usize,
}

impl Verification {
    /// What was asked for, one sentence each.
    #[must_use]
    pub fn criteria(&self) -> &'static [&'static str] {
        criteria(self.mode)
    }

    #[must_use]
    pub fn ran(&self) -> usize {
        self.checks.iter().filter(|check| check.end != CheckEnd::NotRun).count()
    }

    pub fn faults(&self) -> impl Iterator<Item = (&VerifierCheck, &CheckFault)> {
        self.checks.iter().flat_map(|check| check.faults.iter().map(move |fault| (check, fault)))
    }

    /// What is wrong with the run as a whole: too few checks, or too many, show nothing.
    #[must_use]
    pub fn own_fault(&self) -> Option<CheckFault> {
        let unexplained = self.ran() != self.checks.len() && self.faults().next().is_none();
        (self.checks.len() != self.expected || unexplained).then(|| {
            let message = format!("{} checks ran, this build has {}", self.ran(), self.expected);
            CheckFault::new(FaultCode::ChecksMissing, message)
        })
    }

    /// The exit code: the heaviest of all faults.
    #[must_use]
    pub fn exit_code(&self) -> ExitCode {
        let codes = self.faults().map(|(_, fault)| fault.code).chain(self.own_fault().map(|fault| fault.code));
        codes.map(FaultCode::exit).fold(ExitCode::Valid, ExitCode::worse)
    }

    /// What it comes to.
    #[must_use]
    pub fn posture(&self) -> Posture {
        match self.exit_code() {
            ExitCode::Valid => Posture::ClosedAsDeclared,
            ExitCode::Findings
            | ExitCode::Usage
            | ExitCode::InputOutput
            | ExitCode::Digest
            | ExitCode::Drift
            | ExitCode::Registry
            | ExitCode::OpenClaim
            | ExitCode::Bug => Posture::NotAsDeclared,
        }
    }

    /// The scorecard for machines.
    #[must_use]
    pub fn report(&self) -> VerificationReport {
        VerificationReport {
            checks: self.checks.iter().map(check_line).collect(),
            criteria: self.criteria().iter().map(|text| (*text).to_owned()).collect(),
            exit_code: self.exit_code().code(),
            expected_checks: self.expected,
            faults: self.own_fault().iter().map(fault_line).collect(),
            gates: self.gates.clone(),
            mode: self.mode,
            outcome: ClosedOutcome::default(),
            posture: self.posture(),
            ran_checks: self.ran(),
            schema: VerificationSchema::V1,
            target: self.target.clone(),
        }
    }
}

/// What a verification asks for.
#[must_use]
pub const fn criteria(mode: Mode) -> &'static [&'static str] {
    match mode {
        Mode::Local => &[
            "The committed contracts are those of this build, file by file.",
            "Ledger, contract and routes give each gate the word of the specification, and its evidence is there.",
            "The API contract has exactly the six endpoints of the specification.",
            "Every route denies a good document and refuses every tampered one, in-process, as `svc serve` would.",
            "Packages are described as validated artifacts or showcase previews, and as nothing more.",
        ],
        Mode::Hosted => &[
            "Each of the six payloads is posted to its endpoint, twice: the decision is `denied`, the same both times, and what this build computes.",
            "Tampered forms of the same payloads are refused, each for its reason.",
            "No answer, no error and no header makes an open claim; every gate has its word.",
            "Contract, ledger, ruleset and schemas are those of this build.",
            "No redirect is followed; answers are strict JSON within bounds of size and time.",
        ],
    }
}

fn check_line(check: &VerifierCheck) -> CheckLine {
    CheckLine {
        area: check.area.clone(),
        end: check.end,
        faults: check.faults.iter().map(fault_line).collect(),
        name: check.name.clone(),
    }
}

fn fault_line(fault: &CheckFault) -> FaultLine {
    FaultLine { code: fault.code, help: fault.code.help().to_owned(), message: fault.message.clone() }
}
