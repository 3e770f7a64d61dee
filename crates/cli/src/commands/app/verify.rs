//! `svc app verify`: the whole chain of a bundle, and the files behind it.

#[cfg(feature = "server")]
mod answers;
/// In a build that cannot check answers.
#[cfg(not(feature = "server"))]
#[path = "verify/answers_refused.rs"]
mod answers;

use std::path::Path;

use clap::{ArgMatches, Command};
use svc_core::{
    artifact::{about_package::AboutPackage as _, checked::Checked, submission::Submission},
    finding::Finding,
    manifest, pack,
    rules::artifacts,
    words::exit_code::ExitCode,
};
use svc_json::pointer::Pointer;

use self::answers::AnswerCheck;
use super::{
    bundle_folder::{LookedAt, look_at},
    collection,
    pack::read_manifest,
};
use crate::{
    arguments,
    failure::Failure,
    files::{
        folder_swap::{self, is_collection},
        read::Input,
    },
    package,
    report::{PackageLine, ReportedDocument, RunReport},
};
pub(crate) fn command() -> Command {
    Command::new("verify")
        .about("Check the whole chain of a bundle, and with --package the files behind it")
        .arg(
            arguments::path("folder", "DIR")
                .required(true)
                .help("The folder with the seven files, or with the bundles of several packages"),
        )
        .arg(arguments::path("package", "DIR").long("package").help("The package's folder, to be read again"))
        .args(answers::arguments())
}

pub(crate) fn run(matches: &ArgMatches) -> Result<RunReport, Failure> {
    let folder = arguments::given_path(matches, "folder").unwrap_or_default();
    let package = arguments::given_path(matches, "package");
    let answers = AnswerCheck::given(matches)?;
    if is_collection(&folder) {
        return verify_collection(&folder, package.as_deref(), &answers);
    }
    verify(&folder, package.as_deref(), &answers)
}

fn verify(folder: &Path, package: Option<&Path>, answers: &AnswerCheck) -> Result<RunReport, Failure> {
    let LookedAt { mut report, bundle, files } = look_at(folder)?;
    if let Some((bundle, package)) = bundle.zip(package) {
        compare_with_folder(&mut report, &bundle.submission, package, folder)?;
        // What the package on disk refutes stands nowhere.
        if report.exit_code() == ExitCode::Valid {
            report.packages = report.packages.into_iter().map(PackageLine::read_here).collect();
        } else {
            report.packages.clear();
        }
    }
    if report.is_valid() {
        answers.check(&mut report, folder, &files)?;
    }
    Ok(report)
}

fn verify_collection(folder: &Path, package: Option<&Path>, answers: &AnswerCheck) -> Result<RunReport, Failure> {
    if package.is_some() {
        let message = format!("{}: holds the bundles of several packages", folder.to_string_lossy());
        return Err(Failure::usage(message, "with --package, give the folder of the one bundle that is of it"));
    }
    let (mut report, bundles) = collection::look_at_all(folder)?;
    for (folder, files) in &bundles {
        answers.check(&mut report, folder, files)?;
    }
    Ok(report)
}

const MAKE_AGAIN: &str = "Bring back the files that were packed, or make the bundle again with `svc app preflight`.";

/// Reads the package again and holds it against the submission.
fn compare_with_folder(
    report: &mut RunReport,
    submission: &Checked<Submission>,
    folder: &Path,
    bundle: &Path,
) -> Result<(), Failure> {
    let manifest = Input::Path(folder.join(manifest::FILE_NAME));
    let (source, bytes) = read_manifest(&manifest)?;
    let basis = submission.basis();
    let draft = match pack::read_manifest(&bytes) {
        Ok(draft) => draft,
        Err(findings) => {
            report.documents.push(ReportedDocument::package(manifest.label(), bytes, findings, source));
            return Ok(());
        }
    };
    let walked = package::walk(&source, &draft, &folder_swap::with_leftovers(bundle));
    let files = walked.files.clone().unwrap_or_default();
    let packed = draft.review(walked).pack(basis.owner.clone(), basis.visibility);
    match packed {
        Err(findings) => report.documents.push(ReportedDocument::package(manifest.label(), bytes, findings, source)),
        Ok(packed) => {
            let mut findings = Vec::new();
            let declared = basis.package_artifact;
            if packed.submission.basis().package_artifact.manifest != declared.manifest {
                findings.push(differs("/packageArtifact/manifest", "the manifest on disk is another one"));
            }
            findings.extend(file_differences(&declared.files, &files));
            if !submission.has_own_rules() {
                let message = "other rules made the report, so it cannot be compared with the package on disk";
                let finding = Finding::new(&artifacts::B017, message).at(Pointer::from_text("/ruleset"));
                findings.push(finding.as_error().help("Compare with the version of svc that made the bundle."));
            } else if findings.is_empty() && packed.submission.basis().report != basis.report {
                findings.push(differs("/reviewReport", "the rules give another report for the package on disk"));
            }
            let label = folder.to_string_lossy().into_owned();
            report.documents.push(ReportedDocument::new(label, Vec::new(), findings));
        }
    }
    Ok(())
}

fn differs(pointer: &str, message: &str) -> Finding {
    Finding::new(&artifacts::B010, message).at(Pointer::from_text(pointer)).help(MAKE_AGAIN)
}

fn file_differences(
    declared: &[svc_core::package::artifact::FileEntry],
    found: &[svc_core::package::artifact::FileEntry],
) -> Vec<Finding> {
    let mut findings = Vec::new();
    let files = Pointer::from_text("/packageArtifact/files");
    for (index, file) in declared.iter().enumerate() {
        let place = files.join(index);
        match found.iter().find(|other| other.path == file.path) {
            None => findings.push(differs(place.as_str(), &format!("`{}` is not on disk", file.path))),
            Some(other) if other != file => {
                let message = format!("`{}` on disk is not the file that was packed: its bytes differ", file.path);
                findings.push(Finding::new(&artifacts::B003, message).at(place).help(MAKE_AGAIN));
            }
            Some(_) => {}
        }
    }
    for file in found.iter().filter(|file| !declared.iter().any(|other| other.path == file.path)) {
        findings.push(differs(files.as_str(), &format!("`{}` is on disk, but not in the submission", file.path)));
    }
    findings
}

#[cfg(test)]
mod tests {
    use std::fs;

    use svc_core::{
        read,
        words::{example::Example, severity::Severity},
    };
    use tempfile::tempdir;

    use super::*;

    /// The documents of the kit name a rule set of their own.
    const OF_OTHER_RULES: &str =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance/submission/valid/document.json");

    #[test]
    fn a_report_by_other_rules_is_not_compared_and_not_called_right() {
        let folder = tempdir().unwrap();
        let package = Example::Files("").package().unwrap();
        for (path, bytes) in package.files.into_iter().chain([(manifest::FILE_NAME.to_owned(), package.manifest)]) {
            fs::create_dir_all(folder.path().join(&path).parent().unwrap()).unwrap();
            fs::write(folder.path().join(path), bytes).unwrap();
        }
        let submission = read::artifact::<Submission>(&fs::read(OF_OTHER_RULES).unwrap()).unwrap();
        let mut report = RunReport::default();
        compare_with_folder(&mut report, &submission, folder.path(), Path::new("elsewhere")).unwrap();
        let findings: Vec<&Finding> = report.documents.iter().flat_map(|document| &document.findings).collect();
        let refusals = findings.iter().filter(|finding| finding.severity() == Severity::Error);
        let by_other_rules = refusals.filter(|finding| finding.rule == &artifacts::B017);
        assert_eq!(by_other_rules.count(), 1);
        assert!(findings.iter().all(|finding| finding.pointer.as_str() != "/reviewReport"));
    }
}
