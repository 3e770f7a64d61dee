//! The commands that derive one artifact from another.

use std::path::Path;

use clap::{Arg, ArgMatches, Command};
use svc_core::{
    artifact::{
        checked::{self, Verified},
        index::{self, Index, Scope, ScopeType},
        submission::{self, Submission},
        table::{ArtifactSpec, Source},
    },
    finding::Finding,
    ident::OwnerId,
    limits,
    pointer::Pointer,
    rules::artifacts,
};

use crate::{
    arguments,
    failure::Failure,
    files::{
        document::read_document,
        read::Input,
        write::{Output, is_same_file, write_atomic},
    },
    output::escape::Safe,
    report::{Action, ArtifactLine, Document, Report},
};

/// What the command line says.
struct MakeOptions {
    inputs: Vec<Input>,
    out: Output,
    scope: Option<Scope>,
}

/// A command's part of the command line.
pub(crate) fn command(spec: &'static ArtifactSpec) -> Command {
    let command = Command::new(spec.make.name).about(spec.make.about).arg(arguments::out(spec));
    match spec.source {
        Source::Submissions => command.arg(arguments::inputs()).arg(
            Arg::new("scope")
                .long("scope")
                .value_name("user:ID|space:ID")
                .help("Whose collection the entries are in [default: each owner's]"),
        ),
        Source::Artifact { .. } | Source::Package => command.arg(arguments::input()),
    }
}

/// Runs the command that makes an artifact of this kind.
pub(crate) fn run(spec: &'static ArtifactSpec, matches: &ArgMatches) -> Result<Report, Failure> {
    let options = &MakeOptions {
        inputs: arguments::given_inputs(matches),
        out: arguments::given_out(matches, spec),
        scope: arguments::text(matches, "scope").map(scope).transpose()?,
    };
    refuse_same_file(&options.out, &options.inputs)?;
    let mut report = Report { writes: true, payload: options.out.empty_payload(), ..Report::default() };
    let made = match spec.source {
        Source::Submissions => index(options, &mut report)?,
        Source::Artifact { parent, derive } => derived(options, parent, derive, &mut report)?,
        Source::Package => None,
    };
    if let Some(artifact) = made {
        deliver(&mut report, &options.out, &artifact)?;
    }
    Ok(report)
}

fn scope(text: &str) -> Result<Scope, Failure> {
    let parsed = text
        .split_once(':')
        .and_then(|(kind, id)| Some(Scope { r#type: ScopeType::parse(kind)?, id: OwnerId::parse(id)? }));
    parsed.ok_or_else(|| Failure::usage("the value of --scope cannot be used", "give `user:ID` or `space:ID`"))
}

fn derived(
    options: &MakeOptions,
    parent: &ArtifactSpec,
    derive: fn(&[u8]) -> Result<Verified, Vec<Finding>>,
    report: &mut Report,
) -> Result<Option<Verified>, Failure> {
    let Some(input) = options.inputs.first() else { return Ok(None) };
    let bytes = read_artifact(input, parent)?;
    match derive(&bytes) {
        Ok(artifact) => Ok(Some(artifact)),
        Err(findings) => {
            report.documents.push(Document::new(input.label(), bytes, findings));
            Ok(None)
        }
    }
}

fn index(options: &MakeOptions, report: &mut Report) -> Result<Option<Verified>, Failure> {
    if options.inputs.len() > limits::INDEX_ENTRIES {
        let message = format!("an index takes {} submissions at most", limits::INDEX_ENTRIES);
        return Err(Failure::usage(message, "make several indexes"));
    }
    let mut submissions = Vec::new();
    for input in &options.inputs {
        let bytes = read_artifact(input, &submission::SPEC)?;
        match checked::check::<Submission>(&bytes) {
            Ok(submission) => submissions.push(submission),
            Err(findings) => report.documents.push(Document::new(input.label(), bytes, findings)),
        }
    }
    if !report.documents.is_empty() {
        return Ok(None);
    }
    match Index::of(&submissions, options.scope.as_ref()) {
        Ok(index) => Ok(Some(Verified::of(&index))),
        Err(findings) => {
            let label = index::SPEC.file.to_owned();
            report.documents.push(Document::new(label, Vec::new(), findings));
            Ok(None)
        }
    }
}

/// Reads a document that should be of this kind, bounded.
pub(crate) fn read_artifact(input: &Input, spec: &ArtifactSpec) -> Result<Vec<u8>, Failure> {
    read_document(input, spec.most_bytes as u64).map_err(|error| Failure::reading(&input.label(), &error))
}

/// Writes a made artifact where it belongs and notes what was done.
pub(crate) fn deliver(report: &mut Report, out: &Output, artifact: &Verified) -> Result<(), Failure> {
    let action = match out {
        Output::Stdout => {
            report.payload = Some(artifact.file.clone());
            Action::Printed
        }
        Output::Path(path) => {
            let written = write_atomic(path, &artifact.file);
            written.map_err(|error| Failure::writing(&out.label(), &error))?.into()
        }
    };
    report.artifacts.push(ArtifactLine::new(action, out.label(), artifact));
    report.next = next_command(artifact.spec, out);
    Ok(())
}

/// An output that is an input would destroy what it was made from.
pub(crate) fn refuse_same_file(out: &Output, inputs: &[Input]) -> Result<(), Failure> {
    let Output::Path(out) = out else { return Ok(()) };
    let same = inputs.iter().any(|input| match input {
        Input::Stdin => false,
        Input::Path(path) => is_same_file(out, path),
    });
    if same {
        return Err(Failure::usage("the output is the input", "name another file with --out"));
    }
    Ok(())
}

/// The command that checks what was just made, or goes on from it, in the same folder.
fn next_command(spec: &ArtifactSpec, out: &Output) -> Option<String> {
    let Output::Path(path) = out else { return None };
    let word = |path: &Path| shell_word(&path.to_string_lossy());
    if let Some(check) = spec.check {
        return Some(format!("svc app {} {}", check.name, word(path)));
    }
    let index = path.with_file_name(index::SPEC.file);
    Some(format!("svc app {} {} --out {}", index::SPEC.make.name, word(path), word(&index)))
}

/// A word as a shell would take it.
pub(crate) fn shell_word(text: &str) -> String {
    let plain = |character: char| character.is_ascii_alphanumeric() || "/._-".contains(character);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", Safe(text).to_string().replace('\'', "'\\''"))
}

/// The finding for a document of no known kind.
pub(crate) fn unknown_kind() -> Finding {
    Finding::new(&artifacts::B001, "this is no artifact of a kind that svc knows").at(Pointer::root().join("kind"))
}
