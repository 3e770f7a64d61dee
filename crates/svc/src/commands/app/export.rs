//! `svc app export`: a bundle in a form that other tools read.

use std::{fmt::Write as _, io, path::PathBuf};

use clap::{ArgMatches, Command};
use svc_cli::{
    arguments,
    failure::Failure,
    files::{
        new_folder,
        read::Input,
        write::{Output, write_atomic},
    },
    output::escape::Safe,
    scope::Scope,
};
use svc_core::{
    bundle::Bundle,
    export::{
        cyclonedx,
        exported::{ExportedFiles, OUTCOME},
        in_toto, oci,
    },
    words::{exit_code::ExitCode, kind},
};

use super::bundle_folder::{LookedAt, look_at};
use crate::{artifact_files::refuse_same_file, named::Named, output::show::CommandOutput, report::RunReport};

const FORMS: &[&str] = &["oci", "in-toto", "cyclonedx"];

pub(crate) fn command() -> Command {
    Command::new("export")
        .about("Write a bundle as an OCI layout, in-toto statement or CycloneDX SBOM")
        .arg(arguments::path("folder", "BUNDLE|DIR").required(true).help("The bundle, or a package with one"))
        .arg(arguments::choice("as", FORMS).required(true).help("The form"))
        .arg(
            arguments::path("out", "PATH")
                .long("out")
                .help("Where to write: a new folder, or with cyclonedx a file, or - [default: svc-export-FORM]"),
        )
        .after_help(
            "Nothing is signed by it and nothing is published: an export says what the bundle says.\n\n\
             Example\n  svc app export svc-registry --as oci --out layout\n  skopeo copy oci:layout dir:copy",
        )
}

pub(crate) fn run(matches: &ArgMatches) -> Result<CommandOutput, Failure> {
    let given = arguments::given_path(matches, "folder").unwrap_or_default();
    let folder = Named::resolve(Input::from_argument(given))?.bundle()?;
    let LookedAt { report, bundle, .. } = look_at(&folder)?;
    let Some(bundle) = bundle else { return Ok(CommandOutput::Report(report)) };
    let form = arguments::text(matches, "as").unwrap_or_default();
    let out = arguments::given_path(matches, "out");
    if let Some(path) = &out {
        let files = kind::ALL.iter().map(|spec| Input::Path(folder.join(spec.file)));
        refuse_same_file(&Output::from_argument(path.clone()), &files.collect::<Vec<_>>())?;
    }
    match form {
        "oci" => folder_of(&oci::files(&bundle), out, form, report.scope),
        "in-toto" => folder_of(&in_toto::files(&bundle), out, form, report.scope),
        _ => file_of(&bundle, out, report.scope),
    }
}

fn folder_of(files: &ExportedFiles, out: Option<PathBuf>, form: &str, scope: Scope) -> Result<CommandOutput, Failure> {
    let out = out.unwrap_or_else(|| PathBuf::from(format!("svc-export-{form}")));
    let label = out.to_string_lossy().into_owned();
    if label == "-" {
        return Err(Failure::usage("`--out -` must be a file, and this form is a folder", "give a folder with --out"));
    }
    new_folder::write_new(&out, files).map_err(|error| not_written(&label, &error))?;
    let mut text = format!("created   {}\n", Safe(&label));
    for (path, bytes) in files {
        let _ = writeln!(text, "          {path}  {} bytes", bytes.len());
    }
    Ok(text_output(text, scope))
}

fn not_written(label: &str, error: &io::Error) -> Failure {
    let is_taken = matches!(error.kind(), io::ErrorKind::AlreadyExists | io::ErrorKind::DirectoryNotEmpty);
    let message = if is_taken {
        format!("{label}: must be a new or empty folder, and is not")
    } else {
        format!("{label}: cannot be written: {error}")
    };
    Failure { exit: ExitCode::InputOutput, message, help: Some("give another folder with --out".to_owned()) }
}

fn file_of(bundle: &Bundle, out: Option<PathBuf>, scope: Scope) -> Result<CommandOutput, Failure> {
    let out = Output::from_argument(out.unwrap_or_else(|| PathBuf::from("svc-export-cyclonedx.json")));
    let document = cyclonedx::document(bundle);
    let Output::Path(path) = &out else {
        return Ok(CommandOutput::Text(RunReport::default(), String::from_utf8_lossy(&document).into_owned()));
    };
    write_atomic(path, &document).map_err(|error| Failure::writing(&out.label(), &error))?;
    Ok(text_output(format!("created   {}\n", Safe(&out.label())), scope))
}

fn text_output(text: String, scope: Scope) -> CommandOutput {
    CommandOutput::Told(RunReport { scope, ..RunReport::default() }, format!("{text}Outcome   {OUTCOME}\n"))
}
