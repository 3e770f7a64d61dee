//! `svc app verify`: the whole chain of a bundle, and the files behind it.

mod answers;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use clap::{Arg, ArgMatches, Command};
use svc_cli::{
    arguments,
    failure::Failure,
    files::{
        folder_swap::{self, is_collection},
        read::Input,
    },
    scope::Why,
};
use svc_core::words::rule_code::RuleCode;
use svc_core::{
    artifact::{about_package::AboutPackage as _, checked::Checked, submission::Submission},
    bundle::Bundle,
    diagnostics::ScopePart,
    finding::Finding,
    findings::Findings,
    manifest, pack,
    package::{artifact::FileEntry, descriptor::DescriptorName},
    words::{exit_code::ExitCode, kind},
};
use svc_json::{digest::Digest, pointer::Pointer};

use self::answers::AnswerCheck;
use super::{
    bundle_folder::{LookedAt, look_at},
    collection,
    pack::read_manifest,
};
use crate::{
    kept_claims,
    named::folders_in,
    package,
    report::{PackageLine, ReportedDocument, RunReport},
    tree::{
        fault::TreeFault,
        walk::{Fate, ListedPath},
    },
};
use svc_cli::rules::rules;

pub(crate) fn command() -> Command {
    Command::new("verify")
        .about("Check the whole chain of a bundle, and with --package the files behind it")
        .arg(
            arguments::path("folder", "DIR")
                .required(true)
                .help("The folder with the seven files, or with the bundles of several packages"),
        )
        .arg(arguments::path("package", "DIR").long("package").help("The package's folder, to be hashed and read again"))
        .arg(Arg::new("expect").long("expect").value_name("DIGEST").help(
            "The digest you expect, from another source: of the package artifact or of the submission, as sha256:…",
        ))
        .args(answers::arguments())
        .after_help(
            "No digest shows who made a bundle: give --expect a digest that its maker told you, not one from the bundle.\n\n\
             Example\n  svc app verify svc-registry --package weather-board --expect sha256:…",
        )
}

pub(crate) fn run(matches: &ArgMatches) -> Result<RunReport, Failure> {
    let folder = arguments::given_path(matches, "folder").unwrap_or_default();
    let bundles = if is_collection(&folder) { folders_in(&folder) } else { vec![folder.clone()] };
    if let Some(report) = kept_claims::stop(&bundles)? {
        return Ok(report);
    }
    let options = VerifyOptions {
        package: arguments::given_path(matches, "package"),
        expected: arguments::text(matches, "expect").map(expected_digest).transpose()?,
        answers: AnswerCheck::given(matches)?,
    };
    if is_collection(&folder) { verify_collection(&folder, &options) } else { verify(&folder, &options) }
}

struct VerifyOptions {
    package: Option<PathBuf>,
    expected: Option<Digest>,
    answers: AnswerCheck,
}

fn expected_digest(text: &str) -> Result<Digest, Failure> {
    Digest::parse(text).ok_or_else(|| {
        let message = format!("`--expect` must be `sha256:` and 64 hexadecimal digits, and is `{text}`");
        Failure::usage(message, "give the line `Artifact` of `svc app preflight`, or the digest of the submission")
    })
}

fn verify(folder: &Path, options: &VerifyOptions) -> Result<RunReport, Failure> {
    let LookedAt { mut report, bundle, files } = look_at(folder)?;
    report.scope.skip(ScopePart::PackageFiles, Why::NoPackageGiven);
    report.scope.skip(ScopePart::ExpectedDigest, Why::NoDigestGiven);
    match (&bundle, &options.expected) {
        (Some(bundle), Some(expected)) => compare_with_expected(&mut report, bundle, expected),
        (None, Some(_)) => report.scope.skip(ScopePart::ExpectedDigest, Why::FailedBefore),
        (_, None) => {}
    }
    match (&bundle, &options.package) {
        (Some(bundle), Some(package)) => {
            compare_with_folder(&mut report, &bundle.submission, package, folder)?;
            if report.is_valid() {
                report.packages =
                    std::mem::take(&mut report.packages).into_iter().map(PackageLine::read_here).collect();
            }
        }
        (None, Some(_)) => report.scope.skip(ScopePart::PackageFiles, Why::FailedBefore),
        (_, None) => {}
    }
    // What the package on disk refutes has no stage.
    if report.exit_code() != ExitCode::Valid {
        report.packages.clear();
        report.scope.skip(ScopePart::KeptAnswers, Why::FailedBefore);
        return Ok(report);
    }
    options.answers.check(&mut report, &[(folder.to_path_buf(), files)])?;
    Ok(report)
}

/// Compares the digests of the bundle with the one that the user expects.
fn compare_with_expected(report: &mut RunReport, bundle: &Bundle, expected: &Digest) {
    report.scope.check(ScopePart::ExpectedDigest);
    let submission = bundle.submission.digest_matches().digest();
    let basis = bundle.submission.basis();
    let package = basis.digest(DescriptorName::PackageArtifact);
    if submission == expected || package == Some(expected) {
        return;
    }
    let package = package.map(ToString::to_string).unwrap_or_default();
    let message =
        format!("`--expect` is {expected}, but the package artifact is {package} and the submission is {submission}");
    let help = "This is not the bundle you expect. Ask its maker for the digest again, or get the bundle again.";
    let finding = rules().finding(RuleCode::B003, message).help(help);
    report.documents.push(ReportedDocument::new(kind::SUBMISSION.file.to_owned(), Vec::new(), vec![finding]));
}

fn verify_collection(folder: &Path, options: &VerifyOptions) -> Result<RunReport, Failure> {
    if options.package.is_some() || options.expected.is_some() {
        let message = format!("{}: holds the bundles of several packages", folder.to_string_lossy());
        let help = "with --package or --expect, give the folder of one bundle: each is named by the id of its package";
        return Err(Failure::usage(message, help));
    }
    let (mut report, bundles) = collection::look_at_all(folder)?;
    report.scope.skip(ScopePart::PackageFiles, Why::SeveralBundles);
    report.scope.skip(ScopePart::ExpectedDigest, Why::SeveralBundles);
    if !report.is_valid() {
        report.scope.skip(ScopePart::KeptAnswers, Why::FailedBefore);
        return Ok(report);
    }
    options.answers.check(&mut report, &bundles)?;
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
    let draft = match pack::read_manifest(rules(), &bytes) {
        Ok(draft) => draft,
        Err(findings) => {
            report.scope.skip(ScopePart::PackageFiles, Why::FailedBefore);
            report.documents.push(ReportedDocument::package(manifest.label(), bytes, findings, source));
            return Ok(());
        }
    };
    let walked = package::walk(&source, &draft, &folder_swap::with_leftovers(bundle));
    let files = walked.files.clone().unwrap_or_default();
    let is_whole = walked.files.is_some();
    let listed = package::list_paths(&source, &draft, &folder_swap::with_leftovers(bundle)).unwrap_or_default();
    if package::leaves_out(&source, &draft, &folder_swap::with_leftovers(bundle)) {
        report.scope.note_left_out();
    }
    let unpacked = Unpacked { faulty: walked.folder.faulty.clone(), listed };
    if is_whole && !walked.findings.has_errors() {
        report.scope.check(ScopePart::PackageFiles);
    } else {
        report.scope.skip(ScopePart::PackageFiles, Why::FailedBefore);
    }
    let packed = draft.review(walked).pack(basis.owner.clone(), basis.visibility);
    match packed {
        Err(findings) => {
            report.documents.push(ReportedDocument::package(manifest.label(), bytes, findings, source));
            // What cannot be packed any more is still compared, file by file.
            if is_whole {
                let differences = file_differences(&basis.package_artifact.files, &files, &unpacked);
                report.documents.push(ReportedDocument::new(
                    folder.to_string_lossy().into_owned(),
                    Vec::new(),
                    differences,
                ));
            }
        }
        Ok(packed) => {
            let mut findings = Findings::default();
            let declared = basis.package_artifact;
            if packed.submission.basis().package_artifact.manifest != declared.manifest {
                findings.push(differs("/packageArtifact/manifest", "the manifest on disk is another one"));
            }
            findings.append(file_differences(&declared.files, &files, &unpacked));
            if !submission.has_own_rules() {
                let message = "other rules made the report, so it cannot be compared with the package on disk";
                let finding = rules().finding(RuleCode::B017, message).at(Pointer::from_text("/ruleset"));
                findings.push(finding.as_error().help("Compare with the version of svc that made the bundle."));
            } else if findings.is_empty() && packed.submission.basis().report != basis.report {
                findings.push(differs("/reviewReport", "the rules give another report for the package on disk"));
            }
            if findings.is_empty() {
                report.scope.read_package();
                report.scope.note_unread(&packed.findings);
                findings.extend(packed.findings.into_iter().filter(|finding| finding.rule.is(RuleCode::F020)));
            }
            let label = folder.to_string_lossy().into_owned();
            report.documents.push(ReportedDocument::new(label, Vec::new(), findings));
        }
    }
    Ok(())
}

fn differs(pointer: &str, message: &str) -> Finding {
    rules().finding(RuleCode::B010, message).at(Pointer::from_text(pointer)).help(MAKE_AGAIN)
}

/// What the walk saw in the folder, and has no row in the table of files.
struct Unpacked {
    /// Files and folders with a finding of their own.
    faulty: BTreeSet<String>,
    listed: Vec<ListedPath>,
}

impl Unpacked {
    /// What stands in the place of a file that was packed, where it is no file.
    fn in_place_of(&self, path: &str) -> Option<String> {
        match &self.listed.iter().find(|one| one.path == path)?.fate {
            Fate::Refused(fault @ TreeFault::SpecialFile { .. }) => Some(fault.message()),
            Fate::Refused(_) | Fate::Taken(_) | Fate::NoPattern | Fate::Ignored(_) | Fate::Own | Fate::LeftOut => None,
        }
    }

    /// Whether a finding says already why the file was not read.
    fn is_faulty(&self, path: &str) -> bool {
        let is_above = |faulty: &String| path.strip_prefix(faulty.as_str()).is_some_and(|rest| rest.starts_with('/'));
        self.faulty.contains(path) || self.faulty.iter().any(is_above)
    }

    /// Why a file that was packed is not compared: it is not there, or it is left out by now.
    fn why_missing(&self, path: &str) -> String {
        let is_it = |one: &&ListedPath| one.path == path || (one.path.ends_with('/') && path.starts_with(&one.path));
        match self.listed.iter().find(is_it).map(|one| &one.fate) {
            Some(Fate::NoPattern) => format!("`{path}` was packed, and no pattern in `files` selects it now"),
            Some(Fate::Ignored(_)) => format!("`{path}` was packed, and is left out of the package now"),
            Some(Fate::Taken(_) | Fate::Own | Fate::LeftOut | Fate::Refused(_)) | None => {
                format!("`{path}` is not on disk")
            }
        }
    }
}

fn file_differences(declared: &[FileEntry], found: &[FileEntry], unpacked: &Unpacked) -> Findings {
    let mut findings = Findings::default();
    let by_path = |files: &'_ [FileEntry]| -> BTreeMap<String, FileEntry> {
        files.iter().map(|file| (file.path.to_string(), file.clone())).collect()
    };
    let (on_disk, packed) = (by_path(found), by_path(declared));
    let files = Pointer::from_text("/packageArtifact/files");
    for (index, file) in declared.iter().enumerate() {
        let place = files.join(index);
        let path = file.path.as_str();
        match on_disk.get(path) {
            None if unpacked.in_place_of(path).is_some() => {
                let is = unpacked.in_place_of(path).unwrap_or_default();
                let message = format!("`{path}` on disk is not the file that was packed: it {is}");
                findings.push(differs(place.as_str(), &message));
            }
            None if unpacked.is_faulty(path) => {}
            None => findings.push(differs(place.as_str(), &unpacked.why_missing(path))),
            Some(other) if other != file => {
                let message = format!("`{}` on disk is not the file that was packed: its bytes differ", file.path);
                findings.push(rules().finding(RuleCode::B003, message).at(place).help(MAKE_AGAIN));
            }
            Some(_) => {}
        }
    }
    for file in found.iter().filter(|file| !packed.contains_key(file.path.as_str())) {
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
    const OF_OTHER_RULES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance/documents/submission.json");

    #[test]
    fn a_report_by_other_rules_is_not_compared_and_not_called_right() {
        let folder = tempdir().unwrap();
        let package = Example::Files("").package().unwrap();
        for (path, bytes) in package.files.into_iter().chain([(manifest::FILE_NAME.to_owned(), package.manifest)]) {
            fs::create_dir_all(folder.path().join(&path).parent().unwrap()).unwrap();
            fs::write(folder.path().join(path), bytes).unwrap();
        }
        let submission = read::artifact::<Submission>(rules(), &fs::read(OF_OTHER_RULES).unwrap()).unwrap();
        let mut report = RunReport::default();
        compare_with_folder(&mut report, &submission, folder.path(), Path::new("elsewhere")).unwrap();
        let findings: Vec<&Finding> = report.documents.iter().flat_map(|document| &document.findings).collect();
        let refusals = findings.iter().filter(|finding| finding.severity() == Severity::Error);
        let by_other_rules = refusals.filter(|finding| finding.rule.is(RuleCode::B017));
        assert_eq!(by_other_rules.count(), 1);
        assert!(findings.iter().all(|finding| finding.pointer.as_str() != "/reviewReport"));
    }
}
