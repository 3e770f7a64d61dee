//! `svc-registry journal replay`: evaluates artifacts again and compares with what is on record.

use std::{collections::BTreeMap, fmt::Write as _};

use clap::{ArgMatches, Command};
use serde::Serialize;
use svc_cli::{
    arguments,
    failure::Failure,
    files::document::read_document,
    output::{
        escape::Safe,
        format::{self, Format},
        stream,
    },
    scope::{Scope, Why},
};
use svc_core::{
    diagnostics::{RunScope, ScopePart},
    journal::{record::Record, scalars::OperationName},
    scalar::any_problem_code::AnyProblemCode,
    words::{exit_code::ExitCode, kind, limits},
};
use svc_journal::store::log_start;
use svc_json::{digest::Digest, printable, tree};
use svc_proof::fault::JournalFault;

use super::location::{open, with_location};
use svc_cli::rules::rules;

const ROWS_PER_READ: usize = 2048;

pub(super) fn command() -> Command {
    let replay = Command::new("replay")
        .about("Evaluate artifacts again and compare the decisions with the recorded ones")
        .arg(arguments::inputs().help("The artifacts, byte for byte as they were posted"));
    with_location(
        replay.arg(format::of_result_argument()).after_help(
            "Records made with other rules are counted and not compared. A difference ends with exit code 4.",
        ),
    )
}

/// What an artifact comes to now.
struct Reevaluation {
    label: String,
    /// The decision, under the document's digest.
    decision: Option<(Digest, Digest)>,
    /// The refusal, by operation, under the digest of the bytes.
    refusals: BTreeMap<String, AnyProblemCode>,
    body: Digest,
    comparison: Comparison,
}

#[derive(Serialize)]
struct ReplayVerdict {
    files: Vec<Comparison>,
    scope: RunScope<'static>,
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Comparison {
    differing: Vec<u64>,
    equal: Vec<u64>,
    file: String,
    other_rules: Vec<u64>,
}

pub(super) fn run(arguments: &ArgMatches, format: Format) -> Result<String, Failure> {
    let mut artifacts = Vec::new();
    for input in arguments::given_inputs(arguments) {
        let bytes = read_document(&input, limits::INDEX_BYTES as u64);
        let bytes = bytes.map_err(|error| Failure::reading(&input.label(), &error))?;
        artifacts.push(Reevaluation::new(input.label(), &bytes));
    }
    let reading = open(arguments)?;
    let failed = |fault: JournalFault| Failure::journal(&fault);
    let size = reading.store.head().map_err(failed)?.tree.size();
    let start = log_start(reading.store.as_ref()).map_err(failed)?;
    if start.index() > 0 {
        stream::status(&format!("left out: what was pruned; the log begins at {}\n", start.index()));
    }
    let mut from = start.index();
    while from < size {
        let rows = reading.store.rows(from, ROWS_PER_READ).map_err(failed)?;
        if rows.is_empty() {
            break;
        }
        from += rows.len() as u64;
        for row in &rows {
            let record = row.read(&start).map_err(failed)?;
            artifacts.iter_mut().for_each(|artifact| artifact.compare(&record));
        }
    }
    let differing = artifacts.iter().find(|artifact| !artifact.comparison.differing.is_empty());
    if let Some(artifact) = differing {
        let message = format!(
            "{}: the decision now differs from the one in record {:?}",
            artifact.label, artifact.comparison.differing
        );
        let help = "the journal or the program has changed: run `svc-registry journal verify` to see whether the journal holds"
            .to_owned();
        return Err(Failure { exit: ExitCode::Digest, message, help: Some(help) });
    }
    Ok(shown(artifacts, start.index() > 0, format))
}

impl Reevaluation {
    fn new(label: String, bytes: &[u8]) -> Self {
        let kind = tree::read(bytes).ok().and_then(|document| Some(document.root.get("kind")?.as_str()?.to_owned()));
        let decided = kind
            .as_deref()
            .and_then(kind::find)
            .and_then(|spec| svc_core::read::decide(rules(), spec.artifact, bytes).ok());
        let decision = decided.and_then(|decision| Some((decision.artifact().digest, *decision.id()?)));
        let refusals = kind::ALL.iter().filter_map(|spec| {
            let code = svc_core::read::decide(rules(), spec.artifact, bytes).err()?.problem_code()?;
            Some((OperationName::of(spec)?.to_string(), code.into()))
        });
        let comparison = Comparison { file: label.clone(), ..Comparison::default() };
        Self { decision, refusals: refusals.collect(), body: Digest::of(bytes), comparison, label }
    }

    fn compare(&mut self, record: &Record) {
        let digest = record.artifact().and_then(|artifact| artifact.digest);
        let equal = match (record.decision_id(), &self.decision) {
            (Some(recorded), Some((document, decision))) if digest.as_ref() == Some(document) => recorded == decision,
            (None, _) if record.body_digest() == Some(&self.body) => {
                self.refusals.get(&record.operation().to_string()) == record.problem()
            }
            _ => return,
        };
        let list = match (record.ruleset() == &rules().ruleset().digest, equal) {
            (false, _) => &mut self.comparison.other_rules,
            (true, true) => &mut self.comparison.equal,
            (true, false) => &mut self.comparison.differing,
        };
        list.push(record.sequence());
    }
}

fn shown(artifacts: Vec<Reevaluation>, is_pruned: bool, format: Format) -> String {
    let files: Vec<Comparison> = artifacts.into_iter().map(|artifact| artifact.comparison).collect();
    let compared = files.iter().filter(|file| !file.equal.is_empty()).count();
    let uncompared = match compared {
        0 => Some(Why::NoneOnRecord),
        some => (some < files.len()).then_some(Why::SomeNotOnRecord),
    };
    let scope = Scope::of_log([
        (ScopePart::Decisions, uncompared),
        (ScopePart::Records, Some(if is_pruned { Why::PrunedAndLeft } else { Why::LeftToVerify })),
        (ScopePart::LogTree, Some(Why::LeftToVerify)),
    ]);
    match format {
        Format::Json => {
            let verdict = ReplayVerdict { files, scope: scope.to_report() };
            String::from_utf8_lossy(&printable::pretty(&verdict)).into_owned()
        }
        Format::Human | Format::Concise | Format::Sarif | Format::Junit | Format::Github => {
            let mut text = String::new();
            for artifact in files {
                let (equal, other) = (artifact.equal.len(), artifact.other_rules.len());
                let other =
                    if other > 0 { format!(", {other} by other rules and not compared") } else { String::new() };
                let _ = match equal {
                    0 => writeln!(text, "{}: not among the records that are kept{other}", Safe(&artifact.file)),
                    some => writeln!(text, "{}: {some} records, the same answer again{other}", Safe(&artifact.file)),
                };
            }
            text + &scope.in_lines()
        }
    }
}
