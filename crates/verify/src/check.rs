//! A check, what can be wrong in it, and all of them together.

use svc_core::samples::rules;
use svc_core::{
    closed::ClosedOutcome,
    journal::scalars::ProbeId,
    verification::{
        CheckEnd, CheckLine, FaultCode, FaultLine, GateLine, Level, LevelLine, LevelResult, LogLine, Mode, Posture,
        VerificationReport, VerificationSchema,
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
    /// The lowest level that it breaks.
    pub level: Level,
    pub message: String,
}

impl CheckFault {
    pub(crate) fn new(code: FaultCode, message: impl Into<String>) -> Self {
        Self { code, level: code.level(), message: escaped(&message.into()) }
    }

    /// The fault as one of another level. An open claim and an unproven receipt are open and unproven at every level.
    pub(crate) fn at(self, level: Level) -> Self {
        Self { level, ..self }
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
    /// The request that was sent, for a shell.
    pub request: Option<String>,
}

impl VerifierCheck {
    pub(crate) fn ran(area: impl Into<String>, name: impl Into<String>, faults: Vec<CheckFault>) -> Self {
        let end = if faults.is_empty() { CheckEnd::Passed } else { CheckEnd::Failed };
        Self { area: area.into(), name: name.into(), end, faults, request: None }
    }

    /// The check with the request that was sent.
    pub(crate) fn by(self, request: String) -> Self {
        Self { request: Some(request), ..self }
    }

    /// Whether it shows that a level does not hold.
    #[must_use]
    pub fn breaks(&self, level: Level) -> bool {
        self.faults.iter().any(|fault| fault.level <= level)
    }

    /// A check that did not run.
    pub(crate) fn not_run(area: impl Into<String>, name: impl Into<String>) -> Self {
        Self { area: area.into(), name: name.into(), end: CheckEnd::NotRun, faults: Vec::new(), request: None }
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
    /// How much was asked for.
    pub demanded: Level,
    /// What was seen of the log, where one was looked for.
    pub log: Option<LogLine>,
    /// The name that the requests carried.
    pub probe: Option<ProbeId>,
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

    /// How many of some checks ran, and show nothing against the level that was asked for.
    #[must_use]
    pub fn as_declared(&self, checks: &[VerifierCheck]) -> usize {
        checks.iter().filter(|check| check.end != CheckEnd::NotRun && !check.breaks(self.demanded)).count()
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

    /// The faults that break the level which was asked for.
    pub fn counting(&self) -> impl Iterator<Item = (&VerifierCheck, &CheckFault)> {
        self.faults().filter(|(_, fault)| fault.level <= self.demanded)
    }

    /// The first fault that breaks a level. One that breaks a lower level breaks this one too.
    #[must_use]
    pub fn first_fault(&self, level: Level) -> Option<(&VerifierCheck, &CheckFault)> {
        let at = |level: Level| self.faults().find(move |(_, fault)| fault.level == level);
        Level::ALL.iter().filter(|one| **one <= level).find_map(|one| at(*one))
    }

    /// What was shown of a level. One that was not asked for is not checked, whatever was seen on the way.
    #[must_use]
    pub fn result(&self, level: Level) -> LevelResult {
        if level > self.demanded {
            LevelResult::NotChecked
        } else if self.first_fault(level).is_some() {
            LevelResult::Failed
        } else if self.own_fault().is_some() || self.ran() != self.checks.len() {
            LevelResult::NotChecked
        } else {
            LevelResult::Passed
        }
    }

    /// Whether a level was checked, and nothing breaks it.
    #[must_use]
    pub fn holds(&self, level: Level) -> bool {
        self.result(level) == LevelResult::Passed
    }

    /// The highest level that holds.
    #[must_use]
    pub fn highest(&self) -> Option<Level> {
        Level::ALL.iter().copied().rev().find(|level| self.holds(*level))
    }

    /// Every level, with the first reason why it does not hold.
    #[must_use]
    pub fn levels(&self) -> Vec<LevelLine> {
        let line = |level: &Level| {
            let result = self.result(*level);
            let first = self.first_fault(*level).filter(|_| result == LevelResult::Failed);
            LevelLine {
                level: *level,
                demanded: *level <= self.demanded,
                result,
                reason: first.map(|(check, fault)| format!("{}: {}: {}", check.area, check.name, fault.message)),
                request: first.and_then(|(check, _)| check.request.clone()),
            }
        };
        Level::ALL.iter().map(line).collect()
    }

    /// The exit code: the heaviest of the faults that count.
    #[must_use]
    pub fn exit_code(&self) -> ExitCode {
        let codes = self.counting().map(|(_, fault)| fault.code).chain(self.own_fault().map(|fault| fault.code));
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
            build: env!("CARGO_PKG_VERSION").to_owned(),
            checks: self.checks.iter().map(check_line).collect(),
            criteria: self.criteria().iter().map(|text| (*text).to_owned()).collect(),
            exit_code: self.exit_code().code(),
            expected_checks: self.expected,
            faults: self.own_fault().iter().map(fault_line).collect(),
            gates: self.gates.clone(),
            highest: self.highest(),
            levels: self.levels(),
            log: self.log.clone(),
            probe: self.probe.clone(),
            mode: self.mode,
            outcome: ClosedOutcome::default(),
            posture: self.posture(),
            ran_checks: self.ran(),
            ruleset: rules().ruleset().clone(),
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
            "Every route denies a good document and refuses every tampered one, in-process, as `svc-registry serve` would.",
            "Packages are described as validated artifacts or showcase previews, and as nothing more.",
        ],
        Mode::Hosted => &[
            "closed: each of the six payloads is answered no, with the missing gates and a status for each gate; a package artifact with another digest is rejected; no answer, error or header makes an open claim.",
            "closed: whatever else the registry offers is true: its ledger, its contract, the receipt of every answer, and one growing log.",
            "contract: shapes, status codes and problem codes are those of the API contract, for the payloads and for the whole conformance kit; every gate has its word; no answer repeats the words that were put into texts of a package and its owner.",
            "build: decisions, refusals and documents are those of this build, and every answer is on record.",
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
    FaultLine {
        code: fault.code,
        level: fault.level,
        help: fault.code.help().to_owned(),
        message: fault.message.clone(),
    }
}
