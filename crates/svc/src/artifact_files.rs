//! Artifacts at the command line: read from where they were named, and delivered to where they were wanted.

use std::path::Path;

use svc_cli::{
    failure::Failure,
    files::{
        document::read_document,
        read::Input,
        write::{Output, is_same_file, write_atomic},
    },
    output::escape::shell_word,
};
use svc_core::words::rule_code::RuleCode;
use svc_core::{
    artifact::any::AnyChecked,
    finding::Finding,
    words::kind::{self, ArtifactSpec},
};
use svc_json::pointer::Pointer;

use crate::report::{Action, ArtifactLine, RunReport};
use svc_cli::rules::rules;

/// Reads a document that should be of this kind, bounded.
pub(crate) fn read_artifact(input: &Input, spec: &ArtifactSpec) -> Result<Vec<u8>, Failure> {
    read_document(input, spec.most_bytes as u64).map_err(|error| Failure::reading(&input.label(), &error))
}

/// Writes a made artifact where it belongs and notes what was done.
pub(crate) fn deliver(report: &mut RunReport, out: &Output, artifact: &AnyChecked) -> Result<(), Failure> {
    let action = match out {
        Output::Stdout => {
            report.payload = Some(artifact.to_file());
            Action::Printed
        }
        Output::Path(path) => {
            let written = write_atomic(path, &artifact.to_file());
            written.map_err(|error| Failure::writing(&out.label(), &error))?.into()
        }
    };
    report.artifacts.push(ArtifactLine::new(action, out.label(), artifact.spec(), artifact.digest()));
    report.next = next_command(artifact.spec(), out);
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
        return Err(Failure::usage("`--out` must not be the file that is read", "give another file with --out"));
    }
    Ok(())
}

/// The command that checks what was just made, or goes on from it, in the same folder.
fn next_command(spec: &ArtifactSpec, out: &Output) -> Option<String> {
    let Output::Path(path) = out else { return None };
    let word = |path: &Path| shell_word(path);
    if let Some(check) = spec.check {
        return Some(format!("svc app {} {}", check.name, word(path)));
    }
    let index = path.with_file_name(kind::INDEX.file);
    Some(format!("svc app {} {} --out {}", kind::INDEX.make.name, word(path), word(&index)))
}

/// The finding for a document of no known kind.
pub(crate) fn unknown_kind() -> Finding {
    rules().finding(RuleCode::B001, "this is no artifact of a kind that svc knows").at(Pointer::root().join("kind"))
}
