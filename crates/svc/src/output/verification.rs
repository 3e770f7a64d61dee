//! The scorecard of a verification, for people and for machines. No grade and no tick: closed as declared, or not.

use std::{collections::BTreeMap, fmt::Write as _};

use svc_cli::{output::escape::Safe, scope::Scope};
use svc_core::verification::{CheckEnd, FaultCode, Level, LevelResult, Mode, Posture};
use svc_json::printable;
use svc_verify::check::{CheckFault, Verification, VerifierCheck};

use super::{
    github::{self, cell, data},
    junit::{self, CaseCounts, xml},
};

/// Faults shown one by one; the rest is counted.
const MAX_SHOWN: usize = 40;

/// What is wrong, for standard error.
pub(crate) fn faults(verification: &Verification) -> String {
    let mut text = String::new();
    let own = verification.own_fault();
    let all = verification.faults().map(|(check, fault)| (Some(check), fault));
    let mut all: Vec<(Option<&VerifierCheck>, &CheckFault)> =
        all.chain(own.iter().map(|fault| (None, fault))).collect();
    // What was asked for comes first; beyond it the table of levels says enough.
    all.retain(|(_, fault)| fault.level <= verification.demanded);
    for (check, fault) in all.iter().take(MAX_SHOWN) {
        let _ = writeln!(text, "error[{}]: {}", fault.code, Safe(&fault.message));
        if let Some(check) = check {
            let _ = writeln!(text, "  --> {}: {}", Safe(&check.area), Safe(&check.name));
        }
        let _ = writeln!(text, "  = help: {}\n", fault.code.help());
    }
    if all.len() > MAX_SHOWN {
        let _ = writeln!(text, "… and {} more faults\n", all.len() - MAX_SHOWN);
    }
    text
}

/// The scorecard, for standard output.
pub(crate) fn scorecard(verification: &Verification) -> String {
    let mut text = String::new();
    let subject = match verification.mode {
        Mode::Local => "Contracts",
        Mode::Hosted => "Registry ",
    };
    let _ = writeln!(text, "{subject}  {}", Safe(&verification.target));
    let (ran, expected) = (verification.ran(), verification.expected);
    let passed = verification.as_declared(&verification.checks);
    let of = match verification.mode {
        Mode::Local => String::new(),
        Mode::Hosted => format!(" at level {}", verification.demanded),
    };
    let _ = writeln!(text, "Checks     {ran} of {expected} ran, {passed} as declared{of}");
    let _ = writeln!(text, "By         {}\n", Scope::by());
    text.push_str(&levels(verification));
    text.push_str(&gates(verification));
    text.push_str(&areas(verification));
    if verification.mode == Mode::Hosted {
        text.push_str(&matrix(verification));
    }
    let _ = writeln!(text, "{}", verdict(verification));
    text
}

/// One line for the whole.
fn verdict(verification: &Verification) -> String {
    match verification.posture() {
        Posture::ClosedAsDeclared if verification.mode == Mode::Local => "CLOSED as declared".to_owned(),
        Posture::ClosedAsDeclared => {
            let highest = verification.highest().map_or("none", Level::as_str);
            format!("CLOSED as declared: level {highest} holds{}", not_checked(verification))
        }
        Posture::NotAsDeclared => {
            let mut codes: Vec<FaultCode> = verification.counting().map(|(_, fault)| fault.code).collect();
            codes.extend(verification.own_fault().map(|fault| fault.code));
            codes.sort_unstable();
            codes.dedup();
            let codes: Vec<&str> = codes.into_iter().map(FaultCode::as_str).collect();
            format!("NOT as declared: {}  (exit code {})", codes.join(", "), verification.exit_code().code())
        }
    }
}

/// The levels of which nothing is known.
fn not_checked(verification: &Verification) -> String {
    let levels = Level::ALL.iter().filter(|level| verification.result(**level) == LevelResult::NotChecked);
    let levels: Vec<&str> = levels.map(|level| level.as_str()).collect();
    if levels.is_empty() { String::new() } else { format!("; not checked: {}", levels.join(", ")) }
}

/// Each level, with the first reason why it failed and the request that shows it.
fn levels(verification: &Verification) -> String {
    if verification.mode == Mode::Local {
        return String::new();
    }
    let mut rows = vec![["level", "asked for", "holds", ""].map(str::to_owned)];
    for line in verification.levels() {
        let yes = |is: bool| if is { "yes" } else { "no" }.to_owned();
        let reason = line.reason.map(|reason| Safe(&reason).to_string()).unwrap_or_default();
        let result = match line.result {
            LevelResult::Passed => "yes",
            LevelResult::Failed => "no",
            LevelResult::NotChecked => "not checked",
        };
        rows.push([line.level.to_string(), yes(line.demanded), result.to_owned(), reason]);
    }
    let mut text = table(&rows);
    let first = verification.levels().into_iter().find_map(|line| line.request);
    if let Some(request) = first {
        let _ = writeln!(text, "to repeat  {}", Safe(&request));
    }
    if let Some(log) = &verification.log {
        let size = log.size.map(|size| format!(" in a log of {size} records")).unwrap_or_default();
        let _ = writeln!(text, "log        {} receipts{size}; {}", log.receipts, Safe(&log.note));
    }
    if let Some(probe) = &verification.probe {
        let _ = writeln!(
            text,
            "probes     marked `Svc-Probe: {probe}`; `svc-registry journal list --probe {probe}` lists those taken as such"
        );
    }
    text + "\n"
}

fn gates(verification: &Verification) -> String {
    let mut rows = vec![["gate", "specified", "ledger", "contract", "server", "evidence"].map(str::to_owned)];
    rows.extend(verification.gates.iter().map(|line| {
        let words = [line.gate.as_str(), &line.specified, &line.ledger, &line.contract, &line.server, &line.evidence];
        words.map(|word| Safe(word).to_string())
    }));
    table(&rows) + "\n"
}

fn table<const COLUMNS: usize>(rows: &[[String; COLUMNS]]) -> String {
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|word| word.chars().count()).max().unwrap_or_default()
    };
    let line = |row: &[String; COLUMNS]| {
        let words = row.iter().enumerate().map(|(column, word)| format!("{word:<width$}", width = width(column)));
        words.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

/// The checks of each area, counted.
fn areas(verification: &Verification) -> String {
    let mut rows: Vec<[String; 2]> = vec![["area", "checks as declared"].map(str::to_owned)];
    for (area, checks) in by_area(verification) {
        let mut counted = format!("{} of {}", verification.as_declared(&checks), checks.len());
        // What was not asked for is not passed over in silence.
        let beyond = checks.iter().filter(|check| is_beyond(verification, check)).count();
        if beyond == checks.len() {
            counted = format!("not asked for at level {}; {beyond} fail at a higher one", verification.demanded);
        } else if beyond > 0 {
            let _ = write!(counted, ", {beyond} of them not at a higher level");
        }
        rows.push([Safe(area).to_string(), counted]);
    }
    table(&rows) + "\n"
}

fn by_area(verification: &Verification) -> Vec<(&str, Vec<VerifierCheck>)> {
    let mut areas: Vec<(&str, Vec<VerifierCheck>)> = Vec::new();
    for check in &verification.checks {
        match areas.iter_mut().find(|(area, _)| *area == check.area) {
            Some((_, checks)) => checks.push(check.clone()),
            None => areas.push((&check.area, vec![check.clone()])),
        }
    }
    areas
}

/// Whether a check fails only at a level that was not asked for.
fn is_beyond(verification: &Verification, check: &VerifierCheck) -> bool {
    check.end == CheckEnd::Failed && !check.breaks(verification.demanded)
}

/// How a check ended, by the level that was asked for.
fn end(verification: &Verification, check: &VerifierCheck) -> CheckEnd {
    match check.end {
        CheckEnd::Failed if !check.breaks(verification.demanded) => CheckEnd::Passed,
        CheckEnd::Passed | CheckEnd::Failed | CheckEnd::NotRun => check.end,
    }
}

fn mark(verification: &Verification, check: &VerifierCheck) -> char {
    match end(verification, check) {
        CheckEnd::Passed if is_beyond(verification, check) => '~',
        CheckEnd::Passed => '=',
        CheckEnd::Failed => 'X',
        CheckEnd::NotRun => '-',
    }
}

/// Every probe at every endpoint.
fn matrix(verification: &Verification) -> String {
    let endpoints: Vec<(&str, Vec<VerifierCheck>)> =
        by_area(verification).into_iter().filter(|(area, _)| area.starts_with("POST ")).collect();
    let mut ends: BTreeMap<(&str, usize), char> = BTreeMap::new();
    let mut names: Vec<&str> = Vec::new();
    for (column, (_, checks)) in endpoints.iter().enumerate() {
        for check in checks {
            if !names.contains(&check.name.as_str()) {
                names.push(&check.name);
            }
            ends.insert((&check.name, column), mark(verification, check));
        }
    }
    let mut text =
        "probe at each endpoint, in the order above (= as declared, ~ not at a higher level, X not, - not run)\n"
            .to_owned();
    for name in &names {
        let marks = (0..endpoints.len()).map(|column| ends.get(&(*name, column)).copied().unwrap_or(' '));
        let _ = writeln!(text, "{}  {}", marks.collect::<String>(), Safe(name));
    }
    text + "\n"
}

/// One line a fault, then the verdict.
pub(crate) fn concise(verification: &Verification) -> String {
    let mut text = String::new();
    for (check, fault) in verification.counting() {
        let (area, name) = (Safe(&check.area), Safe(&check.name));
        let _ = writeln!(text, "{area}: {name}: error[{}] {}", fault.code, Safe(&fault.message));
    }
    if let Some(fault) = verification.own_fault() {
        let _ = writeln!(text, "error[{}] {}", fault.code, fault.message);
    }
    text + &verdict(verification) + "\n"
}

/// `svc.verification/v1`.
pub(crate) fn json(verification: &Verification) -> Vec<u8> {
    printable::pretty(&verification.report())
}

/// JUnit XML: every check is a case.
pub(crate) fn junit(verification: &Verification) -> String {
    let (mut cases, mut counts) = (String::new(), CaseCounts::default());
    for check in &verification.checks {
        let mut lines = String::new();
        for fault in check.faults.iter().filter(|fault| fault.level <= verification.demanded) {
            let _ = writeln!(lines, "{}: {} ({})", fault.code, xml(&fault.message), xml(fault.code.help()));
        }
        let inside = match end(verification, check) {
            CheckEnd::Passed => String::new(),
            CheckEnd::Failed => {
                format!("<failure message=\"{} fault(s)\">{lines}</failure>", lines.lines().count())
            }
            CheckEnd::NotRun => "<skipped message=\"it was not run\"/>".to_owned(),
        };
        let class = format!("svc.verify.{}", xml(&check.area));
        junit::push_case(&mut cases, &mut counts, (&class, &xml(&check.name)), &inside);
    }
    let own = verification.own_fault().map(|fault| format!("<error message=\"{}\"/>", xml(&fault.message)));
    junit::push_case(&mut cases, &mut counts, ("svc.verify", "number of checks"), &own.unwrap_or_default());
    junit::suite(&counts, "", &cases)
}

/// Annotations for a CI service.
pub(crate) fn annotations(verification: &Verification) -> String {
    let mut text = String::new();
    let own = verification.own_fault();
    let named = verification.counting().map(|(check, fault)| (format!("{}: {}", check.area, check.name), fault));
    let all: Vec<(String, &CheckFault)> =
        named.chain(own.iter().map(|fault| ("svc verify".to_owned(), fault))).collect();
    for (place, fault) in all.iter().take(github::MAX_PER_LEVEL) {
        let _ = writeln!(
            text,
            "::error title={}::{}: {} ({})",
            github::property(fault.code.as_str()),
            data(place),
            data(&fault.message),
            data(fault.code.help())
        );
    }
    if all.len() > github::MAX_PER_LEVEL {
        let _ = writeln!(text, "::notice::and {} more faults; see the job's log", all.len() - github::MAX_PER_LEVEL);
    }
    let _ = writeln!(text, "::notice title=svc verify::{}", data(&verdict(verification)));
    text
}

/// The summary of the step, in Markdown.
pub(crate) fn summary(verification: &Verification) -> String {
    let mut text = format!("### svc verify {}: {}\n\n", verification.mode, cell(&verdict(verification)));
    text.push_str("| gate | specified | ledger | contract | server | evidence |\n|---|---|---|---|---|---|\n");
    for line in &verification.gates {
        let words = [line.gate.as_str(), &line.specified, &line.ledger, &line.contract, &line.server, &line.evidence];
        let _ = writeln!(text, "| {} |", words.map(cell).join(" | "));
    }
    text.push_str("\n| area | checks as declared |\n|---|---|\n");
    for (area, checks) in by_area(verification) {
        let _ = writeln!(text, "| {} | {} of {} |", cell(area), verification.as_declared(&checks), checks.len());
    }
    let faults: Vec<_> = verification.counting().take(100).collect();
    if !faults.is_empty() {
        text.push_str("\n| check | fault | what |\n|---|---|---|\n");
    }
    for (check, fault) in faults {
        let place = format!("{}: {}", check.area, check.name);
        let _ = writeln!(text, "| {} | {} | {} |", cell(&place), fault.code, cell(&fault.message));
    }
    text.push('\n');
    text
}
