//! `svc app diff`: what changed between two versions of a package, and a gate for what may not be gained.

use std::fmt::Write as _;

use clap::{Arg, ArgAction, ArgMatches, Command};
use svc_cli::{arguments, failure::Failure, files::read::Input, output::escape::Safe};
use svc_core::{
    difference::{ChangeRow, Difference},
    gates::{Evidenced, GateStatuses},
    words::{gate::Gate, kind, review_depth::ReviewDepth, suggest},
};

use super::{bundle_folder::look_at, plan::read_submission};
use crate::{
    artifact_files::read_artifact,
    named::Named,
    output::show::CommandOutput,
    report::{DeniedChange, ReportedDocument, RunReport},
};
use svc_cli::rules::rules;

pub(crate) fn command() -> Command {
    Command::new("diff")
        .about("Compare two versions of a package, and deny what may not be new")
        .arg(arguments::input().num_args(2).value_names(["OLD", "NEW"]).help("The bundles, or their submissions"))
        .arg(
            Arg::new("deny")
                .long("deny")
                .value_name("CHANGE")
                .action(ArgAction::Append)
                .help("Fail on this change; may be repeated"),
        )
        .after_help(
            "Changes\n  \
             gained-permission   a permission; with :low, :medium or :high only from this risk on\n  \
             gained-origin       an origin in `network.allow`\n  \
             gained-data         a kind of data that is collected\n  \
             gained-use          a power or an origin that code was seen to use\n  \
             gained-blocker      something that blocks the next stage\n  \
             changed-owner       another owner or publisher\n  \
             any                 each of these\n\n\
             Example\n  svc app diff old/svc-registry svc-registry --deny gained-permission:high --deny gained-origin",
        )
}

pub(crate) fn run(matches: &ArgMatches) -> Result<CommandOutput, Failure> {
    let mut report = RunReport::default();
    for word in matches.get_many::<String>("deny").unwrap_or_default() {
        report.deny.changes.extend(DeniedChange::parse(word).ok_or_else(|| unknown(word))?);
    }
    let mut inputs = Vec::new();
    let mut submissions = Vec::new();
    for given in arguments::given_inputs(matches) {
        let named = Named::resolve(given)?;
        let is_bundle = !matches!(named, Named::Document(_));
        let input = named.artifact(&kind::SUBMISSION)?;
        // A bundle is compared as a whole: its submission alone could be another one's.
        if let (true, Input::Path(path)) = (is_bundle, &input) {
            let looked_at = look_at(path.parent().unwrap_or(path))?;
            report.scope.add(looked_at.report.scope);
            report.artifacts.extend(looked_at.report.artifacts);
            report
                .documents
                .extend(looked_at.report.documents.into_iter().filter(|document| !document.findings.is_empty()));
            submissions.extend(looked_at.bundle.map(|bundle| bundle.submission));
        } else {
            submissions.extend(read_submission(&mut report, &input)?);
        }
        inputs.push(input);
    }
    let ([before, after], Some(input)) = (submissions.as_slice(), inputs.last()) else {
        return Ok(CommandOutput::Report(report));
    };
    let difference = Difference::between(before, after);
    let bytes = read_artifact(input, &kind::SUBMISSION)?;
    report.documents.push(ReportedDocument::new(input.label(), bytes, difference.findings(rules())));
    Ok(CommandOutput::Compared(report, in_words(&difference)))
}

fn unknown(word: &str) -> Failure {
    let message = format!("`--deny` must be a change, and `{word}` is none");
    let words = DeniedChange::WORDS;
    let close = suggest::closest(word.split(':').next().unwrap_or_default(), words);
    let help =
        close.map_or_else(|| format!("give one of {}", words.join(", ")), |word| format!("did you mean `{word}`?"));
    Failure::usage(message, help)
}

fn in_words(difference: &Difference) -> String {
    let Difference { before, after, rows } = difference;
    let mut text = format!("{} {} -> {} {}\n", before.id, before.version, after.id, after.version);
    rows.iter().for_each(|row| push_row(&mut text, row));
    if rows.is_empty() {
        text.push_str("nothing changed\n");
    }
    let reviewed = ReviewDepth::AsClaimed;
    let _ = writeln!(text, "reviewed {reviewed}: {}", reviewed.meaning());
    let gates: Vec<String> =
        Gate::ALL.iter().map(|gate| format!("{gate} {}", GateStatuses::<Evidenced>::now().word(*gate))).collect();
    let _ = writeln!(text, "gates unchanged: {} ({})", gates.join(", "), reviewed.hash_basis());
    text
}

fn push_row(text: &mut String, row: &ChangeRow) {
    let part = row.part.as_str();
    let risk = row.risk().map(|risk| format!(" ({risk} risk)")).unwrap_or_default();
    let whole = |detail: &str| Safe(&format!("{}{risk}  {detail}", row.name)).to_string().trim_end().to_owned();
    let _ = match (&row.before, &row.after) {
        (Some(before), Some(after)) => {
            writeln!(text, "~ {part} {}\n    was  {}\n    now  {}", Safe(&row.name), Safe(before), Safe(after))
        }
        (Some(before), None) => writeln!(text, "- {part} {}", whole(before)),
        (None, Some(after)) => writeln!(text, "+ {part} {}", whole(after)),
        (None, None) => Ok(()),
    };
}
