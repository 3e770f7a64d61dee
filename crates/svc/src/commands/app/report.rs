//! `svc app report`: a bundle as a page to look at, or as Markdown.

use std::path::{Path, PathBuf};

use clap::{ArgMatches, Command};
use svc_cli::{
    arguments,
    failure::Failure,
    files::{
        read::Input,
        write::{Output, write_atomic},
    },
    output::escape::shell_word,
    scope::Why,
};
use svc_core::{
    artifact::about_package::AboutPackage as _, bundle::Bundle, diagnostics::ScopePart, manifest, words::kind,
};

use super::{
    bundle_folder::{LookedAt, look_at},
    pack::read_manifest,
};
use crate::{
    artifact_files::refuse_same_file,
    named::Named,
    page::{build, html, markdown, package_files::PackageFiles},
    report::{Action, ArtifactLine, RunReport},
};

const PAGE: &str = "report.html";
const MARKDOWN: &str = "report.md";

pub(crate) fn command() -> Command {
    Command::new("report")
        .about("Write a page for reviewers about a bundle")
        .arg(
            arguments::path("folder", "BUNDLE")
                .required(true)
                .help("The folder with the seven files, or a package's folder with them in svc-registry/"),
        )
        .arg(
            arguments::path("package", "DIR")
                .long("package")
                .help("The package's folder, for pictures and source lines of files that are the bundle's"),
        )
        .arg(arguments::path("against", "BUNDLE").long("against").help("Another bundle, to tell what changed since"))
        .arg(
            arguments::path("out", "FILE")
                .long("out")
                .help("The file to write, or - for standard output; .md is Markdown [default: report.html]"),
        )
        .arg(arguments::flag("markdown", "Write Markdown, for a pull request [default file: report.md]"))
}

/// Runs the command. A bundle that does not hold is told as `svc app verify` tells it, and nothing is written.
pub(crate) fn run(matches: &ArgMatches) -> Result<RunReport, Failure> {
    let out = given_out(matches);
    let named = |given: PathBuf| Named::resolve(Input::from_argument(given))?.bundle();
    let folder = named(arguments::given_path(matches, "folder").unwrap_or_default())?;
    let against = arguments::given_path(matches, "against").map(named).transpose()?;
    for folder in std::iter::once(&folder).chain(&against) {
        let files = kind::ALL.iter().map(|spec| Input::Path(folder.join(spec.file)));
        refuse_same_file(&out, &files.collect::<Vec<_>>())?;
    }
    let LookedAt { report, bundle, .. } = look_at(&folder)?;
    let mut report = RunReport { writes: true, payload: out.empty_payload(), ..report };
    let older = match &against {
        Some(folder) => {
            let older = look_at(folder)?;
            report.scope.add(older.report.scope);
            if older.bundle.is_none() {
                report.documents.extend(older.report.documents);
                report.broken_edge = report.broken_edge.or(older.report.broken_edge);
                report.packages.clear();
                return Ok(report);
            }
            report.artifacts.extend(older.report.artifacts);
            let found = older.report.documents.into_iter();
            report.documents.extend(found.filter(|document| !document.findings.is_empty()));
            older.bundle
        }
        None => None,
    };
    let Some(bundle) = bundle else { return Ok(report) };
    let package = arguments::given_path(matches, "package");
    let files = package.as_deref().map(|package| look_at_package(package, &bundle, &out)).transpose()?;
    match files.as_ref().map(PackageFiles::is_the_bundles) {
        Some(true) => report.scope.skip(ScopePart::PackageFiles, Why::OnlyNamed),
        Some(false) => report.scope.skip(ScopePart::PackageFiles, Why::OtherFiles),
        None => report.scope.skip(ScopePart::PackageFiles, Why::NoPackageGiven),
    }
    if let Some(package) = package.filter(|_| files.as_ref().is_some_and(|files| !files.is_the_bundles())) {
        let word = |path: &Path| shell_word(path);
        report.next = Some(format!("svc app verify {} --package {}", word(&folder), word(&package)));
    }
    let model = build::report(&bundle, files, older.as_ref());
    let bytes = if is_markdown(matches, &out) { markdown::render(&model) } else { html::render(&model) };
    deliver(&mut report, &out, bytes)?;
    Ok(report)
}

fn given_out(matches: &ArgMatches) -> Output {
    let default = if arguments::is_set(matches, "markdown") { MARKDOWN } else { PAGE };
    let given = arguments::given_path(matches, "out");
    Output::from_argument(given.unwrap_or_else(|| PathBuf::from(default)))
}

fn is_markdown(matches: &ArgMatches, out: &Output) -> bool {
    let by_name = match out {
        Output::Stdout => false,
        Output::Path(path) => path.extension().is_some_and(|end| end == "md" || end == "markdown"),
    };
    by_name || arguments::is_set(matches, "markdown")
}

fn look_at_package(package: &Path, bundle: &Bundle, out: &Output) -> Result<PackageFiles, Failure> {
    let manifest = Input::Path(package.join(manifest::FILE_NAME));
    let table = &bundle.submission.basis().package_artifact.files;
    let of_the_table = table.iter().map(|file| Input::Path(package.join(file.path.as_str())));
    refuse_same_file(out, &std::iter::once(manifest.clone()).chain(of_the_table).collect::<Vec<_>>())?;
    let (source, bytes) = read_manifest(&manifest)?;
    Ok(PackageFiles::look(source, manifest.label(), bytes, &bundle.submission))
}

fn deliver(report: &mut RunReport, out: &Output, bytes: Vec<u8>) -> Result<(), Failure> {
    let action = match out {
        Output::Stdout => {
            report.payload = Some(bytes);
            Action::Printed
        }
        Output::Path(path) => {
            write_atomic(path, &bytes).map_err(|error| Failure::writing(&out.label(), &error))?.into()
        }
    };
    report.artifacts.push(ArtifactLine { action, label: out.label(), kind: "report", digest: None });
    Ok(())
}
